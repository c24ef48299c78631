"""The open services of this room, the long work that it brings, and its upkeep in a running service."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from clause.graph.lease import JobKind
from clause.graph.scheduler import Round
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.intelligence.basins import Basins
from clause.intelligence.causal.questions import Causal
from clause.intelligence.curiosity_plan import CuriosityPlanner
from clause.intelligence.investigation import Investigator
from clause.intelligence.outbox import Afterwards
from clause.intelligence.thoughtseeds import ThoughtSeeds
from clause.intelligence.write_conflicts import ConflictGuard
from clause.knowledge.room import Knowledge

EVERY = timedelta(hours=1)
"""The time between two rounds in which basins decay and seeds are archived."""
CURIOUS_EVERY = timedelta(seconds=30)
"""The time between two looks of the curiosity worker for triggers."""


@dataclass(frozen=True)
class Intelligence:
    """All that the doors may ask of this room."""

    ground: Ground
    basins: Basins
    causal: Causal
    thoughtseeds: ThoughtSeeds
    afterwards: Afterwards
    investigator: Investigator
    planner: CuriosityPlanner
    conflicts: ConflictGuard

    @classmethod
    def open(cls, ground: Ground, knowledge: Knowledge) -> Intelligence:
        """Join the services; nothing is read or started yet. What is found out is kept in `knowledge`."""
        thoughtseeds = ThoughtSeeds(ground)
        afterwards = Afterwards(ground, thoughtseeds)
        return cls(
            ground=ground,
            basins=Basins(ground),
            causal=Causal(ground),
            thoughtseeds=thoughtseeds,
            afterwards=afterwards,
            investigator=Investigator(ground),
            planner=CuriosityPlanner(ground, knowledge.beliefs, knowledge.tensions),
            conflicts=ConflictGuard(ground, limit=ground.settings.conflict_limit),
        )

    def job_kinds(self) -> dict[str, JobKind]:
        """Long work by kind."""
        return {
            "basin_decay": self.basins.decay_job,
            "thoughtseed_links": self.thoughtseeds.link_job,
            "thoughtseed_archive": self.thoughtseeds.archive_job,
        }

    def periodic(self) -> dict[str, Round]:
        """List what a running service does by itself; it is curious where the settings ask for it."""
        rounds = {"keep basins and seeds": Round(self.keep_up, EVERY)}
        if self.ground.settings.curiosity_worker:
            rounds["investigate"] = Round(self.investigate, CURIOUS_EVERY)
        return rounds

    async def keep_up(self) -> None:
        """Let idle basins decay, drop the rarest pairs, link what is not linked, and archive old seeds, everywhere."""
        scopes = await self.ground.readable(Caller(), None)
        now = self.ground.now()
        await self.basins.decay(scopes, now)
        await self.basins.prune_crowded(scopes)
        await self.thoughtseeds.link(scopes)
        await self.thoughtseeds.archive(scopes, now)

    async def investigate(self) -> None:
        """Work on the triggers that are queued."""
        await self.investigator.work(caller=Caller())

    async def settled(self) -> None:
        """Wait until everything that answers left to write or to compute is done."""
        await self.afterwards.settled()
        await self.causal.settled()
