"""Loads triples: streamed, in batches, resumable at the last batch, and the same graph however often it is loaded."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from clause.graph.catalogue import Statement
from clause.graph.database import check_embedding_model
from clause.graph.driver import foreign_size, foreign_triples
from clause.graph.jobs import Jobs
from clause.graph.lease import Lease
from clause.graph.runner import Graph
from clause.graph.scopes import parse_scope, scope_token
from clause.graph.wire import Address
from clause.ingest.embedding import embed_scope
from clause.ingest.readers import BLANK, Format, Record, Term, checked, guess_format, ranked_names, read_triples
from clause.ingest.source import BAD_KEPT, BadRecord, BadRecordError, LoadReport, SourceFile, describe, nothing_good
from clause.telemetry import Progress, silent
from clause.text.embedder import Embedder
from clause.text.names import canonical_key, entity_id, hashed, name_key, register, stored_name

_REMEMBERED = 500_000
_KEY = 5  # head, type, tail, valid from, valid until: one fact
_NAMES_KEPT = 200


@dataclass
class TripleBatch:
    """Rows of one transaction.

    Attributes:
        records: how many records it holds, bad ones included.
        entities: rows of graph/merge_entities, of names that no recent batch held.
        triples: rows of ingest/create_triples, without repetitions.
        names: of entities by their ids: what they were called, and further names with how good each is.
        named: how many records gave these.
        bad: the records that are no triples.
        fresh: ids of those entities that had no relationship before this batch; filled by the loader.
        led: rows as they were, by number, of triples whose ends were merged into others; filled by `lead`.
    """

    records: int = 0
    entities: list[list[Any]] = field(default_factory=list)
    triples: list[list[Any]] = field(default_factory=list)
    names: dict[str, tuple[Term, dict[str, int]]] = field(default_factory=dict)
    named: int = 0
    bad: list[Record] = field(default_factory=list)
    fresh: set[str] = field(default_factory=set)
    led: dict[int, list[Any]] = field(default_factory=dict)

    def lead(self, merged: Mapping[str, str]) -> None:
        """Say of the entities that others were merged into what was said of these, but nothing of both alone."""
        rows: dict[tuple[Any, ...], tuple[list[Any], list[Any]]] = {}
        for before in self.triples:
            head, name, tail, *rest = before
            row = [merged.get(head, head), name, merged.get(tail, tail), *rest]
            if row[0] != row[2] or head == tail:
                rows.setdefault(tuple(row[:_KEY]), (row, before))
        self.triples = [row for row, _ in rows.values()]
        self.led = {number: before for number, (row, before) in enumerate(rows.values()) if row != before}


class Interner:
    """Names to ids, within bounded memory: two generations, so that what the last batch held is never forgotten."""

    def __init__(self, scope: str, source_id: str, remembered: int = _REMEMBERED) -> None:
        self._scope = scope
        self._source_id = source_id
        self._remembered = remembered
        self._young: dict[Term, str] = {}
        self._old: dict[Term, str] = {}

    def batch(self, records: Sequence[Record]) -> TripleBatch:
        """The rows of some records, in their order."""
        if len(self._young) > self._remembered:
            self._old, self._young = self._young, {}
        batch = TripleBatch(records=len(records))
        seen: set[tuple[Any, ...]] = set()
        for record in records:
            if record.triple is None:
                batch.bad.append(record)
                continue
            head, relation, tail, valid_from, valid_until, properties, naming = record.triple
            if naming is not None:
                told = batch.names.setdefault(self._id(head, batch), (head, {}))[1]
                told[tail.name] = min(naming, told.get(tail.name, naming))
                batch.named += 1
                continue
            key = (self._id(head, batch), stored_name(relation), self._id(tail, batch), valid_from, valid_until)
            if key not in seen:
                seen.add(key)
                kept = [dict(properties)] if properties else []
                batch.triples.append([*key, *kept])
        return batch

    def _id(self, term: Term, batch: TripleBatch) -> str:
        found = self._young.get(term)
        if found is not None:
            return found
        found = self._old.get(term)
        if found is None:
            identity = f"{term.identity}@{self._source_id}" if term.identity.startswith(BLANK) else term.identity
            key = canonical_key(term.name, term.kind, identity)
            found = entity_id(self._scope, key)
            number = len(batch.entities)
            batch.entities.append([number, found, key, term.name, name_key(term.name), term.kind, [*term.aliases]])
        self._young[term] = found
        return found


@dataclass(frozen=True)
class PropertyGraph:
    """A property graph on a Neo4j of somebody's own, read as triples; nothing is written there.

    Labels become classes, a property the name, other properties literals; relationships stay, with their properties.

    Attributes:
        address: where it is.
        statements: `ingest/source_counts`, `ingest/source_nodes` and `ingest/source_relationships`, by their last word.
        labels: only nodes with one of these, and what is between them; none: all.
        names: properties that may hold the name, before the usual ones.
    """

    address: Address
    statements: Mapping[str, Statement]
    labels: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The server, the database and the labels, without any secret."""
        host = self.address.uri.partition("://")[2]
        return "/".join([f"neo4j {host}", self.address.database, *sorted(self.labels)])

    def source(self, scope: str) -> SourceFile:
        """The graph as a source of a scope, with how many nodes, labels, properties and relationships it has.

        Raises:
            NotFoundError: it has no node with such a label.
            ServerError, UnavailableError: as `foreign_rows`.
        """
        things = foreign_size(self.address, self.statements, self.labels, self.names, title=self.title)
        identity = hashed("", self.address.uri, self.address.database, *sorted(self.labels))
        return SourceFile(hashed("src_", scope, identity), self.title, identity, things)

    def records(self, skip: int = 0) -> Iterator[Record]:
        """The triples after the first `skip`, in the order in which the server keeps them.

        Raises:
            ServerError, UnavailableError: as `foreign_rows`.
        """
        found = foreign_triples(self.address, self.statements, self.labels, self.names)
        for number, (head, relation, tail, kept) in enumerate(found, start=1):
            if number > skip:
                made = checked(number, Term(*head), relation, Term(*tail))
                yield made if made.triple is None else Record(number, made.triple._replace(properties=kept))


KIND = "load_triples"
BATCH = 10_000


async def load_triples(
    graph: Graph,
    embedder: Embedder | None,
    path: Path,
    scope: str,
    *,
    form: Format | None = None,
    on_bad: Literal["skip", "fail"] = "skip",
    progress: Progress = silent,
    jobs: Jobs | None = None,
    batch_size: int = BATCH,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    clock: Callable[[], float] = time.perf_counter,
) -> LoadReport:
    """Load a file of triples into `scope`; a load that was broken off goes on where it stopped.

    Arguments:
        embedder: gives names and types their vectors in a second pass; None: no vectors now.
        form: how the file is written (default: by its name).
        on_bad: skip lines that are no triples and report them, or stop at the first.
        progress: told records done and lines in all.
        jobs: where the job is kept (default: jobs of `graph`).
        batch_size: triples in one transaction.

    Raises:
        NotFoundError, BadInputError: the file is not there or cannot be read.
        BadRecordError: a line is no triple and `on_bad` is fail; the batches before its own are loaded.
        EmbedderMismatchError: the graph was embedded by another model.
    """
    parse_scope(scope)
    if embedder is not None:
        await check_embedding_model(graph, embedder.model, embedder.dimension)
    form = form or guess_format(path)
    source = await asyncio.to_thread(describe, path, scope)

    def records(skip: int) -> Iterator[Record]:
        return read_triples(path, form, skip=skip)

    jobs = jobs or Jobs(graph, now)
    told: dict[str, Any] = {"on_bad": on_bad, "progress": progress, "batch_size": batch_size, "clock": clock}
    return await _loaded(graph, embedder, jobs, scope, source=source, form=str(form), records=records, **told)


async def load_property_graph(
    graph: Graph,
    embedder: Embedder | None,
    origin: PropertyGraph,
    scope: str,
    *,
    progress: Progress = silent,
    jobs: Jobs | None = None,
    batch_size: int = BATCH,
) -> LoadReport:
    """Load a property graph of somebody's own into `scope`; a load that was broken off goes on where it stopped, and
    one that is done again brings what was added meanwhile.

    Raises:
        NotFoundError: it has no node with a label that was asked for.
        ServerError, UnavailableError: it cannot be read.
        EmbedderMismatchError: the graph was embedded by another model.
    """
    parse_scope(scope)
    if embedder is not None:
        await check_embedding_model(graph, embedder.model, embedder.dimension)
    source = await asyncio.to_thread(origin.source, scope)
    told: dict[str, Any] = {"progress": progress, "batch_size": batch_size}
    made: dict[str, Any] = {"source": source, "form": "neo4j", "records": origin.records}
    return await _loaded(graph, embedder, jobs or Jobs(graph), scope, **made, **told)


async def _loaded(
    graph: Graph,
    embedder: Embedder | None,
    jobs: Jobs,
    scope: str,
    *,
    source: SourceFile,
    form: str,
    records: Callable[[int], Iterator[Record]],
    on_bad: str = "skip",
    progress: Progress = silent,
    batch_size: int = BATCH,
    clock: Callable[[], float] = time.perf_counter,
) -> LoadReport:
    """The report of a load of `records`, which are asked for after those that an earlier run had done."""
    parameters = {"source_id": source.id, "format": form, "on_bad": on_bad}
    started = clock()

    async def loaded(lease: Lease) -> tuple[_TripleLoad, int]:
        load = _TripleLoad(graph, lease, source, jobs.now(), on_bad=on_bad, progress=progress)
        resumed_at = load.records
        await load.run(records(resumed_at), batch_size)
        return load, resumed_at

    job, (load, resumed_at) = await jobs.done_once(KIND, parameters, scope, loaded, resource=f"load:{scope}")
    seconds = clock() - started
    embedding = await embed_scope(graph, embedder, scope, progress=progress, jobs=jobs) if embedder else None
    return LoadReport(
        job_id=job.id,
        scope=scope,
        source_id=source.id,
        format=form,
        records=load.records,
        created=load.created,
        known=load.records - load.bad_count - load.created - load.named,
        named=load.named,
        bad_count=load.bad_count,
        bad=tuple(load.bad),
        seconds=seconds,
        records_per_s=(load.records - resumed_at) / seconds if seconds > 0 else 0.0,
        resumed_at=resumed_at,
        embedding=embedding,
    )


class _TripleLoad:
    """One run: while a batch's relationships are written, the next batch is read and its entities are merged."""

    def __init__(
        self, graph: Graph, lease: Lease, source: SourceFile, at: datetime, *, on_bad: str, progress: Progress
    ) -> None:
        scope = lease.job.scope
        self._graph = graph
        self._lease = lease
        self._source = source
        self._scope = scope
        self._on_bad = on_bad
        self._progress = progress
        self._recorded_at = at
        self._names = Interner(scope, source.id)
        self._types: set[str] = set()
        self._merged: dict[str, str] = {}
        cursor = lease.cursor
        self.records = int(cursor.get("records", 0))
        self.created = int(cursor.get("created", 0))
        self.named = int(cursor.get("named", 0))
        self.bad_count = int(cursor.get("bad_count", 0))
        self.bad = [BadRecord(number=number, reason=reason) for number, reason in cursor.get("bad", [])]

    async def run(self, records: Iterator[Record], size: int) -> None:
        await self._graph.run("graph/register_scope", scope=self._scope, recorded_at=self._recorded_at)
        await self._graph.run("ingest/merge_source", **self._source.row(self._scope, self._recorded_at))
        batch = await asyncio.to_thread(self._read, records, size)
        await self._merge(batch)
        while batch.records:
            written = asyncio.create_task(self._write(batch, await self._known(batch)))
            try:
                batch = await asyncio.to_thread(self._read, records, size)
                await self._merge(batch)
            finally:
                await written
        if self.records and self.bad_count == self.records:
            raise nothing_good(self._source.name, self.bad, "mend it, or say with --format how its lines are written")

    def _read(self, records: Iterator[Record], size: int) -> TripleBatch:
        return self._names.batch(list(islice(records, size)))

    async def _merge(self, batch: TripleBatch) -> None:
        """Entities and types of a batch; the entities that have no relationship yet are remembered in the batch."""
        common: dict[str, Any] = {"scope": self._scope, "recorded_at": self._recorded_at}
        if batch.entities:
            token = scope_token(self._scope)
            (row,) = await self._graph.run("graph/merge_entities", rows=batch.entities, scope_token=token, **common)
            batch.fresh.update(batch.entities[number][1] for number in row["fresh"])
            self._merged.update((one, other) for one, other in row["merged"] if other)
        if self._merged:
            batch.lead(self._merged)
        unseen = {relation for _, relation, *_ in batch.triples} - self._types
        if unseen:
            rows = [[*register(self._scope, name)] for name in sorted(unseen)]
            await self._graph.run("ingest/merge_types", rows=rows, **common)
            self._types |= unseen

    async def _known(self, batch: TripleBatch) -> set[int]:
        """Numbers of the batch's triples that the graph has; only those whose two ends had relationships are asked."""
        rows = [
            [number, *row[:_KEY]]
            for number, row in enumerate(batch.triples)
            if row[0] not in batch.fresh and row[2] not in batch.fresh
        ]
        rows += [[number, *row[:_KEY]] for number, row in batch.led.items()]  # taken back before the merge: not again
        if not rows:
            return set()
        (row,) = await self._graph.run("ingest/known_triples", rows=rows, scope=self._scope, source_id=self._source.id)
        return set(row["known"])

    async def _write(self, batch: TripleBatch, known: set[int]) -> None:
        """Create what is missing and move the cursor, in one transaction."""
        missing = [triple for number, triple in enumerate(batch.triples) if number not in known]
        fault = batch.bad[0] if batch.bad and self._on_bad == "fail" else None
        if fault is not None:
            raise BadRecordError(
                f"{self._source.name} line {fault.number}: {fault.reason}",
                remedy="mend the file, or load with --on-bad skip",
                field="file",
            )
        self.records += batch.records
        self.created += len(missing)
        self.named += batch.named
        self.bad_count += len(batch.bad)
        self.bad += [BadRecord(number=bad.number, reason=bad.reason) for bad in batch.bad][: BAD_KEPT - len(self.bad)]
        message, total = f"loading {self._source.name}", max(self._source.lines, self.records)
        cursor = self._cursor() if self.bad_count < self.records else None  # nothing but bad is read again
        work = self._create(missing) + self._name(batch)
        await self._lease.commit(work, done=self.records, total=total, message=message, cursor=cursor)
        self._progress(message, self.records, total)

    def _create(self, missing: Sequence[Any]) -> list[tuple[str, dict[str, Any]]]:
        if not missing:
            return []
        common = {"scope": self._scope, **self._lease.keys}
        made = {"rows": missing, "source_id": self._source.id, "recorded_at": self._recorded_at, **common}
        ends = Counter(end for head, _, tail, *_ in missing for end in {head, tail})
        rows = [[entity, added] for entity, added in sorted(ends.items())]
        return [("ingest/create_triples", made), ("ingest/raise_degrees", {"rows": rows, **common})]

    def _name(self, batch: TripleBatch) -> list[tuple[str, dict[str, Any]]]:
        named = sorted(batch.names.items())
        rows = [[self._merged.get(entity, entity), *ranked_names(*told)] for entity, told in named]
        common = {"scope": self._scope, "most": _NAMES_KEPT, **self._lease.keys}
        return [("ingest/name_entities", {"rows": rows, **common})] if rows else []

    def _cursor(self) -> dict[str, Any]:
        counts = {"records": self.records, "created": self.created, "named": self.named}
        return {**counts, "bad_count": self.bad_count, "bad": [[bad.number, bad.reason] for bad in self.bad]}
