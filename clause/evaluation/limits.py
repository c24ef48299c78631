"""Limits drawn for each question, as training draws them: log-uniform (policy.md, Training)."""

from __future__ import annotations

import math
import random

from clause.evaluation.questions import Question
from clause.reasoning.budget import Budgets

EDGES, STEPS, TOKENS = (3, 200), (2, 10), (64, 2048)


def log_uniform_limits(question: Question) -> Budgets:
    """Limits of one question: the same whenever it is asked.

    >>> log_uniform_limits(Question("who directed Heat", ()))
    Budgets(edges=3, steps=4, tokens=1429, token_margin=0)
    """
    rng = random.Random(question.text)  # noqa: S311 -- a reproducible draw
    edges, steps, tokens = (
        round(math.exp(rng.uniform(math.log(low), math.log(high)))) for low, high in (EDGES, STEPS, TOKENS)
    )
    return Budgets(edges, steps, tokens)
