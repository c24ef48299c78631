"""A worker's turn at a job: it holds the lease, tells its progress, and commits work together with its cursor."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from clause.errors import ClauseError
from clause.graph.runner import Graph
from clause.jobs.models import Job, JobCancelledError, LeaseLostError

Work = Sequence[tuple[str, Mapping[str, Any]]]
Rows = list[dict[str, Any]]
JobKind = Callable[["Turn"], Awaitable[None]]


class Turn:
    """The work of one job under one lease. Made by `Jobs.lease`.

    Each `commit` is one transaction: it locks and renews the lease first, runs the work, and ends with the cursor and a
    sequence number. A statement that may not run twice asks for a Job with id, owner and sequence as in `keys`: after a
    lost connection, or when the lease went to another worker, it then does nothing.
    """

    def __init__(self, graph: Graph, job: Job, owner: str, lease_s: float) -> None:
        self.job = job
        self.cursor: dict[str, Any] = dict(job.cursor)
        self._graph = graph
        self._owner = owner
        self._lease_ms = round(lease_s * 1000)
        self._sequence = job.sequence
        self._done, self._total, self._message = job.done, job.total, job.message
        self._lost = False

    @property
    def keys(self) -> dict[str, Any]:
        """Parameters that tie a statement to this turn and to the next commit: job_id, owner, sequence."""
        return {"job_id": self.job.id, "owner": self._owner, "sequence": self._sequence}

    async def progress(
        self,
        done: int | None = None,
        total: int | None = None,
        message: str | None = None,
        *,
        cursor: Mapping[str, Any] | None = None,
    ) -> None:
        """Tell how far the work is; None leaves a value as it was. Raises like `commit`."""
        await self.commit((), done=done, total=total, message=message, cursor=cursor)

    async def commit(
        self,
        work: Work,
        *,
        done: int | None = None,
        total: int | None = None,
        message: str | None = None,
        cursor: Mapping[str, Any] | None = None,
    ) -> list[Rows]:
        """Run `work` and save the cursor in one transaction; the rows of the work.

        Raises:
            LeaseLostError: another worker has the job.
            JobCancelledError: the job is to stop; what this commit wrote stays.
        """
        if self._lost:
            raise self._gone()
        after = {**self.cursor, **cursor} if cursor is not None else self.cursor
        guard = ("jobs/guard", {**self._lease(), "lease_ms": self._lease_ms})
        self._done = self._done if done is None else done
        self._total = self._total if total is None else total
        self._message = self._message if message is None else message
        last = ("jobs/progress", self._progress(after))
        guarded, *rows, recorded = await self._graph.write([guard, *work, last])
        if not guarded or not recorded:
            self._lost = True
            raise self._gone()
        self._sequence += 1
        self.cursor = dict(after)
        if recorded[0]["cancel_requested"]:
            raise JobCancelledError(f"job {self.job.id} was cancelled")
        return rows

    async def beat(self) -> None:
        """Renew the lease at every third of its time, until cancelled or until it is lost."""
        while not self._lost:
            await asyncio.sleep(self._lease_ms / 3000)
            with suppress(ClauseError):
                self._lost = not await self._graph.run("jobs/guard", **self._lease(), lease_ms=self._lease_ms)

    async def finish(self, state: str, error: str | None = None) -> None:
        """Set the job's state and give the lease back; nothing happens when another worker has it."""
        await self._graph.run("jobs/finish", id=self.job.id, **self._lease(), state=state, error=error)

    def _lease(self) -> dict[str, Any]:
        return {"scope": self.job.scope, "resource": self.job.resource, "owner": self._owner}

    def _progress(self, cursor: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "id": self.job.id,
            "scope": self.job.scope,
            "owner": self._owner,
            "sequence": self._sequence,
            "done": self._done,
            "total": self._total,
            "message": self._message,
            "cursor": json.dumps(cursor, sort_keys=True),
        }

    def _gone(self) -> LeaseLostError:
        return LeaseLostError(f"job {self.job.id} was taken over by another worker")
