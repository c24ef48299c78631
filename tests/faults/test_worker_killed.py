"""A job whose worker is killed with -9, and a worker whose clock is wrong."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from clause.graph.idempotency import IdempotencyKeys, RequestKey, StoredResponse
from clause.graph.jobs import Jobs
from clause.graph.lease import JobState, Lease, LeaseLostError
from clause.graph.runner import Graph
from clause.graph.wire import Address
from tests.servers import statement

pytestmark = pytest.mark.integration

STEPS = 60
YEAR = timedelta(days=365)
COUNTED = statement(
    "MATCH (e:Entity {scope: $scope}) RETURN e.name AS name ORDER BY toInteger(name)",
    mode="read",
    parameters="$scope STRING",
    columns="name",
)
WORKER = """
import asyncio, sys
from pydantic import SecretStr
from clause.graph.wire import Address
from clause.graph.catalogue import Catalogue
from clause.graph.runner import Graph
from clause.graph.jobs import Jobs
from tests.faults.test_worker_killed import count

uri, user, password, database, job_id = sys.argv[1:]

async def main():
    async with Graph(Address(uri, user, SecretStr(password), database), Catalogue.load()) as graph:
        async with Jobs(graph, lease_s=2.0).lease(job_id) as lease:
            await count(lease, told=lambda number: print(number, flush=True))

asyncio.run(main())
"""


async def count(lease: Lease, told: object = None) -> None:
    """A job that makes one entity a step, in one transaction with its cursor."""
    scope = lease.job.scope
    for number in range(int(lease.cursor.get("at", 0)), STEPS):
        entity = [0, f"{scope}-{number}", str(number), str(number), str(number), "concept", []]
        common = {"scope": scope, "scope_token": "s", "recorded_at": lease.job.created_at}
        await lease.commit([("graph/merge_entities", {"rows": [entity], **common})], cursor={"at": number + 1})
        if callable(told):
            told(number)


async def test_the_job_of_a_killed_worker_is_finished_by_another_and_each_step_is_done_once(
    graph: Graph, migrated_address: Address, scope: str
) -> None:
    job = await Jobs(graph).submit("count", {}, scope)
    address = migrated_address
    arguments = (address.uri, address.user, address.password.get_secret_value(), address.database, job.id)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", WORKER, *arguments, stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[2]
    )
    assert process.stdout is not None
    acknowledged = -1
    async for line in process.stdout:
        acknowledged = int(line)
        if acknowledged >= STEPS // 3:
            os.kill(process.pid, signal.SIGKILL)
            break
    assert await process.wait() == -signal.SIGKILL
    orphan = await Jobs(graph).get(job.id)

    async with Jobs(graph, lease_s=2.0).lease(job.id, patient=True) as lease:
        taken_over_at = lease.cursor["at"]
        await count(lease)

    assert orphan.state is JobState.RUNNING
    assert acknowledged + 1 <= taken_over_at < STEPS
    assert (await Jobs(graph).get(job.id)).state is JobState.SUCCEEDED
    names = [row["name"] for row in await graph.execute(COUNTED, {"scope": scope})]
    assert names == [str(number) for number in range(STEPS)]


@pytest.mark.parametrize("skew", [YEAR, -YEAR], ids=["ahead", "behind"])
async def test_a_machine_whose_clock_is_a_year_off_takes_no_lease_and_loses_none(
    graph: Graph, scope: str, skew: timedelta
) -> None:
    right, wrong = Jobs(graph), Jobs(graph, now=lambda: datetime.now(UTC) + skew)
    job = await wrong.submit("count", {}, scope)

    async with right.lease(job.id) as lease:
        with pytest.raises(LeaseLostError, match="another worker holds"):
            async with wrong.lease(job.id):
                raise AssertionError
        await lease.progress(1, 2)
    other = await right.submit("count", {}, scope)
    async with wrong.lease(other.id) as lease:
        with pytest.raises(LeaseLostError, match="another worker holds"):
            async with right.lease(other.id):
                raise AssertionError
        await lease.progress(1, 2)

    done = await right.get(other.id)
    assert done.state is JobState.SUCCEEDED
    assert done.started_at is not None
    assert abs(done.started_at - datetime.now(UTC)) < timedelta(days=1)


async def test_a_request_that_is_sent_again_through_a_machine_an_hour_behind_is_not_done_twice(
    graph: Graph, scope: str
) -> None:
    async def queued() -> StoredResponse:
        return StoredResponse(202, {"id": "job"})

    key = RequestKey(scope, "key", "request")
    await IdempotencyKeys(graph).once(key, queued)
    behind = IdempotencyKeys(graph, now=lambda: datetime.now(UTC) - timedelta(hours=1))
    ahead = IdempotencyKeys(graph, now=lambda: datetime.now(UTC) + timedelta(hours=1))
    for keys in (behind, ahead):
        assert await keys.once(key, queued) == StoredResponse(202, {"id": "job"}, replayed=True)
