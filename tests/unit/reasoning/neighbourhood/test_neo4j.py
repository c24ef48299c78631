"""What the Neo4j port does without asking Neo4j; the rest is tested on a real one."""

from __future__ import annotations

from typing import Any

import pytest

from clause.errors import OutOfBoundsError
from clause.graph.catalogue import Catalogue
from clause.reasoning.neighbourhood import neo4j as neo4j_neighbourhood
from clause.reasoning.neighbourhood.neo4j import OWN_RELATIONS, SEEN_TYPES, Neo4jNeighbourhood
from clause.reasoning.neighbourhood.port import Edge, Expansion, Hop, View

VIEW = View(("public",))


class FakeGraph:
    """Answers expansions with given rows and remembers what it was asked."""

    def __init__(self, rows: list[dict[str, Any]] | None = None, hub_rows: list[dict[str, Any]] | None = None) -> None:
        self.catalogue = Catalogue.load()
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.rows = rows or []
        self.hub_rows = hub_rows or []

    async def run(self, name: str, **parameters: Any) -> list[dict[str, Any]]:
        self.asked.append((name, parameters))
        return self.rows if name == "reasoning/expand" else []

    async def execute(self, statement: Any, parameters: dict[str, Any]) -> list[dict[str, Any]]:
        self.asked.append((statement.name, parameters))
        return self.hub_rows


def port_on(graph: FakeGraph) -> Neo4jNeighbourhood:
    return Neo4jNeighbourhood(graph)  # type: ignore[arg-type]


def row(node: str, groups: list[Any], *, hub: bool = False) -> dict[str, Any]:
    told = {"id": node, "name": node, "kind": "Entity", "degree": None, "text": None, "basin": None, "together": []}
    return {**told, "hub": hub, "groups": groups}


async def test_nothing_asked_asks_nothing() -> None:
    graph = FakeGraph()
    assert await port_on(graph).expand([], VIEW, per_type=5, hops=[]) == Expansion()
    assert await port_on(graph).expand(["a"], View(()), per_type=5, hops=[]) == Expansion()
    assert await port_on(graph).embeddings([]) == {}
    assert graph.asked == []


async def test_without_hops_our_own_relationships_are_asked_for_both_ways() -> None:
    graph = FakeGraph()
    await port_on(graph).expand(["a"], VIEW, per_type=5)
    parameters = graph.asked[-1][1]
    assert parameters["forward"] == parameters["backward"] == sorted(OWN_RELATIONS)
    assert parameters["cap"] == 6
    assert "HAS_PROVENANCE" not in OWN_RELATIONS


async def test_a_capped_group_is_cut_to_its_smallest_ids() -> None:
    ends = [[node, None, "Entity", None, None, None] for node in ("c", "b", "d")]
    graph = FakeGraph([row("a", [["r", True, ends, 3]])])
    found = await port_on(graph).expand(["a"], VIEW, per_type=2, hops=[Hop("r", True)])
    assert found.neighbours == {"a": {Hop("r", True): (Edge("a", "r", "b"), Edge("a", "r", "c"))}}
    assert found.truncated == {("a", Hop("r", True))}
    assert set(found.nodes) == {"a", "b", "c"}
    assert (found.nodes["b"].name, found.nodes["b"].degree) == ("b", 0)


async def test_hubs_are_asked_again_together_for_a_bounded_number_of_types(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neo4j_neighbourhood, "RELATIONS_AT_ONCE", 2)
    full = {"id": "h", "groups": [["r0", True, [["x", "X", "Entity", 1, None, 1.4]], neo4j_neighbourhood.REACH]]}
    graph = FakeGraph([row("a", []), row("h", [], hub=True), row("i", [], hub=True)], [full])
    hops = [Hop(f"r{number}", True) for number in range(5)]
    found = await port_on(graph).expand(["a", "h", "i"], VIEW, per_type=5, hops=hops)
    assert [name for name, _ in graph.asked] == ["reasoning/expand", *["reasoning/expand_hub"] * 3]
    assert all(parameters["nodes"] == ["h", "i"] for _, parameters in graph.asked[1:])
    assert found.neighbours["h"] == {hops[0]: (Edge("h", "r0", "x"),)}
    assert found.truncated == {("h", hops[0])}
    assert (found.nodes["x"].basin_strength, found.nodes["h"].basin_strength) == (1.4, 1.0)


async def test_what_occurs_together_is_asked_for_with_all_neighbours_only() -> None:
    told = {**row("a", []), "together": [["b", 3]]}
    graph = FakeGraph([told])
    assert (await port_on(graph).expand(["a"], VIEW, per_type=5)).together == {("a", "b"): 3}
    assert graph.asked[-1][1]["pairs"] == neo4j_neighbourhood.PAIRS
    await port_on(graph).expand(["a"], VIEW, per_type=5, hops=[Hop("r", True)])
    assert graph.asked[-1][1]["pairs"] == 0


@pytest.mark.parametrize("hops", [0, 7])
async def test_path_lengths_are_bounded(hops: int) -> None:
    with pytest.raises(OutOfBoundsError) as error:
        await port_on(FakeGraph()).paths(["a"], ["b"], VIEW, max_hops=hops, limit=5)
    assert error.value.field == "max_hops"


async def test_the_types_of_sessions_that_are_gone_are_forgotten() -> None:
    graph, clock = FakeGraph(), [0.0]
    port = Neo4jNeighbourhood(graph, types_for_s=5, clock=lambda: clock[0])  # type: ignore[arg-type]
    for session in range(3 * SEEN_TYPES):
        await port.relationship_types(View((f"session:{session}",)))
    assert len(port._types) == SEEN_TYPES
    before = len(graph.asked)
    await port.relationship_types(View((f"session:{3 * SEEN_TYPES - 1}",)))
    assert len(graph.asked) == before
    clock[0] = 6.0
    await port.relationship_types(VIEW)
    assert list(port._types) == [VIEW.scopes]
