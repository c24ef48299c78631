"""Texts for the Curator's pool: what the indexes find, memories in the order in which recall ranks them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clause.memory.models import MemoryReadInput
from clause.memory.recall import Recall
from clause.reasoning.neighbourhood import Node, Vector, View
from clause.reasoning.pool import TextSource
from clause.text.fusion import reciprocal_rank_fusion

MEMORY = "memory"
_LONGEST_QUERY = 10_000
_MOST = 100


class RecalledTexts:
    """A text source over another one. Where that finds memories, recall is asked for them, with what it knows of
    conversations; its ranking and that of the other texts are fused. Elsewhere nothing more is read.

    Args:
        indexed: finds texts of all kinds.
        recall: ranks memories.
    """

    def __init__(self, indexed: TextSource, recall: Recall) -> None:
        self._indexed = indexed
        self._recall = recall

    async def nearest(self, text: str, embedding: Vector, view: View, *, limit: int) -> Sequence[Node]:
        """At most `limit` nodes with text, best first."""
        found = await self._indexed.nearest(text, embedding, view, limit=limit)
        if not any(node.kind.casefold() == MEMORY for node in found):
            return found
        others = [node for node in found if node.kind.casefold() != MEMORY]
        memories = await self._memories(text, embedding, view, limit)
        nodes = {node.id: node for node in (*others, *memories)}
        fused = reciprocal_rank_fusion([[node.id for node in memories], [node.id for node in others]])
        return [nodes[one] for one, _ in fused[:limit]]

    async def _memories(self, text: str, embedding: Vector, view: View, limit: int) -> list[Node]:
        request = MemoryReadInput(
            query_text=text[:_LONGEST_QUERY] or None, embedding=embedding.tolist(), k=min(limit, _MOST)
        )
        ranked = [one.candidate.id for one in await self._recall.ranking(request, view.scopes)][:limit]
        rows = await self._recall.details(ranked, view.scopes)
        return [
            Node(one, rows[one]["name"], MEMORY, text=rows[one]["content"])
            for one in ranked
            if one in rows and _known(rows[one], view)
        ]


def _known(row: Mapping[str, Any], view: View) -> bool:
    """Whether a memory was recorded by the view's clock."""
    return view.as_of_recorded is None or bool(row["recorded_at"] <= view.as_of_recorded)
