"""Episodes on a snapshot: the served agents and the served episode machine, driven without a database."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from clause.policy.serve.agents import LearnedAgents, Plan
from clause.policy.serve.decider import Decider
from clause.reasoning.agents.policy import Agents, Question
from clause.reasoning.episode.budget import Budgets, Prices, Spend, edge_sentence, relation_text
from clause.reasoning.episode.driver import Driver, feed_from
from clause.reasoning.episode.episode import Episode
from clause.reasoning.neighbourhood.port import Edge, Node
from clause.reasoning.neighbourhood.snapshot import Snapshot
from clause.text.tokens import count_tokens


@dataclass(frozen=True, slots=True)
class Task:
    """A question for training: its plans, and the ids of its answers (`missing` more are not in the graph)."""

    plans: tuple[Plan, ...]
    answers: frozenset[str]
    missing: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """The end of an episode: F1 and exact match (in expectation over ties) of the supported answers, and the spend."""

    f1: float
    exact: float
    spend: Spend
    episode: Episode


@dataclass(slots=True)
class Arena:
    """A snapshot to play on, with remembered token counts; `deletes` says whether the Architect is offered DELETE."""

    snapshot: Snapshot
    deletes: bool = True
    _counted: dict[str, int] = field(default_factory=dict)
    _edges: dict[Edge, int] = field(default_factory=dict)

    def count(self, texts: Sequence[str]) -> list[int]:
        """Exact token counts."""
        for text in texts:
            if text not in self._counted:
                self._counted[text] = count_tokens(text)
        return [self._counted[text] for text in texts]

    def count_edges(self, edges: Sequence[Edge], nodes: Mapping[str, Node]) -> list[int]:
        """Token counts of edges' sentences."""
        missing = [edge for edge in edges if edge not in self._edges]
        texts = [edge_sentence(edge, nodes, relation_text(edge, self.snapshot.types)) for edge in missing]
        self._edges.update(zip(missing, self.count(texts), strict=True))
        return [self._edges[edge] for edge in edges]

    def agents(self, task: Task, decider: Decider, prices: Prices) -> LearnedAgents:
        """The learned agents for one task."""
        return LearnedAgents(list(task.plans), decider, self.count_edges, prices, deletes=self.deletes)

    def play(
        self,
        task: Task,
        agents: Agents,
        budgets: Budgets,
        prices: Prices,
        *,
        hard: bool = True,
        seeds: Sequence[str] | None = None,
        after: Callable[[Episode], None] = lambda _episode: None,
    ) -> Result:
        """One episode, driven as answers are. `after` follows each action."""
        seeds = seeds or list(dict.fromkeys(plan.seed for plan in task.plans))
        episode = Episode(seeds, budgets, hard=hard, edge_score=agents.edge_score)
        question = Question("", np.zeros(0, dtype=np.float32), (), self.snapshot.types, prices)
        feed_from(self.snapshot, Driver(episode, question, agents, self.count, after).rounds())
        return score(task, agents, episode)


def score(task: Task, agents: Agents, episode: Episode) -> Result:
    """Supported F1 and exact match: only answers whose whole walk is in the evidence set count."""
    scores = agents.answer_scores(episode)
    supported = [node for node in scores if episode.supporting_path(node) is not None]
    right = sum(node in task.answers for node in supported)
    f1 = 2 * right / (len(supported) + len(task.answers) + task.missing) if supported else 0.0
    best = max((scores[node] for node in supported), default=0.0)
    top = [node for node in supported if scores[node] == best]
    return Result(f1, sum(node in task.answers for node in top) / max(1, len(top)), episode.spend, episode)
