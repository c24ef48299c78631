"""Reading back what the memory room wrote."""

from __future__ import annotations

from typing import Any

import numpy as np

from clause.graph.runner import Graph
from clause.memory.cluster import prototype_of
from tests.servers import statement

_CLUSTERS = statement(
    "MATCH (c:MemoryCluster {scope: $scope}) RETURN c.id AS id, c.cluster_id AS cluster_id, c.size AS size, "
    "c.degree AS degree, c.consolidated AS consolidated, c.settled AS settled, c.representative_id AS representative, "
    "c.sum AS sum, c.prototype AS prototype, "
    "COLLECT { MATCH (m:Memory)-[:MEMBER_OF]->(c) RETURN [m.id, m.content, m.embedding, m.cluster_id] AS one "
    "ORDER BY m.id } AS members ORDER BY cluster_id",
    mode="read",
    parameters="$scope STRING",
    columns="id, cluster_id, size, degree, consolidated, settled, representative, sum, prototype, members",
)
_MEMORIES = statement(
    "MATCH (m:Memory {scope: $scope}) RETURN m.id AS id, m.content AS content, m.sequence AS sequence, "
    "m.access_count AS access_count, m.degree AS degree, COUNT { (m)-[:MENTIONS|MEMBER_OF]-() } AS linked, "
    "COUNT { (m)-[:MEMBER_OF]->() } AS clusters ORDER BY sequence",
    mode="read",
    parameters="$scope STRING",
    columns="id, content, sequence, access_count, degree, linked, clusters",
)
_COUNTER = statement(
    "MATCH (place:Counter {id: $scope + '/memory'}) RETURN place.clusters AS clusters",
    mode="read",
    parameters="$scope STRING",
    columns="clusters",
)


async def clusters(graph: Graph, scope: str) -> list[dict[str, Any]]:
    """The stored clusters with their members, in the order of their numbers."""
    return [*await graph.execute(_CLUSTERS, {"scope": scope})]


async def memories(graph: Graph, scope: str) -> list[dict[str, Any]]:
    """The stored memories, in the order in which they came."""
    return [*await graph.execute(_MEMORIES, {"scope": scope})]


async def faults(graph: Graph, scope: str) -> list[str]:
    """What is not as it must be: prototypes within 1e-6 of the recomputed mean, sizes, degrees, counts, membership."""
    found = []
    stored = await clusters(graph, scope)
    for row in stored:
        total = np.sum([member[2] for member in row["members"]], axis=0, dtype=np.float64)
        wrong = float(np.abs(prototype_of(total) - np.array(row["prototype"])).max())
        if wrong > 1e-6:
            found.append(f"prototype of {row['cluster_id']} is off by {wrong}")
        if not len(row["members"]) == row["size"] == row["degree"]:
            found.append(f"{row['cluster_id']} has {len(row['members'])} members, not {row['size']}, {row['degree']}")
        found += [f"{one[0]} names cluster {one[3]}" for one in row["members"] if one[3] != row["cluster_id"]]
    for row in await memories(graph, scope):
        if row["clusters"] != 1 or row["degree"] != row["linked"]:
            found.append(f"memory {row['id']}: {row}")
    counted = await graph.execute(_COUNTER, {"scope": scope})
    if stored and counted[0]["clusters"] != len(stored):
        found.append(f"{counted[0]['clusters']} clusters are counted, {len(stored)} are there")
    return found
