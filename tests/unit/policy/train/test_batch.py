import itertools
import math

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from clause.policy.train.rollout import (
    balanced_log_probabilities,
    order_log_probability,
    segment_entropy,
    segment_log_softmax,
)

NUMBERS = st.floats(-20, 20, width=32)
GROUPS = st.lists(st.lists(NUMBERS, min_size=1, max_size=6), min_size=1, max_size=5)


def flat(groups: list[list[float]]) -> tuple[torch.Tensor, torch.Tensor]:
    owner = torch.tensor([place for place, group in enumerate(groups) for _ in group])
    return torch.tensor([value for group in groups for value in group]), owner


@settings(deadline=None)
@given(GROUPS)
def test_log_probabilities_are_those_of_a_slow_loop(groups: list[list[float]]) -> None:
    logits, owner = flat(groups)
    expected = torch.cat([torch.tensor(group).log_softmax(dim=0) for group in groups])
    assert torch.allclose(segment_log_softmax(logits, owner, len(groups)), expected, atol=1e-4)


@settings(deadline=None)
@given(GROUPS)
def test_the_two_stage_probabilities_sum_to_one_and_stop_does_not_depend_on_how_many_options(
    groups: list[list[float]],
) -> None:
    logits, owner = flat(groups)
    first = torch.tensor([place == 0 for group in groups for place in range(len(group))])
    logs = balanced_log_probabilities(logits, owner, first, len(groups))
    doubled = [[group[0], *group[1:], *group[1:]] for group in groups]
    logits2, owner2 = flat(doubled)
    first2 = torch.tensor([place == 0 for group in doubled for place in range(len(group))])
    logs2 = balanced_log_probabilities(logits2, owner2, first2, len(groups))
    for place in range(len(groups)):
        assert math.isclose(float(logs[owner == place].exp().sum()), 1.0, abs_tol=1e-4)
    assert torch.allclose(logs[first], logs2[first2], atol=1e-4)


@settings(deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=4))
def test_all_orders_of_drawing_have_probability_one_together(scores: list[float]) -> None:
    owner = torch.zeros(len(scores), dtype=torch.long)
    total = 0.0
    for order in itertools.permutations(range(len(scores))):
        place = torch.tensor([order.index(number) for number in range(len(scores))])
        total += float(order_log_probability(torch.tensor(scores), owner, place, 1).exp())
    assert math.isclose(total, 1.0, abs_tol=1e-3)


def test_gumbel_noise_draws_orders_as_often_as_their_probability_says() -> None:
    scores, rng = np.array([1.0, 0.0, -1.0]), np.random.default_rng(0)
    drawn = np.argsort(-(scores + rng.gumbel(size=(20_000, 3))), axis=1)[:, :2]
    place = torch.tensor([1, 0, -1])
    owner = torch.zeros(3, dtype=torch.long)
    expected = float(order_log_probability(torch.tensor(scores).float(), owner, place, 1).exp())
    assert abs(float((drawn == [1, 0]).all(axis=1).mean()) - expected) < 0.015


def test_an_even_choice_among_n_has_entropy_log_n() -> None:
    logs = segment_log_softmax(torch.zeros(5), torch.zeros(5, dtype=torch.long), 1)
    assert math.isclose(float(segment_entropy(logs, torch.zeros(5, dtype=torch.long), 1)), math.log(5), rel_tol=1e-5)
