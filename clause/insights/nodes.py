"""Insights as nodes: flat properties in the graph, models outside."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from clause.graph.scopes import scope_token
from clause.insights.markers import temporal_marker
from clause.insights.marks import Conflict, Topic
from clause.insights.models import VALENCES, FormattedInsight, Insight, StoreInsight, valences_of
from clause.insights.strength import effective_strength, salience_at
from clause.insights.topics import TopicKey


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
