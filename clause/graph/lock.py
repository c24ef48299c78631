"""The migration lock: one node, one owner at a time, a lease that runs out by the server's clock."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from types import TracebackType
from typing import Self

from clause.errors import ClauseError, MigrationError
from clause.graph.retry import Sleep
from clause.graph.runner import Graph

_POLL_S = 0.25


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
            await self._sleep(_POLL_S)
            waited_s += _POLL_S
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
