"""Observations of the agents: numbers of a fixed meaning and a bounded size for the state and for each option.

No ids and no names: what was learned on one graph can be used on another.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from clause.arrays import Doubles, Flags, Floats
from clause.policy.serve.tree import PlanTree, TreeProgress, Worth
from clause.reasoning.agents.policy import Foresight
from clause.reasoning.episode.actions import ARCHITECT, CURATOR, NAVIGATOR, Agent
from clause.reasoning.episode.budget import RESOURCES, TOKENS_PER_PRICE_UNIT, Prices
from clause.reasoning.episode.episode import Episode

Numbers = TypeVar("Numbers", float, Doubles)

NEUTRAL_PRICE = 0.01
"""Prices up to this, the API's default and where multipliers start (decision 8), are read as no price at all."""

LOGGED = 6.0
"""Logarithms of counts are divided by this, so that 400 is about 1."""

CONTEXT = (
    *(f"agent_{agent}" for agent in (ARCHITECT, NAVIGATOR, CURATOR)),
    *(f"{resource}_{what}" for resource in RESOURCES for what in ("limit", "left", "share_left")),
    *(f"{resource}_price" for resource in RESOURCES),
    "masked",
    "answers",
    "answers_reached",
    "share_reached",
    "tokens_uncommitted",
    "all_fits",
    "pattern_length",
    "depth_walked",
    "picked",
)
MASKED = CONTEXT.index("masked")
"""The place in the context that tells whether masks are on."""

ARCHITECT_OPTION = (
    "is_stop",
    "is_whole_front",
    "levels_to_go",
    "is_last_level",
    "count",
    "share_of_edges_left",
    "is_all",
    "exceeds",
    "recency",
    "gain",
    "edges_to_answers",
    "tokens_to_answers",
    "efficiency",
    "share_of_best_efficiency",
    "answers_at_once",
    "unfinished_below",
    "deepest",
    "is_delete",
    "net_gain",
)
EDGE = (
    "is_last_level",
    "levels_to_go",
    "gain",
    "edges_to_answers",
    "tokens_to_answers",
    "tokens",
    "token_share",
    "efficiency",
)
NAVIGATOR_OPTION = ("is_stop", "is_backtrack", "log_probability", "follows_plan", "at_answers", "exceeds")
CURATOR_OPTION = (
    "is_stop",
    "is_all",
    "share_of_tokens_left",
    "tokens",
    "units",
    "shared_by",
    "tokens_per_answer",
    "last_unit_tokens",
    "exceeds",
    "order",
    "best_by_order",
    "best_by_rate",
    "best_by_tokens",
    "net_gain",
)


def operations_alone(agent: Agent, options: Floats) -> Flags:
    """Marks options that are an operation of their own, bool [n]: STOP, the first, and the Architect's DELETE."""
    alone = options[:, ARCHITECT_OPTION.index("is_delete")] > 0 if agent == ARCHITECT else np.zeros(len(options), bool)
    alone[0] = True
    return alone


def logged(count: float) -> float:
    """log(1 + count) / 6.

    >>> logged(0)
    0.0
    """
    return math.log1p(max(0.0, count)) / LOGGED


def bounded(share: float) -> float:
    """A share kept within [-1, 3].

    >>> bounded(7.0)
    3.0
    """
    return min(3.0, max(-1.0, share))


def all_logged(counts: Doubles) -> Doubles:
    """`logged` of each count [n]."""
    return np.log1p(np.maximum(0.0, counts)) / LOGGED


def all_bounded(shares: Doubles) -> Doubles:
    """`bounded` of each share [n]."""
    return np.minimum(3.0, np.maximum(-1.0, shares))


@dataclass(slots=True)
class Situation:
    """The constants of one decision: the context, what is left, whether all that is known fits, and prices."""

    context: Floats
    edges_left: float
    tokens_left: float
    all_fits: bool
    answers: int
    prices: Prices

    def net_gain(self, gain: float, *, edges: float = 0.0, tokens: float = 0.0) -> float:
        """The most that `gain` more answers add to F1, less the price of getting them; bounded."""
        return bounded(self._net(gain, edges, tokens))

    def net_gains(self, gain: Doubles, edges: Doubles, tokens: Doubles) -> Doubles:
        """The net gain of each option [n]."""
        return all_bounded(self._net(gain, edges, tokens))

    def _net(self, gain: Numbers, edges: Numbers, tokens: Numbers) -> Numbers:
        edge, token = (max(0.0, price - NEUTRAL_PRICE) for price in (self.prices.edge, self.prices.token))
        return gain / max(1, self.answers) - edge * edges - token * tokens / TOKENS_PER_PRICE_UNIT


def situation(agent: Agent, episode: Episode, prices: Prices, tree: PlanTree, progress: TreeProgress) -> Situation:
    """The context of a decision. What was overspent (masks off) counts as less than nothing left."""
    limits, spend = episode.budgets, episode.spend
    numbers = [float(agent == other) for other in (ARCHITECT, NAVIGATOR, CURATOR)]
    for resource in RESOURCES:
        left = limits.of(resource) - spend.of(resource)
        numbers += [logged(limits.of(resource)), logged(left), bounded(left / limits.of(resource))]
    for price in (prices.edge, prices.latency, prices.token):
        numbers.append(logged(100 * max(0.0, price - NEUTRAL_PRICE)))
    reached = int((progress.recency[-1] > 0).sum())
    committed = sum(tree.tokens.get(edge, 0.0) for edge in episode.subgraph.edges)
    edges_left = float(limits.edges - spend.edges)
    tokens_left = float(limits.tokens - limits.token_margin - max(committed, spend.tokens))
    wanted = sum(int((when == 0).sum()) for when in progress.recency)
    tokens = sum(float(level.tokens[new].sum()) for level, new in zip(tree.levels, progress.new, strict=True))
    all_fits = wanted <= edges_left and tokens <= tokens_left
    numbers += [
        float(episode.hard),
        logged(tree.answers),
        logged(reached),
        reached / max(1, tree.answers),
        bounded(tokens_left / max(1, limits.tokens)),
        float(all_fits),
        len(tree.pattern) / 3,
        len(episode.trail) / 3,
        logged(len(episode.picked)),
    ]
    return Situation(np.array(numbers, dtype=np.float32), edges_left, tokens_left, all_fits, tree.answers, prices)


def rows_of(columns: Sequence[Doubles | Flags | float], count: int) -> Floats:
    """Columns, each [n] or one number for all rows, side by side: float32 [n, columns]."""
    rows = np.empty((count, len(columns)), dtype=np.float32)
    for place, column in enumerate(columns):
        rows[:, place] = column
    return rows


def edge_rows(tree: PlanTree, depth: int, chosen: Flags, worth: Worth, here: Situation) -> Floats:
    """The features of the chosen edges of one depth, float32 [n, EDGE]."""
    to_go = len(tree.levels) - 1 - depth
    tokens = tree.levels[depth].tokens[chosen]
    tokens_left = max(here.tokens_left, 1.0)
    columns: tuple[Doubles | float, ...] = (
        float(to_go == 0),
        to_go / 3,
        all_logged(worth.answers[chosen]),
        np.minimum(3.0, worth.edges[chosen] / max(here.edges_left, 1.0)),
        np.minimum(3.0, worth.tokens[chosen] / tokens_left),
        np.minimum(3.0, tokens / 16),
        np.minimum(3.0, tokens / tokens_left),
        all_logged(worth.efficiency(here.edges_left, here.tokens_left)[chosen]),
    )
    return rows_of(columns, len(tokens))


COSINES = ("cosine_before", "cosine_of_relation")
"""The first inputs: the best cosine before the hop, and that of its relationship's words; context and key follow."""


def inputs(before: float, relation: float, context: Floats, key: Floats) -> Floats:
    """One row of the head's inputs, float32 [2 + C + H]."""
    return np.concatenate(([before, relation], context, key)).astype(np.float32)


@dataclass(frozen=True, slots=True)
class GainHead:
    """`expected = bias + weights . inputs`, on the scale of `clause.intelligence.curiosity.realised`.

    Attributes:
        weights: float32 [2 + C + H], in the order of `inputs`.
        bias: the rest.
    """

    weights: Floats
    bias: float

    def foresight(self, context: Floats, key: Floats) -> Foresight:
        """The gain that is foretold of a hop from the Navigator's context [C] and the option's key [H]."""
        first = len(COSINES)
        base = self.bias + float(self.weights[first:] @ np.concatenate((context, key)))
        return Foresight(base, float(self.weights[0]), float(self.weights[1]))

    def tensors(self) -> dict[str, Floats]:
        """The tensors that `read` reads."""
        return {"weights": self.weights, "bias": np.array([self.bias], dtype=np.float32)}

    @classmethod
    def read(cls, tensors: Mapping[str, Floats], *, keys: int) -> GainHead | None:
        """The head of a checkpoint's tensors, for keys of H numbers; None in a checkpoint without one.

        Raises:
            ValueError: it has another size, or holds numbers that are not finite.
        """
        if not tensors:
            return None
        weights, bias = tensors["weights"], tensors["bias"]
        if weights.shape != (len(COSINES) + len(CONTEXT) + keys,) or bias.shape != (1,):
            raise ValueError(f"a head for {keys} numbers of a key cannot have {weights.shape} weights")
        if not (np.isfinite(weights).all() and np.isfinite(bias).all()):
            raise ValueError("the head's numbers are not finite")
        return cls(weights, float(bias[0]))
