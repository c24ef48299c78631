"""Forgetting from the command line: the erasure service on an open graph, and the sample taken out again."""

from __future__ import annotations

from clause.errors import ConflictError, NotFoundError
from clause.graph.jobs import Jobs
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.ingest.sample.loader import SCOPE
from clause.knowledge.lineage.erasure import ErasureService
from clause.knowledge.lineage.models import Erasure, ErasureRequest
from clause.settings import Settings
from clause.telemetry import Metrics
from clause.text.embedder import SentenceTransformerEmbedder
from clause.text.thread_pool import CpuPool


def erasure_of(graph: Graph, settings: Settings) -> ErasureService:
    """The service that forgets; no model is loaded and no thread started, since erasing embeds nothing."""
    embedder = SentenceTransformerEmbedder(settings.embedder, settings.embedder_threads)
    return ErasureService(Ground(graph, embedder, Jobs(graph), CpuPool(1), settings, Metrics()))


MADE = frozenset(
    {
        *("Entity", "RelationshipType", "Source", "Scope", "Job", "JobLease", "IdempotencyKey"),
        *(
            "Run",
            "RunStep",
            "Evidence",
            "Provenance",
            "AttractorBasin",
            "ThoughtSeed",
            "EmergentPattern",
            "CuriosityTrigger",
        ),
        "relationships",
    }
)
"""What loading the sample and asking it leave behind."""


async def reset_sample(graph: Graph, settings: Settings, *, apply: bool, scope: str = SCOPE) -> Erasure | None:
    """Counts of what goes, or with `apply` went; None where nothing is loaded. Every other scope stays as it is.

    Raises:
        ConflictError: the scope holds what neither the sample nor asking it made, such as beliefs; nothing is erased.
    """
    service = erasure_of(graph, settings)
    request = ErasureRequest(scope=scope)
    try:
        found = await service.preview(request, caller=Caller())
    except NotFoundError:
        return None
    strange = {name: number for name, number in found.counts.items() if number and name not in MADE}
    if strange:
        told = ", ".join(f"{number:,} {name}" for name, number in sorted(strange.items()))
        raise ConflictError(
            f"{scope} holds {told} that the sample did not bring; nothing was erased",
            remedy=f"keep a copy with `clause export`, then `clause forget --scope {scope}`",
            field="reset",
        )
    return await service.apply(request, caller=Caller()) if apply else found
