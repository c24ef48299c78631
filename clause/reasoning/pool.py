"""The Curator's pool: the walked triples as sentences, the texts that were touched, and a dense fallback when few."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from clause.reasoning.episode import Episode
from clause.reasoning.neighbourhood import Edge, Node, RelationshipType, Vector, View
from clause.reasoning.policy import Question
from clause.reasoning.units import TokenCounter, Unit, edge_sentence, edge_unit_id

SMALL_POOL = 20
"""A pool with fewer units than this is filled up from the indexes."""

MOST_FOUND = 40
"""Units that the indexes fill a pool up with."""


class TextSource(Protocol):
    """Finds units of text by meaning and words when the walk touched few."""

    async def nearest(self, text: str, embedding: Vector, view: View, *, limit: int) -> Sequence[Node]:
        """At most `limit` nodes with text (passages, beliefs, ...), best first."""
        ...


def walked_edges(episode: Episode) -> list[Edge]:
    """The edges of the working subgraph, those that the walk used first."""
    walked = [edge for front in episode.trail for edges in front.reached.values() for edge in edges]
    return list(dict.fromkeys([*walked, *episode.subgraph.edges]))


def edge_units(episode: Episode, question: Question, count: TokenCounter) -> list[Unit]:
    """The walked edges as units."""
    edges = walked_edges(episode)
    texts = [
        edge_sentence(edge, episode.subgraph.nodes, _relation_text(edge, question.relationship_types)) for edge in edges
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


async def fill_pool(
    episode: Episode, question: Question, view: View, count: TokenCounter, source: TextSource | None
) -> list[Node]:
    """Offer everything the walk touched, and the nearest texts when that is little; returns the nodes found so."""
    touched = episode.subgraph.touching()
    nodes = episode.subgraph.nodes
    episode.offer(edge_units(episode, question, count))
    episode.offer(text_units((nodes[node] for node in sorted(touched) if node in nodes), count))
    if source is None or len(episode.pool) >= SMALL_POOL:
        return []
    found = await source.nearest(question.text, question.embedding, view, limit=MOST_FOUND)
    episode.offer(text_units(found, count))
    return list(found)


def unit_vectors(units: Sequence[Unit], question: Question) -> NDArray[np.float32]:
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


def _relation_text(edge: Edge, types: Mapping[str, RelationshipType]) -> str:
    kind = types.get(edge.relation)
    return kind.text if kind else edge.relation.replace("_", " ").lower()
