"""Recall of the first k."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def recall_at_k(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Share of `relevant` among the first `k` of `ranked`; 1 where nothing is relevant.

    >>> recall_at_k(["a", "b", "c"], {"a", "c"}, k=2)
    0.5
    """
    wanted = set(relevant)
    if not wanted:
        return 1.0
    return len(wanted.intersection(ranked[:k])) / len(wanted)
