"""What crosses the border of this room: memories on their way in and out."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from clause.memory.config import DEFAULT_SPARSE_WEIGHT, FusionMethod

SearchMode = Literal["dense", "sparse", "hybrid"]


class MemoryWriteInput(BaseModel):
    """A memory to keep. `scope`, or `user_id` and `session_id`, say whose it is; the default scope where none does."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        json_schema_extra={"example": {"content": "Ann: I moved to Lisbon in May.", "scope": "user:ann"}},
    )

    content: str = Field(min_length=1, max_length=10000, description="what to remember; `Name: ...` names its speaker")
    metadata: dict[str, str | int | float | bool] | None = Field(None, max_length=100, description="free keys")
    user_id: str | None = Field(None, max_length=128, description="whose it is")
    session_id: str | None = Field(None, max_length=128, description="of which session it is")
    force_new_cluster: bool = Field(False, description="open a cluster of its own, however near another is")
    scope: str | None = Field(None, max_length=300, description="whose it is, in place of user_id and session_id")
    timestamp: str | None = Field(
        None, max_length=200, description="when it was said: ISO 8601 or free text; unreadable ones stay text"
    )
    embedding: list[float] | None = Field(None, description="its vector, where the caller has made it by this model")
    idempotency_key: str | None = Field(None, min_length=1, max_length=255, description="the same key: one memory")
    pii_consent: bool = Field(False, description="metadata may hold personal data")


class MemoryWriteResult(BaseModel):
    """Result of memory write operation."""

    model_config = ConfigDict(frozen=True)

    memory_id: str = Field(description="Unique memory identifier")
    cluster_id: int = Field(ge=0, description="Assigned cluster ID")
    is_new_cluster: bool = Field(description="True if new cluster created")
    consolidated: bool = Field(description="True if consolidation triggered: the cluster is in the queue")
    similarity_to_prototype: float = Field(ge=0.0, le=1.0, description="cosine when it joined; 1 in a new cluster")
    scope: str = Field(description="whose it is")
    entities: tuple[str, ...] = Field((), description="ids of the entities that it mentions")
    replayed: bool = Field(False, description="True where the idempotency key was known: nothing was written")


class MemoryReadInput(BaseModel):
    """What to recall: `embedding` or `query_text`, or both."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_extra={"example": {"query_text": "where does Ann live", "k": 5}}
    )

    embedding: list[float] | None = Field(None, description="query vector of the embedder's length")
    k: int = Field(5, ge=1, le=100, description="how many memories at most")
    user_id: str | None = Field(None, max_length=128, description="whose memories")
    session_id: str | None = Field(None, max_length=128, description="of which session")
    min_similarity: float = Field(0.0, ge=0.0, le=1.0, description="least cosine of a result")
    query_text: str | None = Field(None, min_length=1, max_length=10000, description="Original text for BM25")
    search_mode: SearchMode = Field("hybrid", description="'dense', 'sparse', or 'hybrid'")
    sparse_weight: float = Field(
        DEFAULT_SPARSE_WEIGHT, ge=0.0, le=1.0, description="Weight for BM25 in fusion; the service's where not sent"
    )
    fusion_method: FusionMethod | None = Field(None, description="rrf or rsf; the service's where not sent")
    scopes: list[str] | None = Field(None, max_length=100, description="whose memories, in place of user and session")
    search_members: bool = Field(False, description="search every member, not the prototypes first")
    include_embeddings: bool = Field(True, description="whether results carry their vectors")


class MemoryReadResult(BaseModel):
    """Single memory retrieval result."""

    model_config = ConfigDict(frozen=True)

    memory_id: str = Field(description="its id")
    content: str = Field(description="what was remembered")
    embedding: list[float] = Field(description="its vector; empty where not asked for")
    metadata: dict[str, Any] = Field(description="as it was written")
    cluster_id: int = Field(ge=0, description="number of its cluster")
    similarity: float = Field(ge=0.0, le=1.0, description="cosine with the query, clipped at 0")
    decay_adjusted_score: float = Field(ge=0.0, description="the score of the search, decayed since the last access")
    is_representative: bool = Field(description="True if cluster representative")
    bm25_score: float | None = Field(None, description="of the full-text index, where words matched")
    fused_score: float | None = Field(None, description="hybrid search: the score before decay")
    scope: str = Field(description="whose it is")
    speaker: str | None = Field(None, description="who said it, where the text says so")
    timestamp: str | None = Field(None, description="when it was said, as it was written")
    recorded_at: datetime = Field(description="when it was stored")
    last_access_at: datetime = Field(description="when it was recalled last, before this")


class MemoryRecord(BaseModel):
    """A stored memory."""

    model_config = ConfigDict(frozen=True)

    memory_id: str = Field(description="its id")
    content: str = Field(description="what was remembered")
    metadata: dict[str, Any] = Field(description="as it was written")
    scope: str = Field(description="whose it is")
    cluster_id: int = Field(ge=0, description="number of its cluster")
    is_representative: bool = Field(description="True if cluster representative")
    speaker: str | None = Field(None, description="who said it, where the text says so")
    timestamp: str | None = Field(None, description="when it was said, as it was written")
    recorded_at: datetime = Field(description="when it was stored")
    last_access_at: datetime = Field(description="when it was recalled last")
    access_count: int = Field(ge=0, description="how often it was recalled")
    entities: tuple[str, ...] = Field((), description="names of the entities that it mentions")
    version: int = Field(ge=1, description="grows with every change")


class DeletedMemory(BaseModel):
    """What a deletion removed."""

    model_config = ConfigDict(frozen=True)

    memory_id: str = Field(description="id of the memory that is gone, with its vector")
    cluster_id: int = Field(ge=0, description="the cluster it was in")
    cluster_removed: bool = Field(description="the cluster was left empty and went too")
