"""The open services of this room, the long work that it brings, and the passes over the beliefs of a scope.
A vector index does not show what other open transactions wrote, so that two near statements of one instant never saw
each other; the passes here look at each belief once more, in the order of ids, and go on where they were broken off.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from clause.errors import ConflictError, NotFoundError
from clause.graph.lease import JobKind, Lease
from clause.graph.scheduler import Periodic
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.knowledge.beliefs.beliefs import BeliefService
from clause.knowledge.beliefs.candidates import Newcomer, Surroundings, held_of, surroundings
from clause.knowledge.beliefs.creation import tension_row
from clause.knowledge.beliefs.rows import settling
from clause.knowledge.entities import EntityService, Resolver
from clause.knowledge.lineage.erasure import ErasureService
from clause.knowledge.lineage.lineage import AuthorityService, Settling
from clause.knowledge.lineage.merging import MergeService
from clause.knowledge.lineage.models import MergeRequest
from clause.knowledge.lineage.retraction import RetractionService
from clause.knowledge.relationship_types import TypeTexts
from clause.knowledge.sources import SourceService, TrustService
from clause.knowledge.tensions import TensionService

PAGE: Final = 100  # beliefs of one transaction
SCANNED: Final = "scanned_at"
JOINED: Final = "joined_at"

_Rows = list[dict[str, Any]]
_Look = Callable[[str, Surroundings, str], Awaitable[_Rows]]


class BeliefUpkeep:
    """The passes over beliefs.

    Args:
        ground: the open parts below.
        merging: joins twins.
    """

    def __init__(self, ground: Ground, merging: MergeService) -> None:
        self._ground = ground
        self._merging = merging

    async def freshen(self, lease: Lease) -> None:
        """Derive the confidence of every held belief anew, as fresh as it is now."""
        scope, done = lease.job.scope, lease.job.done
        while ids := [row["id"] for row in await self._held(lease, scope)]:
            done += len(ids)
            work = [settling(ids, [scope], self._ground.now())]
            await lease.commit(work, done=done, message="freshness", cursor={"after": ids[-1]})

    async def scan(self, lease: Lease) -> None:
        """Find the tensions of beliefs that were not scanned yet (of all, with the parameter `all`)."""
        await self._pass(lease, SCANNED, self._tensions)

    async def join(self, lease: Lease) -> None:
        """Join beliefs that say the same and were written at the same instant; the older one stays."""
        await self._pass(lease, JOINED, self._twins)

    async def _pass(self, lease: Lease, mark: str, look: _Look) -> None:
        scope, done = lease.job.scope, lease.job.done
        everything = bool(lease.job.parameters.get("all"))
        while rows := await self._unseen(lease, scope, "" if everything else mark):
            found: _Rows = []
            for row in rows:
                around = await surroundings(self._ground, _newcomer(row, scope))
                found += await look(row["id"], around, scope)
            done += len(rows)
            ids, at = [row["id"] for row in rows], self._ground.now()
            work: Settling = [("knowledge/mark_beliefs", {"ids": ids, "scopes": [scope], "mark": mark, "at": at})]
            if found:
                sides = [side for one in found for side in (one["a"], one["b"])]
                work.append(("knowledge/raise_tensions", {"rows": found, "scope": scope, "at": at}))
                work.append(settling(sides, [scope], at))
            await lease.commit(work, done=done, message=f"looked at {done} beliefs", cursor={"after": ids[-1]})

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

    async def _held(self, lease: Lease, scope: str) -> list[dict[str, Any]]:
        after = lease.cursor.get("after", "")
        return await self._ground.graph.run("knowledge/held_ids", scope=scope, after=after, limit=PAGE)

    async def _unseen(self, lease: Lease, scope: str, mark: str) -> list[dict[str, Any]]:
        return await self._ground.graph.run(
            "knowledge/unseen_beliefs",
            scope=scope,
            mark=mark,
            after=lease.cursor.get("after", ""),
            dimension=self._ground.embedder.dimension,
            limit=PAGE,
        )


def _newcomer(row: Mapping[str, Any], scope: str) -> Newcomer:
    return Newcomer(held_of(row), scope, row["content_hash"], row["embedding"], row["id"])


@dataclass(frozen=True)
class Knowledge:
    """The services of this room that the doors may ask."""

    ground: Ground
    beliefs: BeliefService
    tensions: TensionService
    entities: EntityService
    sources: SourceService
    trust: TrustService
    retraction: RetractionService
    merging: MergeService
    authority: AuthorityService
    erasure: ErasureService
    types: TypeTexts

    @classmethod
    def open(cls, ground: Ground) -> Knowledge:
        """Join the services; nothing is read or started yet."""
        entities, sources = EntityService(ground), SourceService(ground)
        return cls(
            ground=ground,
            beliefs=BeliefService(ground),
            tensions=TensionService(ground),
            entities=entities,
            sources=sources,
            trust=TrustService(ground, entities, sources),
            retraction=RetractionService(ground),
            merging=MergeService(ground, "Belief"),
            authority=AuthorityService(ground),
            erasure=ErasureService(ground),
            types=TypeTexts(ground),
        )

    def job_kinds(self) -> dict[str, JobKind]:
        """Long work by kind."""
        upkeep = BeliefUpkeep(self.ground, self.merging)
        return {
            "resolve_entities": Resolver(self.ground).run,
            "rate_sources": self.sources.rate,
            "freshen_beliefs": upkeep.freshen,
            "scan_tensions": upkeep.scan,
            "join_twins": upkeep.join,
        }

    def periodic(self) -> dict[str, Periodic]:
        """List what a running service does by itself: new beliefs are scanned hourly, the rest follows more slowly.

        Freshness is derived anew at each reading; the weekly job keeps what is stored, and sorted by, near to it.
        """
        hour, day, week = timedelta(hours=1), timedelta(days=1), timedelta(weeks=1)
        return {
            "scan_tensions": Periodic(hour, "knowledge/scopes_unseen"),
            "join_twins": Periodic(hour, "knowledge/scopes_unseen"),
            "rate_sources": Periodic(day, "knowledge/scopes_of[Source]"),
            "resolve_entities": Periodic(week, "knowledge/scopes_of[Belief]"),
            "freshen_beliefs": Periodic(week, "knowledge/scopes_of[Belief]"),
        }
