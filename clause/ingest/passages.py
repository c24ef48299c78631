"""Loads passages: documents, their passages in order, what they are about and mention; resumable and idempotent."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from clause.graph.database import check_embedding_model
from clause.graph.jobs import Jobs
from clause.graph.lease import Lease
from clause.graph.runner import Graph
from clause.graph.scopes import parse_scope, scope_token
from clause.ingest.embedding import embed_scope
from clause.ingest.passage_reader import Document, DocumentRecord, MentionFinder, cut, read_documents
from clause.ingest.source import BAD_KEPT, BadRecord, BadRecordError, LoadReport, SourceFile, describe
from clause.telemetry import Progress, silent
from clause.text.activation import strengthening
from clause.text.embedder import Embedder
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
        rows, entities = [], dict[str, list[Any]]()

        def ids(names: Iterable[str]) -> list[str]:
            """The entities of these names; those that are new here get a row."""
            keys = {canonical_key(name): name for name in names}
            found = {entity_id(self._scope, key): (key, name) for key, name in keys.items()}
            for entity, (key, name) in found.items():
                entities.setdefault(entity, [len(entities), entity, key, name, name_key(name), "concept", []])
            return [*found]

        for document in documents:
            subject = ids([document.title] if document.title else [])
            shorter = [one for one in ids(short_names(document.title)) if one not in subject]
            passages = [
                {
                    "id": hashed("psg_", self._id(document), str(ordinal), text),
                    "ordinal": ordinal,
                    "text": text,
                    "mentions": ids(finder.find(document.title, text)),
                    "about": [[one, "subject", 1.0] for one in subject] + [[one, "short name", 0.5] for one in shorter],
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
        return rows, [*entities.values()]

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
