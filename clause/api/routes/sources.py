"""/api/sources: where statements come from, how often they were right, and whom they trust."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel, ConfigDict, Field

from clause.api.dependencies import CallerDependency, Services
from clause.api.idempotency import Idempotent
from clause.api.pagination import Page, PageDependency, page_of
from clause.api.strict_json import StrictRoute, written
from clause.api.versions import etag
from clause.knowledge.models import SourceKind
from clause.knowledge.models_entities import (
    Source,
    SourceCreate,
    TrustAnswer,
    TrustCheck,
    TrustEdge,
    TrustGiven,
)

router = APIRouter(tags=["sources"], route_class=StrictRoute)
SourceId = Annotated[str, Path(max_length=200, description="the source's id")]


class TrustEdges(BaseModel):
    """Who trusts whom."""

    model_config = ConfigDict(frozen=True)

    items: tuple[TrustEdge, ...] = Field(description="by trusting and trusted source")


@router.post("/api/sources", status_code=HTTPStatus.CREATED, response_model=Source)
async def create(body: SourceCreate, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """A source, or the known one of the same kind, title and uri, or of the same content."""
    return await once.answer(
        lambda: services.rooms.knowledge.sources.create(body, caller=caller),
        status=HTTPStatus.CREATED,
        headers=lambda answer: {"Location": f"/api/sources/{answer['id']}", "ETag": etag(answer["version"])},
    )


@router.get("/api/sources", response_model=Page[Source])
async def list_sources(
    services: Services, caller: CallerDependency, page: PageDependency, kind: SourceKind | None = None
) -> Response:
    """Sources with their track records."""
    found = await services.rooms.knowledge.sources.list(
        caller=caller, kind=kind, after=page.after, limit=page.limit + 1
    )
    return written(page_of(list(found), page.limit))


@router.get("/api/sources/{source_id}", response_model=Source)
async def get_source(source_id: SourceId, services: Services, caller: CallerDependency) -> Response:
    """A source with its track record; its version is the ETag."""
    found = await services.rooms.knowledge.sources.get(source_id, caller=caller)
    return written(found, headers={"ETag": etag(found.version)})


@router.put("/api/sources/{source_id}/trusts", response_model=TrustEdge)
async def trust(
    source_id: SourceId, body: TrustGiven, services: Services, caller: CallerDependency, once: Idempotent
) -> Response:
    """Say how far this source trusts another; said again it is replaced."""
    return await once.answer(
        lambda: services.rooms.knowledge.sources.trust(source_id, body, caller=caller), status=HTTPStatus.OK
    )


@router.get("/api/sources/{source_id}/trusts", response_model=TrustEdges)
async def trusts(source_id: SourceId, services: Services, caller: CallerDependency) -> Response:
    """Edges of trust within three hops of this source."""
    await services.rooms.knowledge.sources.get(source_id, caller=caller)
    found = await services.rooms.knowledge.sources.trusts(caller=caller, source_id=source_id)
    return written(TrustEdges(items=tuple(found)))


@router.get("/api/trust/edges", response_model=TrustEdges)
async def trust_graph(services: Services, caller: CallerDependency) -> Response:
    """All edges of trust that the caller may read."""
    found = await services.rooms.knowledge.sources.trusts(caller=caller)
    return written(TrustEdges(items=tuple(found)))


@router.post("/api/trust/check", response_model=TrustAnswer)
async def check(body: TrustCheck, services: Services, caller: CallerDependency) -> Response:
    """Whom to trust on a topic: entities and sources by the confidence of their active beliefs, then by how many."""
    return written(await services.rooms.knowledge.trust.check(body, caller=caller))
