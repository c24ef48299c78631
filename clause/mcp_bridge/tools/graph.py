"""The tool for questions that no other tool answers: read-only Cypher behind a guard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field, JsonValue

from clause.errors import ForbiddenError
from clause.graph.guard import MAX_TEXT
from clause.graph.scopes import Caller
from clause.mcp_bridge.tool import Arguments, Found, tool

if TYPE_CHECKING:
    from clause.container import Container


class Statement(Arguments):
    """A Cypher statement that only reads, with its parameters."""

    query: str = Field(min_length=1, max_length=MAX_TEXT, description="one Cypher statement that only reads")
    parameters: dict[str, JsonValue] = Field(default_factory=dict, description="values for its $names")


@tool("full", reads=True)
async def graph_query(container: Container, given: Statement, caller: Caller) -> Found:
    """Run one read-only Cypher statement on the graph (Neo4j, Cypher 25). Use it to count, list or inspect what the
    other tools do not show: labels are Entity, Belief, Memory, Experience, Value, Insight, Session and others; every
    node has id, scope and recorded_at; `CALL db.labels()` and `CALL db.schema.nodeTypeProperties()` show the rest. Pass
    values as parameters. Writes, files, addresses and the server's own affairs are refused; at most 1,000 rows and 10
    seconds. It reads every scope, so only the owner may use it."""
    if caller.readable is not None:
        raise ForbiddenError(
            "Cypher reads every scope, and this API key does not", remedy="use belief_query, coordinate or memory_read"
        )
    found = await container.graph.explore(given.query, given.parameters)
    return {"columns": found.columns, "cut_by_limits": found.cut, "rows": found.rows}


TOOLS = (graph_query,)
