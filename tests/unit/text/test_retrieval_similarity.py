"""Cosines against their definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from clause.text.retrieval import clip01, cosine, cosine_matrix

vectors = arrays(np.float32, 5, elements=st.floats(-100, 100, width=32))


@given(vectors, vectors)
def test_a_cosine_is_symmetric_and_within_its_bounds(left, right):
    assert cosine(left, right) == pytest.approx(cosine(right, left), abs=1e-6)
    assert -1.0 <= cosine(left, right) <= 1.0


# Halves: a float32 near zero times a small factor is another direction, or none.
@given(arrays(np.float32, 5, elements=st.integers(-200, 200).map(lambda half: half / 2)), st.floats(0.25, 8))
def test_length_does_not_matter(vector, factor):
    other = np.arange(1, 6, dtype=np.float32)
    assert cosine(vector * np.float32(factor), other) == pytest.approx(cosine(vector, other), abs=1e-4)


def test_the_matrix_is_what_a_slow_loop_gives():
    rows = np.random.default_rng(1).normal(size=(4, 6))
    others = np.random.default_rng(2).normal(size=(3, 6))
    slow = [[a @ b / math.sqrt(a @ a) / math.sqrt(b @ b) for b in others] for a in rows]
    assert np.allclose(cosine_matrix(rows, others), slow, atol=1e-6)


def test_rows_without_length_are_near_nothing():
    assert cosine_matrix([[0, 0]], [[1, 0], [0, 0]]).tolist() == [[0.0, 0.0]]


def test_different_dimensions_are_refused():
    with pytest.raises(ValueError, match="matmul"):
        cosine([1, 2], [1, 2, 3])


@given(st.floats())
def test_clipping_gives_a_share(value):
    assert 0.0 <= clip01(value) <= 1.0
    if 0 <= value <= 1:
        assert clip01(value) == value


def test_no_number_is_no_similarity():
    assert clip01(math.nan) == 0.0
