"""Exact match of the first answer (Hits@1)."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def em_at_1(answers: Sequence[tuple[str, float]], gold: Collection[str]) -> float:
    """The chance that the first answer is right when ties of the highest score are broken at random.

    `answers` are (name, score) in any order; a name given twice counts with its higher score. No answer is right only
    where there is none to give (`gold` is empty).

    >>> em_at_1([("Drama", 0.9), ("Comedy", 0.9), ("War", 0.1)], {"Drama"})
    0.5
    >>> em_at_1([], {"Drama"}), em_at_1([], set())
    (0.0, 1.0)
    """
    if not answers:
        return 0.0 if gold else 1.0
    best = max(score for _, score in answers)
    top = {name for name, score in answers if score == best}
    return len(top.intersection(gold)) / len(top)
