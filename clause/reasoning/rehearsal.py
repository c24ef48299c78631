"""Before the first question: models in memory, and the statements of an answer planned by the database."""

from __future__ import annotations

import asyncio

from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.reasoning.asking import PolicyBook
from clause.reasoning.coordinator import Coordinator
from clause.reasoning.models import BudgetAllocation, CoordinationRequest
from clause.reasoning.neighbourhood import NeighbourhoodPort, View
from clause.text.embedder import Embedder
from clause.text.tokens import count_tokens

FRONTIERS = (1, 10, 30)
"""Sizes of frontiers that are read; Neo4j plans a statement anew while the size of its parameters changes a lot."""


async def warm(embedder: Embedder, policies: PolicyBook) -> None:
    """Load the embedding model, the tokenizer and the default policy."""
    await embedder.warm()
    await asyncio.to_thread(count_tokens, "warm")
    policy = await asyncio.to_thread(policies.__getitem__, None)
    if (ready := getattr(policy, "warm", None)) is not None:
        await asyncio.to_thread(ready)


async def rehearse(graph: Graph, port: NeighbourhoodPort, coordinator: Coordinator) -> int:
    """Ask one question that nobody reads and nothing records; how many entities it found to ask about."""
    caller = Caller()
    scopes = caller.resolve(None, [row["id"] for row in await graph.run("graph/scopes")])
    entities = await graph.run("reasoning/some_entities", scopes=list(scopes), limit=max(FRONTIERS))
    if not entities:
        return 0
    for size in FRONTIERS:
        await port.expand([row["id"] for row in entities[:size]], View(scopes), per_type=50)
    question = CoordinationRequest(
        query=f"what about {entities[0]['name']}"[:1000],
        budgets=BudgetAllocation(),
        record=False,
        enable_provenance=False,
    )
    await coordinator.coordinate(question, caller)
    return len(entities)
