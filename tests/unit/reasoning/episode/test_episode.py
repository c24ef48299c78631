"""The episode machine: fronts grow, masks hold, spend adds up."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clause.errors import BudgetError
from clause.reasoning.episode.actions import AddBundle, AddEdge, Backtrack, Continue, Delete, Pick, Stop
from clause.reasoning.episode.budget import Budgets, Spend, Unit, edge_unit_id
from clause.reasoning.episode.episode import Episode
from clause.reasoning.neighbourhood.port import Edge, Hop
from clause.reasoning.neighbourhood.snapshot import Snapshot
from tests.unit.reasoning.films import DIRECTED, DIRECTS, GENRE, STARRED, edge, films


def look(episode: Episode, *nodes: str) -> None:
    episode.subgraph.learn(films().expand_now(nodes, per_type=50), nodes)


def same_director(budgets: Budgets | None = None) -> Episode:
    """`heat` -> its director -> his other films, all read."""
    episode = Episode(["heat"], budgets or Budgets())
    look(episode, "heat", "mann")
    episode.step(AddBundle(0, DIRECTED, 1))
    front = episode.subgraph.next_front(0, DIRECTED)
    assert front is not None
    episode.step(AddBundle(front, DIRECTS, 2))
    return episode


def test_a_bundle_costs_one_edit_for_each_edge() -> None:
    episode = same_director()
    assert episode.spend == Spend(edges=3)
    assert list(episode.subgraph.edges) == [
        edge("heat", "directed_by", "mann"),
        edge("ali", "directed_by", "mann"),
        edge("thief", "directed_by", "mann"),
    ]


def test_bundles_and_single_edges_spend_the_same() -> None:
    bundled = same_director()
    single = Episode(["heat"], Budgets())
    for added in bundled.subgraph.edges:
        single.step(AddEdge(added))
    assert single.spend == bundled.spend
    assert single.subgraph.adjacency == bundled.subgraph.adjacency


def test_a_walk_never_returns_to_its_seed() -> None:
    episode = same_director()
    episode.step(Continue(DIRECTED))
    episode.step(Continue(DIRECTS))
    assert episode.front is not None
    assert episode.front.nodes == ("ali", "thief")


def test_only_edges_to_new_nodes_are_fresh() -> None:
    episode = same_director()
    front = episode.subgraph.next_front(0, DIRECTED)
    assert front is not None
    assert episode.subgraph.fresh(front, DIRECTS) == []


def test_an_edge_that_is_there_already_extends_a_front_for_free() -> None:
    episode = Episode(["mann"], Budgets())
    look(episode, "mann", "ali", "heat", "thief")
    episode.step(AddEdge(edge("ali", "directed_by", "mann")))
    assert episode.subgraph.fresh(0, DIRECTS) == [
        edge("heat", "directed_by", "mann"),
        edge("thief", "directed_by", "mann"),
    ]
    front = episode.subgraph.next_front(0, DIRECTS)
    assert front is not None
    assert episode.subgraph.fronts[front].nodes == ("ali",)


def test_depth_first_can_be_said_by_naming_one_node_of_a_front() -> None:
    episode = same_director()
    look(episode, "ali", "thief")
    films_front = 2
    episode.step(AddBundle(films_front, GENRE, 1, node="thief"))
    assert edge("thief", "has_genre", "crime") in episode.subgraph.edges
    assert edge("ali", "has_genre", "drama") not in episode.subgraph.edges


def test_edges_inside_a_bundle_are_ranked_by_their_score() -> None:
    episode = Episode(["mann"], Budgets(), edge_score=lambda edge, far: 1.0 if far == "thief" else 0.0)
    look(episode, "mann")
    assert episode.subgraph.fresh(0, DIRECTS)[0] == edge("thief", "directed_by", "mann")


def test_deleting_counts_is_not_refunded_and_forbids_adding_again() -> None:
    episode = same_director()
    gone = edge("ali", "directed_by", "mann")
    episode.step(Delete((gone,)))
    assert episode.spend == Spend(edges=4)
    assert episode.subgraph.fronts[2].nodes == ("thief",)
    with pytest.raises(BudgetError):
        episode.step(AddEdge(gone))


def test_a_bundle_that_does_not_fit_is_masked() -> None:
    episode = Episode(["mann"], Budgets(edges=2))
    look(episode, "mann")
    assert episode.counts(3) == (1, 2)
    with pytest.raises(BudgetError, match="2 edits are left"):
        episode.step(AddBundle(0, DIRECTS, 3))


def test_without_masks_the_spend_alone_tells() -> None:
    episode = Episode(["mann"], Budgets(edges=2), hard=False)
    look(episode, "mann")
    episode.step(AddBundle(0, DIRECTS, 3))
    assert episode.budgets.exceeded_by(episode.spend) == ("edges",)


def test_backtracking_is_a_step_and_stop_is_none() -> None:
    episode = same_director(Budgets(steps=2))
    episode.step(Continue(DIRECTED))
    episode.step(Backtrack())
    episode.step(Stop())
    assert episode.spend.steps == 2
    assert episode.front is None
    assert episode.hops() == {}
    with pytest.raises(BudgetError):
        episode.step(Continue(DIRECTED))


def test_backtracking_from_the_seed_is_masked() -> None:
    with pytest.raises(BudgetError):
        same_director().step(Backtrack())


def test_the_navigator_walks_only_what_the_architect_added() -> None:
    episode = same_director()
    look(episode, "heat")
    assert [hop for _, hop in episode.hops()] == [DIRECTED]
    with pytest.raises(BudgetError):
        episode.step(Continue(STARRED))


def test_navigating_alone_walks_everything_that_was_read() -> None:
    episode = Episode(["heat"], Budgets(), walk_known=True)
    look(episode, "heat")
    assert {hop for _, hop in episode.hops()} == {DIRECTED, STARRED, GENRE}


def test_one_node_of_the_front_can_be_walked_alone() -> None:
    episode = same_director()
    look(episode, "ali", "thief")
    for found in (edge("ali", "has_genre", "drama"), edge("thief", "has_genre", "crime")):
        episode.step(AddEdge(found))
    episode.step(Continue(DIRECTED))
    episode.step(Continue(DIRECTS))
    episode.step(Continue(GENRE, node="ali"))
    assert episode.front is not None
    assert episode.front.nodes == ("drama",)


def test_an_answer_is_supported_once_its_whole_path_is_in_the_evidence() -> None:
    episode = same_director()
    episode.step(Continue(DIRECTED))
    episode.step(Continue(DIRECTS))
    path = [edge("heat", "directed_by", "mann"), edge("ali", "directed_by", "mann")]
    units = [Unit(edge_unit_id(found), "text", 3, "triple", edge=found) for found in path]
    episode.offer([*units, units[0]])
    assert len(episode.pool) == 2
    episode.step(Pick(0))
    assert episode.supporting_path("ali") is None
    episode.step(Pick(1))
    supporting = episode.supporting_path("ali")
    assert supporting is not None
    assert list(supporting.edges) == path
    assert episode.supporting_path("thief") is None
    assert episode.supporting_path("nobody") is None
    assert episode.spend.tokens == 6


def test_a_unit_that_does_not_fit_or_is_taken_is_masked() -> None:
    episode = Episode(["heat"], Budgets(tokens=10, token_margin=4))
    episode.offer([Unit("long", "a", 7), Unit("short", "b", 6)])
    assert episode.pickable() == [1]
    with pytest.raises(BudgetError):
        episode.step(Pick(0))
    episode.step(Pick(1))
    with pytest.raises(BudgetError):
        episode.step(Pick(1))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 6), st.integers(0, 4), st.integers(0, 40), st.randoms(use_true_random=False))
def test_random_legal_play_never_exceeds_a_budget(edges: int, steps: int, tokens: int, random) -> None:  # type: ignore[no-untyped-def]
    episode = Episode(["heat", "mann"], Budgets(edges, steps, tokens))
    for _ in range(30):
        look(episode, *episode.subgraph.touching())
        moves: list[AddBundle | Continue | Backtrack | Pick | AddEdge] = []
        for place, front in enumerate(list(episode.subgraph.fronts)):
            for hop in {hop for node in front.nodes for hop in episode.subgraph.known.get(node, {})}:
                available = len(episode.subgraph.fresh(place, hop))
                moves += [AddBundle(place, hop, count) for count in episode.counts(available)]
        moves += [Continue(hop, seed=seed) for seed, hop in episode.hops()]
        moves += [Backtrack()] if episode.trail and episode.may_walk() else []
        episode.offer(
            [Unit(edge_unit_id(e), str(e), 3 + len(e.target), "triple", edge=e) for e in episode.subgraph.edges]
        )
        moves += [Pick(place) for place in episode.pickable()]
        if not moves:
            break
        episode.step(random.choice(moves))
        assert episode.budgets.exceeded_by(episode.spend) == ()
    assert episode.spend == sum((step.cost for step in episode.log), Spend())


def test_support_is_found_in_a_walk_with_exponentially_many_paths() -> None:
    """Twenty layers of two nodes each, every layer joined to the next: a million walks, one of them in evidence."""
    layers = [("seed",), *((f"a{depth}", f"b{depth}") for depth in range(20))]
    edges = [(near, "r", far) for one, other in pairwise(layers) for near in one for far in other]
    graph = Snapshot.build({node: node for layer in layers for node in layer}, edges)
    episode = Episode(["seed"], Budgets(edges=100, steps=20, tokens=1000), walk_known=True)
    episode.subgraph.learn(graph.expand_now(graph.ids, per_type=9), graph.ids)
    for _ in range(20):
        episode.step(Continue(Hop("r", True)))
    wanted = [Edge("seed", "r", "b0"), *(Edge(f"b{depth}", "r", f"b{depth + 1}") for depth in range(19))]
    episode.offer([Unit(edge_unit_id(found), "text", 1, "triple", edge=found) for found in wanted])
    for place in range(len(wanted)):
        assert episode.supporting_path("b19") is None
        episode.step(Pick(place))
    supported = episode.supporting_path("b19")
    assert supported is not None
    assert list(supported.edges) == wanted
    assert episode.supporting_path("a19") is None
