"""/api/entities, /api/entity-merges and /api/sources: what beliefs are about, and where they come from."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field

from clause.api.dependencies import CallerDependency, Page, PageDependency, Services, page_of
from clause.api.preconditions import Idempotent, IfMatch, etag
from clause.api.strict_json import StrictRoute, written
from clause.knowledge.beliefs.models import SourceKind
from clause.knowledge.entities import EntityNeighbour, EntityRelation, RelationCreate
from clause.knowledge.entity_models import (
    AliasAdd,
    Entity,
    EntityFound,
    EntitySearch,
    ResolutionCandidate,
    Source,
    SourceCreate,
    TrustAnswer,
    TrustCheck,
    TrustEdge,
    TrustGiven,
)
from clause.knowledge.lineage.models import Merge, MergeRequest
from clause.knowledge.relationship_types import TypeInWords, TypeMeaning
from clause.text.fields import Frozen

router = APIRouter(tags=["entities"], route_class=StrictRoute)
EntityReference = Annotated[str, Path(max_length=1000, description="id, exact name or alias")]
Scopes = Annotated[list[str] | None, Query(max_length=100, description="whose; all that may be read if not said")]
ReceiptId = Annotated[str, Path(max_length=200, description="id of the merge's receipt, or of the loser")]


class EntitiesFound(Frozen):
    """The answer to a search."""

    items: tuple[EntityFound, ...] = Field(description="best first")
    reason: str | None = Field(None, description="why there is none, where there is none")


class EntityNeighbours(Frozen):
    """Relationships of an entity."""

    items: tuple[EntityNeighbour, ...] = Field(description="by type and name; none where it has none")


class ResolutionCandidates(Frozen):
    """Pairs that may be one."""

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
    services: Services,
    caller: CallerDependency,
    scope: Scopes = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> Response:
    """Pairs that the job `resolve_entities` found alike; whoever knows merges them."""
    found = await services.rooms.knowledge.entities.candidates(caller=caller, scopes=scope, limit=limit)
    reason = None if found else "no pair was found; start the job `resolve_entities` to look"
    return written(ResolutionCandidates(items=tuple(found), reason=reason))


@router.get("/api/entities/{entity:path}/relations", response_model=EntityNeighbours)
async def neighbours(
    entity: EntityReference,
    services: Services,
    caller: CallerDependency,
    scope: Scopes = None,
    limit: Annotated[int, Query(ge=1, le=200, description="how many at most")] = 50,
) -> Response:
    """The relationships of an entity that hold, those to entities with few others first."""
    found = await services.rooms.knowledge.entities.neighbours(entity, caller=caller, scopes=scope, limit=limit)
    return written(EntityNeighbours(items=tuple(found)))


@router.get("/api/entities/{entity:path}", response_model=Entity)
async def get_entity(
    entity: EntityReference, services: Services, caller: CallerDependency, scope: Scopes = None
) -> Response:
    """An entity by id, exact name or alias, of some scopes; several of one name are a 409 that lists them."""
    found = await services.rooms.knowledge.entities.get(entity, caller=caller, scopes=scope)
    return written(found, headers={"ETag": etag(found.version)})


@router.post("/api/entities/relations", status_code=HTTPStatus.CREATED, response_model=EntityRelation)
async def relate(body: RelationCreate, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """Keep a relationship between two entities, which the agents walk at once; `created` is false where it was kept."""
    entities = services.rooms.knowledge.entities
    return await once.answer(lambda: entities.relate(body, caller=caller), status=HTTPStatus.CREATED)


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


sources_router = APIRouter(tags=["sources"], route_class=StrictRoute)
SourceId = Annotated[str, Path(max_length=200, description="the source's id")]


class TrustEdges(Frozen):
    """Edges of trust between sources."""

    items: tuple[TrustEdge, ...] = Field(description="by trusting and trusted source")


@sources_router.post("/api/sources", status_code=HTTPStatus.CREATED, response_model=Source)
async def create(body: SourceCreate, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """A source, or the known one of the same kind, title and uri, or of the same content."""
    return await once.answer(
        lambda: services.rooms.knowledge.sources.create(body, caller=caller),
        status=HTTPStatus.CREATED,
        headers=lambda answer: {"Location": f"/api/sources/{answer['id']}", "ETag": etag(answer["version"])},
    )


@sources_router.get("/api/sources", response_model=Page[Source])
async def list_sources(
    *,
    services: Services,
    caller: CallerDependency,
    page: PageDependency,
    kind: SourceKind | None = None,
    scope: Scopes = None,
) -> Response:
    """Sources with their track records."""
    found = await services.rooms.knowledge.sources.list(
        caller=caller, kind=kind, scopes=scope, after=page.after, limit=page.limit + 1
    )
    return written(page_of(list(found), page.limit))


@sources_router.get("/api/sources/{source_id}", response_model=Source)
async def get_source(source_id: SourceId, services: Services, caller: CallerDependency) -> Response:
    """A source with its track record; its version is the ETag."""
    found = await services.rooms.knowledge.sources.get(source_id, caller=caller)
    return written(found, headers={"ETag": etag(found.version)})


@sources_router.put("/api/sources/{source_id}/trusts", response_model=TrustEdge)
async def trust(
    source_id: SourceId, body: TrustGiven, services: Services, caller: CallerDependency, once: Idempotent
) -> Response:
    """Say how far this source trusts another; said again it is replaced."""
    return await once.answer(
        lambda: services.rooms.knowledge.sources.trust(source_id, body, caller=caller), status=HTTPStatus.OK
    )


@sources_router.get("/api/sources/{source_id}/trusts", response_model=TrustEdges)
async def trusts(source_id: SourceId, services: Services, caller: CallerDependency) -> Response:
    """Edges of trust within three hops of this source."""
    await services.rooms.knowledge.sources.get(source_id, caller=caller)
    found = await services.rooms.knowledge.sources.trusts(caller=caller, source_id=source_id)
    return written(TrustEdges(items=tuple(found)))


@sources_router.get("/api/trust/edges", response_model=TrustEdges)
async def trust_graph(services: Services, caller: CallerDependency) -> Response:
    """All edges of trust that the caller may read."""
    found = await services.rooms.knowledge.sources.trusts(caller=caller)
    return written(TrustEdges(items=tuple(found)))


@sources_router.post("/api/trust/check", response_model=TrustAnswer)
async def check(body: TrustCheck, services: Services, caller: CallerDependency) -> Response:
    """Whom to trust on a topic: entities and sources by the confidence of their active beliefs, then by how many."""
    return written(await services.rooms.knowledge.trust.check(body, caller=caller))


types_router = APIRouter(prefix="/api/relationship-types", tags=["entities"], route_class=StrictRoute)


class TypesInWords(Frozen):
    """Relationship types as questions are read by them."""

    items: tuple[TypeInWords, ...] = Field(description="by scope and name")


@types_router.get("", response_model=TypesInWords)
async def list_types(services: Services, caller: CallerDependency, scope: Scopes = None) -> Response:
    """The relationship types of some scopes with their words, and who said them."""
    found = await services.rooms.knowledge.types.list(caller=caller, scopes=scope)
    return written(TypesInWords(items=tuple(found)))


@types_router.put("", response_model=TypeInWords)
async def tell_type(body: TypeMeaning, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """Say what a relationship type means in words, both ways; questions are read by it from the next one on."""
    types = services.rooms.knowledge.types
    return await once.answer(lambda: types.tell(body, caller=caller), status=HTTPStatus.OK)


@types_router.delete("", response_model=TypeInWords)
async def forget_type(
    services: Services,
    caller: CallerDependency,
    once: Idempotent,
    relation: Annotated[str, Query(min_length=1, max_length=200, description="the type's name, as the graph has it")],
    scope: Annotated[str | None, Query(max_length=300, description="whose; the default scope if not said")] = None,
) -> Response:
    """Take back what was said of a relationship type: its name says it again."""
    types = services.rooms.knowledge.types
    return await once.answer(lambda: types.forget(relation, scope, caller=caller), status=HTTPStatus.OK)
