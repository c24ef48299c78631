"""Public models of this room: basins, ThoughtSeeds, curiosity, causal questions and write conflicts.

BasinContext, ThoughtSeed, CuriosityTrigger and CausalIntervention are seed 004's own; `clause.reasoning.models`
hands them on. All are frozen, refuse unknown fields and NaN, and carry time-zone aware instants.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

MAX_CONCEPTS = 100
"""Concepts of one document that are strengthened by one request."""


class Model(BaseModel):
    """A frozen model that refuses unknown fields, NaN and infinities."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def utc(instant: datetime) -> datetime:
    """The same instant in UTC."""
    return instant.astimezone(UTC)


def utc_now() -> datetime:
    """This instant, in UTC."""
    return datetime.now(UTC)


def visible(text: str) -> str:
    """`text` unchanged when it shows at least one character and can be written as UTF-8.

    Raises:
        ValueError: it cannot.

    >>> visible("rain")
    'rain'
    """
    text.encode("utf-8", "strict")
    if not any(letter.isprintable() and not letter.isspace() for letter in text):
        raise ValueError("the text is blank: it needs at least one visible character")
    return text


Instant = Annotated[AwareDatetime, AfterValidator(utc)]
Name = Annotated[str, Field(min_length=1, max_length=1000), AfterValidator(visible)]
ScopeField = Annotated[
    str | None, Field(max_length=300, description="Where it is written; the default scope if not said")
]
BasinState = Literal["DORMANT", "ACTIVATING", "ACTIVE", "SATURATED", "DECAYING"]


class BasinContext(Model):
    """The attractor basin of a concept."""

    strength: float = Field(..., ge=1.0, le=2.0, description="Basin strength from Phase 1")
    activation_count: int = Field(..., ge=0, description="Activation count")
    co_occurring: dict[str, int] = Field(..., description="Co-occurrence counts")


class ThoughtSeed(Model):
    """A concept met while reasoning, kept for links across documents."""

    id: str = Field(..., description="Unique ThoughtSeed ID")
    concept: str = Field(..., description="Concept node")
    source_doc: str = Field(..., description="Source document/query")
    basin_context: BasinContext = Field(..., description="Basin context from Phase 1")
    similarity_threshold: float = Field(default=0.8, ge=0.0, le=1.0, description="Least similarity of a link")
    linked_documents: list[str] = Field(default_factory=list, description="Cross-document links")
    created_at: Instant = Field(default_factory=utc_now, description="When it was made")


class CuriosityTrigger(Model):
    """A hop that came out otherwise than expected, queued for investigation."""

    trigger_type: str = Field(..., pattern="^prediction_error$", description="Trigger type")
    concept: str = Field(..., description="Concept that triggered curiosity")
    error_magnitude: float = Field(..., ge=0.0, le=1.0, description="Prediction error magnitude")
    timestamp: Instant = Field(default_factory=utc_now, description="When it happened")
    investigation_status: str = Field(
        default="queued", pattern="^(queued|investigating|completed)$", description="How far the investigation is"
    )


class CausalIntervention(Model):
    """P(target | do(intervention)) and what computing it took."""

    intervention_node: str = Field(..., description="Node to intervene on")
    target_node: str = Field(..., description="Target outcome node")
    intervention_score: float = Field(..., ge=0.0, le=1.0, description="P(target | do(intervention))")
    computation_time_ms: float = Field(..., ge=0.0, description="Inference latency")


class StrengthenRequest(Model):
    """Concepts that a document names: each one's basin grows once for that document."""

    concepts: list[Name] = Field(min_length=1, max_length=MAX_CONCEPTS, description="Names or ids of concepts")
    document_id: Name = Field(description="The document that names them; the same one counts once")
    increment: float = Field(0.2, gt=0.0, le=1.0, description="Strength of one reappearance")
    scope: ScopeField = None

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"concepts": ["greenhouse gases", "CO2 emissions"], "document_id": "ipcc-ar6", "increment": 0.2}
        }
    )


class Basin(Model):
    """How firmly a concept is known.

    `strength` is within [1, 2]; `activation_history` holds the last 50 instants; `co_occurring` the concepts that
    documents name together with it, most often first.
    """

    id: str
    concept: str = Field(description="The concept's name")
    entity_id: str = Field(description="The entity whose basin it is")
    scope: str
    kind: str = Field(description="What kind of thing the concept is")
    strength: float = Field(ge=1.0, le=2.0)
    activation_count: int = Field(ge=0, description="Documents that strengthened it")
    activation_history: list[Instant] = Field(default_factory=list)
    state: BasinState
    stability: float
    depth: float
    co_occurring: dict[str, int] = Field(default_factory=dict)
    neighbour_count: int = Field(ge=0, description="How many concepts it occurs together with")
    last_activated_at: Instant | None = None
    recorded_at: Instant
    version: int = Field(ge=0)


class Strengthened(Model):
    """The basins of a document's concepts after it was counted, in the order of the request."""

    document_id: str
    basins: list[Basin]


class TriggerState(CuriosityTrigger):
    """A trigger as it is stored, and how far its investigation is."""

    id: str
    scope: str
    priority: Literal["normal", "high"] = Field("normal", description="High above an error of 0.8")
    findings: int = Field(0, ge=0, description="Relationships that the investigation wrote")


class InvestigationReport(Model):
    """What a worker did."""

    investigated: int = Field(ge=0)
    findings: int = Field(ge=0, description="Relationships written, with provenance")
    failed: int = Field(0, ge=0, description="Triggers that wait until their lease expires")


class TriggerList(Model):
    """Triggers, newest first."""

    items: list[TriggerState]
