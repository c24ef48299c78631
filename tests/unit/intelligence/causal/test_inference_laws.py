"""Propagation: laws, cycles, inhibitors, what an answer costs, and how far off a sampled one may be."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clause.intelligence.causal.graph import CausalEdge, CausalGraph
from clause.intelligence.causal.inference import EXACT_EDGES, Propagation

STRENGTH = st.floats(0, 1)


def layers(count: int, width: int, seed: int = 0) -> CausalGraph:
    rng = random.Random(seed)
    edges = [
        CausalEdge(f"l{layer}-{one}", f"l{layer + 1}-{other}", rng.random())
        for layer in range(count)
        for one in range(width)
        for other in range(width)
    ]
    return CausalGraph.of(edges)


@settings(deadline=None)
@given(st.lists(STRENGTH, min_size=1, max_size=8))
def test_present_causes_act_independently(strengths: list[float]) -> None:
    graph = CausalGraph.of([CausalEdge("x", f"m{place}", s) for place, s in enumerate(strengths)])
    graph = CausalGraph.of([*graph.edges, *(CausalEdge(f"m{place}", "y", 1.0) for place in range(len(strengths)))])
    absent = 1.0
    for strength in strengths:
        absent *= 1 - strength
    assert Propagation(graph, "y", "x").exact() == pytest.approx(1 - absent, abs=1e-9)


@settings(deadline=None)
@given(STRENGTH, STRENGTH)
def test_an_inhibitor_multiplies_by_what_it_leaves(cause: float, inhibitor: float) -> None:
    graph = CausalGraph.of([CausalEdge("x", "y", cause), CausalEdge("b", "y", inhibitor, inhibits=True)])
    assert Propagation(graph, "y", "x", base_rate=1.0).exact() == pytest.approx(cause * (1 - inhibitor), abs=1e-9)
    alone = CausalGraph.of([CausalEdge("b", "y", inhibitor, inhibits=True)])
    assert Propagation(alone, "y", "b").exact() == pytest.approx(0.5 * (1 - inhibitor), abs=1e-9)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), STRENGTH), min_size=1, max_size=12), STRENGTH)
def test_more_strength_of_a_cause_never_makes_its_effect_rarer(rows: list[tuple[int, int, float]], more: float) -> None:
    edges = [CausalEdge(f"n{min(a, b)}", f"n{max(a, b)}", s) for a, b, s in rows if a != b]
    graph = CausalGraph.of([*edges, CausalEdge("n0", "n5", 0.0)])
    stronger = CausalGraph.of([*edges, CausalEdge("n0", "n5", more)])
    assert Propagation(stronger, "n5", "n0").exact() >= Propagation(graph, "n5", "n0").exact() - 1e-12


def test_cycles_are_condensed_and_said_so() -> None:
    graph = CausalGraph.of(
        [CausalEdge("x", "a", 0.5), CausalEdge("a", "b", 0.9), CausalEdge("b", "a", 0.9), CausalEdge("b", "y", 0.5)]
    )
    asked = Propagation(graph, "y", "x")
    assert asked.network.cycles == (("a", "b"),)
    assert asked.exact() == pytest.approx(0.25)
    assert Propagation(graph, "a", "x").exact() == pytest.approx(0.5)
    inside = Propagation(graph, "b", "a")
    assert inside.network.cycles == ()
    assert inside.exact() == pytest.approx(0.9)


def test_a_node_set_is_what_it_was_set_to() -> None:
    graph = CausalGraph.of([CausalEdge("x", "y", 0.5)])
    assert [Propagation(graph, "y", "y", value).exact() for value in (True, False)] == [1.0, 0.0]


def test_many_causes_of_one_effect_stay_cheap() -> None:
    graph = CausalGraph.of([CausalEdge(f"c{place}", "y", 0.01) for place in range(EXACT_EDGES)])
    asked = Propagation(graph, "y", "c0")
    assert asked.operations is not None
    assert asked.operations < 3_000_000
    assert asked.exact() == pytest.approx(1 - 0.99 * 0.995**199, abs=1e-9)


def test_a_dense_graph_says_beforehand_that_it_is_too_wide() -> None:
    assert Propagation(layers(2, 9), "l2-0", "l0-0").operations is not None
    wide = CausalGraph.of(
        [CausalEdge(f"n{one:02}", f"n{other:02}", 0.1) for one in range(20) for other in range(one + 1, 20)]
    )
    (operations,) = {Propagation(wide, "n19", "n00").operations}
    assert operations is None or operations > 1_000_000
    assert Propagation(layers(2, 15), "l2-0", "l0-0").operations is None


@pytest.mark.parametrize("seed", range(5))
def test_a_sampled_answer_is_within_its_stated_error(seed: int) -> None:
    graph = layers(3, 5, seed)
    asked = Propagation(graph, "l3-0", "l0-0")
    mean, error = asked.sampled(seed=seed)
    assert error < 0.01
    assert abs(mean - asked.exact()) < 2 * error
    assert asked.sampled(seed=seed) == (mean, error)


def test_sampling_goes_through_cycles_and_interventions() -> None:
    graph = CausalGraph.of([CausalEdge("x", "a", 0.5), CausalEdge("a", "b", 1.0), CausalEdge("b", "a", 1.0)])
    mean, error = Propagation(graph, "b", "x").sampled()
    assert abs(mean - 0.5) < 2 * error
    assert Propagation(graph, "b", "b", value=False).sampled()[0] == 0.0
