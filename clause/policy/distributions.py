"""Distributions over options of differing number: flat tensors, with the decision that each option belongs to.

Axes: D decisions, N options of all decisions together; `owner` int64 [N] is sorted.
"""

from __future__ import annotations

import torch
from torch import Tensor


def segment_sum(values: Tensor, owner: Tensor, decisions: int) -> Tensor:
    """Sums of each decision's values: [N, ...] -> [D, ...]."""
    return torch.zeros(decisions, *values.shape[1:], dtype=values.dtype).index_add(0, owner, values)


def segment_log_softmax(logits: Tensor, owner: Tensor, decisions: int) -> Tensor:
    """Log-probabilities [N] within each decision."""
    largest = torch.full((decisions,), -torch.inf).scatter_reduce(0, owner, logits.detach(), "amax")
    shifted = logits - largest[owner]
    return shifted - segment_sum(shifted.exp(), owner, decisions).log()[owner]


def balanced_log_probabilities(logits: Tensor, owner: Tensor, alone: Tensor, decisions: int) -> Tensor:
    """Two-stage log-probabilities [N]: the operation, then which option.

    `alone` marks the options that are an operation of their own: STOP and DELETE. The utility of the other operation is
    log-sum-exp of its options minus log N, so its options together are as probable against STOP as their mean, whatever
    their number (policy.md).
    """
    others = segment_sum((~alone).float(), owner, decisions).clamp(min=1).log()
    return segment_log_softmax(torch.where(alone, logits, logits - others[owner]), owner, decisions)


def segment_entropy(log_probabilities: Tensor, owner: Tensor, decisions: int) -> Tensor:
    """Entropy of each decision [D], in nats."""
    return -segment_sum(log_probabilities.exp() * log_probabilities, owner, decisions)


def order_log_probability(scores: Tensor, owner: Tensor, place: Tensor, decisions: int) -> Tensor:
    """Plackett-Luce log-probability of the order in which edges were drawn [D].

    Args:
        scores: of all edges that could be drawn [N].
        owner: whose edge each is [N].
        place: 0, 1, ... for the edges drawn, in order; -1 for those left behind [N].
    """
    drawn = place >= 0
    total = torch.zeros(decisions)
    deepest = int(place.max()) + 1 if len(place) else 0
    available = torch.ones_like(drawn)
    for turn in range(deepest):
        hidden = scores.masked_fill(~available, -1e9)
        logs = segment_log_softmax(hidden, owner, decisions)
        now = drawn & (place == turn)
        total = total + segment_sum(torch.where(now, logs, 0.0), owner, decisions)
        available = available & ~now
    return total
