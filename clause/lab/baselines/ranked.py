"""Baselines that rank nodes: the Architect gathers edges, the Navigator walks to the best node it can reach; whole
paths are curated.

khop gathers breadth first and ranks by the cosine of node and question; pagerank gathers the same way and ranks by
personalised PageRank from the seeds; greedy always takes the edge whose relationship text and far end are most similar
to the question, and ranks a node by the edges that lead to it. None of them is trained.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush
from typing import ClassVar

import networkx

from clause.reasoning.agents.policy import Agents, Decision, Embed, LeftOut, PlainAgents, PlainPolicy, Question
from clause.reasoning.episode.actions import (
    AddEdge,
    ArchitectAction,
    Continue,
    CuratorAction,
    Look,
    NavigatorAction,
    Pick,
    Stop,
)
from clause.reasoning.episode.budget import edge_unit_id
from clause.reasoning.episode.episode import Episode
from clause.reasoning.episode.subgraph import Path
from clause.reasoning.neighbourhood.port import Edge, Hop


class WholePathCurator:
    """Picks the units of one answer's whole path after another; a path that does not fit is skipped.

    When no path fits or the walk found nothing, the first unit that fits is picked, so that evidence is never empty
    while something could be said.
    """

    def __init__(self) -> None:
        self._queue: list[int] | None = None
        self._skipped: LeftOut | None = None

    def next(self, episode: Episode, answers: Sequence[str]) -> Decision[CuratorAction]:
        """The next pick; `answers` are the end nodes in the order in which their paths are wanted."""
        if self._queue is None:
            self._queue = self._plan(episode, answers)
        if not self._queue:
            return Decision(Stop("BUDGET_EXHAUSTED" if self._skipped else "COMPLETE"), left_out=self._skipped)
        return Decision(Pick(self._queue.pop(0)))

    def _plan(self, episode: Episode, answers: Sequence[str]) -> list[int]:
        places = {unit.id: place for place, unit in enumerate(episode.pool)}
        allowance = episode.remaining.tokens
        plan: dict[int, None] = {}
        for node in answers:
            path = next(episode.front.paths(node), None) if episode.front else None
            if path is None:
                continue
            wanted = [places.get(edge_unit_id(edge), -1) for edge in path.edges]
            if -1 in wanted:
                continue
            fresh = [place for place in dict.fromkeys(wanted) if place not in plan]
            cost = sum(episode.pool[place].tokens for place in fresh)
            if cost <= allowance:
                plan.update(dict.fromkeys(fresh))
                allowance -= cost
            elif self._skipped is None:
                self._skipped = LeftOut(f"path to {node}", cost, 0.0)
        if not plan:
            plan.update(dict.fromkeys(episode.pickable()[:1]))
        return list(plan)


REACH = 3  # hops: MetaQA's longest


class RankedAgents(PlainAgents):
    """The three agents; subclasses say which edge is next and how good a node is."""

    patience: ClassVar[int] = 1_000_000  # unread nodes that may wait while known edges are left to add

    def __init__(self, question: Question) -> None:
        self.question = question
        self.paths: dict[str, Path] = {seed.id: Path((seed.id,)) for seed in question.seeds}
        self._unread = list(self.paths)
        self._open: list[tuple[float, int, Path]] = []
        self._opened = 0
        self._target: Path | None = None
        self._curator = WholePathCurator()

    # -- what subclasses say ---------------------------------------------------------------------------------------

    def priority(self, path: Path) -> float:
        """The rank of a path that one more edge would make; the least is next."""
        return len(path.edges)

    def rank(self, episode: Episode) -> Mapping[str, float]:  # noqa: ARG002 -- for subclasses
        """A score in [0, 1] for every reached node that is not a seed."""
        return {node: self.cosine(node) for node, path in self.paths.items() if path.edges}

    # -- the agents --------------------------------------------------------------------------------------------------

    def architect(self, episode: Episode) -> Decision[ArchitectAction | Look]:
        """Add the next edge that leads to a new node; read further out when there is none, or too much is unread."""
        if episode.edge_allowance() < 1:
            return Decision(Stop("BUDGET_EXHAUSTED"))
        while self._open or self._unread:
            if not self._open or len(self._unread) >= self.patience:
                missing = episode.subgraph.missing(self._unread)
                if missing:
                    return Decision(Look(missing))
                self._open_beyond(episode)
                continue
            _, _, path = heappop(self._open)
            if path.end in self.paths:
                continue
            self.paths[path.end] = path
            if len(path.edges) < min(REACH, episode.budgets.steps):
                self._unread.append(path.end)
            return Decision(AddEdge(path.edges[-1]))
        return Decision(Stop("COMPLETE" if len(self.paths) > len(self.question.seeds) else "NO_CANDIDATES"))

    def navigator(self, episode: Episode) -> Decision[NavigatorAction | Look]:
        """Walk to the best node, the last hop serving the whole front."""
        if self._target is None:
            ranks = self.rank(episode)
            if not ranks:
                return Decision(Stop("NO_CANDIDATES"))
            self._target = self.paths[max(ranks, key=lambda node: (ranks[node], node))]
        depth, target = len(episode.trail), self._target
        if depth == len(target.edges):
            return Decision(Stop())
        if not episode.may_walk():
            return Decision(Stop("BUDGET_EXHAUSTED"))
        edge, here = target.edges[depth], target.nodes[depth]
        return Decision(Continue(Hop(edge.relation, edge.source == here), seed=target.nodes[0], node=here))

    def curator(self, episode: Episode) -> Decision[CuratorAction]:
        """Whole paths, best answer first."""
        ranks = self.rank(episode)
        ends = episode.front.nodes if episode.front else ()
        return self._curator.next(episode, sorted(ends, key=lambda node: (-ranks.get(node, 0.0), node)))

    def answer_scores(self, episode: Episode) -> Mapping[str, float]:
        """The rank of every end."""
        ranks = self.rank(episode)
        return {node: ranks.get(node, 0.0) for node in (episode.front.nodes if episode.front else ())}

    def cosine(self, node: str) -> float:
        """Cosine of a node with the question, clipped to [0, 1]; 0 without a vector."""
        vector = self.question.vectors.get(node)
        return 0.0 if vector is None else min(1.0, max(0.0, float(vector @ self.question.embedding)))

    def _open_beyond(self, episode: Episode) -> None:
        for node in self._unread:
            for edges in episode.subgraph.known.get(node, {}).values():
                for edge in edges:
                    if edge.other(node) not in self.paths:
                        path = self.paths[node].then(edge)
                        self._opened += 1
                        heappush(self._open, (self.priority(path), self._opened, path))
        self._unread.clear()


class PageRankAgents(RankedAgents):
    """Ranks by personalised PageRank on the working subgraph, restarting at the seeds by their scores."""

    def rank(self, episode: Episode) -> Mapping[str, float]:
        """PageRank (damping 0.85) over the largest of the nodes that are no seeds."""
        graph = networkx.Graph((edge.source, edge.target) for edge in episode.subgraph.edges)
        restart = {seed.id: seed.score for seed in self.question.seeds if seed.id in graph and seed.score > 0}
        if not restart:
            return {}
        ranks = networkx.pagerank(graph, personalization=restart)
        reached = {node: ranks[node] for node, path in self.paths.items() if path.edges and node in ranks}
        largest = max(reached.values(), default=1.0)
        return {node: rank / largest for node, rank in reached.items()}


class GreedyAgents(RankedAgents):
    """Takes the best edge first: mean of relationship cosine and far-end cosine."""

    patience = 5

    def priority(self, path: Path) -> float:
        """The best edge first; ties go to the one seen first."""
        return -self._edge_score(path.edges[-1], path.end)

    def rank(self, episode: Episode) -> Mapping[str, float]:  # noqa: ARG002 -- as above
        """The mean edge score of the path to each node."""
        return {
            node: sum(map(self._edge_score, path.edges, path.nodes[1:])) / len(path.edges)
            for node, path in self.paths.items()
            if path.edges
        }

    def _edge_score(self, edge: Edge, far: str) -> float:
        kind = self.question.relationship_types.get(edge.relation)
        if kind is None:
            return self.cosine(far) / 2
        text = kind.embedding if edge.target == far else kind.inverse_embedding
        return (max(0.0, float(text @ self.question.embedding)) + self.cosine(far)) / 2


class KHop(PlainPolicy):
    """Breadth first, then the dense reranking."""

    name: ClassVar[str] = "khop"
    agents: ClassVar[type[RankedAgents]] = RankedAgents
    reads_vectors = True
    abstain_below = 0.0

    async def begin(self, question: Question, embed: Embed) -> Agents:  # noqa: ARG002 -- the protocol's
        """Agents of one question."""
        return self.agents(question)


class PageRank(KHop):
    """Breadth first, then personalised PageRank."""

    name = "pagerank"
    agents = PageRankAgents
    reads_vectors = False


class Greedy(KHop):
    """The best cosine edge first."""

    name = "greedy"
    agents = GreedyAgents
