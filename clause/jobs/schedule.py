"""The periodic work of a running service: jobs that are due are queued, in every scope that has something to do.

A job's id is a hash of its kind, its scope and the period that it is for, so that services which look at the same
instant queue it once. What waits already is not queued again; the one before, once it succeeded, gives way.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from ulid import ULID

from clause.errors import ClauseError
from clause.graph.runner import Graph
from clause.telemetry import logger

LOOK_S: Final = 600.0
"""How often a service looks for what is due, in seconds; the first time after as long."""


class Periodic(NamedTuple):
    """How often a kind of job runs, and where.

    Attributes:
        every: the time between two jobs of one scope.
        where: the statement that names the scopes with something to do, in a column `scope`.
    """

    every: timedelta
    where: str


class Schedule:
    """Queues what is due.

    Args:
        graph: where jobs wait.
        table: kind -> how often and where.
        now: the clock.
        sleep: waits between looks; passed in by tests.
    """

    def __init__(
        self,
        graph: Graph,
        table: Mapping[str, Periodic],
        *,
        now: Callable[[], datetime],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._graph = graph
        self._table = dict(table)
        self._now = now
        self._sleep = sleep

    async def run(self) -> None:
        """Look again and again, until cancelled; a look that fails is logged, and the next one does its work."""
        while True:
            await self._sleep(LOOK_S)
            try:
                await self.look()
            except ClauseError as error:
                logger(__name__).warning("periodic jobs wait", reason=str(error))

    async def look(self) -> int:
        """Queue what is due now; how many jobs that were."""
        queued = 0
        for kind, periodic in sorted(self._table.items()):
            now = self._now()
            scopes = [str(row["scope"]) for row in await self._graph.run(periodic.where)]
            rows = [[scope, period_id(kind, scope, now, periodic.every)] for scope in sorted(scopes)]
            if rows:
                row = await self._graph.one(
                    "jobs/queue_due", rows=rows, kind=kind, since=now - periodic.every, recorded_at=now
                )
                queued += int(row["queued"]) if row else 0
        return queued


def period_id(kind: str, scope: str, now: datetime, every: timedelta) -> str:
    """The id of a job of one period: a ULID whose time is the period's beginning and whose rest is a hash.

    >>> hour, at = timedelta(hours=1), datetime(2026, 3, 1, 12, 20, tzinfo=UTC)
    >>> period_id("a", "public", at, hour) == period_id("a", "public", at + timedelta(minutes=39), hour)
    True
    >>> period_id("a", "public", at, hour) < period_id("a", "public", at + hour, hour)
    True
    """
    periods = (now - datetime.fromtimestamp(0, UTC)) // every
    began_ms = periods * every // timedelta(milliseconds=1)
    digest = hashlib.sha256(f"{kind}\n{scope}\n{began_ms}".encode()).digest()
    return str(ULID(began_ms.to_bytes(6, "big") + digest[:10]))
