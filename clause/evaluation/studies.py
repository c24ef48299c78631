"""The studies behind `clause evaluate`: each asks a system and answers with one JSON-ready object."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import chain
from typing import Any

from clause.evaluation.abstaining import abstaining, answerable, calibrate, unanswerable
from clause.evaluation.bootstrap import paired_bootstrap
from clause.evaluation.ceiling import ceiling
from clause.evaluation.harness import Progress, ask_all, mean, summarise, supported_em, supported_f1
from clause.evaluation.metrics import em_at_1, f1, recall_at_k
from clause.evaluation.questions import Question
from clause.evaluation.system import Outcome, System
from clause.evaluation.triples import TripleGraph

Sets = Mapping[str, Sequence[Question]]
"""Questions by hop."""

SILENT: Progress = lambda _done, _total: None  # noqa: E731 -- a default, named once

MEASURES: Mapping[str, Callable[[Question, Outcome], float]] = {
    "em_at_1": lambda question, outcome: em_at_1(outcome.answers, question.answers),
    "f1": lambda question, outcome: f1((name for name, _ in outcome.answers), question.answers),
    "supported_em": supported_em,
    "supported_f1": supported_f1,
}


async def metaqa_study(
    system: System, sets: Sets, graph: TripleGraph, *, clients: int, command: str, progress: Progress = SILENT
) -> dict[str, Any]:
    """EM@1, F1 and spend of one system for each hop, beside the ceilings on `graph`."""
    hops = {}
    for hop, questions in sets.items():
        outcomes = await ask_all(system, questions, clients=clients, progress=progress)
        hops[hop] = summarise(questions, outcomes, ceiling(graph, questions))
    total = sum(map(len, sets.values()))
    return {"dataset": "metaqa", "policy": system.name, "n": total, "hops": hops, "command": command}


async def comparison_study(
    first: System, second: System, sets: Sets, *, clients: int, command: str, progress: Progress = SILENT
) -> dict[str, Any]:
    """Mean difference first - second of each measure for each hop, with its paired bootstrap interval (95 %)."""
    hops: dict[str, Any] = {}
    for hop, questions in sets.items():
        ours = await ask_all(first, questions, clients=clients, progress=progress)
        theirs = await ask_all(second, questions, clients=clients, progress=progress)
        hops[hop] = {"n": len(questions)} | {
            name: paired_bootstrap(list(map(measure, questions, ours)), list(map(measure, questions, theirs)))._asdict()
            for name, measure in MEASURES.items()
        }
    return {"dataset": "metaqa", "policy": first.name, "against": second.name, "hops": hops, "command": command}


async def abstaining_study(
    system: System, sets: Sets, graph: TripleGraph, *, each: int = 200, seed: int = 0, clients: int = 1, command: str
) -> dict[str, Any]:
    """Precision and recall of abstaining on `each` unanswerable and `each` answerable questions.

    `as_served` counts the service's own abstentions. The threshold is calibrated on every second question and reported
    on the others.
    """
    pooled = list(chain.from_iterable(sets.values()))
    questions = [*unanswerable(graph, pooled, each, seed), *answerable(pooled, each, seed)]
    outcomes = await ask_all(system, questions, clients=clients)
    has_answer = [bool(question.answers) for question in questions]
    scores = [max((score for _, score in outcome.answers), default=-1.0) for outcome in outcomes]
    threshold = calibrate(scores[::2], has_answer[::2]).threshold
    held_out = abstaining(scores[1::2], has_answer[1::2], threshold)
    served = abstaining([-1.0 if outcome.abstained else 1.0 for outcome in outcomes], has_answer, 0.0)
    return {
        "dataset": "metaqa",
        "policy": system.name,
        "unanswerable": has_answer.count(False),
        "answerable": has_answer.count(True),
        "as_served": {"precision": served.precision, "recall": served.recall},
        "calibrated": {"threshold": threshold, "precision": held_out.precision, "recall": held_out.recall},
        "command": command,
    }


FindSeeds = Callable[[str], Awaitable[Sequence[str]]]
"""A question's text -> the names of its seed entities, best first."""


class SeedSystem:
    """Seed finding as a system: the outcome has seeds and nothing else."""

    name = "seeds"

    def __init__(self, find: FindSeeds) -> None:
        self._find = find

    async def answer(self, question: Question) -> Outcome:
        """The seeds of one question."""
        return Outcome(seeds=tuple(await self._find(question.text)))


async def seeds_study(
    find: FindSeeds, sets: Sets, *, clients: int, command: str, progress: Progress = SILENT
) -> dict[str, Any]:
    """How often the bracketed entity is the first seed, and among the first three, from the text alone."""
    hops: dict[str, Any] = {}
    pooled: list[tuple[Question, Outcome]] = []
    for hop, questions in sets.items():
        named = [question for question in questions if question.entity is not None]
        outcomes = await ask_all(SeedSystem(find), named, clients=clients, progress=progress)
        pooled += zip(named, outcomes, strict=True)
        hops[hop] = _seed_row(list(zip(named, outcomes, strict=True)))
    return {"dataset": "metaqa", "n": len(pooled), "hops": hops, "pooled": _seed_row(pooled), "command": command}


def _seed_row(pairs: Sequence[tuple[Question, Outcome]]) -> dict[str, float]:
    def among(first: int) -> float:
        return mean([question.entity in outcome.seeds[:first] for question, outcome in pairs])

    return {"n": len(pairs), "first": among(1), "top_3": among(3), "top_8": among(8)}


Retrieve = Callable[[str], Awaitable[Sequence[str]]]
"""A question's text -> passage titles, best first."""


async def passages_study(
    retrievers: Mapping[str, Retrieve],
    questions: Sequence[Question],
    *,
    k: int = 5,
    command: str,
    progress: Progress = SILENT,
) -> dict[str, Any]:
    """Evidence recall@k of each retriever: the share of a question's gold titles among its first k different ones."""
    recalls: dict[str, list[float]] = {name: [] for name in retrievers}
    for done, question in enumerate(questions, start=1):
        for name, retrieve in retrievers.items():
            recalls[name].append(recall_at_k(_distinct(await retrieve(question.text)), question.titles, k))
        progress(done, len(questions))
    return {
        "dataset": "2wikimultihopqa",
        "n": len(questions),
        "k": k,
        "evidence_recall": {name: mean(values) for name, values in recalls.items()},
        "command": command,
    }


def _distinct(titles: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(titles))
