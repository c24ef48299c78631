"""/api/experiences: what an agent tries, what it expects, and what came of it (GHAP)."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response

from clause.api.dependencies import CallerDependency, Page, PageDependency, Services, page_of
from clause.api.preconditions import Idempotent, IfMatch, etag
from clause.api.strict_json import StrictRoute, written
from clause.errors import NotFoundError
from clause.values.ghap import GhapEntry, Outcome, ResolveGhap, StartedGhap, StartGhap, UpdateGhap
from clause.values.models import FoundExperiences, SearchExperiences

router = APIRouter(prefix="/api/experiences", tags=["experiences"], route_class=StrictRoute)
ExperienceId = Annotated[str, Path(max_length=64, description="the experience's ULID")]
Scopes = Annotated[
    list[str] | None, Query(alias="scope", max_length=100, description="whose; all readable if not said")
]
Narrow = Annotated[str | None, Query(max_length=100)]


@router.post("", status_code=HTTPStatus.CREATED, response_model=StartedGhap)
async def start(body: StartGhap, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """Open an experience; the answer warns with values learned in the same domain with the same strategy."""

    async def work() -> StartedGhap:
        return await services.rooms.values.experiences.start(body, caller=caller)

    def headers(answer: Mapping[str, Any]) -> Mapping[str, str]:
        entry = answer["experience"]
        return {"Location": f"{router.prefix}/{entry['id']}", "ETag": etag(entry["version"])}

    return await once.answer(work, status=HTTPStatus.CREATED, headers=headers)


@router.get("", response_model=Page[GhapEntry])
async def list_experiences(
    *,
    services: Services,
    caller: CallerDependency,
    page: PageDependency,
    scopes: Scopes = None,
    domain: Narrow = None,
    strategy: Narrow = None,
    outcome: Outcome | None = None,
    session_id: Narrow = None,
) -> Response:
    """Experiences, newest first."""
    found = await services.rooms.values.experiences.list(
        scopes=scopes,
        domain=domain,
        strategy=strategy,
        outcome=outcome.value if outcome else None,
        session_id=session_id,
        limit=page.limit + 1,
        after=page.after,
        caller=caller,
    )
    return written(page_of(list(found), page.limit))


@router.get("/active", response_model=GhapEntry)
async def get_active(
    services: Services,
    caller: CallerDependency,
    session_id: Narrow = None,
    scope: Annotated[str | None, Query(max_length=300)] = None,
) -> Response:
    """The experience that is open for a session; 404 where none is."""
    found = await services.rooms.values.experiences.active(session_id, scope=scope, caller=caller)
    if found is None:
        raise NotFoundError("no experience is open for this session", field="session_id")
    return _answer(found)


@router.post("/search", response_model=FoundExperiences)
async def search(body: SearchExperiences, services: Services, caller: CallerDependency) -> Response:
    """Resolved experiences near a query on one axis."""
    return written(await services.rooms.values.experiences.search(body, caller=caller))


@router.get("/{experience_id}", response_model=GhapEntry)
async def get_experience(experience_id: ExperienceId, services: Services, caller: CallerDependency) -> Response:
    """One experience; its version is the ETag."""
    return _answer(await services.rooms.values.experiences.get(experience_id, caller=caller))


@router.patch("/{experience_id}", response_model=GhapEntry)
async def update(
    *,
    experience_id: ExperienceId,
    body: UpdateGhap,
    services: Services,
    caller: CallerDependency,
    once: Idempotent,
    if_match: IfMatch = None,
) -> Response:
    """Change what is believed, done or expected; the history keeps each change."""

    async def work() -> GhapEntry:
        return await services.rooms.values.experiences.update(experience_id, body, versions=if_match, caller=caller)

    return await once.answer(work, status=HTTPStatus.OK, headers=_tagged)


@router.post("/{experience_id}/resolve", response_model=GhapEntry)
async def resolve(
    *,
    experience_id: ExperienceId,
    body: ResolveGhap,
    services: Services,
    caller: CallerDependency,
    once: Idempotent,
    if_match: IfMatch = None,
) -> Response:
    """Record how it ended; a falsified one says what was unexpected and why."""

    async def work() -> GhapEntry:
        return await services.rooms.values.experiences.resolve(experience_id, body, versions=if_match, caller=caller)

    return await once.answer(work, status=HTTPStatus.OK, headers=_tagged)


def _answer(entry: GhapEntry) -> Response:
    return written(entry, headers={"ETag": etag(entry.version)})


def _tagged(body: Mapping[str, Any]) -> Mapping[str, str]:
    return {"ETag": etag(body["version"])}
