"""Jobs over what the graph holds already: nodes get their vectors (after loading, for `clause reembed`), texts their
links (`clause link`); resumable."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from pydantic import Field

from clause.graph.database import check_embedding_model, replace_embedding_model
from clause.graph.jobs import Jobs
from clause.graph.lease import Job, Lease
from clause.graph.migrations import online, resize
from clause.graph.runner import Graph
from clause.graph.scopes import known_scopes, parse_scope, scope_token
from clause.ingest.mention_finder import MentionFinder
from clause.ingest.source import EmbedReport, ScopeNames
from clause.telemetry import Progress, silent
from clause.text.embedder import Embedder
from clause.text.fields import Frozen
from clause.text.linking import EntityLinker
from clause.text.names import canonical_key, entity_id

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

    Vector indexes for vectors of another length are made anew first; then, too, all scopes must be embedded.
    The record in the graph changes last, so that a broken off run is noticed at every start.
    """
    recorded = await graph.one("graph/embedding_model")
    changed = recorded is None or (recorded["model"], recorded["dimension"]) != (embedder.model, embedder.dimension)
    resized = await resize(graph, embedder.dimension)
    known = await known_scopes(graph)
    chosen = known if scope is None or changed or resized else [scope]
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


LINK_KIND = "link_texts"
LINKED_AT_ONCE = 500
PASSAGES = "Document"


class Linked(NamedTuple):
    """One label of texts that are linked: the statements that read and link them, and the role of the links."""

    read: str
    link: str
    role: str | None = None


LINKED: Final[Mapping[str, Linked]] = {
    PASSAGES: Linked("ingest/documents_to_link", "ingest/link_passages"),
    "Memory": Linked("ingest/texts_to_link[Memory]", "ingest/link_texts[Memory]"),
    "Belief": Linked("ingest/texts_to_link[Belief]", "ingest/link_texts[Belief]", "context"),
    "Experience": Linked("ingest/texts_to_link[Experience]", "ingest/link_texts[Experience]"),
    "Value": Linked("ingest/texts_to_link[Value]", "ingest/link_texts[Value]"),
    "Insight": Linked("ingest/texts_to_link[Insight]", "ingest/link_texts[Insight]"),
}
"""The kinds of text that are linked, in this order."""


class LinkReport(Frozen):
    """The work of `clause link`; counts are of the whole job, also when an earlier run had done a part of it."""

    job_id: str
    scope: str
    texts: int = Field(ge=0, description="passages, memories, beliefs and other texts that were read")
    links: int = Field(ge=0, description="links from texts to entities that were not there before")
    entities: int = Field(ge=0, description="entities that were made for names that nobody knew")
    rounds: int = Field(ge=1, description="times that all was read; the last one found nothing new")
    seconds: float = Field(ge=0, description="wall-clock time of this run, without embedding")
    texts_per_s: float = Field(ge=0, description="of this run, texts of every round, without embedding")
    embedding: EmbedReport | None = Field(None, description="None: vectors were not asked for")


async def link_scope(
    graph: Graph,
    embedder: Embedder,
    scope: str,
    *,
    embed: bool = True,
    progress: Progress = silent,
    jobs: Jobs | None = None,
    page: int = LINKED_AT_ONCE,
    clock: Callable[[], float] = time.perf_counter,
) -> LinkReport:
    """Link every text that `scope` holds to the entities that it names; broken off, it goes on when run again.

    Links are only added. All is read again until a round finds nothing new, so that a second run changes nothing.

    Raises:
        EmbedderMismatchError: the graph was embedded by another model.
        LeaseLostError: another worker has taken the job over.
    """
    parse_scope(scope)
    await check_embedding_model(graph, embedder.model, embedder.dimension)
    jobs = jobs or Jobs(graph)
    started = clock()

    async def linked(lease: Lease) -> _ScopeLinking:
        linking = _ScopeLinking(graph, embedder, lease, progress, page)
        await linking.run()
        return linking

    job, linking = await jobs.done_once(LINK_KIND, {}, scope, linked, resource=f"link:{scope}")
    seconds = clock() - started
    embedding = await embed_scope(graph, embedder, scope, progress=progress, jobs=jobs) if embed else None
    at = linking.at
    return LinkReport(
        job_id=job.id,
        scope=scope,
        texts=at["texts"],
        links=at["links"],
        entities=at["entities"],
        rounds=at["round"],
        seconds=seconds,
        texts_per_s=linking.read / seconds if seconds > 0 else 0.0,
        embedding=embedding,
    )


class LinkJob:
    """The job of a service that links the texts of the scope for which it was queued."""

    def __init__(self, graph: Graph, embedder: Embedder) -> None:
        self._graph = graph
        self._embedder = embedder

    async def __call__(self, lease: Lease) -> None:
        """Link until nothing new is found; vectors of new entities are made by the linker or by an `embed` job."""
        await _ScopeLinking(self._graph, self._embedder, lease, silent, LINKED_AT_ONCE).run()


class _ScopeLinking:
    """One run over the texts of a scope; `at` is what the job's cursor keeps, `read` counts texts of this run."""

    def __init__(self, graph: Graph, embedder: Embedder, lease: Lease, progress: Progress, page: int) -> None:
        self._graph = graph
        self._lease = lease
        self._scope = lease.job.scope
        self._common = {"scope": self._scope, "recorded_at": lease.job.created_at}
        self._linker = EntityLinker(graph, embedder)
        self._progress = progress
        self._page = page
        self._finder = MentionFinder()
        begun = {"round": 1, "part": PASSAGES, "after": "", "texts": 0, "links": 0, "entities": 0, "news": 0}
        self.at: dict[str, Any] = {**begun, **lease.cursor}
        if lease.cursor:  # what the last page of a broken off run brought was not told any more: one round more is safe
            self.at["news"] = max(1, self.at["news"])
        self.read = 0

    async def run(self) -> None:
        """Rounds over all parts, until one finds nothing new."""
        async for rows in self._pages(PASSAGES, ""):
            await asyncio.to_thread(self._learn, rows)
        while True:
            parts = [*LINKED]
            for part in parts[parts.index(self.at["part"]) :]:
                async for rows in self._pages(part, self.at["after"] if part == self.at["part"] else ""):
                    await self._link(part, rows)
            if not self.at["news"]:
                return
            self.at = {**self.at, "round": self.at["round"] + 1, "part": PASSAGES, "after": "", "news": 0}

    def _learn(self, rows: Sequence[Mapping[str, Any]]) -> None:
        for row in rows:
            self._finder.learn(row["title"], "\n\n".join(text for _, text in row["passages"]), row["given_id"])

    async def _pages(self, part: str, after: str) -> AsyncIterator[list[dict[str, Any]]]:
        while rows := await self._graph.run(LINKED[part].read, scope=self._scope, after=after, limit=self._page):
            after = str(rows[-1]["id"])
            yield [dict(row) for row in rows]

    async def _link(self, part: str, rows: Sequence[Mapping[str, Any]]) -> None:
        work, texts = await (self._passages(rows) if part == PASSAGES else self._statements(part, rows))
        self.read += texts
        cursor = {**self.at, "part": part, "after": rows[-1]["id"]}
        cursor["texts"] += texts if self.at["round"] == 1 else 0
        message = f"linking, round {cursor['round']}"
        found = await self._lease.commit(work, done=self.read, message=message, cursor=cursor)
        links = sum(int(row["made"]) for each in found for row in each if "made" in row)
        made = sum(len(row["fresh"]) for each in found for row in each if "fresh" in row)
        cursor.update(links=cursor["links"] + links, entities=cursor["entities"] + made, news=cursor["news"] + links)
        self.at = cursor
        self._progress(message, self.read, 0)

    async def _passages(self, rows: Sequence[Mapping[str, Any]]) -> tuple[list[tuple[str, dict[str, Any]]], int]:
        """Statements that link the passages of documents, and how many passages these have."""
        passages = [(row["title"], *one) for row in rows for one in row["passages"]]
        if not passages:
            return [], 0
        ids = await asyncio.to_thread(self._named, passages)
        found = await self._graph.run("ingest/known_ids", ids=[*ids], scope=self._scope)
        known = frozenset(ids[row["id"]] for row in found)
        return await asyncio.to_thread(self._linked, passages, known), len(passages)

    def _named(self, passages: Sequence[Any]) -> dict[str, str]:
        names = {name for _, _, text in passages for name in self._finder.names(text)}
        return {entity_id(self._scope, canonical_key(name)): name for name in sorted(names)}

    def _linked(self, passages: Sequence[Any], known: frozenset[str]) -> list[tuple[str, dict[str, Any]]]:
        named = ScopeNames(self._scope)
        links = [
            [one, named.ids(self._finder.find(title, text, known)), named.about(title)] for title, one, text in passages
        ]
        made = {"rows": named.rows(), "scope_token": scope_token(self._scope), **self._common}
        return [("graph/merge_entities", made), (LINKED[PASSAGES].link, {"rows": links, **self._common})]

    async def _statements(
        self, part: str, rows: Sequence[Mapping[str, Any]]
    ) -> tuple[list[tuple[str, dict[str, Any]]], int]:
        linking = await self._linker.link([row["text"] for row in rows], self._scope, self._lease.job.created_at)
        links = [[row["id"], [one.id for one in found]] for row, found in zip(rows, linking.entities, strict=True)]
        linked = (LINKED[part].link, {"rows": links, "role": LINKED[part].role, **self._common})
        return [*linking.statements, linked], len(rows)
