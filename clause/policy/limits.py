"""Limits and prices as training draws them."""

from __future__ import annotations

import numpy as np

from clause.policy.observations import NEUTRAL_PRICE
from clause.reasoning.budget import Budgets, Prices

EDGES, STEPS, TOKENS = (3, 200), (2, 10), (64, 2048)
"""Ranges of the limits, drawn log-uniformly (policy.md, Training)."""

HIGHEST_PRICE = 1.0


def log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    """A number whose logarithm is uniform."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def sample_limits(rng: np.random.Generator) -> Budgets:
    """Limits of one episode."""
    edges, steps, tokens = (round(log_uniform(rng, *bounds)) for bounds in (EDGES, STEPS, TOKENS))
    return Budgets(edges=edges, steps=steps, tokens=tokens)


def sample_prices(rng: np.random.Generator) -> Prices:
    """Prices of one episode, in the units of the API."""
    edge, latency, token = (log_uniform(rng, NEUTRAL_PRICE, HIGHEST_PRICE) for _ in range(3))
    return Prices(edge, latency, token)
