"""F1 of two sets."""

from __future__ import annotations

from collections.abc import Iterable


def f1(predicted: Iterable[str], gold: Iterable[str]) -> float:
    """Harmonic mean of precision and recall, 2|P ∩ G| / (|P| + |G|); 1 where both are empty.

    >>> f1(["a", "b"], ["b", "c", "d"])
    0.4
    """
    left, right = set(predicted), set(gold)
    if not left and not right:
        return 1.0
    return 2 * len(left & right) / (len(left) + len(right))
