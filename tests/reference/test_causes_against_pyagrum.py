"""do-calculus by variable elimination, compared with an independent library (pyAgrum) on random graphs and by name."""

from __future__ import annotations

import random
from itertools import product

import pyagrum
import pytest

from clause.intelligence.causal.graph import CausalEdge, CausalGraph
from clause.intelligence.causal.inference import BASE_RATE, Propagation


def network_of(graph: CausalGraph, extra: tuple[str, ...] = ()) -> pyagrum.BayesNet:
    """The same causes as a Bayesian network with whole tables, made from the formula alone."""
    network = pyagrum.BayesNet()
    for node in sorted({*graph.nodes, *extra}):
        network.add(pyagrum.LabelizedVariable(node, node, 2))
    for edge in graph.edges:
        if not network.existsArc(network.idFromName(edge.cause), network.idFromName(edge.effect)):
            network.addArc(edge.cause, edge.effect)
    for node in network.names():
        edges = graph.into.get(node, ())
        parents = sorted({edge.cause for edge in edges})
        for values in product((0, 1), repeat=len(parents)):
            given = dict(zip(parents, values, strict=True))
            absent, spared, causes = 1.0, 1.0, 0
            for edge in edges:
                if edge.inhibits:
                    spared *= 1 - edge.strength * given[edge.cause]
                else:
                    causes += 1
                    absent *= 1 - edge.strength * given[edge.cause]
            present = (1 - absent if causes else BASE_RATE) * spared
            network.cpt(node)[given] = [1 - present, present]
    return network


def told_by_the_library(graph: CausalGraph, cause: str, effect: str, value: int = 1) -> float:
    """P(effect = 1 | do(cause = value)): evidence on the network whose arcs into the cause are cut."""
    cut = network_of(graph.do(cause), (cause, effect))
    inference = pyagrum.LazyPropagation(cut)
    inference.setEvidence({cause: value})
    inference.makeInference()
    return float(inference.posterior(effect)[1])


def random_graph(seed: int) -> CausalGraph:
    rng = random.Random(seed)
    nodes = [f"n{place:02}" for place in range(rng.randint(2, 12))]
    order = rng.sample(nodes, len(nodes))
    share = rng.choice([0.2, 0.35, 0.5])
    edges = [
        CausalEdge(cause, effect, rng.random(), rng.random() < 0.25)
        for place, cause in enumerate(order)
        for effect in order[place + 1 :]
        if rng.random() < share
    ]
    return CausalGraph.of(edges or [CausalEdge(order[0], order[1], rng.random())])


@pytest.mark.parametrize("seed", range(60))
def test_random_graphs_agree_with_the_library(seed: int) -> None:
    graph = random_graph(seed)
    rng = random.Random(seed)
    for _ in range(4):
        cause, effect = rng.sample(graph.nodes, 2)
        for value in (True, False):
            found = Propagation(graph, effect, cause, value).exact()
            assert found == pytest.approx(told_by_the_library(graph, cause, effect, int(value)), abs=1e-6)


def do_calculus(graph: CausalGraph, cause: str, effect: str) -> float:
    """The same by the library's own identification of the causal effect, without cutting by hand."""
    model = pyagrum.CausalModel(network_of(graph))
    _, table, _ = pyagrum.causalImpact(model, on=effect, doing=cause, values={cause: 1})
    return float(table[1])


def seen(graph: CausalGraph, cause: str, effect: str) -> float:
    """P(effect = 1 | cause = 1), only watching."""
    inference = pyagrum.LazyPropagation(network_of(graph))
    inference.setEvidence({cause: 1})
    inference.makeInference()
    return float(inference.posterior(effect)[1])


def test_a_confounder_is_not_taken_for_a_cause() -> None:
    graph = CausalGraph.of(
        [
            CausalEdge("heat", "ice_cream", 0.9),
            CausalEdge("heat", "drowning", 0.4),
            CausalEdge("ice_cream", "smile", 1.0),
        ]
    )
    done = Propagation(graph, "drowning", "ice_cream").exact()
    assert done == pytest.approx(Propagation(graph, "drowning").exact(), abs=1e-12) == pytest.approx(0.2)
    assert seen(graph, "ice_cream", "drowning") == pytest.approx(0.4)
    assert done == pytest.approx(do_calculus(graph, "ice_cream", "drowning"), abs=1e-6)


def test_a_confounded_cause_is_adjusted_for_by_the_back_door() -> None:
    graph = CausalGraph.of([CausalEdge("z", "x", 0.8), CausalEdge("z", "y", 0.5), CausalEdge("x", "y", 0.6)])
    by_hand = 0.5 * (1 - 0.4 * 0.5) + 0.5 * 0.6
    assert Propagation(graph, "y", "x").exact() == pytest.approx(by_hand, abs=1e-12)
    assert do_calculus(graph, "x", "y") == pytest.approx(by_hand, abs=1e-6)
    assert seen(graph, "x", "y") == pytest.approx(0.8)


def test_a_mediator_passes_on_the_product() -> None:
    graph = CausalGraph.of([CausalEdge("smoking", "tar", 0.7), CausalEdge("tar", "cancer", 0.5)])
    assert Propagation(graph, "cancer", "smoking").exact() == pytest.approx(0.35, abs=1e-12)
    assert Propagation(graph, "cancer", "smoking", value=False).exact() == 0.0
    assert do_calculus(graph, "smoking", "cancer") == pytest.approx(0.35, abs=1e-6)


def test_a_collider_opens_no_way() -> None:
    graph = CausalGraph.of([CausalEdge("talent", "fame", 0.6), CausalEdge("beauty", "fame", 0.5)])
    assert Propagation(graph, "beauty", "talent").exact() == pytest.approx(BASE_RATE, abs=1e-12)
    assert do_calculus(graph, "talent", "beauty") == pytest.approx(BASE_RATE, abs=1e-6)
    assert Propagation(graph, "fame", "talent").exact() == pytest.approx(1 - 0.4 * 0.75, abs=1e-12)
