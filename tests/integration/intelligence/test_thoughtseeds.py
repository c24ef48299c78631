"""ThoughtSeeds on a real Neo4j: written once, linked across documents, attracted by basins, archived after a day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from clause.errors import NotFoundError
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.ground import Ground, strengthening
from clause.intelligence.thoughtseeds import ThoughtSeeds, seed_id, seed_rows
from tests.fakes.clock import Clock
from tests.integration.intelligence.ground import make_ground
from tests.integration.reasoning.known_graph import run

pytestmark = pytest.mark.integration

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
DIMENSION = 384


@pytest.fixture
def clock() -> Clock:
    return Clock(START)


@pytest.fixture
def ground(graph: Graph, scope: str, clock: Clock) -> Ground:
    return make_ground(graph, clock, scope)


@pytest.fixture
def thoughtseeds(ground: Ground) -> ThoughtSeeds:
    return ThoughtSeeds(ground)


def unit(vector: Any) -> Any:
    return (vector / np.linalg.norm(vector)).astype(np.float32)


async def plant(graph: Graph, scope: str, vectors: dict[str, Any], *, basins: bool = False) -> None:
    rows = [{"id": f"{scope}:{name}", "name": name, "embedding": vector} for name, vector in vectors.items()]
    await run(
        graph,
        "UNWIND $rows AS row CREATE (e:Entity {id: row.id, scope: $scope, name: row.name, degree: 0, "
        "canonical_key: 'concept:' + row.name, recorded_at: $at}) SET e.embedding = toFloatList(row.embedding) "
        "WITH e WHERE $basins CREATE (e)-[:HAS_BASIN]->(b:AttractorBasin {id: 'bas_' + e.id, scope: $scope, "
        "entity_id: e.id, name: e.name, strength: 1.0, recorded_at: $at, embedding: e.embedding})",
        rows=rows,
        scope=scope,
        at=START,
        basins=basins,
    )


def rows_of(scope: str, names: list[str], source: str, at: datetime = START) -> list[dict[str, Any]]:
    return seed_rows({f"{scope}:{name}": name for name in names}, source, scope, [scope], at)


async def links(graph: Graph, scope: str) -> dict[tuple[str, str], dict[str, Any]]:
    found = await run(
        graph,
        "MATCH (a:ThoughtSeed {scope: $scope})-[r:RELATED_THOUGHTSEED]->(b) "
        "RETURN [a.concept, b.concept, r {.similarity, .temporal_distance_days}] AS x",
        scope=scope,
    )
    return {tuple(sorted(row["x"][:2])): row["x"][2] for row in found}


async def test_a_seed_is_written_once_under_the_id_known_before(
    graph: Graph, thoughtseeds: ThoughtSeeds, scope: str
) -> None:
    await plant(graph, scope, {"rain": unit(np.ones(DIMENSION))})
    rows = rows_of(scope, ["rain"], "query:1")
    for _ in range(2):
        await thoughtseeds.write([*rows, *rows])
    (row,) = await run(graph, "MATCH (t:ThoughtSeed {scope: $scope}) RETURN t {.*} AS x", scope=scope)
    seed = row["x"]
    assert seed["id"] == rows[0]["id"] == seed_id(scope, f"{scope}:rain", "query:1")
    assert (seed["concept"], seed["source_doc"], seed["status"]) == ("rain", "query:1", "active")
    assert (seed["similarity_threshold"], seed["created_at"], len(seed["embedding"])) == (0.8, START, DIMENSION)
    await thoughtseeds.write([])


async def test_seeds_of_different_documents_are_linked_above_the_threshold_only(
    graph: Graph, thoughtseeds: ThoughtSeeds, scope: str
) -> None:
    base = np.zeros(DIMENSION)
    base[0] = 1.0
    near, far = base.copy(), base.copy()
    near[1], far[1] = 0.5, 1.0
    await plant(graph, scope, {"rain": unit(base), "drizzle": unit(near), "cloud": unit(far)})
    await thoughtseeds.write(rows_of(scope, ["rain", "drizzle"], "doc-b"))
    await thoughtseeds.write(rows_of(scope, ["drizzle", "cloud"], "doc-a", START + timedelta(hours=36)))
    done = await thoughtseeds.link([scope])
    assert done["linked"] == 4
    found = await links(graph, scope)
    assert set(found) == {("drizzle", "drizzle"), ("drizzle", "rain"), ("cloud", "drizzle")}
    assert found["drizzle", "rain"]["similarity"] == pytest.approx(float(unit(base) @ unit(near)), abs=1e-5)
    assert found["drizzle", "rain"]["temporal_distance_days"] == pytest.approx(1.5)
    (documents,) = await run(
        graph, "MATCH (t:ThoughtSeed {scope: $scope, concept: 'rain'}) RETURN t.linked_documents AS x", scope=scope
    )
    assert documents["x"] == ["doc-a"]
    assert (await thoughtseeds.link([scope]))["linked"] == 0


async def test_a_document_full_of_near_seeds_does_not_hide_those_of_others(
    graph: Graph, thoughtseeds: ThoughtSeeds, scope: str
) -> None:
    rng = np.random.default_rng(0)
    base, away = rng.normal(size=(2, DIMENSION))
    crowd = {f"drop {place}": unit(unit(base) + 0.01 * unit(rng.normal(size=DIMENSION))) for place in range(40)}
    others = {"shower": unit(unit(base) + 0.4 * unit(away)), "storm": unit(unit(base) - 0.4 * unit(away))}
    await plant(graph, scope, {**crowd, **others})
    await thoughtseeds.write(rows_of(scope, list(crowd), "doc-b"))
    await thoughtseeds.write([*rows_of(scope, ["shower"], "doc-a"), *rows_of(scope, ["storm"], "doc-c")])
    await thoughtseeds.link([scope])
    found = await links(graph, scope)
    assert {pair for pair in found if "drop 7" in pair} == {("drop 7", "shower"), ("drop 7", "storm")}


async def test_links_are_those_of_brute_force_with_a_recall_of_98_percent(
    graph: Graph, thoughtseeds: ThoughtSeeds, scope: str
) -> None:
    rng = np.random.default_rng(7)
    centres = rng.standard_normal((12, DIMENSION))
    vectors = {
        f"c{place:03}": unit(centres[place % 12] + 0.25 * rng.standard_normal(DIMENSION)) for place in range(600)
    }
    await plant(graph, scope, vectors)
    sources = {name: f"doc-{place % 20:02}" for place, name in enumerate(vectors)}
    for source in sorted(set(sources.values())):
        await thoughtseeds.write(rows_of(scope, [name for name in vectors if sources[name] == source], source))
    await thoughtseeds.link([scope])
    names = list(vectors)
    matrix = np.stack([vectors[name] for name in names])
    similarities = matrix @ matrix.T
    found = await links(graph, scope)
    hits = wanted = 0
    for row, name in enumerate(names):
        others = [
            (float(similarities[row, column]), other)
            for column, other in enumerate(names)
            if sources[other] != sources[name] and similarities[row, column] >= 0.8
        ]
        best = sorted(others, key=lambda pair: -pair[0])[:10]
        wanted += len(best)
        hits += sum(tuple(sorted((name, other))) in found for _, other in best)
    assert wanted > 1_000
    assert hits / wanted >= 0.98


async def test_basins_attract_and_five_seeds_make_a_pattern(
    graph: Graph, thoughtseeds: ThoughtSeeds, scope: str
) -> None:
    base = np.zeros(DIMENSION)
    base[0] = 1.0
    others = {}
    for place in range(5):
        vector = base.copy()
        vector[place + 2] = 0.1 * (place + 1)
        others[f"b{place}"] = unit(vector)
    away = np.zeros(DIMENSION)
    away[300] = 1.0
    await plant(graph, scope, {**others, "away": away.astype(np.float32)}, basins=True)
    for place in range(4):
        await thoughtseeds.write(rows_of(scope, ["b0"], f"doc-{place}"))
    assert (await thoughtseeds.link([scope]))["patterns"] == 0
    await thoughtseeds.write(rows_of(scope, ["b0", "away"], "doc-9"))
    await thoughtseeds.link([scope])
    pulled = await run(
        graph,
        "MATCH (t:ThoughtSeed {scope: $scope, concept: 'b0'})-[a:ATTRACTED_TO]->(b) "
        "RETURN [t.source_doc, b.name, a.similarity > 0.7] AS x",
        scope=scope,
    )
    assert {(row["x"][1], row["x"][2]) for row in pulled} == {("b0", True), ("b1", True), ("b2", True)}
    (pattern,) = await run(
        graph,
        "MATCH (p:EmergentPattern {scope: $scope, name: 'b0'}) "
        "RETURN [p.seed_count, p.concepts, COUNT { (p)-[:GENERATED_BY]->(:ThoughtSeed) }] AS x",
        scope=scope,
    )
    assert pattern["x"] == [5, ["b0"], 5]


async def test_a_seed_without_a_neighbour_has_its_basins_all_the_same(
    graph: Graph, thoughtseeds: ThoughtSeeds, scope: str
) -> None:
    await plant(graph, scope, {"rain": unit(np.ones(DIMENSION))}, basins=True)
    await thoughtseeds.write(rows_of(scope, ["rain"], "doc-a"))
    done = await thoughtseeds.link([scope])
    assert (done["linked"], done["related"], done["attracted"]) == (1, 0, 1)


async def test_seeds_older_than_a_day_are_archived_and_kept(
    graph: Graph, thoughtseeds: ThoughtSeeds, scope: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clause.intelligence.thoughtseeds.PAGE", 2)
    await thoughtseeds.write(rows_of(scope, ["a", "b", "c"], "doc-1"))
    await thoughtseeds.write(rows_of(scope, ["d"], "doc-1", START + timedelta(hours=2)))
    clock.forward(hours=25)
    assert await thoughtseeds.archive([scope], clock()) == 3
    assert await thoughtseeds.archive([scope], clock()) == 0
    rows = await run(graph, "MATCH (t:ThoughtSeed {scope: $scope}) RETURN [t.concept, t.status] AS x", scope=scope)
    assert {row["x"][0]: row["x"][1] for row in rows} == {**dict.fromkeys("abc", "archived"), "d": "active"}


async def test_a_seed_is_read_with_its_concepts_basin(graph: Graph, ground: Ground, scope: str) -> None:
    thoughtseeds, caller = ThoughtSeeds(ground), Caller((scope,), (scope,))
    await graph.run("graph/register_scope", scope=scope, recorded_at=START)
    await plant(graph, scope, {"rain": unit(np.ones(DIMENSION)), "cloud": unit(np.ones(DIMENSION))})
    await graph.write([strengthening({"d1": [f"{scope}:rain", f"{scope}:cloud"]}, scope, START)])
    rows = rows_of(scope, ["rain"], "query:1")
    await thoughtseeds.write(rows)
    seed = await thoughtseeds.get(rows[0]["id"], caller=caller)
    assert (seed.concept, seed.basin_context.activation_count) == ("rain", 1)
    assert seed.basin_context.co_occurring == {"cloud": 1}
    with pytest.raises(NotFoundError):
        await thoughtseeds.get(rows[0]["id"], caller=Caller(("public",), ()))
    await run(graph, "MATCH (n:Scope {id: $id}) DETACH DELETE n", id=scope)


async def test_a_seed_keeps_the_basin_that_its_concept_had(graph: Graph, ground: Ground, scope: str) -> None:
    thoughtseeds, caller = ThoughtSeeds(ground), Caller((scope,), (scope,))
    await graph.run("graph/register_scope", scope=scope, recorded_at=START)
    await plant(graph, scope, {name: unit(np.ones(DIMENSION)) for name in ("hail", "frost", "thaw")})
    await graph.write([strengthening({"d1": [f"{scope}:hail", f"{scope}:frost"]}, scope, START)])
    early, alone = rows_of(scope, ["hail"], "query:1"), rows_of(scope, ["thaw"], "query:1")
    await thoughtseeds.write([*early, *alone])
    await graph.write([strengthening({"d2": [f"{scope}:hail", f"{scope}:thaw"]}, scope, START + timedelta(hours=1))])
    late = rows_of(scope, ["hail"], "query:2")
    await thoughtseeds.write([*early, *late])
    before, after = [(await thoughtseeds.get(rows[0]["id"], caller=caller)).basin_context for rows in (early, late)]
    assert (before.activation_count, before.co_occurring) == (1, {"frost": 1})
    assert (after.activation_count, after.co_occurring) == (2, {"frost": 1, "thaw": 1})
    assert after.strength > before.strength >= 1.0
    none = (await thoughtseeds.get(alone[0]["id"], caller=caller)).basin_context
    assert (none.strength, none.activation_count, none.co_occurring) == (1.0, 0, {})
    stored = "MATCH (t:ThoughtSeed {id: $id}) RETURN [t.basin_activation_count, t.basin_strength] AS x"
    (kept,) = await run(graph, stored, id=early[0]["id"])
    assert kept["x"] == [1, before.strength]
    await run(graph, "MATCH (n:Scope {id: $id}) DETACH DELETE n", id=scope)
