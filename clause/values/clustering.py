"""Clusters of experiences: HDBSCAN after a reduction of dimensions, in a process of its own that leaves the event loop
free.

Straight on 384 dimensions HDBSCAN leaves a third of short texts as noise and lumps the rest (docs/decisions/0010).
Only labels come from the reduced space: centroids, membership distances and validation stay in the full one.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import warnings
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock, Thread
from typing import Any, Literal, ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clause.arrays import Doubles, Longs, Vectors
from clause.values.models import ValidationResult
from clause.workers import end_with_parent

Reduction = Literal["umap", "pca", "none"]

NOISE = -1
MIN_CLUSTER_SIZE = 5
MIN_SAMPLES = 3

SPREAD = 0.5
"""Standard deviations above the members' mean distance that a candidate may lie."""

TOLERANCE = 1e-9
"""Added to the threshold, so that a candidate exactly at it passes whatever the rounding."""

_EXACT = 10_000
_FEW, _FEW_COMPONENTS = 100, 5


@dataclass(frozen=True)
class Density:
    """The settings of the search for clusters.

    Attributes:
        reduction: of dimensions, before density is measured.
        components: dimensions that are left; fewer where there are few points.
        neighbours: UMAP's balance of near and far (`n_neighbors`).
        min_cluster_size, min_samples: HDBSCAN's.
        seed: of UMAP, which is then the same for the same points.
    """

    reduction: Reduction = "umap"
    components: int = 10
    neighbours: int = 15
    min_cluster_size: int = MIN_CLUSTER_SIZE
    min_samples: int = MIN_SAMPLES
    seed: int = 0

    def of(self, points: int) -> Density:
        """The settings for that many points: few ones are not worth the minute in which UMAP is compiled.

        >>> str(Density().of(60)), str(Density().of(500))
        ('pca 5', 'umap 10')
        """
        few = self.reduction == "umap" and points <= _FEW
        return replace(self, reduction="pca", components=_FEW_COMPONENTS) if few else self

    def __str__(self) -> str:
        """In a word, as a run records it."""
        return self.reduction if self.reduction == "none" else f"{self.reduction} {self.components}"


@dataclass(frozen=True)
class Cluster:
    """One cluster of rows.

    Attributes:
        label: HDBSCAN's.
        members: the rows in it, int [size], ascending.
        centroid: mean of their vectors weighted by tier, float32 [d].
        avg_weight: mean of their weights.
    """

    label: int
    members: Longs
    centroid: Vectors
    avg_weight: float


def labels_of(vectors: Vectors, density: Density) -> Longs:
    """HDBSCAN's label for each of `vectors` [n, d], int [n]; -1 is noise. Rows are made unit vectors first."""
    from sklearn.cluster import HDBSCAN  # noqa: PLC0415 - takes a second

    reduced = reduce(unit(vectors), density)
    found = HDBSCAN(
        min_cluster_size=density.min_cluster_size, min_samples=density.min_samples, metric="euclidean", copy=True
    )
    return np.asarray(found.fit_predict(reduced), dtype=np.int64)


def reduce(vectors: Vectors, density: Density) -> NDArray[Any]:
    """Unit vectors [n, d] in fewer dimensions, [n, c]; the same ones where there is nothing to gain."""
    components = min(density.components, len(vectors) - 2, vectors.shape[1])
    if density.reduction == "none" or components < 2 or components == vectors.shape[1]:
        return vectors
    if density.reduction == "pca":
        from sklearn.decomposition import PCA  # noqa: PLC0415 - takes a second

        return np.asarray(PCA(components, svd_solver="full", random_state=density.seed).fit_transform(vectors))
    return _umap(vectors, components, density)


def _umap(vectors: Vectors, components: int, density: Density) -> NDArray[Any]:
    from umap import UMAP  # noqa: PLC0415 - takes seconds

    neighbours = min(density.neighbours, len(vectors) - 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = UMAP(
            n_components=components,
            n_neighbors=neighbours,
            min_dist=0.0,
            metric="cosine",
            random_state=density.seed,
            n_jobs=1,
            precomputed_knn=_neighbours(vectors, neighbours),
        )
        return np.asarray(made.fit_transform(vectors))


def _neighbours(vectors: Vectors, count: int) -> tuple[Any, Any, None]:
    """Exact nearest neighbours by cosine; (None, None, None) for so many points that UMAP's approximation is quicker.

    The approximation is compiled for half a minute at its first use.
    """
    if len(vectors) > _EXACT:
        return None, None, None
    from sklearn.neighbors import NearestNeighbors  # noqa: PLC0415 - takes a second

    search = NearestNeighbors(n_neighbors=count, metric="cosine", algorithm="brute").fit(vectors)
    distances, rows = search.kneighbors(vectors)
    return rows.astype(np.int32), distances.astype(np.float32), None


def clusters_of(vectors: Vectors, weights: Doubles, labels: Longs) -> list[Cluster]:
    """The clusters that `labels` [n] make of `vectors` [n, d], largest first, equal sizes by label; noise left out.

    >>> vectors = np.array([[1, 0], [0, 1], [9, 9]], dtype=np.float32)
    >>> [found] = clusters_of(vectors, np.array([1.0, 0.5, 1.0]), np.array([0, 0, -1]))
    >>> found.members.tolist(), found.centroid.round(3).tolist(), found.avg_weight
    ([0, 1], [0.6669999957084656, 0.3330000042915344], 0.75)
    """
    found = [_cluster(int(label), vectors, weights, labels) for label in np.unique(labels) if label != NOISE]
    return sorted(found, key=lambda cluster: (-len(cluster.members), cluster.label))


def _cluster(label: int, vectors: Vectors, weights: Doubles, labels: Longs) -> Cluster:
    members = np.flatnonzero(labels == label)
    centroid = np.average(vectors[members].astype(np.float64), axis=0, weights=weights[members])
    return Cluster(label, members, centroid.astype(np.float32), float(weights[members].mean()))


def unit(vectors: Vectors) -> Vectors:
    """Rows of length 1, float32 [n, d]; rows without length stay as they are."""
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)


def ready() -> None:
    """Import what clustering few points needs: most of a first run's time."""
    from sklearn.cluster import HDBSCAN  # noqa: F401, PLC0415 - takes a second
    from sklearn.decomposition import PCA  # noqa: F401, PLC0415


P = ParamSpec("P")
T = TypeVar("T")


class Worker:
    """One child process, started with the first piece of work and kept for the next; it ends with `close`.

    The child imports what the work needs by itself: it is spawned, not forked, since this process has threads.
    """

    def __init__(self) -> None:
        """Nothing is started yet."""
        self._lock = Lock()
        self._executor: ProcessPoolExecutor | None = None

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of `work(*args, **kwargs)`, computed in the child; work and arguments are pickled.

        A child that was killed is replaced, and the work done once more.
        """
        for last in (False, True):
            try:
                return await asyncio.wrap_future(await asyncio.to_thread(self._submit, partial(work, *args, **kwargs)))
            except BrokenProcessPool:
                await asyncio.to_thread(self.close)
                if last:
                    raise
        raise AssertionError("unreachable")

    def warm(self) -> None:
        """Start the child, where there is none, and let it import what clustering needs; returns at once."""
        if self._executor is None:
            Thread(target=self._submit, args=(ready,), daemon=True).start()

    def close(self) -> None:
        """End the child; it starts again when used again."""
        with self._lock:
            executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=True, cancel_futures=True)

    def _submit(self, work: Callable[[], T]) -> Future[T]:
        """Starts the child where there is none, which takes some milliseconds."""
        with self._lock:
            if self._executor is None:
                context = multiprocessing.get_context("spawn")
                self._executor = ProcessPoolExecutor(1, mp_context=context, initializer=_settle)
            return self._executor.submit(work)


def _settle() -> None:
    """In the child: let the process that serves go first, and end with it even where that one is killed."""
    if hasattr(os, "nice"):
        os.nice(5)
    end_with_parent()


def cosine_distances(vectors: ArrayLike, centroid: ArrayLike) -> Doubles:
    """1 - cosine of each row of `vectors` [n, d] to `centroid` [d], float64 [n], computed in double precision.

    A vector without length is at distance 1.

    >>> cosine_distances([[1, 0], [0, 2], [-1, 0]], [3, 0]).tolist()
    [0.0, 1.0, 2.0]
    """
    rows = np.atleast_2d(np.asarray(vectors, dtype=np.float64))
    target = np.asarray(centroid, dtype=np.float64)
    lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(target)
    cosines: Doubles = np.divide(rows @ target, lengths, out=np.zeros(len(rows)), where=lengths > 0)
    return 1.0 - cosines


def judge(candidate: ArrayLike, members: ArrayLike, centroid: ArrayLike) -> ValidationResult:
    """Judges whether `candidate` [d] is within mean + 0.5 * std (ddof 0) of the distances of `members` [n, d], n >= 1.

    >>> judge([1, 0], [[1, 0], [1, 0]], [1, 0]).valid
    True
    >>> judge([0, 1], [[1, 0], [1, 0]], [1, 0]).reason
    'Value too far from centroid (distance=1.000, threshold=0.000 [mean=0.000 + 0.5*std=0.000])'
    """
    distances = cosine_distances(members, centroid)
    distance = float(cosine_distances(candidate, centroid)[0])
    mean, std = float(distances.mean()), float(distances.std(ddof=0))
    threshold = mean + SPREAD * std
    valid = distance <= threshold + TOLERANCE
    reason = (
        f"Value too far from centroid (distance={distance:.3f}, "
        f"threshold={threshold:.3f} [mean={mean:.3f} + 0.5*std={std:.3f}])"
    )
    return ValidationResult(
        valid=valid,
        similarity=1.0 - distance if valid else None,
        reason=None if valid else reason,
        candidate_distance=distance,
        mean_distance=mean,
        std_distance=std,
        threshold=threshold,
    )
