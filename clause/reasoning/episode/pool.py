"""The Curator's pool: the walked triples as sentences, the texts that were touched, and a dense fallback when few."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from clause.arrays import Floats, Vector
from clause.reasoning.agents.policy import Question
from clause.reasoning.episode.budget import TokenCounter, Unit, edge_sentence, edge_unit_id, relation_text
from clause.reasoning.episode.episode import Episode
from clause.reasoning.neighbourhood.port import Edge, FoundText, Node, View

SMALL_POOL = 20
"""A pool with fewer units than this is filled up from the indexes."""

MOST_FOUND = 40
"""Units that the indexes fill a pool up with."""


class TextSource(Protocol):
    """Finds units of text by meaning and words when the walk touched few."""

    async def nearest(self, text: str, embedding: Vector, view: View, *, limit: int) -> Sequence[Node]:
        """At most `limit` nodes with text (passages, beliefs, ...), best first."""
        ...

    async def recall(self, text: str, embedding: Vector, view: View, *, limit: int) -> Sequence[FoundText]:
        """At most `limit` nodes with text of each ranking, with their scores, best first."""
        ...


def walked_edges(episode: Episode) -> list[Edge]:
    """The edges of the working subgraph, those that the walk used first."""
    walked = [edge for front in episode.walked for edges in front.reached.values() for edge in edges]
    return list(dict.fromkeys([*walked, *episode.subgraph.edges]))


def edge_units(episode: Episode, question: Question, count: TokenCounter) -> list[Unit]:
    """The walked edges as units."""
    edges = walked_edges(episode)
    texts = [
        edge_sentence(edge, episode.subgraph.nodes, relation_text(edge, question.relationship_types)) for edge in edges
    ]
    return [
        Unit(edge_unit_id(edge), text, tokens, "triple", edge=edge)
        for edge, text, tokens in zip(edges, texts, count(texts), strict=True)
    ]


def text_units(nodes: Iterable[Node], count: TokenCounter) -> list[Unit]:
    """The nodes that say something themselves (beliefs, memories, values, passages) as units."""
    speaking = [node for node in nodes if node.text]
    texts = [node.text or "" for node in speaking]
    return [
        Unit(node.id, text, tokens, node.kind, node=node.id)
        for node, text, tokens in zip(speaking, texts, count(texts), strict=True)
    ]


def touched_texts(episode: Episode) -> list[Node]:
    """The nodes of the working subgraph that were read, by id; those that say something become units."""
    nodes = episode.subgraph.nodes
    return [nodes[node] for node in sorted(episode.subgraph.touching()) if node in nodes]


def unit_vectors(units: Sequence[Unit], question: Question) -> Floats:
    """Unit vectors float32 [n, d]; a triple's is the normalised sum of head, relationship and tail, so that nothing is
    embedded on the request's path. Zero where nothing is known.
    """
    vectors = np.zeros((len(units), question.embedding.shape[0]), dtype=np.float32)
    for row, unit in enumerate(units):
        if unit.edge is not None:
            parts = [question.vectors.get(end) for end in (unit.edge.source, unit.edge.target)]
            kind = question.relationship_types.get(unit.edge.relation)
            known = [part for part in (*parts, kind.embedding if kind else None) if part is not None]
            vectors[row] = np.sum(known, axis=0) if known else 0
        elif unit.id in question.vectors:
            vectors[row] = question.vectors[unit.id]
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    np.divide(vectors, lengths, out=vectors, where=lengths > 0)
    return vectors
