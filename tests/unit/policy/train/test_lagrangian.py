from hypothesis import given, settings
from hypothesis import strategies as st

from clause.policy.train.lagrangian import CONSTRAINTS, Gains, Multiplier, Multipliers
from clause.reasoning.episode.budget import Budgets

COSTS = st.floats(0, 3)
GAINS = st.sampled_from([Gains(0.1), Gains(0.1, 0.5, 0.2), Gains(1.0, cap=2.0)])


@settings(deadline=None)
@given(COSTS, st.floats(0.01, 1), GAINS, st.floats(0, 2))
def test_a_multiplier_rises_while_its_cost_is_above_its_limit(
    excess: float, limit: float, gains: Gains, start: float
) -> None:
    multiplier = Multiplier(limit, start, start)
    for _ in range(30):
        before = multiplier.total
        multiplier.update(limit + excess + 1e-3, gains)
        assert multiplier.total > before or multiplier.total == gains.cap
        assert 0 <= multiplier.value <= gains.cap


@settings(deadline=None)
@given(st.floats(0.02, 1), GAINS, st.floats(0, 2))
def test_it_falls_to_nothing_while_its_cost_is_below(limit: float, gains: Gains, start: float) -> None:
    multiplier = Multiplier(limit, start, start)
    for _ in range(2000):
        before = multiplier.value
        multiplier.update(0.0, gains)
        assert multiplier.value <= before
    assert multiplier.value == 0.0


def test_only_the_bins_that_were_visited_move() -> None:
    table = Multipliers(bins=3)
    small, large = Budgets(edges=3), Budgets(edges=200)
    before = table.of(large)
    table.update([(small, (2.0, 2.0, 2.0, 1.0))], Gains(0.5))
    assert table.of(large) == before
    assert all(after > start for after, start in zip(table.of(small), before, strict=True))


def test_inactive_constraints_stay_at_nothing() -> None:
    table = Multipliers(active=("chance",))
    table.update([(Budgets(), (9.0, 9.0, 9.0, 1.0))], Gains(0.5))
    values = dict(zip(CONSTRAINTS, table.of(Budgets()), strict=True))
    assert values["chance"] > 0
    assert values["edges"] == values["steps"] == values["tokens"] == 0


def test_a_controller_reacts_faster_than_plain_ascent() -> None:
    plain, controlled = Multiplier(0.1, 0.0, 0.0), Multiplier(0.1, 0.0, 0.0)
    plain.update(1.0, Gains(0.1))
    controlled.update(1.0, Gains(0.1, 0.5, 0.5))
    assert controlled.value > plain.value
