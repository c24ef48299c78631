"""Ask a system every question, and sum up what it answered and what that cost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TypedDict

import numpy as np

from clause.evaluation.ceiling import Ceiling
from clause.evaluation.metrics import em_at_1, f1
from clause.evaluation.questions import Question
from clause.evaluation.system import Outcome, System

Progress = Callable[[int, int], None]


class Row(TypedDict):
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
    questions: Sequence[Question],
    *,
    clients: int = 1,
    progress: Progress = lambda _done, _total: None,
) -> list[Outcome]:
    """The outcome of every question, in order; `clients` of them are in flight at a time."""
    outcomes: dict[int, Outcome] = {}
    waiting = iter(enumerate(questions))

    async def client() -> None:
        for place, question in waiting:
            outcomes[place] = await system.answer(question)
            progress(len(outcomes), len(questions))

    async with asyncio.TaskGroup() as group:
        for _ in range(clients):
            group.create_task(client())
    return [outcomes[place] for place in range(len(questions))]


def summarise(questions: Sequence[Question], outcomes: Sequence[Outcome], ceiling: Ceiling | None = None) -> Row:
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


def supported_em(question: Question, outcome: Outcome) -> float:
    """EM@1 of the top answer, which is right only when its path is in the evidence set."""
    return em_at_1(outcome.answers, outcome.supported.intersection(question.answers) or _nothing(question))


def supported_f1(question: Question, outcome: Outcome) -> float:
    """F1 of the answers whose path is in the evidence set."""
    return f1((name for name, _ in outcome.answers if name in outcome.supported), question.answers)


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean, to six places.

    >>> mean([True, False, False])
    0.333333
    """
    return round(sum(values) / len(values), 6)


def _nothing(question: Question) -> frozenset[str]:
    """What to compare with when no right answer is supported: never equal to an answer, unless abstaining is right."""
    return frozenset({"\0"}) if question.answers else frozenset()
