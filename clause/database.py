"""Settings -> an open graph: the server that the settings name, else the managed local one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from pydantic import SecretStr

from clause.graph.address import Address
from clause.graph.server.progress import Progress, silent
from clause.settings import Settings
from clause.telemetry import Metrics

if TYPE_CHECKING:
    from clause.graph.runner import Graph


async def find_address(settings: Settings, progress: Progress = silent) -> Address:
    """Where Neo4j answers: the server that the settings name, else the managed one, started if need be."""
    if settings.neo4j_uri is not None:
        password = settings.neo4j_password or SecretStr("")
        return Address(settings.neo4j_uri, settings.neo4j_user, password, settings.neo4j_database)
    from clause.graph.server import ManagedServer  # noqa: PLC0415 -- an external server needs none of it

    return await asyncio.to_thread(ManagedServer(settings.home, settings.neo4j_heap_mb).ensure, progress)


@asynccontextmanager
async def open_graph(
    settings: Settings, *, progress: Progress = silent, metrics: Metrics | None = None
) -> AsyncIterator[Graph]:
    """The graph alone, open and probed, not migrated."""
    from clause.graph.catalogue import Catalogue  # noqa: PLC0415
    from clause.graph.probe import probe  # noqa: PLC0415
    from clause.graph.runner import Graph  # noqa: PLC0415

    async def sleep(seconds: float) -> None:
        if metrics is not None:
            metrics.retries.inc()
        await asyncio.sleep(seconds)

    graph = Graph(
        await find_address(settings, progress),
        Catalogue.load(),
        timeout_s=settings.neo4j_timeout_s,
        pool_size=settings.neo4j_pool_size,
        sleep=sleep,
    )
    async with graph:
        await probe(graph)
        yield graph
