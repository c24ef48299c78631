from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient

from clause.api.app import build_app
from clause.settings import Settings
from clause.telemetry import Metrics
from tests.unit.api.fakes import FakeApiKeys, FakeContainer

OPEN = {"/health/live", "/health/ready"}
RIGHT = FakeApiKeys.RIGHT


def application(host: str) -> FastAPI:
    @asynccontextmanager
    async def opener(settings: Settings, metrics: Metrics) -> AsyncIterator[FakeContainer]:
        yield FakeContainer()

    return build_app(Settings(host=host, rate_limit=0), opener=opener)


@asynccontextmanager
async def client_of(app: FastAPI, url: str = "http://127.0.0.1:8420") -> AsyncIterator[AsyncClient]:
    async with app.router.lifespan_context(app), AsyncClient(transport=ASGITransport(app), base_url=url) as client:
        yield client


@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": "Bearer wrong"}, {"X-API-Key": "wrong"}, {"Authorization": f"Basic {RIGHT}"}]
)
async def test_beyond_the_loopback_nothing_is_answered_without_a_key(headers: dict[str, str]) -> None:
    async with client_of(application("0.0.0.0"), "http://clause.example:8420") as client:
        answer = await client.get("/api/jobs", headers=headers)
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"] == "Bearer"
        assert answer.json()["code"] == "unauthorized"
        assert (await client.get("/metrics", headers=headers)).status_code == 401
        assert (await client.get("/health/live")).status_code == 200


@pytest.mark.parametrize("headers", [{"Authorization": f"Bearer {RIGHT}"}, {"X-API-Key": RIGHT}])
async def test_a_key_opens_its_scopes(headers: dict[str, str]) -> None:
    async with client_of(application("0.0.0.0"), "http://clause.example:8420") as client:
        assert (await client.get("/api/jobs", headers=headers)).status_code == 200
        refused = await client.post("/api/jobs", headers=headers, json={"kind": "load_sample"})
        assert refused.status_code == 403


async def test_on_the_loopback_a_key_is_not_needed_but_counts_when_it_comes() -> None:
    async with client_of(application("127.0.0.1")) as client:
        assert (await client.get("/api/jobs")).status_code == 200
        assert (await client.get("/api/jobs", headers={"X-API-Key": "wrong"})).status_code == 401
        refused = await client.post("/api/jobs", headers={"X-API-Key": RIGHT}, json={"kind": "load_sample"})
        assert refused.status_code == 403


async def test_beyond_the_loopback_every_route_but_health_asks_for_a_key() -> None:
    app = application("0.0.0.0")
    operations = [(path, method) for path, item in app.openapi()["paths"].items() for method in item]
    assert len(operations) > 10
    async with client_of(app, "http://clause.example:8420") as client:
        for path, method in operations:
            answer = await client.request(method, re.sub(r"\{\w+\}", "x", path), json={})
            assert (answer.status_code == 401) != (path in OPEN), (method, path, answer.status_code)
