"""The ranking metrics against ranx (AmenRa/ranx), an independent implementation."""

import random

import pytest
from ranx import Qrels, Run, evaluate

from clause.evaluation.harness import mrr, ndcg, recall_at_k

pytestmark = pytest.mark.long  # ranx compiles for half a minute

NAMES = [f"n{place:02}" for place in range(20)]


@pytest.fixture(scope="module")
def rankings():
    rng = random.Random(5)
    judged = {str(q): {n: rng.randint(1, 3) for n in rng.sample(NAMES, rng.randint(1, 8))} for q in range(40)}
    ranked = {str(q): rng.sample(NAMES, rng.randint(1, 20)) for q in range(40)}
    runs = {q: {n: float(len(names) - place) for place, n in enumerate(names)} for q, names in ranked.items()}
    return judged, ranked, Qrels(judged), Run(runs)


@pytest.mark.parametrize("k", [1, 5, 20])
def test_means_agree_with_ranx(rankings, k):
    judged, ranked, qrels, run = rankings
    theirs = evaluate(qrels, run, [f"recall@{k}", f"ndcg@{k}", "mrr"])

    def mean(metric):
        return sum(metric(query) for query in judged) / len(judged)

    assert mean(lambda q: recall_at_k(ranked[q], judged[q], k)) == pytest.approx(theirs[f"recall@{k}"])
    assert mean(lambda q: ndcg(ranked[q], judged[q], k)) == pytest.approx(theirs[f"ndcg@{k}"])
    assert mean(lambda q: mrr(ranked[q], judged[q])) == pytest.approx(theirs["mrr"])
