"""A client that was started for one project: reads that name no scope stay within it, by header, key and setting."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from clause.api.app import build_app
from clause.errors import BadInputError
from clause.graph.scopes import Caller
from clause.mcp_bridge.server import Bridge, LazyContainer
from clause.mcp_bridge.transports import http_application
from clause.operations.key_file import KeyFile
from clause.operations.keys import ApiKeys
from clause.settings import Settings
from clause.telemetry import Metrics
from tests.unit.api.fakes import FakeContainer

PROJECT = {"X-Read-Scope": "kg:project"}


class Seen:
    """Rooms that remember who asked."""

    def __init__(self) -> None:
        self.callers: list[Caller] = []

    def __getattr__(self, _name: str) -> Any:
        return self

    async def __call__(self, *given: Any, caller: Caller | None = None, **_named: Any) -> Any:
        self.callers.append(caller or next(one for one in given if isinstance(one, Caller)))
        raise BadInputError("seen")


async def caller_of(method: str, path: str, headers: dict[str, str], body: Any = None) -> Caller:
    """The caller that the rooms see."""
    app, seen = build_app(Settings(), metrics=Metrics()), Seen()
    app.state.container = FakeContainer()
    app.state.container.rooms = app.state.container.coordinator = app.state.container.runs = seen
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://127.0.0.1") as client:
        answer = await client.request(method, path, json=body, headers=headers)
    assert answer.json()["detail"] == "seen", answer.text
    return seen.callers[0]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/beliefs", None),
        ("GET", "/api/beliefs/x", None),
        ("GET", "/api/sessions", None),
        ("GET", "/api/patterns", None),
        ("GET", "/api/memories", None),
        ("GET", "/api/clause/runs", None),
        ("POST", "/api/beliefs/query", {"query": "the tower"}),
        ("POST", "/api/memories/search", {"query_text": "the tower"}),
        ("POST", "/api/clause/coordinate", {"query": "who built it", "budgets": {}}),
        ("POST", "/api/clause/coordinate", {"query": "who built it", "budgets": {}, "scopes": None}),
        ("GET", "/api/beliefs", {"scope": "kg:other"}),
        ("GET", "/api/beliefs/x", {"scopes": ["kg:other"]}),
    ],
)
async def test_a_read_that_names_no_scope_stays_within_the_project(method: str, path: str, body: Any) -> None:
    assert (await caller_of(method, path, PROJECT, body)).readable == ("kg:project",)
    assert (await caller_of(method, path, {}, body)).readable is None


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/beliefs?scope=kg:other", None),
        ("POST", "/api/beliefs/query", {"query": "the tower", "scopes": ["kg:other"]}),
        ("POST", "/api/beliefs", {"content": "the tower is old"}),
        ("POST", "/api/retractions", {"belief_id": "x"}),
    ],
)
async def test_who_names_a_scope_or_writes_is_not_narrowed(method: str, path: str, body: Any) -> None:
    assert (await caller_of(method, path, PROJECT, body)).readable is None


class Scopes:
    """Jobs and a graph that remember which scopes were asked for."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def __getattr__(self, _name: str) -> Any:
        return self

    async def __call__(self, *_given: Any, **named: Any) -> Any:
        self.seen.append(named.get("scopes"))
        raise BadInputError("seen")


@pytest.mark.parametrize("path", ["/api/jobs", "/api/jobs/x", "/api/jobs/x/events"])
async def test_jobs_of_other_projects_are_not_seen(path: str) -> None:
    app, seen = build_app(Settings(), metrics=Metrics()), Scopes()
    app.state.container = FakeContainer()
    app.state.container.jobs = seen
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://127.0.0.1") as client:
        await client.get(path, headers=PROJECT)
        await client.get(path)
    assert seen.seen == [("kg:project",), None]


async def test_the_header_gives_nothing_that_the_key_does_not() -> None:
    key = {"X-API-Key": "clause_right", "X-Read-Scope": "kg:project,user:ann,user:bob"}
    assert (await caller_of("GET", "/api/beliefs", key)).readable == ("user:ann",)


async def test_a_header_that_names_no_scope_is_refused() -> None:
    app = build_app(Settings(), metrics=Metrics())
    app.state.container = FakeContainer()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://127.0.0.1") as client:
        answer = await client.get("/api/jobs", headers={"X-Read-Scope": "everything"})
    assert (answer.status_code, answer.json()["field"]) == (400, "X-Read-Scope")


async def test_a_key_may_have_scopes_of_its_own_for_reads_that_name_none(tmp_path: Path) -> None:
    keys = ApiKeys(KeyFile(tmp_path / "keys.json"))
    made = await keys.create("hook", ["kg:project", "user:ann"], [], default=["kg:project"])
    caller = await keys.caller(made.token)
    assert caller.narrowed().readable == ("kg:project",)
    assert caller.readable == ("kg:project", "user:ann")
    with pytest.raises(BadInputError, match="may not read"):
        await keys.create("hook", ["kg:project"], [], default=["user:bob"])


@pytest.mark.parametrize(
    ("mode", "tool", "given", "readable"),
    [
        ("full", "belief_query", {"query": "the tower"}, ("kg:project",)),
        ("full", "session_list", {}, ("kg:project",)),
        ("full", "coordinate", {"query": "who built it"}, ("kg:project",)),
        ("full", "belief_query", {"query": "the tower", "scopes": ["kg:other"]}, None),
        ("full", "belief_create", {"content": "the tower is old"}, None),
        ("agent", "ask", {"query": "who built it"}, ("kg:project",)),
        ("agent", "belief_query", {"query": "the tower"}, ("kg:project",)),
        ("agent", "memory_read", {"query": "the tower"}, ("kg:project",)),
        ("agent", "ask", {"query": "who built it", "scopes": ["kg:other"]}, None),
        ("agent", "belief_create", {"content": "the tower is old"}, None),
    ],
)
async def test_a_tool_of_a_server_for_one_project_stays_within_it(
    mode: str, tool: str, given: Any, readable: Any
) -> None:
    seen = Seen()
    holder = LazyContainer(Settings(read_scope="kg:project", mode=mode))  # type: ignore[arg-type]

    async def container() -> Any:
        return SimpleNamespace(rooms=seen, coordinator=seen)

    holder.container = container  # type: ignore[method-assign]
    await Bridge(holder).call_tool(None, SimpleNamespace(name=tool, arguments=given))  # type: ignore[arg-type]
    assert seen.callers[0].readable == readable


@pytest.mark.parametrize(
    ("headers", "readable"),
    [
        ([("X-Read-Scope", "kg:project")], ("kg:project",)),
        ([("x-read-scope", "user:ann, kg:project")], ("kg:project", "public", "user:ann")),
        ([("X-Read-Scope", "everything")], None),
        ([("X-Read-Scope", "kg:project"), ("X-Read-Scope", "kg:other")], None),
        ([("X-Read-Scope", "kg:project,*")], None),
    ],
)
async def test_a_client_of_mcp_over_http_says_its_project_in_the_same_header(
    monkeypatch: pytest.MonkeyPatch, headers: list[tuple[str, str]], readable: tuple[str, ...] | None
) -> None:
    application: Any = http_application(LazyContainer(Settings()))
    seen: list[Caller] = []

    async def noting(scope: Any, _receive: Any, send: Any) -> None:
        seen.append(scope["clause.caller"])
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    monkeypatch.setattr(application, "_inner", noting)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=application), base_url="http://127.0.0.1") as client:
        answer = await client.post("/mcp", json={}, headers=headers)
    assert [caller.narrowed().readable for caller in seen] == ([] if readable is None else [readable])
    assert answer.status_code == (400 if readable is None else 204)


def test_a_hook_sends_the_scope_of_its_client() -> None:
    hooks = Path(__file__).parents[2] / "plugin" / "hooks"
    program = (
        f"import sys, json; sys.path.insert(0, {str(hooks)!r}); import service\n"
        "def exchanged(path, headers, data): print(json.dumps(headers)); return b'{}'\n"
        "service._exchange = exchanged\n"
        "service.ask('/api/beliefs')\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", program],
        env={"CLAUSE_READ_SCOPE": "kg:project"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(said.stdout)["X-Read-Scope"] == "kg:project"
