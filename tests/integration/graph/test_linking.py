"""Entities found in texts, on a real graph."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from clause.graph.scopes import scope_token
from clause.text.linking import MOST_NAMES, EntityLinker
from clause.text.names import canonical_key, entity_id, name_key
from tests.fakes.embedder import HashEmbedder
from tests.servers import statement

pytestmark = pytest.mark.integration
NOW = datetime(2026, 1, 1, tzinfo=UTC)
POPULAR = statement("MATCH (n:Entity {id: $id}) SET n.degree = 100", parameters="$id STRING")


async def store(graph, scope, *names, aliases=()):
    """Known entities, as a loader would make them."""
    rows = [
        [place, entity_id(scope, canonical_key(name)), canonical_key(name), name, name_key(name), "concept", [*aliases]]
        for place, name in enumerate(names)
    ]
    await graph.run("graph/merge_entities", rows=rows, scope=scope, scope_token=scope_token(scope), recorded_at=NOW)


@pytest.fixture
def linker(graph):
    return EntityLinker(graph, HashEmbedder())


def names(linking, place=0):
    return [entity.name for entity in linking.entities[place]]


async def test_a_known_name_is_found_whatever_its_case_and_makes_no_new_entity(graph, scope, linker):
    await store(graph, scope, "dark mode", "Neo4j")
    linking = await linker.link(["the user prefers Dark Mode in NEO4J"], scope, NOW)
    assert names(linking) == ["dark mode", "Neo4j"]
    assert linking.statements == ()


async def test_an_alias_leads_to_its_entity(graph, scope, linker):
    await store(graph, scope, "Neo4j", aliases=["Graph Engine"])
    assert names(await linker.link(["We moved to Graph Engine yesterday."], scope, NOW)) == ["Neo4j"]


async def test_an_alias_that_the_caller_gives_leads_to_its_entity_though_no_text_holds_it(graph, scope, linker):
    await store(graph, scope, "Neo4j", aliases=["Graph Engine"])
    linking = await linker.link(["", "We moved"], scope, NOW, given=[["graph engine"], ["Graph Engine"]])
    assert [names(linking, place) for place in (0, 1)] == [["Neo4j"], ["Neo4j"]]
    assert linking.statements == ()


async def test_aliases_behind_many_other_names_of_a_batch_lead_to_their_entities(graph, scope, linker):
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    others = [f"Person{one}{other}" for one in letters[:5] for other in letters]
    await store(graph, scope, "Neo4j", aliases=["Graph Engine"])
    texts = [f"Yesterday {other} spoke." for other in others] + ["We moved to Graph Engine yesterday."]
    assert names(await linker.link(texts, scope, NOW), -1) == ["Neo4j"]
    given = [*([other] for other in others), ["Graph Engine"]]
    assert names(await linker.link([""] * len(given), scope, NOW, given=given), -1) == ["Neo4j"]


async def test_a_rare_alias_is_found_beside_a_name_that_very_many_have(graph, scope, linker):
    await store(graph, scope, *(f"{'Otto' if number < 300 else 'Emil'} {number}" for number in range(1000)))
    await store(graph, scope, "Robert Kessler", aliases=["Kess", *(f"the {number}th of many" for number in range(20))])
    linking = await linker.link(["I met Kess and Otto today"], scope, NOW)
    assert names(linking) == ["Robert Kessler", "Otto"]


async def test_a_name_goes_before_the_alias_of_a_better_connected_entity(graph, scope, linker):
    await store(graph, scope, "Mercury")
    await store(graph, scope, "Freddie", aliases=["Mercury"])
    await graph.execute(POPULAR, {"id": entity_id(scope, canonical_key("Freddie"))})
    assert names(await linker.link(["", "We saw Mercury"], scope, NOW, given=[["mercury"], []])) == ["Mercury"]


async def test_what_was_merged_gives_way_though_the_index_cannot_find_its_name(graph, scope, linker):
    await store(graph, scope, "Bang", "!!!")
    winner, loser = (entity_id(scope, canonical_key(name)) for name in ("Bang", "!!!"))
    sides = {"winner": winner, "loser": loser, "receipt_id": "none", "scopes": [scope], "now": NOW}
    await graph.run("knowledge/absorb_entity", **sides)
    linking = await linker.link([""], scope, NOW, given=[["!!!"]])
    assert (names(linking), linking.statements) == (["Bang"], ())


async def test_an_unknown_proper_name_becomes_an_entity_with_a_vector(graph, scope, linker):
    linking = await linker.link(["I met Zoë Novak today"], scope, NOW)
    await graph.write([*linking.statements])
    (entity,) = linking.entities[0]
    stored = await graph.run("reasoning/embeddings", nodes=[entity.id], dimension=384)
    assert entity.name == "Zoë Novak"
    assert [row["id"] for row in stored] == [entity.id]
    again = await linker.link(["zoë novak agreed"], scope, NOW)
    assert [entity.id] == [found.id for found in again.entities[0]]
    assert again.statements == ()


async def test_numbers_and_dates_are_no_entities(scope, linker):
    assert names(await linker.link(["on 3 May 1990 it cost 42"], scope, NOW)) == []


async def test_given_names_are_linked_though_the_text_does_not_hold_them(scope, linker):
    linking = await linker.link(["it is fast", "Ann said so"], scope, NOW, given=[["Neo4j"], ["Neo4j"]])
    assert names(linking, 0) == ["Neo4j"]
    assert names(linking, 1) == ["Neo4j", "Ann"]
    rows = linking.statements[0][1]["rows"]
    assert [row[1] for row in rows] == sorted(row[1] for row in rows)
    assert len(rows) == 2


async def test_a_foreign_scope_lends_no_entity(graph, scope, linker):
    await store(graph, f"{scope}x", "Rosebud")
    linking = await linker.link(["what about Rosebud?"], scope, NOW)
    assert [entity.id for entity in linking.entities[0]] == [entity_id(scope, canonical_key("Rosebud"))]


async def test_a_text_links_to_a_bounded_number_of_entities(scope, linker):
    text = ". ".join(f"Then Person{chr(65 + i // 26)}{chr(65 + i % 26)} spoke" for i in range(60))
    assert len((await linker.link([text], scope, NOW)).entities[0]) == MOST_NAMES


@pytest.mark.parametrize(
    "text", ["\x00", "AND OR NOT (", '"', "a" * 10_000, "ערב טוב", "😀" * 50, "MATCH (n) DETACH DELETE n"]
)
async def test_any_text_is_read(scope, linker, text):
    assert len((await linker.link([text], scope, NOW)).entities) == 1


@pytest.mark.parametrize("name", ["AND OR NOT (", '"', 'name:("x', "a b " * 250, "ערב טוב", "😀" * 50, "~*?"])
async def test_any_name_is_looked_up(scope, linker, name):
    assert names(await linker.link([""], scope, NOW, given=[[name]])) == [name.strip()]
