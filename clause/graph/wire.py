"""The port between the runner and a driver: where a server answers, which statements it gets, the rows it gives, and
the one retry policy: a first try, then three more after 100, 200 and 400 milliseconds."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from pydantic import SecretStr

from clause.errors import ClauseError
from clause.graph.catalogue import Statement

Rows = list[dict[str, Any]]
Work = Sequence[tuple[Statement, Mapping[str, Any]]]

RESTART = "free disk space if there is none, then run `clause db stop` and `clause db start`"
"""The way out where a server is there and answers nothing."""


@dataclass(frozen=True, slots=True)
class ExplorationLimits:
    """The bounds of a statement that an agent wrote: seconds on the server, rows, and characters of its rows."""

    timeout_s: float = 10.0
    rows: int = 1000
    characters: int = 900_000


@dataclass(frozen=True, slots=True)
class ExplorationResult:
    """The findings of such a statement, in values that JSON can say; `cut` where its limits ended it."""

    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    cut: bool


class OpenTransaction(Protocol):
    """A transaction that is open between calls; one call at a time. Raises `AttemptError`, and is lost then."""

    async def send(self, work: Work, *, timeout_s: float) -> list[Rows]:
        """Run the statements in order and return the rows of each."""
        ...

    async def commit(self) -> None:
        """Keep all that was done."""
        ...

    async def close(self) -> None:
        """Take back what was not committed; never raises."""
        ...


class Wire(Protocol):
    """One try at some work; no retries of its own. Raises `AttemptError`."""

    async def open(self) -> None:
        """Make ready to connect; sends nothing."""
        ...

    async def close(self) -> None:
        """Close every connection."""
        ...

    async def send(self, work: Work, *, read: bool, atomic: bool, timeout_s: float) -> list[Rows]:
        """Run the statements in order and return the rows of each.

        `read` opens a READ session. `atomic` runs them in one explicit transaction, so that a connection lost while
        committing is told apart; without it, exactly one statement runs as an auto-commit transaction.
        """
        ...

    async def begin(self, *, timeout_s: float) -> OpenTransaction:
        """An open writing transaction, which the server ends after `timeout_s`; close it."""
        ...

    async def explore(self, text: str, parameters: Mapping[str, Any], limits: ExplorationLimits) -> ExplorationResult:
        """Run a statement that an agent wrote, in a READ session and behind the guard."""
        ...

    async def agent(self) -> str:
        """Ask the server what it calls itself, like `Neo4j/2026.08.1`."""
        ...


@dataclass(frozen=True)
class Address:
    """One database on one server. The password never shows in a repr or a log line.

    >>> Address("bolt://127.0.0.1:7687", password=SecretStr("hush"))
    Address(uri='bolt://127.0.0.1:7687', user='neo4j', password=SecretStr('**********'), database='neo4j')
    """

    uri: str
    user: str = "neo4j"
    password: SecretStr = field(default_factory=lambda: SecretStr(""))
    database: str = "neo4j"


Row = TypeVar("Row")
Sleep = Callable[[float], Awaitable[None]]

WAITS_S = (0.1, 0.2, 0.4)
"""Waits between tries, in seconds."""


class AttemptError(Exception):
    """The fault of one try: the error to raise in the end, and whether trying again may help.

    `retry` is true for a server that is away or a transaction that lost a race; `unknown` when the connection broke
    while committing, so that the work may have been done.
    """

    def __init__(self, error: ClauseError, *, retry: bool = False, unknown: bool = False) -> None:
        super().__init__(error.message)
        self.error = error
        self.retry = retry
        self.unknown = unknown


async def insist(
    attempt: Callable[[], Awaitable[Row]],
    *,
    idempotent: bool = True,
    waits_s: tuple[float, ...] = WAITS_S,
    sleep: Sleep = asyncio.sleep,
) -> Row:
    """The result of `attempt`, tried again after each wait while its faults say that this may help.

    A fault with an unknown outcome is only tried again when the work is idempotent. The last fault's error is raised
    from the driver's own.
    """
    for wait_s in (*waits_s, None):
        try:
            return await attempt()
        except AttemptError as fault:
            if wait_s is None or not fault.retry or (fault.unknown and not idempotent):
                raise fault.error from fault.__cause__
        await sleep(wait_s)
    raise AssertionError("unreachable: the last try returns or raises")  # pragma: no cover
