"""Models of the PathNavigator: POST /api/clause/navigate, and its state."""

from __future__ import annotations

from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, Field, model_validator

from clause.reasoning.models_text import AsOfRecorded, AsOfValid, Model, NodeName, QueryText, Scopes

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


class PathStep(Model):
    """One step of a navigation path."""

    step: int = Field(..., ge=1, description="Step number (1-indexed)")
    from_node: str = Field(..., description="Source node")
    to_node: str = Field(..., description="Target node")
    relation: str = Field(..., description="Edge relation type")
    action: str = Field(..., pattern="^(CONTINUE|BACKTRACK|STOP)$", description="Navigator action")
    causal_score: float | None = Field(None, ge=0.0, le=1.0, description="Causal intervention score")
    thoughtseed_id: str | None = Field(None, description="Generated ThoughtSeed ID")


class PathNavigationResponse(Model):
    """Output of POST /api/clause/navigate. `path` has nodes, edges and steps (each a PathStep)."""

    path: dict[str, Any] = Field(..., description="Navigation path details")
    metadata: dict[str, Any] = Field(..., description="Path metadata (budgets, triggers)")
    performance: dict[str, float] = Field(..., description="Latency breakdown, in milliseconds")

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "path": {
                    "nodes": ["climate_change", "greenhouse_gases", "CO2_emissions"],
                    "edges": [{"from": "climate_change", "relation": "caused_by", "to": "greenhouse_gases"}],
                    "steps": [
                        {
                            "step": 1,
                            "from_node": "climate_change",
                            "to_node": "greenhouse_gases",
                            "relation": "caused_by",
                            "action": "CONTINUE",
                            "causal_score": 0.85,
                        }
                    ],
                },
                "metadata": {
                    "budget_used": 3,
                    "budget_total": 10,
                    "final_action": "STOP",
                    "thoughtseeds_generated": 12,
                    "curiosity_triggers_spawned": 2,
                },
                "performance": {"latency_ms": 145, "thoughtseed_gen_ms": 23, "causal_pred_ms": 87},
            }
        }
    )


class StateEncoding(Model):
    """The Navigator's state: 3d + 3 numbers for vectors of d, 1155 with the default embedder (d = 384).

    Raises:
        ValidationError: the three vectors differ in length, or a number is not finite.

    >>> state = StateEncoding(query_embedding=[1.0, 0.0], node_embedding=[0.0, 1.0], node_degree=3,
    ...     basin_strength=1.0, neighborhood_mean=[0.5, 0.5], budget_remaining=0.25)
    >>> state.to_numpy().tolist()
    [1.0, 0.0, 0.0, 1.0, 3.0, 1.0, 0.5, 0.5, 0.25]
    """

    query_embedding: UnitVector = Field(..., description="Query embedding (d numbers)")
    node_embedding: UnitVector = Field(..., description="Current node embedding (d numbers)")
    node_degree: int = Field(..., ge=0, description="Node degree in graph")
    basin_strength: float = Field(..., ge=1.0, le=2.0, description="Basin strength")
    neighborhood_mean: UnitVector = Field(..., description="Neighborhood mean embedding (d numbers)")
    budget_remaining: float = Field(..., ge=0.0, le=1.0, description="Normalized budget remaining")

    @model_validator(mode="after")
    def _one_dimension(self) -> Self:
        lengths = {len(self.query_embedding), len(self.node_embedding), len(self.neighborhood_mean)}
        if len(lengths) > 1:
            raise ValueError(f"the three vectors must have one length, got {sorted(lengths)}")
        return self

    def to_numpy(self) -> NDArray[np.float64]:
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
