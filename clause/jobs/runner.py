"""Runs waiting jobs in the background of a service, a few at once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from functools import partial

from clause.errors import ClauseError
from clause.jobs.jobs import Jobs
from clause.jobs.models import JobCancelledError, LeaseLostError
from clause.jobs.turn import JobKind

_log = logging.getLogger("clause.jobs")


class JobRunner:
    """Takes jobs of the kinds it knows; any number of runners may work on one graph.

    Arguments:
        jobs: where they wait.
        kinds: what to do for each kind; the function goes on from `turn.cursor` and tells its progress.
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
            async with self._jobs.lease(job_id) as turn:
                await self._kinds[turn.job.kind](turn)
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
