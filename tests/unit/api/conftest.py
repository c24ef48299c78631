"""A running application over a container of fakes, and a client for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient

from clause.api.app import build_app
from clause.settings import Settings
from clause.telemetry import Metrics
from tests.unit.api.fakes import FakeContainer


@pytest.fixture
def container() -> FakeContainer:
    return FakeContainer()


@pytest.fixture
def app(container: FakeContainer) -> FastAPI:
    @asynccontextmanager
    async def opener(settings: Settings, metrics: Metrics) -> AsyncIterator[FakeContainer]:
        container.opened = True
        yield container
        container.closed = True

    return build_app(Settings(), opener=opener)


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[AsyncClient]:
    async with (
        app.router.lifespan_context(app),
        AsyncClient(transport=ASGITransport(app), base_url="http://127.0.0.1:8420") as client,
    ):
        yield client
