"""The whole service on a real graph with real embeddings, and the official client in the same process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from mcp import Client

from clause.app import Container
from clause.graph.catalogue import Catalogue
from clause.graph.database import replace_embedding_model
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.graph.wire import Address
from clause.mcp_bridge.server import LazyContainer, build_server
from clause.settings import Settings
from clause.telemetry import Metrics
from clause.text.embedder import DEFAULT_MODEL

Connect = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.fixture(scope="module")
async def service(migrated_address: Address) -> AsyncIterator[Container]:
    """The open container."""
    async with Graph(migrated_address, Catalogue.load()) as graph:
        await replace_embedding_model(graph, DEFAULT_MODEL, 384)
    place = {name: getattr(migrated_address, name) for name in ("uri", "user", "password", "database")}
    settings = Settings(**{f"neo4j_{name}": value for name, value in place.items()})
    async with Container.open(settings, Metrics()) as container:
        await container.warming
        yield container


@pytest.fixture
def connect(service: Container) -> Connect:
    """`async with connect(caller, mode="personal") as client`."""

    @asynccontextmanager
    async def opener(_settings: Settings, _metrics: Metrics) -> AsyncIterator[Any]:
        yield service

    @asynccontextmanager
    async def connected(caller: Caller | None = None, **settings: Any) -> AsyncIterator[Client]:
        holder = LazyContainer(Settings(**{"mode": "full", **settings}), opener)

        async def asking(_context: Any) -> Caller:
            return caller or Caller()

        async with Client(build_server(holder, asking)) as client:
            yield client

    return connected


async def called(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    """The structured answer of a call that succeeds."""
    result = await client.call_tool(name, arguments)
    assert result.structured_content["success"], result.structured_content
    answer: dict[str, Any] = result.structured_content
    return answer
