"""Clusters of labelled texts measured, and the search that asks prototypes first.

The search stands beside every member and beside all cosines: what is lost, and what is saved.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clause.arrays import Floats, Longs
from clause.errors import BadInputError
from clause.ingest.source import open_text
from clause.lab.bench.loading import bench_scope
from clause.lab.bench.reasoning import OWNER
from clause.memory.cluster import assign
from clause.memory.models import MOST_CLUSTERS, MemoryReadInput, MemoryWriteInput
from clause.memory.room import Memory
from clause.memory.statistics import silhouette
from clause.text.embedder import Embedder
from clause.values.clustering import NOISE, Density, labels_of, unit

THRESHOLD = 0.85
"""The cosine above which the seed joins a memory to a cluster."""

COMPRESSION = 4.0
"""The compression that the calibrated threshold is looked for: the middle of the seed's 3 to 5."""

_HALVINGS = 12


def read_texts(path: Path) -> tuple[list[str], list[str]]:
    """Texts and labels of a file of lines `text<TAB>label`, plain or .gz; a first line `text<TAB>label` is a heading.

    Raises:
        BadInputError: a line has no label, or there are fewer than two.
    """
    with open_text(path) as file:
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
    ways: dict[str, tuple[dict[str, Any], Callable[[], Longs]]] = {
        f"ours_{THRESHOLD}": ({"threshold": THRESHOLD}, lambda: joined(vectors, THRESHOLD)),
        "ours_calibrated": ({"threshold": threshold}, lambda: joined(vectors, threshold)),
        "hdbscan": ({"reduction": str(density)}, lambda: labels_of(vectors, density)),
        "kmeans": ({"k": count}, lambda: _kmeans(vectors, count, seed)),
    }
    systems = {name: about | _measured(way, vectors, true) for name, (about, way) in ways.items()}
    return {"n": len(texts), "labels": count, "embedding_s": round(spent, 2), "systems": systems}


def joined(vectors: Floats, threshold: float) -> Longs:
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


def figures(vectors: Floats, found: Longs, true: Longs) -> dict[str, Any]:
    """Measures the agreement of clusters `found` [n] with labels `true` [n], and their tightness.

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


def purity(found: Longs, true: Longs) -> float:
    """The share of texts that carry the commonest label of their cluster; noise counts as wrong.

    >>> purity(np.array([0, 0, 0, -1]), np.array([1, 1, 2, 1]))
    0.5
    """
    commonest = sum(int(np.bincount(true[found == label]).max()) for label in np.unique(found) if label != NOISE)
    return commonest / len(found)


def prototype_cosine(vectors: Floats, found: Longs) -> float:
    """The mean cosine of `vectors` [n, d] to the mean of their clusters.

    >>> prototype_cosine(np.eye(2, dtype=np.float32), np.array([0, 1]))
    1.0
    """
    _, places = np.unique(found, return_inverse=True)
    sums = np.zeros((places.max() + 1, vectors.shape[1]))
    np.add.at(sums, places, vectors)
    sums /= np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
    return float((vectors * sums[places]).sum(axis=1).mean())


def _measured(way: Callable[[], Longs], vectors: Floats, true: Longs) -> dict[str, Any]:
    started = perf_counter()
    found = way()
    seconds = perf_counter() - started
    told = figures(vectors, found, true) | {"seconds": seconds}
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in told.items()}


def _kmeans(vectors: Floats, count: int, seed: int) -> Longs:
    from sklearn.cluster import KMeans  # noqa: PLC0415 - takes a second

    return np.asarray(KMeans(count, n_init=3, random_state=seed).fit_predict(vectors), dtype=np.int64)


def _banking(path: Path) -> list[tuple[str, str]]:
    with open_text(path) as file:
        return [(row["text"], row["category"]) for row in csv.DictReader(file)]


def _clinc(path: Path) -> list[tuple[str, str]]:
    with open_text(path) as file:
        rows = [line.rstrip("\r\n").split("\t", 1) for line in file if "\t" in line]
    return [(text, intent) for intent, text in rows if (intent, text) != ("intent", "text")]


QUERIES = 300
_AT_ONCE = 2_000
_WARM_UP = 20
_SAME = 1e-6


class SearchFigures(NamedTuple):
    """One search: the share of the k nearest that it found, the share of its finds that has the label, and its time."""

    recall: float
    label: float
    took_ms: float


async def search_study(
    memory: Memory,
    texts: Sequence[str],
    labels: Sequence[str],
    vectors: Floats,
    *,
    threshold: float,
    queries: int = QUERIES,
    k: int = 5,
    seed: int = 0,
) -> dict[str, Any]:
    """Recall@k and milliseconds of each way to search, for texts that are not stored; in a scope that is erased.

    All texts but `queries` drawn ones become memories that join above `threshold`, one pass consolidates them, then
    each drawn text is searched for in one way after the other. `recall` is the share of the k nearest memories by all
    cosines that were found, `label` the share of what was found that has the query's label. The clock stands still,
    so that age decides nothing.

    Args:
        memory: the room.
        texts, labels: what is remembered and searched for.
        vectors: of the texts, unit vectors [n, d].
        threshold: the cosine above which a memory joins a cluster.
        queries, k, seed: of the search and of the draw.

    Raises:
        BadInputError: fewer than k texts would be left to search.
    """
    if len(texts) - queries < k:
        raise BadInputError(
            f"{len(texts)} texts leave too few to search", field="queries", bound=f"at most {len(texts) - k}"
        )
    at = memory.ground.now()
    changes = {"similarity_threshold": threshold, "max_clusters": MOST_CLUSTERS}
    config = memory.store.config.model_copy(update=changes)
    room = Memory.open(replace(memory.ground, now=lambda: at), config)
    drawn = np.random.default_rng(seed).permutation(len(texts))[:queries]
    kept = np.setdiff1d(np.arange(len(texts)), drawn)
    async with bench_scope(room.ground.graph, "kg:bench-search") as scope:
        places = await _stored(room, scope, texts, vectors, kept.tolist())
        report = await room.consolidation.run(scope, caller=OWNER)
        stats = await room.store.stats(caller=OWNER, scopes=[scope])
        ways = await _Searches(room, scope, vectors, np.asarray(labels), kept, places, k).all(drawn.tolist())
    return {
        "memories": stats.memories,
        "clusters": stats.clusters,
        "compression": round(stats.compression, 2),
        "consolidated": report.consolidated,
        "threshold": threshold,
        "queries": queries,
        "k": k,
        **ways,
    }


async def _stored(
    room: Memory, scope: str, texts: Sequence[str], vectors: Floats, kept: Sequence[int]
) -> dict[str, int]:
    """The place of each memory by its id."""
    places: dict[str, int] = {}
    for start in range(0, len(kept), _AT_ONCE):
        part = kept[start : start + _AT_ONCE]
        requests = [
            MemoryWriteInput(content=texts[place], scope=scope, embedding=vectors[place].tolist()) for place in part
        ]
        found = await room.store.write_batch(requests, caller=OWNER)
        places.update((one.memory_id, place) for one, place in zip(found, part, strict=True))
    return places


@dataclass(frozen=True)
class _Searches:
    """Searches among the memories of a scope.

    Attributes:
        room, scope: where they are.
        vectors, labels: of all texts, [n, d] and [n].
        kept: places of the stored texts, ascending.
        places: the place of each memory by its id.
        k: how many are searched for.
    """

    room: Memory
    scope: str
    vectors: Floats
    labels: NDArray[Any]
    kept: Longs
    places: Mapping[str, int]
    k: int

    async def all(self, drawn: Sequence[int]) -> dict[str, Any]:
        """The figures of each way, and what prototypes first lose and save against every member."""
        stored = self.vectors[self.kept]
        for place in drawn[:_WARM_UP]:
            await self._read(place, 1.0, members=False)
            await self._read(place, 1.0, members=True)
        told: dict[str, list[SearchFigures]] = {"prototypes_first": [], "every_member": [], "numpy": []}
        for place in drawn:
            exact, least = self._exact(stored, place)
            told["numpy"].append(exact)
            told["prototypes_first"].append(await self._read(place, least, members=False))
            told["every_member"].append(await self._read(place, least, members=True))
        ways = {name: _figures(rows) for name, rows in told.items()}
        first, every = ways["prototypes_first"], ways["every_member"]
        return {
            "ways": ways,
            "points_lost": round(100 * (every["recall"] - first["recall"]), 2),
            "p50_ratio": round(first["p50_ms"] / every["p50_ms"], 2),
        }

    def _exact(self, stored: Floats, place: int) -> tuple[SearchFigures, float]:
        """The k nearest by all cosines, and the least cosine among them."""
        started = time.perf_counter()
        scores = stored @ self.vectors[place]
        best = np.argpartition(scores, -self.k)[-self.k :]
        took_ms = (time.perf_counter() - started) * 1000
        return SearchFigures(1.0, self._share(self.kept[best], place), took_ms), float(scores[best].min()) - _SAME

    async def _read(self, place: int, least: float, *, members: bool) -> SearchFigures:
        request = MemoryReadInput(
            embedding=self.vectors[place].tolist(),
            k=self.k,
            search_mode="dense",
            search_members=members,
            include_embeddings=False,
        )
        started = time.perf_counter()
        found = await self.room.store.recall.read(request, [self.scope])
        took_ms = (time.perf_counter() - started) * 1000
        those = np.array([self.places[one.memory_id] for one in found], dtype=np.int64)
        near = int((self.vectors[those] @ self.vectors[place] >= least).sum())
        return SearchFigures(near / self.k, self._share(those, place), took_ms)

    def _share(self, those: Longs, place: int) -> float:
        """The share of texts that have the label of the text at `place`."""
        return float((self.labels[those] == self.labels[place]).mean()) if len(those) else 0.0


def _figures(rows: Sequence[SearchFigures]) -> dict[str, float]:
    recall, label, _ = np.mean(rows, axis=0)
    p50, p95 = np.percentile([row.took_ms for row in rows], [50, 95])
    return {
        "recall": round(float(recall), 4),
        "label": round(float(label), 4),
        "p50_ms": round(float(p50), 2),
        "p95_ms": round(float(p95), 2),
    }
