"""Readers of triple files, N-Triples among them: one record after the other, bad ones with their reason; nothing is
held in memory."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import IO, NamedTuple

from rdflib import BNode, Literal, URIRef
from rdflib.exceptions import ParserError
from rdflib.plugins.parsers.ntriples import W3CNTriplesParser

from clause.ingest.source import open_text
from clause.text.names import last_segment, normalise, readable_name

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
    """head -relation-> tail, and when it was true, where the file says so (UTC)."""

    head: Term
    relation: str
    tail: Term
    valid_from: datetime | None = None
    valid_until: datetime | None = None


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
    if reason:
        return Record(number, None, reason)
    try:
        valid = [_instant(time) for time in times]
    except ValueError:
        return Record(number, None, f"not an ISO date: {' '.join(times)[:60]}")
    return Record(number, Triple(head, relation, tail, *valid))


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
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)


def _from_fields(number: int, fields: list[str], most: int = len(_COLUMNS)) -> Record:
    if not _FIELDS <= len(fields) <= most:
        return Record(number, None, f"{len(fields)} fields instead of {_FIELDS}")
    head, relation, tail, *times = fields
    return checked(number, Term(normalise(head)), normalise(relation), Term(normalise(tail)), *times)


def _parse_pipe(lines: IO[str]) -> Iterator[Record]:
    for number, line in enumerate(lines, 1):
        if not line.isspace():
            yield _from_fields(number, line.rstrip("\r\n").split("|"), _FIELDS)


def _parse_tsv(lines: IO[str]) -> Iterator[Record]:
    rows = ((number, line.rstrip("\r\n").split("\t")) for number, line in enumerate(lines, 1) if not line.isspace())
    yield from _tabular(rows)


def _parse_csv(lines: IO[str]) -> Iterator[Record]:
    reader = csv.reader(lines)

    def rows() -> Iterator[tuple[int, list[str]]]:
        while True:
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield reader.line_num, [str(error)]
                continue
            if row:
                yield reader.line_num, row

    yield from _tabular(rows())


def _tabular(rows: Iterable[tuple[int, list[str]]]) -> Iterator[Record]:
    """Records of rows; a first row of column names is none."""
    first = True
    for number, row in rows:
        header = first and len(row) >= _FIELDS
        first = False
        if header and all(row[i].strip().casefold() in _HEADERS[i] for i in range(_FIELDS)):
            continue
        yield _from_fields(number, row)
