"""Rollouts: episodes of the two kinds, which never mix, with what each decision brought and cost.

A *cap* episode has sampled limits and no prices; the ones without masks move the multipliers, since no masked episode
can exceed a limit. A *price* episode has sampled prices that the agents see, and moves no multiplier. In some cap
episodes the limits change once on the way, so that agents go by what is left and not by what they began with.

A batch holds the choices of one agent, many episodes together, as flat tensors.

Axes: D decisions, N options of all decisions together; `owner` int64 [N] is sorted.

| field    | shape   | what                                                         |
| -------- | ------- | ------------------------------------------------------------ |
| options  | [N, F]  | features of all options of all decisions                     |
| context  | [D, C]  | what the agent knew                                          |
| owner    | [N]     | whose option each is, sorted                                 |
| alone    | [N]     | whether it is an operation of its own: STOP or DELETE        |
| chosen   | [D]     | the place among the N of what was chosen                     |
| old      | [D]     | its log-probability when it was chosen, the order included   |
| edges    | [M, E]  | features of the edges that bundles were drawn from           |
| drawn_by | [M]     | whose edges they are                                         |
| place    | [M]     | in which turn each was drawn, -1: left behind                |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from clause.arrays import Doubles
from clause.policy.serve.agents import LearnedAgents, Plan
from clause.policy.serve.decider import Choice, Decider, OptionPerceptron
from clause.policy.serve.observations import EDGE, NEUTRAL_PRICE, operations_alone
from clause.policy.train.advantage import HEADS
from clause.policy.train.lagrangian import generous_limits, sample_limits, sample_prices
from clause.policy.train.networks import Actors
from clause.reasoning.agents.policy import Agents, Question
from clause.reasoning.episode.budget import RESOURCES, Budgets, Prices, Spend, edge_sentence, relation_text
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


LATEST_CHANGE = 12
"""Limits that change do so before this many edges are spent."""

Kind = Literal["cap", "price"]
EXACT_SHARE = 0.1
"""Weight of the exact match in the reward; the rest is F1 of the supported answers."""


@dataclass(slots=True)
class PlayedEpisode:
    """An episode for the learner.

    Attributes:
        rewards: [T, 5] by HEADS: the task's reward, then costs in units of the limits, then the crossing of any.
        f1: of the supported answers, and `exact` their exact match.
        truncated: whether an agent was cut off by the bound on decisions, which is no end of the task.
    """

    kind: Kind
    hard: bool
    budgets: Budgets
    prices: Prices
    choices: list[Choice]
    rewards: Doubles
    f1: float
    exact: float
    spend: Spend
    truncated: bool

    @property
    def costs(self) -> tuple[float, ...]:
        """Of each constraint: shares of the limits that were spent, and whether any was exceeded."""
        shares = (self.spend.of(resource) / self.budgets.of(resource) for resource in RESOURCES)
        return (*shares, float(bool(self.budgets.exceeded_by(self.spend))))


@dataclass(slots=True)
class SpendMeter:
    """Charges what is spent to the last choice that was made.

    `change` holds limits that come into force when so many edges are spent; never below what is spent by then.
    """

    budgets: Budgets
    choices: list[Choice]
    change: tuple[int, Budgets] | None = None
    rows: list[Doubles] = field(default_factory=list)
    seen: Spend = field(default_factory=Spend)
    crossed: bool = False

    def __call__(self, episode: Episode) -> None:
        """Read the episode's spend after an action."""
        while len(self.rows) < len(self.choices):
            self.rows.append(np.zeros(len(HEADS)))
        now = episode.spend
        if not self.rows or now == self.seen:
            return
        for head, resource in enumerate(RESOURCES, start=1):
            self.rows[-1][head] += now.of(resource) - self.seen.of(resource)
        if not self.crossed and self.budgets.exceeded_by(now):
            self.crossed = True
            self.rows[-1][len(HEADS) - 1] = 1.0
        self.seen = now
        if self.change is not None and not self.crossed and now.edges >= self.change[0]:
            episode.budgets = self.budgets = spared(self.change[1], now)
            self.change = None

    @property
    def rewards(self) -> Doubles:
        """The cost of each choice, in units of the limits in force at the end [T, 5]."""
        rows = np.stack(self.rows)
        rows[:, 1 : 1 + len(RESOURCES)] /= [self.budgets.of(resource) for resource in RESOURCES]
        return rows


def spared(limits: Budgets, spend: Spend) -> Budgets:
    """The limits, each at least what is spent already.

    >>> spared(Budgets(edges=5, steps=3, tokens=64), Spend(edges=7, tokens=10))
    Budgets(edges=7, steps=3, tokens=64, token_margin=0)
    """
    edges, steps, tokens = (max(limits.of(resource), spend.of(resource)) for resource in RESOURCES)
    return Budgets(edges=edges, steps=steps, tokens=tokens)


def play(
    arena: Arena,
    task: Task,
    networks: Mapping[str, OptionPerceptron],
    rng: np.random.Generator,
    *,
    kind: Kind,
    hard: bool,
    changes: bool = False,
) -> PlayedEpisode | None:
    """One sampled episode, in which limits may change; None where no decision was needed."""
    budgets = generous_limits(rng) if kind == "price" else sample_limits(rng)
    prices = sample_prices(rng) if kind == "price" else Prices(NEUTRAL_PRICE, NEUTRAL_PRICE, NEUTRAL_PRICE)
    choices: list[Choice] = []
    change = (int(rng.integers(1, LATEST_CHANGE)), sample_limits(rng)) if changes else None
    meter = SpendMeter(budgets, choices, change)
    agents = arena.agents(task, Decider(networks, rng=rng, trace=choices), prices)
    result = arena.play(task, agents, budgets, prices, hard=hard, after=meter)
    if not choices:
        return None
    rewards = meter.rewards
    rewards[-1, 0] += (1 - EXACT_SHARE) * result.f1 + EXACT_SHARE * result.exact
    reached = result.f1, result.exact, result.spend
    return PlayedEpisode(kind, hard, meter.budgets, prices, choices, rewards, *reached, agents.cut_off)


def collect(
    arena: Arena,
    tasks: Sequence[Task],
    networks: Mapping[str, OptionPerceptron],
    rng: np.random.Generator,
    *,
    episodes: int,
    price_share: float,
    change_share: float = 0.0,
) -> list[PlayedEpisode]:
    """A batch of episodes on tasks drawn at random. Half of all run without masks; price episodes always have them.

    `change_share` of the cap episodes change their limits once.
    """
    found = []
    unmasked = min(1.0, 0.5 / (1 - price_share)) if price_share < 1 else 0.0
    for place in rng.integers(len(tasks), size=episodes).tolist():
        kind: Kind = "price" if rng.random() < price_share else "cap"
        hard = kind == "price" or rng.random() >= unmasked
        changes = kind == "cap" and rng.random() < change_share
        played = play(arena, tasks[place], networks, rng, kind=kind, hard=hard, changes=changes)
        if played is not None:
            found.append(played)
    return found


def segment_sum(values: Tensor, owner: Tensor, decisions: int) -> Tensor:
    """Sums of each decision's values: [N, ...] -> [D, ...]."""
    return torch.zeros(decisions, *values.shape[1:], dtype=values.dtype).index_add(0, owner, values)


def segment_log_softmax(logits: Tensor, owner: Tensor, decisions: int) -> Tensor:
    """Log-probabilities [N] within each decision."""
    largest = torch.full((decisions,), -torch.inf).scatter_reduce(0, owner, logits.detach(), "amax")
    shifted = logits - largest[owner]
    return shifted - segment_sum(shifted.exp(), owner, decisions).log()[owner]


def balanced_log_probabilities(logits: Tensor, owner: Tensor, alone: Tensor, decisions: int) -> Tensor:
    """Two-stage log-probabilities [N]: the operation, then which option.

    `alone` marks the options that are an operation of their own: STOP and DELETE. The utility of the other operation is
    log-sum-exp of its options minus log N, so its options together are as probable against STOP as their mean, whatever
    their number (policy.md).
    """
    others = segment_sum((~alone).float(), owner, decisions).clamp(min=1).log()
    return segment_log_softmax(torch.where(alone, logits, logits - others[owner]), owner, decisions)


def segment_entropy(log_probabilities: Tensor, owner: Tensor, decisions: int) -> Tensor:
    """Entropy of each decision [D], in nats."""
    return -segment_sum(log_probabilities.exp() * log_probabilities, owner, decisions)


def order_log_probability(scores: Tensor, owner: Tensor, place: Tensor, decisions: int) -> Tensor:
    """Plackett-Luce log-probability of the order in which edges were drawn [D].

    Args:
        scores: of all edges that could be drawn [N].
        owner: whose edge each is [N].
        place: 0, 1, ... for the edges drawn, in order; -1 for those left behind [N].
    """
    drawn = place >= 0
    total = torch.zeros(decisions)
    deepest = int(place.max()) + 1 if len(place) else 0
    available = torch.ones_like(drawn)
    for turn in range(deepest):
        hidden = scores.masked_fill(~available, -1e9)
        logs = segment_log_softmax(hidden, owner, decisions)
        now = drawn & (place == turn)
        total = total + segment_sum(torch.where(now, logs, 0.0), owner, decisions)
        available = available & ~now
    return total


@dataclass(frozen=True, slots=True)
class DecisionBatch:
    """See the table above."""

    options: Tensor
    context: Tensor
    owner: Tensor
    alone: Tensor
    chosen: Tensor
    old: Tensor
    edges: Tensor
    drawn_by: Tensor
    place: Tensor

    @property
    def decisions(self) -> int:
        """D."""
        return len(self.chosen)

    @classmethod
    def of(cls, choices: Sequence[Choice]) -> DecisionBatch:
        """Flatten choices of one agent, at least one."""
        sizes = np.array([len(choice.options) for choice in choices])
        starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
        owner = np.repeat(np.arange(len(choices)), sizes)
        alone = [operations_alone(choice.agent, choice.options) for choice in choices]
        ranked = [(row, choice) for row, choice in enumerate(choices) if choice.ranking is not None]
        edges = [choice.ranking for _, choice in ranked if choice.ranking is not None]
        places = []
        for _, choice in ranked:
            place = np.full(len(choice.ranking) if choice.ranking is not None else 0, -1)
            place[list(choice.order)] = np.arange(len(choice.order))
            places.append(place)
        return cls(
            torch.from_numpy(np.concatenate([choice.options for choice in choices])),
            torch.from_numpy(np.stack([choice.context for choice in choices])),
            torch.from_numpy(owner),
            torch.from_numpy(np.concatenate(alone)),
            torch.from_numpy(starts + np.array([choice.chosen for choice in choices])),
            torch.tensor([choice.log_probability for choice in choices], dtype=torch.float32),
            torch.from_numpy(np.concatenate(edges)) if edges else torch.zeros(0, len(EDGE)),
            torch.from_numpy(np.repeat([row for row, _ in ranked], [len(rows) for rows in edges]).astype(np.int64)),
            torch.from_numpy(np.concatenate(places).astype(np.int64)) if places else torch.zeros(0, dtype=torch.long),
        )


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The present opinion of the actors on a batch.

    Attributes:
        log_probabilities: of every option [N].
        chosen: of what was chosen, the order of a bundle's edges included [D].
        entropy: of the options [D].
        keys: the options' keys [N, H], for the critic.
    """

    log_probabilities: Tensor
    chosen: Tensor
    entropy: Tensor
    keys: Tensor


def evaluate(actors: Actors, network: str, batch: DecisionBatch) -> Evaluation:
    """Log-probabilities, entropy and keys of a batch of one agent's choices."""
    logits, keys = actors.network(network)(batch.options, batch.context, batch.owner)
    logs = balanced_log_probabilities(logits, batch.owner, batch.alone, batch.decisions)
    chosen = logs[batch.chosen]
    if len(batch.edges):
        scores, _ = actors.network("edges")(batch.edges, batch.context, batch.drawn_by)
        chosen = chosen + order_log_probability(scores, batch.drawn_by, batch.place, batch.decisions)
    return Evaluation(logs, chosen, segment_entropy(logs, batch.owner, batch.decisions), keys)
