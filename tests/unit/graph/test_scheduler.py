"""A runner whose database is away, the cheap rules of jobs, and the rounds of periodic work."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.errors import ServerError, UnavailableError
from clause.graph.jobs import Jobs
from clause.graph.lease import JobCancelledError, JobState, Lease, LeaseLostError
from clause.graph.scheduler import LOOK_S, JobRunner, Periodic, Round, Scheduler, period_id

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


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
    async def lease(self, job_id: str, *, patient: bool = False) -> AsyncIterator[Lease]:
        self.leased.append(job_id)
        self.asked.set()
        raise {"lost": LeaseLostError, "cancelled": JobCancelledError}.get(job_id, ValueError)(job_id)
        yield


async def _nothing(lease: Lease) -> None:
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


class FakeGraph:
    """Names two scopes; is away at its first question."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.rows: list[list[str]] = []

    async def run(self, name: str, **_given: Any) -> list[dict[str, Any]]:
        self.asked.append(name)
        if len(self.asked) == 1:
            raise UnavailableError("away")
        return [{"scope": "user:bob"}, {"scope": "user:ann"}]

    async def one(self, name: str, *, rows: list[list[str]], **_given: Any) -> dict[str, Any]:
        self.asked.append(name)
        self.rows = rows
        return {"queued": len(rows)}


class Naps:
    """A sleep that notes how long it was asked to wait, and lets no more than `most` waits pass."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.seconds: list[float] = []
        self.enough = asyncio.Event()

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        if len(self.seconds) > self.most:
            self.enough.set()
            await asyncio.Event().wait()
        await asyncio.sleep(0)


async def rounds(table: dict[str, Any], most: int, graph: Any = None) -> list[float]:
    """Work until so many waits are over, then stop; the waits that were asked for."""
    naps = Naps(most)
    running = asyncio.create_task(Scheduler(graph, table, now=lambda: NOON, sleep=naps).run())
    await asyncio.wait_for(naps.enough.wait(), 10)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    return naps.seconds


async def test_a_service_looks_after_each_pause_and_again_when_the_database_is_back() -> None:
    graph = FakeGraph()
    table = {"count": Periodic(timedelta(hours=1), "some/scopes")}
    assert await rounds(table, 2, graph) == [LOOK_S] * 3
    assert graph.asked == ["some/scopes", "some/scopes", "jobs/queue_due"]
    assert [scope for scope, _ in graph.rows] == ["user:ann", "user:bob"]


@pytest.mark.parametrize("error", [UnavailableError("away"), ValueError("a mistake of our own")])
async def test_a_round_that_fails_is_followed_by_the_next(error: Exception) -> None:
    done: list[str] = []

    async def work() -> None:
        done.append("tried")
        if len(done) == 1:
            raise error
        done.append("done")

    assert await rounds({"keep": Round(work, timedelta(seconds=30))}, 2) == [30.0] * 3
    assert done == ["tried", "tried", "done"]


async def test_a_round_comes_after_its_pause_or_at_once_where_it_is_wanted_soon() -> None:
    done: list[str] = []

    def doing(name: str) -> Any:
        async def work() -> None:
            done.append(name)

        return work

    table = {"late": Round(doing("late"), timedelta(hours=1)), "soon": Round(doing("soon"), timedelta(1), soon=True)}
    await rounds(table, 0)
    assert done == ["soon"]


async def test_a_round_that_takes_long_holds_up_no_other() -> None:
    done: list[str] = []

    async def long() -> None:
        await asyncio.Event().wait()

    async def short() -> None:
        done.append("short")

    await rounds({"long": Round(long, timedelta(1), soon=True), "short": Round(short, timedelta(1), soon=True)}, 3)
    assert len(done) == 4


async def test_an_empty_table_is_no_work() -> None:
    await Scheduler(None, {}, now=lambda: NOON).run()  # type: ignore[arg-type]


@given(st.timedeltas(timedelta(0), timedelta(days=3)), st.sampled_from([timedelta(hours=1), timedelta(days=7)]))
def test_ids_of_one_period_are_equal_and_those_of_later_ones_are_greater(gone: timedelta, every: timedelta) -> None:
    later = NOON + gone
    first, second = (period_id("count", "public", at, every) for at in (NOON, later))
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    same = (NOON - epoch) // every == (later - epoch) // every
    assert (first == second) is same
    assert first <= second
    assert period_id("count", "user:ann", NOON, every) != first != period_id("other", "public", NOON, every)
