"""Loads passages: documents, their passages in order, what they are about and mention; resumable and idempotent."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

from clause.errors import NotFoundError
from clause.graph.database import check_embedding_model
from clause.graph.jobs import Jobs
from clause.graph.lease import Lease
from clause.graph.runner import Graph
from clause.graph.scopes import parse_scope, scope_token
from clause.ground import strengthening
from clause.ingest.embedding import embed_scope
from clause.ingest.mention_finder import MentionFinder
from clause.ingest.passage_reader import (
    FORMATS,
    Document,
    DocumentRecord,
    UnreadableDocumentError,
    read_document,
    read_documents,
)
from clause.ingest.source import (
    BAD_KEPT,
    BadRecord,
    BadRecordError,
    LoadReport,
    ScopeNames,
    SourceFile,
    describe,
    nothing_good,
    refuse_stream,
)
from clause.telemetry import Progress, silent
from clause.text.embedder import Embedder
from clause.text.names import hashed

KIND = "load_passages"
DOCUMENTS_KIND = "load_documents"
Reader = Callable[[int], Iterator[DocumentRecord]]
"""Gives the records of what is loaded after the first so many."""
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
    source = await asyncio.to_thread(describe, path, scope)
    form = _Form(KIND, "passages", source, lambda skip: read_documents(path, skip=skip), {})
    when = _When(progress, jobs or Jobs(graph, now), batch_size, clock)
    return await _load(graph, embedder, form, scope, on_bad=on_bad, when=when)


async def load_documents(
    graph: Graph,
    embedder: Embedder | None,
    path: Path | Sequence[Path],
    scope: str,
    *,
    on_bad: Literal["skip", "fail"] = "skip",
    progress: Progress = silent,
    jobs: Jobs | None = None,
    batch_size: int = 20,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    clock: Callable[[], float] = time.perf_counter,
) -> LoadReport:
    """Load documents or folders of them (Markdown, HTML, PDF, DOCX, text); each file is a source of its own.

    Arguments, errors and what a second load does are those of `load_passages`; records are files. A document goes by
    its name within the folder; where that is another folder's already, by the folder too.
    """
    paths = [path] if isinstance(path, Path) else [*path]
    files = await asyncio.to_thread(_found, paths)
    whole = hashed("sha256:", *(f"{one.root} {one.name} {one.content_hash}" for one in files))
    name = paths[0].name if len(paths) == 1 else f"{len(paths)} paths"
    source = SourceFile(hashed("src_", scope, name, whole), name, whole, len(files))
    form = _Form(DOCUMENTS_KIND, "documents", source, lambda _: iter(()), {}, files)
    when = _When(progress, jobs or Jobs(graph, now), batch_size, clock)
    return await _load(graph, embedder, form, scope, on_bad=on_bad, when=when)


class _FoundFile(NamedTuple):
    """A document's file: its name within the folder, which is hashed in `root`, and with the folder's own name."""

    name: str
    long_name: str
    path: Path
    root: str
    content_hash: str

    @property
    def keys(self) -> tuple[str, str]:
        """The given ids that it may have: its name, and its name in this folder alone."""
        return self.name, f"{self.root}/{self.name}"


class _Form(NamedTuple):
    """A load's form: what is loaded, and how it is read; `sources` are those of `files` by their given ids."""

    kind: str
    name: str
    source: SourceFile
    read: Reader
    sources: Mapping[str, SourceFile]
    files: Sequence[_FoundFile] = ()


class _When(NamedTuple):
    """The course of a load: who is told, its jobs, records at once, and the clock."""

    progress: Progress
    jobs: Jobs
    batch: int
    clock: Callable[[], float]


async def _load(
    graph: Graph, embedder: Embedder | None, form: _Form, scope: str, *, on_bad: str, when: _When
) -> LoadReport:
    parse_scope(scope)
    if embedder is not None:
        await check_embedding_model(graph, embedder.model, embedder.dimension)
    parameters = {"source_id": form.source.id, "on_bad": on_bad}
    started = when.clock()

    async def loaded(lease: Lease) -> tuple[_Form, _PassageLoad, int]:
        placed = await _placed(graph, form, scope)
        load = _PassageLoad(graph, lease, placed, when.jobs.now(), on_bad=on_bad, progress=when.progress)
        resumed_at = load.records
        await load.run(when.batch)
        return placed, load, resumed_at

    work = when.jobs.done_once(form.kind, parameters, scope, loaded, resource=f"load:{scope}")
    job, (form, load, resumed_at) = await work
    seconds = when.clock() - started
    embedding = await embed_scope(graph, embedder, scope, progress=when.progress, jobs=when.jobs) if embedder else None
    return LoadReport(
        job_id=job.id,
        scope=scope,
        source_id=form.source.id,
        format=form.name,
        records=load.records,
        created=load.created,
        known=load.known,
        replaced=load.replaced,
        sources={str(one.path): source.id for one, source in zip(form.files, form.sources.values(), strict=True)},
        bad_count=load.bad_count,
        bad=tuple(load.bad),
        seconds=seconds,
        records_per_s=(load.records - resumed_at) / seconds if seconds > 0 else 0.0,
        resumed_at=resumed_at,
        embedding=embedding,
    )


def find_documents(path: Path) -> list[tuple[str, Path]]:
    """The documents of a file or a folder, by name: (name within the folder, file); hidden ones are left out.

    Raises:
        NotFoundError: there is no such file or folder, or the folder has no document.
        BadInputError: it is a pipe.
    """
    refuse_stream(path, "path")
    if path.is_file():
        return [(path.name, path)]
    if not path.is_dir():
        raise NotFoundError(f"there is no file or folder {path.name}", remedy="check the path", field="path")
    found = [
        (os.fsencode(one.relative_to(path).as_posix()).decode(errors="replace"), one)  # a name may be no text
        for one in path.rglob("*")
        if one.is_file()
        and one.suffix.lower() in FORMATS
        and not any(part[0] == "." for part in one.relative_to(path).parts)
    ]
    if not found:
        remedy = f"documents end in {', '.join(FORMATS)}"
        raise NotFoundError(f"{path.name} has no document", remedy=remedy, field="path")
    return sorted(found)


def _found(paths: Sequence[Path]) -> list[_FoundFile]:
    """The documents of files and folders, each once though two paths lead to it."""
    found: dict[Path, _FoundFile] = {}
    for path in paths:
        folder = (path if path.is_dir() else path.parent).resolve()
        for name, file in find_documents(path):
            if folder / name not in found:
                content = ""
                with suppress(OSError):  # told when it is read, as other bad records
                    content = hashlib.sha256(file.read_bytes()).hexdigest()
                root = hashed("", str(folder))
                found[folder / name] = _FoundFile(name, f"{folder.name}/{name}", file, root, content)
    return [*found.values()]


async def _placed(graph: Graph, form: _Form, scope: str) -> _Form:
    """The form with the sources of its files: a name that another folder's document has goes with the own folder.

    Asked under the lease of the scope, so that no other load takes a name meanwhile. What was loaded before folders
    were kept belongs to the first that comes with its name.
    """
    rows = [[key, _source_id(scope, key), hashed("doc_", scope, key)] for file in form.files for key in file.keys]
    found = await graph.run("ingest/owned_documents", rows=rows, scope=scope) if rows else []
    owners: dict[str, str | None] = {row["key"]: row["owner"] for row in found}
    placed: dict[str, tuple[_FoundFile, SourceFile]] = {}
    for file in form.files:
        name, own = file.keys
        free = own not in owners and owners.get(name) in {None, file.root}
        key, title = (name, name) if free else (own, file.long_name)
        owners[key] = file.root
        placed[key] = (file, SourceFile(_source_id(scope, key), title, file.content_hash, 0, file.root))
    if not placed:
        return form
    sources = {key: source for key, (_, source) in placed.items()}
    return form._replace(sources=sources, read=lambda skip: _read_files(placed, skip))


def _source_id(scope: str, key: str) -> str:
    """The source of a file, the same when its content changes."""
    return hashed("src_", scope, "document", key)


def _read_files(files: Mapping[str, tuple[_FoundFile, SourceFile]], skip: int) -> Iterator[DocumentRecord]:
    for number, (key, (file, source)) in enumerate(islice(files.items(), skip, None), skip + 1):
        try:
            yield DocumentRecord(number, read_document(file.name, file.path)._replace(given_id=key))
        except (UnreadableDocumentError, OSError) as error:
            yield DocumentRecord(number, None, f"{source.name}: {error}")


def learn(records: Iterable[DocumentRecord]) -> tuple[MentionFinder, dict[int, str]]:
    """Read a corpus once for its titles and the names that its passages share, and for documents that take the id of
    another: the numbers of these records, and why they are bad."""
    finder, first, repeated = MentionFinder(), dict[str, tuple[int, int]](), dict[int, str]()
    for number, document, _ in records:
        if document is None:
            continue
        content = hash(document)  # of a corpus of millions, one number each is kept
        line, known = first.setdefault(document.given_id, (number, content))
        if known == content:
            finder.learn(document.title, document.text, document.given_id)
        else:
            repeated[number] = f"the id {document.given_id[:60]!r} is that of record {line}, which says something else"
    return finder, repeated


class _PassageLoad:
    """One run through the file."""

    def __init__(
        self, graph: Graph, lease: Lease, form: _Form, at: datetime, *, on_bad: str, progress: Progress
    ) -> None:
        self._graph = graph
        self._lease = lease
        self._form = form
        self._source = form.source
        self._scope = lease.job.scope
        self._on_bad = on_bad
        self._progress = progress
        self._recorded_at = at
        counts = ("records", "created", "known", "replaced", "bad_count")
        self.records, self.created, self.known, self.replaced, self.bad_count = (
            int(lease.cursor.get(name, 0)) for name in counts
        )
        self.bad = [BadRecord(number=number, reason=reason) for number, reason in lease.cursor.get("bad", [])]
        self._repeated: Mapping[int, str] = {}

    async def run(self, size: int) -> None:
        await self._graph.run("graph/register_scope", scope=self._scope, recorded_at=self._recorded_at)
        for source in self._form.sources.values() or [self._source]:
            await self._graph.run("ingest/merge_source", **source.row(self._scope, self._recorded_at))
        finder, self._repeated = await asyncio.to_thread(lambda: learn(self._form.read(0)))
        records = self._form.read(self.records)
        while batch := await asyncio.to_thread(lambda: list(islice(records, size))):
            await self._write(batch, finder)
        if self.records and self.bad_count == self.records:
            name, place = self._source.name, "" if self._form.sources else "line {}: "
            raise nothing_good(name, self.bad, "mend it, or load what holds texts", place=place)

    async def _write(self, batch: Sequence[DocumentRecord], finder: MentionFinder) -> None:
        reasons = {one.number: one.reason for one in batch if one.document is None}
        reasons |= {one.number: self._repeated[one.number] for one in batch if one.number in self._repeated}
        bad = [BadRecord(number=number, reason=reason) for number, reason in sorted(reasons.items())]
        if bad and self._on_bad == "fail":
            raise BadRecordError(
                bad[0].reason if self._form.sources else f"{self._source.name} line {bad[0].number}: {bad[0].reason}",
                remedy="mend the file, or load with --on-bad skip",
                field="file",
            )
        good = [one.document for one in batch if one.document is not None and one.number not in reasons]
        documents = {one.given_id: one for one in good}
        changed, replaced = await self._changed(documents)
        rows, entities = await asyncio.to_thread(self._rows, changed, finder)
        common: dict[str, Any] = {"scope": self._scope, "recorded_at": self._recorded_at}
        if entities:
            token = scope_token(self._scope)
            (row,) = await self._graph.run("graph/merge_entities", rows=entities, scope_token=token, **common)
            _lead_on(rows, {one: other for one, other in row["merged"] if other})
        self.records += len(batch)
        self.created += sum(len(row["passages"]) for row in rows)
        self.known += len(good) - len(changed)
        self.replaced += replaced
        self.bad_count += len(bad)
        self.bad += bad[: BAD_KEPT - len(self.bad)]
        message, total = f"loading {self._source.name}", max(self._source.lines, self.records)
        cursor = self._cursor() if self.bad_count < self.records else None  # nothing but bad is read again
        await self._lease.commit(self._statements(rows), done=self.records, total=total, message=message, cursor=cursor)
        self._progress(message, self.records, total)

    async def _changed(self, documents: dict[str, Document]) -> tuple[list[Document], int]:
        """Those documents that the graph does not hold with this content, and how many of them with another."""
        hashes = {self._id(document): _content_hash(document) for document in documents.values()}
        rows = await self._graph.run("ingest/document_hashes", ids=[*hashes], scope=self._scope)
        stored = {row["id"]: row["content_hash"] for row in rows}
        changed = [one for one in documents.values() if stored.get(self._id(one)) != hashes[self._id(one)]]
        return changed, sum(self._id(one) in stored for one in changed)

    def _rows(self, documents: Sequence[Document], finder: MentionFinder) -> tuple[list[dict[str, Any]], list[Any]]:
        """Rows of ingest/create_passages, and of graph/merge_entities for what they mention."""
        rows, named = [], ScopeNames(self._scope)
        for document in documents:
            about = named.about(document.title)
            passages = [
                {
                    "id": hashed("psg_", self._id(document), str(ordinal), text),
                    "ordinal": ordinal,
                    "text": text,
                    "heading": heading,
                    "page": page,
                    "mentions": named.ids(finder.find(document.title, text)),
                    "about": about,
                }
                for ordinal, (text, heading, page) in enumerate(document.passages())
            ]
            rows.append(
                {
                    "id": self._id(document),
                    "given_id": document.given_id,
                    "title": document.title,
                    "content_hash": _content_hash(document),
                    "source_id": self._form.sources.get(document.given_id, self._source).id,
                    "passages": passages,
                }
            )
        return rows, named.rows()

    def _statements(self, rows: Sequence[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
        if not rows:
            return []
        keys = {"scope": self._scope, **self._lease.keys}
        created = {"rows": rows, "scope_token": scope_token(self._scope), **keys}
        named = {row["id"]: [one for passage in row["passages"] for one in passage["mentions"]] for row in rows}
        return [
            ("ingest/drop_passages", {"ids": [row["id"] for row in rows], **keys}),
            ("ingest/create_passages", {**created, "recorded_at": self._recorded_at}),
            strengthening(named, self._scope, self._recorded_at),
        ]

    def _id(self, document: Document) -> str:
        return hashed("doc_", self._scope, document.given_id)

    def _cursor(self) -> dict[str, Any]:
        counts = {"records": self.records, "created": self.created, "known": self.known, "replaced": self.replaced}
        return {**counts, "bad_count": self.bad_count, "bad": [[bad.number, bad.reason] for bad in self.bad]}


def _lead_on(rows: Sequence[dict[str, Any]], merged: Mapping[str, str]) -> None:
    """Let passages name what the entities that they name were merged into."""
    for passage in (one for row in rows for one in row["passages"]) if merged else ():
        passage["mentions"] = list(dict.fromkeys(merged.get(one, one) for one in passage["mentions"]))
        about = {merged.get(one, one): how for one, *how in reversed(passage["about"])}
        passage["about"] = [[one, *how] for one, how in reversed(about.items())]


def _content_hash(document: Document) -> str:
    return hashed("sha256:", document.title, document.text)
