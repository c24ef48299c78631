"""Recorded runs: written in batches after the answers, read back within a caller's scopes; and what became of the
statements that two answers rest on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

import structlog
from ulid import ULID

from clause.errors import ClauseError, NotFoundError, UnavailableError
from clause.graph.outbox import Outbox
from clause.graph.runner import Graph
from clause.graph.scopes import Caller, readable_scopes
from clause.knowledge.beliefs.rows import as_recorded, grounds, held_then
from clause.reasoning.answer.counterfactual import LEAST_MOVE
from clause.reasoning.answer.evidence import EvidenceRecord, evidence_rows, evidence_write
from clause.reasoning.answer.run_record import RunRecord, differences, digest_of
from clause.reasoning.episode.budget import Budgets, Prices
from clause.reasoning.episode.steps import StepRecord
from clause.reasoning.models.answer import AnswerEdge, Difference, RecordedAnswer, RunSummary, SeedNode, StatementChange
from clause.text.fields import FOREVER, utc_now

__all__ = ["Difference", "RunRecord", "RunRecorder", "RunSummary", "differences", "digest_of"]

BATCH = 16
"""Most runs of one transaction. A commit costs more than a run."""
GATHER_S = 0.25
"""Seconds in which the runs of a transaction gather: what Neo4j writes meanwhile slows the answers after it."""
MOST_PENDING = 1_000
"""Runs that wait to be written; what comes on top is not recorded, so that memory stays bounded."""

YOUNG_S = 10.0
"""Seconds from the question on in which a run may still come from another process; answering may take some of them."""
LOOK_S = 0.05


@dataclass(frozen=True, slots=True)
class Unwritten:
    """A run with its evidence, or evidence alone (`run` None), and whether it was dealt with: written or lost."""

    run: RunRecord | None
    evidence: Sequence[EvidenceRecord] = ()
    settled: asyncio.Event = field(default_factory=asyncio.Event)


class RunRecorder:
    """Writes runs in the background, one transaction at a time, and reads them back.

    Args:
        graph: where runs live.
        ids: makes run ids.
        now: the clock of `recorded_at`.
        sleep: waits between looks for a run that another process may be writing.
    """

    def __init__(
        self,
        graph: Graph,
        ids: Callable[[], str] = lambda: str(ULID()),
        now: Callable[[], datetime] = utc_now,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Connects to nothing."""
        self._sleep = sleep
        self._graph = graph
        self.ids = ids
        self.now = now
        self._unwritten: dict[str, Unwritten] = {}
        self._outbox: Outbox[Unwritten] = Outbox(
            self._write_each, batch=BATCH, most=MOST_PENDING, on_loss=_told, moment=_gathered, name="record runs"
        )

    @property
    def lost(self) -> int:
        """The number of runs that were not recorded."""
        return self._outbox.lost

    def _may_come(self, run_id: str) -> bool:
        """Tell whether a run is so young that another process may still be writing it, by the time in its id."""
        try:
            made_s = ULID.from_str(run_id).timestamp
        except ValueError:
            return False
        return 0 <= self.now().timestamp() - made_s < YOUNG_S

    def later(self, run: RunRecord | None, evidence: Sequence[EvidenceRecord] = ()) -> None:
        """Write a run, or evidence alone, soon after the answer: returns at once. A write that fails, or finds
        MOST_PENDING others waiting, is logged and counted in `lost`; an answer never fails because of it.
        """
        if run is None and not evidence:
            return
        unwritten = Unwritten(run, evidence)
        if self._outbox.add(unwritten) and run is not None:
            self._unwritten[run.id] = unwritten

    async def record(self, run: RunRecord | None, evidence: Sequence[EvidenceRecord] = ()) -> None:
        """Write a run with its evidence in one transaction (idempotent)."""
        await self._write([Unwritten(run, evidence)])

    async def settled(self) -> None:
        """Wait until everything given to `later` is written."""
        await self._outbox.settled()

    async def get(self, run_id: str, caller: Caller) -> RunRecord:
        """A run with its steps; one that waits here is written first, and one of another process is waited for.

        Raises:
            NotFoundError: there is none, or it read something that the caller may not.
        """
        if (unwritten := self._unwritten.get(run_id)) is not None:
            await self._outbox.until(unwritten.settled)
        scopes = await readable_scopes(self._graph, caller)
        row = await self._graph.one("reasoning/run", id=run_id, scopes=[*scopes])
        while row is None and self._may_come(run_id):
            await self._sleep(LOOK_S)
            row = await self._graph.one("reasoning/run", id=run_id, scopes=[*scopes])
        if row is None:
            raise NotFoundError(
                f"no run {run_id!r}", remedy="it was not recorded, or is not yours to read", field="run_id"
            )
        return _from_row(row)

    async def list(self, caller: Caller, *, limit: int = 20, after: str | None = None) -> Sequence[RunSummary]:
        """Runs the caller may read, newest first; `after`: the id of the last one of the page before.

        Those that wait are written first, as `get` does.
        """
        await self.settled()
        scopes = await readable_scopes(self._graph, caller)
        rows = await self._graph.run("reasoning/runs", scopes=[*scopes], after=after, limit=limit)
        return [RunSummary(**row) for row in rows]

    async def statements(
        self, edges: Sequence[AnswerEdge], nodes: Sequence[str], scopes: Sequence[str]
    ) -> Sequence[Mapping[str, Any]]:
        """The times of triples and texts: what an answer rested on, as the graph has it now."""
        wanted = [[edge.from_node, edge.relation, edge.to_node] for edge in edges]
        if not wanted and not nodes:
            return []
        return await self._graph.run("reasoning/statements", edges=wanted, nodes=[*nodes], scopes=[*scopes])

    async def _write_each(self, batch: Sequence[Unwritten]) -> None:
        """Write a batch; where one run spoils it, the others are written all the same."""
        try:
            await self._write(batch)
        except ClauseError as error:
            if len(batch) == 1 or isinstance(error, UnavailableError):
                raise
            await self._write_apart(batch)
        finally:
            for unwritten in batch:
                if unwritten.run is not None:
                    self._unwritten.pop(unwritten.run.id, None)
                unwritten.settled.set()

    async def _write_apart(self, batch: Sequence[Unwritten]) -> None:
        for unwritten in batch:
            try:
                await self._write([unwritten])
            except ClauseError as error:
                self._outbox.lose([unwritten], str(error))

    async def _write(self, batch: Sequence[Unwritten]) -> None:
        runs = [(unwritten.run, unwritten.evidence) for unwritten in batch if unwritten.run is not None]
        scopes = {run.scope: run.recorded_at for run, _ in runs}
        work: list[tuple[str, Mapping[str, Any]]] = [
            ("graph/register_scope", {"scope": scope, "recorded_at": scopes[scope]}) for scope in sorted(scopes)
        ]
        if evidence := _evidence(batch, self.now):
            work.append(("reasoning/write_evidence", evidence_write(evidence)))
        if runs:
            work.append(("reasoning/write_runs", {"rows": [_row(run, evidence) for run, evidence in runs]}))
        await self._graph.write(work)


async def _gathered() -> None:
    await asyncio.sleep(GATHER_S)


def _told(lost: Sequence[Unwritten], reason: str) -> None:
    for unwritten in lost:
        run = unwritten.run.id if unwritten.run else None
        structlog.get_logger(__name__).warning("run not recorded", run=run, reason=reason)


def _evidence(batch: Sequence[Unwritten], now: Callable[[], datetime]) -> list[dict[str, Any]]:
    """Rows of all the evidence, each once, by id."""
    rows = {
        row["id"]: row
        for unwritten in batch
        for row in evidence_rows(unwritten.evidence, unwritten.run.recorded_at if unwritten.run else now())
    }
    return [rows[key] for key in sorted(rows)]


def _row(run: RunRecord, evidence: Sequence[EvidenceRecord]) -> dict[str, Any]:
    picks = {record.id: (place, record.selected) for place, record in enumerate(evidence, start=1)}
    return {
        "id": run.id,
        "policy": run.policy,
        "scopes": list(run.scopes),
        "rests": sorted(run.rests),
        "properties": {
            "scope": run.scope,
            "scopes": list(run.scopes),
            "query": run.query,
            "request": _json(run.request),
            "digest": _json(run.digest),
            "seeds": _json([seed.model_dump() for seed in run.seeds]),
            "answers": _json([answer.model_dump() for answer in run.answers]),
            "fallbacks": list(run.fallbacks),
            "doubt": run.doubt,
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
        seeds=tuple(SeedNode(**seed) for seed in json.loads(run["seeds"])),
        budgets=Budgets(run["edge_budget"], run["step_budget"], run["token_budget"], run["token_margin"]),
        prices=Prices(run["edge_price"], run["latency_price"], run["token_price"]),
        as_of_valid=run.get("as_of_valid"),
        as_of_recorded=run.get("as_of_recorded"),
        recorded_at=run["recorded_at"],
        steps=tuple(_step(step) for step in row["steps"]),
        evidence=tuple(row["evidence"]),
        fallbacks=tuple(run["fallbacks"]),
        answers=tuple(RecordedAnswer(**answer) for answer in json.loads(run.get("answers") or "[]")),
        doubt=run.get("doubt"),
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


@dataclass(frozen=True, slots=True)
class Clocks:
    """An instant on both clocks."""

    valid: datetime
    recorded: datetime


@dataclass(frozen=True, slots=True)
class TwoClocks:
    """The clocks of the run, and those of its replay."""

    before: Clocks
    after: Clocks


def reasons(
    rows: Sequence[Mapping[str, Any]], edges: Sequence[AnswerEdge], nodes: Sequence[str], moments: TwoClocks
) -> list[StatementChange]:
    """List what became of the cited statements between two moments; of those that stood unchanged nothing is said.

    Args:
        rows: what the graph has of them, see `reasoning/statements`; several for a triple that several sources say.
        edges, nodes: the statements.
        moments: the clocks of both answers.
    """
    found: list[StatementChange] = []
    for edge in edges:
        mine = [row for row in rows if row["edge"] == [edge.from_node, edge.relation, edge.to_node]]
        found += _change(mine, moments, {"edge": edge})
    for node in nodes:
        found += _change([row for row in rows if row["node"] == node], moments, {"node": node})
    return found


def _change(rows: Sequence[Mapping[str, Any]], moments: TwoClocks, whose: dict[str, Any]) -> list[StatementChange]:
    if not rows:
        return [StatementChange(kind="erased", text="(erased)", why="it is not in the graph any more", **whose)]
    text = str(rows[0]["text"])
    then, now = _standing(rows, moments.before), _standing(rows, moments.after)
    if then and now:
        return _moved(rows[0], moments, whose)
    if not then and not now:
        return []
    kind: Literal["came", "went"] = "came" if now else "went"
    ends = [_border(row, moments.before, moments.after) for row in (now or then)]
    why, at = min(ends, key=lambda end: end[1] or FOREVER)
    return [StatementChange(kind=kind, text=text, why=why, at=at, **whose)]


def _standing(rows: Iterable[Mapping[str, Any]], moment: Clocks) -> list[Mapping[str, Any]]:
    """The rows that stand at a moment: known, not taken back, true."""
    return [row for row in rows if all(_stands(_known(row, moment), name, moment) for name in _BORDERS)]


_BORDERS: Mapping[str, tuple[str, bool, str]] = {
    "recorded_at": ("recorded", True, "it was recorded then"),
    "retracted_at": ("recorded", False, "it was taken back then"),
    "archived_at": ("recorded", False, "it was archived then"),
    "valid_from": ("valid", True, "it is true from then on"),
    "valid_until": ("valid", False, "it was true until then"),
}
"""Each border of a statement's time: its clock, whether it stands from there on, and what that means.
What was superseded stands until its successor begins."""
_ENDS = ("retracted_at", "superseded_at", "archived_at", "valid_until")


def _known(row: Mapping[str, Any], moment: Clocks) -> Mapping[str, Any]:
    """A row with the ends that were known at a moment: what took a belief's place may have been said later."""
    belief = row["belief"]
    known = None if belief is None else as_recorded(belief, moment.recorded)
    return row if known is None else {**row, **{name: known.get(name) for name in _ENDS}}


def _stands(row: Mapping[str, Any], name: str, moment: Clocks) -> bool:
    clock, begins, _ = _BORDERS[name]
    at = row[name]
    return at is None or ((at <= getattr(moment, clock)) == begins)


def _border(row: Mapping[str, Any], one: Clocks, other: Clocks) -> tuple[str, datetime | None]:
    """Say why a statement stands at one of two moments and not at the other, and when that changed."""
    first, second = _known(row, one), _known(row, other)
    for name, (_, _, words) in _BORDERS.items():
        stood = _stands(first, name, one)
        if stood == _stands(second, name, other):
            continue
        fallen = second if stood else first
        if name == "valid_until" and first["superseded_at"] != second["superseded_at"]:
            successor = row.get("successor")
            by = f' by "{successor}"' if successor else ""
            return f"it was superseded then{by}", fallen["superseded_at"]
        return words, fallen[name]
    return "it stands at one of the two times only", None


def _moved(row: Mapping[str, Any], moments: TwoClocks, whose: dict[str, Any]) -> list[StatementChange]:
    """A belief that is held more or less firmly than at the other moment."""
    belief = row["belief"]
    if belief is None:
        return []
    before, after = (held_then(belief, moment.recorded) for moment in (moments.before, moments.after))
    if before is None or after is None or abs(after[0] - before[0]) <= LEAST_MOVE:
        return []
    rose = after[0] > before[0]
    kind: Literal["gained_confidence", "lost_confidence"] = "gained_confidence" if rose else "lost_confidence"
    why = "; ".join(grounds(before[1], after[1])) or "it is older by then, or fresher"
    scores = {"before": before[0], "after": after[0]}
    return [StatementChange(kind=kind, text=str(row["text"]), why=why, **whose, **scores)]
