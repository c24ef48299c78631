"""The marks on insights: conflicts and how they are settled, quarantine; and the topics that insights are on."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import ConfigDict, Field

from clause.insights.models import Insight, InsightId, InsightInput, Text, TopicText
from clause.text.fields import Frozen


class Resolution(StrEnum):
    """The ways in which a conflict ends."""

    SUPERSEDED = "superseded"
    CONTEXT_DEPENDENT = "context_dependent"
    SYNTHESISED = "synthesised"
    PARADOX_KEPT = "paradox_kept"


class Conflict(Frozen):
    """Two insights on one topic that do not go together."""

    id: str = Field(description="ULID")
    scope: str
    topic_key: str
    insight_id: str = Field(description="the later one")
    other_id: str = Field(description="the earlier one")
    signals: tuple[str, ...] = Field(description="what speaks for it, such as `warmth / tension` or `negation`")
    similarity: float = Field(description="cosine of the two")
    recorded_at: datetime
    resolution: Resolution | None = None
    synthesis_id: str | None = Field(None, description="the insight that joins both, where one settled it")
    resolved_at: datetime | None = None
    version: int = Field(1, ge=1)


class ResolveConflict(InsightInput):
    """The way in which a conflict is settled."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_extra={"example": {"resolution": "paradox_kept"}}
    )

    resolution: Resolution
    superseding_id: InsightId | None = Field(None, description="which of the two holds; required when superseded")
    synthesis_id: InsightId | None = Field(None, description="a third one that joins both; required when synthesised")
    reason: Text | None = Field(None, description="why, for the record")


class SynthesisProposal(Frozen):
    """A topic whose conflicts ask for a decision."""

    topic_key: str
    scope: str
    insight_ids: tuple[str, ...]
    unresolved: int = Field(ge=1, description="conflicts that are not resolved")
    oldest: datetime = Field(description="since when the oldest of them is there")
    reason: Literal["three_unresolved", "thirty_days"]
    options: tuple[Resolution, ...] = tuple(Resolution)


class StoredInsight(Frozen):
    """A stored insight, what it conflicts with, and whether a synthesis is due."""

    insight: Insight
    conflicts: tuple[Conflict, ...] = ()
    synthesis: SynthesisProposal | None = None


class Quarantine(InsightInput):
    """Put an insight into quarantine, or let it out."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra={"example": {"quarantined": True}})

    quarantined: bool
    reason: Text | None = Field(None, description="why, for the record")


class InsightChange(Frozen):
    """A mark that was set or taken away."""

    id: str = Field(description="ULID")
    insight_id: str
    mark: Literal["quarantined", "conflict", "conflict_resolved"]
    before: str
    after: str
    synthesis_id: str | None = Field(None, description="the insight that joins both, where one settled a conflict")
    reason: str | None = None
    recorded_at: datetime


class QuarantineState(Frozen):
    """The quarantine of an insight, in it or not; its content is not shown."""

    id: str
    quarantined: bool
    version: int = Field(ge=1)


class Topic(Frozen):
    """A subject that insights are about."""

    id: str
    key: str
    scope: str
    kind: str
    server: str | None = None
    salience: float = Field(description="at the last activity")
    current_salience: float = Field(description="now: 1 % less a day after 7 idle days")
    last_activity_at: datetime
    insights: int = Field(0, ge=0, description="how many may be shown")
    version: int = Field(1, ge=1)


class EarnSalience(InsightInput):
    """Activity on a topic."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_extra={"example": {"topic_key": "user:ann", "amount": 1.5}}
    )

    topic_key: TopicText
    amount: float = Field(ge=0, le=1e6, description="added to what is left of its salience")
    scope: str | None = Field(None, max_length=300)
