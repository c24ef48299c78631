"""The seed's named cases, and what else a store of memories must hold."""

from __future__ import annotations

import pytest

from clause.graph.runner import Graph
from clause.memory.models import MemoryReadInput, MemoryWriteInput
from clause.memory.room import Memory
from tests.integration.memory.conftest import OWNER
from tests.integration.memory.reading_back import clusters, faults

pytestmark = pytest.mark.integration


def note(content: str, scope: str, **more: object) -> MemoryWriteInput:
    return MemoryWriteInput.model_validate({"content": content, "scope": scope, **more})


async def test_write_creates_new_cluster(memory: Memory, graph: Graph, scope: str) -> None:
    first = await memory.store.write(note("tea in the garden", scope), caller=OWNER)
    other = await memory.store.write(note("a flat tyre on the motorway", scope), caller=OWNER)

    assert (first.is_new_cluster, first.consolidated, first.similarity_to_prototype) == (True, False, 1.0)
    assert other.is_new_cluster
    assert first.cluster_id != other.cluster_id
    assert [row["size"] for row in await clusters(graph, scope)] == [1, 1]
    assert await faults(graph, scope) == []


async def test_write_joins_existing_cluster(memory: Memory, graph: Graph, scope: str) -> None:
    first = await memory.store.write(note("green tea in the garden at noon today", scope), caller=OWNER)
    near = await memory.store.write(note("green tea in the garden at noon", scope), caller=OWNER)

    assert (near.cluster_id, near.is_new_cluster) == (first.cluster_id, False)
    assert 0.85 < near.similarity_to_prototype < 1.0
    assert [row["size"] for row in await clusters(graph, scope)] == [2]
    assert await faults(graph, scope) == []


async def test_read_returns_top_k(memory: Memory, scope: str) -> None:
    texts = ["tea in the garden", "coffee in the kitchen", "the garden is full of roses", "a flat tyre"]
    await memory.store.write_batch([note(text, scope) for text in texts], caller=OWNER)
    for mode in ("dense", "sparse", "hybrid"):
        request = MemoryReadInput(query_text="tea garden", k=2, scopes=[scope], search_mode=mode)
        found = await memory.store.read(request, caller=OWNER)
        assert [one.content for one in found] == ["tea in the garden", "the garden is full of roses"], mode
        scores = [one.decay_adjusted_score for one in found]
        assert scores == sorted(scores, reverse=True)
        assert all(0 < one.similarity <= 1 for one in found)
