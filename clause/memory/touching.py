"""Remembers what was recalled and writes it later, in batches: a read never waits for a write."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress

from clause.errors import ClauseError
from clause.ground import Ground
from clause.telemetry import logger

AT_ONCE = 500
PAUSE_S = 1.0


class Touches:
    """Recalls that are still to be counted.

    Args:
        ground: where they are counted.
        pause_s: how long recalls are gathered before they are written, in seconds.
    """

    def __init__(self, ground: Ground, pause_s: float = PAUSE_S) -> None:
        self._ground = ground
        self._pause_s = pause_s
        self._waiting: dict[str, Counter[str]] = {}
        self._task: asyncio.Task[None] | None = None

    def note(self, recalled: Iterable[tuple[str, str]]) -> None:
        """Remember (scope, memory id) pairs; they are written in the background, soon."""
        for scope, memory_id in recalled:
            self._waiting.setdefault(scope, Counter())[memory_id] += 1
        if self._waiting and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._later(), name="touch memories")

    async def settled(self) -> None:
        """Write what waits now; for the end of a service."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        await self._write()

    async def _later(self) -> None:
        await asyncio.sleep(self._pause_s)
        await self._write()

    async def _write(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for scope, counts in waiting.items():
            rows: list[list[str | int]] = [[memory_id, times] for memory_id, times in sorted(counts.items())]
            for start in range(0, len(rows), AT_ONCE):
                await self._count(scope, rows[start : start + AT_ONCE])

    async def _count(self, scope: str, rows: list[list[str | int]]) -> None:
        try:
            touch = {"rows": rows, "scopes": [scope], "at": self._ground.now()}
            await self._ground.graph.write([("memory/lock", {"scope": scope}), ("memory/touch", touch)])
        except ClauseError as error:  # a count that is lost does no harm
            logger(__name__).warning("recalls were not counted", error=str(error))
