"""The open application: settings become joined parts, which are closed in reverse order. The only module that knows
all rooms."""

from __future__ import annotations

import asyncio
import gc
from collections import ChainMap
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from clause.errors import ClauseError, ConflictError
from clause.graph.database import open_graph
from clause.graph.lease import FixedKind, JobKind
from clause.graph.scheduler import Periodic, PeriodicWork
from clause.ground import Ground
from clause.ingest.embedding import LINK_KIND, LinkJob
from clause.insights.room import Insights
from clause.intelligence.room import Intelligence
from clause.knowledge.room import Knowledge
from clause.memory.room import Memory
from clause.sessions.room import Sessions
from clause.settings import Settings
from clause.telemetry import Metrics, Progress, logger, silent
from clause.values.room import Values
from clause.workers import CpuPool, one_blas_thread

if TYPE_CHECKING:
    from clause.graph.idempotency import IdempotencyKeys
    from clause.graph.jobs import Jobs
    from clause.graph.lease import Lease
    from clause.graph.runner import Graph
    from clause.operations.keys import ApiKeys
    from clause.policy.serve.checkpoint_store import CheckpointStore
    from clause.reasoning.agents.policy import Policy, PolicyBook
    from clause.reasoning.agents.single_agent import LoneAgents
    from clause.reasoning.answer.calibration import Calibrations
    from clause.reasoning.answer.runs import RunRecorder
    from clause.reasoning.coordinator import Coordinator
    from clause.reasoning.neighbourhood.port import NeighbourhoodPort
    from clause.reasoning.question.seeds import SeedFinder
    from clause.text.embedder import Embedder, SentenceTransformerEmbedder
    from clause.values.experiences import OutcomeListener


@dataclass(frozen=True)
class Rooms:
    """Each room's open services, and what they stand on."""

    ground: Ground
    knowledge: Knowledge
    sessions: Sessions
    memory: Memory
    values: Values
    insights: Insights
    intelligence: Intelligence

    @classmethod
    def open(cls, ground: Ground, judge: OutcomeListener | None = None) -> Rooms:
        """Open every room; nothing is read or started yet. `judge` hears what came of answers that were acted on."""
        knowledge = Knowledge.open(ground)
        return cls(
            ground=ground,
            knowledge=knowledge,
            sessions=Sessions.open(ground, knowledge),
            memory=Memory.open(ground, erase_traces=knowledge.erasure.memory_traces),
            values=Values.open(ground, judge),
            insights=Insights.open(ground),
            intelligence=Intelligence.open(ground, knowledge),
        )

    def close(self) -> None:
        """End what the rooms have started; called once nothing is asked of them any more."""
        self.values.close()

    def job_kinds(self) -> dict[str, JobKind]:
        """The long work of all rooms, by kind."""
        rooms = (self.knowledge, self.sessions, self.memory, self.values, self.insights, self.intelligence)
        linking: dict[str, JobKind] = {LINK_KIND: LinkJob(self.ground.graph, self.ground.embedder)}
        return dict(ChainMap(linking, *(room.job_kinds() for room in rooms)))

    def periodic(self) -> PeriodicWork:
        """List what a running service does by itself: the jobs that it queues, where settings want them, and upkeep."""
        day = timedelta(days=1)
        jobs = {
            "forget_keys": Periodic(day, "graph/scope_of_keys"),
            "embed": Periodic(day, "knowledge/scopes_of_bare_evidence"),
            **self.knowledge.periodic(),
            **self.sessions.periodic(),
        }
        wanted = jobs if self.ground.settings.periodic_jobs else {}
        return {**wanted, **self.memory.periodic(), **self.intelligence.periodic()}

    async def settled(self) -> None:
        """Wait until what recalls and answers left to write or to compute is done."""
        await self.knowledge.beliefs.settled()
        await self.memory.settled()
        await self.intelligence.settled()


class Check(BaseModel):
    """The state of one part: ready or not, and what is wrong where it is not."""

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
    calibrations: Calibrations
    jobs: Jobs
    job_kinds: Mapping[str, JobKind]
    keys: IdempotencyKeys
    api_keys: ApiKeys
    checkpoints: CheckpointStore
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
        from clause.graph.scheduler import JobRunner, Scheduler

        async with cls.open(settings, metrics) as container, AsyncExitStack() as stack:
            _in_background(JobRunner(container.jobs, container.job_kinds).run(), stack)
            stack.callback(gc.unfreeze)
            _in_background(_rehearse(container), stack)
            rooms = container.rooms
            _in_background(Scheduler(container.graph, rooms.periodic(), now=rooms.ground.now).run(), stack)
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
        from clause.graph.migrations import drift, online

        await online(self.graph, limit_s=0.0)  # after a crash some are built anew: until then names may not be found
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
    """Join the parts from the ground up: model and schema, rooms, policies, and those who answer."""
    from clause.evaluation.frontier import evaluate_frontier
    from clause.graph.idempotency import IdempotencyKeys
    from clause.graph.jobs import Jobs
    from clause.operations.keys import ApiKeys, key_file
    from clause.policy.serve.checkpoint_store import CheckpointStore
    from clause.reasoning.agents.single_agent import LoneAgents
    from clause.reasoning.answer.calibration import Calibrations
    from clause.reasoning.answer.evidence import ChatReader
    from clause.reasoning.answer.runs import RunRecorder
    from clause.reasoning.answer.texts import IndexedTexts, RecalledTexts
    from clause.reasoning.coordinator import Coordinator
    from clause.reasoning.neighbourhood.neo4j import Neo4jNeighbourhood
    from clause.reasoning.question.preparation import Asker, warm
    from clause.reasoning.question.seeds import SeedFinder

    stack.enter_context(one_blas_thread())
    embedder = await _embedder(settings, graph, stack)
    api_keys = ApiKeys(key_file(settings))
    await api_keys.adopt(graph)
    runs = RunRecorder(graph)
    calibrations = Calibrations(graph, runs)
    stack.push_async_callback(runs.settled)
    pool = CpuPool(settings.embedder_threads, name="clause-policy")
    stack.callback(pool.close)
    ground = Ground(graph, embedder, Jobs(graph), pool, settings, metrics, recorded=runs.settled)
    rooms = Rooms.open(ground, calibrations.outcome)
    stack.push_async_callback(asyncio.to_thread, rooms.close)
    stack.push_async_callback(rooms.settled)
    port = Neo4jNeighbourhood(graph, dimension=embedder.dimension)
    finder = SeedFinder(graph, embedder)
    texts = RecalledTexts(IndexedTexts(graph), rooms.memory.store.recall)
    asker = Asker(graph, port, finder, embedder, calibrations, texts=texts)
    checkpoints = CheckpointStore(settings.home / "policies", embedder.model, embedder.dimension, settings.backend)
    book = _policies(checkpoints, pool, policies)
    warming = _in_background(warm(embedder, book), stack)
    reporting = _reporting(rooms, port, runs)
    given: dict[str, Any] = {"abstain_below": settings.abstain_below, "reader": ChatReader.of(settings), **reporting}
    coordinator = Coordinator(asker, port, book, **given)
    keys = IdempotencyKeys(graph)
    kinds = job_kinds(graph, embedder, keys) | rooms.job_kinds()
    kinds["evaluate_frontier"] = partial(evaluate_frontier, asker=asker, coordinator=coordinator)
    return Container(
        settings=settings,
        metrics=metrics,
        graph=graph,
        embedder=embedder,
        seeds=finder,
        port=port,
        coordinator=coordinator,
        agents=LoneAgents(asker, port, finder, book, **reporting),
        runs=runs,
        calibrations=calibrations,
        jobs=rooms.ground.jobs,
        job_kinds=kinds,
        keys=keys,
        api_keys=api_keys,
        checkpoints=checkpoints,
        rooms=rooms,
        warming=warming,
    )


async def _embedder(settings: Settings, graph: Graph, stack: AsyncExitStack) -> SentenceTransformerEmbedder:
    """The embedding model, and a graph whose schema is the present one and whose vectors are this model's."""
    from clause.graph.migrations import migrate
    from clause.text.embedder import SentenceTransformerEmbedder

    embedder = SentenceTransformerEmbedder.of(settings)
    stack.callback(embedder.close)
    dimension = await asyncio.to_thread(lambda: embedder.dimension)
    await migrate(graph, dimension=dimension, model=embedder.model)
    return embedder


def _policies(checkpoints: CheckpointStore, pool: CpuPool, further: Mapping[str, Callable[[], Policy]]) -> PolicyBook:
    """The policies by name; the default is the one that ships, else the heuristic."""
    from clause.policy.serve.checkpoint_store import SHIPPED_NAME
    from clause.reasoning.agents import text_walk
    from clause.reasoning.agents.heuristic import HeuristicPolicy
    from clause.reasoning.agents.policy import PolicyBook

    known: dict[str, Callable[[], Policy]] = {
        "heuristic": HeuristicPolicy,
        text_walk.NAME: text_walk.TextWalkPolicy,
        "two-step": text_walk.two_step,
        "pagerank": text_walk.pagerank,
    }
    known |= {**checkpoints.policies(pool), **further}
    default = next(name for name in (SHIPPED_NAME, "heuristic") if name in known)
    find = partial(checkpoints.find, pool=pool)
    return PolicyBook(known, default=default, find=find, version=checkpoints.sha256)


def _reporting(rooms: Rooms, port: NeighbourhoodPort, runs: RunRecorder) -> dict[str, Any]:
    """Give the arguments that the coordinator and the agents each alone share: they count, report and record alike."""
    from clause.reasoning.answer.evidence import Provenance
    from clause.reasoning.answer.integrations import Integrations
    from clause.reasoning.answer.report import Reporter
    from clause.text.tokens import count_all

    settings = rooms.ground.settings
    whose: dict[str, Any] = {"default_scope": settings.default_scope, "enabled": settings.record_runs}
    return {
        "count": count_all,
        "reporter": Reporter(Provenance(rooms.ground.graph), runs, **whose),
        "token_margin": settings.token_margin,
        "integrations": Integrations(rooms.intelligence, port, **whose),
    }


def job_kinds(graph: Graph, embedder: Embedder, keys: IdempotencyKeys) -> dict[str, JobKind]:
    """The long work that this service does, by kind: what `POST /api/jobs` may start."""
    from clause.graph.scopes import PUBLIC
    from clause.ingest.embedding import embed_job
    from clause.ingest.samples import SCOPE, load_sample

    async def embed(lease: Lease) -> None:
        wanted = lease.job.parameters.get("model", embedder.model)
        if wanted != embedder.model:
            raise ConflictError(f"the job is for {wanted}, this service embeds with {embedder.model}")
        await embed_job(graph, embedder, [lease.job.scope], lease)

    async def sample(lease: Lease) -> None:
        await lease.progress(message="loading the sample")
        await load_sample(graph, embedder)

    async def forget_keys(lease: Lease) -> None:
        forgotten = await keys.forget_expired()
        await lease.progress(forgotten, forgotten, f"{forgotten} idempotency keys forgotten")

    return {
        "embed": embed,
        "load_sample": FixedKind(sample, SCOPE),
        "forget_keys": FixedKind(forget_keys, PUBLIC, everywhere=True),
    }


async def _rehearse(container: Container) -> None:
    from clause.operations.processes import hand_back_memory
    from clause.reasoning.coordinator import rehearse

    await asyncio.shield(container.warming)
    await rehearse(container.graph, container.port, container.coordinator)
    gc.freeze()
    await asyncio.to_thread(hand_back_memory)


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
