"""The three learned agents of one episode: they read along a plan, then choose among options with their networks."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from clause.arrays import Flags, Floats
from clause.policy.serve.bundles import Picks, Prospect, bundles, walks, whole_front
from clause.policy.serve.decider import Decider
from clause.policy.serve.observations import CURATOR_OPTION, NEUTRAL_PRICE, GainHead, Situation, edge_rows, situation
from clause.policy.serve.reader import ScoredPattern
from clause.policy.serve.tree import CountTokens, Pattern, PlanTree, TreeProgress, worths
from clause.reasoning.agents.policy import Account, Decision, Foresight, LeftOut, ProvedAnswer, SeedCandidate
from clause.reasoning.agents.proving import pick_texts
from clause.reasoning.agents.scoring import step_score
from clause.reasoning.episode.actions import (
    ARCHITECT,
    CURATOR,
    NAVIGATOR,
    Agent,
    ArchitectAction,
    Continue,
    CuratorAction,
    Delete,
    Look,
    NavigatorAction,
    Pick,
    Stop,
)
from clause.reasoning.episode.budget import Prices
from clause.reasoning.episode.episode import Episode
from clause.reasoning.neighbourhood.port import Edge, Expansion, Hop

IS_ALL, EXCEEDS = CURATOR_OPTION.index("is_all"), CURATOR_OPTION.index("exceeds")
CausalScore = Callable[[Hop, str, Sequence[str]], float | None]
"""The type of `Question.causal_score`."""

CONSIDERED = 16
"""Edges of one ranking whose causal scores are looked at: the network's best."""

OfEnd = Callable[[str], float | None]
"""The causal score in [0, 1] of a hop to an end node; None where nothing causal is known of it."""


def by_causes(ranks: Floats, ends: Sequence[str], of_end: OfEnd) -> Floats:
    """Ranks [m] of edges to `ends` in which the first CONSIDERED are put in a new order; only the order means anything.

    Each is scored as the heuristic scores a step: 0.7 of the network's preference (the sigmoid of its rank above their
    mean, as in a pairwise choice) + 0.3 of the causal score; the preference alone where that is unknown. Where it is
    unknown of all of them the ranks come back as they were. Ours: the published policy knows no causes, and what its
    network is given stays what it was trained on.

    >>> by_causes(np.zeros(3, dtype=np.float32), ["a", "b", "c"], {"a": 0.2, "b": 0.9}.get).argsort().tolist()
    [0, 2, 1]
    """
    best = np.argsort(-ranks, kind="stable")[:CONSIDERED]
    causal = [of_end(ends[place]) for place in best.tolist()]
    if all(score is None for score in causal):
        return ranks
    own = ranks[best].astype(np.float64)
    preferences = 1 / (1 + np.exp(own.mean() - own))
    scores = [step_score(one, score) for one, score in zip(preferences.tolist(), causal, strict=True)]
    order = np.argsort(-np.array(scores), kind="stable")
    changed = ranks.copy()
    changed[best[order]] = own.max() + np.arange(len(best), 0, -1)
    return changed


ReadSeed = tuple[SeedCandidate, Sequence[ScoredPattern]]
"""A seed, and the patterns that its question asks for, best first."""

PLANS_TRIED = 6
PATTERNS_OF_A_SEED = 3
LEAST_SHARE = 0.01
"""The share of its seed's best pattern below which a pattern is not tried."""

MOST_READ = 400
"""Nodes whose neighbours are read for one hop of a plan."""

MOST_DECISIONS = 400
"""Decisions that one agent may take: a bound in operations for episodes without masks."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A pattern to walk from a seed; `score` in [0, 1] orders plans and becomes the answers' score.

    `next_hops[d]` holds the log-probabilities of what comes after d hops of the pattern, None standing for STOP.
    """

    seed: str
    pattern: Pattern
    score: float
    next_hops: tuple[Mapping[Hop | None, float], ...] = ()


@dataclass(frozen=True, slots=True)
class SeedWeights:
    """The logistic that judges a (seed, pattern): weights of the log-probability and of the finder's log-odds."""

    bias: float = 0.0
    pattern: float = 1.0
    seed: float = 1.0

    def most(self, seed_score: float) -> float:
        """The best score of any pattern of a seed."""
        return self.score(0.0, seed_score) if self.pattern >= 0 else 1.0

    def score(self, log_probability: float, seed_score: float) -> float:
        """A score in (0, 1)."""
        kept = min(max(seed_score, 1e-4), 1 - 1e-4)
        utility = self.bias + self.pattern * log_probability + self.seed * math.log(kept / (1 - kept))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, utility))))

    def plans(self, read: Sequence[ReadSeed]) -> list[Plan]:
        """What to try of the patterns that were read for each seed, best first."""
        plans = []
        for seed, found in read:
            best = found[0].log_probability if found else 0.0
            for pattern in found[:PATTERNS_OF_A_SEED]:
                if pattern.log_probability - best > math.log(LEAST_SHARE):
                    score = self.score(pattern.log_probability, seed.score)
                    plans.append(Plan(seed.id, pattern.hops, score, pattern.next_hops))
        return sorted(plans, key=lambda plan: -plan.score)[:PLANS_TRIED]


@dataclass(slots=True)
class LearnedAgents:
    """The agents of one question.

    Args:
        plans: what to try, best first.
        rest: works out what to try after these; None: nothing.
        decider: the networks.
        count_tokens: tokens of edges' sentences.
        prices: the request's prices.
        deletes: whether the Architect is offered DELETE.
        gain: the critic's head for relevance; None: nothing is foretold.
        foresights: what it foretold of each hop taken, in order.
        causal: scores hops, from (hop, seed, ends); None where the graph has no causes, or the request wants none.
        account: what the reader says of the question.
        reads: what was read before the episode: nothing.
    """

    plans: list[Plan]
    decider: Decider
    count_tokens: CountTokens
    prices: Prices
    deletes: bool = True
    gain: GainHead | None = None
    foresights: list[Foresight] = field(default_factory=list)
    causal: CausalScore | None = None
    account: Account = field(default_factory=Account)
    reads: Sequence[tuple[Look, Expansion]] = ()
    rest: Callable[[], Awaitable[Sequence[Plan]]] | None = None
    plan: Plan | None = None
    tree: PlanTree | None = None
    _ranks: dict[Edge, float] = field(default_factory=dict)
    _picks: Picks | None = None
    _queue: list[int] = field(default_factory=list)
    _decisions: dict[Agent, int] = field(default_factory=dict)

    @property
    def cut_off(self) -> bool:
        """True where an agent ran into the bound on its decisions."""
        return any(count > MOST_DECISIONS for count in self._decisions.values())

    def edge_score(self, edge: Edge, far: str) -> float:  # noqa: ARG002 -- the protocol's
        """The rank of an edge in the bundle that was decided last."""
        return self._ranks.get(edge, -1e9)

    def architect(self, episode: Episode) -> Decision[ArchitectAction | Look]:
        """Read the plan's fronts, one look for each hop, until a plan leads somewhere; then add bundles."""
        while self.plan is None:
            if not self.plans:
                return Decision(Stop("NO_CANDIDATES") if self.rest is None else Look((), thought=self._think_on))
            if (look := self._look(episode, self.plans[0])) is not None:
                return Decision(look)
        assert self.tree is not None  # noqa: S101 -- comes with the plan
        if self._tired(ARCHITECT):
            return Decision(Stop("COMPLETE"), self.plan.score)
        progress = TreeProgress.of(self.tree, episode)
        here = situation(ARCHITECT, episode, self.prices, self.tree, progress)
        if here.all_fits and self._unpriced and (whole := whole_front(episode, self.tree, progress)) is not None:
            return Decision(whole, self.plan.score)
        return self._bundle(episode, self._prospect(self.tree, progress, here), self.plan.score)

    def _prospect(self, tree: PlanTree, progress: TreeProgress, here: Situation) -> Prospect:
        worth = worths(tree, progress, here.edges_left, here.tokens_left)
        scores = []
        for depth, level in enumerate(tree.levels):
            ranks = np.zeros(len(level.edges), dtype=np.float32)
            chosen = progress.fresh[depth]
            if chosen.any():
                own = self.decider.rank(edge_rows(tree, depth, chosen, worth[depth], here), here.context)
                ranks[chosen] = own if self.causal is None else self._by_causes(tree, depth, chosen, own)
            scores.append(ranks)
        return Prospect(tree, progress, worth, scores, here)

    def _by_causes(self, tree: PlanTree, depth: int, chosen: Flags, ranks: Floats) -> Floats:
        assert self.causal is not None  # noqa: S101 -- the caller has checked
        hop, names, causal = tree.pattern[depth], list(tree.nodes[depth + 1]), self.causal
        ends = [names[place] for place in tree.levels[depth].far[chosen].tolist()]
        return by_causes(ranks, ends, lambda end: causal(hop, tree.seed, (end,)))

    def _bundle(self, episode: Episode, prospect: Prospect, score: float) -> Decision[ArchitectAction | Look]:
        found = bundles(episode, prospect, deletes=self.deletes)
        more = any(fresh.any() for fresh in prospect.progress.fresh)
        left_out = LeftOut("the next edge of the plan", 1, score) if more else None
        if not found.actions:
            return Decision(Stop("BUDGET_EXHAUSTED" if more else "COMPLETE"), score, left_out)
        choice = self.decider.choose(ARCHITECT, found.features(), prospect.here.context)
        if choice.chosen == 0:
            return Decision(Stop(found.stop_reason(more=more)), score, left_out)
        action, depth = found.actions[choice.chosen - 1], found.depths[choice.chosen - 1]
        if isinstance(action, Delete):
            return Decision(action, score)
        edges = prospect.tree.levels[depth].edges
        self._ranks = dict(zip(edges, prospect.scores[depth].tolist(), strict=True))
        if self.decider.trace is not None:
            fresh = prospect.progress.fresh[depth]
            rows = edge_rows(prospect.tree, depth, fresh, prospect.worth[depth], prospect.here)
            row_of = {edges[place]: row for row, place in enumerate(np.flatnonzero(fresh).tolist())}
            drawn = episode.subgraph.fresh(action.front, action.hop, action.node)
            choice.drew(rows[[row_of[edge] for edge in drawn if edge in row_of]], action.count)
        return Decision(action, score)

    def navigator(self, episode: Episode) -> Decision[NavigatorAction | Look]:
        """One hop of the walk, a step back, or the end."""
        if self.plan is None or self.tree is None or self._tired(NAVIGATOR):
            return Decision(Stop("NO_CANDIDATES"))
        progress = TreeProgress.of(self.tree, episode)
        here = situation(NAVIGATOR, episode, self.prices, self.tree, progress)
        options, actions = walks(episode, self.tree, self._next_hops(episode))
        choice = self.decider.choose(NAVIGATOR, options, here.context)
        if choice.chosen == 0:
            return Decision(Stop("COMPLETE" if episode.may_walk() else "BUDGET_EXHAUSTED"), self.plan.score)
        action = actions[choice.chosen - 1]
        if self.gain is not None and isinstance(action, Continue):
            self.foresights.append(self.gain.foresight(here.context, self.decider.key(choice)))
        return Decision(action, self.plan.score)

    def curator(self, episode: Episode) -> Decision[CuratorAction]:
        """The next unit of the answer that was chosen, or another answer's first."""
        if self.plan is None or self.tree is None:
            return pick_texts(episode)
        if not self._queue:
            if self._tired(CURATOR):
                return Decision(Stop("COMPLETE"))
            here = situation(CURATOR, episode, self.prices, self.tree, TreeProgress.of(self.tree, episode))
            tokens_left = float(episode.budgets.tokens - episode.budgets.token_margin - episode.spend.tokens)
            if self._picks is None or len(self._picks.tokens) < len(episode.pool):
                self._picks = Picks(episode)
            options, takes = self._picks.options(episode, here, tokens_left)
            if not takes:
                return self._last_resort(episode, tokens_left)
            fits_whole = bool(options[1, IS_ALL]) and not options[1, EXCEEDS]
            chosen = 1 if fits_whole and self._unpriced else self.decider.choose(CURATOR, options, here.context).chosen
            if chosen == 0:
                cheapest = min(sum(episode.pool[unit].tokens for unit in take) for take in takes)
                return Decision(Stop("GAIN_NEGATIVE"), None, LeftOut("an answer's walk", cheapest, self.plan.score))
            self._queue = list(takes[chosen - 1])
        return Decision(Pick(self._queue.pop(0)), self.plan.score)

    def answer_scores(self, episode: Episode) -> Mapping[str, float]:
        """The plan's score for every end of the whole pattern, a little less without evidence."""
        if self.plan is None or episode.front is None or len(episode.trail) != len(self.plan.pattern):
            return {}
        score = self.plan.score
        return {
            node: score if episode.supporting_path(node) is not None else 0.99 * score for node in episode.front.nodes
        }

    def findings(self, episode: Episode) -> Sequence[ProvedAnswer] | None:  # noqa: ARG002 -- the protocol's
        """None: the ends of the walk are the answers."""
        return None

    @property
    def _unpriced(self) -> bool:
        """True where nothing has a price: then what fits whole is taken whole, and no network is asked."""
        return max(self.prices.edge, self.prices.latency, self.prices.token) <= NEUTRAL_PRICE

    # -- inside --------------------------------------------------------------------------------------------------------

    async def _think_on(self) -> None:
        rest, self.rest = self.rest, None
        self.plans = [] if rest is None else [*await rest()]

    def _look(self, episode: Episode, plan: Plan) -> Look | None:
        """The look that must be taken before the plan can be judged; None once it was taken up or dropped."""
        subgraph = episode.subgraph
        front: dict[str, None] = {plan.seed: None}
        if len(plan.pattern) <= episode.budgets.steps:
            for hop in plan.pattern:
                near = list(front)[:MOST_READ]
                unread = subgraph.missing(near, hop)
                if unread:
                    return Look(tuple(unread), (hop,))
                front = dict.fromkeys(
                    far
                    for node in near
                    for edge in subgraph.known.get(node, {}).get(hop, ())
                    if (far := edge.other(node)) != plan.seed
                )
            if front:
                self.plan = plan
                self.tree = PlanTree.build(subgraph, plan.seed, plan.pattern, self.count_tokens)
                return None
        self.plans.pop(0)
        return None

    def _tired(self, agent: Agent) -> bool:
        self._decisions[agent] = self._decisions.get(agent, 0) + 1
        return self._decisions[agent] > MOST_DECISIONS

    def _next_hops(self, episode: Episode) -> Mapping[Hop | None, float]:
        assert self.plan is not None  # noqa: S101 -- the caller has checked
        walked = episode.front.pattern if episode.front else ()
        on_plan = walked == self.plan.pattern[: len(walked)] and len(walked) < len(self.plan.next_hops)
        return self.plan.next_hops[len(walked)] if on_plan else {}

    @staticmethod
    def _last_resort(episode: Episode, tokens_left: float) -> Decision[CuratorAction]:
        """No walk can be paid: one unit that can, so that evidence is never empty while something could be said."""
        fitting = [place for place in episode.pickable() if episode.pool[place].tokens <= tokens_left]
        if fitting and not episode.picked:
            return Decision(Pick(fitting[0]))
        all_picked = len(episode.picked) == len(episode.pool)
        return Decision(Stop("COMPLETE" if fitting or all_picked else "BUDGET_EXHAUSTED"))
