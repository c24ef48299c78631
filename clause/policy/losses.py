"""Losses as pure functions of tensors. Axis: D decisions."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


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
