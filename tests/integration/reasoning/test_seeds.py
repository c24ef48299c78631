"""Seed finding on a real Neo4j: the same checks as in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from clause.graph.catalogue import Catalogue
from clause.graph.runner import Graph
from clause.graph.scopes import scope_token
from clause.graph.wire import Address
from clause.reasoning.neighbourhood.port import View
from clause.reasoning.question.seeds import SeedFinder
from tests.contract.seed_checks import TRIPLES, SeedChecks, World, entity_id, entity_names, entity_rows
from tests.fakes.embedder import HashEmbedder
from tests.servers import erase_scope, statement

WRITE_ENTITIES = statement(
    """UNWIND $rows AS row
    MERGE (n:Entity {id: row.id})
    SET n += row, n.embedding = toFloatList(row.embedding), n.recorded_at = datetime()""",
    parameters="$rows LIST<MAP>",
)
WRITE_NAMES = statement("UNWIND $rows AS row CREATE (n:Entity) SET n = row", parameters="$rows LIST<MAP>")
WRITE_TRIPLES = statement(
    """UNWIND $rows AS row
    MATCH (head:Entity {id: row.head}), (tail:Entity {id: row.tail})
    CREATE (head)-[:$(row.relation) {scope: $scope, recorded_at: datetime()}]->(tail)""",
    parameters="$rows LIST<MAP>, $scope STRING",
)


@pytest.fixture(scope="module")
async def world(migrated_address: Address) -> AsyncIterator[World]:
    """`TRIPLES` on the server, in two scopes of this module's own."""
    embedder, names = HashEmbedder(), entity_names()
    scopes = ("kg:test-seeds-one", "kg:test-seeds-two")
    async with Graph(migrated_address, Catalogue.load()) as graph:
        vectors = dict(zip(names, await embedder.embed(names), strict=True))
        one = scopes[0]
        rows = [{"head": entity_id(one, h), "relation": r, "tail": entity_id(one, t)} for h, r, t in TRIPLES]
        await graph.execute(WRITE_ENTITIES, {"rows": entity_rows(*scopes, vectors)})
        await graph.execute(WRITE_TRIPLES, {"rows": rows, "scope": one})
        yield World(SeedFinder(graph, embedder), *scopes, lambda: graph.round_trips)
        for scope in scopes:
            await erase_scope(graph, scope)


@pytest.mark.integration
class TestSeedsOnNeo4j(SeedChecks):
    async def test_as_of_an_earlier_time_nothing_was_known(self, world: World):
        before = View((world.scope,), as_of_recorded=datetime(2020, 1, 1, tzinfo=UTC))
        assert (await world.finder.search("who directed The Matrix", before)).seeds == ()

    async def test_a_long_question_is_read_where_very_many_names_are_nearly_its_words(
        self, world: World, graph: Graph, scope: str
    ):
        words = [f"w{chr(97 + one) * 3}{chr(97 + two) * 4}" for one in range(8) for two in range(3)]
        names = [
            word[:place] + letter + word[place + 1 :] for word in words for place in range(8) for letter in "xyzuvt"
        ]
        rows = [
            {"id": f"{scope}/{name}", "name": name, "scope": scope, "scope_token": scope_token(scope)} for name in names
        ]
        await graph.execute(WRITE_NAMES, {"rows": rows})
        found = await world.finder.search(f"who knows {' '.join(words)} {names[0]}", View((scope,)))
        assert names[0] in [seed.name for seed in found.seeds]
