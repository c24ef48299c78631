"""The fake keeps the port's contract, so that what is tested with it holds on the graph too."""

from __future__ import annotations

from typing import Any

import pytest

from clause.arrays import Floats
from clause.values.axes import Axis, axis_texts
from tests.contract.vector_store_checks import Tell, VectorStoreChecks
from tests.fakes.vector_store import InMemoryVectorStore, Resolved
from tests.shapes_of_values import resolved_entry


class TestInMemoryVectorStore(VectorStoreChecks):
    """The checks, in memory."""

    @pytest.fixture
    def scope(self) -> str:
        return "kg:test"

    @pytest.fixture
    def store(self) -> InMemoryVectorStore:
        return InMemoryVectorStore()

    @pytest.fixture
    def tell(self, store: InMemoryVectorStore, scope: str) -> Tell:
        async def tell(vector: Floats, **more: Any) -> str:
            entry = resolved_entry(scope, **more)
            vectors = {axis: vector for axis in Axis if axis in axis_texts(entry)}
            store.add(Resolved(entry.id, scope, entry.model_dump(mode="json"), vectors))
            return entry.id

        return tell
