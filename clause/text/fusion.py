"""Weighted reciprocal rank fusion: several rankings of the same things become one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

RANK_CONSTANT = 60


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[str]], weights: Sequence[float] | None = None, k: int = RANK_CONSTANT
) -> list[tuple[str, float]]:
    """Ids with their fused score, best first, equal scores by id.

    The score is the sum over rankings of weight / (k + rank), rank from 1 (Cormack, Clarke, Buettcher, SIGIR 2009).
    An id that a ranking names twice counts there at its first place only.

    Raises:
        ValueError: the number of weights is not the number of rankings, or a weight is negative.

    >>> [name for name, _ in reciprocal_rank_fusion([["a", "b"], ["b", "c"]])]
    ['b', 'a', 'c']
    >>> reciprocal_rank_fusion([["a"]], weights=[61.0])
    [('a', 1.0)]
    """
    weights = [1.0] * len(rankings) if weights is None else weights
    if len(weights) != len(rankings):
        raise ValueError(f"{len(weights)} weights for {len(rankings)} rankings")
    if any(weight < 0 for weight in weights):
        raise ValueError("weights are not negative")
    scores: defaultdict[str, float] = defaultdict(float)
    for ranking, weight in zip(rankings, weights, strict=True):
        for rank, name in enumerate(dict.fromkeys(ranking), start=1):
            scores[name] += weight / (k + rank)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))
