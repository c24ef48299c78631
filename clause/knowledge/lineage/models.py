"""Retraction, merging and erasure as they cross borders: plans, receipts, and the audit of authority."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, model_validator

from clause.text.fields import Frozen, request_config

Effect = Literal["retracted", "weakened", "marked"]
ReceiptKind = Literal["retraction", "belief_merge", "entity_merge"]
NodeId = Annotated[str, Field(min_length=1, max_length=200)]


class RetractionRequest(BaseModel):
    """A request to take back one belief, or one source with what it said."""

    model_config = request_config(belief_id="01JD7W9ZB6V3Q7T5N9S4E2M8XK", reason="the survey was forged")

    belief_id: NodeId | None = Field(None, description="the belief")
    source_id: NodeId | None = Field(None, description="the source")
    reason: str = Field("", max_length=2000, description="why; kept with the receipt")
    plan: str | None = Field(None, max_length=100, description="the preview's plan: refused when it has changed since")

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.belief_id is None) == (self.source_id is None):
            raise ValueError("give belief_id or source_id, one of them")
        return self


class Affected(Frozen):
    """A node that rests on what is retracted."""

    id: str
    label: str = Field(description="what it is in the graph, such as Belief or Run")
    kind: str = Field(description="belief, summary, value, thoughtseed, answer, evidence, ...")
    name: str = Field(description="its first words")
    effect: Effect = Field(
        description="retracted: nothing is left under it; weakened: something is; marked: an answer that rests on it"
    )
    by: tuple[str, ...] = Field(description="how it rests on it: relationship types")


class RetractionPlan(Frozen):
    """The plan of a retraction: what it does, before it does it."""

    target: str = Field(description="id of the belief or source")
    label: str = Field(description="Belief or Source")
    affected: tuple[Affected, ...] = Field(description="everything that rests on it, by kind and id")
    counts: dict[str, int] = Field(description="how many of each kind")
    triples: int = Field(ge=0, description="relationships that only this source says")
    plan: str = Field(description="a hash of all this; give it to `apply` to be sure that nothing has changed")


class Retraction(Frozen):
    """A retraction that was applied, and perhaps undone."""

    id: str = Field(description="ULID of the receipt")
    scope: str
    target: str
    label: str
    reason: str
    counts: dict[str, int] = Field(description="how many nodes of each kind were touched, the target included")
    retracted_at: datetime
    undone_at: datetime | None = Field(description="when it was undone; null: it is in force")


class MergeRequest(BaseModel):
    """Two things that are one."""

    model_config = request_config(winner_id="ent_3ad3761571432f793ccfc754", loser_id="ent_91c1761571432f793ccfc754")

    winner_id: NodeId = Field(description="the one that stays")
    loser_id: NodeId = Field(description="the one that goes into it; it is kept")
    reason: str = Field("", max_length=2000, description="why; kept with the receipt")

    @model_validator(mode="after")
    def _two(self) -> Self:
        if self.winner_id == self.loser_id:
            raise ValueError("a thing is not merged into itself")
        return self


class Merge(Frozen):
    """A merge that was done, and perhaps undone. The receipt's id undoes it."""

    id: str = Field(description="ULID of the receipt")
    kind: ReceiptKind
    scope: str
    winner_id: str
    loser_id: str
    reason: str
    relationships: int = Field(ge=0, description="relationships that the winner took over")
    merged_at: datetime
    undone_at: datetime | None = Field(description="when it was undone; null: it is in force")


class Violation(Frozen):
    """A node that claims more than its lineage, its signal or its statements give."""

    id: str
    label: str
    reason: Literal["lineage", "signal", "sources"] = Field(
        description="lineage: above what it was derived from; signal: above what its signal and source give, with one "
        "voice; sources: more of them than there are sites and authors"
    )
    trust: float = Field(description="what it claims")
    lowest: float = Field(description="the most that it may: the lowest of its lineage, or the start of its signal")
    on: str = Field(description="id of that lowest one, or its own")


class AuthorityAudit(Frozen):
    """An audit of whether anything is trusted more than its lineage, its signal and its statements give."""

    sound: bool = Field(description="no violation was found")
    derived: int = Field(ge=0, description="derived nodes that were looked at")
    violations: tuple[Violation, ...] = Field(description="the worst ones first, at most 100")


class ErasureRequest(BaseModel):
    """A request to forget one thing for good: a scope, a source, or a node."""

    model_config = request_config(source_id="src_3ad3761571432f793ccfc754")

    scope: str | None = Field(None, max_length=300, description="a whole scope; a user's with that user's sessions")
    source_id: NodeId | None = Field(None, description="a source, and what only it says")
    belief_id: NodeId | None = Field(None, description="a belief")
    memory_id: NodeId | None = Field(None, description="a memory")

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [self.scope, self.source_id, self.belief_id, self.memory_id]
        if sum(one is not None for one in given) != 1:
            raise ValueError("give one of scope, source_id, belief_id, memory_id")
        return self


class Erasure(Frozen):
    """An account of what an erasure removes or has removed: counts only, so that the receipt holds nothing of it."""

    done: bool = Field(description="false: a preview")
    what: str = Field(description="scope, source, belief or memory")
    counts: dict[str, int] = Field(description="nodes by label, relationships, redacted texts")
    vectors: int = Field(ge=0, description="embeddings among them")
    kept: tuple[str, ...] = Field((), description="ids of what also rests on something else, and stays")
    elsewhere: tuple[str, ...] = Field((), description="ids of other nodes that hold the same text in their own right")
    erased_at: datetime | None = Field(None, description="when; null for a preview")
    files: str = Field(description="how long the server's own files may still hold it")
