"""A little film graph for these tests, by name, as triples and as a snapshot."""

import numpy as np

from clause.reasoning.neighbourhood.port import RelationshipType
from clause.reasoning.neighbourhood.snapshot import Snapshot

TRIPLES = [
    ("Heat", "directed_by", "Mann"),
    ("Heat", "written_by", "Mann"),
    ("Heat", "starred_actors", "Pacino"),
    ("Heat", "starred_actors", "De Niro"),
    ("Heat", "has_genre", "Crime"),
    ("Ali", "directed_by", "Mann"),
    ("Ali", "starred_actors", "Smith"),
    ("Ali", "has_genre", "Drama"),
    ("Ronin", "directed_by", "Frankenheimer"),
    ("Ronin", "starred_actors", "De Niro"),
    ("Ronin", "has_genre", "Crime"),
    ("Scarface", "directed_by", "De Palma"),
    ("Scarface", "starred_actors", "Pacino"),
    ("Scarface", "has_genre", "Crime"),
]
NAMES = sorted({end for head, _, tail in TRIPLES for end in (head, tail)})
RELATIONS = sorted({relation for _, relation, _ in TRIPLES})
DIMENSION = len(NAMES) + 2 * len(RELATIONS)


def axis(place):
    """A unit vector of its own."""
    vector = np.zeros(DIMENSION, dtype=np.float32)
    vector[place] = 1
    return vector


NODE_VECTORS = {name: axis(place) for place, name in enumerate(NAMES)}
TYPES = [
    RelationshipType(name, name.replace("_", " "), f"{name} of", axis(len(NAMES) + 2 * i), axis(len(NAMES) + 2 * i + 1))
    for i, name in enumerate(RELATIONS)
]


def snapshot():
    """The graph; ids are names."""
    return Snapshot.build({name: name for name in NAMES}, TRIPLES, TYPES, NODE_VECTORS)
