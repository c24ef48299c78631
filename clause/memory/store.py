"""The memory cluster store: what the doors ask of it."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from clause.arrays import Floats
from clause.errors import BadInputError, ClauseError, NotFoundError, PreconditionError
from clause.graph.outbox import Outbox
from clause.graph.scopes import Caller, parse_scope, scope_of
from clause.ground import Ground
from clause.memory.cluster import ClusterSummary, MemoryCluster
from clause.memory.configuration import Configurations
from clause.memory.memory_text import refuse_personal
from clause.memory.models import (
    ClusterNotFoundError,
    DeletedMemory,
    MCSConfig,
    MemoryReadInput,
    MemoryReadResult,
    MemoryRecord,
    MemoryWriteInput,
    MemoryWriteResult,
)
from clause.memory.recall import Recall
from clause.memory.statistics import MemoryStatistics, statistics
from clause.memory.writer import MemoryWriter
from clause.telemetry import CountProgress, logger, silent_count

BATCH = 500
"""Recalls that are written together, in one transaction for each scope."""
MOST_WAITING = 100_000
PAUSE_S = 1.0

MOST_IN_BATCH = 10_000
MOST_MEMBERS = 1_000


Erase = Callable[[str, Caller], Awaitable[None]]
"""Erases every trace of a memory (by its id, for a caller) outside this room."""


async def no_traces(_memory_id: str, _caller: Caller) -> None:
    """Erase nothing: for a room that stands alone, of whose memories no other part has been told."""


class Touch(NamedTuple):
    """A recall of one memory."""

    scope: str
    memory_id: str


class Touches:
    """Recalls that are still to be counted.

    Args:
        ground: where they are counted.
        pause_s: how long recalls are gathered before they are written, in seconds.
    """

    def __init__(self, ground: Ground, pause_s: float = PAUSE_S) -> None:
        self._ground = ground
        self._pause_s = pause_s
        self._outbox: Outbox[Touch] = Outbox(
            self._write,
            batch=BATCH,
            most=MOST_WAITING,
            on_loss=_told,
            moment=self._gathered,
            name="touch memories",
        )

    def note(self, recalled: Iterable[tuple[str, str]]) -> None:
        """Remember (scope, memory id) pairs; they are written in the background, soon."""
        for scope, memory_id in recalled:
            self._outbox.add(Touch(scope, memory_id))

    async def settled(self) -> None:
        """Write what waits now; for the end of a service."""
        await self._outbox.settled()

    async def _gathered(self) -> None:
        """Return once there has been time to gather, or enough for a batch waits already."""
        if self._outbox.waiting < BATCH:
            await asyncio.sleep(self._pause_s)

    async def _write(self, touches: Sequence[Touch]) -> None:
        scopes: dict[str, Counter[str]] = {}
        for touch in touches:
            scopes.setdefault(touch.scope, Counter())[touch.memory_id] += 1
        for scope, counts in scopes.items():
            rows = [[memory_id, times] for memory_id, times in sorted(counts.items())]
            given = {"rows": rows, "scopes": [scope], "at": self._ground.now()}
            try:
                await self._ground.graph.write(  # rather lost than counted twice
                    [("memory/lock", {"scope": scope}), ("memory/touch", given)], idempotent=False
                )
            except ClauseError as error:  # the other scopes are counted all the same
                self._outbox.lose([touch for touch in touches if touch.scope == scope], str(error))


def _told(lost: Sequence[Touch], reason: str) -> None:
    logger(__name__).warning("recalls were not counted", recalls=len(lost), reason=reason)


class MemoryClusterStore:
    """Memories in clusters, in Neo4j.

    Args:
        ground: the open parts below.
        config: thresholds, weights, limits.
        erase_traces: takes out of other rooms what is known there of a memory that is forgotten.
    """

    def __init__(self, ground: Ground, config: MCSConfig, erase_traces: Erase = no_traces) -> None:
        self.config = config
        self._erase_traces = erase_traces
        self.touches = Touches(ground)
        self.configurations = Configurations(ground, config)
        self._ground = ground
        self.recall = Recall(ground, config, self.configurations)

    async def write(self, request: MemoryWriteInput, *, caller: Caller) -> MemoryWriteResult:
        """Embed a memory, and let it join the nearest cluster of its scope or open one.

        Raises:
            PersonalDataError: metadata looks like personal data, and there is no consent.
            ForbiddenError: this caller may not write there.
            ClusterLimitError: the scope holds as many clusters as it may.
            ConflictError: the idempotency key came with another content before.
        """
        return (await self.write_batch([request], caller=caller))[0]

    async def write_batch(
        self, requests: Sequence[MemoryWriteInput], *, caller: Caller, progress: CountProgress = silent_count
    ) -> list[MemoryWriteResult]:
        """Write many: one call to the embedder for each scope, one transaction for 250 of them.

        Args:
            requests: at most 10,000.
            caller: who writes.
            progress: told (done, total) after each transaction.

        Raises: like `write`; what was told as done stays.
        """
        if len(requests) > MOST_IN_BATCH:
            raise BadInputError("too many memories", field="memories", bound=f"at most {MOST_IN_BATCH:,}")
        places: dict[str, list[int]] = {}
        for place, request in enumerate(requests):
            if not request.pii_consent:
                refuse_personal(request.metadata)
            places.setdefault(self._target(request, caller), []).append(place)
        results: dict[int, MemoryWriteResult] = {}
        for scope, those in places.items():
            before = len(results)
            writer = MemoryWriter(self._ground, await self.configurations.of(scope))
            found = await writer.write(
                [requests[place] for place in those],
                scope,
                lambda done, _total, before=before: progress(before + done, len(requests)),
            )
            results.update(zip(those, found, strict=True))
            self._ground.metrics.count_memories("written", sum(not one.replayed for one in found))
        return [results[place] for place in range(len(requests))]

    async def read(self, request: MemoryReadInput, *, caller: Caller) -> list[MemoryReadResult]:
        """At most k memories, best first; that they were recalled is written later, in the background.

        Without scopes, user and session everything is read that the caller may see.

        Raises:
            BadInputError: neither query_text nor embedding was sent.
            ForbiddenError: a named scope is not this caller's.
        """
        found = await self.recall.read(request, await self._scopes(request, caller))
        self._ground.metrics.count_memories("recalled", len(found))
        self.touches.note((one.scope, one.memory_id) for one in found)
        return found

    async def get(self, memory_id: str, *, caller: Caller) -> MemoryRecord:
        """One memory; NotFoundError where there is none that this caller may see."""
        scopes = await self._ground.readable(caller, None)
        row = await self._ground.graph.one("memory/get", id=memory_id, scopes=[*scopes])
        if row is None:
            raise NotFoundError(f"no memory has the id {memory_id[:80]!r}", field="memory_id")
        return _record(row)

    async def list(
        self, *, caller: Caller, scopes: Sequence[str] | None = None, limit: int = 50, before: str | None = None
    ) -> Sequence[MemoryRecord]:
        """At most `limit` memories, newest first, older than the id `before`."""
        readable = await self._ground.readable(caller, scopes)
        rows = await self._ground.graph.run("memory/list", scopes=[*readable], before=before, limit=limit)
        return [_record(row) for row in rows]

    async def forget(self, memory_id: str, *, caller: Caller, versions: Sequence[int] | None = None) -> DeletedMemory:
        """Take a memory out for good, with every trace of it: what was derived only from it, its text in answers.

        Raises: as `delete`; PreconditionError before anything is erased.
        """
        found = await self.get(memory_id, caller=caller)
        if versions is not None and found.version not in versions:
            raise _moved_on(found)
        await self._erase_traces(memory_id, caller)
        return await self.delete(memory_id, caller=caller, versions=versions)

    async def delete(self, memory_id: str, *, caller: Caller, versions: Sequence[int] | None = None) -> DeletedMemory:
        """Take a memory out, with its vector; the prototype of its cluster is the mean of those left.

        Its traces elsewhere stay: `forget` erases them too.

        Raises:
            NotFoundError: there is none that this caller may see.
            ForbiddenError: this caller may not write there.
            PreconditionError: `versions` does not hold its version.
        """
        found = await self.get(memory_id, caller=caller)
        caller.require_write(found.scope)
        which = {"id": memory_id, "scope": found.scope, "versions": None if versions is None else [*versions]}
        # tried again after a lost connection, a deletion that was done would find nothing to delete
        (rows,) = await self._ground.graph.write([("memory/delete", which)], idempotent=False)
        if rows:
            self._ground.metrics.count_memories("deleted")
            return DeletedMemory(**rows[0])
        raise _moved_on(await self.get(memory_id, caller=caller))

    async def clusters(
        self, *, caller: Caller, scopes: Sequence[str] | None = None, limit: int = 50, before: int | None = None
    ) -> Sequence[ClusterSummary]:
        """At most `limit` clusters, the newest first, of numbers below `before`."""
        readable = await self._ground.readable(caller, scopes)
        rows = await self._ground.graph.run(
            "memory/clusters",
            scopes=[*readable],
            before=before,
            limit=limit,
            threshold=self.config.consolidation_threshold,
            thresholds=await self.configurations.thresholds(readable),
        )
        return [ClusterSummary(**row) for row in rows]

    async def cluster(self, cluster_id: int, *, caller: Caller) -> ClusterSummary:
        """One cluster; ClusterNotFoundError where there is none that this caller may see."""
        scopes = await self._ground.readable(caller, None)
        row = await self._ground.graph.one(
            "memory/cluster",
            cluster_id=cluster_id,
            scopes=[*scopes],
            threshold=self.config.consolidation_threshold,
            thresholds=await self.configurations.thresholds(scopes),
        )
        if row is None:
            raise _no_cluster(cluster_id)
        return ClusterSummary(**row)

    async def members(self, cluster_id: int, *, caller: Caller) -> MemoryCluster:
        """A cluster with its first 1,000 members, in the order in which they came."""
        scopes = await self._ground.readable(caller, None)
        rows = await self._ground.graph.run(
            "memory/cluster_members",
            cluster_id=cluster_id,
            scopes=[*scopes],
            dimension=self.config.embedding_dim,
            limit=MOST_MEMBERS,
        )
        if not rows:
            raise _no_cluster(cluster_id)
        return MemoryCluster(
            cluster_id=cluster_id,
            prototype=rows[0]["prototype"].tolist(),
            member_embeddings=[row["embedding"].tolist() for row in rows],
            member_contents=[row["content"] for row in rows],
            member_metadata=[json.loads(row["metadata"]) for row in rows],
            member_ids=[row["id"] for row in rows],
            is_consolidated=rows[0]["consolidated"],
            creation_time=rows[0]["created_at"].timestamp(),
            last_access_time=rows[0]["last_access_at"].timestamp(),
            access_count=rows[0]["access_count"],
        )

    async def stats(self, *, caller: Caller, scopes: Sequence[str] | None = None) -> MemoryStatistics:
        """Measure how well the memories of some scopes are clustered."""
        readable = await self._ground.readable(caller, scopes)
        return await statistics(self._ground, self.config, readable, await self.configurations.thresholds(readable))

    async def vectors(self, *, caller: Caller, scopes: Sequence[str] | None = None, limit: int = 2_000) -> Floats:
        """The vectors [n, d] of the oldest memories of some scopes, in the order in which they came."""
        readable = await self._ground.readable(caller, scopes)
        rows = await self._ground.graph.run(
            "memory/vectors", scopes=[*readable], limit=limit, dimension=self.config.embedding_dim
        )
        empty = np.zeros((0, self.config.embedding_dim), dtype=np.float32)
        return np.stack([row["embedding"] for row in rows]) if rows else empty

    def _target(self, request: MemoryWriteInput, caller: Caller) -> str:
        """The scope that a write goes to."""
        named = request.user_id or request.session_id
        if request.scope is not None and named:
            raise BadInputError("scope and user_id or session_id are both given", remedy="send one", field="scope")
        asked = scope_of(request.user_id, request.session_id) if named else request.scope
        return self._ground.writable(caller, asked)

    async def _scopes(self, request: MemoryReadInput, caller: Caller) -> Sequence[str]:
        named = request.user_id or request.session_id
        if request.scopes is not None and named:
            raise BadInputError("scopes and user_id or session_id are both given", remedy="send one", field="scopes")
        if named:
            scope = parse_scope(scope_of(request.user_id, request.session_id))
            return await self._ground.readable(caller, [scope.text])
        return await self._ground.readable(caller, request.scopes)


def _record(row: Mapping[str, Any]) -> MemoryRecord:
    return MemoryRecord.model_validate({**row, "metadata": json.loads(row["metadata"])})


def _moved_on(current: MemoryRecord) -> PreconditionError:
    return PreconditionError(
        f"the version is now {current.version}", remedy="read it again and repeat the change", field="If-Match"
    )


def _no_cluster(cluster_id: int) -> ClusterNotFoundError:
    return ClusterNotFoundError(f"no cluster has the number {cluster_id}", field="cluster_id")
