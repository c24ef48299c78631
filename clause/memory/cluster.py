"""Clusters of memories: prototypes and representatives, and the cluster that each new memory joins."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BaseModel, ConfigDict, Field

from clause.arrays import Doubles, Floats, Longs
from clause.graph.runner import Graph
from clause.memory.models import MOST_MERGED, ConsolidationError


def prototype_of(total: ArrayLike) -> Doubles:
    """The unit vector [d] of an unnormalised sum [d] of members (FR-MCS-011); zeros where they cancel out.

    >>> prototype_of([3.0, 4.0]).tolist()
    [0.6, 0.8]
    """
    vector = np.asarray(total, dtype=np.float64)
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else vector


def representative_of(prototype: ArrayLike, members: ArrayLike, ids: Sequence[str]) -> int:
    """The place of the member closest to the prototype; of equally close ones that with the least id (FR-MCS-012).

    >>> representative_of([1.0, 0.0], [[0.0, 1.0], [0.8, 0.6]], ["a", "b"])
    1
    """
    similarities = np.asarray(members, dtype=np.float64) @ np.asarray(prototype, dtype=np.float64)
    best = float(similarities.max())
    return min(np.flatnonzero(similarities >= best - 1e-9).tolist(), key=lambda place: ids[place])


class MemoryCluster(BaseModel):
    """A cluster of semantically similar memories. Frozen: `add_member` and `consolidate` give a new one.

    >>> one = MemoryCluster.of(1, [0.6, 0.8], "tea", {}, "m1")
    >>> two = one.add_member([0.8, 0.6], "green tea", {}, "m2")
    >>> two.size, two.representative_content, two.consolidate().is_consolidated
    (2, 'tea', True)
    """

    model_config = ConfigDict(frozen=True)

    cluster_id: int = Field(ge=0, description="its number")
    prototype: list[float] = Field(description="L2-normalised mean of the members, [d]")
    member_embeddings: list[list[float]] = Field(description="unit vectors of the members, [n, d]")
    member_contents: list[str] = Field(description="what the members say")
    member_metadata: list[dict[str, Any]] = Field(description="what was written beside them")
    member_ids: list[str] = Field(description="their ids")
    is_consolidated: bool = Field(False, description="its members are immutable")
    creation_time: float = Field(default_factory=time.time, description="seconds since 1970")
    last_access_time: float = Field(default_factory=time.time, description="seconds since 1970")
    access_count: int = Field(0, ge=0, description="how often a member was recalled")

    @classmethod
    def of(
        cls, cluster_id: int, embedding: ArrayLike, content: str, metadata: dict[str, Any], memory_id: str, **more: Any
    ) -> Self:
        """A cluster of one member."""
        vector = prototype_of(embedding).tolist()
        return cls(
            cluster_id=cluster_id,
            prototype=vector,
            member_embeddings=[vector],
            member_contents=[content],
            member_metadata=[metadata],
            member_ids=[memory_id],
            **more,
        )

    @property
    def size(self) -> int:
        """The number of its members."""
        return len(self.member_contents)

    @property
    def representative_content(self) -> str:
        """The content closest to the prototype."""
        return self.member_contents[representative_of(self.prototype, self.member_embeddings, self.member_ids)]

    @property
    def compression(self) -> float:
        """Memories for one prototype: the size, once consolidated; 1 before."""
        return float(self.size) if self.is_consolidated else 1.0

    def add_member(self, embedding: ArrayLike, content: str, metadata: dict[str, Any], memory_id: str) -> Self:
        """The cluster with one more member and the prototype of all.

        Raises:
            ConsolidationError: it is consolidated: a similar memory opens a sibling.
        """
        if self.is_consolidated:
            raise ConsolidationError(f"cluster {self.cluster_id} is consolidated", remedy="open a sibling")
        vectors = [*self.member_embeddings, prototype_of(embedding).tolist()]
        return self.model_copy(
            update={
                "prototype": prototype_of(np.sum(vectors, axis=0)).tolist(),
                "member_embeddings": vectors,
                "member_contents": [*self.member_contents, content],
                "member_metadata": [*self.member_metadata, metadata],
                "member_ids": [*self.member_ids, memory_id],
            }
        )

    def consolidate(self) -> Self:
        """The cluster with its prototype computed anew from the members, and closed to further ones.

        Raises:
            ConsolidationError: it has no member.
        """
        if not self.member_ids:
            raise ConsolidationError(f"cluster {self.cluster_id} has no member")
        prototype = prototype_of(np.sum(self.member_embeddings, axis=0)).tolist()
        return self.model_copy(update={"prototype": prototype, "is_consolidated": True})


class ClusterSummary(BaseModel):
    """A stored cluster, without its vectors."""

    model_config = ConfigDict(frozen=True)

    cluster_id: int = Field(ge=0, description="its number")
    scope: str = Field(description="whose it is")
    size: int = Field(ge=0, description="how many members")
    consolidated: bool = Field(description="its members are immutable")
    queued: bool = Field(description="it waits for consolidation")
    representative_id: str | None = Field(None, description="the member closest to the prototype")
    representative_content: str | None = Field(None, description="what that member says")
    compression: float = Field(ge=1.0, description="memories for one prototype, once consolidated; 1 before")
    cohesion: float | None = Field(None, description="mean cosine of members and prototype, once consolidated")
    created_at: datetime = Field(description="when it was opened")
    last_access_at: datetime = Field(description="when a member was recalled last")
    access_count: int = Field(ge=0, description="how often a member was recalled")
    version: int = Field(ge=1, description="grows with every change")


@dataclass(frozen=True)
class OpenCluster:
    """A stored cluster that takes members: its id, and the unnormalised sum [d] of its members."""

    id: str
    sum: NDArray[np.floating]


@dataclass
class Group:
    """New members of one cluster.

    Attributes:
        joins: id of the stored cluster; None where they open one.
        sum: unnormalised sum [d] of the new members.
        members: their places in the batch, with the cosine to the prototype when each joined.
    """

    joins: str | None
    sum: Doubles
    members: list[tuple[int, float]] = field(default_factory=list)


def assign(
    vectors: Floats, known: Sequence[OpenCluster], threshold: float, forced: Sequence[bool] | None = None
) -> list[Group]:
    """Groups of new members, in the order in which their first one came.

    One after the other, as if each were written alone: a vector joins the nearest cluster (stored, or opened by an
    earlier one) if its cosine exceeds `threshold`, and moves that prototype (FR-MCS-002 to 004, 006).

    Args:
        vectors: unit vectors, float32 [n, d].
        known: the stored clusters that may be near.
        threshold: the cosine that must be exceeded.
        forced: which ones open a cluster of their own in any case.

    >>> groups = assign(np.eye(2, dtype=np.float32)[[0, 1, 0]], [], 0.85)
    >>> [[place for place, _ in group.members] for group in groups]
    [[0, 2], [1]]
    """
    stored, used = len(known), 0
    near = _near(vectors, known)
    opened = np.zeros(vectors.shape, dtype=np.float32)
    sums: dict[int, Doubles] = {}
    groups: dict[int, Group] = {}
    for place, vector in enumerate(vectors):
        similarities = np.concatenate((near[place], opened[:used] @ vector))
        alone = not len(similarities) or (forced is not None and forced[place])
        best = stored + used if alone else int(similarities.argmax())
        if alone or not similarities[best] > threshold:
            best, used, similarity = stored + used, used + 1, 1.0
        else:
            similarity = float(similarities[best])
        before = sums.get(best, known[best].sum if best < stored else 0.0)
        sums[best] = before + vector.astype(np.float64)
        prototype = prototype_of(sums[best])
        if best < stored:
            near[place + 1 :, best] = vectors[place + 1 :] @ prototype
        else:
            opened[best - stored] = prototype
        group = groups.get(best)
        if group is None:
            joins = known[best].id if best < stored else None
            group = groups[best] = Group(joins, np.zeros(len(vector)))
        group.sum += vector
        group.members.append((place, similarity))
    return list(groups.values())


def _near(vectors: Floats, known: Sequence[OpenCluster]) -> Floats:
    """Cosines [n, clusters] of unit vectors to the prototypes of stored clusters, in one product."""
    if not known:
        return np.empty((len(vectors), 0), dtype=np.float32)
    sums = np.stack([cluster.sum for cluster in known]).astype(np.float32)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    prototypes = np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 0)
    cosines: Floats = vectors @ prototypes.T
    return cosines


def sequential_labels(vectors: Floats, threshold: float) -> Longs:
    """The cluster of each vector [n], if memories came one after the other: numbers from 0, in order of opening.

    >>> sequential_labels(np.eye(2, dtype=np.float32)[[0, 1, 0]], 0.85).tolist()
    [0, 1, 0]
    """
    labels = np.zeros(len(vectors), dtype=np.int64)
    for number, group in enumerate(assign(vectors, [], threshold)):
        labels[[place for place, _ in group.members]] = number
    return labels


_BLOCK = 1024


async def merge_closest(graph: Graph, scope: str, pairs: int, dimension: int) -> int:
    """Merge the `pairs` closest pairs of open clusters, the later of each into the earlier; how many were merged.

    A cluster that another writer changed meanwhile is left as it is; where too few are open none is touched.
    """
    rows = await graph.run("memory/open_prototypes", scope=scope, dimension=dimension, limit=MOST_MERGED)
    if len(rows) <= pairs:
        return 0
    found = closest_pairs(np.stack([row["prototype"] for row in rows]), pairs)
    chosen = [[rows[a]["id"], rows[a]["version"], rows[b]["id"], rows[b]["version"]] for a, b in found]
    lock = ("memory/lock", {"scope": scope})
    _, merged = await graph.write([lock, ("memory/merge_clusters", {"pairs": chosen, "scope": scope})])
    return len(merged)


def closest_pairs(vectors: Floats, count: int) -> list[tuple[int, int]]:
    """At most `count` pairs (earlier, later) of unit vectors [n, d] of the greatest cosine, no vector in two pairs.

    For each vector only its nearest later one is looked at, block by block: O(n^2 d) time, O(n) memory.

    >>> closest_pairs(np.array([[1, 0], [0, 1], [0.6, 0.8], [0, -1]], dtype=np.float32), 1)
    [(1, 2)]
    """
    best = np.full(len(vectors), -np.inf)
    mate = np.zeros(len(vectors), dtype=np.int64)
    for start in range(0, len(vectors), _BLOCK):
        block = vectors[start : start + _BLOCK] @ vectors.T
        rows = np.arange(len(block))[:, None]
        block[np.arange(len(vectors))[None, :] <= rows + start] = -np.inf
        mate[start : start + len(block)] = block.argmax(axis=1)
        best[start : start + len(block)] = block.max(axis=1)
    pairs: list[tuple[int, int]] = []
    taken: set[int] = set()
    for place in np.argsort(-best, kind="stable").tolist():
        if len(pairs) == count or not np.isfinite(best[place]):
            break
        pair = (place, int(mate[place]))
        if not taken.intersection(pair):
            pairs.append(pair)
            taken.update(pair)
    return pairs
