"""A cluster of memories: the arithmetic of prototypes, representatives and joining."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BaseModel, ConfigDict, Field

from clause.memory.errors import ConsolidationError

Doubles = NDArray[np.float64]


def prototype_of(total: ArrayLike) -> Doubles:
    """The unit vector [d] of an unnormalised sum [d] of members (FR-MCS-011); zeros where they cancel out.

    >>> prototype_of([3.0, 4.0]).tolist()
    [0.6, 0.8]
    """
    vector = np.asarray(total, dtype=np.float64)
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else vector


def representative_of(prototype: ArrayLike, members: ArrayLike, ids: Sequence[str]) -> int:
    """The place of the member closest to the prototype; of equally close ones that with the least id (FR-MCS-012).

    >>> representative_of([1.0, 0.0], [[0.0, 1.0], [0.8, 0.6]], ["a", "b"])
    1
    """
    similarities = np.asarray(members, dtype=np.float64) @ np.asarray(prototype, dtype=np.float64)
    best = float(similarities.max())
    return min(np.flatnonzero(similarities >= best - 1e-9).tolist(), key=lambda place: ids[place])


class MemoryCluster(BaseModel):
    """A cluster of semantically similar memories. Frozen: `add_member` and `consolidate` give a new one.

    >>> one = MemoryCluster.of(1, [0.6, 0.8], "tea", {}, "m1")
    >>> two = one.add_member([0.8, 0.6], "green tea", {}, "m2")
    >>> two.size, two.representative_content, two.consolidate().is_consolidated
    (2, 'tea', True)
    """

    model_config = ConfigDict(frozen=True)

    cluster_id: int = Field(ge=0, description="its number")
    prototype: list[float] = Field(description="L2-normalised mean of the members, [d]")
    member_embeddings: list[list[float]] = Field(description="unit vectors of the members, [n, d]")
    member_contents: list[str] = Field(description="what the members say")
    member_metadata: list[dict[str, Any]] = Field(description="what was written beside them")
    member_ids: list[str] = Field(description="their ids")
    is_consolidated: bool = Field(False, description="its members are immutable")
    creation_time: float = Field(default_factory=time.time, description="seconds since 1970")
    last_access_time: float = Field(default_factory=time.time, description="seconds since 1970")
    access_count: int = Field(0, ge=0, description="how often a member was recalled")

    @classmethod
    def of(
        cls, cluster_id: int, embedding: ArrayLike, content: str, metadata: dict[str, Any], memory_id: str, **more: Any
    ) -> Self:
        """A cluster of one member."""
        vector = prototype_of(embedding).tolist()
        return cls(
            cluster_id=cluster_id,
            prototype=vector,
            member_embeddings=[vector],
            member_contents=[content],
            member_metadata=[metadata],
            member_ids=[memory_id],
            **more,
        )

    @property
    def size(self) -> int:
        """How many members it has."""
        return len(self.member_contents)

    @property
    def representative_content(self) -> str:
        """The content closest to the prototype."""
        return self.member_contents[representative_of(self.prototype, self.member_embeddings, self.member_ids)]

    @property
    def compression(self) -> float:
        """Memories for one prototype: the size, once consolidated; 1 before."""
        return float(self.size) if self.is_consolidated else 1.0

    def add_member(self, embedding: ArrayLike, content: str, metadata: dict[str, Any], memory_id: str) -> Self:
        """The cluster with one more member and the prototype of all.

        Raises:
            ConsolidationError: it is consolidated: a similar memory opens a sibling.
        """
        if self.is_consolidated:
            raise ConsolidationError(f"cluster {self.cluster_id} is consolidated", remedy="open a sibling")
        vectors = [*self.member_embeddings, prototype_of(embedding).tolist()]
        return self.model_copy(
            update={
                "prototype": prototype_of(np.sum(vectors, axis=0)).tolist(),
                "member_embeddings": vectors,
                "member_contents": [*self.member_contents, content],
                "member_metadata": [*self.member_metadata, metadata],
                "member_ids": [*self.member_ids, memory_id],
            }
        )

    def consolidate(self) -> Self:
        """The cluster with its prototype computed anew from the members, and closed to further ones.

        Raises:
            ConsolidationError: it has no member.
        """
        if not self.member_ids:
            raise ConsolidationError(f"cluster {self.cluster_id} has no member")
        prototype = prototype_of(np.sum(self.member_embeddings, axis=0)).tolist()
        return self.model_copy(update={"prototype": prototype, "is_consolidated": True})


class ClusterSummary(BaseModel):
    """A stored cluster, without its vectors."""

    model_config = ConfigDict(frozen=True)

    cluster_id: int = Field(ge=0, description="its number")
    scope: str = Field(description="whose it is")
    size: int = Field(ge=0, description="how many members")
    consolidated: bool = Field(description="its members are immutable")
    queued: bool = Field(description="it waits for consolidation")
    representative_id: str | None = Field(None, description="the member closest to the prototype")
    representative_content: str | None = Field(None, description="what that member says")
    compression: float = Field(ge=1.0, description="memories for one prototype, once consolidated; 1 before")
    cohesion: float | None = Field(None, description="mean cosine of members and prototype, once consolidated")
    created_at: datetime = Field(description="when it was opened")
    last_access_at: datetime = Field(description="when a member was recalled last")
    access_count: int = Field(ge=0, description="how often a member was recalled")
    version: int = Field(ge=1, description="grows with every change")
