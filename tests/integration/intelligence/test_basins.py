"""Basins on a real Neo4j: exact under many writers, once for a document, asleep and awake as written."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from itertools import combinations
from typing import Any

import pytest

from clause.errors import ForbiddenError, NotFoundError
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.ground import Ground, basin_id, strengthening
from clause.intelligence.basins import Basins
from clause.intelligence.models import StrengthenRequest
from tests.fakes.clock import Clock
from tests.integration.intelligence.ground import make_ground
from tests.integration.reasoning.known_graph import run

pytestmark = pytest.mark.integration

OWNER = Caller()
START = datetime(2026, 3, 1, 12, tzinfo=UTC)
WRITERS, DOCUMENTS = 32, 100


@pytest.fixture
def clock() -> Clock:
    return Clock(START)


@pytest.fixture
async def ground(graph: Graph, scope: str, clock: Clock) -> AsyncIterator[Ground]:
    yield make_ground(graph, clock, scope)
    await run(graph, "MATCH (n:Scope {id: $id}) DETACH DELETE n", id=scope)


async def stored(graph: Graph, scope: str) -> dict[str, dict[str, Any]]:
    rows = await run(graph, "MATCH (b:AttractorBasin {scope: $scope}) RETURN b {.*, embedding: null} AS x", scope=scope)
    return {row["x"]["name"]: row["x"] for row in rows}


async def pairs(graph: Graph, scope: str) -> dict[tuple[str, str], int]:
    rows = await run(
        graph,
        "MATCH (a:AttractorBasin {scope: $scope})-[c:CO_OCCURS_WITH]->(b) RETURN [a.name, b.name, c.count] AS x",
        scope=scope,
    )
    found = {}
    for row in rows:
        one, other, count = row["x"]
        assert tuple(sorted((one, other))) not in found, "one relationship for an unordered pair"
        found[tuple(sorted((one, other)))] = count
    return found


async def by_writers(writers: int, work: Callable[[int], Awaitable[None]]) -> None:
    async with asyncio.TaskGroup() as group:
        for writer in range(writers):
            group.create_task(work(writer))


async def plant(graph: Graph, scope: str, names: list[str], strength: float = 1.0) -> list[str]:
    """Entities with a basin of that strength that no document has strengthened yet."""
    ids = [f"{scope}:{name}" for name in names]
    await run(
        graph,
        "UNWIND $rows AS row CREATE (e:Entity {id: row[0], scope: $scope, name: row[1], name_key: row[1], "
        "canonical_key: 'concept:' + row[1], degree: 0, recorded_at: $at, basin_strength: $strength})"
        "-[:HAS_BASIN]->(:AttractorBasin {id: row[2], scope: $scope, entity_id: row[0], name: row[1], kind: 'concept', "
        "strength: $strength, activation_count: 0, activation_history: [], state: 'DORMANT', stability: 0.8, "
        "depth: 1.5, version: 0, recorded_at: $at})",
        rows=[[entity, name, basin_id(entity)] for entity, name in zip(ids, names, strict=True)],
        scope=scope,
        at=START,
        strength=strength,
    )
    return ids


@pytest.mark.timeout(300)
async def test_32_writers_of_100_documents_lose_no_update(graph: Graph, ground: Ground, scope: str) -> None:
    entities = await plant(graph, scope, ["rain", "cloud", "sun"])

    async def writer(number: int) -> None:
        for document in range(DOCUMENTS):
            order = entities[:2] if (number + document) % 2 else entities[1::-1]
            work = strengthening({f"doc-{number}-{document}": order}, scope, START, 0.0003)
            await graph.write([work])
            if document % 10 == 0:
                await graph.write([work])

    await by_writers(WRITERS, writer)
    basins = await stored(graph, scope)
    for name in ("rain", "cloud"):
        assert basins[name]["strength"] == pytest.approx(1.96, abs=1e-9)
        assert basins[name]["activation_count"] == WRITERS * DOCUMENTS
        assert len(basins[name]["activation_history"]) == 50
    assert basins["sun"]["activation_count"] == 0
    assert await pairs(graph, scope) == {("cloud", "rain"): WRITERS * DOCUMENTS}


async def test_the_cap_holds_under_writers_and_counts_go_on(graph: Graph, scope: str) -> None:
    (entity,) = await plant(graph, scope, ["rain"])

    async def writer(number: int) -> None:
        for document in range(8):
            await graph.write([strengthening({f"doc-{number}-{document}": [entity]}, scope, START, 0.01)])

    await by_writers(WRITERS, writer)
    rain = (await stored(graph, scope))["rain"]
    assert (rain["strength"], rain["activation_count"], rain["state"]) == (2.0, 256, "SATURATED")


async def test_the_same_document_sent_by_many_at_once_counts_once(ground: Ground, graph: Graph, scope: str) -> None:
    basins = Basins(ground)
    request = StrengthenRequest(concepts=["Rain", "Cloud"], document_id="d1", scope=scope)
    first = await basins.strengthen(request, caller=OWNER)

    async def writer(_number: int) -> None:
        await basins.strengthen(request, caller=OWNER)

    await by_writers(8, writer)
    assert await basins.strengthen(request, caller=OWNER) == first
    assert [(b.strength, b.activation_count, b.state) for b in first.basins] == [(1.0, 1, "ACTIVATING")] * 2
    assert await pairs(graph, scope) == {("Cloud", "Rain"): 1}


async def test_five_reappearances_saturate_a_basin(ground: Ground, scope: str) -> None:
    basins = Basins(ground)
    seen = []
    for document in range(7):
        request = StrengthenRequest(concepts=["Rain"], document_id=f"d{document}", scope=scope)
        (basin,) = (await basins.strengthen(request, caller=OWNER)).basins
        seen.append((round(basin.strength, 9), basin.state))
    assert seen == [
        (1.0, "ACTIVATING"),
        (1.2, "ACTIVE"),
        (1.4, "ACTIVE"),
        (1.6, "ACTIVE"),
        (1.8, "ACTIVE"),
        (2.0, "SATURATED"),
        (2.0, "SATURATED"),
    ]


async def test_pairs_are_symmetric_and_exact_when_orders_differ(graph: Graph, scope: str) -> None:
    names = ["a", "b", "c", "d"]
    entities = await plant(graph, scope, names)

    async def writer(number: int) -> None:
        for document in range(5):
            turned = entities[number % 4 :] + entities[: number % 4]
            await graph.write([strengthening({f"d{number}-{document}": turned[:3]}, scope, START)])

    await by_writers(16, writer)
    expected = dict.fromkeys(combinations(names, 2), 0)
    for number in range(16):
        for pair in combinations(sorted((names[number % 4 :] + names[: number % 4])[:3]), 2):
            expected[pair] += 5
    assert await pairs(graph, scope) == expected


async def test_a_basin_decays_sleeps_and_wakes(ground: Ground, clock: Clock, scope: str) -> None:
    basins = Basins(ground)

    async def named_in(document: str) -> Any:
        request = StrengthenRequest(concepts=["Rain"], document_id=document, scope=scope)
        return (await basins.strengthen(request, caller=OWNER)).basins[0]

    await named_in("d1")
    rain = await named_in("d2")
    clock.forward(days=6)
    assert await basins.decay([scope], clock()) == {"decayed": 0, "asleep": 0}
    clock.forward(days=1)
    for _ in range(2):
        await basins.decay([scope], clock())
        now = await basins.get(rain.id, caller=OWNER)
        assert (now.strength, now.state) == (pytest.approx(1.1), "DECAYING")
    clock.forward(weeks=3)
    assert await basins.decay([scope], clock()) == {"decayed": 1, "asleep": 1}
    now = await basins.get(rain.entity_id, caller=OWNER)
    assert (now.strength, now.state) == (1.0, "DORMANT")
    assert await basins.decay([scope], clock()) == {"decayed": 0, "asleep": 0}
    awake = await named_in("d3")
    assert (awake.strength, awake.state) == (pytest.approx(1.2), "ACTIVATING")
    assert (await named_in("d4")).state == "ACTIVE"


async def test_a_concept_is_found_by_id_name_and_look_up_key(ground: Ground, scope: str) -> None:
    basins = Basins(ground)
    made = await basins.strengthen(StrengthenRequest(concepts=["Rain"], document_id="d1", scope=scope), caller=OWNER)
    entity = made.basins[0].entity_id
    again = await basins.strengthen(
        StrengthenRequest(concepts=[entity, "rain", " Rain "], document_id="d2", scope=scope), caller=OWNER
    )
    assert [basin.entity_id for basin in again.basins] == [entity]
    assert again.basins[0].activation_count == 2


async def test_a_concept_is_found_by_its_alias_and_by_what_was_merged_into_it(
    ground: Ground, graph: Graph, scope: str
) -> None:
    basins = Basins(ground)
    request = StrengthenRequest(concepts=["Robert Kessler", "R. Kessler", "Bob"], document_id="d1", scope=scope)
    robert, merged, other = [basin.entity_id for basin in (await basins.strengthen(request, caller=OWNER)).basins]
    sides = {"winner": robert, "loser": merged, "receipt_id": "none", "scopes": [scope], "now": START}
    await graph.run("knowledge/absorb_entity", **sides)
    for entity, alias in ((robert, "Bobby Kess"), (robert, "BOB")):
        await graph.run("knowledge/add_alias", id=entity, scope=scope, alias=alias, versions=None)
    said = ["Bobby Kess", "bobby kess", "r. kessler", merged, "bob"]
    again = await basins.strengthen(StrengthenRequest(concepts=said, document_id="d2", scope=scope), caller=OWNER)
    assert [basin.entity_id for basin in again.basins] == [robert, other]
    assert (await run(graph, "MATCH (e:Entity {scope: $scope}) RETURN count(e) AS x", scope=scope))[0]["x"] == 3


async def test_the_rarest_pairs_go_where_a_basin_has_very_many(
    ground: Ground, graph: Graph, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clause.intelligence.basins.MANY_NEIGHBOURS", 3)
    basins = Basins(ground)
    for document, concepts in {"d1": ["Rain", "Cloud"], "d2": ["Rain", "Cloud", "Sun", "Wind", "Ice"]}.items():
        await basins.strengthen(StrengthenRequest(concepts=concepts, document_id=document, scope=scope), caller=OWNER)
    assert await pairs(graph, scope) == {("Cloud", "Rain"): 2}

    monkeypatch.setattr("clause.intelligence.basins.MANY_NEIGHBOURS", 1000)  # as where a load wrote them
    loaded = StrengthenRequest(concepts=["Rain", "Hail", "Fog", "Dew"], document_id="d3", scope=scope)
    await basins.strengthen(loaded, caller=OWNER)
    monkeypatch.setattr("clause.intelligence.basins.MANY_NEIGHBOURS", 3)
    assert await basins.prune_crowded([scope]) == 3
    assert await pairs(graph, scope) == {
        ("Cloud", "Rain"): 2,
        ("Dew", "Fog"): 1,
        ("Dew", "Hail"): 1,
        ("Fog", "Hail"): 1,
    }


async def test_a_foreign_basin_is_not_found_and_a_foreign_scope_is_refused(ground: Ground, scope: str) -> None:
    basins = Basins(ground)
    made = await basins.strengthen(StrengthenRequest(concepts=["Rain"], document_id="d1", scope=scope), caller=OWNER)
    stranger = Caller(readable=("user:bob",), writable=("user:bob",))
    for unknown in (made.basins[0].id, "bas_nothing"):
        with pytest.raises(NotFoundError, match="no basin"):
            await basins.get(unknown, caller=stranger)
    with pytest.raises(ForbiddenError):
        await basins.strengthen(StrengthenRequest(concepts=["x"], document_id="d", scope=scope), caller=stranger)


async def test_a_merged_entity_has_its_own_basin_whichever_id_comes_first(
    graph: Graph, ground: Ground, scope: str
) -> None:
    basins = Basins(ground)
    made = (await basins.strengthen(StrengthenRequest(concepts=["Rain", "Snow"], document_id="d"), caller=OWNER)).basins
    for own, other in (made, made[::-1]):
        await run(
            graph,
            "MATCH (e:Entity {id: $own}), (b:AttractorBasin {id: $basin}) MERGE (e)-[:HAS_BASIN]->(b)",
            own=own.entity_id,
            basin=other.id,
        )
        assert (await basins.get(own.entity_id, caller=OWNER)).id == own.id
        seed = {
            "id": f"ths{scope}{own.id}",
            "scope": scope,
            "scopes": [scope],
            "concept": "Rain",
            "concept_id": own.entity_id,
            "source_doc": "d",
            "created_at": START,
        }
        await run(graph, "MATCH (b:AttractorBasin {id: $id}) SET b.strength = 1.7", id=own.id)
        await run(graph, "MATCH (b:AttractorBasin {id: $id}) SET b.strength = 1.1", id=other.id)
        await graph.run("intelligence/write_thoughtseeds", rows=[seed], threshold=0.8, neighbours=5)
        (row,) = await run(graph, "MATCH (t:ThoughtSeed {id: $id}) RETURN t.basin_strength AS x", id=seed["id"])
        assert row["x"] == 1.7
