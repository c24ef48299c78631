"""Room in a scope that holds as many clusters as it may: the closest pairs of open clusters become one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clause.graph.runner import Graph
from clause.memory.config import MOST_CLUSTERS

Floats = NDArray[np.float32]
_BLOCK = 1024


async def merge_closest(graph: Graph, scope: str, pairs: int, dimension: int) -> int:
    """Merge the `pairs` closest pairs of open clusters, the later of each into the earlier; how many were merged.

    A cluster that another writer changed meanwhile is left as it is.
    """
    rows = await graph.run("memory/open_prototypes", scope=scope, dimension=dimension, limit=MOST_CLUSTERS)
    if len(rows) < 2:
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
