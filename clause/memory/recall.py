"""Recall: two searches side by side, one fusion, decay, and the best memories in full."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from clause.arrays import Floats, Vector
from clause.errors import BadInputError
from clause.ground import Ground
from clause.memory.configuration import Configurations, Configured, as_configured
from clause.memory.models import MCSConfig, MemoryFilters, MemoryReadInput, MemoryReadResult, unit_vector
from clause.text.retrieval import clip01, escape, nearness, reciprocal_rank_fusion, within_scopes, word_places
from clause.text.tokens import content_words, names_in

DENSE_BEFORE, DENSE_AFTER = 0.1, 0.2
SPARSE_BEFORE, SPARSE_AFTER = 0.5, 0.1
"""The share of the score of what was said just before (after) it that a memory gets, by meaning and by words."""

SPEAKER = 0.3
"""The gain of a memory when the query names its speaker."""

WORDS = 3.5
"""The weight of words over meaning in relative fusion: so a weight of .3 is what recalls most (.6 of the whole)."""

SHARPNESS = 1.5
"""Exponent of the scaled BM25 scores: a hit that stands out counts more than several that do not."""

COMPARED = 60
"""So many of the best are compared with the query word by word."""

FUSED, WORD_BY_WORD, TALKED_OF, ADDRESSED = 0.5, 4.0, 1.0, 2.0
"""Weights of their parts: the fused score, how near they come to the query's words on average, how well their
conversation fits, and, once more, that the query names the speaker."""

FITTING = 3
"""Memories of a conversation, the best by fused score, whose mean tells how well it fits."""

SAID_BEFORE = 0.9
"""The share of what was said just before a memory that counts as if it said it."""

SAME_CONVERSATION = timedelta(minutes=30)
"""Memories next to each other in a scope belong to one conversation when no more time lies between them."""


@dataclass(frozen=True)
class MemoryCandidate:
    """A memory that may be recalled: where it stands in its scope, and who said it when."""

    id: str
    scope: str
    sequence: int
    speaker: str | None
    occurred_at: datetime
    last_access_at: datetime


@dataclass(frozen=True)
class Hits:
    """One list of hits.

    Attributes:
        scores: by memory id, best first: cosines, or BM25 scores.
        candidates: the hits, and what was said before and after the first of them.
    """

    scores: Mapping[str, float]
    candidates: Mapping[str, MemoryCandidate]

    @classmethod
    def from_rows(cls, rows: Sequence[Mapping[str, Any]]) -> Hits:
        """Hits from rows of memory/dense, dense_members or sparse."""
        candidates: dict[str, MemoryCandidate] = {}
        for row in rows:
            candidates[row["id"]] = MemoryCandidate(
                row["id"], row["scope"], row["sequence"], row["speaker"], row["occurred_at"], row["last_access_at"]
            )
        for row in rows:
            for beside in row["beside"]:
                candidates.setdefault(beside[0], MemoryCandidate(*beside))
        return cls({row["id"]: row["score"] for row in rows}, candidates)


NO_HITS = Hits({}, {})


def by_ranks(dense: Hits, sparse: Hits, sparse_weight: float) -> dict[str, float]:
    """Weighted reciprocal rank fusion of the two lists (FR-MCS-017)."""
    rankings = [list(dense.scores), list(sparse.scores)]
    return dict(reciprocal_rank_fusion(rankings, [1 - sparse_weight, sparse_weight]))


def by_relative_scores(
    dense: Hits, sparse: Hits, sparse_weight: float, names: frozenset[str] = frozenset()
) -> dict[str, float]:
    """Relative score fusion over hits and what was said beside them.

    Each list is scaled to [0, 1] (cosines from the least one found, BM25 from 0, and sharpened); a memory gets a part
    of the scores of what was said just before and after it, so that an answer is found by its question; `names` are the
    words of the query, and a memory whose speaker is named there gets a little more.
    """
    share = WORDS * sparse_weight / (1 - sparse_weight + WORDS * sparse_weight)
    candidates = {**sparse.candidates, **dense.candidates}
    least = min(dense.scores.values(), default=0.0)
    meaning = _scaled({one: score - least for one, score in dense.scores.items()})
    words = {one: score**SHARPNESS for one, score in _scaled(sparse.scores).items()}
    places = {(one.scope, one.sequence): one for one in candidates.values()}
    fused = {}
    for one in candidates.values():
        before, after = _beside(one, -1, places), _beside(one, 1, places)
        dense_score = meaning.get(one.id, 0.0) + sum(
            part * meaning.get(other.id, 0.0)
            for part, other in ((DENSE_BEFORE, before), (DENSE_AFTER, after))
            if other is not None
        )
        sparse_score = words.get(one.id, 0.0) + sum(
            part * words.get(other.id, 0.0)
            for part, other in ((SPARSE_BEFORE, before), (SPARSE_AFTER, after))
            if other is not None
        )
        fused[one.id] = (1 - share) * dense_score + share * sparse_score + _named(one, names)
    return fused


def _scaled(scores: Mapping[str, float]) -> dict[str, float]:
    most = max(scores.values(), default=0.0)
    return {one: score / most for one, score in scores.items()} if most > 0 else dict(scores)


def _beside(
    one: MemoryCandidate, step: int, places: Mapping[tuple[str, int], MemoryCandidate]
) -> MemoryCandidate | None:
    other = places.get((one.scope, one.sequence + step))
    return other if other and abs(other.occurred_at - one.occurred_at) <= SAME_CONVERSATION else None


def _named(one: MemoryCandidate, names: frozenset[str]) -> float:
    return SPEAKER if one.speaker and one.speaker.casefold().split()[0] in names else 0.0


def _fitting(scores: Mapping[str, float], known: Mapping[str, MemoryCandidate]) -> Callable[[MemoryCandidate], float]:
    """Tells how well the conversation of a memory fits: the mean of its best fused scores, none counting 0."""
    scopes = np.array([known[one].scope for one in scores])
    times = np.array([known[one].occurred_at.timestamp() for one in scores])
    fused = np.array([*scores.values()])

    def mean(one: MemoryCandidate) -> float:
        near = np.abs(times - one.occurred_at.timestamp()) <= SAME_CONVERSATION.total_seconds()
        together = np.sort(fused[near & (scopes == one.scope)])[-FITTING:]
        return float(together.sum()) / FITTING

    return mean


def lucene_query(text: str, scopes: Sequence[str]) -> str | None:
    """A Lucene query for the content words within scopes, which add nothing to scores; None where there is no word.

    >>> lucene_query("Where is Ann?", ["user:ann"])
    '+scope_token:(s_user_ann)^0 +(Ann)'
    """
    words = escape(" ".join(content_words(text)), fields=3)
    return within_scopes(words, scopes, fields=3) if words else None


def decayed(score: float, last_access_at: datetime, now: datetime, config: MCSConfig) -> float:
    """score * decay_factor ^ ((now - last_access) / unit); a last access to come counts as now.

    >>> from datetime import UTC, timedelta
    >>> then = datetime(2026, 1, 1, tzinfo=UTC)
    >>> decayed(1.0, then, then + timedelta(hours=2), MCSConfig()).__round__(4)
    0.9801
    """
    units = max(0.0, (now - last_access_at).total_seconds()) / config.decay_unit_seconds
    return float(score * config.decay_factor**units)


CANDIDATES = 30
"""Hits of each search that are fused, where not more results are wanted."""

_LONGEST_QUERY = 10_000
_ROUNDING = 1e-4
_MOST = 100

BESIDE = 20
"""First hits of each search whose neighbours in the conversation are looked at."""


@dataclass(frozen=True)
class RankedMemory:
    """A memory in its place: the search's own score, and after decay."""

    candidate: MemoryCandidate
    score: float
    adjusted: float


class Recall:
    """Reads; nothing is written here."""

    def __init__(self, ground: Ground, config: MCSConfig, configurations: Configurations) -> None:
        self._ground = ground
        self._config = config
        self._configurations = configurations

    async def read(self, request: MemoryReadInput, scopes: Sequence[str]) -> list[MemoryReadResult]:
        """At most k memories of these scopes, best first.

        Raises:
            BadInputError: what the search mode needs is missing.
            OutOfBoundsError: the embedding is no vector of this model.
        """
        embedding, known = await asyncio.gather(self._embedding(request), self._configurations.among(scopes))
        request = as_configured(request, known.together(scopes))
        dense, sparse = await self._search(request, embedding, scopes)
        compared = request.embedding is None  # who brings a vector waits for no model
        ranked = await self._ranked(request, dense, sparse, known, scopes, compared=compared)
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

    async def ranking(self, request: MemoryReadInput, scopes: Sequence[str]) -> list[RankedMemory]:
        """All candidates of a search in order, without their contents."""
        embedding, known = await asyncio.gather(self._embedding(request), self._configurations.among(scopes))
        request = as_configured(request, known.together(scopes))
        dense, sparse = await self._search(request, embedding, scopes)
        return await self._ranked(request, dense, sparse, known, scopes, compared=True)

    async def best(self, text: str, embedding: Vector, scopes: Sequence[str], *, limit: int) -> list[Mapping[str, Any]]:
        """The best memories for a text and its vector: id, name, content and recorded_at of each, best first."""
        request = MemoryReadInput(
            query_text=text[:_LONGEST_QUERY] or None, embedding=embedding.tolist(), k=min(limit, _MOST)
        )
        ids = [one.candidate.id for one in await self.ranking(request, scopes)][:limit]
        rows = await self.details(ids, scopes)
        return [{"id": one, **rows[one]} for one in ids if one in rows]

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
        if mode == "sparse" and request.query_text is None:
            raise BadInputError("a sparse search needs words", remedy="send query_text", field="query_text")
        common: dict[str, Any] = {
            "scopes": [*scopes],
            "limit": max(CANDIDATES, 2 * request.k),
            "near": BESIDE if mode == "hybrid" else 0,
        }
        return await asyncio.gather(self._dense(embedding, common, request), self._sparse(embedding, common, request))

    async def _dense(self, embedding: Floats | None, common: Mapping[str, Any], request: MemoryReadInput) -> Hits:
        if embedding is None or request.search_mode == "sparse":
            return NO_HITS
        if request.filters is not None:
            return await self._passing("memory/dense_passing", common, request.filters, embedding=embedding)
        name = "memory/dense_members" if request.search_members else "memory/dense"
        return Hits.from_rows(await self._ground.graph.run(name, embedding=embedding, **common))

    async def _sparse(self, embedding: Floats | None, common: Mapping[str, Any], request: MemoryReadInput) -> Hits:
        words = lucene_query(request.query_text, common["scopes"]) if request.query_text else None
        if words is None or request.search_mode == "dense":
            return NO_HITS
        alone = request.search_mode == "sparse" and request.min_similarity > 0
        least = request.min_similarity - _ROUNDING if alone else None
        if request.filters is not None or least is not None:
            near = {"words": words, "embedding": embedding, "least": least}
            return await self._passing("memory/sparse_passing", common, request.filters or MemoryFilters(), **near)
        return Hits.from_rows(await self._ground.graph.run("memory/sparse", words=words, **common))

    async def _passing(self, name: str, common: Mapping[str, Any], filters: MemoryFilters, **searched: Any) -> Hits:
        """Hits that pass filters: the query lets through what may, metadata is looked at here, and more is asked for
        where too few pass; none counts its neighbours, which the filters may hold back.
        """
        when: dict[str, Any] = {"since": filters.since, "until": filters.until, "speaker": filters.speaker}
        given = {**when, "written": filters.written(), "scopes": common["scopes"], **searched}
        wanted = asked = common["limit"]
        while True:
            rows = await self._ground.graph.run(name, **given, limit=asked)
            passing = [{**row, "beside": []} for row in rows if filters.passes(row["metadata"])]
            if len(passing) >= wanted or len(rows) < asked:
                return Hits.from_rows(passing[:wanted])
            asked *= 4

    async def _ranked(
        self,
        request: MemoryReadInput,
        dense: Hits,
        sparse: Hits,
        known: Configured,
        scopes: Sequence[str],
        *,
        compared: bool,
    ) -> list[RankedMemory]:
        scores = self._scores(request, dense, sparse)
        candidates = {**sparse.candidates, **dense.candidates}
        if compared and request.search_mode == "hybrid" and request.fusion_method != "rrf" and request.query_text:
            scores = await self._word_by_word(request.query_text, scores, candidates, scopes)
        now = self._ground.now()
        ranked = [
            RankedMemory(found, score, decayed(score, found.last_access_at, now, known.of(found.scope)))
            for found, score in ((candidates[one], score) for one, score in scores.items())
        ]
        return sorted(ranked, key=lambda one: (-one.adjusted, one.candidate.id))

    async def _word_by_word(
        self, query: str, scores: Mapping[str, float], known: Mapping[str, MemoryCandidate], scopes: Sequence[str]
    ) -> Mapping[str, float]:
        """Scores, the best by how near they come to the words of the query one by one and how well their conversation
        fits; what was said just before counts, names of speakers do not.
        """
        best = sorted(scores, key=lambda one: (-scores[one], one))[:COMPARED]
        places = {(one.scope, one.sequence): one for one in known.values()}
        before = {one: other.id for one in best if (other := _beside(known[one], -1, places))}
        ids = list(dict.fromkeys([*best, *before.values()]))
        rows = await self._ground.graph.run("memory/contents", ids=ids, scopes=[*scopes])
        asked, *tokens = await self._ground.embedder.embed_tokens([query, *(row["content"] for row in rows)])
        near = {row["id"]: nearness(asked, said) for row, said in zip(rows, tokens, strict=True)}
        speakers = frozenset(one.speaker.casefold().split()[0] for one in known.values() if one.speaker)
        words = word_places(query, asked.spans, speakers) or [[at] for at in range(len(asked.spans))]
        by_word = {}
        for one in near.keys() & set(best):
            here = near[one]
            if before.get(one) in near:
                here = np.maximum(here, SAID_BEFORE * near[before[one]])
            by_word[one] = float(np.mean([here[at].mean() for at in words])) if words else 0.0
        least, fitting, names = min(by_word.values(), default=0.0), _fitting(scores, known), names_in(query)
        raised = {one: FUSED * score for one, score in scores.items()}
        for one, mean in by_word.items():
            raised[one] += WORD_BY_WORD * (mean - least) + TALKED_OF * fitting(known[one])
            raised[one] += ADDRESSED * _named(known[one], names)
        return raised

    @staticmethod
    def _scores(request: MemoryReadInput, dense: Hits, sparse: Hits) -> Mapping[str, float]:
        if request.search_mode == "dense":
            return {one: max(0.0, score) for one, score in dense.scores.items()}
        if request.search_mode == "sparse":
            return sparse.scores
        if request.fusion_method == "rrf":
            return by_ranks(dense, sparse, request.sparse_weight)
        return by_relative_scores(dense, sparse, request.sparse_weight, names_in(request.query_text or ""))

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
        one: RankedMemory, row: Mapping[str, Any], similarity: float, request: MemoryReadInput, sparse: Hits
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
