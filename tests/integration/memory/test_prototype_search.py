"""`clause evaluate clustering --search`: prototypes first beside every member and all cosines, on a real Neo4j."""

from __future__ import annotations

import pytest

from clause.errors import BadInputError
from clause.graph.runner import Graph
from clause.lab.clustering import search_study
from clause.memory.room import Memory
from tests.fakes.embedder import HashEmbedder

pytestmark = pytest.mark.integration

TOPICS = ("tea in gardens", "rain on roads", "salt from seas", "songs by night", "stones near rivers")
TEXTS = [f"{topic} number {number}" for number in range(14) for topic in TOPICS]
LABELS = [topic for _ in range(14) for topic in TOPICS]


async def test_prototypes_first_are_measured_beside_every_member(memory: Memory, graph: Graph) -> None:
    vectors = await HashEmbedder().embed(TEXTS)
    told = await search_study(memory, TEXTS, LABELS, vectors, threshold=0.6, queries=10, seed=1)
    assert (told["memories"], told["queries"], told["k"], told["threshold"]) == (60, 10, 5, 0.6)
    assert (told["clusters"], told["compression"], told["consolidated"]) == (5, 12.0, 5)
    assert told["ways"].keys() == {"prototypes_first", "every_member", "numpy"}
    for way in told["ways"].values():
        assert way.keys() == {"recall", "label", "p50_ms", "p95_ms"}
        assert (way["recall"], way["label"]) == (1.0, 1.0)
    assert told["points_lost"] == 0.0
    assert told["p50_ratio"] > 0
    assert not [row for row in await graph.run("graph/scopes") if row["id"] == "kg:bench-search"]


async def test_a_way_that_finds_too_little_is_told_so(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = await HashEmbedder().embed(TEXTS)
    read = type(memory.store.recall).read

    async def poor(self: object, request: object, scopes: object) -> object:
        found = await read(self, request, scopes)  # type: ignore[arg-type]
        return found if request.search_members else found[:1]  # type: ignore[attr-defined]

    monkeypatch.setattr(type(memory.store.recall), "read", poor)
    told = await search_study(memory, TEXTS, LABELS, vectors, threshold=0.6, queries=5)
    assert told["ways"]["prototypes_first"]["recall"] == 0.2
    assert told["points_lost"] == 80.0


async def test_queries_leave_texts_to_search(memory: Memory) -> None:
    vectors = await HashEmbedder().embed(TEXTS)
    with pytest.raises(BadInputError, match="too few"):
        await search_study(memory, TEXTS, LABELS, vectors, threshold=0.6, queries=66)
