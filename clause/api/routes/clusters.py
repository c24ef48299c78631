"""/api/clusters: clusters of memories, and their consolidation."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from clause.api.dependencies import CallerDependency, Services
from clause.api.idempotency import Idempotent
from clause.api.pagination import Page, PageDependency, page_of
from clause.api.routes.memories import Scopes
from clause.api.strict_json import StrictRoute, written
from clause.api.versions import etag
from clause.errors import BadInputError
from clause.jobs.models import Job
from clause.memory.cluster import ClusterSummary, MemoryCluster

router = APIRouter(prefix="/api/clusters", tags=["memories"], route_class=StrictRoute)
ClusterId = Annotated[int, Path(ge=0, le=2**53, description="the cluster's number")]


class ConsolidationRequest(BaseModel):
    """Whose memories to consolidate."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra={"example": {"scope": "user:ann"}})

    scope: str | None = Field(None, max_length=300, description="the default scope if not said")


@router.get("", response_model=Page[ClusterSummary])
async def list_clusters(
    services: Services, caller: CallerDependency, page: PageDependency, scope: Scopes = None
) -> Response:
    """Clusters, the newest first."""
    found = await services.rooms.memory.store.clusters(
        caller=caller, scopes=scope, limit=page.limit + 1, before=_number(page.after)
    )
    return written(page_of(list(found), page.limit, "cluster_id"))


@router.post("/consolidate", status_code=HTTPStatus.ACCEPTED, response_model=Job)
async def consolidate(
    body: ConsolidationRequest, services: Services, caller: CallerDependency, once: Idempotent
) -> Response:
    """Queue a pass over a scope: full clusters are closed, twins become one; 202 with the job's address."""
    return await once.answer(
        lambda: services.rooms.memory.consolidation.queue(body.scope, caller=caller),
        status=HTTPStatus.ACCEPTED,
        headers=_location,
    )


@router.get("/{cluster_id}", response_model=ClusterSummary)
async def get_cluster(cluster_id: ClusterId, services: Services, caller: CallerDependency) -> Response:
    """One cluster; its version is the ETag."""
    found = await services.rooms.memory.store.cluster(cluster_id, caller=caller)
    return written(found, headers={"ETag": etag(found.version)})


@router.get("/{cluster_id}/members", response_model=MemoryCluster)
async def members(
    cluster_id: ClusterId,
    services: Services,
    caller: CallerDependency,
    embeddings: Annotated[bool, Query(description="whether the vectors of the members come too")] = False,
) -> Response:
    """A cluster with its first 1,000 members, in the order in which they came."""
    found = await services.rooms.memory.store.members(cluster_id, caller=caller)
    return written(found if embeddings else found.model_copy(update={"member_embeddings": []}))


def _location(body: Mapping[str, Any]) -> Mapping[str, str]:
    return {"Location": f"/api/jobs/{body['id']}"}


def _number(after: str | None) -> int | None:
    if after is None:
        return None
    if not after.isdigit() or len(after) > 15:
        raise BadInputError("not a cursor of this list", field="cursor", remedy="pass next_cursor as given")
    return int(after)
