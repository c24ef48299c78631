"""/api/topics: what insights are about, and how salient it is."""

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
from clause.insights.marks import EarnSalience, Topic

router = APIRouter(prefix="/api/topics", tags=["insights"], route_class=StrictRoute)
Scopes = Annotated[
    list[str] | None, Query(alias="scope", max_length=100, description="whose; all readable if not said")
]


@router.get("", response_model=Page[Topic])
async def list_topics(
    services: Services,
    caller: CallerDependency,
    page: PageDependency,
    kind: Annotated[str | None, Query(max_length=40, description="such as user, dyad, channel")] = None,
    scopes: Scopes = None,
) -> Response:
    """Topics with their salience now."""
    found = await services.rooms.insights.topics.list(
        scopes=scopes, kind=kind, limit=page.limit + 1, after=page.after, caller=caller
    )
    return written(page_of(list(found), page.limit))


@router.post("/salience", response_model=Topic)
async def earn(body: EarnSalience, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """Tell of activity on a topic: its salience grows, and fades only after 7 idle days."""

    async def work() -> Topic:
        return await services.rooms.insights.topics.earn(body, caller=caller)

    def headers(answer: Mapping[str, Any]) -> Mapping[str, str]:
        return {"ETag": etag(answer["version"])}

    return await once.answer(work, status=HTTPStatus.OK, headers=headers)


@router.get("/{topic_key:path}", response_model=Topic)
async def get_topic(
    topic_key: Annotated[str, Path(max_length=600, description="user:<id>, dyad:<a>:<b>, server:<id>:...")],
    services: Services,
    caller: CallerDependency,
    scope: Annotated[str | None, Query(max_length=300, description="whose; the caller's own if not said")] = None,
) -> Response:
    """One topic; its version is the ETag."""
    found = await services.rooms.insights.topics.get(topic_key, scope=scope, caller=caller)
    return written(found, headers={"ETag": etag(found.version)})
