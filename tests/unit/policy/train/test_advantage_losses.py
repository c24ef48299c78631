import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from clause.policy.train.advantage import ValueNorm, approximate_kl, clipped_surrogate, value_loss

LOGS = arrays(np.float32, 8, elements=st.floats(-3, 0, width=32))
ADVANTAGES = arrays(np.float32, 8, elements=st.floats(-3, 3, width=32))


@settings(deadline=None)
@given(LOGS, LOGS, ADVANTAGES)
def test_the_clipped_objective_is_that_of_a_slow_loop(new: np.ndarray, old: np.ndarray, advantage: np.ndarray) -> None:
    expected = []
    for now, before, gain in zip(new.tolist(), old.tolist(), advantage.tolist(), strict=True):
        ratio = np.exp(now - before)
        expected.append(-min(ratio * gain, min(max(ratio, 0.8), 1.2) * gain))
    found = clipped_surrogate(*(torch.from_numpy(array) for array in (new, old, advantage)), clip=0.2)
    assert abs(float(found) - np.mean(expected)) < 1e-3


def test_no_gradient_flows_beyond_the_clip() -> None:
    new = torch.tensor([1.0], requires_grad=True)
    clipped_surrogate(new, torch.tensor([0.0]), torch.tensor([1.0]), 0.2).backward()
    assert new.grad is not None
    assert float(new.grad) == 0.0


@settings(deadline=None)
@given(LOGS)
def test_nothing_diverges_from_itself(logs: np.ndarray) -> None:
    tensor = torch.from_numpy(logs)
    assert float(approximate_kl(tensor, tensor)) == 0.0


def test_values_that_are_right_cost_nothing() -> None:
    assert float(value_loss(torch.ones(3, 5), torch.ones(3, 5))) == 0.0


def test_normalised_targets_have_mean_0_and_deviation_1_and_come_back() -> None:
    rng = np.random.default_rng(0)
    targets = torch.tensor(rng.normal([3.0, -1.0], [2.0, 0.5], size=(5000, 2)), dtype=torch.float32)
    norm = ValueNorm(2)
    for part in targets.split(100):
        norm.update(part)
    scaled = norm.normalise(targets)
    assert scaled.mean(dim=0).abs().max() < 0.1
    assert (scaled.std(dim=0) - 1).abs().max() < 0.1
    assert torch.allclose(norm.restore(scaled), targets, atol=1e-4)
