"""/api/memories and /api/clusters: keep, recall, show, delete, consolidate; figures; and when it is time to recall."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any, Self

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, ConfigDict, Field, model_validator

from clause.api.dependencies import CallerDependency, Page, PageDependency, Services, page_of
from clause.api.preconditions import Idempotent, IfMatch, etag
from clause.api.strict_json import StrictRoute, written
from clause.errors import BadInputError
from clause.graph.lease import Job
from clause.memory.cluster import ClusterSummary, MemoryCluster
from clause.memory.configuration import MemoryConfiguration, ScopeConfiguration
from clause.memory.models import (
    DeletedMemory,
    MemoryReadInput,
    MemoryReadResult,
    MemoryRecord,
    MemoryWriteInput,
    MemoryWriteResult,
    unit_vector,
)
from clause.memory.room import SMOOTHING, THRESHOLD, WINDOW, MonitorReading
from clause.memory.statistics import MemoryStatistics
from clause.text.fields import Frozen

router = APIRouter(prefix="/api/memories", tags=["memories"], route_class=StrictRoute)
MemoryId = Annotated[str, Path(max_length=64, description="the memory's id")]
Scopes = Annotated[list[str] | None, Query(max_length=100, description="whose; all that may be read if not said")]
OneScope = Annotated[str | None, Query(max_length=300, description="whose; the default scope if not said")]


class MemoryBatch(BaseModel):
    """Memories to keep, embedded in one call."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        json_schema_extra={"example": {"memories": [{"content": "Ann: I moved to Lisbon in May."}]}},
    )

    memories: tuple[MemoryWriteInput, ...] = Field(min_length=1, max_length=1000, description="what to remember")


class MemoryBatchResult(Frozen):
    """The memories that were kept, in the order of the request."""

    results: tuple[MemoryWriteResult, ...] = Field(description="one for each memory")


class Recalled(Frozen):
    """The memories that were recalled, best first."""

    results: tuple[MemoryReadResult, ...] = Field(description="at most k memories")


class MonitorRequest(BaseModel):
    """The last turns of a conversation, oldest first: their texts or their vectors."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_extra={"example": {"turns": ["I like tea", "Green tea", "Any rain?"]}}
    )

    turns: tuple[str, ...] | None = Field(None, min_length=1, max_length=100, description="what was said")
    embeddings: tuple[list[float], ...] | None = Field(None, min_length=1, max_length=100, description="its vectors")
    window: int = Field(WINDOW, ge=2, le=100, description="turns that are looked at")
    smoothing: float = Field(SMOOTHING, gt=0, le=1, description="weight of the newest distance")
    threshold: float = Field(THRESHOLD, gt=0, le=1, description="distance from which it is time to recall")

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.turns is None) == (self.embeddings is None):
            raise ValueError("send turns or embeddings")
        return self


class MonitorAnswer(Frozen):
    """The reading after the newest turn, and those before it."""

    newest: MonitorReading = Field(description="what to do now")
    readings: tuple[MonitorReading, ...] = Field(description="after each turn")


@router.post("", status_code=HTTPStatus.CREATED, response_model=MemoryWriteResult)
async def write(body: MemoryWriteInput, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """Keep a memory; it joins the nearest cluster of its scope or opens one. Its address is in Location."""
    return await once.answer(
        lambda: services.rooms.memory.store.write(body, caller=caller), status=HTTPStatus.CREATED, headers=_location
    )


@router.post("/batch", status_code=HTTPStatus.CREATED, response_model=MemoryBatchResult)
async def write_batch(body: MemoryBatch, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """Keep many memories; they are embedded in one call and written in a few transactions."""

    async def work() -> MemoryBatchResult:
        found = await services.rooms.memory.store.write_batch(body.memories, caller=caller)
        return MemoryBatchResult(results=tuple(found))

    return await once.answer(work, status=HTTPStatus.CREATED)


@router.post("/search", response_model=Recalled)
async def search(body: MemoryReadInput, services: Services, caller: CallerDependency) -> Response:
    """Recall memories by meaning, by words, or by both; recency counts."""
    return written(Recalled(results=tuple(await services.rooms.memory.store.read(body, caller=caller))))


@router.get("", response_model=Page[MemoryRecord])
async def list_memories(
    services: Services, caller: CallerDependency, page: PageDependency, scope: Scopes = None
) -> Response:
    """Memories, newest first."""
    found = await services.rooms.memory.store.list(caller=caller, scopes=scope, limit=page.limit + 1, before=page.after)
    return written(page_of(list(found), page.limit, "memory_id"))


@router.get("/stats", response_model=MemoryStatistics)
async def stats(services: Services, caller: CallerDependency, scope: Scopes = None) -> Response:
    """Compression, cohesion, silhouette, sizes of clusters, and the share of what nobody recalls."""
    return written(await services.rooms.memory.store.stats(caller=caller, scopes=scope))


@router.post("/monitor", response_model=MonitorAnswer)
async def monitor(body: MonitorRequest, services: Services, _caller: CallerDependency) -> Response:
    """Tells when a conversation has moved on so far that it is time to recall; nothing is stored."""
    dimension = services.embedder.dimension
    turns = (
        list(await services.embedder.embed(body.turns))
        if body.turns is not None
        else [unit_vector(numbers, dimension, "embeddings") for numbers in body.embeddings or ()]
    )
    readings = services.rooms.memory.monitor(body.window, body.smoothing, body.threshold).replay(turns)
    return written(MonitorAnswer(newest=readings[-1], readings=tuple(readings)))


@router.get("/configuration", response_model=ScopeConfiguration)
async def get_configuration(services: Services, caller: CallerDependency, scope: OneScope = None) -> Response:
    """Show how a scope's memories are kept and recalled: what it says of its own, and what is used."""
    return written(await services.rooms.memory.store.configurations.show(scope, caller=caller))


@router.put("/configuration", response_model=ScopeConfiguration)
async def configure(
    body: MemoryConfiguration, services: Services, caller: CallerDependency, once: Idempotent
) -> Response:
    """Let a scope say how its memories are kept and recalled, in place of all that it said before."""
    configurations = services.rooms.memory.store.configurations
    return await once.answer(lambda: configurations.change(body, caller=caller), status=HTTPStatus.OK)


@router.get("/{memory_id}", response_model=MemoryRecord)
async def get_memory(memory_id: MemoryId, services: Services, caller: CallerDependency) -> Response:
    """One memory; its version is the ETag."""
    found = await services.rooms.memory.store.get(memory_id, caller=caller)
    return written(found, headers={"ETag": etag(found.version)})


@router.delete("/{memory_id}", response_model=DeletedMemory)
async def delete_memory(
    memory_id: MemoryId, services: Services, caller: CallerDependency, accepted: IfMatch, once: Idempotent
) -> Response:
    """Forget a memory for good, and every trace of it; the prototype of its cluster is the mean of those left."""
    return await once.answer(
        lambda: services.rooms.memory.store.forget(memory_id, caller=caller, versions=accepted),
        status=HTTPStatus.OK,
        whole=False,
    )


def _location(body: Mapping[str, Any]) -> Mapping[str, str]:
    return {"Location": f"{router.prefix}/{body['memory_id']}"}


clusters_router = APIRouter(prefix="/api/clusters", tags=["memories"], route_class=StrictRoute)
ClusterId = Annotated[int, Path(ge=0, le=2**53, description="the cluster's number")]


class ConsolidationRequest(BaseModel):
    """The scope whose memories are consolidated."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra={"example": {"scope": "user:ann"}})

    scope: str | None = Field(None, max_length=300, description="the default scope if not said")


@clusters_router.get("", response_model=Page[ClusterSummary])
async def list_clusters(
    services: Services, caller: CallerDependency, page: PageDependency, scope: Scopes = None
) -> Response:
    """Clusters, the newest first."""
    found = await services.rooms.memory.store.clusters(
        caller=caller, scopes=scope, limit=page.limit + 1, before=_number(page.after)
    )
    return written(page_of(list(found), page.limit, "cluster_id"))


@clusters_router.post("/consolidate", status_code=HTTPStatus.ACCEPTED, response_model=Job)
async def consolidate(
    body: ConsolidationRequest, services: Services, caller: CallerDependency, once: Idempotent
) -> Response:
    """Queue a pass over a scope: full clusters are closed, twins become one; 202 with the job's address."""
    return await once.answer(
        lambda: services.rooms.memory.consolidation.queue(body.scope, caller=caller),
        status=HTTPStatus.ACCEPTED,
        headers=_job_location,
    )


@clusters_router.get("/{cluster_id}", response_model=ClusterSummary)
async def get_cluster(cluster_id: ClusterId, services: Services, caller: CallerDependency) -> Response:
    """One cluster; its version is the ETag."""
    found = await services.rooms.memory.store.cluster(cluster_id, caller=caller)
    return written(found, headers={"ETag": etag(found.version)})


@clusters_router.get("/{cluster_id}/members", response_model=MemoryCluster)
async def members(
    cluster_id: ClusterId,
    services: Services,
    caller: CallerDependency,
    embeddings: Annotated[bool, Query(description="whether the vectors of the members come too")] = False,
) -> Response:
    """A cluster with its first 1,000 members, in the order in which they came."""
    found = await services.rooms.memory.store.members(cluster_id, caller=caller)
    return written(found if embeddings else found.model_copy(update={"member_embeddings": []}))


def _job_location(body: Mapping[str, Any]) -> Mapping[str, str]:
    return {"Location": f"/api/jobs/{body['id']}"}


def _number(after: str | None) -> int | None:
    if after is None:
        return None
    if not after.isdecimal() or int(after[:17]) > 2**53:
        raise BadInputError("not a cursor of this list", field="cursor", remedy="pass next_cursor as given")
    return int(after)
