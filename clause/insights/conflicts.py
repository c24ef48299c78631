"""Do two insights on one topic go together? Opposing feelings, or statements that contradict each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clause.insights.models import Valences
from clause.text.guards import contradiction

OPPOSED = (
    ("warmth", "tension"),
    ("warmth", "concern"),
    ("joy", "grief"),
    ("joy", "concern"),
    ("peace", "grief"),
    ("peace", "tension"),
    ("peace", "longing"),
    ("gratitude", "tension"),
    ("gratitude", "grief"),
)
"""Feelings that do not lean the same way. Curiosity and awe go with everything."""

LEAN = 0.4
"""How far an insight has to lean to one side, and the other insight to the other."""

NEAR = 0.35
"""The least similarity of insights whose feelings are compared: below it they are about different things."""

MOST_CANDIDATES = 10
CANDIDATE_DAYS = 30


@dataclass(frozen=True)
class Candidate:
    """An earlier insight on the same topic: id, content, valences, embedding [d], and its similarity to the new one."""

    id: str
    content: str
    valences: Valences
    embedding: NDArray[np.float32]
    similarity: float


def opposed(first: Valences, second: Valences) -> tuple[str, ...]:
    """The pairs of feelings in which two insights lean to opposite sides, as `warmth / tension`.

    An insight leans by the difference of the two; one that feels both alike leans nowhere.

    >>> opposed(Valences(warmth=0.8), Valences(tension=0.7))
    ('warmth / tension',)
    >>> opposed(Valences(warmth=0.8, tension=0.7), Valences(tension=0.7))
    ()
    """
    return tuple(
        f"{one} / {other}"
        for one, other in OPPOSED
        if _lean(first, one, other) * _lean(second, one, other) < 0
        and min(abs(_lean(first, one, other)), abs(_lean(second, one, other))) >= LEAN
    )


def conflict_signals(
    content: str, valences: Valences, embedding: NDArray[np.float32], other: Candidate
) -> tuple[str, ...]:
    """What speaks for a conflict of a new insight with an earlier one; () where nothing does.

    Words of the texts are not in it: of `exclusive: blue / red` only `exclusive` stays.
    """
    feelings = opposed(valences, other.valences) if other.similarity >= NEAR else ()
    verdict = contradiction(
        content, other.content, other.similarity, vectors=(embedding, other.embedding), same_subject=True
    )
    words = tuple(signal.partition(":")[0] for signal in verdict.signals) if verdict.found else ()
    return tuple(dict.fromkeys((*feelings, *words)))


def _lean(valences: Valences, one: str, other: str) -> float:
    left, right = getattr(valences, one), getattr(valences, other)
    return float((left or 0.0) - (right or 0.0))
