"""N-Triples by rdflib's parser: IRIs become readable names, literals keep their value and language."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from rdflib import BNode, Literal, URIRef
from rdflib.exceptions import ParserError
from rdflib.plugins.parsers.ntriples import W3CNTriplesParser

from clause.ingest.readers import Record, Term, checked
from clause.text.names import last_segment, normalise, readable_name

BLANK = "_:"
"""Starts the identity of a blank node, which means something within one file only."""

Triple = tuple[URIRef | BNode, URIRef, URIRef | BNode | Literal]


class _Labels(dict[str, BNode]):
    """Blank nodes keep the label that the file gives them."""

    def get(self, label: str, default: object = None) -> BNode:  # noqa: ARG002
        return BNode(label)


class _Sink:
    """Keeps the triple of the line that was parsed last."""

    def __init__(self) -> None:
        self.found: Triple | None = None

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
