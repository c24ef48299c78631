"""Experiences as agents tell them (GHAP): goal, hypothesis, action, prediction, then outcome, surprise and lesson."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from clause.errors import OutOfBoundsError
from clause.text.fields import Frozen
from clause.text.linking import EntityRef

Sentence = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=10_000)]
Word = Annotated[str, StringConstraints(strip_whitespace=True, to_lower=True, min_length=1, max_length=100)]
SessionId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._@+-]{0,127}$")]


class Outcome(StrEnum):
    """The outcomes of a prediction."""

    CONFIRMED = "confirmed"
    FALSIFIED = "falsified"
    ABANDONED = "abandoned"


class Tier(StrEnum):
    """The grades of trust in the record of an outcome."""

    GOLD = "gold"
    SILVER = "silver"
    BRONZE = "bronze"
    ABANDONED = "abandoned"


_WEIGHTS = {Tier.GOLD: 1.0, Tier.SILVER: 0.8, Tier.BRONZE: 0.5, Tier.ABANDONED: 0.2}
_MISSING = 0.5


def tier_weight(tier: str | None) -> float:
    """The weight of an experience in its cluster; one without a tier counts as much as bronze.

    >>> tier_weight("gold"), tier_weight("silver"), tier_weight("bronze"), tier_weight("abandoned"), tier_weight(None)
    (1.0, 0.8, 0.5, 0.2, 0.5)
    """
    return _MISSING if tier is None else _WEIGHTS[Tier(tier)]


class _Request(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class GhapOutcome(Frozen):
    """The end of an experience."""

    status: Outcome = Field(description="confirmed, falsified or abandoned")
    result: str = Field(description="what really happened")
    captured_at: datetime = Field(description="when it was recorded")
    auto_captured: bool = Field(False, description="recorded by a tool, not told by the agent")


class RootCause(Frozen):
    """The reason for which a prediction was false."""

    category: Word = Field(description="such as wrong-assumption, missing-knowledge, oversight, misleading-symptom")
    description: Sentence = Field(description="the cause in a sentence")


class Lesson(Frozen):
    """The part of an experience that is to be kept."""

    what_worked: Sentence = Field(description="what led to the goal in the end")
    takeaway: Sentence | None = Field(None, description="the rule for next time")


class GhapStep(Frozen):
    """One entry of the history: what was set, and when."""

    timestamp: datetime
    hypothesis: str | None = None
    action: str | None = None
    prediction: str | None = None
    strategy: str | None = None
    note: str | None = None


class GhapEntry(Frozen):
    """An experience, open (no outcome yet) or resolved."""

    id: str = Field(description="ULID")
    scope: str = Field(description="whose it is")
    session_id: str | None = Field(None, description="the session that it belongs to")
    domain: str = Field(description="kind of work, such as debugging")
    strategy: str = Field(description="way of working, such as check-assumptions")
    goal: str = Field(description="what is to be reached")
    hypothesis: str = Field(description="what is believed to be the case")
    action: str = Field(description="what is done about it")
    prediction: str = Field(description="what should be seen if the hypothesis holds")
    history: tuple[GhapStep, ...] = Field((), description="the first statement and each change, oldest first")
    outcome: GhapOutcome | None = Field(None, description="null while it is open")
    surprise: str | None = Field(None, description="what was unexpected; there where falsified")
    root_cause: RootCause | None = Field(None, description="why it was so; there where falsified")
    lesson: Lesson | None = None
    confidence_tier: Tier | None = Field(None, description="gold, silver, bronze or abandoned; null while open")
    entities: tuple[EntityRef, ...] = Field((), description="what it is about")
    run_id: str | None = Field(None, description="the recorded answer that it acts on; its outcome judges that")
    created_at: datetime
    resolved_at: datetime | None = None
    version: int = Field(1, ge=1)


class PremortemWarning(Frozen):
    """A value learned earlier in the same domain with the same strategy."""

    value_id: str
    text: str
    axis: str
    cluster_id: str
    cluster_size: int
    similarity: float = Field(description="cosine of the value and what is about to be tried")


class Premortem(Frozen):
    """Earlier experience with something that is about to be tried: nearest first, at most 1500 tokens."""

    warnings: tuple[PremortemWarning, ...] = ()
    tokens: int = Field(0, ge=0, description="cl100k tokens of the warnings as JSON")
    left_out: int = Field(0, ge=0, description="values that found no place")


class StartedGhap(Frozen):
    """A started experience, and what to mind."""

    experience: GhapEntry
    premortem: Premortem


class StartGhap(_Request):
    """A new experience: what is tried, why, and what should come of it."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        json_schema_extra={
            "example": {
                "domain": "debugging",
                "strategy": "check-assumptions",
                "goal": "make the nightly import pass again",
                "hypothesis": "the supplier now sends dates in another form",
                "action": "log the first row that fails",
                "prediction": "the row has a date with the day first",
            }
        },
    )

    domain: Word
    strategy: Word
    goal: Sentence
    hypothesis: Sentence
    action: Sentence
    prediction: Sentence
    scope: str | None = Field(None, max_length=300, description="whose it is; the default scope if not said")
    session_id: SessionId | None = Field(None, description="one experience at a time is open for a session")
    run_id: str | None = Field(
        None, max_length=64, description="`run_id` of the answer that it acts on; its outcome judges that answer"
    )
    entities: tuple[Annotated[str, StringConstraints(min_length=1, max_length=300)], ...] = Field(
        (), max_length=24, description="names of what it is about, beside those found in the text"
    )


class UpdateGhap(_Request):
    """The changes while an experience is open; what is not given stays."""

    hypothesis: Sentence | None = None
    action: Sentence | None = None
    prediction: Sentence | None = None
    strategy: Word | None = None
    note: Sentence | None = Field(None, description="a remark for the history")

    @model_validator(mode="after")
    def _says_something(self) -> UpdateGhap:
        if not self.model_dump(exclude_none=True):
            raise ValueError("at least one of hypothesis, action, prediction, strategy, note")
        return self


class ResolveGhap(_Request):
    """The end of an experience."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        json_schema_extra={
            "example": {
                "status": "falsified",
                "result": "the dates were fine; the file had a second header in the middle",
                "surprise": "the header repeats after 10,000 rows",
                "root_cause": {"category": "wrong-assumption", "description": "nobody had looked past the first rows"},
                "lesson": {
                    "what_worked": "reading the row that failed",
                    "takeaway": "look at the data before the code",
                },
            }
        },
    )

    status: Outcome
    result: Sentence
    surprise: Sentence | None = Field(None, description="required when falsified")
    root_cause: RootCause | None = Field(None, description="required when falsified")
    lesson: Lesson | None = None
    auto_captured: bool = Field(False, description="a tool recorded the outcome: gold")
    confidence_tier: Tier | None = Field(None, description="silver (by hand) unless given; bronze where doubtful")

    def tier(self) -> Tier:
        """Gold where captured automatically, abandoned where given up, else silver, or the bronze that was asked for.

        Raises:
            OutOfBoundsError: the tier asked for is more than the outcome bears out.
        """
        found = Tier.SILVER
        if self.status is Outcome.ABANDONED:
            found = Tier.ABANDONED
        elif self.auto_captured:
            found = Tier.GOLD
        if self.confidence_tier in {None, found}:
            return found
        if self.confidence_tier is Tier.BRONZE and found is not Tier.ABANDONED:
            return Tier.BRONZE
        if self.confidence_tier is Tier.SILVER and found is Tier.GOLD:
            return Tier.SILVER
        raise OutOfBoundsError(
            f"this outcome is not {self.confidence_tier.value if self.confidence_tier else None}",
            field="confidence_tier",
            bound=f"{found.value} or less",
        )

    def require_reasons(self) -> None:
        """A falsified prediction has to say what was unexpected and why.

        Raises:
            OutOfBoundsError: surprise or root cause is missing.
        """
        if self.status is Outcome.FALSIFIED:
            for field in ("surprise", "root_cause"):
                if getattr(self, field) is None:
                    raise OutOfBoundsError(
                        f"a falsified experience needs {field}", field=field, bound="required when falsified"
                    )
