"""Settings -> Container: the only module that knows all rooms. It closes what it opened, in reverse order."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from clause.database import open_graph
from clause.errors import ClauseError, ConflictError
from clause.graph.server.progress import Progress, silent
from clause.settings import Settings
from clause.telemetry import Metrics, logger
from clause.text.pool import CpuPool

if TYPE_CHECKING:
    from clause.graph.idempotency import IdempotencyKeys
    from clause.graph.runner import Graph
    from clause.jobs.jobs import Jobs
    from clause.jobs.turn import JobKind, Turn
    from clause.operations.keys import ApiKeys
    from clause.policy.shelf import Shelf
    from clause.reasoning.alone import LoneAgents
    from clause.reasoning.coordinator import Coordinator
    from clause.reasoning.integrations import Integrations
    from clause.reasoning.neighbourhood import NeighbourhoodPort
    from clause.reasoning.policy import Policy
    from clause.reasoning.runs import RunRecorder
    from clause.reasoning.seeds import SeedFinder
    from clause.recollection import RecalledTexts
    from clause.rooms import Rooms
    from clause.text.embedder import Embedder, SentenceTransformerEmbedder


class Check(BaseModel):
    """Whether one part is ready, and what is wrong where it is not."""

    model_config = ConfigDict(frozen=True)

    ready: bool = Field(description="this part works")
    detail: str = Field(description="what it is, or what is wrong with it")


@dataclass(frozen=True)
class Container:
    """The open parts. `async with Container.open(settings) as container:` makes one."""

    settings: Settings
    metrics: Metrics
    graph: Graph
    embedder: SentenceTransformerEmbedder
    seeds: SeedFinder
    port: NeighbourhoodPort
    coordinator: Coordinator
    agents: LoneAgents
    runs: RunRecorder
    jobs: Jobs
    job_kinds: Mapping[str, JobKind]
    keys: IdempotencyKeys
    api_keys: ApiKeys
    shelf: Shelf
    rooms: Rooms
    warming: asyncio.Task[None]

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        settings: Settings,
        metrics: Metrics | None = None,
        *,
        policies: Mapping[str, Callable[[], Policy]] | None = None,
        progress: Progress = silent,
    ) -> AsyncIterator[Container]:
        """Find or start Neo4j, migrate it, check its embedding model, and join the parts.

        The embedding model loads in the background; the first question waits for it.

        Args:
            settings: what was set.
            metrics: where retries of the database are counted.
            policies: further policies by name (evaluation brings its baselines).
            progress: told what a start of the managed server does.

        Raises:
            ServerError: the managed server cannot be had.
            UnavailableError: the server is away.
            MigrationError: the schema drifted or is locked.
            EmbedderMismatchError: the graph was embedded by another model.
        """
        metrics = metrics or Metrics()
        async with AsyncExitStack() as stack:
            graph = await stack.enter_async_context(open_graph(settings, progress=progress, metrics=metrics))
            yield await _join(settings, metrics, graph, stack, policies or {})

    @classmethod
    @asynccontextmanager
    async def serving(cls, settings: Settings, metrics: Metrics) -> AsyncIterator[Container]:
        """`open` for a process that stays: queued jobs run in the background, and a rehearsal warms the database.

        What is loaded by then is kept from the garbage collector, whose full passes over a model's objects would stop
        the event loop for tenths of a second.
        """
        from clause.jobs.runner import JobRunner  # noqa: PLC0415
        from clause.jobs.schedule import Schedule  # noqa: PLC0415

        async with cls.open(settings, metrics) as container, AsyncExitStack() as stack:
            _in_background(JobRunner(container.jobs, container.job_kinds).run(), stack)
            stack.callback(gc.unfreeze)
            _in_background(_rehearse(container), stack)
            _in_background(container.rooms.intelligence.keep_up(), stack)
            if settings.periodic_jobs:
                table = container.rooms.periodic()
                _in_background(Schedule(container.graph, table, now=container.rooms.knowledge.ground.now).run(), stack)
            if settings.memory_consolidate:
                _in_background(container.rooms.memory.consolidation.keep_up(), stack)
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
        from clause.graph.migrations import drift  # noqa: PLC0415

        drifted = await drift(self.graph, dimension=self.embedder.dimension)
        if drifted:
            raise ClauseError(f"the schema drifted: {', '.join(sorted(drifted))}", remedy="run `clause doctor`")
        return f"{len(await self.graph.run('graph/applied'))} applied"

    async def _model(self) -> str:
        if not self.warming.done():
            raise ClauseError(f"{self.embedder.model} is still loading")
        self.warming.result()
        return f"{self.embedder.model}, {self.embedder.dimension} numbers"

    async def _policy(self) -> str:
        return self.coordinator.policies[None].name


async def _checked(check: Callable[[], Awaitable[str]]) -> Check:
    try:
        return Check(ready=True, detail=await check())
    except ClauseError as error:
        return Check(ready=False, detail=str(error))


async def _join(
    settings: Settings,
    metrics: Metrics,
    graph: Graph,
    stack: AsyncExitStack,
    policies: Mapping[str, Callable[[], Policy]],
) -> Container:
    from clause.evaluation.frontier_job import evaluate_frontier  # noqa: PLC0415
    from clause.graph.embedding_model import check_embedding_model  # noqa: PLC0415
    from clause.graph.idempotency import IdempotencyKeys  # noqa: PLC0415
    from clause.graph.migrations import migrate  # noqa: PLC0415
    from clause.ground import Ground  # noqa: PLC0415
    from clause.jobs.jobs import Jobs  # noqa: PLC0415
    from clause.operations.keys import ApiKeys  # noqa: PLC0415
    from clause.operations.promotion import default_policy  # noqa: PLC0415
    from clause.policy.shelf import SHIPPED_NAME, Shelf  # noqa: PLC0415
    from clause.reasoning.alone import LoneAgents  # noqa: PLC0415
    from clause.reasoning.asking import Asker, PolicyBook  # noqa: PLC0415
    from clause.reasoning.coordinator import Coordinator  # noqa: PLC0415
    from clause.reasoning.evidence import Provenance  # noqa: PLC0415
    from clause.reasoning.heuristics import HeuristicPolicy  # noqa: PLC0415
    from clause.reasoning.neo4j_neighbourhood import Neo4jNeighbourhood  # noqa: PLC0415
    from clause.reasoning.recording import Reporter  # noqa: PLC0415
    from clause.reasoning.rehearsal import warm  # noqa: PLC0415
    from clause.reasoning.runs import RunRecorder  # noqa: PLC0415
    from clause.reasoning.seeds import SeedFinder  # noqa: PLC0415
    from clause.rooms import Rooms  # noqa: PLC0415
    from clause.text.embedder import SentenceTransformerEmbedder  # noqa: PLC0415
    from clause.text.tokens import count_all  # noqa: PLC0415

    embedder = SentenceTransformerEmbedder(settings.embedder, settings.embedder_threads)
    stack.callback(embedder.close)
    dimension = await asyncio.to_thread(lambda: embedder.dimension)
    await migrate(graph, dimension=dimension)
    await check_embedding_model(graph, embedder.model, dimension)
    port = Neo4jNeighbourhood(graph, dimension=dimension)
    finder = SeedFinder(graph, embedder)
    asker = Asker(graph, port, finder, embedder)
    runs = RunRecorder(graph)
    stack.push_async_callback(runs.settled)
    reporter = Reporter(Provenance(graph), runs, default_scope=settings.default_scope, enabled=settings.record_runs)
    pool = CpuPool(settings.embedder_threads, name="clause-policy")
    stack.callback(pool.close)
    shelf = Shelf(settings.home / "policies", embedder.model, dimension)
    known = {"heuristic": HeuristicPolicy, **shelf.policies(pool), **policies}
    default = await default_policy(graph, known) or next(name for name in (SHIPPED_NAME, "heuristic") if name in known)
    book = PolicyBook(known, default=default)
    warming = _in_background(warm(embedder, book), stack)
    speaking: dict[str, Any] = {"count": count_all, "reporter": reporter, "token_margin": settings.token_margin}
    jobs, keys = Jobs(graph), IdempotencyKeys(graph)
    rooms = Rooms.open(Ground(graph, embedder, jobs, pool, settings, metrics))
    speaking["integrations"] = _integrations(rooms, port, settings, stack)
    stack.push_async_callback(asyncio.to_thread, rooms.close)
    stack.push_async_callback(rooms.memory.settled)
    kinds = job_kinds(graph, embedder, keys) | rooms.job_kinds()
    coordinator = Coordinator(asker, port, book, texts=_texts(graph, rooms), **speaking)
    kinds["evaluate_frontier"] = partial(evaluate_frontier, asker=asker, coordinator=coordinator)
    return Container(
        settings=settings,
        metrics=metrics,
        graph=graph,
        embedder=embedder,
        seeds=finder,
        port=port,
        coordinator=coordinator,
        agents=LoneAgents(asker, port, finder, **speaking),
        runs=runs,
        jobs=jobs,
        job_kinds=kinds,
        keys=keys,
        api_keys=ApiKeys(graph),
        shelf=shelf,
        rooms=rooms,
        warming=warming,
    )


def _texts(graph: Graph, rooms: Rooms) -> RecalledTexts:
    from clause.reasoning.texts import IndexedTexts  # noqa: PLC0415
    from clause.recollection import RecalledTexts  # noqa: PLC0415

    return RecalledTexts(IndexedTexts(graph), rooms.memory.store.recall)


def _integrations(rooms: Rooms, port: NeighbourhoodPort, settings: Settings, stack: AsyncExitStack) -> Integrations:
    from clause.reasoning.integrations import Integrations  # noqa: PLC0415

    stack.push_async_callback(rooms.intelligence.settled)
    return Integrations(rooms.intelligence, port, default_scope=settings.default_scope, enabled=settings.record_runs)


def job_kinds(graph: Graph, embedder: Embedder, keys: IdempotencyKeys) -> dict[str, JobKind]:
    """The long work that this service does, by kind: what `POST /api/jobs` may start."""
    from clause.ingest.embedding import embed_turn  # noqa: PLC0415
    from clause.sample import load_sample  # noqa: PLC0415

    async def embed(turn: Turn) -> None:
        wanted = turn.job.parameters.get("model", embedder.model)
        if wanted != embedder.model:
            raise ConflictError(f"the job is for {wanted}, this service embeds with {embedder.model}")
        await embed_turn(graph, embedder, [turn.job.scope], turn)

    async def sample(turn: Turn) -> None:
        await turn.progress(message="loading the sample")
        await load_sample(graph, embedder)

    async def forget_keys(turn: Turn) -> None:
        forgotten = await keys.forget_expired()
        await turn.progress(forgotten, forgotten, f"{forgotten} idempotency keys forgotten")

    return {"embed": embed, "load_sample": sample, "forget_keys": forget_keys}


async def _rehearse(container: Container) -> None:
    from clause.reasoning.rehearsal import rehearse  # noqa: PLC0415

    await asyncio.shield(container.warming)
    await rehearse(container.graph, container.port, container.coordinator)
    gc.freeze()


def _in_background(work: Coroutine[None, None, None], stack: AsyncExitStack) -> asyncio.Task[None]:
    """A task that is cancelled and waited for when the stack unwinds; a failure is logged where nobody awaits it."""
    task = asyncio.create_task(work)

    async def end() -> None:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    def tell(done: asyncio.Task[None]) -> None:
        if not done.cancelled() and (error := done.exception()) is not None:
            logger(__name__).error("background work ended", error=str(error))

    task.add_done_callback(tell)
    stack.push_async_callback(end)
    return task
