"""Resources: what a client may show beside a conversation, without calling a tool."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcp_types import Resource as ResourceDefinition

from clause.graph.scopes import Caller
from clause.knowledge.models_query import BeliefFilter
from clause.mcp_bridge.tool import Found

if TYPE_CHECKING:
    from clause.container import Container

RECENT = 20
"""Beliefs that `clause://beliefs/recent` shows."""

MOST_SOURCES = 100
"""Sources that `clause://trust/graph` shows."""


@dataclass(frozen=True)
class Resource:
    """A resource as it is listed and read."""

    uri: str
    title: str
    description: str
    read: Callable[[Container, Caller], Awaitable[Found]]

    def definition(self) -> ResourceDefinition:
        """What resources/list says of it."""
        return ResourceDefinition(
            uri=self.uri,
            name=self.uri.partition("://")[2],
            title=self.title,
            description=self.description,
            mime_type="application/json",
        )


async def recent_beliefs(container: Container, caller: Caller) -> Found:
    """The beliefs that were recorded last."""
    return await container.rooms.knowledge.beliefs.list(BeliefFilter(limit=RECENT), caller=caller)


async def trust_graph(container: Container, caller: Caller) -> Found:
    """Which source trusts which, and the sources with their track records."""
    sources = container.rooms.knowledge.sources
    edges = await sources.trusts(caller=caller)
    return {"trusts": edges, "sources": await sources.list(caller=caller, limit=MOST_SOURCES)}


async def stats(container: Container, caller: Caller) -> Found:
    """How many nodes of each kind the caller's scopes hold."""
    known = [row["id"] for row in await container.graph.run("graph/scopes")]
    scopes = list(caller.resolve(None, known))
    rows = await container.graph.run("operations/node_counts", scopes=scopes)
    return {"scopes": scopes, "nodes": {row["label"]: row["nodes"] for row in rows}}


RESOURCES = {
    resource.uri: resource
    for resource in (
        Resource(
            "clause://beliefs/recent",
            "Recent beliefs",
            "The beliefs that were recorded last, newest first.",
            recent_beliefs,
        ),
        Resource("clause://trust/graph", "Whom sources trust", "Sources with their track records.", trust_graph),
        Resource("clause://stats", "What the graph holds", "How many nodes of each kind your scopes hold.", stats),
    )
}
