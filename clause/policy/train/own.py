"""Own questions: what they teach the shipped reader on their graph, and what is kept aside for the gate.

A few questions can teach little, and do no harm: how far the reader may move is chosen by questions left out of its own
fit (`clause.policy.train.encoder.teach`), and where none of it helps them it stays as it is.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file

from clause.arrays import Floats
from clause.errors import BadInputError
from clause.evaluation.question_files import GoldQuestion
from clause.policy.serve.checkpoint import digest
from clause.policy.serve.grounded import GroundedPolicy, PatternRates, offset_of, shipped, wordings
from clause.policy.serve.pattern_scorer import TAUGHT, PatternScorer, TaughtScorer
from clause.policy.train.encoder import LessonTable, ReaderLesson, Taught, TeachingReport, teach
from clause.policy.train.lessons import LessonBook
from clause.reasoning.agents.policy import Question
from clause.reasoning.question import patterns
from clause.reasoning.question.candidates import QuestionContext
from clause.reasoning.question.forms import parse
from clause.reasoning.question.grounding import GraphReads, texts_of, vocabulary_of
from clause.reasoning.question.pattern_text import pattern_text

FEWEST, MOST = 20, 100_000
"""Questions that teach."""
_READ = patterns.ReadBounds(beam=24, patterns=600, sample=12, sample_edges=32)
_CANDIDATES = 64
_JUDGED = 400  # questions that tell how sure the reader may be

Asked = Callable[[GoldQuestion], Awaitable[Question]]
"""Prepares a question on the graph that is trained on."""


def set_aside(questions: Sequence[GoldQuestion], seed: int) -> tuple[list[GoldQuestion], list[GoldQuestion]]:
    """The questions that teach, and a quarter (5 to 200) that the gate asks instead.

    Raises:
        BadInputError: there are fewer than 20 or more than 100,000.

    >>> [len(part) for part in set_aside([GoldQuestion(str(n), ("a",)) for n in range(20)], 0)]
    [15, 5]
    """
    if not FEWEST <= len(questions) <= MOST:
        raise BadInputError(
            f"{len(questions)} questions cannot be trained on", field="questions", bound=f"{FEWEST} to {MOST:,}"
        )
    order = np.random.default_rng(seed).permutation(len(questions)).tolist()
    aside = min(200, max(5, len(questions) // 4))
    return [questions[place] for place in sorted(order[aside:])], [questions[place] for place in sorted(order[:aside])]


async def lessons_of(gold: GoldQuestion, question: Question, scorer: PatternScorer) -> list[ReaderLesson]:
    """What a question teaches: for each way to mask its topic, which patterns lead to its answers and to nothing else.

    Only the shortest of them; none where no pattern does, or the question asks for more than things.
    """
    reads, types = GraphReads(question), question.relationship_types
    parsed = parse(reads.text, reads.mentions, vocabulary_of(types, texts_of(types)))
    if parsed.kind != "list" or not gold.answers:
        return []
    own = wordings(types)
    rates = PatternRates(scorer, own)

    async def rated(rank: patterns.Rank) -> Sequence[float]:
        return patterns.best_scores(rank, rates)

    context, lessons = QuestionContext(parsed, reads, _READ), []
    for clause in parsed.clauses:
        for meaning in context.meanings(clause.topic):
            steps = patterns.enumerate_patterns((meaning.id,), clause.questions, _READ)
            found = await patterns.drive_async(steps, reads.read, rated)
            right = [one for one in found if _leads_to(one, set(gold.answers), reads)]
            least = min((len(one.pattern) for one in right), default=0)
            best = [one for one in right if len(one.pattern) == least]
            others = [one for one in found if one not in right][: _CANDIDATES - 1]
            if best and others:
                texts = tuple(pattern_text(one.pattern, own) for one in (*best, *others))
                for masked in clause.questions:
                    scores = tuple(scorer.score_texts(masked, texts).tolist())
                    lessons.append(ReaderLesson(masked, texts, scores, tuple(range(len(best)))))
    return lessons


def _leads_to(one: patterns.FoundPattern, answers: set[str], reads: GraphReads) -> bool:
    ends = {reads.name(end) for end in one.ends}
    return ends <= answers if one.more else ends == answers


@dataclass(frozen=True, slots=True)
class OwnRun:
    """A training on own questions: its state is kept in `folder`, and the checkpoint `policy` at its end.

    Args:
        embedder: of the graph, its model and dimension.
        resume: goes on where a killed run stopped, to the same end.
        about: what else the checkpoint's JSON tells.
    """

    folder: Path
    embedder: tuple[str, int]
    report: TeachingReport
    seed: int = 0
    resume: bool = False
    about: Mapping[str, Any] = field(default_factory=dict)

    async def train(self, questions: Sequence[GoldQuestion], ask: Asked, data: str) -> dict[str, Any]:
        """Read the questions on the graph that `data` stands for, teach the reader, write the checkpoint; its metrics.

        Raises:
            BadInputError: too few or too many questions, or none of them teaches anything.
            ConflictError: as `LessonBook`.
        """
        (teaching, aside), scorer = set_aside(questions, self.seed), shipped()
        told = [data, scorer.fingerprint, str(self.seed), *(repr((one.text, one.answers)) for one in teaching)]
        fingerprint = hashlib.sha256("\n".join(told).encode()).hexdigest()[:16]
        book = LessonBook(self.folder, fingerprint, resume=self.resume)
        for place in range(len(book.lessons), len(teaching)):
            book.add(await lessons_of(teaching[place], await ask(teaching[place]), scorer))
            self.report("reading", place + 1, len(teaching), {"usable": float(sum(map(bool, book.lessons)))})
        pairs = [(group, one) for group, ones in enumerate(book.lessons) for one in ones]
        if not pairs:
            remedy = "check the scope, and that answers are names as the graph has them"
            raise BadInputError(
                "no walk from a question's topic leads to its answers", remedy=remedy, field="questions"
            )
        table = LessonTable.of([one for _, one in pairs], scorer)
        groups, count = [group for group, _ in pairs], len(teaching)
        taught = await asyncio.to_thread(teach, table, groups, count, self.seed, self.report)
        judged = await self._judged(teaching, ask, taught, scorer)
        usable = sum(map(bool, book.lessons))
        metrics = {"questions": count, "usable": usable, "kept_aside": len(aside), **taught.figures, **judged}
        kept = [{"question": one.text, "answers": one.answers} for one in aside]
        about = {"metrics": metrics, "reader": scorer.fingerprint, "data_fingerprint": fingerprint, "kept_aside": kept}
        self._save(taught, metrics["offset"], {**about, **self.about})
        return metrics

    async def _judged(
        self, teaching: Sequence[GoldQuestion], ask: Asked, taught: Taught, scorer: PatternScorer
    ) -> dict[str, float]:
        """How sure the reader may be here: the offset of its log-odds, by questions that their reader was not shown."""
        found: list[tuple[float, bool]] = []
        total = 0
        asked = [(place, fit) for left_out, *fit in taught.folds for place in left_out][:_JUDGED]
        for done, (place, (weight, centre)) in enumerate(asked, start=1):
            one = TaughtScorer(scorer, weight.numpy(), centre.numpy())
            agents = await GroundedPolicy(taught=one).begin(await ask(teaching[place]), _no_vectors)
            if agents.found:
                right = agents.found[0].name in teaching[place].answers
                found.append((agents.account.readings[0].probability, right))
                total += right
            self.report("judging", done, len(asked), {"right_first": total / done})
        return {"right_first": total / max(1, len(asked)), "offset": offset_of(found)}

    def _save(self, taught: Taught, offset: float, about: Mapping[str, Any]) -> None:
        file, (model, dimension) = self.folder / "policy.safetensors", self.embedder
        tensors = {"weight": taught.weight, "centre": taught.centre, "offset": torch.tensor([offset])}
        save_file({name: tensor.half().contiguous() for name, tensor in tensors.items()}, file)
        told = {"kind": TAUGHT, "embedder": {"model": model, "dimension": dimension}, "sha256": digest(file), **about}
        file.with_suffix(".json").write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


async def _no_vectors(_texts: Sequence[str]) -> Floats:
    raise NotImplementedError
