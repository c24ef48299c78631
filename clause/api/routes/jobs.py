"""/api/jobs: long work that outlives the request (202, progress, server-sent events); /health and /metrics."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from sse_starlette import EventSourceResponse, ServerSentEvent

from clause import __version__
from clause.api.dependencies import CallerDependency, Page, PageDependency, Services, encode
from clause.api.preconditions import Idempotent, etag
from clause.api.problems import RETRY_AFTER_S
from clause.api.strict_json import StrictRoute, written
from clause.app import Check
from clause.errors import ClauseError, ForbiddenError
from clause.graph.lease import Job, JobState, admitted
from clause.telemetry import Metrics
from clause.text.fields import Frozen

router = APIRouter(prefix="/api/jobs", tags=["jobs"], route_class=StrictRoute)
_PING_S = 15
JobId = Annotated[str, Path(max_length=64, description="the job's ULID")]


class JobRequest(BaseModel):
    """A piece of work to start: its kind, its parameters, and where it writes (the default scope if not said)."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_extra={"example": {"kind": "load_sample", "parameters": {}}}
    )

    kind: str = Field(max_length=100, description="one of the kinds that this service runs")
    parameters: dict[str, Any] = Field(default_factory=dict, description="what the work is asked with")
    scope: str | None = Field(
        None, max_length=300, description="where it writes; if not said the kind's own scope, else the default one"
    )


@router.post("", status_code=HTTPStatus.ACCEPTED, response_model=Job)
async def start(body: JobRequest, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """Queue a job; 202 with its address in Location. With an `Idempotency-Key` a retry starts nothing twice.

    Jobs of one kind in one scope run one after the other.
    """
    default = services.settings.default_scope
    scope = admitted(services.job_kinds, body.kind, body.scope, caller, default=default)

    async def submit() -> Job:
        return await services.jobs.submit(body.kind, body.parameters, scope, resource=f"{body.kind}:{scope}")

    return await once.answer(submit, status=HTTPStatus.ACCEPTED, headers=_location)


@router.get("", response_model=Page[Job])
async def list_jobs(
    services: Services,
    caller: CallerDependency,
    page: PageDependency,
    state: JobState | None = None,
    kind: Annotated[str | None, Query(max_length=100, description="of this kind only")] = None,
) -> Response:
    """Jobs, newest first."""
    found = await services.jobs.list(
        scopes=caller.readable, kind=kind, state=state, cursor=page.after, limit=page.limit
    )
    return written(Page[Job](items=found.items, next_cursor=encode(found.next_cursor) if found.next_cursor else None))


@router.get("/{job_id}", response_model=Job)
async def get_job(job_id: JobId, services: Services, caller: CallerDependency) -> Response:
    """A job as it is now; its version is the ETag."""
    job = await services.jobs.get(job_id, scopes=caller.readable)
    return written(job, headers={"ETag": etag(job.version)})


@router.post("/{job_id}/cancel", response_model=Job)
async def cancel(job_id: JobId, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """End a waiting job at once; ask a running one to stop at its next progress."""
    job = await services.jobs.get(job_id, scopes=caller.readable)
    caller.require_write(job.scope)
    return await once.answer(lambda: services.jobs.cancel(job_id, scopes=caller.readable), status=HTTPStatus.OK)


@router.get(
    "/{job_id}/events",
    response_class=EventSourceResponse,
    responses={200: {"description": "Snapshots of the job as `job` events.", "content": {"text/event-stream": {}}}},
)
async def events(job_id: JobId, services: Services, caller: CallerDependency) -> Response:
    """Snapshots of a job as server-sent events: the present one, then each change, until it has ended."""
    scopes = caller.readable
    await services.jobs.get(job_id, scopes=scopes)

    async def snapshots() -> AsyncIterator[ServerSentEvent]:
        try:
            async for job in services.jobs.watch(job_id, scopes=scopes):
                yield ServerSentEvent(job.model_dump_json(), event="job", id=str(job.version))
        except ClauseError as error:
            yield ServerSentEvent(f'{{"code":"{error.code}"}}', event="error")

    return EventSourceResponse(snapshots(), ping=_PING_S)


def _location(body: Mapping[str, Any]) -> Mapping[str, str]:
    return {"Location": f"{router.prefix}/{body['id']}"}


health_router = APIRouter(tags=["health"], route_class=StrictRoute)


class Alive(Frozen):
    """The process answers."""

    status: Literal["alive"] = "alive"
    version: str = __version__


class Ready(Frozen):
    """Readiness for questions, and each part that this needs."""

    ready: bool = Field(description="all parts are ready")
    checks: dict[str, Check] = Field(description="neo4j, migrations, model, policy")


@health_router.get("/health/live")
async def live() -> Alive:
    """The process answers."""
    return Alive()


@health_router.get("/health/ready", responses={503: {"model": Ready, "description": "A part is not ready."}})
async def ready(services: Services, response: Response) -> Ready:
    """Readiness of Neo4j, migrations, the embedding model and the policy; 503 while one is not ready."""
    checks = await services.readiness()
    answer = Ready(ready=all(check.ready for check in checks.values()), checks=checks)
    if not answer.ready:
        response.status_code = HTTPStatus.SERVICE_UNAVAILABLE
        response.headers["Retry-After"] = str(RETRY_AFTER_S)
    return answer


@health_router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def metrics(request: Request, caller: CallerDependency) -> Response:
    """Counters and histograms in Prometheus' text format; for the owner, or a key that reads and writes everything."""
    if caller.readable is not None or caller.writable is not None:
        raise ForbiddenError(
            "the metrics tell of all scopes", remedy="ask with a key that reads and writes all of them"
        )
    registry: Metrics = request.app.state.metrics
    return Response(registry.render(), media_type=registry.content_type)
