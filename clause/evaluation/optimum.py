"""The exact optimum of a plan under its limits, by integer programming: how much there is to gain at all.

It knows what the learned agents know, the plan of the cloned reader and what was read along it, and nothing of the gold
answers. Nobody with the same plan supports more ends of it within the same limits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from clause.reasoning.actions import AddEdge, ArchitectAction, Look, Stop
from clause.reasoning.episode import Episode
from clause.reasoning.neighbourhood import Edge
from clause.reasoning.policy import Decision

if TYPE_CHECKING:
    from clause.policy.agents import LearnedAgents
    from clause.policy.tree import PlanTree

EDGE_WEIGHT = 1e-4
"""What an edge counts against an end, so that none is added in vain."""


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


def _incidence(columns: NDArray[np.int64], width: int) -> sparse.csr_matrix:
    rows = np.arange(len(columns))
    return sparse.csr_matrix((np.ones(len(columns)), (rows, columns)), shape=(len(columns), width))
