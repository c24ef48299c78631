"""Two lists of hits become one ranking: weighted reciprocal ranks, or relative scores with their conversation; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from clause.text.retrieval import reciprocal_rank_fusion

DENSE_BEFORE, DENSE_AFTER = 0.1, 0.2
SPARSE_BEFORE, SPARSE_AFTER = 0.5, 0.1
"""How much of the score of what was said just before (after) it a memory gets, by meaning and by words."""

SPEAKER = 0.3
"""What a memory gets when the query names its speaker."""

SHARPNESS = 1.5
"""Exponent of the scaled BM25 scores: a hit that stands out counts more than several that do not."""

SAME_CONVERSATION = timedelta(minutes=30)
"""Memories next to each other in a scope belong to one conversation when no more time lies between them."""


@dataclass(frozen=True)
class MemoryCandidate:
    """A memory that may be recalled: where it stands in its scope, and who said it when."""

    id: str
    scope: str
    sequence: int
    speaker: str | None
    occurred_at: datetime
    last_access_at: datetime


@dataclass(frozen=True)
class Hits:
    """One list of hits.

    Attributes:
        scores: by memory id, best first: cosines, or BM25 scores.
        candidates: the hits, and what was said before and after the first of them.
    """

    scores: Mapping[str, float]
    candidates: Mapping[str, MemoryCandidate]

    @classmethod
    def from_rows(cls, rows: Sequence[Mapping[str, Any]]) -> Hits:
        """Hits from rows of memory/dense, dense_members or sparse."""
        candidates: dict[str, MemoryCandidate] = {}
        for row in rows:
            candidates[row["id"]] = MemoryCandidate(
                row["id"], row["scope"], row["sequence"], row["speaker"], row["occurred_at"], row["last_access_at"]
            )
        for row in rows:
            for beside in row["beside"]:
                candidates.setdefault(beside[0], MemoryCandidate(*beside))
        return cls({row["id"]: row["score"] for row in rows}, candidates)


NO_HITS = Hits({}, {})


def by_ranks(dense: Hits, sparse: Hits, sparse_weight: float) -> dict[str, float]:
    """Weighted reciprocal rank fusion of the two lists (FR-MCS-017)."""
    rankings = [list(dense.scores), list(sparse.scores)]
    return dict(reciprocal_rank_fusion(rankings, [1 - sparse_weight, sparse_weight]))


def by_relative_scores(
    dense: Hits, sparse: Hits, sparse_weight: float, names: frozenset[str] = frozenset()
) -> dict[str, float]:
    """Relative score fusion over hits and what was said beside them.

    Each list is scaled to [0, 1] (cosines from the least one found, BM25 from 0, and sharpened); a memory gets a part
    of the scores of what was said just before and after it, so that an answer is found by its question; `names` are the
    words of the query, and a memory whose speaker is named there gets a little more.
    """
    candidates = {**sparse.candidates, **dense.candidates}
    least = min(dense.scores.values(), default=0.0)
    meaning = _scaled({one: score - least for one, score in dense.scores.items()})
    words = {one: score**SHARPNESS for one, score in _scaled(sparse.scores).items()}
    places = {(one.scope, one.sequence): one for one in candidates.values()}
    fused = {}
    for one in candidates.values():
        before, after = _beside(one, -1, places), _beside(one, 1, places)
        dense_score = meaning.get(one.id, 0.0) + sum(
            share * meaning.get(other.id, 0.0)
            for share, other in ((DENSE_BEFORE, before), (DENSE_AFTER, after))
            if other is not None
        )
        sparse_score = words.get(one.id, 0.0) + sum(
            share * words.get(other.id, 0.0)
            for share, other in ((SPARSE_BEFORE, before), (SPARSE_AFTER, after))
            if other is not None
        )
        fused[one.id] = (1 - sparse_weight) * dense_score + sparse_weight * sparse_score + _named(one, names)
    return fused


def _scaled(scores: Mapping[str, float]) -> dict[str, float]:
    most = max(scores.values(), default=0.0)
    return {one: score / most for one, score in scores.items()} if most > 0 else dict(scores)


def _beside(
    one: MemoryCandidate, step: int, places: Mapping[tuple[str, int], MemoryCandidate]
) -> MemoryCandidate | None:
    other = places.get((one.scope, one.sequence + step))
    return other if other and abs(other.occurred_at - one.occurred_at) <= SAME_CONVERSATION else None


def _named(one: MemoryCandidate, names: frozenset[str]) -> float:
    return SPEAKER if one.speaker and one.speaker.casefold().split()[0] in names else 0.0
