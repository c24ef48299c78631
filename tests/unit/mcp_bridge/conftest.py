"""A server over a container of fakes, and the official client for it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from mcp import Client

from clause.graph.scopes import Caller
from clause.mcp_bridge.server import LazyContainer, build_server
from clause.settings import Settings
from clause.telemetry import Metrics
from tests.unit.api.fakes import FakeContainer

Connect = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.fixture
def container() -> FakeContainer:
    return FakeContainer()


@pytest.fixture
def connect(container: FakeContainer) -> Connect:
    """`async with connect(mode="personal", caller=...) as client`."""

    @asynccontextmanager
    async def opener(_settings: Settings, _metrics: Metrics) -> AsyncIterator[Any]:
        container.opened = True
        yield container
        container.closed = True

    @asynccontextmanager
    async def connected(caller: Caller | None = None, **settings: Any) -> AsyncIterator[Client]:
        holder = LazyContainer(Settings(**{"mode": "full", **settings}), opener)

        async def asking(_context: Any) -> Caller:
            return caller or Caller()

        async with Client(build_server(holder, asking)) as client:
            yield client

    return connected
