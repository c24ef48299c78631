import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from clause.policy.train.advantage import constrained, penalised, td_lambda

FINITE = st.floats(-5, 5)


@st.composite
def episodes(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, float]:
    steps = draw(st.integers(1, 6))
    shape = (steps, 5)
    numbers = arrays(float, shape, elements=FINITE)
    return draw(numbers), draw(numbers), draw(st.floats(0, 1))


def slow(rewards: np.ndarray, values: np.ndarray, decay: float, tail: np.ndarray) -> np.ndarray:
    """The lambda-return by its definition: the weighted mean of all n-step returns (Sutton and Barto, 12.2)."""
    steps = len(rewards)
    later = np.vstack([values[1:], tail])
    found = np.zeros_like(rewards)
    for t in range(steps):
        left = 1.0
        for n in range(1, steps - t + 1):
            n_step = rewards[t : t + n].sum(axis=0) + later[t + n - 1]
            weight = left if n == steps - t else left * (1 - decay)
            found[t] += weight * n_step
            left *= decay
    return found


@settings(deadline=None)
@given(episodes())
def test_returns_are_the_weighted_mean_of_n_step_returns(episode: tuple[np.ndarray, np.ndarray, float]) -> None:
    rewards, values, decay = episode
    np.testing.assert_allclose(td_lambda(rewards, values, decay), slow(rewards, values, decay, np.zeros(5)), atol=1e-9)


@settings(deadline=None)
@given(episodes(), arrays(float, 5, elements=FINITE))
def test_a_truncated_episode_goes_on_with_its_bootstrap(
    episode: tuple[np.ndarray, np.ndarray, float], tail: np.ndarray
) -> None:
    rewards, values, decay = episode
    found = td_lambda(rewards, values, decay, bootstrap=tail)
    np.testing.assert_allclose(found, slow(rewards, values, decay, tail), atol=1e-9)


def test_terminated_and_truncated_differ_by_what_would_have_followed() -> None:
    rewards, values = np.ones((1, 5)), np.zeros((1, 5))
    ended = td_lambda(rewards, values, 0.9)
    cut = td_lambda(rewards, values, 0.9, bootstrap=np.full(5, 2.0))
    np.testing.assert_allclose(cut - ended, 2.0)


@settings(deadline=None)
@given(arrays(float, (3, 5), elements=FINITE))
def test_without_multipliers_only_the_task_counts(advantages: np.ndarray) -> None:
    np.testing.assert_allclose(constrained(advantages, np.zeros((3, 4))), advantages[:, 0])


@settings(deadline=None)
@given(st.floats(0, 50), st.floats(0, 50))
def test_a_costly_action_is_worth_less_the_higher_its_multiplier(low: float, more: float) -> None:
    costly = np.array([[0.5, 1.0, 0.0, 0.0, 0.0]])
    cheap_price = constrained(costly, np.array([[low, 0.0, 0.0, 0.0]]))
    dear_price = constrained(costly, np.array([[low + more, 0.0, 0.0, 0.0]]))
    assert dear_price[0] <= cheap_price[0] + 1e-12


@given(arrays(float, (3, 5), elements=FINITE), arrays(float, 4, elements=st.floats(0, 10)))
def test_a_penalised_reward_is_what_the_constrained_sum_would_be(rewards: np.ndarray, multipliers: np.ndarray) -> None:
    found = penalised(rewards, multipliers)
    np.testing.assert_allclose(found[:, 0], constrained(rewards, np.tile(multipliers, (3, 1))))
    np.testing.assert_allclose(found[:, 1:], rewards[:, 1:])


def test_multipliers_of_costs_that_are_typically_small_count_less_in_the_divisor() -> None:
    advantages, multipliers = np.array([[1.0, 0.0, 0.0, 0.0, 0.0]]), np.array([[100.0, 0.0, 0.0, 0.0]])
    found = constrained(advantages, multipliers, np.array([0.01, 1.0, 1.0, 1.0]))
    np.testing.assert_allclose(found, [0.5])
