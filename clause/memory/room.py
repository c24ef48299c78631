"""The open services of this room, and the long work that it brings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from clause.graph.lease import JobKind
from clause.graph.scheduler import Round
from clause.ground import Ground
from clause.memory.consolidation import KIND, Consolidation
from clause.memory.models import MCSConfig
from clause.memory.monitor import SemanticStateMonitor
from clause.memory.store import Erase, MemoryClusterStore, no_traces

EVERY: Final = timedelta(seconds=30)
"""The time between two looks for clusters that wait for a pass."""


@dataclass(frozen=True)
class Memory:
    """What the doors may ask of this room.

    Attributes:
        ground: the open parts below.
        store: writes, recalls, shows, deletes.
        consolidation: runs and queues passes.
        monitor: the class that tells when to recall; each conversation makes its own.
    """

    ground: Ground
    store: MemoryClusterStore
    consolidation: Consolidation
    monitor: type[SemanticStateMonitor] = SemanticStateMonitor

    @classmethod
    def open(cls, ground: Ground, config: MCSConfig | None = None, *, erase_traces: Erase = no_traces) -> Memory:
        """Join the services; nothing is read or started yet."""
        config = config or MCSConfig.following(ground.settings, ground.embedder)
        return cls(ground, MemoryClusterStore(ground, config, erase_traces), Consolidation(ground, config))

    def job_kinds(self) -> dict[str, JobKind]:
        """Long work by kind."""
        return {KIND: self.consolidation.consolidate}

    def periodic(self) -> dict[str, Round]:
        """What a running service does by itself, unless the settings forbid it: passes are queued where they wait."""
        if not self.ground.settings.memory_consolidate:
            return {}
        return {"queue consolidation": Round(self.consolidation.queue_waiting, EVERY, soon=True)}

    async def settled(self) -> None:
        """Write what waits to be written; for the end of a service."""
        await self.store.touches.settled()
