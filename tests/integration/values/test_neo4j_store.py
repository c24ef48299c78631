"""The port on a real Neo4j."""

from __future__ import annotations

from typing import Any

import pytest

from clause.arrays import Floats
from clause.graph.runner import Graph
from clause.ground import Ground
from clause.values.axes import Axis
from clause.values.neo4j_store import Neo4jVectorStore
from tests.contract.vector_store_checks import Tell, VectorStoreChecks
from tests.shapes_of_values import resolved_entry, save_resolved

pytestmark = pytest.mark.integration


class TestNeo4jVectorStore(VectorStoreChecks):
    """The checks, on the graph."""

    @pytest.fixture
    def store(self, ground: Ground) -> Neo4jVectorStore:
        return Neo4jVectorStore(ground.graph, ground.embedder)

    @pytest.fixture
    def tell(self, graph: Graph, scope: str) -> Tell:
        async def tell(vector: Floats, **more: Any) -> str:
            entry = resolved_entry(scope, **more)
            await save_resolved(graph, [(entry, dict.fromkeys(Axis, vector))])
            return entry.id

        return tell
