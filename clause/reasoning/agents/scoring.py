"""The heuristic's arithmetic: the five signals of an edge in one batch, scores of edges, steps and units (spec:
reasoning.md).

Shapes: d is the length of a vector, m the number of edges, n of units. Vectors are unit length or zero ("unknown"),
so that a cosine is a dot product and an unknown text has similarity 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from clause.arrays import AnyFloats, Counts, Vector
from clause.reasoning.agents.policy import Question
from clause.reasoning.episode.budget import TOKENS_PER_PRICE_UNIT
from clause.reasoning.neighbourhood.port import Edge, Hop, Node, RelationshipType

SIGNALS = ("phi_ent", "phi_rel", "phi_nbr", "phi_deg", "phi_basin")
WEIGHTS = np.array([0.25, 0.25, 0.20, 0.15, 0.15])
"""Weight of each signal, in the order of SIGNALS; they sum to 1."""

COSINE_SHARE, CAUSAL_SHARE = 0.7, 0.3
REDUNDANCY = 0.3


@dataclass(frozen=True, slots=True)
class EdgeFeatures:
    """What the signals of m edges are made of.

    Attributes:
        head_similarity, tail_similarity, relation_similarity: cosines with the query [m].
        co_occurrence: how often the two ends occurred together [m].
        head_degree, tail_degree: degrees of the ends [m].
        head_basin, tail_basin: basin strengths of the ends, 1 where there is none [m].
    """

    head_similarity: AnyFloats
    tail_similarity: AnyFloats
    relation_similarity: AnyFloats
    co_occurrence: Counts
    head_degree: Counts
    tail_degree: Counts
    head_basin: AnyFloats
    tail_basin: AnyFloats


def phi_ent(head_similarity: AnyFloats, tail_similarity: AnyFloats) -> AnyFloats:
    """The larger cosine of the two ends with the query, clipped to [0, 1]."""
    return np.clip(np.maximum(head_similarity, tail_similarity), 0.0, 1.0)


def phi_rel(relation_similarity: AnyFloats) -> AnyFloats:
    """The cosine of the relationship's words, in its direction, with the query; clipped to [0, 1]."""
    return np.clip(relation_similarity, 0.0, 1.0)


def phi_nbr(co_occurrence: Counts) -> AnyFloats:
    """min(co-occurrence / 5, 1).

    >>> phi_nbr(np.array([0, 2, 9])).tolist()
    [0.0, 0.4, 1.0]
    """
    return np.minimum(np.asarray(co_occurrence) / 5.0, 1.0)


def degree_signal(degree: Counts) -> AnyFloats:
    """0.7 * degree / 5 below 5, 1 from 5 to 20, max(0.3, 1 - (degree - 20) / 50) above.

    >>> degree_signal(np.array([0, 4, 5, 20, 30, 1000])).round(2).tolist()
    [0.0, 0.56, 1.0, 1.0, 0.8, 0.3]
    """
    degree = np.asarray(degree, dtype=np.float64)
    above = np.maximum(0.3, 1.0 - (degree - 20.0) / 50.0)
    return np.where(degree < 5, 0.7 * degree / 5.0, np.where(degree <= 20, 1.0, above))


def phi_deg(head_degree: Counts, tail_degree: Counts) -> AnyFloats:
    """The mean of the two ends' `degree_signal`."""
    return (degree_signal(head_degree) + degree_signal(tail_degree)) / 2.0


def phi_basin(head_basin: AnyFloats, tail_basin: AnyFloats) -> AnyFloats:
    """The larger basin strength of the ends, less 1; 0 where there is none, at most 1."""
    return np.clip(np.maximum(head_basin, tail_basin) - 1.0, 0.0, 1.0)


def edge_signals(features: EdgeFeatures) -> AnyFloats:
    """The five signals of each edge [m, 5], columns in the order of SIGNALS."""
    return np.stack(
        [
            phi_ent(features.head_similarity, features.tail_similarity),
            phi_rel(features.relation_similarity),
            phi_nbr(features.co_occurrence),
            phi_deg(features.head_degree, features.tail_degree),
            phi_basin(features.head_basin, features.tail_basin),
        ],
        axis=-1,
    )


def edge_scores(signals: AnyFloats) -> AnyFloats:
    """The weighted sum of the signals [m, 5] -> [m], in [0, 1]."""
    return np.asarray(np.minimum(signals @ WEIGHTS, 1.0))


def similarities(query: Vector, vectors: Vector) -> AnyFloats:
    """Cosines of unit vectors [m, d] with a unit query [d] -> float64 [m]."""
    return np.asarray(vectors @ query, dtype=np.float64)


def shaped_gain(score: float, price: float, edges: int = 1) -> float:
    """What adding edges is worth: score - price * edges.

    >>> round(shaped_gain(0.5, 0.01), 4)
    0.49
    """
    return score - price * edges


def step_score(cosine: float, causal_score: float | None) -> float:
    """The Navigator's: 0.7 cosine + 0.3 causal score; the cosine alone where the causal score is unknown.

    >>> round(step_score(0.5, 1.0), 3), step_score(0.5, None)
    (0.65, 0.5)
    """
    if causal_score is None:
        return cosine
    return COSINE_SHARE * cosine + CAUSAL_SHARE * causal_score


def shaped_utility(score: float, tokens: int, price: float) -> float:
    """The Curator's: score - price * tokens / 100 (the token price is per 100 tokens).

    >>> round(shaped_utility(0.92, 156, 0.01), 4)
    0.9044
    """
    return score - price * tokens / TOKENS_PER_PRICE_UNIT


def relevance(similarity: AnyFloats, summed_overlap: AnyFloats, picked: int) -> AnyFloats:
    """Listwise relevance of units [n], in [0, 1]: similarity - 0.3 * mean cosine to the picked, clipped.

    `summed_overlap` [n] holds each unit's cosines to the picked units, added up: one matrix-vector product for each
    pick (`similarities(units[pick], units)`) keeps it current.
    """
    penalty = REDUNDANCY * summed_overlap / picked if picked else np.zeros_like(similarity)
    return np.asarray(np.clip(similarity - penalty, 0.0, 1.0))


NOTHING: Mapping[tuple[str, str], int] = {}


def hop_vector(hop: Hop, types: Mapping[str, RelationshipType]) -> Vector | None:
    """The vector of a relationship type's text in one direction; None for an unregistered type."""
    kind = types.get(hop.relation)
    if kind is None:
        return None
    return kind.embedding if hop.forward else kind.inverse_embedding


def cosines(vectors: Sequence[Vector | None], query: Vector) -> AnyFloats:
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
) -> AnyFloats:
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
