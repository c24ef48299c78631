"""Density clusters of unit vectors: HDBSCAN after a reduction of dimensions. Pure arithmetic, for a process of its own.

Straight on 384 dimensions HDBSCAN leaves a third of short texts as noise and lumps the rest (docs/decisions/0010).
Only labels come from the reduced space: centroids, membership distances and validation stay in the full one.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Reduction = Literal["umap", "pca", "none"]
Vectors = NDArray[np.float32]

NOISE = -1
MIN_CLUSTER_SIZE = 5
MIN_SAMPLES = 3
_EXACT = 10_000


@dataclass(frozen=True)
class Density:
    """How clusters are looked for.

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
    members: NDArray[np.int64]
    centroid: Vectors
    avg_weight: float


def labels_of(vectors: Vectors, density: Density) -> NDArray[np.int64]:
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


def clusters_of(vectors: Vectors, weights: NDArray[np.float64], labels: NDArray[np.int64]) -> list[Cluster]:
    """The clusters that `labels` [n] make of `vectors` [n, d], largest first, equal sizes by label; noise left out.

    >>> vectors = np.array([[1, 0], [0, 1], [9, 9]], dtype=np.float32)
    >>> [found] = clusters_of(vectors, np.array([1.0, 0.5, 1.0]), np.array([0, 0, -1]))
    >>> found.members.tolist(), found.centroid.round(3).tolist(), found.avg_weight
    ([0, 1], [0.6669999957084656, 0.3330000042915344], 0.75)
    """
    found = [_cluster(int(label), vectors, weights, labels) for label in np.unique(labels) if label != NOISE]
    return sorted(found, key=lambda cluster: (-len(cluster.members), cluster.label))


def _cluster(label: int, vectors: Vectors, weights: NDArray[np.float64], labels: NDArray[np.int64]) -> Cluster:
    members = np.flatnonzero(labels == label)
    centroid = np.average(vectors[members].astype(np.float64), axis=0, weights=weights[members])
    return Cluster(label, members, centroid.astype(np.float32), float(weights[members].mean()))


def unit(vectors: Vectors) -> Vectors:
    """Rows of length 1, float32 [n, d]; rows without length stay as they are."""
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
