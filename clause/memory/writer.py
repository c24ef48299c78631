"""Writes memories: embeds them, finds their clusters, and stores each chunk in one transaction."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from clause.arrays import Floats
from clause.errors import ConflictError
from clause.graph.scopes import scope_token
from clause.ground import Ground
from clause.memory.cluster import Group, OpenCluster, assign, merge_closest
from clause.memory.memory_text import occurred_at, short_name, speaker_of
from clause.memory.models import ClusterLimitError, MCSConfig, MemoryWriteInput, MemoryWriteResult, all_vectors
from clause.telemetry import CountProgress, silent_count
from clause.text.embedder import readable
from clause.text.linking import Linking
from clause.text.names import hashed
from clause.text.retrieval import clip01

Statement = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Draft:
    """A memory about to be written: its id and write key stay the same however often the write is tried."""

    id: str
    key: str
    request: MemoryWriteInput
    content: str


def write_key(scope: str, request: MemoryWriteInput, memory_id: str) -> str:
    """Give the key that is unique to a write: its scope and idempotency key, or the new memory's own id."""
    return memory_id if request.idempotency_key is None else hashed("mwk_", scope, request.idempotency_key)


def memory_rows(drafts: Sequence[Draft], vectors: Floats, recorded_at: datetime) -> list[dict[str, Any]]:
    """Rows of memory/create; numbers count from 1."""
    return [
        {
            "id": draft.id,
            "number": number,
            "write_key": draft.key,
            "content": draft.content,
            "name": short_name(draft.content),
            "speaker": speaker_of(draft.content),
            "timestamp": draft.request.timestamp,
            "occurred_at": occurred_at(draft.request.timestamp, recorded_at),
            "metadata": json.dumps(draft.request.metadata or {}, ensure_ascii=False, sort_keys=True),
            "embedding": vector,
        }
        for number, (draft, vector) in enumerate(zip(drafts, vectors, strict=True), start=1)
    ]


def before_first(scope: str) -> int:
    """The number before a scope's first cluster: each scope counts on its own, in a stretch of numbers of its own.

    One counter for all would tell a tenant how much the others write. Numbers stay exact in JSON (below 2 to the 53rd).

    >>> before_first("user:ann") % 2**20, before_first("user:ann") < 2**53 - 2**20
    (0, True)
    """
    return int.from_bytes(hashlib.sha256(scope.encode()).digest()[:4], "big") << 20


def group_rows(groups: Sequence[Group], drafts: Sequence[Draft], new_id: Callable[[], str]) -> list[dict[str, Any]]:
    """Rows of memory/join."""
    return [
        {
            "joins": group.joins,
            "spare": new_id(),
            "sum": group.sum.astype(np.float32),
            "name": short_name(drafts[group.members[0][0]].content),
            "forced": group.joins is None and drafts[group.members[0][0]].request.force_new_cluster,
            "members": [[drafts[place].id, similarity] for place, similarity in group.members],
        }
        for group in groups
    ]


def results(
    drafts: Sequence[Draft],
    groups: Sequence[Group],
    joined: Sequence[Mapping[str, Any]],
    entities: Sequence[Sequence[str]],
    *,
    scope: str,
    config: MCSConfig,
) -> dict[str, MemoryWriteResult]:
    """Give the answer to each draft, by write key."""
    found: dict[str, MemoryWriteResult] = {}
    for row in joined:
        members = groups[row["number"]].members
        for position, (place, similarity) in enumerate(members, start=1):
            size = row["size"] - len(members) + position
            opened = bool(row["fresh"]) and position == 1
            found[drafts[place].key] = MemoryWriteResult(
                memory_id=drafts[place].id,
                cluster_id=row["cluster_id"],
                is_new_cluster=opened,
                consolidated=size > config.consolidation_threshold,
                similarity_to_prototype=1.0 if opened else clip01(similarity),
                scope=scope,
                entities=tuple(entities[place]),
            )
    return found


def replayed(row: Mapping[str, Any], draft: Draft, scope: str, config: MCSConfig) -> MemoryWriteResult:
    """Give the answer to a key that is known.

    Raises:
        ConflictError: the key came with another content.
    """
    _require_same(row["content"], draft)
    return MemoryWriteResult(
        memory_id=row["id"],
        cluster_id=row["cluster_id"],
        is_new_cluster=row["opened"],
        consolidated=row["size"] > config.consolidation_threshold,
        similarity_to_prototype=clip01(row["similarity"]),
        scope=scope,
        entities=tuple(row["entities"]),
        replayed=row["id"] != draft.id,
    )


def _require_same(content: str, draft: Draft) -> None:
    if content != draft.content:
        raise ConflictError(
            "this idempotency key came with another memory", remedy="use a new key", field="idempotency_key"
        )


def mention_rows(drafts: Sequence[Draft], entities: Sequence[Sequence[str]]) -> list[list[str]]:
    """Rows of memory/mention, in one order for all writers."""
    pairs = ((one, draft.id) for draft, found in zip(drafts, entities, strict=True) for one in found)
    return [list(pair) for pair in sorted(pairs)]


CHUNK = 250
"""Memories written in one transaction; fewer where they could open more clusters than merging makes room for."""

Results = dict[str, MemoryWriteResult]
P = ParamSpec("P")
Made = TypeVar("Made")

_NEAREST = 3
_MARGIN = 0.1
_TRIES = 6
_MANY = 50
_FEW = 4
_READ_FOR_ONE = 40  # clusters that are read in the time that the index takes to search for one memory
_FEW_CLUSTERS = 20_000


@dataclass
class OpenClusters:
    """All open clusters of a scope, as one call that writes many memories knows them; None: not read, or not all.

    What another writer adds meanwhile moves a prototype by little; a cluster that was closed gets a sibling.

    Attributes:
        writes: memories that the call writes.
    """

    writes: int
    sums: dict[str, NDArray[np.floating]] | None = None

    def follow(self, group: Group, made: Mapping[str, Any], *, fresh: bool) -> None:
        """Take in what was written for a group; `made` is its row of memory/join, `fresh` says that it was opened."""
        if self.sums is None:
            return
        if fresh and group.joins is not None:
            self.sums.pop(group.joins, None)
        place: str = made["spare"] if fresh or group.joins is None else group.joins
        self.sums[place] = self.sums.get(place, 0.0) + group.sum.astype(np.float32)


class MemoryWriter:
    """Writes into one scope at a time.

    A transaction locks the scope's memories first, so that writers never wait for each other in a circle; sums of
    clusters change by what is added, so that no member is lost whatever was read before.
    """

    def __init__(self, ground: Ground, config: MCSConfig) -> None:
        self._ground = ground
        self._config = config

    async def write(
        self, requests: Sequence[MemoryWriteInput], scope: str, progress: CountProgress = silent_count
    ) -> list[MemoryWriteResult]:
        """Results in the order of the requests; all texts are embedded in one call.

        Raises:
            ClusterLimitError: the scope is full and clusters are not merged.
            ConflictError: an idempotency key came with another content before, or comes with two here.
        """
        drafts = await self._aside(len(requests), self._drafts, requests, scope)
        found: Results = {}
        vectors: Floats | None = None
        known = OpenClusters(len(drafts))
        size = CHUNK if self._config.when_full == "refuse" else min(CHUNK, self._config.max_clusters // 2)
        for start in range(0, len(drafts), size):
            chunk = drafts[start : start + size]
            async with self._linking(chunk, scope) as linking:
                if vectors is None:
                    vectors = await self._vectors(drafts)
                wrote = await self._chunk(chunk, vectors[start : start + size], linking, scope=scope, known=known)
                found = wrote | found  # a key that an earlier chunk had was written there
            progress(start + len(chunk), len(drafts))
        ones = [(found[draft.key], draft.id) for draft in drafts]
        again = {"replayed": True}
        return [one if one.memory_id == fresh else one.model_copy(update=again) for one, fresh in ones]

    async def _aside(self, count: int, work: Callable[P, Made], *args: P.args, **kwargs: P.kwargs) -> Made:
        """The result of CPU work: for many memories in a thread, so that the event loop stays free."""
        return await self._ground.pool.run(work, *args, **kwargs) if count > _FEW else work(*args, **kwargs)

    def _drafts(self, requests: Sequence[MemoryWriteInput], scope: str) -> list[Draft]:
        drafts = [self._draft(request, scope) for request in requests]
        first: dict[str, str] = {}
        for draft in drafts:
            _require_same(first.setdefault(draft.key, draft.content), draft)
        return drafts

    def _draft(self, request: MemoryWriteInput, scope: str) -> Draft:
        memory_id = self._ground.ids()
        return Draft(memory_id, write_key(scope, request, memory_id), request, readable(request.content))

    async def _vectors(self, drafts: Sequence[Draft]) -> Floats:
        """Unit vectors float32 [n, d], those given and those made now."""
        bare = [draft.content for draft in drafts if draft.request.embedding is None]
        made = await self._ground.embedder.embed(bare) if bare else ()
        given = [draft.request.embedding for draft in drafts]
        return await self._aside(len(drafts), all_vectors, given, made, self._config.embedding_dim)

    @asynccontextmanager
    async def _linking(self, drafts: Sequence[Draft], scope: str) -> AsyncIterator[asyncio.Task[Linking]]:
        """Find what the texts speak of while vectors are made and clusters looked for; this ends with the block."""
        texts = [draft.content for draft in drafts]
        task = asyncio.create_task(self._ground.linker.link(texts, scope, self._ground.now()))
        try:
            yield task
        finally:
            await asyncio.gather(task, return_exceptions=True)

    async def _chunk(
        self,
        drafts: Sequence[Draft],
        vectors: Floats,
        linking: asyncio.Task[Linking],
        *,
        scope: str,
        known: OpenClusters,
    ) -> Results:
        """Write what was not written before, in one transaction; look again when another writer was there first."""
        keyed = [draft for draft in drafts if draft.key != draft.id]
        found = await self._written(keyed, scope) if keyed else {}
        for tries_left in reversed(range(_TRIES)):
            places = self._new_places(drafts, found)
            if not places:
                return found
            try:
                groups, linked = await asyncio.gather(
                    self._groups([drafts[place] for place in places], vectors[places], scope, known), linking
                )
                fresh = await self._store(
                    [drafts[place] for place in places],
                    vectors[places],
                    groups,
                    Linking(tuple(linked.entities[place] for place in places), linked.statements),
                    scope=scope,
                    known=known,
                )
            except ClusterLimitError:
                raise
            except ConflictError:
                if not tries_left:
                    raise
                known.sums = None
                found |= await self._written(drafts, scope)
            else:
                found |= fresh
        if self._new_places(drafts, found):
            raise ConflictError("other writers took the room that was made for these memories", remedy="try again")
        return found

    @staticmethod
    def _new_places(drafts: Sequence[Draft], found: Results) -> list[int]:
        """Places of the drafts that are still to be written; of equal keys the first."""
        places: dict[str, int] = {}
        for place, draft in enumerate(drafts):
            if draft.key not in found:
                places.setdefault(draft.key, place)
        return [*places.values()]

    async def _written(self, drafts: Sequence[Draft], scope: str) -> Results:
        by_key = {draft.key: draft for draft in reversed(drafts)}
        rows = await self._ground.graph.run("memory/written", keys=sorted(by_key), scope=scope)
        return {row["key"]: replayed(row, by_key[row["key"]], scope, self._config) for row in rows}

    async def _store(
        self,
        drafts: Sequence[Draft],
        vectors: Floats,
        groups: Sequence[Group],
        linking: Linking,
        *,
        scope: str,
        known: OpenClusters,
    ) -> Results:
        """One transaction; nothing where there was no room and some had to be made first."""
        entities = [[entity.id for entity in found] for found in linking.entities]
        at, config = self._ground.now(), self._config
        common = {"scope": scope, "recorded_at": at}
        opening = sum(group.joins is None for group in groups)
        rows = await self._aside(len(drafts), memory_rows, drafts, vectors, at)
        joining = await self._aside(len(drafts), group_rows, groups, drafts, self._ground.ids)
        made = {"rows": rows, "opening": opening, "most": config.max_clusters, "model": config.y_encoder_model}
        mentions = mention_rows(drafts, entities)
        work: list[Statement] = [
            ("memory/create", {**common, **made, "scope_token": scope_token(scope)}),
            *linking.statements,
            *([("memory/mention", {**common, "rows": mentions})] if mentions else []),
            ("memory/join", {**common, "groups": joining, "before_first": before_first(scope)}),
        ]
        (place,), *_, joined = await self._ground.graph.write(work)
        if place["open"]:
            for row in joined:
                known.follow(groups[row["number"]], joining[row["number"]], fresh=row["fresh"])
            return results(drafts, groups, joined, entities, scope=scope, config=config)
        known.sums = None
        await self._make_room(scope, place["clusters"], opening)
        return {}

    async def _make_room(self, scope: str, clusters: int, opening: int) -> None:
        """Merge as many pairs as clusters are to be opened too many, or refuse."""
        most = self._config.max_clusters
        missing = clusters + opening - most
        if self._config.when_full == "merge":
            graph, dimension = self._ground.graph, self._config.embedding_dim
            while missing > 0 and (merged := await merge_closest(graph, scope, missing, dimension)):
                missing -= merged  # fewer than asked for, where one cluster is the nearest of many
            if missing <= 0:
                return
        raise ClusterLimitError(
            f"{scope} holds {clusters:,} clusters of memories, the most it may",
            remedy="consolidate, delete some, or raise CLAUSE_MEMORY_MAX_CLUSTERS",
            bound=f"at most {most:,} clusters",
        )

    async def _groups(self, drafts: Sequence[Draft], vectors: Floats, scope: str, known: OpenClusters) -> list[Group]:
        near = [OpenCluster(*found) for found in (await self._near(vectors, scope, known)).items()]
        forced = [draft.request.force_new_cluster for draft in drafts]
        return await self._aside(len(drafts), assign, vectors, near, self._config.similarity_threshold, forced)

    async def _near(self, vectors: Floats, scope: str, known: OpenClusters) -> Mapping[str, NDArray[np.floating]]:
        """Sums of open clusters that may be near: all where the call writes enough to pay for it, else those found."""
        graph, dimension = self._ground.graph, self._config.embedding_dim
        if known.sums is None and known.writes >= _MANY:
            counted = await graph.one("memory/cluster_count", scope=scope)
            if counted is None or counted["clusters"] <= min(_FEW_CLUSTERS, _READ_FOR_ONE * known.writes):
                rows = await graph.run("memory/open_sums", scope=scope, dimension=dimension, limit=_FEW_CLUSTERS)
                known.sums = {row["id"]: row["sum"] for row in rows}
        if known.sums is not None:
            return known.sums
        rows = await graph.run(
            "memory/nearest_open",
            vectors=list(vectors),
            scope=scope,
            least=(1 + self._config.similarity_threshold - _MARGIN) / 2,
            limit=_NEAREST,
            dimension=dimension,
        )
        return {row["id"]: row["sum"] for row in rows}
