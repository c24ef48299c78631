import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clause.policy.serve.decider import Choice, Decider
from clause.policy.train.demonstrations import demonstrate, depth_first, imitate, serving_networks
from clause.policy.train.lagrangian import sample_limits
from clause.policy.train.rollout import Arena, PlayedEpisode, collect, play
from clause.reasoning.episode.actions import ARCHITECT, CURATOR, NAVIGATOR, AddEdge, Look, Stop
from clause.reasoning.episode.budget import Budgets, Prices
from tests.unit.policy.cinema import DIRECTED, DIRECTS, GENRE, STARS, actors, cinema, task

ARENA = Arena(cinema())
AMPLE = Budgets(200, 10, 2048)
PATTERNS = [(DIRECTED,), (STARS, STARS.inverse), (DIRECTED, DIRECTS, STARS), (DIRECTED, DIRECTS, GENRE)]


def run(seed: str, pattern: tuple, budgets: Budgets, decider: Decider, *, hard: bool = True):
    question = task(seed, pattern)
    return ARENA.play(question, ARENA.agents(question, decider, Prices()), budgets, Prices(), hard=hard)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 30),
    st.integers(1, 6),
    st.integers(1, 300),
    st.integers(0, 5),
    st.sampled_from(PATTERNS),
    st.integers(0, 23),
)
def test_masks_never_let_a_budget_be_exceeded_whatever_the_networks_want(
    edges: int, steps: int, tokens: int, weights: int, pattern: tuple, film: int
) -> None:
    decider = Decider(serving_networks(actors(weights, loud=True)), rng=np.random.default_rng(weights))
    budgets = Budgets(edges, steps, tokens)
    result = run(f"film{film}", pattern, budgets, decider)
    assert budgets.exceeded_by(result.spend) == ()


def test_without_masks_the_spend_alone_says_what_happened() -> None:
    budgets = Budgets(2, 3, 10)
    minds = [Decider(serving_networks(actors(seed, loud=True)), rng=np.random.default_rng(seed)) for seed in range(8)]
    spends = [
        run(f"film{film}", PATTERNS[2], budgets, decider, hard=False).spend for film in range(6) for decider in minds
    ]
    assert any(budgets.exceeded_by(spend) for spend in spends)


def test_with_ample_budgets_the_teacher_finds_and_supports_every_answer() -> None:
    for pattern in PATTERNS:
        result = run("film1", pattern, AMPLE, Decider(serving_networks(actors()), pilot=depth_first))
        assert result.f1 == 1.0
        assert result.exact == 1.0


def test_with_scarce_edges_the_teacher_reaches_an_answer_before_it_widens() -> None:
    result = run("film1", PATTERNS[2], Budgets(3, 3, 2048), Decider(serving_networks(actors()), pilot=depth_first))
    assert result.f1 > 0


def test_a_pattern_longer_than_the_step_budget_is_not_begun() -> None:
    result = run("film1", PATTERNS[2], Budgets(50, 2, 2048), Decider(serving_networks(actors()), pilot=depth_first))
    assert result.spend.edges == 0
    assert result.f1 == 0.0


def test_bundles_spend_what_single_edges_spend() -> None:
    """The same edges, asked for in bundles and one by one."""
    question = task("film1", PATTERNS[2])
    agents = ARENA.agents(question, Decider(serving_networks(actors()), pilot=depth_first), Prices())
    bundled = ARENA.play(question, agents, AMPLE, Prices()).episode
    single = bundled.__class__(["film1"], AMPLE)
    for edge in bundled.subgraph.edges:
        single.step(AddEdge(edge))
    assert single.spend.edges == bundled.spend.edges


def test_the_most_probable_actions_are_the_same_every_time() -> None:
    networks = serving_networks(actors(4, loud=True))
    first, second = (run("film2", PATTERNS[3], Budgets(8, 3, 80), Decider(networks)).episode.log for _ in range(2))
    assert first == second


def test_agents_without_a_plan_stop_and_say_so() -> None:
    question = dataclasses.replace(task(), plans=())
    agents = ARENA.agents(question, Decider(serving_networks(actors())), Prices())
    result = ARENA.play(question, agents, AMPLE, Prices(), seeds=["film0"])
    assert agents.answer_scores(result.episode) == {}
    assert [step.action for step in result.episode.log] == [Stop("NO_CANDIDATES")] * 3


def test_a_plan_that_leads_nowhere_gives_way_to_the_next() -> None:
    wrong = dataclasses.replace(task().plans[0], pattern=(DIRECTS,))
    question = dataclasses.replace(task(), plans=(wrong, *task().plans))
    agents = ARENA.agents(question, Decider(serving_networks(actors()), pilot=depth_first), Prices())
    assert ARENA.play(question, agents, AMPLE, Prices()).f1 == 1.0


def test_every_read_is_bounded() -> None:
    asked: list[Look] = []
    question = task()
    agents = ARENA.agents(question, Decider(serving_networks(actors()), pilot=depth_first), Prices())
    architect = agents.architect

    def spy(episode):
        decision = architect(episode)
        if isinstance(decision.action, Look):
            asked.append(decision.action)
        return decision

    class Watched:
        edge_score = staticmethod(agents.edge_score)
        architect = staticmethod(spy)
        navigator = staticmethod(agents.navigator)
        curator = staticmethod(agents.curator)
        answer_scores = staticmethod(agents.answer_scores)
        account = agents.account

    ARENA.play(question, Watched(), AMPLE, Prices())
    assert len(asked) == 3
    assert all(look.hops is not None and len(look.nodes) <= 400 for look in asked)


# -- what training sees ----------------------------------------------------------------------------------------------


def collected(change_share: float = 0.0) -> list[PlayedEpisode]:
    rng = np.random.default_rng(1)
    return collect(
        ARENA,
        [task(f"film{film}", pattern) for film in range(6) for pattern in PATTERNS],
        serving_networks(actors(2, loud=True)),
        rng,
        episodes=60,
        price_share=0.25,
        change_share=change_share,
    )


def test_the_two_kinds_of_episode_never_mix() -> None:
    played = collected()
    assert {episode.kind for episode in played} == {"cap", "price"}
    for episode in played:
        priced = any(price > 0.01 for price in (episode.prices.edge, episode.prices.latency, episode.prices.token))
        assert priced == (episode.kind == "price")
        assert episode.hard or episode.kind == "cap"
    assert 0.3 < np.mean([not episode.hard for episode in played]) < 0.7


@pytest.mark.parametrize("change_share", [0.0, 1.0])
def test_costs_are_charged_once_and_add_up_to_the_spend(change_share: float) -> None:
    for episode in collected(change_share):
        spend, limits = episode.spend, episode.budgets
        shares = [spend.edges / limits.edges, spend.steps / limits.steps, spend.tokens / limits.tokens]
        np.testing.assert_allclose(episode.rewards[:, 1:4].sum(axis=0), shares)
        assert episode.rewards[:, 4].sum() == float(bool(limits.exceeded_by(spend)))
        np.testing.assert_allclose(episode.costs[:3], shares)


def test_the_reward_comes_at_the_end_and_nowhere_else() -> None:
    for episode in collected():
        assert not episode.rewards[:-1, 0].any()
        assert episode.rewards[-1, 0] == pytest.approx(0.9 * episode.f1 + 0.1 * episode.exact)


def test_agents_take_turns_in_order() -> None:
    order = {ARCHITECT: 0, NAVIGATOR: 1, CURATOR: 2}
    for episode in collected():
        turns = [order[choice.agent] for choice in episode.choices]
        assert turns == sorted(turns)


def test_the_same_seed_draws_the_same_episodes() -> None:
    first, second = collected(), collected()
    assert [episode.spend for episode in first] == [episode.spend for episode in second]


def test_a_question_without_a_choice_is_left_out() -> None:
    question = dataclasses.replace(task(), plans=())
    question = dataclasses.replace(question, plans=(dataclasses.replace(task().plans[0], pattern=(DIRECTS,)),))
    rng = np.random.default_rng(0)
    assert play(ARENA, question, serving_networks(actors()), rng, kind="cap", hard=True) is None


def test_imitation_makes_the_teacher_s_choices_the_most_probable() -> None:
    learner, rng = actors(), np.random.default_rng(0)
    tasks = [task(f"film{film}", pattern) for film in range(12) for pattern in PATTERNS]
    choices: list[Choice] = demonstrate(ARENA, tasks, learner, rng)
    before = imitate(learner, choices, epochs=1)
    after = imitate(learner, choices, epochs=40, learning_rate=1e-2)
    assert after < before / 2
    assert {choice.agent for choice in choices} == {ARCHITECT, NAVIGATOR, CURATOR}


def test_limits_are_drawn_within_their_ranges() -> None:
    rng = np.random.default_rng(0)
    drawn = [sample_limits(rng) for _ in range(300)]
    assert all(3 <= limits.edges <= 200 and 2 <= limits.steps <= 10 and 64 <= limits.tokens <= 2048 for limits in drawn)
    assert np.median([limits.edges for limits in drawn]) < 60


def test_limits_that_change_do_so_in_cap_episodes_alone_and_masks_keep_the_new_ones() -> None:
    plain, changed = collected(), collected(1.0)
    assert [one.budgets for one in plain] != [one.budgets for one in changed]
    for episode in changed:
        if episode.hard:
            assert episode.budgets.exceeded_by(episode.spend) == ()
