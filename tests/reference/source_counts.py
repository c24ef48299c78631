"""The count of a belief's independent sources and their corroboration: what cypher/knowledge/beliefs/rows.cypher is to
reckon, from the independences of the statements."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from clause.knowledge.beliefs.confidence import CORROBORATED, EVERYONE, LADDER, StatementOrigin, independences


class SourceCount(NamedTuple):
    """The count of independent sources of a belief.

    Attributes:
        sources: the sum of the independences, rounded half up, so that sources which are half alike are two; one at
            least, where there is a statement.
        freed: whether somebody who is not upstream says it too: then its lineage caps it no longer.
    """

    sources: int
    freed: bool


def counted(statements: Sequence[StatementOrigin], upstream: Iterable[str] = ()) -> SourceCount:
    """The count of the statements; `upstream` are the marks of everyone who said something in the lineage."""
    seen = set(upstream)
    below = bool(seen) or any(one.derived for one in statements)
    values = independences(statements, seen)
    said, direct = 0, 0.0
    for one, value in zip(statements, values, strict=True):
        if one.recalled:
            continue
        said += 1
        marks = one.marks | one.authors if below else one.marks
        if not (one.derived or EVERYONE in seen or marks & seen):
            direct += value
        seen |= marks
    return SourceCount(max(_rounded(sum(values)), min(1, said)), _rounded(direct) >= 1)


def corroboration(statements: Sequence[StatementOrigin]) -> float | None:
    """1 - prod(1 - r_j i_j) over the sources, at least the repeat ladder's step; None with too few sources."""
    count = counted(statements).sources
    if count < CORROBORATED:
        return None
    values = independences(statements)
    missing = math.prod(1 - one.reliability * value for one, value in zip(statements, values, strict=True))
    return max(1 - missing, LADDER[min(count, len(LADDER)) - 1])


def _rounded(total: float) -> int:
    return int(total + 0.5 + 1e-9)
