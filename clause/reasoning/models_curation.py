"""Models of the ContextCurator: POST /api/clause/curate, evidence and its provenance."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field

from clause.reasoning.models_text import Instant, Model, QueryText, Scopes, Snippet


class ContextCurationRequest(Model):
    """Input of POST /api/clause/curate: a pool of texts, and optionally what they are for.

    Without `query` the pool's centroid stands for it, and the response's metadata says so.
    """

    evidence_pool: Annotated[
        list[Snippet], Field(min_length=1, max_length=5000, description="Pool of evidence snippets to curate")
    ]
    query: QueryText | None = Field(default=None, description="What the evidence is for (unset: the pool's centroid)")
    token_budget: int = Field(default=2048, ge=100, le=8192, description="Maximum tokens for selected evidence")
    enable_provenance: bool = Field(default=True, description="Add full provenance metadata")
    lambda_tok: float = Field(
        default=0.01, ge=0.0, le=1.0, description="Token cost multiplier for shaped utility, per 100 tokens"
    )
    scopes: Scopes = None

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "evidence_pool": [
                    "Greenhouse gases trap heat in the atmosphere...",
                    "CO2 is the primary greenhouse gas from human activity...",
                ],
                "token_budget": 2048,
                "enable_provenance": True,
                "lambda_tok": 0.01,
            }
        }
    )


class TrustSignals(Model):
    """How far a source is to be trusted, each signal in [0, 1]."""

    reputation_score: float = Field(..., ge=0.0, le=1.0, description="Source reputation (0-1)")
    recency_score: float = Field(..., ge=0.0, le=1.0, description="Information recency (0-1)")
    semantic_consistency: float = Field(..., ge=0.0, le=1.0, description="Consistency with query (0-1)")


_PROVENANCE_EXAMPLE: dict[str, Any] = {
    "source_uri": "neo4j://concept/greenhouse_gases",
    "extraction_timestamp": "2025-10-02T10:30:15Z",
    "extractor_identity": "ContextCurator-v2.0",
    "supporting_evidence": "Greenhouse gases trap heat...",
    "verification_status": "verified",
    "corroboration_count": 5,
    "trust_signals": {"reputation_score": 0.95, "recency_score": 0.88, "semantic_consistency": 0.91},
}


class ProvenanceMetadata(Model):
    """Where a piece of evidence comes from and how far to trust it."""

    source_uri: str = Field(..., description="Neo4j URI or document source")
    extraction_timestamp: Instant = Field(..., description="When evidence was extracted")
    extractor_identity: str = Field(..., description="Agent/service that extracted evidence")
    supporting_evidence: str = Field(..., max_length=200, description="Evidence snippet (200 chars)")
    verification_status: str = Field(
        ..., pattern="^(verified|pending_review|unverified)$", description="How far the evidence was checked"
    )
    corroboration_count: int = Field(..., ge=0, description="Number of corroborating sources")
    trust_signals: TrustSignals = Field(..., description="Trust signal scores")

    model_config = ConfigDict(json_schema_extra={"example": _PROVENANCE_EXAMPLE})


class SelectedEvidence(Model):
    """One pick of the Curator: its text, what it costs and what it is worth.

    `shaped_utility` = score - lambda_tok * tokens / 100. `provenance` is null where the request switched it off.
    """

    text: str = Field(..., description="Evidence text")
    tokens: int = Field(..., ge=1, description="Token count (tiktoken)")
    score: float = Field(..., ge=0.0, le=1.0, description="Relevance score")
    shaped_utility: float = Field(..., description="Score minus token cost (per 100 tokens)")
    provenance: ProvenanceMetadata | None = Field(None, description="Full provenance metadata")


class ContextCurationResponse(Model):
    """Output of POST /api/clause/curate."""

    selected_evidence: list[SelectedEvidence] = Field(..., description="Curated evidence with provenance")
    metadata: dict[str, Any] = Field(..., description="Curation metadata")
    performance: dict[str, float] = Field(..., description="Latency breakdown, in milliseconds")

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "selected_evidence": [
                    {
                        "text": "Greenhouse gases trap heat...",
                        "tokens": 156,
                        "score": 0.92,
                        "shaped_utility": 0.904,
                        "provenance": _PROVENANCE_EXAMPLE,
                    }
                ],
                "metadata": {"tokens_used": 428, "tokens_total": 2048, "learned_stop_triggered": True},
                "performance": {"latency_ms": 78, "provenance_overhead_ms": 12},
            }
        }
    )
