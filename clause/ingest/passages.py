"""Loads passages: documents, their passages in order, what they are about and mention; resumable and idempotent."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal

from clause.graph.database import check_embedding_model
from clause.graph.jobs import Jobs
from clause.graph.lease import Lease
from clause.graph.runner import Graph
from clause.graph.scopes import parse_scope, scope_token
from clause.ingest.embedding import embed_scope
from clause.ingest.passage_reader import Document, DocumentRecord, MentionFinder, cut, read_documents
from clause.ingest.source import BAD_KEPT, BadRecord, BadRecordError, LinkReport, LoadReport, SourceFile, describe
from clause.telemetry import Progress, silent
from clause.text.activation import strengthening
from clause.text.embedder import Embedder
from clause.text.linking import EntityLinker
from clause.text.names import canonical_key, entity_id, hashed, name_key, short_names

KIND = "load_passages"
BATCH = 500


async def load_passages(
    graph: Graph,
    embedder: Embedder | None,
    path: Path,
    scope: str,
    *,
    on_bad: Literal["skip", "fail"] = "skip",
    progress: Progress = silent,
    jobs: Jobs | None = None,
    batch_size: int = BATCH,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    clock: Callable[[], float] = time.perf_counter,
) -> LoadReport:
    """Load documents into `scope`: arguments and errors are those of `load_triples`.

    A document that is there with the same content is passed over; with other content its passages are made anew.
    """
    parse_scope(scope)
    if embedder is not None:
        await check_embedding_model(graph, embedder.model, embedder.dimension)
    source = await asyncio.to_thread(describe, path, scope)
    jobs = jobs or Jobs(graph, now)
    parameters = {"source_id": source.id, "on_bad": on_bad}
    job = await jobs.submit(KIND, parameters, scope, resource=f"load:{scope}", resume=True)
    started = clock()
    async with jobs.lease(job.id, patient=True) as lease:
        load = _PassageLoad(graph, lease, source, on_bad=on_bad, progress=progress)
        resumed_at = load.records
        await load.run(path, batch_size)
    seconds = clock() - started
    embedding = await embed_scope(graph, embedder, scope, progress=progress, jobs=jobs) if embedder else None
    return LoadReport(
        job_id=job.id,
        scope=scope,
        source_id=source.id,
        format="passages",
        records=load.records,
        created=load.created,
        known=load.known,
        bad_count=load.bad_count,
        bad=tuple(load.bad),
        seconds=seconds,
        records_per_s=(load.records - resumed_at) / seconds if seconds > 0 else 0.0,
        resumed_at=resumed_at,
        embedding=embedding,
    )


def learn(path: Path) -> MentionFinder:
    """Read a corpus once for its titles and the names that its passages share."""
    finder = MentionFinder()
    for record in read_documents(path):
        if record.document is not None:
            finder.learn(record.document.title, record.document.text)
    return finder


class _PassageLoad:
    """One run through the file."""

    def __init__(self, graph: Graph, lease: Lease, source: SourceFile, *, on_bad: str, progress: Progress) -> None:
        self._graph = graph
        self._lease = lease
        self._source = source
        self._scope = lease.job.scope
        self._on_bad = on_bad
        self._progress = progress
        self._recorded_at = lease.job.created_at
        self.records = int(lease.cursor.get("records", 0))
        self.created = int(lease.cursor.get("created", 0))
        self.known = int(lease.cursor.get("known", 0))
        self.bad_count = int(lease.cursor.get("bad_count", 0))
        self.bad = [BadRecord(number=number, reason=reason) for number, reason in lease.cursor.get("bad", [])]

    async def run(self, path: Path, size: int) -> None:
        await self._graph.run("graph/register_scope", scope=self._scope, recorded_at=self._recorded_at)
        await self._graph.run("ingest/merge_source", **self._source.row(self._scope, self._recorded_at))
        finder = await asyncio.to_thread(learn, path)
        records = read_documents(path, skip=self.records)
        while batch := await asyncio.to_thread(lambda: list(islice(records, size))):
            await self._write(batch, finder)

    async def _write(self, batch: Sequence[DocumentRecord], finder: MentionFinder) -> None:
        bad = [BadRecord(number=r.number, reason=r.reason) for r in batch if r.document is None]
        if bad and self._on_bad == "fail":
            raise BadRecordError(
                f"{self._source.name} line {bad[0].number}: {bad[0].reason}",
                remedy="mend the file, or load with --on-bad skip",
                field="file",
            )
        documents = {r.document.given_id: r.document for r in batch if r.document is not None}
        changed = await self._changed(documents)
        rows, entities = await asyncio.to_thread(self._rows, changed, finder)
        common: dict[str, Any] = {"scope": self._scope, "recorded_at": self._recorded_at}
        if entities:
            token = scope_token(self._scope)
            await self._graph.run("graph/merge_entities", rows=entities, scope_token=token, **common)
        self.records += len(batch)
        self.created += sum(len(row["passages"]) for row in rows)
        self.known += len(documents) - len(changed)
        self.bad_count += len(bad)
        self.bad += bad[: BAD_KEPT - len(self.bad)]
        message, total = f"loading {self._source.name}", max(self._source.lines, self.records)
        await self._lease.commit(
            self._statements(rows), done=self.records, total=total, message=message, cursor=self._cursor()
        )
        self._progress(message, self.records, total)

    async def _changed(self, documents: dict[str, Document]) -> list[Document]:
        """Those documents that the graph does not hold with this content."""
        hashes = {self._id(document): _content_hash(document) for document in documents.values()}
        rows = await self._graph.run("ingest/document_hashes", ids=[*hashes], scope=self._scope)
        stored = {row["id"]: row["content_hash"] for row in rows}
        return [one for one in documents.values() if stored.get(self._id(one)) != hashes[self._id(one)]]

    def _rows(self, documents: Sequence[Document], finder: MentionFinder) -> tuple[list[dict[str, Any]], list[Any]]:
        """Rows of ingest/create_passages, and of graph/merge_entities for what they mention."""
        rows, named = [], _Named(self._scope)
        for document in documents:
            about = named.about(document.title)
            passages = [
                {
                    "id": hashed("psg_", self._id(document), str(ordinal), text),
                    "ordinal": ordinal,
                    "text": text,
                    "mentions": named.ids(finder.find(document.title, text)),
                    "about": about,
                }
                for ordinal, text in enumerate(cut(document.text))
            ]
            rows.append(
                {
                    "id": self._id(document),
                    "given_id": document.given_id,
                    "title": document.title,
                    "content_hash": _content_hash(document),
                    "passages": passages,
                }
            )
        return rows, named.rows()

    def _statements(self, rows: Sequence[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
        if not rows:
            return []
        keys = {"scope": self._scope, **self._lease.keys}
        created = {"rows": rows, "scope_token": scope_token(self._scope), "source_id": self._source.id, **keys}
        return [
            ("ingest/drop_passages", {"ids": [row["id"] for row in rows], **keys}),
            ("ingest/create_passages", {**created, "recorded_at": self._recorded_at}),
            strengthening({row["id"]: _named(row) for row in rows}, self._scope, self._recorded_at),
        ]

    def _id(self, document: Document) -> str:
        return hashed("doc_", self._scope, document.given_id)

    def _cursor(self) -> dict[str, Any]:
        counts = {"records": self.records, "created": self.created, "known": self.known, "bad_count": self.bad_count}
        return {**counts, "bad": [[bad.number, bad.reason] for bad in self.bad]}


def _named(row: dict[str, Any]) -> list[str]:
    """The entities that a document's passages mention, in order of place: each one's basin grows once."""
    return list(dict.fromkeys(entity for passage in row["passages"] for entity in passage["mentions"]))


def _content_hash(document: Document) -> str:
    return hashed("sha256:", document.title, document.text)


class _Named:
    """The entities that names of a scope stand for, and the rows of graph/merge_entities that make them."""

    def __init__(self, scope: str) -> None:
        self._scope = scope
        self._rows: dict[str, list[Any]] = {}

    def ids(self, names: Iterable[str]) -> list[str]:
        """The entities of these names, each once."""
        keys = {canonical_key(name): name for name in names}
        found = {entity_id(self._scope, key): (key, name) for key, name in keys.items()}
        for entity, (key, name) in found.items():
            self._rows.setdefault(entity, [len(self._rows), entity, key, name, name_key(name), "concept", []])
        return [*found]

    def about(self, title: str) -> list[list[Any]]:
        """[entity, role, weight] of what a passage under this title is about."""
        subject = self.ids([title] if title else [])
        shorter = [one for one in self.ids(short_names(title)) if one not in subject]
        return [[one, "subject", 1.0] for one in subject] + [[one, "short name", 0.5] for one in shorter]

    def rows(self) -> list[list[Any]]:
        """Rows of graph/merge_entities, in the order in which the names came."""
        return [*self._rows.values()]


LINK_KIND = "link_texts"
PASSAGES = "Document"
ROLES: Final[Mapping[str, str | None]] = {
    PASSAGES: None,
    "Memory": None,
    "Belief": "context",
    "Experience": None,
    "Value": None,
    "Insight": None,
}
"""What is linked, in this order, and the role of its links."""


async def link_scope(
    graph: Graph,
    embedder: Embedder,
    scope: str,
    *,
    embed: bool = True,
    progress: Progress = silent,
    jobs: Jobs | None = None,
    page: int = BATCH,
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
    job = await jobs.submit(LINK_KIND, {}, scope, resource=f"link:{scope}", resume=True)
    started = clock()
    async with jobs.lease(job.id, patient=True) as lease:
        linking = _ScopeLinking(graph, embedder, lease, progress, page)
        await linking.run()
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
        await _ScopeLinking(self._graph, self._embedder, lease, silent, BATCH).run()


class _ScopeLinking:
    """One run over the texts of a scope; `at` is the place that the job's cursor keeps, `read` counts texts of this run."""

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
            for row in rows:
                self._finder.learn(row["title"], "\n\n".join(text for _, text in row["passages"]))
        while True:
            parts = [*ROLES]
            for part in parts[parts.index(self.at["part"]) :]:
                async for rows in self._pages(part, self.at["after"] if part == self.at["part"] else ""):
                    await self._link(part, rows)
            if not self.at["news"]:
                return
            self.at = {**self.at, "round": self.at["round"] + 1, "part": PASSAGES, "after": "", "news": 0}

    async def _pages(self, part: str, after: str) -> AsyncIterator[list[dict[str, Any]]]:
        name = "ingest/documents_to_link" if part == PASSAGES else f"ingest/texts_to_link[{part}]"
        while rows := await self._graph.run(name, scope=self._scope, after=after, limit=self._page):
            after = str(rows[-1]["id"])
            yield [dict(row) for row in rows]

    async def _link(self, part: str, rows: Sequence[Mapping[str, Any]]) -> None:
        work, texts = await (self._passages(rows) if part == PASSAGES else self._statements(part, rows))
        first = self.at["texts"] if self.at["round"] == 1 else None
        self.read += texts
        cursor = {**self.at, "part": part, "after": rows[-1]["id"]}
        cursor["texts"] += texts if first is not None else 0
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
        known = await self._known({name for _, _, text in passages for name in self._finder.names(text)})
        named = _Named(self._scope)
        links = [
            [one, named.ids(self._finder.find(title, text, known)), named.about(title)] for title, one, text in passages
        ]
        token = scope_token(self._scope)
        entities = ("graph/merge_entities", {"rows": named.rows(), "scope_token": token, **self._common})
        return [entities, ("ingest/link_passages", {"rows": links, **self._common})], len(passages)

    async def _known(self, names: set[str]) -> frozenset[str]:
        """Those names that an entity of the scope has."""
        ids = {entity_id(self._scope, canonical_key(name)): name for name in sorted(names)}
        rows = await self._graph.run("ingest/known_ids", ids=[*ids], scope=self._scope)
        return frozenset(ids[row["id"]] for row in rows)

    async def _statements(
        self, part: str, rows: Sequence[Mapping[str, Any]]
    ) -> tuple[list[tuple[str, dict[str, Any]]], int]:
        linking = await self._linker.link([row["text"] for row in rows], self._scope, self._common["recorded_at"])
        links = [[row["id"], [one.id for one in found]] for row, found in zip(rows, linking.entities, strict=True)]
        linked = (f"ingest/link_texts[{part}]", {"rows": links, "role": ROLES[part], **self._common})
        return [*linking.statements, linked], len(rows)
