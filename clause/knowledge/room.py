"""The open services of this room, and the long work that it brings."""

from __future__ import annotations

from dataclasses import dataclass

from clause.ground import Ground
from clause.jobs.runner import JobKind
from clause.knowledge.beliefs import BeliefService
from clause.knowledge.tensions import TensionService


@dataclass(frozen=True)
class Knowledge:
    """What the doors may ask of this room."""

    ground: Ground
    beliefs: BeliefService
    tensions: TensionService

    @classmethod
    def open(cls, ground: Ground) -> Knowledge:
        """Join the services; nothing is read or started yet."""
        return cls(ground, BeliefService(ground), TensionService(ground))

    def job_kinds(self) -> dict[str, JobKind]:
        """Long work by kind."""
        return {}
