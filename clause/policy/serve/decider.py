"""The decider: option networks without torch, asked for the best option or for a sample, and the trace that training
reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from clause.arrays import Flags, Floats
from clause.policy.serve.observations import MASKED, operations_alone
from clause.reasoning.episode.actions import ARCHITECT, CURATOR, NAVIGATOR, Agent

NETWORKS = ("architect", "edges", "navigator", "curator")
"""The option networks of a checkpoint; `edges` ranks the edges inside a bundle."""


@dataclass(frozen=True, slots=True)
class OptionPerceptron:
    """Two hidden layers of tanh over each option's features and the shared context, then one logit.

    The first layer is split, so that the context is multiplied once for all options. Each of its halves is held twice:
    the weights without masks, and those under masks.
    """

    by_option: tuple[Floats, Floats]  # [H, F] each
    by_context: tuple[Floats, Floats]  # [H, C] each
    bias: Floats  # [H]
    second: Floats  # [H, H]
    second_bias: Floats  # [H]
    logit: Floats  # [H]

    @classmethod
    def of(cls, tensors: Mapping[str, Floats], name: str) -> OptionPerceptron:
        """The network `name` of a checkpoint's tensors."""
        fields = ("by_option.weight", "by_context.weight", "by_context.bias", "second.weight", "second.bias")
        first, context, bias, second, second_bias = (tensors[f"{name}.{field}"] for field in fields)
        return cls(_halves(first), _halves(context), bias, second, second_bias, tensors[f"{name}.logit.weight"][0])

    def keys(self, options: Floats, context: Floats) -> Floats:
        """Keys of options [n, H] from their features [n, F] and the context [C]; of one option [F]: [H]."""
        masked = int(context[MASKED])
        seen = options @ self.by_option[masked].T + (self.by_context[masked] @ context + self.bias)
        hidden = np.tanh(seen)
        keys: Floats = np.tanh(hidden @ self.second.T + self.second_bias)
        return keys

    def logits(self, options: Floats, context: Floats) -> Floats:
        """One number for each option [n] from its features [n, F] and the context [C]."""
        logits: Floats = self.keys(options, context) @ self.logit
        return logits


def _halves(weights: Floats) -> tuple[Floats, Floats]:
    """The weights of decisions without masks and under them; a checkpoint holds what masks add."""
    always, added = np.split(weights, 2, axis=1)
    return np.ascontiguousarray(always), always + added


def balanced(logits: Floats, alone: Flags) -> Floats:
    """Logits, those of options that are not an operation of their own lowered by the log of their number.

    So the log-odds of acting against stopping are log-sum-exp of the options minus log N, whatever N is (policy.md).

    >>> [round(float(logit), 3) for logit in balanced(np.zeros(3, dtype=np.float32), np.array([True, False, False]))]
    [0.0, -0.693, -0.693]
    """
    others = len(alone) - int(alone.sum())
    return np.where(alone, logits, logits - np.float32(np.log(max(1, others))))


def log_softmax(logits: Floats) -> Floats:
    """Log-probabilities of one distribution [n]."""
    shifted = logits - logits.max()
    logs: Floats = shifted - np.log(np.exp(shifted).sum())
    return logs


NETWORK_OF: Mapping[Agent, str] = {ARCHITECT: "architect", NAVIGATOR: "navigator", CURATOR: "curator"}
"""The option network that decides for each agent."""


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
class Decider:
    """Decides by the option networks, and keeps how they are asked.

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
