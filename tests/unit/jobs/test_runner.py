"""A runner whose database is away, and the cheap rules of jobs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from clause.errors import ServerError, UnavailableError
from clause.jobs.jobs import Jobs
from clause.jobs.models import JobCancelledError, JobState, LeaseLostError
from clause.jobs.runner import JobRunner
from clause.jobs.turn import Turn


class FakeJobs(Jobs):
    """Hands out ids from a script; leasing one raises what its id says."""

    def __init__(self, *looks: Sequence[str] | Exception) -> None:
        self.looks = [*looks]
        self.leased: list[str] = []
        self.asked = asyncio.Event()

    async def waiting(self, kinds: Sequence[str], limit: int = 10) -> Sequence[str]:
        look = self.looks.pop(0) if self.looks else ()
        if isinstance(look, Exception):
            raise look
        return look

    @asynccontextmanager
    async def lease(self, job_id: str, *, patient: bool = False) -> AsyncIterator[Turn]:
        self.leased.append(job_id)
        self.asked.set()
        raise {"lost": LeaseLostError, "cancelled": JobCancelledError}.get(job_id, ValueError)(job_id)
        yield


async def _nothing(turn: Turn) -> None:
    raise AssertionError


@pytest.mark.parametrize("error", [UnavailableError("away"), ServerError("another service has the port")])
async def test_a_database_that_is_away_stops_no_runner(error: Exception) -> None:
    jobs = FakeJobs(error, ["lost"])
    runner = JobRunner(jobs, {"x": _nothing})

    first, second = await runner.look(), await runner.look()
    await runner.drain()

    assert (first, second) == (0, 1)
    assert jobs.leased == ["lost"]


async def test_no_more_jobs_are_started_than_there_are_places() -> None:
    jobs = FakeJobs(["lost", "cancelled", "broken"], ["broken"])
    runner = JobRunner(jobs, {"x": _nothing}, at_once=2)

    started = await runner.look()
    full = await runner.look()
    await runner.drain()

    assert (started, full) == (2, 0)
    assert jobs.leased == ["lost", "cancelled", "broken"]


async def test_a_running_runner_looks_again_after_its_pause() -> None:
    jobs = FakeJobs([], ["lost"])
    running = asyncio.create_task(JobRunner(jobs, {"x": _nothing}, every_s=0.001).run())

    await jobs.asked.wait()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)

    assert jobs.leased == ["lost"]


def test_only_ended_jobs_are_final() -> None:
    assert [state for state in JobState if not state.is_final] == [JobState.QUEUED, JobState.RUNNING]
