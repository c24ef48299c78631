"""Which model embedded the graph: recorded once, checked at every start, replaced only by `clause reembed`."""

from __future__ import annotations

from datetime import UTC, datetime

from clause.errors import EmbedderMismatchError
from clause.graph.runner import Graph


async def check_embedding_model(graph: Graph, model: str, dimension: int, *, now: datetime | None = None) -> None:
    """Record `model` and `dimension` (numbers in a vector) in a graph that has no record; compare them otherwise.

    Raises:
        EmbedderMismatchError: the graph was embedded by another model or with another dimension.
    """
    row = await graph.one(
        "graph/claim_embedding_model", model=model, dimension=dimension, recorded_at=now or datetime.now(UTC)
    )
    if row is not None and (row["model"], row["dimension"]) != (model, dimension):
        raise EmbedderMismatchError(
            f"the graph was embedded by {row['model']} ({row['dimension']} numbers), "
            f"the embedder is {model} ({dimension} numbers)",
            remedy="set CLAUSE_EMBEDDER to the first, or run `clause reembed`",
        )


async def replace_embedding_model(graph: Graph, model: str, dimension: int, *, now: datetime | None = None) -> None:
    """Record another model: the last step of embedding everything anew."""
    await graph.run(
        "graph/replace_embedding_model", model=model, dimension=dimension, recorded_at=now or datetime.now(UTC)
    )
