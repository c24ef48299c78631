"""`clause export` and `clause import` killed with -9 midway: no half archive looks whole, and the scope comes back."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from clause.errors import BadInputError, ConflictError
from clause.graph.canonical import scope_hash
from clause.graph.jobs import Jobs
from clause.graph.runner import Graph
from clause.graph.wire import Address
from clause.ingest.triples import load_triples
from clause.operations.archive import Archive, export_scope
from clause.operations.restoration import import_archive
from tests.servers import erase_scope
from tests.shapes import write_text

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
LINES = 1_500
SHORT_LEASE_S = 2.0

COMMAND = """
import functools, signal, sys
from contextlib import contextmanager
from clause.cli import archive
from clause.cli.main import app
from clause.operations import restoration

hold_at, *command = sys.argv[1:]

@contextmanager
def held():
    def told(message, done, total):
        if "porting" in message:
            print(done, flush=True)
            if 0 < int(hold_at) <= done:
                signal.pause()  # until it is killed
    yield told

archive.loading_bar = held
restoration.Jobs = functools.partial(restoration.Jobs, lease_s=2.0)
app(command)
"""
"""The real command, which stands still once so many lines are done."""


class Commands:
    """Runs commands of the CLI on the test server, in processes of their own."""

    def __init__(self, address: Address, home: Path) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("CLAUSE_")}
        self._environment = {
            **kept,
            "CLAUSE_HOME": str(home),
            "CLAUSE_NEO4J_URI": address.uri,
            "CLAUSE_NEO4J_USER": address.user,
            "CLAUSE_NEO4J_PASSWORD": address.password.get_secret_value(),
            "CLAUSE_NEO4J_DATABASE": address.database,
            "PYTHONPATH": str(ROOT),
        }

    async def killed(self, at: int, *command: str) -> None:
        """Start a command, and kill it where it stands still, once `at` lines are done."""
        process = await self._start(at, *command)
        assert process.stdout is not None
        async for line in process.stdout:
            if int(line) >= at:
                os.kill(process.pid, signal.SIGKILL)
                break
        assert await process.wait() == -signal.SIGKILL

    async def run(self, *command: str) -> dict[str, Any]:
        """The object that a command prints with --json."""
        process = await self._start(0, *command, "--json")
        said, _ = await process.communicate()
        assert process.returncode == 0, said.decode()
        found: dict[str, Any] = json.loads(said[said.index(b"{") :])
        return found

    async def _start(self, hold_at: int, *command: str) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            COMMAND,
            str(hold_at),
            *command,
            stdout=asyncio.subprocess.PIPE,
            cwd=ROOT,
            env=self._environment,
        )


@pytest.fixture
def commands(migrated_address: Address, tmp_path: Path) -> Commands:
    return Commands(migrated_address, tmp_path / "home")


@pytest.fixture
async def hashed(graph: Graph, scope: str, tmp_path: Path) -> str:
    """The hash of a scope of some 1,100 nodes and 1,500 relationships."""
    lines = "".join(f"a{i % 997}|r{i % 3}|b{i % 89}\n" for i in range(LINES))
    await load_triples(graph, None, write_text(tmp_path / "triples.txt", lines), scope)
    return (await scope_hash(graph, scope)).sha256


@pytest.mark.parametrize("name", ["scope.jsonl", "scope.jsonl.gz"])
async def test_an_export_that_is_killed_leaves_no_archive_and_harms_none(
    commands: Commands, scope: str, hashed: str, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "archives"
    folder.mkdir()
    file = folder / name

    await commands.killed(500, "export", str(file), "--scope", scope)

    (partial,) = folder.iterdir()
    assert partial.name == f".{name}.partial"
    half = Path(shutil.copy(partial, tmp_path / f"half-{name}"))
    with pytest.raises(BadInputError, match=r"no archive|cut off|cannot be read"):
        Archive(half)

    report = await commands.run("export", str(file), "--scope", scope)
    assert [one.name for one in folder.iterdir()] == [name]
    assert report["canonical"] == Archive(file).footer.canonical == hashed

    whole = file.read_bytes()
    await commands.killed(500, "export", str(file), "--scope", scope)
    assert file.read_bytes() == whole


async def test_an_import_that_is_killed_twice_goes_on_and_ends_with_the_archives_hash(
    commands: Commands, graph: Graph, scope: str, hashed: str, tmp_path: Path
) -> None:
    file = tmp_path / "scope.jsonl"
    report = await export_scope(graph, file, scope)
    assert report.canonical == hashed
    await erase_scope(graph, scope)

    for at in (500, report.nodes + 1):  # among the nodes, among the relationships
        await commands.killed(at, "import", str(file))
        assert (await scope_hash(graph, scope)).sha256 != hashed

    again = await commands.run("import", str(file))

    assert again["resumed"] is True
    assert (again["nodes"], again["relationships"]) == (report.nodes, report.relationships)
    assert again["canonical"] == (await scope_hash(graph, scope)).sha256 == hashed


async def test_what_a_killed_import_left_is_not_taken_for_another_archives(
    commands: Commands, graph: Graph, scope: str, hashed: str, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    await export_scope(graph, first, scope)
    await load_triples(graph, None, write_text(tmp_path / "more.txt", "c1|r1|c2\n"), scope)
    await export_scope(graph, second, scope)
    await erase_scope(graph, scope)
    await commands.killed(500, "import", str(first))

    with pytest.raises(ConflictError, match="forget the scope"):
        await import_archive(graph, second, jobs=Jobs(graph, lease_s=SHORT_LEASE_S))

    again = await import_archive(graph, first, jobs=Jobs(graph, lease_s=SHORT_LEASE_S))
    assert (again.resumed, again.canonical) == (True, hashed)


async def test_what_a_killed_import_left_is_forgotten_for_another_archive(
    commands: Commands, graph: Graph, scope: str, hashed: str, tmp_path: Path
) -> None:
    file = tmp_path / "lost.jsonl"
    await export_scope(graph, file, scope)
    await erase_scope(graph, scope)
    await commands.killed(500, "import", str(file))
    forgotten = await commands.run("forget", "--scope", scope, "--yes")
    assert forgotten["counts"]
    again = await import_archive(graph, file, jobs=Jobs(graph, lease_s=SHORT_LEASE_S))
    assert again.canonical == hashed
