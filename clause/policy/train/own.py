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
from typing import Any, TypeVar

import numpy as np
import torch
from safetensors.torch import save_file

from clause.arrays import Floats
from clause.errors import BadInputError
from clause.policy.serve.checkpoint import digest
from clause.policy.serve.grounded import GroundedPolicy, shipped
from clause.policy.serve.pattern_scorer import TAUGHT, PatternScorer, TaughtScorer
from clause.policy.train.encoder import (
    PRECISIONS,
    Fit,
    LeftOutFold,
    LessonTable,
    TeachingReport,
    blank,
    left_out,
)
from clause.policy.train.lessons import LessonBook, PosedQuestion, lessons_of, offset_of, worth
from clause.reasoning.agents.policy import Question

FEWEST, MOST = 20, 100_000
"""Questions that teach."""
Posed = TypeVar("Posed", bound=PosedQuestion)
_JUDGED = 200  # questions by which it is chosen how far the reader moves
_GAIN = 0.02  # what that must be worth, a question

Asked = Callable[[PosedQuestion], Awaitable[Question]]
"""Prepares a question on the graph that is trained on."""


def set_aside(questions: Sequence[Posed], seed: int) -> tuple[list[Posed], list[Posed]]:
    """The questions that teach, and a quarter (5 to 200) that the gate asks instead.

    Raises:
        BadInputError: there are fewer than 20 or more than 100,000.

    >>> from clause.evaluation.question_files import GoldQuestion
    >>> [len(part) for part in set_aside([GoldQuestion(str(n), ("a",)) for n in range(20)], 0)]
    [15, 5]
    """
    known = {" ".join(one.text.casefold().split()).rstrip(" ?.!"): one for one in questions}
    questions = [*known.values()]  # each wording once: else the gate asks what was taught
    if not FEWEST <= len(questions) <= MOST:
        told = f"{len(questions)} different questions cannot be trained on"
        raise BadInputError(told, field="questions", bound=f"{FEWEST} to {MOST:,}")
    order = np.random.default_rng(seed).permutation(len(questions)).tolist()
    aside = min(200, max(5, len(questions) // 4))
    return [questions[place] for place in sorted(order[aside:])], [questions[place] for place in sorted(order[:aside])]


def for_the_gate(aside: Sequence[PosedQuestion]) -> tuple[dict[str, Any], ...]:
    """The questions as a checkpoint keeps them."""
    return tuple({"question": one.text, "answers": one.answers} for one in aside)


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

    async def train(self, questions: Sequence[PosedQuestion], ask: Asked, data: str) -> dict[str, Any]:
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
        folds = await asyncio.to_thread(left_out, table, groups, count, self.seed, self.report)
        (prior, offset), judged = await self._chosen(teaching, ask, folds, scorer)
        fit = await asyncio.to_thread(table.fitted, torch.arange(len(groups)), prior) if prior else blank(table)
        usable = sum(map(bool, book.lessons))
        metrics = {"questions": count, "usable": usable, "kept_aside": len(aside), "precision": prior, **judged}
        kept = for_the_gate(aside)
        about = {"metrics": metrics, "reader": scorer.fingerprint, "data_fingerprint": fingerprint, "kept_aside": kept}
        self._save(fit, offset, {**about, **self.about})
        return metrics

    async def _chosen(
        self, teaching: Sequence[PosedQuestion], ask: Asked, folds: Sequence[LeftOutFold], scorer: PatternScorer
    ) -> tuple[tuple[float, float], dict[str, float]]:
        """Choose how far the reader moves and how sure it may be (precision, offset): the best on questions left out.

        (0, 0), the reader as it ships, where nothing does better, or only by answering fewer of them rightly. A reader
        that moves has to answer more of them rightly: to be less sure of wrong ones, it need not move.
        """
        asked = [(place, fold) for fold in folds for place in fold.questions][:_JUDGED]
        if not asked:  # one question alone teaches: what it brings cannot be judged
            return (0.0, 0.0), {"offset": 0.0, "shipped_right": 0.0, "right": 0.0}
        priors, done = (0.0, *PRECISIONS), 0
        worths: dict[tuple[float, float], tuple[float, int]] = {}
        for prior in priors:
            judged = []
            for place, fold in asked:
                weight, centre = fold.fits[prior]
                one = TaughtScorer(scorer, weight.numpy(), centre.numpy())
                judged.append(await self._judged(teaching[place], ask, one))
                done += 1
                self.report("judging", done, len(asked) * len(priors), {})
            found = [one for one in judged if one is not None]
            for offset in (0.0, offset_of(found)):
                worths[prior, offset] = worth(found, offset)
        shipped_worth, shipped_right = worths[0.0, 0.0]
        able = [one for one, (_, right) in worths.items() if right >= shipped_right + (one[0] > 0)]
        best = max(able, key=worths.__getitem__)
        if worths[best][0] < shipped_worth + max(1.0, _GAIN * len(asked)):
            best = 0.0, 0.0
        shares = {"shipped_right": shipped_right / len(asked), "right": worths[best][1] / len(asked)}
        self.report("judging", done, done, shares)
        return best, {"offset": best[1], **shares}

    @staticmethod
    async def _judged(gold: PosedQuestion, ask: Asked, scorer: TaughtScorer) -> tuple[float, bool] | None:
        """The probability of the best answer, and whether it is right; None where there is none."""
        agents = await GroundedPolicy(taught=scorer).begin(await ask(gold), _no_vectors)
        if not agents.found:
            return None
        return agents.account.readings[0].probability, agents.found[0].name in gold.answers

    def _save(self, fit: Fit, offset: float, about: Mapping[str, Any]) -> None:
        file, (model, dimension) = self.folder / "policy.safetensors", self.embedder
        tensors = {"weight": fit[0], "centre": fit[1], "offset": torch.tensor([offset])}
        draft, described = file.with_suffix(".part"), file.with_suffix(".json")
        save_file({name: tensor.half().contiguous() for name, tensor in tensors.items()}, draft)
        told = {"kind": TAUGHT, "embedder": {"model": model, "dimension": dimension}, "sha256": digest(draft), **about}
        drafted = described.with_suffix(".json.part")
        drafted.write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        draft.replace(file)
        drafted.replace(described)


async def _no_vectors(_texts: Sequence[str]) -> Floats:
    raise NotImplementedError
