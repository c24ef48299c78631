"""Tensions: listed, settled in one of four ways, and opened again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from clause.errors import ConflictError, NotFoundError, PreconditionError
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.knowledge.beliefs.rows import settling
from clause.knowledge.tension_detection import OPEN, Action, Tension, TensionFilter, TensionResolve


def tension_of(found: Mapping[str, Any], at: datetime | None = None) -> Tension:
    """A tension from its properties and its sides `a` and `b` (id, content, status, overall), as it stood at `at`."""
    if at is not None and (found.get("resolved_at") or at) > at:
        found = {**found, "status": "detected", "action": None, "resolution": "", "resolved_at": None}
    return Tension.model_validate(
        {
            **found,
            "signals": tuple(found["signals"]),
            "action": found.get("action"),
            "resolution": found.get("resolution") or "",
            "resolved_at": found.get("resolved_at"),
        }
    )


Found = list[Tension]

_ENDED: Final[Mapping[Action, tuple[tuple[str, str], ...]]] = {
    "supersede_a": (("a", "superseded"),),
    "supersede_b": (("b", "superseded"),),
    "archive_both": (("a", "archived"), ("b", "archived")),
    "keep_both": (),
}


class TensionService:
    """The service that the doors ask about tensions. Scopes outside the caller's are as if they were empty.

    Args:
        ground: the open parts below.
    """

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    async def list(self, wanted: TensionFilter, *, caller: Caller) -> Found:
        """Tensions, newest first: open ones between beliefs that are held, unless a status is named."""
        scopes = await self._ground.readable(caller, wanted.scopes)
        return await self._found(
            scopes,
            statuses=[wanted.status] if wanted.status else list(OPEN),
            held=wanted.status is None,
            severity=wanted.severity,
            entity_id=wanted.entity_id,
            belief_id=wanted.belief_id,
            after=wanted.after,
            limit=wanted.limit,
        )

    async def get(self, tension_id: str, *, caller: Caller) -> Tension:
        """The tension of this id.

        Raises:
            NotFoundError: there is none that this caller may see.
        """
        found = await self._found(await self._ground.readable(caller, None), ids=[tension_id])
        if not found:
            raise NotFoundError(f"no tension {tension_id[:80]!r}")
        return found[0]

    async def resolve(
        self, tension_id: str, given: TensionResolve, *, caller: Caller, versions: tuple[int, ...] | None = None
    ) -> Tension:
        """Settle an open tension; `reopen` takes it back.

        Args:
            tension_id: which one.
            given: supersede_a (b takes the place of a), supersede_b, keep_both (accepted) or archive_both, and why.
            caller: who asks.
            versions: that are accepted (If-Match); None accepts any.

        Raises:
            NotFoundError: there is none that this caller may see.
            ForbiddenError: the caller may not write in its scope.
            ConflictError: it is not open, or a belief that is to change is not held any more.
            PreconditionError: its version is another one.
        """
        ended = [{"side": side, "status": status} for side, status in _ENDED[given.action]]
        change = {
            "action": given.action,
            "status": "accepted" if given.action == "keep_both" else "resolved",
            "resolution": given.resolution,
            "ended": ended,
        }
        return await self._change("knowledge/resolve_tension", change, tension_id, caller, versions)

    async def reopen(self, tension_id: str, *, caller: Caller, versions: tuple[int, ...] | None = None) -> Tension:
        """Take back how a tension was settled: what it ended is held again.

        Raises:
            NotFoundError: there is none that this caller may see.
            ForbiddenError: the caller may not write in its scope.
            ConflictError: it is open.
            PreconditionError: its version is another one.
        """
        return await self._change("knowledge/reopen_tension", {}, tension_id, caller, versions)

    async def _change(
        self,
        statement: str,
        change: Mapping[str, Any],
        tension_id: str,
        caller: Caller,
        versions: tuple[int, ...] | None,
    ) -> Tension:
        before = await self.get(tension_id, caller=caller)
        self._ground.writable(caller, before.scope)
        if versions is not None and before.version not in versions:
            raise _moved_on(before)
        at, scopes = self._ground.now(), [before.scope]
        touched = [before.a.id, before.b.id]
        for side in touched:
            near = await self._ground.graph.one("knowledge/tension_neighbours", id=side, scopes=scopes)
            touched = [*touched, *(near["ids"] if near else [])]
        accepted = None if versions is None else list(versions)
        done, *_ = await self._ground.graph.write(
            [
                (statement, {"id": tension_id, "scopes": scopes, "at": at, "versions": accepted, **change}),
                settling(touched, scopes, at),
            ]
        )
        after = await self.get(tension_id, caller=caller)
        if done:
            return after
        if versions is not None and after.version not in versions:
            raise _moved_on(after)
        raise ConflictError(
            f"the tension is {after.status}, its beliefs are {after.a.status} and {after.b.status}",
            remedy="read it again",
            field="tension_id",
        )

    async def _found(
        self, scopes: Sequence[str], *, ids: Sequence[str] | None = None, held: bool = False, limit: int = 1, **by: Any
    ) -> Found:
        asked = dict.fromkeys(("statuses", "severity", "entity_id", "belief_id", "after")) | by
        rows = await self._ground.graph.run(
            "knowledge/tensions", scopes=list(scopes), ids=ids, held=held, limit=limit, **asked
        )
        return [tension_of(row["tension"]) for row in rows]


def _moved_on(found: Tension) -> PreconditionError:
    return PreconditionError(
        f"the version is now {found.version}", remedy="read it again and repeat the change", field="If-Match"
    )
