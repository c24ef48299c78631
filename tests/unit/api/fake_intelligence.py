"""The room behind the intelligence routes: answers the same to everything, and remembers what it was asked."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from clause.errors import NotFoundError
from clause.intelligence.models import (
    AgentWrites,
    AgentWritesDone,
    Basin,
    BasinContext,
    CausalBasis,
    CausalIntervention,
    CausalType,
    Conflicts,
    CounterfactualResponse,
    CuriosityAnswer,
    CuriosityClosed,
    CuriosityPlan,
    CuriosityPlanRequest,
    InterventionResponse,
    RootCauses,
    Strengthened,
    StrengthenRequest,
    ThoughtSeed,
    TriggerState,
)

AT = datetime(2026, 1, 1, tzinfo=UTC)
RAIN = Basin(
    id="bas_1", concept="rain", entity_id="ent_1", scope="public", kind="concept", strength=1.2, activation_count=2,
    state="ACTIVE", stability=0.8, depth=1.5, neighbour_count=0, recorded_at=AT, version=2,
)  # fmt: skip


class FakeBasins:
    """One basin."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    async def strengthen(self, request: StrengthenRequest, *, caller: Any) -> Strengthened:
        self.asked.append((request, caller))
        return Strengthened(document_id=request.document_id, basins=[RAIN])

    async def get(self, basin: str, *, caller: Any) -> Basin:
        if basin != RAIN.id:
            raise NotFoundError(f"no basin has the id {basin!r}", field="basin_id")
        return RAIN


class FakePlanner:
    """Nothing is open, and every answer closes it."""

    async def plan(self, given: CuriosityPlanRequest, *, caller: Any) -> CuriosityPlan:
        return CuriosityPlan(budget=given.budget, questions=(), expected_gain=0.0, left_out=0, left_out_gain=0.0)

    async def close(self, given: CuriosityAnswer, *, caller: Any) -> CuriosityClosed:
        return CuriosityClosed(id=given.id, kind="question", did="created")


BASIS = CausalBasis(method="exact", edges=1)


class FakeCausal:
    """Everything is caused by half."""

    async def intervene(self, request: Any, *, caller: Any) -> InterventionResponse:
        found = CausalIntervention(
            intervention_node="a", target_node="b", intervention_score=0.5, computation_time_ms=1.0
        )
        return InterventionResponse(intervention=found, basis=BASIS)

    async def counterfactual(self, request: Any, *, caller: Any) -> CounterfactualResponse:
        return CounterfactualResponse(with_node=0.5, without_node=0.0, difference=0.5, basis=BASIS)

    async def root_causes(self, request: Any, *, caller: Any) -> RootCauses:
        return RootCauses(node="b", causes=[])

    async def map_type(self, request: CausalType, *, caller: Any) -> CausalType:
        return request


class FakeInvestigator:
    """One trigger."""

    async def triggers(self, *, caller: Any, status: str | None, limit: int) -> list[TriggerState]:
        return [
            TriggerState(
                id="cur_1", scope="public", trigger_type="prediction_error", concept="rain", error_magnitude=0.9,
                timestamp=AT, priority="high",
            )
        ]  # fmt: skip


class FakeConflicts:
    """No write meets another."""

    async def write(self, request: AgentWrites, *, caller: Any) -> AgentWritesDone:
        return AgentWritesDone(versions=[1] * len(request.writes), conflicts_detected=0, conflicts_resolved=0)

    async def list(self, *, caller: Any, limit: int) -> Conflicts:
        return Conflicts(items=[], rate=0.0)


class FakeThoughtSeeds:
    """One seed."""

    async def get(self, seed: str, *, caller: Any) -> ThoughtSeed:
        basin = BasinContext(strength=1.0, activation_count=0, co_occurring={})
        return ThoughtSeed(id=seed, concept="rain", source_doc="query:1", basin_context=basin, created_at=AT)


class FakeIntelligence:
    """The room."""

    def __init__(self) -> None:
        self.basins = FakeBasins()
        self.causal = FakeCausal()
        self.thoughtseeds = FakeThoughtSeeds()
        self.investigator = FakeInvestigator()
        self.planner = FakePlanner()
        self.conflicts = FakeConflicts()
