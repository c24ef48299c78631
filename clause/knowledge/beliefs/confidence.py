"""Confidence in six dimensions: pure functions, no graph.

overall = exp( sum_i w_i ln max(d_i, .001) / sum_i w_i ) over the dimensions that are there: a weighted geometric mean.
The graph computes the same when it writes (`knowledge/settle`, given these numbers), and counts the sources; a test
holds it to these functions and to tests/reference/source_counts.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
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

VERIFYING_SOURCES = 2
"""Independent sources that verify a belief together, if their corroboration reaches VERIFIED_FROM."""
VERIFIED_FROM = 0.8

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
"""The part that one open tension takes from internal consistency, by severity."""


INFERRED: Final = 0.50
"""The most at which a belief starts that was inferred: nobody asked for it, and nobody saw it."""

CORROBORATED: Final = 2
"""Independent sources from which a belief is corroborated: fewer give no such dimension."""

AUTHOR_LIKENESS: Final = 0.6
"""The likeness of two sites that one author names, before anything else is known of them: the prior of independence.

An author may choose what to name, and invent it, so that each further site counts .4: one is no second source, two are
about one. No figure was measured; the reasons are in docs/decisions/0016-independence-is-earned.md.
"""

MOST_VOICES: Final = 2_000
"""Voices upstream of a belief that are told apart; with more, everyone counts as upstream."""

EVERYONE: Final = "*"
"""The voice that stands for all."""

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
        words: of the source's title and address: sources that share them are less independent.
        recalled: whether the text was recalled from this graph.
        author: who recorded it; None: somebody who recorded nothing else.
        sites: the registered domains of the source's address and of what it copies from.
        derived: whether it was concluded from something that is kept here.
    """

    origin: str
    session: str | None = None
    reliability: float = 0.5
    words: frozenset[str] = frozenset()
    recalled: bool = False
    author: str | None = None
    sites: frozenset[str] = frozenset()
    derived: bool = False

    @property
    def marks(self) -> frozenset[str]:
        """Whatever it shares one of with another makes the two one voice; without a site its author vouches for it.

        >>> sorted(StatementOrigin("src_1", author="owner").marks)
        ['a:owner', 'o:src_1']
        """
        own = {f"s:{self.session}"} if self.session else set()
        vouching = {f"h:{one}" for one in self.sites} or self.authors
        return frozenset({f"o:{self.origin}", *own, *vouching})

    @property
    def authors(self) -> frozenset[str]:
        """Its author as a mark."""
        return frozenset() if self.author is None else frozenset({f"a:{self.author}"})


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


def start_of(signal: Signal, kind: str) -> float:
    """The overall at which a belief starts that came by this signal from a source of this kind.

    >>> start_of("explicit_request", "user_input"), start_of("explicit_request", "inference")
    (0.9, 0.5)
    """
    return min(STARTS[signal], INFERRED) if kind == "inference" else STARTS[signal]


def freshness(age_days: float, half_life_days: float | None) -> float:
    """2^(-age / half-life); 1.0 for what never fades or is not there yet.

    >>> freshness(14, 7), freshness(1e6, None), freshness(-3, 7)
    (0.25, 1.0, 1.0)
    """
    if half_life_days is None or age_days <= 0:
        return 1.0
    return float(2.0 ** (-age_days / half_life_days))


def independences(statements: Sequence[StatementOrigin], upstream: Iterable[str] = ()) -> list[float]:
    """The independence of each statement of the earlier ones and of what the belief was derived from, in [0, 1].

    1 - the highest likeness to an earlier source; 0 for a recalled text, a conclusion, and what shares a voice with an
    earlier statement or with the lineage (`upstream`, the marks of everyone who said something there). The lineage
    counts as one source; beside it an author speaks once, whatever sites it names.

    >>> said = [StatementOrigin("a"), StatementOrigin("a"), StatementOrigin("b"), StatementOrigin("c", recalled=True)]
    >>> independences(said)
    [1.0, 0.0, 1.0, 0.0]
    """
    found: list[float] = []
    apart: list[StatementOrigin] = []
    seen = set(upstream)
    rests = bool(seen)
    below = rests or any(one.derived for one in statements)
    for one in statements:
        value = 0.0
        if not one.recalled:
            marks = one.marks | one.authors if below else one.marks
            bound = one.derived or EVERYONE in seen or bool(marks & seen)
            if not bound:
                value = 1.0 - max((alike(one, other) for other in apart), default=0.0)
            elif rests and not apart:
                value = 1.0
            if value or not bound:
                apart.append(one)
            seen |= marks
        found.append(value)
    return found


def alike(one: StatementOrigin, other: StatementOrigin) -> float:
    """The likeness of two sources: the prior for one author's sites, or the words that they share, if those are more.

    >>> alike(StatementOrigin("a", author="x"), StatementOrigin("b", author="x"))
    0.6
    """
    same = one.author is not None and one.author == other.author
    return max(likeness(one.words, other.words), AUTHOR_LIKENESS if same else 0.0)


def likeness(words: frozenset[str], others: frozenset[str]) -> float:
    """The share of words that two sources have in common (Jaccard); 0.0 for two without words.

    >>> likeness(frozenset({"a", "b"}), frozenset({"b", "c"})).__round__(4)
    0.3333
    """
    union = words | others
    return len(words & others) / len(union) if union else 0.0


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
