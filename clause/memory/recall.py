"""Recall: two searches side by side, one fusion, decay, and the best memories in full."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clause.errors import BadInputError
from clause.ground import Ground
from clause.memory.config import FusionMethod, MCSConfig
from clause.memory.decay import decayed
from clause.memory.models import MemoryReadInput, MemoryReadResult
from clause.memory.query import lucene_query, names_in
from clause.memory.ranking import NO_HITS, Candidate, Hits, by_ranks, by_relative_scores
from clause.memory.vectors import unit_vector
from clause.text.similarity import clip01

Floats = NDArray[np.float32]
CANDIDATES = 30
"""Hits of each search that are fused, where not more results are wanted."""

BESIDE = 20
"""First hits of each search whose neighbours in the conversation are looked at."""


@dataclass(frozen=True)
class Ranked:
    """A memory in its place: the search's own score, and after decay."""

    candidate: Candidate
    score: float
    adjusted: float


class Recall:
    """Reads; nothing is written here."""

    def __init__(self, ground: Ground, config: MCSConfig) -> None:
        self._ground = ground
        self._config = config

    async def read(self, request: MemoryReadInput, scopes: Sequence[str]) -> list[MemoryReadResult]:
        """At most k memories of these scopes, best first.

        Raises:
            BadInputError: what the search mode needs is missing.
            OutOfBoundsError: the embedding is no vector of this model.
        """
        embedding = await self._embedding(request)
        dense, sparse = await self._search(request, embedding, scopes)
        ranked = self._ranked(request, dense, sparse)
        wanted = ranked if request.min_similarity > 0 else ranked[: request.k]
        rows = await self.details([one.candidate.id for one in wanted], scopes)
        results = []
        for one in wanted:
            row = rows.get(one.candidate.id)
            if row is None:  # deleted meanwhile
                continue
            similarity = 0.0 if embedding is None else clip01(float(np.dot(row["embedding"], embedding)))
            if similarity >= request.min_similarity:
                results.append(self._result(one, row, similarity, request, sparse))
        return results[: request.k]

    async def ranking(self, request: MemoryReadInput, scopes: Sequence[str]) -> list[Ranked]:
        """All candidates of a search in order, without their contents."""
        embedding = await self._embedding(request)
        return self._ranked(request, *await self._search(request, embedding, scopes))

    async def _embedding(self, request: MemoryReadInput) -> Floats | None:
        if request.embedding is not None:
            return unit_vector(request.embedding, self._config.embedding_dim)
        if request.query_text is not None:
            return await self._ground.embedder.embed_query(request.query_text)
        raise BadInputError("nothing to search for", remedy="send query_text or embedding", field="query_text")

    async def _search(
        self, request: MemoryReadInput, embedding: Floats | None, scopes: Sequence[str]
    ) -> tuple[Hits, Hits]:
        """Hits by meaning and by words; the search that the mode does not want has none."""
        mode = request.search_mode
        if mode != "dense" and not self._config.enable_hybrid_search:
            raise BadInputError(f"{mode} search is turned off here", remedy="search dense", field="search_mode")
        if mode == "sparse" and request.query_text is None:
            raise BadInputError("a sparse search needs words", remedy="send query_text", field="query_text")
        common: dict[str, Any] = {
            "scopes": [*scopes],
            "limit": max(CANDIDATES, 2 * request.k),
            "near": BESIDE if mode == "hybrid" else 0,
        }
        dense, sparse = await asyncio.gather(
            self._dense(embedding, common, members=request.search_members) if mode != "sparse" else _nothing(),
            self._sparse(request.query_text, common) if mode != "dense" else _nothing(),
        )
        return dense, sparse

    async def _dense(self, embedding: Floats | None, common: Mapping[str, Any], *, members: bool) -> Hits:
        if embedding is None:
            return NO_HITS
        name = "memory/dense_members" if members else "memory/dense"
        return Hits.from_rows(await self._ground.graph.run(name, embedding=embedding, **common))

    async def _sparse(self, text: str | None, common: Mapping[str, Any]) -> Hits:
        words = lucene_query(text, common["scopes"]) if text else None
        if words is None:
            return NO_HITS
        return Hits.from_rows(await self._ground.graph.run("memory/sparse", words=words, **common))

    def _ranked(self, request: MemoryReadInput, dense: Hits, sparse: Hits) -> list[Ranked]:
        scores = self._scores(request, dense, sparse)
        candidates = {**sparse.candidates, **dense.candidates}
        now = self._ground.now()
        ranked = [
            Ranked(candidates[one], score, decayed(score, candidates[one].last_access_at, now, self._config))
            for one, score in scores.items()
        ]
        return sorted(ranked, key=lambda one: (-one.adjusted, one.candidate.id))

    def _scores(self, request: MemoryReadInput, dense: Hits, sparse: Hits) -> Mapping[str, float]:
        if request.search_mode == "dense":
            return {one: max(0.0, score) for one, score in dense.scores.items()}
        if request.search_mode == "sparse":
            return sparse.scores
        sent = "sparse_weight" in request.model_fields_set
        weight = request.sparse_weight if sent else self._config.sparse_weight
        method: FusionMethod = request.fusion_method or self._config.fusion_method
        if method == "rrf":
            return by_ranks(dense, sparse, weight)
        return by_relative_scores(dense, sparse, weight, names_in(request.query_text or ""))

    async def details(self, ids: Sequence[str], scopes: Sequence[str]) -> dict[str, Mapping[str, Any]]:
        """Memories in full by id; of what has gone there is none."""
        if not ids:
            return {}
        rows = await self._ground.graph.run(
            "memory/details", ids=[*ids], scopes=[*scopes], dimension=self._config.embedding_dim
        )
        return {row["id"]: row for row in rows}

    @staticmethod
    def _result(
        one: Ranked, row: Mapping[str, Any], similarity: float, request: MemoryReadInput, sparse: Hits
    ) -> MemoryReadResult:
        return MemoryReadResult(
            memory_id=row["id"],
            content=row["content"],
            embedding=row["embedding"].tolist() if request.include_embeddings else [],
            metadata=json.loads(row["metadata"]),
            cluster_id=row["cluster_id"],
            similarity=similarity,
            decay_adjusted_score=one.adjusted,
            is_representative=row["is_representative"],
            bm25_score=sparse.scores.get(row["id"]),
            fused_score=one.score if request.search_mode == "hybrid" else None,
            scope=row["scope"],
            speaker=row["speaker"],
            timestamp=row["timestamp"],
            recorded_at=row["recorded_at"],
            last_access_at=row["last_access_at"],
        )


async def _nothing() -> Hits:
    return NO_HITS
