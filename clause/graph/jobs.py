"""Jobs: submitted, leased, watched and cancelled. All of a job's state is in the graph."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from ulid import ULID

from clause.errors import ClauseError, NotFoundError, OutOfBoundsError
from clause.graph.lease import Job, JobCancelledError, JobKind, JobPage, JobState, Lease, LeaseLostError
from clause.graph.runner import Graph
from clause.graph.scopes import parse_scope

_Result = TypeVar("_Result")

MAX_PAGE = 200
LEASE_S = 15.0


def _utc_now() -> datetime:
    return datetime.now(UTC)


def _new_id() -> str:
    return str(ULID())


_held: ContextVar[tuple[Lease, ...]] = ContextVar("clause_jobs_held", default=())
"""The leases around what runs now, the outermost first."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """At most so many levels, values in all, characters of all texts and names, and names at the top."""

    levels: int
    values: int
    characters: int
    names: int

    def check(self, given: Mapping[str, Any], what: str, field: str) -> None:
        """Let `given` pass that is within these bounds.

        Raises:
            OutOfBoundsError: it is not.

        >>> Bounds(levels=2, values=9, characters=9, names=1).check({"a": [1]}, "this", "x")
        """
        if not self._hold(given):
            bound = (
                f"at most {self.names} names, {self.levels} levels, {self.values} values, {self.characters} characters"
            )
            raise OutOfBoundsError(f"{what} are too deep or too many", field=field, bound=bound)

    def _hold(self, given: Mapping[str, Any]) -> bool:
        waiting: list[tuple[int, Any]] = [(0, given)]
        values = characters = 0
        while waiting:
            level, value = waiting.pop()
            values += 1
            inner: list[Any] = []
            if isinstance(value, str):
                characters += len(value)
            elif isinstance(value, Mapping):
                inner = [*value.values()]
                characters += sum(len(str(name)) for name in value)
            elif isinstance(value, list | tuple):
                inner = [*value]
            if (inner and level >= self.levels) or values + len(waiting) + len(inner) > self.values:
                return False
            if characters > self.characters:
                return False
            waiting += [(level + 1, item) for item in inner]
        return len(given) <= self.names


PARAMETERS = Bounds(levels=12, values=50_000, characters=400_000, names=100)
"""Most that a job's parameters may be."""


class Jobs:
    """The jobs of one graph.

    Arguments:
        graph: where they are.
        now: the clock of `created_at` (leases use the server's clock, so that skew between machines does no harm).
        new_id: makes ids of jobs and owners.
        lease_s: how long a worker may be silent before another takes its job, in seconds.
        sleep: waits between looks; passed in by tests.
    """

    def __init__(
        self,
        graph: Graph,
        now: Callable[[], datetime] = _utc_now,
        *,
        new_id: Callable[[], str] = _new_id,
        lease_s: float = LEASE_S,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._graph = graph
        self._now = now
        self._new_id = new_id
        self._lease_s = lease_s
        self._sleep = sleep

    def now(self) -> datetime:
        """The instant by the clock of `created_at`: what a run records is not of the time when it was queued."""
        return self._now()

    async def submit(
        self,
        kind: str,
        parameters: Mapping[str, Any],
        scope: str,
        *,
        resource: str | None = None,
        resume: bool = False,
    ) -> Job:
        """Queue a job. Jobs with the same `resource` (default: the job itself) never run at the same time.

        With `resume` the newest job of the same kind, resource and parameters that has not succeeded is taken up again.

        Raises:
            BadInputError: the scope is malformed.
            OutOfBoundsError: the parameters are too deep or too many.
        """
        parse_scope(scope)
        PARAMETERS.check(parameters, "the job's parameters", "parameters")
        text = json.dumps(parameters, sort_keys=True)
        if resume and resource is not None:
            found = await self._graph.one("jobs/unfinished", scope=scope, kind=kind, resource=resource, parameters=text)
            if found is not None:
                return await self.resume(str(found["id"]))
        job_id = self._new_id()
        row = await self._graph.one(
            "jobs/submit",
            id=job_id,
            kind=kind,
            scope=scope,
            resource=resource or job_id,
            parameters=text,
            recorded_at=self._now(),
        )
        return _found(job_id, row)

    async def get(self, job_id: str, *, scopes: Sequence[str] | None = None) -> Job:
        """One job as it is now; NotFoundError when there is none in `scopes` (None: all)."""
        return _found(job_id, await self._graph.one("jobs/get", id=job_id, scopes=_listed(scopes)))

    async def list(
        self,
        *,
        scopes: Sequence[str] | None = None,
        kind: str | None = None,
        state: JobState | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> JobPage:
        """Jobs, newest first, at most `limit` (1..200) older than `cursor`."""
        if not 1 <= limit <= MAX_PAGE:
            raise OutOfBoundsError(f"limit is {limit}", field="limit", bound=f"1..{MAX_PAGE}")
        rows = await self._graph.run(
            "jobs/list", scopes=_listed(scopes), kind=kind, state=state and str(state), before=cursor, limit=limit + 1
        )
        items = tuple(Job.from_row(row) for row in rows[:limit])
        return JobPage(items=items, next_cursor=items[-1].id if len(rows) > limit else None)

    async def cancel(self, job_id: str, *, scopes: Sequence[str] | None = None) -> Job:
        """End a waiting job at once; ask the worker of a running one to stop at its next progress."""
        return _found(job_id, await self._graph.one("jobs/cancel", id=job_id, scopes=_listed(scopes)))

    async def resume(self, job_id: str, *, scopes: Sequence[str] | None = None) -> Job:
        """Queue a failed or cancelled job again; it goes on from its cursor."""
        return _found(job_id, await self._graph.one("jobs/resume", id=job_id, scopes=_listed(scopes)))

    async def waiting(self, kinds: Sequence[str], limit: int = 10) -> Sequence[str]:
        """Ids of jobs of `kinds` that a worker may take, oldest first: queued ones, and those whose worker is gone."""
        rows = await self._graph.run("jobs/waiting", scopes=None, kinds=[*kinds], limit=limit)
        return [str(row["id"]) for row in rows]

    async def watch(
        self, job_id: str, *, scopes: Sequence[str] | None = None, every_s: float = 0.25
    ) -> AsyncIterator[Job]:
        """Snapshots of a job: the present one, then each change, until it has ended."""
        version = 0
        while True:
            job = await self.get(job_id, scopes=scopes)
            if job.version != version:
                version = job.version
                yield job
            if job.state.is_final:
                return
            await self._sleep(every_s)

    @asynccontextmanager
    async def lease(self, job_id: str, *, patient: bool = False) -> AsyncIterator[Lease]:
        """Work on a job: `async with jobs.lease(id) as lease`. The end of the block is the end of the job.

        Leaving without an error: succeeded. Any exception: failed, with its text, and raised on.
        Cancelled through `cancel`: cancelled, raised on. The task itself cancelled (a service stops): queued again.
        `patient` waits while another worker holds the resource.

        Raises:
            LeaseLostError: another worker holds the resource or has taken the job over.
            ConflictError: the job has ended already.
        """
        lease = await self._acquire(job_id, patient)
        worker = asyncio.current_task()
        assert worker is not None  # noqa: S101 -- a coroutine runs in a task
        beating = asyncio.create_task(lease.beat(worker))
        around = _held.set((*_held.get(), lease))
        try:
            yield lease
        except JobCancelledError:
            await self._finish(beating, lease, JobState.CANCELLED)
            raise
        except LeaseLostError:
            raise
        except asyncio.CancelledError as error:
            stopped = any(held.cancelled for held in _held.get())
            with suppress(ClauseError):
                ended = self._finish(beating, lease, JobState.CANCELLED if stopped else JobState.QUEUED)
                await asyncio.shield(ended)
            if not lease.cancelled:
                raise
            worker.uncancel()
            raise JobCancelledError(f"job {job_id} was cancelled") from error
        except (GeneratorExit, KeyboardInterrupt):
            with suppress(ClauseError):
                await asyncio.shield(self._finish(beating, lease, JobState.QUEUED))
            raise
        except Exception as error:
            with suppress(ClauseError):
                await self._finish(beating, lease, JobState.FAILED, str(error) or type(error).__name__)
            raise
        else:
            await self._finish(beating, lease, JobState.SUCCEEDED)
        finally:
            beating.cancel()
            _held.reset(around)

    async def done_once(
        self,
        kind: str,
        parameters: Mapping[str, Any],
        scope: str,
        work: Callable[[Lease], Awaitable[_Result]],
        *,
        resource: str,
    ) -> tuple[Job, _Result]:
        """The job and the result of work that is taken up where it was broken off.

        Where another process ends the same job meanwhile it is done once more, and finds all of it known.

        Raises:
            LeaseLostError: another worker has taken the job over, and has not ended it well.
        """
        while True:
            job = await self.submit(kind, parameters, scope, resource=resource, resume=True)
            try:
                async with self.lease(job.id, patient=True) as lease:
                    return job, await work(lease)
            except LeaseLostError:
                if (await self.get(job.id)).state is not JobState.SUCCEEDED:
                    raise

    async def _finish(
        self, beating: asyncio.Task[None], lease: Lease, state: JobState, error: str | None = None
    ) -> None:
        """End the work; from now on nothing stops the worker any more."""
        beating.cancel()
        await lease.finish(state, error)

    async def work(self, job_id: str, kind: JobKind) -> Job:
        """Do a job here; one that another worker took first is waited for. The job as it ended.

        Raises:
            LeaseLostError: another worker has the job and did not end it well.
        """
        try:
            async with self.lease(job_id, patient=True) as lease:
                await kind(lease)
        except LeaseLostError:
            if (await self.get(job_id)).state is not JobState.SUCCEEDED:
                raise
        return await self.get(job_id)

    async def _acquire(self, job_id: str, patient: bool) -> Lease:
        owner = f"{os.getpid()}-{self._new_id()}"
        while True:
            row = await self._graph.one("jobs/acquire", id=job_id, owner=owner, lease_ms=round(self._lease_s * 1000))
            job = _found(job_id, row)
            if row is not None and row["acquired"]:
                return Lease(self._graph, job, owner, self._lease_s)
            if job.state.is_final:
                raise LeaseLostError(f"job {job_id} has {job.state} already", remedy="submit it again")
            if not patient:
                raise LeaseLostError(f"another worker holds {job.resource}", remedy="wait until it has ended")
            await self._sleep(min(0.5, self._lease_s / 4))


def _found(job_id: str, row: Mapping[str, Any] | None) -> Job:
    if row is None:
        raise NotFoundError(f"no job has the id {job_id!r}", field="job_id")
    return Job.from_row(row)


def _listed(scopes: Sequence[str] | None) -> Sequence[str] | None:
    return None if scopes is None else [*scopes]
