"""A ground for this room's tests: a real graph, hashed words, a clock that tests move."""

from __future__ import annotations

from datetime import datetime, timedelta

from clause.graph.runner import Graph
from clause.ground import Ground
from clause.jobs.jobs import Jobs
from clause.settings import Settings
from clause.telemetry import Metrics
from clause.text.pool import CpuPool
from tests.fakes.embedder import HashEmbedder


class Clock:
    """Tells the same instant until it is moved."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def __call__(self) -> datetime:
        return self.at

    def forward(self, time: timedelta) -> None:
        self.at += time


def make_ground(graph: Graph, clock: Clock, scope: str = "public") -> Ground:
    settings = Settings(default_scope=scope)
    return Ground(graph, HashEmbedder(), Jobs(graph, clock), CpuPool(1), settings, Metrics(), now=clock)
