"""Absolute writes of agents that may meet: merged by rule, else tried again, else rolled back; and their share in a
window.

BASIN_STRENGTH_RACE         a basin's version moved                         MERGE: the larger strength
CONTRADICTORY_RELATIONSHIP  a relationship's version moved                  MERGE: the larger strength
                            its opposite is stored and was not read         RETRY 100/200/400 ms, then ROLLBACK
DUPLICATE_NODE_CREATION     somebody made the concept meanwhile             MERGE: the one that is there

Counts, increments and co-occurrence are deltas and never meet (`clause.intelligence.basins`).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from clause.errors import BadInputError, ConflictError, UnavailableError
from clause.graph.runner import apart
from clause.graph.scopes import Caller
from clause.graph.wire import WAITS_S
from clause.ground import BASIN_RULES, Ground, basin_id
from clause.intelligence.basins import Concepts, Work
from clause.intelligence.models import (
    AgentWrites,
    AgentWritesDone,
    ConceptWrite,
    ConflictKind,
    Conflicts,
    RelationWrite,
    Resolution,
    StrengthWrite,
    WriteConflict,
)
from clause.text.names import register

WINDOW = timedelta(seconds=60)
ENOUGH = 20
"""Writes within the window before its share says anything."""
RETRY_AFTER_S = 5


class ConflictWindow:
    """Counts writes and conflicts in a sliding window.

    Args:
        now: the clock.
        limit: share above which writes are refused; 0 never refuses.

    >>> from datetime import UTC
    >>> window = ConflictWindow(lambda: datetime(2026, 1, 1, tzinfo=UTC))
    >>> window.note(False); window.note(True)
    >>> window.rate
    0.5
    """

    def __init__(self, now: Callable[[], datetime], limit: float = 0.0) -> None:
        self._now = now
        self._limit = limit
        self._writes: deque[tuple[datetime, bool]] = deque()

    def note(self, conflicted: bool) -> None:
        """One write, and whether it met another's."""
        self._writes.append((self._now(), conflicted))

    @property
    def rate(self) -> float:
        """The share of conflicts among the writes of the window; 0 without writes."""
        before = self._now() - WINDOW
        while self._writes and self._writes[0][0] <= before:
            self._writes.popleft()
        return sum(conflicted for _, conflicted in self._writes) / len(self._writes) if self._writes else 0.0

    def admit(self) -> None:
        """Let a write pass.

        Raises:
            UnavailableError: too many writes met others' lately; reads go on.
        """
        rate = self.rate
        if self._limit and len(self._writes) >= ENOUGH and rate > self._limit:
            raise UnavailableError(
                f"{rate:.0%} of the writes of the last minute met others'",
                remedy="read again, and write in a while",
                retry_after_s=RETRY_AFTER_S,
            )


TYPES = {"causes": "CAUSES", "enables": "ENABLES", "inhibits": "INHIBITS"}
"""The relationship type of each kind of cause."""
_INHIBITING, _CAUSING = ["INHIBITS", "inhibits"], ["CAUSES", "causes", "ENABLES", "enables"]
OPPOSITES = {"causes": _INHIBITING, "enables": _INHIBITING, "inhibits": _CAUSING}

KINDS: Final[Mapping[str, ConflictKind]] = {
    "strength": "BASIN_STRENGTH_RACE",
    "relation": "CONTRADICTORY_RELATIONSHIP",
    "creation": "DUPLICATE_NODE_CREATION",
}
"""The conflict that each kind of write may meet."""
MERGED: Final[Resolution] = "MERGE"
_RULES: Final[Mapping[str, Any]] = {**BASIN_RULES, "kinds": dict(KINDS), "merged": MERGED}


class ConflictGuard:
    """Writes what agents say absolutely, and keeps what they meet.

    Args:
        ground: the graph, the clock and ids.
        limit: share of conflicts above which writes are refused (0: never).
        sleep: waits between tries; passed in by tests.
    """

    def __init__(
        self, ground: Ground, *, limit: float = 0.0, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._ground = ground
        self._concepts = Concepts(ground)
        self._sleep = sleep
        self.window = ConflictWindow(ground.now, limit)

    async def write(self, request: AgentWrites, *, caller: Caller) -> AgentWritesDone:
        """Write all of it, or nothing.

        Raises:
            ConflictError: something stored contradicts it, after the last try; nothing was written.
            UnavailableError: too many writes met others' lately.
            ForbiddenError: the scope is not this caller's to write.
        """
        scope = self._ground.writable(caller, request.scope)
        self.window.admit()
        work, parameters = await self._prepared(request, scope)
        for attempt, wait_s in enumerate((*WAITS_S, None), start=1):
            final: Resolution = "ROLLBACK" if wait_s is None else "RETRY"
            tried = {**parameters, **_RULES, "unresolved": final, "attempts": attempt, "look": False}
            outcomes = await self._met(scope, tried) if parameters["relations"] else []
            if not outcomes:
                *_, rows = await self._ground.graph.write([*work, ("intelligence/agent_writes", tried)])
                outcomes = _in_order(rows)
                if rows[0]["clear"]:
                    return self._done(request, scope, outcomes)
            if wait_s is not None:
                await self._sleep(wait_s)
        self._count(len(outcomes), 0)
        raise ConflictError(
            f"what is stored contradicts it: {outcomes[0]['detail']}; nothing was written",
            remedy="read the relationship and give its version to replace it",
            field=f"writes.{outcomes[0]['place']}",
            details={"conflicts": [outcome["conflict_id"] for outcome in outcomes]},
        )

    async def _met(self, scope: str, tried: dict[str, Any]) -> list[dict[str, Any]]:
        """What stands against it, recorded by itself: nothing of a block that fails would stay, and others must be able
        to settle it between two tries."""
        known = ("graph/register_scope", {"scope": scope, "recorded_at": tried["now"]})
        with apart():
            *_, rows = await self._ground.graph.write([known, ("intelligence/agent_writes", {**tried, "look": True})])
        return _in_order(rows)

    async def list(self, *, caller: Caller, limit: int = 50) -> Conflicts:
        """Recorded conflicts that the caller may read, newest first, with the rate of the last minute."""
        scopes = await self._ground.readable(caller, None)
        rows = await self._ground.graph.run("intelligence/conflicts", scopes=list(scopes), limit=limit)
        return Conflicts(items=[WriteConflict(**row["conflict"]) for row in rows], rate=self.window.rate)

    async def _prepared(self, request: AgentWrites, scope: str) -> tuple[Work, dict[str, Any]]:
        """The statements that make what is named and not there, and the parameters of intelligence/agent_writes."""
        now = self._ground.now()
        named = [name for one in request.writes for name in _names(one)]
        entities, making = await self._concepts.ensure(named, scope, now)
        places = iter(entities)
        rows: dict[str, list[dict[str, Any]]] = {"strengths": [], "relations": [], "creations": []}
        made = [row[1] for name, parameters in making if name == "graph/merge_entities" for row in parameters["rows"]]
        token = f"{request.agent} {self._ground.ids()}"
        for place, one in enumerate(request.writes):
            common = {"place": place, "conflict_id": self._ground.ids()}
            match one:
                case StrengthWrite(strength=strength, version=version):
                    entity = next(places)
                    more = {"entity": entity, "basin": basin_id(entity), "strength": strength, "version": version}
                    rows["strengths"].append({**common, **more})
                case RelationWrite():
                    more = {"cause": next(places), "effect": next(places), "strength": one.strength}
                    kind = {"type": TYPES[one.kind], "opposite": OPPOSITES[one.kind], "version": one.version}
                    rows["relations"].append({**common, **more, **kind})
                case ConceptWrite():
                    rows["creations"].append({**common, "entity": next(places)})
        _require_agreeing(rows["relations"])
        work: Work = [("graph/register_scope", {"scope": scope, "recorded_at": now})]
        types = sorted({row["type"] for row in rows["relations"]})
        if types:
            registered = [[*register(scope, name)] for name in types]
            work.append(("ingest/merge_types", {"rows": registered, "scope": scope, "recorded_at": now}))
        work += making
        if made:
            work.append(("intelligence/claim_concepts", {"ids": sorted(made), "token": token, "scope": scope}))
        shared = {"scope": scope, "agent": request.agent, "now": now, "source": f"agent:{request.agent}"}
        return work, {"locks": sorted(set(entities)), "made": sorted(made), "token": token, **rows, **shared}

    def _done(self, request: AgentWrites, scope: str, outcomes: Sequence[Mapping[str, Any]]) -> AgentWritesDone:
        conflicts = [
            WriteConflict(
                id=outcome["conflict_id"],
                scope=scope,
                kind=outcome["kind"],
                resolution=outcome["resolution"],
                agent=request.agent,
                subject=outcome["subject"],
                detail=outcome["detail"],
                recorded_at=self._ground.now(),
            )
            for outcome in outcomes
            if outcome["conflict_id"] is not None
        ]
        self._count(len(conflicts), len(conflicts))
        return AgentWritesDone(
            versions=[int(outcome["version"]) for outcome in outcomes],
            conflicts_detected=len(conflicts),
            conflicts_resolved=len(conflicts),
            conflicts=conflicts,
        )

    def _count(self, detected: int, resolved: int) -> None:
        self.window.note(detected > 0)
        metrics = self._ground.metrics
        metrics.count_intelligence(conflicts_detected=detected, conflicts_resolved=resolved)
        metrics.conflict_rate.set(self.window.rate)


def _in_order(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows[0]["outcomes"], key=lambda outcome: int(outcome["place"]))


def _require_agreeing(relations: Sequence[Mapping[str, Any]]) -> None:
    """Refuse relations of one request that contradict each other."""
    said: dict[tuple[str, str], set[str]] = {}
    for row in relations:
        types = said.setdefault((row["cause"], row["effect"]), set())
        if types & {*row["opposite"]}:
            raise BadInputError("two of these writes contradict each other", field=f"writes.{row['place']}")
        types.add(row["type"])


def _names(one: StrengthWrite | RelationWrite | ConceptWrite) -> list[str]:
    return [one.cause, one.effect] if isinstance(one, RelationWrite) else [one.concept]
