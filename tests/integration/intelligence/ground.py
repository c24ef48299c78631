"""A ground for this room's tests: a real graph, hashed words, a clock that tests move."""

from __future__ import annotations

from clause.graph.jobs import Jobs
from clause.graph.runner import Graph
from clause.ground import Ground
from clause.settings import Settings
from clause.telemetry import Metrics
from clause.workers import CpuPool
from tests.fakes.clock import Clock
from tests.fakes.embedder import HashEmbedder


def make_ground(graph: Graph, clock: Clock, scope: str = "public") -> Ground:
    settings = Settings(default_scope=scope)
    return Ground(graph, HashEmbedder(), Jobs(graph, clock), CpuPool(1), settings, Metrics(), now=clock)
