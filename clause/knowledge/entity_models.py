"""Entities and sources as they cross borders."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field

from clause.knowledge.beliefs.models import SourceKind
from clause.text.embedder import readable
from clause.text.fields import Frozen, request_config

Name = Annotated[str, Field(min_length=1, max_length=1000), AfterValidator(readable)]
Scopes = Annotated[list[str] | None, Field(min_length=1, max_length=100, description="all readable ones if not said")]
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class Entity(Frozen):
    """A thing that beliefs, memories and triples are about."""

    id: str
    scope: str = Field(description="whose it is")
    name: str = Field(description="as it is written")
    kind: str = Field(description="person, organization, tool, concept, project, location, service, or another word")
    aliases: tuple[str, ...] = Field(description="other names")
    degree: int = Field(ge=0, description="relationships that can be walked")
    beliefs: int = Field(ge=0, description="beliefs that are about it and held")
    same_as: str | None = Field(description="the canonical entity that it was merged into")
    recorded_at: datetime
    version: int = Field(ge=1, description="grows with every change; the ETag")


class EntitySearch(BaseModel):
    """A search for entities."""

    model_config = request_config(query="Neo4j", limit=5)

    query: Name = Field(description="a name, a part of one, or what it means")
    kind: str | None = Field(None, max_length=100, description="only of this kind")
    scopes: Scopes = None
    limit: int = Field(10, ge=1, le=100)


class EntityFound(Frozen):
    """An entity that fits a search."""

    entity: Entity
    fused_score: float = Field(description="reciprocal rank fusion of names and meaning")
    similarity: float | None = Field(description="cosine, clipped at 0; null where only words fit")


class AliasAdd(BaseModel):
    """Another name for an entity."""

    model_config = request_config(alias="Neo Technology")

    alias: Name


class ResolutionCandidate(Frozen):
    """Two entities that may be one; merging them is for whoever knows."""

    a: Entity
    b: Entity
    similarity: float = Field(description="cosine of the names")
    shared: int = Field(ge=0, description="things that both are connected to")
    reason: str = Field(description="what makes them look alike")


class SourceCreate(BaseModel):
    """A source of statements; the same kind, title and uri in a scope are one source."""

    model_config = request_config(kind="document", title="The survey of 2026", uri="https://example.org/survey")

    kind: SourceKind = Field("document", description="what sort of source it is")
    title: str = Field("", max_length=500)
    uri: str = Field("", max_length=2000)
    upstream: str = Field("", max_length=500, description="what it copies from; copies of one upstream count once")
    content_hash: str | None = Field(None, max_length=128, description="of its content: the same content, one source")
    scope: str | None = Field(None, max_length=300, description="whose it is; the default scope if not said")


class TrackRecord(Frozen):
    """A record of how many others found a source right: a Beta distribution that starts at its kind's prior.

    An author counts once in each, however many of its beliefs it speaks to: a helper who agrees with all is one voice.
    """

    alpha: float = Field(gt=0, description="prior and confirmations")
    beta: float = Field(gt=0, description="prior, disputes and supersessions")
    reliability: Share = Field(description="alpha / (alpha + beta)")
    confirmed: int = Field(ge=0, description="authors other than its own who confirmed its beliefs")
    disputed: int = Field(ge=0, description="other authors whose beliefs contradict its own")
    superseded: int = Field(ge=0, description="other authors whose beliefs took the place of its own")
    answered_right: int = Field(0, ge=0, description="pieces of its evidence behind answers that were judged right")
    answered_wrong: int = Field(0, ge=0, description="pieces of its evidence behind answers that were judged wrong")


class Source(Frozen):
    """A source with its track record."""

    id: str
    scope: str
    kind: str = Field(description="document, conversation, inference, observation, api, user_input")
    title: str
    uri: str | None
    upstream: str | None
    content_hash: str | None
    track_record: TrackRecord
    beliefs: int = Field(ge=0, description="beliefs that it says")
    retracted_at: datetime | None
    recorded_at: datetime
    version: int = Field(ge=1, description="grows with every change; the ETag")


class TrustGiven(BaseModel):
    """The degree to which one source trusts another."""

    model_config = request_config(to_source_id="src_91c1761571432f793ccfc754", weight=0.8)

    to_source_id: str = Field(min_length=1, max_length=200, description="the trusted one")
    weight: Share = Field(description="0: not at all, 1: wholly")


class TrustEdge(Frozen):
    """A stored edge of trust."""

    from_source_id: str
    to_source_id: str
    weight: Share
    recorded_at: datetime


class TrustCheck(BaseModel):
    """The question whom to trust on a topic."""

    model_config = request_config(topic="graph databases", limit=5)

    topic: Name = Field(description="what it is about")
    entity_name: str | None = Field(None, max_length=1000, description="only beliefs about this entity")
    source_id: str | None = Field(None, max_length=200, description="whose trust is passed on along TRUSTS")
    min_trust: Share = Field(0.3, description="less is left out")
    scopes: Scopes = None
    limit: int = Field(10, ge=1, le=100)


class Trusted(Frozen):
    """Someone or something to trust on the topic."""

    kind: Literal["entity", "source"]
    id: str
    name: str
    trust: Share = Field(description="mean overall confidence of its matching active beliefs")
    beliefs: int = Field(ge=1, description="how many those are")
    passed_on: Share | None = Field(description="trust of the asking source along TRUSTS: .7 a hop, .1 by default")


class TrustAnswer(Frozen):
    """Those to trust, most trusted first; and why nobody, where there is nobody."""

    trusted: tuple[Trusted, ...]
    matching: int = Field(ge=0, description="active beliefs on the topic")
    below: int = Field(ge=0, description="left out for less than min_trust")
    reason: str | None = Field(description="why the answer is empty, where it is")
