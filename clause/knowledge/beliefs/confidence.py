"""Confidence in six dimensions: pure functions, no graph.

overall = exp( sum_i w_i ln max(d_i, .001) / sum_i w_i ) over the dimensions that are there: a weighted geometric mean.
The graph computes the same when it writes (`knowledge/settle`, given these numbers); a test holds the two together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

Signal = Literal[
    "explicit_request",
    "decision",
    "preference",
    "correction",
    "project_fact",
    "session_summary",
    "theme",
    "mention",
]

Severity = Literal["low", "medium", "high", "critical"]

WEIGHTS: Final[Mapping[str, float]] = {
    "source_reliability": 0.25,
    "method_quality": 0.20,
    "internal_consistency": 0.15,
    "temporal_freshness": 0.15,
    "corroboration": 0.15,
    "domain_applicability": 0.10,
}
FLOOR: Final = 0.001
STARTS: Final[Mapping[Signal, float]] = {
    "explicit_request": 0.90,
    "decision": 0.80,
    "preference": 0.75,
    "correction": 0.70,
    "project_fact": 0.65,
    "session_summary": 0.50,
    "theme": 0.50,
    "mention": 0.35,
}
"""The overall at which a belief starts, by how it came up."""

CAPTURED_FROM: Final = 0.50
"""Below this nothing is captured automatically."""

HALF_LIVES_DAYS: Final[Mapping[str, float | None]] = {
    "forever": None,
    "year": 365.0,
    "quarter": 90.0,
    "week": 7.0,
    "hour": 1 / 24,
}
"""Half-lives of freshness in days, by kind; None never fades."""

DECAYS: Final[Mapping[Signal, str]] = {
    "explicit_request": "year",
    "decision": "year",
    "preference": "year",
    "correction": "year",
    "project_fact": "quarter",
    "session_summary": "quarter",
    "theme": "quarter",
    "mention": "week",
}
"""The kind of half-life where the caller names none."""

LADDER: Final = (0.50, 0.65, 0.80)
"""The seed's repeat ladder: floors on corroboration at 1, 2, 3 and more independent sources."""

PENALTIES: Final[Mapping[Severity, float]] = {"low": 0.15, "medium": 0.30, "high": 0.55, "critical": 0.80}
"""What one open tension takes from internal consistency, by severity."""


CORROBORATED: Final = 2
"""Independent sources from which a belief is corroborated: fewer give no such dimension, and its lineage caps it."""

Stage = Literal["tentative", "emerging", "established"]

STAGES: Final[tuple[tuple[Stage, int | None], ...]] = (("tentative", 2), ("emerging", 4), ("established", None))
"""Each stage with the number of independent sources below which it holds; the last has no bound."""


@dataclass(frozen=True)
class StatementOrigin:
    """One statement of a belief, for counting independent sources; statements come in order of recording.

    Attributes:
        origin: the source, or what it copies from.
        session: the session in which it was said; None: in none.
        reliability: of the source, in [0, 1].
        words: of the source's title and uri: sources that share them are less independent.
        recalled: whether the text was recalled from this graph.
    """

    origin: str
    session: str | None = None
    reliability: float = 0.5
    words: frozenset[str] = frozenset()
    recalled: bool = False


def overall(dimensions: Mapping[str, float | None], weights: Mapping[str, float] = WEIGHTS) -> float:
    """The weighted geometric mean of the dimensions that are there, each floored at .001; 0.0 where none is.

    >>> round(overall({"source_reliability": 0.9, "method_quality": 0.4}), 6)
    0.627649
    """
    present = [(weights[name], max(value, FLOOR)) for name, value in dimensions.items() if value is not None]
    total = sum(weight for weight, _ in present)
    if total == 0:
        return 0.0
    return min(1.0, math.exp(sum(weight * math.log(value) for weight, value in present) / total))


def starting_quality(start: float, others: Mapping[str, float | None]) -> float:
    """The value of source reliability and method quality that makes `overall` be `start`, given the other dimensions.

    Solves (w_s + w_m) ln x + sum_i w_i ln d_i = (w_s + w_m + sum_i w_i) ln start for x, kept within [.001, 1]: where
    the others are too low, no value reaches the start.

    >>> others = {"internal_consistency": 1.0, "temporal_freshness": 1.0}
    >>> x = starting_quality(0.9, others)
    >>> round(overall({"source_reliability": x, "method_quality": x, **others}), 9)
    0.9
    """
    own = WEIGHTS["source_reliability"] + WEIGHTS["method_quality"]
    present = [(WEIGHTS[name], max(value, FLOOR)) for name, value in others.items() if value is not None]
    rest = sum(weight * math.log(value) for weight, value in present)
    total = own + sum(weight for weight, _ in present)
    return min(1.0, max(FLOOR, math.exp((total * math.log(start) - rest) / own)))


def freshness(age_days: float, half_life_days: float | None) -> float:
    """2^(-age / half-life); 1.0 for what never fades or is not there yet.

    >>> freshness(14, 7), freshness(1e6, None), freshness(-3, 7)
    (0.25, 1.0, 1.0)
    """
    if half_life_days is None or age_days <= 0:
        return 1.0
    return float(2.0 ** (-age_days / half_life_days))


def independences(statements: Sequence[StatementOrigin]) -> list[float]:
    """How independent each statement is of the earlier ones: 1 - the highest similarity of their sources.

    0 for the same upstream source, the same session, and a recalled text.

    >>> said = [StatementOrigin("a"), StatementOrigin("a"), StatementOrigin("b"), StatementOrigin("c", recalled=True)]
    >>> independences(said)
    [1.0, 0.0, 1.0, 0.0]
    """
    found = []
    counted: list[StatementOrigin] = []
    seen: set[tuple[str, str]] = set()
    for one in statements:
        marks = {("origin", one.origin), *([("session", one.session)] if one.session else [])}
        if one.recalled or marks & seen:
            found.append(0.0)
        else:
            found.append(1.0 - max((likeness(one.words, other.words) for other in counted), default=0.0))
            counted.append(one)
        if not one.recalled:
            seen |= marks
    return found


def likeness(words: frozenset[str], others: frozenset[str]) -> float:
    """The share of words that two sources have in common (Jaccard); 0.0 for two without words.

    >>> likeness(frozenset({"a", "b"}), frozenset({"b", "c"})).__round__(4)
    0.3333
    """
    union = words | others
    return len(words & others) / len(union) if union else 0.0


def independent_sources(statements: Sequence[StatementOrigin]) -> int:
    """How many of the statements come from a source that the earlier ones do not cover.

    >>> independent_sources([StatementOrigin("one")] * 100)
    1
    """
    return sum(1 for value in independences(statements) if value > 0)


def corroboration(statements: Sequence[StatementOrigin]) -> float | None:
    """1 - prod(1 - r_j i_j) over the sources, at least the repeat ladder's step; None with too few sources.

    >>> corroboration([StatementOrigin("one", reliability=0.5)] * 100) is None
    True
    >>> corroboration([StatementOrigin("one", reliability=0.5), StatementOrigin("two", reliability=0.5)])
    0.75
    """
    independent = independences(statements)
    count = sum(1 for value in independent if value > 0)
    if count < CORROBORATED:
        return None
    missing = math.prod(1 - one.reliability * value for one, value in zip(statements, independent, strict=True))
    return max(1 - missing, LADDER[min(count, len(LADDER)) - 1])


def stage(sources: int) -> Stage:
    """The stage of a belief with so many independent sources.

    >>> [stage(n) for n in (1, 2, 3, 4)]
    ['tentative', 'emerging', 'emerging', 'established']
    """
    return next(name for name, below in STAGES if below is None or sources < below)


def corroboration_label(corroborations: int) -> str:
    """The label of a number of corroborations (independent sources besides the first).

    >>> [corroboration_label(n) for n in (0, 1, 3, 6, 7)]
    ['uncorroborated', 'single corroboration', 'moderately corroborated', 'well corroborated', 'highly corroborated']
    """
    steps = (
        (1, "uncorroborated"),
        (2, "single corroboration"),
        (4, "moderately corroborated"),
        (7, "well corroborated"),
    )
    return next((label for bound, label in steps if corroborations < bound), "highly corroborated")


def consistency(severities: Sequence[Severity]) -> float:
    """1 less what the open tensions take: prod(1 - penalty).

    >>> consistency([]), round(consistency(["high", "low"]), 4)
    (1.0, 0.3825)
    """
    return float(math.prod(1 - PENALTIES[severity] for severity in severities))
