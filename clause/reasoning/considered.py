"""What the Navigator considered: read back from an episode after its last turn, whoever decided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from clause.reasoning.actions import NAVIGATOR, Backtrack, Continue
from clause.reasoning.episode import Episode
from clause.reasoning.fronts import Front, walk
from clause.reasoning.neighbourhood import Hop

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
            case _:
                yield here, None
        steps += step.cost.steps
