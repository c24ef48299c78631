"""Vectors that callers bring: checked before they reach an index that would take anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from clause.errors import OutOfBoundsError


def unit_vector(numbers: Sequence[float], dimension: int, field: str = "embedding") -> NDArray[np.float32]:
    """`numbers` as a unit vector, float32 [d].

    Raises:
        OutOfBoundsError: another length than the embedder's, a number that is not finite, or no length at all.

    >>> unit_vector([3.0, 4.0], 2).round(1).tolist()
    [0.6000000238418579, 0.800000011920929]
    """
    vector = np.asarray(numbers, dtype=np.float64)
    if vector.shape != (dimension,):
        raise OutOfBoundsError(f"{len(numbers)} numbers are no vector here", field=field, bound=f"{dimension} numbers")
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length < np.finfo(np.float32).tiny:
        raise OutOfBoundsError("a vector has finite numbers and a length above 0", field=field, bound="a direction")
    return (vector / length).astype(np.float32)


def all_vectors(
    given: Sequence[Sequence[float] | None], made: Iterable[NDArray[np.float32]], dimension: int
) -> NDArray[np.float32]:
    """Unit vectors float32 [n, d]: those that were given, and in the places of None those `made`, in their order.

    >>> all_vectors([None, [0.0, 2.0]], [np.array([1.0, 0.0], dtype=np.float32)], 2).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    rest = iter(made)
    return np.stack([next(rest) if one is None else unit_vector(one, dimension) for one in given])
