"""The ground that every room stands on: one bundle of the open parts, handed to each room when it is opened; and the
statement by which documents strengthen the basins of what they name, shared by loading and `clause.intelligence`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from ulid import ULID

from clause.graph.scopes import Caller, readable_scopes
from clause.text.fields import utc_now
from clause.text.linking import EntityLinker
from clause.text.names import hashed

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


LEAST = 1.0
"""The least strength of a basin, and that of a new one."""
INCREMENT = 0.2
"""Strength that one further document adds to a basin."""
MOST = 2.0
"""The cap of a basin's strength."""
CLOSE = 1e-9
"""A sum this near to the cap is the cap."""
NEW_BASIN: Final[Mapping[str, float]] = {"stability": 0.8, "depth": 1.5}
"""The shape of a basin; nothing changes it yet."""
STATES: Final[Mapping[str, str]] = {
    "dormant": "DORMANT",
    "activating": "ACTIVATING",
    "active": "ACTIVE",
    "saturated": "SATURATED",
    "decaying": "DECAYING",
}
"""The states of a basin, by the names under which statements ask for them."""
HISTORY = 50
"""Instants kept in `activation_history`."""
TOGETHER = 30
"""Concepts of one document that are counted as occurring together: 435 pairs at most."""

BASIN_RULES: Final[Mapping[str, Any]] = {
    "least": LEAST,
    "most": MOST,
    "new_basin": dict(NEW_BASIN),
    "states": dict(STATES),
}
"""The parameters of every statement that makes or strengthens a basin."""


def basin_id(entity: str) -> str:
    """The id of an entity's basin.

    >>> basin_id("ent_1")
    'bas_bd06437a0944e547bc8a3e9d'
    """
    return hashed("bas_", entity)


def strengthening(
    documents: Mapping[str, Sequence[str]], scope: str, recorded_at: datetime, increment: float = INCREMENT
) -> tuple[str, dict[str, Any]]:
    """The statement that strengthens the basins of what documents name, with its parameters.

    Args:
        documents: document id -> ids of the entities it names, the most telling first.
        scope: of the entities and their basins.
        recorded_at: when the documents became known.
        increment: what a further document adds.
    """
    rows = []
    for document, entities in documents.items():
        distinct = list(dict.fromkeys(entities))
        basins = {entity: basin_id(entity) for entity in distinct}
        rows.append(
            {
                "document_id": document,
                "concepts": [
                    [entity, basins[entity], hashed("act_", basins[entity], document)] for entity in sorted(distinct)
                ],
                "together": sorted(basins[entity] for entity in distinct[:TOGETHER]),
            }
        )
    parameters = {
        "entities": sorted({entity for entities in documents.values() for entity in entities}),
        "rows": rows,
        "scope": scope,
        "increment": increment,
        "close": CLOSE,
        **BASIN_RULES,
        "kept": HISTORY,
        "recorded_at": recorded_at,
    }
    return "intelligence/strengthen", parameters
