"""Returns, advantages, losses and value normalisation, head by head; gamma is 1, costs are undiscounted sums
(policy.md).

Heads: task, edge, latency, token, chance. Axes: T decisions of one episode in order, H heads.

As in Yu et al., The Surprising Effectiveness of PPO in Cooperative Multi-Agent Games (MAPPO), appendix: exponential
averages with their bias removed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from clause.arrays import Doubles

HEADS = ("task", "edge", "latency", "token", "chance")


def td_lambda(rewards: Doubles, values: Doubles, decay: float, *, bootstrap: Doubles | None = None) -> Doubles:
    """TD(lambda) returns [T, H] of one episode.

    G_t = r_t + (1 - decay) V_(t+1) + decay G_(t+1). Behind the last decision an episode that *terminated* is worth
    nothing; one that was *truncated* is worth `bootstrap` [H].

    Args:
        rewards: what each decision brought or cost [T, H].
        values: the value before each decision [T, H].
        decay: lambda in [0, 1]; 1 is the plain sum.
        bootstrap: the value behind a truncation; None: the episode terminated.
    """
    returns: Doubles = np.zeros_like(rewards)
    after: Doubles = np.zeros(rewards.shape[1]) if bootstrap is None else bootstrap
    following, next_value = after, after
    for t in range(len(rewards) - 1, -1, -1):
        following = rewards[t] + (1 - decay) * next_value + decay * following
        returns[t] = following
        next_value = values[t]
    return returns


def constrained(advantages: Doubles, multipliers: Doubles, typical: Doubles | None = None) -> Doubles:
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
    combined: Doubles = priced / (1 + (multipliers if typical is None else multipliers * typical).sum(axis=1))
    return combined


def penalised(rewards: Doubles, multipliers: Doubles) -> Doubles:
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


def standardised(combined: Sequence[float]) -> Doubles:
    """Advantages of a batch with mean 0 and deviation 1.

    >>> standardised([1.0, 3.0]).round(3).tolist()
    [-1.0, 1.0]
    """
    values = np.asarray(combined, dtype=np.float64)
    scaled: Doubles = (values - values.mean()) / (values.std() + 1e-6)
    return scaled


class ValueNorm(nn.Module):
    """Running mean and deviation of H heads.

    >>> norm = ValueNorm(1)
    >>> norm.update(torch.tensor([[1.0], [3.0]]))
    >>> norm.normalise(torch.tensor([[2.0]])).tolist()
    [[0.0]]
    """

    def __init__(self, heads: int, decay: float = 0.99) -> None:
        super().__init__()
        self.decay = decay
        self.register_buffer("mean", torch.zeros(heads))
        self.register_buffer("square", torch.zeros(heads))
        self.register_buffer("weight", torch.zeros(()))

    @torch.no_grad()
    def update(self, targets: Tensor) -> None:
        """Take in targets [D, H]."""
        kept, taken = self.decay, 1 - self.decay
        self.mean: Tensor = kept * self.mean + taken * targets.mean(dim=0)
        self.square: Tensor = kept * self.square + taken * targets.square().mean(dim=0)
        self.weight: Tensor = kept * self.weight + taken

    def normalise(self, targets: Tensor) -> Tensor:
        """Targets [D, H] in units of their deviation."""
        mean, deviation = self._moments()
        return (targets - mean) / deviation

    def restore(self, values: Tensor) -> Tensor:
        """The inverse of `normalise`."""
        mean, deviation = self._moments()
        return values * deviation + mean

    def _moments(self) -> tuple[Tensor, Tensor]:
        weight = self.weight.clamp(min=1e-5)
        mean = self.mean / weight
        variance = (self.square / weight - mean.square()).clamp(min=1e-4)
        return mean, variance.sqrt()


def clipped_surrogate(new: Tensor, old: Tensor, advantage: Tensor, clip: float) -> Tensor:
    """PPO's clipped objective, to be minimised (Schulman et al. 2017, equation 7).

    Args:
        new, old: log-probabilities of what was chosen, now and when it was chosen [D].
        advantage: [D].
        clip: how far the ratio may move from 1 before its gradient stops; usually 0.1 to 0.3.
    """
    ratio = (new - old).clamp(-20, 20).exp()
    return -torch.minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage).mean()


def value_loss(predicted: Tensor, target: Tensor) -> Tensor:
    """Huber loss of normalised values, over all heads."""
    return functional.smooth_l1_loss(predicted, target)


def approximate_kl(new: Tensor, old: Tensor) -> Tensor:
    """The estimate r - 1 - log r of KL(old || new) (Schulman, Approximating KL Divergence, 2020)."""
    difference = new - old
    return (difference.exp() - 1 - difference).mean()
