"""/health and /metrics: is it alive, is it ready, what has it done."""

from __future__ import annotations

from http import HTTPStatus
from typing import Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from clause import __version__
from clause.api.dependencies import CallerDependency, Services
from clause.api.problems import RETRY_AFTER_S
from clause.api.strict_json import StrictRoute
from clause.app import Check
from clause.errors import ForbiddenError
from clause.telemetry import Metrics

router = APIRouter(tags=["health"], route_class=StrictRoute)


class Alive(BaseModel):
    """The process answers."""

    model_config = ConfigDict(frozen=True)

    status: Literal["alive"] = "alive"
    version: str = __version__


class Ready(BaseModel):
    """Readiness for questions, and each part that this needs."""

    model_config = ConfigDict(frozen=True)

    ready: bool = Field(description="all parts are ready")
    checks: dict[str, Check] = Field(description="neo4j, migrations, model, policy")


@router.get("/health/live")
async def live() -> Alive:
    """The process answers."""
    return Alive()


@router.get("/health/ready", responses={503: {"model": Ready, "description": "A part is not ready."}})
async def ready(services: Services, response: Response) -> Ready:
    """Readiness of Neo4j, migrations, the embedding model and the policy; 503 while one is not ready."""
    checks = await services.readiness()
    answer = Ready(ready=all(check.ready for check in checks.values()), checks=checks)
    if not answer.ready:
        response.status_code = HTTPStatus.SERVICE_UNAVAILABLE
        response.headers["Retry-After"] = str(RETRY_AFTER_S)
    return answer


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def metrics(request: Request, caller: CallerDependency) -> Response:
    """Counters and histograms in Prometheus' text format; for the owner, or a key that reads and writes everything."""
    if caller.readable is not None or caller.writable is not None:
        raise ForbiddenError(
            "the metrics tell of all scopes", remedy="ask with a key that reads and writes all of them"
        )
    registry: Metrics = request.app.state.metrics
    return Response(registry.render(), media_type=registry.content_type)
