"""Tensions as they cross borders: two beliefs that cannot both hold, and how that was settled."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from clause.knowledge.confidence import Severity

Kind = Literal["contradiction", "temporal_conflict", "scope_conflict", "partial_overlap"]
Standing = Literal["detected", "investigating", "resolved", "accepted"]
Action = Literal["supersede_a", "supersede_b", "keep_both", "archive_both"]


class TensionSide(BaseModel):
    """One of the two beliefs."""

    model_config = ConfigDict(frozen=True)

    id: str = Field(description="the belief's id")
    content: str = Field(description="what it says")
    status: str = Field(description="its status now")
    overall: float = Field(ge=0, le=1, description="its confidence now")


class Tension(BaseModel):
    """Two beliefs that contradict each other."""

    model_config = ConfigDict(frozen=True)

    id: str = Field(description="ULID")
    scope: str = Field(description="whose beliefs they are")
    kind: Kind = Field(description="what sort of contradiction it is")
    severity: Severity = Field(description="how much it matters, by its score and what both beliefs are worth")
    status: Standing = Field(description="detected and investigating ones are open")
    score: float = Field(ge=0, le=1, description="how surely the two contradict each other")
    similarity: float = Field(description="cosine of the two texts")
    signals: tuple[str, ...] = Field(description="what was found, such as `negation` or `numbers differ`")
    a: TensionSide = Field(description="the belief that was there first")
    b: TensionSide = Field(description="the other one")
    action: Action | None = Field(description="how it was settled")
    resolution: str = Field(description="why it was settled so")
    recorded_at: datetime = Field(description="when it was found")
    resolved_at: datetime | None = Field(description="when it was settled")
    version: int = Field(ge=1, description="grows with every change; the ETag")


class TensionResolve(BaseModel):
    """How to settle a tension."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        json_schema_extra={"example": {"action": "supersede_a", "resolution": "she moved last spring"}},
    )

    action: Action = Field(description="supersede_a: b takes the place of a; keep_both: accepted as it is")
    resolution: str = Field("", max_length=2000, description="why")


class TensionFilter(BaseModel):
    """Which tensions to list; those whose beliefs are both held, unless a status asks for settled ones."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    status: Standing | None = Field(None, description="of this status; open ones if not said")
    severity: Severity | None = Field(None, description="of this severity")
    entity_id: str | None = Field(None, max_length=200, description="of beliefs about this entity")
    belief_id: str | None = Field(None, max_length=200, description="of this belief")
    scopes: tuple[str, ...] | None = Field(None, min_length=1, max_length=20, description="all readable if not said")
    limit: Annotated[int, Field(ge=1, le=101)] = Field(20, description="how many at most")
    after: str | None = Field(None, max_length=200, description="the id after which the page starts")
