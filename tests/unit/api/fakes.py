"""Fakes of the parts behind the REST door: they implement the ports and remember what they were asked."""

from __future__ import annotations

from typing import Any

from clause.container import Check
from clause.errors import ClauseError
from clause.graph.scopes import Caller
from clause.reasoning.models import (
    AgentHandoff,
    ContextCurationRequest,
    ContextCurationResponse,
    CoordinationRequest,
    CoordinationResponse,
    EdgeScore,
    EdgeScoreRequest,
    EdgeScoreResponse,
    EdgeSignals,
    PathNavigationRequest,
    PathNavigationResponse,
    SubgraphRequest,
    SubgraphResponse,
)

SIGNALS = EdgeSignals(phi_ent=0.5, phi_rel=0.5, phi_nbr=0.0, phi_deg=1.0, phi_basin=0.0)


class FakeCoordinator:
    """Answers the same to everything; raises `error` where one is set."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.asked: list[Any] = []
        self.callers: list[Caller] = []
        self.result: dict[str, Any] = {"answers": [], "abstained": True}

    def _note(self, request: Any, caller: Caller) -> None:
        self.asked.append(request)
        self.callers.append(caller)
        if self.error is not None:
            raise self.error

    async def coordinate(self, request: CoordinationRequest, caller: Caller) -> CoordinationResponse:
        self._note(request, caller)
        agents = (("SubgraphArchitect", "edges", 3), ("PathNavigator", "steps", 2), ("ContextCurator", "tokens", 40))
        return CoordinationResponse(
            result=self.result,
            agent_handoffs=[
                AgentHandoff(step=step, agent=agent, action="acted", budget_used={resource: spent}, latency_ms=1.0)
                for step, (agent, resource, spent) in enumerate(agents, start=1)
            ],
            conflicts_detected=0,
            conflicts_resolved=0,
            performance={"total_latency_ms": 3.0, "architect_ms": 1.0},
            run_id="run_1",
        )

    async def subgraph(self, request: SubgraphRequest, caller: Caller) -> SubgraphResponse:
        self._note(request, caller)
        return SubgraphResponse(
            selected_edges=[],
            budget_used=0,
            budget_total=request.edge_budget,
            stopped_reason="NO_CANDIDATES",
            construction_time_ms=1.0,
        )

    async def navigate(self, request: PathNavigationRequest, caller: Caller) -> PathNavigationResponse:
        self._note(request, caller)
        return PathNavigationResponse(path={"nodes": []}, metadata={"budget_used": 0}, performance={"latency_ms": 1.0})

    async def curate(self, request: ContextCurationRequest, caller: Caller) -> ContextCurationResponse:
        self._note(request, caller)
        return ContextCurationResponse(
            selected_evidence=[], metadata={"tokens_used": 0}, performance={"latency_ms": 1.0}
        )

    async def score_edges(self, request: EdgeScoreRequest, caller: Caller) -> EdgeScoreResponse:
        self._note(request, caller)
        scores = [
            EdgeScore(**edge.model_dump(), signals=SIGNALS, score=0.5, shaped_gain=0.49) for edge in request.edges
        ]
        return EdgeScoreResponse(scores=scores, performance={"latency_ms": 1.0})


class FakeContainer:
    """What the application opens."""

    def __init__(self) -> None:
        self.opened = self.closed = False
        self.coordinator = FakeCoordinator()
        self.checks = {name: Check(ready=True, detail="fine") for name in ("neo4j", "migrations", "model", "policy")}

    async def readiness(self) -> dict[str, Check]:
        return self.checks

    def fail(self, error: ClauseError) -> None:
        """Let every question raise `error`."""
        self.coordinator.error = error
