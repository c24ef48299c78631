"""Causes in the ranking: a bounded say, only among the best, and none where nothing causal is known."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from clause.policy.serve.agents import CONSIDERED, by_causes

RANKS = st.lists(st.floats(-5, 5, width=32), min_size=1, max_size=40)
SCORES = st.lists(st.none() | st.floats(0, 1), min_size=40, max_size=40)


def places(ranks: np.ndarray) -> list[int]:
    return np.argsort(-ranks, kind="stable").tolist()


def ends(ranks: list[float]) -> list[str]:
    return [str(place) for place in range(len(ranks))]


@settings(deadline=None)
@given(RANKS)
def test_without_a_causal_score_the_ranks_are_the_same_object(ranks: list[float]) -> None:
    given_ranks = np.array(ranks, dtype=np.float32)
    assert by_causes(given_ranks, ends(ranks), lambda _end: None) is given_ranks


@settings(deadline=None)
@given(RANKS, SCORES)
def test_only_the_best_change_places(ranks: list[float], scores: list[float | None]) -> None:
    own = np.array(ranks, dtype=np.float32)
    before, after = places(own), places(by_causes(own, ends(ranks), lambda end: scores[int(end)]))
    assert set(after[:CONSIDERED]) == set(before[:CONSIDERED])
    assert after[CONSIDERED:] == before[CONSIDERED:]


@settings(deadline=None)
@given(RANKS, st.floats(0, 1))
def test_the_same_score_for_all_changes_no_order(ranks: list[float], score: float) -> None:
    own = np.round(np.array(ranks, dtype=np.float32), 2)
    assert places(by_causes(own, ends(ranks), lambda _end: score)) == places(own)


def test_a_cause_lifts_an_edge_that_is_little_worse_and_not_one_that_is_much_worse() -> None:
    likely = {"a": 0.1, "b": 0.9}.get
    assert places(by_causes(np.array([0.5, 0.0], dtype=np.float32), ["a", "b"], likely)) == [1, 0]
    assert places(by_causes(np.array([5.0, 0.0], dtype=np.float32), ["a", "b"], likely)) == [0, 1]


def test_no_more_than_the_best_are_looked_at() -> None:
    asked: list[str] = []
    own = np.arange(100, dtype=np.float32)
    by_causes(own, ends(own.tolist()), lambda end: asked.append(end) or 0.5)  # type: ignore[func-returns-value]
    assert asked == [str(99 - place) for place in range(CONSIDERED)]
