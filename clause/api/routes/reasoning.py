"""/api/clause: the three agents, alone and together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import APIRouter, Request, Response

from clause.api.dependencies import CallerDependency, Services
from clause.api.strict_json import StrictRoute, written
from clause.errors import AmbiguousNameError, NotFoundError
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
