"""The open services of this room, and the long work that it brings."""

from __future__ import annotations

from dataclasses import dataclass

from clause.ground import Ground
from clause.intelligence.afterwards import Afterwards
from clause.intelligence.basins import Basins
from clause.intelligence.causal import Causal
from clause.intelligence.conflicts import ConflictGuard
from clause.intelligence.investigation import Investigator
from clause.intelligence.thoughtseeds import ThoughtSeeds
from clause.intelligence.upkeep import Upkeep
from clause.jobs.turn import JobKind
from clause.knowledge.room import Knowledge


@dataclass(frozen=True)
class Intelligence:
    """What the doors may ask of this room."""

    ground: Ground
    knowledge: Knowledge
    basins: Basins
    causal: Causal
    thoughtseeds: ThoughtSeeds
    afterwards: Afterwards
    investigator: Investigator
    conflicts: ConflictGuard

    @classmethod
    def open(cls, ground: Ground, knowledge: Knowledge) -> Intelligence:
        """Join the services; nothing is read or started yet."""
        thoughtseeds = ThoughtSeeds(ground)
        afterwards = Afterwards(ground, thoughtseeds)
        return cls(
            ground=ground,
            knowledge=knowledge,
            basins=Basins(ground),
            causal=Causal(ground),
            thoughtseeds=thoughtseeds,
            afterwards=afterwards,
            investigator=Investigator(ground),
            conflicts=ConflictGuard(ground, limit=ground.settings.conflict_limit),
        )

    def job_kinds(self) -> dict[str, JobKind]:
        """Long work by kind."""
        return {
            "basin_decay": self.basins.decay_turn,
            "thoughtseed_links": self.thoughtseeds.link_turn,
            "thoughtseed_archive": self.thoughtseeds.archive_turn,
        }

    async def keep_up(self) -> None:
        """What a running service does by itself, until cancelled (`clause.intelligence.upkeep`)."""
        await Upkeep(self.ground, self.basins, self.thoughtseeds, self.investigator).run()

    async def settled(self) -> None:
        """Wait until everything that answers left to write or to compute is done."""
        await self.afterwards.settled()
        await self.causal.settled()
