"""What verdicts teach: on simulated scopes of other shapes than those that the priors were chosen on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.arrays import Doubles
from clause.reasoning.answer.calibration import fitted, held_out, moved, reliability
from clause.reasoning.models.answer import ScopeCalibration

pytestmark = pytest.mark.slow

Truth = Callable[[Doubles], Doubles]


def sigmoid(at: Doubles) -> Doubles:
    return np.asarray(1 / (1 + np.exp(-at)))


def logit(share: Doubles) -> Doubles:
    clipped = np.clip(share, 0.02, 0.98)
    return np.asarray(np.log(clipped / (1 - clipped)))


# (alpha, beta) of the scores' distribution, and P(right) of a score; kept aside while the priors were chosen
OFF: dict[str, tuple[float, float, Truth]] = {
    "never above .65": (7, 1, lambda s: np.minimum(s, 0.65)),
    "better by .2 than it says": (5, 3, lambda s: np.minimum(1.0, s + 0.2)),
    "half the slope": (4, 2, lambda s: sigmoid(0.5 * logit(s))),
    "all wrong": (4, 2, lambda s: np.full_like(s, 0.05)),
}
SOUND: dict[str, tuple[float, float, Truth]] = {
    "wide": (2, 1, lambda s: s),
    "low": (3, 4, lambda s: s),
    "very high": (12, 1, lambda s: s),
}


def errors(shape: tuple[float, float, Truth], verdicts: int, draws: int = 40) -> Doubles:
    """[draws, 2]: the calibration error of a fresh half before and after it was learnt from the other."""
    alpha, beta, truth = shape
    rng = np.random.default_rng(20_261)
    found = []
    for _ in range(draws):
        scores = rng.beta(alpha, beta, size=verdicts)
        learnt = fitted(scores, (rng.random(verdicts) < truth(scores)).astype(float))
        fresh = rng.beta(alpha, beta, size=2_000)
        after = np.array([moved(score, learnt) for score in fresh]) if learnt else fresh
        found.append([reliability(one, truth(fresh)).error for one in (fresh, after)])
    return np.array(found)


@pytest.mark.parametrize("name", OFF)
def test_feedback_lowers_the_error_of_what_it_was_not_learnt_from(name: str) -> None:
    few, some, many = (errors(OFF[name], verdicts) for verdicts in (10, 100, 300))
    assert (few[:, 1] - few[:, 0]).max() < 0.02
    assert some[:, 1].mean() < 0.85 * some[:, 0].mean()
    assert many[:, 1].mean() < 0.65 * many[:, 0].mean()


@pytest.mark.parametrize("verdicts", [3, 10, 30, 100, 300])
@pytest.mark.parametrize("name", SOUND)
def test_a_sound_calibration_is_left_alone(name: str, verdicts: int) -> None:
    found = errors(SOUND[name], verdicts)
    assert (found[:, 1] - found[:, 0]).mean() < 0.005
    assert (found[:, 1] - found[:, 0]).max() < 0.05


@pytest.mark.parametrize("score", [0.6, 0.8, 0.9, 0.97])
def test_a_few_wrong_verdicts_move_little(score: float) -> None:
    learnt = fitted(np.full(5, score), np.zeros(5))
    assert abs(moved(score, learnt) - score) < 0.06


def test_nothing_is_learnt_from_nothing() -> None:
    assert fitted(np.array([]), np.array([])) is None
    assert len(held_out(np.array([]), np.array([]))) == 0
    assert reliability(np.array([]), np.array([])).error == 0.0


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60), st.floats(0, 1), st.floats(0, 1))
def test_scores_stay_between_0_and_1_and_in_their_order(
    verdicts: list[tuple[float, bool]], one: float, other: float
) -> None:
    learnt = fitted(np.array([score for score, _ in verdicts]), np.array([float(right) for _, right in verdicts]))
    low, high = sorted((one, other))
    assert 0 <= moved(low, learnt) <= moved(high, learnt) + 1e-9 <= 1 + 1e-9


def test_as_shipped_every_score_stays_what_it_is() -> None:
    same = ScopeCalibration(feedback=9, slope=1.0, offset=0.0)
    assert all(moved(score, same) == pytest.approx(score) for score in (0.0, 0.01, 0.5, 0.99, 1.0))
