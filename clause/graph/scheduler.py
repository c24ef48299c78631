"""The background work of a running service: waiting jobs are run, a few at once, and from one table periodic jobs are
queued when due and rounds of upkeep are made.

A job's id is a hash of its kind, its scope and the period that it is for, so that services which look at the same
instant queue it once. What waits already is not queued again; the one before, once it succeeded, gives way.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final, NamedTuple

from ulid import ULID

from clause.errors import ClauseError
from clause.graph.jobs import Jobs
from clause.graph.lease import JobCancelledError, JobKind, LeaseLostError, reach
from clause.graph.runner import Graph
from clause.graph.scopes import confined
from clause.telemetry import logger

_log = logging.getLogger("clause.jobs")


class JobRunner:
    """Takes jobs of the kinds it knows; any number of runners may work on one graph.

    Arguments:
        jobs: where they wait.
        kinds: what to do for each kind; the function goes on from `lease.cursor` and tells its progress.
        at_once: how many jobs run at the same time here.
        every_s: how long to wait before looking for jobs again, in seconds.
    """

    def __init__(self, jobs: Jobs, kinds: Mapping[str, JobKind], *, at_once: int = 2, every_s: float = 1.0) -> None:
        self._jobs = jobs
        self._kinds = dict(kinds)
        self._at_once = at_once
        self._every_s = every_s
        self._running: dict[str, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Work until cancelled; then running jobs are queued again for the next service."""
        try:
            while True:
                await self.look()
                await self._pause()
        finally:
            await self._stop()

    async def look(self) -> int:
        """Start as many waiting jobs as there are free places; how many were started."""
        free = self._at_once - len(self._running)
        if free <= 0:
            return 0
        try:
            waiting = await self._jobs.waiting(sorted(self._kinds), limit=self._at_once + len(self._running))
        except ClauseError as error:
            _log.warning("jobs wait until the database is well: %s", error)
            return 0
        started = [job_id for job_id in waiting if job_id not in self._running][:free]
        for job_id in started:
            task = asyncio.create_task(self._work(job_id), name=f"job {job_id}")
            self._running[job_id] = task
            task.add_done_callback(partial(self._forget, job_id))
        return len(started)

    async def drain(self) -> None:
        """Run what waits until nothing does (for tests and one-off commands)."""
        while await self.look() or self._running:
            await asyncio.gather(*self._running.values())

    async def _work(self, job_id: str) -> None:
        try:
            async with self._jobs.lease(job_id) as lease:
                kind = self._kinds[lease.job.kind]
                with confined(reach(kind, lease.job.scope)):
                    await kind(lease)
        except LeaseLostError as error:
            _log.info("job %s: %s", job_id, error)
        except JobCancelledError:
            _log.info("job %s was cancelled", job_id)
        except ClauseError as error:
            _log.warning("job %s failed: %s", job_id, error)
        except Exception:
            _log.exception("job %s failed", job_id)

    def _forget(self, job_id: str, _task: asyncio.Task[None]) -> None:
        self._running.pop(job_id, None)

    async def _pause(self) -> None:
        if self._running:
            await asyncio.wait(self._running.values(), timeout=self._every_s, return_when=asyncio.FIRST_COMPLETED)
        else:
            await asyncio.sleep(self._every_s)

    async def _stop(self) -> None:
        running = [*self._running.values()]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


LOOK_S: Final = 600.0
"""Seconds between two looks for what is due; the first look comes after as long."""


class Periodic(NamedTuple):
    """The rhythm of a kind of job, and its scopes.

    Attributes:
        every: the time between two jobs of one scope.
        where: the statement that names the scopes with something to do, in a column `scope`.
    """

    every: timedelta
    where: str


class Round(NamedTuple):
    """Upkeep that a service does itself, round after round.

    Attributes:
        work: one round; more often than needed does no harm.
        every: the time between two rounds.
        soon: the first round comes at once rather than after `every`.
    """

    work: Callable[[], Awaitable[object]]
    every: timedelta
    soon: bool = False


PeriodicWork = Mapping[str, Periodic | Round]


class Scheduler:
    """Queues the jobs that are due, and makes the rounds.

    Args:
        graph: where jobs wait.
        table: kind of job -> how often and where; name of upkeep -> its round.
        now: the clock.
        sleep: waits between rounds; passed in by tests.
    """

    def __init__(
        self,
        graph: Graph,
        table: PeriodicWork,
        *,
        now: Callable[[], datetime],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._graph = graph
        self._jobs = {kind: work for kind, work in table.items() if isinstance(work, Periodic)}
        self._rounds = {name: work for name, work in table.items() if isinstance(work, Round)}
        if self._jobs:
            self._rounds["queue periodic jobs"] = Round(self.look, timedelta(seconds=LOOK_S))
        self._now = now
        self._sleep = sleep

    async def run(self) -> None:
        """Make all rounds beside each other, until cancelled."""
        async with asyncio.TaskGroup() as group:
            for name, work in self._rounds.items():
                group.create_task(self._repeat(name, work), name=name)

    async def _repeat(self, name: str, work: Round) -> None:
        """A round that fails is logged, and the next one does its work."""
        if not work.soon:
            await self._sleep(work.every.total_seconds())
        while True:
            try:
                await work.work()
            except ClauseError as error:
                logger(__name__).warning("periodic work failed", work=name, reason=str(error))
            except Exception:
                logger(__name__).exception("periodic work failed", work=name)
            await self._sleep(work.every.total_seconds())

    async def look(self) -> int:
        """Queue what is due now; how many jobs that were."""
        queued = 0
        for kind, periodic in sorted(self._jobs.items()):
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
