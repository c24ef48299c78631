import multiprocessing

import numpy as np
import pytest
import torch

from clause.policy.config import LearningConfig
from clause.policy.train.demonstrations import serving_networks
from clause.policy.train.learner import Learner, Rollouts, TrainingGround
from clause.policy.train.rollout import Arena, DecisionBatch, collect, evaluate
from clause.reasoning.episode.actions import ARCHITECT
from tests.unit.policy.cinema import DIRECTED, DIRECTS, STARS, actors, cinema, task

pytestmark = pytest.mark.slow

ARENA = Arena(cinema())
TASKS = [task(f"film{film}", p) for film in range(8) for p in ((DIRECTED,), (DIRECTED, DIRECTS, STARS))]
ROLLOUTS = Rollouts(TrainingGround(ARENA, TASKS))
CONFIG = LearningConfig(iterations=10, episodes=24, epochs=1, minibatch=64, price_share=0.25)


def learner(**changes: object) -> Learner:
    return Learner(actors(1), CONFIG.model_copy(update=changes), keys=8, seed=0)


def played(made: Learner, episodes: int = 40):
    networks = serving_networks(made.actors)
    return collect(ARENA, TASKS, networks, np.random.default_rng(0), episodes=episodes, price_share=0.25)


def test_a_round_moves_every_network_and_reports_finite_figures() -> None:
    made = learner()
    before = {name: value.clone() for name, value in made.actors.state_dict().items()}
    figures = [made.iterate(ROLLOUTS) for _ in range(3)][-1]
    assert all(np.isfinite(value) for value in figures.values())
    after = made.actors.state_dict()
    moved = {name.split(".")[1] for name, value in after.items() if not torch.equal(value, before[name])}
    assert moved == {"architect", "edges", "navigator", "curator"}


def test_a_worker_that_is_killed_is_replaced_and_its_share_is_played_again_to_the_same_end() -> None:
    networks = serving_networks(learner().actors)

    def rewards(rollouts: Rollouts) -> list[list[float]]:
        return [one.rewards[:, 0].tolist() for one in rollouts.collect(networks, np.random.default_rng(3), CONFIG)]

    with Rollouts(TrainingGround(ARENA, TASKS), workers=2) as rollouts:
        expected = rewards(rollouts)
        for child in multiprocessing.active_children():
            child.kill()
            child.join()
        assert rewards(rollouts) == expected
    with Rollouts(TrainingGround(ARENA, TASKS)) as alone:
        assert rewards(alone) != expected


def test_prices_weigh_price_episodes_and_multipliers_weigh_cap_episodes_without_masks() -> None:
    made = learner(dual_start=0.5)
    for episode in played(made):
        weights = made.multipliers_of(episode)
        if episode.kind == "price":
            assert weights[3] == 0
            assert weights[0] == pytest.approx((episode.prices.edge - 0.01) * episode.budgets.edges)
        elif episode.hard:
            assert not weights.any()
        else:
            np.testing.assert_allclose(weights, 0.5)


def test_price_episodes_and_masked_ones_never_move_a_multiplier() -> None:
    made = learner(price_share=1.0)
    before = made.multipliers.of(TASKS and played(made)[0].budgets)
    made.iterate(ROLLOUTS)
    assert made.multipliers.of(played(made)[0].budgets) == before


def test_multipliers_step_before_the_policy_and_rise_when_limits_are_broken() -> None:
    made = learner(price_share=0.0, dual_rate=1.0, episodes=96)
    figures = made.iterate(ROLLOUTS)
    assert figures["unmasked_chance"] > 0.03
    assert figures["multiplier_chance"] > 0.01


def test_advantages_are_returns_less_what_the_policy_expected() -> None:
    made = learner()
    episodes = played(made)
    samples = made.judge(episodes)
    assert len(samples) == sum(len(episode.choices) for episode in episodes)
    advantages = np.array([sample.advantage for sample in samples])
    assert abs(advantages.mean()) < 1e-6
    assert advantages.std() == pytest.approx(1.0, abs=1e-3)


def test_a_plain_advantage_can_be_had_instead() -> None:
    one, other = learner(), learner(counterfactual=False)
    first, second = ([s.advantage for s in made.judge(played(made))] for made in (one, other))
    assert not np.allclose(first, second)


def test_what_was_sampled_has_the_probability_that_it_was_sampled_with() -> None:
    made = learner()
    choices = [choice for episode in played(made) for choice in episode.choices if choice.agent == ARCHITECT]
    batch = DecisionBatch.of(choices)
    with torch.no_grad():
        seen = evaluate(made.actors, "architect", batch)
    plain = seen.log_probabilities[batch.chosen]
    assert torch.allclose(plain, batch.old, atol=1e-4)
    assert (seen.chosen <= plain + 1e-6).all()


def test_the_same_seed_learns_the_same() -> None:
    first, second = (learner() for _ in range(2))
    for made in (first, second):
        made.iterate(ROLLOUTS)
    for one, other in zip(first.actors.parameters(), second.actors.parameters(), strict=True):
        assert torch.equal(one, other)


def test_each_kind_of_episode_is_standardised_apart() -> None:
    made = learner(dual_start=0.5)
    episodes = played(made)
    samples = made.judge(episodes)
    kinds = np.array([episode.kind for episode in episodes for _ in episode.choices])
    advantages = np.array([sample.advantage for sample in samples])
    for kind in ("price", "cap"):
        assert abs(advantages[kinds == kind].mean()) < 1e-6
        assert advantages[kinds == kind].std() == pytest.approx(1.0, abs=1e-3)


def test_a_plain_baseline_does_not_look_at_the_options() -> None:
    made = learner(counterfactual=False)
    assert not made.critic.by_option
    made.iterate(ROLLOUTS)
    assert all(not parameter.grad.any() for parameter in made.critic.queries.parameters() if parameter.grad is not None)


def test_held_multipliers_stay_where_they_are_put() -> None:
    held = {"edges": (0.1,) * 4, "steps": (0.2,) * 4, "tokens": (0.3,) * 4, "chance": (0.4,) * 4}
    made = learner(held=held, price_share=0.0, dual_rate=1.0)
    made.iterate(ROLLOUTS)
    assert made.multipliers.values == held


def test_with_one_penalised_head_costs_change_the_return_itself() -> None:
    plain, penal = learner(dual_start=2.0), learner(dual_start=2.0, penalised=True)
    rows = [[sample.returns[0] for sample in made.judge(played(made))] for made in (plain, penal)]
    assert not np.allclose(*rows)
