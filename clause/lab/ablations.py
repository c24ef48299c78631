"""The learned policy with one part taken out or exchanged, by the names that `--policy` takes.

Each says what one agent, or what it observes, is worth: the rest is the learned policy as it ships.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from clause.lab.ablation_agents import (
    AfterReading,
    CitesInOrder,
    FollowPlan,
    OptimalArchitect,
    ProvesOptimally,
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
from clause.policy.serve.grounded import GroundedPolicy, found_by
from clause.reasoning.agents.heuristic import HeuristicArchitect, HeuristicCurator, HeuristicNavigator
from clause.reasoning.agents.policy import (
    Account,
    Agents,
    Decision,
    Embed,
    PlainAgents,
    PlainPolicy,
    Policy,
    ProvedAnswer,
    Question,
)
from clause.reasoning.agents.proving import ProvingAgents
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
from clause.reasoning.neighbourhood.port import Edge, Expansion
from clause.reasoning.question.reading import RankedReading

if TYPE_CHECKING:
    from clause.policy.serve.agents import LearnedAgents

ArchitectTurn = Callable[[Episode], Decision[ArchitectAction | Look]]
NavigatorTurn = Callable[[Episode], Decision[NavigatorAction | Look]]
CuratorTurn = Callable[[Episode], Decision[CuratorAction]]
Scores = Callable[[Episode], Mapping[str, float]]

OBSERVED_EDGES, OBSERVED_STEPS, OBSERVED_TOKENS = (5, 10, 20, 200), (3, 6, 10), (64, 128, 256, 2048)
"""The pool that `budgets-shuffled` draws from: the frontier's limits and ample ones."""


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


@dataclass(frozen=True, slots=True)
class ReadAnswers:
    """The answers that a reading gives, best first, each with its proof; `topics` are what its walks start from."""

    found: Sequence[ProvedAnswer]
    topics: Sequence[str]


@dataclass(slots=True)
class KnowingAgents(ProvingAgents):
    """The proving agents, who know what the other readings would answer, too."""

    rivals: Sequence[ReadAnswers] = ()


@dataclass(slots=True)
class ChoosesReading(KnowingAgents):
    """Proves the reading of which the limits can be expected to prove most: its probability times the F1 of what they
    pay for; where the first is sure enough to be answered, only among those that are.
    """

    least: float = 0.0

    def _settle(self, episode: Episode) -> None:
        if not self.found or self._purse(self.found, episode).whole():
            return
        least = self.least if self._score >= self.least else 0.0
        sure = [one for one in self.rivals if one.found[0].score >= least]
        choices = [ReadAnswers(self.found, self.topics), *sure]
        worth = []
        for one in choices:
            self.topics = one.topics
            paid = len(self._bought(one.found, episode))
            worth.append(one.found[0].score * 2 * paid / (paid + len(one.found)))
        chosen = choices[worth.index(max(worth))]
        self.found, self.topics = chosen.found, chosen.topics
        ProvingAgents._settle(self, episode)


class ReadsAll(GroundedPolicy):
    """The grounded policy, whose agents know every reading's answers."""

    def _proving(
        self,
        question: Question,
        account: Account,
        listed: Sequence[RankedReading],
        reads: Sequence[tuple[Look, Expansion]],
    ) -> KnowingAgents:
        served = GroundedPolicy._proving(self, question, account, listed, reads)
        told = zip(listed[1:], account.readings[1:], strict=True)
        rivals = [ReadAnswers(found_by(one, said.probability), one.topics) for one, said in told]
        return KnowingAgents(served.found, account, reads, served.topics, served.prices, served.count, rivals=rivals)


NULL = "depth-first"
"""The best reading, its answers in the order in which it found them."""

MakeAgents = Callable[[KnowingAgents, str], ProvingAgents]
"""(the agents of a question as served, its text) -> agents of which some decide otherwise."""


def _agents(
    kind: type[ProvingAgents],
    served: ProvingAgents,
    *,
    found: Sequence[ProvedAnswer] | None = None,
    rule: bool = False,
    **own: Any,
) -> ProvingAgents:
    """Agents that begin where others began. `rule`: the Architect buys in order, without looking at the costs."""
    answers, count = served.found if found is None else found, None if rule else served.count
    return kind(answers, served.account, served.reads, served.topics, served.prices, count, **own)


def _answers_shuffled(served: ProvingAgents, text: str) -> list[ProvedAnswer]:
    return random.Random(text).sample(list(served.found), len(served.found))  # noqa: S311 -- a reproducible draw


def _mixed(served: KnowingAgents, _text: str) -> ProvingAgents:
    """Answers of all readings: always the one that adds most expected F1 for an edge, while any adds some."""
    readings = [ReadAnswers(served.found, served.topics), *served.rivals]
    sets = {frozenset((one.name, one.node) for one in reading.found): reading for reading in reversed(readings)}
    likely = {names: reading.found[0].score for names, reading in sets.items() if reading.found}
    total = max(1.0, sum(likely.values()))

    def expected(chosen: frozenset[Any]) -> float:
        return sum(2 * p * len(chosen & names) / (len(chosen) + len(names)) for names, p in likely.items()) / total

    waiting = {(one.name, one.node): one for reading in reversed(readings) for one in reading.found}
    order: list[ProvedAnswer] = []
    bought: set[Edge] = set()
    chosen: frozenset[Any] = frozenset()
    while waiting:
        now = expected(chosen)
        rates = {
            key: (expected(chosen | {key}) - now) / (0.1 + len(set(one.triples) - bought))
            for key, one in waiting.items()
        }
        best = max(rates, key=lambda key: rates[key])
        if rates[best] <= 0:
            break
        order.append(waiting.pop(best))
        bought.update(order[-1].triples)
        chosen |= {best}
    mixed = _agents(ProvingAgents, served, found=order, rule=True)
    mixed.topics = list(dict.fromkeys(topic for reading in readings for topic in reading.topics))
    return mixed


def _any_reading(served: KnowingAgents, text: str) -> ProvingAgents:
    first, least = ReadAnswers(served.found, served.topics), served.account.abstain_below or 0.0
    sure = [one for one in served.rivals if one.found[0].score >= least]
    drawn = random.Random(text).choice([first, *sure])  # noqa: S311 -- a reproducible draw
    agents = _agents(ProvingAgents, served, found=drawn.found)
    agents.topics = drawn.topics
    return agents


DECIDING: Mapping[str, MakeAgents] = {
    "served": lambda served, _: _agents(ProvingAgents, served),
    NULL: lambda served, _: _agents(CitesInOrder, served, rule=True, order=served.found),
    "greedy over readings": _mixed,
    "optimum": lambda served, _: _agents(ProvesOptimally, served),
    "architect by rule": lambda served, _: _agents(ProvingAgents, served, rule=True),
    "architect random": lambda served, text: _agents(
        ProvingAgents, served, found=_answers_shuffled(served, text), rule=True
    ),
    "navigator by worth": lambda served, _: _agents(
        ChoosesReading, served, rivals=served.rivals, least=served.account.abstain_below
    ),
    "navigator random": _any_reading,
    "curator by rule": lambda served, _: _agents(CitesInOrder, served, order=served.found),
    "curator random": lambda served, text: _agents(
        CitesInOrder, served, order=_answers_shuffled(served, text), stops=False
    ),
    "all random": lambda served, text: _agents(
        CitesInOrder,
        served,
        rule=True,
        found=_answers_shuffled(served, text),
        order=_answers_shuffled(served, text),
        stops=False,
    ),
}
"""Deciders in the study of proofs, by name; the rules and the optimum are those of `docs/benchmarks-training.md`."""
