"""Beliefs as they cross borders: what is given, what is held, the six dimensions of confidence, and their history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from clause.knowledge.beliefs.confidence import WEIGHTS, Signal, Stage
from clause.knowledge.tension_detection import Tension
from clause.text.fields import Frozen, Instant, request_config

Status = Literal["active", "superseded", "disputed", "archived", "retracted"]
SourceKind = Literal["document", "conversation", "inference", "observation", "api", "user_input"]
NOWHERE: Final = "unknown"
"""The kind of what stands in an answer's provenance where nobody has said a source: nothing can be stated by it."""
Visibility = Literal["private", "federated", "public"]
Role = Literal["subject", "object", "context", "source"]
Decay = Literal["forever", "year", "quarter", "week", "hour"]
Verification = Literal["verified", "pending_review", "unverified"]
Outcome = Literal["created", "corroborated", "recalled", "skipped"]

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Name = Annotated[str, Field(min_length=1, max_length=1000)]
EntityKind = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^\S(?:.*\S)?$")]
LONGEST_CONTENT = 10_000
Domains = Annotated[tuple[Annotated[str, Field(min_length=1, max_length=100)], ...], Field(max_length=20)]
STRICT = ConfigDict(frozen=True, extra="forbid")


def require_text(content: str) -> None:
    """Refuse what holds nothing but blanks and NUL bytes (a ValueError, as a validator raises it)."""
    if not content.replace("\x00", "").encode("utf-8", "ignore").strip():
        raise ValueError("the text is empty")


def require_order(valid_from: datetime | None, valid_until: datetime | None) -> None:
    """Refuse a valid time that ends before it starts (a ValueError, as a validator raises it)."""
    if valid_from and valid_until and valid_until <= valid_from:
        raise ValueError("valid_until is not after valid_from")


class ConfidenceGiven(BaseModel):
    """Dimensions that the caller sets; the rest come from the signal, the sources and the clock.

    They lower a belief and never lift it above what its signal and source give.
    """

    model_config = STRICT

    source_reliability: Share | None = Field(None, description="how far the source is to be trusted")
    method_quality: Share | None = Field(None, description="how rigorous the extraction was")
    internal_consistency: Share | None = Field(None, description="how well it agrees with the other beliefs")
    temporal_freshness: Share | None = Field(None, description="how fresh it was when it was recorded")
    corroboration: Share | None = Field(None, description="a floor on what independent sources give")
    domain_applicability: Share | None = Field(None, description="how relevant it is to its domain")


class ConfidenceDimensions(Frozen):
    """The six dimensions, absent ones null, and the overall that is always derived from them."""

    source_reliability: Share | None = Field(None, description="how trustworthy the source is")
    method_quality: Share | None = Field(None, description="how rigorous the extraction was")
    internal_consistency: Share | None = Field(None, description="1 less what open tensions take")
    temporal_freshness: Share | None = Field(None, description="2^(-age / half-life) since it was last stated")
    corroboration: Share | None = Field(None, description="null until a second independent source says the same")
    domain_applicability: Share | None = Field(None, description="how relevant it is to its domain")
    overall: Share = Field(description="the weighted geometric mean of the dimensions that are there")


class EntityGiven(BaseModel):
    """An entity that the caller says the belief is about."""

    model_config = STRICT

    name: Name = Field(description="its name; known by name or alias, or made")
    role: Role = Field("subject", description="what it is to the belief")
    kind: EntityKind | None = Field(None, description="what kind of thing it is; a known one keeps its own but concept")


class SourceGiven(BaseModel):
    """The source of a statement, when there is no source id yet; the same kind, title and uri are one source."""

    model_config = STRICT

    kind: SourceKind = Field("user_input", description="what sort of source it is")
    title: str = Field("", max_length=500, description="its name")
    uri: str = Field("", max_length=2000, description="where it lies")
    upstream: str = Field("", max_length=500, description="what it copies from; copies of one upstream count once")


class SourcedStatement(BaseModel):
    """The part that a belief and a corroboration share: who said something, how it came here, and in which session."""

    model_config = STRICT

    source_id: str | None = Field(None, max_length=200, description="a known source")
    source: SourceGiven | None = Field(None, description="a source that may be new; without either, the caller")
    session_id: str | None = Field(None, max_length=200, description="the started session in which it was said")
    extraction_method: str = Field("manual", min_length=1, max_length=100, description="how it was taken from there")
    recalled: bool = Field(False, description="the text was recalled from this graph: it corroborates nothing")

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if self.source_id is not None and self.source is not None:
            raise ValueError("give source_id or source, not both")
        return self


class BeliefCreate(SourcedStatement):
    """A statement to be held as a belief."""

    model_config = request_config(content="Ann prefers tabs over spaces", domain_path=["tech", "style"])

    content: str = Field(min_length=1, max_length=LONGEST_CONTENT, description="what is held to be true")
    scope: str | None = Field(None, max_length=300, description="whose belief it is; the default scope if not said")
    domain_path: Domains = Field((), description="from the widest domain to the narrowest")
    entities: tuple[EntityGiven, ...] = Field((), max_length=24, description="linked besides those found in the text")
    signal: Signal = Field("explicit_request", description="how the belief came up; sets where confidence starts")
    confidence: ConfidenceGiven | None = Field(None, description="dimensions set by the caller")
    decay: Decay | None = Field(None, description="half-life of its freshness; by signal if not said")
    valid_from: Instant | None = Field(None, description="when it became true; null: always was")
    valid_until: Instant | None = Field(None, description="when it stops being true; null: it holds")
    visibility: Visibility = Field("private", description="how far its owner means it to go; scopes decide who reads")
    derived_from: tuple[Annotated[str, Field(max_length=200)], ...] = Field(
        (), max_length=100, description="ids of nodes it was derived from; its trust is at most their lowest"
    )
    automatic: bool = Field(False, description="captured without being asked: needs >= .5, at most 10 a session")

    @model_validator(mode="after")
    def _sound(self) -> Self:
        require_text(self.content)
        require_order(self.valid_from, self.valid_until)
        if self.automatic and not self.session_id:
            raise ValueError("an automatic belief names its session")
        return self


class BeliefSupersede(SourcedStatement):
    """A statement to take a belief's place; what is not given is inherited: confidence, domain, entities and source.

    With less authority than the old one has, it is held beside it, with a tension.
    """

    model_config = request_config(content="Ann prefers spaces over tabs", reason="she said so today")

    content: str = Field(min_length=1, max_length=LONGEST_CONTENT, description="what is held from now on")
    reason: str = Field("", max_length=2000, description="why")
    domain_path: Domains | None = Field(None, description="from the widest domain to the narrowest")
    entities: tuple[EntityGiven, ...] | None = Field(None, max_length=24, description="instead of the old one's")
    signal: Signal | None = Field(None, description="how it came up; the old one's confidence if not said")
    confidence: ConfidenceGiven | None = Field(None, description="dimensions set by the caller")
    decay: Decay | None = Field(None, description="half-life of its freshness")
    valid_from: Instant | None = Field(None, description="when it became true; the old one ends there")
    valid_until: Instant | None = Field(None, description="when it stops being true")
    visibility: Visibility | None = Field(None, description="how far its owner means it to go")

    @model_validator(mode="after")
    def _sound(self) -> Self:
        require_text(self.content)
        require_order(self.valid_from, self.valid_until)
        return self


class Corroboration(SourcedStatement):
    """One more statement of a belief that is known by its id."""

    model_config = request_config(source={"kind": "document", "title": "Style guide"})

    content: str | None = Field(None, min_length=1, max_length=LONGEST_CONTENT, description="its words; the belief's")

    @model_validator(mode="after")
    def _sound(self) -> Self:
        require_text(self.content or "same")
        return self


class BeliefEntity(Frozen):
    """An entity that a belief is about."""

    id: str = Field(description="the entity's id")
    name: str = Field(description="its name")
    kind: str = Field(description="what kind of thing it is")
    role: Role = Field(description="what it is to the belief")


class Belief(Frozen):
    """A belief as it is held."""

    id: str = Field(description="ULID")
    scope: str = Field(description="whose it is")
    content: str = Field(description="what is held to be true")
    content_hash: str = Field(description="sha256 of the normalised text")
    domain_path: tuple[str, ...] = Field(description="from the widest domain to the narrowest")
    status: Status = Field(description="active and disputed ones are held")
    stage: Stage = Field(description="by independent sources: 1 tentative, 2-3 emerging, 4 and more established")
    signal: Signal = Field(description="how it came up")
    source_kind: SourceKind = Field(description="what sort of source said it first")
    source_id: str | None = Field(description="which source said it first")
    extraction_method: str = Field(description="how it was taken from there")
    visibility: Visibility = Field(description="how far its owner means it to go")
    confidence: ConfidenceDimensions = Field(description="its six dimensions and their overall")
    decay: Decay = Field(description="half-life of its freshness")
    sources: int = Field(ge=0, description="independent sources that say it")
    statements: int = Field(ge=0, description="how often it was said, the first time and copies included")
    valid_from: datetime | None = Field(description="when it became true")
    valid_until: datetime | None = Field(description="when it stopped being true")
    recorded_at: datetime = Field(description="when it became known here")
    confirmed_at: datetime = Field(description="when it was last stated")
    superseded_at: datetime | None = Field(description="when another belief took its place")
    archived_at: datetime | None = Field(description="when it was put away")
    retracted_at: datetime | None = Field(description="when it was taken back")
    entities: tuple[BeliefEntity, ...] = Field(description="what it is about")
    open_tensions: int = Field(ge=0, description="contradictions with other held beliefs that nobody has settled")
    verification_status: Verification = Field(
        "unverified", description="verified by a person or by independent sources; pending_review while disputed"
    )
    verified_at: datetime | None = Field(None, description="when a person confirmed it")
    superseded_by_id: str | None = Field(None, description="the belief that took its place")
    merged_into_id: str | None = Field(None, description="the belief that it was merged into")
    version: int = Field(ge=1, description="grows with every change; the ETag")


class BeliefVersion(Frozen):
    """A belief that this one superseded, or that superseded it."""

    id: str = Field(description="its id")
    content: str = Field(description="what it says")
    status: Status = Field(description="its status now")
    recorded_at: datetime = Field(description="when it became known here")
    superseded_at: datetime | None = Field(description="when another belief took its place")
    reason: str = Field(description="why it was superseded")


class BeliefDetail(Belief):
    """A belief with its history both ways and its tensions."""

    supersedes: tuple[BeliefVersion, ...] = Field((), description="what it took the place of, newest first")
    superseded_by: tuple[BeliefVersion, ...] = Field((), description="what took its place, oldest first")
    tensions: tuple[Tension, ...] = Field((), description="its contradictions, settled ones too, newest first")


class CandidateVerdict(Frozen):
    """A near belief that was looked at before this one was written, and why it is not the same."""

    belief_id: str = Field(description="the near belief")
    similarity: float = Field(description="cosine of the two texts")
    same: bool = Field(description="whether it says the same")
    reasons: tuple[str, ...] = Field(description="what speaks against it")


class BeliefCreated(Frozen):
    """The outcome of a statement."""

    outcome: Outcome = Field(description="created, or corroborated an older one; recalled and skipped change nothing")
    belief: Belief | None = Field(description="the belief that now holds it; null where it was skipped")
    reason: str = Field("", description="why nothing was written, or how it was recognised")
    candidates: tuple[CandidateVerdict, ...] = Field((), description="near beliefs that were looked at")
    tensions: tuple[str, ...] = Field((), description="ids of tensions that it raised")


ABSENT: Final = -1.0
"""The number that is kept where a record has none; all that a record may lack is at least 0."""


@dataclass(frozen=True)
class ConfidenceRecord:
    """The parts of a belief's confidence from one settling to the next; the order is that of the numbers kept.

    Attributes:
        at: instant of the settling, in ms since 1970.
        source_reliability, method_quality, internal_consistency, corroboration, domain_applicability: dimensions in
            [0, 1]; None: absent.
        temporal_freshness: as it was given, before any fading.
        confirmed_at: instant of the last statement, in ms since 1970.
        sources: independent ones.
        open_tensions, statements: how many.
        ceiling: the least overall of what the belief was derived from; None where nothing caps it.
    """

    at: float
    source_reliability: float | None
    method_quality: float | None
    internal_consistency: float | None
    temporal_freshness: float | None
    corroboration: float | None
    domain_applicability: float | None
    confirmed_at: float
    sources: float
    open_tensions: float
    statements: float
    ceiling: float | None

    @property
    def dimensions(self) -> dict[str, float | None]:
        """The six dimensions by name, the freshness before any fading."""
        return {name: getattr(self, name) for name in WEIGHTS}

    def packed(self) -> list[float]:
        """The numbers that are kept for it."""
        return [ABSENT if value is None else value for value in astuple(self)]


SETTLED: Final = tuple(field.name for field in fields(ConfidenceRecord) if field.name != "at")
"""The fields that `knowledge/settle` computes for a record, in the order in which it is kept behind the instant."""


def unpacked(history: Sequence[float]) -> list[ConfidenceRecord]:
    """The records of a belief's `history`, oldest first.

    >>> at = datetime(2026, 1, 1, tzinfo=UTC)
    >>> one = ConfidenceRecord(millis(at), 0.9, 0.8, 1.0, 1.0, None, None, millis(at), 1.0, 0.0, 1.0, None)
    >>> unpacked(one.packed() * 2) == [one, one]
    True
    """
    size = len(SETTLED) + 1
    return [_record(history[at : at + size]) for at in range(0, len(history), size)]


def _record(numbers: Sequence[float]) -> ConfidenceRecord:
    values: list[Any] = [None if number == ABSENT else number for number in numbers]
    return ConfidenceRecord(*values)


def recorded_by(history: Sequence[float], instant: datetime) -> list[ConfidenceRecord]:
    """The records up to an instant; the first one at least."""
    records = unpacked(history)
    return [record for record in records if record.at <= millis(instant)] or records[:1]


def millis(at: datetime) -> float:
    """An instant in whole ms since 1970."""
    return float(int(at.timestamp() * 1000))


def instant_of(at: float) -> datetime:
    """The instant of so many ms since 1970, UTC."""
    return datetime.fromtimestamp(at / 1000, UTC)


class SourceCounted(Frozen):
    """One statement of the belief, and what it counts for."""

    source_id: str | None = Field(description="who said it")
    kind: str = Field(description="what sort of source it is")
    title: str = Field(description="its name")
    session_id: str | None = Field(description="the session in which it was said")
    reliability: Share = Field(description="of the source, by its track record or its kind")
    independence: Share = Field(description="0: the same site, author, origin or session, or upstream")
    recorded_at: Instant = Field(description="when it was said")


class Corroborations(Frozen):
    """The sources that say a belief besides its first one."""

    belief_id: str = Field(description="the belief")
    corroborations: int = Field(ge=0, description="independent sources besides the first")
    label: str = Field(description="uncorroborated, single, moderately, well or highly corroborated")
    statements: int = Field(ge=0, description="how often it was said")
    corroboration: Share | None = Field(description="the dimension; null until a second independent source")
    sources: tuple[SourceCounted, ...] = Field(description="each statement, oldest first; at most 200")
