"""Settings -> Container: the only module that knows all rooms. It closes what it opened, in reverse order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from clause.errors import ClauseError
from clause.graph.address import Address
from clause.graph.server.progress import Progress, silent
from clause.settings import Settings
from clause.telemetry import Metrics, logger

if TYPE_CHECKING:
    from clause.graph.runner import Graph
    from clause.jobs.jobs import Jobs
    from clause.reasoning.coordinator import Coordinator
    from clause.reasoning.runs import RunRecorder
    from clause.reasoning.seeds import SeedFinder
    from clause.text.embedder import SentenceTransformerEmbedder


class Check(BaseModel):
    """Whether one part is ready, and what is wrong where it is not."""

    model_config = ConfigDict(frozen=True)

    ready: bool = Field(description="this part works")
    detail: str = Field(description="what it is, or what is wrong with it")


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


@dataclass
class Container:
    """The open parts. `async with Container.open(settings) as container:` makes one."""

    settings: Settings
    metrics: Metrics
    graph: Graph
    embedder: SentenceTransformerEmbedder
    jobs: Jobs
    seeds: SeedFinder
    runs: RunRecorder
    coordinator: Coordinator
    warming: asyncio.Task[None]

    @classmethod
    @asynccontextmanager
    async def open(
        cls, settings: Settings, metrics: Metrics | None = None, *, progress: Progress = silent
    ) -> AsyncIterator[Container]:
        """Find or start Neo4j, migrate it, check its embedding model, and join the parts.

        The embedding model loads in the background; the first question waits for it.

        Raises:
            ServerError: the managed server cannot be had.
            UnavailableError: the server is away.
            MigrationError: the schema drifted or is locked.
            EmbedderMismatchError: the graph was embedded by another model.
        """
        metrics = metrics or Metrics()
        async with AsyncExitStack() as stack:
            graph = await stack.enter_async_context(open_graph(settings, progress=progress, metrics=metrics))
            container = await _join(settings, metrics, graph, stack)
            yield container

    async def readiness(self) -> dict[str, Check]:
        """The state of neo4j, migrations, model and policy; never raises for a part that is away."""
        checks: Mapping[str, Callable[[], Awaitable[str]]] = {
            "neo4j": self._neo4j,
            "migrations": self._migrations,
            "model": self._model,
            "policy": self._policy,
        }
        found = await asyncio.gather(*(_checked(check) for check in checks.values()))
        return dict(zip(checks, found, strict=True))

    async def _neo4j(self) -> str:
        return await self.graph.agent()

    async def _migrations(self) -> str:
        from clause.graph.migrations import check  # noqa: PLC0415

        return str(await check(self.graph))

    async def _model(self) -> str:
        if not self.warming.done():
            raise ClauseError(f"{self.embedder.model} is still loading")
        self.warming.result()
        return f"{self.embedder.model}, {self.embedder.dimension} numbers"

    async def _policy(self) -> str:
        return self.coordinator.default_policy


async def _checked(check: Callable[[], Awaitable[str]]) -> Check:
    try:
        return Check(ready=True, detail=await check())
    except ClauseError as error:
        return Check(ready=False, detail=str(error))
