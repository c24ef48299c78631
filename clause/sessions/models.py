"""Sessions, exchanges and patterns as they cross borders."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field, JsonValue

from clause.text.embedder import readable
from clause.text.fields import Frozen, request_config

SessionStatus = Literal["active", "completed", "abandoned"]
SummaryMethod = Literal["given", "extracted", "none"]
ExchangeRole = Literal["user", "assistant", "system", "tool"]
PatternType = Literal["topic_recurrence", "preference", "working_style", "communication_pattern", "value_expression"]
PatternStatus = Literal["emerging", "established", "fading", "archived"]
InsightMethod = Literal["manual", "auto", "hybrid"]

LONGEST_EXCHANGE = 200_000

Name = Annotated[str, Field(min_length=1, max_length=500), AfterValidator(readable)]
Text = Annotated[str, Field(min_length=1, max_length=10_000), AfterValidator(readable)]
ScopeGiven = Annotated[str | None, Field(max_length=300, description="whose it is; the default scope if not said")]


class SessionStart(BaseModel):
    """A conversation that begins, or goes on when its client's own id is known."""

    model_config = request_config(platform="claude-code", project_context="clause", client_session_id="7f3a")

    platform: Name = Field("claude-code", description="where it takes place")
    project_context: Name | None = Field(None, description="the project that it is about")
    room_id: Name | None = Field(None, description="the chat room on the platform")
    client_session_id: Name | None = Field(None, description="the client's own id: started twice, it is one session")
    scope: ScopeGiven = None
    metadata: dict[str, JsonValue] = Field(default_factory=dict, description="kept as it is")


class Session(Frozen):
    """A conversation."""

    id: str = Field(description="ULID")
    scope: str = Field(description="whose it is")
    platform: str = Field(description="where it takes place")
    project_context: str | None = Field(description="the project that it is about")
    room_id: str | None = Field(description="the chat room on the platform")
    client_session_id: str | None = Field(description="the client's own id")
    status: SessionStatus = Field(description="active until it is ended")
    summary: str | None = Field(description="what it was about; null where nothing was said")
    summary_method: SummaryMethod | None = Field(description="whether the summary was given or extracted")
    themes: tuple[str, ...] = Field(description="what came up")
    source_id: str = Field(description="the conversation as a source of beliefs")
    exchange_count: int = Field(ge=0, description="exchanges stored")
    metadata: dict[str, JsonValue] = Field(description="as it was given")
    started_at: datetime
    ended_at: datetime | None
    version: int = Field(ge=1, description="grows with every change; the ETag")


class RelevantBelief(Frozen):
    """A belief as a session starts with it: short."""

    id: str
    content: str = Field(max_length=100, description="its first 100 characters")
    confidence: float = Field(ge=0, le=1, description="its overall confidence")


class Pattern(Frozen):
    """Something seen again and again across sessions."""

    id: str = Field(description="ULID")
    scope: str = Field(description="whose it is")
    type: PatternType = Field(description="what kind of regularity")
    description: str = Field(description="what is seen")
    confidence: float = Field(ge=0, le=1, description=".5 at first; each time c + .1 (1 - c), at most .99")
    occurrences: int = Field(ge=1, description="times it was seen")
    sessions: int = Field(ge=0, description="sessions it was seen in")
    status: PatternStatus = Field(description="established at 4 occurrences; fading when long unseen")
    first_seen: datetime
    last_seen: datetime
    version: int = Field(ge=1, description="grows with every change; the ETag")


class SessionStarted(Frozen):
    """A session, and what is worth knowing at its start."""

    session: Session
    resumed: bool = Field(description="the client's own id was known: it goes on")
    beliefs: tuple[RelevantBelief, ...] = Field(description="at most 5, those of the project first")
    patterns: tuple[Pattern, ...] = Field(description="at most 5 established ones, surest first")


class SessionEnd(BaseModel):
    """The end of a session."""

    model_config = request_config(
        summary="Moved the build to one lock file and pinned every hash.", themes=["reproducible builds"]
    )

    summary: Text | None = Field(None, description="what it was about; taken from the exchanges if not said")
    themes: tuple[Name, ...] = Field((), max_length=20)
    status: Literal["completed", "abandoned"] = Field("completed", description="how it ended")
    believe: bool = Field(True, description="hold summary and themes as beliefs; false: they stay the session's own")


class Captured(Frozen):
    """The fate of a summary, a theme or an insight."""

    kind: Literal["summary", "theme", "insight"]
    outcome: str = Field(description="created, corroborated, recalled, or skipped")
    belief_id: str | None = Field(description="the belief that holds it; null where it was skipped")
    reason: str = Field("", description="why nothing was written, or how it was recognised")


class SessionEnded(Frozen):
    """A closed session and the beliefs made of it."""

    session: Session
    captured: tuple[Captured, ...] = Field(description="summary and themes, in order")


class ExchangeAdd(BaseModel):
    """One turn of a conversation."""

    model_config = request_config(role="user", content="Please pin every dependency.", tokens=6)

    role: ExchangeRole = Field(description="who spoke")
    content: Annotated[str, Field(min_length=1, max_length=LONGEST_EXCHANGE), AfterValidator(readable)]
    tokens: int | None = Field(None, ge=0, description="its tokens, as the client counts them")
    tool_uses: tuple[dict[str, JsonValue], ...] = Field((), max_length=200, description="tools that were used")


class Exchange(Frozen):
    """One stored turn."""

    id: str = Field(description="ULID")
    session_id: str
    sequence: int = Field(ge=1, description="1, 2, 3, ... within the session, without gaps")
    role: ExchangeRole
    content: str
    tokens: int | None
    tool_uses: tuple[dict[str, JsonValue], ...]
    recorded_at: datetime


class PatternRecord(BaseModel):
    """A regularity that was noticed; the same one again reinforces the first."""

    model_config = request_config(type="working_style", description="Writes the test before the code")

    type: PatternType
    description: Text = Field(description="what is seen")
    session_id: str | None = Field(None, max_length=200, description="the session it was seen in")
    scope: ScopeGiven = None


class PatternReinforce(BaseModel):
    """A known pattern was seen again."""

    model_config = request_config(session_id=None)

    session_id: str | None = Field(None, max_length=200, description="the session it was seen in")


class PatternRecorded(Frozen):
    """A pattern, and whether it is new."""

    pattern: Pattern
    created: bool = Field(description="false: it was known and has been reinforced")


class PatternSearch(BaseModel):
    """The patterns that are asked for."""

    model_config = request_config(query="testing habits", limit=5)

    query: Text = Field(description="words or meaning")
    type: PatternType | None = None
    include_fading: bool = Field(False, description="fading and archived ones too")
    scopes: Annotated[list[str] | None, Field(min_length=1, max_length=100)] = None
    limit: int = Field(10, ge=1, le=100)


class PatternFound(Frozen):
    """A pattern that fits a search."""

    pattern: Pattern
    fused_score: float = Field(description="reciprocal rank fusion of both rankings")
    similarity: float | None = Field(description="cosine, clipped at 0; null where only words fit")


class InsightExtract(BaseModel):
    """Something learned in a session, in the agent's words."""

    model_config = request_config(
        content="The team pins dependencies with hashes", domain_path=["build"], method="manual"
    )

    content: Text = Field(description="what was learned")
    method: InsightMethod = Field("manual", description="how it was taken from the session")
    domain_path: tuple[Annotated[str, Field(min_length=1, max_length=100)], ...] = Field((), max_length=20)
    entities: tuple[Name, ...] = Field((), max_length=24, description="what it is about, besides those in the text")


class SessionInsight(Frozen):
    """A belief that was extracted from a session."""

    belief_id: str
    session_id: str
    method: InsightMethod
    content: str
    confidence: float = Field(ge=0, le=1)
    status: str
    recorded_at: datetime

    @property
    def key(self) -> str:
        """The belief and the session: what was learned in two sessions is listed for each."""
        return f"{self.belief_id}/{self.session_id}"
