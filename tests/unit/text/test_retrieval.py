"""Weighted reciprocal rank fusion: the formula and its laws."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.text.retrieval import reciprocal_rank_fusion

ids = st.lists(st.sampled_from("abcdefgh"), unique=True)


def test_the_score_is_the_sum_of_weight_over_sixty_plus_rank():
    fused = dict(reciprocal_rank_fusion([["a", "b"], ["b"]], weights=[2.0, 0.5]))
    assert fused == {"a": pytest.approx(2 / 61), "b": pytest.approx(2 / 62 + 0.5 / 61)}


def test_equal_scores_are_ordered_by_id():
    assert [i for i, _ in reciprocal_rank_fusion([["z", "m"], ["m", "z"]])] == ["m", "z"]


def test_a_repeated_id_counts_once_in_its_ranking():
    assert dict(reciprocal_rank_fusion([["a", "a"]])) == {"a": 1 / 61}


@given(st.lists(ids, max_size=4), st.randoms())
def test_the_order_of_the_rankings_does_not_matter(rankings, chance):
    shuffled = list(rankings)
    chance.shuffle(shuffled)
    left, right = dict(reciprocal_rank_fusion(rankings)), dict(reciprocal_rank_fusion(shuffled))
    assert left == pytest.approx(right)


@given(ids)
def test_one_ranking_keeps_its_order(ranking):
    assert [i for i, _ in reciprocal_rank_fusion([ranking])] == ranking


@given(st.lists(ids, min_size=1, max_size=4))
def test_scores_fall(rankings):
    scores = [score for _, score in reciprocal_rank_fusion(rankings)]
    assert scores == sorted(scores, reverse=True)


def test_weights_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="1 weights for 2 rankings"):
        reciprocal_rank_fusion([[], []], weights=[1.0])
    with pytest.raises(ValueError, match="negative"):
        reciprocal_rank_fusion([["a"]], weights=[-1.0])
