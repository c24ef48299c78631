"""Prediction errors of a walk's hops, read back from what the Navigator considered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from clause.intelligence.curiosity import Surprise, realised
from clause.reasoning.agents.policy import Foresight, Question
from clause.reasoning.agents.scoring import hop_vector
from clause.reasoning.episode.actions import NAVIGATOR, Backtrack, Continue, Restart
from clause.reasoning.episode.budget import Unit
from clause.reasoning.episode.episode import Episode
from clause.reasoning.episode.pool import unit_vectors
from clause.reasoning.episode.subgraph import Front, walk
from clause.reasoning.neighbourhood.port import Edge, Hop, NeighbourhoodPort

MOST_CONSIDERED = 1_000
"""Candidate hops of one episode that are told; the first ones met."""


@dataclass(frozen=True, slots=True)
class Taken:
    """One hop that was taken: from which front, by which hop, to which front, and the score that chose it."""

    before: Front
    hop: Hop
    after: Front
    score: float | None


def taken(episode: Episode) -> list[Taken]:
    """The hops that the Navigator took, in order, those it took back later too."""
    return [hop for _, hop in _places(episode) if hop is not None]


def candidates(episode: Episode) -> Mapping[str, str]:
    """Node id -> name of every node that a considered hop would have reached, in the order in which they were met.

    Considered is what could be walked from each place where the Navigator stood with steps left.
    """
    adjacency = episode.subgraph.known if episode.walk_known else episode.subgraph.adjacency
    nodes = episode.subgraph.nodes
    found: dict[str, str] = {}
    for starts, _ in _places(episode):
        for start in starts:
            for hop in dict.fromkeys(hop for node in start.nodes for hop in adjacency.get(node, ())):
                for node in walk(start, hop, adjacency).nodes:
                    found.setdefault(node, nodes[node].name if node in nodes else node)
                    if len(found) == MOST_CONSIDERED:
                        return found
    return found


def _places(episode: Episode) -> Iterator[tuple[list[Front], Taken | None]]:
    """Each place where the Navigator decided (the fronts it stood on), with the hop that it took from there, if any."""
    adjacency = episode.subgraph.known if episode.walk_known else episode.subgraph.adjacency
    roots = [Front.root(seed) for seed in episode.subgraph.seeds]
    trail: list[Front] = []
    steps = 0
    for step in episode.log:
        if step.agent != NAVIGATOR or (episode.hard and steps >= episode.budgets.steps):
            continue
        here = trail[-1:] or roots
        match step.action:
            case Continue(hop=hop, seed=seed, node=node):
                start = trail[-1] if trail else Front.root(seed or (episode.subgraph.seeds or ("",))[0])
                after = walk(start, hop, adjacency, None if node is None else (node,))
                trail.append(after)
                yield here, Taken(start, hop, after, step.score)
            case Backtrack():
                trail.pop()
                yield here, None
            case Restart():
                trail.clear()
                yield here, None
            case _:
                yield here, None
        steps += step.cost.steps


LOOKED_AT = 32
"""Edges of a front whose units are compared with the question."""


async def read_vectors(port: NeighbourhoodPort, hops: Sequence[Taken], question: Question) -> None:
    """One read of what prediction errors need, for all fronts; what was read before comes from memory."""
    unknown = [node for node in nodes_looked_at(hops) if node not in question.vectors]
    question.vectors.update(await port.embeddings(unknown))


def nodes_looked_at(hops: Sequence[Taken]) -> list[str]:
    """The nodes whose vectors prediction errors need, each once."""
    ends = [end for hop in hops for edge in _edges(hop.after) for end in (edge.source, edge.target)]
    roots = [node for hop in hops if hop.before.parent is None for node in hop.before.nodes]
    return list(dict.fromkeys([*roots, *ends]))


def surprises_of(
    hops: Sequence[Taken],
    episode: Episode,
    question: Question,
    *,
    judged: bool,
    foresights: Sequence[Foresight] = (),
) -> list[Surprise]:
    """The prediction error of each hop taken.

    Expected is what the critic foretold (`foresights`, one for each hop, where there are any); else the hop's own score
    where the policy judges hops one by one (`judged`); else the running mean of its relationship type and direction.
    """
    found = []
    for place, hop in enumerate(hops):
        if not hop.after.nodes:
            continue
        before = best_cosine(hop.before, question)
        expected = _expected(hop, before, question, judged, foresights[place] if foresights else None)
        if expected is None:
            continue
        concept = hop.before.nodes[0]
        name = episode.subgraph.nodes[concept].name if concept in episode.subgraph.nodes else concept
        gained = realised(best_cosine(hop.after, question) - before)
        found.append(Surprise(concept, name, hop.hop.relation, hop.hop.forward, min(1.0, max(0.0, expected)), gained))
    return found


def best_cosine(front: Front, question: Question) -> float:
    """The best cosine of the question and the units by which a front was reached; of a root, its node's own."""
    if front.parent is None:
        known = [question.vectors[node] for node in front.nodes if node in question.vectors]
        return max((float(vector @ question.embedding) for vector in known), default=0.0)
    units = [Unit("", "", 0, "triple", edge=edge) for edge in _edges(front)]
    return float(np.max(unit_vectors(units, question) @ question.embedding)) if units else 0.0


def relation_cosine(hop: Hop, question: Question) -> float:
    """The cosine of a relationship's words, in its direction, with the question; 0 for an unregistered type."""
    vector = hop_vector(hop, question.relationship_types)
    return 0.0 if vector is None else float(vector @ question.embedding)


def _expected(hop: Taken, before: float, question: Question, judged: bool, foresight: Foresight | None) -> float | None:
    if foresight is not None:
        return foresight.expected(before, relation_cosine(hop.hop, question))
    if judged and hop.score is not None:
        return hop.score
    kind = question.relationship_types.get(hop.hop.relation)
    return kind.gain(hop.hop.forward).expected if kind is not None else None


def _edges(front: Front) -> list[Edge]:
    return list(dict.fromkeys(edge for edges in front.reached.values() for edge in edges))[:LOOKED_AT]
