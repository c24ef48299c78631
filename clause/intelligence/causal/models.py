"""Models of causal questions: interventions, counterfactuals, root causes, and the relationships that are causes."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from clause.intelligence.causal.inference import BASE_RATE
from clause.intelligence.models import CausalIntervention, Name, ScopeField
from clause.text.fields import Instant, Model

Method = Literal["exact", "sampled", "none"]
Direction = Literal["forward", "backward"]


class CausalQuestion(Model):
    """What happens to `target_node` when `intervention_node` is set from outside?"""

    intervention_node: Name = Field(description="Node to intervene on: its id, name or alias")
    target_node: Name = Field(description="Target outcome node: its id, name or alias")
    base_rate: float = Field(
        BASE_RATE, ge=0.0, le=1.0, description="Chance that a node without known causes is present"
    )
    scopes: list[str] | None = Field(None, min_length=1, max_length=100, description="Scopes to read; unset: all")
    as_of_valid: Instant | None = Field(None, description="Use what was true at this instant (unset: now)")
    as_of_recorded: Instant | None = Field(None, description="Use what was known at this instant (unset: now)")

    model_config = ConfigDict(
        json_schema_extra={"example": {"intervention_node": "greenhouse gases", "target_node": "climate change"}}
    )


class InterventionRequest(CausalQuestion):
    """P(target | do(intervention = value))."""

    value: bool = Field(True, description="Whether the node is made present or absent")


class CausalBasis(Model):
    """What an answer was made from.

    `method` is `none`, and the score null, where no causal relationship bears on the question. `error` is the
    half-width of a sampled answer's 95 % interval, 0 for an exact one. `cycles` lists nodes that were taken as one.
    """

    method: Method
    error: float = Field(0.0, ge=0.0)
    edges: int = Field(ge=0, description="Causal relationships that were used")
    truncated: bool = Field(False, description="There were more causal relationships than are read")
    cycles: list[list[str]] = Field(default_factory=list)
    reason: str | None = Field(None, description="Why there is no score, or why it is not exact")


class InterventionResponse(Model):
    """The answer, and what it was made from."""

    intervention: CausalIntervention | None
    basis: CausalBasis


class CounterfactualResponse(Model):
    """P(target | do(present)) - P(target | do(absent)): what the node makes of the target, in [-1, 1]."""

    with_node: float | None = Field(description="P(target | do(node present))")
    without_node: float | None = Field(description="P(target | do(node absent))")
    difference: float | None = Field(description="The one less the other")
    basis: CausalBasis


class RootCauseRequest(Model):
    """Which causes lead to a node along strong paths?"""

    node: Name = Field(description="The effect: its id, name or alias")
    least: float = Field(0.5, ge=0.0, lt=1.0, description="Products of path strengths must be above this")
    scopes: list[str] | None = Field(None, min_length=1, max_length=100, description="Scopes to read; unset: all")

    model_config = ConfigDict(json_schema_extra={"example": {"node": "climate change"}})


class CausalRoot(Model):
    """A cause, the product of strengths along its strongest path, and whether nothing known causes it in turn."""

    id: str
    name: str
    path_strength: float = Field(ge=0.0, le=1.0)
    is_root: bool


class RootCauses(Model):
    """Roots first, then by falling strength."""

    node: str
    causes: list[CausalRoot]
    truncated: bool = False


class CausalType(Model):
    """What a relationship type of a scope means: a cause of some kind, or none."""

    relation: Name
    kind: Literal["causes", "enables", "inhibits", "none"]
    direction: Direction | None = Field(
        None, description="forward: its start is the cause; backward: its end is (caused_by); unset: as its words say"
    )
    scope: ScopeField = None

    model_config = ConfigDict(
        json_schema_extra={"example": {"relation": "feeds", "kind": "causes", "direction": "forward"}}
    )
