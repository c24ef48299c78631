"""Neo4j behind the port: runs, clusters and values as nodes; vectors are read in pages, so that the loop stays free."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from clause.arrays import Floats
from clause.graph.runner import Graph
from clause.graph.scopes import scope_token
from clause.text.embedder import Embedder
from clause.text.names import hashed
from clause.values.axes import Axis, UnknownClusterError, clauses, entry_of, hidden, micros, number_of, told_sentences
from clause.values.ghap import GhapEntry, tier_weight
from clause.values.models import ClusterInfo, ClusteringRun, Experience, Value
from clause.values.vector_store import AxisVectors, ValueDraft

PAGE = 128
"""Vectors read at once: a page is decoded within a few milliseconds."""

COMPARED_MEMBERS = 100
"""Members of a cluster, evenly spaced, whose sentences a value is compared with: enough for a mean and a deviation."""

_REMEMBERED = 8
"""Clusters whose sentences are kept embedded, about three megabytes each."""

_ROWS = 2_000
"""Members sent at once."""

PROPERTIES = {
    Axis.FULL: "embedding",
    Axis.STRATEGY: "strategy_embedding",
    Axis.SURPRISE: "surprise_embedding",
    Axis.ROOT_CAUSE: "root_cause_embedding",
}
"""The property in which an experience keeps its vector of each axis."""

_MOST_CLUSTERS = 10_000


RECORD_WEIGHT = 1.5
"""The weight of a whole record beside each of its sentences, where the middle of what members tell is taken."""


class Neo4jVectorStore:
    """The port on a real graph.

    Args:
        graph: where everything is.
        embedder: its model is recorded beside vectors, and its dimension read.
    """

    def __init__(self, graph: Graph, embedder: Embedder) -> None:
        self._graph = graph
        self._embedder = embedder
        self._said: dict[tuple[str, tuple[str, ...]], tuple[Floats, Floats]] = {}

    async def vectors(self, axis: Axis, scope: str, domain: str | None = None) -> AxisVectors:
        """Every resolved experience of `scope` that has a vector on `axis`."""
        rows: list[dict[str, Any]] = []
        where: dict[str, Any] = {"scope": scope, "domain": domain, "property": PROPERTIES[axis]}
        async for page in self._pages("values/axis_vectors", **where):
            rows += page
        weights = np.array([tier_weight(row["tier"]) for row in rows])
        return AxisVectors(tuple(row["id"] for row in rows), await self._stacked(rows), weights)

    async def save_run(self, run: ClusteringRun, clusters: Sequence[ClusterInfo], weights: Sequence[float]) -> None:
        """Keep a run with its clusters, all or nothing."""
        stamp = {"scope": run.scope, "recorded_at": run.created_at}
        known = {cluster.cluster_id: hashed("vcl_", cluster.cluster_id) for cluster in clusters}
        pairs = [(known[cluster.cluster_id], member) for cluster in clusters for member in cluster.member_ids]
        members = sorted(
            ([cluster, member, weight] for (cluster, member), weight in zip(pairs, weights, strict=True)),
            key=lambda row: str(row[1]),
        )
        rows = [self._cluster_row(cluster, known[cluster.cluster_id], run) for cluster in clusters]
        kept = run.model_dump(exclude={"created_at"}) | {"recorded_at": run.created_at, "version": 1}
        await self._graph.write(
            [
                ("graph/register_scope", stamp),
                ("values/save_run", {"id": run.id, "properties": kept}),
                ("values/save_clusters", {**stamp, "run_id": run.id, "rows": rows}),
                *(
                    ("values/save_members", {**stamp, "rows": members[start : start + _ROWS]})
                    for start in range(0, len(members), _ROWS)
                ),
            ],
            timeout_s=120,
        )

    async def runs(
        self,
        scopes: Sequence[str],
        axis: Axis | None = None,
        *,
        before: str | None = None,
        run_id: str | None = None,
        limit: int = 1,
    ) -> list[ClusteringRun]:
        """Runs, newest first, older than the run with id `before`, or the one with `run_id`."""
        given: dict[str, Any] = {"scopes": [*scopes], "axis": axis, "before": before, "run_id": run_id, "limit": limit}
        rows = await self._graph.run("values/runs", **given)
        return [_run_of(row["run"]) for row in rows]

    async def clusters(self, run_id: str, scopes: Sequence[str]) -> list[ClusterInfo]:
        """The clusters of a run, largest first."""
        rows = await self._graph.run(
            "values/clusters",
            run_id=run_id,
            scopes=[*scopes],
            dimension=self._embedder.dimension,
            limit=_MOST_CLUSTERS,
        )
        return [_cluster_of(row) for row in rows]

    async def cluster(self, cluster_id: str) -> ClusterInfo | None:
        """One cluster by its whole id."""
        row = await self._graph.one(
            "values/cluster", cluster_id=cluster_id, scopes=None, dimension=self._embedder.dimension
        )
        return _cluster_of(row) if row else None

    async def members(self, cluster: ClusterInfo, *, after: str = "", limit: int = 10_000) -> list[Experience]:
        """Members with vectors and whole entries, in the order of their ids."""
        found: list[Experience] = []
        async for page in self._pages("values/members", after=after, most=limit, **self._of(cluster)):
            found += [
                Experience(
                    id=row["id"],
                    embedding=row["embedding"],
                    payload=entry_of(row).model_dump(mode="json"),
                    weight=row["weight"],
                )
                for row in page
            ]
        return found

    async def member_vectors(self, cluster: ClusterInfo) -> Floats:
        """Give vectors of what the members say, clause by clause, [m, d]: a sentence is compared with sentences.

        A whole record lies nearer to the middle of records than any sentence does.
        """
        return (await self._told(cluster))[0]

    async def middle(self, cluster: ClusterInfo) -> Floats:
        """The middle of what the members tell, [d], weighted by tier: of every sentence, and of each whole record."""
        return (await self._told(cluster))[1]

    async def _told(self, cluster: ClusterInfo) -> tuple[Floats, Floats]:
        """Clauses and middle; embedded when a cluster is first asked about, remembered for the next few questions."""
        key = (cluster.cluster_id, cluster.member_ids)
        found = self._said.pop(key, None)
        if found is None:
            step = max(1, -(-len(cluster.member_ids) // COMPARED_MEMBERS))
            found = await self._embedded((await self.members(cluster))[::step], cluster)
        self._said[key] = found
        while len(self._said) > _REMEMBERED:
            del self._said[next(iter(self._said))]
        return found

    async def _embedded(self, members: Sequence[Experience], cluster: ClusterInfo) -> tuple[Floats, Floats]:
        entries = [GhapEntry.model_validate(member.payload) for member in members]
        told = [told_sentences(entry, Axis(cluster.axis)) for entry in entries]
        parts = [clause for sentences in told for sentence in sentences for clause in clauses(sentence)]
        if not parts:
            return await self._stacked([]), cluster.centroid
        sentences = [sentence for one in told for sentence in one]
        texts = list(dict.fromkeys([*parts, *sentences]))
        row = {text: place for place, text in enumerate(texts)}
        vectors: Floats = np.asarray(await self._embedder.embed(texts), dtype=np.float32)
        weights = [member.weight for member, one in zip(members, told, strict=True) for _ in one]
        weights += [RECORD_WEIGHT * member.weight for member in members]
        records = np.stack([np.asarray(member.embedding, dtype=np.float32) for member in members])
        middle = np.average(np.vstack([vectors[[row[one] for one in sentences]], records]), axis=0, weights=weights)
        return vectors[[row[part] for part in parts]], middle.astype(np.float32)

    async def add_value(self, draft: ValueDraft) -> Value:
        """Store a value; a counter of microseconds, locked in the same transaction, gives its readable id."""
        cluster, scope = draft.cluster, draft.cluster.scope
        (entities,), new_entities, _ = draft.linking
        await self._graph.write(
            [
                ("graph/register_scope", {"scope": scope, "recorded_at": draft.created_at}),
                *new_entities,
                ("values/create_value", self._value_row(draft)),
                (
                    "values/link_about",
                    {
                        "id": draft.node_id,
                        "scope": scope,
                        "change_id": None,
                        "entities": sorted(entity.id for entity in entities),
                        "recorded_at": draft.created_at,
                    },
                ),
            ]
        )
        stored = await self.value(draft.node_id)
        if stored is None:
            raise UnknownClusterError(f"{cluster.cluster_id} went while a value was stored", field="cluster_id")
        return stored

    async def value(self, value_id: str) -> Value | None:
        """One value by its readable id or its node's."""
        row = await self._graph.one("values/value", id=value_id, scopes=None, dimension=self._embedder.dimension)
        return _value_of(row) if row else None

    async def values(
        self, scopes: Sequence[str], axis: Axis | None = None, *, before: str | None = None, limit: int = 1000
    ) -> list[Value]:
        """Values, newest first, older than the value with id `before`."""
        rows = await self._graph.run(
            "values/values",
            scopes=[*scopes],
            axis=axis,
            before=number_of(before) if before else None,
            dimension=self._embedder.dimension,
            limit=limit,
        )
        return [_value_of(row) for row in rows]

    async def values_of_context(self, scopes: Sequence[str], domain: str, strategy: str, limit: int) -> list[Value]:
        """Values whose cluster holds an experience of this domain and strategy, newest first."""
        rows = await self._graph.run(
            "values/values_of_context",
            scopes=[*scopes],
            contexts=_contexts(domain, strategy),
            dimension=self._embedder.dimension,
            limit=limit,
        )
        return [_value_of(row) for row in rows]

    async def _pages(
        self, name: str, *, after: str = "", most: int | None = None, **where: Any
    ) -> AsyncIterator[list[dict[str, Any]]]:
        """Rows in the order of their ids, page after page, `most` in all."""
        left = most
        while left is None or left > 0:
            limit = PAGE if left is None else min(PAGE, left)
            page = await self._graph.run(name, after=after, limit=limit, dimension=self._embedder.dimension, **where)
            if page:
                yield page
            if len(page) < limit:
                return
            after = page[-1]["id"]
            left = None if left is None else left - limit

    async def _stacked(self, rows: Sequence[dict[str, Any]]) -> Floats:
        if not rows:
            return np.empty((0, self._embedder.dimension), dtype=np.float32)
        stacked: Floats = await asyncio.to_thread(np.stack, [row["embedding"] for row in rows])
        return stacked

    def _of(self, cluster: ClusterInfo) -> dict[str, Any]:
        return {
            "cluster_id": cluster.cluster_id,
            "scope": cluster.scope,
            "property": PROPERTIES[Axis(cluster.axis)],
        }

    def _cluster_row(self, cluster: ClusterInfo, node_id: str, run: ClusteringRun) -> dict[str, Any]:
        return {
            "id": node_id,
            "centroid": cluster.centroid,
            "properties": {
                "cluster_id": cluster.cluster_id,
                "run_id": run.id,
                "scope": run.scope,
                "scope_token": scope_token(run.scope),
                "axis": cluster.axis,
                "label": cluster.label,
                "size": cluster.size,
                "avg_weight": cluster.avg_weight,
                "name": cluster.cluster_id.partition("@")[0],
                "content": f"{cluster.size} experiences alike on the axis {cluster.axis}",
                "embedding_model": self._embedder.model,
                "recorded_at": run.created_at,
                "degree": 0,
                "version": 1,
            },
        }

    def _value_row(self, draft: ValueDraft) -> dict[str, Any]:
        cluster = draft.cluster
        validation = {
            f"validation_{name}": number
            for name, number in draft.validation.model_dump(exclude={"valid", "reason"}).items()
        }
        return {
            "id": draft.node_id,
            "cluster_id": cluster.cluster_id,
            "scope": cluster.scope,
            "micros": micros(draft.created_at),
            "now": draft.created_at,
            "embedding": draft.embedding,
            "properties": {
                "scope": cluster.scope,
                "scope_token": scope_token(cluster.scope),
                "text": draft.text,
                "name": draft.text[:80],
                "axis": cluster.axis,
                "cluster_id": cluster.cluster_id,
                "cluster_label": cluster.label,
                "cluster_size": cluster.size,
                "embedding_model": self._embedder.model,
                "recorded_at": draft.created_at,
                "version": 1,
                **validation,
            },
        }


def _run_of(row: dict[str, Any]) -> ClusteringRun:
    return ClusteringRun.model_validate({**row, "created_at": row["recorded_at"]})


def _cluster_of(row: dict[str, Any]) -> ClusterInfo:
    return ClusterInfo.model_validate(row)


def _contexts(domain: str, strategy: str) -> list[str]:
    """The context of a domain and a strategy, as values have it; behind it that of values made when words with a slash
    were not told apart from two words.

    >>> _contexts("testing", "bisect"), _contexts("ci/cd", "bisect") == ["ci\u2215cd/bisect", "ci/cd/bisect"]
    (['testing/bisect'], True)
    """
    plain = f"{domain}/{strategy}"
    return list(dict.fromkeys(("/".join(word.replace("/", "\u2215") for word in (domain, strategy)), plain)))


def _value_of(row: dict[str, Any]) -> Value:
    node = hidden(row["value"])
    validation = {
        name.removeprefix("validation_"): number for name, number in node.items() if name.startswith("validation_")
    }
    created_at: datetime = node["created_at"]
    return Value(
        id=node["value_id"],
        text=node["text"],
        cluster_id=node["cluster_id"],
        axis=node["axis"],
        embedding=row["embedding"],
        cluster_size=node["cluster_size"],
        created_at=created_at.astimezone(UTC).isoformat(timespec="microseconds"),
        metadata={
            "cluster_label": node["cluster_label"],
            "validation": validation,
            "contexts": node["contexts"],
        },
        scope=node["scope"],
        node_id=node["id"],
        entities=row["entities"],
        version=node["version"],
    )
