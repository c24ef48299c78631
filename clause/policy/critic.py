"""The central critic: Q_h(s, .) over an agent's own options for five heads, and a monotone mixer for the task head.

The state is the deciding agent's context, which holds the whole episode's spend, limits and prices (policy.md). For
ablations the mixer may be a plain sum (Sunehag et al., VDN, 2018), and Q may look at the state alone, which is V(s).
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from clause.policy.advantage import HEADS
from clause.policy.distributions import segment_sum
from clause.policy.observations import CONTEXT

AGENTS = 3


class MonotoneMixer(nn.Module):
    """Mixes utilities [n, 3] to one value [n], rising in each of them, by weights that the state makes.

    After Rashid et al., QMIX, 2018: absolute weights, so that the sign of every derivative is known.
    """

    def __init__(self, context: int, width: int = 8) -> None:
        super().__init__()
        self.width = width
        self.first = nn.Linear(context, AGENTS * width)
        self.first_bias = nn.Linear(context, width)
        self.second = nn.Linear(context, width)
        self.second_bias = nn.Linear(context, 1)

    def forward(self, utilities: Tensor, context: Tensor) -> Tensor:
        """The mixed value of each row; `context` [n, C]."""
        weights = self.first(context).abs().view(-1, AGENTS, self.width)
        hidden = functional.elu(torch.einsum("na,naw->nw", utilities, weights) + self.first_bias(context))
        mixed: Tensor = (hidden * self.second(context).abs()).sum(dim=1) + self.second_bias(context)[:, 0]
        return mixed


class Critic(nn.Module):
    """Five Q heads.

    Args:
        keys: width H of the actors' keys.
        hidden: width of the state's network.
        mixer: how the task head is mixed with the other agents' values.
        by_option: whether options differ in value; without, every option of a state is worth V(s).
    """

    def __init__(
        self, keys: int, hidden: int = 64, *, mixer: Literal["monotone", "sum"] = "monotone", by_option: bool = True
    ) -> None:
        super().__init__()
        self.keys = keys
        self.mixing = mixer
        self.by_option = by_option
        self.state = nn.Sequential(nn.Linear(len(CONTEXT), hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.queries = nn.Linear(hidden, len(HEADS) * keys)
        self.offsets = nn.Linear(hidden, len(HEADS))
        self.values = nn.Linear(hidden, AGENTS)
        self.mixer = MonotoneMixer(len(CONTEXT))

    def forward(self, keys: Tensor, context: Tensor, owner: Tensor) -> Tensor:
        """Q of every option under every head [N, 5], from keys [N, H], contexts [D, C] and each option's decision."""
        state = self.state(context)
        heads: Tensor = self.offsets(state)[owner]
        if self.by_option:
            queries = self.queries(state).view(-1, len(HEADS), self.keys)
            heads = heads + torch.einsum("nk,nhk->nh", keys, queries[owner]) / self.keys**0.5
        acting = context[:, :AGENTS][owner] > 0
        utilities = torch.where(acting, heads[:, :1], self.values(state)[owner])
        task = utilities.sum(dim=1) if self.mixing == "sum" else self.mixer(utilities, context[owner])
        return torch.cat((task[:, None], heads[:, 1:]), dim=1)


def baseline(q: Tensor, log_probabilities: Tensor, owner: Tensor, decisions: int) -> Tensor:
    """sum_a pi(a) Q_h(s, a) of each decision [D, 5]: what the policy expects before it draws."""
    return segment_sum(q * log_probabilities.exp()[:, None], owner, decisions)
