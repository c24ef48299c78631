"""The sample's path with packed vectors, and embedding anew, on a small graph."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from clause.arrays import Floats
from clause.cli import db
from clause.errors import EmbedderMismatchError, MigrationError
from clause.graph.database import replace_embedding_model
from clause.graph.migrations import DIMENSION, drift, migrate, reindex
from clause.graph.runner import Graph
from clause.graph.wire import Address
from clause.ingest.embedding import reembed
from clause.ingest.samples import load_sample, pack_sample, save
from clause.ingest.triples import load_triples
from clause.text.embedder import SentenceTransformerEmbedder
from tests.fakes.embedder import HashEmbedder
from tests.servers import statement
from tests.shapes import write_text

pytestmark = pytest.mark.integration

KB = "Heat|directed_by|Michael Mann\nAli|directed_by|Michael Mann\n"
_MODELS = statement(
    "MATCH (n:Entity|RelationshipType {scope: $scope}) RETURN collect(DISTINCT n.embedding_model) AS models, "
    "count(n) AS nodes",
    mode="read",
    parameters="$scope STRING",
    columns="models, nodes",
)
_FORGET_MODEL = statement("MATCH (m:EmbeddingModel) DELETE m")


@pytest.fixture
async def recorded(graph: Graph) -> AsyncIterator[str]:
    """The recorded model of the test graph, put back afterwards."""
    row = await graph.one("graph/embedding_model")
    yield row["model"] if row else "hash"
    if row is None:
        await graph.execute(_FORGET_MODEL, {})
    else:
        await replace_embedding_model(graph, row["model"], row["dimension"])


class StoppedError(Exception):
    """The embedder stops in mid-work."""


class FragileEmbedder(HashEmbedder):
    """Stops at its second call."""

    async def embed(self, texts: Sequence[str]) -> Floats:
        if self.calls:
            raise StoppedError
        return await super().embed(texts)


async def test_packed_vectors_spare_the_embedder_and_a_second_load_does_nothing(
    graph: Graph, scope: str, recorded: str, tmp_path: Path
) -> None:
    kb, vectors = write_text(tmp_path / "kb.txt", KB), tmp_path / "v.safetensors"
    save(await pack_sample(HashEmbedder(model=recorded), kb), vectors)
    embedder = HashEmbedder(model=recorded)

    first = await load_sample(graph, embedder, kb=kb, vectors=vectors, triples=2, scope=scope)
    second = await load_sample(graph, embedder, kb=kb, vectors=vectors, triples=2, scope=scope)

    assert (first.created, first.packaged, first.embedded) == (2, 4, 0)
    assert (second.created, second.packaged, second.embedded) == (0, 0, 0)
    assert embedder.calls == 0
    assert (await graph.execute(_MODELS, {"scope": scope}))[0] == {"models": [recorded], "nodes": 4}


async def test_vectors_of_another_model_are_left_aside(graph: Graph, scope: str, recorded: str, tmp_path: Path) -> None:
    kb, vectors = write_text(tmp_path / "kb.txt", KB), tmp_path / "v.safetensors"
    save(await pack_sample(HashEmbedder(model="another"), kb), vectors)

    report = await load_sample(graph, HashEmbedder(model=recorded), kb=kb, vectors=vectors, triples=2, scope=scope)

    assert (report.packaged, report.embedded) == (0, 4)


async def test_embedding_anew_that_was_broken_off_does_only_what_is_left(
    graph: Graph, scope: str, recorded: str, tmp_path: Path
) -> None:
    await load_triples(graph, HashEmbedder(model=recorded), write_text(tmp_path / "kb.txt", KB), scope)
    other = "other-model"

    with pytest.raises(StoppedError):
        await reembed(graph, FragileEmbedder(model=other), scope=scope, page=1)
    before = await graph.one("graph/embedding_model")
    report = await reembed(graph, HashEmbedder(model=other), scope=scope)
    after = await graph.one("graph/embedding_model")

    assert before is not None
    assert after is not None
    assert (before["model"], after["model"]) == (recorded, other)
    assert report.embedded >= 3
    assert (await graph.execute(_MODELS, {"scope": scope}))[0]["models"] == [other]


@pytest.mark.timeout(300)
async def test_embedding_anew_in_another_length_goes_on_after_a_kill_and_may_turn_back(
    graph: Graph, scope: str, recorded: str, migrated_address: Address, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    await load_triples(graph, HashEmbedder(model=recorded), write_text(tmp_path / "kb.txt", KB), scope)
    monkeypatch.setenv("CLAUSE_NEO4J_URI", migrated_address.uri)
    monkeypatch.setenv("CLAUSE_NEO4J_USER", migrated_address.user)
    monkeypatch.setenv("CLAUSE_NEO4J_PASSWORD", migrated_address.password.get_secret_value())

    async def reembed_by(embedder: HashEmbedder) -> None:
        monkeypatch.setattr(SentenceTransformerEmbedder, "of", lambda *_: embedder)
        await asyncio.to_thread(db.reembed, None, None, as_json=True)

    try:
        with pytest.raises(StoppedError):
            await reembed_by(FragileEmbedder(8, "short"))
        await graph.run("graph/drop_index", name="entity_embedding")  # as a kill between dropping and making leaves it
        with pytest.raises(EmbedderMismatchError, match="clause reembed"):
            await migrate(graph, model="short", dimension=8)
        with pytest.raises(MigrationError, match=r"drifted: .* run `clause reembed` again"):
            await migrate(graph, model=recorded)

        await reembed_by(HashEmbedder(8, "short"))
        assert (await graph.execute(_MODELS, {"scope": scope}))[0]["models"] == ["short"]
        assert await drift(graph) == {}
    finally:
        await reembed_by(HashEmbedder(DIMENSION, recorded))
    await reindex(graph, "entity_embedding", dimension=8)  # as another kill leaves it
    await reembed_by(HashEmbedder(DIMENSION, recorded))
    await migrate(graph, model=recorded)
