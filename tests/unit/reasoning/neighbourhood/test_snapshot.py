"""The snapshot: a neighbourhood port in memory."""

from __future__ import annotations

from pathlib import Path

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.reasoning.neighbourhood.port import Hop
from clause.reasoning.neighbourhood.snapshot import Snapshot
from tests.contract.neighbourhood_checks import CHECKS, NODES, TYPES, VECTORS, Check
from tests.contract.neighbourhood_checks import EDGES as KNOWN_EDGES
from tests.fakes.embedder import HashEmbedder
from tests.unit.reasoning.asking_fakes import VIEW, embedded_films
from tests.unit.reasoning.films import DIRECTS, EDGES, NAMES, edge, films

LETTERS = "abcdef"
EDGE_LISTS = st.lists(st.tuples(st.sampled_from(LETTERS), st.sampled_from("rs"), st.sampled_from(LETTERS)), max_size=25)


def test_edges_are_seen_from_both_ends_in_the_order_of_the_other_end() -> None:
    around = films().expand_now(["mann"], per_type=10).neighbours["mann"]
    assert around[DIRECTS] == tuple(edge(film, "directed_by", "mann") for film in ("ali", "heat", "thief"))


def test_the_cap_cuts_and_says_so() -> None:
    cut = films().expand_now(["mann"], per_type=2)
    assert cut.truncated == {("mann", DIRECTS)}
    assert cut.edges_read == 2
    assert "thief" not in cut.nodes


def test_only_the_wanted_hops_are_read() -> None:
    read = films().expand_now(["heat"], per_type=9, hops=[Hop("has_genre", True)])
    assert list(read.neighbours["heat"]) == [Hop("has_genre", True)]


def test_unknown_nodes_are_left_out() -> None:
    assert films().expand_now(["nobody"], per_type=9).neighbours == {}


async def test_paths_are_shortest_first() -> None:
    paths = await films().paths(["heat"], ["ali"], VIEW, max_hops=3, limit=5)
    assert paths == [(edge("heat", "directed_by", "mann"), edge("ali", "directed_by", "mann"))]


async def test_paths_stop_at_the_bound() -> None:
    assert await films().paths(["heat"], ["ali"], VIEW, max_hops=1, limit=5) == []


async def test_a_saved_snapshot_reads_back_the_same(tmp_path: Path) -> None:
    graph = await embedded_films(HashEmbedder())
    graph.save(tmp_path / "films.npz")
    again = Snapshot.load(tmp_path / "films.npz")
    assert again.ids == graph.ids
    assert again.expand_now(NAMES, per_type=9) == graph.expand_now(NAMES, per_type=9)
    assert [kind.name for kind in await again.relationship_types(VIEW)] == sorted(graph.types)
    assert np.array_equal((await again.embeddings(["heat"]))["heat"], (await graph.embeddings(["heat"]))["heat"])


async def test_a_snapshot_without_vectors_has_none(tmp_path: Path) -> None:
    films().save(tmp_path / "films.npz")
    assert await Snapshot.load(tmp_path / "films.npz").embeddings(["heat"]) == {}


BASINS = {"heat": 1.6, "mann": 1.2}
TOGETHER = {("heat", "mann"): 3, ("mann", "heat"): 3, ("mann", "elsewhere"): 7}


def test_basins_come_with_the_nodes_and_what_occurs_together_when_all_hops_are_asked_for() -> None:
    graph = Snapshot.build(NAMES, EDGES, basins=BASINS, together=TOGETHER)
    around = graph.expand_now(["heat"], per_type=9)
    strengths = {node.id: node.basin_strength for node in around.nodes.values()}
    assert strengths == {"heat": 1.6, "mann": 1.2, "pacino": 1.0, "crime": 1.0}
    assert around.together == {("heat", "mann"): 3}
    assert graph.expand_now(["mann"], per_type=9).together == {("mann", "heat"): 3}
    assert graph.expand_now(["heat"], per_type=9, hops=[Hop("has_genre", True)]).together == {}


def test_basins_are_saved_with_the_snapshot_and_files_without_them_still_load(tmp_path: Path) -> None:
    graph = Snapshot.build(NAMES, EDGES, basins=BASINS, together=TOGETHER)
    graph.save(tmp_path / "films.npz")
    films().save(tmp_path / "plain.npz")
    again = Snapshot.load(tmp_path / "films.npz")
    assert again.expand_now(NAMES, per_type=9) == graph.expand_now(NAMES, per_type=9)
    assert Snapshot.load(tmp_path / "plain.npz").basins is None


@given(EDGE_LISTS)
def test_degrees_and_neighbours_agree_with_an_independent_library(edges: list[tuple[str, str, str]]) -> None:
    graph = Snapshot.build(dict.fromkeys(LETTERS, "x"), edges)
    oracle = networkx.MultiDiGraph()
    oracle.add_nodes_from(LETTERS)
    oracle.add_edges_from((head, tail, relation) for head, relation, tail in set(edges))
    around = graph.expand_now(list(LETTERS), per_type=100)
    for letter in LETTERS:
        assert around.nodes[letter].degree == oracle.degree(letter)
        out = {(e.relation, e.target) for hop, es in around.neighbours[letter].items() if hop.forward for e in es}
        assert out == {(relation, tail) for _, tail, relation in oracle.out_edges(letter, keys=True)}


@pytest.mark.parametrize("limit", [1, 3])
async def test_the_number_of_paths_is_bounded(limit: int) -> None:
    several = Snapshot.build(
        dict.fromkeys("abcdz", "x"), [(a, "r", b) for a, b in ("ab", "ac", "ad", "bz", "cz", "dz")]
    )
    paths = await several.paths(["a"], ["z"], VIEW, max_hops=2, limit=limit)
    assert len(paths) == limit
    assert EDGES


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
async def test_the_snapshot_is_a_neighbourhood_port(check: Check) -> None:
    await check(Snapshot.build(NODES, KNOWN_EDGES, TYPES, VECTORS), VIEW)
