"""Resources, which a client reads by their address, and which a call may have changed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from mcp_types import Resource as ResourceDefinition
from mcp_types import ResourceTemplate

from clause.errors import NotFoundError
from clause.graph.scopes import Caller, readable_scopes
from clause.knowledge.beliefs.query_models import BeliefFilter
from clause.mcp_bridge.tool import Found, Tool

if TYPE_CHECKING:
    from clause.app import Container


RECENT = 20
"""Beliefs that `clause://beliefs/recent` shows."""

MOST_SOURCES = 100
"""Sources that `clause://trust/graph` shows."""


STATS, BELIEFS = "clause://stats", "clause://beliefs/recent"


@dataclass(frozen=True)
class Resource:
    """A resource as it is listed and read; `tool` tells the same in pages."""

    uri: str
    title: str
    description: str
    read: Callable[[Container, Caller], Awaitable[Found]]
    tool: str

    def definition(self) -> ResourceDefinition:
        """The description in resources/list."""
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
    """The trust of sources in each other, and the sources with their track records."""
    sources = container.rooms.knowledge.sources
    edges = await sources.trusts(caller=caller)
    return {"trusts": edges, "sources": await sources.list(caller=caller, limit=MOST_SOURCES)}


async def stats(container: Container, caller: Caller) -> Found:
    """The number of nodes of each kind that the caller's scopes hold."""
    scopes = list(await readable_scopes(container.graph, caller))
    rows = await container.graph.run("operations/node_counts", scopes=scopes)
    return {"scopes": scopes, "nodes": {row["label"]: row["nodes"] for row in rows}}


RESOURCES = {
    resource.uri: resource
    for resource in (
        Resource(
            BELIEFS,
            "Recent beliefs",
            "The beliefs that were recorded last, newest first.",
            recent_beliefs,
            "belief_query",
        ),
        Resource(
            "clause://trust/graph",
            "Whom sources trust",
            "Sources with their track records.",
            trust_graph,
            "trust_check",
        ),
        Resource(STATS, "What the graph holds", "How many nodes of each kind your scopes hold.", stats, "graph_query"),
    )
}


@dataclass(frozen=True)
class Template:
    """A kind of resources, one for each id; `tool` tells the same in pages."""

    kind: str
    description: str
    read: Callable[[Container, str, Caller], Awaitable[Found]]
    tool: str

    @property
    def prefix(self) -> str:
        """The part that comes before the id."""
        return f"clause://{self.kind}/"

    def definition(self) -> ResourceTemplate:
        """The description in resources/templates/list."""
        return ResourceTemplate(
            uri_template=f"{self.prefix}{{id}}",
            name=self.kind,
            description=self.description,
            mime_type="application/json",
        )


async def belief(container: Container, belief_id: str, caller: Caller) -> Found:
    """A belief with its history and its tensions."""
    return await container.rooms.knowledge.beliefs.get(belief_id, caller=caller)


async def entity(container: Container, name: str, caller: Caller) -> Found:
    """An entity by its id or name."""
    return await container.rooms.knowledge.entities.get(name, scopes=None, caller=caller)


async def run(container: Container, run_id: str, caller: Caller) -> Found:
    """A recorded run."""
    return await container.runs.get(run_id, caller)


TEMPLATES = (
    Template("belief", "One belief with its history both ways and its tensions.", belief, "belief_get"),
    Template("entity", "One entity, by its id or its exact name.", entity, "entity_get"),
    Template("run", "Every step of an earlier answer, by its run_id.", run, "run_explain"),
)


def known(uri: str) -> Resource | tuple[Template, str]:
    """Tell what an address stands for: a resource, or a template and the id.

    Raises:
        NotFoundError: nothing.
    """
    if (resource := RESOURCES.get(uri)) is not None:
        return resource
    for template in TEMPLATES:
        name = unquote(uri.removeprefix(template.prefix))
        if uri.startswith(template.prefix) and name:
            return template, name
    raise NotFoundError(f"no resource {uri[:200]!r}", field="uri")


async def read(uri: str, container: Container, caller: Caller) -> Found:
    """The resource at an address.

    Raises:
        NotFoundError: there is none, or the caller may not read it.
    """
    found = known(uri)
    if isinstance(found, Resource):
        return await found.read(container, caller)
    template, name = found
    return await template.read(container, name, caller)


def touched(tool: Tool, answer: Mapping[str, object], given: Mapping[str, object]) -> tuple[str, ...]:
    """The resources that a call has changed, for those who watch them; nothing for what only reads."""
    if tool.reads or tool.answers:
        return ()
    ids = {one for one in (answer.get("id"), given.get("belief_id")) if isinstance(one, str)}
    named = tool.name.startswith("belief_") or tool.name in _TOUCH_BELIEFS
    beliefs = (BELIEFS, *sorted(f"clause://belief/{one}" for one in ids)) if named else ()
    return (STATS, *beliefs)


_TOUCH_BELIEFS = frozenset({"feedback", "forget", "insight_extract", "session_end", "tension_resolve"})
