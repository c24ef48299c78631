"""The heuristic policy: Architect, Navigator and Curator by formula. The baseline, and the fallback without a
checkpoint."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from clause.arrays import AnyFloats, Counts
from clause.reasoning.agents.policy import Decision, Embed, LeftOut, PlainAgents, PlainPolicy, Question
from clause.reasoning.agents.scoring import (
    cosines,
    edge_scores,
    hop_vector,
    relevance,
    shaped_gain,
    signals_of,
    step_score,
)
from clause.reasoning.episode.actions import (
    AddEdge,
    ArchitectAction,
    Backtrack,
    Continue,
    CuratorAction,
    Look,
    NavigatorAction,
    Pick,
    Stop,
)
from clause.reasoning.episode.budget import TOKENS_PER_PRICE_UNIT
from clause.reasoning.episode.driver import unit_vectors
from clause.reasoning.episode.episode import Episode
from clause.reasoning.episode.subgraph import Front
from clause.reasoning.neighbourhood.port import Edge, Hop

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
    chosen: dict[Edge, tuple[float, AnyFloats]] = field(default_factory=dict)
    _level: int = 0
    _frontier: list[str] | None = None
    _scores: dict[Edge, tuple[float, AnyFloats]] | None = None
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


BACKTRACK_BELOW = 0.3
STEEPNESS = 10.0


@dataclass(slots=True)
class HeuristicNavigator:
    """Walks whole fronts; stops when going on is less relevant than where it stands (`stop_probability`)."""

    question: Question
    _visited: set[tuple[str, tuple[Hop, ...]]] = field(default_factory=set)
    _relevance: list[float] = field(default_factory=list)

    def decide(self, episode: Episode) -> Decision[NavigatorAction | Look]:
        """The next step, or what must be read before it when it walks the graph itself."""
        if episode.walk_known and episode.may_walk():
            here = episode.front.nodes if episode.front else episode.subgraph.seeds
            missing = episode.subgraph.missing(here)
            if missing:
                return Decision(Look(missing))
        options = {
            (seed, hop): front
            for (seed, hop), front in episode.hops().items()
            if (seed, front.pattern) not in self._visited
        }
        if not options:
            return Decision(Stop("COMPLETE" if episode.may_walk() else "BUDGET_EXHAUSTED"))
        scored = {option: self._score(option[1], front) for option, front in options.items()}
        (seed, hop), best = max(scored.items(), key=lambda item: (item[1], item[0]))
        here_relevance = self._relevance[-1] if self._relevance else 0.0
        left_out = LeftOut(hop.relation, 1, best)
        if episode.trail and stop_probability(here_relevance, best) > 0.5:
            return Decision(Stop(), left_out=left_out)
        if episode.trail and best < BACKTRACK_BELOW and self._unvisited_behind(episode.trail[-1], episode):
            self._relevance.pop()
            return Decision(Backtrack(), score=best)
        self._visited.add((seed, options[seed, hop].pattern))
        self._relevance.append(best)
        return Decision(Continue(hop, seed=seed), score=best)

    def answer_scores(self, episode: Episode) -> Mapping[str, float]:
        """Mean of the last hop's relevance and the node's own cosine with the question."""
        if episode.front is None:
            return {}
        nodes = episode.front.nodes
        own = cosines([self.question.vectors.get(node) for node in nodes], self.question.embedding)
        relevance = self._relevance[-1] if self._relevance else 0.0
        return {node: float(0.5 * relevance + 0.5 * cosine) for node, cosine in zip(nodes, own, strict=True)}

    def _score(self, hop: Hop, front: Front) -> float:
        vectors = [self.question.vectors.get(node) for node in front.nodes]
        known = [vector for vector in vectors if vector is not None]
        relation = hop_vector(hop, self.question.relationship_types)
        parts = [part for part in (relation, np.mean(known, axis=0) if known else None) if part is not None]
        if not parts:
            return 0.0
        total = np.sum(parts, axis=0)
        length = float(np.linalg.norm(total))
        cosine = float(total @ self.question.embedding) / length if length else 0.0
        return step_score(min(1.0, max(0.0, cosine)), self.question.causal_score(hop, front.seed, front.nodes))

    def _unvisited_behind(self, front: Front, episode: Episode) -> bool:
        behind = episode.trail[-2].nodes if len(episode.trail) > 1 else (front.seed,)
        adjacency = episode.subgraph.known if episode.walk_known else episode.subgraph.adjacency
        hops = {hop for node in behind for hop in adjacency.get(node, {})}
        return any((front.seed, (*front.pattern[:-1], hop)) not in self._visited for hop in hops)


def stop_probability(here: float, best: float) -> float:
    """The termination head: a sigmoid of how much better it is here than one hop further.

    >>> stop_probability(0.5, 0.5)
    0.5
    """
    return float(1.0 / (1.0 + np.exp(-STEEPNESS * (here - best))))


@dataclass(slots=True)
class HeuristicCurator:
    """Picks the unit of the greatest shaped utility while that is above 0; at least one when anything fits.

    Attributes:
        least: cosine with the question below which a unit does not bear on it and is left out.
        scores: listwise score of each picked unit, by its place in the pool.
    """

    question: Question
    least: float = -1.0
    scores: dict[int, float] = field(default_factory=dict)
    _vectors: AnyFloats | None = None
    _similarity: AnyFloats = field(default_factory=lambda: np.zeros(0))
    _overlap: AnyFloats = field(default_factory=lambda: np.zeros(0))
    _tokens: Counts = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def decide(self, episode: Episode) -> Decision[CuratorAction]:
        """The next unit, or stop."""
        is_open = np.ones(len(episode.pool), dtype=bool)
        is_open[episode.picked] = False
        if not is_open.any():
            return Decision(Stop("COMPLETE" if episode.picked else "NO_CANDIDATES"))
        scores, utilities = self._utilities(episode)
        first = int(np.where(is_open, utilities, -np.inf).argmax())  # of equal ones the first
        left_out = LeftOut(episode.pool[first].text, episode.pool[first].tokens, float(scores[first]))
        bearing = is_open & (self._similarity >= self.least)
        fitting = bearing & (self._tokens <= episode.token_allowance())
        if not fitting.any():
            return Decision(Stop("BUDGET_EXHAUSTED" if bearing.any() else "GAIN_NEGATIVE"), left_out=left_out)
        best = int(np.where(fitting, utilities, -np.inf).argmax())
        if utilities[best] <= 0 and episode.picked:
            return Decision(Stop("GAIN_NEGATIVE"), left_out=left_out)
        self.scores[best] = float(scores[best])
        assert self._vectors is not None  # noqa: S101 -- set when the utilities were computed
        self._overlap = self._overlap + self._vectors @ self._vectors[best]
        return Decision(Pick(best), score=self.scores[best])

    def _utilities(self, episode: Episode) -> tuple[AnyFloats, AnyFloats]:
        """The relevance of each unit of the pool, and what is left of it when its tokens are paid for: both [n]."""
        if self._vectors is None or len(self._vectors) != len(episode.pool):
            self._vectors = unit_vectors(episode.pool, self.question).astype(np.float64)
            self._similarity = self._vectors @ self.question.embedding.astype(np.float64)
            self._overlap = self._vectors @ self._vectors[episode.picked].sum(axis=0)
            self._tokens = np.array([unit.tokens for unit in episode.pool])
        scores = relevance(self._similarity, self._overlap, len(episode.picked))
        return scores, scores - self.question.prices.token * self._tokens / TOKENS_PER_PRICE_UNIT


class HeuristicAgents(PlainAgents):
    """The three heuristic agents of one episode. They add single edges, so nothing ranks inside a bundle."""

    def __init__(
        self, question: Question, *, hop_distance: int = 3, min_edge_score: float = 0.0, least_bearing: float = -1.0
    ) -> None:
        self.edges = HeuristicArchitect(question, hop_distance, min_edge_score)
        self.walk = HeuristicNavigator(question)
        self.evidence = HeuristicCurator(question, least_bearing)

    def architect(self, episode: Episode) -> Decision[ArchitectAction | Look]:
        """The next edit of the subgraph, or what must be read before one."""
        return self.edges.decide(episode)

    def navigator(self, episode: Episode) -> Decision[NavigatorAction | Look]:
        """The next step of the walk."""
        return self.walk.decide(episode)

    def curator(self, episode: Episode) -> Decision[CuratorAction]:
        """The next unit of evidence."""
        return self.evidence.decide(episode)

    def answer_scores(self, episode: Episode) -> Mapping[str, float]:
        """A score in [0, 1] for each end node of the walk."""
        return self.walk.answer_scores(episode)


@dataclass(frozen=True, slots=True)
class HeuristicPolicy(PlainPolicy):
    """Scores of reasoning.md, no training. `judges_hops`: a step's score is what it expects of that hop."""

    name: str = "heuristic"
    reads_vectors: bool = True
    judges_hops: bool = True
    abstain_below: float = 0.05

    async def begin(self, question: Question, embed: Embed) -> HeuristicAgents:  # noqa: ARG002 -- reads no other wording
        """Agents for one question."""
        return HeuristicAgents(question)
