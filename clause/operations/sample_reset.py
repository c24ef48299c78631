"""The sample taken out again, so that a demo begins anew: its scope alone, and only while nobody else wrote there."""

from __future__ import annotations

from clause.errors import ConflictError, NotFoundError
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.knowledge.models_lineage import Erasure, ErasureRequest
from clause.operations.forget import erasure_of
from clause.sample.files import SCOPE
from clause.settings import Settings

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
    """What goes, or with `apply` went; None where nothing is loaded. Every other scope stays as it is.

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
