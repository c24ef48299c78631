"""Multipliers of the constraints, and the limits and prices that training draws.

Mean constraints are the paper's (arXiv 2509.21035: mean cost of each resource, here in units of its limit); the chance
constraint is ours. A multiplier is a function of the request's limits, by bins of the scarcest-first logarithm.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from clause.policy.serve.observations import NEUTRAL_PRICE
from clause.reasoning.episode.budget import Budgets, Prices

EDGES, STEPS, TOKENS = (3, 200), (2, 10), (64, 2048)
"""Ranges of the limits, drawn log-uniformly (policy.md, Training)."""

SCARCE_SHARE = 0.5
"""Share of the episodes with edges and tokens from the scarcer halves of their ranges, where limits bind (ours)."""

HIGHEST_PRICE = 1.0


def log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    """A number whose logarithm is uniform."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def sample_limits(rng: np.random.Generator) -> Budgets:
    """Limits of one episode."""
    scarce = rng.random() < SCARCE_SHARE
    ranges = [(low, math.sqrt(low * high) if scarce else high) for low, high in (EDGES, TOKENS)]
    edges, tokens = (round(log_uniform(rng, low, high)) for low, high in ranges)
    return Budgets(edges=edges, steps=round(log_uniform(rng, *STEPS)), tokens=tokens)


def generous_limits(rng: np.random.Generator) -> Budgets:
    """Limits of a price episode, from the upper halves of the ranges: there prices bind, not limits (ours)."""
    edges, steps, tokens = (round(log_uniform(rng, math.sqrt(a * b), b)) for a, b in (EDGES, STEPS, TOKENS))
    return Budgets(edges=edges, steps=steps, tokens=tokens)


def sample_prices(rng: np.random.Generator) -> Prices:
    """Prices of one episode, in the units of the API: each is neutral in half of the draws, but never all of them."""
    while True:
        priced = rng.random(3) < 0.5
        if priced.any():
            drawn = [log_uniform(rng, NEUTRAL_PRICE, HIGHEST_PRICE) if one else NEUTRAL_PRICE for one in priced]
            return Prices(*drawn)


Constraint = Literal["edges", "steps", "tokens", "chance"]
CONSTRAINTS: tuple[Constraint, ...] = ("edges", "steps", "tokens", "chance")


@dataclass(frozen=True, slots=True)
class Gains:
    """The rates at which a multiplier follows its constraint.

    `integral` is the rate of plain dual ascent; `proportional` and `derivative`, 0 by default, make it a PID controller
    (Stooke et al., Responsive Safety in Reinforcement Learning by PID Lagrangian Methods, 2020).
    """

    integral: float = 0.05
    proportional: float = 0.0
    derivative: float = 0.0
    cap: float = 10.0


@dataclass(slots=True)
class Multiplier:
    """One multiplier.

    >>> multiplier = Multiplier(limit=0.03, value=0.0)
    >>> multiplier.update(1.0, Gains(integral=0.1)) > 0
    True
    """

    limit: float
    value: float = 0.01
    total: float = field(default=0.01)
    last_excess: float = 0.0

    def update(self, cost: float, gains: Gains) -> float:
        """Move once, from the mean cost of an iteration; the new value, in [0, cap]."""
        excess = cost - self.limit
        self.total = min(gains.cap, max(0.0, self.total + gains.integral * excess))
        change = max(0.0, excess - self.last_excess)
        self.last_excess = excess
        raised = self.total + gains.proportional * max(0.0, excess) + gains.derivative * change
        self.value = min(gains.cap, max(0.0, raised))
        return self.value


class Multipliers:
    """A multiplier for every constraint and bin of limits.

    Args:
        bins: how many bins the logarithm of the edge limit has; 1 is one global multiplier.
        active: the constraints that are kept; the others stay at 0.
        chance_limit: the share of episodes that may exceed any limit.
        start: where active multipliers begin.
    """

    def __init__(
        self,
        *,
        bins: int = 4,
        active: Sequence[Constraint] = CONSTRAINTS,
        chance_limit: float = 0.03,
        start: float = 0.01,
    ) -> None:
        self.bins = bins
        self.active = tuple(active)
        limits = {constraint: chance_limit if constraint == "chance" else 1.0 for constraint in CONSTRAINTS}
        self.table = {
            constraint: [Multiplier(limits[constraint], begun, begun) for _ in range(bins)]
            for constraint in CONSTRAINTS
            for begun in (start if constraint in self.active else 0.0,)
        }

    def bin_of(self, budgets: Budgets) -> int:
        """The bin of a request's limits.

        >>> [Multipliers(bins=2).bin_of(Budgets(edges=edges)) for edges in (3, 200)]
        [0, 1]
        """
        low, high = np.log(EDGES)
        share = (np.log(max(1, budgets.edges)) - low) / (high - low)
        return int(min(self.bins - 1, max(0, np.floor(share * self.bins))))

    def of(self, budgets: Budgets) -> tuple[float, ...]:
        """The values at these limits, in the order of CONSTRAINTS."""
        place = self.bin_of(budgets)
        return tuple(self.table[constraint][place].value for constraint in CONSTRAINTS)

    def hold(self, values: Mapping[str, Sequence[float]]) -> None:
        """Put multipliers, by constraint and bin, where they stay unless updated."""
        for constraint in CONSTRAINTS:
            for one, value in zip(self.table[constraint], values[constraint], strict=True):
                one.value = one.total = value

    @property
    def values(self) -> dict[str, tuple[float, ...]]:
        """Every multiplier by constraint and bin."""
        return {str(name): tuple(one.value for one in self.table[name]) for name in CONSTRAINTS}

    def update(self, costs: Sequence[tuple[Budgets, Sequence[float]]], gains: Gains) -> None:
        """Move every multiplier whose bin was visited, once; `costs` holds limits and costs of episodes."""
        visited: dict[int, list[Sequence[float]]] = {}
        for budgets, cost in costs:
            visited.setdefault(self.bin_of(budgets), []).append(cost)
        for place, rows in visited.items():
            means = np.mean(np.asarray(rows, dtype=np.float64), axis=0)
            for constraint, mean in zip(CONSTRAINTS, means.tolist(), strict=True):
                if constraint in self.active:
                    self.table[constraint][place].update(mean, gains)
