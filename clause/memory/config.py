"""How the memory cluster store behaves: the seed's configuration, and that of a running service."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from clause.settings import Settings
from clause.text.embedder import Embedder

FusionMethod = Literal["rrf", "rsf"]
"""Weighted reciprocal rank fusion, or fusion of relative scores."""

DEFAULT_SIMILARITY_THRESHOLD = 0.85
DEFAULT_SPARSE_WEIGHT = 0.3
MOST_CLUSTERS = 100_000


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
        return cls(
            embedding_dim=embedder.dimension,
            y_encoder_model=embedder.model,
            similarity_threshold=settings.memory_threshold,
            max_clusters=settings.memory_max_clusters,
            when_full=settings.memory_when_full,
            fusion_method=settings.memory_fusion,
            sparse_weight=settings.memory_sparse_weight,
        )
