"""Counts recalls and writes them later, in batches: a read never waits for a write."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from clause.errors import ClauseError
from clause.graph.outbox import Outbox
from clause.ground import Ground
from clause.telemetry import logger

BATCH = 500
"""Recalls that are written together, in one transaction for each scope."""
MOST_WAITING = 100_000
PAUSE_S = 1.0


class Touch(NamedTuple):
    """A recall of one memory."""

    scope: str
    memory_id: str


class Touches:
    """Recalls that are still to be counted.

    Args:
        ground: where they are counted.
        pause_s: how long recalls are gathered before they are written, in seconds.
    """

    def __init__(self, ground: Ground, pause_s: float = PAUSE_S) -> None:
        self._ground = ground
        self._pause_s = pause_s
        self._outbox: Outbox[Touch] = Outbox(
            self._write,
            batch=BATCH,
            most=MOST_WAITING,
            on_loss=_told,
            moment=self._gathered,
            name="touch memories",
        )

    def note(self, recalled: Iterable[tuple[str, str]]) -> None:
        """Remember (scope, memory id) pairs; they are written in the background, soon."""
        for scope, memory_id in recalled:
            self._outbox.add(Touch(scope, memory_id))

    async def settled(self) -> None:
        """Write what waits now; for the end of a service."""
        await self._outbox.settled()

    async def _gathered(self) -> None:
        """Return once there has been time to gather, or enough for a batch waits already."""
        if self._outbox.waiting < BATCH:
            await asyncio.sleep(self._pause_s)

    async def _write(self, touches: Sequence[Touch]) -> None:
        scopes: dict[str, Counter[str]] = {}
        for touch in touches:
            scopes.setdefault(touch.scope, Counter())[touch.memory_id] += 1
        for scope, counts in scopes.items():
            rows = [[memory_id, times] for memory_id, times in sorted(counts.items())]
            given = {"rows": rows, "scopes": [scope], "at": self._ground.now()}
            try:
                await self._ground.graph.write([("memory/lock", {"scope": scope}), ("memory/touch", given)])
            except ClauseError as error:  # the other scopes are counted all the same
                self._outbox.lose([touch for touch in touches if touch.scope == scope], str(error))


def _told(lost: Sequence[Touch], reason: str) -> None:
    logger(__name__).warning("recalls were not counted", recalls=len(lost), reason=reason)
