"""What earlier experience says before something is tried: values of the same domain and strategy, in few tokens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clause.text.similarity import cosine_matrix
from clause.text.tokens import count_tokens
from clause.values.models import Premortem, PremortemWarning, Value

MOST_TOKENS = 1500
MOST_VALUES = 200
"""The newest values that are looked at."""


def premortem(
    intent: NDArray[np.float32], values: Sequence[Value], *, limit_tokens: int = MOST_TOKENS, most: int = MOST_VALUES
) -> Premortem:
    """Values nearest to `intent` [d] first, as many as `limit_tokens` cl100k tokens of JSON hold.

    A value that is too long is passed over, and a shorter one behind it may still find a place.
    """
    if not values:
        return Premortem()
    nearness = cosine_matrix(intent[None], [value.embedding for value in values])[0]
    order = sorted(range(len(values)), key=lambda i: (-nearness[i], values[i].id))
    warnings: list[PremortemWarning] = []
    tokens = 2  # the brackets of the list
    for i in order[:most]:
        warning = _warning(values[i], float(nearness[i]))
        cost = count_tokens(warning.model_dump_json()) + 1
        if tokens + cost <= limit_tokens:
            warnings.append(warning)
            tokens += cost
    return Premortem(warnings=tuple(warnings), tokens=tokens if warnings else 0, left_out=len(values) - len(warnings))


def _warning(value: Value, similarity: float) -> PremortemWarning:
    return PremortemWarning(
        value_id=value.id,
        text=value.text,
        axis=value.axis,
        cluster_id=value.cluster_id,
        cluster_size=value.cluster_size,
        similarity=round(similarity, 4),
    )
