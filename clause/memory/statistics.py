"""How well memories are clustered: compression, silhouette, cohesion, sizes, and what nobody recalls."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from clause.ground import Ground
from clause.memory.config import MCSConfig

SAMPLE = 5_000
"""Memories whose vectors are looked at."""

STALE_DAYS = 30
_BUCKETS = (1, 2, 5, 10, 50)


class MemoryStatistics(BaseModel):
    """Figures of the memories of some scopes."""

    model_config = ConfigDict(frozen=True)

    memories: int = Field(ge=0, description="how many memories")
    clusters: int = Field(ge=0, description="how many clusters")
    compression: float = Field(ge=0, description="memories / clusters; 0 where there are none")
    consolidated: int = Field(ge=0, description="clusters that are consolidated")
    queued: int = Field(ge=0, description="clusters that wait for consolidation")
    largest: int = Field(ge=0, description="members of the largest cluster")
    sizes: dict[str, int] = Field(description="clusters by size: 1, 2, 3-5, 6-10, 11-50, 51+")
    cohesion: float | None = Field(None, description="mean cosine of members and prototype (goal of the seed: > .90)")
    silhouette: float | None = Field(None, description="mean silhouette by cosine over clusters of several members")
    sampled: int = Field(ge=0, description="memories whose vectors cohesion and silhouette were computed of")
    stale_share: float = Field(ge=0, le=1, description="share that nobody recalled or wrote for 30 days")


async def statistics(ground: Ground, config: MCSConfig, scopes: Sequence[str]) -> MemoryStatistics:
    """The figures; cohesion and silhouette of at most 5,000 memories, the oldest."""
    graph, named = ground.graph, [*scopes]
    sizes = await graph.run("memory/sizes", scopes=named, threshold=config.consolidation_threshold)
    since = ground.now() - timedelta(days=STALE_DAYS)
    counted = await graph.one("memory/stale", scopes=named, since=since) or {"memories": 0, "stale": 0}
    rows = await graph.run("memory/vectors", scopes=named, limit=SAMPLE, dimension=config.embedding_dim)
    labels = np.array([row["cluster_id"] for row in rows], dtype=np.int64)
    vectors = np.stack([row["embedding"] for row in rows]) if rows else np.zeros((0, config.embedding_dim), np.float32)
    clusters = sum(row["clusters"] for row in sizes)
    return MemoryStatistics(
        memories=counted["memories"],
        clusters=clusters,
        compression=counted["memories"] / clusters if clusters else 0.0,
        consolidated=sum(row["consolidated"] for row in sizes),
        queued=sum(row["queued"] for row in sizes),
        largest=max((row["size"] for row in sizes), default=0),
        sizes=_by_bucket({row["size"]: row["clusters"] for row in sizes}),
        cohesion=float(np.mean([row["similarity"] for row in rows])) if rows else None,
        silhouette=await ground.pool.run(silhouette, vectors, labels),
        sampled=len(rows),
        stale_share=counted["stale"] / counted["memories"] if counted["memories"] else 0.0,
    )


def silhouette(vectors: NDArray[np.float32], labels: NDArray[np.int64]) -> float | None:
    """Mean silhouette coefficient (Rousseeuw, 1987) by cosine distance of the vectors [n, d] in clusters of several
    members; None where there are not two such clusters.

    >>> silhouette(np.array([[1, 0], [1, 0], [0, 1], [0, 1]], dtype=np.float32), np.array([1, 1, 2, 2]))
    1.0
    """
    numbers, counts = np.unique(labels, return_counts=True)
    several = np.isin(labels, numbers[counts > 1])
    if len(np.unique(labels[several])) < 2:
        return None
    from sklearn.metrics import silhouette_score  # noqa: PLC0415 -- takes a moment to import

    return float(silhouette_score(vectors[several], labels[several], metric="cosine"))


def _by_bucket(sizes: dict[int, int]) -> dict[str, int]:
    buckets: dict[str, int] = {}
    low = 0
    for high in _BUCKETS:
        buckets[str(high) if high == low + 1 else f"{low + 1}-{high}"] = _between(sizes, low, high)
        low = high
    return {**buckets, f"{low + 1}+": _between(sizes, low, None)}


def _between(sizes: dict[int, int], low: int, high: int | None) -> int:
    """How many clusters have more than `low` and at most `high` members."""
    return sum(count for size, count in sizes.items() if size > low and (high is None or size <= high))


def table(figures: MemoryStatistics) -> list[tuple[str, Any]]:
    """The figures as rows of a table."""
    return [(name, value) for name, value in figures.model_dump().items() if name != "sizes"] + [
        (f"clusters of {size}", count) for size, count in figures.sizes.items()
    ]
