"""Readers of triple files, N-Triples among them, and of property graphs: one record after the other, bad ones with
their reason; nothing is held in memory."""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import IO, Any, NamedTuple

from rdflib import BNode, Literal, URIRef
from rdflib.exceptions import ParserError
from rdflib.plugins.parsers.ntriples import W3CNTriplesParser

from clause.errors import NotFoundError
from clause.graph.catalogue import Statement
from clause.graph.driver import foreign_rows, kept_properties, literal_texts
from clause.graph.wire import Address
from clause.ingest.source import SourceFile, open_text, refuse_stream
from clause.text.names import hashed, last_segment, normalise, readable_name

BLANK = "_:"
"""Starts the identity of a blank node, which means something within one file only."""

RdfTriple = tuple[URIRef | BNode, URIRef, URIRef | BNode | Literal]


class _Labels(dict[str, BNode]):
    """Blank nodes keep the label that the file gives them."""

    def get(self, label: str, default: object = None) -> BNode:  # noqa: ARG002
        return BNode(label)


class _Sink:
    """Keeps the triple of the line that was parsed last."""

    def __init__(self) -> None:
        self.found: RdfTriple | None = None

    def triple(self, subject: URIRef | BNode, predicate: URIRef, value: URIRef | BNode | Literal) -> None:
        self.found = (subject, predicate, value)


def parse_ntriples(lines: IO[str]) -> Iterator[Record]:
    """The records of an N-Triples file; comments are none."""
    sink = _Sink()
    parser = W3CNTriplesParser(sink=sink, bnode_context=_Labels())  # type: ignore[arg-type]
    for number, line in enumerate(lines, 1):
        sink.found, parser.line = None, line.rstrip("\r\n")
        try:
            parser.parseline()
        except (ParserError, ValueError) as error:
            yield Record(number, None, f"not N-Triples: {str(error)[:120]}")
            continue
        if sink.found is not None:
            subject, predicate, value = sink.found
            yield checked(number, _term(subject), normalise(last_segment(predicate)), _term(value))


def _term(node: URIRef | BNode | Literal) -> Term:
    if isinstance(node, Literal):
        return Term(normalise(str(node)), "literal", f"@{node.language}" if node.language else "")
    if isinstance(node, BNode):
        return Term(str(node), "concept", f"{BLANK}{node}")
    return Term(normalise(readable_name(str(node))), "concept", str(node), (str(node),))


LONGEST_NAME = 10_000
LONGEST_RELATION = 200
_FIELDS = 3
_COLUMNS = ("head", "relation", "tail", "valid_from", "valid_until")
_HEADERS = ({"head", "subject", "source"}, {"relation", "predicate", "type"}, {"tail", "object", "target"})


class Format(StrEnum):
    """The formats of files of triples."""

    PIPE = "pipe"
    TSV = "tsv"
    CSV = "csv"
    NTRIPLES = "ntriples"


class Term(NamedTuple):
    """One end of a triple; `identity` tells apart things of the same name, `aliases` are other names."""

    name: str
    kind: str = "concept"
    identity: str = ""
    aliases: tuple[str, ...] = ()


class Triple(NamedTuple):
    """head -relation-> tail, when it was true, where the file says so (UTC), and what else is kept on it."""

    head: Term
    relation: str
    tail: Term
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    properties: tuple[tuple[str, Any], ...] = ()


class Record(NamedTuple):
    """One line: `number` from 1; either a triple or the reason why it is none."""

    number: int
    triple: Triple | None
    reason: str = ""


Parser = Callable[[IO[str]], Iterator[Record]]


def guess_format(path: Path) -> Format:
    """The format that a file's name or, where that does not tell, its first line shows.

    >>> guess_format(Path("films.nt.gz")), guess_format(Path("films.csv"))
    (<Format.NTRIPLES: 'ntriples'>, <Format.CSV: 'csv'>)
    """
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    known = {".nt": Format.NTRIPLES, ".ntriples": Format.NTRIPLES, ".csv": Format.CSV, ".tsv": Format.TSV}
    if suffix in known:
        return known[suffix]
    refuse_stream(path)
    with open_text(path, bad_bytes="surrogateescape") as lines:
        first = next((line for line in lines if line.strip()), "")
    return Format.TSV if "|" not in first and "\t" in first else Format.PIPE


def read_triples(path: Path, form: Format | None = None, *, skip: int = 0) -> Iterator[Record]:
    """The records of a file after the first `skip` ones; empty lines are no records.

    Raises:
        NotFoundError: no such file.
        BadInputError: the file breaks off or is not what its name says (a damaged .gz).
    """

    form = form or guess_format(path)
    parsers: dict[Format, Parser] = {
        Format.PIPE: _parse_pipe,
        Format.TSV: _parse_tsv,
        Format.CSV: _parse_csv,
        Format.NTRIPLES: parse_ntriples,
    }
    with open_text(path, bad_bytes="surrogateescape") as lines:
        for count, record in enumerate(parsers[form](lines)):
            if count >= skip:
                yield record


def checked(number: int, head: Term, relation: str, tail: Term, *times: str) -> Record:
    """A record, bad when a part is empty, too long, holds a NUL byte, or is not UTF-8."""
    reason = _fault(head.name, relation, tail.name)
    if not reason and (head.identity or tail.identity):
        reason = _fault(head.identity or head.name, relation, tail.identity or tail.name)
    if reason:
        return Record(number, None, reason)
    try:
        valid_from, valid_until = ([_instant(time) for time in times] + [None, None])[:2]
    except ValueError:
        return Record(number, None, f"not an ISO date: {' '.join(times)[:60]}")
    return Record(number, Triple(head, relation, tail, valid_from, valid_until))


def _fault(head: str, relation: str, tail: str) -> str:
    for name, text in (("head", head), ("relation", relation), ("tail", tail)):
        if not text:
            return f"the {name} is empty"
        if len(text) > (LONGEST_RELATION if name == "relation" else LONGEST_NAME):
            return f"the {name} has {len(text):,} characters"
        if "\x00" in text:
            return f"the {name} holds a NUL byte"
        if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
            return f"the {name} is not UTF-8"
    return ""


def _instant(text: str) -> datetime | None:
    if not text.strip():
        return None
    instant = datetime.fromisoformat(text.strip())
    try:
        return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
    except OverflowError:  # `for ever`, or `since ever`, told in another zone
        return instant.replace(tzinfo=UTC)


def _from_fields(number: int, fields: list[str], most: int = len(_COLUMNS)) -> Record:
    if not _FIELDS <= len(fields) <= most:
        return Record(number, None, f"{len(fields)} fields instead of {_FIELDS}")
    head, relation, tail, *times = fields
    return checked(number, Term(normalise(head)), normalise(relation), Term(normalise(tail)), *times)


_Row = tuple[int, list[str], str]
"""The number of a row's first line, its fields, and why it is none."""


def _parse_pipe(lines: IO[str]) -> Iterator[Record]:
    rows = ((number, line.rstrip("\r\n").split("|")) for number, line in enumerate(lines, 1) if not line.isspace())
    yield from _tabular(((number, fields, "") for number, fields in rows), _FIELDS)


def _parse_tsv(lines: IO[str]) -> Iterator[Record]:
    rows = ((number, line.rstrip("\r\n").split("\t")) for number, line in enumerate(lines, 1) if not line.isspace())
    yield from _tabular((number, fields, "") for number, fields in rows)


def _parse_csv(lines: IO[str]) -> Iterator[Record]:
    yield from _tabular(_csv_rows(lines))


def _csv_rows(lines: IO[str]) -> Iterator[_Row]:
    """Rows; of a quote that is not closed, its own line alone is bad, and the lines that it took in are read again."""
    ahead, taken, number = deque[str](), list[str](), 1

    def coming() -> Iterator[str]:
        while line := ahead.popleft() if ahead else lines.readline():
            taken.append(line)
            yield line

    reader = csv.reader(coming(), strict=True)
    while True:
        taken.clear()
        try:
            fields, fault = next(reader), ""
        except StopIteration:
            return
        except csv.Error as error:
            fields, fault = _loosely(taken, str(error), number)
            ahead.extendleft(reversed(taken[1:]))
            del taken[1:]
            reader = csv.reader(coming(), strict=True)
        if fields or fault:
            yield number, fields, fault
        number += len(taken)


def _loosely(lines: Sequence[str], fault: str, number: int) -> tuple[list[str], str]:
    """The fields of a line with quotes inside of fields, where each is closed; else the reason why it is no row."""
    with suppress(csv.Error):
        fields = next(csv.reader([lines[0].rstrip("\r\n") + "\n"]))
        if not fields[-1].endswith("\n"):
            return fields, ""
        told = f"lines {number} to {number + len(lines) - 1}" if len(lines) > 1 else f"line {number}"
        return [], f"a quote is opened and not closed ({told}): close it, or double it"
    return [], fault


def _tabular(rows: Iterable[_Row], most: int = len(_COLUMNS)) -> Iterator[Record]:
    """Records of rows; a first row of column names is none."""
    first = True
    for number, row, fault in rows:
        header = first and len(row) >= _FIELDS
        first = False
        if header and all(row[i].strip().casefold() in _HEADERS[i] for i in range(_FIELDS)):
            continue
        yield Record(number, None, fault) if fault else _from_fields(number, row, most)


NAME_PROPERTIES = ("name", "title", "label", "displayName", "display_name", "fullName", "full_name", "username", "id")
"""The properties that may hold a node's name, the first that it has."""

CLASS_RELATION = "is_a"
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+")


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
        (counts,) = self._rows("counts")
        if unknown := sorted({*self.labels} - {*counts["known"]}):
            known = ", ".join(counts["known"][:20]) or "none"
            raise NotFoundError(
                f"{self.title} has no node with the label {unknown[0]}", remedy=f"it has: {known}", field="label"
            )
        identity = hashed("", self.address.uri, self.address.database, *sorted(self.labels))
        return SourceFile(hashed("src_", scope, identity), self.title, identity, counts["things"])

    def records(self, skip: int = 0) -> Iterator[Record]:
        """The triples after the first `skip`, in the order in which the server keeps them.

        Raises:
            ServerError, UnavailableError: as `foreign_rows`.
        """
        for number, (head, relation, tail, kept) in enumerate(self._triples(), start=1):
            if number > skip:
                made = checked(number, head, relation, tail)
                yield made if made.triple is None else Record(number, made.triple._replace(properties=kept))

    def _triples(self) -> Iterator[tuple[Term, str, Term, tuple[tuple[str, Any], ...]]]:
        for row in self._rows("nodes"):
            node = self._node(row["id"], row["labels"], row["name"])
            for label in row["labels"]:
                yield node, CLASS_RELATION, Term(_HUMP.sub(" ", label).strip()), ()
            for name, value in sorted(row["properties"].items()):
                if name != row["named_by"]:
                    yield from ((node, name, Term(text, "literal"), ()) for text in literal_texts(value))
        for row in self._rows("relationships"):
            head = self._node(row["head"], row["head_labels"], row["head_name"])
            tail = self._node(row["tail"], row["tail_labels"], row["tail_name"])
            yield head, row["type"], tail, kept_properties(row["properties"])

    def _rows(self, what: str) -> Iterator[dict[str, Any]]:
        parameters = {"labels": [*self.labels], "names": [*self.names, *NAME_PROPERTIES]}
        return foreign_rows(self.address, self.statements[what], parameters)

    def _node(self, identity: str, labels: Sequence[str], name: Any) -> Term:
        said = normalise(next(iter(literal_texts(name)), ""))
        known = said or f"{labels[0] if labels else 'node'} {identity.rpartition(':')[2]}"
        return Term(known, "concept", f"{self.address.database}/{identity}")
