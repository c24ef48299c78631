"""The only door to Neo4j: runs catalogue statements, routed by their mode, under one timeout and one retry policy, and
times them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

from clause.errors import ClauseError, SetupError
from clause.graph.catalogue import Catalogue, Statement
from clause.graph.scopes import check_confinement
from clause.graph.wire import Address, ExplorationLimits, ExplorationResult, Rows, Sleep, Wire, Work, insist


@dataclass
class Timing:
    """Sums over one `measure()` block: `ms` spent in the driver (milliseconds), `round_trips` queries sent."""

    ms: float = 0.0
    round_trips: int = 0


_open: ContextVar[tuple[Timing, ...]] = ContextVar("clause_graph_timings", default=())


@contextmanager
def measure() -> Iterator[Timing]:
    """Collect the database time of everything awaited inside, tasks started inside included. Blocks may nest.

    >>> with measure() as timing:
    ...     charge(ms=2.5, round_trips=1)
    >>> timing
    Timing(ms=2.5, round_trips=1)
    """
    timing = Timing()
    token = _open.set((*_open.get(), timing))
    try:
        yield timing
    finally:
        _open.reset(token)


def charge(*, ms: float, round_trips: int) -> None:
    """Add to every open block of the current context."""
    for timing in _open.get():
        timing.ms += ms
        timing.round_trips += round_trips


Result = TypeVar("Result")


class Graph:
    """One database. The constructor does nothing; use `async with`, or `open` and `close`.

    Arguments:
        address: which server and database, as whom.
        catalogue: the statements that may be run by name.
        timeout_s: default limit of one statement on the server, in seconds.
        pool_size: connections kept.
        sleep, clock, wire: passed in by tests.
    """

    def __init__(
        self,
        address: Address,
        catalogue: Catalogue,
        *,
        timeout_s: float = 30.0,
        pool_size: int = 50,
        sleep: Sleep = asyncio.sleep,
        clock: Callable[[], float] = time.perf_counter,
        wire: Wire | None = None,
    ) -> None:
        self.address = address
        self.catalogue = catalogue
        self.timeout_s = timeout_s
        self.round_trips = 0
        self._pool_size = pool_size
        self._sleep = sleep
        self._clock = clock
        self._given = wire
        self._wire: Wire | None = None

    async def open(self) -> Self:
        """Make the connection pool. Sends nothing: `probe.probe(graph)` is the first thing to ask of a server."""
        if self._wire is None:
            wire = self._given or _bolt(self.address, self._pool_size)
            await wire.open()
            self._wire = wire
        return self

    async def close(self) -> None:
        """Close every connection; a second call does nothing."""
        wire, self._wire = self._wire, None
        if wire is not None:
            await wire.close()

    async def __aenter__(self) -> Self:
        """Open."""
        return await self.open()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        await self.close()

    async def run(self, name: str, /, *, timeout_s: float | None = None, **parameters: Any) -> Rows:
        """The rows of one statement, as dicts by column.

        A read goes out in READ access mode. A write is one auto-commit transaction that may run twice when the
        connection breaks while it commits: keep it idempotent, or use `write(..., idempotent=False)`.

        Raises:
            UnavailableError: the server is away after the last try, or the statement ran out of its time.
            ConflictError: a uniqueness constraint was broken.
        """
        return await self.execute(self.catalogue[name], parameters, timeout_s=timeout_s)

    async def one(self, name: str, /, *, timeout_s: float | None = None, **parameters: Any) -> dict[str, Any] | None:
        """The row of a statement that returns maybe or one; None when there is none."""
        statement = self.catalogue[name]
        if statement.returns not in {"maybe", "one"}:
            raise ClauseError(f"{name} returns {statement.returns}; call run() for it")
        rows = await self.execute(statement, parameters, timeout_s=timeout_s)
        if len(rows) > 1 or (statement.returns == "one" and not rows):
            raise ClauseError(f"{name} returned {len(rows)} rows, its header says {statement.returns}")
        return rows[0] if rows else None

    async def write(
        self,
        work: Sequence[tuple[str, Mapping[str, Any]]],
        *,
        timeout_s: float | None = None,
        idempotent: bool = True,
    ) -> list[Rows]:
        """The rows of several statements in one transaction: all of them happen or none does.

        The whole is tried again after a deadlock or a lost connection. With `idempotent=False` a connection lost
        while committing is not tried again, but raised: the outcome is then unknown.
        """
        if not work:
            return []
        statements = [(self.catalogue[name], parameters) for name, parameters in work]
        return await self._send(statements, read=False, atomic=True, timeout_s=timeout_s, idempotent=idempotent)

    async def execute(
        self, statement: Statement, parameters: Mapping[str, Any], *, timeout_s: float | None = None
    ) -> Rows:
        """Like `run`, for a statement that is not in the catalogue (a line of a migration)."""
        work = [(statement, parameters)]
        (rows,) = await self._send(work, read=statement.is_read, atomic=False, timeout_s=timeout_s, idempotent=True)
        return rows

    async def execute_all(self, work: Work, *, timeout_s: float | None = None) -> list[Rows]:
        """Like `write`, for statements that are not in the catalogue."""
        return await self._send(work, read=False, atomic=True, timeout_s=timeout_s, idempotent=True)

    async def explore(
        self, text: str, parameters: Mapping[str, Any], limits: ExplorationLimits | None = None
    ) -> ExplorationResult:
        """What a statement finds that an agent wrote: only reads of this database pass the guard, within `limits`.

        Raises:
            ForbiddenError: it would do more than read this database.
            BadInputError: the server does not understand it.
            UnavailableError: it took longer than its limit.
        """
        wire = self._opened()
        return await self._timed(lambda: wire.explore(text, parameters, limits or ExplorationLimits()), round_trips=2)

    async def agent(self) -> str:
        """What the server calls itself, like `Neo4j/2026.08.1`."""
        wire = self._opened()
        return await self._timed(wire.agent, round_trips=1)

    def measure(self) -> AbstractContextManager[Timing]:
        """`with graph.measure() as timing:` collects `timing.ms` and `timing.round_trips` of what runs inside."""
        return measure()

    async def _send(
        self, work: Work, *, read: bool, atomic: bool, timeout_s: float | None, idempotent: bool
    ) -> list[Rows]:
        wire = self._opened()
        for statement, parameters in work:
            _check(statement, parameters)
            if not statement.is_read:
                check_confinement(statement.name, parameters)
        limit_s = self.timeout_s if timeout_s is None else timeout_s

        async def attempt() -> list[Rows]:
            return await wire.send(work, read=read, atomic=atomic, timeout_s=limit_s)

        return await self._timed(attempt, round_trips=len(work), idempotent=idempotent)

    async def _timed(
        self, attempt: Callable[[], Awaitable[Result]], *, round_trips: int, idempotent: bool = True
    ) -> Result:
        async def counted() -> Result:
            self.round_trips += round_trips
            started = self._clock()
            try:
                return await attempt()
            finally:
                charge(ms=(self._clock() - started) * 1000, round_trips=round_trips)

        return await insist(counted, idempotent=idempotent, sleep=self._sleep)

    def _opened(self) -> Wire:
        if self._wire is None:
            raise SetupError("the graph is not open; use `async with Graph(...)` or await open()")
        return self._wire


def _check(statement: Statement, parameters: Mapping[str, Any]) -> None:
    if parameters.keys() != statement.parameters.keys():
        missing = sorted(statement.parameters.keys() - parameters.keys())
        surplus = sorted(parameters.keys() - statement.parameters.keys())
        raise ClauseError(f"{statement.name}: parameters missing {missing}, not declared {surplus}")


def _bolt(address: Address, pool_size: int) -> Wire:
    from clause.graph.driver import Bolt  # noqa: PLC0415 -- importing this module must not import neo4j

    return Bolt(address, pool_size=pool_size)
