"""The three agents over a user's scope cite memories."""

from __future__ import annotations

import pytest

from clause.graph.runner import Graph
from clause.ground import Ground
from clause.memory.models import MemoryWriteInput
from clause.memory.room import Memory
from clause.reasoning.agents.heuristic import HeuristicPolicy
from clause.reasoning.agents.policy import PolicyBook
from clause.reasoning.answer.evidence import Provenance
from clause.reasoning.answer.report import Reporter
from clause.reasoning.answer.runs import RunRecorder
from clause.reasoning.answer.texts import IndexedTexts, RecalledTexts
from clause.reasoning.coordinator import Coordinator
from clause.reasoning.models import BudgetAllocation, CoordinationRequest
from clause.reasoning.neighbourhood.neo4j import Neo4jNeighbourhood
from clause.reasoning.question.preparation import Asker
from clause.reasoning.question.seeds import SeedFinder
from clause.text.tokens import count_all
from tests.integration.memory.conftest import OWNER

pytestmark = pytest.mark.integration


async def test_coordinate_over_a_users_scope_cites_its_memories(
    memory: Memory, ground: Ground, graph: Graph, scope: str
) -> None:
    talk = ["Ann: my dog is called Rex", "Ann: I moved to Lisbon in May", "Bob: the train was late"]
    written = await memory.store.write_batch(
        [MemoryWriteInput(content=text, scope=scope) for text in talk], caller=OWNER
    )
    port = Neo4jNeighbourhood(graph, dimension=ground.embedder.dimension)
    asker = Asker(graph, port, SeedFinder(graph, ground.embedder), ground.embedder)
    runs = RunRecorder(graph)
    coordinator = Coordinator(
        asker,
        port,
        PolicyBook({"heuristic": HeuristicPolicy}, default="heuristic"),
        texts=RecalledTexts(IndexedTexts(graph), memory.store.recall),
        count=count_all,
        reporter=Reporter(Provenance(graph), runs),
    )
    request = CoordinationRequest(
        query="to which city did Ann move, Lisbon?", budgets=BudgetAllocation(), scopes=[scope], record=False
    )

    response = await coordinator.coordinate(request, OWNER)
    await runs.settled()

    cited = {item.text: item.provenance.source_uri for item in response.result.evidence}
    assert cited[talk[1]] == f"neo4j://memory/{written[1].memory_id}"
