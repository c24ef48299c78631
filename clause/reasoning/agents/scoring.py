"""The arithmetic of rules: the five signals of an edge in one batch, scores of edges, steps and units (spec:
reasoning.md), and which proofs of answers limits can pay for.

Shapes: d is the length of a vector, m the number of edges, n of units. Vectors are unit length or zero ("unknown"),
so that a cosine is a dot product and an unknown text has similarity 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from clause.arrays import AnyFloats, Counts, Vector
from clause.reasoning.agents.policy import Question
from clause.reasoning.episode.budget import TOKENS_PER_PRICE_UNIT, Spend
from clause.reasoning.neighbourhood.port import Edge, Hop, Node, RelationshipType

SIGNALS = ("phi_ent", "phi_rel", "phi_nbr", "phi_deg", "phi_basin")
WEIGHTS = np.array([0.25, 0.25, 0.20, 0.15, 0.15])
"""Weight of each signal, in the order of SIGNALS; they sum to 1."""

COSINE_SHARE, CAUSAL_SHARE = 0.7, 0.3
REDUNDANCY = 0.3


@dataclass(frozen=True, slots=True)
class EdgeFeatures:
    """The numbers that the signals of m edges are made of.

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
    """Compute what adding edges is worth: score - price * edges.

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


Walk = tuple[str, tuple[Hop, ...]]
"""The node that a walk starts from, and its hops."""

MOST_WAYS = 4_000
"""Edges among which the ways of one walk are chosen; a walk that could take more keeps the ways that it has."""
MOST_MISSES = 20
"""Proofs in a row that do not fit before the rest are given up: a bound in operations."""


@dataclass(frozen=True, slots=True)
class AnswerProof:
    """The triples that prove an answer, those of its one walk first, and the walks that they make.

    `end` is the answer's node where its walk leads there, so that another way of the same walk proves it as well.
    """

    triples: tuple[Edge, ...]
    walks: tuple[Walk, ...] = ()
    end: str | None = None


Levels = list[dict[str, list[tuple[str, Edge]]]]
"""For each hop of a walk the nodes that it reaches, each with every (node before, edge)."""


def levels_of(walk: Walk, known: Mapping[str, Mapping[Hop, Sequence[Edge]]], closed: Collection[str]) -> Levels:
    """All that a walk reaches over known edges, but for `closed` nodes; nothing where there are too many ways."""
    start, hops = walk
    front: Collection[str] = (start,)
    found: Levels = []
    ways = 0
    for hop in hops:
        reached: dict[str, list[tuple[str, Edge]]] = {}
        for node in front:
            for edge in known.get(node, {}).get(hop, ()):
                if (far := edge.other(node)) not in closed:
                    reached.setdefault(far, []).append((node, edge))
                    ways += 1
        if ways > MOST_WAYS:
            return []
        found.append(reached)
        front = reached
    return found


@dataclass(slots=True)
class ProofPurse:
    """Limits, and what they buy: the proofs of as many answers as they pay for, found greedily.

    Each round takes the answer whose proof costs the least share of what is left of edges and tokens; an edge counts by
    the number of open answers that it may still serve, so that a dear first step to many answers is cheap. Those that
    one edge more proves then come along.

    Args:
        proofs: of the answers, best first; ties are broken so.
        known: the edges that were read, by which a walk may go another way.
        closed: nodes that no walk goes through.
        limits: what may be spent.
        tokens: those of an edge's sentence.
    """

    proofs: Sequence[AnswerProof]
    known: Mapping[str, Mapping[Hop, Sequence[Edge]]]
    closed: Collection[str]
    limits: Spend
    tokens: Callable[[Edge], int]
    _bought: set[Edge] = field(default_factory=set)
    _walked: set[Walk] = field(default_factory=set)
    _left: Spend = field(default_factory=Spend)
    _levels: dict[Walk, Levels] = field(default_factory=dict)

    def whole(self) -> bool:
        """Tell whether everything fits as it is."""
        self._left, self._bought, self._walked = self.limits, set(), set()
        return all(self._pay(proof.triples, proof.walks) for proof in self.proofs)

    def bought(self) -> list[tuple[int, tuple[Edge, ...]]]:
        """The places of the proofs that are bought, in order, each with its triples."""
        self._left, self._bought, self._walked = self.limits, set(), set()
        still_open = dict.fromkeys(range(len(self.proofs)))
        found: list[tuple[int, tuple[Edge, ...]]] = []
        while still_open:
            ranked = self._ranked(still_open)
            first = next((one for one in ranked[:MOST_MISSES] if self._pay(one[1], self.proofs[one[0]].walks)), None)
            if first is None:
                break
            cheap = [one for one in ranked if one is not first and len(set(one[1]) - self._bought) <= 1]
            taken = [first, *(one for one in cheap if self._pay(one[1], self.proofs[one[0]].walks))]
            for place, _ in taken:
                del still_open[place]
            found += taken
        return found

    def _pay(self, triples: Sequence[Edge], walks: Sequence[Walk]) -> bool:
        """Pay for what is new of a proof; False, and nothing is paid, where it does not fit."""
        new = set(triples) - self._bought
        ways = set(walks) - self._walked
        steps, tokens = sum(len(hops) for _, hops in ways), sum(map(self.tokens, new))
        left = self._left
        if len(new) > left.edges or steps > left.steps or tokens > left.tokens:
            return False
        self._left = Spend(left.edges - len(new), left.steps - steps, left.tokens - tokens)
        self._bought |= new
        self._walked |= ways
        return True

    def _price(self, edge: Edge, sharers: int) -> float:
        """The share of what is left that an edge costs each of the answers that it may serve."""
        if edge in self._bought:
            return 0.0
        edges, tokens = max(1, self._left.edges), max(1, self._left.tokens)
        cost = self.tokens(edge)
        served = max(1, min(sharers, edges, tokens // max(1, cost)))
        return (1 / edges + cost / tokens) / served

    def _ranked(self, still_open: Collection[int]) -> list[tuple[int, tuple[Edge, ...]]]:
        """The open proofs, each by its cheapest way, cheapest first."""
        by_walk: dict[Walk, list[int]] = {}
        for place in still_open:
            proof = self.proofs[place]
            if proof.end is not None:
                by_walk.setdefault(proof.walks[0], []).append(place)
        ways: dict[int, tuple[float, tuple[Edge, ...]]] = {}
        for walk, places in by_walk.items():
            ways.update(self._ways(walk, places))
        shared = Counter(edge for place in still_open for edge in set(self.proofs[place].triples))
        priced: list[tuple[float, int, tuple[Edge, ...]]] = []
        for place in still_open:
            triples = self.proofs[place].triples
            cost, way = ways.get(place, (0.0, ()))
            rest = triples[len(way) :]
            cost += sum(self._price(edge, shared[edge]) for edge in dict.fromkeys(rest))
            priced.append((round(cost, 12), place, (*way, *rest)))
        return [(place, triples) for _, place, triples in sorted(priced, key=lambda one: one[:2])]

    def _ways(self, walk: Walk, places: Sequence[int]) -> dict[int, tuple[float, tuple[Edge, ...]]]:
        """For each open answer of a walk the cheapest way to it, and what that costs."""
        if walk not in self._levels:
            self._levels[walk] = levels_of(walk, self.known, self.closed)
        levels = self._levels[walk]
        ends = {self.proofs[place].end or "": place for place in places}
        if not levels or any(end not in levels[-1] for end in ends):
            return {}
        serves = {end: 1 << bit for bit, end in enumerate(ends)}  # of each node the open ends behind it, as bits
        behind = [serves]
        for reached in reversed(levels[1:]):
            serves = {}
            for node, before in reached.items():
                for near, _ in before if node in behind[0] else ():
                    serves[near] = serves.get(near, 0) | behind[0][node]
            behind.insert(0, serves)
        costs: dict[str, tuple[float, tuple[Edge, ...]]] = {walk[0]: (0.0, ())}
        for reached, serves in zip(levels, behind, strict=True):
            further: dict[str, tuple[float, tuple[Edge, ...]]] = {}
            for node, ended in serves.items():
                for near, edge in reached.get(node, ()):
                    if near not in costs or edge in costs[near][1]:
                        continue
                    cost = costs[near][0] + self._price(edge, ended.bit_count())
                    if node not in further or cost < further[node][0]:
                        further[node] = (cost, (*costs[near][1], edge))
            costs = further
        return {place: costs[end] for end, place in ends.items() if end in costs}
