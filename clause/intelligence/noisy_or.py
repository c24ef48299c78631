"""P(target | do(intervention)) by noisy-OR: exact by variable elimination, or sampled with a stated error.

For a node with causes c (strength s) and inhibitors i (strength t), all binary:

    P(node = 1 | parents) = (1 - prod_c (1 - s_c x_c)) * prod_i (1 - t_i x_i)

A node without causes is present with the base rate (0.5: nothing is known about it), times what its inhibitors leave.
Parents are taken one after the other (parent divorcing: Olesen et al., 1989), so that no table is wider than three
variables before elimination, whatever the number of causes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from clause.intelligence.causal_graph import CausalGraph
from clause.intelligence.elimination import Factor, Order, Table, eliminate, order_of

BASE_RATE = 0.5
"""P(node = 1) of a node of which no cause is known."""
SAMPLES = 20_000
"""Draws of a sampled answer: its 95 % half-width is at most 0.007."""
EXACT_EDGES = 200
"""Edges up to which an answer may be exact."""


@dataclass(frozen=True)
class Propagation:
    """One question: P(target = 1 | do(node = value)) in a graph; pure.

    Args:
        graph: as it was read; the intervention and condensing are done here.
        target: whose probability is asked.
        node: what is set from outside; None only observes.
        value: what it is set to.
        base_rate: of nodes without causes.
    """

    graph: CausalGraph
    target: str
    node: str | None = None
    value: bool = True
    base_rate: float = BASE_RATE
    _numbers: dict[str, int] = field(default_factory=dict, repr=False)

    @cached_property
    def network(self) -> CausalGraph:
        """What bears on the target after the intervention, without cycles."""
        mutilated = self.graph if self.node is None else self.graph.do(self.node)
        return mutilated.above(self.target).condensed()

    @cached_property
    def factors(self) -> tuple[Factor, ...]:
        """The factors of the network; variable 0 is the target."""
        target = self.network.stands_for(self.target)
        nodes = [target, *(node for node in self.network.nodes if node != target)]
        number = {node: place for place, node in enumerate(nodes)}
        made: list[Factor] = []
        following = len(nodes)
        for node in nodes:
            steps = self._steps(node)
            chain = [*range(following, following + len(steps) - 1), number[node]]
            following += len(steps) - 1
            for place, (cause, strength, inhibits) in enumerate(steps):
                before = () if place == 0 else (chain[place - 1],)
                parent = () if cause is None else (number[cause],)
                made.append(Factor((*before, *parent, chain[place]), _table(len(before), strength, inhibits, cause)))
        return tuple(made)

    @cached_property
    def order(self) -> Order:
        """In which order the variables go, and what that costs."""
        return order_of([factor.variables for factor in self.factors], keep=0)

    @property
    def operations(self) -> int | None:
        """What an exact answer costs; None where it cannot be had."""
        return None if len(self.network.edges) > EXACT_EDGES else self.order.operations

    def exact(self) -> float:
        """The probability by variable elimination.

        >>> from clause.intelligence.causal_graph import CausalEdge
        >>> Propagation(CausalGraph.of([CausalEdge("rain", "wet", 0.9)]), "wet", "rain").exact()
        0.9
        """
        return min(1.0, max(0.0, float(eliminate(self.factors, self.order.variables, 0)[1])))

    def sampled(self, samples: int = SAMPLES, seed: int = 0) -> tuple[float, float]:
        """(probability, half-width of its 95 % interval) by forward sampling; the same for the same seed."""
        rng = np.random.default_rng(seed)
        drawn: dict[str, np.ndarray[tuple[int], np.dtype[np.bool_]]] = {}
        target = self.network.stands_for(self.target)
        for node in (*self.network.in_order(), target):
            if node in drawn:
                continue
            present = np.zeros(samples, dtype=np.bool_)
            for cause, strength, inhibits in self._steps(node):
                acts = rng.random(samples) < strength
                acts = acts if cause is None else acts & drawn[cause]
                present = present & ~acts if inhibits else present | acts
            drawn[node] = present
        mean = float(drawn[target].mean())
        return mean, 1.96 * math.sqrt(max(mean * (1 - mean), 1 / samples) / samples)

    def _steps(self, node: str) -> list[tuple[str | None, float, bool]]:
        """(cause, strength, inhibits) of a node's parents, causes first; None stands for the node's own rate."""
        if node == self.node:
            return [(None, float(self.value), False)]
        edges = self.network.into.get(node, ())
        causes: list[tuple[str | None, float, bool]] = [(e.cause, e.strength, False) for e in edges if not e.inhibits]
        return [
            *(causes or [(None, self.base_rate, False)]),
            *((e.cause, e.strength, True) for e in edges if e.inhibits),
        ]


def _table(before: int, strength: float, inhibits: bool, cause: str | None) -> Table:
    """P(after | [before,] [cause]), axes in that order; a missing `before` is absent, a missing cause present."""
    was = np.array([0.0, 1.0])[:, None] if before else np.zeros((1, 1))
    acts = strength * (np.ones((1, 1)) if cause is None else np.array([0.0, 1.0])[None, :])
    present = was * (1 - acts) if inhibits else 1 - (1 - was) * (1 - acts)
    table = np.stack([1 - present, present], axis=-1)
    shape = ((2,) if before else ()) + (() if cause is None else (2,)) + (2,)
    return np.asarray(table.reshape(shape))
