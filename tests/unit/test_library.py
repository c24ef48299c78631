import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from clause import Caller, Clause, Settings, SyncClause
from clause.app import Container
from clause.errors import ForbiddenError, NotFoundError, OutOfBoundsError, SettingsError
from clause.reasoning.models import (
    ContextCurationRequest,
    CoordinationRequest,
    EdgeScoreRequest,
    PathNavigationRequest,
    SubgraphRequest,
)

ANN = Caller(readable=("user:ann",), writable=("user:ann",))


SHORTCUTS = ("beliefs", "tensions", "entities", "sources")


class Agents:
    """Coordinator and lone agents that give back what they were asked, and by whom."""

    async def coordinate(self, request: Any, caller: Caller) -> Any:
        return request, caller

    subgraph = navigate = curate = score_edges = coordinate


class Runs:
    async def settled(self) -> None: ...

    async def get(self, run_id: str, caller: Caller) -> Any:
        raise NotFoundError(f"no run {run_id!r}")

    async def list(self, caller: Caller, *, limit: int) -> list[str]:
        return ["one", "two"][:limit]


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was opened and closed."""
    seen: list[str] = []

    def opener(kind: str) -> Any:
        @asynccontextmanager
        async def opened(settings: Settings, *_: Any, **__: Any) -> AsyncIterator[Any]:
            seen.append(f"{kind} {settings.port}")
            ground = SimpleNamespace(writable=lambda caller, scope: caller.require_write(scope or "public"))
            rooms = SimpleNamespace(**{name: name for name in ("sessions", "memory", "values", "insights")})
            services = {name: name for name in SHORTCUTS}
            rooms.ground, rooms.knowledge, rooms.intelligence = ground, SimpleNamespace(**services), "intelligence"
            yield SimpleNamespace(coordinator=Agents(), agents=Agents(), runs=Runs(), rooms=rooms)
            seen.append("closed")

        return opened

    monkeypatch.setattr(Container, "open", opener("open"))
    monkeypatch.setattr(Container, "serving", opener("serving"))
    return seen


async def test_what_is_opened_is_closed(events: list[str]) -> None:
    async with Clause.open(port=9) as opened:
        assert opened.caller == Caller()
        assert events == ["open 9"]
    assert events == ["open 9", "closed"]


async def test_with_jobs_the_container_serves(events: list[str]) -> None:
    async with Clause.open(Settings(port=8), jobs=True):
        assert events == ["serving 8"]


async def test_settings_and_single_settings_together_are_refused(events: list[str]) -> None:
    with pytest.raises(SettingsError):
        async with Clause.open(Settings(), port=8):
            pass
    assert events == []


async def test_a_question_becomes_the_request_that_the_api_takes(events: list[str]) -> None:
    async with Clause.open(caller=ANN) as opened:
        asked: Any = await opened.coordinate("who directed Kes", scopes=["kg:films"], max_rounds=2)
        expected = {"query": "who directed Kes", "budgets": {}, "scopes": ["kg:films"], "max_rounds": 2}
        assert asked == (CoordinationRequest.model_validate(expected), ANN)


async def test_each_agent_alone_takes_its_own_request(events: list[str]) -> None:
    async with Clause.open() as opened:
        asked: list[Any] = [
            await opened.subgraph("who directed Kes", edge_budget=5),
            await opened.navigate("who directed it", "Kes", step_budget=3),
            await opened.curate(["Kes is a film."], token_budget=200),
            await opened.score_edges("who", [{"source": "Kes", "relation": "directed_by", "target": "Ken Loach"}]),
        ]
    requests = [request for request, _ in asked]
    assert [type(request) for request in requests] == [
        SubgraphRequest,
        PathNavigationRequest,
        ContextCurationRequest,
        EdgeScoreRequest,
    ]
    assert (requests[0].edge_budget, requests[1].start_node, requests[2].token_budget) == (5, "Kes", 200)


async def test_a_refused_field_is_named(events: list[str]) -> None:
    async with Clause.open() as opened:
        with pytest.raises(OutOfBoundsError) as caught:
            await opened.coordinate("who directed Kes", budgets={"edge_budget": 1})
    assert caught.value.field == "budgets.edge_budget"


async def test_runs_are_read_back(events: list[str]) -> None:
    async with Clause.open() as opened:
        assert await opened.runs(1) == ("one",)
        with pytest.raises(NotFoundError):
            await opened.run("nothing")


async def test_the_rooms_are_handed_out(events: list[str]) -> None:
    async with Clause.open() as opened:
        rooms: list[Any] = [opened.sessions, opened.memory, opened.values, opened.insights, opened.intelligence]
        assert rooms == ["sessions", "memory", "values", "insights", "intelligence"]
        assert opened.knowledge is opened.rooms.knowledge
        assert [getattr(opened, name) for name in SHORTCUTS] == list(SHORTCUTS)


async def test_loading_into_a_foreign_scope_is_refused_before_the_file_is_read(events: list[str]) -> None:
    async with Clause.open(caller=ANN) as opened:
        with pytest.raises(ForbiddenError):
            await opened.load("triples", "/nowhere/films.txt", "kg:films")


def test_without_await_the_same_answers_come_from_a_thread_of_its_own(events: list[str]) -> None:
    before = threading.active_count()
    with SyncClause.open(caller=ANN) as opened:
        asked: Any = opened.coordinate("who directed Kes")
        assert asked == (CoordinationRequest.model_validate({"query": "who directed Kes", "budgets": {}}), ANN)
        others: list[Any] = [
            opened.subgraph("who directed Kes"),
            opened.navigate("who", "Kes"),
            opened.curate(["Kes is a film."]),
        ]
        assert len(others) == 3
        assert opened.call(opened.clause.runs, limit=2) == ("one", "two")
        assert opened.caller == ANN
    assert events == ["open 8420", "closed"]
    opened.close()
    assert threading.active_count() == before


async def test_it_works_where_a_loop_runs_already_as_in_a_notebook(events: list[str]) -> None:
    assert asyncio.get_running_loop()
    opened = SyncClause.open()
    assert opened.coordinate("who directed Kes")
    opened.close()
    assert events[-1] == "closed"


def test_who_is_asking_is_passed_on_unless_another_is_named(events: list[str]) -> None:
    async def ask(what: str, *, caller: Caller) -> tuple[str, Caller]:
        return what, caller

    with SyncClause.open(caller=ANN) as opened:
        assert opened.call(ask, "beliefs") == ("beliefs", ANN)
        assert opened.call(ask, "beliefs", caller=Caller()) == ("beliefs", Caller())


def test_an_error_comes_out_as_it_is(events: list[str]) -> None:
    with SyncClause.open() as opened, pytest.raises(OutOfBoundsError):
        opened.coordinate("x")


def test_what_cannot_be_opened_leaves_no_thread(monkeypatch: pytest.MonkeyPatch, events: list[str]) -> None:
    before = threading.active_count()
    with pytest.raises(SettingsError):
        SyncClause.open(Settings(), port=1)
    assert threading.active_count() == before


LEFT_OPEN = """
import asyncio
from contextlib import asynccontextmanager
from clause import SyncClause
from clause.app import Container

@asynccontextmanager
async def opened(*_, **__):
    try:
        yield "container"
    finally:
        print(await asyncio.to_thread(lambda: "closed"))

Container.open = opened
c = SyncClause.open()
"""


@pytest.mark.parametrize(("last", "code"), [("", 0), ("raise KeyError('mine')", 1)])
def test_a_script_that_does_not_close_ends_and_is_closed(last: str, code: int) -> None:
    program = [sys.executable, "-c", LEFT_OPEN + last]
    ended = subprocess.run(program, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (code, "closed\n")
    assert ended.stderr.count("Traceback") == code
