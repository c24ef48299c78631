"""Exports what a view holds from Neo4j into an immutable snapshot."""

from __future__ import annotations

from clause.graph.runner import Graph
from clause.reasoning.neighbourhood import NeighbourhoodPort, Vector, View
from clause.reasoning.neo4j_neighbourhood import PAIRS
from clause.reasoning.snapshot import Snapshot

PAGE = 2_000


async def export_snapshot(
    graph: Graph, port: NeighbourhoodPort, view: View, *, dimension: int, page: int = PAGE
) -> Snapshot:
    """The entities of the view's scopes, their relationships of registered types, basins and vectors of `dimension`.

    Pages through the entities by id; what changes meanwhile may be in or out. The clocks of the view are not looked at:
    a snapshot holds what is now.
    """
    types = await port.relationship_types(view)
    names: dict[str, str] = {}
    edges: list[tuple[str, str, str]] = []
    vectors: dict[str, Vector] = {}
    basins: dict[str, float] = {}
    together: dict[tuple[str, str], int] = {}
    after = ""
    while True:
        rows = await graph.run(
            "evaluation/export_page",
            scopes=list(view.scopes),
            relations=[kind.name for kind in types],
            after=after,
            limit=page,
            pairs=PAIRS,
            dimension=dimension,
        )
        for row in rows:
            names[row["id"]] = row["name"]
            edges += [(row["id"], relation, end) for relation, end in row["ends"]]
            if row["embedding"] is not None:
                vectors[row["id"]] = row["embedding"]
            if row["basin"] is not None:
                basins[row["id"]] = row["basin"]
            together.update(((row["id"], other), count) for other, count in row["together"])
        if len(rows) < page:
            return Snapshot.build(names, edges, types, vectors, basins=basins, together=together)
        after = rows[-1]["id"]
