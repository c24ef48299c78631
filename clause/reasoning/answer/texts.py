"""Texts found through the indexes, fused by ranks; memories stand in the order in which recall ranks them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Protocol

from clause.arrays import Vector
from clause.graph.runner import Graph
from clause.reasoning.episode.driver import TextSource
from clause.reasoning.neighbourhood.neo4j import instants
from clause.reasoning.neighbourhood.port import FoundText, Node, View
from clause.text.fields import utc_now
from clause.text.retrieval import escape, reciprocal_rank_fusion, within_scopes

_DENSE = "dense"
_SPARSE = ("passage_text", "belief_text", "memory_text", "value_text", "insight_text")
_FIELDS = 4  # of belief_text, which has most


HELD = ("active", "disputed")
STATUSES = (*HELD, "superseded", "archived", "retracted")
"""Statuses of beliefs that are held, and all that one may have had at an earlier time."""


class IndexedTexts:
    """Passages, beliefs, memories, values, experiences and insights by meaning and by words (one round trip), fused by
    ranks.

    Cosines of all kinds make one ranking; BM25 scores of different indexes cannot be compared, so that each index is a
    ranking of its own.

    Args:
        graph: where the texts are.
        dense_weight, sparse_weight: weights of the rankings; equal ones were best on 2WikiMultihopQA dev.
        now: gives the valid clock where a question names none.
    """

    def __init__(
        self,
        graph: Graph,
        *,
        dense_weight: float = 1.0,
        sparse_weight: float = 1.0,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._graph = graph
        self._weights = {_DENSE: dense_weight, **dict.fromkeys(_SPARSE, sparse_weight)}
        self._now = now

    async def nearest(self, text: str, embedding: Vector, view: View, *, limit: int) -> Sequence[Node]:
        """At most `limit` nodes that say something, best first."""
        return [text.node for text in await self.recall(text, embedding, view, limit=limit)][:limit]

    async def recall(self, text: str, embedding: Vector, view: View, *, limit: int) -> Sequence[FoundText]:
        """At most `limit` nodes of each ranking, fused, best first; the scores of an index as shares of its best.

        Where filters leave too few of the nearest, all that pass are compared.
        """
        looked = limit * view.hidden.crowd
        given: dict[str, Any] = {
            "embedding": embedding,
            "words": within_scopes(escape(text, _FIELDS), view.scopes, _FIELDS),
            "scopes": list(view.scopes),
            "limit": looked,
            **instants(view.as_of_valid, view.as_of_recorded, self._now),
            "hidden_texts": list(view.hidden.texts),
            "statuses": _statuses(view),
        }
        rows = await self._graph.run("reasoning/nearest_texts", **given)
        may_miss = view.hidden.crowd > 1 and limit + len(view.hidden.texts) > looked
        if may_miss and len({row["id"] for row in rows}) < limit:
            rows = await self._graph.run("reasoning/passing_texts", **given)
        nodes = {row["id"]: Node(row["id"], row["name"], row["kind"], text=row["text"]) for row in rows}
        ids = [[row["id"] for row in rows if row["ranking"] == ranking] for ranking in self._weights]
        rankings = [list(dict.fromkeys(ranked)) for ranked in ids]  # what a belief took the place of may come twice
        words: dict[str, float] = {}
        for ranking in _SPARSE:
            scores = {row["id"]: row["score"] for row in rows if row["ranking"] == ranking}
            best = max(scores.values(), default=1.0)
            words.update((node, score / best) for node, score in scores.items() if best > 0)
        fused = reciprocal_rank_fusion(rankings, list(self._weights.values()))
        most = fused[0][1] if fused else 1.0
        held = {row["id"]: (row["confidence"], row["sources"], row["named"]) for row in rows}
        best = [(one, score / most) for one, score in fused if most > 0]
        return [FoundText(nodes[one], words.get(one, 0.0), share, *held[one]) for one, share in best]


def _statuses(view: View) -> list[str]:
    """The statuses of beliefs that the clocks of a view may show; without clocks, superseded ones take no place."""
    if view.as_of_recorded is not None:
        return list(STATUSES)
    return list(HELD if view.as_of_valid is None else (*HELD, "superseded"))


MEMORY = "memory"


class MemoryRecall(Protocol):
    """Ranks memories; the memory store does."""

    async def best(
        self, text: str, embedding: Vector, scopes: Sequence[str], *, limit: int
    ) -> Sequence[Mapping[str, Any]]:
        """At most `limit` memories: id, name, content and recorded_at of each, best first."""
        ...


class RecalledTexts:
    """A text source over another one. Where that finds memories, recall is asked for them, with what it knows of
    conversations; its ranking and that of the other texts are fused. Elsewhere nothing more is read.

    Args:
        indexed: finds texts of all kinds.
        recall: ranks memories.
    """

    def __init__(self, indexed: TextSource, recall: MemoryRecall) -> None:
        self._indexed = indexed
        self._recall = recall

    async def nearest(self, text: str, embedding: Vector, view: View, *, limit: int) -> Sequence[Node]:
        """At most `limit` nodes with text, best first."""
        return [text.node for text in await self.recall(text, embedding, view, limit=limit)][:limit]

    async def recall(self, text: str, embedding: Vector, view: View, *, limit: int) -> Sequence[FoundText]:
        """Recall what the other source recalls, memories by their own ranking."""
        found = await self._indexed.recall(text, embedding, view, limit=limit)
        if not any(one.node.kind == MEMORY for one in found[:limit]):
            return found
        others = [one for one in found if one.node.kind != MEMORY]
        rows = await self._recall.best(text, embedding, view.scopes, limit=limit)
        memories = [
            FoundText(Node(row["id"], row["name"], MEMORY, text=row["content"])) for row in rows if _known(row, view)
        ]
        if len(memories) < len(rows):  # what filters hide, or came later, may have taken all the places
            ranked = {row["id"] for row in rows}
            memories += [one for one in found if one.node.kind == MEMORY and one.node.id not in ranked]
        known = {one.node.id: one for one in (*others, *memories)} | {one.node.id: one for one in found}
        fused = reciprocal_rank_fusion([[one.node.id for one in memories], [one.node.id for one in others]])
        most = fused[0][1] if fused else 1.0
        return [replace(known[one], fused=score / most) for one, score in fused]


def _known(row: Mapping[str, Any], view: View) -> bool:
    """Tell whether a memory is in the view: not hidden, and recorded by its clock."""
    if row["id"] in view.hidden.texts:
        return False
    return view.as_of_recorded is None or bool(row["recorded_at"] <= view.as_of_recorded)
