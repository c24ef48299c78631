"""Weak labels: the shortest relationship patterns that reproduce a question's answers."""

from __future__ import annotations

from collections.abc import Collection

from clause.evaluation.triples import TripleGraph
from clause.reasoning.neighbourhood import Hop

Pattern = tuple[Hop, ...]


def shortest_patterns(graph: TripleGraph, start: str, answers: Collection[str], max_hops: int = 3) -> list[Pattern]:
    """Every pattern of the least length whose typed walk from `start` ends at exactly `answers`.

    Needs only the question's topic entity and its answers, no question type. Empty where no pattern of at most
    `max_hops` hops gives them, in the order of the patterns otherwise.

    >>> graph = TripleGraph([("Heat", "directed_by", "Michael Mann"), ("Ali", "directed_by", "Michael Mann")])
    >>> shortest_patterns(graph, "Heat", ["Ali"]) == [(Hop("directed_by", True), Hop("directed_by", False))]
    True
    """
    wanted = frozenset(answers)
    level: dict[Pattern, frozenset[str]] = {(): frozenset({start})}
    for _ in range(max_hops):
        level = {
            (*pattern, hop): ends
            for pattern, front in level.items()
            for hop, ends in _next(graph, front, start).items()
        }
        found = sorted(pattern for pattern, ends in level.items() if ends == wanted)
        if found:
            return found
    return []


def _next(graph: TripleGraph, front: frozenset[str], start: str) -> dict[Hop, frozenset[str]]:
    ends: dict[Hop, set[str]] = {}
    for node in front:
        for hop, edges in graph.hops(node).items():
            ends.setdefault(hop, set()).update(edge.other(node) for edge in edges)
    return {hop: frozenset(nodes - {start}) for hop, nodes in ends.items() if nodes - {start}}


def pattern_name(pattern: Pattern) -> str:
    """A pattern in one line: types joined by spaces, `~` before one that is walked from tail to head.

    >>> pattern_name((Hop("starred_actors", False), Hop("has_genre", True)))
    '~starred_actors has_genre'
    """
    return " ".join(hop.relation if hop.forward else f"~{hop.relation}" for hop in pattern)


def parse_pattern(name: str) -> Pattern:
    """The pattern of a `pattern_name`.

    >>> parse_pattern("~starred_actors has_genre")[0]
    Hop(relation='starred_actors', forward=False)
    """
    return tuple(Hop(word.removeprefix("~"), not word.startswith("~")) for word in name.split())
