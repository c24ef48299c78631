"""The graph of the contract checks, written to Neo4j as a loader writes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from clause.graph.catalogue import Statement
from clause.graph.runner import Graph
from tests.contract.neighbourhood_checks import EDGES, NODES, TYPES, VECTORS

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def statement(text: str, *parameters: str) -> Statement:
    """A statement of a test's own, which is in no file."""
    columns = ("x",) if " RETURN " in text else ()
    mode = "read" if columns and "CREATE" not in text else "write"
    return Statement("test/own", "test", mode, "many", dict.fromkeys(parameters, "ANY"), columns, text)


async def run(graph: Graph, text: str, **parameters: Any) -> list[dict[str, Any]]:
    """Run a test's own Cypher."""
    return list(await graph.execute(statement(f"CYPHER 25 {text}", *parameters), parameters))


async def write_known_graph(graph: Graph, scope: str) -> None:
    """All of NODES, EDGES and TYPES in `scope`."""
    degrees = Counter(end for head, _, tail in set(EDGES) for end in (head, tail))
    rows: list[Mapping[str, Any]] = [
        {"id": node, "name": name, "degree": degrees[node], "embedding": VECTORS.get(node)}
        for node, name in NODES.items()
    ]
    await run(
        graph,
        "UNWIND $rows AS row CREATE (n:Entity {id: row.id, scope: $scope, name: row.name, degree: row.degree, "
        "canonical_key: 'concept:' + row.name, recorded_at: $at}) "
        "SET n.embedding = CASE WHEN row.embedding IS NULL THEN null ELSE toFloatList(row.embedding) END",
        rows=rows,
        scope=scope,
        at=LONG_AGO,
    )
    await run(
        graph,
        "UNWIND $rows AS row MATCH (a:Entity {id: row[0]}) MATCH (b:Entity {id: row[2]}) "
        "CREATE (a)-[r:$(row[1]) {scope: $scope, recorded_at: $at}]->(b)",
        rows=[list(edge) for edge in EDGES],
        scope=scope,
        at=LONG_AGO,
    )
    await run(
        graph,
        "UNWIND $rows AS row CREATE (t:RelationshipType {id: $scope + row.name, scope: $scope, name: row.name, "
        "text: row.text, inverse_text: row.inverse_text, count: row.count, is_causal: row.is_causal, "
        "recorded_at: $at}) "
        "SET t.embedding = toFloatList(row.embedding), t.inverse_embedding = toFloatList(row.inverse_embedding)",
        rows=[
            {
                "name": kind.name,
                "text": kind.text,
                "inverse_text": kind.inverse_text,
                "count": kind.count,
                "is_causal": kind.is_causal,
                "embedding": kind.embedding,
                "inverse_embedding": kind.inverse_embedding,
            }
            for kind in TYPES
        ],
        scope=scope,
        at=LONG_AGO,
    )
