"""/api/value_clusters: clusters of experiences on four axes, and the runs that found them."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, ConfigDict

from clause.api.dependencies import CallerDependency, Services
from clause.api.idempotency import Idempotent
from clause.api.pagination import Page, PageDependency, page_of
from clause.api.strict_json import StrictRoute, written
from clause.values.models import ClusterInfo, ClusteringRun, Experience, RunRequest

router = APIRouter(prefix="/api/value_clusters", tags=["values"], route_class=StrictRoute)
ClusterId = Annotated[str, Path(max_length=200, description="full_0 (of the latest run) or full_0@<run>")]
Axis = Annotated[str, Query(max_length=40, description="full, strategy, surprise or root_cause")]
OneScope = Annotated[str | None, Query(max_length=300, description="whose; the caller's own if not said")]
Scopes = Annotated[
    list[str] | None, Query(alias="scope", max_length=100, description="whose; all readable if not said")
]


class Clusters(BaseModel):
    """The clusters of one run, largest first."""

    model_config = ConfigDict(frozen=True)

    items: tuple[ClusterInfo, ...]


@router.post("/runs", status_code=HTTPStatus.CREATED, response_model=ClusteringRun)
async def run(body: RunRequest, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """Cluster a scope's experiences on one axis now; thousands of them rather as a job of the kind `cluster_values`."""

    async def work() -> ClusteringRun:
        return await services.rooms.values.clusterer.run(body, caller=caller)

    def headers(answer: Mapping[str, Any]) -> Mapping[str, str]:
        return {"Location": f"{router.prefix}?axis={answer['axis']}&run_id={answer['id']}"}

    return await once.answer(work, status=HTTPStatus.CREATED, headers=headers)


@router.get("/runs", response_model=Page[ClusteringRun])
async def list_runs(
    services: Services,
    caller: CallerDependency,
    page: PageDependency,
    axis: Annotated[str | None, Query(max_length=40)] = None,
    scopes: Scopes = None,
) -> Response:
    """Clustering runs, newest first."""
    found = await services.rooms.values.clusterer.runs(
        axis=axis, scopes=scopes, limit=page.limit + 1, after=page.after, caller=caller
    )
    return written(page_of(found, page.limit))


@router.get("", response_model=Clusters)
async def list_clusters(
    services: Services,
    caller: CallerDependency,
    axis: Axis,
    scope: OneScope = None,
    run_id: Annotated[str | None, Query(max_length=64, description="a given run; the latest if not said")] = None,
) -> Response:
    """The clusters of a run on one axis, largest first."""
    found = await services.rooms.values.clusterer.clusters(axis, scope=scope, run_id=run_id, caller=caller)
    return written(Clusters(items=tuple(found)))


@router.get("/{cluster_id}", response_model=ClusterInfo)
async def get_cluster(
    cluster_id: ClusterId, services: Services, caller: CallerDependency, scope: OneScope = None
) -> Response:
    """One cluster with the ids of its members."""
    return written(await services.rooms.values.clusterer.cluster(cluster_id, scope=scope, caller=caller))


@router.get("/{cluster_id}/members", response_model=Page[Experience])
async def list_members(
    cluster_id: ClusterId, services: Services, caller: CallerDependency, page: PageDependency, scope: OneScope = None
) -> Response:
    """A cluster's experiences, whole, in the order of their ids."""
    found = await services.rooms.values.clusterer.members(
        cluster_id, scope=scope, after=page.after or "", limit=page.limit + 1, caller=caller
    )
    return written(page_of(found, page.limit))
