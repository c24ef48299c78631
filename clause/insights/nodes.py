"""Insights as nodes, with their age in words and their strength now: a stored strength never changes, a topic's
salience fades."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from clause.graph.scopes import scope_token
from clause.insights.conflict_models import Conflict, Topic
from clause.insights.models import VALENCES, FormattedInsight, Insight, StoreInsight, valences_of
from clause.insights.topics import TopicKey

IDLE_DAYS = 7
"""Days without activity before a topic's salience fades."""

DAILY = 0.99
"""The share of it that is left after each further day."""


def salience_at(salience: float, since: datetime, now: datetime) -> float:
    """A topic's salience at `now`, given what it was at its last activity: 1 % less a day after 7 idle days.

    >>> from datetime import UTC
    >>> start = datetime(2026, 1, 1, tzinfo=UTC)
    >>> salience_at(10.0, start, start + timedelta(days=7))
    10.0
    >>> round(salience_at(10.0, start, start + timedelta(days=8)), 6)
    9.9
    """
    idle_days = (now - since) / timedelta(days=1)
    left: float = DAILY ** max(0.0, idle_days - IDLE_DAYS)
    return salience * left


def effective_strength(strength: float, salience: float, original: float) -> float:
    """strength * min(1, salience / original): an insight fades with its topic and never grows beyond what it was.

    An insight of a topic without salience does not fade.

    >>> effective_strength(8.0, 5.0, 10.0), effective_strength(8.0, 20.0, 10.0), effective_strength(8.0, 0.0, 0.0)
    (4.0, 8.0, 8.0)
    """
    return strength if original <= 0 else strength * min(1.0, salience / original)


def strength_label(strength: float) -> str:
    """In words, from 8, 5 and 2 upwards.

    >>> [strength_label(strength) for strength in (8, 7.99, 5, 4.99, 2, 1.99)]
    ['strong memory', 'clear memory', 'clear memory', 'fading memory', 'fading memory', 'distant memory']
    """
    for least, label in ((8, "strong memory"), (5, "clear memory"), (2, "fading memory")):
        if strength >= least:
            return label
    return "distant memory"


def relative_time(then: datetime, now: datetime) -> str:
    """`then` as seen from `now`: whole units, rounded down; both with a time zone. What lies ahead is `just now`.

    Raises:
        TypeError: one of them has no time zone.

    >>> from datetime import UTC
    >>> now = datetime(2026, 6, 1, tzinfo=UTC)
    >>> [relative_time(now - timedelta(minutes=age), now) for age in (59, 60, 7 * 24 * 60 - 1)]
    ['just now', '1 hour ago', '6 days ago']
    """
    if then.tzinfo is None or now.tzinfo is None:
        raise TypeError("an instant without a time zone could be any")
    age = now - then
    if age < timedelta(hours=1):
        return "just now"
    if age < timedelta(days=1):
        return _ago(age // timedelta(hours=1), "hour")
    if age < timedelta(days=7):
        return _ago(age.days, "day")
    if age < timedelta(days=30):
        return _ago(age.days // 7, "week")
    return _ago(age.days // 30, "month")


def temporal_marker(strength: float, then: datetime, now: datetime) -> str:
    """The marker that tells how well and from when something is remembered.

    >>> from datetime import UTC
    >>> temporal_marker(6.0, datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 4, tzinfo=UTC))
    'clear memory from 3 days ago'
    """
    return f"{strength_label(strength)} from {relative_time(then, now)}"


def _ago(count: int, unit: str) -> str:
    return f"{count} {unit}{'' if count == 1 else 's'} ago"


def properties_of(request: StoreInsight, topic: TopicKey, scope: str, salience: float, now: datetime) -> dict[str, Any]:
    """All properties of a new insight's node but id and vector. `salience` is its topic's, as it is now."""
    return {
        "scope": scope,
        "scope_token": scope_token(scope),
        "topic_key": str(topic),
        "category": request.category,
        "content": request.content,
        "name": request.content[:80],
        "sources_scope_max": request.sources_scope_max,
        "created_at": now,
        "recorded_at": now,
        "salience_spent": request.salience_spent,
        "strength_adjustment": request.strength_adjustment,
        "strength": request.salience_spent * request.strength_adjustment,
        "original_topic_salience": salience,
        "confidence": request.confidence,
        "importance": request.importance,
        "novelty": request.novelty,
        **{f"valence_{name}": getattr(request.valences, name) for name in VALENCES},
        "open_questions": list(request.open_questions),
        "participants": list(request.participants),
        "supersedes": request.supersedes,
        "synthesis_source_ids": list(request.synthesis_source_ids),
        "quarantined": request.quarantined,
        "version": 1,
    }


def insight_of(row: Mapping[str, Any]) -> Insight:
    """The model of a row with the columns insight, conflicts ([id, resolved] each) and superseded_by."""
    node = row["insight"]
    conflicts = row["conflicts"]
    return Insight(
        **{name: node[name] for name in Insight.model_fields if name in node},
        valences=valences_of(node),
        conflicts_with=tuple(other for other, _ in conflicts),
        conflict_resolved=bool(conflicts) and all(resolved for _, resolved in conflicts),
        superseded_by=tuple(row["superseded_by"]),
    )


def formatted(insight: Insight, salience: float, now: datetime) -> FormattedInsight:
    """The insight with its marker, as strong as it is while its topic has this `salience`."""
    effective = effective_strength(insight.strength, salience, insight.original_topic_salience)
    told = insight.model_dump(include=set(FormattedInsight.model_fields))
    return FormattedInsight(
        **told,
        effective_strength=effective,
        temporal_marker=temporal_marker(effective, insight.created_at, now),
    )


def conflict_of(row: Mapping[str, Any]) -> Conflict:
    """The model of a row with the columns conflict, insight_id, other_id and topic_key."""
    told = {name: row[name] for name in ("insight_id", "other_id", "topic_key")}
    return Conflict.model_validate({**row["conflict"], **told})


def topic_of(row: Mapping[str, Any], now: datetime) -> Topic:
    """The model of a row of insights/topics."""
    return Topic(
        **{name: row[name] for name in Topic.model_fields if name in row},
        current_salience=salience_at(row["salience"], row["salience_at"], now),
        last_activity_at=row["salience_at"],
    )
