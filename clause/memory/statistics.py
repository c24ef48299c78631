"""Figures of clustered memories: compression, silhouette, cohesion, and the threshold for a wanted compression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import numpy as np
from pydantic import Field

from clause.arrays import Floats, Longs
from clause.errors import BadInputError
from clause.ground import Ground
from clause.memory.cluster import prototype_of, sequential_labels
from clause.memory.models import MCSConfig
from clause.telemetry import CountProgress, silent_count
from clause.text.fields import Frozen

SAMPLE = 5_000
"""Memories whose vectors are looked at."""

STALE_DAYS = 30
_BUCKETS = (1, 2, 5, 10, 50)


class MemoryStatistics(Frozen):
    """Figures of the memories of some scopes."""

    memories: int = Field(ge=0, description="how many memories")
    clusters: int = Field(ge=0, description="how many clusters")
    compression: float = Field(ge=0, description="memories / clusters; 0 where there are none")
    consolidated: int = Field(ge=0, description="clusters that are consolidated")
    queued: int = Field(ge=0, description="clusters that wait for consolidation")
    largest: int = Field(ge=0, description="members of the largest cluster")
    sizes: dict[str, int] = Field(description="clusters by size: 1, 2, 3-5, 6-10, 11-50, 51+")
    cohesion: float | None = Field(None, description="mean cosine of members and prototype (goal of the seed: > .90)")
    silhouette: float | None = Field(
        None, description="mean silhouette by cosine of who is not alone; null for one cluster, or each alone"
    )
    sampled: int = Field(ge=0, description="memories whose vectors cohesion and silhouette were computed of")
    stale_share: float = Field(ge=0, le=1, description="share that nobody recalled or wrote for 30 days")


async def statistics(
    ground: Ground, config: MCSConfig, scopes: Sequence[str], thresholds: Mapping[str, int]
) -> MemoryStatistics:
    """The figures; cohesion and silhouette of at most 5,000 memories, the oldest.

    Args:
        ground: the open parts below.
        config: of the service.
        scopes: whose memories.
        thresholds: sizes above which clusters are queued, of scopes that say their own.
    """
    graph, named = ground.graph, [*scopes]
    sizes = await graph.run(
        "memory/sizes", scopes=named, threshold=config.consolidation_threshold, thresholds=thresholds
    )
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


def silhouette(vectors: Floats, labels: Longs) -> float | None:
    """Mean silhouette coefficient (Rousseeuw, 1987) by cosine distance of the vectors [n, d] that are not alone.

    None where it is not defined: one cluster, or each vector alone.

    >>> silhouette(np.array([[1, 0], [1, 0], [0, 1], [0, 1]], dtype=np.float32), np.array([1, 1, 2, 2]))
    1.0
    """
    numbers, counts = np.unique(labels, return_counts=True)
    if not 1 < len(numbers) < len(labels):
        return None
    from sklearn.metrics import silhouette_samples  # noqa: PLC0415 -- takes a moment to import

    several = np.isin(labels, numbers[counts > 1])
    return float(silhouette_samples(vectors, labels, metric="cosine")[several].mean())


def _by_bucket(sizes: dict[int, int]) -> dict[str, int]:
    buckets: dict[str, int] = {}
    low = 0
    for high in _BUCKETS:
        buckets[str(high) if high == low + 1 else f"{low + 1}-{high}"] = _between(sizes, low, high)
        low = high
    return {**buckets, f"{low + 1}+": _between(sizes, low, None)}


def _between(sizes: dict[int, int], low: int, high: int | None) -> int:
    """The number of clusters that have more than `low` and at most `high` members."""
    return sum(count for size, count in sizes.items() if size > low and (high is None or size <= high))


def table(figures: MemoryStatistics) -> list[tuple[str, Any]]:
    """The figures as rows of a table."""
    return [(name, value) for name, value in figures.model_dump().items() if name != "sizes"] + [
        (f"clusters of {size}", count) for size, count in figures.sizes.items()
    ]


THRESHOLDS = (0.95, 0.90, 0.85, 0.80, 0.75, 0.70, 0.65, 0.60, 0.55, 0.50)
"""The thresholds at which the curve is drawn."""

_LOOSER = (0.45, 0.40, 0.35, 0.30)
"""The thresholds at which the wish is looked for beyond the curve."""

_STEPS = tuple(step / 100 for step in (-4, -3, -2, -1, 1, 2, 3, 4))
_AS_GOOD = 0.05
"""Points that miss the wish by this share of it are equally close: the better clusters decide."""


class CurvePoint(Frozen):
    """The effect of one threshold on the texts."""

    threshold: float = Field(description="cosine to a prototype that must be exceeded to join")
    clusters: int = Field(ge=0, description="how many clusters")
    compression: float = Field(ge=0, description="texts / clusters")
    cohesion: float = Field(ge=-1, le=1, description="mean cosine of texts and their prototypes")


class Calibration(Frozen):
    """The curve, and the threshold that was looked for."""

    texts: int = Field(ge=0, description="how many texts were joined one after the other")
    curve: tuple[CurvePoint, ...] = Field(description="from strict to loose")
    wanted: str = Field(description="what was looked for")
    found: CurvePoint = Field(description="the threshold that comes closest to it")
    setting: str = Field(description="how to set it")


def curve_point(vectors: Floats, threshold: float) -> CurvePoint:
    """Join unit vectors [n, d] one after the other, as writes do.

    >>> curve_point(np.array([[1, 0], [0, 1], [1, 0]], dtype=np.float32), 0.85).clusters
    2
    """
    labels = sequential_labels(vectors, threshold)
    sums = np.zeros((int(labels.max()) + 1, vectors.shape[1]))
    np.add.at(sums, labels, vectors.astype(np.float64))
    prototypes = np.stack([prototype_of(total) for total in sums])
    cohesion = float(np.einsum("nd,nd->n", prototypes[labels], vectors.astype(np.float64)).mean())
    return CurvePoint(
        threshold=round(threshold, 4),
        clusters=len(sums),
        compression=len(vectors) / len(sums),
        cohesion=min(1.0, max(-1.0, cohesion)),
    )


def calibrate(
    vectors: Floats,
    *,
    compression: float | None = None,
    cohesion: float | None = None,
    thresholds: Sequence[float] = THRESHOLDS,
    progress: CountProgress = silent_count,
) -> Calibration:
    """The curve over unit vectors [n, d], and the threshold that gives a wanted compression or cohesion best.

    Compression falls as the threshold rises, but not strictly: each text joins by what came before it. So the first
    crossing from the strict end is looked at in steps of .01; of points equally close to the wish those with the
    tightest clusters stay, and the middle of them is taken, so that texts to come have room on both sides.

    Args:
        vectors: in the order in which the texts came.
        compression: texts for one cluster that are wanted; 4 where neither is given.
        cohesion: mean cosine to the prototype that is wanted.
        thresholds: where the curve is drawn.
        progress: told (done, total) after each threshold that was tried.

    Raises:
        BadInputError: no text, or both wishes.
    """
    if not len(vectors):
        raise BadInputError("there is nothing to calibrate on", remedy="write memories first, or give --texts")
    if compression is not None and cohesion is not None:
        raise BadInputError("compression and cohesion are both wanted", remedy="ask for one")
    wish = compression if compression is not None or cohesion is not None else 4.0
    places = sorted({*thresholds, *_LOOSER}, reverse=True)
    total, tried = len(places) + len(_STEPS), dict[float, CurvePoint]()

    def look(threshold: float) -> CurvePoint:
        if threshold not in tried:
            tried[threshold] = curve_point(vectors, threshold)
            progress(len(tried), total)
        return tried[threshold]

    def reached(point: CurvePoint) -> bool:
        """True where the threshold is low enough for the wish."""
        return point.compression >= wish if wish is not None else point.cohesion <= (cohesion or 0.0)

    first = next((place for place in places if reached(look(place))), places[-1])
    for step in _STEPS:
        look(round(min(0.99, max(0.0, first + step)), 2))
    curve = [look(place) for place in thresholds]
    progress(total, total)
    return _calibration(len(vectors), curve, [*tried.values()], wish, cohesion)


def _calibration(
    texts: int, curve: Sequence[CurvePoint], tried: Sequence[CurvePoint], wish: float | None, cohesion: float | None
) -> Calibration:
    def misses(point: CurvePoint) -> float:
        return abs(point.compression / wish - 1) if wish is not None else abs(point.cohesion - (cohesion or 0.0))

    least = min(map(misses, tried))
    close = [point for point in tried if misses(point) <= max(least, _AS_GOOD if wish is not None else least)]
    tightest = max(point.cohesion for point in close)
    best = sorted((point for point in close if point.cohesion >= tightest - 1e-9), key=lambda point: point.threshold)
    found = best[len(best) // 2]
    return Calibration(
        texts=texts,
        curve=tuple(sorted(curve, key=lambda point: -point.threshold)),
        wanted=f"compression {wish:g}" if wish is not None else f"cohesion {cohesion:g}",
        found=found,
        setting=f"CLAUSE_MEMORY_THRESHOLD={found.threshold:g}",
    )
