"""/api/beliefs and /api/tensions: what an agent holds to be true, and what contradicts it."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Path, Query, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError

from clause.api.dependencies import CallerDependency, Page, PageDependency, Services, page_of
from clause.api.preconditions import Idempotent, IfMatch, etag
from clause.api.strict_json import StrictRoute, written
from clause.knowledge.beliefs.confidence import Severity
from clause.knowledge.beliefs.models import (
    Belief,
    BeliefCreate,
    BeliefCreated,
    BeliefDetail,
    BeliefSupersede,
    Corroboration,
    Corroborations,
    Status,
)
from clause.knowledge.beliefs.query_models import (
    BeliefFilter,
    BeliefHits,
    BeliefQuery,
    BeliefSearch,
    ConfidenceExplanation,
)
from clause.knowledge.tension_detection import Standing, Tension, TensionFilter, TensionResolve
from clause.text.fields import Instant

router = APIRouter(prefix="/api/beliefs", tags=["beliefs"], route_class=StrictRoute)
BeliefId = Annotated[str, Path(max_length=200, description="the belief's ULID")]
Narrow = Annotated[str | None, Query(max_length=300)]
Scopes = Annotated[list[str] | None, Query(max_length=20, description="whose; all that may be read if not said")]
Asked = TypeVar("Asked", bound=BaseModel)


@router.post("", status_code=HTTPStatus.CREATED, response_model=BeliefCreated)
async def create(body: BeliefCreate, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """Hold a statement as a belief; one that is held already, in these or other words, is corroborated instead.

    `outcome` says which; contradictions with beliefs that are held come back as `tensions`.
    """
    return await once.answer(
        lambda: services.rooms.knowledge.beliefs.create(body, caller=caller),
        status=HTTPStatus.CREATED,
        headers=_created,
    )


@router.get("", response_model=Page[Belief])
async def list_beliefs(
    *,
    services: Services,
    caller: CallerDependency,
    page: PageDependency,
    status: Status | None = None,
    scope: Scopes = None,
    entity_id: Narrow = None,
    session_id: Narrow = None,
) -> Response:
    """Beliefs, newest first; held ones unless a status is named."""
    wanted = _asked(
        BeliefFilter,
        status=status,
        scopes=scope,
        entity_id=entity_id,
        session_id=session_id,
        limit=page.limit + 1,
        after=page.after,
    )
    return written(page_of(await services.rooms.knowledge.beliefs.list(wanted, caller=caller), page.limit))


@router.post("/query", response_model=BeliefHits)
async def query(body: BeliefQuery, services: Services, caller: CallerDependency) -> Response:
    """The beliefs that answer a question, by meaning and words, in both times; when there are none, why."""
    return written(await services.rooms.knowledge.beliefs.query(body, caller=caller))


@router.post("/search", response_model=BeliefHits)
async def search(body: BeliefSearch, services: Services, caller: CallerDependency) -> Response:
    """The nearest beliefs by meaning alone; when there are none, why."""
    return written(await services.rooms.knowledge.beliefs.search(body, caller=caller))


@router.get("/{belief_id}", response_model=BeliefDetail)
async def get_belief(
    belief_id: BeliefId,
    services: Services,
    caller: CallerDependency,
    as_of_recorded: Annotated[Instant | None, Query(description="as it was known at this instant")] = None,
) -> Response:
    """A belief with its history both ways and its tensions; its version is the ETag."""
    belief = await services.rooms.knowledge.beliefs.get(belief_id, caller=caller, as_of_recorded=as_of_recorded)
    return written(belief, headers={} if as_of_recorded else {"ETag": etag(belief.version)})


@router.post("/{belief_id}/supersede", status_code=HTTPStatus.CREATED, response_model=Belief)
async def supersede(
    *,
    belief_id: BeliefId,
    body: BeliefSupersede,
    services: Services,
    caller: CallerDependency,
    once: Idempotent,
    accepted: IfMatch,
) -> Response:
    """Put a new belief in the place of one that is held; what is not given it inherits. A second time is a conflict."""
    return await once.answer(
        lambda: services.rooms.knowledge.beliefs.supersede(belief_id, body, caller=caller, versions=accepted),
        status=HTTPStatus.CREATED,
        headers=_located,
    )


@router.post("/{belief_id}/corroborations", status_code=HTTPStatus.CREATED, response_model=BeliefCreated)
async def corroborate(
    *, belief_id: BeliefId, body: Corroboration, services: Services, caller: CallerDependency, once: Idempotent
) -> Response:
    """Count one more statement of a belief; copies of one origin and recalled texts corroborate nothing."""
    return await once.answer(
        lambda: services.rooms.knowledge.beliefs.corroborate(belief_id, body, caller=caller),
        status=HTTPStatus.CREATED,
        headers=_created,
    )


@router.put("/{belief_id}/confirmation", response_model=Belief)
async def confirm(belief_id: BeliefId, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """A person says that it is right, which makes it verified while it is not disputed; an agent's key may not."""
    return await once.answer(
        lambda: services.rooms.knowledge.beliefs.confirm(belief_id, caller=caller), status=HTTPStatus.OK
    )


@router.delete("/{belief_id}/confirmation", response_model=Belief)
async def unconfirm(belief_id: BeliefId, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """A person no longer says that it is right."""
    return await once.answer(
        lambda: services.rooms.knowledge.beliefs.confirm(belief_id, caller=caller, confirmed=False),
        status=HTTPStatus.OK,
    )


@router.get("/{belief_id}/corroborations", response_model=Corroborations)
async def corroborations(belief_id: BeliefId, services: Services, caller: CallerDependency) -> Response:
    """The sources of a belief besides its first one, and what each counts for."""
    return written(await services.rooms.knowledge.beliefs.corroboration(belief_id, caller=caller))


@router.get("/{belief_id}/confidence", response_model=ConfidenceExplanation)
async def confidence(belief_id: BeliefId, services: Services, caller: CallerDependency) -> Response:
    """The confidence of a belief explained, dimension by dimension, and what would raise it."""
    return written(await services.rooms.knowledge.beliefs.explain(belief_id, caller=caller))


def _created(body: Mapping[str, Any]) -> Mapping[str, str]:
    return _located(body["belief"]) if body["belief"] else {}


def _located(body: Mapping[str, Any]) -> Mapping[str, str]:
    return {"Location": f"{router.prefix}/{body['id']}", "ETag": etag(body["version"])}


tensions_router = APIRouter(prefix="/api/tensions", tags=["tensions"], route_class=StrictRoute)
TensionId = Annotated[str, Path(max_length=200, description="the tension's ULID")]


@tensions_router.get("", response_model=Page[Tension])
async def list_tensions(
    *,
    services: Services,
    caller: CallerDependency,
    page: PageDependency,
    status: Standing | None = None,
    severity: Severity | None = None,
    scope: Scopes = None,
    entity_id: Narrow = None,
    belief_id: Narrow = None,
) -> Response:
    """Tensions, newest first; open ones between beliefs that are held, unless a status is named."""
    wanted = _asked(
        TensionFilter,
        status=status,
        severity=severity,
        entity_id=entity_id,
        belief_id=belief_id,
        scopes=scope,
        limit=page.limit + 1,
        after=page.after,
    )
    return written(page_of(await services.rooms.knowledge.tensions.list(wanted, caller=caller), page.limit))


@tensions_router.get("/{tension_id}", response_model=Tension)
async def get_tension(tension_id: TensionId, services: Services, caller: CallerDependency) -> Response:
    """A tension with both beliefs; its version is the ETag."""
    tension = await services.rooms.knowledge.tensions.get(tension_id, caller=caller)
    return written(tension, headers={"ETag": etag(tension.version)})


@tensions_router.post("/{tension_id}/resolve", response_model=Tension)
async def resolve(
    *,
    tension_id: TensionId,
    body: TensionResolve,
    services: Services,
    caller: CallerDependency,
    once: Idempotent,
    accepted: IfMatch,
) -> Response:
    """Settle a tension: one belief takes the place of the other, both stay, or both are put away."""
    return await once.answer(
        lambda: services.rooms.knowledge.tensions.resolve(tension_id, body, caller=caller, versions=accepted),
        status=HTTPStatus.OK,
        headers=lambda found: {"ETag": etag(found["version"])},
    )


@tensions_router.post("/{tension_id}/reopen", response_model=Tension)
async def reopen(
    *, tension_id: TensionId, services: Services, caller: CallerDependency, once: Idempotent, accepted: IfMatch
) -> Response:
    """Take back how a tension was settled: what it ended is held again."""
    return await once.answer(
        lambda: services.rooms.knowledge.tensions.reopen(tension_id, caller=caller, versions=accepted),
        status=HTTPStatus.OK,
        headers=lambda found: {"ETag": etag(found["version"])},
    )


def _asked(kind: type[Asked], **given: Any) -> Asked:
    """A room's own request, made of parameters of the path and the query.

    Raises:
        RequestValidationError: they do not fit its bounds, which is the caller's fault and no 500.
    """
    try:
        return kind(**given)
    except ValidationError as error:
        places = [{**found, "loc": ("query", *found["loc"])} for found in error.errors(include_url=False)]
        raise RequestValidationError(places) from error
