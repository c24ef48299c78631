from __future__ import annotations

import pytest

from clause.errors import ServerError
from clause.graph.catalogue import Catalogue
from clause.graph.database import probe, version_of
from clause.graph.runner import Graph
from clause.graph.wire import Rows
from tests.unit.graph.wires import ADDRESS, PlayedWire


def rows(cypher: list[str]) -> list[Rows]:
    return [
        [
            {"name": "Cypher", "versions": cypher, "edition": ""},
            {"name": "Neo4j Kernel", "versions": ["2026.08.1"], "edition": "community"},
        ]
    ]


def graph(agent: str, cypher: list[str]) -> Graph:
    return Graph(ADDRESS, Catalogue.load(), wire=PlayedWire([rows(cypher)], agent))


async def test_a_server_new_enough_tells_what_it_can():
    async with graph("Neo4j/2026.08.1", ["5", "25"]) as opened:
        found = await probe(opened)
    assert found.version == (2026, 8, 1)
    assert (found.edition, found.aura, found.vector_search) == ("community", False, True)


async def test_aura_counts_its_own_versions_and_is_judged_by_its_cypher():
    async with graph("Neo4j/5.27-aura", ["5", "25"]) as opened:
        assert (await probe(opened)).vector_search


@pytest.mark.parametrize(
    ("agent", "cypher"),
    [("Neo4j/4.4.1", ["4"]), ("Neo4j/2025.12.0", ["5", "25"]), ("Neo4j/5.27-aura", ["5"]), ("x", [])],
)
async def test_a_server_too_old_is_refused_in_one_line(agent: str, cypher: list[str]):
    async with graph(agent, cypher) as opened:
        with pytest.raises(ServerError, match=r"too old; use Neo4j 2026\.01 or newer") as caught:
            await probe(opened)
    assert "\n" not in str(caught.value)


def test_year_based_versions_are_newer_than_numbered_ones():
    assert version_of("Neo4j/2025.1.0") > version_of("Neo4j/5.26.1") > version_of("Neo4j/4.4.0")
