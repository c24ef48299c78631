"""Paired bootstrap: how sure is the mean difference of two systems on the same questions?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

CHUNK_CELLS = 2_000_000  # draws held in memory at once


class Difference(NamedTuple):
    """Mean of first - second, and its percentile interval."""

    mean: float
    low: float
    high: float

    @property
    def significant(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.low > 0 or self.high < 0


def paired_bootstrap(
    first: Sequence[float],
    second: Sequence[float],
    *,
    resamples: int = 2_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Difference:
    """The percentile interval of mean(first - second), questions drawn with replacement.

    Element i of both belongs to question i. Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.

    Raises:
        ValueError: the lengths differ, or there is no question.

    >>> paired_bootstrap([1.0, 1.0, 1.0], [0.5, 0.5, 0.5])
    Difference(mean=0.5, low=0.5, high=0.5)
    """
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    if len(first) != len(second) or differences.size == 0:
        raise ValueError(f"paired samples of one length are needed, at least 1; got {len(first)} and {len(second)}")
    rng = np.random.default_rng(seed)
    chunk = max(1, CHUNK_CELLS // differences.size)
    means = np.concatenate(
        [
            differences[rng.integers(0, differences.size, size=(min(chunk, resamples - start), differences.size))].mean(
                1
            )
            for start in range(0, resamples, chunk)
        ]
    )
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Difference(float(differences.mean()), float(low), float(high))
