"""When a service looks for periodic jobs, and what it does while the database is away."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.errors import UnavailableError
from clause.jobs.schedule import LOOK_S, Periodic, Schedule, period_id

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


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


async def test_a_service_looks_after_each_pause_and_again_when_the_database_is_back() -> None:
    graph, slept = FakeGraph(), []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            raise asyncio.CancelledError

    table = {"count": Periodic(timedelta(hours=1), "some/scopes")}
    schedule = Schedule(graph, table, now=lambda: NOON, sleep=sleep)  # type: ignore[arg-type]
    with pytest.raises(asyncio.CancelledError):
        await schedule.run()
    assert slept == [LOOK_S] * 3
    assert graph.asked == ["some/scopes", "some/scopes", "jobs/queue_due"]
    assert [scope for scope, _ in graph.rows] == ["user:ann", "user:bob"]


@given(st.timedeltas(timedelta(0), timedelta(days=3)), st.sampled_from([timedelta(hours=1), timedelta(days=7)]))
def test_ids_of_one_period_are_equal_and_those_of_later_ones_are_greater(gone: timedelta, every: timedelta) -> None:
    later = NOON + gone
    first, second = (period_id("count", "public", at, every) for at in (NOON, later))
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    same = (NOON - epoch) // every == (later - epoch) // every
    assert (first == second) is same
    assert first <= second
    assert period_id("count", "user:ann", NOON, every) != first != period_id("other", "public", NOON, every)
