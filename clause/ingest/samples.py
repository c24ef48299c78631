"""Samples that ship: MetaQA's films, with packed vectors of their names where the embedder made these, and a valley
told in passages. `python -m clause.ingest.samples` packs the vectors anew (minutes on two cores).
"""

from __future__ import annotations

import asyncio
import hashlib
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from clause.arrays import Floats, Vectors
from clause.errors import SetupError
from clause.graph.database import check_embedding_model
from clause.graph.jobs import Jobs
from clause.graph.lease import Lease
from clause.graph.runner import Graph
from clause.ingest.embedding import embed_scope
from clause.ingest.passages import load_passages
from clause.ingest.readers import read_triples
from clause.ingest.source import LoadReport
from clause.ingest.triples import load_triples
from clause.telemetry import Progress, silent
from clause.text.embedder import Embedder, SentenceTransformerEmbedder
from clause.text.fields import Frozen
from clause.text.names import canonical_key, entity_id, register, stored_name

_FOLDER = Path(__file__).parent / "sample"
SCOPE = "kg:metaqa"
KB = _FOLDER / "metaqa" / "kb.txt.gz"
VECTORS = _FOLDER / "metaqa" / "vectors.safetensors"
TRIPLES = 132_313
TEXTS = _FOLDER / "texts" / "orrin.jsonl"
TEXTS_SCOPE = "kg:orrin"


@dataclass(frozen=True)
class PackedVectors:
    """`rows` int8 [n, d] and `scales` float32 [n]; row i belongs to the i-th name in sorted order."""

    model: str
    fingerprint: str
    rows: NDArray[np.int8]
    scales: Floats

    def unpack(self, start: int = 0, stop: int | None = None) -> Vectors:
        """Unit vectors of the names start..stop, float32 [stop - start, d]."""
        return unit(self.rows[start:stop].astype(np.float32) * self.scales[start:stop, None])


def unit(vectors: Vectors) -> Vectors:
    """Each row divided by its Euclidean length, float32 [n, d]."""
    lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True).astype(np.float32)
    return (vectors / np.maximum(lengths, np.float32(1e-12))).astype(np.float32)


def fingerprint(names: Sequence[str]) -> str:
    """The sha256 of names in their order."""
    digest = hashlib.sha256()
    for name in names:
        digest.update(name.encode("utf-8") + b"\n")
    return digest.hexdigest()


def pack(names: Sequence[str], vectors: Vectors, model: str) -> PackedVectors:
    """Vectors [n, d] of `names` at a quarter of their size; the cosine to the original stays above 0.999.

    >>> packed = pack(["a"], np.array([[0.6, -0.8]], dtype=np.float32), "m")
    >>> packed.unpack().round(2).tolist()
    [[0.6000000238418579, -0.800000011920929]]
    """
    scales = (np.abs(vectors).max(axis=1) / 127.0).astype(np.float32)
    rows = np.rint(vectors / np.maximum(scales, np.float32(1e-12))[:, None]).astype(np.int8)
    return PackedVectors(model, fingerprint(names), rows, scales)


def save(packed: PackedVectors, path: Path) -> None:
    """Write the file."""
    from safetensors.numpy import save_file  # noqa: PLC0415

    metadata = {"model": packed.model, "fingerprint": packed.fingerprint}
    save_file({"rows": packed.rows, "scales": packed.scales}, path, metadata=metadata)


def load(path: Path) -> PackedVectors:
    """Read the file.

    Raises:
        SetupError: it is not there or not what `save` writes.
    """
    from safetensors import SafetensorError, safe_open  # noqa: PLC0415

    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata()
            rows, scales = file.get_tensor("rows"), file.get_tensor("scales")
            return PackedVectors(metadata["model"], metadata["fingerprint"], rows, scales)
    except (OSError, KeyError, TypeError, SafetensorError) as error:
        raise SetupError(
            f"{path.name} cannot be read: {error}", remedy="run `python -m clause.ingest.samples`"
        ) from error


KIND = "load_sample_vectors"
PAGE = 250


class SampleReport(Frozen):
    """The work that loading the sample did; all zero when the sample was complete."""

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


async def load_texts(
    graph: Graph, embedder: Embedder, *, file: Path = TEXTS, scope: str = TEXTS_SCOPE, progress: Progress = silent
) -> LoadReport:
    """See to it that the valley's passages are in the graph, linked and with vectors; again, it changes nothing.

    Raises:
        EmbedderMismatchError: the graph was embedded by another model.
    """
    await check_embedding_model(graph, embedder.model, embedder.dimension)
    return await load_passages(graph, embedder, file, scope, progress=progress)


async def _take_packaged(
    embedder: Embedder, jobs: Jobs, scope: str, *, kb: Path, vectors: Path, progress: Progress
) -> int:
    """Write the vectors of the package; none when another model or other names made them."""
    packed = await asyncio.to_thread(load, vectors)
    names, types = await asyncio.to_thread(texts_of, kb)
    if packed.model != embedder.model or packed.fingerprint != fingerprint([*names, *_words(types)]):
        return 0
    job = await jobs.submit(KIND, {"model": packed.model}, scope, resource=f"embed:{scope}", resume=True)

    async def write(lease: Lease) -> None:
        await _write(lease, packed, names, progress)
        await _write_types(lease, packed, len(names), types)

    return (await jobs.work(job.id, write)).done


async def _write(lease: Lease, packed: PackedVectors, names: list[str], progress: Progress) -> None:
    scope, begun = lease.job.scope, int(lease.cursor.get("rows", 0))
    for start in range(begun, len(names), PAGE):
        stop = min(start + PAGE, len(names))
        work = {
            "ids": [entity_id(scope, canonical_key(name)) for name in names[start:stop]],
            "vectors": [*packed.unpack(start, stop)[:, None, :]],
            "scopes": [scope],
            "model": packed.model,
        }
        message = "loading packaged vectors"
        rows = [("ingest/embed[Entity]", work)]
        await lease.commit(rows, done=stop, total=len(names), message=message, cursor={"rows": stop})
        progress(message, stop, len(names))


async def _write_types(lease: Lease, packed: PackedVectors, start: int, types: list[str]) -> None:
    """Vectors of the relationship types: their words stand behind the names, both directions of a type together."""
    scope = lease.job.scope
    vectors = packed.unpack(start).reshape(len(types), 2, -1)
    ids = [register(scope, name).id for name in types]
    work = {"ids": ids, "vectors": [*vectors], "scopes": [scope], "model": packed.model}
    whole = start + len(types)
    await lease.commit([("ingest/embed[RelationshipType]", work)], done=whole, total=whole)


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


async def build() -> int:
    """Embed every name and write the file; how many vectors."""
    embedder = SentenceTransformerEmbedder()
    packed = await pack_sample(embedder)
    embedder.close()
    save(packed, VECTORS)
    return len(packed.rows)


if __name__ == "__main__":
    sys.stderr.write(f"{asyncio.run(build())} vectors in {VECTORS}\n")
