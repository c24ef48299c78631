"""Neo4j killed with -9 while eight writers state beliefs: nothing acknowledged is lost, nothing is there twice."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from clause.errors import UnavailableError
from clause.graph.catalogue import Catalogue
from clause.graph.jobs import Jobs
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.graph.server import ManagedServer
from clause.graph.wire import Address
from clause.ground import Ground
from clause.knowledge.beliefs.models import Belief, BeliefCreate, SourceGiven
from clause.knowledge.beliefs.query_models import BeliefFilter
from clause.knowledge.room import Knowledge
from clause.settings import Settings
from clause.telemetry import Metrics
from clause.workers import CpuPool
from tests.fakes.embedder import HashEmbedder
from tests.faults.conftest import kill

pytestmark = pytest.mark.integration

WRITERS = 8
ENOUGH = 6
SCOPE = "user:writers"
SHARED = "everybody says that tea is ready"
OWNER = Caller((SCOPE,), (SCOPE,))


def room(graph: Graph, home: Path, pool: CpuPool) -> Knowledge:
    settings = Settings(home=home, default_scope=SCOPE)
    return Knowledge.open(Ground(graph, HashEmbedder(), Jobs(graph), pool, settings, Metrics()))


async def write(address: Address, home: Path, writer: int, own: Counter[str], shared: Counter[str]) -> None:
    """State a text of one's own, then the shared one, again and again; what was acknowledged is in `own`, `shared`."""
    pool = CpuPool(1)
    async with Graph(address, Catalogue.load()) as graph:
        beliefs = room(graph, home, pool).beliefs
        number = 0
        while True:
            number += 1
            mine = f"writer{writer} saw thing{number * 977} and stone{writer}x{number} of lot{number}y{writer}"
            made = await beliefs.create(BeliefCreate(content=mine), caller=OWNER)
            assert made.belief is not None
            own[mine] += made.outcome == "created"
            title = f"copy{writer}x{number}"
            source = SourceGiven(kind="document", title=title)
            await beliefs.create(BeliefCreate(content=SHARED, source=source), caller=OWNER)
            shared[title] += 1


async def test_every_acknowledged_belief_and_statement_is_there_after_kill_9_and_none_twice(
    doomed: ManagedServer, tmp_path: Path
) -> None:
    address = await asyncio.to_thread(doomed.ensure)
    own, shared = Counter[str](), Counter[str]()
    writing = [asyncio.create_task(write(address, tmp_path, number, own, shared)) for number in range(WRITERS)]
    while shared.total() < WRITERS * ENOUGH:
        done, _ = await asyncio.wait(writing, timeout=0.01, return_when=asyncio.FIRST_COMPLETED)
        assert not done, [task.exception() for task in done]
    await asyncio.to_thread(kill, doomed)
    ends = await asyncio.gather(*writing, return_exceptions=True)
    assert {type(end) for end in ends} == {UnavailableError}

    assert await asyncio.to_thread(doomed.ensure) == address
    pool = CpuPool(1)
    async with Graph(address, Catalogue.load()) as graph:
        beliefs = room(graph, tmp_path, pool).beliefs
        known: list[Belief] = []
        while page := await beliefs.list(BeliefFilter(limit=100, after=known[-1].id if known else None), caller=OWNER):
            known += page
        found = [belief.content for belief in known]
        assert max(Counter(found).values()) == 1
        assert {text for text, count in own.items() if count} <= set(found)
        assert len(found) <= own.total() + 1 + WRITERS
        (common,) = [belief for belief in known if belief.content == SHARED]
        rows = await graph.run("knowledge/statements", id=common.id, scopes=[SCOPE])
        said = Counter(row["title"] for row in rows)
        assert max(said.values()) == 1
        assert set(shared) <= set(said)
        assert common.statements == len(rows)
        assert common.sources == 1, "one author, under many titles"
    pool.close()
