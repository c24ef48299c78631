"""/api/values: what agents have learned from clusters of experiences; judged before it is stored."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response

from clause.api.dependencies import CallerDependency, Services
from clause.api.idempotency import Idempotent
from clause.api.pagination import Page, PageDependency, page_of
from clause.api.strict_json import StrictRoute, written
from clause.api.versions import etag
from clause.values.models import NewValue, ValidationResult, Value, ValueCandidate

router = APIRouter(prefix="/api/values", tags=["values"], route_class=StrictRoute)
ValueId = Annotated[str, Path(max_length=200, description="value_{axis}_{label}_{timestamp}")]
Scopes = Annotated[
    list[str] | None, Query(alias="scope", max_length=100, description="whose; all readable if not said")
]


@router.post("/validate", response_model=ValidationResult)
async def validate(body: ValueCandidate, services: Services, caller: CallerDependency) -> Response:
    """Whether a text is central to a cluster, with every number; nothing is stored."""
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
