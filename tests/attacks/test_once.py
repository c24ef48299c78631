"""Idempotency keys as an attacker uses them: for another request, for another caller's, on every route that writes.

That a key and its work are one transaction is in tests/integration/graph/test_upkeep.py, and under kill -9 in
tests/faults/test_once_killed.py.
"""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from clause.api.app import build_app
from clause.errors import BadInputError
from clause.graph.idempotency import RequestKey
from clause.graph.scopes import Caller
from clause.settings import Settings
from clause.telemetry import Metrics
from tests.unit.api.fakes import FakeContainer

ANN = Caller(("user:ann",), ("user:ann",), key_id="01A")


def key(word: str = "w", caller: Caller = ANN, *parts: bytes) -> RequestKey:
    """The key of a caller's request."""
    return RequestKey.of(caller, word, *parts, default_scope="public", field="Idempotency-Key")


@pytest.mark.parametrize(
    "word",
    ["", " ", "a b", "a\nb", "a\0b", "a\x7f", "\u200b", "ключ", "k" * 256, "a\tb"],
    ids=["none", "a blank", "two words", "a line", "a NUL", "DEL", "no width", "letters", "256 letters", "a tab"],
)
def test_a_word_that_is_no_key_is_refused(word: str) -> None:
    with pytest.raises(BadInputError) as refused:
        key(word)
    assert refused.value.field == "Idempotency-Key"


@pytest.mark.parametrize(
    "other",
    [
        Caller(("user:ann",), ("user:ann",), key_id="01B"),
        Caller(("user:bob",), ("user:bob",), key_id="01A"),
        Caller(("user:ann",), ("user:ann/session:1",), key_id="01A"),
        Caller(("user:ann",), (), key_id="01A"),
        Caller(key_id="01A"),
        Caller(),
    ],
    ids=["another key", "the same of another scope", "a session", "one that only reads", "one for all", "the owner"],
)
def test_the_same_word_of_another_caller_is_another_key(other: Caller) -> None:
    assert key().id != key("w", other).id


@pytest.mark.parametrize("word", ["01A:w", "user:ann\n01A:w", ":w", "w:01A"])
def test_no_word_of_one_key_is_the_word_of_another(word: str) -> None:
    try:
        given = key(word, Caller(("user:ann",), ("user:ann",), key_id="01B"))
    except BadInputError:
        return
    assert given.id != key().id


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ((b"POST", b"/a", b"", b"{}"), (b"PUT", b"/a", b"", b"{}")),
        ((b"POST", b"/a", b"", b"{}"), (b"POST", b"/b", b"", b"{}")),
        ((b"POST", b"/a", b"", b"{}"), (b"POST", b"/a", b"x=1", b"{}")),
        ((b"POST", b"/a", b"", b"{}"), (b"POST", b"/a", b"", b"{ }")),
        ((b"POST", b"/a", b"", b"{}"), (b"POST", b"/a/", b"", b"{}")),
        ((b"POST", b"/a", b"b", b""), (b"POST", b"/a", b"", b"b")),
        ((b"POST", b"/ab", b""), (b"POST/a", b"b", b"")),
    ],
)
def test_another_request_has_another_hash(first: tuple[bytes, ...], other: tuple[bytes, ...]) -> None:
    assert key("w", ANN, *first).request != key("w", ANN, *other).request


class Noting:
    """Keys that note each request, and do nothing."""

    def __init__(self) -> None:
        self.seen: list[RequestKey] = []

    async def once(self, request_key: RequestKey, *_work: Any, **_more: Any) -> Any:
        self.seen.append(request_key)
        raise BadInputError("noted")


class Whoever:
    """Rooms in which everything is found, and says nothing."""

    scope = "public"

    def __getattr__(self, _name: str) -> Any:
        return self

    async def __call__(self, *_given: Any, **_named: Any) -> Any:
        return self


@pytest.fixture(scope="module")
def service() -> Any:
    """The application on noting keys."""
    app = build_app(Settings(), metrics=Metrics())
    container: Any = FakeContainer()
    container.rooms = container.jobs = container.runs = container.calibrations = container.coordinator = Whoever()
    container.graph = container.checkpoints = Whoever()
    container.keys = Noting()
    app.state.container = container
    return app


def writes() -> list[tuple[str, str]]:
    """Every operation that takes a key."""
    paths = build_app(Settings(), metrics=Metrics()).openapi()["paths"]
    return [
        (method, path)
        for path, item in paths.items()
        for method, operation in item.items()
        if "idempotency-key" in {one["name"].lower() for one in operation.get("parameters", [])}
    ]


@pytest.mark.parametrize(("method", "path"), writes())
async def test_a_key_stands_for_one_request_on_every_route_that_writes(service: Any, method: str, path: str) -> None:
    document = service.openapi()
    operation = document["paths"][path][method]
    body: dict[str, Any] | None = None
    if "requestBody" in operation:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        told = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        bare = {"hypothesis": "it rains"} if "hypothesis" in told["properties"] else {}
        body = told.get("example") or (told.get("examples") or [bare])[0]
    needed = {
        one["name"]: "public" if one["name"] == "scope" else "x"
        for one in operation.get("parameters", [])
        if one["in"] == "query" and one.get("required")
    }
    noting = service.state.container.keys
    noting.seen.clear()
    sent = [(re.sub(r"\{[^}]+\}", "1", path), needed, body)]
    if "{" in path:
        sent.append((re.sub(r"\{[^}]+\}", "2", path), needed, body))
    if needed:
        sent.append((sent[0][0], {**needed, "scope": "kg:other"}, body))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=service), base_url="http://127.0.0.1") as client:
        for place, query, given in sent:
            answer = await client.request(
                method, place, params=query, json=given, headers={"Idempotency-Key": "w", "If-Match": "*"}
            )
            assert "noted" in answer.text, answer.text
    assert len({one.id for one in noting.seen}) == 1
    assert len({one.request for one in noting.seen}) == len(sent)


async def test_a_header_with_a_key_that_is_none_is_refused_before_anything_is_done(service: Any) -> None:
    service.state.container.keys.seen.clear()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=service), base_url="http://127.0.0.1") as client:
        for word in ("k" * 256, "two words", ""):
            answer = await client.post("/api/beliefs", json={"content": "a bc"}, headers={"Idempotency-Key": word})
            assert answer.status_code in {400, 422}
    assert service.state.container.keys.seen == []
