"""Units of text found through the indexes: dense and sparse rankings, fused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from clause.graph.runner import Graph
from clause.graph.scopes import scope_token
from clause.reasoning.neighbourhood import Node, Vector, View
from clause.reasoning.neo4j_neighbourhood import FOREVER
from clause.text.fusion import reciprocal_rank_fusion
from clause.text.lucene import escape

_DENSE = "dense"
_SPARSE = ("passage_text", "belief_text", "memory_text", "value_text")


class IndexedTexts:
    """Passages, beliefs, memories, values and experiences by meaning and by words (one round trip), fused by ranks.

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
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._graph = graph
        self._weights = {_DENSE: dense_weight, **dict.fromkeys(_SPARSE, sparse_weight)}
        self._now = now

    async def nearest(self, text: str, embedding: Vector, view: View, *, limit: int) -> Sequence[Node]:
        """At most `limit` nodes that say something, best first."""
        rows = await self._graph.run(
            "reasoning/nearest_texts",
            embedding=embedding,
            words=_words(text, view.scopes),
            scopes=list(view.scopes),
            limit=limit,
            valid=view.as_of_valid or self._now(),
            recorded=view.as_of_recorded or FOREVER,
        )
        nodes = {row["id"]: Node(row["id"], row["name"], row["kind"], text=row["text"]) for row in rows}
        rankings = [[row["id"] for row in rows if row["ranking"] == ranking] for ranking in self._weights]
        fused = reciprocal_rank_fusion(rankings, list(self._weights.values()))
        return [nodes[node] for node, _ in fused[:limit]]


def _words(text: str, scopes: Sequence[str]) -> str:
    """A Lucene query that requires one of the scopes, so that a crowd of foreign hits hides none of ours."""
    tokens = " ".join(scope_token(scope) for scope in scopes)
    words = escape(text)
    return f"+scope_token:({tokens}) +({words})" if words else f"+scope_token:({tokens})"
