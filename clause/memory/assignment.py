"""Which cluster each new memory joins: the nearest open one above the threshold, else one of its own; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from clause.memory.cluster import prototype_of

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class OpenCluster:
    """A stored cluster that takes members: its id, and the unnormalised sum [d] of its members."""

    id: str
    sum: NDArray[np.floating]


@dataclass
class Group:
    """New members of one cluster.

    Attributes:
        joins: id of the stored cluster; None where they open one.
        sum: unnormalised sum [d] of the new members.
        members: their places in the batch, with the cosine to the prototype when each joined.
    """

    joins: str | None
    sum: Doubles
    members: list[tuple[int, float]] = field(default_factory=list)


def assign(
    vectors: Floats, known: Sequence[OpenCluster], threshold: float, forced: Sequence[bool] | None = None
) -> list[Group]:
    """Groups of new members, in the order in which their first one came.

    One after the other, as if each were written alone: a vector joins the nearest cluster (stored, or opened by an
    earlier one) if its cosine exceeds `threshold`, and moves that prototype (FR-MCS-002 to 004, 006).

    Args:
        vectors: unit vectors, float32 [n, d].
        known: the stored clusters that may be near.
        threshold: the cosine that must be exceeded.
        forced: which ones open a cluster of their own in any case.

    >>> groups = assign(np.eye(2, dtype=np.float32)[[0, 1, 0]], [], 0.85)
    >>> [[place for place, _ in group.members] for group in groups]
    [[0, 2], [1]]
    """
    count, dimension = vectors.shape
    prototypes = np.zeros((len(known) + count, dimension), dtype=np.float32)
    sums = np.zeros(prototypes.shape, dtype=np.float64)
    for row, cluster in enumerate(known):
        sums[row] = cluster.sum
        prototypes[row] = prototype_of(cluster.sum)
    used, groups = len(known), dict[int, Group]()
    for place, vector in enumerate(vectors):
        alone = forced is not None and forced[place]
        similarities = prototypes[:used] @ vector
        best = int(similarities.argmax()) if used and not alone else -1
        if best < 0 or not similarities[best] > threshold:
            best, used, similarity = used, used + 1, 1.0
        else:
            similarity = float(similarities[best])
        sums[best] += vector
        prototypes[best] = prototype_of(sums[best])
        group = groups.get(best)
        if group is None:
            joins = known[best].id if best < len(known) else None
            group = groups[best] = Group(joins, np.zeros(dimension))
        group.sum += vector
        group.members.append((place, similarity))
    return list(groups.values())


def sequential_labels(vectors: Floats, threshold: float) -> NDArray[np.int64]:
    """The cluster of each vector [n], if memories came one after the other: numbers from 0, in order of opening.

    >>> sequential_labels(np.eye(2, dtype=np.float32)[[0, 1, 0]], 0.85).tolist()
    [0, 1, 0]
    """
    labels = np.zeros(len(vectors), dtype=np.int64)
    for number, group in enumerate(assign(vectors, [], threshold)):
        labels[[place for place, _ in group.members]] = number
    return labels
