"""The agents' networks in torch: what training updates and `perceptron` serves."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from clause.policy.observations import ARCHITECT_OPTION, CONTEXT, CURATOR_OPTION, EDGE, MASKED, NAVIGATOR_OPTION

WIDTHS = {
    "architect": len(ARCHITECT_OPTION),
    "edges": len(EDGE),
    "navigator": len(NAVIGATOR_OPTION),
    "curator": len(CURATOR_OPTION),
}


class OptionNetwork(nn.Module):
    """Keys [n, H] of options from their features [n, F] and their decision's context, and a logit from each key.

    The first layer has weights of its own for decisions under masks, added to those for all (decision 15).
    """

    def __init__(self, features: int, context: int, hidden: int) -> None:
        super().__init__()
        self.by_option = nn.Linear(2 * features, hidden, bias=False)
        self.by_context = nn.Linear(2 * context, hidden)
        self.second = nn.Linear(hidden, hidden)
        self.logit = nn.Linear(hidden, 1, bias=False)
        nn.init.zeros_(self.logit.weight)

    def keys(self, options: Tensor, context: Tensor, owner: Tensor) -> Tensor:
        """Keys of options; `context` [D, C] is of the decisions, `owner` [n] says whose option each is."""
        masked = context[:, MASKED, None]
        seen = self.by_option(_twice(options, masked[owner])) + self.by_context(_twice(context, masked))[owner]
        hidden = torch.tanh(seen)
        return torch.tanh(self.second(hidden))

    def forward(self, options: Tensor, context: Tensor, owner: Tensor) -> tuple[Tensor, Tensor]:
        """Logits [n] and keys [n, H]."""
        keys = self.keys(options, context, owner)
        return self.logit(keys)[:, 0], keys


class Actors(nn.Module):
    """One network for each kind of option; the names are those of `perceptron.NETWORKS`."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.networks = nn.ModuleDict(
            {name: OptionNetwork(width, len(CONTEXT), hidden) for name, width in WIDTHS.items()}
        )

    def network(self, name: str) -> OptionNetwork:
        """One of them."""
        network = self.networks[name]
        assert isinstance(network, OptionNetwork)  # noqa: S101
        return network


def _twice(features: Tensor, masked: Tensor) -> Tensor:
    return torch.cat((features, features * masked), dim=1)
