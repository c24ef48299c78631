"""The room on a real graph, with hashed words for vectors: the record of the shared server's model is set aside."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from clause.graph.jobs import Jobs
from clause.graph.runner import Graph
from clause.ground import Ground
from clause.settings import Settings
from clause.telemetry import Metrics
from clause.values.room import Values
from clause.workers import CpuPool
from tests.fakes.embedder import HashEmbedder


@pytest.fixture(autouse=True)
async def model_set_aside(no_model: None) -> None:
    """Whoever shares the server may have recorded another model."""


@pytest.fixture
async def ground(graph: Graph, scope: str) -> AsyncIterator[Ground]:
    """A ground whose default scope is the test's own."""
    pool = CpuPool(2)
    yield Ground(
        graph, HashEmbedder(), Jobs(graph), pool, Settings(default_scope=scope, cluster_reduction="pca"), Metrics()
    )
    pool.close()


@pytest.fixture
async def values(ground: Ground) -> AsyncIterator[Values]:
    """The room itself."""
    room = Values.open(ground)
    yield room
    room.close()
