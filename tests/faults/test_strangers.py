"""Another service where Neo4j should be, an old Neo4j, and another service on the API's port."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from clause.errors import ClauseError, ServerError, UnavailableError
from clause.graph.database import open_graph
from clause.settings import Settings

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
BOLT_58 = bytes([0, 0, 8, 5])
AGENT = "Neo4j/5.26.1"


async def http_server(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers whatever it is sent like a web server that does not understand it."""
    await reader.read(1000)
    writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    await writer.drain()
    writer.close()


async def old_neo4j(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """As much of Bolt 5.8 as it takes to say who it is."""
    named = bytes([0xB1, 0x70, 0xA2, 0x86]) + b"server" + bytes([0x80 + len(AGENT)]) + AGENT.encode()
    hello = named + bytes([0x8D]) + b"connection_id" + bytes([0x81]) + b"1"
    answers = [hello]
    await reader.readexactly(20)
    writer.write(BOLT_58)
    try:
        while True:
            size = int.from_bytes(await reader.readexactly(2))
            if size:
                await reader.readexactly(size)
                continue
            answer = answers.pop() if answers else bytes([0xB1, 0x70, 0xA0])
            writer.write(len(answer).to_bytes(2) + answer + bytes(2))
            await writer.drain()
    except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
        writer.close()


async def ancient_neo4j(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Knows none of the versions that it is offered."""
    await reader.readexactly(20)
    writer.write(bytes(4))
    await writer.drain()
    writer.close()


async def refusal(serve: Serve) -> ClauseError:
    """What opening the graph raises where `serve` answers on the Bolt port."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        uri = f"bolt://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        with pytest.raises((ServerError, UnavailableError)) as caught:
            async with open_graph(Settings.load({"CLAUSE_NEO4J_URI": uri, "CLAUSE_NEO4J_PASSWORD": "any"})):
                raise AssertionError
    assert "\n" not in str(caught.value)
    return caught.value


async def test_a_web_server_on_the_bolt_port_is_one_clear_line() -> None:
    error = await refusal(http_server)
    assert error.message.startswith("no Neo4j answers at bolt://127.0.0.1:")
    assert "CLAUSE_NEO4J_URI" in str(error.remedy)


async def test_a_service_that_agrees_on_no_version_is_one_clear_line() -> None:
    error = await refusal(ancient_neo4j)
    assert "is another service than Neo4j, or a Neo4j that is too old" in error.message
    assert error.remedy == "set CLAUSE_NEO4J_URI to the Bolt address of Neo4j 2026.01 or newer"


async def test_an_old_neo4j_is_one_clear_line() -> None:
    error = await refusal(old_neo4j)
    assert str(error) == f"{AGENT} is too old; use Neo4j 2026.01 or newer"


def test_another_service_on_the_api_port_is_one_clear_line_and_an_exit_code(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "clause.cli.main", "serve", "--json", "--port"]
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        environment = {**os.environ, "CLAUSE_HOME": str(tmp_path)}
        ended = subprocess.run([*command, port], capture_output=True, text=True, env=environment, check=False)
    assert ended.returncode == 1
    told: dict[str, Any] = json.loads(ended.stdout)
    assert f"port {port} of 127.0.0.1 is taken by another program" in json.dumps(told)
    assert len(ended.stderr.strip().splitlines()) <= 2
    assert "--port or CLAUSE_PORT" in ended.stderr
    assert not any(tmp_path.iterdir())
