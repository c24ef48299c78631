from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
import uvicorn

from clause.errors import UnavailableError
from clause.mcp_bridge.server import LazyContainer
from clause.mcp_bridge.transports import http_application, run_http
from clause.settings import Settings
from tests.unit.api.fakes import FakeApiKeys, FakeContainer

CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "graph_query", "arguments": {"query": "RETURN 1"}},
}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
ACCEPT = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}


@asynccontextmanager
async def opener(_settings: Any, _metrics: Any) -> AsyncIterator[FakeContainer]:
    yield FakeContainer()


@asynccontextmanager
async def client_of(host: str, url: str = "http://127.0.0.1:8421") -> AsyncIterator[httpx.AsyncClient]:
    holder = LazyContainer(Settings(host=host, mode="full"), opener)
    application: Any = http_application(holder)
    async with (
        application._inner.router.lifespan_context(application._inner),
        httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url=url, headers=ACCEPT) as client,
    ):
        yield client


async def test_on_the_loopback_a_request_without_a_key_is_the_owners() -> None:
    async with client_of("127.0.0.1") as client:
        listed = await client.post("/mcp", json=LIST)
        assert len(listed.json()["result"]["tools"]) == 53
        called = await client.post("/mcp", json=CALL, headers={"Authorization": f"Bearer {FakeApiKeys.RIGHT}"})
        assert called.json()["result"]["structuredContent"]["error"]["code"] == "forbidden"


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"X-API-Key": "wrong"}])
async def test_beyond_it_nobody_is_answered_without_a_key(headers: dict[str, str]) -> None:
    async with client_of("0.0.0.0", "http://clause.example:8421") as client:
        answer = await client.post("/mcp", json=LIST, headers=headers)
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
        assert answer.json()["code"] == "unauthorized"
        right = await client.post("/mcp", json=LIST, headers={"X-API-Key": FakeApiKeys.RIGHT})
        assert right.status_code == 200


async def test_a_foreign_host_is_refused_on_the_loopback() -> None:
    async with client_of("127.0.0.1", "http://evil.example:8421") as client:
        assert (await client.post("/mcp", json=LIST)).status_code == 421


def test_the_container_is_opened_before_anybody_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    @asynccontextmanager
    async def away(_settings: Any, _metrics: Any) -> AsyncIterator[FakeContainer]:
        raise UnavailableError("Neo4j is away")
        yield

    served: list[Any] = []

    class Server:
        def __init__(self, config: uvicorn.Config) -> None:
            served.append(config.app)

        async def serve(self, sockets: list[socket.socket]) -> None:
            served.extend(sockets)

    monkeypatch.setattr(uvicorn, "Server", Server)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        with pytest.raises(UnavailableError):
            run_http(LazyContainer(Settings(), away), listener, http_application(LazyContainer(Settings(), away)))
        assert served == []
        holder = LazyContainer(Settings(), opener)
        application = http_application(holder)
        run_http(holder, listener, application)
        assert served == [application, listener]
