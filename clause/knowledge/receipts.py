"""Receipts: what was changed together, kept so that it can be undone exactly."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from clause.errors import ConflictError, NotFoundError
from clause.graph.runner import Graph
from clause.knowledge.belief_rows import settling
from clause.knowledge.lineage import Key
from clause.knowledge.models_lineage import ReceiptKind

Work = list[tuple[str, dict[str, Any]]]


def keeping(receipt: Mapping[str, Any], nodes: Iterable[Key], scopes: Sequence[str], at: datetime) -> Work:
    """First in the transaction: the receipt, the locks, and what undoing restores."""
    ordered = [list(key) for key in sorted(set(nodes), key=lambda key: (key[1], key[0]))]
    asked = {"receipt": dict(receipt), "nodes": ordered, "scopes": list(scopes), "recorded_at": at}
    return [("knowledge/keep_before", asked)]


def sealing(receipt_id: str, scopes: Sequence[str]) -> Work:
    """Last in the transaction: which versions the change left behind."""
    return [("knowledge/seal_receipt", {"id": receipt_id, "scopes": list(scopes)})]


class Receipts:
    """Reads receipts and undoes them."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def get(self, receipt_id: str, kinds: Sequence[ReceiptKind], scopes: Sequence[str]) -> dict[str, Any]:
        """The properties of a receipt.

        Raises:
            NotFoundError: there is none of these kinds in these scopes.
        """
        row = await self._graph.one("knowledge/receipt", id=receipt_id, scopes=list(scopes))
        if row is None or row["receipt"]["kind"] not in kinds:
            raise NotFoundError(f"no receipt {receipt_id[:80]!r}", field="receipt_id")
        return dict(row["receipt"])

    async def list(
        self, kinds: Sequence[ReceiptKind], scopes: Sequence[str], *, after: str | None, limit: int
    ) -> Sequence[dict[str, Any]]:
        """Receipts newest first."""
        rows = await self._graph.run(
            "knowledge/receipts", kinds=list(kinds), scopes=list(scopes), after=after, limit=limit
        )
        return [row["receipt"] for row in rows]

    async def undo(self, receipt_id: str, scopes: Sequence[str], at: datetime, first: Work) -> None:
        """Give everything back what the receipt kept; beliefs that changed meanwhile are settled anew.

        Args:
            first: statements that take back what restoring alone does not, in the same transaction.

        Raises:
            ConflictError: it was undone already, or what it brings back has been stated anew meanwhile.
        """
        rows = await self._graph.run("knowledge/changed_since", id=receipt_id, scopes=list(scopes))
        changed = [row["id"] for row in rows if row["label"] == "Belief"]
        work: Work = [*first, ("knowledge/restore", {"id": receipt_id, "scopes": list(scopes), "now": at})]
        if changed:
            work.append(settling(changed, scopes, at))
        try:
            answers = await self._graph.write(work, idempotent=False)
        except ConflictError as error:
            raise ConflictError(
                "what it brings back has been stated anew meanwhile", remedy="retract that belief first"
            ) from error
        if not answers[len(first)]:
            raise ConflictError("it has been undone already")


def counts_text(counts: Mapping[str, int]) -> str:
    """Counts as a property can hold them.

    >>> counts_text({"b": 1, "a": 2})
    '{"a": 2, "b": 1}'
    """
    return json.dumps(dict(counts), sort_keys=True)
