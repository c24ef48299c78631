"""Jobs as an attacker queues them: writing where the caller may not, going on after cancel, parameters without end."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest

from clause.errors import BadInputError, ForbiddenError, OutOfBoundsError
from clause.graph.jobs import Jobs
from clause.graph.lease import FixedKind, JobState, Lease, admitted
from clause.graph.runner import Graph
from clause.graph.scheduler import JobRunner
from clause.graph.scopes import Caller

ANN = Caller(readable=("user:ann",), writable=("user:ann",))
NOW = datetime(2026, 1, 1, tzinfo=UTC)


async def _nothing(_turn: Lease) -> None:
    return None


KINDS = {
    "free": _nothing,
    "load_sample": FixedKind(_nothing, "kg:metaqa"),
    "forget_keys": FixedKind(_nothing, "public", everywhere=True),
}


@pytest.mark.parametrize(
    ("kind", "scope", "error"),
    [
        ("load_sample", "user:ann", BadInputError),
        ("load_sample", None, ForbiddenError),
        ("load_sample", "kg:metaqa", ForbiddenError),
        ("forget_keys", None, ForbiddenError),
        ("forget_keys", "user:ann", BadInputError),
        ("free", "user:bob", ForbiddenError),
        ("free", "kg:metaqa", ForbiddenError),
        ("unknown", None, BadInputError),
    ],
)
def test_a_kind_is_queued_by_those_alone_who_may_write_where_it_writes(
    kind: str, scope: str | None, error: type[Exception]
) -> None:
    with pytest.raises(error):
        admitted(KINDS, kind, scope, ANN, default="public")


def test_the_upkeep_of_all_scopes_is_not_for_a_key_that_writes_its_own_scope_alone() -> None:
    with pytest.raises(ForbiddenError):
        admitted(KINDS, "forget_keys", None, Caller(("public",), ("public",)), default="public")


def test_the_owner_queues_every_kind_where_it_writes() -> None:
    owner = Caller()
    assert admitted(KINDS, "load_sample", None, owner, default="public") == "kg:metaqa"
    assert admitted(KINDS, "forget_keys", "public", owner, default="public") == "public"
    assert admitted(KINDS, "free", None, owner, default="public") == "public"
    assert admitted(KINDS, "free", None, ANN, default="public") == "user:ann"


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("graph/register_scope", {"scope": "OTHER", "recorded_at": NOW}),
        ("knowledge/mark_beliefs", {"ids": [], "scopes": ["OWN", "OTHER"], "mark": "joined_at", "at": NOW}),
        ("knowledge/erase_noted", {"scopes": None}),
        ("intelligence/write_triggers", {"rows": [{"scope": "OTHER", "id": "x"}]}),
        ("values/start_experience", {"id": "x", "properties": {"scope": "OTHER"}}),
        ("knowledge/erase_traces", {"pieces": ["x"]}),
    ],
)
@pytest.mark.integration
async def test_a_running_job_writes_in_its_own_scope_alone(
    graph: Graph, scope: str, name: str, more: dict[str, Any]
) -> None:
    other = f"{scope}-other"

    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: filled(item) for key, item in value.items()}
        if isinstance(value, list):
            return [filled(item) for item in value]
        return {"OWN": scope, "OTHER": other}.get(value, value) if isinstance(value, str) else value

    async def stray(turn: Lease) -> None:
        await turn.progress(1, 2)  # its own affairs are allowed
        await graph.run(name, **filled(more))

    jobs = Jobs(graph)
    job = await jobs.submit("stray", {}, scope)
    await JobRunner(jobs, {"stray": stray}).drain()
    ended = await jobs.get(job.id)
    assert ended.state is JobState.FAILED
    assert "writes outside" in (ended.error or "")
    assert not await graph.run("graph/scope_ids", label="Scope", scope=other)


@pytest.mark.integration
async def test_a_job_of_a_fixed_kind_that_waits_in_another_scope_does_nothing(graph: Graph, scope: str) -> None:
    ran = []

    async def sample(turn: Lease) -> None:
        ran.append(turn.job.id)

    jobs = Jobs(graph)
    job = await jobs.submit("sample", {}, scope)
    await JobRunner(jobs, {"sample": FixedKind(sample, "kg:metaqa")}).drain()
    assert (await jobs.get(job.id)).state is JobState.FAILED
    assert ran == []


@pytest.mark.integration
async def test_a_cancelled_job_stops_although_its_work_never_looks_and_says_cancelled(graph: Graph, scope: str) -> None:
    jobs, begun = Jobs(graph), asyncio.Event()
    steps = []

    async def deaf(turn: Lease) -> None:
        inner = await jobs.submit("inner", {}, scope)
        async with jobs.lease(inner.id):
            for step in range(2_000):
                steps.append(step)
                begun.set()
                await graph.run("graph/register_scope", scope=turn.job.scope, recorded_at=NOW)
                await asyncio.sleep(0.05)

    job = await jobs.submit("deaf", {}, scope)
    running = asyncio.create_task(JobRunner(jobs, {"deaf": deaf}).drain())
    await asyncio.wait_for(begun.wait(), 30)
    await jobs.cancel(job.id)
    await asyncio.wait_for(running, 30)
    assert len(steps) < 2_000
    found = (await jobs.list(scopes=[scope])).items
    assert {(one.kind, one.state) for one in found} == {
        ("deaf", JobState.CANCELLED),
        ("inner", JobState.CANCELLED),
    }


def _nested(levels: int) -> dict[str, Any]:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return {"a": value}


@pytest.mark.integration
@pytest.mark.parametrize(
    "parameters",
    [
        _nested(400),
        _nested(100_000),
        {"a": "x" * 600_000},
        {"a": [[0] * 1000] * 1000},
        {f"k{i}": i for i in range(600)},
    ],
    ids=["400 levels", "100,000 levels", "a long text", "many numbers", "many names"],
)
async def test_parameters_are_bounded_in_depth_and_size(graph: Graph, scope: str, parameters: dict[str, Any]) -> None:
    with pytest.raises(OutOfBoundsError) as refused:
        await Jobs(graph).submit("x", parameters, scope)
    assert refused.value.field == "parameters"
    assert refused.value.bound
    assert not (await Jobs(graph).list(scopes=[scope])).items
