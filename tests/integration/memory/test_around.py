"""What the rest of the product does with memories: embedding anew, evidence, evaluation, benches."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from clause.graph.runner import Graph
from clause.ground import Ground
from clause.ingest.embedding import embed_job
from clause.lab.bench.memory import memory_bench
from clause.lab.corpora import read_corpus, read_recall_questions
from clause.lab.recall import OWNER, recall_study, remembered
from clause.memory.models import MCSConfig, MemoryReadInput, MemoryWriteInput
from clause.memory.recall import FUSED, WORD_BY_WORD
from clause.memory.room import Memory
from clause.reasoning.answer.texts import RecalledTexts
from clause.reasoning.neighbourhood.port import FoundText, Node, View
from clause.text.bert import Tokens
from tests.fakes.embedder import HashEmbedder
from tests.integration.memory.reading_back import clusters, faults, memories
from tests.servers import statement

pytestmark = pytest.mark.integration

LEFT = statement(
    "MATCH (n) WHERE n.scope STARTS WITH 'kg:bench-' AND NOT n:Job RETURN count(n) AS nodes",
    mode="read",
    columns="nodes",
)
TALK = [
    ("t1", "Ann: What is the name of your dog?"),
    ("t2", "Bob: Rex, he is a beagle."),
    ("t3", "Ann: I painted a sunrise over the harbour"),
    ("t4", "Bob: The train to Lisbon was late again"),
    ("t5", "Ann: Green tea is the best drink in winter"),
]


def note(content: str, scope: str, **more: object) -> MemoryWriteInput:
    return MemoryWriteInput.model_validate({"content": content, "scope": scope, **more})


async def test_embedding_anew_moves_prototypes_with_their_members(
    memory: Memory, ground: Ground, graph: Graph, scope: str
) -> None:
    texts = ["green tea in the garden at noon today", "green tea in the garden at noon", "a flat tyre"]
    await memory.store.write_batch([note(text, scope) for text in texts], caller=OWNER)
    before = await clusters(graph, scope)
    job = await ground.jobs.submit("embed", {}, scope)
    other = HashEmbedder(model="reversed")
    other._vector = lambda text: HashEmbedder._vector(other, text[::-1])  # type: ignore[method-assign]
    async with ground.jobs.lease(job.id) as lease:
        done = await embed_job(graph, other, [scope], lease, page=2)
    after = await clusters(graph, scope)
    assert done >= 3
    assert [row["id"] for row in after] == [row["id"] for row in before]
    assert not np.allclose(after[0]["prototype"], before[0]["prototype"])
    assert await faults(graph, scope) == []


class Found:
    """A text source that found these."""

    def __init__(self, nodes: list[Node]) -> None:
        self.nodes = nodes

    async def nearest(self, text: str, embedding: object, view: View, *, limit: int) -> list[Node]:
        return self.nodes

    async def recall(self, text: str, embedding: object, view: View, *, limit: int) -> list[FoundText]:
        return [FoundText(node) for node in self.nodes]


async def test_the_best_are_compared_with_the_query_word_by_word_unless_a_vector_is_brought(
    memory: Memory, ground: Ground, scope: str
) -> None:
    await memory.store.write_batch([note(text, scope) for _, text in TALK], caller=OWNER)
    query = "Is Ann's drink green tea in winter?"
    vector = (await ground.embedder.embed_query(query)).tolist()

    def asked(**given: object) -> MemoryReadInput:
        return MemoryReadInput.model_validate({"query_text": query, "k": 3, "fusion_method": "rsf", **given})

    compared = await memory.store.recall.read(asked(), [scope])
    brought = await memory.store.recall.read(asked(embedding=vector), [scope])
    ranks = await memory.store.recall.read(asked(fusion_method="rrf"), [scope])

    assert [one[0].content for one in (compared, brought, ranks)] == [TALK[4][1]] * 3
    led, before = ((one[0].fused_score or 0) - (one[1].fused_score or 0) for one in (compared, brought))
    assert led > FUSED * before + WORD_BY_WORD / 2
    assert 0 < (ranks[0].fused_score or 0) < 1 / 60


async def test_a_memory_that_is_against_every_word_of_the_query_loses_nothing(
    memory: Memory, ground: Ground, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await memory.store.write_batch([note(text, scope) for _, text in TALK], caller=OWNER)
    embed_tokens = ground.embedder.embed_tokens

    async def opposite(texts: Sequence[str]) -> Sequence[Tokens]:
        (asked,) = await embed_tokens(texts[:1])
        against = Tokens(-asked.vectors[:1], asked.spans[:1])
        return [asked, *[against] * (len(texts) - 1)]

    monkeypatch.setattr(ground.embedder, "embed_tokens", opposite)
    query = MemoryReadInput.model_validate({"query_text": "green tea", "k": 5, "fusion_method": "rsf"})
    found = await memory.store.recall.read(query, [scope])

    assert len(found) == len(TALK)
    assert min(one.fused_score or 0 for one in found) >= 0


async def test_a_memory_of_a_conversation_about_the_matter_is_preferred(memory: Memory, scope: str) -> None:
    about = ["the boiler in the cellar leaks", "a bucket stands under it", "so I call the plumber of Faro"]
    other = ["the parrot of the neighbour sings", "a song that nobody knows", "so I call the plumber of Lagos"]
    said = [
        note(text, scope, timestamp=f"2026-03-0{day}T09:00:00Z")
        for day, talk in ((1, other), (2, about))
        for text in talk
    ]
    await memory.store.write_batch(said, caller=OWNER)
    asked = {"query_text": "which plumber for the boiler in the cellar?", "k": 6, "fusion_method": "rsf"}

    found = await memory.store.recall.read(MemoryReadInput.model_validate(asked), [scope])

    order = [one.content for one in found]
    assert order.index(about[2]) < order.index(other[2])


async def test_memories_enter_the_pool_in_the_order_of_recall_beside_other_texts(
    memory: Memory, ground: Ground, graph: Graph, scope: str
) -> None:
    await memory.store.write_batch([note(text, scope) for _, text in TALK], caller=OWNER)
    stored = {row["content"]: row["id"] for row in await memories(graph, scope)}
    belief, passage = Node("b1", "dogs", "belief", text="Dogs bark."), Node("p1", "beagles", "passage", text="Beagles.")
    last = Node(stored[TALK[4][1]], "tea", "memory", text=TALK[4][1])
    source = RecalledTexts(Found([belief, last, passage]), memory.store.recall)
    question = "What is the name of Bob's dog?"
    embedding = await ground.embedder.embed_query(question)

    found = await source.nearest(question, embedding, View((scope,)), limit=6)

    assert [node.id for node in found if node.kind != "memory"] == ["b1", "p1"]
    assert [node.text for node in found if node.kind == "memory"][:2] == [TALK[0][1], TALK[1][1]]
    assert {node.kind for node in found[:2]} == {"belief", "memory"}
    earlier = View((scope,), as_of_recorded=datetime(2020, 1, 1, tzinfo=UTC))
    assert [node.id for node in await source.nearest(question, embedding, earlier, limit=6)] == ["b1", "p1"]


async def test_where_no_memory_is_found_nothing_more_is_read(memory: Memory, ground: Ground, scope: str) -> None:
    nodes = [Node("p1", "beagles", "passage", text="Beagles.")]
    embedding = await ground.embedder.embed_query("dogs")
    trips = ground.graph.round_trips
    found = await RecalledTexts(Found(nodes), memory.store.recall).nearest("dogs", embedding, View((scope,)), limit=5)
    assert found == nodes
    assert ground.graph.round_trips == trips


def files(folder: Path) -> tuple[Path, Path]:
    corpus = [{"id": one, "text": text, "scope": "user:x", "timestamp": "8 May, 2023", "more": 1} for one, text in TALK]
    corpus += [
        {"id": "u1", "text": "Rex is somebody else's dog", "scope": "user:y"},
        {"id": "u2", "text": " ", "scope": "z"},
    ]
    questions = [
        {"id": "q1", "query": "What is the name of Bob's dog?", "scope": "user:x", "relevant": ["t1", "t2"]},
        {"query": "which drink is best in winter", "scope": "user:x", "relevant": ["t5"]},
        {"id": "q3", "query": "anything", "scope": "user:unknown", "relevant": ["t1"]},
    ]
    paths = folder / "corpus.jsonl", folder / "questions.jsonl"
    for path, lines in zip(paths, (corpus, questions), strict=True):
        path.write_text("\n".join(json.dumps(line) for line in lines) + "\n\n", encoding="utf-8")
    return paths


@pytest.mark.parametrize("mode", ["dense", "sparse", "hybrid", "coordinate"])
async def test_recall_is_measured_in_scopes_of_its_own_that_are_removed(
    memory: Memory, graph: Graph, tmp_path: Path, mode: str
) -> None:
    corpus, questions = files(tmp_path)
    asked: list[str] = []

    async def evidence(query: str, scope: str) -> list[str]:
        asked.append(scope)
        return [TALK[1][1], TALK[4][1], "something else"]

    before = (await graph.execute(LEFT, {}))[0]["nodes"]
    told: list[tuple[int, int]] = []
    found = await recall_study(
        memory,
        read_corpus(corpus),
        read_recall_questions(questions),
        mode=mode,  # type: ignore[arg-type]
        ks=[1, 2],
        evidence=evidence,
        command="clause evaluate recall",
        progress=lambda *at: told.append(at),
    )
    assert (found["mode"], found["n"], set(found["recall"])) == (mode, 3, {"1", "2"})
    assert {"mrr", "ndcg", "tokens_mean", "p50_ms", "p95_ms", "baseline"} <= found.keys()
    assert found["baseline"]["name"] == "plain BM25 on the raw texts"
    assert told[0] == (6, 6)
    assert told[-1] == (3, 3)
    if mode == "coordinate":
        assert (found["evidence_recall"], len(asked)) == (pytest.approx(1.5 / 3, abs=1e-4), 2)
        assert found["hybrid_filled"]["token_budget"] == 512
    else:
        assert 0.4 < found["recall"]["2"] <= 2 / 3 + 1e-4
        assert found["filled"]["tokens_mean"] <= 512
    assert (await graph.execute(LEFT, {}))[0]["nodes"] == before


async def test_a_corpus_is_forgotten_when_the_measuring_fails(memory: Memory, graph: Graph, tmp_path: Path) -> None:
    corpus = read_corpus(files(tmp_path)[0])
    before = (await graph.execute(LEFT, {}))[0]["nodes"]

    async def fail() -> None:
        async with remembered(memory, corpus) as stored:
            assert len(stored.items) == 6
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert (await graph.execute(LEFT, {}))[0]["nodes"] == before


async def test_the_bench_of_memories_gives_every_row_and_cleans_up(ground: Ground, graph: Graph) -> None:
    memory = Memory.open(ground, MCSConfig(y_encoder_model="hash"))
    told: list[tuple[int, int]] = []
    found = await memory_bench(
        memory, size=120, calls=4, command="clause bench memory", progress=lambda *at: told.append(at)
    )
    names = [row["name"].split(",")[0] for row in found["rows"]]
    assert names == ["batch write", "batch write", "write", *["read top 10"] * 3, "consolidation", "read top 10"]
    assert told == [(120, 120)]
    assert found["rows"][1]["model_alone_per_s"] > 0
    assert found["index"]["recall_at_10_members"] > 0.9
    assert found["memories"] > 124
    assert found["loop_lag"]["max_ms"] >= found["loop_lag"]["p50_ms"]
    assert all(row["baseline"]["ratio"] > 0 for row in found["rows"] if "baseline" in row)
    assert await memories(graph, "kg:bench-memory") == []
