"""One episode: the pure state machine that serving and training step alike.

No database and no torch: state + action -> state, spend, and what each agent may do next. Reads of the graph come in
through `WorkingSubgraph.learn`. Every action that would exceed a budget is masked before it is chosen; with
`hard=False` (half of the training rollouts) the masks are off and the spend alone says what happened.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clause.errors import BudgetError
from clause.reasoning.episode.actions import (
    ARCHITECT,
    BUNDLE_COUNTS,
    CURATOR,
    NAVIGATOR,
    Action,
    AddBundle,
    AddEdge,
    Agent,
    Backtrack,
    Continue,
    Delete,
    Pick,
    Restart,
    Stop,
)
from clause.reasoning.episode.budget import Budgets, Spend, Unit, edge_unit_id
from clause.reasoning.episode.subgraph import EdgeScore, Front, Path, WorkingSubgraph, walk
from clause.reasoning.neighbourhood.port import Edge, Hop

UNLIMITED = 1 << 30


@dataclass(frozen=True, slots=True)
class Step:
    """One action as it happened: who, what, its cost, the edges it touched, and the score that chose it."""

    agent: Agent
    action: Action
    cost: Spend
    edges: tuple[Edge, ...] = ()
    score: float | None = None


class Episode:
    """State of one question's episode.

    Args:
        seeds: ids of the candidate seed entities, best first.
        budgets: the hard limits.
        hard: whether masks forbid what would exceed a budget.
        edge_score: ranks the edges inside a bundle.
        walk_known: the Navigator walks everything that was read instead of the working subgraph (/navigate alone).
    """

    def __init__(
        self,
        seeds: Sequence[str],
        budgets: Budgets,
        *,
        hard: bool = True,
        edge_score: EdgeScore | None = None,
        walk_known: bool = False,
    ) -> None:
        self.budgets = budgets
        self.hard = hard
        self.subgraph = WorkingSubgraph(seeds, edge_score)
        self.walk_known = walk_known
        self.spend = Spend()
        self.log: list[Step] = []
        self.trail: list[Front] = []
        self.ended: list[list[Front]] = []
        self.pool: list[Unit] = []
        self.picked: list[int] = []

    @property
    def remaining(self) -> Spend:
        """The amount that each budget still allows."""
        return self.budgets.remaining(self.spend)

    @property
    def front(self) -> Front | None:
        """The front at which the Navigator stands; None before its first hop."""
        return self.trail[-1] if self.trail else None

    @property
    def grounds(self) -> set[str]:
        """The nodes that the pool tells of: the texts, and both ends of the triples."""
        edges = [unit.edge for unit in self.pool if unit.edge is not None]
        ends = {end for edge in edges for end in (edge.source, edge.target)}
        return ends | {unit.node for unit in self.pool if unit.node is not None}

    @property
    def walked(self) -> list[Front]:
        """The fronts of every walk, those of walks that ended at a `Restart` first."""
        return [front for trail in (*self.ended, self.trail) for front in trail]

    # -- SubgraphArchitect ---------------------------------------------------------------------------------------------

    def edge_allowance(self) -> int:
        """Count the edges that may still be edited."""
        return self.remaining.edges if self.hard else UNLIMITED

    def counts(self, available: int) -> tuple[int, ...]:
        """The sizes a bundle may have when `available` edges are fresh: the fixed sizes, and all of them.

        >>> Episode(["a"], Budgets(edges=10)).counts(9)
        (1, 2, 3, 5, 8, 9)
        """
        allowance = self.edge_allowance()
        sizes = [count for count in BUNDLE_COUNTS if count < available and count <= allowance]
        return (*sizes, available) if 0 < available <= allowance else tuple(sizes)

    # -- PathNavigator -------------------------------------------------------------------------------------------------

    def may_walk(self) -> bool:
        """Tell whether one more hop or backtrack fits the step budget."""
        return not self.hard or self.remaining.steps > 0

    def hops(self) -> dict[tuple[str, Hop], Front]:
        """List where the Navigator can go: (seed, hop) -> the front it would reach; empty once the steps are spent."""
        if not self.may_walk():
            return {}
        adjacency = self.subgraph.known if self.walk_known else self.subgraph.adjacency
        starts = [self.front] if self.front else [Front.root(seed) for seed in self.subgraph.seeds]
        found: dict[tuple[str, Hop], Front] = {}
        for start in starts:
            hops = dict.fromkeys(hop for node in start.nodes for hop in adjacency.get(node, ()))
            for hop in hops:
                reached = walk(start, hop, adjacency)
                if reached.reached:
                    found[start.seed, hop] = reached
        return found

    # -- ContextCurator ------------------------------------------------------------------------------------------------

    def offer(self, units: Sequence[Unit]) -> None:
        """Put units into the pool, each id once."""
        known = {unit.id for unit in self.pool}
        for unit in units:
            if unit.id not in known:
                known.add(unit.id)
                self.pool.append(unit)

    def token_allowance(self) -> int:
        """Count the tokens that may still be picked."""
        return self.remaining.tokens if self.hard else UNLIMITED

    def pickable(self) -> list[int]:
        """Places in the pool of the units that are not picked and fit the token budget."""
        allowance, taken = self.token_allowance(), set(self.picked)
        return [place for place, unit in enumerate(self.pool) if place not in taken and unit.tokens <= allowance]

    def supporting_path(self, node: str) -> Path | None:
        """The first walk to an end node of which every edge is in the evidence set."""
        if self.front is None or node not in self.front.reached:
            return None
        chosen = {self.pool[place].id for place in self.picked}
        return self.front.first_path(node, lambda edge: edge_unit_id(edge) in chosen)

    # -- steps ---------------------------------------------------------------------------------------------------------

    def step(self, action: Action, score: float | None = None) -> Step:
        """Apply an action and charge it.

        Raises:
            BudgetError: the action is masked (its cost does not fit, or it is not possible here).
        """
        match action:
            case AddBundle():
                done = self._add_bundle(action)
            case AddEdge(edge):
                done = self._add_edge(action, edge)
            case Delete(edges):
                done = self._delete(action, edges)
            case Continue():
                done = self._continue(action)
            case Backtrack():
                done = self._backtrack(action)
            case Restart():
                done = self._restart(action)
            case Pick(unit):
                done = self._pick(action, unit)
            case Stop():
                done = Step(self._agent(), action, Spend())
        done = Step(done.agent, action, done.cost, done.edges, score)
        self.spend += done.cost
        self.log.append(done)
        return done

    def stop(self, agent: Agent, reason: Stop) -> Step:
        """An agent yields."""
        step = Step(agent, reason, Spend())
        self.log.append(step)
        return step

    def _agent(self) -> Agent:
        return self.log[-1].agent if self.log else ARCHITECT

    def _add_bundle(self, action: AddBundle) -> Step:
        edges = self.subgraph.fresh(action.front, action.hop, action.node)[: action.count]
        if not edges or len(edges) > self.edge_allowance():
            raise BudgetError(f"a bundle of {action.count} edges is masked: {self.edge_allowance()} edits are left")
        self.subgraph.add_to_front(action.front, action.hop, edges)
        return Step(ARCHITECT, action, Spend(edges=len(edges)), tuple(edges))

    def _add_edge(self, action: AddEdge, edge: Edge) -> Step:
        subgraph = self.subgraph
        if self.edge_allowance() < 1 or edge in subgraph.edges or edge in subgraph.deleted:
            raise BudgetError(f"adding {edge} is masked: {self.edge_allowance()} edits are left")
        subgraph.add((edge,))
        return Step(ARCHITECT, action, Spend(edges=1), (edge,))

    def _delete(self, action: Delete, edges: tuple[Edge, ...]) -> Step:
        if not edges or len(edges) > self.edge_allowance() or any(edge not in self.subgraph.edges for edge in edges):
            raise BudgetError(f"deleting {len(edges)} edges is masked: {self.edge_allowance()} edits are left")
        self.subgraph.delete(edges)
        return Step(ARCHITECT, action, Spend(edges=len(edges)), edges)

    def _continue(self, action: Continue) -> Step:
        options = self.hops()
        seed = self.front.seed if self.front else action.seed or next(iter(self.subgraph.seeds), "")
        reached = options.get((seed, action.hop))
        if reached is None:
            raise BudgetError(f"walking {action.hop} from {seed} is masked: {self.remaining.steps} steps are left")
        if action.node is not None:
            start = (self.front or Front.root(seed)).restricted(action.node)
            reached = walk(start, action.hop, self.subgraph.known if self.walk_known else self.subgraph.adjacency)
        self.trail.append(reached)
        return Step(NAVIGATOR, action, Spend(steps=1), tuple(e for edges in reached.reached.values() for e in edges))

    def _backtrack(self, action: Backtrack) -> Step:
        if not self.trail or not self.may_walk():
            raise BudgetError(f"backtracking is masked: {self.remaining.steps} steps are left")
        self.trail.pop()
        return Step(NAVIGATOR, action, Spend(steps=1))

    def _restart(self, action: Restart) -> Step:
        if not self.trail:
            raise BudgetError("beginning again is masked: nothing was walked")
        self.ended.append(self.trail)
        self.trail = []
        return Step(NAVIGATOR, action, Spend())

    def _pick(self, action: Pick, place: int) -> Step:
        is_open = 0 <= place < len(self.pool) and place not in self.picked
        if not is_open or self.pool[place].tokens > self.token_allowance():
            raise BudgetError(f"unit {place} is masked: {self.remaining.tokens} tokens are left")
        self.picked.append(place)
        return Step(CURATOR, action, Spend(tokens=self.pool[place].tokens))
