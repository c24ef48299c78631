"""`clause curiosity work` killed with -9 while it writes what it found; a second worker finishes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from neo4j import AsyncGraphDatabase

from clause.graph.catalogue import Catalogue
from clause.graph.runner import Graph
from clause.graph.server import ManagedServer
from clause.graph.wire import Address
from clause.ingest.triples import load_triples
from clause.intelligence.curiosity import Surprise, trigger_rows
from tests.faults.serving import EVERY_S, PATIENCE_S
from tests.servers import erase_scope, statement
from tests.shapes import write_text

pytestmark = pytest.mark.integration

FREE, HELD = "kg:curious-free", "kg:curious-held"
START = datetime(2026, 3, 1, 12, tzinfo=UTC)
FILMS = """\
Heat|directed_by|Michael Mann
Collateral|directed_by|Michael Mann
Heat|starred|Al Pacino
Collateral|starred|Tom Cruise
Serpico|directed_by|Sidney Lumet
Network|directed_by|Sidney Lumet
Serpico|starred|Al Pacino
Network|starred|Faye Dunaway
"""
DIRECTORS = ("Michael Mann", "Sidney Lumet")
FOUND = [
    ("Michael Mann", "Al Pacino"),
    ("Michael Mann", "Tom Cruise"),
    ("Sidney Lumet", "Al Pacino"),
    ("Sidney Lumet", "Faye Dunaway"),
]
WORK = ("-m", "clause.cli.main", "curiosity", "work", "--json")
STATES = statement(
    "MATCH (t:CuriosityTrigger {scope: $scope}) RETURN t.investigation_status AS status, t.attempts AS attempts "
    "ORDER BY t.concept",
    mode="read",
    parameters="$scope STRING",
    columns="status, attempts",
)
RELATED = statement(
    "MATCH (a:Entity {scope: $scope})-[r:related_to]->(b) RETURN a.name AS head, b.name AS tail ORDER BY head, tail",
    mode="read",
    parameters="$scope STRING",
    columns="head, tail",
)
KEPT = statement(
    "MATCH (type:RelationshipType {scope: $scope, name: 'related_to'}) MATCH (e:Evidence {scope: $scope}) "
    "RETURN type.count AS relations, count(e) AS evidence",
    mode="read",
    parameters="$scope STRING",
    columns="relations, evidence",
)
MISCOUNTED = statement(
    "MATCH (e:Entity {scope: $scope}) WHERE e.degree <> COUNT { (e)-[:directed_by|starred|related_to]-() } "
    "RETURN e.name AS name, e.degree AS degree",
    mode="read",
    parameters="$scope STRING",
    columns="name, degree",
)
ENTITY = statement(
    "MATCH (e:Entity {scope: $scope, name: $name}) RETURN e.id AS id",
    mode="read",
    parameters="$scope STRING, $name STRING",
    columns="id",
)
BLOCKED = statement(
    "SHOW TRANSACTIONS YIELD status WHERE status STARTS WITH 'Blocked' RETURN count(*) AS waiting",
    mode="read",
    columns="waiting",
)
EXPIRE = statement(
    "MATCH (t:CuriosityTrigger {scope: $scope}) WHERE t.leased_until IS NOT NULL "
    "SET t.leased_until = datetime.realtime() - duration({seconds: 1})",
    parameters="$scope STRING",
)


async def plant(graph: Graph, scope: str, path: Path) -> None:
    """Films, and one trigger about each director."""
    await load_triples(graph, None, path, scope)
    for name in DIRECTORS:
        (row,) = await graph.execute(ENTITY, {"scope": scope, "name": name})
        surprise = Surprise(row["id"], name, "directed_by", False, 0.9, 0.0)
        asked = f"{name} directed by starred"
        rows = trigger_rows([surprise], threshold=0.5, question=asked, scope=scope, scopes=[scope], at=START)
        await graph.run("intelligence/write_triggers", rows=rows)


@asynccontextmanager
async def held_up(address: Address, scope: str) -> AsyncIterator[None]:
    """Whoever writes a finding of the scope waits for a source that is being made, and never is."""
    auth = (address.user, address.password.get_secret_value())
    async with (
        AsyncGraphDatabase.driver(address.uri, auth=auth, notifications_min_severity="OFF") as driver,
        driver.session(database=address.database) as session,
        await session.begin_transaction() as making,
    ):
        await (
            await making.run("CREATE (:Source {id: $id, scope: $scope})", id=f"curiosity:{scope}", scope=scope)
        ).consume()
        yield
        await making.rollback()


async def started(server: ManagedServer) -> Process:
    """A worker in a process of its own."""
    settings = {name: value for name, value in os.environ.items() if not name.startswith("CLAUSE_")}
    settings["CLAUSE_HOME"] = str(server.layout.home)
    return await asyncio.create_subprocess_exec(
        sys.executable, *WORK, stdout=PIPE, stderr=PIPE, cwd=Path(__file__).parents[2], env=settings
    )


async def states(graph: Graph, scope: str) -> list[tuple[str, int]]:
    return [(row["status"], row["attempts"]) for row in await graph.execute(STATES, {"scope": scope})]


async def in_mid_work(graph: Graph, worker: Process) -> None:
    """Wait until one scope is done and the worker waits in the middle of its writes in the other."""
    ended = asyncio.ensure_future(worker.wait())
    async with asyncio.timeout(PATIENCE_S):
        while await states(graph, FREE) != [("completed", 1)] * 2 or not await waiting(graph):
            await asyncio.wait([ended], timeout=EVERY_S)
            assert not ended.done(), await worker.communicate()


async def waiting(graph: Graph) -> int:
    (row,) = await graph.execute(BLOCKED, {})
    return int(row["waiting"])


async def related(graph: Graph, scope: str) -> list[tuple[str, str]]:
    return [(row["head"], row["tail"]) for row in await graph.execute(RELATED, {"scope": scope})]


async def kept(graph: Graph, scope: str) -> list[tuple[int, int]]:
    return [(row["relations"], row["evidence"]) for row in await graph.execute(KEPT, {"scope": scope})]


async def test_a_worker_killed_in_the_middle_of_a_write_loses_nothing_and_a_second_repeats_nothing(
    doomed: ManagedServer, tmp_path: Path
) -> None:
    path = write_text(tmp_path / "films.txt", FILMS)
    address = await asyncio.to_thread(doomed.ensure)
    async with Graph(address, Catalogue.load()) as graph:
        try:
            for scope in (FREE, HELD):
                await plant(graph, scope, path)
            async with held_up(address, HELD):
                worker = await started(doomed)
                await in_mid_work(graph, worker)
                os.kill(worker.pid, signal.SIGKILL)
                assert await worker.wait() == -signal.SIGKILL
                assert await states(graph, HELD) == [("investigating", 1)] * 2
                assert await related(graph, HELD) == []
            assert await related(graph, FREE) == FOUND

            await graph.execute(EXPIRE, {"scope": HELD})
            second = await started(doomed)
            told, complaints = await second.communicate()
            assert second.returncode == 0, complaints.decode()

            assert json.loads(told) == {"investigated": 2, "findings": 4, "failed": 0}
            assert await states(graph, FREE) == [("completed", 1)] * 2
            assert await states(graph, HELD) == [("completed", 2)] * 2
            for scope in (FREE, HELD):
                assert await related(graph, scope) == FOUND
                assert await kept(graph, scope) == [(4, 4)]
                assert list(await graph.execute(MISCOUNTED, {"scope": scope})) == []
        finally:
            for scope in (FREE, HELD):
                await erase_scope(graph, scope)
