"""The learned policy with one part taken out or exchanged, by the names that `--policy` takes.

Each says what one agent, or what it observes, is worth: the rest is the learned policy as it ships.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from clause.lab.ablation_agents import (
    AfterReading,
    FollowPlan,
    OptimalArchitect,
    RandomArchitect,
    RandomCurator,
    RandomNavigator,
    WalkEverything,
    WholePaths,
    efficiency_depth_first,
    efficiency_greedy,
    first_fit,
    mmr,
    top_k,
)
from clause.reasoning.agents.heuristic import HeuristicArchitect, HeuristicCurator, HeuristicNavigator
from clause.reasoning.agents.policy import Agents, Decision, Embed, PlainAgents, PlainPolicy, Policy, Question
from clause.reasoning.episode.actions import (
    AddBundle,
    ArchitectAction,
    CuratorAction,
    Delete,
    Look,
    NavigatorAction,
    Pick,
    Stop,
)
from clause.reasoning.episode.budget import Budgets
from clause.reasoning.episode.episode import Episode
from clause.reasoning.episode.subgraph import EdgeScore

if TYPE_CHECKING:
    from clause.policy.serve.agents import LearnedAgents

ArchitectTurn = Callable[[Episode], Decision[ArchitectAction | Look]]
NavigatorTurn = Callable[[Episode], Decision[NavigatorAction | Look]]
CuratorTurn = Callable[[Episode], Decision[CuratorAction]]
Scores = Callable[[Episode], Mapping[str, float]]

OBSERVED_EDGES, OBSERVED_STEPS, OBSERVED_TOKENS = (5, 10, 20, 200), (3, 6, 10), (64, 128, 256, 2048)
"""What `budgets-shuffled` draws from: the frontier's limits and ample ones."""


class SwappedAgents(PlainAgents):
    """The learned agents, some of their turns taken by others. None leaves a turn to the learned agent."""

    def __init__(
        self,
        learned: Agents,
        *,
        architect: ArchitectTurn | None = None,
        navigator: NavigatorTurn | None = None,
        curator: CuratorTurn | None = None,
        scores: Scores | None = None,
    ) -> None:
        self._learned = learned
        self.architect: ArchitectTurn = AfterReading(learned, architect) if architect else learned.architect
        self.navigator: NavigatorTurn = navigator or learned.navigator
        self.curator: CuratorTurn = curator or learned.curator
        self.answer_scores: Scores = scores or learned.answer_scores

    @property
    def edge_score(self) -> EdgeScore | None:
        """As the learned Architect ranks."""
        return self._learned.edge_score


class MisledAgents(PlainAgents):
    """The learned agents under the true masks, while they see the budgets of another question."""

    def __init__(self, learned: Agents, observed: Budgets) -> None:
        self._learned = learned
        self._observed = observed

    @property
    def edge_score(self) -> EdgeScore | None:
        """As the learned Architect ranks."""
        return self._learned.edge_score

    def architect(self, episode: Episode) -> Decision[ArchitectAction | Look]:
        """The action under the budgets that it sees, cut to what is allowed."""
        decision = self._learned.architect(self._seen(episode))
        if isinstance(decision.action, AddBundle):
            count = min(decision.action.count, episode.edge_allowance())
            action = replace(decision.action, count=count) if count else Stop("BUDGET_EXHAUSTED")
            return Decision(action, decision.score)
        if isinstance(decision.action, Delete) and len(decision.action.edges) > episode.edge_allowance():
            return Decision(Stop("BUDGET_EXHAUSTED"), decision.score)
        return decision

    def navigator(self, episode: Episode) -> Decision[NavigatorAction | Look]:
        """The same for steps."""
        decision = self._learned.navigator(self._seen(episode))
        return decision if episode.may_walk() else Decision(Stop("BUDGET_EXHAUSTED"))

    def curator(self, episode: Episode) -> Decision[CuratorAction]:
        """The same for tokens."""
        decision = self._learned.curator(self._seen(episode))
        action = decision.action
        return Decision(Stop("BUDGET_EXHAUSTED")) if _masked(action, episode) else decision

    def answer_scores(self, episode: Episode) -> Mapping[str, float]:
        """As the learned agents."""
        return self._learned.answer_scores(episode)

    def _seen(self, episode: Episode) -> Episode:
        seen = copy(episode)
        seen.budgets = self._observed
        return seen


def _masked(action: CuratorAction, episode: Episode) -> bool:
    return isinstance(action, Pick) and action.unit not in episode.pickable()


Swap = Callable[["LearnedAgents", Question], Agents]


def _navigator_heuristic(agents: LearnedAgents, question: Question) -> Agents:
    walk = HeuristicNavigator(question)
    return SwappedAgents(agents, navigator=walk.decide, scores=walk.answer_scores)


def _shuffled(agents: LearnedAgents, question: Question) -> Agents:
    rng = seeded(question)
    budgets = Budgets(rng.choice(OBSERVED_EDGES), rng.choice(OBSERVED_STEPS), rng.choice(OBSERVED_TOKENS))
    return MisledAgents(agents, budgets)


SWAPS: Mapping[str, Swap] = {
    "curator-top-k": lambda agents, question: SwappedAgents(agents, curator=top_k(question)),
    "curator-mmr": lambda agents, question: SwappedAgents(agents, curator=mmr(question)),
    "curator-first-fit": lambda agents, question: SwappedAgents(agents, curator=first_fit(question)),
    "architect-heuristic": lambda agents, question: SwappedAgents(
        agents, architect=HeuristicArchitect(question).decide
    ),
    "navigator-heuristic": _navigator_heuristic,
    "curator-heuristic": lambda agents, question: SwappedAgents(agents, curator=HeuristicCurator(question).decide),
    "architect-random": lambda agents, question: SwappedAgents(
        agents, architect=RandomArchitect(agents, seeded(question))
    ),
    "navigator-random": lambda agents, question: SwappedAgents(
        agents, navigator=RandomNavigator(agents, seeded(question))
    ),
    "curator-random": lambda agents, question: SwappedAgents(agents, curator=RandomCurator(agents, seeded(question))),
    "navigator-plan": lambda agents, _: SwappedAgents(agents, navigator=FollowPlan(agents)),
    "curator-whole-paths": lambda agents, _: SwappedAgents(agents, curator=WholePaths()),
    "navigator-only": lambda agents, _: SwappedAgents(agents, architect=WalkEverything()),
    "architect-only": lambda agents, _: SwappedAgents(agents, navigator=FollowPlan(agents), curator=WholePaths()),
    "budgets-shuffled": _shuffled,
    "efficiency-depth-first": lambda agents, _: efficiency_depth_first(agents),
    "efficiency-greedy": lambda agents, _: efficiency_greedy(agents),
    "optimum": lambda agents, _: SwappedAgents(
        agents, architect=OptimalArchitect(agents), navigator=FollowPlan(agents), curator=WholePaths()
    ),
}
"""Ablation by name -> the learned agents of one question with that change."""

READ_VECTORS = {"curator-top-k", "curator-mmr", "architect-heuristic", "navigator-heuristic", "curator-heuristic"}


def seeded(question: Question) -> random.Random:
    """Randomness that is the same whenever this question is asked."""
    return random.Random(question.text)  # noqa: S311 -- a reproducible draw


@dataclass(frozen=True, slots=True)
class Ablation(PlainPolicy):
    """A learned policy with a change; it never abstains, so that answers alone are compared."""

    name: str
    learned: Callable[[], Policy]
    abstain_below: float = 0.0

    @property
    def reads_vectors(self) -> bool:
        """True, because a heuristic compares nodes with the question."""
        return self.name in READ_VECTORS

    async def begin(self, question: Question, embed: Embed) -> Agents:
        """Agents for one question."""
        agents = await self.learned().begin(question, embed)
        return SWAPS[self.name](cast("LearnedAgents", agents), question)


def ablations(learned: Callable[[], Policy]) -> dict[str, Callable[[], Policy]]:
    """Makers of every ablation of the policy that `learned` gives, by name."""

    def maker(name: str) -> Callable[[], Policy]:
        return lambda: Ablation(name, learned)

    return {name: maker(name) for name in SWAPS}
