"""The open services of this room, and the long work that it brings."""

from __future__ import annotations

from dataclasses import dataclass

from clause.ground import Ground
from clause.jobs.turn import JobKind
from clause.memory.config import MCSConfig
from clause.memory.consolidation import KIND, Consolidation
from clause.memory.monitor import SemanticStateMonitor
from clause.memory.store import MemoryClusterStore


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
    def open(cls, ground: Ground, config: MCSConfig | None = None) -> Memory:
        """Join the services; nothing is read or started yet."""
        config = config or MCSConfig.following(ground.settings, ground.embedder)
        return cls(ground, MemoryClusterStore(ground, config), Consolidation(ground, config))

    def job_kinds(self) -> dict[str, JobKind]:
        """Long work by kind."""
        return {KIND: self.consolidation.consolidate}

    async def settled(self) -> None:
        """Write what waits to be written; for the end of a service."""
        await self.store.touches.settled()
