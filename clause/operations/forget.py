"""Forgetting from the command line: the erasure service on an open graph, without the rest of the service."""

from __future__ import annotations

from clause.graph.runner import Graph
from clause.ground import Ground
from clause.jobs.jobs import Jobs
from clause.knowledge.erasure import ErasureService
from clause.settings import Settings
from clause.telemetry import Metrics
from clause.text.embedder import SentenceTransformerEmbedder
from clause.text.pool import CpuPool


def erasure_of(graph: Graph, settings: Settings) -> ErasureService:
    """The service that forgets; no model is loaded and no thread started, since erasing embeds nothing."""
    embedder = SentenceTransformerEmbedder(settings.embedder, settings.embedder_threads)
    return ErasureService(Ground(graph, embedder, Jobs(graph), CpuPool(1), settings, Metrics()))
