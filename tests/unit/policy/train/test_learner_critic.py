import torch

from clause.policy.serve.observations import CONTEXT
from clause.policy.train.advantage import HEADS
from clause.policy.train.learner import baseline
from clause.policy.train.networks import Critic, MonotoneMixer


def inputs(decisions: int = 4, each: int = 3) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    context = torch.rand(decisions, len(CONTEXT))
    context[:, :3] = torch.eye(3)[torch.arange(decisions) % 3]
    return torch.rand(decisions * each, 8), context, torch.arange(decisions).repeat_interleave(each)


def test_every_head_has_a_value_for_every_option_and_learns_from_its_own_loss() -> None:
    keys, context, owner = inputs()
    critic = Critic(8)
    for head in range(len(HEADS)):
        critic.zero_grad()
        critic(keys, context, owner)[:, head].sum().backward()
        rows = critic.queries.weight.grad.view(len(HEADS), 8, -1)
        assert rows[head].abs().sum() > 0, HEADS[head]
        others = [place for place in range(len(HEADS)) if place != head]
        assert rows[others].abs().sum() == 0, HEADS[head]


def test_every_parameter_of_the_critic_is_reached() -> None:
    keys, context, owner = inputs()
    critic = Critic(8)
    critic(keys, context, owner).square().sum().backward()
    for name, parameter in critic.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().sum() > 0, name


def test_the_mixed_value_never_falls_when_a_utility_rises() -> None:
    torch.manual_seed(1)
    mixer = MonotoneMixer(5)
    utilities = torch.randn(200, 3, requires_grad=True)
    mixer(utilities, torch.randn(200, 5)).sum().backward()
    assert (utilities.grad >= 0).all()
    assert utilities.grad.abs().sum() > 0


def test_the_sum_adds_the_acting_agent_s_utility_to_the_others_values_and_needs_no_mixer() -> None:
    keys, context, owner = inputs()
    critic = Critic(8, mixer="sum")
    q = critic(keys, context, owner)
    q.sum().backward()
    assert critic.mixer.first.weight.grad is None
    assert critic.values.weight.grad is not None


def test_a_critic_of_states_gives_every_option_of_a_decision_the_same_value() -> None:
    keys, context, owner = inputs()
    q = Critic(8, by_option=False)(keys, context, owner)
    for decision in range(4):
        mine = q[owner == decision]
        assert torch.allclose(mine, mine[:1].expand_as(mine))
    assert not torch.allclose(*(Critic(8)(keys, context, owner)[owner == 0][place] for place in (0, 1)))


def test_the_baseline_is_the_expectation_over_the_own_options() -> None:
    keys, context, owner = inputs()
    q = Critic(8)(keys, context, owner)
    logs = torch.rand(12).log()
    expected = torch.stack([(q[owner == d] * logs[owner == d].exp()[:, None]).sum(dim=0) for d in range(4)])
    assert torch.allclose(baseline(q, logs, owner, 4), expected, atol=1e-5)
