"""Causes in the ranking of a bundle's edges: a bounded say beside the network's own (intelligence.md, Causal).

Ours: the published policy knows no causes. The network's inputs stay what it was trained on; only among the edges that
it ranks best, those that share a cause or an effect with the seed change places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from clause.reasoning.scoring import step_score

Floats = NDArray[np.float32]
CONSIDERED = 16
"""Edges of one ranking whose causal scores are looked at: the network's best."""

OfEnd = Callable[[str], float | None]
"""The causal score in [0, 1] of a hop to an end node; None where nothing causal is known of it."""


def by_causes(ranks: Floats, ends: Sequence[str], of_end: OfEnd) -> Floats:
    """Ranks [m] of edges to `ends` in which the first CONSIDERED are put in a new order; only the order means anything.

    Each is scored as the heuristic scores a step: 0.7 of the network's preference (the sigmoid of its rank above their
    mean, as in a pairwise choice) + 0.3 of the causal score; the preference alone where that is unknown. Where it is
    unknown of all of them the ranks come back as they were.

    >>> by_causes(np.zeros(3, dtype=np.float32), ["a", "b", "c"], {"a": 0.2, "b": 0.9}.get).argsort().tolist()
    [0, 2, 1]
    """
    best = np.argsort(-ranks, kind="stable")[:CONSIDERED]
    causal = [of_end(ends[place]) for place in best.tolist()]
    if all(score is None for score in causal):
        return ranks
    own = ranks[best].astype(np.float64)
    preferences = 1 / (1 + np.exp(own.mean() - own))
    scores = [step_score(one, score) for one, score in zip(preferences.tolist(), causal, strict=True)]
    order = np.argsort(-np.array(scores), kind="stable")
    changed = ranks.copy()
    changed[best[order]] = own.max() + np.arange(len(best), 0, -1)
    return changed
