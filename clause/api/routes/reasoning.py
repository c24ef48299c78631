"""/api/clause: the three agents, alone and together, and their recorded runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from pydantic import Field

from clause.api.dependencies import CallerDependency, Page, PageDependency, Services, page_of
from clause.api.strict_json import StrictRoute, written
from clause.errors import AmbiguousNameError, NotFoundError
from clause.reasoning.answer.runs import Difference, RunRecord, RunSummary, differences, digest_of
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
from clause.text.fields import Frozen

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
RunId = Annotated[str, Path(max_length=64, description="`run_id` of an answer")]


class Replay(Frozen):
    """A recorded run, run again: what differs (nothing, while graph and policy are the same), and the new answer."""

    run_id: str = Field(description="the run that was replayed")
    same: bool = Field(description="nothing differs")
    differences: tuple[Difference, ...] = Field(description="each place where the new answer differs from the record")
    response: CoordinationResponse = Field(description="the new answer; it is not recorded")


@runs_router.get("", response_model=Page[RunSummary])
async def list_runs(services: Services, caller: CallerDependency, page: PageDependency) -> Response:
    """Recorded runs, newest first."""
    found = await services.runs.list(caller, limit=page.limit + 1, after=page.after)
    return written(page_of(list(found), page.limit))


@runs_router.get("/{run_id}", response_model=RunRecord)
async def get_run(run_id: RunId, services: Services, caller: CallerDependency) -> Response:
    """A recorded run with its request, budgets, seeds and every step."""
    return written(await services.runs.get(run_id, caller))


@runs_router.post("/{run_id}/replay", response_model=Replay)
async def replay(run_id: RunId, services: Services, caller: CallerDependency) -> Response:
    """Run it again with the same request and policy, record nothing, and say what differs."""
    run = await services.runs.get(run_id, caller)
    again = {**run.request, "policy": run.policy, "scopes": list(run.scopes), "record": False}
    request = CoordinationRequest.model_validate(again)
    response = await services.coordinator.coordinate(request, caller, budgets=run.budgets, repeat=run.fallbacks)
    found = tuple(differences(run.digest, digest_of(response)))
    return written(Replay(run_id=run.id, same=not found, differences=found, response=response))
