"""A memory room on a real Neo4j, with hashed words for an embedder."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from clause.graph.jobs import Jobs
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.memory.models import MCSConfig
from clause.memory.room import Memory
from clause.settings import Settings
from clause.telemetry import Metrics
from clause.workers import CpuPool
from tests.fakes.embedder import HashEmbedder

OWNER = Caller(None, None)


@pytest.fixture(autouse=True)
async def model_set_aside(no_model: None) -> None:
    """Whoever shares the server may have recorded another model."""


@pytest.fixture
def config() -> MCSConfig:
    return MCSConfig(y_encoder_model="hash")


@pytest.fixture
async def ground(graph: Graph) -> AsyncIterator[Ground]:
    pool = CpuPool(1)
    yield Ground(graph, HashEmbedder(), Jobs(graph, lease_s=2.0), pool, Settings(), Metrics())
    pool.close()


@pytest.fixture
async def memory(ground: Ground, config: MCSConfig) -> AsyncIterator[Memory]:
    room = Memory.open(ground, config)
    yield room
    await room.settled()
