"""A small film graph that the reasoning tests share."""

from __future__ import annotations

from clause.reasoning.neighbourhood.port import Edge, Hop
from clause.reasoning.neighbourhood.snapshot import Snapshot

DIRECTED = Hop("directed_by", forward=True)
DIRECTS = DIRECTED.inverse
STARRED = Hop("starred_actors", forward=True)
STARS_IN = STARRED.inverse
GENRE = Hop("has_genre", forward=True)

NAMES = {
    "heat": "Heat",
    "thief": "Thief",
    "ali": "Ali",
    "mann": "Michael Mann",
    "pacino": "Al Pacino",
    "smith": "Will Smith",
    "crime": "Crime",
    "drama": "Drama",
}
EDGES = [
    ("heat", "directed_by", "mann"),
    ("thief", "directed_by", "mann"),
    ("ali", "directed_by", "mann"),
    ("heat", "starred_actors", "pacino"),
    ("ali", "starred_actors", "smith"),
    ("heat", "has_genre", "crime"),
    ("thief", "has_genre", "crime"),
    ("ali", "has_genre", "drama"),
]


def films() -> Snapshot:
    """Three films of one director, without vectors."""
    return Snapshot.build(NAMES, EDGES)


def edge(source: str, relation: str, target: str) -> Edge:
    """An edge of the graph above."""
    return Edge(source, relation, target)
