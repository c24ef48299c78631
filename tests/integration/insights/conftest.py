"""The room on a real graph, with hashed words for vectors and a clock that tests move."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from clause.graph.jobs import Jobs
from clause.graph.runner import Graph
from clause.ground import Ground
from clause.insights.room import Insights
from clause.settings import Settings
from clause.telemetry import Metrics
from clause.workers import CpuPool
from tests.fakes.clock import Clock
from tests.fakes.embedder import HashEmbedder


@pytest.fixture(autouse=True)
async def model_set_aside(no_model: None) -> None:
    """Whoever shares the server may have recorded another model."""


@pytest.fixture
def clock() -> Clock:
    return Clock(datetime(2026, 5, 1, 12, tzinfo=UTC))


@pytest.fixture
async def ground(graph: Graph, scope: str, clock: Clock) -> AsyncIterator[Ground]:
    """A ground whose default scope is the test's own."""
    pool = CpuPool(2)
    settings = Settings(default_scope=scope, insight_profiles='{"careful": {"max_age_days": 2}}')
    yield Ground(graph, HashEmbedder(), Jobs(graph), pool, settings, Metrics(), now=clock)
    pool.close()


@pytest.fixture
def room(ground: Ground) -> Insights:
    """The room itself."""
    return Insights.open(ground)
