"""/api/clause/runs: recorded runs, step by step, and their replay."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel, ConfigDict, Field

from clause.api.dependencies import CallerDependency, Services
from clause.api.pagination import Page, PageDependency, page_of
from clause.api.strict_json import StrictRoute, written
from clause.reasoning.models import CoordinationRequest, CoordinationResponse
from clause.reasoning.runs import Difference, RunRecord, RunSummary, differences, digest_of

router = APIRouter(prefix="/api/clause/runs", tags=["runs"], route_class=StrictRoute)
RunId = Annotated[str, Path(max_length=64, description="`run_id` of an answer")]


class Replay(BaseModel):
    """A recorded run, run again: what differs (nothing, while graph and policy are the same), and the new answer."""

    model_config = ConfigDict(frozen=True)

    run_id: str = Field(description="the run that was replayed")
    same: bool = Field(description="nothing differs")
    differences: tuple[Difference, ...] = Field(description="each place where the new answer differs from the record")
    response: CoordinationResponse = Field(description="the new answer; it is not recorded")


@router.get("", response_model=Page[RunSummary])
async def list_runs(services: Services, caller: CallerDependency, page: PageDependency) -> Response:
    """Recorded runs, newest first."""
    found = await services.runs.list(caller, limit=page.limit + 1, after=page.after)
    return written(page_of(list(found), page.limit))


@router.get("/{run_id}", response_model=RunRecord)
async def get_run(run_id: RunId, services: Services, caller: CallerDependency) -> Response:
    """A recorded run with its request, budgets, seeds and every step."""
    return written(await services.runs.get(run_id, caller))


@router.post("/{run_id}/replay", response_model=Replay)
async def replay(run_id: RunId, services: Services, caller: CallerDependency) -> Response:
    """Run it again with the same request and policy, record nothing, and say what differs."""
    run = await services.runs.get(run_id, caller)
    again = {**run.request, "policy": run.policy, "scopes": list(run.scopes), "record": False}
    request = CoordinationRequest.model_validate(again)
    response = await services.coordinator.coordinate(request, caller, budgets=run.budgets, repeat=run.fallbacks)
    found = tuple(differences(run.digest, digest_of(response)))
    return written(Replay(run_id=run.id, same=not found, differences=found, response=response))
