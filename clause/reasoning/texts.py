"""Units of text found through the indexes: dense and sparse rankings, fused."""

from __future__ import annotations

from collections.abc import Sequence

from clause.graph.runner import Graph
from clause.graph.scopes import scope_token
from clause.reasoning.neighbourhood import Node, Vector, View
from clause.text.fusion import reciprocal_rank_fusion
from clause.text.lucene import escape


class IndexedTexts:
    """Passages by meaning and by words (one round trip), fused by weighted reciprocal rank fusion.

    Args:
        graph: where the passages are.
        dense_weight, sparse_weight: weights of the two rankings; equal ones were best on 2WikiMultihopQA dev.
    """

    def __init__(self, graph: Graph, *, dense_weight: float = 1.0, sparse_weight: float = 1.0) -> None:
        self._graph = graph
        self._weights = {"dense": dense_weight, "sparse": sparse_weight}

    async def nearest(self, text: str, embedding: Vector, view: View, *, limit: int) -> Sequence[Node]:
        """At most `limit` passages, best first."""
        rows = await self._graph.run(
            "reasoning/nearest_texts",
            embedding=embedding,
            words=_words(text, view.scopes),
            scopes=list(view.scopes),
            limit=limit,
        )
        nodes = {row["id"]: Node(row["id"], row["name"], "passage", text=row["text"]) for row in rows}
        rankings = [[row["id"] for row in rows if row["ranking"] == ranking] for ranking in self._weights]
        fused = reciprocal_rank_fusion(rankings, list(self._weights.values()))
        return [nodes[node] for node, _ in fused[:limit]]


def _words(text: str, scopes: Sequence[str]) -> str:
    """A Lucene query that requires one of the scopes, so that a crowd of foreign hits hides none of ours."""
    tokens = " ".join(scope_token(scope) for scope in scopes)
    words = escape(text)
    return f"+scope_token:({tokens}) +({words})" if words else f"+scope_token:({tokens})"
