"""The heuristic policy: the baseline, and the fallback without a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clause.reasoning.actions import ArchitectAction, CuratorAction, Look, NavigatorAction
from clause.reasoning.architect import HeuristicArchitect
from clause.reasoning.curator import HeuristicCurator
from clause.reasoning.episode import Episode
from clause.reasoning.navigator import HeuristicNavigator
from clause.reasoning.policy import Decision, Embed, Question
from clause.reasoning.subgraph import EdgeScore


class HeuristicAgents:
    """The three heuristic agents of one episode. They add single edges, so nothing ranks inside a bundle."""

    edge_score: EdgeScore | None = None

    def __init__(self, question: Question, *, hop_distance: int = 3, min_edge_score: float = 0.0) -> None:
        self.edges = HeuristicArchitect(question, hop_distance, min_edge_score)
        self.walk = HeuristicNavigator(question)
        self.evidence = HeuristicCurator(question)

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
class HeuristicPolicy:
    """Scores of reasoning.md, no training. `judges_hops`: a step's score is what it expects of that hop."""

    name: str = "heuristic"
    reads_vectors: bool = True
    judges_hops: bool = True
    abstain_below: float = 0.05

    async def begin(self, question: Question, embed: Embed) -> HeuristicAgents:  # noqa: ARG002 -- reads no other wording
        """Agents for one question."""
        return HeuristicAgents(question)
