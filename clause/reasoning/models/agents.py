"""Models of each agent alone: POST /api/clause/subgraph, /edges/score, /navigate and /curate."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import ConfigDict, Field, ValidationInfo, field_validator

from clause.arrays import Doubles
from clause.reasoning.models.answer import Answer, AnswerPath, SeedNode, SelectedEvidence
from clause.reasoning.models.examples import CURATION, NAVIGATION
from clause.text.fields import MAX_POOL, AsOfRecorded, AsOfValid, Model, NodeName, QueryText, Scopes, Snippet

DEFAULT_DIMENSION = 384
"""Numbers in a vector of the default embedder."""

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
    seeds: list[SeedNode] = Field(default_factory=list, description="Start nodes, each with its reason")
    abstained: bool = Field(default=False, description="True when there was nowhere to start")
    reason: str | None = Field(default=None, description="Why nothing was selected, where that is so")


class EdgeScoreRequest(Model):
    """Input of POST /api/clause/edges/score: the signals and the score of given edges for a query."""

    query: QueryText
    edges: Annotated[list[EdgeTriple], Field(min_length=1, max_length=1000, description="Edges to score")]
    lambda_edge: float = Field(default=0.01, ge=0.0, le=1.0, description="Price of one edge")
    scopes: Scopes = None
    policy: str | None = Field(
        default=None,
        max_length=200,
        description="Policy whose score counts: of what proves its answer (unset: the signals)",
    )

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


UnitVector = Annotated[list[float], Field(min_length=1, max_length=8192)]


class PathNavigationRequest(Model):
    """Input of POST /api/clause/navigate: one start node, at most `step_budget` steps."""

    query: QueryText
    start_node: NodeName = Field(..., description="Starting concept node: its id, exact name or alias")
    step_budget: int = Field(default=10, ge=1, le=20, description="Maximum navigation steps")
    enable_thoughtseeds: bool = Field(default=True, description="Generate ThoughtSeeds during exploration")
    enable_curiosity: bool = Field(default=True, description="Trigger curiosity agents on prediction errors")
    enable_causal: bool = Field(default=True, description="Use causal reasoning for path selection")
    curiosity_threshold: float = Field(
        default=0.7, ge=0.0, le=1.0, description="Prediction error threshold for curiosity"
    )
    scopes: Scopes = None
    policy: str | None = Field(default=None, max_length=200, description="Policy that decides (unset: the default)")
    as_of_valid: AsOfValid = None
    as_of_recorded: AsOfRecorded = None

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "query": "What causes climate change?",
                "start_node": "climate_change",
                "step_budget": 10,
                "enable_thoughtseeds": True,
                "enable_curiosity": True,
                "enable_causal": True,
                "curiosity_threshold": 0.7,
            }
        }
    )


class NavigationMetadata(Model):
    """An account of a walk: what it spent, why it stopped, what it led to, and where it ended."""

    budget_used: int = Field(..., ge=0, description="Steps taken, steps back too")
    budget_total: int = Field(..., ge=0, description="The request's step budget")
    final_action: str = Field(default="STOP", description="The Navigator's last action")
    stopped_reason: StoppedReason = Field(default="COMPLETE", description="Why the Navigator stopped")
    thoughtseeds_generated: int = Field(default=0, ge=0, description="ThoughtSeeds of concepts that were met")
    curiosity_triggers_spawned: int = Field(default=0, ge=0, description="Hops that came out otherwise than expected")
    fallback_used: bool = Field(default=False, description="A causal score was not ready and was gone without")
    actions: tuple[str, ...] = Field(default=(), description="Every action of the Navigator, in order")
    answers: tuple[Answer, ...] = Field(default=(), description="The ends of the walk, best first")


class PathNavigationResponse(Model):
    """Output of POST /api/clause/navigate. `path` has nodes, edges and steps (each a PathStep)."""

    path: AnswerPath = Field(..., description="Navigation path details")
    metadata: NavigationMetadata = Field(..., description="Path metadata (budgets, triggers)")
    performance: dict[str, float] = Field(..., description="Latency breakdown, in milliseconds")

    model_config = ConfigDict(json_schema_extra={"example": NAVIGATION})


class StateEncoding(Model):
    """The Navigator's state: 3d + 3 numbers for vectors of d, 1155 with the default embedder (d = 384).

    Another embedder's d is told as `StateEncoding.model_validate(fields, context={"dimension": d})`.

    Raises:
        ValidationError: a vector has not d numbers, or a number is not finite.

    >>> fields = {"query_embedding": [1.0, 0.0], "node_embedding": [0.0, 1.0], "node_degree": 3,
    ...     "basin_strength": 1.0, "neighborhood_mean": [0.5, 0.5], "budget_remaining": 0.25}
    >>> StateEncoding.model_validate(fields, context={"dimension": 2}).to_numpy().tolist()
    [1.0, 0.0, 0.0, 1.0, 3.0, 1.0, 0.5, 0.5, 0.25]
    """

    query_embedding: UnitVector = Field(..., description="Query embedding (d numbers)")
    node_embedding: UnitVector = Field(..., description="Current node embedding (d numbers)")
    node_degree: int = Field(..., ge=0, description="Node degree in graph")
    basin_strength: float = Field(..., ge=1.0, le=2.0, description="Basin strength")
    neighborhood_mean: UnitVector = Field(..., description="Neighborhood mean embedding (d numbers)")
    budget_remaining: float = Field(..., ge=0.0, le=1.0, description="Normalized budget remaining")

    @field_validator("query_embedding", "node_embedding", "neighborhood_mean")
    @classmethod
    def _of_this_embedder(cls, vector: list[float], info: ValidationInfo) -> list[float]:
        dimension = (info.context or {}).get("dimension", DEFAULT_DIMENSION)
        if len(vector) != dimension:
            raise ValueError(f"a vector has {dimension} numbers here, this one {len(vector)}")
        return vector

    def to_numpy(self) -> Doubles:
        """The state as one vector [3d + 3]: query, node, degree, basin strength, neighbourhood mean, budget."""
        return np.concatenate(
            [
                np.asarray(self.query_embedding, dtype=np.float64),
                np.asarray(self.node_embedding, dtype=np.float64),
                np.asarray([self.node_degree, self.basin_strength], dtype=np.float64),
                np.asarray(self.neighborhood_mean, dtype=np.float64),
                np.asarray([self.budget_remaining], dtype=np.float64),
            ]
        )


class ContextCurationRequest(Model):
    """Input of POST /api/clause/curate: a pool of texts, and optionally what they are for.

    Without `query` the pool's centroid stands for it, and the response's metadata says so.
    """

    evidence_pool: Annotated[
        list[Snippet], Field(min_length=1, max_length=MAX_POOL, description="Pool of evidence snippets to curate")
    ]
    query: QueryText | None = Field(default=None, description="What the evidence is for (unset: the pool's centroid)")
    token_budget: int = Field(default=2048, ge=100, le=8192, description="Maximum tokens for selected evidence")
    enable_provenance: bool = Field(default=True, description="Add full provenance metadata")
    lambda_tok: float = Field(
        default=0.01, ge=0.0, le=1.0, description="Token cost multiplier for shaped utility, per 100 tokens"
    )
    scopes: Scopes = None
    policy: str | None = Field(
        default=None,
        max_length=200,
        description="Policy that reads the query on the graph: texts that say its answers count alone (unset: all)",
    )

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


class CurationMetadata(Model):
    """An account of a curation: what it spent and why it stopped."""

    tokens_used: int = Field(..., ge=0, description="Tokens of the evidence")
    tokens_total: int = Field(..., ge=0, description="The request's token budget")
    token_margin: int = Field(default=0, ge=0, description="Tokens kept free of the token budget")
    price_unit: str = Field(default="100 tokens", description="What lambda_tok is the price of")
    pool_size: int = Field(default=0, ge=0, description="Different snippets to choose from")
    learned_stop_triggered: bool = Field(..., description="The Curator left out what it had room for, as not worth it")
    stopped_reason: StoppedReason = Field(default="COMPLETE", description="Why the Curator stopped")
    query_is: str = Field(default="given", description="What stood for the query")


class ContextCurationResponse(Model):
    """Output of POST /api/clause/curate."""

    selected_evidence: list[SelectedEvidence] = Field(..., description="Curated evidence with provenance")
    metadata: CurationMetadata = Field(..., description="Curation metadata")
    performance: dict[str, float] = Field(..., description="Latency breakdown, in milliseconds")

    model_config = ConfigDict(json_schema_extra={"example": CURATION})
