"""/api/sessions and /api/patterns: conversations, their exchanges, what was learned in them, and what repeats."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field

from clause.api.dependencies import CallerDependency, Page, PageDependency, Services, page_of
from clause.api.preconditions import Idempotent, IfMatch, etag
from clause.api.strict_json import StrictRoute, written
from clause.errors import BadInputError
from clause.sessions.models import (
    Captured,
    Exchange,
    ExchangeAdd,
    InsightExtract,
    Pattern,
    PatternFound,
    PatternRecord,
    PatternRecorded,
    PatternReinforce,
    PatternSearch,
    PatternStatus,
    PatternType,
    Session,
    SessionEnd,
    SessionEnded,
    SessionInsight,
    SessionStart,
    SessionStarted,
    SessionStatus,
)
from clause.text.fields import Frozen

router = APIRouter(prefix="/api/sessions", tags=["sessions"], route_class=StrictRoute)
SessionId = Annotated[str, Path(max_length=200, description="the session's ULID")]
Narrow = Annotated[str | None, Query(max_length=500)]
Scopes = Annotated[list[str] | None, Query(max_length=100, description="whose; all that may be read if not said")]


@router.post("", status_code=HTTPStatus.CREATED, response_model=SessionStarted)
async def start(body: SessionStart, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """Begin a session, or go on with the client's own; with relevant beliefs and established patterns."""
    return await once.answer(
        lambda: services.rooms.sessions.sessions.start(body, caller=caller),
        status=HTTPStatus.CREATED,
        headers=_started,
    )


@router.get("", response_model=Page[Session])
async def list_sessions(
    *,
    services: Services,
    caller: CallerDependency,
    page: PageDependency,
    status: SessionStatus | None = None,
    platform: Narrow = None,
    project_context: Narrow = None,
    room_id: Narrow = None,
    scope: Scopes = None,
) -> Response:
    """Sessions, newest first."""
    found = await services.rooms.sessions.sessions.list(
        caller=caller,
        status=status,
        platform=platform,
        project_context=project_context,
        room_id=room_id,
        scopes=scope,
        after=page.after,
        limit=page.limit + 1,
    )
    return written(page_of(list(found), page.limit))


@router.get("/insights", response_model=Page[SessionInsight])
async def list_all_insights(services: Services, caller: CallerDependency, page: PageDependency) -> Response:
    """The insights of all sessions, newest first."""
    found = await services.rooms.sessions.insights.list(caller=caller, after=page.after, limit=page.limit + 1)
    return written(page_of(list(found), page.limit, "key"))


@router.get("/by-room/{room_id:path}", response_model=Session)
async def find_by_room(
    room_id: Annotated[str, Path(max_length=500)], services: Services, caller: CallerDependency
) -> Response:
    """The newest active session of a chat room."""
    session = await services.rooms.sessions.sessions.find_by_room(room_id, caller=caller)
    return written(session, headers={"ETag": etag(session.version)})


@router.get("/{session_id}", response_model=Session)
async def get_session(session_id: SessionId, services: Services, caller: CallerDependency) -> Response:
    """A session; its version is the ETag."""
    session = await services.rooms.sessions.sessions.get(session_id, caller=caller)
    return written(session, headers={"ETag": etag(session.version)})


@router.post("/{session_id}/end", response_model=SessionEnded)
async def end(
    *,
    session_id: SessionId,
    body: SessionEnd,
    services: Services,
    caller: CallerDependency,
    once: Idempotent,
    accepted: IfMatch,
) -> Response:
    """Close a session; summary (given, or taken from the exchanges) and themes become beliefs."""
    return await once.answer(
        lambda: services.rooms.sessions.sessions.end(session_id, body, caller=caller, versions=accepted),
        status=HTTPStatus.OK,
        headers=lambda answer: {"ETag": etag(answer["session"]["version"])},
    )


@router.post("/{session_id}/exchanges", status_code=HTTPStatus.CREATED, response_model=Exchange)
async def add_exchange(
    session_id: SessionId, body: ExchangeAdd, services: Services, caller: CallerDependency, once: Idempotent
) -> Response:
    """Store the next turn; its sequence number leaves no gap, whoever else writes."""
    return await once.answer(
        lambda: services.rooms.sessions.exchanges.add(session_id, body, caller=caller), status=HTTPStatus.CREATED
    )


@router.get("/{session_id}/exchanges", response_model=Page[Exchange])
async def list_exchanges(
    session_id: SessionId, services: Services, caller: CallerDependency, page: PageDependency
) -> Response:
    """The turns of a session, in order."""
    after = page.after or "0"
    if not after.isdecimal():
        raise BadInputError("not a cursor of this list", field="cursor", remedy="pass next_cursor as given")
    found = await services.rooms.sessions.exchanges.list(
        session_id, caller=caller, after=int(after), limit=page.limit + 1
    )
    return written(page_of(list(found), page.limit, "sequence"))


@router.post("/{session_id}/insights", status_code=HTTPStatus.CREATED, response_model=Captured)
async def extract_insight(
    session_id: SessionId, body: InsightExtract, services: Services, caller: CallerDependency, once: Idempotent
) -> Response:
    """Hold what was learned in the session as a belief."""
    return await once.answer(
        lambda: services.rooms.sessions.insights.extract(session_id, body, caller=caller), status=HTTPStatus.CREATED
    )


@router.get("/{session_id}/insights", response_model=Page[SessionInsight])
async def list_insights(
    session_id: SessionId, services: Services, caller: CallerDependency, page: PageDependency
) -> Response:
    """The insights of a session, newest first."""
    found = await services.rooms.sessions.insights.list(
        caller=caller, session_id=session_id, after=page.after, limit=page.limit + 1
    )
    return written(page_of(list(found), page.limit, "key"))


def _started(body: Mapping[str, Any]) -> Mapping[str, str]:
    session = body["session"]
    return {"Location": f"{router.prefix}/{session['id']}", "ETag": etag(session["version"])}


patterns_router = APIRouter(prefix="/api/patterns", tags=["patterns"], route_class=StrictRoute)
PatternId = Annotated[str, Path(max_length=200, description="the pattern's ULID")]


class PatternsFound(Frozen):
    """The answer to a search."""

    items: tuple[PatternFound, ...] = Field(description="best first")
    reason: str | None = Field(None, description="why there is none, where there is none")


@patterns_router.post("", status_code=HTTPStatus.CREATED, response_model=PatternRecorded)
async def record(body: PatternRecord, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """Note a regularity; the same one again reinforces the first."""
    return await once.answer(
        lambda: services.rooms.sessions.patterns.record(body, caller=caller),
        status=HTTPStatus.CREATED,
        headers=lambda answer: {
            "Location": f"{patterns_router.prefix}/{answer['pattern']['id']}",
            "ETag": etag(answer["pattern"]["version"]),
        },
    )


@patterns_router.get("", response_model=Page[Pattern])
async def list_patterns(
    services: Services,
    caller: CallerDependency,
    page: PageDependency,
    type: PatternType | None = None,
    status: PatternStatus | None = None,
) -> Response:
    """Patterns, newest first."""
    found = await services.rooms.sessions.patterns.list(
        caller=caller, type=type, status=status, after=page.after, limit=page.limit + 1
    )
    return written(page_of(list(found), page.limit))


@patterns_router.post("/search", response_model=PatternsFound)
async def search(body: PatternSearch, services: Services, caller: CallerDependency) -> Response:
    """Patterns by meaning and by words, fused."""
    found = await services.rooms.sessions.patterns.search(body, caller=caller)
    reason = None if found else "no live pattern in these scopes fits the words or their meaning"
    return written(PatternsFound(items=tuple(found), reason=reason))


@patterns_router.get("/{pattern_id}", response_model=Pattern)
async def get_pattern(pattern_id: PatternId, services: Services, caller: CallerDependency) -> Response:
    """A pattern; its version is the ETag."""
    pattern = await services.rooms.sessions.patterns.get(pattern_id, caller=caller)
    return written(pattern, headers={"ETag": etag(pattern.version)})


@patterns_router.post("/{pattern_id}/reinforce", response_model=Pattern)
async def reinforce(
    pattern_id: PatternId, body: PatternReinforce, services: Services, caller: CallerDependency, once: Idempotent
) -> Response:
    """It was seen once more: c + .1 (1 - c), at most .99; established at 4 times."""
    return await once.answer(
        lambda: services.rooms.sessions.patterns.reinforce(pattern_id, body, caller=caller),
        status=HTTPStatus.OK,
        headers=lambda answer: {"ETag": etag(answer["version"])},
    )
