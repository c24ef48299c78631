"""Choices of one agent, many episodes together, as flat tensors, and distributions over options of differing number.

Axes: D decisions, N options of all decisions together; `owner` int64 [N] is sorted.

| field    | shape   | what                                                         |
| -------- | ------- | ------------------------------------------------------------ |
| options  | [N, F]  | features of all options of all decisions                     |
| context  | [D, C]  | what the agent knew                                          |
| owner    | [N]     | whose option each is, sorted                                 |
| alone    | [N]     | whether it is an operation of its own: STOP or DELETE        |
| chosen   | [D]     | the place among the N of what was chosen                     |
| old      | [D]     | its log-probability when it was chosen, the order included   |
| edges    | [M, E]  | features of the edges that bundles were drawn from           |
| drawn_by | [M]     | whose edges they are                                         |
| place    | [M]     | in which turn each was drawn, -1: left behind                |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from clause.policy.serve.decider import Choice
from clause.policy.serve.observations import EDGE, operations_alone
from clause.policy.train.networks import Actors


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


@dataclass(frozen=True, slots=True)
class DecisionBatch:
    """See the table above."""

    options: Tensor
    context: Tensor
    owner: Tensor
    alone: Tensor
    chosen: Tensor
    old: Tensor
    edges: Tensor
    drawn_by: Tensor
    place: Tensor

    @property
    def decisions(self) -> int:
        """D."""
        return len(self.chosen)

    @classmethod
    def of(cls, choices: Sequence[Choice]) -> DecisionBatch:
        """Flatten choices of one agent, at least one."""
        sizes = np.array([len(choice.options) for choice in choices])
        starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
        owner = np.repeat(np.arange(len(choices)), sizes)
        alone = [operations_alone(choice.agent, choice.options) for choice in choices]
        ranked = [(row, choice) for row, choice in enumerate(choices) if choice.ranking is not None]
        edges = [choice.ranking for _, choice in ranked if choice.ranking is not None]
        places = []
        for _, choice in ranked:
            place = np.full(len(choice.ranking) if choice.ranking is not None else 0, -1)
            place[list(choice.order)] = np.arange(len(choice.order))
            places.append(place)
        return cls(
            torch.from_numpy(np.concatenate([choice.options for choice in choices])),
            torch.from_numpy(np.stack([choice.context for choice in choices])),
            torch.from_numpy(owner),
            torch.from_numpy(np.concatenate(alone)),
            torch.from_numpy(starts + np.array([choice.chosen for choice in choices])),
            torch.tensor([choice.log_probability for choice in choices], dtype=torch.float32),
            torch.from_numpy(np.concatenate(edges)) if edges else torch.zeros(0, len(EDGE)),
            torch.from_numpy(np.repeat([row for row, _ in ranked], [len(rows) for rows in edges]).astype(np.int64)),
            torch.from_numpy(np.concatenate(places).astype(np.int64)) if places else torch.zeros(0, dtype=torch.long),
        )


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The present opinion of the actors on a batch.

    Attributes:
        log_probabilities: of every option [N].
        chosen: of what was chosen, the order of a bundle's edges included [D].
        entropy: of the options [D].
        keys: the options' keys [N, H], for the critic.
    """

    log_probabilities: Tensor
    chosen: Tensor
    entropy: Tensor
    keys: Tensor


def evaluate(actors: Actors, network: str, batch: DecisionBatch) -> Evaluation:
    """Log-probabilities, entropy and keys of a batch of one agent's choices."""
    logits, keys = actors.network(network)(batch.options, batch.context, batch.owner)
    logs = balanced_log_probabilities(logits, batch.owner, batch.alone, batch.decisions)
    chosen = logs[batch.chosen]
    if len(batch.edges):
        scores, _ = actors.network("edges")(batch.edges, batch.context, batch.drawn_by)
        chosen = chosen + order_log_probability(scores, batch.drawn_by, batch.place, batch.decisions)
    return Evaluation(logs, chosen, segment_entropy(logs, batch.owner, batch.decisions), keys)
