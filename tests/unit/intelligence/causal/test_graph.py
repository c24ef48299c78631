"""Causal graphs: interventions, cycles, strongest paths."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clause.intelligence.causal.graph import CausalEdge, CausalGraph, components

EDGES = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh"), st.floats(0, 1), st.booleans()), max_size=20
).map(lambda rows: [CausalEdge(*row) for row in rows])


@settings(deadline=None)
@given(EDGES)
def test_components_are_those_of_networkx(edges: list[CausalEdge]) -> None:
    graph = CausalGraph.of(edges)
    directed = nx.DiGraph([(edge.cause, edge.effect) for edge in edges])
    expected = sorted(tuple(sorted(group)) for group in nx.strongly_connected_components(directed))
    assert components(graph.nodes, graph.edges) == expected


@settings(deadline=None)
@given(EDGES)
def test_a_condensed_graph_has_an_order_and_says_what_was_condensed(edges: list[CausalEdge]) -> None:
    graph = CausalGraph.of(edges)
    condensed = graph.condensed()
    place = {node: number for number, node in enumerate(condensed.in_order())}
    assert all(place[edge.cause] < place[edge.effect] for edge in condensed.edges)
    members = {member for group in condensed.cycles for member in group}
    cyclic = {node for group in components(graph.nodes, graph.edges) if len(group) > 1 for node in group}
    assert members == cyclic | {edge.cause for edge in edges if edge.cause == edge.effect}
    assert condensed.condensed().edges == condensed.edges


@settings(deadline=None)
@given(EDGES)
def test_nothing_leads_into_what_was_set(edges: list[CausalEdge]) -> None:
    assert all(edge.effect != "a" for edge in CausalGraph.of(edges).do("a").edges)


def test_an_intervention_opens_the_cycle_it_stands_in() -> None:
    graph = CausalGraph.of([CausalEdge("a", "b", 0.5), CausalEdge("b", "a", 0.5)])
    assert graph.condensed().cycles == (("a", "b"),)
    assert graph.do("a").condensed().cycles == ()


def test_a_cycle_has_no_order() -> None:
    with pytest.raises(ValueError, match="cycle"):
        CausalGraph.of([CausalEdge("a", "b", 0.5), CausalEdge("b", "a", 0.5)]).in_order()


def test_what_bears_on_a_target_is_its_ancestors_alone() -> None:
    graph = CausalGraph.of([CausalEdge("a", "b", 1), CausalEdge("b", "c", 1), CausalEdge("b", "d", 1)])
    assert [edge[:2] for edge in graph.above("c").edges] == [("a", "b"), ("b", "c")]
    assert graph.leads_to("a", "d")
    assert not graph.leads_to("c", "d")
    assert not graph.leads_to("d", "d")


@settings(deadline=None)
@given(EDGES)
def test_strongest_causes_are_the_best_products_of_networkx(edges: list[CausalEdge]) -> None:
    import math

    graph = CausalGraph.of(edges)
    directed = nx.DiGraph()
    directed.add_node("a")
    for edge in graph.edges:
        if not edge.inhibits and edge.strength > 0:
            directed.add_edge(edge.effect, edge.cause, weight=-math.log(edge.strength))
    lengths = nx.single_source_dijkstra_path_length(directed, "a")
    expected = {node: math.exp(-length) for node, length in lengths.items() if node != "a"}
    found = graph.strongest_causes("a", 0.5)
    for node, product in found.items():
        assert product == pytest.approx(expected[node], abs=1e-9)
    assert {node for node, product in expected.items() if product > 0.5 + 1e-9} <= found.keys()


def test_another_strength_is_another_fingerprint() -> None:
    one, other = (CausalGraph.of([CausalEdge("a", "b", strength)]) for strength in (0.5, 0.6))
    assert one.fingerprint != other.fingerprint
    assert one.fingerprint == CausalGraph.of([CausalEdge("a", "b", 0.5)]).fingerprint
