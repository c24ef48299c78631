"""Baselines that rank nodes: the Architect gathers edges, the Navigator walks to the best node it can reach.

khop gathers breadth first and ranks by the cosine of node and question; pagerank gathers the same way and ranks by
personalised PageRank from the seeds; greedy always takes the edge whose relationship text and far end are most similar
to the question, and ranks a node by the edges that lead to it. None of them is trained.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import networkx

from clause.evaluation.baselines.curation import WholePathCurator
from clause.reasoning.actions import AddEdge, ArchitectAction, Continue, CuratorAction, Look, NavigatorAction, Stop
from clause.reasoning.episode import Episode
from clause.reasoning.fronts import Path
from clause.reasoning.neighbourhood import Edge, Hop
from clause.reasoning.policy import Agents, Decision, Embed, Question

REACH = 3  # hops: MetaQA's longest


class RankedAgents:
    """The three agents; subclasses say which edge is next and how good a node is."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.paths: dict[str, Path] = {seed.id: Path((seed.id,)) for seed in question.seeds}
        self._target: Path | None = None
        self._curator = WholePathCurator()

    # -- what subclasses say ---------------------------------------------------------------------------------------

    def choose(self, candidates: list[Path]) -> Path:
        """The candidate to add next; `candidates` lead to nodes not reached yet, shortest first."""
        return candidates[0]

    def rank(self, episode: Episode) -> Mapping[str, float]:  # noqa: ARG002 -- for subclasses
        """A score in [0, 1] for every reached node that is not a seed."""
        return {node: self.cosine(node) for node, path in self.paths.items() if path.edges}

    # -- the agents --------------------------------------------------------------------------------------------------

    def architect(self, episode: Episode) -> Decision[ArchitectAction | Look]:
        """Read the next ring when nothing known is left to add; then add the chosen edge."""
        if episode.edge_allowance() < 1:
            return Decision(Stop("BUDGET_EXHAUSTED"))
        reach = min(REACH, episode.budgets.steps)
        inner = [node for node, path in self.paths.items() if len(path.edges) < reach]
        candidates = [path for node in inner for path in self._beyond(episode, node)]
        unread = tuple(episode.subgraph.missing(inner))
        if unread and not (candidates and self._waits(unread, candidates)):
            return Decision(Look(unread))
        if not candidates:
            return Decision(Stop("COMPLETE" if len(self.paths) > len(self.question.seeds) else "NO_CANDIDATES"))
        path = self.choose(sorted(candidates, key=lambda path: len(path.edges)))
        self.paths[path.end] = path
        return Decision(AddEdge(path.edges[-1]))

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

    def _waits(self, unread: tuple[str, ...], candidates: list[Path]) -> bool:
        """Whether reading may wait: something nearer than the unread ring is left to add."""
        ring = min(len(self.paths[node].edges) for node in unread)
        return any(len(path.edges) <= ring for path in candidates)

    def _beyond(self, episode: Episode, node: str) -> Iterator[Path]:
        for edges in episode.subgraph.known.get(node, {}).values():
            for edge in edges:
                if edge.other(node) not in self.paths:
                    yield self.paths[node].then(edge)


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

    def choose(self, candidates: list[Path]) -> Path:
        """The candidate whose last edge is best; ties go to the shortest."""
        return max(candidates, key=lambda path: self._edge_score(path.edges[-1], path.end))

    def rank(self, episode: Episode) -> Mapping[str, float]:  # noqa: ARG002 -- as above
        """The mean edge score of the path to each node."""
        return {
            node: sum(map(self._edge_score, path.edges, path.nodes[1:])) / len(path.edges)
            for node, path in self.paths.items()
            if path.edges
        }

    def _waits(self, unread: tuple[str, ...], candidates: list[Path]) -> bool:  # noqa: ARG002 -- as above
        return False

    def _edge_score(self, edge: Edge, far: str) -> float:
        kind = self.question.relationship_types.get(edge.relation)
        if kind is None:
            return self.cosine(far) / 2
        text = kind.embedding if edge.target == far else kind.inverse_embedding
        return (max(0.0, float(text @ self.question.embedding)) + self.cosine(far)) / 2


class KHop:
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
