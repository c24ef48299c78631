"""Recording runs in the background, over a fake graph; what is written is tested on Neo4j."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from ulid import ULID

from clause.errors import BadInputError, NotFoundError, UnavailableError
from clause.graph.scopes import Caller
from clause.reasoning.answer import runs
from clause.reasoning.answer.runs import YOUNG_S, RunRecord, RunRecorder
from clause.reasoning.episode.budget import Budgets, Prices

AT = datetime(2026, 1, 1, tzinfo=UTC)


class FakeGraph:
    """Keeps what is written; writes wait for `gate`."""

    def __init__(self, *, away: bool = False) -> None:
        self.gate = asyncio.Event()
        self.gate.set()
        self.away = away
        self.refused: set[str] = set()
        self.tries = 0
        self.tried = asyncio.Event()
        self.written: list[list[str]] = []
        self.runs: list[list[str]] = []

    async def write(self, work: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        self.tries += 1
        self.tried.set()
        await self.gate.wait()
        if self.away:
            raise UnavailableError("the database is away")
        runs = [row["id"] for name, given in work if name == "reasoning/write_runs" for row in given["rows"]]
        if self.refused & set(runs):
            raise BadInputError("a value that no property can hold")
        self.written.append([name for name, _ in work])
        self.runs.append(runs)

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
    assert graph.written == [["graph/register_scope", "reasoning/write_runs"]]
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
    assert graph.runs == [["0", "1", "2"]]


async def test_what_comes_while_a_run_is_written_is_one_transaction_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "BATCH", 2)
    graph = FakeGraph()
    graph.gate.clear()
    recorder = recorder_on(graph)
    recorder.later(a_run("1"))
    await graph.tried.wait()
    for run_id in ["2", "3", "4"]:
        recorder.later(a_run(run_id))
    graph.gate.set()
    await recorder.settled()
    assert graph.runs == [["1"], ["2", "3"], ["4"]]


async def test_a_run_that_is_refused_does_not_spoil_the_others() -> None:
    graph = FakeGraph()
    graph.refused = {"2"}
    recorder = recorder_on(graph)
    for run_id in ["1", "2", "3"]:
        recorder.later(a_run(run_id))
    await recorder.settled()
    assert graph.runs == [["1"], ["3"]]
    assert recorder.lost == 1


async def test_a_batch_is_not_tried_one_by_one_where_the_database_is_away() -> None:
    graph = FakeGraph(away=True)
    recorder = recorder_on(graph)
    recorder.later(a_run("1"))
    recorder.later(a_run("2"))
    await recorder.settled()
    assert (graph.tries, recorder.lost) == (1, 2)


async def test_a_run_is_waited_for_until_it_was_dealt_with_not_until_all_are() -> None:
    graph = FakeGraph()
    graph.gate.clear()
    recorder = recorder_on(graph)
    recorder.later(a_run("1"))
    asking = asyncio.create_task(recorder.get("1", Caller()))
    for _ in range(5):
        await asyncio.sleep(0)
    assert not asking.done()
    graph.gate.set()
    with pytest.raises(NotFoundError):
        await asking
    assert graph.runs == [["1"]]


async def test_an_unknown_run_is_not_found() -> None:
    with pytest.raises(NotFoundError) as error:
        await recorder_on(FakeGraph()).get("1", Caller())
    assert error.value.field == "run_id"


class OtherProcess(FakeGraph):
    """A graph that another process writes a run into, after some looks."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.after = after
        self.looks = 0

    async def one(self, name: str, **parameters: Any) -> Any:
        self.looks += 1
        return {"row": name} if self.looks > self.after else None


def waiting_on(graph: FakeGraph, clock: list[datetime]) -> RunRecorder:
    """A recorder whose clock goes on by what it sleeps."""

    async def sleep(seconds: float) -> None:
        clock[0] += timedelta(seconds=seconds)

    return RunRecorder(graph, lambda: "01J", lambda: clock[0], sleep)  # type: ignore[arg-type]


async def test_a_run_that_another_process_is_writing_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "_from_row", lambda row: row)
    graph = OtherProcess(after=3)
    run_id = str(ULID.from_datetime(AT))
    found: Any = await waiting_on(graph, [AT + timedelta(seconds=1)]).get(run_id, Caller())
    assert found == {"row": "reasoning/run"}
    assert graph.looks == 4


@pytest.mark.parametrize("run_id", ["no ULID", str(ULID.from_datetime(AT - timedelta(hours=1)))], ids=["none", "old"])
async def test_a_run_that_nobody_can_be_writing_is_not_waited_for(run_id: str) -> None:
    graph = OtherProcess(after=3)
    with pytest.raises(NotFoundError):
        await waiting_on(graph, [AT]).get(run_id, Caller())
    assert graph.looks == 1


async def test_the_wait_for_a_run_has_an_end() -> None:
    clock = [AT]
    with pytest.raises(NotFoundError):
        await waiting_on(OtherProcess(after=10_000), clock).get(str(ULID.from_datetime(AT)), Caller())
    assert timedelta(seconds=YOUNG_S) <= clock[0] - AT <= timedelta(seconds=YOUNG_S + 0.2)
