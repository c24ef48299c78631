"""Tools of insights: what an agent has come to understand about someone or something."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clause.graph.scopes import Caller
from clause.insights.models import RetrieveInsights, StoreInsight
from clause.mcp_bridge.tool import Found, tool

if TYPE_CHECKING:
    from clause.container import Container


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
    retriever = container.rooms.insights.retriever
    chosen = retriever.retrieve_for_global_topic if given.include_servers else retriever.retrieve
    found = await chosen(given.topic_key, given.profile, given.limit, scopes=given.scopes, caller=caller)
    return {"items": found, "reason": "" if found else "there is no insight on this topic in these scopes"}


TOOLS = (insight_store, insight_retrieve)
