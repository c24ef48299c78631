"""/api/entities and /api/entity-merges: what beliefs are about, and which of them are one."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from clause.api.dependencies import CallerDependency, Services
from clause.api.idempotency import Idempotent
from clause.api.pagination import Page, PageDependency, page_of
from clause.api.strict_json import StrictRoute, written
from clause.api.versions import IfMatch, etag
from clause.knowledge.models_entities import AliasAdd, Entity, EntityFound, EntitySearch, ResolutionCandidate
from clause.knowledge.models_lineage import Merge, MergeRequest

router = APIRouter(tags=["entities"], route_class=StrictRoute)
EntityReference = Annotated[str, Path(max_length=1000, description="id, exact name or alias")]
ReceiptId = Annotated[str, Path(max_length=200, description="id of the merge's receipt, or of the loser")]


class EntitiesFound(BaseModel):
    """The answer to a search."""

    model_config = ConfigDict(frozen=True)

    items: tuple[EntityFound, ...] = Field(description="best first")
    reason: str | None = Field(None, description="why there is none, where there is none")


class ResolutionCandidates(BaseModel):
    """Pairs that may be one."""

    model_config = ConfigDict(frozen=True)

    items: tuple[ResolutionCandidate, ...] = Field(description="most alike first")
    reason: str | None = Field(None, description="why there is none, where there is none")


@router.post("/api/entities/search", response_model=EntitiesFound)
async def search(body: EntitySearch, services: Services, caller: CallerDependency) -> Response:
    """Entities by the words of their names and by meaning, fused."""
    found = await services.rooms.knowledge.entities.search(body, caller=caller)
    reason = None if found else "no entity in these scopes fits the words or their meaning"
    return written(EntitiesFound(items=tuple(found), reason=reason))


@router.get("/api/entities/candidates", response_model=ResolutionCandidates)
async def candidates(
    services: Services, caller: CallerDependency, limit: Annotated[int, Query(ge=1, le=100)] = 20
) -> Response:
    """Pairs that the job `resolve_entities` found alike; whoever knows merges them."""
    found = await services.rooms.knowledge.entities.candidates(caller=caller, limit=limit)
    reason = None if found else "no pair was found; start the job `resolve_entities` to look"
    return written(ResolutionCandidates(items=tuple(found), reason=reason))


@router.get("/api/entities/{entity}", response_model=Entity)
async def get_entity(entity: EntityReference, services: Services, caller: CallerDependency) -> Response:
    """An entity by id, exact name or alias; several of one name are a 409 that lists them."""
    found = await services.rooms.knowledge.entities.get(entity, caller=caller)
    return written(found, headers={"ETag": etag(found.version)})


@router.post("/api/entities/{entity_id}/aliases", response_model=Entity)
async def add_alias(
    *,
    entity_id: Annotated[str, Path(max_length=200)],
    body: AliasAdd,
    services: Services,
    caller: CallerDependency,
    once: Idempotent,
    accepted: IfMatch,
) -> Response:
    """Give an entity another name."""
    return await once.answer(
        lambda: services.rooms.knowledge.entities.add_alias(entity_id, body, caller=caller, versions=accepted),
        status=HTTPStatus.OK,
        headers=lambda answer: {"ETag": etag(answer["version"])},
    )


@router.post("/api/entity-merges", status_code=HTTPStatus.CREATED, response_model=Merge)
async def merge(body: MergeRequest, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """Two entities are the same: the loser points to the winner by SAME_AS; its id undoes it."""
    return await once.answer(
        lambda: services.rooms.knowledge.entities.merge(body, caller=caller),
        status=HTTPStatus.CREATED,
        headers=lambda answer: {"Location": f"/api/entity-merges/{answer['id']}"},
    )


@router.get("/api/entity-merges", response_model=Page[Merge])
async def list_merges(services: Services, caller: CallerDependency, page: PageDependency) -> Response:
    """Merges of entities, newest first."""
    found = await services.rooms.knowledge.entities.merges(caller=caller, after=page.after, limit=page.limit + 1)
    return written(page_of(list(found), page.limit))


@router.get("/api/entity-merges/{receipt_id}", response_model=Merge)
async def get_merge(receipt_id: ReceiptId, services: Services, caller: CallerDependency) -> Response:
    """The receipt of a merge."""
    return written(await services.rooms.knowledge.entities.get_merge(receipt_id, caller=caller))


@router.post("/api/entity-merges/{receipt_id}/undo", response_model=Merge)
async def unmerge(receipt_id: ReceiptId, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """They are not the same after all; what was added since stays where it is."""
    return await once.answer(
        lambda: services.rooms.knowledge.entities.unmerge(receipt_id, caller=caller), status=HTTPStatus.OK
    )
