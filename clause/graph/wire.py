"""The port between the runner and a driver: send statements, get rows. `bolt.py` implements it for Neo4j."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from clause.graph.catalogue import Statement

Rows = list[dict[str, Any]]
Work = Sequence[tuple[Statement, Mapping[str, Any]]]


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

    async def agent(self) -> str:
        """What the server calls itself, like `Neo4j/2026.08.1`."""
        ...
