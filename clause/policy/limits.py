"""Limits and prices as training draws them."""

from __future__ import annotations

import math

import numpy as np

from clause.policy.observations import NEUTRAL_PRICE
from clause.reasoning.budget import Budgets, Prices

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
