import numpy as np

from clause.policy.serve.observations import ARCHITECT_OPTION, CONTEXT, CURATOR_OPTION, NAVIGATOR_OPTION
from clause.policy.train.demonstrations import depth_first
from clause.reasoning.episode.actions import ARCHITECT, CURATOR, NAVIGATOR, Agent

NAMES = {ARCHITECT: ARCHITECT_OPTION, NAVIGATOR: NAVIGATOR_OPTION, CURATOR: CURATOR_OPTION}


def choose(agent: Agent, *options: dict[str, float], all_fits: bool = False) -> int:
    names = NAMES[agent]
    rows = [{"is_stop": 1.0}, *options]
    table = np.array([[row.get(name, 0.0) for name in names] for row in rows], dtype=np.float32)
    context = np.zeros(len(CONTEXT), dtype=np.float32)
    context[CONTEXT.index("all_fits")] = float(all_fits)
    return depth_first(agent, table, context)


def test_what_fits_whole_is_taken_whole_from_the_seed_on() -> None:
    whole = {"is_whole_front": 1.0, "is_all": 1.0}
    assert choose(ARCHITECT, {**whole, "levels_to_go": 0.0}, {**whole, "levels_to_go": 0.6}, all_fits=True) == 2


def test_otherwise_one_edge_at_a_time_and_all_that_fits_at_the_end() -> None:
    inner = {"deepest": 1.0, "count": 0.1}
    assert choose(ARCHITECT, {**inner, "count": 0.3}, inner) == 2
    last = {**inner, "is_last_level": 1.0}
    assert choose(ARCHITECT, last, {**last, "count": 0.3}, {**last, "count": 0.5, "exceeds": 1.0}) == 2


def test_the_node_reached_last_comes_first() -> None:
    assert choose(ARCHITECT, {"deepest": 1.0, "recency": 0.5}, {"deepest": 1.0, "recency": 0.25}) == 2


def test_without_anything_that_fits_everyone_stops() -> None:
    beyond = {"exceeds": 1.0, "follows_plan": 1.0, "deepest": 1.0}
    assert [choose(agent, beyond) for agent in (ARCHITECT, NAVIGATOR, CURATOR)] == [0, 0, 0]


def test_the_navigator_follows_the_plan() -> None:
    assert choose(NAVIGATOR, {"log_probability": -0.1}, {"follows_plan": 1.0}) == 2


def test_the_curator_takes_all_or_the_walks_in_order() -> None:
    assert choose(CURATOR, {"order": 0.5}, {"order": 0.2}) == 2
    assert choose(CURATOR, {"order": 0.5}, {"is_all": 1.0}) == 2


def test_what_costs_more_than_it_brings_is_left() -> None:
    inner = {"deepest": 1.0, "count": 0.1}
    assert choose(ARCHITECT, {**inner, "net_gain": -0.2}) == 0
    assert choose(ARCHITECT, {**inner, "net_gain": 0.2}) == 1
    assert choose(CURATOR, {"order": 0.5, "net_gain": -0.1}) == 0
