"""Consolidation as a job: Cypher reads arrays, numpy computes a change set, Cypher writes it with the job's cursor."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
from pydantic import Field

from clause.arrays import Floats
from clause.graph.jobs import Jobs
from clause.graph.lease import Job, Lease
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.memory.cluster import prototype_of, representative_of
from clause.memory.configuration import Configurations
from clause.memory.models import MCSConfig
from clause.text.fields import Frozen
from clause.text.names import normalise
from clause.text.retrieval import cosine
from clause.text.statements.guards import may_merge
from clause.text.statements.pair_classifier import PairClassifier
from clause.workers import CpuPool


class Stored(NamedTuple):
    """A cluster as it was read; clusters sort by number."""

    number: int
    id: str
    version: int


class Said(NamedTuple):
    """A text and its unit vector float32 [d]."""

    content: str
    embedding: Floats


class Twins(NamedTuple):
    """Two clusters as they were read: the one that stays (of the lower number), and the one that goes into it."""

    kept: str
    kept_version: int
    gone: str
    gone_version: int


def near_pairs(page: Sequence[Mapping[str, Any]]) -> list[tuple[Stored, Stored]]:
    """Pairs (later, earlier) of a page of memory/unsettled, each once, in the order in which they are tried.

    Rows have `id`, `cluster_id`, `version`, and `near`: [id, cluster_id, version] of others, best first.
    """
    pairs: dict[tuple[str, str], tuple[Stored, Stored]] = {}
    for row in page:
        one = Stored(row["cluster_id"], row["id"], row["version"])
        for other_id, number, version in row["near"]:
            earlier, later = sorted((one, Stored(number, other_id, version)))
            pairs.setdefault((later.id, earlier.id), (later, earlier))
    return [*pairs.values()]


def twins(
    pairs: Sequence[tuple[Stored, Stored]],
    texts: Mapping[tuple[str, str], tuple[Said, Said]],
    threshold: float,
    classifier: PairClassifier | None = None,
) -> list[Twins]:
    """Those of `near_pairs` that may become one; no cluster is in two of them.

    Args:
        pairs: (later, earlier), in the order in which they are tried.
        texts: what stands for the two, by their ids.
        threshold: the cosine that the texts must exceed.
        classifier: for words left over; the shipped one by default.
    """
    taken: set[str] = set()
    found: list[Twins] = []
    for later, earlier in pairs:
        both = texts.get((later.id, earlier.id))
        if both is None or taken & {later.id, earlier.id}:
            continue
        if same_meaning(*both, threshold, classifier):
            found.append(Twins(earlier.id, earlier.version, later.id, later.version))
            taken |= {later.id, earlier.id}
    return found


def same_meaning(a: Said, b: Said, threshold: float, classifier: PairClassifier | None = None) -> bool:
    """Tell whether two texts say the same: to the letter, or by the guards over the cosine of their vectors."""
    if normalise(a.content) == normalise(b.content):
        return True
    similarity, vectors = cosine(a.embedding, b.embedding), (a.embedding, b.embedding)
    return may_merge(
        a.content, b.content, similarity, vectors=vectors, classifier=classifier, candidate=threshold
    ).allowed


KIND = "consolidate"
PAGE = 200
"""Clusters looked at in one transaction."""

_NEAREST = 5
_NEAREST_AMONG_FORCED = 1_000
_ROUNDS = 10_000
Rows = Sequence[Mapping[str, Any]]
Work = list[tuple[str, Mapping[str, Any]]]


class ConsolidationReport(Frozen):
    """The work that a pass over one scope did, or would do."""

    job_id: str | None = Field(None, description="the job; null for a dry run")
    scope: str = Field(description="whose memories")
    looked_at: int = Field(ge=0, description="clusters that had changed since the pass before")
    joined: int = Field(ge=0, description="twins that became one with another cluster")
    consolidated: int = Field(ge=0, description="clusters that were closed, or closed anew")


class Consolidation:
    """Consolidates what writes have queued. One runner at a time works on a scope; others wait or pass on.

    Args:
        ground: the open parts below.
        config: thresholds.
        page: clusters looked at in one transaction.
    """

    def __init__(self, ground: Ground, config: MCSConfig, page: int = PAGE) -> None:
        self._ground = ground
        self._config = config
        self._configurations = Configurations(ground, config)
        self._page_size = page

    def spread_by(self, pool: CpuPool) -> Self:
        """The same work, what it computes computed by another pool, such as the tasks of a cluster."""
        return type(self)(replace(self._ground, pool=pool), self._config, self._page_size)

    async def work(self, scopes: Sequence[str] | None = None) -> dict[str, int]:
        """Count the clusters of each scope that wait for a pass."""
        rows = await self._ground.graph.run("memory/work", scopes=None if scopes is None else [*scopes])
        return {row["scope"]: row["unsettled"] for row in rows}

    async def queue(self, scope: str | None = None, *, caller: Caller) -> Job:
        """Queue a pass over one scope for a service to run; one that waits already is that one.

        Raises:
            ForbiddenError: this caller may not write there.
        """
        return await self._submit(self._ground.writable(caller, scope))

    async def run(self, scope: str | None = None, *, caller: Caller, dry_run: bool = False) -> ConsolidationReport:
        """Make a pass over one scope now.

        Raises:
            ForbiddenError: this caller may not write there.
            LeaseLostError: another runner has taken the work over.
        """
        target = self._ground.writable(caller, scope)
        if dry_run:
            return await (await self._configured(target))._would_do(target)
        job = await self._submit(target)
        return await self.resume(job.id, self._ground.jobs)

    async def resume(self, job_id: str, jobs: Jobs) -> ConsolidationReport:
        """Work on a job that is queued, or whose worker is gone; what another worker does is waited for."""
        job = await jobs.work(job_id, self.consolidate)
        done = job.cursor
        return ConsolidationReport(
            job_id=job_id,
            scope=job.scope,
            looked_at=done.get("looked_at", 0),
            joined=done.get("joined", 0),
            consolidated=done.get("consolidated", 0),
        )

    async def consolidate(self, lease: Lease) -> None:
        """The job: page after page until no cluster is left that has changed; killed, the next run takes it up.

        Each page depends on the graph alone and is one transaction, so that the end does not depend on where a run
        was broken off.
        """
        await (await self._configured(lease.job.scope))._pass(lease)

    async def _configured(self, scope: str) -> Self:
        """The same work by the scope's own configuration."""
        return type(self)(self._ground, await self._configurations.of(scope), self._page_size)

    async def _pass(self, lease: Lease) -> None:
        scope = lease.job.scope
        for _ in range(_ROUNDS):
            page = await self._page(scope, self._page_size)
            if not page:
                return
            pairs = await self._twins(page, scope)
            closing = [row for row in page if self._due(row) and not _in_pairs(row["id"], pairs)]
            rows = await self._computed(closing, scope)
            open_still = [row for row in page if not self._due(row) and not _in_pairs(row["id"], pairs)]
            await self._commit(lease, len(page), pairs, rows, open_still)

    async def queue_waiting(self) -> None:
        """Queue a pass for each scope with clusters in the queue."""
        for scope in await self.work():
            await self._submit(scope)

    async def _submit(self, scope: str) -> Job:
        return await self._ground.jobs.submit(KIND, {}, scope, resource=f"{KIND}:{scope}", resume=True)

    async def _would_do(self, scope: str) -> ConsolidationReport:
        page = await self._page(scope, limit=10_000)
        pairs: list[Twins] = []
        taken: set[str] = set()
        for start in range(0, len(page), self._page_size):
            found = await self._twins(page[start : start + self._page_size], scope)
            pairs += (fresh := [pair for pair in found if not taken & {pair.kept, pair.gone}])
            taken.update(one for pair in fresh for one in (pair.kept, pair.gone))
        closing = [row for row in page if self._due(row) and row["id"] not in taken]
        return ConsolidationReport(scope=scope, looked_at=len(page), joined=len(pairs), consolidated=len(closing))

    async def _page(self, scope: str, limit: int) -> Rows:
        least = (1 + self._config.similarity_threshold) / 2
        near = {"least": least, "nearest": _NEAREST, "wide": _NEAREST_AMONG_FORCED}
        return await self._ground.graph.run("memory/unsettled", scope=scope, limit=limit, **near)

    def _due(self, row: Mapping[str, Any]) -> bool:
        return bool(row["consolidated"]) or row["size"] > self._config.consolidation_threshold

    async def _twins(self, page: Rows, scope: str) -> list[Twins]:
        pairs = near_pairs(page)
        if not pairs:
            return []
        ids = [[later.id, earlier.id] for later, earlier in pairs]
        rows = await self._ground.graph.run(
            "memory/compare", pairs=ids, scope=scope, dimension=self._config.embedding_dim
        )
        texts = {
            (row["later"], row["earlier"]): (
                Said(row["content"], row["embedding"]),
                Said(row["other_content"], row["other_embedding"]),
            )
            for row in rows
        }
        return await self._ground.pool.run(twins, pairs, texts, self._config.similarity_threshold)

    async def _computed(self, closing: Rows, scope: str) -> list[dict[str, Any]]:
        if not closing:
            return []
        members = await self._ground.graph.run(
            "memory/members",
            ids=[row["id"] for row in closing],
            scope=scope,
            dimension=self._config.embedding_dim,
        )
        versions = {row["id"]: row["version"] for row in closing}
        return await self._ground.pool.run(change_set, members, versions)

    async def _commit(self, lease: Lease, looked_at: int, pairs: Sequence[Twins], rows: Rows, open_still: Rows) -> None:
        """Write a page; what another writer changed meanwhile is left as it is, and not counted."""
        scope, at = lease.job.scope, lease.job.created_at
        looked = [[row["id"], row["version"]] for row in open_still]
        work: Work = [
            ("memory/lock", {"scope": scope}),
            ("memory/merge_clusters", {"pairs": [list(pair) for pair in pairs], "scope": scope}),
            ("memory/consolidate", {"rows": rows, "scope": scope, "consolidated_at": at}),
            ("memory/settle", {"rows": looked, "scope": scope}),
        ]
        counted = {"looked_at": looked_at, "joined": len(pairs), "consolidated": len(rows)}
        cursor = {name: lease.cursor.get(name, 0) + count for name, count in counted.items()}
        _, merged, closed, _ = await lease.commit(
            work, done=cursor["looked_at"], message="consolidating memories", cursor=cursor
        )
        for name, planned, done in (("joined", pairs, merged), ("consolidated", rows, closed)):
            cursor[name] -= len(planned) - len(done)
            self._ground.metrics.count_memories(name, len(done))
        lease.cursor.update(cursor)  # goes with the next page's, which holds what was left


def change_set(members: Rows, versions: Mapping[str, int]) -> list[dict[str, Any]]:
    """Rows of memory/consolidate: all that is computed of clusters' members; pure.

    Args:
        members: rows with `cluster`, `id` and `embedding` (unit vector [d]), in the order of clusters and ids.
        versions: the version of each cluster as it was read.
    """
    return [
        _closed(cluster, [*rows], versions[cluster])
        for cluster, rows in itertools.groupby(members, key=lambda row: row["cluster"])
    ]


def _closed(cluster: str, members: Rows, version: int) -> dict[str, Any]:
    vectors = np.stack([row["embedding"] for row in members]).astype(np.float64)
    ids = [row["id"] for row in members]
    total = vectors.sum(axis=0)
    prototype = prototype_of(total)
    similarities = vectors @ prototype
    return {
        "id": cluster,
        "version": version,
        "sum": total.tolist(),
        "prototype": prototype.tolist(),
        "representative": ids[representative_of(prototype, vectors, ids)],
        "cohesion": float(similarities.mean()),
        "members": [[one, float(similarity)] for one, similarity in zip(ids, similarities, strict=True)],
    }


def _in_pairs(cluster: str, pairs: Sequence[Twins]) -> bool:
    return any(cluster in (pair.kept, pair.gone) for pair in pairs)
