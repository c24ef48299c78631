"""The knowledge room on a real graph, with hashed words for vectors and a clock that tests move."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from ulid import ULID

from clause.graph.jobs import Jobs
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.knowledge.room import Knowledge
from clause.sessions.models import SessionStart
from clause.sessions.room import Sessions
from clause.settings import Settings
from clause.telemetry import Metrics
from clause.workers import CpuPool
from tests import servers
from tests.fakes.embedder import HashEmbedder

OWNER = Caller()


def key(name: str) -> Caller:
    """Somebody else than the owner, as far as authors go, who may do all that the owner may."""
    return Caller(key_id=name)


async def begun(knowledge: Knowledge) -> str:
    """The id of a session that the owner started."""
    started = await Sessions.open(knowledge.ground, knowledge).sessions.start(SessionStart(), caller=OWNER)
    return started.session.id


class Clock:
    """An instant that moves by a millisecond at each look, and by more when told."""

    def __init__(self) -> None:
        self.at = datetime(2026, 3, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.at += timedelta(milliseconds=1)
        return self.at

    def move(self, **by: float) -> datetime:
        self.at += timedelta(**by)
        return self.at


@pytest.fixture(autouse=True)
async def model_set_aside(no_model: None) -> None:
    """Whoever shares the server may have recorded another model."""


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def user(graph: Graph) -> AsyncIterator[str]:
    """A user's scope of this test's own; it and the user's sessions are removed afterwards."""
    name = f"user:t{str(ULID()).lower()}"
    yield name
    for row in await graph.run("graph/scopes"):
        if row["id"].startswith(name):
            await servers.erase_scope(graph, row["id"])


@pytest.fixture
def ground(graph: Graph, clock: Clock, tmp_path: Path, user: str) -> Iterator[Ground]:
    pool = CpuPool(1)
    settings = Settings(home=tmp_path, default_scope=user)
    yield Ground(graph, HashEmbedder(), Jobs(graph), pool, settings, Metrics(), now=clock)
    pool.close()


@pytest.fixture
def knowledge(ground: Ground) -> Knowledge:
    return Knowledge.open(ground)
