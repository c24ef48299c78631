"""Input at and beyond every bound, over HTTP: a clear refusal in one place, never a 500 and never a long wait."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from starlette.requests import Request

from clause.api.app import build_app
from clause.errors import BadInputError, NotFoundError
from clause.graph.codec import encode
from clause.graph.scopes import Caller
from clause.mcp_bridge.server import LazyContainer
from clause.mcp_bridge.transports import http_application
from clause.operations.listening import ImpatientProtocol, listen, server_of
from clause.reasoning.answer.evidence import EvidenceRecord, UnitOrigin, evidence, evidence_id, own
from clause.reasoning.episode.budget import Unit
from clause.settings import Settings
from clause.telemetry import Metrics, configure_logging
from clause.text.fields import MAX_POOL
from tests.unit.api.fakes import FakeContainer

EXTREMES = [
    f"{day}T{time}{offset}"
    for day in ("0001-01-01", "9999-12-31")
    for time in ("00:00:00", "23:59:59.999999")
    for offset in ("+14:00", "+00:01", "-00:01", "-14:00", "+23:59", "-23:59")
]
PLACES = [
    ("post", "/api/beliefs", {"content": "the tower is old"}, "valid_from"),
    ("post", "/api/beliefs", {"content": "the tower is old"}, "valid_until"),
    ("post", "/api/beliefs/x/supersede", {"content": "the tower is new", "reason": "seen"}, "valid_from"),
    ("post", "/api/beliefs/query", {"query": "the tower"}, "as_of_valid"),
    ("post", "/api/beliefs/query", {"query": "the tower"}, "as_of_recorded"),
    ("post", "/api/clause/coordinate", {"query": "who built it", "budgets": {}}, "as_of_valid"),
    ("post", "/api/clause/coordinate", {"query": "who built it", "budgets": {}}, "as_of_recorded"),
    ("post", "/api/clause/subgraph", {"query": "who built it"}, "as_of_valid"),
    ("get", "/api/beliefs/x", None, "as_of_recorded"),
    ("get", "/api/insights", None, "since"),
]
_FAR = datetime.fromisoformat("0001-01-01T00:00:00+14:00")


class Anything:
    """Rooms in which nothing is found: whoever gets that answer has passed the door."""

    def __getattr__(self, name: str) -> Any:
        return Anything()

    async def __call__(self, *given: Any, **named: Any) -> Any:
        encode([*given, *named.values()])
        raise NotFoundError("nothing is here")


@cache
def application() -> FastAPI:
    """The application of the service."""
    return build_app(Settings(), metrics=Metrics())


@asynccontextmanager
async def client_of(*, reached: bool = True) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the application; nothing is found in its rooms."""
    app = application()
    app.state.container = FakeContainer()
    app.state.container.rooms = Anything()
    app.state.container.coordinator = app.state.container.agents = Anything() if reached else FakeContainer().agents
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://127.0.0.1") as client:
        yield client


@pytest.mark.parametrize(("method", "path", "body", "field"), PLACES)
async def test_an_instant_at_the_end_of_time_is_a_date_or_refused(
    method: str, path: str, body: dict[str, Any] | None, field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = refusals = 0
    async with client_of() as client:
        for instant in EXTREMES:
            given = (
                {"json": {**body, field: instant}}
                if body is not None
                else {"params": _with_category(path, field, instant)}
            )
            answer = await client.request(method, path, **given)
            try:
                datetime.fromisoformat(instant).astimezone(UTC)
            except OverflowError:
                assert answer.status_code == 422, (instant, answer.text)
                assert answer.json()["field"].endswith(field)
                refusals += 1
            else:
                assert answer.status_code == 404, (instant, answer.text)
                passed += 1
    assert refusals == 6
    assert passed == 18


def _with_category(path: str, field: str, instant: str) -> dict[str, str]:
    return {field: instant, **({"category": "user_reflection"} if path == "/api/insights" else {})}


def test_an_instant_that_no_door_has_seen_is_refused_on_its_way_to_the_graph() -> None:
    with pytest.raises(BadInputError, match="years 1 to 9999"):
        encode({"at": _FAR})


def test_one_kind_of_instant_is_used_everywhere() -> None:
    root = Path(__file__).parents[2] / "clause"
    users = [path for path in root.rglob("*.py") if "AwareDatetime" in path.read_text(encoding="utf-8")]
    assert [path.name for path in users] == ["fields.py"]


LONG = "x" * 201


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/api/beliefs", "entity_id"),
        ("/api/beliefs", "session_id"),
        ("/api/tensions", "entity_id"),
        ("/api/tensions", "belief_id"),
    ],
)
async def test_an_id_that_is_too_long_for_a_filter_is_refused(path: str, field: str) -> None:
    async with client_of() as client:
        answer = await client.get(path, params={field: LONG})
    assert answer.status_code == 422
    assert answer.json()["field"] == field
    assert "200" in answer.json()["bound"]


async def test_a_cursor_that_holds_too_much_is_refused() -> None:
    from clause.api.dependencies import encode as cursor_of

    async with client_of() as client:
        answer = await client.get("/api/beliefs", params={"cursor": cursor_of(LONG)})
    assert answer.status_code == 422


@pytest.mark.parametrize(
    "origin",
    ["http://[", "http://]", "http://[::1", "http://[::ffff", "[", "http://127.0.0.1]", "null", "http://[v1.x]"],
)
async def test_an_origin_that_is_none_is_refused(origin: str) -> None:
    async with client_of() as client:
        answer = await client.get("/health/live", headers={"Origin": origin})
    assert answer.status_code == 403


@pytest.mark.parametrize("host", ["[", "[::1", "a b", ""])
async def test_a_host_that_is_none_is_refused(host: str) -> None:
    async with client_of() as client:
        assert (await client.get("/health/live", headers={"Host": host})).status_code == 403


async def test_a_pool_that_would_be_embedded_for_a_minute_is_refused() -> None:
    async with client_of(reached=False) as client:
        most = {"evidence_pool": [f"it rains {number}" for number in range(MAX_POOL)]}
        assert (await client.post("/api/clause/curate", json=most)).status_code == 200
        more = {"evidence_pool": [*most["evidence_pool"], "it snows"]}
        answer = await client.post("/api/clause/curate", json=more)
    assert answer.status_code == 422
    assert str(MAX_POOL) in answer.json()["bound"]


TWINS = [
    '{"content": "a", "scope": "user:ann", "scope": "user:bob"}',
    '{"scope": "user:bob", "content": "a", "scope": "user:ann"}',
    '{"content": "a", "content": "a"}',
    '{"content": "a", "metadata": {"b": 1, "b": 2}}',
    '{"content": "a", "metadata": {"b": [{"c": 1, "c": 1}]}}',
    '{"content": "a", "scope": "user:ann", "\\u0073cope": "user:bob"}',
    '[{"a": 1, "a": 2}]',
]


@pytest.mark.parametrize("body", TWINS)
@pytest.mark.parametrize("path", ["/api/memories", "/api/beliefs", "/api/jobs"])
@pytest.mark.parametrize("content_type", ["application/json", "application/problem+json"])
async def test_a_name_that_comes_twice_is_refused(path: str, body: str, content_type: str) -> None:
    async with client_of() as client:
        answer = await client.post(path, content=body, headers={"Content-Type": content_type})
    assert answer.status_code == 400
    assert "twice" in answer.json()["detail"]


CALL = (
    '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "memory_write", "arguments": '
    '{"content": "a", "scope": "user:ann", "scope": "user:bob"}}}'
)


@pytest.mark.parametrize("body", [CALL, '{"jsonrpc": "2.0", "id": 1, "method": "ping", "method": "tools/call"}'])
async def test_a_tool_is_not_called_with_a_name_that_comes_twice(body: str) -> None:
    transport = httpx.ASGITransport(app=http_application(LazyContainer(Settings())))  # type: ignore[arg-type]
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        answer = await client.post("/mcp", content=body, headers=headers)
    assert answer.status_code == 400
    assert "twice" in answer.json()["message"]


@pytest.mark.parametrize(
    "headers",
    [
        [("X-API-Key", "clause_a"), ("X-API-Key", "clause_b")],
        [("Authorization", "Bearer clause_a"), ("Authorization", "Bearer clause_b")],
        [("Authorization", "Bearer clause_a"), ("X-API-Key", "clause_b")],
        [("X-API-Key", "clause_b"), ("authorization", "Basic eDp5")],
    ],
)
async def test_a_tool_is_not_called_with_two_keys(headers: list[tuple[str, str]]) -> None:
    transport = httpx.ASGITransport(app=http_application(LazyContainer(Settings())))  # type: ignore[arg-type]
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        answer = await client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers=headers)
    assert answer.status_code == 401


def operations() -> list[tuple[str, str]]:
    """Every operation of the document."""
    paths = application().openapi()["paths"]
    return [(method, path) for path, item in paths.items() for method in item]


async def test_no_operation_takes_a_parameter_that_it_does_not_declare() -> None:
    async with client_of() as client:
        for method, path in operations():
            answer = await client.request(
                method, re.sub(r"\{[^}]+\}", "1", path), params={"scpoe": "user:ann"}, json={}
            )
            assert (answer.status_code, answer.json().get("field")) == (422, "scpoe"), (method, path, answer.text)


@pytest.mark.parametrize(
    "query",
    [
        "value_clusters?scope=user:ann&scope=user:bob",
        "beliefs?entity_id=a&entity_id=b",
        "beliefs?limit=1&limit=100",
        "beliefs?status=active&status=archived",
    ],
)
async def test_a_parameter_that_comes_twice_is_refused(query: str) -> None:
    async with client_of() as client:
        answer = await client.get(f"/api/{query}")
    assert answer.status_code == 422
    assert "more than once" in answer.json()["detail"]


@pytest.mark.parametrize("name", ["Idempotency-Key", "If-Match", "Authorization"])
async def test_a_header_that_comes_twice_is_refused(name: str) -> None:
    async with client_of() as client:
        body = {"content": "a", "reason": "b"}
        answer = await client.post("/api/beliefs/x/supersede", json=body, headers=[(name, '"1"'), (name, '"2"')])
    assert answer.status_code == 422
    assert answer.json()["field"].lower() == name.lower()


def record(scope: str) -> EvidenceRecord:
    """Evidence from a scope."""
    origin = UnitOrigin("r:1", scope)
    return evidence(Unit("u1", "it rains", 3), origin, 0.5, 0.5, price=0.0, at=datetime(2026, 1, 1, tzinfo=UTC))


def test_evidence_from_a_scope_that_is_only_read_is_noted_in_an_own_one() -> None:
    caller = Caller(readable=("kg:films",), writable=("user:ann",), key_id="1")
    mine, theirs = own([record("user:ann"), record("kg:films")], caller, "user:ann")
    assert mine == record("user:ann")
    assert theirs.origin.scope == theirs.row(datetime.now(UTC))["scope"] == "user:ann"
    assert theirs.id == evidence_id("it rains", theirs.origin) != record("kg:films").id


@asynccontextmanager
async def served(
    monkeypatch: pytest.MonkeyPatch, *, request_s: float, answer_s: float, size: int = 1
) -> AsyncIterator[int]:
    """The port of a real server with these limits, whose answers have `size` bytes."""
    monkeypatch.setattr(ImpatientProtocol, "request_s", request_s)
    monkeypatch.setattr(ImpatientProtocol, "answer_s", answer_s)

    async def answering(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await Request(scope, receive).body()
            await send(
                {"type": "http.response.start", "status": 200, "headers": [(b"content-length", str(size).encode())]}
            )
            await send({"type": "http.response.body", "body": b"x" * size})

    with listen("127.0.0.1", 0) as listener:
        server = server_of(answering, Settings())
        server.config.lifespan = "off"
        task = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            await asyncio.wait_for(task, 20)


HEAD = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n"


@pytest.mark.parametrize("sent", [b"", b"GET / HT", HEAD[:-2], HEAD, HEAD + b"some"])
async def test_who_sends_too_slowly_is_let_go(monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    async with served(monkeypatch, request_s=0.3, answer_s=30) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        said = await asyncio.wait_for(reader.read(), 10)
        writer.close()
    assert said.startswith(b"HTTP/1.1 408 ")


async def test_who_drips_is_let_go_too(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(monkeypatch, request_s=0.5, answer_s=30) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HEAD)
        reading = asyncio.create_task(reader.read())
        drips = 0
        while not reading.done() and drips < 90:
            writer.write(b"x")
            drips += 1
            await asyncio.wait([reading], timeout=0.1)
        assert reading.result().startswith(b"HTTP/1.1 408 ")
        writer.close()
    assert drips < 90


async def test_who_asks_again_and_again_in_time_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(monkeypatch, request_s=1.0, answer_s=30) as port, httpx.AsyncClient(trust_env=False) as client:
        for _ in range(8):
            assert (await client.post(f"http://127.0.0.1:{port}/", content=b"x" * 100)).status_code == 200
            await asyncio.sleep(0.2)


async def test_who_takes_nothing_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    size = 64 << 20
    async with served(monkeypatch, request_s=30, answer_s=0.3, size=size) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        await asyncio.sleep(3.0)
        read = 0
        try:
            while data := await asyncio.wait_for(reader.read(1 << 20), 10):
                read += len(data)
        except ConnectionError:
            pass
        writer.close()
    assert read < size


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What is logged."""
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    stream = io.StringIO()
    configure_logging("info", stream=stream)
    yield stream
    root.handlers = handlers
    root.setLevel(level)


async def test_a_client_that_goes_away_is_no_error(log: io.StringIO) -> None:
    app = build_app(Settings(), metrics=Metrics())
    app.state.container = FakeContainer()
    messages = [{"type": "http.request", "body": b'{"con', "more_body": True}, {"type": "http.disconnect"}]
    headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
    scope = {
        "type": "http", "method": "POST", "path": "/api/memories", "raw_path": b"/api/memories", "headers": headers,
        "query_string": b"", "http_version": "1.1", "scheme": "http", "root_path": "",
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8420),
    }  # fmt: skip

    async def receive() -> Any:
        return messages.pop(0)

    async def send(message: Any) -> None:
        raise AssertionError(f"nobody is there to be told {message}")

    await app(scope, receive, send)
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    assert [line["level"] for line in lines] == ["info", "info"]
    assert lines[-1]["status"] == 499


BODIES = {
    "another alphabet": ("application/json", '{"content": "a bc"}'.encode("utf-16")),
    "a mark of order": ("application/json", b'\xef\xbb\xbf{"content": "a bc"}'),
    "bytes that are no text": ("application/json", b'{"content": "\xff\xfe"}'),
    "half a million brackets": ("application/json", b"[" * 500_000),
    "objects within each other": ("application/json", b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
    "a number of ten thousand digits": ("application/json", b'{"content": "a bc", "x": ' + b"1" * 10_000 + b"}"),
    "a number beyond all": ("application/json", b'{"content": "a bc", "confidence": {"corroboration": 1e999}}'),
    "no number": ("application/json", b'{"content": "a bc", "confidence": {"corroboration": NaN}}'),
    "half a character": ("application/json", b'{"content": "\\ud800"}'),
    "a comment": ("application/json", b'{"content": "a bc" /* x */}'),
    "two values": ("application/json", b'{"content": "a bc"}{"content": "b cd"}'),
    "a text": ("application/json", b'"content"'),
    "nothing": ("application/json", b""),
    "null": ("application/json", b"null"),
    "no kind": ("", b'{"content": "a bc"}'),
    "a plain text": ("text/plain", b'{"content": "a bc"}'),
    "a form": ("application/x-www-form-urlencoded", b"content=a+bc&scope=user:bob"),
    "a form with files": ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="content"'),
    "another kind of JSON": ("text/json", b'{"content": "a bc"}'),
    "a name twice in capitals": ("APPLICATION/JSON", b'{"content": "a bc", "scope": "user:a", "scope": "user:b"}'),
    "a name twice in a kind of its own": ("application/x+json", b'{"content": "a bc", "scope": "a", "scope": "b"}'),
}


@pytest.mark.parametrize(("kind", "body"), BODIES.values(), ids=list(BODIES))
async def test_a_body_that_is_not_plain_json_is_refused(kind: str, body: bytes) -> None:
    async with client_of() as client:
        headers = {"Content-Type": kind} if kind else {}
        answer = await client.post("/api/beliefs", content=body, headers=headers)
    assert answer.status_code in {400, 415, 422}, answer.text
    assert "Traceback" not in answer.text


async def test_a_body_that_comes_in_pieces_is_counted_all_the_same() -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(40):
            yield b" " * 65_536

    async with client_of() as client:
        answer = await client.post("/api/beliefs", content=pieces(), headers={"Content-Type": "application/json"})
    assert answer.status_code == 413


PLACES_OUTSIDE = [
    "/explorer/../app.py",
    "/explorer/%2e%2e/app.py",
    "/explorer/..%2fapp.py",
    "/explorer/..%5capp.py",
    "/explorer//etc/passwd",
    "/explorer/%2fetc%2fpasswd",
    "/explorer/.%00./app.py",
    "/docs/assets/../__init__.py",
    "/docs/assets/..%2f__init__.py",
    "/docs/assets/....//__init__.py",
]


@pytest.mark.parametrize("path", PLACES_OUTSIDE)
async def test_no_path_leads_out_of_the_folders_that_are_served(path: str) -> None:
    async with client_of() as client:
        answer = await client.get(path)
    assert answer.status_code in {400, 404}
    assert "import" not in answer.text


QUERIES = [
    "limit=%D9%A3",
    "limit=1e1",
    "limit=0x10",
    "limit=-1",
    "limit=0",
    "limit=101",
    "limit=99999999999999999999",
    "limit=",
    "limit=1.5",
    "limit=true",
    "cursor=%00",
    "cursor=AAAA",
    "cursor=..%2F",
    "status=ACTIVE",
    "status=%00",
    "scope=",
    "scope=*",
    "scope=user:ann%00",
    "Limit=1",
    "limit[]=1",
    "limit%00=1",
]


@pytest.mark.parametrize("query", QUERIES)
async def test_a_parameter_out_of_bounds_is_refused(query: str) -> None:
    async with client_of() as client:
        answer = await client.get(f"/api/beliefs?{query}")
    assert answer.status_code in {400, 404, 422}, answer.text
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("name", ["X-API-Key", "X-Read-Scope", "Authorization", "x-read-scope"])
async def test_who_asks_is_said_once(name: str) -> None:
    async with client_of() as client:
        answer = await client.get("/api/beliefs", headers=[(name, "kg:films"), (name, "kg:other")])
    assert answer.status_code == 422
    assert answer.json()["field"].lower() == name.lower()


@pytest.mark.parametrize("method", ["TRACE", "OPTIONS", "HEAD", "CONNECT", "PROPFIND", "get"])
async def test_no_other_method_reaches_a_route(method: str) -> None:
    async with client_of() as client:
        answer = await client.request(method, "/api/beliefs/x/supersede")
    assert answer.status_code == 405


@pytest.mark.parametrize("tag", ["3", '"x"', '"-1"', 'W/"', '""', '"1" "2"', '"9999999999999999999"', "*,*", '"1",'])
async def test_a_version_that_is_none_is_refused(tag: str) -> None:
    async with client_of() as client:
        body = {"content": "the tower is new", "reason": "seen"}
        answer = await client.post("/api/beliefs/x/supersede", json=body, headers={"If-Match": tag})
    assert (answer.status_code, answer.json()["field"]) == (400, "If-Match")
