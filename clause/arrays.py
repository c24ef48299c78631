"""Names of array types, each with its dtype; a docstring that takes or gives one says its axes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
"""One embedding, float32 [d], of unit length unless said otherwise."""
Vectors = NDArray[np.float32]
"""Embeddings, float32 [n, d], each of unit length unless said otherwise."""
Floats = NDArray[np.float32]
"""Numbers in float32: similarities, features, what networks take and give."""
Doubles = NDArray[np.float64]
"""Numbers in float64: sums, returns, statistics."""
Ints = NDArray[np.int32]
"""Indices and offsets into stored arrays, int32."""
Longs = NDArray[np.int64]
"""Indices, labels and counts, int64."""
Flags = NDArray[np.bool_]
"""True and false, bool."""
AnyFloats = NDArray[np.floating]
"""Numbers of any float type, for arithmetic that keeps the type it is given."""
Counts = NDArray[np.integer]
"""Whole numbers of any integer type."""
