"""`clause mcp` as a process of its own, and the official client for it over stdio or HTTP with an API key."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from clause.graph.wire import Address
from clause.operations.keys import ApiKeys, KeyFile
from tests.servers import environ_of

COMMAND = ["-m", "clause.cli.main", "mcp"]


def environment(address: Address, home: Path, **more: str) -> dict[str, str]:
    """What the process is told: the test server, and a home of its own."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("CLAUSE_")}
    return {**others, **environ_of(address, home, **more)}


@asynccontextmanager
async def over_stdio(told: dict[str, str], *options: str) -> AsyncIterator[Client]:
    """A client that starts the server."""
    async with Client(StdioServerParameters(command=sys.executable, args=[*COMMAND, *options], env=told)) as client:
        yield client


@contextmanager
def http_server(told: dict[str, str], log: Path) -> Iterator[str]:
    """The address of a server over HTTP, with its container open."""
    command = [sys.executable, *COMMAND, "--transport", "http", "--port", "0", "--json"]
    with log.open("w") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=told, text=True)
        try:
            assert process.stdout is not None
            yield json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")["mcp"]
        finally:
            process.terminate()
            process.wait(timeout=30)
    assert process.returncode in (0, -15), log.read_text()


@asynccontextmanager
async def over_http(url: str, token: str | None = None) -> AsyncIterator[Client]:
    """A client that brings an API key, or none."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with create_mcp_http_client(headers) as http, Client(streamable_http_client(url, http_client=http)) as client:
        yield client


async def new_key(home: Path, scope: str) -> str:
    """An API key of the service at home there that reads and writes one scope."""
    return (await ApiKeys(KeyFile(home / "keys.json")).create("e2e", [], [scope])).token


async def told(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    """The answer of a call that succeeds."""
    result = await client.call_tool(name, arguments)
    assert result.structured_content["success"], (name, result.structured_content)
    answer: dict[str, Any] = result.structured_content
    return answer


async def refused(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    """The error of a call that fails."""
    result = await client.call_tool(name, arguments)
    assert result.is_error, (name, result.structured_content)
    error: dict[str, Any] = result.structured_content["error"]
    return error
