"""What decides: the option networks, asked for the best option or for a sample, and the trace that training reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clause.policy.observations import operations_alone
from clause.policy.perceptron import OptionPerceptron, balanced, log_softmax
from clause.reasoning.actions import ARCHITECT, CURATOR, NAVIGATOR, Agent

Floats = NDArray[np.float32]
NETWORK_OF: Mapping[Agent, str] = {ARCHITECT: "architect", NAVIGATOR: "navigator", CURATOR: "curator"}
"""Which option network decides for which agent."""


@dataclass(slots=True)
class Choice:
    """One decision as training sees it: options [n, F], context [C], what was chosen and its log-probability.

    `ranking` holds the features of the edges that a bundle was drawn from, `order` which of them it took, in order.
    """

    agent: Agent
    options: Floats
    context: Floats
    chosen: int
    log_probability: float
    ranking: Floats | None = None
    order: tuple[int, ...] = ()

    def drew(self, ranking: Floats, count: int) -> None:
        """Note the edges of a bundle in their order, of which the first `count` were taken; all is no choice."""
        if len(ranking) > count:
            self.ranking, self.order = ranking, tuple(range(count))


Pilot = Callable[[Agent, Floats, Floats], int]
"""Overrides the networks' choice: (agent, options, context) -> row. For demonstrations."""


@dataclass(slots=True)
class Mind:
    """What decides: the option networks, and how they are asked.

    `rng` None takes the most probable option; with one, options are sampled and bundles ranked with Gumbel noise.
    `trace` collects the choices of an episode.
    """

    networks: Mapping[str, OptionPerceptron]
    rng: np.random.Generator | None = None
    pilot: Pilot | None = None
    trace: list[Choice] | None = None

    def choose(self, agent: Agent, options: Floats, context: Floats) -> Choice:
        """One of the options."""
        logits = self.networks[NETWORK_OF[agent]].logits(options, context)
        logs = log_softmax(balanced(logits, operations_alone(agent, options)))
        if self.pilot is not None:
            chosen = self.pilot(agent, options, context)
        elif self.rng is None:
            chosen = int(logs.argmax())
        else:
            chosen = int((logs + self.rng.gumbel(size=len(logs))).argmax())
        choice = Choice(agent, options, context, chosen, float(logs[chosen]))
        if self.trace is not None:
            self.trace.append(choice)
        return choice

    def key(self, choice: Choice) -> Floats:
        """The key [H] of the option that was chosen: what the critic reads of it."""
        return self.networks[NETWORK_OF[choice.agent]].keys(choice.options[choice.chosen], choice.context)

    def rank(self, rows: Floats, context: Floats) -> Floats:
        """Scores of edges, with noise when sampling, so that sorting them draws an order (Plackett-Luce)."""
        scores = self.networks["edges"].logits(rows, context)
        return scores if self.rng is None else scores + self.rng.gumbel(size=len(scores)).astype(np.float32)
