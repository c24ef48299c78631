"""The heuristic's arithmetic against slow loops that follow the specification word by word."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.reasoning.agents import scoring

cosines = st.floats(-1, 1, allow_nan=False)
degrees = st.integers(0, 200_000)
strengths = st.floats(1, 2, allow_nan=False)
edges = st.tuples(cosines, cosines, cosines, st.integers(0, 50), degrees, degrees, strengths, strengths)


def features(rows: list[tuple[float, ...]]) -> scoring.EdgeFeatures:
    return scoring.EdgeFeatures(*(np.array(column) for column in zip(*rows, strict=True)))


def slow_degree(degree: int) -> float:
    if degree < 5:
        return 0.7 * degree / 5
    if degree <= 20:
        return 1.0
    return max(0.3, 1 - (degree - 20) / 50)


def slow_score(row: tuple[float, ...]) -> float:
    head, tail, relation, together, head_degree, tail_degree, head_basin, tail_basin = row
    ent = min(1.0, max(0.0, head, tail))
    rel = min(1.0, max(0.0, relation))
    near = min(together / 5, 1.0)
    degree = (slow_degree(int(head_degree)) + slow_degree(int(tail_degree))) / 2
    basin = max(head_basin, tail_basin) - 1
    return 0.25 * ent + 0.25 * rel + 0.20 * near + 0.15 * degree + 0.15 * basin


@given(st.lists(edges, min_size=1, max_size=20))
def test_a_batch_scores_as_one_edge_after_the_other(rows: list[tuple[float, ...]]) -> None:
    signals = scoring.edge_signals(features(rows))
    assert signals.shape == (len(rows), 5)
    assert ((signals >= 0) & (signals <= 1)).all()
    assert scoring.edge_scores(signals) == pytest.approx([slow_score(row) for row in rows])


@given(edges)
def test_a_score_lies_between_0_and_1(row: tuple[float, ...]) -> None:
    (score,) = scoring.edge_scores(scoring.edge_signals(features([row])))
    assert 0 <= score <= 1


def test_the_weights_sum_to_1() -> None:
    assert scoring.WEIGHTS.sum() == pytest.approx(1.0)
    assert len(scoring.WEIGHTS) == len(scoring.SIGNALS)


def test_an_edge_with_every_signal_full_scores_1() -> None:
    (score,) = scoring.edge_scores(scoring.edge_signals(features([(1.0, 0.2, 1.0, 5, 5, 20, 2.0, 1.0)])))
    assert score == pytest.approx(1.0)


@given(st.integers(20, 5_000))
def test_beyond_20_a_larger_degree_is_never_better(degree: int) -> None:
    here, next_one = scoring.degree_signal(np.array([degree, degree + 1]))
    assert 0.3 <= next_one <= here <= 1


def test_the_gain_is_the_score_less_the_price_of_each_edge() -> None:
    assert scoring.shaped_gain(0.5, 0.1, edges=3) == pytest.approx(0.2)


def test_the_specified_example_of_token_cost_holds() -> None:
    assert scoring.shaped_utility(0.92, 156, 0.01) == pytest.approx(0.9044, abs=1e-12)


@given(cosines, st.floats(0, 1))
def test_a_step_mixes_cosine_and_causal_score(cosine: float, causal: float) -> None:
    assert scoring.step_score(cosine, causal) == pytest.approx(0.7 * cosine + 0.3 * causal)
    assert scoring.step_score(cosine, None) == cosine


@given(st.integers(1, 6), st.integers(0, 5), st.integers(0, 2**32 - 1))
def test_relevance_follows_the_mean_cosine_to_the_picked(units: int, picks: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    vectors = random.standard_normal((units, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    query = vectors[0]
    picked = [int(place) for place in random.integers(0, units, picks)]
    similarity = scoring.similarities(query, vectors)
    summed = np.zeros(units)
    for place in picked:
        summed = summed + scoring.similarities(vectors[place], vectors)
    slow = []
    for unit in vectors:
        mean = sum(float(unit @ vectors[place]) for place in picked) / len(picked) if picked else 0.0
        slow.append(min(1.0, max(0.0, float(unit @ query) - 0.3 * mean)))
    assert scoring.relevance(similarity, summed, len(picked)) == pytest.approx(slow, abs=1e-5)


def test_an_unknown_vector_is_similar_to_nothing() -> None:
    query = np.array([1.0, 0.0], dtype=np.float32)
    assert scoring.similarities(query, np.zeros((2, 2), dtype=np.float32)).tolist() == [0.0, 0.0]
