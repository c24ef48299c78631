"""One tenant's key, tried on what is another's: scopes that look alike, keys that were changed, reads of no scope.

Every route and tool is asked with foreign ids in tests/integration/api/test_two_tenants.py and
tests/integration/mcp_bridge/test_fuzz.py; here is what they rest on.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from clause.api.app import build_app
from clause.errors import BadInputError, ClauseError, ForbiddenError, UnauthorizedError
from clause.graph.scopes import Caller, confined, default_scopes, parse_scope, scope_of
from clause.graph.scopes import check_confinement as check
from clause.operations.key_file import KeyFile
from clause.operations.keys import ApiKeys, NewKey, presented
from clause.settings import Settings
from clause.telemetry import Metrics
from tests.attacks.test_read_scope import Seen
from tests.unit.api.fakes import FakeContainer

ANN = Caller(readable=("user:ann",), writable=("user:ann",), key_id="1")
ALIKE = [
    "user:bob",
    "user:annn",
    "user:an",
    "user:Ann",
    "USER:ann",
    "user:ann ",
    " user:ann",
    "user:ann\n",
    "user:ann\x00",
    "user:ann/",
    "user:ann/session:",
    "user:ann/session:1/session:2",
    "user:ann/user:bob",
    "user:ann/../user:bob",
    "user:bob/session:ann",
    "user:bob/session:1",
    "session:ann",
    "user:ann,user:bob",
    "user:*",
    "*",
    "",
    "user:",
    "user:аnn",
    "user:ａnn",
    "user:ann\u200b",
    "kg:user:ann",
    "kg:ann",
    "public/user:ann",
    "user%3Aann",
    "user:ann#",
    "user:" + "a" * 129,
]


@pytest.mark.parametrize("scope", ALIKE)
def test_a_scope_that_looks_like_an_own_one_is_not(scope: str) -> None:
    assert not ANN.may_read(scope)
    assert not ANN.may_write(scope)
    with pytest.raises((BadInputError, ForbiddenError)):
        ANN.require_write(scope)
    with pytest.raises((BadInputError, ForbiddenError)):
        ANN.resolve([scope], [scope])


@pytest.mark.parametrize("scope", [one for one in ALIKE if one])
def test_a_header_that_names_such_a_scope_gives_nothing(scope: str) -> None:
    try:
        told = default_scopes(scope, "X-Read-Scope")
    except BadInputError:
        return
    assert not set(replace(ANN, default=told).narrowed().readable or ()) - {"user:ann"}


NO_PARTS = [("ann/session:1", None), ("ann", "1/session:2"), ("a:b", None), ("", "../x"), ("*", None), ("ａ", "1")]


@pytest.mark.parametrize(("user", "session"), NO_PARTS)
def test_no_user_or_session_is_a_scope_of_another_form(user: str, session: str | None) -> None:
    with pytest.raises(BadInputError):
        scope_of(user, session)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"scope": None},
        {"scope": ["user:ann", "user:bob"]},
        {"scope": "user:bob"},
        {"scope": "user:annn/session:1"},
        {"scopes": None},
        {"scopes": []},
        {"scopes": ["user:ann", "user:bob"]},
        {"scope": "user:ann", "scopes": ["user:bob"]},
        {"rows": [{"scope": "user:ann"}, {"scope": "user:bob"}]},
        {"rows": [{"scope": None}]},
        {"rows": [{"id": "x"}]},
        {"given": {"scope": "user:bob"}},
    ],
    ids=str,
)
def test_a_job_confined_to_a_scope_names_no_other_and_not_none(parameters: dict[str, Any]) -> None:
    with confined("user:ann"), pytest.raises(ForbiddenError):
        check("x/y", parameters)


def test_confinement_reaches_into_one_s_own_sessions_alone() -> None:
    with confined("user:ann/session:1"):
        check("x/y", {"scope": "user:ann/session:1"})
        for scope in ("user:ann", "user:ann/session:2", "session:1", "public"):
            with pytest.raises(ForbiddenError):
                check("x/y", {"scope": scope})


NOW = datetime(2026, 3, 1, tzinfo=UTC)
Tokens = Callable[[NewKey, NewKey, KeyFile], str]
STOLEN: dict[str, Tokens] = {
    "another key's secret": lambda ann, bob, _: ann.token[:34] + bob.token[34:],
    "the hash that is kept": lambda ann, _, file: f"clause_{ann.id}_{file.read()[ann.id].secret_hash}",
    "a part of the hash": lambda ann, _, file: f"clause_{ann.id}_{file.read()[ann.id].secret_hash[:43]}",
    "no secret": lambda ann, *_: ann.token[:34],
    "a letter less": lambda ann, *_: ann.token[:-1],
    "a letter more": lambda ann, *_: ann.token + "A",
    "the last letter another": lambda ann, *_: ann.token[:-1] + ("A" if ann.token[-1] != "A" else "B"),
    "a line after it": lambda ann, *_: ann.token + "\n",
    "blanks around it": lambda ann, *_: f" {ann.token}",
    "its id in small letters": lambda ann, *_: ann.token.replace(ann.id, ann.id.lower()),
    "another case": lambda ann, *_: ann.token.upper(),
    "two keys": lambda ann, bob, _: f"{ann.token},{bob.token}",
    "a NUL": lambda ann, *_: ann.token + "\0",
    "an id that nobody has": lambda ann, *_: ann.token.replace(ann.id, "0" * 26),
    "a mark for all": lambda *_: "*",
    "nothing": lambda *_: "",
    "a megabyte": lambda *_: "clause_" + "A" * (1 << 20),
}


async def pair(folder: Path) -> tuple[ApiKeys, KeyFile, NewKey, NewKey]:
    """Keys of two tenants, and the file that keeps them."""
    file = KeyFile(folder / "keys.json")
    keys = ApiKeys(file, now=lambda: NOW)
    return keys, file, await keys.create("ann", ["user:ann"], []), await keys.create("bob", ["user:bob"], [])


@pytest.mark.parametrize("stolen", STOLEN.values(), ids=list(STOLEN))
async def test_what_is_not_quite_a_key_opens_nothing(tmp_path: Path, stolen: Tokens) -> None:
    keys, file, ann, bob = await pair(tmp_path)
    with pytest.raises(UnauthorizedError) as refused:
        await keys.caller(stolen(ann, bob, file))
    assert ann.token[34:] not in str(refused.value)


@pytest.mark.parametrize("way", ["revoked", "ended", "rotated", "rotated long ago"])
async def test_a_key_of_before_opens_nothing(tmp_path: Path, way: str) -> None:
    keys, file, ann, _ = await pair(tmp_path)
    later = ApiKeys(file, now=lambda: NOW + timedelta(days=366 if way == "ended" else 2))
    if way == "revoked":
        await keys.revoke(ann.id)
    elif way != "ended":
        await keys.rotate(ann.id, overlap=timedelta(hours=1 if way == "rotated long ago" else 0))
    with pytest.raises(UnauthorizedError):
        await (later if way in {"ended", "rotated long ago"} else keys).caller(ann.token)
    if way == "revoked":
        with pytest.raises(ClauseError, match="revoked"):
            await keys.rotate(ann.id)


@pytest.mark.parametrize(
    "headers",
    [
        {"authorization": "Bearer clause_a", "x-api-key": "clause_b"},
        {"authorization": "Basic eDp5", "x-api-key": "clause_b"},
        {"authorization": "Bearer", "x-api-key": "clause_b"},
        {"authorization": "", "x-api-key": "clause_b"},
        {"authorization": "clause_a"},
        {"authorization": "Digest x"},
    ],
    ids=str,
)
def test_two_ways_of_signing_in_that_differ_open_nothing(headers: dict[str, str]) -> None:
    assert presented(headers) == ""


def test_a_key_that_comes_in_both_headers_is_one_key() -> None:
    assert presented({"authorization": "Bearer clause_a", "x-api-key": "clause_a"}) == "clause_a"


ELSEWHERE = ("/api/policies", "/api/values/validate", "/api/memories/monitor", "/api/jobs", "/api/scopes")
"""What belongs to no scope, or is asked for otherwise than of a room: jobs and scopes are in test_read_scope.py."""


def reads() -> list[tuple[str, str]]:
    """Every operation that writes nothing and reads what belongs to scopes."""
    found = build_app(Settings(), metrics=Metrics()).openapi()["paths"]
    return [
        (method, path)
        for path, item in found.items()
        for method, operation in item.items()
        if path.startswith("/api/")
        and "idempotency-key" not in {one["name"] for one in operation.get("parameters", [])}
        and not path.startswith((*ELSEWHERE, "/api/clause/c", "/api/clause/edges"))
    ]


SEEN = Seen()


@pytest.fixture(scope="module")
def service() -> Any:
    """The application, whose rooms remember who asked."""
    app = build_app(Settings(), metrics=Metrics())
    container: Any = FakeContainer()
    container.rooms = container.coordinator = container.runs = container.agents = container.jobs = SEEN
    container.graph = container.calibration = SEEN
    app.state.container = container
    return app


@pytest.mark.parametrize(("method", "path"), reads())
async def test_every_read_that_names_no_scope_is_narrowed_to_the_project(service: Any, method: str, path: str) -> None:
    SEEN.callers.clear()
    document = service.openapi()
    operation = document["paths"][path][method]
    body = None
    if "requestBody" in operation:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        told = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        example = told.get("example") or (told.get("examples") or [{}])[0]
        body = {name: value for name, value in example.items() if name not in {"scope", "scopes"}}
    asked = [one for one in operation.get("parameters", []) if one["in"] == "query" and one.get("required")]
    needed = {one["name"]: "kg:project" if one["name"] == "scope" else "user_reflection" for one in asked}
    place = re.sub(r"\{[^}]+\}", "1", path)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=service), base_url="http://127.0.0.1") as client:
        answer = await client.request(method, place, json=body, params=needed, headers={"X-Read-Scope": "kg:project"})
    assert SEEN.callers, answer.text
    if "scope" in needed:
        return
    assert SEEN.callers[0].readable == ("kg:project",)


def test_what_a_scope_sees_is_its_own_and_what_is_for_all() -> None:
    assert parse_scope("user:ann").sees == ("user:ann", "public")
    assert parse_scope("kg:films").sees == ("kg:films",)
