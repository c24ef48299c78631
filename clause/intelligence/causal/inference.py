"""P(target | do(intervention)) by noisy-OR: exact by variable elimination, or sampled with a stated error.

A factor is (variables, table): table has one axis of length 2 for each variable, in order. The order of elimination is
greedy by the size of the table that is made (Zhang and Poole, 1994; Kjaerulff, 1990), ties by number, so that it is the
same every time.

For a node with causes c (strength s) and inhibitors i (strength t), all binary:

    P(node = 1 | parents) = (1 - prod_c (1 - s_c x_c)) * prod_i (1 - t_i x_i)

A node without causes is present with the base rate (0.5: nothing is known about it), times what its inhibitors leave.
Parents are taken one after the other (parent divorcing: Olesen et al., 1989), so that no table is wider than three
variables before elimination, whatever the number of causes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np

from clause.arrays import Doubles
from clause.intelligence.causal.graph import CausalGraph

A_STEP = 5_000
"""Operations that one elimination counts besides the entries of its table: about what calling numpy costs."""
WIDEST = 22
"""Variables of the largest table that is ever made (32 MiB)."""


class Factor(NamedTuple):
    """A table over some variables."""

    variables: tuple[int, ...]
    table: Doubles


@dataclass(frozen=True)
class Order:
    """In which order variables go, and what that costs; `operations` is None where a table would be too wide."""

    variables: tuple[int, ...]
    operations: int | None


def order_of(scopes: Sequence[Sequence[int]], keep: int) -> Order:
    """A greedy order for factors over `scopes` that keeps one variable.

    >>> order_of([(0,), (0, 1), (1, 2)], keep=2).variables
    (0, 1)
    """
    near: dict[int, int] = {}
    for scope in scopes:
        mask = sum(1 << variable for variable in set(scope))
        for variable in scope:
            near[variable] = near.get(variable, 0) | mask
    for variable in near:
        near[variable] &= ~(1 << variable)
    heap = [(mask.bit_count(), variable) for variable, mask in near.items() if variable != keep]
    heapify(heap)
    gone: list[int] = []
    operations = 0
    while heap:
        width, variable = heappop(heap)
        if variable not in near or near[variable].bit_count() != width:
            continue
        if width + 1 > WIDEST:
            return Order(tuple(gone), None)
        operations += (1 << (width + 1)) + A_STEP
        gone.append(variable)
        clique, mine = near.pop(variable), 1 << variable
        for other in _bits(clique):
            near[other] = (near[other] | clique) & ~mine & ~(1 << other)
            if other != keep:
                heappush(heap, (near[other].bit_count(), other))
    return Order(tuple(gone), operations)


def eliminate(factors: Sequence[Factor], order: Sequence[int], keep: int) -> Doubles:
    """The normalised marginal of `keep` [2], summing the others out in `order`.

    >>> rain = Factor((0,), np.array([0.8, 0.2]))
    >>> wet = Factor((0, 1), np.array([[1.0, 0.0], [0.1, 0.9]]))
    >>> eliminate([rain, wet], [0], keep=1).round(2).tolist()
    [0.82, 0.18]
    """
    place = {variable: number for number, variable in enumerate(order)}
    buckets: list[list[Factor]] = [[] for _ in range(len(order) + 1)]
    for factor in factors:
        buckets[_bucket(factor, place)].append(factor)
    for number, variable in enumerate(order):
        if buckets[number]:
            summed = _summed_out(buckets[number], variable)
            buckets[_bucket(summed, place)].append(summed)
    marginal = np.ones(2)
    for factor in buckets[-1]:
        marginal = marginal * (factor.table if factor.variables == (keep,) else float(factor.table))
    return np.asarray(marginal / marginal.sum())


def _bucket(factor: Factor, place: dict[int, int]) -> int:
    return min((place.get(variable, len(place)) for variable in factor.variables), default=len(place))


def _summed_out(factors: Sequence[Factor], variable: int) -> Factor:
    left = sorted({other for factor in factors for other in factor.variables} - {variable})
    label = {other: number for number, other in enumerate((*left, variable))}
    operands: list[object] = []
    for factor in factors:
        operands += [factor.table, [label[other] for other in factor.variables]]
    table = np.einsum(*operands, list(range(len(left))))  # type: ignore[call-overload]
    return Factor(tuple(left), np.asarray(table))


def _bits(mask: int) -> list[int]:
    found = []
    while mask:
        lowest = mask & -mask
        found.append(lowest.bit_length() - 1)
        mask ^= lowest
    return found


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
        """The part that bears on the target after the intervention, without cycles."""
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
        """The cost of an exact answer; None where it cannot be had."""
        return None if len(self.network.edges) > EXACT_EDGES else self.order.operations

    def exact(self) -> float:
        """The probability by variable elimination.

        >>> from clause.intelligence.causal.graph import CausalEdge
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


def _table(before: int, strength: float, inhibits: bool, cause: str | None) -> Doubles:
    """P(after | [before,] [cause]), axes in that order; a missing `before` is absent, a missing cause present."""
    was = np.array([0.0, 1.0])[:, None] if before else np.zeros((1, 1))
    acts = strength * (np.ones((1, 1)) if cause is None else np.array([0.0, 1.0])[None, :])
    present = was * (1 - acts) if inhibits else 1 - (1 - was) * (1 - acts)
    table = np.stack([1 - present, present], axis=-1)
    shape = ((2,) if before else ()) + (() if cause is None else (2,)) + (2,)
    return np.asarray(table.reshape(shape))
