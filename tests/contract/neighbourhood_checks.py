"""What every `NeighbourhoodPort` must do, as a list of checks over one small known graph.

    alien -directed_by-> scott      blade -directed_by-> scott      heat -directed_by-> mann
    alien -starred-> weaver         blade -starred-> ford           alien -written_by-> scott
    scott -admires-> scott (a self-loop)          mann -admires-> scott          island (alone)
    hub <-tagged- film00 .. film11

A port's own test makes the graph (`NODES`, `EDGES`, `TYPES`), then runs each of `CHECKS` with the port and its view.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import numpy as np

from clause.arrays import Vector
from clause.reasoning.neighbourhood.port import Edge, Hop, NeighbourhoodPort, RelationshipType, View

DIMENSION = 384
FILMS = tuple(f"film{number:02}" for number in range(12))
NODES: dict[str, str] = {
    node: node.title()
    for node in ("alien", "blade", "heat", "scott", "mann", "weaver", "ford", "island", "hub", *FILMS)
}
EDGES: tuple[tuple[str, str, str], ...] = (
    ("alien", "directed_by", "scott"),
    ("alien", "directed_by", "scott"),  # stored twice: one edge
    ("blade", "directed_by", "scott"),
    ("heat", "directed_by", "mann"),
    ("alien", "starred", "weaver"),
    ("blade", "starred", "ford"),
    ("alien", "written_by", "scott"),
    ("scott", "admires", "scott"),
    ("mann", "admires", "scott"),
    *((film, "tagged", "hub") for film in FILMS),
)


def vector_of(name: str) -> Vector:
    """A unit vector that depends on the name alone."""
    numbers = np.random.default_rng(sum(map(ord, name))).standard_normal(DIMENSION)
    return (numbers / np.linalg.norm(numbers)).astype(np.float32)


TYPES: tuple[RelationshipType, ...] = tuple(
    RelationshipType(
        name,
        name.replace("_", " "),
        f"is {name.replace('_', ' ')} of",
        vector_of(name),
        vector_of(f"inverse {name}"),
        count=sum(edge[1] == name for edge in set(EDGES)),
        is_causal=name == "admires",
    )
    for name in ("admires", "directed_by", "starred", "tagged", "written_by")
)
VECTORS: dict[str, Vector] = {node: vector_of(name) for node, name in NODES.items() if node != "island"}

Check = Callable[[NeighbourhoodPort, View], Awaitable[None]]
DIRECTED, DIRECTED_INVERSE = Hop("directed_by", True), Hop("directed_by", False)
ADMIRES, TAGGED_INVERSE = Hop("admires", True), Hop("tagged", False)


async def several_types_are_told_apart(port: NeighbourhoodPort, view: View) -> None:
    found = await port.expand(["alien"], view, per_type=10)
    assert found.neighbours["alien"] == {
        DIRECTED: (Edge("alien", "directed_by", "scott"),),
        Hop("starred", True): (Edge("alien", "starred", "weaver"),),
        Hop("written_by", True): (Edge("alien", "written_by", "scott"),),
    }
    assert set(found.nodes) == {"alien", "scott", "weaver"}
    assert found.nodes["scott"].name == "Scott"
    assert {node.kind for node in found.nodes.values()} == {"entity"}
    assert {node.basin_strength for node in found.nodes.values()} == {1.0}
    assert found.edges_read == 3


async def both_directions_are_walked_and_edges_keep_theirs(port: NeighbourhoodPort, view: View) -> None:
    found = await port.expand(["scott"], view, per_type=10)
    assert found.neighbours["scott"][DIRECTED_INVERSE] == (
        Edge("alien", "directed_by", "scott"),
        Edge("blade", "directed_by", "scott"),
    )
    assert DIRECTED not in found.neighbours["scott"]


async def a_self_loop_is_seen_in_both_directions(port: NeighbourhoodPort, view: View) -> None:
    loop = Edge("scott", "admires", "scott")
    hops = (await port.expand(["scott"], view, per_type=10)).neighbours["scott"]
    assert hops[ADMIRES] == (loop,)
    assert hops[ADMIRES.inverse] == (Edge("mann", "admires", "scott"), loop)
    only = (await port.expand(["scott"], view, per_type=10, hops=[ADMIRES.inverse])).neighbours["scott"]
    assert only == {ADMIRES.inverse: hops[ADMIRES.inverse]}


async def parallel_relationships_are_one_edge(port: NeighbourhoodPort, view: View) -> None:
    found = await port.expand(["alien"], view, per_type=1)
    assert len(found.neighbours["alien"][DIRECTED]) == 1
    assert ("alien", DIRECTED) not in found.truncated


async def the_cap_holds_for_each_hop_and_says_what_it_cut(port: NeighbourhoodPort, view: View) -> None:
    found = await port.expand(["hub", "alien"], view, per_type=5)
    kept = found.neighbours["hub"][TAGGED_INVERSE]
    assert [edge.source for edge in kept] == list(FILMS[:5])
    assert found.truncated == {("hub", TAGGED_INVERSE)}
    assert set(found.nodes) == {"hub", "alien", "scott", "weaver", *FILMS[:5]}
    assert found.edges_read == 8


async def a_cap_that_just_fits_cuts_nothing(port: NeighbourhoodPort, view: View) -> None:
    found = await port.expand(["hub"], view, per_type=12)
    assert len(found.neighbours["hub"][TAGGED_INVERSE]) == 12
    assert found.truncated == frozenset()


async def an_unknown_node_is_left_out(port: NeighbourhoodPort, view: View) -> None:
    found = await port.expand(["nowhere", "heat"], view, per_type=5)
    assert list(found.neighbours) == ["heat"]
    assert "nowhere" not in found.nodes


async def a_node_without_edges_is_there_and_empty(port: NeighbourhoodPort, view: View) -> None:
    found = await port.expand(["island"], view, per_type=5)
    assert found.neighbours == {"island": {}}
    assert found.nodes["island"].name == "Island"


async def nothing_asked_is_nothing_found(port: NeighbourhoodPort, view: View) -> None:
    found = await port.expand([], view, per_type=5)
    assert (found.neighbours, found.nodes, found.truncated, found.edges_read) == ({}, {}, frozenset(), 0)


async def a_node_asked_twice_is_read_once(port: NeighbourhoodPort, view: View) -> None:
    found = await port.expand(["heat", "heat"], view, per_type=5)
    assert list(found.neighbours) == ["heat"]


async def only_the_hops_asked_for_come_back(port: NeighbourhoodPort, view: View) -> None:
    found = await port.expand(["alien", "scott"], view, per_type=5, hops=[DIRECTED, Hop("unheard_of", True)])
    assert found.neighbours == {"alien": {DIRECTED: (Edge("alien", "directed_by", "scott"),)}, "scott": {}}


async def no_hops_is_no_edges(port: NeighbourhoodPort, view: View) -> None:
    found = await port.expand(["alien"], view, per_type=5, hops=[])
    assert found.neighbours == {"alien": {}}


async def the_order_is_the_same_every_time(port: NeighbourhoodPort, view: View) -> None:
    asked = ["hub", "scott", "alien", "blade"]
    one, other = [await port.expand(asked, view, per_type=7) for _ in range(2)]
    assert one == other
    assert list(one.neighbours) == asked
    for node, hops in one.neighbours.items():
        assert list(hops) == sorted(hops, key=lambda hop: (not hop.forward, hop.relation))
        for edges in hops.values():
            ends = [edge.other(node) for edge in edges]
            assert ends == sorted(ends)


async def vectors_come_back_for_nodes_that_have_one(port: NeighbourhoodPort, view: View) -> None:
    for _ in range(2):
        found = await port.embeddings(["alien", "nowhere", "hub", "alien"])
        assert set(found) == {"alien", "hub"}
        np.testing.assert_allclose(found["alien"], VECTORS["alien"], atol=1e-6)
        assert found["hub"].dtype == np.float32


async def no_vectors_asked_is_none_found(port: NeighbourhoodPort, view: View) -> None:
    assert await port.embeddings([]) == {}


async def types_come_with_texts_and_vectors_by_name(port: NeighbourhoodPort, view: View) -> None:
    found = await port.relationship_types(view)
    assert [kind.name for kind in found] == [kind.name for kind in TYPES]
    for kind, known in zip(found, TYPES, strict=True):
        assert (kind.text, kind.inverse_text, kind.count) == (known.text, known.inverse_text, known.count)
        assert kind.is_causal == known.is_causal
        np.testing.assert_allclose(kind.embedding, known.embedding, atol=1e-6)
        np.testing.assert_allclose(kind.inverse_embedding, known.inverse_embedding, atol=1e-6)


async def a_path_goes_either_way_along_relationships(port: NeighbourhoodPort, view: View) -> None:
    assert await port.paths(["weaver"], ["blade"], view, max_hops=4, limit=5) == [
        (
            Edge("alien", "starred", "weaver"),
            Edge("alien", "directed_by", "scott"),
            Edge("blade", "directed_by", "scott"),
        ),
        (
            Edge("alien", "starred", "weaver"),
            Edge("alien", "written_by", "scott"),
            Edge("blade", "directed_by", "scott"),
        ),
    ]


async def paths_are_shortest_first_and_bounded(port: NeighbourhoodPort, view: View) -> None:
    found = await port.paths(["alien"], ["ford", "scott"], view, max_hops=3, limit=10)
    assert [len(path) for path in found] == [1, 1]
    assert await port.paths(["alien"], ["ford", "scott"], view, max_hops=3, limit=1) == [
        (Edge("alien", "directed_by", "scott"),)
    ]
    assert await port.paths(["weaver"], ["blade"], view, max_hops=2, limit=5) == []


async def no_path_is_an_empty_answer(port: NeighbourhoodPort, view: View) -> None:
    assert await port.paths(["island"], ["alien"], view, max_hops=3, limit=5) == []
    assert await port.paths(["nowhere"], ["alien"], view, max_hops=3, limit=5) == []


async def starts_are_what_a_hop_leads_from(port: NeighbourhoodPort, view: View) -> None:
    tagged = Hop("tagged", forward=True)
    assert [node.id for node in await port.starts(DIRECTED, view, limit=10)] == ["alien", "blade", "heat"]
    assert [node.id for node in await port.starts(DIRECTED_INVERSE, view, limit=10)] == ["mann", "scott"]
    assert [node.id for node in await port.starts(tagged, view, limit=50)] == list(FILMS)
    assert len(await port.starts(tagged, view, limit=5)) == 5
    assert list(await port.starts(Hop("no_such_type", forward=True), view, limit=5)) == []
    seen = await port.expand(["alien"], view, per_type=5)
    assert (await port.starts(DIRECTED_INVERSE, view, limit=10))[1] == seen.nodes["scott"]


CHECKS: tuple[Check, ...] = (
    starts_are_what_a_hop_leads_from,
    several_types_are_told_apart,
    both_directions_are_walked_and_edges_keep_theirs,
    a_self_loop_is_seen_in_both_directions,
    parallel_relationships_are_one_edge,
    the_cap_holds_for_each_hop_and_says_what_it_cut,
    a_cap_that_just_fits_cuts_nothing,
    an_unknown_node_is_left_out,
    a_node_without_edges_is_there_and_empty,
    nothing_asked_is_nothing_found,
    a_node_asked_twice_is_read_once,
    only_the_hops_asked_for_come_back,
    no_hops_is_no_edges,
    the_order_is_the_same_every_time,
    vectors_come_back_for_nodes_that_have_one,
    no_vectors_asked_is_none_found,
    types_come_with_texts_and_vectors_by_name,
    a_path_goes_either_way_along_relationships,
    paths_are_shortest_first_and_bounded,
    no_path_is_an_empty_answer,
)
