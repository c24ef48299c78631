"""How well curiosity tells wrong answers from right ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clause.errors import BadInputError, NotFoundError
from clause.evaluation.metrics import em_at_1
from clause.evaluation.playing import NO_PRICES, Stage, read_episode
from clause.evaluation.questions import Question
from clause.intelligence.curiosity import RunningMean, Surprise, gain_rows
from clause.reasoning.budget import Budgets
from clause.reasoning.considered import taken
from clause.reasoning.neighbourhood import NeighbourhoodPort, RelationshipType
from clause.reasoning.policy import Policy
from clause.reasoning.surprises import read_vectors, surprises_of

THRESHOLDS = (0.3, 0.5, 0.7)
RESAMPLES = 2_000


@dataclass(frozen=True, slots=True)
class Asked:
    """One question's prediction errors, those of running means beside them, and whether its first answer is wrong."""

    errors: tuple[float, ...]
    of_means: tuple[float, ...]
    wrong: bool

    @property
    def error(self) -> float:
        """The largest of its errors."""
        return max(self.errors, default=0.0)


async def curiosity_study(
    stage: Stage,
    port: NeighbourhoodPort,
    policy: str,
    sets: Mapping[str, Sequence[Question]],
    budgets: Budgets,
    *,
    command: str,
) -> dict[str, Any]:
    """Prediction errors of a policy's hops on questions: their distribution, what fires, and the AUC of "is wrong".

    Running means begin empty and learn from question to question, as they do in service. What they alone would have
    expected stands beside what was expected.
    """
    history: dict[tuple[str, bool], RunningMean] = defaultdict(RunningMean)
    asked: list[Asked] = []
    judge = stage.coordinator.policies[policy]
    for questions in sets.values():
        for question in questions:
            one = await _ask(stage, port, judge, question, budgets=budgets, history=history)
            if one is not None:
                asked.append(one)
    wrong = [one.error for one in asked if one.wrong]
    right = [one.error for one in asked if not one.wrong]
    errors = [error for one in asked for error in one.errors]
    of_means = [max(one.of_means, default=0.0) for one in asked]
    low, high = auc_interval(wrong, right)
    return {
        "policy": policy,
        "n": len(asked),
        "wrong": len(wrong),
        "hops": len(errors),
        "mean_error": mean(errors),
        "running_means": {
            "mean_error": mean([error for one in asked for error in one.of_means]),
            "firing": {str(threshold): rate(of_means, threshold) for threshold in THRESHOLDS},
        },
        "error_quantiles": {str(q): round(float(np.quantile(errors, q)), 3) for q in (0.05, 0.25, 0.5, 0.75, 0.95)}
        if errors
        else {},
        "firing": {
            str(threshold): {"all": rate([*wrong, *right], threshold), "wrong": rate(wrong, threshold),
                             "right": rate(right, threshold)}
            for threshold in THRESHOLDS
        },
        "auc": auc(wrong, right),
        "auc_low": low,
        "auc_high": high,
        "command": command,
    }  # fmt: skip


def rate(errors: Sequence[float], threshold: float) -> float | None:
    """The share of questions whose largest error is above a threshold; None where there is no question.

    >>> rate([0.2, 0.9], 0.5)
    0.5
    """
    return round(sum(error > threshold for error in errors) / len(errors), 4) if errors else None


def mean(errors: Sequence[float]) -> float | None:
    """The mean of some errors; None where there is none.

    >>> mean([0.25, 0.5])
    0.375
    """
    return round(float(np.mean(errors)), 4) if errors else None


def auc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """The chance that a positive scores above a negative, ties half (Mann and Whitney, 1947); None where one is empty.

    >>> auc([0.9, 0.4], [0.1, 0.4])
    0.875
    """
    if not positive or not negative:
        return None
    return round(float(_auc(np.asarray(positive), np.asarray(negative))), 4)


def auc_interval(
    positive: Sequence[float], negative: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[float | None, float | None]:
    """The 95 % percentile interval of `auc`, both groups drawn anew with replacement."""
    if not positive or not negative:
        return None, None
    rng = np.random.default_rng(seed)
    one, other = np.asarray(positive), np.asarray(negative)
    values = [_auc(rng.choice(one, one.size), rng.choice(other, other.size)) for _ in range(resamples)]
    low, high = np.quantile(values, [0.025, 0.975])
    return round(float(low), 4), round(float(high), 4)


def _auc(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> float:
    ordered = np.sort(other)
    below, upto = np.searchsorted(ordered, one, "left"), np.searchsorted(ordered, one, "right")
    return float((below + upto).mean() / (2 * other.size))


async def _ask(
    stage: Stage,
    port: NeighbourhoodPort,
    judge: Policy,
    question: Question,
    *,
    budgets: Budgets,
    history: dict[tuple[str, bool], RunningMean],
) -> Asked | None:
    try:
        asked = await stage.ask(question, NO_PRICES)
    except (BadInputError, NotFoundError):
        return None
    finished = await stage.coordinator.play(asked, judge, budgets)
    hops = taken(finished.episode)
    if not hops:
        return None
    await read_vectors(port, hops, asked.question)
    expecting = asked.question
    expecting.relationship_types = _with_history(expecting.relationship_types, history)
    judged = bool(getattr(judge, "judges_hops", False))
    foresights = getattr(finished.agents, "foresights", ())
    surprises = surprises_of(hops, finished.episode, expecting, judged=judged, foresights=foresights)
    of_means = surprises_of(hops, finished.episode, expecting, judged=False)
    _remember(surprises, history)
    answers = read_episode(finished, 0.0).answers
    return Asked(
        tuple(surprise.error for surprise in surprises),
        tuple(surprise.error for surprise in of_means),
        not em_at_1(answers, question.answers),
    )


def _with_history(
    types: Mapping[str, RelationshipType], history: Mapping[tuple[str, bool], RunningMean]
) -> dict[str, RelationshipType]:
    return {
        name: replace(kind, gains={way: history.get((name, way), RunningMean()) for way in (True, False)})
        for name, kind in types.items()
    }


def _remember(surprises: Sequence[Surprise], history: dict[tuple[str, bool], RunningMean]) -> None:
    for row in gain_rows(surprises):
        for way, forward in (("forward", True), ("inverse", False)):
            more = RunningMean(row[f"{way}_count"], row[f"{way}_sum"])
            history[row["name"], forward] = history[row["name"], forward].plus(more)
