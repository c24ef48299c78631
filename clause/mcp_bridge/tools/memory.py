"""Tools of memories, kept word for word and recalled by meaning, and of insights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clause.graph.scopes import Caller
from clause.insights.models import RetrieveInsights, StoreInsight
from clause.mcp_bridge.tool import Arguments, Found, ScopesGiven, tool
from clause.memory.models import MemoryReadInput, MemoryWriteInput

if TYPE_CHECKING:
    from clause.app import Container


class Whose(Arguments):
    """The scopes whose memories are measured."""

    scopes: ScopesGiven = None


@tool("full", hidden={"embedding": None})
async def memory_write(container: Container, given: MemoryWriteInput, caller: Caller) -> Found:
    """Keep a text as it is, to be recalled by meaning or words later. Use it for what was said or seen (a message, a
    note, an observation); use belief_create for what is held to be true. With idempotency_key a retry writes nothing
    twice."""
    return await container.rooms.memory.store.write(given, caller=caller)


@tool("full", reads=True, hidden={"embedding": None, "include_embeddings": False})
async def memory_read(container: Container, given: MemoryReadInput, caller: Caller) -> Found:
    """Recall memories by meaning, by words, or by both; recent ones count more. Use it to find what was said or seen
    before. What it returns is recalled text with its id: quote it, and do not write it back as new."""
    found = await container.rooms.memory.store.read(given, caller=caller)
    return {"items": found, "reason": "" if found else "no memory in these scopes fits the query"}


@tool("full", reads=True)
async def memory_stats(container: Container, given: Whose, caller: Caller) -> Found:
    """Measure the memory store: sizes of clusters, compression, cohesion, and how much of it nobody recalls. Use it
    when someone asks how large or how tidy the memory is."""
    return await container.rooms.memory.store.stats(caller=caller, scopes=given.scopes)


TOOLS = (memory_write, memory_read, memory_stats)


@tool("full")
async def insight_store(container: Container, given: StoreInsight, caller: Caller) -> Found:
    """Keep what you have come to understand about a person, a relationship, a place or yourself, with how it feels
    (valences) and how strongly. Use it for a reflection that colours later conversations; a plain fact belongs into
    belief_create. The answer says what it conflicts with, and whether a synthesis is due."""
    return await container.rooms.insights.insights.store(given, caller=caller)


@tool("full", reads=True)
async def insight_retrieve(container: Container, given: RetrieveInsights, caller: Caller) -> Found:
    """Recall insights on a topic such as user:ann, worded with their age and strength, chosen by a profile (recent,
    balanced, deep, comprehensive). Use it before you speak with or about someone you have met before."""
    return await container.rooms.insights.retriever.listed(given, caller=caller)


INSIGHT_TOOLS = (insight_store, insight_retrieve)
