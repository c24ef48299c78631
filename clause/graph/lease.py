"""A job as it says of itself, and the lease of the worker that does it: progress, and work committed together with its
cursor."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field

from clause.errors import BadInputError, ClauseError, ConflictError, ForbiddenError
from clause.graph.runner import Graph
from clause.graph.scopes import Caller

_BEAT_S = 1.0
"""Seconds within which a worker learns that its job is to stop."""


class JobCancelledError(ConflictError):
    """Somebody asked this job to stop."""

    code = "job_cancelled"


class LeaseLostError(ConflictError):
    """Another worker has taken the job over, or holds its resource."""

    code = "lease_lost"


class JobState(StrEnum):
    """queued -> running -> succeeded, failed or cancelled; the last two may be queued again."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """True when no worker will touch the job any more.

        >>> JobState.FAILED.is_final, JobState.RUNNING.is_final
        (True, False)
        """
        return self in {JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED}


class Job(BaseModel):
    """A snapshot of a job. `done` of `total` units are finished (total 0: not known yet)."""

    model_config = ConfigDict(frozen=True)

    id: str = Field(description="ULID; newer jobs sort later")
    kind: str = Field(description="which work it is, such as load_triples")
    scope: str = Field(description="whose it is, and where it writes")
    resource: str = Field(description="what only one running job may hold at a time")
    state: JobState
    parameters: dict[str, Any] = Field(description="what the work was asked with")
    done: int = Field(ge=0)
    total: int = Field(ge=0)
    message: str
    cursor: dict[str, Any] = Field(description="from where the next worker goes on")
    error: str | None = None
    cancel_requested: bool = False
    sequence: int = Field(0, ge=0, description="transactions that the work has committed")
    version: int = Field(1, ge=1, description="grows with every change")
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """A snapshot from the columns of the jobs/ statements."""
        values = {name: value for name, value in row.items() if name in cls.model_fields}
        return cls.model_validate(
            {**values, "parameters": json.loads(row["parameters"]), "cursor": json.loads(row["cursor"])}
        )


class JobPage(BaseModel):
    """Some jobs, newest first; `next_cursor` asks for the older ones (None: there are none)."""

    model_config = ConfigDict(frozen=True)

    items: tuple[Job, ...]
    next_cursor: str | None = None


Work = Sequence[tuple[str, Mapping[str, Any]]]
Rows = list[dict[str, Any]]
JobKind = Callable[["Lease"], Awaitable[None]]
"""The work of one kind of job: unless it is a FixedKind it writes in the job's own scope, and nowhere else."""


@dataclass(frozen=True)
class FixedKind:
    """A kind of job that writes in one scope, whoever asks; with `everywhere` in all of them, for the owner alone."""

    work: JobKind
    scope: str
    everywhere: bool = False

    async def __call__(self, turn: Lease) -> None:
        """Do the work."""
        await self.work(turn)

    def reach(self, scope: str) -> str | None:
        """The scope that a job of `scope` may write in; None: all.

        Raises:
            ForbiddenError: it was queued for another scope than the kind's own.
        """
        if scope != self.scope:
            raise ForbiddenError(f"a job of this kind writes in {self.scope}, not in {scope}", field="scope")
        return None if self.everywhere else self.scope


def reach(kind: JobKind, scope: str) -> str | None:
    """The scope that a job of this kind, queued for `scope`, may write in; None: all."""
    return kind.reach(scope) if isinstance(kind, FixedKind) else scope


def admitted(kinds: Mapping[str, JobKind], kind: str, scope: str | None, caller: Caller, *, default: str) -> str:
    """The scope of a job that `caller` queues: the one place where it is decided who may let which job write where.

    Args:
        kinds: the kinds that this service runs.
        kind, scope: what is asked for; without a scope the kind's own, else the caller's.
        caller: who asks.
        default: the scope of writes that name none.

    Raises:
        BadInputError: there is no such kind, or it writes in another scope than the one named.
        ForbiddenError: the caller may not write where the job would.
    """
    if kind not in kinds:
        known = ", ".join(sorted(kinds))
        raise BadInputError(f"no job is of kind {kind[:100]!r}", field="kind", bound=f"one of {known}")
    work = kinds[kind]
    if not isinstance(work, FixedKind):
        return caller.require_write(scope or caller.home(default))
    if scope is not None and scope != work.scope:
        raise BadInputError(
            f"a {kind} job writes in {work.scope}", remedy="leave the scope out", field="scope", bound=work.scope
        )
    if work.everywhere and caller.writable is not None:
        raise ForbiddenError(f"a {kind} job is for a caller that may write everywhere", field="kind")
    return caller.require_write(work.scope)


class Lease:
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
        self.cancelled = False

    @property
    def keys(self) -> dict[str, Any]:
        """Parameters that tie a statement to this lease and to the next commit: job_id, owner, sequence."""
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

    async def beat(self, worker: asyncio.Task[Any]) -> None:
        """Renew the lease every second, or at every third of its time, until it is lost or the job is to stop.

        Then the worker is stopped wherever it is waiting: work that never tells its progress ends too.
        """
        while not self._lost:
            await asyncio.sleep(min(_BEAT_S, self._lease_ms / 3000))
            with suppress(ClauseError):
                rows = await self._graph.run("jobs/guard", **self._lease(), lease_ms=self._lease_ms)
                self._lost = not rows
                if rows and rows[0]["cancel_requested"] == self.job.id:
                    self.cancelled = True
                    worker.cancel()
                    return

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
