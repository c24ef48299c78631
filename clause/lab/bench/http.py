"""The rows of `clause bench http`, `clients` and `serve-start`: small answers over one kept connection, beside a
connection for each; questions of many clients at a time; and how long a service takes to be ready."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from itertools import cycle
from typing import TYPE_CHECKING, Any

import httpx
import psutil

from clause.api.app import listen, server_of
from clause.lab.bench.reasoning import BOLT, SCOPES, ReasoningServices, round_trip_ms
from clause.lab.bench.timing import Timings, against, row, timed
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
    return httpx.AsyncClient(base_url=url, timeout=60, trust_env=False, limits=httpx.Limits(max_connections=None))


async def start_bench(start: Callable[[], object], services: ReasoningServices, command: str) -> dict[str, Any]:
    """The time that `start` takes until it returns, once; beside it, a bare round trip."""
    started = time.perf_counter()
    await asyncio.to_thread(start)
    took = Timings([(time.perf_counter() - started) * 1000], 0, 1.0)
    return row("serve, start to ready", took, BOLT, await round_trip_ms(services.graph), command)


async def clients_bench(
    url: str, pid: int, questions: Sequence[str], *, clients: int, seconds: float, command: str
) -> dict[str, Any]:
    """Questions to a running service by one client for a third of the time, then by `clients` at a time; the service's
    memory (MB, all its processes) before and after; what came back that is no answer, by its status."""
    texts = cycle(questions)
    async with client(url) as http:
        await _pressed(http, texts, 2, seconds / 6)  # not counted: it warms up
        alone, _ = await _pressed(http, texts, 1, seconds / 3)
        before = _memory_mb(pid)
        figure, others = await _pressed(http, texts, clients, seconds)
    return {
        "name": f"questions of {clients} clients over HTTP",
        "n": len(figure.latencies_ms),
        "answers_per_s": figure.per_s,
        "p50_ms": figure.percentile_ms(50),
        "p95_ms": figure.percentile_ms(95),
        "no_answer": dict(others),
        "memory_mb": {"before": before, "after": _memory_mb(pid)},
        "baseline": against("one client's p95", alone.percentile_ms(95), figure.percentile_ms(95)),
        "command": command,
    }


async def _pressed(
    http: httpx.AsyncClient, texts: Iterator[str], clients: int, seconds: float
) -> tuple[Timings, Counter[str]]:
    """So many clients, each asking again once it was answered, for a time."""
    others: Counter[str] = Counter()
    latencies: list[float] = []
    started = time.perf_counter()

    async def ask() -> None:
        while time.perf_counter() < started + seconds:
            body = {"query": next(texts), "budgets": {}, "scopes": SCOPES}
            sent = time.perf_counter()
            try:
                answer = await http.post("/api/clause/coordinate", json=body)
            except httpx.HTTPError as error:
                others[type(error).__name__] += 1
                continue
            if answer.is_success:
                latencies.append((time.perf_counter() - sent) * 1000)
            else:
                others[str(answer.status_code)] += 1
                await asyncio.sleep(float(answer.headers.get("Retry-After", 0)))

    await asyncio.gather(*(ask() for _ in range(clients)))
    return Timings(latencies, sum(others.values()), time.perf_counter() - started), others


def _memory_mb(pid: int) -> int:
    """The resident memory of a process and those that it made."""
    process = psutil.Process(pid)
    return sum(one.memory_info().rss for one in (process, *process.children(recursive=True))) >> 20
