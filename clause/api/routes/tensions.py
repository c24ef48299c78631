"""/api/tensions: beliefs that contradict each other, and how that is settled."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from clause.api.dependencies import CallerDependency, Services
from clause.api.idempotency import Idempotent
from clause.api.pagination import Page, PageDependency, page_of
from clause.api.strict_json import StrictRoute, written
from clause.api.versions import IfMatch, etag
from clause.knowledge.confidence import Severity
from clause.knowledge.models_tension import Standing, Tension, TensionFilter, TensionResolve

router = APIRouter(prefix="/api/tensions", tags=["tensions"], route_class=StrictRoute)
TensionId = Annotated[str, Path(max_length=200, description="the tension's ULID")]
Narrow = Annotated[str | None, Query(max_length=300)]


@router.get("", response_model=Page[Tension])
async def list_tensions(
    *,
    services: Services,
    caller: CallerDependency,
    page: PageDependency,
    status: Standing | None = None,
    severity: Severity | None = None,
    scope: Narrow = None,
    entity_id: Narrow = None,
    belief_id: Narrow = None,
) -> Response:
    """Tensions, newest first; open ones between beliefs that are held, unless a status is named."""
    wanted = TensionFilter(
        status=status,
        severity=severity,
        entity_id=entity_id,
        belief_id=belief_id,
        scopes=None if scope is None else (scope,),
        limit=page.limit + 1,
        after=page.after,
    )
    return written(page_of(await services.rooms.knowledge.tensions.list(wanted, caller=caller), page.limit))


@router.get("/{tension_id}", response_model=Tension)
async def get_tension(tension_id: TensionId, services: Services, caller: CallerDependency) -> Response:
    """A tension with both beliefs; its version is the ETag."""
    tension = await services.rooms.knowledge.tensions.get(tension_id, caller=caller)
    return written(tension, headers={"ETag": etag(tension.version)})


@router.post("/{tension_id}/resolve", response_model=Tension)
async def resolve(
    *,
    tension_id: TensionId,
    body: TensionResolve,
    services: Services,
    caller: CallerDependency,
    once: Idempotent,
    accepted: IfMatch,
) -> Response:
    """Settle a tension: one belief takes the place of the other, both stay, or both are put away."""
    return await once.answer(
        lambda: services.rooms.knowledge.tensions.resolve(tension_id, body, caller=caller, versions=accepted),
        status=HTTPStatus.OK,
        headers=lambda found: {"ETag": etag(found["version"])},
    )


@router.post("/{tension_id}/reopen", response_model=Tension)
async def reopen(
    *, tension_id: TensionId, services: Services, caller: CallerDependency, once: Idempotent, accepted: IfMatch
) -> Response:
    """Take back how a tension was settled: what it ended is held again."""
    return await once.answer(
        lambda: services.rooms.knowledge.tensions.reopen(tension_id, caller=caller, versions=accepted),
        status=HTTPStatus.OK,
        headers=lambda found: {"ETag": etag(found["version"])},
    )
