"""Recorded runs: one write after the answer, and reading them back within a caller's scopes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import structlog
from ulid import ULID

from clause.errors import ClauseError, NotFoundError
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.reasoning.budget import Budgets, Prices
from clause.reasoning.evidence import EvidenceRecord, evidence_rows
from clause.reasoning.run_record import (
    Difference,
    RunRecord,
    RunSeed,
    RunSummary,
    differences,
    digest_of,
)
from clause.reasoning.steps import StepRecord

__all__ = ["Difference", "RunRecord", "RunRecorder", "RunSeed", "RunSummary", "differences", "digest_of"]

WRITERS = 4
"""Runs that are written at the same time."""
MOST_PENDING = 1_000
"""Runs that wait to be written; what comes on top is not recorded, so that memory stays bounded."""


class RunRecorder:
    """Writes runs in the background and reads them back.

    Args:
        graph: where runs live.
        ids: makes run ids.
        now: the clock of `recorded_at`.
    """

    def __init__(
        self,
        graph: Graph,
        ids: Callable[[], str] = lambda: str(ULID()),
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Connects to nothing."""
        self._graph = graph
        self.ids = ids
        self.now = now
        self.lost = 0
        self._pending: dict[str, asyncio.Task[None]] = {}
        self._writers = asyncio.Semaphore(WRITERS)

    def later(self, run: RunRecord | None, evidence: Sequence[EvidenceRecord] = ()) -> None:
        """Write a run, or evidence alone, after the answer: returns at once. A write that fails, or finds MOST_PENDING
        others waiting, is logged and counted in `lost`; an answer never fails because of it.
        """
        if run is None and not evidence:
            return
        if len(self._pending) >= MOST_PENDING:
            self._lose(run, "too many runs wait to be written")
            return
        key = run.id if run is not None else self.ids()
        task = asyncio.get_running_loop().create_task(self._write_quietly(run, evidence), name=f"record {key}")
        self._pending[key] = task
        task.add_done_callback(lambda _: self._pending.pop(key, None))

    async def record(self, run: RunRecord | None, evidence: Sequence[EvidenceRecord] = ()) -> None:
        """Write a run with its evidence in one transaction (idempotent)."""
        work: list[tuple[str, Mapping[str, Any]]] = []
        if evidence:
            at = run.recorded_at if run else self.now()
            work.append(("reasoning/write_evidence", {"rows": evidence_rows(evidence, at), "recorded_at": at}))
        if run is not None:
            work.insert(0, ("graph/register_scope", {"scope": run.scope, "recorded_at": run.recorded_at}))
            work.append(("reasoning/write_run", _parameters(run, evidence)))
        await self._graph.write(work)

    async def settled(self) -> None:
        """Wait until everything given to `later` is written."""
        while self._pending:
            await asyncio.gather(*self._pending.values(), return_exceptions=True)

    async def get(self, run_id: str, caller: Caller) -> RunRecord:
        """A run with its steps; one that is being written is waited for.

        Raises:
            NotFoundError: there is none, or it read something that the caller may not.
        """
        if run_id in self._pending:
            await asyncio.gather(self._pending[run_id], return_exceptions=True)
        row = await self._graph.one("reasoning/run", id=run_id, scopes=await self._readable(caller))
        if row is None:
            raise NotFoundError(
                f"no run {run_id!r}", remedy="it was not recorded, or is not yours to read", field="run_id"
            )
        return _from_row(row)

    async def list(self, caller: Caller, *, limit: int = 20, after: str | None = None) -> Sequence[RunSummary]:
        """Runs the caller may read, newest first; `after`: the id of the last one of the page before."""
        scopes = await self._readable(caller)
        rows = await self._graph.run("reasoning/runs", scopes=scopes, after=after, limit=limit)
        return [RunSummary(**row) for row in rows]

    async def _readable(self, caller: Caller) -> Sequence[str]:
        known = [row["id"] for row in await self._graph.run("graph/scopes")]
        return list(caller.resolve(None, known))

    async def _write_quietly(self, run: RunRecord | None, evidence: Sequence[EvidenceRecord]) -> None:
        try:
            async with self._writers:
                await self.record(run, evidence)
        except ClauseError as error:
            self._lose(run, str(error))

    def _lose(self, run: RunRecord | None, reason: str) -> None:
        self.lost += 1
        structlog.get_logger(__name__).warning("run not recorded", run=run.id if run else None, reason=reason)


def _parameters(run: RunRecord, evidence: Sequence[EvidenceRecord]) -> dict[str, Any]:
    picks = {record.id: (place, record.selected) for place, record in enumerate(evidence, start=1)}
    return {
        "id": run.id,
        "policy": run.policy,
        "recorded_at": run.recorded_at,
        "scopes": list(run.scopes),
        "run": {
            "scope": run.scope,
            "scopes": list(run.scopes),
            "query": run.query,
            "request": _json(run.request),
            "digest": _json(run.digest),
            "seeds": _json([seed.model_dump() for seed in run.seeds]),
            "fallbacks": list(run.fallbacks),
            "edge_budget": run.budgets.edges,
            "step_budget": run.budgets.steps,
            "token_budget": run.budgets.tokens,
            "token_margin": run.budgets.token_margin,
            "edge_price": run.prices.edge,
            "latency_price": run.prices.latency,
            "token_price": run.prices.token,
            "as_of_valid": run.as_of_valid,
            "as_of_recorded": run.as_of_recorded,
            "recorded_at": run.recorded_at,
        },
        "steps": [_step_row(run, step) for step in run.steps],
        "seeds": [
            {"id": seed.id, "place": place, "score": seed.score, "reason": seed.reason}
            for place, seed in enumerate(run.seeds, start=1)
        ],
        "evidence": [
            {"id": key, "place": place, "score": pick.score, "shaped_utility": pick.shaped_utility}
            for key, (place, pick) in sorted(picks.items())
        ],
    }


def _step_row(run: RunRecord, step: StepRecord) -> dict[str, Any]:
    properties = step.model_dump(exclude={"left_out", "detail", "visited"})
    properties |= {
        "left_out": _json(step.left_out.model_dump()) if step.left_out else None,
        "detail": _json(step.detail),
        "visited": list(step.visited),
        "scope": run.scope,
    }
    return {"id": f"{run.id}-{step.index}", "properties": properties, "visited": sorted(step.visited)}


def _from_row(row: Mapping[str, Any]) -> RunRecord:
    run = row["run"]
    return RunRecord(
        id=run["id"],
        scope=run["scope"],
        scopes=tuple(run["scopes"]),
        query=run["query"],
        request=json.loads(run["request"]),
        digest=json.loads(run["digest"]),
        policy=row["policy"],
        seeds=tuple(RunSeed(**seed) for seed in json.loads(run["seeds"])),
        budgets=Budgets(run["edge_budget"], run["step_budget"], run["token_budget"], run["token_margin"]),
        prices=Prices(run["edge_price"], run["latency_price"], run["token_price"]),
        as_of_valid=run.get("as_of_valid"),
        as_of_recorded=run.get("as_of_recorded"),
        recorded_at=run["recorded_at"],
        steps=tuple(_step(step) for step in row["steps"]),
        evidence=tuple(row["evidence"]),
        fallbacks=tuple(run["fallbacks"]),
        retractions=tuple(run.get("retractions") or ()),
    )


def _step(properties: Mapping[str, Any]) -> StepRecord:
    values = {key: properties[key] for key in StepRecord.model_fields if key in properties}
    values["detail"] = json.loads(values["detail"])
    if "left_out" in values:
        values["left_out"] = json.loads(values["left_out"])
    return StepRecord(**values)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
