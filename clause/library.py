"""The library: an open `Clause` answers questions and hands out the rooms' services, the same that the API uses; also
without `await`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from inspect import signature
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

from anyio.from_thread import start_blocking_portal
from pydantic import BaseModel, ValidationError

from clause.app import Container
from clause.errors import OutOfBoundsError, SettingsError
from clause.graph.scopes import Caller
from clause.settings import Settings
from clause.telemetry import Progress, silent

if TYPE_CHECKING:
    from clause.app import Rooms
    from clause.evaluation.harness import FigureRow
    from clause.evaluation.question_files import GoldQuestion
    from clause.evaluation.training_material import ScopeReader
    from clause.ingest.sample import SampleReport
    from clause.ingest.source import LoadReport
    from clause.insights.room import Insights
    from clause.intelligence.room import Intelligence
    from clause.knowledge.beliefs.beliefs import BeliefService
    from clause.knowledge.entities import EntityService
    from clause.knowledge.room import Knowledge
    from clause.knowledge.sources import SourceService
    from clause.knowledge.tensions import TensionService
    from clause.memory.room import Memory
    from clause.policy.train.trainer import TrainingMaterial
    from clause.reasoning.answer.runs import RunRecord, RunSummary
    from clause.reasoning.episode.budget import Budgets
    from clause.reasoning.models import (
        ContextCurationRequest,
        ContextCurationResponse,
        CoordinationRequest,
        CoordinationResponse,
        EdgeScoreRequest,
        EdgeScoreResponse,
        PathNavigationRequest,
        PathNavigationResponse,
        SubgraphRequest,
        SubgraphResponse,
    )
    from clause.reasoning.neighbourhood.snapshot import Snapshot
    from clause.sessions.room import Sessions
    from clause.values.room import Values

    Pool = Sequence[str] | ContextCurationRequest

_M = TypeVar("_M", bound=BaseModel)
_T = TypeVar("_T")


@dataclass(frozen=True)
class Clause:
    """An open clause: `async with Clause.open() as c: await c.coordinate("who directed Kes")`.

    Questions are asked with the methods below. Beliefs, memories, values and the like are kept by the rooms, whose
    services take a request model and who is asking: `await c.memory.store.write(request, caller=c.caller)`.

    Attributes:
        container: the open parts, for what has no method here.
        caller: who is asking; the owner of everything unless said otherwise.
    """

    container: Container
    caller: Caller = field(default_factory=Caller)

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        settings: Settings | None = None,
        *,
        caller: Caller | None = None,
        progress: Progress = silent,
        jobs: bool = False,
        **overrides: Any,
    ) -> AsyncIterator[Clause]:
        """Find or start Neo4j, migrate it, and join the parts; everything that was opened is closed at the end.

        Args:
            settings: what was set; read from `CLAUSE_*` variables when not given.
            caller: who is asking; the owner of everything when not given.
            progress: told what a start of the managed server does.
            jobs: queued jobs run in the background, as they do in `clause serve`.
            overrides: single settings (`home=...`, `neo4j_uri=...`) over those of the environment.

        Raises:
            SettingsError: a setting is unknown or refused, or `settings` and `overrides` are both given.
            UnavailableError: the server is away.
        """
        from clause.telemetry import Metrics  # noqa: PLC0415

        if settings is not None and overrides:
            raise SettingsError("settings and single settings cannot both be given", remedy="put them into `settings`")
        chosen = settings or Settings.load(**overrides)
        opened = Container.serving(chosen, Metrics()) if jobs else Container.open(chosen, progress=progress)
        async with opened as container:
            yield cls(container, caller or Caller())

    # -- asking --------------------------------------------------------------------------------------------------------

    async def coordinate(self, query: str | CoordinationRequest, **fields: Any) -> CoordinationResponse:
        """All three agents answer a question (or a whole request); `fields` are those of `CoordinationRequest`.

        Raises:
            OutOfBoundsError: a field is refused; it is named.
        """
        from clause.reasoning.models import CoordinationRequest  # noqa: PLC0415

        request = whole(
            CoordinationRequest, query, "query", {"budgets": {}, **fields} if isinstance(query, str) else fields
        )
        return await self.container.coordinator.coordinate(request, self.caller)

    async def subgraph(self, query: str | SubgraphRequest, **fields: Any) -> SubgraphResponse:
        """The SubgraphArchitect alone, on a question or a whole request; `fields` are those of `SubgraphRequest`."""
        from clause.reasoning.models import SubgraphRequest  # noqa: PLC0415

        request = whole(SubgraphRequest, query, "query", fields)
        return await self.container.agents.subgraph(request, self.caller)

    async def navigate(
        self, query: str | PathNavigationRequest, start_node: str | None = None, **fields: Any
    ) -> PathNavigationResponse:
        """The PathNavigator alone, from a node's id, exact name or alias, or as a whole request says."""
        from clause.reasoning.models import PathNavigationRequest  # noqa: PLC0415

        request = whole(PathNavigationRequest, query, "query", fields, start_node=start_node)
        return await self.container.agents.navigate(request, self.caller)

    async def curate(self, evidence_pool: Pool, **fields: Any) -> ContextCurationResponse:
        """The ContextCurator alone, on given texts or a whole request; `fields` of `ContextCurationRequest`."""
        from clause.reasoning.models import ContextCurationRequest  # noqa: PLC0415

        request = whole(ContextCurationRequest, evidence_pool, "evidence_pool", fields)
        return await self.container.agents.curate(request, self.caller)

    async def score_edges(self, query: str | EdgeScoreRequest, edges: Any = None, **fields: Any) -> EdgeScoreResponse:
        """The five signals and the score of `edges`: mappings or `EdgeTriple`s; or of those of a whole request."""
        from clause.reasoning.models import EdgeScoreRequest  # noqa: PLC0415

        request = whole(EdgeScoreRequest, query, "query", fields, edges=edges)
        return await self.container.agents.score_edges(request, self.caller)

    async def run(self, run_id: str) -> RunRecord:
        """A recorded run with its request, budgets, seeds and every step.

        Raises:
            NotFoundError: there is none, or it read what this caller may not.
        """
        return await self.container.runs.get(run_id, self.caller)

    async def runs(self, limit: int = 20) -> tuple[RunSummary, ...]:
        """The newest recorded runs, at most `limit`."""
        await self.container.runs.settled()
        return tuple(await self.container.runs.list(self.caller, limit=limit))

    # -- loading -------------------------------------------------------------------------------------------------------

    async def load(
        self,
        kind: Literal["triples", "passages"],
        path: str | Path,
        scope: str | None = None,
        *,
        progress: Progress = silent,
    ) -> LoadReport:
        """Load a file of triples or passages into a scope, with vectors; loading it again changes nothing.

        Raises:
            NotFoundError, BadInputError: the file is not there or cannot be read.
            ForbiddenError: this caller may not write there.
        """
        from clause.ingest.passages import load_passages  # noqa: PLC0415
        from clause.ingest.triples import load_triples  # noqa: PLC0415

        loader = {"triples": load_triples, "passages": load_passages}[kind]
        target = self.rooms.ground.writable(self.caller, scope)
        return await loader(self.container.graph, self.container.embedder, Path(path), target, progress=progress)

    async def load_sample(self, *, progress: Progress = silent) -> SampleReport:
        """See to it that the film graph that ships with clause is there, in scope `kg:metaqa`; quick when it is."""
        from clause.ingest.sample import load_sample  # noqa: PLC0415

        return await load_sample(self.container.graph, self.container.embedder, progress)

    # -- learning ------------------------------------------------------------------------------------------------------

    async def snapshot(self, scopes: Sequence[str]) -> Snapshot:
        """Scopes of the graph as immutable arrays in memory: what training and offline evaluation read.

        Raises:
            BadInputError, ForbiddenError: a scope is malformed, unknown, or not this caller's.
        """
        return await self._explorer.snapshot(await self.rooms.ground.readable(self.caller, scopes))

    async def material(self, questions: Sequence[GoldQuestion], scopes: Sequence[str]) -> TrainingMaterial:
        """Material for `Training`: a snapshot of the scopes, and the questions tied to its nodes.

        Raises:
            BadInputError, ForbiddenError: a scope is malformed, unknown, or not this caller's.
        """
        from clause.evaluation.training_material import with_types  # noqa: PLC0415

        readable = await self.rooms.ground.readable(self.caller, scopes)
        snapshot = await self._explorer.snapshot(readable)
        tied = await self._explorer.tied(snapshot, questions, readable)
        return with_types(snapshot, self.container.embedder, tied)

    async def evaluate(
        self,
        questions: Sequence[GoldQuestion],
        *,
        policy: str = "learned",
        budgets: Budgets | None = None,
        scopes: Sequence[str] | None = None,
    ) -> FigureRow:
        """The figures of a policy on questions with answers, under the same hard budgets for each; nothing is recorded.

        Raises:
            ValueError: there is no question.
        """
        from clause.evaluation.harness import ask_all, summarise  # noqa: PLC0415
        from clause.evaluation.service import ServiceSystem  # noqa: PLC0415
        from clause.reasoning.episode.budget import Budgets  # noqa: PLC0415

        async def ask(request: CoordinationRequest, allowed: Budgets) -> CoordinationResponse:
            return await self.container.coordinator.coordinate(request, self.caller, budgets=allowed)

        system = ServiceSystem(ask, policy=policy, budgets=budgets or Budgets(), scopes=scopes)
        return summarise(questions, await ask_all(system, questions))

    @property
    def _explorer(self) -> ScopeReader:
        from clause.evaluation.training_material import ScopeReader  # noqa: PLC0415

        return ScopeReader(self.container.graph, self.container.seeds, self.container.embedder)

    # -- rooms ---------------------------------------------------------------------------------------------------------

    @property
    def rooms(self) -> Rooms:
        """All rooms."""
        return self.container.rooms

    @property
    def knowledge(self) -> Knowledge:
        """Beliefs, tensions, entities, sources and trust."""
        return self.rooms.knowledge

    @property
    def beliefs(self) -> BeliefService:
        """What is held to be true, with confidence; a shortcut to `knowledge.beliefs`."""
        return self.knowledge.beliefs

    @property
    def tensions(self) -> TensionService:
        """Beliefs that contradict each other; a shortcut to `knowledge.tensions`."""
        return self.knowledge.tensions

    @property
    def entities(self) -> EntityService:
        """What all else is about; a shortcut to `knowledge.entities`."""
        return self.knowledge.entities

    @property
    def sources(self) -> SourceService:
        """Who said it, and who trusts whom; a shortcut to `knowledge.sources`."""
        return self.knowledge.sources

    @property
    def sessions(self) -> Sessions:
        """Sessions, exchanges and patterns."""
        return self.rooms.sessions

    @property
    def memory(self) -> Memory:
        """The memory that consolidates."""
        return self.rooms.memory

    @property
    def values(self) -> Values:
        """Experiences and the values formed of them."""
        return self.rooms.values

    @property
    def insights(self) -> Insights:
        """Insights that age."""
        return self.rooms.insights

    @property
    def intelligence(self) -> Intelligence:
        """Basins, ThoughtSeeds, curiosity and causal reasoning."""
        return self.rooms.intelligence


class SyncClause:
    """A `Clause` on an event loop of its own, in a thread of its own, so that it works inside a running loop too.

    `with SyncClause.open() as c: c.coordinate("who directed Kes")`; across the cells of a notebook,
    `c = SyncClause.open()` and in the end `c.close()`. Any other method of the library or of a room is called through
    `call`, which also says who is asking: `c.call(c.clause.memory.store.read, request)`.

    Attributes:
        clause: the open library, whose coroutine functions `call` runs.
    """

    def __init__(self, clause: Clause, stack: ExitStack, call: Callable[..., Any]) -> None:
        self.clause = clause
        self._stack = stack
        self._call = call

    @classmethod
    def open(cls, settings: Settings | None = None, **given: Any) -> Self:
        """Open the library; arguments are those of `Clause.open`."""
        with ExitStack() as stack:
            portal = stack.enter_context(start_blocking_portal())
            clause = stack.enter_context(portal.wrap_async_context_manager(Clause.open(settings, **given)))
            return cls(clause, stack.pop_all(), portal.call)

    def close(self) -> None:
        """Close what was opened and end the thread; closing again does nothing."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def caller(self) -> Caller:
        """Who is asking."""
        return self.clause.caller

    def call(self, function: Callable[..., Awaitable[_T]], *arguments: Any, **named: Any) -> _T:
        """The result of a coroutine function of the library or of a room, waited for here.

        One that asks for a `caller` is given this library's, unless another is named.
        """
        if "caller" in signature(function).parameters:
            named.setdefault("caller", self.caller)

        async def run() -> _T:
            return await function(*arguments, **named)

        result: _T = self._call(run)
        return result

    def coordinate(self, query: str | CoordinationRequest, **fields: Any) -> CoordinationResponse:
        """`Clause.coordinate`."""
        return self.call(self.clause.coordinate, query, **fields)

    def subgraph(self, query: str | SubgraphRequest, **fields: Any) -> SubgraphResponse:
        """`Clause.subgraph`."""
        return self.call(self.clause.subgraph, query, **fields)

    def navigate(
        self, query: str | PathNavigationRequest, start_node: str | None = None, **fields: Any
    ) -> PathNavigationResponse:
        """`Clause.navigate`."""
        return self.call(self.clause.navigate, query, start_node, **fields)

    def curate(self, evidence_pool: Pool, **fields: Any) -> ContextCurationResponse:
        """`Clause.curate`."""
        return self.call(self.clause.curate, evidence_pool, **fields)


def whole(model: type[_M], first: Any, name: str, fields: dict[str, Any], **more: Any) -> _M:
    """A request: `first` itself, changed where fields say so, if it is one; else with `first` as its field `name`."""
    said = fields | {field: value for field, value in more.items() if value is not None}
    if isinstance(first, model):
        return checked(model, {**first.model_dump(exclude_unset=True), **said}) if said else first
    return checked(model, {**said, name: first})


def checked(model: type[_M], fields: dict[str, Any]) -> _M:
    """A request; what it refuses is one of our own errors."""
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise OutOfBoundsError(f"{place}: {first['msg']}", field=place) from error
