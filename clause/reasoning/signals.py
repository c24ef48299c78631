"""The five signals of an edge for a question, computed in one batch (formulas: `clause.reasoning.scoring`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from clause.reasoning.neighbourhood import Edge, Hop, Node, RelationshipType, Vector
from clause.reasoning.policy import Question
from clause.reasoning.scoring import EdgeFeatures, Floats, edge_signals

NOTHING: Mapping[tuple[str, str], int] = {}


def hop_vector(hop: Hop, types: Mapping[str, RelationshipType]) -> Vector | None:
    """The vector of a relationship type's text in one direction; None for an unregistered type."""
    kind = types.get(hop.relation)
    if kind is None:
        return None
    return kind.embedding if hop.forward else kind.inverse_embedding


def cosines(vectors: Sequence[Vector | None], query: Vector) -> Floats:
    """Cosine of each unit vector with the query, clipped to [0, 1]; 0 where there is no vector. Shape [n]."""
    zero = np.zeros_like(query)
    stacked = np.array([zero if vector is None else vector for vector in vectors], dtype=np.float32)
    if not len(stacked):
        return np.zeros(0)
    return np.clip((stacked @ query).astype(np.float64), 0.0, 1.0)


def signals_of(
    question: Question,
    edges: Sequence[tuple[str, Edge]],
    nodes: Mapping[str, Node],
    together: Mapping[tuple[str, str], int] = NOTHING,
) -> Floats:
    """Signals [n, 5] in the order of `scoring.SIGNALS` of (near node, edge) pairs.

    The near node is the end that is closer to a seed: the relationship's words are read from there. `together` counts
    the documents in which two nodes occur together, either way round.
    """
    heads = [nodes[edge.source] for _, edge in edges]
    tails = [nodes[edge.target] for _, edge in edges]
    hops = [Hop(edge.relation, edge.source == near) for near, edge in edges]
    query = question.embedding
    return edge_signals(
        EdgeFeatures(
            head_similarity=cosines([question.vectors.get(node.id) for node in heads], query),
            tail_similarity=cosines([question.vectors.get(node.id) for node in tails], query),
            relation_similarity=cosines([hop_vector(hop, question.relationship_types) for hop in hops], query),
            co_occurrence=np.array([_count(edge, together) for _, edge in edges], dtype=np.int64),
            head_degree=np.array([node.degree for node in heads], dtype=np.int64),
            tail_degree=np.array([node.degree for node in tails], dtype=np.int64),
            head_basin=np.array([node.basin_strength for node in heads], dtype=np.float64),
            tail_basin=np.array([node.basin_strength for node in tails], dtype=np.float64),
        )
    )


def _count(edge: Edge, together: Mapping[tuple[str, str], int]) -> int:
    if not together:
        return 0
    return max(together.get((edge.source, edge.target), 0), together.get((edge.target, edge.source), 0))
