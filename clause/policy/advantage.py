"""Returns and advantages, head by head; gamma is 1, costs are undiscounted sums (policy.md).

Heads: task, edge, latency, token, chance. Axes: T decisions of one episode in order, H heads.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

HEADS = ("task", "edge", "latency", "token", "chance")

Floats = NDArray[np.float64]


def td_lambda(rewards: Floats, values: Floats, decay: float, *, bootstrap: Floats | None = None) -> Floats:
    """TD(lambda) returns [T, H] of one episode.

    G_t = r_t + (1 - decay) V_(t+1) + decay G_(t+1). Behind the last decision an episode that *terminated* is worth
    nothing; one that was *truncated* is worth `bootstrap` [H].

    Args:
        rewards: what each decision brought or cost [T, H].
        values: the value before each decision [T, H].
        decay: lambda in [0, 1]; 1 is the plain sum.
        bootstrap: the value behind a truncation; None: the episode terminated.
    """
    returns: Floats = np.zeros_like(rewards)
    after: Floats = np.zeros(rewards.shape[1]) if bootstrap is None else bootstrap
    following, next_value = after, after
    for t in range(len(rewards) - 1, -1, -1):
        following = rewards[t] + (1 - decay) * next_value + decay * following
        returns[t] = following
        next_value = values[t]
    return returns


def constrained(advantages: Floats, multipliers: Floats, typical: Floats | None = None) -> Floats:
    """One advantage from the heads': (A_task - sum_k lambda_k A_k - mu A_chance) / (1 + sum of multipliers).

    Args:
        advantages: [T, 5] in the order of HEADS.
        multipliers: [T, 4] of edge, latency, token and chance.
        typical: what the costs are expected to be [4]; each multiplier counts that often in the divisor, 1 by default.
            Prices weigh what is a small share of generous limits with large multipliers, and would vanish otherwise.

    >>> constrained(np.array([[1.0, 0.5, 0.0, 0.0, 0.0]]), np.array([[1.0, 0.0, 0.0, 0.0]])).tolist()
    [0.25]
    """
    priced = advantages[:, 0] - (multipliers * advantages[:, 1:]).sum(axis=1)
    combined: Floats = priced / (1 + (multipliers if typical is None else multipliers * typical).sum(axis=1))
    return combined


def penalised(rewards: Floats, multipliers: Floats) -> Floats:
    """RCPO's reward (Tessler et al., Reward Constrained Policy Optimization, 2019): the task's less the weighed costs.

    Args:
        rewards: [T, 5] in the order of HEADS; all but the task's stay as they are.
        multipliers: [4] of edge, latency, token and chance.

    >>> penalised(np.array([[1.0, 0.5, 0.0, 0.0, 0.0]]), np.array([1.0, 0.0, 0.0, 0.0]))[0].tolist()
    [0.25, 0.5, 0.0, 0.0, 0.0]
    """
    priced = rewards.copy()
    priced[:, 0] = (rewards[:, 0] - rewards[:, 1:] @ multipliers) / (1 + multipliers.sum())
    return priced


def standardised(combined: Sequence[float]) -> Floats:
    """Advantages of a batch with mean 0 and deviation 1.

    >>> standardised([1.0, 3.0]).round(3).tolist()
    [-1.0, 1.0]
    """
    values = np.asarray(combined, dtype=np.float64)
    scaled: Floats = (values - values.mean()) / (values.std() + 1e-6)
    return scaled
