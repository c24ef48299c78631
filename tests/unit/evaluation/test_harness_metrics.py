"""Each metric against an independent implementation, and its laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score, ndcg_score

from clause.evaluation.harness import em_at_1, f1, mrr, ndcg, recall_at_k

NAMES = [f"n{place}" for place in range(12)]
names = st.sets(st.sampled_from(NAMES))
rankings = st.lists(st.sampled_from(NAMES), unique=True)
scored = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from([0.1, 0.5, 0.9])), unique_by=lambda item: item[0])


@settings(deadline=None)
@given(scored, names)
def test_em_at_1_is_the_mean_over_every_way_to_break_ties(answers, gold):
    def slow():
        if not answers:
            return float(not gold)
        best = max(score for _, score in answers)
        return np.mean([name in gold for name, score in answers if score == best])

    assert em_at_1(answers, gold) == pytest.approx(slow())


def test_em_at_1_counts_a_name_given_twice_once():
    assert em_at_1([("a", 1.0), ("b", 1.0), ("b", 1.0), ("b", 0.5)], {"a"}) == 0.5


@settings(deadline=None)
@given(names, names)
def test_f1_agrees_with_scikit_learn_and_is_symmetric(left, right):
    truth, guess = ([name in found for name in NAMES] for found in (left, right))
    assert f1(left, right) == pytest.approx(f1_score(truth, guess, zero_division=1.0))
    assert f1(left, right) == f1(right, left)


@settings(deadline=None)
@given(rankings, names, st.integers(1, 12))
def test_recall_at_k_is_a_slow_loops_and_never_falls_with_k(ranked, relevant, k):
    found = [name for name in ranked[:k] if name in relevant]
    assert recall_at_k(ranked, relevant, k) == (len(found) / len(relevant) if relevant else 1.0)
    assert recall_at_k(ranked, relevant, k) <= recall_at_k(ranked, relevant, k + 1)


@settings(deadline=None)
@given(rankings, names)
def test_mrr_is_one_over_the_first_relevant_rank(ranked, relevant):
    ranks = [place + 1 for place, name in enumerate(ranked) if name in relevant]
    assert mrr(ranked, relevant) == (1 / min(ranks) if ranks else 0.0)


@settings(deadline=None)
@given(st.permutations(NAMES), st.dictionaries(st.sampled_from(NAMES), st.integers(0, 3)), st.integers(1, 12))
def test_ndcg_agrees_with_scikit_learn(ranked, gains, k):
    if not any(gains.values()):
        assert ndcg(ranked, gains, k) == 1.0
        return
    truth = [[gains.get(name, 0) for name in NAMES]]
    guess = [[-ranked.index(name) for name in NAMES]]
    assert ndcg(ranked, gains, k) == pytest.approx(ndcg_score(truth, guess, k=k))


def test_ndcg_of_the_ideal_order_is_1_and_arguments_stay_as_they_were():
    gains = {"a": 1.0, "b": 3.0}
    ranked = ["b", "a"]
    assert ndcg(ranked, gains) == 1.0
    assert (ranked, gains) == (["b", "a"], {"a": 1.0, "b": 3.0})
