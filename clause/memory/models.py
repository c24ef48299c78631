"""Memories as they cross the border of this room: requests and answers, settings, errors, and vectors that callers
bring."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from clause.arrays import Floats
from clause.errors import BadInputError, ClauseError, ConflictError, NotFoundError, OutOfBoundsError
from clause.settings import Settings
from clause.text.embedder import Embedder
from clause.text.fields import Frozen, Instant, ScopeName

FusionMethod = Literal["rrf", "rsf"]
"""Weighted reciprocal rank fusion, or fusion of relative scores."""

DEFAULT_SIMILARITY_THRESHOLD = 0.85
DEFAULT_SPARSE_WEIGHT = 0.3
MOST_CLUSTERS = 10_000_000
MOST_MERGED = 100_000
"""Clusters of a scope up to which the closest pair is looked for: all are compared."""
_WIDEST = 10**300  # whole numbers up to here have a float


class MCSConfig(BaseModel):
    """Configuration of the memory cluster store. Dimension and model follow the embedder (see `following`).

    >>> MCSConfig().similarity_threshold, MCSConfig().fusion_method
    (0.85, 'rrf')
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    embedding_dim: int = Field(384, ge=1, description="numbers in an embedding: the embedder's")
    similarity_threshold: float = Field(
        DEFAULT_SIMILARITY_THRESHOLD, ge=0.0, le=1.0, description="cosine to a prototype that must be exceeded to join"
    )
    consolidation_threshold: int = Field(
        5, ge=2, description="a cluster of more members than this is queued for consolidation"
    )
    max_clusters: int = Field(10_000, ge=100, le=MOST_CLUSTERS, description="clusters that one scope may hold")
    decay_factor: float = Field(0.99, ge=0.0, le=1.0, description="what a score keeps after one unit of time")
    decay_unit_seconds: int = Field(3600, ge=1, description="unit of time of the decay, in seconds")
    y_encoder_model: str = Field("all-MiniLM-L6-v2", description="name of the embedding model: the embedder's")
    enable_hybrid_search: bool = Field(True, description="whether words are searched too; off: dense search alone")
    sparse_weight: float = Field(
        DEFAULT_SPARSE_WEIGHT, ge=0.0, le=1.0, description="weight of words against meaning where a read names none"
    )
    fusion_method: FusionMethod = Field(
        "rrf", description="rrf: weighted reciprocal rank fusion; rsf: relative scores of hits and their neighbours"
    )
    when_full: Literal["refuse", "merge"] = Field(
        "refuse", description="at max_clusters: refuse the write, or merge the closest unconsolidated pair"
    )

    @classmethod
    def following(cls, settings: Settings, embedder: Embedder) -> Self:
        """The configuration of a service: the embedder's model, and what the settings say."""
        most = MOST_MERGED if settings.memory_when_full == "merge" else MOST_CLUSTERS
        return cls(
            embedding_dim=embedder.dimension,
            y_encoder_model=embedder.model,
            similarity_threshold=settings.memory_threshold,
            consolidation_threshold=settings.memory_consolidation_threshold,
            max_clusters=min(settings.memory_max_clusters, most),
            decay_factor=settings.memory_decay_factor,
            decay_unit_seconds=settings.memory_decay_unit_seconds,
            enable_hybrid_search=settings.memory_enable_hybrid_search,
            when_full=settings.memory_when_full,
            fusion_method=settings.memory_fusion,
            sparse_weight=settings.memory_sparse_weight,
        )


SearchMode = Literal["dense", "sparse", "hybrid"]


class MemoryWriteInput(BaseModel):
    """A memory to keep. `scope`, or `user_id` and `session_id`, say whose it is; the default scope where none does."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        json_schema_extra={"example": {"content": "Ann: I moved to Lisbon in May.", "scope": "user:ann"}},
    )

    content: str = Field(min_length=1, max_length=10000, description="what to remember; `Name: ...` names its speaker")
    metadata: dict[str, str | int | float | bool | Annotated[list[str], Field(max_length=20)]] | None = Field(
        None, max_length=100, description="free keys; `tags` is a list of words"
    )
    user_id: str | None = Field(None, min_length=1, max_length=128, description="whose it is")
    session_id: str | None = Field(None, min_length=1, max_length=128, description="of which session it is")
    force_new_cluster: bool = Field(False, description="open a cluster of its own, however near another is")
    scope: ScopeName | None = Field(None, description="whose it is, in place of user_id and session_id")
    timestamp: str | None = Field(
        None, max_length=200, description="when it was said: ISO 8601 or a date with its year; others stay text"
    )
    embedding: list[float] | None = Field(None, description="its vector, where the caller has made it by this model")
    idempotency_key: str | None = Field(None, min_length=1, max_length=255, description="the same key: one memory")
    pii_consent: bool = Field(False, description="metadata may hold personal data")


class MemoryWriteResult(Frozen):
    """Result of memory write operation."""

    memory_id: str = Field(description="Unique memory identifier")
    cluster_id: int = Field(ge=0, description="Assigned cluster ID")
    is_new_cluster: bool = Field(description="True if new cluster created")
    consolidated: bool = Field(description="True if consolidation triggered: the cluster is in the queue")
    similarity_to_prototype: float = Field(ge=0.0, le=1.0, description="cosine when it joined; 1 in a new cluster")
    scope: str = Field(description="whose it is")
    entities: tuple[str, ...] = Field((), description="ids of the entities that it mentions")
    replayed: bool = Field(False, description="True where the idempotency key was known: nothing was written")


class MemoryFilters(BaseModel):
    """The conditions that memories must meet, whatever is searched: all of them hold of every result.

    >>> MemoryFilters(tags=["boat"], metadata={"channel": "mail"}).passes('{"channel": "mail", "tags": ["boat"]}')
    True
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    since: Instant | None = Field(None, description="said (or else stored) at this instant or later")
    until: Instant | None = Field(None, description="said (or else stored) before this instant")
    speaker: str | None = Field(None, min_length=1, max_length=200, description="who said it; case makes no difference")
    tags: list[str] = Field([], max_length=20, description="all of them are in the list `tags` of the metadata")
    metadata: dict[str, str | int | float | bool | None] = Field(
        {}, max_length=20, description="keys of the metadata with the values that they have"
    )

    @model_validator(mode="after")
    def _some_time_lies_between(self) -> Self:
        if self.since is not None and self.until is not None and self.until <= self.since:
            raise ValueError("until must be later than since")
        return self

    def written(self) -> list[list[str]]:
        """The stretches of which the stored metadata of every result has one of each list; others may have them, too.

        >>> MemoryFilters(tags=["boat"], metadata={"by": "mail"}).written()
        [['"by": "mail",', '"by": "mail"}'], ['"boat",', '"boat"]']]
        """
        values = [
            [f"{_stored(key)}: {way}{end}" for way in _ways(value) for end in ",}"]
            for key, value in sorted(self.metadata.items())
        ]
        tags = map(_stored, self.tags)
        return [*values, *([f"{one},", f"{one}]"] for one in tags)]

    def passes(self, metadata: str) -> bool:
        """Tell whether stored metadata has the tags and the values."""
        has = json.loads(metadata)
        tags = has.get("tags")
        told = all(key in has and _stored(has[key]) in _ways(value) for key, value in self.metadata.items())
        return told and (not self.tags or (isinstance(tags, list) and set(self.tags) <= {*map(str, tags)}))


def _stored(value: str | float | bool | None) -> str:
    return json.dumps(value, ensure_ascii=False)


def _ways(value: str | float | bool | None) -> list[str]:
    """The ways in which a value may be stored: to whoever sends JSON 5 and 5.0 are one number.

    >>> _ways(5), _ways(5.0), _ways(0.5), _ways(True)
    (['5', '5.0'], ['5.0', '5'], ['0.5'], ['true'])
    """
    ways = [_stored(value)]
    if isinstance(value, float) and value.is_integer():
        ways.append(_stored(int(value)))
    elif isinstance(value, int) and not isinstance(value, bool) and abs(value) < _WIDEST and float(value) == value:
        ways.append(_stored(float(value)))
    return ways


class MemoryReadInput(BaseModel):
    """The query of a recall: `embedding` or `query_text`, or both."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_extra={"example": {"query_text": "where does Ann live", "k": 5}}
    )

    embedding: list[float] | None = Field(None, description="query vector of the embedder's length")
    k: int = Field(5, ge=1, le=100, description="how many memories at most")
    user_id: str | None = Field(None, min_length=1, max_length=128, description="whose memories")
    session_id: str | None = Field(None, min_length=1, max_length=128, description="of which session")
    min_similarity: float = Field(0.0, ge=0.0, le=1.0, description="least cosine of a result")
    query_text: str | None = Field(None, min_length=1, max_length=10000, description="Original text for BM25")
    search_mode: SearchMode = Field(
        "hybrid", description="'dense', 'sparse', or 'hybrid'; dense where not sent and words are not searched"
    )
    sparse_weight: float = Field(
        DEFAULT_SPARSE_WEIGHT,
        ge=0.0,
        le=1.0,
        description="Weight for BM25 in fusion; what its scope was configured to where not sent",
    )
    fusion_method: FusionMethod | None = Field(None, description="rrf or rsf; the scope's where not sent")
    scopes: list[str] | None = Field(None, max_length=100, description="whose memories, in place of user and session")
    search_members: bool = Field(False, description="search every member, not the prototypes first")
    filters: MemoryFilters | None = Field(None, description="what results must be; all that pass are compared exactly")
    include_embeddings: bool = Field(True, description="whether results carry their vectors")


class MemoryReadResult(Frozen):
    """Single memory retrieval result."""

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


class MemoryRecord(Frozen):
    """A stored memory."""

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


class DeletedMemory(Frozen):
    """All that a deletion removed."""

    memory_id: str = Field(description="id of the memory that is gone, with its vector")
    cluster_id: int = Field(ge=0, description="the cluster it was in")
    cluster_removed: bool = Field(description="the cluster was left empty and went too")


class MCSError(ClauseError):
    """The root of what the memory cluster store raises of its own."""

    code = "memory"


class ClusterNotFoundError(MCSError, NotFoundError):
    """No cluster has that number, or none that this caller may see."""

    status = NotFoundError.status
    code = "cluster_not_found"


class ClusterLimitError(MCSError, ConflictError):
    """A scope holds as many clusters as `max_clusters` allows."""

    status = ConflictError.status
    code = "cluster_limit"


class ConsolidationError(MCSError, ConflictError):
    """A cluster that is consolidated takes no member, and an empty one cannot be consolidated."""

    status = ConflictError.status
    code = "consolidation"


class PersonalDataError(MCSError, BadInputError):
    """Metadata looks like personal data and consent was not given; `field` names the key, never the value."""

    status = 422
    code = "personal_data"


def unit_vector(numbers: Sequence[float], dimension: int, field: str = "embedding") -> Floats:
    """`numbers` as a unit vector, float32 [d].

    Raises:
        OutOfBoundsError: another length than the embedder's, a number that is not finite, or no length at all.

    >>> unit_vector([3.0, 4.0], 2).round(1).tolist()
    [0.6000000238418579, 0.800000011920929]
    """
    vector = np.asarray(numbers, dtype=np.float64)
    if vector.shape != (dimension,):
        raise OutOfBoundsError(f"{len(numbers)} numbers are no vector here", field=field, bound=f"{dimension} numbers")
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length < np.finfo(np.float32).tiny:
        raise OutOfBoundsError("a vector has finite numbers and a length above 0", field=field, bound="a direction")
    return (vector / length).astype(np.float32)


def all_vectors(given: Sequence[Sequence[float] | None], made: Iterable[Floats], dimension: int) -> Floats:
    """Unit vectors float32 [n, d]: those that were given, and in the places of None those `made`, in their order.

    >>> all_vectors([None, [0.0, 2.0]], [np.array([1.0, 0.0], dtype=np.float32)], 2).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    rest = iter(made)
    return np.stack([next(rest) if one is None else unit_vector(one, dimension) for one in given])
