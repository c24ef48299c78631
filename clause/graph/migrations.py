"""Migrations: each script is applied once, under a lock, and never changes; drift is found by comparison."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from types import TracebackType
from typing import Any, Self

from ulid import ULID

from clause.errors import ClauseError, MigrationError, NotFoundError
from clause.graph.catalogue import Mode, Statement
from clause.graph.database import check_embedding_model
from clause.graph.migration_scripts import Declaration, Script, chained, declared, differences, load_scripts
from clause.graph.runner import Graph
from clause.graph.wire import Rows, Sleep

_LOCK_POLL_S = 0.25
_VECTOR = "VECTOR"


class MigrationLock:
    """`async with MigrationLock(graph, owner) as lock:` runs alone; the lease is renewed in the background.

    Arguments:
        owner: unique for each runner.
        lease_s: whole seconds after which a dead owner's lock is anybody's.
        patience_s: how long to wait for another's lock before giving up, in seconds.
    """

    def __init__(
        self, graph: Graph, owner: str, *, lease_s: int = 30, patience_s: float = 60.0, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._graph = graph
        self._owner = owner
        self._lease_s = lease_s
        self._patience_s = patience_s
        self._sleep = sleep
        self._renewal: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Take the lock, waiting for another owner to free it or to run out of its lease.

        Raises:
            MigrationError: it is still another's after `patience_s`.
        """
        await self._graph.run("graph/lock_constraint")
        waited_s = 0.0
        while (holder := await self._take())[0] != self._owner:
            if waited_s >= self._patience_s:
                raise MigrationError(
                    f"another runner ({holder[0]}) holds the migration lock for {holder[1]} s more",
                    remedy="wait for it to end",
                )
            await self._sleep(_LOCK_POLL_S)
            waited_s += _LOCK_POLL_S
        self._renewal = asyncio.create_task(self._renew())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Free the lock; when the server is away its lease runs out by itself."""
        if self._renewal is not None:
            self._renewal.cancel()
            with suppress(asyncio.CancelledError, ClauseError):
                await self._renewal
        with suppress(ClauseError):
            await self._graph.run("graph/free_lock", owner=self._owner)

    async def require(self) -> None:
        """Renew the lease; MigrationError when the lock went to somebody else meanwhile."""
        owner, _ = await self._take()
        if owner != self._owner:
            raise MigrationError(f"the migration lock was lost to {owner}", remedy="run `clause migrate` again")

    async def _take(self) -> tuple[str, int]:
        row = await self._graph.one("graph/take_lock", owner=self._owner, lease_s=self._lease_s)
        return (str(row["owner"]), int(row["remaining_s"])) if row else ("", 0)

    async def _renew(self) -> None:
        while True:
            await self._sleep(self._lease_s / 3)
            await self.require()


DIMENSION = 384
"""Length of an embedding in a graph that records no model yet: that of the packaged one."""

Measure = Callable[[], int]
"""Tells the length of an embedding; it may take its time."""

_DDL_TIMEOUT_S = 600.0
_POLL_S = 0.1
_BUILD_S = 600.0


@dataclass(frozen=True)
class MigrationReport:
    """The outcome of a run: ids of the scripts applied now, and how many had been applied before."""

    applied: tuple[str, ...]
    before: int


async def migrate(
    graph: Graph,
    *,
    dimension: int = DIMENSION,
    model: str | None = None,
    vectors: bool = True,
    measure: Measure | None = None,
    scripts: Sequence[Script] | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    owner: Callable[[], str] = lambda: str(ULID()),
    sleep: Sleep = asyncio.sleep,
    patience_s: float = 60.0,
) -> MigrationReport:
    """Apply what is pending, wait until indexes are online, and check the schema for drift. Safe to run at any time.

    `dimension`, or what `measure` tells, fills `{{dimension}}` while the graph records no embedding model; afterwards
    the record stands. `measure` is asked in a thread and only where something is to apply, since it may load a model.
    A `model` is compared with the record before the schema is; without `vectors` their indexes are left to `resize`.
    Scripts are applied in the order of their versions and chained in the order of their application: a lower version
    that arrives late is applied late. A run that was killed is taken up where it stopped: schema statements say
    IF NOT EXISTS, and those of neighbouring scripts are one transaction; data scripts are one with their record.

    Raises:
        EmbedderMismatchError: another model than `model` embedded the graph.
        MigrationError: an applied script was changed or is not here, the chain is broken, the lock is another's for
            longer than `patience_s` seconds, an index cannot be built, or the schema drifted.
    """
    scripts = load_scripts() if scripts is None else scripts
    applied = await graph.run("graph/applied")
    waiting = pending(scripts, applied)
    filled = {"dimension": await _dimension(graph, (measure if waiting else None) or dimension)}
    done: list[str] = []
    if waiting:
        async with MigrationLock(graph, owner(), patience_s=patience_s, sleep=sleep) as lock:
            applied = await graph.run("graph/applied")
            chain, sequence = (applied[-1]["chain"], applied[-1]["sequence"]) if applied else ("", 0)
            for mode, group in groupby(pending(scripts, applied), lambda script: script.mode):
                await lock.require()
                versions, statements = list[dict[str, Any]](), list[Statement]()
                for script in group:
                    chain, sequence = chained(chain, script.checksum), sequence + 1
                    link = {"chain": chain, "sequence": sequence, "recorded_at": now()}
                    versions.append({"id": script.id, "name": script.name, "checksum": script.checksum, **link})
                    statements += script.statements(filled)
                await _apply(graph, mode, statements, versions)
                done += [str(version["id"]) for version in versions]
    await online(graph, sleep=sleep)
    if model is not None:
        await check_embedding_model(graph, model, dimension)
    unasked = measure is not None and not waiting and await graph.one("graph/embedding_model") is None
    found = await drift(graph, dimension=filled["dimension"], scripts=scripts, vectors=vectors and not unasked)
    if found:
        raise drift_error(found)
    return MigrationReport(applied=tuple(done), before=len(applied))


async def drift(
    graph: Graph, *, dimension: int = DIMENSION, scripts: Sequence[Script] | None = None, vectors: bool = True
) -> dict[str, str]:
    """Tell how the indexes and constraints that exist differ from the declared ones, by name; empty when they agree.

    Without `vectors` vector indexes are left out.
    """
    wanted = await _declared(graph, dimension, scripts)
    compared = {name: one for name, one in wanted.items() if vectors or one.type != _VECTOR}
    return differences(compared, await graph.run("graph/indexes"), await graph.run("graph/constraints"))


def drift_error(found: Mapping[str, str]) -> MigrationError:
    """The error that names a drift and its cure: vectors of another length are left by an unfinished `clause reembed`.

    >>> drift_error({"entity_id": "is missing"}).remedy
    'run `clause db reindex entity_id`'
    """
    name, difference = next(iter(found.items()))
    resized = any("vector.dimensions" in one for one in found.values())
    return MigrationError(
        f"the schema drifted: {name} {difference}" + (f" (and {len(found) - 1} more)" if len(found) > 1 else ""),
        remedy=("run `clause reembed` again where it was broken off, else" if resized else "run")
        + f" `clause db reindex {name}`",
        details={"drift": dict(found)},
    )


async def resize(graph: Graph, dimension: int) -> tuple[str, ...]:
    """Make those vector indexes anew that are missing or not for vectors of this length; their names."""
    wanted = await _declared(graph, dimension, None, dimension)
    vectors = {name: one for name, one in wanted.items() if one.type == _VECTOR}
    async with MigrationLock(graph, str(ULID())) as lock:
        chosen = tuple(differences(vectors, await graph.run("graph/indexes"), ()))
        await _rebuild(graph, lock, [vectors[name] for name in chosen])
    return chosen


async def reindex(
    graph: Graph,
    name: str | None = None,
    *,
    dimension: int | None = None,
    measure: Measure | None = None,
    scripts: Sequence[Script] | None = None,
    owner: Callable[[], str] = lambda: str(ULID()),
    sleep: Sleep = asyncio.sleep,
) -> tuple[str, ...]:
    """Drop and make anew the index or constraint `name`, or every index and all that drifted; wait until online.

    `dimension` is the new length of vectors when the graph was embedded anew (default: the recorded one,
    else what `measure` tells).
    Returns the names rebuilt, in order.

    Raises:
        NotFoundError: no script declares `name`.
    """
    wanted = await _declared(graph, measure or DIMENSION, scripts, dimension)
    if name is not None and name not in wanted:
        raise NotFoundError(f"no index is called {name!r}", remedy=f"known: {', '.join(sorted(wanted))}")
    async with MigrationLock(graph, owner(), sleep=sleep) as lock:
        drifted = differences(wanted, await graph.run("graph/indexes"), await graph.run("graph/constraints"))
        chosen = [
            declaration
            for key, declaration in sorted(wanted.items())
            if key == name or (name is None and (declaration.type != "UNIQUENESS" or key in drifted))
        ]
        await _rebuild(graph, lock, chosen, sleep)
    return tuple(declaration.name for declaration in chosen)


async def online(graph: Graph, *, limit_s: float = _BUILD_S, sleep: Sleep = asyncio.sleep) -> None:
    """Wait until no index is being built.

    Raises:
        MigrationError: one failed, or is not ready after `limit_s` seconds.
    """
    waited_s = 0.0
    while building := await graph.run("graph/building"):
        first = building[0]
        if first["state"] == "FAILED" or waited_s >= limit_s:
            raise MigrationError(
                f"index {first['name']} is {first['state'].lower()} ({first['percent']:.0f} % built)",
                remedy=f"run `clause db reindex {first['name']}`",
            )
        await sleep(_POLL_S)
        waited_s += _POLL_S


def pending(scripts: Sequence[Script], applied: Rows) -> list[Script]:
    """Scripts that are not in the chain yet, once the chain itself holds.

    Raises:
        MigrationError: an applied script was changed or is not here, or the chain is broken.
    """
    here = {script.id: script for script in scripts}
    chain = ""
    for row in applied:
        script = here.get(row["id"])
        if script is None:
            raise MigrationError(
                f"the database has migration {row['name']}, this version of clause has not",
                remedy="use the version of clause that applied it, or a newer one",
            )
        if script.checksum != row["checksum"]:
            raise MigrationError(f"migration {script.name} was changed after it was applied", remedy="restore the file")
        chain = chained(chain, script.checksum)
        if chain != row["chain"]:
            raise MigrationError(
                f"the chain of applied migrations is broken at {script.name}", remedy="restore a backup"
            )
    known = {row["id"] for row in applied}
    return [script for script in scripts if script.id not in known]


async def _apply(graph: Graph, mode: Mode, statements: Sequence[Statement], versions: Rows) -> None:
    """Carry out scripts of one mode and record them; the server refuses schema and data in one transaction.

    Every change of the schema makes the server plan all statements anew: so there are as few of them as there can be.
    """
    work = [(statement, dict[str, Any]()) for statement in statements]
    record = (graph.catalogue["graph/record_versions"], {"versions": versions})
    for one in ([*work, record],) if mode == "write" else (work, [record]):
        await graph.execute_all(one, timeout_s=_DDL_TIMEOUT_S)


async def _rebuild(
    graph: Graph, lock: MigrationLock, chosen: Sequence[Declaration], sleep: Sleep = asyncio.sleep
) -> None:
    for declaration in chosen:
        await lock.require()
        await graph.run("graph/drop_constraint", name=declaration.name)
        await graph.run("graph/drop_index", name=declaration.name)
        if declaration.statement is not None:
            await graph.execute(declaration.statement, {}, timeout_s=_DDL_TIMEOUT_S)
    await online(graph, sleep=sleep)


async def _declared(
    graph: Graph, fallback: int | Measure, scripts: Sequence[Script] | None, dimension: int | None = None
) -> dict[str, Declaration]:
    filled = {"dimension": dimension or await _dimension(graph, fallback)}
    everything = load_scripts() if scripts is None else scripts
    statements = [statement for script in everything for statement in script.statements(filled)]
    return declared(statement for statement in statements if statement.mode == "schema")


async def _dimension(graph: Graph, fallback: int | Measure) -> int:
    recorded = await graph.one("graph/embedding_model")
    if recorded:
        return int(recorded["dimension"])
    return fallback if isinstance(fallback, int) else await asyncio.to_thread(fallback)
