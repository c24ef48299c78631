"""May a text stand for a cluster? Pure arithmetic on distances to the centroid."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clause.values.models import ValidationResult

SPREAD = 0.5
"""Standard deviations above the members' mean distance that a candidate may lie."""

TOLERANCE = 1e-9
"""Added to the threshold, so that a candidate exactly at it passes whatever the rounding."""


def cosine_distances(vectors: ArrayLike, centroid: ArrayLike) -> NDArray[np.float64]:
    """1 - cosine of each row of `vectors` [n, d] to `centroid` [d], float64 [n], computed in double precision.

    A vector without length is at distance 1.

    >>> cosine_distances([[1, 0], [0, 2], [-1, 0]], [3, 0]).tolist()
    [0.0, 1.0, 2.0]
    """
    rows = np.atleast_2d(np.asarray(vectors, dtype=np.float64))
    target = np.asarray(centroid, dtype=np.float64)
    lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(target)
    cosines: NDArray[np.float64] = np.divide(rows @ target, lengths, out=np.zeros(len(rows)), where=lengths > 0)
    return 1.0 - cosines


def judge(candidate: ArrayLike, members: ArrayLike, centroid: ArrayLike) -> ValidationResult:
    """Whether `candidate` [d] lies within mean + 0.5 * std (ddof 0) of the distances of `members` [n, d], n >= 1.

    >>> judge([1, 0], [[1, 0], [1, 0]], [1, 0]).valid
    True
    >>> judge([0, 1], [[1, 0], [1, 0]], [1, 0]).reason
    'Value too far from centroid (distance=1.000, threshold=0.000 [mean=0.000 + 0.5*std=0.000])'
    """
    distances = cosine_distances(members, centroid)
    distance = float(cosine_distances(candidate, centroid)[0])
    mean, std = float(distances.mean()), float(distances.std(ddof=0))
    threshold = mean + SPREAD * std
    valid = distance <= threshold + TOLERANCE
    reason = (
        f"Value too far from centroid (distance={distance:.3f}, "
        f"threshold={threshold:.3f} [mean={mean:.3f} + 0.5*std={std:.3f}])"
    )
    return ValidationResult(
        valid=valid,
        similarity=1.0 - distance if valid else None,
        reason=None if valid else reason,
        candidate_distance=distance,
        mean_distance=mean,
        std_distance=std,
        threshold=threshold,
    )
