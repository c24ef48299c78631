"""Long work on the beliefs of a scope: freshness, tensions that no write saw, twins written at the same instant.

A vector index does not show what other open transactions wrote, so that two near statements of one instant never saw
each other; the passes here look at each belief once more, in the order of ids, and go on where they were broken off.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from clause.errors import ConflictError, NotFoundError
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.jobs.turn import Turn
from clause.knowledge.candidates import Newcomer, Surroundings, held_of, surroundings
from clause.knowledge.creation import tension_row
from clause.knowledge.merging import MergeService
from clause.knowledge.models_lineage import MergeRequest
from clause.knowledge.settlement import Work, settled

PAGE: Final = 100
SCANNED: Final = "scanned_at"
JOINED: Final = "joined_at"

_Rows = list[dict[str, Any]]
_Look = Callable[[str, Surroundings, str], Awaitable[_Rows]]


class Upkeep:
    """The passes over beliefs.

    Args:
        ground: the open parts below.
        merging: joins twins.
        page: beliefs of one transaction.
    """

    def __init__(self, ground: Ground, merging: MergeService, *, page: int = PAGE) -> None:
        self._ground = ground
        self._merging = merging
        self._page = page

    async def freshen(self, turn: Turn) -> None:
        """Derive the confidence of every held belief anew, as fresh as it is now."""
        scope, done = turn.job.scope, turn.job.done
        while ids := [row["id"] for row in await self._held(turn, scope)]:
            done += len(ids)
            work = settled(ids, [scope], self._ground.now())
            await turn.commit(work, done=done, message="freshness", cursor={"after": ids[-1]})

    async def scan(self, turn: Turn) -> None:
        """Find the tensions of beliefs that were not scanned yet (of all, with the parameter `all`)."""
        await self._pass(turn, SCANNED, self._tensions)

    async def join(self, turn: Turn) -> None:
        """Join beliefs that say the same and were written at the same instant; the older one stays."""
        await self._pass(turn, JOINED, self._twins)

    async def _pass(self, turn: Turn, mark: str, look: _Look) -> None:
        scope, done = turn.job.scope, turn.job.done
        everything = bool(turn.job.parameters.get("all"))
        while rows := await self._unseen(turn, scope, "" if everything else mark):
            found: _Rows = []
            for row in rows:
                around = await surroundings(self._ground, _newcomer(row, scope))
                found += await look(row["id"], around, scope)
            done += len(rows)
            ids, at = [row["id"] for row in rows], self._ground.now()
            work: Work = [("knowledge/mark_beliefs", {"ids": ids, "scopes": [scope], "mark": mark, "at": at})]
            if found:
                sides = [side for one in found for side in (one["a"], one["b"])]
                work.append(("knowledge/raise_tensions", {"rows": found, "scope": scope, "at": at}))
                work += settled(sides, [scope], at)
            await turn.commit(work, done=done, message=f"looked at {done} beliefs", cursor={"after": ids[-1]})

    async def _tensions(self, belief_id: str, around: Surroundings, _scope: str) -> _Rows:
        rows = []
        for other, found in sorted(around.contradictions.items()):
            first, second = sorted((other, belief_id))
            rows.append(tension_row(self._ground.ids(), first, second, found))
        return rows

    async def _twins(self, belief_id: str, around: Surroundings, scope: str) -> _Rows:
        if around.same is not None:
            winner, loser = sorted((around.same, belief_id))
            given = MergeRequest(winner_id=winner, loser_id=loser, reason="they say the same")
            try:
                await self._merging.merge(given, caller=Caller((scope,), (scope,)))
            except (ConflictError, NotFoundError):
                return []  # one of them was merged, superseded or erased since it was read
        return []

    async def _held(self, turn: Turn, scope: str) -> list[dict[str, Any]]:
        after = turn.cursor.get("after", "")
        return await self._ground.graph.run("knowledge/held_ids", scope=scope, after=after, limit=self._page)

    async def _unseen(self, turn: Turn, scope: str, mark: str) -> list[dict[str, Any]]:
        return await self._ground.graph.run(
            "knowledge/unseen_beliefs",
            scope=scope,
            mark=mark,
            after=turn.cursor.get("after", ""),
            dimension=self._ground.embedder.dimension,
            limit=self._page,
        )


def _newcomer(row: Mapping[str, Any], scope: str) -> Newcomer:
    return Newcomer(held_of(row), scope, row["content_hash"], row["embedding"], row["id"])
