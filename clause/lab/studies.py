"""The studies behind `clause evaluate`: each asks a system, unanswerable questions too, and gives one JSON-ready
object. The ceilings beside their figures are those of a perfect typed walk."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import replace
from itertools import chain, cycle
from math import nextafter
from typing import Any, NamedTuple

import numpy as np

from clause.arrays import Floats
from clause.evaluation.frontier import paired_bootstrap
from clause.evaluation.harness import (
    AnswerOutcome,
    Ceiling,
    System,
    ask_all,
    em_at_1,
    f1,
    mean,
    summarise,
    supported_em,
    supported_f1,
)
from clause.evaluation.question_files import GoldQuestion, type_pattern
from clause.policy.train.lessons import TypedWalks
from clause.reasoning.neighbourhood.port import Hop
from clause.telemetry import CountProgress, silent_count
from clause.text.bert import Tokens
from clause.text.embedder import Embedder
from clause.workers import RayPool

PEOPLE = tuple(Hop(relation, False) for relation in ("directed_by", "starred_actors", "written_by"))


class AbstentionFigures(NamedTuple):
    """The figures of a threshold: of the questions abstained from, the share that had no answer, and the reverse."""

    threshold: float
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Harmonic mean of the two."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def unanswerable(graph: TypedWalks, questions: Sequence[GoldQuestion], count: int, seed: int = 0) -> list[GoldQuestion]:
    """`count` questions that have no answer: a question's entity replaced by one without that relationship.

    The replacement is of the same side (a film for a film, a person for a person or tag), is in the graph, and the
    type's walk from it is empty. Needs questions with a type and a topic entity.
    """
    rng = random.Random(seed)  # noqa: S311 -- a reproducible draw
    films = [node for node in graph.nodes if graph.leaves(node, Hop("directed_by", True))]
    people = [node for node in graph.nodes if any(graph.leaves(node, hop) for hop in PEOPLE)]
    found: list[GoldQuestion] = []
    for question in rng.sample(list(questions), len(questions)):
        if len(found) == count:
            break
        if question.kind is None or question.entity is None or question.entity not in question.text:
            continue
        pattern = type_pattern(question.kind)
        pool = films if pattern[0].forward else people
        stranger = next((node for node in rng.sample(pool, min(50, len(pool))) if not graph.ends(node, pattern)), None)
        if stranger is not None:
            text = question.text.replace(question.entity, stranger, 1)
            found.append(replace(question, text=text, answers=(), entity=stranger))
    return found


def answerable(questions: Sequence[GoldQuestion], count: int, seed: int = 0) -> list[GoldQuestion]:
    """`count` of the questions, drawn with the seed."""
    rng = random.Random(seed)  # noqa: S311 -- a reproducible draw
    return rng.sample(list(questions), min(count, len(questions)))


def abstaining(best_scores: Sequence[float], has_answer: Sequence[bool], threshold: float) -> AbstentionFigures:
    """Precision and recall of abstaining when the best score of a question is below `threshold`.

    A question without any answer has the score -1, so that every threshold abstains from it. With nothing to abstain
    from, or nothing abstained from, the share is 1.

    >>> abstaining([-1.0, 0.2, 0.9], [False, False, True], threshold=0.5)
    AbstentionFigures(threshold=0.5, precision=1.0, recall=1.0)
    """
    below = [score < threshold for score in best_scores]
    right = sum(low and not answered for low, answered in zip(below, has_answer, strict=True))
    without = sum(not answered for answered in has_answer)
    return AbstentionFigures(threshold, right / sum(below) if any(below) else 1.0, right / without if without else 1.0)


def calibrate(best_scores: Sequence[float], has_answer: Sequence[bool]) -> AbstentionFigures:
    """The threshold with the best F1 of abstaining; the lowest of those that tie. 0 stands for "no answers at all"."""
    thresholds = sorted({0.0, *(nextafter(score, 2.0) for score in best_scores if score >= 0)})
    return max((abstaining(best_scores, has_answer, threshold) for threshold in thresholds), key=lambda found: found.f1)


Sets = Mapping[str, Sequence[GoldQuestion]]
"""Questions by hop."""

MEASURES: Mapping[str, Callable[[GoldQuestion, AnswerOutcome], float]] = {
    "em_at_1": lambda question, outcome: em_at_1(outcome.answers, question.answers),
    "f1": lambda question, outcome: f1((name for name, _ in outcome.answers), question.answers),
    "supported_em": supported_em,
    "supported_f1": supported_f1,
}


class Answerer:
    """A system in a process of a Ray cluster: opened when it is first asked, and kept."""

    def __init__(self, opening: Callable[[], AbstractAsyncContextManager[System]]) -> None:
        self._opening, self._lock = opening, asyncio.Lock()
        self._open = AsyncExitStack()  # holds what is open: nobody closes it, it ends with the process
        self._system: System | None = None

    async def answer(self, question: GoldQuestion) -> AnswerOutcome:
        """Answer one question."""
        async with self._lock:
            if self._system is None:
                self._system = await self._open.enter_async_context(self._opening())
        return await self._system.answer(question)


class SpreadSystem:
    """A system whose questions are answered by processes of a Ray cluster, in turn.

    Args:
        name: in tables.
        opening: opens the system; called in each process.
        cluster: whose processes.
        clients: questions in flight at a time; no more processes than that are made.
    """

    def __init__(
        self, name: str, opening: Callable[[], AbstractAsyncContextManager[System]], cluster: RayPool, clients: int
    ) -> None:
        self.name = name
        self._turns = cycle(cluster.actors(Answerer, clients, opening))

    async def answer(self, question: GoldQuestion) -> AnswerOutcome:
        """Answer one question."""
        outcome: AnswerOutcome = await next(self._turns).answer.remote(question)
        return outcome


async def metaqa_study(
    system: System, sets: Sets, graph: TypedWalks, *, clients: int, command: str, progress: CountProgress = silent_count
) -> dict[str, Any]:
    """EM@1, F1 and spend of one system for each hop, beside the ceilings on `graph`."""
    hops = {}
    for hop, questions in sets.items():
        outcomes = await ask_all(system, questions, clients=clients, progress=progress)
        hops[hop] = summarise(questions, outcomes, ceiling(graph, questions))
    total = sum(map(len, sets.values()))
    return {"dataset": "metaqa", "policy": system.name, "n": total, "hops": hops, "command": command}


async def comparison_study(
    first: System, second: System, sets: Sets, *, clients: int, command: str, progress: CountProgress = silent_count
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
    system: System, sets: Sets, graph: TypedWalks, *, each: int = 200, seed: int = 0, clients: int = 1, command: str
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

    async def answer(self, question: GoldQuestion) -> AnswerOutcome:
        """The seeds of one question."""
        return AnswerOutcome(seeds=tuple(await self._find(question.text)))


async def seeds_study(
    find: FindSeeds, sets: Sets, *, clients: int, command: str, progress: CountProgress = silent_count
) -> dict[str, Any]:
    """The share of questions whose bracketed entity is the first seed, or among the first three, by the text."""
    hops: dict[str, Any] = {}
    pooled: list[tuple[GoldQuestion, AnswerOutcome]] = []
    for hop, questions in sets.items():
        named = [question for question in questions if question.entity is not None]
        outcomes = await ask_all(SeedSystem(find), named, clients=clients, progress=progress)
        pooled += zip(named, outcomes, strict=True)
        hops[hop] = _seed_row(list(zip(named, outcomes, strict=True)))
    return {"dataset": "metaqa", "n": len(pooled), "hops": hops, "pooled": _seed_row(pooled), "command": command}


def _seed_row(pairs: Sequence[tuple[GoldQuestion, AnswerOutcome]]) -> dict[str, float]:
    def among(first: int) -> float:
        return mean([question.entity in outcome.seeds[:first] for question, outcome in pairs])

    return {"n": len(pairs), "first": among(1), "top_3": among(3), "top_8": among(8)}


def ceiling(graph: TypedWalks, questions: Sequence[GoldQuestion]) -> Ceiling | None:
    """The ceiling of `questions`; None where one of them has no type or no topic entity.

    The walk follows the type's pattern from the topic entity, the whole front at each hop, never back onto that entity;
    all its ends tie, so EM@1 is the share of them that are gold.
    """
    scores = [_score(graph, question) for question in questions]
    known = [score for score in scores if score is not None]
    if not known or len(known) < len(scores):
        return None
    return Ceiling(len(known), sum(em for em, _ in known) / len(known), sum(share for _, share in known) / len(known))


def _score(graph: TypedWalks, question: GoldQuestion) -> tuple[float, float] | None:
    if question.kind is None or question.entity is None:
        return None
    ends = graph.ends(question.entity, type_pattern(question.kind))
    return em_at_1([(end, 1.0) for end in ends], question.answers), f1(ends, question.answers)


class RememberingEmbedder:
    """An embedder that makes each vector once, for asking the same questions under many budgets."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, Floats] = {}

    @property
    def model(self) -> str:
        """The model's name."""
        return self._embedder.model

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self._embedder.dimension

    async def warm(self) -> None:
        """As the embedder does."""
        await self._embedder.warm()

    async def embed(self, texts: Sequence[str]) -> Floats:
        """Unit vectors [n, d]."""
        unknown = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if unknown:
            self._vectors.update(zip(unknown, await self._embedder.embed(unknown), strict=True))
        return np.array([self._vectors[text] for text in texts], dtype=np.float32).reshape(-1, self.dimension)

    async def embed_tokens(self, texts: Sequence[str]) -> Sequence[Tokens]:
        """As the embedder does."""
        return await self._embedder.embed_tokens(texts)

    async def embed_query(self, text: str) -> Floats:
        """The unit vector [d] of one text."""
        vector: Floats = (await self.embed([text]))[0]
        return vector
