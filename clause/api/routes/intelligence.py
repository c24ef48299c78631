"""/api/clause: basins, causal questions, curiosity and write conflicts."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Response

from clause.api.dependencies import CallerDependency, Services
from clause.api.preconditions import Idempotent, etag
from clause.api.strict_json import StrictRoute, written
from clause.intelligence.models import (
    AgentWrites,
    AgentWritesDone,
    Basin,
    CausalQuestion,
    CausalType,
    Conflicts,
    CounterfactualResponse,
    CuriosityAnswer,
    CuriosityClosed,
    CuriosityPlan,
    CuriosityPlanRequest,
    InterventionRequest,
    InterventionResponse,
    RootCauseRequest,
    RootCauses,
    Strengthened,
    StrengthenRequest,
    ThoughtSeed,
    TriggerList,
)

router = APIRouter(prefix="/api/clause", tags=["intelligence"], route_class=StrictRoute)
SeedId = Annotated[str, Path(max_length=200, description="`thoughtseed_id` of a path's step")]
Limit = Annotated[int, Query(ge=1, le=200, description="at most so many")]
BasinId = Annotated[str, Path(max_length=200, description="the basin's id, or its entity's")]


@router.post("/basins/strengthen", response_model=Strengthened)
async def strengthen(
    body: StrengthenRequest, services: Services, caller: CallerDependency, once: Idempotent
) -> Response:
    """Strengthen the basins of the concepts that a document names; the same document counts once."""
    basins = services.rooms.intelligence.basins
    return await once.answer(lambda: basins.strengthen(body, caller=caller), status=HTTPStatus.OK)


@router.get("/basins/{basin_id}", response_model=Basin)
async def get_basin(basin_id: BasinId, services: Services, caller: CallerDependency) -> Response:
    """A basin with its strength, state, last activations and what it occurs together with."""
    basin = await services.rooms.intelligence.basins.get(basin_id, caller=caller)
    return written(basin, headers={"ETag": etag(basin.version)})


@router.post("/causal/intervene", response_model=InterventionResponse)
async def intervene(body: InterventionRequest, services: Services, caller: CallerDependency) -> Response:
    """P(target | do(intervention)): exact where few causal relationships bear on it, sampled with its error beyond."""
    return written(await services.rooms.intelligence.causal.intervene(body, caller=caller))


@router.post("/causal/counterfactual", response_model=CounterfactualResponse)
async def counterfactual(body: CausalQuestion, services: Services, caller: CallerDependency) -> Response:
    """The effect of a node on another: the difference of two propagations, with it and without it."""
    return written(await services.rooms.intelligence.causal.counterfactual(body, caller=caller))


@router.post("/causal/root-causes", response_model=RootCauses)
async def root_causes(body: RootCauseRequest, services: Services, caller: CallerDependency) -> Response:
    """The causes of a node whose strongest path's product is above 0.5 (or another threshold), roots first."""
    return written(await services.rooms.intelligence.causal.root_causes(body, caller=caller))


@router.put("/causal/types", response_model=CausalType)
async def map_type(body: CausalType, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """Say that a relationship type means a cause, how, and from which end; or that it means none."""
    causal = services.rooms.intelligence.causal
    return await once.answer(lambda: causal.map_type(body, caller=caller), status=HTTPStatus.OK)


@router.get("/thoughtseeds/{seed_id}", response_model=ThoughtSeed)
async def get_thoughtseed(seed_id: SeedId, services: Services, caller: CallerDependency) -> Response:
    """A ThoughtSeed that a path's step names, its concept's basin of then, and the documents that it is linked to."""
    return written(await services.rooms.intelligence.thoughtseeds.get(seed_id, caller=caller))


@router.get("/curiosity/triggers", response_model=TriggerList)
async def list_triggers(
    services: Services,
    caller: CallerDependency,
    status: Literal["queued", "investigating", "completed"] | None = None,
    limit: Limit = 50,
) -> Response:
    """Hops that came out otherwise than expected, newest first, and how far their investigation is."""
    found = await services.rooms.intelligence.investigator.triggers(caller=caller, status=status, limit=limit)
    return written(TriggerList(items=found))


@router.post("/curiosity/plan", response_model=CuriosityPlan)
async def plan_curiosity(body: CuriosityPlanRequest, services: Services, caller: CallerDependency) -> Response:
    """Plan what to find out next with so many questions, ranked by what an answer is expected to gain."""
    return written(await services.rooms.intelligence.planner.plan(body, caller=caller))


@router.post("/curiosity/answers", response_model=CuriosityClosed)
async def close_curiosity(
    body: CuriosityAnswer, services: Services, caller: CallerDependency, once: Idempotent
) -> Response:
    """Close a planned question with what was found out: it is held as a belief, or settles a tension."""
    planner = services.rooms.intelligence.planner
    return await once.answer(lambda: planner.close(body, caller=caller), status=HTTPStatus.OK)


@router.post("/writes", response_model=AgentWritesDone)
async def write(body: AgentWrites, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """An agent's absolute writes, all or none; each says which version it read, and what moved is merged or refused."""
    conflicts = services.rooms.intelligence.conflicts
    return await once.answer(lambda: conflicts.write(body, caller=caller), status=HTTPStatus.OK)


@router.get("/conflicts", response_model=Conflicts)
async def list_conflicts(services: Services, caller: CallerDependency, limit: Limit = 50) -> Response:
    """Write conflicts, newest first, and their share of the last minute's writes."""
    return written(await services.rooms.intelligence.conflicts.list(caller=caller, limit=limit))
