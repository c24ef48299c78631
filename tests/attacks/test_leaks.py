"""What leaks in passing: counters of all tenants, metrics, the address that a header claims."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

import httpx
import pytest

from clause.api.app import build_app, server_of
from clause.api.middleware import rate_of
from clause.graph.runner import Graph
from clause.memory.writer import before_first
from clause.settings import Settings
from clause.telemetry import Metrics
from tests.servers import erase_scope, statement
from tests.unit.api.fakes import FakeApiKeys, FakeContainer


def test_each_scope_numbers_its_clusters_in_a_stretch_of_its_own() -> None:
    firsts = {before_first(f"user:u{number}") for number in range(2_000)}
    assert len(firsts) == 2_000
    assert all(0 <= first < 2**53 - 2**20 and first % 2**20 == 0 for first in firsts)


_OPEN = statement(
    "MERGE (c:Counter {id: $scope + '/memory'}) SET c.scope = $scope, c.open = true, c.clusters = 0",
    parameters="$scope STRING",
)


@pytest.mark.integration
async def test_a_cluster_number_tells_nothing_of_what_others_write(graph: Graph, scope: str) -> None:
    async def opened(name: str, spare: str) -> int:
        await graph.execute(_OPEN, {"scope": name})
        group = {"joins": None, "spare": f"{name}{spare}", "sum": [1.0, 0.0], "name": "x", "members": []}
        rows = await graph.run(
            "memory/join",
            groups=[group],
            scope=name,
            recorded_at=datetime.now(UTC),
            before_first=before_first(name),
        )
        return int(rows[0]["cluster_id"])

    mine, other = scope, f"{scope}-other"
    try:
        first = await opened(mine, "a")
        for spare in "abcde":
            await opened(other, spare)
        assert await opened(mine, "b") == first + 1
    finally:
        await erase_scope(graph, other)


@pytest.mark.parametrize("believed", ["", "10.0.0.1"])
def test_a_client_is_whom_the_connection_says_unless_a_trusted_proxy_says_otherwise(believed: str) -> None:
    settings = Settings(trusted_proxies=believed)
    config = server_of(cast("Any", FakeContainer()), settings, Metrics()).config
    assert config.proxy_headers is bool(believed)
    assert config.forwarded_allow_ips == believed


async def test_who_claims_many_addresses_is_limited_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    settings = Settings(rate_limit=2)
    config = server_of(cast("Any", FakeContainer()), settings, Metrics()).config
    config.load()
    transport = httpx.ASGITransport(app=config.loaded_app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        answers = [
            (await client.get("/health/live", headers={"X-Forwarded-For": f"10.9.8.{number}"})).status_code
            for number in range(20)
        ]
    assert 429 in answers


def test_beyond_the_loopback_there_is_a_limit_by_default() -> None:
    assert rate_of(Settings(), local=False) > 0
    assert rate_of(Settings(), local=True) == 0


async def test_the_metrics_are_not_for_a_key_of_some_scopes() -> None:
    app = build_app(Settings(), metrics=Metrics())
    app.state.container = FakeContainer()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://127.0.0.1") as client:
        key = {"Authorization": f"Bearer {FakeApiKeys.RIGHT}"}
        assert (await client.get("/metrics", headers=key)).status_code == 403
        assert (await client.get("/metrics")).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Forwarded-For": "10.0.0.{}"},
        {"x-forwarded-for": "10.0.0.{}, 127.0.0.1"},
        {"Forwarded": "for=10.0.0.{}"},
        {"X-Real-IP": "10.0.0.{}"},
        {"True-Client-IP": "10.0.0.{}"},
        {"CF-Connecting-IP": "10.0.0.{}"},
        {"X-Client-IP": "10.0.0.{}"},
        {"X-API-Key": "clause_{}"},
        {"X-Request-ID": "{}"},
        {"User-Agent": "{}"},
    ],
    ids=lambda headers: next(iter(headers)),
)
async def test_no_header_makes_another_client_of_one(headers: dict[str, str]) -> None:
    config = server_of(cast("Any", FakeContainer()), Settings(rate_limit=2), Metrics()).config
    config.load()
    transport = httpx.ASGITransport(app=config.loaded_app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        sent = [{name: value.format(number) for name, value in headers.items()} for number in range(12)]
        answers = [(await client.get("/health/live", headers=one)).status_code for one in sent]
    assert 429 in answers


@pytest.mark.parametrize("path", ["/metrics", "/metrics?", "//metrics", "/metrics/", "/./metrics", "/%6Detrics"])
async def test_the_metrics_have_no_other_door(path: str) -> None:
    app = build_app(Settings(), metrics=Metrics())
    app.state.container = FakeContainer()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://127.0.0.1") as client:
        key = {"Authorization": f"Bearer {FakeApiKeys.RIGHT}"}
        answer = await client.get(path, headers=key, follow_redirects=True)
    assert "clause_" not in answer.text


@pytest.mark.parametrize("word", ["", "Basic eDp5", "Bearer", "Bearer x", "bearer clause_", "Token clause_right"])
async def test_every_wrong_key_gets_the_same_answer(word: str) -> None:
    app = build_app(Settings(), metrics=Metrics())
    app.state.container = FakeContainer()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://127.0.0.1") as client:
        wrong = (await client.get("/api/jobs", headers={"Authorization": word})).json()
        unknown = (await client.get("/api/jobs", headers={"X-API-Key": "clause_unknown"})).json()
    assert {**wrong, "request_id": ""} == {**unknown, "request_id": ""}
    assert wrong["status"] == 401
