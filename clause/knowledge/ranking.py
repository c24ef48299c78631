"""Filters, floors and order of beliefs that may answer a question: pure functions over one belief at a time.

Nothing here depends on what else is stored, so that an answer about the past stays as it was when later facts come in.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from clause.knowledge import belief_rows as rows
from clause.knowledge.models import Belief
from clause.knowledge.models_query import BeliefHit, BeliefQuery, RankingExplanation, Removed
from clause.text.similarity import clip01
from clause.text.slots import read_statement

_PER_DAY = 0.01
_WORDS = 0.5


@dataclass(frozen=True)
class Moment:
    """The clocks of a question.

    Attributes:
        now: when it is asked.
        valid: which truth is asked for.
        recorded: whose knowledge is asked for; None: today's.
    """

    now: datetime
    valid: datetime
    recorded: datetime | None = None


def chosen(
    found: Sequence[Mapping[str, Any]], query: BeliefQuery, moment: Moment
) -> tuple[list[BeliefHit], list[Removed]]:
    """The hits in their order, and what filters and floors took; `found` are rows of `knowledge/search_beliefs`."""
    taken: Counter[str] = Counter()
    hits = []
    asked = forms(query.query)
    for row in found:
        known = row["belief"] if moment.recorded is None else rows.as_recorded(row["belief"], moment.recorded)
        belief = None if known is None else rows.belief_of(known, row["entities"], moment.recorded or moment.now)
        if belief is None:
            taken["as_of_recorded"] += 1
        elif (by := next(_refusals(belief, row["similarity"], query, moment), None)) is not None:
            taken[by] += 1
        else:
            hits.append(_hit(belief, row["similarity"], asked, query, moment))
    hits.sort(key=lambda hit: (-hit.final_score, hit.belief.id))
    return hits[: query.limit], [Removed(by=name, count=count) for name, count in taken.most_common()]


def semantic(similarity: float, asked: frozenset[str], content: str) -> float:
    """Nearness in meaning and words: 1 - (1 - cosine) (1 - half the share of the question's words found).

    >>> semantic(0.5, frozenset({"tea"}), "Ann likes tea"), semantic(0.5, frozenset({"tea"}), "no")
    (0.75, 0.5)
    """
    share = len(asked & forms(content)) / len(asked) if asked else 0.0
    return 1 - (1 - clip01(similarity)) * (1 - _WORDS * share)


def recency(recorded_at: datetime, at: datetime) -> float:
    """exp(-.01 * days); 1.0 for what is recorded after `at`.

    >>> from datetime import UTC, timedelta
    >>> now = datetime(2026, 1, 1, tzinfo=UTC)
    >>> round(recency(now - timedelta(days=100), now), 6)
    0.367879
    """
    return math.exp(-_PER_DAY * max(0.0, (at - recorded_at).total_seconds() / 86_400))


def forms(text: str) -> frozenset[str]:
    """The content words of a text in their look-up forms."""
    return frozenset(form for _, form, _ in read_statement(text).content)


def _hit(belief: Belief, similarity: float, asked: frozenset[str], query: BeliefQuery, moment: Moment) -> BeliefHit:
    weights = query.ranking
    parts = (
        (weights.semantic, semantic(similarity, asked, belief.content)),
        (weights.confidence, belief.confidence.overall),
        (weights.recency, recency(belief.recorded_at, moment.recorded or moment.now)),
    )
    score = sum(weight * value for weight, value in parts) / sum(weight for weight, _ in parts)
    told = RankingExplanation(
        semantic=clip01(parts[0][1]), confidence=parts[1][1], recency=clip01(parts[2][1]), weights=weights
    )
    return BeliefHit(
        belief=belief,
        similarity=max(-1.0, min(1.0, similarity)),
        final_score=clip01(score),
        ranking=told if query.explain else None,
    )


def _refusals(belief: Belief, similarity: float, query: BeliefQuery, moment: Moment) -> Iterator[str]:
    """What stands against a belief, by the names of the request's fields, in the order in which they are counted."""
    if belief.merged_into_id is not None:
        yield "merged"
    if belief.status == "retracted":
        yield "retracted"
    if belief.status == "archived" and not query.include_archived:
        yield "include_archived"
    if belief.status == "superseded" and not query.include_superseded:
        yield "include_superseded"
    if not _valid(belief, query, moment):
        yield "as_of_valid"
    if query.domain_filter and not {one.casefold() for one in query.domain_filter} & {
        one.casefold() for one in belief.domain_path
    }:
        yield "domain_filter"
    if query.entity_id is not None and query.entity_id not in {entity.id for entity in belief.entities}:
        yield "entity_id"
    if query.min_similarity is not None and similarity < query.min_similarity:
        yield "min_similarity"
    for name in type(query.floors).model_fields:
        floor, value = getattr(query.floors, name), getattr(belief.confidence, name)
        if floor is not None and (value is None or value < floor):
            yield f"floors.{name}"


def _valid(belief: Belief, query: BeliefQuery, moment: Moment) -> bool:
    """Whether it was true then; one whose place another took ended there, which asking for superseded ones forgives."""
    ended = belief.valid_until is not None and belief.valid_until <= moment.valid
    forgiven = belief.status == "superseded" and query.as_of_valid is None
    return (belief.valid_from is None or belief.valid_from <= moment.valid) and (not ended or forgiven)
