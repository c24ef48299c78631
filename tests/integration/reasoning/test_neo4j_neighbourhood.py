"""The neighbourhood port on a real Neo4j: the shared contract, then what only a store has (scopes, clocks, hubs)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from neo4j import AsyncGraphDatabase

from clause.errors import OutOfBoundsError
from clause.graph.catalogue import Statement
from clause.graph.runner import Graph
from clause.reasoning.neighbourhood import neo4j as neo4j_neighbourhood
from clause.reasoning.neighbourhood.neo4j import Neo4jNeighbourhood, name_relations
from clause.reasoning.neighbourhood.port import Edge, Hop, View
from tests.contract.neighbourhood_checks import CHECKS, DIRECTED, DIRECTED_INVERSE, TAGGED_INVERSE, VECTORS, Check
from tests.integration.reasoning.known_graph import LONG_AGO, run, write_known_graph

pytestmark = pytest.mark.integration


@pytest.fixture
async def view(graph: Graph, scope: str) -> View:
    await write_known_graph(graph, scope)
    return View((scope,))


@pytest.fixture
def port(graph: Graph) -> Neo4jNeighbourhood:
    return Neo4jNeighbourhood(graph)


async def test_neo4j_keeps_the_contract(port: Neo4jNeighbourhood, view: View) -> None:
    for check in CHECKS:
        await check(port, view)


@pytest.mark.parametrize(
    "check", [check for check in CHECKS if "cap" not in check.__name__ and "order" not in check.__name__]
)
async def test_a_node_read_type_by_type_keeps_the_contract(
    port: Neo4jNeighbourhood, view: View, check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neo4j_neighbourhood, "WIDE", 0)
    monkeypatch.setattr(neo4j_neighbourhood, "RELATIONS_AT_ONCE", 8)
    await check(port, view)


async def test_a_frontier_is_one_query(graph: Graph, port: Neo4jNeighbourhood, view: View) -> None:
    await port.relationship_types(view)
    before = graph.round_trips
    await port.expand(["alien", "blade", "heat", "scott", "mann", "weaver", "ford"], view, per_type=10)
    assert graph.round_trips == before + 1


async def test_vectors_are_read_once(graph: Graph, port: Neo4jNeighbourhood, view: View) -> None:
    await port.embeddings(["alien", "hub"])
    before = graph.round_trips
    assert set(await port.embeddings(["hub", "alien"])) == {"alien", "hub"}
    assert graph.round_trips == before


async def test_the_vector_cache_is_bounded_and_still_answers(graph: Graph, view: View) -> None:
    port = Neo4jNeighbourhood(graph, cached_vectors=1)
    assert set(await port.embeddings(["alien", "hub", "scott"])) == {"alien", "hub", "scott"}
    assert set(await port.embeddings(["alien", "hub", "scott"])) == {"alien", "hub", "scott"}


async def test_the_registry_is_believed_for_a_while_and_can_be_forgotten(graph: Graph, view: View) -> None:
    clock = [0.0]
    port = Neo4jNeighbourhood(graph, types_for_s=5, clock=lambda: clock[0])
    await port.relationship_types(view)
    before = graph.round_trips
    await port.relationship_types(view)
    assert graph.round_trips == before
    clock[0] = 6.0
    await port.relationship_types(view)
    assert graph.round_trips == before + 1
    port.forget()
    await port.relationship_types(view)
    assert graph.round_trips == before + 2


async def test_a_type_of_two_scopes_is_listed_once_with_both_counts(graph: Graph, view: View, scope: str) -> None:
    other = f"{scope}-b"
    await run(
        graph,
        "CREATE (:RelationshipType {id: $id, scope: $other, name: 'starred', text: 'starred', count: 5})",
        id=f"{other}starred",
        other=other,
    )
    try:
        kinds = await Neo4jNeighbourhood(graph).relationship_types(View((*view.scopes, other)))
        starred = next(kind for kind in kinds if kind.name == "starred")
        assert starred.count == 2 + 5
        assert len(kinds) == 5
        (alone,) = await Neo4jNeighbourhood(graph).relationship_types(View((other,)))
        assert (alone.inverse_text, float(alone.embedding.sum())) == ("starred", 0.0)
    finally:
        await run(graph, "MATCH (n {scope: $other}) DETACH DELETE n", other=other)


async def test_another_scope_is_invisible(port: Neo4jNeighbourhood, graph: Graph, view: View, scope: str) -> None:
    stranger = View(("kg:somebody-else",))
    assert (await port.expand(["alien"], stranger, per_type=5)).neighbours == {}
    assert (await port.expand(["alien"], View(()), per_type=5)).neighbours == {}
    assert await port.starts(DIRECTED, View((stranger.scopes[0], scope)), limit=50) != []
    assert list(await port.starts(DIRECTED, stranger, limit=50)) == []
    assert await port.paths(["alien"], ["scott"], stranger, max_hops=3, limit=5) == []
    await run(
        graph,
        "MATCH (a:Entity {id: 'heat'}), (b:Entity {id: 'ford'}) CREATE (a)-[:starred {scope: 'kg:hidden'}]->(b)",
    )
    assert Hop("starred", True) not in (await port.expand(["heat"], view, per_type=5)).neighbours["heat"]


async def test_relationships_that_are_ours_alone_are_never_walked(
    port: Neo4jNeighbourhood, graph: Graph, view: View
) -> None:
    await run(
        graph,
        "MATCH (a:Entity {id: 'heat'}), (b:Entity {id: 'ford'}) "
        "CREATE (a)-[:SAME_AS]->(b), (a)-[:HAS_PROVENANCE]->(b), (a)-[:ABOUT]->(b)",
    )
    hops = (await port.expand(["heat"], view, per_type=5)).neighbours["heat"]
    assert set(hops) == {DIRECTED, Hop("ABOUT", True)}


async def test_a_passage_is_walked_with_its_text(
    port: Neo4jNeighbourhood, graph: Graph, view: View, scope: str
) -> None:
    await run(
        graph,
        "MATCH (e:Entity {id: 'heat'}) CREATE (:Document {id: $scope + 'd', scope: $scope, title: 'On Heat'})"
        "-[:HAS_PASSAGE]->(:Passage {id: $scope + 'p', scope: $scope, text: 'Heat is a film.'})-[:MENTIONS]->(e)",
        scope=scope,
    )
    found = await port.expand(["heat", f"{scope}d"], view, per_type=5)
    passage, document = found.nodes[f"{scope}p"], found.nodes[f"{scope}d"]
    assert (passage.kind, passage.text, passage.name) == ("passage", "Heat is a film.", "Heat is a film.")
    assert (document.kind, document.name, document.text) == ("document", "On Heat", None)
    assert found.neighbours["heat"][Hop("MENTIONS", False)] == (Edge(f"{scope}p", "MENTIONS", "heat"),)
    assert found.neighbours[f"{scope}d"] == {Hop("HAS_PASSAGE", True): (Edge(f"{scope}d", "HAS_PASSAGE", f"{scope}p"),)}


@pytest.mark.parametrize("wide", [1_000, 0])
async def test_an_insight_is_walked_unless_it_is_in_quarantine_or_superseded(
    graph: Graph, view: View, scope: str, wide: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neo4j_neighbourhood, "WIDE", wide)
    monkeypatch.setattr(neo4j_neighbourhood, "PATHS_TIMEOUT_S", 60.0)
    await run(
        graph,
        "MATCH (e:Entity {id: 'heat'}) UNWIND ['held', 'hidden', 'old', 'unmarked'] AS name "
        "CREATE (n:Insight {id: $scope + name, scope: $scope, content: name + ' text', recorded_at: $at, "
        "quarantined: CASE name WHEN 'unmarked' THEN null ELSE name = 'hidden' END, "
        "embedding: CASE name WHEN 'held' THEN toFloatList($vector) END})-[:ABOUT {scope: $scope}]->(e)",
        vector=VECTORS["hub"],
        scope=scope,
        at=LONG_AGO,
    )
    await run(
        graph,
        "MATCH (new:Insight {id: $scope + 'held'}), (old:Insight {id: $scope + 'old'}) "
        "CREATE (new)-[:SUPERSEDES {scope: $scope}]->(old), (new)-[:DERIVED_FROM {scope: $scope}]->(old)",
        scope=scope,
    )
    held, hidden, old, unmarked = (f"{scope}{name}" for name in ("held", "hidden", "old", "unmarked"))
    port = Neo4jNeighbourhood(graph)
    found = await port.expand(["heat", held, hidden, old], view, per_type=9)
    assert {edge.source for edge in found.neighbours["heat"][Hop("ABOUT", False)]} == {held, unmarked}
    assert found.neighbours[held] == {Hop("ABOUT", True): (Edge(held, "ABOUT", "heat"),)}
    assert not found.nodes.keys() & {hidden, old}
    assert (found.nodes[held].kind, found.nodes[held].text) == ("insight", "held text")
    assert set(await port.embeddings([held, unmarked])) == {held}
    assert await port.paths([held], [unmarked], view, max_hops=2, limit=9) != []
    assert await port.paths([hidden, old, unmarked], [hidden, old], view, max_hops=2, limit=9) == []


@pytest.mark.parametrize("wide", [1_000, 0])
async def test_the_two_clocks_are_kept(
    graph: Graph, view: View, scope: str, wide: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neo4j_neighbourhood, "WIDE", wide)
    day = timedelta(days=1)
    for target, facts in {
        "ford": {"valid_from": LONG_AGO + 10 * day, "valid_until": LONG_AGO + 20 * day},
        "mann": {"recorded_at": LONG_AGO + 30 * day, "retracted_at": LONG_AGO + 40 * day},
        "weaver": {"recorded_at": LONG_AGO + 50 * day},
    }.items():
        await run(
            graph,
            "MATCH (a:Entity {id: 'island'}), (b:Entity {id: $target}) CREATE (a)-[r:starred {scope: $scope}]->(b) "
            "SET r += $facts",
            target=target,
            facts=facts,
            scope=scope,
        )
    port = Neo4jNeighbourhood(graph, now=lambda: datetime(2024, 1, 1, tzinfo=UTC))

    async def seen(valid: int | None, recorded: int | None) -> set[str]:
        then = View(
            view.scopes,
            None if valid is None else LONG_AGO + valid * day,
            None if recorded is None else LONG_AGO + recorded * day,
        )
        hops = (await port.expand(["island"], then, per_type=9)).neighbours["island"]
        return {edge.target for edges in hops.values() for edge in edges}

    assert await seen(None, None) == {"weaver"}
    assert await seen(15, None) == {"ford", "weaver"}
    assert await seen(10, 5) == {"ford"}
    assert await seen(20, 35) == {"mann"}
    assert await seen(None, 40) == set()


@pytest.fixture
async def hub(graph: Graph, view: View, scope: str) -> str:
    """A node with 10,000 relationships of one type, and one of another."""
    await run(
        graph,
        "UNWIND range(0, 499) AS k CREATE (:Entity {id: $scope + '-' + k, scope: $scope, name: 'leaf', degree: 1, "
        "canonical_key: 'concept:leaf' + k})",
        scope=scope,
    )
    await run(
        graph,
        "MATCH (h:Entity {id: 'hub'}) UNWIND range(1, 20) AS again UNWIND range(0, 499) AS k "
        "MATCH (leaf:Entity {id: $scope + '-' + k}) CREATE (leaf)-[:tagged {scope: $scope, recorded_at: $at}]->(h)",
        scope=scope,
        at=LONG_AGO,
    )
    await run(
        graph,
        "MATCH (h:Entity {id: 'hub'}), (a:Entity {id: 'alien'}) CREATE (h)-[:admires {scope: $scope}]->(a)",
        scope=scope,
    )
    return "hub"


async def database_hits(graph: Graph, statement: Statement, **parameters: Any) -> int:
    """How often the store was touched, as PROFILE counts it."""
    address = graph.address
    auth = (address.user, address.password.get_secret_value())
    text = statement.text.replace("CYPHER 25 ", "CYPHER 25 PROFILE ", 1)
    async with AsyncGraphDatabase.driver(address.uri, auth=auth, notifications_min_severity="OFF") as driver:
        result = await driver.execute_query(text, parameters_=parameters, database_=address.database)

    def hits(plan: dict[str, Any]) -> int:
        return plan.get("dbHits", 0) + sum(hits(child) for child in plan.get("children", ()))

    assert result.summary.profile is not None
    return hits(result.summary.profile)


async def test_a_hub_is_read_up_to_the_cap_whatever_else_hangs_on_it(graph: Graph, view: View, hub: str) -> None:
    port = Neo4jNeighbourhood(graph)
    asked = [hub, "alien"]
    found = await port.expand(asked, view, per_type=50)
    assert len(found.neighbours[hub][TAGGED_INVERSE]) == 50
    assert found.neighbours[hub][Hop("admires", True)] == (Edge(hub, "admires", "alien"),)
    assert found.truncated == {(hub, TAGGED_INVERSE)}
    assert found == await port.expand(asked, view, per_type=50)
    before = graph.round_trips
    typed = await port.expand(asked, view, per_type=50, hops=[TAGGED_INVERSE])
    assert typed.neighbours[hub] == {TAGGED_INVERSE: found.neighbours[hub][TAGGED_INVERSE]}
    assert graph.round_trips == before + 2


async def test_the_store_is_touched_for_what_a_cap_allows_not_for_what_hangs_on_a_hub(
    graph: Graph, view: View, hub: str
) -> None:
    names = ["admires", "starred", "tagged", "written_by"]
    parameters: dict[str, Any] = {
        "nodes": [hub],
        "scopes": list(view.scopes),
        "forward": names,
        "backward": names,
        "valid": LONG_AGO,
        "recorded": neo4j_neighbourhood.FOREVER,
        "cap": 51,
        **view.hidden.parameters,
    }
    whole = {"wide": neo4j_neighbourhood.WIDE, "pairs": neo4j_neighbourhood.PAIRS}
    first = await database_hits(graph, graph.catalogue["reasoning/expand"], **parameters, **whole)
    assert first < 100
    named = name_relations(graph.catalogue["reasoning/expand_hub"], names)
    assert await database_hits(graph, named, **parameters, reach=100) < 4_000


async def test_names_that_need_quoting_are_expanded_around_a_hub(
    graph: Graph, view: View, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neo4j_neighbourhood, "WIDE", 0)
    odd = ["it`s odd", "with space", "ünïcode 漢", "quote'\"", r"back\slash", r"\u0060]->() //"]
    await run(
        graph,
        "MATCH (a:Entity {id: 'island'}), (b:Entity {id: 'ford'}) UNWIND $odd AS name "
        "CREATE (a)-[:$(name) {scope: $scope}]->(b)",
        odd=odd,
        scope=scope,
    )
    found = await Neo4jNeighbourhood(graph).expand(["island"], view, per_type=5, hops=[Hop(name, True) for name in odd])
    assert {hop.relation for hop in found.neighbours["island"]} == set(odd)


async def test_paths_are_bounded(port: Neo4jNeighbourhood, view: View) -> None:
    with pytest.raises(OutOfBoundsError, match="max_hops"):
        await port.paths(["alien"], ["scott"], view, max_hops=7, limit=5)


def test_a_statement_without_a_marked_part_is_refused(graph: Graph) -> None:
    from clause.errors import ClauseError

    with pytest.raises(ClauseError, match="marked"):
        name_relations(graph.catalogue["reasoning/expand"], ["a"])
    with pytest.raises(ClauseError, match="at least one"):
        name_relations(graph.catalogue["reasoning/expand_hub"], [])


@pytest.mark.parametrize(
    ("mark", "later"),
    [("archived_at", False), ("retracted_at", False), ("recorded_at", True)],
)
async def test_nothing_starts_at_or_leads_to_what_is_not_there_at_the_clock(
    graph: Graph, port: Neo4jNeighbourhood, view: View, mark: str, later: bool
) -> None:
    changed = datetime(2024, 1, 1, tzinfo=UTC)
    await run(graph, "MATCH (n:Entity) WHERE n.id IN ['blade', 'mann'] SET n[$mark] = $at", mark=mark, at=changed)
    for year in (2023, 2025):
        then = View(view.scopes, as_of_recorded=datetime(year, 1, 1, tzinfo=UTC))
        there = later == (year > 2024)
        starts = [node.id for node in await port.starts(DIRECTED, then, limit=10)]
        assert starts == (["alien", "blade", "heat"] if there else ["alien"])
        ends = [node.id for node in await port.starts(DIRECTED_INVERSE, then, limit=10)]
        assert ends == (["mann", "scott"] if there else ["scott"])
