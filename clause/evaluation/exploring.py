"""A graph on a server, taken into memory for training and offline evaluation, with questions tied to its nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clause.evaluation.exporting import export_snapshot
from clause.evaluation.material import answered, ids_by_name
from clause.evaluation.questions import Question
from clause.graph.runner import Graph
from clause.reasoning.neighbourhood import View
from clause.reasoning.neo4j_neighbourhood import Neo4jNeighbourhood
from clause.reasoning.seeds import SeedFinder
from clause.reasoning.snapshot import Snapshot
from clause.text.embedder import Embedder

if TYPE_CHECKING:
    from clause.policy.lessons import Answered


@dataclass(frozen=True)
class Explorer:
    """Reads scopes of a graph into memory, and finds what questions are about there."""

    graph: Graph
    seeds: SeedFinder
    embedder: Embedder

    async def snapshot(self, scopes: Sequence[str]) -> Snapshot:
        """The scopes as immutable arrays: nodes, relationships of registered types, vectors."""
        dimension = self.embedder.dimension
        port = Neo4jNeighbourhood(self.graph, dimension=dimension)
        return await export_snapshot(self.graph, port, View(tuple(scopes)), dimension=dimension)

    async def tied(self, snapshot: Snapshot, questions: Iterable[Question], scopes: Sequence[str]) -> list[Answered]:
        """The questions whose first seed entity is found, tied to the nodes of the snapshot."""
        ids = ids_by_name(snapshot)
        found = []
        for question in questions:
            seeds = await self.seeds.find(question.text, View(tuple(scopes)), limit=1)
            if seeds:
                first = seeds[0]
                span = None if first.start is None or first.end is None else (first.start, first.end)
                found.append(answered(question, first.id, span, ids))
        return found
