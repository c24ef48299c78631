"""What a similarity threshold means for somebody's own texts: the curve, and the threshold for a wanted compression."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from clause.errors import BadInputError
from clause.memory.assignment import sequential_labels
from clause.memory.cluster import prototype_of

Floats = NDArray[np.float32]
Progress = Callable[[int, int], None]

THRESHOLDS = (0.95, 0.90, 0.85, 0.80, 0.75, 0.70, 0.65, 0.60, 0.55, 0.50)
"""Where the curve is drawn."""

_LOW, _HIGH = 0.30, 0.999
_HALVINGS = 8


class CurvePoint(BaseModel):
    """What one threshold does to the texts."""

    model_config = ConfigDict(frozen=True)

    threshold: float = Field(description="cosine to a prototype that must be exceeded to join")
    clusters: int = Field(ge=0, description="how many clusters")
    compression: float = Field(ge=0, description="texts / clusters")
    cohesion: float = Field(ge=-1, le=1, description="mean cosine of texts and their prototypes")


class Calibration(BaseModel):
    """The curve, and the threshold that was looked for."""

    model_config = ConfigDict(frozen=True)

    texts: int = Field(ge=0, description="how many texts were joined one after the other")
    curve: tuple[CurvePoint, ...] = Field(description="from strict to loose")
    wanted: str = Field(description="what was looked for")
    found: CurvePoint = Field(description="the threshold that comes closest to it")
    setting: str = Field(description="how to set it")


def curve_point(vectors: Floats, threshold: float) -> CurvePoint:
    """Join unit vectors [n, d] one after the other, as writes do.

    >>> curve_point(np.array([[1, 0], [0, 1], [1, 0]], dtype=np.float32), 0.85).clusters
    2
    """
    labels = sequential_labels(vectors, threshold)
    sums = np.zeros((int(labels.max()) + 1, vectors.shape[1]))
    np.add.at(sums, labels, vectors.astype(np.float64))
    prototypes = np.stack([prototype_of(total) for total in sums])
    cohesion = float(np.einsum("nd,nd->n", prototypes[labels], vectors.astype(np.float64)).mean())
    return CurvePoint(
        threshold=round(threshold, 4),
        clusters=len(sums),
        compression=len(vectors) / len(sums),
        cohesion=min(1.0, max(-1.0, cohesion)),
    )


def calibrate(
    vectors: Floats,
    *,
    compression: float | None = None,
    cohesion: float | None = None,
    thresholds: Sequence[float] = THRESHOLDS,
    progress: Progress = lambda _done, _total: None,
) -> Calibration:
    """The curve over unit vectors [n, d], and by halving the threshold for a wanted compression or cohesion.

    Compression falls and cohesion rises with the threshold, so that the place is between two points of the curve.

    Args:
        vectors: in the order in which the texts came.
        compression: texts for one cluster that are wanted; 4 where neither is given.
        cohesion: mean cosine to the prototype that is wanted.
        thresholds: where the curve is drawn.
        progress: told (done, total) after each threshold that was tried.

    Raises:
        BadInputError: no text, or both wishes.
    """
    if not len(vectors):
        raise BadInputError("there is nothing to calibrate on", remedy="write memories first, or give --texts")
    if compression is not None and cohesion is not None:
        raise BadInputError("compression and cohesion are both wanted", remedy="ask for one")
    wish = compression if compression is not None or cohesion is not None else 4.0
    total, tried = len(thresholds) + _HALVINGS, list[CurvePoint]()

    def look(threshold: float) -> CurvePoint:
        tried.append(curve_point(vectors, threshold))
        progress(len(tried), total)
        return tried[-1]

    def misses(point: CurvePoint) -> float:
        """Above 0 where the threshold is too low."""
        return point.compression - wish if wish is not None else (cohesion or 0.0) - point.cohesion

    curve = tuple(look(threshold) for threshold in sorted(thresholds, reverse=True))
    high = min((point.threshold for point in curve if misses(point) <= 0), default=_HIGH)
    low = max((point.threshold for point in curve if misses(point) > 0 and point.threshold < high), default=_LOW)
    for _ in range(_HALVINGS):
        middle = look((low + high) / 2)
        low, high = (middle.threshold, high) if misses(middle) > 0 else (low, middle.threshold)
    found = min(tried, key=lambda point: (abs(misses(point)), point.threshold))
    return Calibration(
        texts=len(vectors),
        curve=curve,
        wanted=f"compression {wish:g}" if wish is not None else f"cohesion {cohesion:g}",
        found=found,
        setting=f"CLAUSE_MEMORY_THRESHOLD={found.threshold:g}",
    )
