"""The tree that was read along a relationship pattern, as arrays, so that a decision costs the same however many edges
there are.

Axes: d is the depth of a hop (0 at the seed), m_d edges at that depth from n_d nodes to n_(d+1) nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np

from clause.arrays import Doubles, Flags, Longs
from clause.reasoning.episode.episode import Episode
from clause.reasoning.episode.subgraph import WorkingSubgraph
from clause.reasoning.neighbourhood.port import Edge, Hop, Node

Pattern = tuple[Hop, ...]

CountTokens = Callable[[Sequence[Edge], Mapping[str, Node]], Sequence[int]]
"""Tokens of the sentences of edges whose ends are among the nodes."""


@dataclass(frozen=True, slots=True)
class Level:
    """The edges of one hop: `near` [m] and `far` [m] are places in the node lists of this depth and the next."""

    edges: tuple[Edge, ...]
    near: Longs
    far: Longs
    tokens: Doubles


@dataclass(frozen=True, slots=True)
class PlanTree:
    """All known edges along `pattern` from `seed`.

    `nodes[d]` gives each node of depth d its place; `tokens` is what each edge's sentence costs.
    """

    seed: str
    pattern: Pattern
    nodes: tuple[dict[str, int], ...]
    levels: tuple[Level, ...]
    tokens: dict[Edge, float]

    @classmethod
    def build(cls, subgraph: WorkingSubgraph, seed: str, pattern: Pattern, count_tokens: CountTokens) -> PlanTree:
        """Walk what is known; never back onto the seed."""
        nodes: list[dict[str, int]] = [{seed: 0}]
        levels = []
        for hop in pattern:
            ends: dict[str, int] = {}
            edges: list[Edge] = []
            near: list[int] = []
            far: list[int] = []
            for node, place in nodes[-1].items():
                for edge in subgraph.known.get(node, {}).get(hop, ()):
                    end = edge.other(node)
                    if end != seed:
                        edges.append(edge)
                        near.append(place)
                        far.append(ends.setdefault(end, len(ends)))
            tokens = np.asarray(count_tokens(edges, subgraph.nodes), dtype=np.float64)
            levels.append(Level(tuple(edges), np.array(near, dtype=np.int64), np.array(far, dtype=np.int64), tokens))
            nodes.append(ends)
        spoken = {edge: cost for level in levels for edge, cost in zip(level.edges, level.tokens.tolist(), strict=True)}
        return cls(seed, pattern, tuple(nodes), tuple(levels), spoken)

    @property
    def answers(self) -> int:
        """The number of end nodes of the pattern."""
        return len(self.nodes[-1])


@dataclass(frozen=True, slots=True)
class TreeProgress:
    """The growth of an episode along a tree so far.

    Attributes:
        places: the front of each depth in the working subgraph; None where it has no node yet.
        recency: for each node of depth d, when its front reached it (1 is first), 0 where it was not; int [n_d].
        fresh: for each edge, whether it leads from a reached node to one that is not, bool [m_d].
        new: for each edge, whether its far end is not reached yet, and it was not deleted, bool [m_d].
    """

    places: tuple[int | None, ...]
    recency: tuple[Longs, ...]
    fresh: tuple[Flags, ...]
    new: tuple[Flags, ...]

    @classmethod
    def of(cls, tree: PlanTree, episode: Episode) -> TreeProgress:
        """Read it off the episode's fronts."""
        subgraph = episode.subgraph
        place: int | None = subgraph.seeds.index(tree.seed)
        places: list[int | None] = []
        recency = []
        for depth, nodes in enumerate(tree.nodes):
            when = np.zeros(len(nodes), dtype=np.int64)
            places.append(place)
            if place is not None:
                for order, node in enumerate(subgraph.fronts[place].reached, start=1):
                    if node in nodes:
                        when[nodes[node]] = order
                place = subgraph.next_front(place, tree.pattern[depth]) if depth < len(tree.pattern) else None
            recency.append(when)
        new = [
            (recency[depth + 1][level.far] == 0) & _allowed(level.edges, subgraph.deleted)
            for depth, level in enumerate(tree.levels)
        ]
        fresh = [(recency[depth][level.near] > 0) & new[depth] for depth, level in enumerate(tree.levels)]
        return cls(tuple(places), tuple(recency), tuple(fresh), tuple(new))


def _allowed(edges: Sequence[Edge], deleted: AbstractSet[Edge]) -> Flags:
    """Mark the edges that may be added: a deleted one never again."""
    return np.array([edge not in deleted for edge in edges], dtype=bool) if deleted else np.ones(len(edges), dtype=bool)


@dataclass(frozen=True, slots=True)
class Worth:
    """The gains and costs of following each edge of one depth: answers, edges and tokens, float [m_d] each."""

    answers: Doubles
    edges: Doubles
    tokens: Doubles

    @property
    def columns(self) -> tuple[Doubles, Doubles, Doubles]:
        """Answers, edges and tokens."""
        return self.answers, self.edges, self.tokens

    def efficiency(self, edges_left: float, tokens_left: float) -> Doubles:
        """Answers per share of what is left of the two budgets."""
        share = self.edges / max(edges_left, 1.0) + self.tokens / max(tokens_left, 1.0)
        efficiency: Doubles = self.answers / np.maximum(share, 1e-6)
        return efficiency


def worths(tree: PlanTree, progress: TreeProgress, edges_left: float, tokens_left: float) -> tuple[Worth, ...]:
    """The worth of every edge, from the answers up.

    A last edge brings its answer. An edge before it brings the new answers of its far end, as many as fit; an edge
    before that brings its best child. Only a bound on what could be had: answers that siblings share count twice.
    """
    found: list[Worth] = []
    for depth in range(len(tree.levels) - 1, -1, -1):
        level = tree.levels[depth]
        alone = np.where(progress.new[depth], 1.0, 0.0), np.where(progress.new[depth], level.tokens, 0.0)
        if not found:
            found.append(Worth(alone[0], alone[0], alone[1]))
            continue
        below, under = tree.levels[depth + 1], found[-1]
        size = len(tree.nodes[depth + 1])
        if depth + 1 == len(tree.levels) - 1:
            gain, edges, tokens = (
                np.bincount(below.near, column, minlength=size).astype(np.float64) for column in under.columns
            )
            each = np.maximum(tokens / np.maximum(gain, 1), 1)
            room = np.minimum(edges_left - 1, np.maximum(tokens_left - 8, 0) / each)
            share = np.minimum(1.0, np.maximum(room, 0) / np.maximum(gain, 1))
            gain, edges, tokens = gain * share, edges * share, tokens * share
        else:
            gain, edges, tokens = _best_child(below.near, under, size, under.efficiency(edges_left, tokens_left))
        far = level.far
        found.append(Worth(gain[far], alone[0] + edges[far], alone[1] + tokens[far]))
    return tuple(reversed(found))


def _best_child(near: Longs, worth: Worth, size: int, efficiency: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    order = np.lexsort((efficiency, near))
    last = order[np.append(near[order][1:] != near[order][:-1], True)] if order.size else order
    best = [np.zeros(size) for _ in range(3)]
    for table, values in zip(best, worth.columns, strict=True):
        table[near[last]] = values[last]
    return best[0], best[1], best[2]
