"""The harness: asks a system under test every question, and sums up what it answered and what that cost."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log2
from typing import Any, NamedTuple, Protocol, TypedDict

import numpy as np

from clause.evaluation.question_files import GoldQuestion
from clause.telemetry import CountProgress, silent_count


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


def f1(predicted: Iterable[str], gold: Iterable[str]) -> float:
    """Harmonic mean of precision and recall, 2|P ∩ G| / (|P| + |G|); 1 where both are empty.

    >>> f1(["a", "b"], ["b", "c", "d"])
    0.4
    """
    left, right = set(predicted), set(gold)
    if not left and not right:
        return 1.0
    return 2 * len(left & right) / (len(left) + len(right))


def mrr(ranked: Sequence[str], relevant: Collection[str]) -> float:
    """1 / rank of the first relevant item, rank from 1; 0 where none is found.

    >>> mrr(["a", "b", "c"], {"c", "b"})
    0.5
    """
    wanted = set(relevant)
    return next((1 / rank for rank, item in enumerate(ranked, start=1) if item in wanted), 0.0)


def ndcg(ranked: Sequence[str], gains: Mapping[str, float], k: int | None = None) -> float:
    """DCG of the first `k` over the best DCG possible: sum of gain / log2(rank + 1), linear gain, rank from 1.

    `gains` holds the relevance (0 or more) of each item that has one; `k` is all of them by default. 1 where no item
    has a gain above 0. Järvelin and Kekäläinen, ACM TOIS 20(4), 2002.

    >>> round(ndcg(["a", "b"], {"b": 1.0}), 4)
    0.6309
    """
    cut = max(len(ranked), len(gains)) if k is None else k
    ideal = _dcg(sorted(gains.values(), reverse=True)[:cut])
    if ideal == 0:
        return 1.0
    return _dcg([gains.get(item, 0.0) for item in ranked[:cut]]) / ideal


def _dcg(gains: Sequence[float]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def recall_at_k(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Share of `relevant` among the first `k` of `ranked`; 1 where nothing is relevant.

    >>> recall_at_k(["a", "b", "c"], {"a", "c"}, k=2)
    0.5
    """
    wanted = set(relevant)
    if not wanted:
        return 1.0
    return len(wanted.intersection(ranked[:k])) / len(wanted)


__all__ = ["em_at_1", "f1", "mrr", "ndcg", "recall_at_k"]


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """One question, answered.

    Attributes:
        answers: (name, score), best first; empty when the system abstained.
        supported: the names of which a whole path is in the evidence set.
        evidence: the texts of the evidence set, in the order of picking.
        seeds: the names of the seed entities, best first.
        edges, steps, tokens: what was spent.
        edges_read: edges that came out of the store.
        violations: the resources of which more was spent than the budget allows.
        latency_ms: wall time of the answer.
        abstained: whether answers were withheld, or there were none.
        error: the refusal, when the question was one that the system refuses.
    """

    answers: tuple[tuple[str, float], ...] = ()
    supported: frozenset[str] = frozenset()
    evidence: tuple[str, ...] = ()
    seeds: tuple[str, ...] = ()
    edges: int = 0
    steps: int = 0
    tokens: int = 0
    edges_read: int = 0
    violations: tuple[str, ...] = ()
    latency_ms: float = 0.0
    abstained: bool = False
    error: str | None = None


class System(Protocol):
    """Something that answers."""

    @property
    def name(self) -> str:
        """The name in tables."""
        ...

    async def answer(self, question: GoldQuestion) -> AnswerOutcome:
        """Answer one question; an input that the system refuses is an outcome with `error`."""
        ...


class Ceiling(NamedTuple):
    """Mean EM@1 (in expectation) and F1 of a perfect typed walk over `n` questions."""

    n: int
    em_at_1: float
    f1: float


class FigureRow(TypedDict):
    """Figures of one set of questions, in the order in which they are printed. Shares are 0..1."""

    n: int
    em_at_1: float
    f1: float
    edges_mean: float
    steps_mean: float
    tokens_mean: float
    p50_ms: float
    p95_ms: float
    violations: int
    joint_feasible: float
    ceiling_em: float | None
    ceiling_f1: float | None
    supported_em: float
    supported_f1: float
    edges_read_mean: float


async def ask_all(
    system: System,
    questions: Sequence[GoldQuestion],
    *,
    clients: int = 1,
    progress: CountProgress = silent_count,
) -> list[AnswerOutcome]:
    """The outcome of every question, in order; `clients` of them are in flight at a time."""
    outcomes: dict[int, AnswerOutcome] = {}
    waiting = iter(enumerate(questions))

    async def client() -> None:
        for place, question in waiting:
            outcomes[place] = await system.answer(question)
            progress(len(outcomes), len(questions))

    async with asyncio.TaskGroup() as group:
        for _ in range(clients):
            group.create_task(client())
    return [outcomes[place] for place in range(len(questions))]


def summarise(
    questions: Sequence[GoldQuestion], outcomes: Sequence[AnswerOutcome], ceiling: Ceiling | None = None
) -> FigureRow:
    """The figures of one set of questions.

    Raises:
        ValueError: there is no question.
    """
    if not questions:
        raise ValueError("no questions")
    pairs = list(zip(questions, outcomes, strict=True))
    latencies = [outcome.latency_ms for outcome in outcomes]
    return {
        "n": len(questions),
        "em_at_1": mean([em_at_1(outcome.answers, question.answers) for question, outcome in pairs]),
        "f1": mean([f1((name for name, _ in outcome.answers), question.answers) for question, outcome in pairs]),
        "edges_mean": mean([outcome.edges for outcome in outcomes]),
        "steps_mean": mean([outcome.steps for outcome in outcomes]),
        "tokens_mean": mean([outcome.tokens for outcome in outcomes]),
        "p50_ms": round(float(np.percentile(latencies, 50)), 3),
        "p95_ms": round(float(np.percentile(latencies, 95)), 3),
        "violations": sum(len(outcome.violations) for outcome in outcomes),
        "joint_feasible": mean([not outcome.violations for outcome in outcomes]),
        "ceiling_em": None if ceiling is None else round(ceiling.em_at_1, 6),
        "ceiling_f1": None if ceiling is None else round(ceiling.f1, 6),
        "supported_em": mean([supported_em(question, outcome) for question, outcome in pairs]),
        "supported_f1": mean([supported_f1(question, outcome) for question, outcome in pairs]),
        "edges_read_mean": mean([outcome.edges_read for outcome in outcomes]),
    }


def supported_em(question: GoldQuestion, outcome: AnswerOutcome) -> float:
    """EM@1 of the top answer, which is right only when its path is in the evidence set."""
    return em_at_1(outcome.answers, outcome.supported.intersection(question.answers) or _nothing(question))


def supported_f1(question: GoldQuestion, outcome: AnswerOutcome) -> float:
    """F1 of the answers whose path is in the evidence set."""
    return f1((name for name, _ in outcome.answers if name in outcome.supported), question.answers)


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean, to six places.

    >>> mean([True, False, False])
    0.333333
    """
    return round(sum(values) / len(values), 6)


def _nothing(question: GoldQuestion) -> frozenset[str]:
    """The text to compare with when no right answer is supported: equal to no answer, unless abstaining is right."""
    return frozenset({"\0"}) if question.answers else frozenset()


GATE_MEASURES = ("em_at_1", "supported_f1")
GATE_TOLERANCE = 0.002
"""The part of a share that may be lost before it counts as lost: half the spread of two seeds on 1,000 questions."""
GATE_FEWEST = 5
"""Questions without which a gate says nothing."""

Study = Mapping[str, Mapping[str, float]]
"""For each set of questions its measures, by `gate_figures`."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a candidate for the current policy, and every reason against it."""

    passed: bool
    reasons: tuple[str, ...] = ()


def gate(candidate: Mapping[str, Study], current: Mapping[str, Study]) -> Verdict:
    """A candidate must lose neither EM@1 nor supported F1 on any set, and must keep every budget; and something must
    have been measured: enough questions, of which one at least is answered rightly by either side.

    Args:
        candidate, current: for each setting of budgets, the study of one policy on the same questions.

    >>> same = {"ample": {"1": {"n": 9, "em_at_1": 0.9, "supported_f1": 0.9, "joint_feasible": 1.0, "right": 0.9}}}
    >>> gate(same, same)
    Verdict(passed=True, reasons=())
    """
    reasons = []
    for setting, sets in candidate.items():
        for name, found in sets.items():
            before = current[setting][name]
            where = f"set {name} ({setting} budgets)"
            reasons += [
                f"{measure} on {where} falls from {before[measure]:.4f} to {found[measure]:.4f}"
                for measure in GATE_MEASURES
                if found[measure] < before[measure] - GATE_TOLERANCE
            ]
            if found["joint_feasible"] < 1.0:
                reasons.append(f"{1 - found['joint_feasible']:.2%} of the answers on {where} exceed a budget")
    first = next(iter(candidate))
    nothing = _nothing_measured([*candidate[first].values()], [*current[first].values()])
    return Verdict(not reasons and nothing is None, (*([nothing] if nothing else []), *reasons))


def _nothing_measured(candidate: Sequence[Mapping[str, float]], current: Sequence[Mapping[str, float]]) -> str | None:
    n = int(sum(one["n"] for one in candidate))
    both = [*candidate, *current]
    if n < GATE_FEWEST:
        return f"the gate has {n} questions and needs {GATE_FEWEST}"
    if not any(one["right"] for one in both):
        why = "neither policy answers any rightly" if any(one.get("answered") for one in both) else "none was answered"
        if not any(one.get("named", 1) for one in both):
            why = "none of them names anything in this scope"
        return f"the gate measured nothing: of its {n} questions {why}"
    return None


def gate_figures(asked: Sequence[GoldQuestion], found: Sequence[AnswerOutcome]) -> dict[str, Any]:
    """The figures of one set of a gate: what is withheld is no answer. Beside them the shares of questions that name
    something, are answered, and rightly so."""
    stood_by = [replace(one, answers=()) if one.abstained else one for one in found]
    pairs = list(zip(asked, stood_by, strict=True))
    right = sum(bool(one.answers) and em_at_1(one.answers, question.answers) > 0 for question, one in pairs)
    shares = {
        "named": sum(bool(one.seeds) for one in found),
        "answered": sum(bool(one.answers) for one in stood_by),
        "right": right,
    }
    return {**summarise(asked, stood_by), **{name: count / len(asked) for name, count in shares.items()}}
