"""Neo4j killed with -9 while eight writers remember, and while a pass consolidates."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from clause.errors import ClauseError
from clause.graph.catalogue import Catalogue
from clause.graph.jobs import Jobs
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.graph.server import ManagedServer
from clause.graph.wire import Address
from clause.ground import Ground
from clause.memory.models import MCSConfig, MemoryWriteInput
from clause.memory.room import Memory
from clause.settings import Settings
from clause.telemetry import Metrics
from clause.workers import CpuPool
from tests.fakes.embedder import HashEmbedder
from tests.faults.conftest import kill
from tests.integration.memory.reading_back import clusters, faults, memories

pytestmark = pytest.mark.integration

WRITERS = 8
ENOUGH = 120
OWNER = Caller(None, None)
OPENINGS = ("green tea in the garden at noon", "a flat tyre on the motorway", "roses, salt and rain all day")


def opened(graph: Graph) -> Memory:
    ground = Ground(graph, HashEmbedder(), Jobs(graph, lease_s=2.0), CpuPool(1), Settings(), Metrics())
    return Memory.open(ground, MCSConfig(y_encoder_model="hash"))


def request(scope: str, writer: int, number: int) -> MemoryWriteInput:
    text = f"{OPENINGS[(writer + number) % len(OPENINGS)]} {number % 5}"
    return MemoryWriteInput(content=text, scope=scope, idempotency_key=f"{writer}-{number}")


async def write_until_away(address: Address, scope: str, writer: int, told: dict[str, str]) -> None:
    """One writer with connections of its own; what was acknowledged is in `told`: key -> memory id."""
    async with Graph(address, Catalogue.load()) as graph:
        memory = opened(graph)
        number = 0
        while True:
            asked = request(scope, writer, number)
            told[str(asked.idempotency_key)] = (await memory.store.write(asked, caller=OWNER)).memory_id
            number += 1


async def test_every_acknowledged_memory_of_eight_writers_is_there_after_kill_9_and_none_twice(
    doomed: ManagedServer,
) -> None:
    scope = "kg:killed-memories"
    address = await asyncio.to_thread(doomed.ensure)
    told: dict[str, str] = {}
    writing = [asyncio.create_task(write_until_away(address, scope, writer, told)) for writer in range(WRITERS)]
    while len(told) < ENOUGH:
        await asyncio.wait(writing, timeout=0.01, return_when=asyncio.FIRST_COMPLETED)
    await asyncio.to_thread(kill, doomed)
    ends = await asyncio.gather(*writing, return_exceptions=True)
    for end in ends:
        with pytest.raises(ClauseError):
            raise end
    acknowledged = dict(told)

    assert await asyncio.to_thread(doomed.ensure) == address
    async with Graph(address, Catalogue.load()) as graph:
        assert await faults(graph, scope) == []
        stored = {row["id"] for row in await memories(graph, scope)}
        assert set(acknowledged.values()) <= stored
        memory = opened(graph)
        again: list[Any] = [
            await memory.store.write(request(scope, *map(int, key.split("-"))), caller=OWNER) for key in acknowledged
        ]
        assert [one.memory_id for one in again] == list(acknowledged.values())
        assert {row["id"] for row in await memories(graph, scope)} == stored


async def test_a_pass_that_lost_its_server_is_run_again_to_the_same_end(doomed: ManagedServer) -> None:
    scope = "kg:killed-pass"
    address = await asyncio.to_thread(doomed.ensure)
    async with Graph(address, Catalogue.load()) as graph:
        memory = opened(graph)
        topics = [f"{opening} number{group}" for opening in OPENINGS for group in range(20)]
        requests = [
            MemoryWriteInput(content=f"{topic} {word}", scope=scope)
            for topic in topics
            for word in ("one", "two", "red", "new", "big", "old", "low")
        ]
        await memory.store.write_batch(requests, caller=OWNER)
        passing = asyncio.create_task(memory.consolidation.run(scope, caller=OWNER))
        while not await graph_running(memory, scope):
            assert not passing.done()
        await asyncio.to_thread(kill, doomed)
        await asyncio.gather(passing, return_exceptions=True)
    await asyncio.to_thread(doomed.ensure)
    async with Graph(address, Catalogue.load()) as graph:
        memory = opened(graph)
        await memory.consolidation.run(scope, caller=OWNER)
        assert await faults(graph, scope) == []
        rows = await clusters(graph, scope)
        assert all(row["settled"] for row in rows)
        assert all(row["consolidated"] == (row["size"] > 5) for row in rows)
        assert sum(row["size"] for row in rows) == len(requests)


async def graph_running(memory: Memory, scope: str) -> bool:
    """Whether the pass has taken its job up."""
    page = await memory.ground.jobs.list(scopes=[scope], kind="consolidate")
    return any(job.state == "running" for job in page.items)
