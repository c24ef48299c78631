"""The paired bootstrap."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap

from clause.evaluation.frontier import paired_bootstrap


def test_the_interval_agrees_with_scipys_percentile_bootstrap():
    rng = np.random.default_rng(3)
    first, second = rng.random(300), rng.random(300) * 0.8
    ours = paired_bootstrap(first, second, resamples=4_000)
    theirs = bootstrap((first - second,), np.mean, method="percentile", n_resamples=4_000, rng=rng)
    assert ours.mean == pytest.approx((first - second).mean())
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.005)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.005)
    assert ours.low > 0


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_equal_systems_differ_by_nothing_and_order_of_systems_only_turns_the_sign(scores):
    same = paired_bootstrap(scores, scores, resamples=50)
    assert same == (0.0, 0.0, 0.0)
    zeros = [0.0] * len(scores)
    ahead, behind = paired_bootstrap(scores, zeros, resamples=50), paired_bootstrap(zeros, scores, resamples=50)
    assert ahead.mean == -behind.mean
    assert ahead.low == pytest.approx(-behind.high)


def test_one_seed_gives_one_interval_whatever_the_chunks(monkeypatch):
    first, second = [1.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.0]
    whole = paired_bootstrap(first, second, resamples=101)
    monkeypatch.setattr("clause.evaluation.frontier.CHUNK_CELLS", 8)
    assert paired_bootstrap(first, second, resamples=101) == whole


@pytest.mark.parametrize(("first", "second"), [([], []), ([1.0], [1.0, 0.0])])
def test_unpaired_samples_are_refused(first, second):
    with pytest.raises(ValueError, match="paired samples"):
        paired_bootstrap(first, second)
