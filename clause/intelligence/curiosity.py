"""Curiosity: hops that came out otherwise than expected (spec: intelligence.md).

    error = |expected - realised|                       all three in [0, 1]
    realised = clip((gain - LOW) / (HIGH - LOW), 0, 1)  gain = best cosine of the question and the units that the hop
                                                        reached, less the best before it
    expected = what the critic foretold of the hop (`clause.policy.serve.observations`); else what the policy said of it
               before it was taken, where it judges hops one by one (the heuristic's step score); else the running
               mean of `realised` for that relationship type and direction

LOW and HIGH are the 5th and 95th percentile of gains on MetaQA dev. Running means are kept in the graph, on the
relationship types: the same graph expects the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from clause.intelligence.models import PlannedQuestion
from clause.text.names import hashed

LOW, HIGH = -0.29, 0.14
"""The range of gains seen on MetaQA dev: 5th and 95th percentile (`clause evaluate curiosity` prints them)."""
PRIOR_MEAN, PRIOR_COUNT = 0.6, 3
"""The gain expected of a type without history, and the hops that this belief is worth."""
HIGH_PRIORITY = 0.8
"""Errors above this are investigated first."""


@dataclass(frozen=True, slots=True)
class RunningMean:
    """Count and sum of what hops of one type and direction realised.

    >>> RunningMean(97, 97 * 0.5).expected
    0.503
    """

    count: int = 0
    total: float = 0.0

    @property
    def expected(self) -> float:
        """The mean, drawn towards the prior while there is little history."""
        return (PRIOR_COUNT * PRIOR_MEAN + self.total) / (PRIOR_COUNT + self.count)

    def plus(self, other: RunningMean) -> RunningMean:
        """Both histories as one."""
        return RunningMean(self.count + other.count, self.total + other.total)


@dataclass(frozen=True, slots=True)
class Surprise:
    """One hop: the concept it was taken from, what was expected of it and what it gave."""

    concept: str
    name: str
    relation: str
    forward: bool
    expected: float
    realised: float

    @property
    def error(self) -> float:
        """The prediction error, in [0, 1].

        >>> round(Surprise("a", "A", "r", True, 0.9, 0.2).error, 9)
        0.7
        """
        return abs(self.expected - self.realised)


def realised(gain: float) -> float:
    """A gain in cosine on the scale of [0, 1].

    >>> realised(LOW), realised(HIGH), realised(9.0)
    (0.0, 1.0, 1.0)
    """
    return min(1.0, max(0.0, (gain - LOW) / (HIGH - LOW)))


def trigger_rows(
    surprises: Iterable[Surprise],
    *,
    threshold: float,
    question: str,
    scope: str,
    scopes: Sequence[str],
    at: datetime,
) -> list[dict[str, Any]]:
    """Rows of intelligence/write_triggers for the hops above the threshold, each concept once, by id."""
    rows: dict[str, dict[str, Any]] = {}
    for surprise in surprises:
        if surprise.error <= threshold:
            continue
        key = hashed("cur_", scope, surprise.concept, question)
        if key in rows and rows[key]["error_magnitude"] >= surprise.error:
            continue
        rows[key] = {
            "id": key,
            "scope": scope,
            "scopes": [*scopes],
            "trigger_type": "prediction_error",
            "concept": surprise.name,
            "concept_id": surprise.concept,
            "relation": surprise.relation,
            "question": question,
            "error_magnitude": surprise.error,
            "expected": surprise.expected,
            "realised": surprise.realised,
            "priority": "high" if surprise.error > HIGH_PRIORITY else "normal",
            "created_at": at,
        }
    return [rows[key] for key in sorted(rows)]


def gain_rows(surprises: Iterable[Surprise]) -> list[dict[str, Any]]:
    """Rows of intelligence/add_gains: deltas for each relationship type, by name.

    >>> gain_rows([Surprise("a", "A", "r", True, 0.5, 0.25), Surprise("b", "B", "r", True, 0.5, 0.5)])
    [{'name': 'r', 'forward_count': 2, 'forward_sum': 0.75, 'inverse_count': 0, 'inverse_sum': 0.0}]
    """
    rows: dict[str, dict[str, Any]] = {}
    for surprise in surprises:
        empty = {
            "name": surprise.relation,
            "forward_count": 0,
            "forward_sum": 0.0,
            "inverse_count": 0,
            "inverse_sum": 0.0,
        }
        row = rows.setdefault(surprise.relation, empty)
        way = "forward" if surprise.forward else "inverse"
        row[f"{way}_count"] += 1
        row[f"{way}_sum"] += surprise.realised
    return [rows[name] for name in sorted(rows)]


def merged_gains(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Deltas of several runs as one, by name."""
    merged: dict[str, dict[str, Any]] = {}
    for row in rows:
        known = merged.setdefault(row["name"], {**row, **dict.fromkeys([key for key in row if key != "name"], 0)})
        for key in row:
            if key != "name":
                known[key] += row[key]
    return [merged[name] for name in sorted(merged)]


AGAIN = 0.5
"""The share of its own gain that a question has left where the plan asks about its subject already."""


def chosen_of(gaps: Iterable[PlannedQuestion], budget: int) -> tuple[list[PlannedQuestion], list[PlannedQuestion]]:
    """(the best within the budget, the rest): greedy, since a gain can only shrink by what is chosen before it."""
    rest = list(gaps)
    chosen: list[PlannedQuestion] = []
    asked: dict[str, int] = {}
    while rest and len(chosen) < budget:
        worth = [gap.gain * AGAIN ** max((asked.get(node, 0) for node in gap.about), default=0) for gap in rest]
        place = max(range(len(rest)), key=lambda at: (worth[at], -at))
        gap = rest.pop(place)
        chosen.append(gap.model_copy(update={"gain": worth[place]}))
        for node in gap.about:
            asked[node] = asked.get(node, 0) + 1
    return chosen, rest
