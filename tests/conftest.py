"""Fixtures that every part shares: a real Neo4j that is ours to write to, an open graph, and a fresh scope."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import PurePosixPath
from typing import Any

import coverage
import pytest
from hypothesis import HealthCheck, settings
from ulid import ULID
from xdist.scheduler import LoadScopeScheduling

from clause.graph.catalogue import Catalogue
from clause.graph.database import replace_embedding_model
from clause.graph.runner import Graph
from clause.graph.wire import Address
from tests import servers

# The same examples every time: a pull request is not refused for what it did not touch. `make test-long` draws anew.
DRAWN_ANEW = "CLAUSE_TEST_RANDOM" in os.environ
settings.register_profile(
    "no_clock", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=not DRAWN_ANEW
)
settings.load_profile("no_clock")  # a busy machine is no fault of the code


COUNTED = {"unit", "integration", "architecture"}
"""The tests whose lines count as covered; tracing takes a quarter more processor, and the others only pass through."""


ROOMS = {"attacks", "e2e", "faults", "integration"}
"""The tests that go to one worker by folders: it has a server of its own, which plans every statement once."""


class ByRoom(LoadScopeScheduling):
    """Hands all tests of a folder to one worker where a server is needed, else those of a file."""

    def _split_scope(self, nodeid: str) -> str:
        file = PurePosixPath(nodeid.partition("::")[0])
        return str(file if ROOMS.isdisjoint(file.parts) else file.parent)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByRoom | None:
    """What `--dist loadfile` means here."""
    return ByRoom(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.fixture(scope="module", autouse=True)
def traced(request: pytest.FixtureRequest) -> Iterator[None]:
    """Lines are counted where the module's room is one that counts."""
    counter = coverage.Coverage.current()
    paused = counter is not None and COUNTED.isdisjoint(request.path.parts)
    if paused:
        counter.stop()
    yield
    if paused:
        counter.start()


@pytest.fixture(scope="session")
def server_address() -> Iterator[Address]:
    """A Neo4j for tests: the given one, else a container, else the managed one in a temporary home."""
    with servers.server_for_tests() as address:
        yield address


@pytest.fixture(scope="session")
async def migrated_address(server_address: Address) -> Address:
    """The same server, marked as ours and migrated."""
    from clause.graph.migrations import migrate

    async with Graph(server_address, Catalogue.load()) as graph:
        await servers.claim(graph)
        await migrate(graph)
    return server_address


@pytest.fixture(scope="session")
async def graph(migrated_address: Address) -> AsyncIterator[Graph]:
    """An open graph on the migrated test database."""
    async with Graph(migrated_address, Catalogue.load()) as graph:
        yield graph


@pytest.fixture
async def scope(graph: Graph) -> AsyncIterator[str]:
    """A scope of this test's own; its nodes are removed afterwards."""
    name = f"kg:test-{str(ULID()).lower()}"
    yield name
    await servers.erase_scope(graph, name)


@pytest.fixture
async def no_model(graph: Graph) -> AsyncIterator[None]:
    """The graph without a record of its model; the record of before is put back."""
    before = await graph.one("graph/embedding_model")
    forget = servers.statement("MATCH (m:EmbeddingModel) DELETE m")
    await graph.execute(forget, {})
    yield
    await graph.execute(forget, {})
    if before:
        await replace_embedding_model(graph, before["model"], before["dimension"], now=before["recorded_at"])
