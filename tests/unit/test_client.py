"""The client over HTTP: the library's methods on the real application, with fakes behind it."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from clause import Clause, ClauseClient, ClauseError, SyncClause, SyncClauseClient
from clause.api.app import build_app
from clause.asking import Asking
from clause.errors import (
    AmbiguousNameError,
    BadInputError,
    ConflictError,
    NotFoundError,
    OutOfBoundsError,
    UnauthorizedError,
    UnavailableError,
    of_problem,
)
from clause.memory.models import PersonalDataError
from clause.reasoning.models import CoordinationResponse
from clause.settings import Settings
from tests.unit.api.fakes import FakeApiKeys, FakeContainer

URL = "http://127.0.0.1:8420"
SHARED = tuple(name for name, kind in vars(Asking).items() if inspect.iscoroutinefunction(kind) and name != "perform")


@pytest.fixture
def container() -> FakeContainer:
    return FakeContainer()


@pytest.fixture
async def app(container: FakeContainer) -> AsyncIterator[FastAPI]:
    @asynccontextmanager
    async def opener(*_: Any) -> AsyncIterator[FakeContainer]:
        yield container

    application = build_app(Settings(), opener=opener)  # type: ignore[arg-type]
    async with application.router.lifespan_context(application):
        yield application


def connected(app: FastAPI, key: str | None = None) -> ClauseClient:
    return ClauseClient(URL, key, transport=httpx.ASGITransport(app))


@pytest.mark.parametrize("name", SHARED)
def test_the_client_has_the_methods_of_the_library_with_their_parameters(name: str) -> None:
    kinds = (Clause, ClauseClient, SyncClause, SyncClauseClient)
    library, *others = (inspect.signature(getattr(kind, name)) for kind in kinds)
    assert [str(other) for other in others] == [str(library)] * 3
    assert len(SHARED) == 16


async def test_every_agent_is_asked_over_http(app: FastAPI, container: FakeContainer) -> None:
    edge = {"source": "a", "relation": "r", "target": "b"}
    async with connected(app) as c:
        answer = await c.coordinate("who directed it", scopes=["kg:films"], budgets={"edge_budget": 20})
        assert isinstance(answer, CoordinationResponse)
        assert answer.run_id == "run_1"
        await c.subgraph("who directed it", edge_budget=11)
        await c.navigate("who directed it", "Kes")
        await c.curate(["a text", "another"], token_budget=100)
        scored = await c.score_edges("who directed it", [edge])
    assert [one.score for one in scored.scores] == [0.5]
    asked = container.coordinator.asked
    assert (asked[0].scopes, asked[0].budgets.edge_budget, asked[0].budgets.step_budget) == (["kg:films"], 20, 10)


async def test_what_is_out_of_bounds_is_refused_before_it_is_sent(app: FastAPI, container: FakeContainer) -> None:
    async with connected(app) as c:
        with pytest.raises(OutOfBoundsError, match=r"budgets\.edge_budget") as caught:
            await c.coordinate("who directed it", budgets={"edge_budget": 5})
    assert caught.value.field == "budgets.edge_budget"
    assert container.coordinator.asked == []


@pytest.mark.parametrize(
    "error",
    [
        NotFoundError("no entity 'Kez'", remedy="check it"),
        UnavailableError("Neo4j is away", retry_after_s=7),
        AmbiguousNameError("start_node fits two", field="start_node", details={"candidates": ["a", "b"]}),
        PersonalDataError("start_node looks like an address", field="start_node"),
    ],
)
async def test_an_error_of_the_service_is_the_same_error_here(
    app: FastAPI, container: FakeContainer, error: ClauseError
) -> None:
    container.fail(error)
    async with connected(app) as c:
        with pytest.raises(type(error)) as caught:
            await c.coordinate("who directed it")
    assert type(caught.value) is type(error)
    assert vars(caught.value) == {**vars(error), "status": error.status, "code": error.code}


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (404, "nothing_known_here", NotFoundError),
        (409, "nothing_known_here", ConflictError),
        (422, "nothing_known_here", OutOfBoundsError),
        (413, "nothing_known_here", BadInputError),
        (405, "method_not_allowed", BadInputError),
        (429, "rate_limited", UnavailableError),
        (503, "nothing_known_here", UnavailableError),
        (502, "bad_gateway", ClauseError),
    ],
)
def test_a_code_that_is_not_known_here_goes_by_its_status(status: int, code: str, kind: type[ClauseError]) -> None:
    document = {"type": "urn:x", "title": "T", "status": status, "detail": "no", "instance": "/", "code": code, "n": 5}
    error = of_problem(status, document, "9")
    assert type(error) is kind
    assert (error.status, error.code, error.message, error.details) == (status, code, "no", {"n": 5})
    assert not isinstance(error, UnavailableError) or error.retry_after_s == 9


async def test_a_key_says_who_asks(app: FastAPI, container: FakeContainer) -> None:
    async with connected(app, FakeApiKeys.RIGHT) as c:
        await c.coordinate("who directed it")
    assert container.coordinator.callers[0].readable == ("user:ann",)
    async with connected(app, "wrong") as c:
        with pytest.raises(UnauthorizedError):
            await c.coordinate("who directed it")


async def test_any_route_can_be_asked(app: FastAPI) -> None:
    async with connected(app) as c:
        assert (await c.request("GET", "/health/live"))["status"] == "alive"
        with pytest.raises(ClauseError, match=r"404|Not Found"):
            await c.request("GET", "/api/nothing")


async def test_a_service_that_is_away_or_says_no_json_is_one_clear_error() -> None:
    async with ClauseClient("http://127.0.0.1:9") as c:
        with pytest.raises(UnavailableError, match=r"no answer from http://127\.0\.0\.1:9"):
            await c.coordinate("who directed it")
    odd = httpx.MockTransport(lambda _: httpx.Response(200, text="<html>"))
    async with ClauseClient(URL, transport=odd) as c:
        with pytest.raises(UnavailableError):
            await c.coordinate("who directed it")


async def test_without_await_it_works_inside_a_running_loop_too() -> None:
    alive = httpx.MockTransport(lambda request: httpx.Response(200, json={"path": request.url.path}))
    with SyncClauseClient(URL, transport=alive) as c:
        assert c.request("GET", "/health/live") == {"path": "/health/live"}
        assert c.call(c.client.request, "GET", "/x") == {"path": "/x"}
        with pytest.raises(OutOfBoundsError):
            c.coordinate("")


ENDS = {
    "a wrong option": ("c = SyncClauseClient(URL, timeout=5)", 1, "TypeError"),
    "an error": ("c = SyncClauseClient(URL)\nraise KeyError('mine')", 1, "KeyError: 'mine'"),
    "the end": ("c = SyncClauseClient(URL)", 0, ""),
    "a call that goes on": (
        "c = SyncClauseClient(URL)\n"
        "def ask():\n    with suppress(BaseException):\n        c.call(sleep, 99)\n"  # it is cancelled, and may say so
        "Thread(target=ask, daemon=True).start()\ntime.sleep(0.2)",
        0,
        "",
    ),
    "a thread that asks later": (
        "c = SyncClauseClient(URL)\nThread(target=lambda: (time.sleep(0.3), print(c.call(sleep, 0, 'later')))).start()",
        0,
        "later",
    ),
}


@pytest.mark.parametrize(("script", "code", "said"), ENDS.values(), ids=ENDS)
def test_a_script_that_closes_nothing_ends_all_the_same(script: str, code: int, said: str) -> None:
    imports = "import time; from asyncio import sleep; from contextlib import suppress; from threading import Thread"
    program = f"{imports}\nfrom clause import SyncClauseClient\nURL = {URL!r}\n{script}"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == code
    assert said in ended.stdout + ended.stderr
    assert ("Traceback" in ended.stderr) == bool(code)
