"""The port between the runner and a driver: send statements, get rows. `bolt.py` implements it for Neo4j."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from clause.graph.catalogue import Statement

Rows = list[dict[str, Any]]
Work = Sequence[tuple[Statement, Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a statement that an agent wrote may take: seconds on the server, rows, and characters of its rows."""

    timeout_s: float = 10.0
    rows: int = 1000
    characters: int = 900_000


@dataclass(frozen=True, slots=True)
class Found:
    """What such a statement found, in values that JSON can say; `cut` where its limits ended it."""

    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    cut: bool


class Wire(Protocol):
    """One try at some work; no retries of its own. Raises `clause.graph.retry.AttemptError`."""

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

    async def explore(self, text: str, parameters: Mapping[str, Any], limits: Limits) -> Found:
        """Run a statement that an agent wrote, in a READ session and behind the guard."""
        ...

    async def agent(self) -> str:
        """What the server calls itself, like `Neo4j/2026.08.1`."""
        ...
