"""Models of the four integrations: basins and ThoughtSeeds, curiosity, causal scores."""

from __future__ import annotations

from pydantic import Field

from clause.reasoning.models_text import Instant, Model, utc_now


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
