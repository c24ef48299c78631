"""Gives nodes their vectors: a resumable job, used after loading, in the background, and for `clause reembed`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from clause.graph.database import check_embedding_model, replace_embedding_model
from clause.graph.jobs import Jobs
from clause.graph.lease import Job, Lease
from clause.graph.migrations import online, reindex
from clause.graph.runner import Graph
from clause.graph.scopes import known_scopes
from clause.ingest.source import EmbedReport
from clause.telemetry import Progress, silent
from clause.text.embedder import Embedder

KIND = "embed"


class Part(NamedTuple):
    """The statements for one kind of node that has vectors.

    Attributes:
        missing: counts those without a vector of the model.
        page: reads their texts, page after page.
        store: writes their vectors.
    """

    missing: str
    page: str
    store: str


EMBEDDED: Final[Mapping[str, Part]] = {
    "types": Part(
        "ingest/unembedded_count[RelationshipType]",
        "ingest/unembedded[RelationshipType]",
        "ingest/embed[RelationshipType]",
    ),
    "entities": Part("ingest/unembedded_count[Entity]", "ingest/unembedded[Entity]", "ingest/embed[Entity]"),
    "passages": Part("ingest/unembedded_count[Passage]", "ingest/unembedded[Passage]", "ingest/embed[Passage]"),
    "thoughtseeds": Part(
        "ingest/unembedded_count[ThoughtSeed]", "ingest/unembedded[ThoughtSeed]", "ingest/embed[ThoughtSeed]"
    ),
    "beliefs": Part("ingest/unembedded_count[Belief]", "ingest/unembedded[Belief]", "ingest/embed[Belief]"),
    "patterns": Part("ingest/unembedded_count[Pattern]", "ingest/unembedded[Pattern]", "ingest/embed[Pattern]"),
    "experiences": Part(
        "ingest/unembedded_count[Experience]", "ingest/unembedded[Experience]", "ingest/embed[Experience]"
    ),
    "values": Part("ingest/unembedded_count[Value]", "ingest/unembedded[Value]", "ingest/embed[Value]"),
    "insights": Part("ingest/unembedded_count[Insight]", "ingest/unembedded[Insight]", "ingest/embed[Insight]"),
    "memories": Part("ingest/unembedded_count[Memory]", "ingest/unembedded[Memory]", "ingest/embed[Memory]"),
    "evidence": Part("ingest/unembedded_count[Evidence]", "ingest/unembedded[Evidence]", "ingest/embed[Evidence]"),
}
"""Each kind of node that has vectors, in the order in which they are made."""

PAGE = 256
_INDEXES = (
    "entity_embedding",
    "relationship_type_embedding",
    "passage_embedding",
    "attractor_basin_embedding",
    "thoughtseed_embedding",
    "belief_embedding",
    "pattern_embedding",
    "evidence_embedding",
    "experience_full",
    "experience_strategy",
    "experience_surprise",
    "experience_root_cause",
    "value_cluster_centroid",
    "value_embedding",
    "insight_embedding",
    "memory_embedding",
    "memory_cluster_prototype",
)


async def submit_embedding(jobs: Jobs, scope: str, model: str) -> Job:
    """Queue the embedding of a scope (or find the one that was broken off), for a service to run."""
    return await jobs.submit(KIND, {"model": model}, scope, resource=f"embed:{scope}", resume=True)


async def embed_scope(
    graph: Graph,
    embedder: Embedder,
    scope: str,
    *,
    jobs: Jobs | None = None,
    progress: Progress = silent,
    page: int = PAGE,
    clock: Callable[[], float] = time.perf_counter,
) -> EmbedReport:
    """Embed everything in `scope` that lacks a vector of this model.

    Raises:
        EmbedderMismatchError: the graph was embedded by another model: use `reembed`.
    """
    await check_embedding_model(graph, embedder.model, embedder.dimension)
    return await _embed(
        graph, embedder, [scope], owner_scope=scope, jobs=jobs or Jobs(graph), progress=progress, page=page, clock=clock
    )


async def reembed(
    graph: Graph,
    embedder: Embedder,
    *,
    scope: str | None = None,
    jobs: Jobs | None = None,
    progress: Progress = silent,
    page: int = PAGE,
    clock: Callable[[], float] = time.perf_counter,
) -> EmbedReport:
    """Embed anew what another model embedded, in one scope or everywhere, and record the model; run again after a kill.

    When vectors get another length, the vector indexes are made anew first, and all scopes must be embedded.
    The record in the graph changes last, so that a broken off run is noticed at every start.
    """
    recorded = await graph.one("graph/embedding_model")
    resized = recorded is not None and recorded["dimension"] != embedder.dimension
    changed = recorded is None or resized or recorded["model"] != embedder.model
    if resized:
        for name in _INDEXES:
            await reindex(graph, name, dimension=embedder.dimension)
    known = await known_scopes(graph)
    chosen = known if scope is None or changed else [scope]
    report = await _embed(
        graph,
        embedder,
        chosen,
        owner_scope=scope or "public",
        jobs=jobs or Jobs(graph),
        progress=progress,
        page=page,
        clock=clock,
        kind="reembed",
    )
    await replace_embedding_model(graph, embedder.model, embedder.dimension)
    await online(graph)
    return report


async def _embed(
    graph: Graph,
    embedder: Embedder,
    scopes: Sequence[str],
    *,
    owner_scope: str,
    jobs: Jobs,
    progress: Progress,
    page: int,
    clock: Callable[[], float],
    kind: str = KIND,
) -> EmbedReport:
    started = clock()
    parameters = {"model": embedder.model, "scopes": len(scopes)}
    job = await jobs.submit(kind, parameters, owner_scope, resource=f"embed:{owner_scope}", resume=True)

    async def embed(lease: Lease) -> None:
        await embed_job(graph, embedder, scopes, lease, progress=progress, page=page)

    done = (await jobs.work(job.id, embed)).done
    return EmbedReport(job_id=job.id, model=embedder.model, embedded=done, seconds=clock() - started)


async def embed_job(
    graph: Graph,
    embedder: Embedder,
    scopes: Sequence[str],
    lease: Lease,
    *,
    progress: Progress = silent,
    page: int = PAGE,
) -> int:
    """Embed what lacks a vector of this model, page after page in the order of ids; how many nodes.

    While one page is written the next is embedded. Nodes that have a vector of the model are passed over, so that a
    second run does only what is left.
    """
    counts = {part: await _missing(graph, part, scopes, embedder.model) for part in EMBEDDED}
    total, done = sum(counts.values()), 0
    for part in (part for part in EMBEDDED if counts[part]):
        writing: asyncio.Task[Any] | None = None
        try:
            async for ids, vectors in _pages(graph, embedder, part, scopes, page):
                if writing is not None:
                    await writing
                done += len(ids)
                message, known = f"embedding {part}", max(done, total)
                work = _store(part, ids, vectors, scopes, embedder.model)
                commit = lease.commit(work, done=done, total=known, message=message, cursor={part: ids[-1]})
                writing = asyncio.create_task(commit)
                progress(message, done, known)
        finally:
            if writing is not None:
                await writing
    return done


async def _pages(
    graph: Graph, embedder: Embedder, part: str, scopes: Sequence[str], page: int
) -> AsyncIterator[tuple[list[str], list[Any]]]:
    """Ids and vectors of what lacks one, page after page."""
    after = ""
    while rows := await graph.run(EMBEDDED[part].page, scopes=[*scopes], model=embedder.model, after=after, limit=page):
        ids = [str(row["id"]) for row in rows]
        after = ids[-1]
        yield ids, await _vectors(embedder, [row["texts"] for row in rows])


def _store(
    part: str, ids: Sequence[str], vectors: Sequence[Any], scopes: Sequence[str], model: str
) -> list[tuple[str, dict[str, Any]]]:
    return [(EMBEDDED[part].store, {"ids": ids, "vectors": vectors, "scopes": [*scopes], "model": model})]


async def _missing(graph: Graph, part: str, scopes: Sequence[str], model: str) -> int:
    (row,) = await graph.run(EMBEDDED[part].missing, scopes=[*scopes], model=model)
    return int(row["missing"])


async def _vectors(embedder: Embedder, texts: Sequence[Sequence[str]]) -> list[Any]:
    """For each node the vectors of its texts, [texts, d]."""
    flat = [text for node in texts for text in node]
    vectors = await embedder.embed(flat)
    ends = np.cumsum([len(node) for node in texts])
    return list(np.split(vectors, ends[:-1]))
