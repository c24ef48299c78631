"""Models of agents' absolute writes, and of the conflicts that they meet."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from clause.intelligence.models import Instant, Model, Name, ScopeField

ConflictKind = Literal["BASIN_STRENGTH_RACE", "CONTRADICTORY_RELATIONSHIP", "DUPLICATE_NODE_CREATION"]
Resolution = Literal["MERGE", "RETRY", "ROLLBACK"]
MAX_WRITES = 100


class StrengthWrite(Model):
    """Set a basin's strength. `version` is the one that was read; if it moved, the larger strength stays."""

    op: Literal["strength"] = "strength"
    concept: Name = Field(description="The concept: its id, name or alias")
    strength: float = Field(ge=1.0, le=2.0)
    version: int = Field(ge=0, description="The basin's version that was read")


class RelationWrite(Model):
    """Say that one thing causes, enables or inhibits another.

    `version` is that of the relationship between the two that was read; None: there was none. The opposite of what is
    stored contradicts it, unless the stored one's version shows that it was read and is to be replaced.
    """

    op: Literal["relate"] = "relate"
    cause: Name = Field(description="Its id, name or alias; unknown names become entities")
    effect: Name = Field(description="Its id, name or alias; unknown names become entities")
    kind: Literal["causes", "enables", "inhibits"] = "causes"
    strength: float = Field(1.0, ge=0.0, le=1.0, description="Chance that the cause acts when it is present")
    version: int | None = Field(None, ge=1)


class ConceptWrite(Model):
    """Make a concept that nobody made yet; one that is there is a conflict, and the one there is taken."""

    op: Literal["create"] = "create"
    concept: Name


AgentWrite = Annotated[StrengthWrite | RelationWrite | ConceptWrite, Field(discriminator="op")]


class AgentWrites(Model):
    """What one agent writes: all of it happens or nothing does."""

    agent: Name = Field(description="Who writes")
    writes: list[AgentWrite] = Field(min_length=1, max_length=MAX_WRITES)
    scope: ScopeField = None

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "agent": "researcher-1",
                "writes": [
                    {"op": "create", "concept": "greenhouse gases"},
                    {"op": "relate", "cause": "greenhouse gases", "effect": "climate change", "strength": 0.9},
                ],
            }
        }
    )


class WriteConflict(Model):
    """Two writes that met, and how that was settled."""

    id: str
    scope: str
    kind: ConflictKind
    resolution: Resolution
    agent: str
    subject: str = Field(description="What both wrote: ids")
    detail: str = Field(description="What was stored, and what was to be written")
    attempts: int = Field(1, ge=1)
    recorded_at: Instant


class AgentWritesDone(Model):
    """What became of an agent's writes. `versions` are those stored now, in the order of the writes."""

    versions: list[int]
    conflicts_detected: int = Field(ge=0)
    conflicts_resolved: int = Field(ge=0)
    conflicts: list[WriteConflict] = Field(default_factory=list)


class Conflicts(Model):
    """Recorded conflicts, newest first, and their share of this process's agent writes in the last 60 seconds."""

    items: list[WriteConflict]
    rate: float = Field(ge=0.0, le=1.0)
