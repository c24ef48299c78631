"""Memories searched by prototypes first, beside every member and beside all cosines: what is lost, what is saved."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clause.errors import BadInputError
from clause.evaluation.bench_loading import bench_scope
from clause.evaluation.bench_rows import OWNER
from clause.memory.config import MOST_CLUSTERS
from clause.memory.models import MemoryReadInput, MemoryWriteInput
from clause.memory.room import Memory

Floats = NDArray[np.float32]
QUERIES = 300
_AT_ONCE = 2_000
_WARM_UP = 20
_SAME = 1e-6


class Found(NamedTuple):
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
    kept: NDArray[np.int64]
    places: Mapping[str, int]
    k: int

    async def all(self, drawn: Sequence[int]) -> dict[str, Any]:
        """The figures of each way, and what prototypes first lose and save against every member."""
        stored = self.vectors[self.kept]
        for place in drawn[:_WARM_UP]:
            await self._read(place, 1.0, members=False)
            await self._read(place, 1.0, members=True)
        told: dict[str, list[Found]] = {"prototypes_first": [], "every_member": [], "numpy": []}
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

    def _exact(self, stored: Floats, place: int) -> tuple[Found, float]:
        """The k nearest by all cosines, and the least cosine among them."""
        started = time.perf_counter()
        scores = stored @ self.vectors[place]
        best = np.argpartition(scores, -self.k)[-self.k :]
        took_ms = (time.perf_counter() - started) * 1000
        return Found(1.0, self._share(self.kept[best], place), took_ms), float(scores[best].min()) - _SAME

    async def _read(self, place: int, least: float, *, members: bool) -> Found:
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
        return Found(near / self.k, self._share(those, place), took_ms)

    def _share(self, those: NDArray[np.int64], place: int) -> float:
        """The share of texts that have the label of the text at `place`."""
        return float((self.labels[those] == self.labels[place]).mean()) if len(those) else 0.0


def _figures(rows: Sequence[Found]) -> dict[str, float]:
    recall, label, _ = np.mean(rows, axis=0)
    p50, p95 = np.percentile([row.took_ms for row in rows], [50, 95])
    return {
        "recall": round(float(recall), 4),
        "label": round(float(label), 4),
        "p50_ms": round(float(p50), 2),
        "p95_ms": round(float(p95), 2),
    }
