"""A knowledge graph in plain dictionaries, where a node's name is its id: for ceilings and weak labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from clause.evaluation.questions import open_text
from clause.reasoning.neighbourhood import Edge, Hop


class TripleGraph:
    """Triples by name; one given twice counts once."""

    def __init__(self, triples: Iterable[tuple[str, str, str]]) -> None:
        hops: defaultdict[str, defaultdict[Hop, list[Edge]]] = defaultdict(lambda: defaultdict(list))
        for edge in sorted({Edge(*triple) for triple in triples}):  # so each hop's other ends are in order too
            hops[edge.source][Hop(edge.relation, True)].append(edge)
            hops[edge.target][Hop(edge.relation, False)].append(edge)
        self._hops: dict[str, dict[Hop, list[Edge]]] = {
            node: {hop: by_hop[hop] for hop in sorted(by_hop)} for node, by_hop in hops.items()
        }

    @classmethod
    def read(cls, path: Path) -> TripleGraph:
        """The graph of a `head|relation|tail` file, plain or gzipped."""
        with open_text(path) as lines:
            return cls(_triple(line) for line in lines if line.count("|") == 2)

    def __contains__(self, node: str) -> bool:
        return node in self._hops

    def __iter__(self) -> Iterator[str]:
        return iter(self._hops)

    def __len__(self) -> int:
        return len(self._hops)

    def hops(self, node: str) -> Mapping[Hop, Sequence[Edge]]:
        """The edges of `node` by hop, as seen from it."""
        return self._hops.get(node, {})

    def triples(self) -> Iterator[Edge]:
        """Every triple once, head by head."""
        for by_hop in self._hops.values():
            for hop, edges in by_hop.items():
                if hop.forward:
                    yield from edges

    def walk(self, start: str, pattern: Sequence[Hop]) -> frozenset[str]:
        """Where a perfect typed walk ends: every hop serves the whole front, never stepping back onto `start`."""
        front = {start}
        for hop in pattern:
            front = {edge.other(node) for node in front for edge in self.hops(node).get(hop, ())} - {start}
        return frozenset(front)


def _triple(line: str) -> tuple[str, str, str]:
    head, relation, tail = line.rstrip("\r\n").split("|")
    return head, relation, tail
