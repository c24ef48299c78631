"""Every block of shell, Python and requests that README and the guides print, run as it stands in a newcomer's home.

`test_commands.py` of the documentation reads the arguments of those of all other pages. What the demo would have loaded
is here its part about two directors; a word that stands for something of the reader's own is put in from PUT_IN.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from clause.ingest.samples import KB
from tests.faults.serving import serving
from tests.servers import quick_server

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / "docs" / "guides" / f"{name}.md" for name in ("get-started", "load-your-graph")),
    ROOT / "README.md",
    ROOT / "docs" / "index.md",
    *(ROOT / "docs" / "guides" / f"{name}.md" for name in ("question-an-answer", "connect-an-agent", "security")),
    *(ROOT / "docs" / "guides" / f"{name}.md" for name in ("operate", "train")),
    ROOT / "plugin" / "README.md",
]
BLOCK = re.compile(r"^(?P<in> *)```(?P<kind>\w*)\n(?P<text>.*?)^(?P=in)```", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?:^ {4}\S.*\n)+", re.MULTILINE)
PROGRAMS = re.compile(r"(?:[A-Z_]+=\S+ )*(?:\$ )?(?:clause|curl|make|claude|docker|cp|npx|pip|pipx|uvx?) ")

ELSEWHERE = {
    "make ": "makes an environment and runs `clause demo`, which test_wheel.py runs from a built wheel",
    "claude ": "needs Claude Code; the plugin's files are checked by tests/unit/plugin",
    "docker ": "needs an engine; the file is checked by tests/deploy",
    "cp deploy/env.example .env": "is a line of the story that needs an engine",
    "CLAUSE_EMBEDDER=/models/mine clause reembed": "needs a second model; tests/integration/ingest embeds anew",
    "clause train own": "trains for many minutes; tests/integration/evaluation trains on a small graph",
    "clause policy promote": "needs a trained checkpoint; tests/integration/operations promotes one",
    "clause policy rollback": "needs a promotion before it; tests/integration/operations takes one back",
}
"""What cannot run here, and where it is tested instead."""


@dataclass(frozen=True)
class Printed:
    """Something printed to be typed: a line of shell, a program in Python, or a request."""

    page: Path
    kind: str
    text: str
    shown: str = ""

    @property
    def name(self) -> str:
        return f"{self.page.relative_to(ROOT)}: {' '.join(self.text.split())[:70]}"


def printed() -> list[Printed]:
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in BLOCK.finditer(text):
            body = re.sub(rf"^{block['in']}", "", block["text"], flags=re.MULTILINE)
            if block["kind"] == "python":
                found.append(Printed(page, "python", body))
            elif block["kind"] == "json" and body.startswith("POST "):
                found.append(Printed(page, "request", body))
            elif block["kind"] in {"", "bash", "sh"}:
                found += shell(page, body)
        if page.parent.name == "plugin":
            found += [one for block in INDENTED.findall(text) for one in shell(page, block)]
    return found


def shell(page: Path, body: str) -> list[Printed]:
    """The lines of a block that are typed; what stands below one is what it shows."""
    joined = body.replace("\\\n", " ")
    lines = joined.splitlines()
    return [
        Printed(page, "shell", line.strip().removeprefix("$ "), joined.partition(line)[2])
        for line in lines
        if PROGRAMS.match(line.strip())
    ]


def reason(one: Printed) -> str | None:
    """Why it is not run here; None: it is."""
    return next((why for start, why in ELSEWHERE.items() if one.text.startswith(start)), None)


@dataclass(frozen=True)
class Newcomer:
    """Somebody with a home of their own, the service running in it, and files in the folder they are in."""

    folder: Path
    environment: dict[str, str]
    url: str

    def typed(self, line: str) -> str:
        """What a line of shell prints; questions are answered with yes."""
        command = ["bash", "-c", line]
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, input="y\n", capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (line, done.stdout[-1500:], done.stderr[-1500:])
        assert "Traceback" not in done.stderr
        return done.stdout

    def ready(self, text: str) -> str:
        """The text with what is this reader's own: their file, ids that were printed before, where the service is."""
        text = re.sub(r"(?:localhost|127\.0\.0\.1):8420", urlsplit(self.url).netloc, text)
        text = re.sub(r"\bFILE\b", "mine.txt", text)
        if "KEY_ID" in text:
            keys = json.loads(self.typed("clause keys list --json"))["keys"]
            text = text.replace("KEY_ID", next(key["id"] for key in keys if key["revoked_at"] is None))
        if "gap_" in text:
            self.typed('clause ask "What does the night watch carry?"')  # nothing says it yet
            plan = json.loads(self.typed("clause curiosity plan --budget 5 --json"))
            question = next(one for one in plan["questions"] if one["kind"] == "question")
            text = re.sub(r"gap_\w+", question["id"], text)
        if "{run_id}" in text:
            runs = httpx.get(f"{self.url}/api/clause/runs?limit=20", trust_env=False, timeout=60).json()["items"]
            text = text.replace("{run_id}", next(one["id"] for one in runs if "Weir" in one["query"]))
        return text


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Newcomer]:
    """A home that nobody has used, with a Neo4j that starts quickly, the demo's part about two directors, and the
    service.
    """
    folder = tmp_path_factory.mktemp("newcomer")
    neo4j = quick_server(folder / "home")
    neo4j.ensure()
    settings = {
        "CLAUSE_HOME": str(folder / "home"),
        "CLAUSE_NEO4J_HEAP_MB": "512",
        "CLAUSE_PERIODIC_JOBS": "false",
    }
    others = {name: value for name, value in os.environ.items() if not name.startswith("CLAUSE_")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**others, **settings, "PATH": path, "HOME": str(folder), "PYTHONPATH": str(ROOT)}
    written(folder)
    reader = Newcomer(folder, environment, "")
    try:
        reader.typed("clause load triples sample.txt --scope kg:metaqa")
        with serving(folder, settings) as url:
            yield Newcomer(folder, environment, url)
    finally:
        neo4j.stop()


def written(folder: Path) -> None:
    """The files that the pages speak of."""
    with gzip.open(KB, "rt", encoding="utf-8") as sample:
        lines = [line for line in sample if line.strip()]
    films = {line.split("|")[0] for line in lines if re.search(r"directed_by\|(?:Peter Weir|Ken Loach)$", line.strip())}
    part = "".join(line for line in lines if line.split("|")[0] in films)
    (folder / "sample.txt").write_text(part, encoding="utf-8")
    (folder / "films.txt.gz").write_bytes(gzip.compress(part.encode()))
    (folder / "mine.txt").write_text("Mail Relay|supplied by|Ostrava Post\nOstrava Post|located in|Vellmar\n")
    passage = {"id": "1", "title": "Witness (1985 film)", "text": "Witness is a thriller by Peter Weir."}
    (folder / "texts.jsonl").write_text(json.dumps(passage) + "\n")
    asked = {"question": "Who is Mail Relay supplied by?", "answers": ["Ostrava Post"]}
    (folder / "handbook").mkdir()
    (folder / "handbook" / "post.md").write_text("# Post\n\nOstrava Post carries mail to Vellmar every Tuesday.\n")
    (folder / "questions.jsonl").write_text(json.dumps(asked) + "\n")


RUN = [one for one in printed() if reason(one) is None]


@pytest.mark.parametrize("one", RUN, ids=[one.name for one in RUN])
def test_what_is_printed_runs_as_it_stands(one: Printed, newcomer: Newcomer) -> None:
    text = newcomer.ready(one.text)
    if one.kind == "python":
        assert program(newcomer, text).strip() not in {"", "()", "[]"}
    elif one.kind == "request":
        line, _, body = text.partition("\n")
        answer = httpx.post(newcomer.url + line.split()[1], json=json.loads(body), trust_env=False, timeout=120)
        assert answer.is_success, answer.text
    elif "--transport http" in text:
        assert serves(newcomer, text)
    else:
        said = newcomer.typed(text)
        answers = re.findall(r"^  (\S.*?)  \(0\.\d\d\)$", one.shown, re.MULTILINE)
        assert [name for name in answers if name not in said] == []


def program(newcomer: Newcomer, text: str) -> str:
    """What a program prints; it may wait at its top level, as in a notebook."""
    run = (
        "import ast, asyncio, sys, inspect\n"
        "code = compile(sys.stdin.read(), 'page', 'exec', flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)\n"
        "waits = eval(code)\n"
        "asyncio.run(waits) if inspect.iscoroutine(waits) else None\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", run],
        cwd=newcomer.folder,
        env=newcomer.environment,
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (text, done.stderr[-1500:])
    return done.stdout


def serves(newcomer: Newcomer, line: str) -> bool:
    """Whether a server that a line starts says where it is; on a free port, and stopped then."""
    line = re.sub(r"--port \d+", "--port 0", line)
    command = ["bash", "-c", f"exec {line} --json"]
    with subprocess.Popen(
        command,
        cwd=newcomer.folder,
        env=newcomer.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        told = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")
        deadline = time.monotonic() + 60
        answered = False
        while not answered and time.monotonic() < deadline:
            try:
                answered = httpx.post(told["mcp"], json={}, trust_env=False, timeout=60).status_code < 500
            except httpx.TransportError:
                time.sleep(0.2)
        process.terminate()
    return answered


def test_what_is_not_run_here_is_printed_somewhere_and_little() -> None:
    left = [one for one in printed() if reason(one) is not None]
    assert {start for start in ELSEWHERE if not any(one.text.startswith(start) for one in left)} == set()
    assert len(left) < len(RUN)
