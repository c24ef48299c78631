"""The heuristic PathNavigator: follows the typed direction whose words and nodes are nearest to the question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from clause.reasoning.actions import Backtrack, Continue, Look, NavigatorAction, Stop
from clause.reasoning.episode import Episode
from clause.reasoning.fronts import Front
from clause.reasoning.neighbourhood import Hop
from clause.reasoning.policy import Decision, LeftOut, Question
from clause.reasoning.scoring import step_score
from clause.reasoning.signals import cosines, hop_vector

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
