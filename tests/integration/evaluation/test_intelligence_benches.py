"""The rows about intelligence, and the demonstration of curiosity, on a real Neo4j."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from clause.graph.runner import Graph
from clause.intelligence.room import Intelligence
from clause.knowledge.room import Knowledge
from clause.lab.bench import loading as bench_intelligence
from clause.lab.bench.loading import causal_bench, flags_bench, rollback_bench, thoughtseeds_bench
from clause.lab.curiosity import SCOPE, curiosity_demo
from clause.policy.train.lessons import TypedWalks
from clause.reasoning.agents.heuristic import HeuristicPolicy
from clause.reasoning.agents.policy import PolicyBook
from clause.reasoning.agents.single_agent import LoneAgents
from clause.reasoning.answer.evidence import Provenance
from clause.reasoning.answer.integrations import Integrations
from clause.reasoning.answer.report import Reporter
from clause.reasoning.answer.runs import RunRecorder
from clause.reasoning.neighbourhood.neo4j import Neo4jNeighbourhood
from clause.reasoning.question.preparation import Asker
from clause.reasoning.question.seeds import SeedFinder
from tests.integration.intelligence.ground import Clock, make_ground
from tests.integration.reasoning.known_graph import run
from tests.unit.evaluation.films import snapshot

pytestmark = pytest.mark.integration


@pytest.fixture
def services(graph: Graph) -> Any:
    ground = make_ground(graph, Clock(datetime.now(UTC)))
    room = Intelligence.open(ground, Knowledge.open(ground))
    port = Neo4jNeighbourhood(graph)
    finder = SeedFinder(graph, ground.embedder)
    agents = LoneAgents(
        Asker(graph, port, finder, ground.embedder),
        port,
        finder,
        PolicyBook({"heuristic": HeuristicPolicy}, default="heuristic"),
        count=lambda texts: [1 for _ in texts],
        reporter=Reporter(Provenance(graph), RunRecorder(graph)),
        integrations=Integrations(room, port),
    )
    rooms = SimpleNamespace(ground=ground, intelligence=room)
    return SimpleNamespace(graph=graph, embedder=ground.embedder, agents=agents, port=port, rooms=rooms)


async def left_behind(graph: Graph, scope: str) -> int:
    (row,) = await run(
        graph, "MATCH (n {scope: $scope}) WHERE NOT n:Job AND NOT n:JobLease RETURN count(n) AS x", scope=scope
    )
    return int(row["x"])


async def test_thoughtseeds_are_written_linked_and_erased(
    graph: Graph, services: Any, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_intelligence, "SCOPES", [scope])
    vectors = await services.embedder.embed([f"film {number}" for number in range(20)])
    await run(
        graph,
        "UNWIND range(0, 19) AS i CREATE (e:Entity {id: $scope + toString(i), scope: $scope, name: 'film ' + i, "
        "canonical_key: 'k' + i, degree: 3, recorded_at: datetime()}) SET e.embedding = toFloatList($vectors[i])",
        scope=scope,
        vectors=list(vectors),
    )
    found = await thoughtseeds_bench(services, 20, "c")
    assert found["n"] == 20
    assert found["seeds_per_s"] > 0
    assert await left_behind(graph, "kg:bench-thoughtseeds") == 0


async def test_a_causal_check_and_a_roll_back_are_timed(graph: Graph, services: Any) -> None:
    causal = await causal_bench(services, 3, "c")
    assert (causal["n"], causal["operations"] < 5_000_000) == (3, True)
    rolled = await rollback_bench(services, 2, "c")
    assert (rolled["n"], rolled["errors"]) == (2, 0)
    assert await left_behind(graph, "kg:bench-conflicts") == 0


async def test_the_flags_are_compared_on_the_same_questions_in_turns(services: Any) -> None:
    asked: list[Any] = []

    class Coordinator:
        async def coordinate(self, request: Any, caller: Any) -> None:
            asked.append(request)

    services.coordinator = Coordinator()
    found = await flags_bench(services, TypedWalks(snapshot()), policy="heuristic", calls=3, command="c")
    counted = asked[-6:]
    assert [request.enable_causal for request in counted] == [True, False, False, True, True, False]
    assert found["lost"] == 0
    assert found["baseline"]["name"].startswith("all flags off")


async def test_the_demonstration_runs_and_leaves_nothing_behind(graph: Graph, services: Any) -> None:
    shown = await curiosity_demo(services)
    assert shown["before"] == ["Collateral", "Heat"]
    assert shown["triggers"] == 1
    assert await left_behind(graph, SCOPE) == 0
