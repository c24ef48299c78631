"""Typed walks: where patterns end, and the search for the shortest ones, beside slow walks over the same graph."""

import itertools

import pytest

from clause.policy.train.lessons import TypedWalks
from clause.reasoning.neighbourhood.port import Hop
from tests.unit.policy.cinema import DIRECTED, DIRECTS, GENRE, STARS, cinema, walk


@pytest.fixture(scope="module")
def walks() -> TypedWalks:
    return TypedWalks(cinema())


@pytest.mark.parametrize("seed", ["film0", "film7", "director1", "actor4", "genre2"])
@pytest.mark.parametrize("pattern", [(DIRECTED,), (DIRECTED, DIRECTS), (DIRECTED, DIRECTS, STARS)])
def test_the_shortest_patterns_are_those_of_a_slow_search(walks: TypedWalks, seed: str, pattern: tuple) -> None:
    answers = walk(seed, pattern)
    if not answers:
        return
    expected: list[tuple] = []
    for length in range(1, 4):
        expected = sorted(p for p in itertools.product(walks.hops, repeat=length) if walk(seed, p) == answers)
        if expected:
            break
    assert list(walks.shortest(seed, answers)) == expected


def test_answers_that_no_pattern_gives_have_no_pattern(walks: TypedWalks) -> None:
    assert walks.shortest("film0", {"genre0", "actor1", "film3"}) == ()
    assert walks.shortest("film0", {"nobody"}) == ()
    assert walks.shortest("nowhere", {"film0"}) == ()
    assert walks.shortest("film0", ()) == ()


def test_fronts_that_are_too_wide_are_not_followed(walks: TypedWalks) -> None:
    answers = walk("director0", (DIRECTS,))
    assert walks.shortest("director0", answers, max_hops=1, widest=len(answers) - 1) == ()
    assert walks.shortest("director0", answers, max_hops=1, widest=len(answers)) == ((DIRECTS,),)


def test_a_walk_serves_whole_fronts_and_never_comes_back_on_its_start(walks: TypedWalks) -> None:
    for film in range(8):
        for pattern in ((DIRECTED,), (STARS, STARS.inverse), (DIRECTED, DIRECTS, GENRE)):
            assert walks.ends(f"film{film}", pattern) == walk(f"film{film}", pattern)


def test_a_walk_from_nowhere_or_along_a_hop_of_no_edge_ends_nowhere(walks: TypedWalks) -> None:
    assert walks.ends("nowhere", (STARS,)) == frozenset()
    assert walks.ends("actor1", (STARS,)) == frozenset()
    assert walks.ends("actor1", (Hop("married_to", True),)) == frozenset()


def test_a_node_is_left_by_the_hops_of_its_edges_alone(walks: TypedWalks) -> None:
    for node in walks.nodes:
        for hop in walks.hops:
            assert walks.leaves(node, hop) == bool(walk(node, (hop,)))
    assert not walks.leaves("nowhere", STARS)
    assert not walks.leaves("film0", Hop("married_to", True))
    assert "film0" in walks
    assert "nowhere" not in walks
