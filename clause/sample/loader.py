"""Puts the sample into the graph, with its packaged vectors where the embedder is the one that made them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from clause.graph.embedding_model import check_embedding_model
from clause.graph.runner import Graph
from clause.graph.server.progress import Progress, silent
from clause.ingest.embedding import embed_scope
from clause.ingest.readers import read_triples
from clause.ingest.registry import register, stored_name
from clause.ingest.triples import load_triples
from clause.jobs.jobs import Jobs
from clause.jobs.turn import Turn
from clause.sample.files import KB, SCOPE, TRIPLES, VECTORS
from clause.sample.vectors import PackedVectors, fingerprint, load, pack
from clause.text.embedder import Embedder
from clause.text.names import canonical_key, entity_id

KIND = "load_sample_vectors"
PAGE = 250


class SampleReport(BaseModel):
    """What there was to do; all zero when the sample was complete."""

    model_config = ConfigDict(frozen=True)

    scope: str
    created: int = Field(0, ge=0, description="triples that were not there before")
    packaged: int = Field(0, ge=0, description="vectors taken from the package")
    embedded: int = Field(0, ge=0, description="vectors that the embedder made")
    seconds: float = Field(0.0, ge=0)


async def load_sample(
    graph: Graph,
    embedder: Embedder,
    progress: Progress = silent,
    *,
    jobs: Jobs | None = None,
    kb: Path = KB,
    vectors: Path = VECTORS,
    triples: int = TRIPLES,
    scope: str = SCOPE,
    clock: Callable[[], float] = time.perf_counter,
) -> SampleReport:
    """See to it that the sample is in the graph with all vectors; quick when it is. A broken off load goes on.

    `kb`, `vectors`, `triples` (how many there are) and `scope` are those of the package unless a test says otherwise.

    Raises:
        EmbedderMismatchError: the graph was embedded by another model.
    """
    await check_embedding_model(graph, embedder.model, embedder.dimension)
    started, created, packaged = clock(), 0, 0
    size = await graph.one("ingest/graph_size", scope=scope)
    jobs = jobs or Jobs(graph)
    if size is None or size["triples"] < triples:
        created = (await load_triples(graph, None, kb, scope, progress=progress, jobs=jobs)).created
    (row,) = await graph.run("ingest/unembedded_total", scopes=[scope], model=embedder.model)
    if row["missing"]:
        packaged = await _take_packaged(embedder, jobs, scope, kb=kb, vectors=vectors, progress=progress)
    (left,) = await graph.run("ingest/unembedded_total", scopes=[scope], model=embedder.model)
    embedded = 0
    if left["missing"]:
        embedded = (await embed_scope(graph, embedder, scope, jobs=jobs, progress=progress)).embedded
    seconds = clock() - started
    return SampleReport(scope=scope, created=created, packaged=packaged, embedded=embedded, seconds=seconds)


async def _take_packaged(
    embedder: Embedder, jobs: Jobs, scope: str, *, kb: Path, vectors: Path, progress: Progress
) -> int:
    """Write the vectors of the package; none when another model or other names made them."""
    packed = await asyncio.to_thread(load, vectors)
    names, types = await asyncio.to_thread(texts_of, kb)
    if packed.model != embedder.model or packed.fingerprint != fingerprint([*names, *_words(types)]):
        return 0
    job = await jobs.submit(KIND, {"model": packed.model}, scope, resource=f"embed:{scope}", resume=True)

    async def write(turn: Turn) -> None:
        await _write(turn, packed, names, progress)
        await _write_types(turn, packed, len(names), types)

    return (await jobs.work(job.id, write)).done


async def _write(turn: Turn, packed: PackedVectors, names: list[str], progress: Progress) -> None:
    scope, begun = turn.job.scope, int(turn.cursor.get("rows", 0))
    for start in range(begun, len(names), PAGE):
        stop = min(start + PAGE, len(names))
        work = {
            "ids": [entity_id(scope, canonical_key(name)) for name in names[start:stop]],
            "vectors": [*packed.unpack(start, stop)[:, None, :]],
            "scopes": [scope],
            "model": packed.model,
        }
        message = "loading packaged vectors"
        rows = [("ingest/embed_entities", work)]
        await turn.commit(rows, done=stop, total=len(names), message=message, cursor={"rows": stop})
        progress(message, stop, len(names))


async def _write_types(turn: Turn, packed: PackedVectors, start: int, types: list[str]) -> None:
    """Vectors of the relationship types: their words stand behind the names, both directions of a type together."""
    scope = turn.job.scope
    vectors = packed.unpack(start).reshape(len(types), 2, -1)
    ids = [register(scope, name).id for name in types]
    work = {"ids": ids, "vectors": [*vectors], "scopes": [scope], "model": packed.model}
    whole = start + len(types)
    await turn.commit([("ingest/embed_types", work)], done=whole, total=whole)


def texts_of(kb: Path) -> tuple[list[str], list[str]]:
    """Entity names and relationship types of a file of triples, each sorted by code points."""
    triples = [record.triple for record in read_triples(kb) if record.triple is not None]
    names = {term.name for triple in triples for term in (triple.head, triple.tail)}
    return sorted(names), sorted({stored_name(triple.relation) for triple in triples})


def _words(types: list[str]) -> list[str]:
    return [text for name in types for text in register("", name)[2:4]]


async def pack_sample(embedder: Embedder, kb: Path = KB) -> PackedVectors:
    """The packed vectors of a file of triples: its names, then the words of its relationship types."""
    names, types = texts_of(kb)
    texts = [*names, *_words(types)]
    return pack(texts, await embedder.embed(texts), embedder.model)
