"""Reading back what loading wrote."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from clause.graph.runner import Graph
from tests.servers import statement

_TRIPLES = statement(
    "MATCH (a:Entity {scope: $scope})-[r]->(b:Entity) RETURN a.name AS head, type(r) AS relation, b.name AS tail, "
    "r {.*} AS properties ORDER BY head, relation, tail",
    mode="read",
    parameters="$scope STRING",
    columns="head, relation, tail, properties",
)
_NODES = statement(
    "MATCH (n {scope: $scope}) WHERE NOT n:Job AND NOT n:JobLease RETURN labels(n)[0] AS label, n.id AS id, "
    "n {.*, embedding: null, inverse_embedding: null, recorded_at: null, version: null} AS properties, "
    "CASE WHEN n.embedding IS NULL THEN 0 ELSE size(n.embedding) END AS size ORDER BY label, id",
    mode="read",
    parameters="$scope STRING",
    columns="label, id, properties, size",
)
_DEGREES = statement(
    "MATCH (n:Entity|Passage|Document {scope: $scope}) "
    "WITH n, COUNT { (n)-[r]-(m) WHERE type(r) <> 'NEXT' AND type(r) <> 'FROM' AND type(r) <> 'HAS_BASIN' AND m <> n } "
    " + COUNT { (n)-->(n) } AS real WHERE real <> n.degree RETURN n.id AS id, n.degree AS degree, real",
    mode="read",
    parameters="$scope STRING",
    columns="id, degree, real",
)
_COUNTS = statement(
    "MATCH (t:RelationshipType {scope: $scope}) "
    "RETURN t.name AS name, t.count AS count, COUNT { ()-[r]->() WHERE type(r) = t.name AND r.scope = $scope } AS real "
    "ORDER BY name",
    mode="read",
    parameters="$scope STRING",
    columns="name, count, real",
)


async def triples(graph: Graph, scope: str) -> list[tuple[str, str, str]]:
    """The stored triples, sorted."""
    rows = await graph.execute(_TRIPLES, {"scope": scope})
    return [(row["head"], row["relation"], row["tail"]) for row in rows]


async def relationships(graph: Graph, scope: str) -> list[dict[str, Any]]:
    """The properties of the stored triples, in the order of `triples`."""
    return [row["properties"] for row in await graph.execute(_TRIPLES, {"scope": scope})]


async def state(graph: Graph, scope: str) -> tuple[Any, ...]:
    """Everything in a scope but times and vectors: two loads that should agree have equal states."""
    nodes = await graph.execute(_NODES, {"scope": scope})
    return ([(row["label"], row["id"], row["properties"], row["size"]) for row in nodes], await triples(graph, scope))


async def wrong_counts(graph: Graph, scope: str) -> list[dict[str, Any]]:
    """Degrees and counts of types that are not what the relationships say; empty when all is well."""
    counts = await graph.execute(_COUNTS, {"scope": scope})
    return [*await graph.execute(_DEGREES, {"scope": scope}), *(row for row in counts if row["count"] != row["real"])]


@asynccontextmanager
async def writing(graph: Graph, text: str, **parameters: Any) -> AsyncIterator[None]:
    """Another writer, who was first: inside, what it wrote is locked; at the end it is committed."""
    transaction = await graph._opened().begin(timeout_s=30)
    try:
        first = statement(text, parameters=", ".join(f"${name} ANY" for name in parameters) or "none")
        await transaction.send([(first, parameters)], timeout_s=30)
        yield
        await transaction.commit()
    finally:
        await transaction.close()


_BLOCKED = statement(
    "SHOW TRANSACTIONS YIELD status WHERE status STARTS WITH 'Blocked' RETURN count(*) AS blocked",
    mode="read",
    columns="blocked",
)


async def waiting(graph: Graph, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """Some work that has come to a lock, and waits there."""
    task = asyncio.create_task(work)
    while not (await graph.execute(_BLOCKED, {}))[0]["blocked"]:
        assert not task.done()
        await asyncio.sleep(0.01)
    return task
