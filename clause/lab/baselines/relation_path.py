"""relation-path and its two masked forms: a learned classifier names the pattern, the agents walk it.

`relation-path-depth-first` is the null model of policy.md: no reinforcement learning, the pattern's edges depth first
under the hard mask, the Navigator follows them, the Curator takes whole paths in that order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from clause.lab.baselines.ranked import WholePathCurator
from clause.lab.pattern_classifier import PatternClassifier
from clause.policy.serve.tree import Pattern
from clause.reasoning.agents.policy import Agents, Decision, Embed, PlainAgents, PlainPolicy, Question
from clause.reasoning.episode.actions import (
    AddBundle,
    ArchitectAction,
    Continue,
    CuratorAction,
    Look,
    NavigatorAction,
    Stop,
)
from clause.reasoning.episode.episode import Episode
from clause.reasoning.neighbourhood.port import Edge, Hop
from clause.reasoning.question.skeleton import mask, named_span, span_of

LEAST_SHARE = 0.05  # patterns less probable than this are tried only when they are the best
SEEDS_TRIED = 3
UNSUPPORTED = 0.99  # an answer outside the evidence ranks just below one inside


@dataclass(frozen=True, slots=True)
class PatternPlan:
    """A pattern to walk from a seed; `score` is the seed's score times the pattern's probability."""

    seed: str
    pattern: Pattern
    score: float


@lru_cache(maxsize=1)
def shipped_classifier() -> PatternClassifier:
    """The shipped model, read once."""
    return PatternClassifier.load()


def confident(predictions: Sequence[tuple[Pattern, float]], least: float) -> list[tuple[Pattern, float]]:
    """The predictions of at least `least`; always the best one."""
    return [prediction for rank, prediction in enumerate(predictions) if rank == 0 or prediction[1] >= least]


def plans(question: Question, model: PatternClassifier) -> list[PatternPlan]:
    """The patterns to try, best first: the confident ones of the first few seeds, that seed's mention masked."""
    found = []
    for seed in list(question.seeds)[:SEEDS_TRIED]:
        span = span_of(seed.start, seed.end) or named_span(question.text, seed.name)
        predictions = model.predict(mask(question.text, span))
        found += [
            PatternPlan(seed.id, pattern, seed.score * share) for pattern, share in confident(predictions, LEAST_SHARE)
        ]
    return sorted(found, key=lambda plan: -plan.score)


class PatternAgents(PlainAgents, ABC):
    """The three agents of one question. Subclasses differ in the order in which the Architect adds edges."""

    def __init__(self, plans: Sequence[PatternPlan]) -> None:
        self._plans = list(plans)
        self._plan: PatternPlan | None = None
        self._curator = WholePathCurator()

    def architect(self, episode: Episode) -> Decision[ArchitectAction | Look]:
        """Read the pattern's fronts, one look for each hop, until a plan leads somewhere; then add its edges."""
        while self._plan is None:
            if not self._plans:
                return Decision(Stop("NO_CANDIDATES"))
            plan = self._plans[0]
            if len(plan.pattern) > episode.budgets.steps:
                self._plans.pop(0)
                continue
            front: dict[str, None] = {plan.seed: None}
            for hop in plan.pattern:
                unread = episode.subgraph.missing(front, hop)
                if unread:
                    return Decision(Look(tuple(unread), (hop,)))
                known = episode.subgraph.known
                front = dict.fromkeys(
                    far
                    for node in front
                    for edge in known.get(node, {}).get(hop, ())
                    if (far := edge.other(node)) != plan.seed
                )
            if front:
                self._plan = plan
            else:
                self._plans.pop(0)
        bundle = self.next_bundle(episode, self._plan)
        if bundle is not None:
            return Decision(bundle, self._plan.score)
        return Decision(Stop("COMPLETE" if episode.remaining.edges else "BUDGET_EXHAUSTED"))

    @abstractmethod
    def next_bundle(self, episode: Episode, plan: PatternPlan) -> AddBundle | None:
        """The next edges of the plan; None when there are none, or none that fit."""

    def navigator(self, episode: Episode) -> Decision[NavigatorAction | Look]:
        """Follow the plan, hop by hop, each serving the whole front."""
        plan, depth = self._plan, len(episode.trail)
        if plan is None or depth == len(plan.pattern):
            return Decision(Stop("COMPLETE" if plan else "NO_CANDIDATES"))
        hop = plan.pattern[depth]
        if not episode.may_walk():
            return Decision(Stop("BUDGET_EXHAUSTED"))
        if (plan.seed, hop) not in episode.hops():
            return Decision(Stop("NO_CANDIDATES"))
        return Decision(Continue(hop, seed=plan.seed), plan.score)

    def curator(self, episode: Episode) -> Decision[CuratorAction]:
        """Whole paths, in the order in which their ends were reached."""
        return self._curator.next(episode, list(self._ends(episode)))

    def answer_scores(self, episode: Episode) -> Mapping[str, float]:
        """Seed score times pattern probability for every end of the whole pattern, a little less without evidence."""
        if self._plan is None:
            return {}
        score = min(1.0, self._plan.score)
        return {node: score if episode.supporting_path(node) else UNSUPPORTED * score for node in self._ends(episode)}

    def _ends(self, episode: Episode) -> Iterator[str]:
        if self._plan is not None and episode.front is not None and len(episode.trail) == len(self._plan.pattern):
            yield from episode.front.nodes


class FrontByFront(PatternAgents):
    """All edges of a front at once, or none where they do not fit: no thought is given to budgets."""

    def next_bundle(self, episode: Episode, plan: PatternPlan) -> AddBundle | None:
        """The next front as one bundle."""
        for place, hop in _fronts(episode, plan):
            fresh = len(episode.subgraph.fresh(place, hop))
            if fresh:
                return AddBundle(place, hop, fresh) if fresh <= episode.edge_allowance() else None
        return None


class BreadthFirstAgents(PatternAgents):
    """Front by front, as many edges as fit."""

    def next_bundle(self, episode: Episode, plan: PatternPlan) -> AddBundle | None:
        """As much as fits of the next front."""
        for place, hop in _fronts(episode, plan):
            count = min(len(episode.subgraph.fresh(place, hop)), episode.edge_allowance())
            if count:
                return AddBundle(place, hop, count)
        return None


class DepthFirstAgents(PatternAgents):
    """One edge at a time, to the end of the pattern before the next branch."""

    def __init__(self, plans: Sequence[PatternPlan]) -> None:
        super().__init__(plans)
        self._branch: list[tuple[int, str]] | None = None
        self._visited: set[tuple[int, str]] = set()

    def next_bundle(self, episode: Episode, plan: PatternPlan) -> AddBundle | None:
        """The next edge in depth-first order."""
        if self._branch is None:
            self._branch = [(episode.subgraph.seeds.index(plan.seed), plan.seed)]
        while self._branch:
            place, node = self._branch[-1]
            depth = len(self._branch) - 1
            if depth == len(plan.pattern):
                self._branch.pop()
                continue
            hop = plan.pattern[depth]
            fresh = episode.subgraph.fresh(place, hop, node)
            below = episode.subgraph.next_front(place, hop)
            child = None if below is None else self._unvisited(episode, below, node)
            if below is not None and child is not None:
                self._visited.add((below, child))
                self._branch.append((below, child))
            elif not fresh:
                self._branch.pop()
            elif episode.edge_allowance() > 0:
                return AddBundle(place, hop, 1, node)
            else:
                return None
        return None

    def _unvisited(self, episode: Episode, front: int, parent: str) -> str | None:
        def leads(edges: Sequence[Edge], node: str) -> bool:
            return any(edge.other(node) == parent for edge in edges)

        reached = episode.subgraph.fronts[front].reached
        return next(
            (node for node, edges in reached.items() if (front, node) not in self._visited and leads(edges, node)), None
        )


def _fronts(episode: Episode, plan: PatternPlan) -> Iterator[tuple[int, Hop]]:
    place: int | None = episode.subgraph.seeds.index(plan.seed)
    for hop in plan.pattern:
        if place is None:
            return
        yield place, hop
        place = episode.subgraph.next_front(place, hop)


class RelationPath(PlainPolicy):
    """A classifier names the pattern; whole fronts are added. The strong baseline where budgets are ample."""

    name: ClassVar[str] = "relation-path"
    agents: ClassVar[type[PatternAgents]] = FrontByFront
    abstain_below = 0.7  # `clause evaluate abstain --policy relation-path` on MetaQA dev

    def __init__(self, model: PatternClassifier | None = None) -> None:
        self._model = model

    async def begin(self, question: Question, embed: Embed) -> Agents:  # noqa: ARG002 -- the protocol's
        """Agents with the plans of this question."""
        return self.agents(plans(question, self._model or shipped_classifier()))


class BreadthFirst(RelationPath):
    """The same pattern, breadth first under the hard mask."""

    name = "relation-path-breadth-first"
    agents = BreadthFirstAgents


class DepthFirst(RelationPath):
    """The same pattern, depth first under the hard mask: the null model."""

    name = "relation-path-depth-first"
    agents = DepthFirstAgents
