"""Cosine similarity of vectors, as the rest of the product means it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float32]


def cosine(left: ArrayLike, right: ArrayLike) -> float:
    """Cosine of two vectors [d], in [-1, 1]; 0.0 where either has no length.

    >>> cosine([1, 0], [1, 1]).__round__(4)
    0.7071
    >>> cosine([0, 0], [1, 1])
    0.0
    """
    return float(cosine_matrix(np.atleast_2d(left), np.atleast_2d(right))[0, 0])


def cosine_matrix(left: ArrayLike, right: ArrayLike) -> FloatArray:
    """Cosines of every row of `left` [n, d] with every row of `right` [m, d]: float32 [n, m], each in [-1, 1].

    Rows without length have cosine 0 with everything.

    Raises:
        ValueError: the two do not have the same number of columns.

    >>> cosine_matrix([[1, 0], [0, 2]], [[3, 0]]).tolist()
    [[1.0], [0.0]]
    """
    products: FloatArray = _unit_rows(left) @ _unit_rows(right).T
    return np.clip(products, -1.0, 1.0)


def clip01(similarity: float) -> float:
    """A cosine clipped to [0, 1]: the form of every similarity field that is bounded so. NaN becomes 0.

    >>> clip01(-0.2), clip01(0.5), clip01(1.0000001)
    (0.0, 0.5, 1.0)
    """
    return min(max(float(similarity), 0.0), 1.0) if similarity == similarity else 0.0  # noqa: PLR0124 - NaN


def _unit_rows(rows: ArrayLike) -> FloatArray:
    matrix = np.asarray(rows, dtype=np.float64)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return (matrix / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
