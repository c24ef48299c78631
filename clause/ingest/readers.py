"""Readers of files of triples, N-Triples among them: one record after the other, bad ones with their reason; nothing is
held in memory."""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import IO, Any, NamedTuple

from rdflib import BNode, Literal, URIRef
from rdflib.exceptions import ParserError
from rdflib.plugins.parsers.ntriples import W3CNTriplesParser

from clause.errors import BadInputError
from clause.ingest.source import open_text, refuse_stream
from clause.text.names import last_segment, name_key, normalise, readable_name
from clause.text.quantities import month_of, years_of

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


_OTHER = 10
_CODE = re.compile(r"[^\W\d_]{0,4}[ .:-]?\d[\w.-]*")
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_NAMING = {"http://www.w3.org/2000/01/rdf-schema#label": 0, f"{_SKOS}prefLabel": 0, f"{_SKOS}altLabel": _OTHER}
_NAMING |= {"http://schema.org/name": 0, "https://schema.org/name": 0}


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
            made = checked(number, _term(subject), normalise(last_segment(predicate)), _term(value))
            naming = _NAMING.get(str(predicate)) if isinstance(value, Literal) else None
            if made.triple is not None and naming is not None:
                naming += made.triple.tail.identity not in ("", "@en")
                made = Record(number, made.triple._replace(naming=naming))
            yield made


def _term(node: URIRef | BNode | Literal) -> Term:
    if isinstance(node, Literal):
        return Term(normalise(str(node)), "literal", f"@{node.language}" if node.language else "")
    if isinstance(node, BNode):
        return Term(str(node), "concept", f"{BLANK}{node}")
    return Term(normalise(readable_name(str(node))), "concept", str(node), (str(node),))


def ranked_names(head: Term, told: Mapping[str, int]) -> tuple[list[str], str | None, str]:
    """Names of a thing, the best first; the name that it has, where that is but a code and gives way; the first's key.

    >>> ranked_names(Term("Q42"), {"Adams": 1, "Douglas Adams": 0}), ranked_names(Term("Bath"), {"Aquae Sulis": 10})
    ((['Douglas Adams', 'Adams'], 'Q42', 'douglas adams'), (['Aquae Sulis'], None, 'aquae sulis'))
    """
    names = sorted(told, key=lambda name: told[name])
    coded = _CODE.fullmatch(head.name) or head.identity.startswith(BLANK)
    gives_way = coded and told[names[0]] < _OTHER and names[0] != head.name
    return names, head.name if gives_way else None, name_key(names[0])


LONGEST_NAME = 10_000
LONGEST_RELATION = 200
_FIELDS = 3
_YEAR_OR_MONTH = re.compile(r"(\d{4})(?:-(\d\d))?")
_COLUMNS = ("head", "relation", "tail", "valid_from", "valid_until")
_HEADERS = (
    ("head", "subject", "from", "start", "node1", "node_1", "subj", "src", "source", "head_entity", "from_node"),
    ("relation", "predicate", "relationship", "rel", "edge", "property", "relation_type", "attribute", "label", "type"),
    ("tail", "object", "to", "end", "node2", "node_2", "obj", "dst", "target", "tail_entity", "to_node", "value"),
)
"""The names of columns; of two for the same, the one that stands here first."""
_WHEN = r"(?:(?:valid|date|time|year)_)?(?:{})(?:_(?:date|time|year|at|on))?"
_SINCE, _UNTIL = (re.compile(_WHEN.format(words)) for words in ("from|since|start|begin", "until|till|to|end"))


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
    """head -relation-> tail, when it was true, where the file says so (UTC), and what else is kept on it.

    `naming` says of a tail that is but a name of the head how good a one it is, 0 the best.
    """

    head: Term
    relation: str
    tail: Term
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    properties: tuple[tuple[str, Any], ...] = ()
    naming: int | None = None


class Record(NamedTuple):
    """One line: `number` from 1; either a triple or the reason why it is none."""

    number: int
    triple: Triple | None
    reason: str = ""


Parser = Callable[[IO[str]], Iterator[Record]]


_RDF = "make N-Triples of it: `rdfpipe -o nt FILE > FILE.nt` (of rdflib)"
_FOREIGN = {
    **dict.fromkeys((".ttl", ".turtle", ".n3", ".rdf", ".owl", ".trig", ".nq", ".nquads", ".jsonld"), _RDF),
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), 'lines {"id", "title", "text"} go by `clause load passages`'),
    **dict.fromkeys((".md", ".html", ".htm", ".pdf", ".docx"), "texts go by `clause load documents`"),
    **dict.fromkeys((".xlsx", ".xls", ".ods", ".parquet", ".xml", ".graphml"), "save it as CSV: head, relation, tail"),
    **dict.fromkeys((".zip", ".bz2", ".xz", ".zst", ".7z", ".tar", ".tgz"), "unpack it, or pack it with gzip"),
}
"""Endings of files that are no lines of triples, and what to do with such a file."""
_NTRIPLE = re.compile(r"(?:<[^<>\s]*>|_:\S+)\s+<[^<>\s]*>\s.*\.\s*(?:#.*)?")


def guess_format(path: Path) -> Format:
    """The format that a file's name or, where that does not tell, its first line shows.

    Raises:
        BadInputError: its name or its first line is that of a file of another kind.

    >>> guess_format(Path("films.nt.gz")), guess_format(Path("films.csv"))
    (<Format.NTRIPLES: 'ntriples'>, <Format.CSV: 'csv'>)
    """
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    known = {".nt": Format.NTRIPLES, ".ntriples": Format.NTRIPLES, ".csv": Format.CSV, ".tsv": Format.TSV}
    if suffix in known:
        return known[suffix]
    refuse_stream(path)
    first = ""
    if suffix not in _FOREIGN:
        with open_text(path, bad_bytes="surrogateescape") as lines:
            first = next((line.strip() for line in lines if line.strip() and not line.startswith("#")), "")
    if suffix in _FOREIGN or first.startswith(("@prefix", "@base", "<?xml", "<rdf:RDF")):
        remedy = f"{_FOREIGN.get(suffix, _RDF)}; or say with --format how its lines are written"
        raise BadInputError(f"{path.name} holds no lines of triples", remedy=remedy, field="file")
    if _NTRIPLE.fullmatch(first):
        return Format.NTRIPLES
    if any(_places(first.split(mark)) for mark in ",;"):
        return Format.CSV
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
    """A record, bad when a part is empty, too long, not UTF-8 or holds what no archive takes, or a time is none."""
    relation = relation if relation.isprintable() and "  " not in relation else " ".join(relation.split())
    reason = _fault(head.name, relation, tail.name)
    if not reason and (head.identity or tail.identity):
        reason = _fault(head.identity or head.name, relation, tail.identity or tail.name)
    if reason:
        return Record(number, None, reason)
    try:
        valid_from, valid_until = map(_instant, (*times, "", "")[:2], (False, True))
    except ValueError:
        return Record(number, None, f"not an ISO date: {' '.join(times)[:60]}")
    if valid_from and valid_until and valid_from > valid_until:
        return Record(number, None, f"valid from {times[0].strip()} is after valid until {times[1].strip()}")
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
    return "the relation holds a control character" if any(letter < " " for letter in relation) else ""


def _instant(text: str, last: bool) -> datetime | None:
    """The instant that a text says; of a year or a month its first day, or its last."""
    told = text.strip()
    if not told:
        return None
    if partial := _YEAR_OR_MONTH.fullmatch(told):
        year, month = int(partial[1]), partial[2]
        stretch = month_of(year, int(month)) if month else years_of(year)
        return datetime(*(stretch.last if last else stretch.first), tzinfo=UTC)
    instant = datetime.fromisoformat(told)
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
_QUOTED = re.compile(r'"((?:[^"]|"")*)"')


def _parse_pipe(lines: IO[str]) -> Iterator[Record]:
    yield from _tabular(_split(lines, "|"), _FIELDS)


def _parse_tsv(lines: IO[str]) -> Iterator[Record]:
    yield from _tabular((number, [_unquoted(one) for one in row], "") for number, row, _ in _split(lines, "\t"))


def _split(lines: IO[str], mark: str) -> Iterator[_Row]:
    return ((number, line.rstrip("\r\n").split(mark), "") for number, line in enumerate(lines, 1) if not line.isspace())


def _unquoted(field: str) -> str:
    """A field as it was before a program put it in quotes."""
    quoted = _QUOTED.fullmatch(field) if field.startswith('"') else None
    return quoted[1].replace('""', '"') if quoted else field


def _parse_csv(lines: IO[str]) -> Iterator[Record]:
    yield from _tabular(_csv_rows(lines))


def _csv_rows(lines: IO[str]) -> Iterator[_Row]:
    """Rows; of a quote that is not closed, its own line alone is bad, and the lines that it took in are read again."""
    number = 1
    while (first := lines.readline()).isspace():
        number += 1
    ahead, taken, mark = deque([first]), list[str](), _mark(first)

    def coming() -> Iterator[str]:
        while line := ahead.popleft() if ahead else lines.readline():
            taken.append(line)
            yield line

    reader = csv.reader(coming(), delimiter=mark, skipinitialspace=True, strict=True)
    while True:
        taken.clear()
        try:
            fields, fault = next(reader), ""
        except StopIteration:
            return
        except csv.Error as error:
            fields, fault = _loosely(taken, mark, str(error), number)
            ahead.extendleft(reversed(taken[1:]))
            del taken[1:]
            reader = csv.reader(coming(), delimiter=mark, skipinitialspace=True, strict=True)
        if fault or len(fields) > 1 or any(fields):
            yield number, fields, fault
        number += len(taken)


def _mark(first: str) -> str:
    """The sign between the fields of a first line: one that makes three of them and cuts through no quotes."""
    for mark in ",;\t":
        with suppress(csv.Error):
            fields = next(csv.reader([first], delimiter=mark, skipinitialspace=True), [])
            if len(fields) >= _FIELDS and not any(one.count('"') % 2 for one in fields):
                return mark
    return ","


def _loosely(lines: Sequence[str], mark: str, fault: str, number: int) -> tuple[list[str], str]:
    """The fields of a line with quotes inside of fields, where each is closed; else the reason why it is no row."""
    with suppress(csv.Error):
        fields = next(csv.reader([lines[0].rstrip("\r\n") + "\n"], delimiter=mark, skipinitialspace=True))
        if not fields[-1].endswith("\n"):
            return fields, ""
        told = f"lines {number} to {number + len(lines) - 1}" if len(lines) > 1 else f"line {number}"
        return [], f"a quote is opened and not closed ({told}): close it, or double it"
    return [], fault


def _tabular(rows: Iterable[_Row], most: int = len(_COLUMNS)) -> Iterator[Record]:
    """Records of rows; a first row of column names is none, and tells which column is which."""
    places: list[int] | None = None
    width = 0
    for count, (number, row, fault) in enumerate(rows):
        if count == 0 and (places := _places(row)):
            width = len(row)
        elif fault:
            yield Record(number, None, fault)
        elif places is None or (width == _FIELDS and places[:_FIELDS] == [0, 1, 2]):
            yield _from_fields(number, row, most)
        elif not max(places[:_FIELDS]) < len(row) <= width:
            yield Record(number, None, f"{len(row)} fields instead of {width}")
        else:
            yield _from_fields(number, [row[one] if 0 <= one < len(row) else "" for one in places])


def _places(row: Sequence[str]) -> list[int] | None:
    """The places of head, relation, tail and the two times in a row of column names, -1 of what it has not; None where
    it names no triples."""
    words = [re.sub(r"[\W_]+", "_", one.casefold()).strip("_") for one in row]
    found = [next((words.index(name) for name in names if name in words), -1) for names in _HEADERS]
    rest = {place: word for place, word in enumerate(words) if place not in found}
    times = [next((place for place, word in rest.items() if told.fullmatch(word)), -1) for told in (_SINCE, _UNTIL)]
    return None if min(found) < 0 else [*found, *times]
