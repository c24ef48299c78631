"""How texts with known labels are clustered: by our sequential joining, HDBSCAN, and k-means with the true k."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clause.errors import BadInputError
from clause.memory.assignment import assign
from clause.memory.statistics import silhouette
from clause.text.embedder import Embedder
from clause.values.clustering import NOISE, Density, labels_of, unit

Floats = NDArray[np.float32]
Labels = NDArray[np.int64]

THRESHOLD = 0.85
"""The cosine above which the seed joins a memory to a cluster."""

COMPRESSION = 4.0
"""What the calibrated threshold is looked for: the middle of the seed's 3 to 5."""

_HALVINGS = 12


def read_texts(path: Path) -> tuple[list[str], list[str]]:
    """Texts and labels of a file of lines `text<TAB>label`, plain or .gz; a first line `text<TAB>label` is a heading.

    Raises:
        BadInputError: a line has no label, or there are fewer than two.
    """
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        lines = [line.rstrip("\r\n") for line in file]
    rows = [line.rpartition("\t") for line in lines if line.strip()]
    if rows and rows[0][0].casefold() == "text":
        rows = rows[1:]
    for number, (text, tab, label) in enumerate(rows, start=1):
        if not (tab and text.strip() and label.strip()):
            raise BadInputError(f"{path.name}: text {number} has no label", field="texts", bound="text<TAB>label")
    if len(rows) < 2:
        raise BadInputError(f"{path.name} holds {len(rows)} texts", field="texts", bound="at least 2")
    return [text for text, _, _ in rows], [label for _, _, label in rows]


def sample_published(name: str, path: Path, per_label: int, seed: int) -> list[tuple[str, str]]:
    """Texts with labels drawn from a published train part: `per_label` of each label, shuffled; both by `seed`.

    `banking77` reads its train.csv (text, category), `clinc150` its train.tsv (intent, text); plain or .gz.

    Raises:
        BadInputError: no set has this name.
    """
    readers: Mapping[str, Callable[[Path], list[tuple[str, str]]]] = {"banking77": _banking, "clinc150": _clinc}
    if name not in readers:
        raise BadInputError(f"no set is called {name!r}", field="name", bound=" or ".join(readers))
    by_label: dict[str, list[str]] = {}
    for text, label in readers[name](path):
        by_label.setdefault(label, []).append(" ".join(text.split()))
    draw = Random(seed)  # noqa: S311 - a sample, not a secret
    drawn = [
        (text, label)
        for label in sorted(by_label)
        for text in draw.sample(by_label[label], min(per_label, len(by_label[label])))
    ]
    draw.shuffle(drawn)
    return drawn


async def evaluate_clustering(
    texts: Sequence[str],
    labels: Sequence[str],
    embedder: Embedder,
    *,
    density: Density | None = None,
    compression: float = COMPRESSION,
    seed: int = 0,
) -> dict[str, Any]:
    """The figures of each way to cluster, by its name; `n`, `labels` and `embedding_s` beside.

    Args:
        texts, labels: what is clustered, in the order of its arrival, and what belongs together.
        embedder: gives the vectors.
        density: HDBSCAN's; the service's own by default.
        compression: what the calibrated threshold is looked for.
        seed: of k-means.
    """
    started = perf_counter()
    vectors = unit(await embedder.embed(texts))
    spent = perf_counter() - started
    true = np.unique(np.asarray(labels), return_inverse=True)[1].astype(np.int64)
    threshold = calibrated_threshold(vectors, compression)
    density = density or Density()
    count = len(set(labels))
    ways: dict[str, tuple[dict[str, Any], Callable[[], Labels]]] = {
        f"ours_{THRESHOLD}": ({"threshold": THRESHOLD}, lambda: joined(vectors, THRESHOLD)),
        "ours_calibrated": ({"threshold": threshold}, lambda: joined(vectors, threshold)),
        "hdbscan": ({"reduction": str(density)}, lambda: labels_of(vectors, density)),
        "kmeans": ({"k": count}, lambda: _kmeans(vectors, count, seed)),
    }
    systems = {name: about | _measured(way, vectors, true) for name, (about, way) in ways.items()}
    return {"n": len(texts), "labels": count, "embedding_s": round(spent, 2), "systems": systems}


def joined(vectors: Floats, threshold: float) -> Labels:
    """The cluster of each of `vectors` [n, d] when one after the other joins the nearest above `threshold`.

    >>> joined(np.eye(2, dtype=np.float32)[[0, 1, 0]], 0.85).tolist()
    [0, 1, 0]
    """
    labels = np.empty(len(vectors), dtype=np.int64)
    for label, group in enumerate(assign(vectors, [], threshold)):
        labels[[place for place, _ in group.members]] = label
    return labels


def calibrated_threshold(vectors: Floats, compression: float = COMPRESSION) -> float:
    """The threshold at which sequential joining makes n / `compression` clusters of `vectors` [n, d], by bisection."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        reached = len(vectors) / (int(joined(vectors, middle).max()) + 1)
        low, high = (middle, high) if reached > compression else (low, middle)
    return round((low + high) / 2, 4)


def figures(vectors: Floats, found: Labels, true: Labels) -> dict[str, Any]:
    """How well clusters `found` [n] agree with labels `true` [n], and how tight they are.

    Texts that were found to be noise stay alone: each counts as a cluster in `compression`, belongs to one class of its
    own in `adjusted_rand` (Hubert and Arabie, 1985), is never pure, and is left out of silhouette and prototype cosine.
    """
    from sklearn.metrics import adjusted_rand_score  # noqa: PLC0415 - takes a second

    kept = found != NOISE
    clusters, noise = len(np.unique(found[kept])), int((~kept).sum())
    return {
        "clusters": clusters,
        "noise": noise,
        "compression": len(found) / max(clusters + noise, 1),
        "silhouette": silhouette(vectors[kept], found[kept]) if clusters > 1 else None,
        "prototype_cosine": prototype_cosine(vectors[kept], found[kept]) if clusters else None,
        "adjusted_rand": float(adjusted_rand_score(true, found)),
        "purity": purity(found, true),
    }


def purity(found: Labels, true: Labels) -> float:
    """The share of texts that carry the commonest label of their cluster; noise counts as wrong.

    >>> purity(np.array([0, 0, 0, -1]), np.array([1, 1, 2, 1]))
    0.5
    """
    commonest = sum(int(np.bincount(true[found == label]).max()) for label in np.unique(found) if label != NOISE)
    return commonest / len(found)


def prototype_cosine(vectors: Floats, found: Labels) -> float:
    """The mean cosine of `vectors` [n, d] to the mean of their clusters.

    >>> prototype_cosine(np.eye(2, dtype=np.float32), np.array([0, 1]))
    1.0
    """
    _, places = np.unique(found, return_inverse=True)
    sums = np.zeros((places.max() + 1, vectors.shape[1]))
    np.add.at(sums, places, vectors)
    sums /= np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
    return float((vectors * sums[places]).sum(axis=1).mean())


def _measured(way: Callable[[], Labels], vectors: Floats, true: Labels) -> dict[str, Any]:
    started = perf_counter()
    found = way()
    seconds = perf_counter() - started
    told = figures(vectors, found, true) | {"seconds": seconds}
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in told.items()}


def _kmeans(vectors: Floats, count: int, seed: int) -> Labels:
    from sklearn.cluster import KMeans  # noqa: PLC0415 - takes a second

    return np.asarray(KMeans(count, n_init=3, random_state=seed).fit_predict(vectors), dtype=np.int64)


def _banking(path: Path) -> list[tuple[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") if path.suffix == ".gz" else path.open(newline="") as file:
        return [(row["text"], row["category"]) for row in csv.DictReader(file)]


def _clinc(path: Path) -> list[tuple[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        rows = [line.rstrip("\r\n").split("\t", 1) for line in file if "\t" in line]
    return [(text, intent) for intent, text in rows if (intent, text) != ("intent", "text")]
