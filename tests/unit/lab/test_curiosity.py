"""Curiosity on questions: what fires, and how well errors tell wrong answers from right ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clause.evaluation.question_files import GoldQuestion
from clause.lab.curiosity import auc, auc_interval, curiosity_study, rate
from clause.reasoning.episode.budget import Budgets
from tests.unit.evaluation.films import snapshot
from tests.unit.evaluation.test_service_playing import HEAT, stage

SCORES = st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]), min_size=1, max_size=12)


@settings(deadline=None)
@given(SCORES, SCORES)
def test_the_auc_is_that_of_all_pairs(positive: list[float], negative: list[float]) -> None:
    pairs = [1.0 if one > other else 0.5 if one == other else 0.0 for one in positive for other in negative]
    assert auc(positive, negative) == pytest.approx(float(np.mean(pairs)), abs=1e-4)


def test_without_one_of_the_groups_there_is_no_figure() -> None:
    assert auc([], [0.1]) is None
    assert auc_interval([0.5], []) == (None, None)
    assert rate([], 0.5) is None


def test_the_interval_holds_the_figure_and_is_the_same_every_time() -> None:
    rng = np.random.default_rng(0)
    wrong, right = (0.2 + rng.random(80)).tolist(), rng.random(80).tolist()
    low, high = auc_interval(wrong, right)
    assert low is not None
    assert high is not None
    assert low < (auc(wrong, right) or 0.0) < high
    assert auc_interval(wrong, right) == (low, high)


async def test_questions_are_played_and_errors_counted() -> None:
    nobody = GoldQuestion("who is Nobody", (), "Nobody")
    wrong = GoldQuestion(HEAT.text, ("Nobody at all",), "Heat")
    found = await curiosity_study(stage(), snapshot(), "null", {"2": [HEAT, wrong, nobody]}, Budgets(50), command="c")
    assert (found["n"], found["wrong"]) == (2, 1)
    assert found["firing"].keys() == {"0.3", "0.5", "0.7"}
    assert found["command"] == "c"
