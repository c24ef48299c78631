"""What the Navigator may do next, as actions beside their features; the first option is always STOP."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from clause.policy.observations import NAVIGATOR_OPTION
from clause.policy.tree import PlanTree
from clause.reasoning.actions import Backtrack, Continue
from clause.reasoning.episode import Episode
from clause.reasoning.neighbourhood import Hop

Floats = NDArray[np.float32]


def walks(
    episode: Episode, tree: PlanTree, log_probabilities: Mapping[Hop | None, float]
) -> tuple[Floats, list[Continue | Backtrack]]:
    """The Navigator's options; `log_probabilities` are those of the next hop here, None standing for STOP."""
    depth = len(episode.trail)
    at_answers = float(depth == len(tree.pattern))
    exceeds = float(episode.spend.steps >= episode.budgets.steps)
    rows = [[1.0, 0.0, _clipped(log_probabilities.get(None)), at_answers, at_answers, 0.0]]
    actions: list[Continue | Backtrack] = []
    for seed, hop in sorted(episode.hops()):
        follows = seed == tree.seed and depth < len(tree.pattern) and tree.pattern[depth] == hop
        rows.append([0.0, 0.0, _clipped(log_probabilities.get(hop)), float(follows), at_answers, exceeds])
        actions.append(Continue(hop, seed=seed))
    if episode.trail and episode.may_walk():
        rows.append([0.0, 1.0, 0.0, 0.0, at_answers, exceeds])
        actions.append(Backtrack())
    return np.array(rows, dtype=np.float32).reshape(-1, len(NAVIGATOR_OPTION)), actions


def _clipped(log_probability: float | None) -> float:
    return -2.0 if log_probability is None else max(-2.0, log_probability / 5)
