"""Questions about beliefs and their answers, as they cross borders."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from clause.knowledge.beliefs.models import Belief, Domains, Share, SourceCounted, Status
from clause.text.fields import Frozen, Instant, request_config

Scopes = Annotated[tuple[Annotated[str, Field(max_length=300)], ...], Field(min_length=1, max_length=20)]

RELEVANT = 0.30
"""Nearness from which a belief bears on a question; how it was found: docs/benchmarks-pairs.md."""


class RankingWeights(BaseModel):
    """The weights that make the order of the answers; only the proportions matter."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    semantic: float = Field(0.50, ge=0, le=1000, description="of nearness in meaning and words")
    confidence: float = Field(0.35, ge=0, le=1000, description="of the overall confidence")
    recency: float = Field(0.15, ge=0, le=1000, description="of exp(-.01 * days since it was recorded)")

    @model_validator(mode="after")
    def _some(self) -> Self:
        if self.semantic + self.confidence + self.recency <= 0:
            raise ValueError("one weight at least is above 0")
        return self


class ConfidenceFloors(BaseModel):
    """The least of each dimension; a belief without that dimension stays below every floor."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source_reliability: Share | None = None
    method_quality: Share | None = None
    internal_consistency: Share | None = None
    temporal_freshness: Share | None = None
    corroboration: Share | None = None
    domain_applicability: Share | None = None
    overall: Share | None = None


class BeliefQuery(BaseModel):
    """A question to the beliefs, by meaning and by words."""

    model_config = request_config(query="what does Ann prefer?", explain=True)

    query: str = Field(min_length=1, max_length=10_000, description="what is asked for")
    scopes: Scopes | None = Field(None, description="where to look; everything readable if not said")
    domain_filter: Domains = Field((), description="only beliefs with one of these in their domain path")
    domain: Domains = Field(
        (), description="the domain that is asked from, widest first: sets each answer's domain_applicability"
    )
    entity_id: str | None = Field(None, max_length=200, description="only beliefs about this entity")
    include_superseded: bool = Field(False, description="beliefs whose place another took, too")
    include_archived: bool = Field(False, description="beliefs that were put away, too")
    as_of_valid: Instant | None = Field(
        None, description="true then, whatever took its place later; if not said: as_of_recorded, or now"
    )
    as_of_recorded: Instant | None = Field(None, description="as it was known at this instant; now if not said")
    ranking: RankingWeights = Field(RankingWeights(), description="what the order is made of")
    explain: bool = Field(False, description="say for each belief how its place came about")
    floors: ConfidenceFloors = Field(ConfidenceFloors(), description="the least of each dimension")
    min_similarity: Annotated[float, Field(ge=-1, le=1)] | None = Field(None, description="the least cosine")
    min_relevance: Share | None = Field(
        None, description="the least nearness in meaning and words; .30 if not said, none for an entity's beliefs"
    )
    session_id: str | None = Field(
        None, max_length=200, description="the session that is told: said again there, the beliefs corroborate nothing"
    )
    limit: int = Field(20, ge=1, le=100, description="how many at most")

    @property
    def wants_superseded(self) -> bool:
        """True where superseded beliefs may answer: they were asked for, or what held at another time was."""
        return self.include_superseded or self.as_of_valid is not None

    @property
    def least_relevance(self) -> float:
        """The nearness below which a belief does not bear on the question."""
        if self.min_relevance is not None:
            return self.min_relevance
        return 0.0 if self.entity_id is not None else RELEVANT


class BeliefSearch(BaseModel):
    """A search by meaning alone."""

    model_config = request_config(query="coding style", min_similarity=0.5)

    query: str = Field(min_length=1, max_length=10_000, description="what is searched for")
    scopes: Scopes | None = Field(None, description="where to look; everything readable if not said")
    domain_filter: Domains = Field((), description="only beliefs with one of these in their domain path")
    min_similarity: float = Field(0.5, ge=-1, le=1, description="the least cosine")
    min_confidence: Share | None = Field(None, description="the least overall confidence")
    session_id: str | None = Field(None, max_length=200, description="the session that is told")
    limit: int = Field(10, ge=1, le=100, description="how many at most")


class RankingExplanation(Frozen):
    """An account of how a place came about: the weighted mean of three numbers in [0, 1]."""

    semantic: Share = Field(description="1 - (1 - cosine) (1 - half the share of the question's words)")
    confidence: Share = Field(description="overall confidence")
    recency: Share = Field(description="exp(-.01 * days since it was recorded)")
    weights: RankingWeights = Field(description="as they were asked for")


class BeliefHit(Frozen):
    """A belief that fits."""

    belief: Belief = Field(description="as it is held, or was at the instant asked for")
    similarity: float = Field(ge=-1, le=1, description="cosine with the question")
    final_score: float = Field(ge=0, le=1, description="what the order goes by")
    ranking: RankingExplanation | None = Field(None, description="how the score came about, when asked for")


class Removed(Frozen):
    """The number of near beliefs that one filter or floor took; each is counted once, by the first that took it."""

    by: str = Field(description="the filter or floor, by its name in the request")
    count: int = Field(ge=1, description="how many it took")


class BeliefHits(Frozen):
    """An answer; when it is empty, `reason` says why."""

    items: tuple[BeliefHit, ...] = Field(description="best first")
    considered: int = Field(ge=0, description="near beliefs that were looked at")
    removed: tuple[Removed, ...] = Field((), description="what filters and floors took")
    reason: str = Field("", description="why there is nothing, when there is nothing")


class BeliefFilter(BaseModel):
    """The beliefs to list, newest first."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    status: Status | None = Field(None, description="of this status; held ones if not said")
    scopes: Scopes | None = Field(None, description="everything readable if not said")
    entity_id: str | None = Field(None, max_length=200, description="about this entity")
    session_id: str | None = Field(None, max_length=200, description="first said in this session")
    limit: int = Field(20, ge=1, le=101, description="how many at most")
    after: str | None = Field(None, max_length=200, description="the id after which the page starts")


class DimensionExplained(Frozen):
    """One dimension: what it is, what it weighs, how it came to be."""

    name: str = Field(description="the dimension")
    value: Share | None = Field(description="null: it is absent and left out")
    weight: float = Field(description="as specified")
    share: float = Field(description="its weight among the dimensions that are there")
    how: str = Field(description="how the value came to be")


class ConfidenceExplanation(Frozen):
    """The reasons why a belief is held with this confidence, and what would raise it."""

    belief_id: str = Field(description="the belief")
    content: str = Field(description="what it says")
    overall: Share = Field(description="exp(sum w ln d / sum w), at most the lowest of its lineage")
    stage: str = Field(description="by independent sources")
    label: str = Field(description="of its corroboration")
    dimensions: tuple[DimensionExplained, ...] = Field(description="all six")
    ceiling: Share | None = Field(description="the lowest overall that it was derived from; null: nothing caps it")
    advice: tuple[str, ...] = Field(description="what would raise it")
    sources: tuple[SourceCounted, ...] = Field(description="each statement, oldest first; at most 200")
