"""Reciprocal rank of one ranking; its mean over questions is the MRR."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def mrr(ranked: Sequence[str], relevant: Collection[str]) -> float:
    """1 / rank of the first relevant item, rank from 1; 0 where none is found.

    >>> mrr(["a", "b", "c"], {"c", "b"})
    0.5
    """
    wanted = set(relevant)
    return next((1 / rank for rank, item in enumerate(ranked, start=1) if item in wanted), 0.0)
