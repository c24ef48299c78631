"""Agents that take the place of learned ones in an ablation: chance at equal spend, a plan followed blindly, rankings
without learning, rules of hand, and the exact optimum of a plan under its limits.

Rules of hand see what the agents see: the plan of the cloned reader, and of each option the answers it may bring for
what it costs. They differ from the teacher of the warm start only in what they rank by. The optimum knows what the
learned agents know and nothing of the gold answers; nobody with the same plan supports more ends of it within the same
limits.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from clause.arrays import Floats, Longs
from clause.lab.baselines.ranked import WholePathCurator
from clause.policy.serve.decider import Decider, Pilot
from clause.policy.serve.observations import ARCHITECT_OPTION, CURATOR_OPTION, EDGE
from clause.policy.serve.tree import PlanTree
from clause.policy.train.demonstrations import depth_first
from clause.reasoning.agents.policy import Agents, Decision, ProvedAnswer, Question
from clause.reasoning.agents.proving import ProvingAgents, walks_of
from clause.reasoning.episode.actions import (
    ARCHITECT,
    CURATOR,
    Action,
    AddEdge,
    Agent,
    ArchitectAction,
    Continue,
    CuratorAction,
    Look,
    NavigatorAction,
    Pick,
    Stop,
)
from clause.reasoning.episode.budget import Spend
from clause.reasoning.episode.driver import unit_vectors
from clause.reasoning.episode.episode import Episode
from clause.reasoning.neighbourhood.port import Edge

if TYPE_CHECKING:
    from clause.policy.serve.agents import LearnedAgents

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
    """The spending of an agent on a twin of the episode until it stops, or must read more."""
    while True:
        action = decide(twin).action
        if isinstance(action, Look | Stop):
            return twin.spend
        twin.step(action)


CuratorTurn = Callable[[Episode], Decision[CuratorAction]]
RELEVANCE = 0.7
"""Weight of likeness against redundancy in MMR."""


class ListCurator:
    """Picks the units of one order, each that still fits."""

    def __init__(self, order: Callable[[Episode], list[int]]) -> None:
        self._order = order
        self._queue: list[int] | None = None

    def __call__(self, episode: Episode) -> Decision[CuratorAction]:
        """The next unit that fits, or stop."""
        if self._queue is None:
            self._queue = self._order(episode)
        fitting = set(episode.pickable())
        while self._queue:
            place = self._queue.pop(0)
            if place in fitting:
                return Decision(Pick(place))
        return Decision(Stop("COMPLETE" if episode.picked else "NO_CANDIDATES"))


def first_fit(_question: Question) -> CuratorTurn:
    """The order of the pool: what was walked first."""
    return ListCurator(lambda episode: list(range(len(episode.pool))))


def top_k(question: Question) -> CuratorTurn:
    """By falling cosine with the question; k is what the token budget allows."""

    def order(episode: Episode) -> list[int]:
        likeness = unit_vectors(episode.pool, question) @ question.embedding
        return [int(place) for place in np.argsort(-likeness, kind="stable")]

    return ListCurator(order)


def mmr(question: Question) -> CuratorTurn:
    """Maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998): 0.7 likeness - 0.3 the likest picked unit."""

    def order(episode: Episode) -> list[int]:
        vectors = unit_vectors(episode.pool, question)
        likeness = vectors @ question.embedding
        nearest = np.zeros(len(vectors), dtype=np.float32)
        still_open = np.ones(len(vectors), dtype=bool)
        ranked: list[int] = []
        for _ in range(len(vectors)):
            scores = np.where(still_open, RELEVANCE * likeness - (1 - RELEVANCE) * nearest, -np.inf)
            best = int(np.argmax(scores))
            ranked.append(best)
            still_open[best] = False
            nearest = np.maximum(nearest, vectors @ vectors[best])
        return ranked

    return ListCurator(order)


@dataclass(slots=True)
class RankedByHand(Decider):
    """Edges inside a bundle by falling efficiency; what is done is the pilot's."""

    def rank(self, rows: Floats, context: Floats) -> Floats:  # noqa: ARG002 -- as Decider's
        """Answers for what they cost."""
        ranks: Floats = rows[:, EDGE.index("efficiency")]
        return ranks


def efficiency_depth_first(agents: LearnedAgents) -> LearnedAgents:
    """Depth first, the best edge of each front first; whole paths in the order in which they were reached."""
    return _piloted(agents, depth_first)


def efficiency_greedy(agents: LearnedAgents) -> LearnedAgents:
    """Always the bundle with the most answers for its cost, then the walks with the fewest tokens for an answer."""
    return _piloted(agents, greedy)


def greedy(agent: Agent, options: Floats, context: Floats) -> int:
    """The row with the most answers for its cost that exceeds nothing; 0, STOP, where there is none."""
    if agent == ARCHITECT:
        return _best(options, ARCHITECT_OPTION, options[:, ARCHITECT_OPTION.index("efficiency")])
    if agent == CURATOR:
        return _best(options, CURATOR_OPTION, -options[:, CURATOR_OPTION.index("tokens_per_answer")])
    return depth_first(agent, options, context)


def _best(options: Floats, names: tuple[str, ...], worth: Floats) -> int:
    kept = (options[:, names.index("exceeds")] == 0) & (options[:, names.index("is_stop")] == 0)
    if "is_delete" in names:
        kept &= options[:, names.index("is_delete")] == 0
    return int(np.where(kept, worth, -np.inf).argmax()) if kept.any() else 0


def _piloted(agents: LearnedAgents, pilot: Pilot) -> LearnedAgents:
    return replace(agents, decider=RankedByHand(agents.decider.networks, pilot=pilot), deletes=False)


EDGE_WEIGHT = 1e-4
"""The count of an edge against an end, so that none is added in vain."""


class OptimalArchitect:
    """Adds the edges that bring the most ends of the plan within the limits."""

    def __init__(self, agents: LearnedAgents) -> None:
        self._agents = agents
        self._edges: list[Edge] | None = None

    def __call__(self, episode: Episode) -> Decision[ArchitectAction | Look]:
        """The next edge, or stop."""
        tree = self._agents.tree
        if self._edges is None:
            tokens = episode.budgets.tokens - episode.budgets.token_margin
            self._edges = best_edges(tree, episode.budgets.edges, tokens) if tree else []
        return Decision(AddEdge(self._edges.pop(0)) if self._edges else Stop("COMPLETE"))


def best_edges(tree: PlanTree, edges: int, tokens: int) -> list[Edge]:
    """The edges to as many ends of the tree as so many edges and tokens reach, nearest the seed first.

    Variables, all 0 or 1: an edge is bought, an edge is walked at a depth, a node is reached at a depth. A walk needs
    the edge and its near node; a node needs a walk to it; the seed is there.

    Raises:
        RuntimeError: the solver found no optimum.
    """
    distinct = {edge: place for place, edge in enumerate(dict.fromkeys(e for one in tree.levels for e in one.edges))}
    first = np.cumsum([0, *(len(nodes) for nodes in tree.nodes)])
    bought = np.array([distinct[edge] for level in tree.levels for edge in level.edges], dtype=np.int64)
    near, far = (
        np.concatenate([getattr(level, side) + first[depth + by] for depth, level in enumerate(tree.levels)])
        for side, by in (("near", 0), ("far", 1))
    )
    walks, nodes = len(bought), int(first[-1])
    walked, reached = sparse.identity(walks), sparse.identity(nodes)
    blocks = [
        [-_incidence(bought, len(distinct)), walked, None],
        [None, walked, -_incidence(near, nodes)],
        [None, -_incidence(far, nodes).T, reached],
        [np.array([np.ones(len(distinct)), [tree.tokens[edge] for edge in distinct]]), None, None],
    ]
    most = np.concatenate([np.zeros(2 * walks + nodes), [edges, tokens]])
    most[2 * walks] = 1  # the seed needs no walk
    worth = np.concatenate([np.full(len(distinct), EDGE_WEIGHT), np.zeros(walks), np.zeros(nodes)])
    worth[len(worth) - tree.answers :] = -1
    found = milp(
        worth,
        constraints=LinearConstraint(sparse.bmat(blocks, format="csr"), ub=most),
        integrality=np.ones(len(worth)),
        bounds=Bounds(0, 1),
    )
    if found.status != 0:
        raise RuntimeError(f"no optimum: {found.message}")
    return [edge for edge, place in distinct.items() if found.x[place] > 0.5]


def _incidence(columns: Longs, width: int) -> sparse.csr_matrix:
    rows = np.arange(len(columns))
    return sparse.csr_matrix((np.ones(len(columns)), (rows, columns)), shape=(len(columns), width))


@dataclass(slots=True)
class CitesInOrder(ProvingAgents):
    """A Curator that cites answers in an order of its own; `stops`: until one does not fit."""

    order: Sequence[ProvedAnswer] = ()
    stops: bool = True
    _ordered: bool = False

    def curator(self, episode: Episode) -> Decision[CuratorAction]:
        """The next triple of the next answer."""
        if not self._ordered:
            place = {(one.name, one.node): rank for rank, one in enumerate(self.order)}
            self.found = sorted(self.found, key=lambda one: place.get((one.name, one.node), len(place)))
            self._ordered = True
        decision = ProvingAgents.curator(self, episode)
        return Decision(Stop("BUDGET_EXHAUSTED")) if self._uncited and self.stops else decision


@dataclass(slots=True)
class ProvesOptimally(ProvingAgents):
    """Proves as many answers of the first reading as limits can pay for, where all are ends of one walk."""

    def _settle(self, episode: Episode) -> None:
        walks = {tuple(walks_of(one.triples, self.topics)) for one in self.found}
        walk = next(iter(walks))[0] if len(walks) == 1 and len(next(iter(walks))) == 1 else ("", ())
        one_walk = walk[1] and all(len(one.triples) == len(walk[1]) and one.node for one in self.found)
        if not one_walk or self.count is None or len(self.topics) > 1:
            return ProvingAgents._settle(self, episode)
        tree, left = PlanTree.build(episode.subgraph, *walk, self.count), episode.remaining
        if tree.nodes[-1].keys() != {one.node for one in self.found}:
            return ProvingAgents._settle(self, episode)
        edges = set(best_edges(tree, left.edges, left.tokens)) if len(walk[1]) <= left.steps else set()
        ways: dict[str, tuple[Edge, ...]] = {walk[0]: ()}
        for level in tree.levels:
            ends = [(edge, near) for edge in level.edges if edge in edges for near in ways if near in edge]
            ways = {edge.other(near): (*ways[near], edge) for edge, near in ends if edge.other(near) != walk[0]}
        self.found = [replace(one, triples=ways[one.node]) for one in self.found if one.node in ways]
        return None
