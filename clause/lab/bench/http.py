"""The rows of `clause bench http` and `serve-start`: small answers over one kept connection, beside a connection for
each, and how long a service takes to be ready."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx

from clause.api.app import listen, server_of
from clause.lab.bench.reasoning import BOLT, ReasoningServices, round_trip_ms
from clause.lab.bench.timing import Timings, row, timed
from clause.telemetry import Metrics, configure_logging

if TYPE_CHECKING:
    from clause.app import Container

PATH = "/health/live"
"""The smallest answer: what is measured is the way to it."""


async def http_bench(container: Container, calls: int, command: str) -> dict[str, Any]:
    """The API on a free port of the loopback, asked `calls` times over one kept connection and over new ones."""
    async with serving(container) as url, client(url) as http:

        async def keep(_call: int) -> None:
            (await http.get(PATH)).raise_for_status()

        async def connect(_call: int) -> None:
            (await http.get(PATH, headers={"Connection": "close"})).raise_for_status()

        warm_up = max(1, calls // 10)
        new = await timed(connect, range(calls + warm_up), warm_up=warm_up)
        figure = await timed(keep, range(calls + warm_up), warm_up=warm_up)
    name = f"GET {PATH} over a kept connection"
    return row(name, figure, "the same over a new connection each", new.percentile_ms(50), command)


@asynccontextmanager
async def serving(container: Container) -> AsyncIterator[str]:
    """The URL of the API on this container, in this process, while the block lasts; no line for each request."""
    configure_logging("warning")
    with listen("127.0.0.1", 0) as listener:
        server = server_of(container, container.settings.model_copy(update={"rate_limit": 0.0}), Metrics())
        running = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            await running


def client(url: str) -> httpx.AsyncClient:
    """A client of our own API, that no proxy setting leads astray."""
    return httpx.AsyncClient(base_url=url, timeout=30, trust_env=False)


async def start_bench(start: Callable[[], None], services: ReasoningServices, command: str) -> dict[str, Any]:
    """The time that `start` takes until it returns, once; beside it, a bare round trip."""
    started = time.perf_counter()
    await asyncio.to_thread(start)
    took = Timings([(time.perf_counter() - started) * 1000], 0, 1.0)
    return row("serve, start to ready", took, BOLT, await round_trip_ms(services.graph), command)
