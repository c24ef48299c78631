"""A running normaliser for the critic's targets, one mean and deviation for each head.

As in Yu et al., The Surprising Effectiveness of PPO in Cooperative Multi-Agent Games (MAPPO), appendix: exponential
averages with their bias removed.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


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
