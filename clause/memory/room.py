"""The open services of this room, the long work that it brings, and the monitor of semantic state, which tells
whether a conversation moves to something new."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field

from clause.arrays import Doubles
from clause.graph.lease import JobKind
from clause.graph.scheduler import Round
from clause.ground import Ground
from clause.memory.cluster import prototype_of
from clause.memory.consolidation import KIND, Consolidation
from clause.memory.models import MCSConfig
from clause.memory.store import Erase, MemoryClusterStore, no_traces
from clause.text.fields import Frozen

EVERY: Final = timedelta(seconds=30)
"""The time between two looks for clusters that wait for a pass."""

WINDOW = 5
SMOOTHING = 0.3
THRESHOLD = 0.15


class MonitorAction(StrEnum):
    """The action to take now."""

    CONTINUE = "CONTINUE"
    PREPARE = "PREPARE"
    RETRIEVE = "RETRIEVE"
    RETRIEVE_CONSOLIDATE = "RETRIEVE_CONSOLIDATE"


class MonitorReading(Frozen):
    """The reading that the monitor gives after a turn."""

    action: MonitorAction = Field(description="what to do now")
    distance: float = Field(ge=0, le=2, description="1 - cosine of the newest turn and the centroid of the window")
    smoothed: float = Field(ge=0, le=2, description="exponential moving average of the distance")
    turns: int = Field(ge=1, description="turns in the window")


class SemanticStateMonitor:
    """Watches the last turns of one conversation; pure: no clock, no database.

    The distance of the newest turn to the centroid of the window, smoothed, is compared with the threshold t:
    CONTINUE < t/2 <= PREPARE < t <= RETRIEVE < 2t <= RETRIEVE_CONSOLIDATE. Until the window is full: CONTINUE.

    Args:
        window: turns that are looked at.
        smoothing: weight of the newest distance in the moving average.
        threshold: t.

    >>> monitor = SemanticStateMonitor(window=2)
    >>> [monitor.observe(turn).action.value for turn in ([1, 0], [1, 0], [0, 1])]
    ['CONTINUE', 'CONTINUE', 'PREPARE']
    """

    def __init__(self, window: int = WINDOW, smoothing: float = SMOOTHING, threshold: float = THRESHOLD) -> None:
        self._turns: deque[Doubles] = deque(maxlen=window)
        self._smoothing = smoothing
        self._threshold = threshold
        self._smoothed: float | None = None

    def observe(self, embedding: ArrayLike) -> MonitorReading:
        """The reading after one more turn, given its vector [d] (of any length above 0)."""
        self._turns.append(prototype_of(embedding))
        distance = self._distance()
        full = len(self._turns) == self._turns.maxlen
        if full:
            before = distance if self._smoothed is None else self._smoothed
            self._smoothed = self._smoothing * distance + (1 - self._smoothing) * before
        smoothed = self._smoothed or 0.0
        action = self._action(smoothed) if full else MonitorAction.CONTINUE
        return MonitorReading(action=action, distance=distance, smoothed=smoothed, turns=len(self._turns))

    def replay(self, embeddings: Sequence[ArrayLike]) -> list[MonitorReading]:
        """The reading after each of some turns."""
        return [self.observe(embedding) for embedding in embeddings]

    def _distance(self) -> float:
        centroid = prototype_of(np.mean(self._turns, axis=0))
        return float(min(2.0, max(0.0, 1.0 - float(centroid @ self._turns[-1]))))

    def _action(self, smoothed: float) -> MonitorAction:
        tolerance = 1e-12
        for least, action in (
            (2 * self._threshold, MonitorAction.RETRIEVE_CONSOLIDATE),
            (self._threshold, MonitorAction.RETRIEVE),
            (self._threshold / 2, MonitorAction.PREPARE),
        ):
            if smoothed >= least - tolerance:
                return action
        return MonitorAction.CONTINUE


@dataclass(frozen=True)
class Memory:
    """All that the doors may ask of this room.

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
        """List what a running service does by itself, unless settings forbid it: passes are queued where they wait."""
        if not self.ground.settings.memory_consolidate:
            return {}
        return {"queue consolidation": Round(self.consolidation.queue_waiting, EVERY, soon=True)}

    async def settled(self) -> None:
        """Write what waits to be written; for the end of a service."""
        await self.store.touches.settled()
