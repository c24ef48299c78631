"""The heuristic SubgraphArchitect: reads a few frontiers, then takes the best edge while its gain is positive."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import numpy as np

from clause.reasoning.actions import AddEdge, ArchitectAction, Look, Stop
from clause.reasoning.episode import Episode
from clause.reasoning.neighbourhood import Edge
from clause.reasoning.policy import Decision, LeftOut, Question
from clause.reasoning.scoring import Floats, edge_scores, shaped_gain
from clause.reasoning.signals import cosines, signals_of

BEAM = 32
"""Nodes of a frontier that are read further; one query for one frontier."""

SEEDS = 3
"""Seed candidates that the heuristic starts from."""


@dataclass(slots=True)
class HeuristicArchitect:
    """Best-first growth of the subgraph by the score of reasoning.md.

    Attributes:
        hop_distance: how many frontiers are read.
        min_score: edges below it are no candidates.
        chosen: score and signals [5] of each edge that was added, in order.
    """

    question: Question
    hop_distance: int = 3
    min_score: float = 0.0
    chosen: dict[Edge, tuple[float, Floats]] = field(default_factory=dict)
    _level: int = 0
    _frontier: list[str] | None = None
    _scores: dict[Edge, tuple[float, Floats]] | None = None
    _heap: list[tuple[float, Edge]] = field(default_factory=list)
    _touched: set[str] = field(default_factory=set)
    _pushed: set[Edge] = field(default_factory=set)

    def decide(self, episode: Episode) -> Decision[ArchitectAction | Look]:
        """Read the next frontier, or add the best edge, or stop."""
        frontier = self._next_frontier(episode)
        if frontier:
            return Decision(Look(frontier))
        if self._scores is None:
            self._score_all(episode)
            for seed in self.question.seeds[:SEEDS]:
                self._touch(seed.id, episode)
        return self._best(episode)

    def _next_frontier(self, episode: Episode) -> tuple[str, ...]:
        while self._level < self.hop_distance:
            if self._frontier is None:
                self._frontier = [seed.id for seed in self.question.seeds[:SEEDS]]
            missing = episode.subgraph.missing(self._frontier)
            if missing:
                return missing
            self._frontier = self._beyond(self._frontier, episode)
            self._level += 1
        return ()

    def _beyond(self, frontier: list[str], episode: Episode) -> list[str]:
        known = episode.subgraph.known
        far = dict.fromkeys(
            edge.other(node)
            for node in frontier
            for edges in known.get(node, {}).values()
            for edge in edges
            if edge.other(node) not in known
        )
        nodes = list(far)
        likeness = cosines([self.question.vectors.get(node) for node in nodes], self.question.embedding)
        return [nodes[place] for place in np.argsort(-likeness, kind="stable")[:BEAM]]

    def _score_all(self, episode: Episode) -> None:
        pairs: dict[Edge, str] = {}
        for near, by_hop in episode.subgraph.known.items():
            for edges in by_hop.values():
                for edge in edges:
                    pairs.setdefault(edge, near)
        subgraph = episode.subgraph
        ends = [(near, edge) for edge, near in pairs.items()]
        signals = signals_of(self.question, ends, subgraph.nodes, subgraph.together)
        scores = edge_scores(signals)
        self._scores = {edge: (float(scores[row]), signals[row]) for row, edge in enumerate(pairs)}

    def _touch(self, node: str, episode: Episode) -> None:
        assert self._scores is not None  # noqa: S101 -- scored before the first edge is touched
        if node in self._touched:
            return
        self._touched.add(node)
        for edges in episode.subgraph.known.get(node, {}).values():
            for edge in edges:
                score = self._scores[edge][0]
                if edge not in self._pushed and score >= self.min_score:
                    self._pushed.add(edge)
                    heapq.heappush(self._heap, (-score, edge))

    def _best(self, episode: Episode) -> Decision[ArchitectAction | Look]:
        assert self._scores is not None  # noqa: S101 -- scored before the first edge is chosen
        if not self._heap:
            return Decision(Stop("COMPLETE" if self.chosen else "NO_CANDIDATES"))
        negative, edge = self._heap[0]
        left_out = LeftOut("|".join(edge), 1, -negative)
        if episode.edge_allowance() < 1:
            return Decision(Stop("BUDGET_EXHAUSTED"), left_out=left_out)
        if shaped_gain(-negative, self.question.prices.edge) <= 0:
            return Decision(Stop("GAIN_NEGATIVE"), left_out=left_out)
        heapq.heappop(self._heap)
        self.chosen[edge] = self._scores[edge]
        self._touch(edge.source, episode)
        self._touch(edge.target, episode)
        return Decision(AddEdge(edge), score=-negative)
