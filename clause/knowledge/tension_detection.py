"""Contradictions between two beliefs whose valid times overlap: their kind and how much they matter. Pure functions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from clause.knowledge.beliefs.confidence import Severity
from clause.text.fields import Frozen, Model
from clause.text.statements.alignment import one_role
from clause.text.statements.guards import NEAR, TensionVerdict, Vectors, contradiction
from clause.text.statements.slots import numbered_apart, one_subject, read_statement

Kind = Literal["contradiction", "temporal_conflict", "scope_conflict", "partial_overlap"]
Standing = Literal["detected", "investigating", "resolved", "accepted"]
OPEN: Final[tuple[Standing, ...]] = ("detected", "investigating")
"""The statuses of a tension that is not settled."""

Action = Literal["supersede_a", "supersede_b", "keep_both", "archive_both"]


class TensionSide(Frozen):
    """One of the two beliefs."""

    id: str = Field(description="the belief's id")
    content: str = Field(description="what it says")
    status: str = Field(description="its status now")
    overall: float = Field(ge=0, le=1, description="its confidence now")


class Tension(Frozen):
    """Two beliefs that contradict each other."""

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
    """A way to settle a tension."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        json_schema_extra={"example": {"action": "supersede_a", "resolution": "she moved last spring"}},
    )

    action: Action = Field(description="supersede_a: b takes the place of a; keep_both: accepted as it is")
    resolution: str = Field("", max_length=2000, description="why")


class TensionFilter(Model):
    """The tensions to list: those whose beliefs are both held, unless a status asks for settled ones."""

    status: Standing | None = Field(None, description="of this status; open ones if not said")
    severity: Severity | None = Field(None, description="of this severity")
    entity_id: str | None = Field(None, max_length=200, description="of beliefs about this entity")
    belief_id: str | None = Field(None, max_length=200, description="of this belief")
    scopes: tuple[str, ...] | None = Field(None, min_length=1, max_length=20, description="all readable if not said")
    limit: Annotated[int, Field(ge=1, le=101)] = Field(20, description="how many at most")
    after: str | None = Field(None, max_length=200, description="the id after which the page starts")


CLOSE: Final = 0.85
"""The similarity above which two beliefs are looked at; from `NEAR` on where they are of one subject, or say so."""

MEANT: Final = 0.6
"""The least probability, of two statements read beside each other, that is a contradiction of its own."""
_STEPS: Final[tuple[Severity, ...]] = ("low", "medium", "high", "critical")
_BOUNDS: Final = (0.3, 0.5, 0.7)


@dataclass(frozen=True)
class Held:
    """The parts of a belief that the detection reads.

    Attributes:
        content: its text.
        overall: its confidence.
        subjects: ids of the entities that it is about as their subject.
        domain_path: its domains.
        valid: from and until; None is open.
    """

    content: str
    overall: float
    subjects: frozenset[str] = frozenset()
    domain_path: tuple[str, ...] = ()
    valid: tuple[datetime | None, datetime | None] = (None, None)


@dataclass(frozen=True)
class Contradiction:
    """A contradiction between two beliefs."""

    kind: Kind
    severity: Severity
    score: float
    similarity: float
    signals: tuple[str, ...]


def overlap(first: tuple[datetime | None, datetime | None], second: tuple[datetime | None, datetime | None]) -> bool:
    """Tell whether two valid times [from, until) share an instant; None is open.

    >>> from datetime import UTC
    >>> year = lambda n: datetime(n, 1, 1, tzinfo=UTC)
    >>> overlap((year(2010), year(2012)), (year(2012), None)), overlap((None, None), (year(2012), None))
    (False, True)
    """
    starts = [at for at in (first[0], second[0]) if at is not None]
    ends = [at for at in (first[1], second[1]) if at is not None]
    return not starts or not ends or max(starts) < min(ends)


def detect(
    a: Held, b: Held, similarity: float, vectors: Vectors | None = None, meaning: float = 0.0
) -> Contradiction | None:
    """The contradiction between two beliefs of one scope, or None: precision comes first.

    Args:
        a, b: the beliefs; they may change places.
        similarity: the cosine of their embeddings.
        vectors: the embeddings, for the pair classifier; without them the rules alone speak.
        meaning: how likely they contradict each other, read beside each other; it decides where no rule speaks.

    >>> found = detect(Held("The car is red", 0.9), Held("The car is blue", 0.9), 0.9)
    >>> found.kind, found.severity, found.signals
    ('contradiction', 'critical', ('exclusive: blue / red',))
    """
    same_subject = bool(a.subjects & b.subjects)
    unknown = not (a.subjects and b.subjects)
    read = read_statement(a.content), read_statement(b.content)
    near = same_subject or (unknown and one_subject(*read)) or one_role(*read)
    if not overlap(a.valid, b.valid):
        return None
    told = meaning >= MEANT and not numbered_apart(*read)
    verdict = TensionVerdict(meaning, ("meaning",), "contradiction" if told else None)
    if similarity > (NEAR if near else CLOSE):
        ruled = contradiction(a.content, b.content, similarity, vectors=vectors, same_subject=same_subject)
        verdict = ruled if ruled.found else verdict
    if not verdict.found:
        return None
    kind: Kind = "temporal_conflict" if verdict.kind == "temporal_conflict" else _kind(a, b)
    graded = severity(verdict.score * min(a.overall, b.overall), milder=kind in {"scope_conflict", "partial_overlap"})
    return Contradiction(kind, graded, verdict.score, similarity, verdict.signals)


def severity(weight: float, *, milder: bool = False) -> Severity:
    """The severity of a contradiction of this weight (its score times the lower confidence); `milder` one step less.

    >>> [severity(weight) for weight in (0.2, 0.3, 0.5, 0.7)], severity(0.7, milder=True)
    (['low', 'medium', 'high', 'critical'], 'high')
    """
    step = sum(weight >= bound for bound in _BOUNDS)
    return _STEPS[max(0, step - milder)]


def _kind(a: Held, b: Held) -> Kind:
    """Each may hold in its own domain, or for its own time; else it is a plain contradiction."""
    if a.domain_path and b.domain_path and a.domain_path != b.domain_path:
        return "scope_conflict"
    if a.valid != b.valid and (None, None) not in {a.valid, b.valid}:
        return "partial_overlap"
    return "contradiction"
