"""Choices of one agent, many episodes together, as flat tensors.

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

from clause.policy.distributions import balanced_log_probabilities, order_log_probability, segment_entropy
from clause.policy.mind import Choice
from clause.policy.observations import EDGE, operations_alone
from clause.policy.option_networks import Actors


@dataclass(frozen=True, slots=True)
class Batch:
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
    def of(cls, choices: Sequence[Choice]) -> Batch:
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
    """What the actors now think of a batch.

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


def evaluate(actors: Actors, network: str, batch: Batch) -> Evaluation:
    """Log-probabilities, entropy and keys of a batch of one agent's choices."""
    logits, keys = actors.network(network)(batch.options, batch.context, batch.owner)
    logs = balanced_log_probabilities(logits, batch.owner, batch.alone, batch.decisions)
    chosen = logs[batch.chosen]
    if len(batch.edges):
        scores, _ = actors.network("edges")(batch.edges, batch.context, batch.drawn_by)
        chosen = chosen + order_log_probability(scores, batch.drawn_by, batch.place, batch.decisions)
    return Evaluation(logs, chosen, segment_entropy(logs, batch.owner, batch.decisions), keys)
