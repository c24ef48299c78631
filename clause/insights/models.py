"""Insights as they are stored and as they are shown (seed 003), and the profiles that choose them: by name, from the
settings, or inline. The settings win over the code, inline over both."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from clause.errors import BadInputError, SettingsError
from clause.text.fields import Frozen

_ROUNDING = 1e-9


class RetrievalProfile(BaseModel):
    """Configuration for insight retrieval: the share of the newest and of the strongest."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    recency_weight: float = Field(0.5, ge=0, le=1, description="share of the newest")
    strength_weight: float = Field(0.5, ge=0, le=1, description="share of the strongest")
    max_age_days: int | None = Field(None, ge=1, le=36_500, description="older ones are left out")
    include_conflicting: bool = Field(False, description="also those with a conflict that is not resolved")

    @model_validator(mode="after")
    def _weighs_something(self) -> RetrievalProfile:
        if self.recency_weight + self.strength_weight <= 0:
            raise ValueError("one of recency_weight and strength_weight must be above 0")
        return self

    def split(self, limit: int) -> tuple[int, int]:
        """The numbers of the newest and of the strongest; at least one of each where `limit` is 2 or more.

        A single place goes to the heavier side, to the strongest where both weigh the same.

        >>> PROFILES["recent"].split(10), PROFILES["deep"].split(10), PROFILES["recent"].split(2)
        ((8, 2), (3, 7), (1, 1))
        """
        share = self.recency_weight / (self.recency_weight + self.strength_weight)
        recent = math.floor(limit * share + _ROUNDING)
        if limit >= 2:
            recent = min(max(recent, 1), limit - 1)
        elif limit == 1:
            recent = int(share > 0.5)
        return recent, limit - recent


PROFILES: Mapping[str, RetrievalProfile] = {
    "recent": RetrievalProfile(recency_weight=0.8, strength_weight=0.2),
    "balanced": RetrievalProfile(recency_weight=0.5, strength_weight=0.5),
    "deep": RetrievalProfile(recency_weight=0.3, strength_weight=0.7, max_age_days=None),
    "comprehensive": RetrievalProfile(recency_weight=0.5, strength_weight=0.5, include_conflicting=True),
}
"""Those of the code."""


class ProfileBook:
    """Profiles by name.

    Args:
        configured: the setting `insight_profiles`: a JSON object of profiles by name. One that the code has, too, is
            changed in what it names and stays as it is elsewhere.

    Raises:
        SettingsError: the setting is no such object.

    >>> ProfileBook('{"recent": {"max_age_days": 3}}').resolve("recent")
    RetrievalProfile(recency_weight=0.8, strength_weight=0.2, max_age_days=3, include_conflicting=False)
    """

    def __init__(self, configured: str = "{}") -> None:
        self._profiles = {**PROFILES, **_configured(configured)}

    @property
    def names(self) -> tuple[str, ...]:
        """Every name, sorted."""
        return tuple(sorted(self._profiles))

    def resolve(self, profile: str | RetrievalProfile) -> RetrievalProfile:
        """The profile of that name, or the one given inline.

        Raises:
            BadInputError: there is none of that name.
        """
        if isinstance(profile, RetrievalProfile):
            return profile
        if profile not in self._profiles:
            raise BadInputError(
                f"no retrieval profile is called {profile[:80]!r}",
                field="profile",
                bound=f"one of {', '.join(self.names)}",
            )
        return self._profiles[profile]


def _configured(text: str) -> dict[str, RetrievalProfile]:
    try:
        told: Any = json.loads(text)
        if not isinstance(told, dict):
            raise TypeError("not an object")
        return {
            name: RetrievalProfile.model_validate(
                {**(PROFILES[name].model_dump() if name in PROFILES else {}), **given}
            )
            for name, given in told.items()
        }
    except (ValueError, TypeError, ValidationError) as error:
        raise SettingsError(
            f"CLAUSE_INSIGHT_PROFILES: {error}",
            remedy='use JSON such as {"recent": {"recency_weight": 0.9, "strength_weight": 0.1}}',
            field="insight_profiles",
        ) from error


VALENCES = (
    "joy", "concern", "curiosity", "warmth", "tension", "awe", "grief", "longing", "peace", "gratitude",
)  # fmt: skip
"""The tones that an insight may have."""

Degree = Annotated[float, Field(ge=0, le=1)]
Category = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=10_000)]
TopicText = Annotated[str, StringConstraints(min_length=1, max_length=600)]
InsightId = Annotated[str, StringConstraints(min_length=1, max_length=64)]


class InsightInput(BaseModel):
    """A request: unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Valences(InsightInput):
    """Ten shades of feeling, each from 0 to 1; at least one is given."""

    joy: Degree | None = None
    concern: Degree | None = None
    curiosity: Degree | None = None
    warmth: Degree | None = None
    tension: Degree | None = None
    awe: Degree | None = None
    grief: Degree | None = None
    longing: Degree | None = None
    peace: Degree | None = None
    gratitude: Degree | None = None

    @model_validator(mode="after")
    def _has_one(self) -> Valences:
        if all(getattr(self, name) is None for name in VALENCES):
            raise ValueError(f"at least one valence: {', '.join(VALENCES)}")
        return self


class StoreInsight(InsightInput):
    """A new insight."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        json_schema_extra={
            "example": {
                "topic_key": "user:ann",
                "category": "user_reflection",
                "content": "Ann asks for the reason before she asks for the fix.",
                "salience_spent": 3.0,
                "strength_adjustment": 2.0,
                "confidence": 0.8,
                "importance": 0.6,
                "novelty": 0.4,
                "valences": {"warmth": 0.6, "curiosity": 0.7},
            }
        },
    )

    topic_key: TopicText = Field(description="user:<id>, dyad:<a>:<b>, self:<aspect> or server:<id>:...")
    category: Category = Field(description="user_reflection, dyad_observation, synthesis, ... (an open list)")
    content: Text
    sources_scope_max: Literal["public", "dm", "derived"] = Field(
        "public", description="the most private of its sources"
    )
    salience_spent: float = Field(ge=0, le=1e6, description="what was spent on it")
    strength_adjustment: float = Field(1.0, ge=0.1, le=10, description="how much it stays: times salience_spent")
    original_topic_salience: float | None = Field(None, ge=0, le=1e6, description="the topic's own now, if not said")
    confidence: Degree = 0.5
    importance: Degree = 0.5
    novelty: Degree = 0.5
    valences: Valences
    open_questions: tuple[Text, ...] = Field((), max_length=50)
    participants: tuple[Annotated[str, StringConstraints(min_length=1, max_length=200)], ...] = Field(
        (), max_length=100
    )
    supersedes: InsightId | None = Field(None, description="the insight that this one replaces")
    quarantined: bool = Field(False, description="keep it out of every answer from the start")
    synthesis_source_ids: tuple[InsightId, ...] = Field((), max_length=100, description="what it was made of")
    scope: str | None = Field(None, max_length=300, description="whose it is; the default scope if not said")


class Insight(Frozen):
    """An insight as it is stored. Its content never changes; conflicts are those that may be shown."""

    id: str = Field(description="ULID")
    scope: str
    topic_key: str
    category: str
    content: str
    sources_scope_max: str
    created_at: datetime
    salience_spent: float
    strength_adjustment: float
    strength: float = Field(description="salience_spent * strength_adjustment; never changes")
    original_topic_salience: float
    confidence: float
    importance: float
    novelty: float
    valences: Valences
    open_questions: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    supersedes: str | None = None
    superseded_by: tuple[str, ...] = ()
    quarantined: bool = False
    conflicts_with: tuple[str, ...] = ()
    conflict_resolved: bool = Field(False, description="it has conflicts, and all are resolved")
    synthesis_source_ids: tuple[str, ...] = ()
    version: int = Field(1, ge=1, description="grows with each mark")


class FormattedInsight(Frozen):
    """Insight formatted for display or prompt context."""

    id: str
    content: str
    temporal_marker: str = Field(description="such as: clear memory from 3 days ago")
    strength: float = Field(description="as stored")
    confidence: float
    category: str
    created_at: datetime
    effective_strength: float = Field(description="strength * min(1, salience now / salience then): ranks and labels")
    topic_key: str
    scope: str
    conflicts_with: tuple[str, ...] = ()
    conflict_resolved: bool = False
    superseded_by: tuple[str, ...] = ()


class RetrieveInsights(InsightInput):
    """A request for insights of a topic, chosen by a profile's name or by one given here."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        json_schema_extra={"example": {"topic_key": "user:ann", "profile": "recent", "limit": 5}},
    )

    topic_key: TopicText
    profile: Annotated[str, StringConstraints(max_length=100)] | RetrievalProfile = "balanced"
    limit: int = Field(10, ge=1, le=1000)
    include_servers: bool = Field(False, description="a user or dyad: also what servers know of them")
    scopes: tuple[str, ...] | None = Field(None, max_length=100)


class InsightList(Frozen):
    """Insights in the order of their choice, and those that the profile holds back."""

    items: tuple[FormattedInsight, ...]
    hidden: tuple[str, ...] = Field((), description="ids held back by the profile for an open conflict, at most 100")
    reason: str = Field("", description="why there is nothing, or what is held back")


class RawInsightList(Frozen):
    """Insights as they are stored."""

    items: tuple[Insight, ...]


class FoundInsight(Frozen):
    """An insight that a search found."""

    insight: FormattedInsight
    fused_score: float


class SearchInsights(InsightInput):
    """A search for insights."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra={"example": {"query": "asks for reasons"}})

    query: Text
    category: Category | None = None
    limit: int = Field(10, ge=1, le=100)
    scopes: tuple[str, ...] | None = Field(None, max_length=100)


class FoundInsights(Frozen):
    """The finds of a search, best first."""

    items: tuple[FoundInsight, ...]


def valences_of(node: dict[str, Any]) -> Valences:
    """The valences of a node, which keeps them as valence_joy and so on."""
    return Valences(**{name: node.get(f"valence_{name}") for name in VALENCES})
