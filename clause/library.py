"""The library: an open `Clause` answers questions and hands out the rooms' services, the same that the API uses; also
without `await`."""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures.thread  # noqa: F401 -- see the end
import logging
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import update_wrapper
from inspect import signature
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, Self, TypeVar
from weakref import WeakSet

from anyio.from_thread import start_blocking_portal
from pydantic import BaseModel

from clause.app import Container
from clause.asking import Asking, Here
from clause.errors import SettingsError
from clause.graph.scopes import Caller
from clause.settings import Settings
from clause.telemetry import Progress, silent

if TYPE_CHECKING:
    from clause.app import Rooms
    from clause.evaluation.harness import FigureRow
    from clause.evaluation.question_files import GoldQuestion
    from clause.evaluation.training_material import ScopeReader
    from clause.ingest.samples import SampleReport
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
    from clause.reasoning.episode.budget import Budgets
    from clause.reasoning.models import CoordinationRequest, CoordinationResponse
    from clause.reasoning.neighbourhood.snapshot import Snapshot
    from clause.sessions.room import Sessions
    from clause.values.room import Values

_P = ParamSpec("_P")
_T = TypeVar("_T")


@dataclass(frozen=True)
class Clause(Asking):
    """An open clause: `async with Clause.open() as c: await c.coordinate("who directed Kes")`.

    Its methods are those of `Asking`, and below. What they do not do is done by the rooms, whose services take a
    request model and who is asking: `await c.sessions.sessions.start(request, caller=c.caller)`.

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

    async def perform(
        self,
        path: str,  # noqa: ARG002 -- the route is for the client
        request: BaseModel | None,  # noqa: ARG002
        gives: type[_T],  # noqa: ARG002
        here: Here[_T],
        *,
        inside: str = "",  # noqa: ARG002
    ) -> _T:
        """The answer of the services, asked here."""
        return await here(self.container, self.caller)

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
        from clause.ingest.samples import load_sample  # noqa: PLC0415

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
        return await asyncio.to_thread(with_types, snapshot, self.container.embedder, tied)  # it has a loop of its own

    async def evaluate(
        self,
        questions: Sequence[GoldQuestion],
        *,
        policy: str = "learned",
        budgets: Budgets | None = None,
        scopes: Sequence[str] | None = None,
    ) -> FigureRow:
        """The figures of a policy on questions with answers, under the same hard budgets for each; nothing is recorded.

        What is withheld is no answer: that is right where a question has none.

        Raises:
            ValueError: there is no question.
        """
        from clause.evaluation.harness import ask_all, summarise  # noqa: PLC0415
        from clause.evaluation.service import ServiceSystem  # noqa: PLC0415
        from clause.reasoning.episode.budget import Budgets  # noqa: PLC0415

        async def ask(request: CoordinationRequest, allowed: Budgets) -> CoordinationResponse:
            return await self.container.coordinator.coordinate(request, self.caller, budgets=allowed)

        system = ServiceSystem(ask, policy=policy, budgets=budgets or Budgets(), scopes=scopes)
        found = await ask_all(system, questions)
        return summarise(questions, [replace(one, answers=()) if one.abstained else one for one in found])

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
        """The statements that are held to be true, with confidence; a shortcut to `knowledge.beliefs`."""
        return self.knowledge.beliefs

    @property
    def tensions(self) -> TensionService:
        """Beliefs that contradict each other; a shortcut to `knowledge.tensions`."""
        return self.knowledge.tensions

    @property
    def entities(self) -> EntityService:
        """The things that all else is about; a shortcut to `knowledge.entities`."""
        return self.knowledge.entities

    @property
    def sources(self) -> SourceService:
        """The sources: who said it, and who trusts whom; a shortcut to `knowledge.sources`."""
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


def _waited(
    method: Callable[Concatenate[Asking, _P], Coroutine[Any, Any, _T]],
) -> Callable[Concatenate[Waiting, _P], _T]:
    """The same method without `await`, with the same parameters."""

    def waiting(self: Waiting, /, *arguments: _P.args, **named: _P.kwargs) -> _T:
        return self.call(method, self.asked, *arguments, **named)

    return update_wrapper(waiting, method)


_LEFT_OPEN: WeakSet[Waiting] = WeakSet()


class Waiting:
    """The methods of `Asking` without `await`, on an event loop in a thread of its own: inside a running loop, too."""

    asked: Asking
    coordinate = _waited(Asking.coordinate)
    subgraph = _waited(Asking.subgraph)
    navigate = _waited(Asking.navigate)
    curate = _waited(Asking.curate)
    score_edges = _waited(Asking.score_edges)
    run = _waited(Asking.run)
    runs = _waited(Asking.runs)
    feedback = _waited(Asking.feedback)
    replay = _waited(Asking.replay)
    curiosity_plan = _waited(Asking.curiosity_plan)
    belief_create = _waited(Asking.belief_create)
    belief_query = _waited(Asking.belief_query)
    belief_supersede = _waited(Asking.belief_supersede)
    memory_write = _waited(Asking.memory_write)
    memory_read = _waited(Asking.memory_read)
    forget = _waited(Asking.forget)

    def __init__(self, stack: ExitStack, run: Callable[..., Any]) -> None:
        self._stack = stack
        self._in_loop = run
        _LEFT_OPEN.add(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)  # after an error what still runs in the thread is cancelled

    def close(self) -> None:
        """Close what was opened and end the thread; closing again does nothing."""
        self._stack.close()

    def call(self, function: Callable[..., Awaitable[_T]], *arguments: Any, **named: Any) -> _T:
        """The result of a coroutine function, waited for here: of the library, a room or a client."""

        async def run() -> _T:
            return await function(*arguments, **named)

        result: _T = self._in_loop(run)
        return result


class SyncClause(Waiting):
    """A `Clause` without `await`: `with SyncClause.open() as c: c.coordinate("who directed Kes")`.

    Across the cells of a notebook, `c = SyncClause.open()` and in the end `c.close()`. Any other method of the library
    or of a room is called through `call`, which also says who is asking: `c.call(c.clause.entities.get, "Kes")`.

    Attributes:
        clause: the open library, whose coroutine functions `call` runs.
    """

    def __init__(self, clause: Clause, stack: ExitStack, run: Callable[..., Any]) -> None:
        super().__init__(stack, run)
        self.asked = self.clause = clause

    @classmethod
    def open(cls, settings: Settings | None = None, **given: Any) -> Self:
        """Open the library; arguments are those of `Clause.open`."""
        with ExitStack() as stack:
            portal = stack.enter_context(start_blocking_portal())
            clause = stack.enter_context(portal.wrap_async_context_manager(Clause.open(settings, **given)))
            return cls(clause, stack.pop_all(), portal.call)

    @property
    def caller(self) -> Caller:
        """The one who is asking."""
        return self.clause.caller

    def call(self, function: Callable[..., Awaitable[_T]], *arguments: Any, **named: Any) -> _T:
        """The result of a coroutine function of the library or of a room; one that asks for a `caller` is given this
        library's, unless another is named."""
        if "caller" in signature(function).parameters:
            named.setdefault("caller", self.caller)
        return super().call(function, *arguments, **named)


def _close_left_open(kind: type[Waiting]) -> None:
    """Close what a script left open, as at an error; once the interpreter goes, no thread answers and it would hang."""
    for one in [one for one in _LEFT_OPEN if isinstance(one, kind)]:
        try:
            one.__exit__(SystemExit, SystemExit(), None)
        except Exception:
            logging.getLogger(__name__).exception("not closed at the end")


atexit.register(_close_left_open, Waiting)  # once the script's own threads are done: they may still ask
# Closing the library takes executors. These end when the main thread does: ours is called before, being registered
# after `concurrent.futures.thread` was imported.
threading._register_atexit(_close_left_open, SyncClause)  # type: ignore[attr-defined]
