"""/api/insights and /api/topics: what an agent has come to understand, with age and strength in words, and its
conflicts."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response

from clause.api.dependencies import CallerDependency, Page, PageDependency, Services, page_of
from clause.api.preconditions import Idempotent, IfMatch, etag
from clause.api.strict_json import StrictRoute, written
from clause.insights.conflict_models import (
    Conflict,
    EarnSalience,
    InsightChange,
    Quarantine,
    QuarantineState,
    ResolveConflict,
    StoredInsight,
    SynthesisProposal,
    Topic,
)
from clause.insights.models import (
    FoundInsights,
    Insight,
    InsightList,
    RawInsightList,
    RetrieveInsights,
    SearchInsights,
    StoreInsight,
)
from clause.text.fields import Frozen as Model
from clause.text.fields import Instant

router = APIRouter(prefix="/api/insights", tags=["insights"], route_class=StrictRoute)
InsightId = Annotated[str, Path(max_length=64, description="the insight's ULID")]
ConflictId = Annotated[str, Path(max_length=64, description="the conflict's ULID")]
Scopes = Annotated[
    list[str] | None, Query(alias="scope", max_length=100, description="whose; all readable if not said")
]
TopicKey = Annotated[str | None, Query(max_length=600, description="on this topic only")]


class Proposals(Model):
    """Topics whose conflicts ask for a decision."""

    items: tuple[SynthesisProposal, ...]


@router.post("", status_code=HTTPStatus.CREATED, response_model=StoredInsight)
async def store(body: StoreInsight, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """Keep an insight; the answer says what it conflicts with, and whether a synthesis is due."""

    async def work() -> StoredInsight:
        return await services.rooms.insights.insights.store(body, caller=caller)

    def headers(answer: Mapping[str, Any]) -> Mapping[str, str]:
        insight = answer["insight"]
        return {"Location": f"{router.prefix}/{insight['id']}", "ETag": etag(insight["version"])}

    return await once.answer(work, status=HTTPStatus.CREATED, headers=headers)


@router.get("", response_model=Page[Insight])
async def list_by_category(
    *,
    services: Services,
    caller: CallerDependency,
    page: PageDependency,
    category: Annotated[str, Query(max_length=64, description="such as user_reflection")],
    since: Annotated[Instant | None, Query(description="made then or later")] = None,
    scopes: Scopes = None,
) -> Response:
    """Insights of a category, newest first."""
    found = await services.rooms.insights.retriever.get_insights_by_category(
        category, page.limit + 1, since, scopes=scopes, after=page.after, caller=caller
    )
    return written(page_of(found, page.limit))


@router.post("/retrieve", response_model=InsightList)
async def retrieve(body: RetrieveInsights, services: Services, caller: CallerDependency) -> Response:
    """Insights on a topic by a profile's name or an inline one, formatted for a prompt; those held back are named."""
    return written(await services.rooms.insights.retriever.listed(body, caller=caller))


@router.post("/retrieve_raw", response_model=RawInsightList)
async def retrieve_raw(body: RetrieveInsights, services: Services, caller: CallerDependency) -> Response:
    """The same choice as they are stored; `include_servers` is for formatted ones."""
    found = await services.rooms.insights.retriever.get_insights_for_topic(
        body.topic_key, body.profile, body.limit, scopes=body.scopes, caller=caller
    )
    return written(RawInsightList(items=tuple(found)))


@router.post("/search", response_model=FoundInsights)
async def search(body: SearchInsights, services: Services, caller: CallerDependency) -> Response:
    """Insights near a query by meaning and by words."""
    return written(await services.rooms.insights.finder.search(body, caller=caller))


@router.get("/syntheses", response_model=Proposals)
async def list_syntheses(
    services: Services,
    caller: CallerDependency,
    topic_key: TopicKey = None,
    scopes: Scopes = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> Response:
    """Topics with three unresolved conflicts, or one that waits for 30 days."""
    found = await services.rooms.insights.settlement.proposals(
        topic_key=topic_key, scopes=scopes, limit=limit, caller=caller
    )
    return written(Proposals(items=tuple(found)))


@router.get("/conflicts", response_model=Page[Conflict])
async def list_conflicts(
    *,
    services: Services,
    caller: CallerDependency,
    page: PageDependency,
    topic_key: TopicKey = None,
    resolved: bool | None = None,
    scopes: Scopes = None,
) -> Response:
    """Conflicts, newest first."""
    found = await services.rooms.insights.settlement.conflicts(
        topic_key=topic_key,
        resolved=resolved,
        scopes=scopes,
        limit=page.limit + 1,
        after=page.after,
        caller=caller,
    )
    return written(page_of(found, page.limit))


@router.get("/conflicts/{conflict_id}", response_model=Conflict)
async def get_conflict(conflict_id: ConflictId, services: Services, caller: CallerDependency) -> Response:
    """One conflict; its version is the ETag."""
    found = await services.rooms.insights.settlement.conflict(conflict_id, caller=caller)
    return written(found, headers={"ETag": etag(found.version)})


@router.post("/conflicts/{conflict_id}/resolve", response_model=Conflict)
async def resolve_conflict(
    *,
    conflict_id: ConflictId,
    body: ResolveConflict,
    services: Services,
    caller: CallerDependency,
    once: Idempotent,
    if_match: IfMatch = None,
) -> Response:
    """Settle a conflict: superseded, context_dependent, synthesised, or paradox_kept."""

    async def work() -> Conflict:
        return await services.rooms.insights.settlement.resolve(conflict_id, body, versions=if_match, caller=caller)

    return await once.answer(work, status=HTTPStatus.OK, headers=_tagged)


@router.get("/{insight_id}", response_model=Insight)
async def get_insight(insight_id: InsightId, services: Services, caller: CallerDependency) -> Response:
    """One insight; 404 while it is in quarantine. Its version is the ETag."""
    found = await services.rooms.insights.insights.get(insight_id, caller=caller)
    return written(found, headers={"ETag": etag(found.version)})


@router.put("/{insight_id}/quarantine", response_model=QuarantineState)
async def quarantine(
    *,
    insight_id: InsightId,
    body: Quarantine,
    services: Services,
    caller: CallerDependency,
    once: Idempotent,
    if_match: IfMatch = None,
) -> Response:
    """Put an insight into quarantine, or let it out."""

    async def work() -> QuarantineState:
        return await services.rooms.insights.insights.quarantine(insight_id, body, versions=if_match, caller=caller)

    return await once.answer(work, status=HTTPStatus.OK, headers=_tagged)


@router.get("/{insight_id}/changes", response_model=Page[InsightChange])
async def list_changes(
    insight_id: InsightId, services: Services, caller: CallerDependency, page: PageDependency
) -> Response:
    """The marks that were set on an insight, oldest first; its content is not shown."""
    found = await services.rooms.insights.insights.changes(
        insight_id, limit=page.limit + 1, after=page.after or "", caller=caller
    )
    return written(page_of(found, page.limit))


def _tagged(body: Mapping[str, Any]) -> Mapping[str, str]:
    return {"ETag": etag(body["version"])}


topics_router = APIRouter(prefix="/api/topics", tags=["insights"], route_class=StrictRoute)


@topics_router.get("", response_model=Page[Topic])
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


@topics_router.post("/salience", response_model=Topic)
async def earn(body: EarnSalience, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """Tell of activity on a topic: its salience grows, and fades only after 7 idle days."""

    async def work() -> Topic:
        return await services.rooms.insights.topics.earn(body, caller=caller)

    def headers(answer: Mapping[str, Any]) -> Mapping[str, str]:
        return {"ETag": etag(answer["version"])}

    return await once.answer(work, status=HTTPStatus.OK, headers=headers)


@topics_router.get("/{topic_key:path}", response_model=Topic)
async def get_topic(
    topic_key: Annotated[str, Path(max_length=600, description="user:<id>, dyad:<a>:<b>, server:<id>:...")],
    services: Services,
    caller: CallerDependency,
    scope: Annotated[str | None, Query(max_length=300, description="whose; the caller's own if not said")] = None,
) -> Response:
    """One topic; its version is the ETag."""
    found = await services.rooms.insights.topics.get(topic_key, scope=scope, caller=caller)
    return written(found, headers={"ETag": etag(found.version)})
