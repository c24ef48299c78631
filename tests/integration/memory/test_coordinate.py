"""The three agents over a user's scope cite memories."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from clause.graph.runner import Graph
from clause.ground import Ground
from clause.memory.models import MemoryWriteInput
from clause.memory.room import Memory
from clause.reasoning.agents.heuristic import HeuristicPolicy
from clause.reasoning.agents.policy import PolicyBook
from clause.reasoning.answer.counterfactual import Withholding
from clause.reasoning.answer.evidence import Provenance
from clause.reasoning.answer.report import Reporter
from clause.reasoning.answer.runs import RunRecorder
from clause.reasoning.answer.texts import IndexedTexts, RecalledTexts
from clause.reasoning.coordinator import Coordinator
from clause.reasoning.models import BudgetAllocation, CoordinationRequest
from clause.reasoning.models.answer import TextFilters
from clause.reasoning.neighbourhood.neo4j import Neo4jNeighbourhood
from clause.reasoning.neighbourhood.port import View
from clause.reasoning.question.preparation import Asker
from clause.reasoning.question.seeds import SeedFinder
from clause.text.tokens import count_all
from tests.integration.memory.conftest import OWNER

pytestmark = pytest.mark.integration


async def test_a_text_that_passes_filters_is_found_however_many_nearer_ones_are_left_out(
    memory: Memory, ground: Ground, graph: Graph, scope: str
) -> None:
    asked, other = "green tea in the garden", "green rain and snow on the road"
    old = [MemoryWriteInput(content=f"{asked} {n}", scope=scope, timestamp="2025-03-01") for n in range(250)]
    new = [MemoryWriteInput(content=f"{other} {n}", scope=scope, timestamp="2026-03-01") for n in range(2)]
    written = await memory.store.write_batch([*old, *new], caller=OWNER)
    withholding = Withholding(graph, SeedFinder(graph, ground.embedder))
    filters = TextFilters(since=datetime(2026, 1, 1, tzinfo=UTC))
    view, left_out = await withholding.passing(filters, View((scope,)))
    embedding = await ground.embedder.embed_query(asked)
    for texts in (IndexedTexts(graph), RecalledTexts(IndexedTexts(graph), memory.store.recall)):
        found = await texts.recall(asked, embedding, view, limit=40)
        assert {one.node.id for one in found} == {one.memory_id for one in written[250:]}
        assert len(await texts.recall(asked, embedding, View((scope,)), limit=40)) >= 40
    assert left_out == {"since": 250}


async def test_coordinate_over_a_users_scope_cites_its_memories(
    memory: Memory, ground: Ground, graph: Graph, scope: str
) -> None:
    talk = ["Ann: my dog is called Rex", "Ann: I moved to Lisbon in May", "Bob: the train was late"]
    written = await memory.store.write_batch(
        [MemoryWriteInput(content=text, scope=scope) for text in talk], caller=OWNER
    )
    port = Neo4jNeighbourhood(graph, dimension=ground.embedder.dimension)
    texts = RecalledTexts(IndexedTexts(graph), memory.store.recall)
    asker = Asker(graph, port, SeedFinder(graph, ground.embedder), ground.embedder, texts=texts)
    runs = RunRecorder(graph)
    coordinator = Coordinator(
        asker,
        port,
        PolicyBook({"heuristic": HeuristicPolicy}, default="heuristic"),
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
