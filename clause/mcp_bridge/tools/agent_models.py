"""Models of the tools of mode `agent`: short schemas of what they take and tell."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from clause.knowledge.beliefs.confidence import Signal
from clause.mcp_bridge.tool import Arguments, Id
from clause.text.fields import Instant

Scope = str | None
Scopes = list[str] | None
_WHOSE = "whose, such as user:ann or kg:films"
_WHERE = "where to look; all if not said"


class AskedBriefly(Arguments):
    """A question in words."""

    query: str = Field(min_length=1, max_length=10_000)
    scopes: Scopes = Field(None, description=_WHERE)
    start_nodes: list[str] | None = Field(None, description="names to start from; found in the question if not said")
    reading: str | None = Field(None, description="id of the reading that is meant")
    detail: Literal["short", "paths"] = Field("short", description="paths: all answers, texts and walks")


class BriefRecall(Arguments):
    """The thing that is looked for."""

    query: str = Field(min_length=1, max_length=10_000)
    scopes: Scopes = Field(None, description=_WHERE)
    limit: int = Field(5, ge=1, le=50)


class BriefBeliefQuery(BriefRecall):
    """The thing that is looked for, and as of when."""

    as_of: Instant | None = Field(None, description="what was true then; now if not said")


class BriefStatement(Arguments):
    """A statement and who says it."""

    content: str = Field(min_length=1, max_length=10_000, description="one fact in one sentence")
    scope: Scope = Field(None, description=_WHOSE)
    said_by: str = Field("", max_length=500, description="who or what says so; the user if not said")
    signal: Signal = Field("explicit_request", description="how it came up")
    valid_from: Instant | None = None


class BriefReplacement(Arguments):
    """The belief that changed, and what holds now."""

    belief_id: Id
    content: str = Field(min_length=1, max_length=10_000, description="what holds now")
    reason: str = Field("", max_length=2000)
    valid_from: Instant | None = None


class BriefNote(Arguments):
    """A text to keep word for word."""

    content: str = Field(min_length=1, max_length=10_000, description="`Name: ...` names its speaker")
    scope: Scope = Field(None, description=_WHOSE)
    timestamp: str | None = Field(None, max_length=200, description="when it was said; now if not given")


class BriefJudgement(Arguments):
    """A belief or an answer, and whether it is right; or a receipt to undo."""

    belief_id: Id | None = None
    run_id: Id | None = Field(None, description="of an answer of ask")
    right: bool = True
    reason: str = Field("", max_length=2000)
    undo: Id | None = Field(None, description="receipt_id of a judgement, instead of belief_id")


class _Brief(BaseModel):
    model_config = ConfigDict(frozen=True)


class BriefBelief(_Brief):
    """A belief in few words."""

    id: str
    content: str
    confidence: float
    status: str
    scope: str
    since: datetime = Field(description="when it became true, or known")
    open_tensions: int | None = Field(None, description="contradictions with other beliefs")


class BriefBeliefs(_Brief):
    """Beliefs, best first."""

    items: list[BriefBelief]
    reason: str | None = None


class BriefOutcome(_Brief):
    """The outcome of a statement."""

    outcome: str
    id: str | None = None
    content: str | None = None
    confidence: float | None = None
    tensions: list[str] | None = Field(None, description="ids of contradictions that it raised")
    reason: str | None = None


class BriefMemory(_Brief):
    """A recalled text."""

    id: str
    content: str
    scope: str
    said: str = Field(description="when")
    similarity: float


class BriefMemories(_Brief):
    """Recalled texts, best first."""

    items: list[BriefMemory]
    reason: str | None = None


class BriefReceipt(_Brief):
    """A kept text."""

    id: str
    scope: str


class BriefJudged(_Brief):
    """The effect of a judgement."""

    outcome: str
    reason: str | None = None
    confidence: float | None = None
    receipt_id: str | None = Field(None, description="give it as `undo`")
    counts: dict[str, int] | None = Field(None, description="what was taken back")


class BriefErasure(_Brief):
    """All that an erasure removes."""

    done: bool
    counts: dict[str, int]
    files: str
