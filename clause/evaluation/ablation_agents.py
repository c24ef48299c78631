"""What takes the place of a learned agent in an ablation: chance at equal spend, a plan followed blindly, or nobody."""

from __future__ import annotations

import random
from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING

from clause.evaluation.baselines.curation import WholePathCurator
from clause.reasoning.actions import (
    Action,
    AddEdge,
    ArchitectAction,
    Continue,
    CuratorAction,
    Look,
    NavigatorAction,
    Pick,
    Stop,
)
from clause.reasoning.budget import Spend
from clause.reasoning.episode import Episode
from clause.reasoning.neighbourhood import Edge
from clause.reasoning.policy import Agents, Decision

if TYPE_CHECKING:
    from clause.policy.agents import LearnedAgents

ArchitectTurn = Callable[[Episode], Decision[ArchitectAction | Look]]


class AfterReading:
    """The learned Architect reads along its plan, which the others need; then another one edits.

    Reading is not budgeted, so nothing is spent before the other takes over.
    """

    def __init__(self, learned: Agents, then: ArchitectTurn) -> None:
        self._learned = learned
        self._then = then
        self._has_read = False

    def __call__(self, episode: Episode) -> Decision[ArchitectAction | Look]:
        """A look of the learned Architect, or an edit of the other."""
        if not self._has_read:
            decision = self._learned.architect(episode)
            if isinstance(decision.action, Look):
                return decision
            self._has_read = True
        return self._then(episode)


class WalkEverything:
    """No Architect: nothing is added, and the Navigator walks all that was read."""

    def __call__(self, episode: Episode) -> Decision[ArchitectAction | Look]:
        """Open the graph, and stop."""
        episode.walk_known = True
        return Decision(Stop("COMPLETE"))


class FollowPlan:
    """No Navigator: the hops of the plan, one after another."""

    def __init__(self, agents: LearnedAgents) -> None:
        self._agents = agents

    def __call__(self, episode: Episode) -> Decision[NavigatorAction | Look]:
        """The plan's next hop while it can be walked."""
        plan, depth = self._agents.plan, len(episode.trail)
        if plan is None or depth == len(plan.pattern) or (plan.seed, plan.pattern[depth]) not in episode.hops():
            return Decision(Stop("COMPLETE"))
        return Decision(Continue(plan.pattern[depth], seed=plan.seed))


class WholePaths:
    """The baselines' Curator: whole paths in the order in which their ends were reached, while they fit."""

    def __init__(self) -> None:
        self._curator = WholePathCurator()

    def __call__(self, episode: Episode) -> Decision[CuratorAction]:
        """The next unit."""
        return self._curator.next(episode, episode.front.nodes if episode.front else ())


class RandomArchitect:
    """As many edges as the learned Architect would add here, drawn from those that its plan could add."""

    def __init__(self, agents: LearnedAgents, rng: random.Random) -> None:
        self._agents = agents
        self._rng = rng
        self._edges: int | None = None

    def __call__(self, episode: Episode) -> Decision[ArchitectAction | Look]:
        """One edge more, or stop."""
        if self._edges is None:
            twin = Episode(
                episode.subgraph.seeds, episode.budgets, hard=episode.hard, edge_score=self._agents.edge_score
            )
            twin.subgraph.known, twin.subgraph.nodes = episode.subgraph.known, episode.subgraph.nodes
            self._edges = rehearsed(self._agents.architect, twin).edges
        fresh = self._fresh(episode) if episode.spend.edges < self._edges else []
        return Decision(AddEdge(self._rng.choice(fresh)) if fresh else Stop("COMPLETE"))

    def _fresh(self, episode: Episode) -> list[Edge]:
        plan, found = self._agents.plan, list[Edge]()
        place = episode.subgraph.seeds.index(plan.seed) if plan else None
        for hop in plan.pattern if plan else ():
            if place is None:
                break
            found += episode.subgraph.fresh(place, hop)
            place = episode.subgraph.next_front(place, hop)
        return sorted(set(found))


class RandomNavigator:
    """As many steps as the learned Navigator would take here, each along a typed direction drawn from all."""

    def __init__(self, agents: LearnedAgents, rng: random.Random) -> None:
        self._agents = agents
        self._rng = rng
        self._steps: int | None = None

    def __call__(self, episode: Episode) -> Decision[NavigatorAction | Look]:
        """One hop more, or stop."""
        if self._steps is None:
            twin = copy(episode)
            twin.trail, twin.log = list(episode.trail), list(episode.log)
            self._steps = rehearsed(self._agents.navigator, twin).steps
        options = sorted(episode.hops()) if episode.spend.steps < self._steps else []
        if not options:
            return Decision(Stop("COMPLETE"))
        seed, hop = self._rng.choice(options)
        return Decision(Continue(hop, seed=seed))


class RandomCurator:
    """At most the tokens that the learned Curator would spend here, on units drawn from the pool."""

    def __init__(self, agents: LearnedAgents, rng: random.Random) -> None:
        self._agents = agents
        self._rng = rng
        self._tokens: int | None = None

    def __call__(self, episode: Episode) -> Decision[CuratorAction]:
        """One unit more that fits, or stop."""
        if self._tokens is None:
            twin = copy(episode)
            twin.picked, twin.log = list(episode.picked), list(episode.log)
            self._tokens = rehearsed(self._agents.curator, twin).tokens
        left = self._tokens - episode.spend.tokens
        fitting = [place for place in episode.pickable() if episode.pool[place].tokens <= left]
        return Decision(Pick(self._rng.choice(fitting)) if fitting else Stop("COMPLETE"))


def rehearsed(decide: Callable[[Episode], Decision[Action | Look]], twin: Episode) -> Spend:
    """What an agent spends on a twin of the episode until it stops, or must read more."""
    while True:
        action = decide(twin).action
        if isinstance(action, Look | Stop):
            return twin.spend
        twin.step(action)
