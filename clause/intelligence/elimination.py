"""Variable elimination over binary factors: exact, with its cost known before any table is made.

A factor is (variables, table): table has one axis of length 2 for each variable, in order. The order of elimination is
greedy by the size of the table that is made (Zhang and Poole, 1994; Kjaerulff, 1990), ties by number, so that it is the
same every time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.float64]

A_STEP = 5_000
"""Operations that one elimination counts besides the entries of its table: about what calling numpy costs."""
WIDEST = 22
"""Variables of the largest table that is ever made (32 MiB)."""


class Factor(NamedTuple):
    """A table over some variables."""

    variables: tuple[int, ...]
    table: Table


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


def eliminate(factors: Sequence[Factor], order: Sequence[int], keep: int) -> Table:
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
