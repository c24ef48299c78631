"""A load whose process is killed with -9 midway, then run again: the end state of an unbroken load."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from ulid import ULID

from clause.graph.jobs import Jobs
from clause.graph.lease import JobState
from clause.graph.runner import Graph
from clause.graph.wire import Address
from clause.ingest.passages import load_passages
from clause.ingest.triples import load_triples
from tests.integration.graphs import relationships, triples, wrong_counts
from tests.servers import erase_scope, statement
from tests.shapes import write_text

pytestmark = pytest.mark.integration

LINES = 6_000
LOADER = """
import asyncio, sys
from pathlib import Path
from pydantic import SecretStr
from clause.graph.wire import Address
from clause.graph.catalogue import Catalogue
from clause.graph.runner import Graph
from clause.ingest.passages import load_passages
from clause.ingest.triples import load_triples
from clause.graph.jobs import Jobs

load = {"triples": load_triples, "passages": load_passages}[sys.argv.pop(1)]
uri, user, password, database, path, scope = sys.argv[1:]

def told(message, done, total):
    print(done, flush=True)

async def main():
    async with Graph(Address(uri, user, SecretStr(password), database), Catalogue.load()) as graph:
        jobs = Jobs(graph, lease_s=2.0)
        await load(graph, None, Path(path), scope, batch_size=100, progress=told, jobs=jobs)

asyncio.run(main())
"""


def _lines() -> str:
    return "".join(f"a{i % 997}|r{i % 3}|b{i % 89}\n" for i in range(LINES))


async def _kill_midway(address: Address, form: str, path: Path, scope: str, after: int) -> int:
    """Start a loader in a process of its own and kill it once it has told of `after` lines; its exit status."""
    secret = address.password.get_secret_value()
    arguments = (form, address.uri, address.user, secret, address.database, str(path), scope)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", LOADER, *arguments, stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[2]
    )
    assert process.stdout is not None
    async for line in process.stdout:
        if int(line) >= after:
            os.kill(process.pid, signal.SIGKILL)
            break
    return await process.wait()


async def test_a_load_killed_twice_and_run_again_ends_like_an_unbroken_one(
    graph: Graph, migrated_address: Address, scope: str, tmp_path: Path
) -> None:
    path = write_text(tmp_path / "many.txt", _lines())
    unbroken = f"kg:test-{str(ULID()).lower()}"
    jobs = Jobs(graph, lease_s=2.0)

    statuses = [await _kill_midway(migrated_address, "triples", path, scope, after) for after in (1_000, 3_000)]
    (broken,) = (await jobs.list(scopes=[scope])).items
    report = await load_triples(graph, None, path, scope, jobs=jobs)
    try:
        whole = await load_triples(graph, None, path, unbroken)

        assert statuses == [-signal.SIGKILL, -signal.SIGKILL]
        assert broken.state is JobState.RUNNING
        assert 3_000 <= broken.cursor["records"] < LINES
        assert report.resumed_at >= broken.cursor["records"]
        assert report.job_id == broken.id
        assert (report.created, report.known, report.records) == (whole.created, whole.known, whole.records)
        assert await triples(graph, scope) == await triples(graph, unbroken)
        assert len(await relationships(graph, scope)) == len(set(_lines().split()))
        assert await wrong_counts(graph, scope) == []
    finally:
        await erase_scope(graph, unbroken)


DOCUMENTS = 900
_LINKED = statement(
    "MATCH (p:Passage {scope: $scope}) OPTIONAL MATCH (p)-[r:MENTIONS|ABOUT|NEXT]->(n) "
    "OPTIONAL MATCH (n)-[:HAS_BASIN]->(b:AttractorBasin) "
    "RETURN p.title AS title, p.ordinal AS ordinal, p.text AS text, p.degree AS degree, type(r) AS type, "
    "r.weight AS weight, coalesce(n.name, n.text) AS name, b.strength AS strength "
    "ORDER BY title, ordinal, text, type, name",
    mode="read",
    parameters="$scope STRING",
    columns="title, ordinal, text, degree, type, weight, name, strength",
)


def _documents() -> str:
    """Documents that name their neighbours, every ninth of two passages."""
    towns = [f"{first}{last}" for first in ("Ash", "Birk", "Elm", "Oak", "Thorn") for last in ("by", "ford", "wick")]
    lines = [
        {
            "id": number,
            "title": f"{towns[number % 15]} {number} (village)",
            "text": f"The road to {towns[(number + 1) % 15]} {number + 1} was laid by Otto Brandt the {number % 7}th. "
            + "It rains. " * (400 if number % 9 == 0 else 1),
        }
        for number in range(DOCUMENTS)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


async def _linked(graph: Graph, scope: str) -> list[Any]:
    return [tuple(row.values()) for row in await graph.execute(_LINKED, {"scope": scope})]


async def test_passages_whose_load_was_killed_twice_end_like_an_unbroken_one_and_a_second_load_changes_nothing(
    graph: Graph, migrated_address: Address, scope: str, tmp_path: Path
) -> None:
    path = write_text(tmp_path / "villages.jsonl", _documents())
    unbroken = f"kg:test-{str(ULID()).lower()}"
    jobs = Jobs(graph, lease_s=2.0)

    statuses = [await _kill_midway(migrated_address, "passages", path, scope, after) for after in (200, 500)]
    report = await load_passages(graph, None, path, scope, jobs=jobs)
    try:
        whole = await load_passages(graph, None, path, unbroken)
        linked = await _linked(graph, scope)

        assert statuses == [-signal.SIGKILL, -signal.SIGKILL]
        assert DOCUMENTS > report.resumed_at >= 500
        assert (report.created, report.known, report.records) == (whole.created, whole.known, DOCUMENTS)
        assert len({(row[0], row[1]) for row in linked}) == whole.created > DOCUMENTS
        assert {row[4] for row in linked} >= {"MENTIONS", "ABOUT", "NEXT"}
        assert linked == await _linked(graph, unbroken)
        assert await wrong_counts(graph, scope) == []

        again = await load_passages(graph, None, path, scope)
        assert (again.created, again.known) == (0, DOCUMENTS)
        assert await _linked(graph, scope) == linked
    finally:
        await erase_scope(graph, unbroken)
