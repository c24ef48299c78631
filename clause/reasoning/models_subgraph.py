"""Models of the SubgraphArchitect: POST /api/clause/subgraph and /edges/score."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from clause.reasoning.models_text import AsOfRecorded, AsOfValid, Model, NodeName, QueryText, Scopes

StoppedReason = Literal["BUDGET_EXHAUSTED", "GAIN_NEGATIVE", "COMPLETE", "NO_CANDIDATES"]


class SubgraphRequest(Model):
    """Input of POST /api/clause/subgraph: the Architect alone."""

    query: QueryText
    edge_budget: int = Field(default=50, ge=1, le=1000, description="Most edges to add")
    lambda_edge: float = Field(default=0.01, ge=0.0, le=1.0, description="Price of one edge")
    hop_distance: int = Field(default=2, ge=1, le=5, description="Farthest hop from a start node")
    min_edge_score: float = Field(default=0.3, ge=0.0, le=1.0, description="Least score of a selected edge")
    start_nodes: Annotated[
        list[NodeName] | None,
        Field(description="Ids, exact names or aliases to start from (unset: found in the query)", max_length=64),
    ] = None
    scopes: Scopes = None
    policy: str | None = Field(default=None, max_length=200, description="Policy that decides (unset: the default)")
    as_of_valid: AsOfValid = None
    as_of_recorded: AsOfRecorded = None

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "query": "What causes climate change?",
                "edge_budget": 50,
                "lambda_edge": 0.01,
                "hop_distance": 2,
                "min_edge_score": 0.3,
            }
        }
    )


class EdgeTriple(Model):
    """A relationship named from head to tail; nodes by id, exact name or alias."""

    source: NodeName = Field(..., description="Head node")
    relation: str = Field(..., min_length=1, max_length=500, description="Relationship type")
    target: NodeName = Field(..., description="Tail node")


class EdgeSignals(Model):
    """The five signals of an edge, each in [0, 1]."""

    phi_ent: float = Field(..., ge=0.0, le=1.0, description="Larger cosine of the two ends with the query")
    phi_rel: float = Field(..., ge=0.0, le=1.0, description="Cosine of the relationship's words with the query")
    phi_nbr: float = Field(..., ge=0.0, le=1.0, description="min(co-occurrence / 5, 1)")
    phi_deg: float = Field(..., ge=0.0, le=1.0, description="Mean over the ends: neither isolated nor a hub")
    phi_basin: float = Field(..., ge=0.0, le=1.0, description="Larger basin strength of the ends, less 1")


class EdgeScore(Model):
    """One edge with its signals, score and shaped gain (score less the price of one edge)."""

    source: str = Field(..., description="Head node id")
    relation: str = Field(..., description="Relationship type")
    target: str = Field(..., description="Tail node id")
    signals: EdgeSignals = Field(..., description="The five signals")
    score: float = Field(..., ge=0.0, le=1.0, description="Weighted sum of the signals")
    shaped_gain: float = Field(..., description="Score minus lambda_edge")


class SubgraphResponse(Model):
    """Output of POST /api/clause/subgraph. A query strengthens no basin: `basins_strengthened` is empty."""

    selected_edges: list[EdgeScore] = Field(..., description="Edges in the order they were added")
    budget_used: int = Field(..., ge=0, description="Edges added")
    budget_total: int = Field(..., ge=1, description="The request's edge budget")
    stopped_reason: StoppedReason = Field(..., description="Why the Architect stopped")
    construction_time_ms: float = Field(..., ge=0.0, description="Time taken, in milliseconds")
    basins_strengthened: list[str] = Field(default_factory=list, description="Always empty for a query")
    seeds: list[dict[str, str | float]] = Field(default_factory=list, description="Start nodes, each with its reason")
    abstained: bool = Field(default=False, description="True when there was nowhere to start")
    reason: str | None = Field(default=None, description="Why nothing was selected, where that is so")


class EdgeScoreRequest(Model):
    """Input of POST /api/clause/edges/score: the signals and the score of given edges for a query."""

    query: QueryText
    edges: Annotated[list[EdgeTriple], Field(min_length=1, max_length=1000, description="Edges to score")]
    lambda_edge: float = Field(default=0.01, ge=0.0, le=1.0, description="Price of one edge")
    scopes: Scopes = None

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "query": "What causes climate change?",
                "edges": [{"source": "climate_change", "relation": "caused_by", "target": "greenhouse_gases"}],
                "lambda_edge": 0.01,
            }
        }
    )


class EdgeScoreResponse(Model):
    """Output of POST /api/clause/edges/score: one score for each given edge, in the order given."""

    scores: list[EdgeScore] = Field(..., description="Scores in the order of the request")
    performance: dict[str, float] = Field(..., description="Latency breakdown, in milliseconds")
