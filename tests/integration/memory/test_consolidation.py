"""Consolidation: full clusters are closed, twins become one, and wherever it is broken off the end is the same."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from clause.errors import ForbiddenError, UnavailableError
from clause.graph.jobs import Jobs
from clause.graph.lease import JobState
from clause.graph.runner import Graph
from clause.graph.scheduler import JobRunner, Scheduler
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.memory.consolidation import Consolidation
from clause.memory.models import MCSConfig, MemoryReadInput, MemoryWriteInput
from clause.memory.room import Memory
from tests.integration.memory.conftest import OWNER
from tests.integration.memory.reading_back import clusters, faults, memories
from tests.servers import erase_scope, statement

pytestmark = pytest.mark.integration

TEA = "green tea in the old garden at noon"


def note(content: str, scope: str, **more: object) -> MemoryWriteInput:
    return MemoryWriteInput.model_validate({"content": content, "scope": scope, **more})


async def six(memory: Memory, scope: str, opening: str = TEA) -> list[Any]:
    texts = [f"{opening} {word}" for word in ("today", "again", "slowly", "quietly", "outside", "happily")]
    return [await memory.store.write(note(text, scope), caller=OWNER) for text in texts]


async def test_consolidation_on_threshold(memory: Memory, graph: Graph, scope: str) -> None:
    written = await six(memory, scope)
    assert [one.consolidated for one in written] == [False] * 5 + [True]
    assert len({one.cluster_id for one in written}) == 1
    queued = await memory.store.cluster(written[0].cluster_id, caller=OWNER)
    assert (queued.queued, queued.consolidated, queued.compression) == (True, False, 1.0)

    report = await memory.consolidation.run(scope, caller=OWNER)

    closed = await memory.store.cluster(written[0].cluster_id, caller=OWNER)
    assert (report.looked_at, report.joined, report.consolidated) == (1, 0, 1)
    assert (closed.queued, closed.consolidated, closed.compression, closed.size) == (False, True, 6.0, 6)
    assert closed.cohesion is not None
    assert closed.representative_content is not None
    assert closed.representative_content.startswith(TEA)
    assert await faults(graph, scope) == []


async def test_the_representative_is_the_member_closest_to_the_prototype(memory: Memory, scope: str) -> None:
    written = await six(memory, scope)
    await memory.consolidation.run(scope, caller=OWNER)
    cluster = await memory.store.members(written[0].cluster_id, caller=OWNER)
    closed = await memory.store.cluster(written[0].cluster_id, caller=OWNER)
    assert cluster.is_consolidated
    assert closed.representative_content == cluster.representative_content
    found = await memory.store.read(MemoryReadInput(query_text=TEA, k=6, scopes=[scope]), caller=OWNER)
    assert [one.memory_id for one in found if one.is_representative] == [closed.representative_id]


async def test_a_consolidated_cluster_takes_no_member_and_a_later_pass_joins_the_sibling(
    memory: Memory, graph: Graph, scope: str
) -> None:
    written = await six(memory, scope)
    await memory.consolidation.run(scope, caller=OWNER)
    closed = written[0].cluster_id
    sibling = await memory.store.write(note(f"{TEA} happily", scope), caller=OWNER)
    assert sibling.is_new_cluster
    assert sibling.cluster_id != closed
    other = await memory.store.write(note(f"{TEA} warmly", scope), caller=OWNER)
    assert other.cluster_id == sibling.cluster_id

    report = await memory.consolidation.run(scope, caller=OWNER)

    (only,) = await clusters(graph, scope)
    assert report.joined == 1
    assert (only["cluster_id"], only["size"], only["consolidated"], only["settled"]) == (closed, 8, True, True)
    assert len(await memories(graph, scope)) == 8
    assert await faults(graph, scope) == []


async def test_near_clusters_of_another_meaning_stay_apart(memory: Memory, graph: Graph, scope: str) -> None:
    texts = [
        "Ann paid 20 euros for the green tea in the old garden",
        "Ann paid 30 euros for the green tea in the old garden",
    ]
    for text in texts:
        await memory.store.write(note(text, scope, force_new_cluster=True), caller=OWNER)
    await unforced(graph, scope)
    report = await memory.consolidation.run(scope, caller=OWNER)
    assert (report.looked_at, report.joined) == (2, 0)
    assert [row["size"] for row in await clusters(graph, scope)] == [1, 1]


async def test_twins_written_at_one_instant_are_joined_by_the_next_pass(
    memory: Memory, graph: Graph, scope: str
) -> None:
    """Each writer reads before any of them writes: a vector index shows nothing of open transactions."""
    original, together = graph.write, asyncio.Barrier(4)

    async def held(work: Any, **more: Any) -> Any:
        if any(name == "memory/create" for name, _ in work):
            await together.wait()
        return await original(work, **more)

    graph.write = held  # type: ignore[method-assign]
    try:
        written = await asyncio.gather(*(memory.store.write(note(TEA, scope), caller=OWNER) for _ in range(4)))
    finally:
        graph.write = original  # type: ignore[method-assign]
    assert len({one.cluster_id for one in written}) == 4

    report = await memory.consolidation.run(scope, caller=OWNER)

    (only,) = await clusters(graph, scope)
    assert report.joined == 3
    assert (only["cluster_id"], only["size"]) == (min(one.cluster_id for one in written), 4)
    assert await faults(graph, scope) == []


async def filled(memory: Memory, graph: Graph, scope: str) -> None:
    """A full cluster, one with a twin, and some alone."""
    await six(memory, scope)
    for text in ("heavy rain on the road home", "heavy rain on the road home", "salt", "a flat tyre"):
        await memory.store.write(note(text, scope, force_new_cluster=True), caller=OWNER)
    await unforced(graph, scope)


async def test_a_cluster_that_was_forced_new_is_left_alone_by_a_pass(memory: Memory, graph: Graph, scope: str) -> None:
    """Neither joined to the twin that was there nor to one that comes; it may still grow full and be closed."""
    before = await memory.store.write(note(TEA, scope), caller=OWNER)
    forced = await memory.store.write(note(TEA, scope, force_new_cluster=True), caller=OWNER)
    assert (await memory.consolidation.run(scope, caller=OWNER)).joined == 0
    assert [row["size"] for row in await clusters(graph, scope)] == [1, 1]
    await unforced(graph, scope)
    await execute(graph, "MATCH (c:MemoryCluster {scope: $scope}) SET c.settled = false", scope)
    assert (await memory.consolidation.run(scope, caller=OWNER)).joined == 1
    assert before.cluster_id != forced.cluster_id


@pytest.mark.parametrize("crowd", [7, 24])
async def test_forced_twins_hide_no_sibling_from_a_pass(memory: Memory, graph: Graph, scope: str, crowd: int) -> None:
    for _ in range(crowd + 2):
        await memory.store.write(note(TEA, scope, force_new_cluster=True), caller=OWNER)
    last_two = "MATCH (c:MemoryCluster {scope: $scope}) WITH c ORDER BY c.cluster_id DESC LIMIT 2 SET c.forced = false"
    await execute(graph, last_two, scope)
    report = await memory.consolidation.run(scope, caller=OWNER)
    assert report.joined == 1
    assert [row["size"] for row in await clusters(graph, scope)] == [1] * crowd + [2]


async def test_a_dry_run_compares_page_by_page_and_tells_what_a_pass_does(
    memory: Memory, ground: Ground, graph: Graph, config: MCSConfig, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"{topic} on the road home" for topic in ("rain", "salt", "wind", "mist") for _ in range(2)]
    await six(memory, scope)
    for text in texts:
        await memory.store.write(note(text, scope, force_new_cluster=True), caller=OWNER)
    await unforced(graph, scope)
    original, compared = graph.run, []

    async def noted(name: str, /, **given: Any) -> Any:
        compared.extend([len(given["pairs"])] if name == "memory/compare" else [])
        return await original(name, **given)

    monkeypatch.setattr(graph, "run", noted)
    small = Consolidation(ground, config, page=2)
    told = await small.run(scope, caller=OWNER, dry_run=True)
    assert len(compared) == 5
    assert max(compared) <= 2 * 5
    done = await small.run(scope, caller=OWNER)
    assert (told.looked_at, told.joined, told.consolidated) == (9, 4, 1)
    assert (done.joined, done.consolidated) == (4, 1)


async def test_what_another_writer_changed_meanwhile_is_counted_when_it_is_done(
    memory: Memory, graph: Graph, ground: Ground, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(memory, graph, scope)
    original, times = graph.write, 0

    async def late(work: Any, **more: Any) -> Any:
        nonlocal times
        if any(name == "memory/consolidate" for name, _ in work) and not times:
            times += 1
            text = "MATCH (c:MemoryCluster {scope: $scope}) SET c.version = c.version + 1"
            await execute(graph, text, scope)
        return await original(work, **more)

    monkeypatch.setattr(graph, "write", late)
    report = await memory.consolidation.run(scope, caller=OWNER)
    assert (times, report.joined, report.consolidated) == (1, 1, 1)
    assert b'clause_memories_total{operation="consolidated"} 1.0' in ground.metrics.render()


async def unforced(graph: Graph, scope: str) -> None:
    """As if the clusters of a scope had been opened by writers at one instant, not because somebody wanted it."""
    await execute(graph, "MATCH (c:MemoryCluster {scope: $scope}) SET c.forced = false", scope)


async def execute(graph: Graph, text: str, scope: str) -> None:
    await graph.execute(statement(text, parameters="$scope STRING"), {"scope": scope})


async def state(graph: Graph, scope: str) -> list[Any]:
    """What there is, without numbers and ids that differ between two scopes."""
    content = {row["id"]: row["content"] for row in await memories(graph, scope)}
    return [
        (
            sorted(one[1] for one in row["members"]),
            row["size"], row["consolidated"], row["settled"], content.get(row["representative"]),
            [round(x, 9) for x in row["prototype"]],
        )
        for row in await clusters(graph, scope)
    ]  # fmt: skip


class Killed(BaseException):
    """What ends a worker without a word."""


@pytest.mark.parametrize("after_commit", [False, True], ids=["before-a-commit", "after-a-commit"])
async def test_killed_at_any_point_and_run_again_the_end_is_the_same(
    ground: Ground, graph: Graph, scope: str, after_commit: bool
) -> None:
    config = MCSConfig(y_encoder_model="hash")
    memory = replace(Memory.open(ground, config), consolidation=Consolidation(ground, config, page=2))
    whole = f"{scope}-whole"
    try:
        await filled(memory, graph, whole)
        await memory.consolidation.run(whole, caller=OWNER)
        wanted = await state(graph, whole)
        assert [row[1] for row in wanted] == [6, 2, 1, 1]
        await filled(memory, graph, scope)
        for kill_at in range(30):
            if await killed_at(ground, graph, memory, scope, kill_at, after_commit):
                break
        else:
            raise AssertionError("it never ended")
        assert kill_at >= 3
        assert await state(graph, scope) == wanted
        assert await faults(graph, scope) == []
    finally:
        await erase_scope(graph, whole)


async def killed_at(ground: Ground, graph: Graph, memory: Memory, scope: str, kill_at: int, after_commit: bool) -> bool:
    """Run with a worker that is killed after its first page, or before its first or second; True at the end."""
    jobs = Jobs(graph, lease_s=0.3)
    job = await memory.consolidation.queue(scope, caller=OWNER)
    lease = await jobs._acquire(job.id, patient=True)  # a worker whose heart does not beat
    committed = 0
    original = lease.commit

    async def commit(*args: Any, **more: Any) -> Any:
        nonlocal committed
        if not after_commit and committed == kill_at % 2:
            raise Killed
        rows = await original(*args, **more)
        committed += 1
        if after_commit:
            raise Killed
        return rows

    lease.commit = commit  # type: ignore[method-assign]
    try:
        await memory.consolidation.consolidate(lease)
    except Killed:
        return False
    await lease.finish(JobState.SUCCEEDED)
    return True


async def test_two_runners_never_do_one_cluster_twice(ground: Ground, graph: Graph, scope: str) -> None:
    config = MCSConfig(y_encoder_model="hash")
    memory = Memory.open(ground, config)
    for opening in (TEA, "heavy rain on the long road home", "salt and pepper on the kitchen table"):
        await six(memory, scope, opening)
    done: list[str] = []
    original = graph.write

    async def told(work: Any, **more: Any) -> Any:
        rows = await original(work, **more)
        done.extend(
            row["id"]
            for (name, _), found in zip(work, rows, strict=True)
            if name == "memory/consolidate"
            for row in found
        )
        return rows

    graph.write = told  # type: ignore[method-assign]
    try:
        runners = [JobRunner(ground.jobs, memory.job_kinds(), at_once=1) for _ in range(2)]
        await memory.consolidation.queue(scope, caller=OWNER)
        await asyncio.gather(
            *(runner.drain() for runner in runners),
            memory.consolidation.run(scope, caller=OWNER),
            return_exceptions=True,
        )
        await memory.consolidation.run(scope, caller=OWNER)
    finally:
        graph.write = original  # type: ignore[method-assign]
    assert len(done) == len(set(done)) == 3
    assert await memory.consolidation.work([scope]) == {}


async def test_writes_during_a_pass_lose_nothing(memory: Memory, graph: Graph, scope: str) -> None:
    await six(memory, scope)

    async def write(number: int) -> None:
        await memory.store.write(note(f"{TEA} {number}", scope), caller=OWNER)

    await asyncio.gather(*map(write, range(8)), memory.consolidation.run(scope, caller=OWNER))
    await memory.consolidation.run(scope, caller=OWNER)
    assert len(await memories(graph, scope)) == 14
    assert await faults(graph, scope) == []


async def test_a_dry_run_writes_nothing_and_says_what_it_would_do(memory: Memory, graph: Graph, scope: str) -> None:
    await filled(memory, graph, scope)
    before = await state(graph, scope)
    report = await memory.consolidation.run(scope, caller=OWNER, dry_run=True)
    assert (report.job_id, report.looked_at, report.joined, report.consolidated) == (None, 5, 1, 1)
    assert await state(graph, scope) == before
    assert await memory.consolidation.work([scope]) == {scope: 5}


async def test_the_representative_of_a_deleted_memory_is_chosen_anew(memory: Memory, graph: Graph, scope: str) -> None:
    written = await six(memory, scope)
    await memory.consolidation.run(scope, caller=OWNER)
    closed = await memory.store.cluster(written[0].cluster_id, caller=OWNER)
    assert closed.representative_id is not None
    await memory.store.delete(closed.representative_id, caller=OWNER)
    await memory.consolidation.run(scope, caller=OWNER)
    after = await memory.store.cluster(written[0].cluster_id, caller=OWNER)
    assert (after.size, after.consolidated) == (5, True)
    assert after.representative_id not in {None, closed.representative_id}
    assert await faults(graph, scope) == []


async def test_a_pass_is_for_those_who_may_write(memory: Memory, scope: str) -> None:
    reader = Caller(readable=(scope,), writable=())
    for attempt in (
        memory.consolidation.run(scope, caller=reader),
        memory.consolidation.run(scope, caller=reader, dry_run=True),
        memory.consolidation.queue(scope, caller=reader),
    ):
        with pytest.raises(ForbiddenError):
            await attempt


async def test_a_service_queues_a_pass_where_clusters_wait(
    memory: Memory, ground: Ground, graph: Graph, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await six(memory, scope)
    looked = asyncio.Event()
    original: Callable[..., Any] = graph.run
    away = [True]

    async def run(name: str, **parameters: Any) -> Any:
        if name == "memory/work" and away.pop() if away else False:
            raise UnavailableError("Neo4j is away")
        rows = await original(name, **parameters)
        if name == "memory/work":
            looked.set()
        return rows

    monkeypatch.setattr(graph, "run", run)
    table = {name: work._replace(every=timedelta(seconds=0.01)) for name, work in memory.periodic().items()}
    keeping = asyncio.create_task(Scheduler(graph, table, now=ground.now).run())
    await asyncio.wait_for(looked.wait(), 30)
    async with asyncio.timeout(30):
        while not (found := await ground.jobs.list(scopes=[scope], kind="consolidate")).items:
            looked.clear()
            await looked.wait()
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)
    assert len(found.items) == 1
    await JobRunner(ground.jobs, memory.job_kinds()).drain()
    assert (await ground.jobs.get(found.items[0].id)).state is JobState.SUCCEEDED
    assert [row["consolidated"] for row in await clusters(graph, scope)] == [True]
