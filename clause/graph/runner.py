"""The only door to Neo4j: runs catalogue statements, routed by their mode, under one timeout and one retry policy, and
times them."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

from clause.errors import ClauseError, ConflictError, SetupError
from clause.graph.catalogue import Catalogue, Statement
from clause.graph.scopes import check_confinement
from clause.graph.wire import (
    Address,
    AttemptError,
    ExplorationLimits,
    ExplorationResult,
    OpenTransaction,
    Rows,
    Sleep,
    Wire,
    Work,
    insist,
)
from clause.telemetry import span


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


class Together:
    """One transaction of all the writes of a block: the first opens it, `commit` keeps them, else they are lost.

    Once it is open, reads of the block go through it too, and see what it wrote (but not by vector search). After a
    fault nothing more is sent: whoever goes on in spite of it is told to do the whole block again.

    Args:
        wire: opens the transaction.
        opening: the statement that comes before the first write.
        on_opening: is given its rows, and may raise.
        timeout_s: the longest time that the transaction may be open.
    """

    def __init__(
        self,
        wire: Wire,
        opening: tuple[Statement, Mapping[str, Any]],
        on_opening: Callable[[Rows], None],
        timeout_s: float,
    ) -> None:
        self.ended = False
        self._wire = wire
        self._opening = opening
        self._on_opening = on_opening
        self._timeout_s = timeout_s
        self._transaction: OpenTransaction | None = None
        self._broken = False
        self._one_by_one = asyncio.Lock()

    def takes(self, *, read: bool) -> bool:
        """True for what belongs into this transaction: every write, and a read after the first of them."""
        return not self.ended and (not read or self._transaction is not None)

    async def send(self, work: Work, timeout_s: float) -> list[Rows]:
        """The rows of each statement, inside."""
        async with self._one_by_one:
            if self._broken:
                raise AttemptError(ConflictError("other writers were there first", remedy="try again"), retry=True)
            try:
                if self._transaction is None:
                    self._transaction = await self._wire.begin(timeout_s=self._timeout_s)
                    (opened,) = await self._transaction.send([self._opening], timeout_s=timeout_s)
                    self._on_opening(opened)
                return await self._transaction.send(work, timeout_s=timeout_s)
            except BaseException as fault:
                self._broken = True
                if isinstance(fault, AttemptError) and not fault.retry:
                    raise fault.error from fault
                raise

    async def commit(self, last: Work, timeout_s: float) -> None:
        """Run `last`, and keep everything."""
        await self.send(last, timeout_s)
        self.ended = True
        if self._transaction is not None:
            await self._transaction.commit()

    async def close(self) -> None:
        """Take back what was not committed."""
        self.ended = True
        if self._transaction is not None:
            await self._transaction.close()


_together: ContextVar[tuple[Graph, Together] | None] = ContextVar("clause_graph_together", default=None)


@contextmanager
def apart() -> Iterator[None]:
    """Send what is awaited inside by itself, whatever block it stands in."""
    token = _together.set(None)
    try:
        yield
    finally:
        _together.reset(token)


_MOST_LOOKED_AT = 10_000


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

    async def passing(self, name: str, /, *, wanted: int, **parameters: Any) -> Rows:
        """The best `wanted` rows that pass of each ranking of a search, whose index knows not all that is asked for.

        The statement takes $limit of each ranking, best first, and says of each row in `ranking` of which one it is and
        in `passes` whether it passes. More is asked for until enough pass, the index ends, or 10,000 are looked at.
        """
        limit = wanted
        while True:
            rows = await self.run(name, **parameters, limit=limit)
            looked, kept = Counter(row["ranking"] for row in rows), Counter[str]()
            best = []
            for row in rows:
                if row["passes"] and kept[row["ranking"]] < wanted:
                    kept[row["ranking"]] += 1
                    best.append(row)
            if limit >= _MOST_LOOKED_AT or all(kept[one] == wanted or looked[one] < limit for one in looked):
                return best
            limit = min(4 * limit, _MOST_LOOKED_AT)

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

    async def together(
        self,
        work: Callable[[], Awaitable[Result]],
        *,
        opening: tuple[str, Mapping[str, Any]],
        on_opening: Callable[[Rows], None],
        last: Callable[[Result], tuple[str, Mapping[str, Any]]],
        timeout_s: float,
    ) -> Result:
        """The result of `work`, all of whose writes happen in one transaction, or none does.

        `opening` comes before the first of them, and `last`, made from the result, after all. The whole, `work` too, is
        done again after a deadlock, a lost connection, or where it went on in spite of a conflict.

        Raises: what `work` raises, and what `write` does.
        """
        wire = self._opened()
        first = (self.catalogue[opening[0]], opening[1])

        async def attempt() -> Result:
            block = Together(wire, first, on_opening, timeout_s)
            token = _together.set((self, block))
            try:
                result = await work()
                name, parameters = last(result)
                ending = [(self.catalogue[name], parameters)]
                await self._timed_once(lambda: block.commit(ending, self.timeout_s), round_trips=2)
                return result
            finally:
                _together.reset(token)
                await block.close()

        return await insist(attempt, sleep=self._sleep)

    async def explore(
        self, text: str, parameters: Mapping[str, Any], limits: ExplorationLimits | None = None
    ) -> ExplorationResult:
        """Give what an agent's statement finds: only reads of this database pass the guard, within `limits`.

        Raises:
            ForbiddenError: it would do more than read this database.
            BadInputError: the server does not understand it.
            UnavailableError: it took longer than its limit.
        """
        wire = self._opened()
        return await self._timed(lambda: wire.explore(text, parameters, limits or ExplorationLimits()), round_trips=2)

    async def agent(self) -> str:
        """Ask the server what it calls itself, like `Neo4j/2026.08.1`."""
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
        inside = _together.get()
        if inside is not None and inside[0] is self and inside[1].takes(read=read):
            return await self._timed_once(lambda: inside[1].send(work, limit_s), round_trips=len(work))

        async def attempt() -> list[Rows]:
            return await wire.send(work, read=read, atomic=atomic, timeout_s=limit_s)

        with span(f"neo4j {work[0][0].name}", statements=len(work)):
            return await self._timed(attempt, round_trips=len(work), idempotent=idempotent)

    async def _timed(
        self, attempt: Callable[[], Awaitable[Result]], *, round_trips: int, idempotent: bool = True
    ) -> Result:
        return await insist(
            lambda: self._timed_once(attempt, round_trips=round_trips), idempotent=idempotent, sleep=self._sleep
        )

    async def _timed_once(self, attempt: Callable[[], Awaitable[Result]], *, round_trips: int) -> Result:
        self.round_trips += round_trips
        started = self._clock()
        try:
            return await attempt()
        finally:
            charge(ms=(self._clock() - started) * 1000, round_trips=round_trips)

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
