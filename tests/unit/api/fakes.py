"""Fakes of the parts behind the REST door: they implement the ports and remember what they were asked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from clause.app import Check
from clause.errors import ClauseError, ConflictError, NotFoundError
from clause.graph.idempotency import RequestKey, StoredResponse
from clause.graph.lease import Job, JobPage, JobState
from clause.graph.scopes import Caller
from clause.operations.keys import refusal
from clause.reasoning.answer.calibration import FeedbackGiven, FeedbackTaken
from clause.reasoning.answer.runs import RunRecord, RunSummary
from clause.reasoning.episode.budget import Budgets, Prices
from clause.reasoning.models import (
    AgentHandoff,
    BudgetAllocation,
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
from clause.settings import Settings
from tests.unit.api.fake_intelligence import FakeIntelligence

SIGNALS = EdgeSignals(phi_ent=0.5, phi_rel=0.5, phi_nbr=0.0, phi_deg=1.0, phi_basin=0.0)


class FakeCoordinator:
    """Answers the same to everything; raises `error` where one is set."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.asked: list[Any] = []
        self.callers: list[Caller] = []
        self.result: Any = {"answers": [], "abstained": True}

    def _note(self, request: Any, caller: Caller) -> None:
        self.asked.append(request)
        self.callers.append(caller)
        if self.error is not None:
            raise self.error

    async def coordinate(
        self,
        request: CoordinationRequest,
        caller: Caller,
        *,
        budgets: Budgets | None = None,
        repeat: Sequence[str] | None = None,
    ) -> CoordinationResponse:
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
        return PathNavigationResponse(
            path={"nodes": []}, metadata={"budget_used": 0, "budget_total": 1}, performance={"latency_ms": 1.0}
        )

    async def curate(self, request: ContextCurationRequest, caller: Caller) -> ContextCurationResponse:
        self._note(request, caller)
        spent = {"tokens_used": 0, "tokens_total": request.token_budget, "learned_stop_triggered": False}
        return ContextCurationResponse(selected_evidence=[], metadata=spent, performance={"latency_ms": 1.0})

    async def score_edges(self, request: EdgeScoreRequest, caller: Caller) -> EdgeScoreResponse:
        self._note(request, caller)
        scores = [
            EdgeScore(**edge.model_dump(), signals=SIGNALS, score=0.5, shaped_gain=0.49) for edge in request.edges
        ]
        return EdgeScoreResponse(scores=scores, performance={"latency_ms": 1.0})


def _covered(scopes: Sequence[str] | None, scope: str) -> bool:
    return Caller(readable=None if scopes is None else tuple(scopes)).may_read(scope)


class FakeJobs:
    """Jobs in a dict; a watched job succeeds at the second look."""

    def __init__(self) -> None:
        self.jobs: dict[str, Job] = {}

    async def submit(self, kind: str, parameters: Mapping[str, Any], scope: str, *, resource: str | None = None) -> Job:
        job_id = f"job{len(self.jobs):03}"
        self.jobs[job_id] = Job(
            id=job_id, kind=kind, scope=scope, resource=resource or job_id, state=JobState.QUEUED,
            parameters=dict(parameters),
            done=0, total=0, message="", cursor={}, created_at=datetime(2026, 1, 1, tzinfo=UTC),
        )  # fmt: skip
        return self.jobs[job_id]

    async def get(self, job_id: str, *, scopes: Sequence[str] | None = None) -> Job:
        job = self.jobs.get(job_id)
        if job is None or not _covered(scopes, job.scope):
            raise NotFoundError(f"no job has the id {job_id!r}", field="job_id")
        return job

    async def list(
        self,
        *,
        scopes: Sequence[str] | None = None,
        kind: str | None = None,
        state: JobState | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> JobPage:
        found = [
            job
            for job in sorted(self.jobs.values(), key=lambda job: job.id, reverse=True)
            if _covered(scopes, job.scope)
            and (kind is None or job.kind == kind)
            and (state is None or job.state == state)
            and (cursor is None or job.id < cursor)
        ]
        return JobPage(items=tuple(found[:limit]), next_cursor=found[limit - 1].id if len(found) > limit else None)

    async def cancel(self, job_id: str, *, scopes: Sequence[str] | None = None) -> Job:
        job = await self.get(job_id, scopes=scopes)
        self.jobs[job_id] = job.model_copy(update={"state": JobState.CANCELLED, "version": job.version + 1})
        return self.jobs[job_id]

    async def watch(self, job_id: str, *, scopes: Sequence[str] | None = None) -> AsyncIterator[Job]:
        job = await self.get(job_id, scopes=scopes)
        yield job
        if job.kind == "vanishing":
            raise NotFoundError("gone")
        yield job.model_copy(update={"state": JobState.SUCCEEDED, "version": 2})


class FakeKeys:
    """Idempotency keys in a dict."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], tuple[str, StoredResponse]] = {}

    async def once(
        self, key: RequestKey, work: Callable[[], Awaitable[StoredResponse]], *, whole: bool = True
    ) -> StoredResponse:
        if (key.scope, key.key) in self.kept:
            known, stored = self.kept[key.scope, key.key]
            if known != key.request:
                raise ConflictError("this Idempotency-Key came with another request", field="Idempotency-Key")
            return replace(stored, replayed=True)
        done = await work()
        self.kept[key.scope, key.key] = (key.request, done)
        return done


class FakeRuns:
    """Recorded runs in a dict; they are Ann's."""

    def __init__(self) -> None:
        self.runs: dict[str, RunRecord] = {}

    def add(self, run_id: str, digest: dict[str, Any]) -> None:
        request = CoordinationRequest(query="who directed it", budgets=BudgetAllocation())
        self.runs[run_id] = RunRecord(
            id=run_id, scope="user:ann", scopes=("user:ann",), query=request.query, digest=digest, policy="heuristic",
            request=request.model_dump(mode="json"), budgets=Budgets(), prices=Prices(),
            recorded_at=datetime(2026, 1, 1, tzinfo=UTC),
        )  # fmt: skip

    async def get(self, run_id: str, caller: Caller) -> RunRecord:
        if run_id not in self.runs or not caller.may_read(self.runs[run_id].scope):
            raise NotFoundError(f"no run {run_id!r}", field="run_id")
        return self.runs[run_id]

    def now(self) -> datetime:
        return datetime(2026, 1, 2, tzinfo=UTC)

    async def statements(self, *_asked: object) -> Sequence[Mapping[str, Any]]:
        return []

    async def list(self, caller: Caller, *, limit: int = 20, after: str | None = None) -> Sequence[RunSummary]:
        found = [
            RunSummary(**run.model_dump(include=set(RunSummary.model_fields)))
            for key, run in sorted(self.runs.items(), reverse=True)
            if caller.may_read(run.scope) and (after is None or key < after)
        ]
        return found[:limit]


class FakeCalibrations:
    """Takes every verdict; nothing is learnt of it."""

    async def give(self, run_id: str, given: FeedbackGiven, *, caller: Caller) -> FeedbackTaken:
        return FeedbackTaken(id=f"fb_{run_id}", scope="user:ann", answer=given.verdict, score=0.5, sources=0)


class FakeApiKeys:
    """One key in force, `RIGHT`, which may read what is Ann's."""

    RIGHT = "clause_right"

    async def caller(self, token: str) -> Caller:
        if token != self.RIGHT:
            raise refusal()
        return Caller(readable=("user:ann",), writable=(), key_id="1")


class FakeContainer:
    """What the application opens."""

    def __init__(self) -> None:
        self.opened = self.closed = False
        self.settings = Settings()
        self.jobs = FakeJobs()
        self.keys = FakeKeys()
        self.api_keys = FakeApiKeys()
        self.runs = FakeRuns()
        self.calibrations = FakeCalibrations()
        self.job_kinds: dict[str, Any] = {"load_sample": None, "vanishing": None}
        self.coordinator = self.agents = FakeCoordinator()
        self.rooms = SimpleNamespace(intelligence=FakeIntelligence())
        self.checks = {name: Check(ready=True, detail="fine") for name in ("neo4j", "migrations", "model", "policy")}

    async def readiness(self) -> dict[str, Check]:
        return self.checks

    @staticmethod
    def runs_request() -> CoordinationRequest:
        """A request like those that `FakeRuns` has recorded."""
        return CoordinationRequest(query="who directed it", budgets=BudgetAllocation())

    def fail(self, error: ClauseError) -> None:
        """Let every question raise `error`."""
        self.coordinator.error = error
