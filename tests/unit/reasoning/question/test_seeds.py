"""The seed finder over an in-memory graph; the same checks run on Neo4j in tests/integration/reasoning."""

from __future__ import annotations

import pytest

from clause.reasoning.question.seeds import SeedFinder
from tests.contract.seed_checks import TRIPLES, SeedChecks, World, entity_names, entity_rows
from tests.fakes.embedder import HashEmbedder
from tests.fakes.seed_graph import SeedGraph


class TestSeedsInMemory(SeedChecks):
    @pytest.fixture
    async def world(self) -> World:
        embedder = HashEmbedder()
        names = entity_names()
        vectors = dict(zip(names, await embedder.embed(names), strict=True))
        graph = SeedGraph(entity_rows("kg:one", "kg:two", vectors), TRIPLES)
        return World(SeedFinder(graph, embedder), "kg:one", "kg:two", lambda: graph.round_trips)
