"""Jobs in a real Neo4j: one worker at a time, nothing lost, taken over when a worker is gone."""

from __future__ import annotations

import asyncio

import pytest

from clause.errors import ClauseError, NotFoundError, OutOfBoundsError
from clause.graph.jobs import Jobs
from clause.graph.lease import JobCancelledError, JobState, Lease, LeaseLostError
from clause.graph.runner import Graph
from clause.graph.scheduler import JobRunner
from clause.graph.wire import Address
from tests.integration.api.tenants import Tenant, door, tenant
from tests.servers import erase_scope

pytestmark = pytest.mark.integration


async def test_a_job_goes_from_queued_to_succeeded_and_keeps_its_progress(graph: Graph, scope: str) -> None:
    jobs = Jobs(graph)
    job = await jobs.submit("count", {"to": 3}, scope)

    async with jobs.lease(job.id) as lease:
        await lease.progress(2, 3, "counting", cursor={"at": 2})
        running = await jobs.get(job.id)
    done = await jobs.get(job.id)

    assert (job.state, running.state, done.state) == (JobState.QUEUED, JobState.RUNNING, JobState.SUCCEEDED)
    assert (running.done, running.total, running.message, running.cursor) == (2, 3, "counting", {"at": 2})
    assert job.parameters == {"to": 3}
    assert job.finished_at is None
    assert done.finished_at is not None
    assert done.version > running.version > job.version


async def test_two_workers_never_run_the_same_job(graph: Graph, scope: str) -> None:
    jobs = [Jobs(graph) for _ in range(8)]
    job = await jobs[0].submit("count", {}, scope)
    entered, leave = [], asyncio.Event()

    async def work(worker: Jobs) -> bool:
        try:
            async with worker.lease(job.id):
                entered.append(worker)
                await leave.wait()
        except LeaseLostError:
            if len(refused) == 6:
                leave.set()
            refused.append(worker)
            return False
        return True

    refused: list[Jobs] = []
    results = await asyncio.gather(*(work(worker) for worker in jobs))

    assert sum(results) == len(entered) == 1


async def test_jobs_of_one_resource_run_one_after_the_other(graph: Graph, scope: str) -> None:
    jobs = Jobs(graph, lease_s=2.0)
    first = await jobs.submit("load", {"file": 1}, scope, resource=f"load:{scope}")
    second = await jobs.submit("load", {"file": 2}, scope, resource=f"load:{scope}")
    order = []

    async def patient() -> None:
        async with jobs.lease(second.id, patient=True):
            order.append("second")

    async with jobs.lease(first.id):
        with pytest.raises(LeaseLostError, match="another worker holds"):
            async with jobs.lease(second.id):
                raise AssertionError
        waiting = asyncio.create_task(patient())
        await asyncio.wait([waiting], timeout=0.2)
        order.append("first")
    await waiting

    assert order == ["first", "second"]


async def test_a_job_that_another_worker_took_first_is_waited_for(graph: Graph, scope: str) -> None:
    jobs = Jobs(graph, lease_s=2.0)
    job = await jobs.submit("count", {}, scope)
    asked = asyncio.Event()

    async def never(_lease: Lease) -> None:
        raise AssertionError

    async with jobs.lease(job.id) as lease:
        waiting = asyncio.create_task(jobs.work(job.id, never))
        asyncio.get_running_loop().call_later(0.2, asked.set)
        await asked.wait()
        await lease.progress(4, 4)
    assert ((done := await waiting).state, done.done) == (JobState.SUCCEEDED, 4)

    failing = await jobs.submit("count", {}, scope)
    with pytest.raises(ValueError, match="no"):
        async with jobs.lease(failing.id):
            raise ValueError("no")
    with pytest.raises(LeaseLostError, match="failed already"):
        await jobs.work(failing.id, never)


async def test_a_silent_workers_job_is_taken_over_from_its_cursor_and_the_old_worker_can_write_no_more(
    graph: Graph, scope: str
) -> None:
    jobs = Jobs(graph, lease_s=0.3)
    job = await jobs.submit("count", {}, scope)
    old = await jobs._acquire(job.id, patient=False)  # a worker whose heart does not beat
    await old.progress(5, 10, cursor={"at": 5})

    async with jobs.lease(job.id, patient=True) as new:
        taken_from = dict(new.cursor)
        with pytest.raises(LeaseLostError):
            await old.progress(6, 10, cursor={"at": 6})
        with pytest.raises(LeaseLostError):
            await old.progress(7, 10)
        await new.progress(7, cursor={"at": 7})
    await old.finish("failed", "too late")
    done = await jobs.get(job.id)

    assert taken_from == {"at": 5}
    assert (done.state, done.cursor, done.done, done.total) == (JobState.SUCCEEDED, {"at": 7}, 7, 10)


async def test_a_beating_heart_keeps_a_lease_beyond_its_time(graph: Graph, scope: str) -> None:
    jobs = Jobs(graph, lease_s=0.6)
    job = await jobs.submit("count", {}, scope)
    rival = Jobs(graph, lease_s=0.6)

    async with jobs.lease(job.id) as lease:
        beats = 0
        guard, original = [], graph.run

        async def run(name: str, **parameters: object) -> object:
            guard.append(name)
            return await original(name, **parameters)  # type: ignore[arg-type]

        graph.run = run  # type: ignore[method-assign,assignment]
        try:
            while beats < 5:
                await asyncio.sleep(0)
                beats = guard.count("jobs/guard")
        finally:
            graph.run = original  # type: ignore[method-assign]
        with pytest.raises(LeaseLostError):
            async with rival.lease(job.id):
                raise AssertionError
        await lease.progress(1, 1)

    assert (await jobs.get(job.id)).state is JobState.SUCCEEDED


async def test_an_error_fails_the_job_and_resuming_goes_on_from_the_cursor(graph: Graph, scope: str) -> None:
    jobs = Jobs(graph)
    job = await jobs.submit("count", {"a": 1}, scope, resource=f"x:{scope}")

    async def fail() -> None:
        async with jobs.lease(job.id) as lease:
            await lease.progress(1, 2, cursor={"at": 1})
            raise ZeroDivisionError("one by zero")

    with pytest.raises(ZeroDivisionError):
        await fail()
    failed = await jobs.get(job.id)
    again = await jobs.submit("count", {"a": 1}, scope, resource=f"x:{scope}", resume=True)
    other = await jobs.submit("count", {"a": 2}, scope, resource=f"x:{scope}", resume=True)

    assert (failed.state, failed.error) == (JobState.FAILED, "one by zero")
    assert (again.id, again.state, again.cursor, again.error) == (job.id, JobState.QUEUED, {"at": 1}, None)
    assert other.id != job.id
    async with jobs.lease(job.id):
        pass
    with pytest.raises(LeaseLostError, match="has succeeded already"):
        async with jobs.lease(job.id):
            raise AssertionError


async def test_a_task_that_is_stopped_leaves_its_job_queued(graph: Graph, scope: str) -> None:
    jobs = Jobs(graph)
    job = await jobs.submit("count", {}, scope)
    inside = asyncio.Event()

    async def work() -> None:
        async with jobs.lease(job.id):
            inside.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await inside.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    assert (await jobs.get(job.id)).state is JobState.QUEUED


async def test_cancelling_ends_a_waiting_job_at_once_and_a_running_one_at_its_next_progress(
    graph: Graph, scope: str
) -> None:
    jobs = Jobs(graph)
    waiting, running = await jobs.submit("count", {}, scope), await jobs.submit("count", {}, scope)

    cancelled = await jobs.cancel(waiting.id)
    asked = []

    async def work() -> None:
        async with jobs.lease(running.id) as lease:
            asked.append(await jobs.cancel(running.id))
            await lease.progress(1, 2)

    with pytest.raises(JobCancelledError):
        await work()

    assert cancelled.state is JobState.CANCELLED
    assert [(job.state, job.cancel_requested) for job in asked] == [(JobState.RUNNING, True)]
    assert (await jobs.get(running.id)).state is JobState.CANCELLED
    assert (await jobs.resume(running.id)).state is JobState.QUEUED


async def test_watching_shows_each_change_and_ends_with_the_job(graph: Graph, scope: str) -> None:
    jobs = Jobs(graph)
    job = await jobs.submit("count", {}, scope)
    job_id = job.id
    seen: list[tuple[JobState, int]] = []
    looked = asyncio.Event()

    async def look(_: float) -> None:
        looked.set()
        await asyncio.sleep(0)

    async def watch() -> None:
        seen.extend([(job.state, job.done) async for job in Jobs(graph, sleep=look).watch(job_id)])

    watching = asyncio.create_task(watch())
    await looked.wait()
    async with jobs.lease(job.id) as lease:
        await lease.progress(1, 1)
    await watching

    assert seen[0] == (JobState.QUEUED, 0)
    assert seen[-1] == (JobState.SUCCEEDED, 1)


async def test_jobs_are_listed_newest_first_in_pages_and_by_scope(graph: Graph, scope: str) -> None:
    jobs = Jobs(graph)
    ids = [(await jobs.submit("count", {"n": n}, scope)).id for n in range(3)]
    newest_first = sorted(ids, reverse=True)

    first = await jobs.list(scopes=[scope], limit=2)
    second = await jobs.list(scopes=[scope], limit=2, cursor=first.next_cursor)

    assert [job.id for job in (*first.items, *second.items)] == newest_first
    assert second.next_cursor is None
    assert (await jobs.list(scopes=[scope], state=JobState.RUNNING)).items == ()
    with pytest.raises(NotFoundError):
        await jobs.get(ids[0], scopes=["kg:another"])
    with pytest.raises(OutOfBoundsError):
        await jobs.list(limit=0)


async def test_who_queues_work_in_a_session_of_theirs_sees_watches_and_cancels_it_and_nobody_else_does(
    migrated_address: Address, no_model: None
) -> None:
    ann, bob = tenant("ann"), tenant("bob")
    alike = Tenant("alike", f"{ann.scope}n", "none")
    session = f"{ann.scope}/session:7"
    async with door(migrated_address, ann, bob, alike) as (app, container):
        try:
            queued = await app.ask(ann, "post", "/api/jobs", {"kind": "rate_sources", "scope": session})
            own, job = queued.headers["Location"], queued.json()["id"]
            for other in (bob, alike):
                refused = [await app.ask(other, "get", path) for path in (own, f"{own}/events")]
                refused.append(await app.ask(other, "post", f"{own}/cancel"))
                assert [one.status_code for one in refused] == [404, 404, 404]
                assert (await app.ask(other, "get", "/api/jobs")).json()["items"] == []
            with pytest.raises(NotFoundError):
                await Jobs(container.graph).resume(job, scopes=[bob.scope])

            assert (await app.ask(ann, "get", own)).json()["scope"] == session
            assert [one["id"] for one in (await app.ask(ann, "get", "/api/jobs")).json()["items"]] == [job]
            assert (await app.ask(ann, "post", f"{own}/cancel")).json()["state"] == "cancelled"
            assert "event: job" in (await app.ask(ann, "get", f"{own}/events")).text
            assert (await Jobs(container.graph).resume(job, scopes=[ann.scope])).state is JobState.QUEUED
        finally:
            await erase_scope(container.graph, session)


async def test_a_runner_works_off_the_kinds_it_knows_and_survives_what_they_raise(graph: Graph, scope: str) -> None:
    jobs = Jobs(graph)
    kind = f"count-{scope}"
    at_once, most = 0, 0

    async def count(lease: Lease) -> None:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        try:
            await lease.progress(1, 1)
            errors = {"ours": ClauseError("ours"), "theirs": ValueError("theirs")}
            if lease.job.parameters["raise"] in errors:
                raise errors[lease.job.parameters["raise"]]
        finally:
            at_once -= 1

    done = [await jobs.submit(kind, {"raise": raises}, scope) for raises in ("", "ours", "theirs", "", "")]
    foreign = await jobs.submit(f"unknown-{scope}", {}, scope)
    await JobRunner(jobs, {kind: count}, at_once=2).drain()

    states = [(await jobs.get(job.id)).state for job in done]
    assert states == [JobState.SUCCEEDED, JobState.FAILED, JobState.FAILED, JobState.SUCCEEDED, JobState.SUCCEEDED]
    assert (await jobs.get(foreign.id)).state is JobState.QUEUED
    assert most <= 2


async def test_a_runner_that_is_stopped_hands_its_jobs_back(graph: Graph, scope: str) -> None:
    jobs = Jobs(graph)
    kind, inside = f"wait-{scope}", asyncio.Event()

    async def wait(lease: Lease) -> None:
        inside.set()
        await asyncio.Event().wait()

    job = await jobs.submit(kind, {}, scope)
    running = asyncio.create_task(JobRunner(jobs, {kind: wait}, every_s=0.05).run())
    await inside.wait()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)

    assert (await jobs.get(job.id)).state is JobState.QUEUED
