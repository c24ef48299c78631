"""/api/values and /api/value_clusters: what agents learn from clusters of experiences; judged before it is stored."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response

from clause.api.dependencies import CallerDependency, Page, PageDependency, Services, page_of
from clause.api.preconditions import Idempotent, etag
from clause.api.strict_json import StrictRoute, written
from clause.text.fields import Frozen
from clause.values.models import (
    ClusterInfo,
    ClusteringRun,
    Experience,
    NewValue,
    RunRequest,
    ValidationResult,
    Value,
    ValueCandidate,
)

router = APIRouter(prefix="/api/values", tags=["values"], route_class=StrictRoute)
ValueId = Annotated[str, Path(max_length=200, description="value_{axis}_{label}_{timestamp}")]
Scopes = Annotated[
    list[str] | None, Query(alias="scope", max_length=100, description="whose; all readable if not said")
]


@router.post("/validate", response_model=ValidationResult)
async def validate(body: ValueCandidate, services: Services, caller: CallerDependency) -> Response:
    """Tests a text for being central to a cluster, with every number; nothing is stored."""
    store = services.rooms.values.store
    return written(await store.validate_value_candidate(body.text, body.cluster_id, scope=body.scope, caller=caller))


@router.post("", status_code=HTTPStatus.CREATED, response_model=Value)
async def store(body: NewValue, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """Validate again and store; 422 with every number where the text is too far from its cluster."""

    async def work() -> Value:
        return await services.rooms.values.store.store_value(
            body.text, body.cluster_id, body.axis, scope=body.scope, caller=caller
        )

    def headers(answer: Mapping[str, Any]) -> Mapping[str, str]:
        return {"Location": f"{router.prefix}/{answer['id']}", "ETag": etag(answer["version"])}

    return await once.answer(work, status=HTTPStatus.CREATED, headers=headers)


@router.get("", response_model=Page[Value])
async def list_values(
    services: Services,
    caller: CallerDependency,
    page: PageDependency,
    axis: Annotated[str | None, Query(max_length=40, description="of this axis only")] = None,
    scopes: Scopes = None,
) -> Response:
    """Stored values, newest first."""
    found = await services.rooms.values.store.list_values(
        axis, scopes=scopes, limit=page.limit + 1, after=page.after, caller=caller
    )
    return written(page_of(list(found), page.limit))


@router.get("/{value_id}", response_model=Value)
async def get_value(value_id: ValueId, services: Services, caller: CallerDependency) -> Response:
    """One value; its version is the ETag."""
    value = await services.rooms.values.store.get(value_id, caller=caller)
    return written(value, headers={"ETag": etag(value.version)})


value_clusters_router = APIRouter(prefix="/api/value_clusters", tags=["values"], route_class=StrictRoute)
ClusterId = Annotated[str, Path(max_length=200, description="full_0 (of the latest run) or full_0@<run>")]
Axis = Annotated[str, Query(max_length=40, description="full, strategy, surprise or root_cause")]
OneScope = Annotated[
    str | None, Query(max_length=300, description="whose; if not said the caller's own, or that of a run that is named")
]


class Clusters(Frozen):
    """The clusters of one run, largest first."""

    items: tuple[ClusterInfo, ...]


@value_clusters_router.post("/runs", status_code=HTTPStatus.CREATED, response_model=ClusteringRun)
async def run(body: RunRequest, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """Cluster a scope's experiences on one axis now; thousands of them rather as a job of the kind `cluster_values`."""

    async def work() -> ClusteringRun:
        return await services.rooms.values.clusterer.run(body, caller=caller)

    def headers(answer: Mapping[str, Any]) -> Mapping[str, str]:
        return {"Location": f"{value_clusters_router.prefix}?axis={answer['axis']}&run_id={answer['id']}"}

    return await once.answer(work, status=HTTPStatus.CREATED, headers=headers)


@value_clusters_router.get("/runs", response_model=Page[ClusteringRun])
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


@value_clusters_router.get("", response_model=Clusters)
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


@value_clusters_router.get("/{cluster_id}", response_model=ClusterInfo)
async def get_cluster(
    cluster_id: ClusterId, services: Services, caller: CallerDependency, scope: OneScope = None
) -> Response:
    """One cluster with the ids of its members."""
    return written(await services.rooms.values.clusterer.cluster(cluster_id, scope=scope, caller=caller))


@value_clusters_router.get("/{cluster_id}/members", response_model=Page[Experience])
async def list_members(
    cluster_id: ClusterId, services: Services, caller: CallerDependency, page: PageDependency, scope: OneScope = None
) -> Response:
    """A cluster's experiences, whole, in the order of their ids."""
    found = await services.rooms.values.clusterer.members(
        cluster_id, scope=scope, after=page.after or "", limit=page.limit + 1, caller=caller
    )
    return written(page_of(found, page.limit))
