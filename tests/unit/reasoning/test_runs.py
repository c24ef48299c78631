"""Recording runs in the background, over a fake graph; what is written is tested on Neo4j."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from clause.errors import NotFoundError, UnavailableError
from clause.graph.scopes import Caller
from clause.reasoning import runs
from clause.reasoning.budget import Budgets, Prices
from clause.reasoning.runs import RunRecord, RunRecorder

AT = datetime(2026, 1, 1, tzinfo=UTC)


class FakeGraph:
    """Keeps what is written; writes wait for `gate`."""

    def __init__(self, *, away: bool = False) -> None:
        self.gate = asyncio.Event()
        self.gate.set()
        self.away = away
        self.written: list[list[str]] = []

    async def write(self, work: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        await self.gate.wait()
        if self.away:
            raise UnavailableError("the database is away")
        self.written.append([name for name, _ in work])

    async def run(self, name: str, **parameters: Any) -> list[dict[str, Any]]:
        return []

    async def one(self, name: str, **parameters: Any) -> None:
        return None


def a_run(run_id: str) -> RunRecord:
    return RunRecord(
        id=run_id,
        scope="public",
        scopes=("public",),
        query="who?",
        request={},
        digest={},
        policy="heuristic",
        budgets=Budgets(),
        prices=Prices(),
        recorded_at=AT,
    )


def recorder_on(graph: FakeGraph) -> RunRecorder:
    return RunRecorder(graph, lambda: "01J", lambda: AT)  # type: ignore[arg-type]


async def test_a_run_is_one_transaction() -> None:
    graph = FakeGraph()
    recorder = recorder_on(graph)
    recorder.later(a_run("1"))
    await recorder.settled()
    assert graph.written == [["graph/register_scope", "reasoning/write_run"]]
    assert recorder.lost == 0


async def test_an_answer_goes_out_before_its_run_is_written() -> None:
    graph = FakeGraph()
    graph.gate.clear()
    recorder = recorder_on(graph)
    recorder.later(a_run("1"))
    await asyncio.sleep(0)
    assert graph.written == []
    graph.gate.set()
    await recorder.settled()
    assert len(graph.written) == 1


async def test_nothing_to_record_is_nothing_written() -> None:
    graph = FakeGraph()
    recorder = recorder_on(graph)
    recorder.later(None)
    await recorder.settled()
    assert graph.written == []


async def test_a_run_that_cannot_be_written_is_counted() -> None:
    recorder = recorder_on(FakeGraph(away=True))
    recorder.later(a_run("1"))
    await recorder.settled()
    assert recorder.lost == 1


async def test_runs_that_wait_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "MOST_PENDING", 3)
    graph = FakeGraph()
    graph.gate.clear()
    recorder = recorder_on(graph)
    for number in range(5):
        recorder.later(a_run(str(number)))
    assert recorder.lost == 2
    graph.gate.set()
    await recorder.settled()
    assert len(graph.written) == 3


async def test_an_unknown_run_is_not_found() -> None:
    with pytest.raises(NotFoundError) as error:
        await recorder_on(FakeGraph()).get("1", Caller())
    assert error.value.field == "run_id"
