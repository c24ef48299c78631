"""The exact optimum of a plan: equal to trying every set of edges, and within the limits."""

from itertools import chain, combinations

import numpy as np
import pytest

from clause.lab.ablation_agents import best_edges
from clause.policy.serve.tree import Level, PlanTree
from clause.reasoning.neighbourhood.port import Edge, Hop

PATTERN = (Hop("a", forward=True), Hop("b", forward=True), Hop("c", forward=True))


def tree_of(rng):
    """Up to nine edges over three hops, of 1 to 5 tokens; nodes are shared, so that an end has several walks."""
    names, levels = [["seed"]], []
    for depth, hop in enumerate(PATTERN):
        pairs = {(int(rng.integers(len(names[-1]))), int(rng.integers(3))) for _ in range(3)}
        far = {place: number for number, place in enumerate(sorted({end for _, end in pairs}))}
        ends = [f"{depth}-{place}" for place in far]
        edges = [Edge(names[-1][near], hop.relation, ends[far[end]]) for near, end in sorted(pairs)]
        near, ranks = ([pair[0] for pair in sorted(pairs)], [far[pair[1]] for pair in sorted(pairs)])
        tokens = rng.integers(1, 6, size=len(edges)).astype(float)
        levels.append(Level(tuple(edges), np.array(near), np.array(ranks), tokens))
        names.append(ends)
    tokens = {edge: cost for level in levels for edge, cost in zip(level.edges, level.tokens.tolist(), strict=True)}
    nodes = tuple({name: place for place, name in enumerate(group)} for group in names)
    return PlanTree("seed", PATTERN, nodes, tuple(levels), tokens)


def ends_reached(tree, edges):
    """How many ends of the tree are walked to along these edges."""
    reached = {0}
    for level in tree.levels:
        pairs = zip(level.edges, level.near.tolist(), level.far.tolist(), strict=True)
        reached = {far for edge, near, far in pairs if edge in edges and near in reached}
    return len(reached)


def most_ends(tree, edges, tokens):
    """By trying every set of edges."""
    everything = list(tree.tokens)
    sets = chain.from_iterable(combinations(everything, size) for size in range(min(edges, len(everything)) + 1))
    return max(ends_reached(tree, set(some)) for some in sets if sum(tree.tokens[edge] for edge in some) <= tokens)


@pytest.mark.parametrize("seed", range(30))
def test_no_set_of_edges_within_the_limits_reaches_more_ends(seed):
    rng = np.random.default_rng(seed)
    tree, edges, tokens = tree_of(rng), int(rng.integers(0, 8)), int(rng.integers(0, 25))
    found = best_edges(tree, edges, tokens)
    assert len(found) <= edges
    assert sum(tree.tokens[edge] for edge in found) <= tokens
    assert ends_reached(tree, set(found)) == most_ends(tree, edges, tokens)
    assert found == [edge for edge in tree.tokens if edge in found]


def test_an_edge_walked_at_two_depths_is_bought_once():
    there, shared, back = Edge("seed", "a", "x"), Edge("x", "b", "y"), Edge("y", "c", "z")
    nodes = ({"seed": 0}, {"x": 0}, {"y": 0}, {"x": 0, "z": 1})
    one = np.array([0])
    levels = (
        Level((there,), one, one, np.array([1.0])),
        Level((shared,), one, one, np.array([1.0])),
        Level((shared, back), np.array([0, 0]), np.array([0, 1]), np.array([1.0, 1.0])),
    )
    tree = PlanTree("seed", PATTERN, nodes, levels, {there: 1.0, shared: 1.0, back: 1.0})
    assert best_edges(tree, 2, 9) == [there, shared]
    assert best_edges(tree, 3, 9) == [there, shared, back]
    assert best_edges(tree, 3, 1) == []
