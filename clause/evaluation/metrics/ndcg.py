"""Normalised discounted cumulative gain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2


def ndcg(ranked: Sequence[str], gains: Mapping[str, float], k: int | None = None) -> float:
    """DCG of the first `k` over the best DCG possible: sum of gain / log2(rank + 1), linear gain, rank from 1.

    `gains` holds the relevance (0 or more) of each item that has one; `k` is all of them by default. 1 where no item
    has a gain above 0. Järvelin and Kekäläinen, ACM TOIS 20(4), 2002.

    >>> round(ndcg(["a", "b"], {"b": 1.0}), 4)
    0.6309
    """
    cut = max(len(ranked), len(gains)) if k is None else k
    ideal = _dcg(sorted(gains.values(), reverse=True)[:cut])
    if ideal == 0:
        return 1.0
    return _dcg([gains.get(item, 0.0) for item in ranked[:cut]]) / ideal


def _dcg(gains: Sequence[float]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))
