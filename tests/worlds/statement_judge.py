"""The judge of statements, fitted anew: `python -m tests.worlds.statement_judge FILE...` on the questions looked at.

Each file is loaded into a scope of its own and asked; of each question that statements answer the best one is a case.
What a fit on the other files makes of a file's questions is counted, too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from sklearn.linear_model import LogisticRegression

from clause.app import Container
from clause.arrays import Flags, Floats
from clause.lab.commands.measuring import opened
from clause.reasoning.agents import statements
from clause.reasoning.agents.statements import Rated, log_share
from clause.reasoning.models import BudgetAllocation, CoordinationRequest
from tests.worlds.kept_statements import OWNER, Told, load, right

SIGNS = ("share", "explained", "beside", "silent")


class Case(NamedTuple):
    """The best statement for a question: its signs, whether it is right, whether anything could be."""

    signs: tuple[float, ...]
    good: bool
    answerable: bool
    file: str


async def cases(container: Container, told: Told, name: str) -> list[Case]:
    """A case for each question of a file; each policy of its own that answers surely is passed over."""
    scope = f"user:judge-{name.replace('_', '-')}-{int(time.time())}"
    await load(container, told, scope)
    texts = {one["id"]: one["text"] for one in told["statements"]}
    seen: list[tuple[float, ...]] = []

    def watched(rated: Rated, others: list[float]) -> float:
        seen.append((log_share(rated.worth, others), rated.explained, rated.beside, float(rated.silent)))
        return 1.0 - len(seen) * 1e-3  # all are told, the best first

    found = []
    with patch.object(statements, "_probability", watched):
        for question in told["questions"]:
            seen.clear()
            request = CoordinationRequest(
                query=question["question"], budgets=BudgetAllocation(), scopes=(scope,), record=False
            )
            answers = (await container.coordinator.coordinate(request, OWNER)).result.answers
            good = bool(answers) and right(answers[0], question, texts, answers)
            found += [Case(seen[0], good, bool(question["answers"]), name)] if seen else []
    return found


def fitted(signs: Floats, good: Flags) -> tuple[Floats, float]:
    """The weights of the signs and the bias, by a logistic regression of standardised signs, C = 1."""
    mean, spread = signs.mean(0), signs.std(0) + 1e-9
    model = LogisticRegression(C=1.0).fit((signs - mean) / spread, good)
    weights = model.coef_[0] / spread
    return weights, float(model.intercept_[0] - weights @ mean)


def counted(probable: Floats, found: list[Case], least: float) -> dict[str, int]:
    """Right and wrong of what is told from `least` on."""
    told = probable >= least
    good, answerable = (np.array([getattr(one, key) for one in found]) for key in ("good", "answerable"))
    return {"right": int((told & good).sum() + (~told & ~answerable).sum()), "wrong": int((told & ~good).sum())}


def report(found: list[Case], least: float) -> dict[str, Any]:
    """The weights, and the counts with them and with those of the other files."""
    signs, good = np.array([one.signs for one in found]), np.array([one.good for one in found])
    files = np.array([one.file for one in found])
    weights, bias = fitted(signs, good)
    apart = np.zeros(len(found))
    for name in dict.fromkeys(files.tolist()):
        other, told = fitted(signs[files != name], good[files != name])
        apart[files == name] = signs[files == name] @ other + told
    sure, others = ((1 / (1 + np.exp(-odds))).astype(np.float32) for odds in (signs @ weights + bias, apart))
    return {
        "questions": len(found),
        **{key: round(float(weight), 2) for key, weight in zip(SIGNS, weights, strict=True)},
        "bias": round(bias, 2),
        "counted": counted(sure, found, least),
        "fitted on the other files": counted(others, found, least),
    }


async def measured(files: list[Path], least: float) -> dict[str, Any]:
    """The report over files."""
    found: list[Case] = []
    async with opened(sample=False) as container:
        for file in files:
            found += await cases(container, json.loads(file.read_text("utf-8")), file.stem)
    return report(found, least)


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("files", type=Path, nargs="+")
    words.add_argument("--least", type=float, default=0.75, help="the least probability that is told")
    given = words.parse_args()
    sys.stdout.write(json.dumps(asyncio.run(measured(given.files, given.least)), indent=1) + "\n")
