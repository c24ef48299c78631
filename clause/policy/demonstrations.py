"""The warm start of the three agents: they imitate depth-first search with whole paths (the null of policy.md)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from clause.policy.batch import Batch, evaluate
from clause.policy.limits import generous_limits, sample_limits, sample_prices
from clause.policy.mind import NETWORK_OF, Choice, Mind
from clause.policy.option_networks import Actors
from clause.policy.perceptron import NETWORKS, OptionPerceptron
from clause.policy.rollout import Arena, Task
from clause.policy.teacher import depth_first
from clause.reasoning.budget import Prices


def serving_networks(actors: Actors) -> dict[str, OptionPerceptron]:
    """The actors as they are served."""
    tensors = {
        f"{name}.{field}": value.detach().numpy().copy()
        for name in NETWORKS
        for field, value in actors.network(name).state_dict().items()
    }
    return {name: OptionPerceptron.of(tensors, name) for name in NETWORKS}


def demonstrate(
    arena: Arena, tasks: Sequence[Task], actors: Actors, rng: np.random.Generator, *, price_share: float = 0.3
) -> list[Choice]:
    """The teacher's choices on every task, once each, under sampled limits and their masks, a share of them priced."""
    choices: list[Choice] = []
    networks = serving_networks(actors)
    for task in tasks:
        mind = Mind(networks, pilot=depth_first, trace=choices)
        priced = rng.random() < price_share
        limits, prices = (generous_limits(rng), sample_prices(rng)) if priced else (sample_limits(rng), Prices())
        arena.play(task, arena.agents(task, mind, prices), limits, prices)
    return choices


def imitate(
    actors: Actors,
    choices: Sequence[Choice],
    *,
    epochs: int,
    batch: int = 256,
    learning_rate: float = 3e-3,
    seed: int = 0,
    stop_share: float = 0.0,
) -> float:
    """Fit the agents to demonstrations; the last epoch's mean negative log-likelihood.

    `stop_share` of every target is STOP, which the teacher takes too seldom for prices to find it later.
    """
    optimiser = torch.optim.Adam(actors.parameters(), lr=learning_rate)
    rng = np.random.default_rng(seed)
    losses: list[float] = []
    for _ in range(epochs):
        losses = []
        for agent, network in NETWORK_OF.items():
            mine = [choice for choice in choices if choice.agent == agent]
            order = rng.permutation(len(mine)).tolist()
            for start in range(0, len(order), batch):
                part = Batch.of([mine[place] for place in order[start : start + batch]])
                seen = evaluate(actors, network, part)
                stops = seen.log_probabilities[torch.searchsorted(part.owner, torch.arange(part.decisions))]
                taught = seen.log_probabilities[part.chosen]
                loss = -((1 - stop_share) * taught + stop_share * stops).mean()
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(actors.parameters(), 1.0)
                optimiser.step()
                losses.append(float(loss.detach()))
    return float(np.mean(losses)) if losses else 0.0
