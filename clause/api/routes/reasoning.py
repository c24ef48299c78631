"""/api/clause: the three agents, alone and together, and their recorded runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from clause.api.dependencies import CallerDependency, Page, PageDependency, Services, page_of
from clause.api.preconditions import Idempotent
from clause.api.strict_json import StrictRoute, written
from clause.errors import AmbiguousNameError, NotFoundError
from clause.reasoning.answer.calibration import CalibrationReport, FeedbackGiven, FeedbackTaken
from clause.reasoning.answer.replay import Replay, ReplayClocks, replayed
from clause.reasoning.answer.runs import RunRecord, RunSummary
from clause.reasoning.models import (
    ContextCurationRequest,
    ContextCurationResponse,
    CoordinationRequest,
    CoordinationResponse,
    EdgeScoreRequest,
    EdgeScoreResponse,
    PathNavigationRequest,
    PathNavigationResponse,
    SubgraphRequest,
    SubgraphResponse,
)
from clause.telemetry import Metrics

router = APIRouter(prefix="/api/clause", tags=["reasoning"], route_class=StrictRoute)


@router.post("/subgraph", response_model=SubgraphResponse)
async def subgraph(body: SubgraphRequest, services: Services, caller: CallerDependency) -> Response:
    """SubgraphArchitect alone: a small subgraph around what the question names."""
    return written(await services.agents.subgraph(body, caller))


@router.post("/navigate", response_model=PathNavigationResponse)
async def navigate(
    body: PathNavigationRequest, services: Services, caller: CallerDependency, request: Request
) -> Response:
    """PathNavigator alone: a walk from a start node."""
    with _called("start_node"):
        response = await services.agents.navigate(body, caller)
    _metrics(request).observe_stages(response.performance)
    return written(response)


@router.post("/curate", response_model=ContextCurationResponse)
async def curate(
    body: ContextCurationRequest, services: Services, caller: CallerDependency, request: Request
) -> Response:
    """ContextCurator alone: picks from the given texts, within the token budget."""
    response = await services.agents.curate(body, caller)
    _metrics(request).observe_stages(response.performance)
    return written(response)


@router.post("/coordinate", response_model=CoordinationResponse)
async def coordinate(
    body: CoordinationRequest, services: Services, caller: CallerDependency, request: Request
) -> Response:
    """All three agents answer a question: subgraph, path, evidence, answers, and the receipt of what was spent."""
    response = await services.coordinator.coordinate(body, caller)
    metrics = _metrics(request)
    metrics.observe_stages(response.performance)
    for handoff in response.agent_handoffs:
        metrics.count_spend(handoff.budget_used)
    return written(response)


@router.post("/edges/score", response_model=EdgeScoreResponse)
async def score_edges(body: EdgeScoreRequest, services: Services, caller: CallerDependency) -> Response:
    """The five signals and the score of given edges for a question."""
    with _called("edges"):
        return written(await services.agents.score_edges(body, caller))


@contextmanager
def _called(field: str) -> Iterator[None]:
    """A start node that is unknown or ambiguous is told as the `field` that this request names it in."""
    try:
        yield
    except (NotFoundError, AmbiguousNameError) as error:
        if error.field == "start_nodes":
            error.field = field
        raise


def _metrics(request: Request) -> Metrics:
    metrics: Metrics = request.app.state.metrics
    return metrics


runs_router = APIRouter(prefix="/api/clause/runs", tags=["runs"], route_class=StrictRoute)
Scopes = Annotated[
    list[str] | None, Query(alias="scope", max_length=100, description="whose; all readable if not said")
]
_AS_IT_WAS = ReplayClocks()
RunId = Annotated[str, Path(max_length=64, description="`run_id` of an answer")]


@runs_router.get("", response_model=Page[RunSummary])
async def list_runs(services: Services, caller: CallerDependency, page: PageDependency) -> Response:
    """Recorded runs, newest first."""
    found = await services.runs.list(caller, limit=page.limit + 1, after=page.after)
    return written(page_of(list(found), page.limit))


@runs_router.get("/{run_id}", response_model=RunRecord)
async def get_run(run_id: RunId, services: Services, caller: CallerDependency) -> Response:
    """A recorded run with its request, budgets, seeds and every step."""
    return written(await services.runs.get(run_id, caller))


@runs_router.post("/{run_id}/feedback", response_model=FeedbackTaken)
async def give_feedback(
    run_id: RunId, body: FeedbackGiven, services: Services, caller: CallerDependency, once: Idempotent
) -> Response:
    """Say that an answer was right or wrong: moves scores in the run's scope, and track records of its sources."""
    return await once.answer(lambda: services.calibrations.give(run_id, body, caller=caller), status=HTTPStatus.OK)


@router.get("/calibration", response_model=CalibrationReport)
async def calibration(services: Services, caller: CallerDependency, scopes: Scopes = None) -> Response:
    """Report the reliability of scores in some scopes: the diagram as shipped, and with what feedback taught."""
    return written(await services.calibrations.report(scopes, caller=caller))


@runs_router.post("/{run_id}/replay", response_model=Replay)
async def replay(
    run_id: RunId, services: Services, caller: CallerDependency, body: ReplayClocks = _AS_IT_WAS
) -> Response:
    """Run it again with the same request and policy, as of its own clocks or of others; record nothing, and say what
    differs and why: which statement came, went, or lost confidence."""
    return written(await replayed(services.coordinator, services.runs, run_id, caller, body))
