"""Periodic jobs in a real Neo4j: queued once when due, by however many services."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from clause.graph.jobs import Jobs
from clause.graph.lease import Job, JobState, Lease
from clause.graph.runner import Graph
from clause.graph.scheduler import JobRunner, Periodic, Scheduler
from tests.fakes.clock import Clock
from tests.servers import statement

pytestmark = pytest.mark.integration
EVERY = timedelta(hours=1)
WHERE = "knowledge/scopes_of[Source]"
SOURCE = statement(
    "MERGE (s:Scope {id: $scope}) ON CREATE SET s.scope = $scope, s.recorded_at = datetime() "
    "CREATE (:Source {id: 'src' + $scope, scope: $scope, recorded_at: datetime()})",
    parameters="$scope STRING",
)


@pytest.fixture
def clock() -> Clock:
    return Clock(datetime(2026, 3, 1, 12, 10, tzinfo=UTC))


@pytest.fixture
async def kind(graph: Graph, scope: str) -> str:
    """A kind of job of this test's own, and a scope with a source."""
    await graph.execute(SOURCE, {"scope": scope})
    return f"count {scope}"


async def queued(jobs: Jobs, scope: str, kind: str) -> tuple[Job, ...]:
    return (await jobs.list(scopes=[scope], kind=kind)).items


async def test_services_that_look_at_once_queue_a_due_job_once(
    graph: Graph, scope: str, kind: str, clock: Clock
) -> None:
    services = [Scheduler(graph, {kind: Periodic(EVERY, WHERE)}, now=clock) for _ in range(4)]
    await asyncio.gather(*(service.look() for service in services))
    (job,) = await queued(Jobs(graph), scope, kind)
    assert (job.state, job.resource, job.parameters) == (JobState.QUEUED, f"{kind}:{scope}", {})
    clock.at += 3 * EVERY
    await services[0].look()
    assert await queued(Jobs(graph), scope, kind) == (job,)  # the one that waits is the one


async def test_the_next_job_comes_when_its_time_has_passed_and_takes_the_place_of_the_one_before(
    graph: Graph, scope: str, kind: str, clock: Clock
) -> None:
    done: list[str] = []

    async def count(lease: Lease) -> None:
        done.append(lease.job.scope)

    jobs, schedule = Jobs(graph, now=clock), Scheduler(graph, {kind: Periodic(EVERY, WHERE)}, now=clock)
    runner = JobRunner(jobs, {kind: count})
    await schedule.look()
    await runner.drain()
    (first,) = await queued(jobs, scope, kind)
    clock.at += EVERY - timedelta(seconds=1)
    await schedule.look()
    assert await queued(jobs, scope, kind) == (first,)
    clock.at += timedelta(minutes=1)
    await schedule.look()
    (second,) = await queued(jobs, scope, kind)
    assert second.id > first.id
    await runner.drain()
    assert done.count(scope) == 2


async def test_a_job_that_somebody_asked_for_counts_and_stays(
    graph: Graph, scope: str, kind: str, clock: Clock
) -> None:
    jobs = Jobs(graph, now=clock)
    asked = await jobs.submit(kind, {}, scope, resource=f"{kind}:{scope}")
    async with jobs.lease(asked.id):
        pass
    schedule = Scheduler(graph, {kind: Periodic(EVERY, WHERE)}, now=clock)
    await schedule.look()
    assert [job.id for job in await queued(jobs, scope, kind)] == [asked.id]
    clock.at += 2 * EVERY
    await schedule.look()
    newer, older = await queued(jobs, scope, kind)
    assert (older.id == asked.id or newer.id == asked.id, {newer.state, older.state}) == (
        True,
        {JobState.QUEUED, JobState.SUCCEEDED},
    )


async def test_a_scope_with_nothing_to_do_gets_no_job(graph: Graph, scope: str, clock: Clock) -> None:
    kind = f"idle {scope}"
    await Scheduler(graph, {kind: Periodic(EVERY, WHERE)}, now=clock).look()
    assert await queued(Jobs(graph), scope, kind) == ()
