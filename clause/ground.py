"""The ground that every room stands on: one bundle of the open parts, handed to each room when it is opened."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from ulid import ULID

from clause.graph.scopes import Caller, readable_scopes
from clause.text.fields import utc_now
from clause.text.linking import EntityLinker

if TYPE_CHECKING:
    from clause.graph.jobs import Jobs
    from clause.graph.runner import Graph
    from clause.settings import Settings
    from clause.telemetry import Metrics
    from clause.text.embedder import Embedder
    from clause.workers import CpuPool


def new_id() -> str:
    """A fresh ULID: sorts by time of making."""
    return str(ULID())


async def nothing_waits() -> None:
    """Return at once: nothing waits to be written."""


@dataclass(frozen=True)
class Ground:
    """The open parts below the rooms; a room takes what it needs from it.

    Attributes:
        graph: the only door to Neo4j.
        embedder: texts to unit vectors.
        jobs: long work with leases.
        pool: bounded threads for numpy, scikit-learn and the like: `await pool.run(...)`.
        settings, metrics: of the process.
        now, ids: clock and ids, passed in by tests.
        recorded: returns when the runs of all answers so far are written; what follows their traces waits for it.
    """

    graph: Graph
    embedder: Embedder
    jobs: Jobs
    pool: CpuPool
    settings: Settings
    metrics: Metrics
    now: Callable[[], datetime] = field(default=utc_now)
    ids: Callable[[], str] = field(default=new_id)
    recorded: Callable[[], Awaitable[None]] = field(default=nothing_waits)

    @property
    def linker(self) -> EntityLinker:
        """Finds entities in texts."""
        return EntityLinker(self.graph, self.embedder)

    async def readable(self, caller: Caller, scopes: Sequence[str] | None) -> tuple[str, ...]:
        """The scopes that a read covers: those named (a session's with its user and public), or all the caller's.

        Raises:
            BadInputError: a named scope is malformed.
            ForbiddenError: a named scope is not this caller's.
        """
        return await readable_scopes(self.graph, caller, scopes)

    async def home(self, caller: Caller, scope: str | None) -> str:
        """The one scope that a read is about: the named one, or where none is named the default one or the caller's.

        Raises: as `readable`.
        """
        home = scope or caller.home(self.settings.default_scope)
        await self.readable(caller, [home])
        return home

    def writable(self, caller: Caller, scope: str | None) -> str:
        """The scope that a write goes to: where none is named the default one, or the caller's own.

        The write itself runs `graph/register_scope`, or merges (:Scope), so that reading everything finds it.

        Raises:
            BadInputError: it is malformed.
            ForbiddenError: this caller may not write there.
        """
        return caller.target(scope, self.settings.default_scope)
