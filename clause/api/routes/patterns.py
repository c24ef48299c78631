"""/api/patterns: what is seen again and again across sessions."""

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
from clause.sessions.models import (
    Pattern,
    PatternFound,
    PatternRecord,
    PatternRecorded,
    PatternReinforce,
    PatternSearch,
    PatternStatus,
    PatternType,
)

router = APIRouter(prefix="/api/patterns", tags=["patterns"], route_class=StrictRoute)
PatternId = Annotated[str, Path(max_length=200, description="the pattern's ULID")]


class PatternsFound(BaseModel):
    """The answer to a search."""

    model_config = ConfigDict(frozen=True)

    items: tuple[PatternFound, ...] = Field(description="best first")
    reason: str | None = Field(None, description="why there is none, where there is none")


@router.post("", status_code=HTTPStatus.CREATED, response_model=PatternRecorded)
async def record(body: PatternRecord, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """Note a regularity; the same one again reinforces the first."""
    return await once.answer(
        lambda: services.rooms.sessions.patterns.record(body, caller=caller),
        status=HTTPStatus.CREATED,
        headers=lambda answer: {
            "Location": f"{router.prefix}/{answer['pattern']['id']}",
            "ETag": etag(answer["pattern"]["version"]),
        },
    )


@router.get("", response_model=Page[Pattern])
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


@router.post("/search", response_model=PatternsFound)
async def search(body: PatternSearch, services: Services, caller: CallerDependency) -> Response:
    """Patterns by meaning and by words, fused."""
    found = await services.rooms.sessions.patterns.search(body, caller=caller)
    reason = None if found else "no live pattern in these scopes fits the words or their meaning"
    return written(PatternsFound(items=tuple(found), reason=reason))


@router.get("/{pattern_id}", response_model=Pattern)
async def get_pattern(pattern_id: PatternId, services: Services, caller: CallerDependency) -> Response:
    """A pattern; its version is the ETag."""
    pattern = await services.rooms.sessions.patterns.get(pattern_id, caller=caller)
    return written(pattern, headers={"ETag": etag(pattern.version)})


@router.post("/{pattern_id}/reinforce", response_model=Pattern)
async def reinforce(
    pattern_id: PatternId, body: PatternReinforce, services: Services, caller: CallerDependency, once: Idempotent
) -> Response:
    """It was seen once more: c + .1 (1 - c), at most .99; established at 4 times."""
    return await once.answer(
        lambda: services.rooms.sessions.patterns.reinforce(pattern_id, body, caller=caller),
        status=HTTPStatus.OK,
        headers=lambda answer: {"ETag": etag(answer["version"])},
    )
