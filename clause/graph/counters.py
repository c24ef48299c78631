"""Counters in the graph, for the integers and readable ids that stand beside a node's own id."""

from __future__ import annotations

from datetime import UTC, datetime

from clause.errors import OutOfBoundsError
from clause.graph.runner import Graph


async def take_numbers(graph: Graph, scope: str, name: str, count: int = 1, *, now: datetime | None = None) -> range:
    """The next `count` numbers of counter `name` in `scope`, starting at 1: never handed out twice, gaps may occur.

    Raises:
        OutOfBoundsError: `count` is below 1.
    """
    if count < 1:
        raise OutOfBoundsError(f"{count} numbers cannot be taken", field="count", bound=">= 1")
    row = await graph.one(
        "graph/take_numbers", scope=scope, name=name, count=count, recorded_at=now or datetime.now(UTC)
    )
    last = int(row["last"]) if row else 0
    return range(last - count + 1, last + 1)
