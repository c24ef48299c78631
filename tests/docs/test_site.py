"""The documentation site: built without a warning, asking nobody for anything, and true about the commands."""

from __future__ import annotations

import functools
import http.server
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from clause.cli.main import COMMANDS
from clause.settings import Settings
from tests.e2e.chromium import chromium, watch

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LOADED = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["']?([^"' >]+)"""
    r"""|<link\b(?![^>]*rel=["']?canonical)[^>]*\bhref=["']?([^"' >]+)"""
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; a warning is an error."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The site, served on the loopback."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_guides_and_the_reference_are_there(site: Path) -> None:
    for name in ("get-started", "connect-an-agent", "load-your-graph", "train", "operate", "security"):
        assert (site / "guides" / f"{name}.html").is_file()
    library = (site / "reference" / "library.html").read_text(encoding="utf-8")
    for name in (
        "clause.asking.Asking.coordinate",
        "clause.library.Clause.open",
        "clause.library.SyncClause.call",
        "clause.client.ClauseClient.request",
    ):
        assert f'id="{name}"' in library


def test_every_page_is_in_the_list_and_every_module_of_models_on_a_page(site: Path) -> None:
    listed = set(re.findall(r"\S+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]))
    assert listed == {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    shown = "".join(page.read_text(encoding="utf-8") for page in (site / "reference").glob("*.html"))
    crossing = [path for path in (ROOT / "clause").rglob("*models*.py") if "lab" not in path.parts]
    crossing += (ROOT / "clause" / "reasoning" / "models").glob("[a-df-z]*.py")  # without the examples
    for path in crossing:
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for model in re.findall(r"^class ([A-Z]\w*)\(", path.read_text(encoding="utf-8"), re.MULTILINE):
            assert f'id="{module}.{model}"' in shown, f"{module}.{model} is on no page of docs/reference"


def test_no_page_names_anything_of_another_host_to_load(site: Path) -> None:
    for page in site.rglob("*.html"):
        loaded = [one or other for one, other in LOADED.findall(page.read_text(encoding="utf-8"))]
        assert loaded, page
        assert [address for address in loaded if re.match(r"(?:https?:)?//", address)] == [], page
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(\s*[\"']?(?:https?:)?//", style.read_text(encoding="utf-8")), style


async def test_a_browser_that_reads_and_searches_asks_us_alone(address: str) -> None:
    async with chromium() as browser:
        watched = await watch(browser)
        page = watched.page
        await page.goto(f"{address}/guides/get-started.html")
        await page.locator("input.md-search__input").press_sequentially("budget")  # the page listens to keys
        await page.locator(".md-search-result__item").first.wait_for()
        await page.goto(f"{address}/reference/library.html")
        await watched.photograph("docs-library")
        assert watched.foreign(address) == []
        assert watched.errors == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_and_setting_that_a_page_names_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    commands = set(re.findall(r"(?:^|`|\$ )clause ([a-z]+)\b", text, re.MULTILINE))
    assert commands <= set(COMMANDS), page
    known = {f"CLAUSE_{name.upper()}" for name in Settings.model_fields} | {"CLAUSE_VERSION"}
    named = {name for name in re.findall(r"\bCLAUSE_[A-Z0-9_]+", text) if not name.startswith("CLAUSE_TEST_")}
    unknown = {name for name in named if name not in known}
    families = {name for name in unknown if name.endswith("_") and any(one.startswith(name) for one in known)}
    assert unknown == families, page
