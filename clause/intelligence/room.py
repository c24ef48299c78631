"""The open services of this room, and the long work that it brings."""

from __future__ import annotations

from dataclasses import dataclass

from clause.ground import Ground
from clause.intelligence.basins import Basins
from clause.intelligence.causal import Causal
from clause.jobs.runner import JobKind
from clause.knowledge.room import Knowledge


@dataclass(frozen=True)
class Intelligence:
    """What the doors may ask of this room."""

    ground: Ground
    knowledge: Knowledge
    basins: Basins
    causal: Causal

    @classmethod
    def open(cls, ground: Ground, knowledge: Knowledge) -> Intelligence:
        """Join the services; nothing is read or started yet."""
        return cls(ground, knowledge, Basins(ground), Causal(ground))

    def job_kinds(self) -> dict[str, JobKind]:
        """Long work by kind."""
        return {"basin_decay": self.basins.decay_turn}
