"""Basins, causes, ThoughtSeeds and curiosity in the walk, through the coordinator and the agents on a real Neo4j."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from clause.evaluation.training_material import export_snapshot
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.ground import Ground, strengthening
from clause.intelligence.causal import scores as causal_scores
from clause.intelligence.room import Intelligence
from clause.intelligence.thoughtseeds import query_source, seed_id
from clause.knowledge.room import Knowledge
from clause.reasoning.agents.heuristic import HeuristicAgents, HeuristicPolicy
from clause.reasoning.agents.policy import Embed, Foresight, PolicyBook, Question
from clause.reasoning.agents.single_agent import LoneAgents
from clause.reasoning.answer.evidence import Provenance
from clause.reasoning.answer.integrations import Integrations
from clause.reasoning.answer.report import Reporter
from clause.reasoning.answer.run_record import differences, digest_of
from clause.reasoning.answer.runs import RunRecorder
from clause.reasoning.coordinator import Coordinator
from clause.reasoning.models import (
    BudgetAllocation,
    CoordinationRequest,
    EdgeScoreRequest,
    PathNavigationRequest,
    SubgraphRequest,
)
from clause.reasoning.neighbourhood.neo4j import Neo4jNeighbourhood
from clause.reasoning.neighbourhood.port import View
from clause.reasoning.question.preparation import Asker
from clause.reasoning.question.seeds import SeedFinder
from tests.fakes.clock import Clock
from tests.integration.intelligence.ground import make_ground
from tests.integration.reasoning.known_graph import run

pytestmark = pytest.mark.integration

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
RULES = PolicyBook({"heuristic": HeuristicPolicy}, default="heuristic")
QUESTION = "what makes the flood"


class ForetellingAgents(HeuristicAgents):
    """Heuristic agents whose critic foretells that no hop gains anything."""

    foresights = (Foresight(0.0, 0.0, 0.0),) * 10


class Foretelling(HeuristicPolicy):
    """The policy of these agents."""

    async def begin(self, question: Question, embed: Embed) -> ForetellingAgents:
        return ForetellingAgents(question)


@dataclass(frozen=True)
class House:
    """Everything that answers questions, on one test's scope."""

    ground: Ground
    room: Intelligence
    port: Neo4jNeighbourhood
    coordinator: Coordinator
    agents: LoneAgents
    runs: RunRecorder
    caller: Caller


@pytest.fixture
async def house(graph: Graph, scope: str) -> AsyncIterator[House]:
    ground = make_ground(graph, Clock(NOW), scope)
    room = Intelligence.open(ground, Knowledge.open(ground))
    port = Neo4jNeighbourhood(graph)
    finder = SeedFinder(graph, ground.embedder)
    asker = Asker(graph, port, finder, ground.embedder)
    runs = RunRecorder(graph, now=lambda: NOW)
    speaking: dict[str, Any] = {
        "count": lambda texts: [len(text.split()) for text in texts],
        "reporter": Reporter(Provenance(graph, lambda: NOW), runs, default_scope=scope),
        "integrations": Integrations(room, port, default_scope=scope),
    }
    book = PolicyBook({"heuristic": HeuristicPolicy, "foretelling": Foretelling}, default="heuristic")
    coordinator = Coordinator(asker, port, book, **speaking)
    agents = LoneAgents(asker, port, finder, book, **speaking)
    await graph.run("graph/register_scope", scope=scope, recorded_at=NOW)
    yield House(ground, room, port, coordinator, agents, runs, Caller((scope,), (scope,)))
    await runs.settled()
    await room.settled()
    await run(graph, "MATCH (n:Scope {id: $id}) DETACH DELETE n", id=scope)


async def plant(house: House, scope: str, edges: list[tuple[str, str, str]], **strengths: float) -> None:
    graph, names = house.ground.graph, sorted({end for head, _, tail in edges for end in (head, tail)})
    vectors = await house.ground.embedder.embed(names)
    await run(
        graph,
        "UNWIND range(0, size($names) - 1) AS i CREATE (e:Entity {id: $scope + ':' + $names[i], scope: $scope, "
        "name: $names[i], name_key: $names[i], canonical_key: 'concept:' + $names[i], degree: 2, recorded_at: $at}) "
        "SET e.embedding = toFloatList($vectors[i])",
        names=names,
        vectors=list(vectors),
        scope=scope,
        at=NOW,
    )
    kinds = sorted({relation for _, relation, _ in edges})
    words = await house.ground.embedder.embed(kinds)
    await run(
        graph,
        "UNWIND range(0, size($kinds) - 1) AS i CREATE (t:RelationshipType {id: $scope + $kinds[i], scope: $scope, "
        "name: $kinds[i], text: $kinds[i], is_causal: $kinds[i] = 'CAUSES', count: 1, recorded_at: $at}) "
        "SET t.embedding = toFloatList($words[i]), t.inverse_embedding = toFloatList($words[i])",
        kinds=kinds,
        words=list(words),
        scope=scope,
        at=NOW,
    )
    await run(
        graph,
        "UNWIND $rows AS row MATCH (a:Entity {id: $scope + ':' + row[0]}) MATCH (b:Entity {id: $scope + ':' + row[2]}) "
        "CREATE (a)-[:$(row[1]) {scope: $scope, recorded_at: $at, strength: row[3]}]->(b)",
        rows=[[*edge, strengths.get(edge[0], 0.5)] for edge in edges],
        scope=scope,
        at=NOW,
    )
    house.port.forget()


async def basin(house: House, scope: str, name: str, strength: float) -> None:
    await run(
        house.ground.graph,
        "MATCH (e:Entity {id: $id}) SET e.basin_strength = $strength",
        id=f"{scope}:{name}",
        strength=strength,
    )


FILMS = [("rain", "near", f"place {number}") for number in range(12)]


def subgraph_of(scope: str) -> SubgraphRequest:
    return SubgraphRequest(
        query="where does it go", edge_budget=3, start_nodes=[f"{scope}:rain"], hop_distance=1, min_edge_score=0.0
    )


async def test_basin_strength_changes_which_edges_are_chosen(house: House, scope: str) -> None:
    await plant(house, scope, FILMS)
    without = await house.agents.subgraph(subgraph_of(scope), house.caller)
    await basin(house, scope, "place 9", 2.0)
    await basin(house, scope, "place 11", 1.6)
    with_basins = await house.agents.subgraph(subgraph_of(scope), house.caller)
    chosen = [{edge.target for edge in answer.selected_edges} for answer in (without, with_basins)]
    strong = {f"{scope}:place 9", f"{scope}:place 11"}
    assert not strong & chosen[0]
    assert strong <= chosen[1]
    signals = {edge.target: edge.signals.phi_basin for edge in with_basins.selected_edges}
    assert signals[f"{scope}:place 9"] == 1.0
    assert signals[f"{scope}:place 11"] == pytest.approx(0.6)
    assert with_basins.basins_strengthened == []


async def test_what_documents_name_together_is_scored(house: House, scope: str) -> None:
    await plant(house, scope, FILMS[:2])
    ends = [f"{scope}:rain", f"{scope}:place 1"]
    for document in range(3):
        await house.ground.graph.write([strengthening({f"d{document}": ends}, scope, NOW)])
    edges = [{"source": ends[0], "relation": "near", "target": f"{scope}:place {number}"} for number in (0, 1)]
    request = EdgeScoreRequest(query="where is it", edges=edges, scopes=[scope])
    scores = (await house.agents.score_edges(request, house.caller)).scores
    assert [score.signals.phi_nbr for score in scores] == [0.0, pytest.approx(0.6)]
    assert [score.signals.phi_basin for score in scores] == [pytest.approx(0.4)] * 2


async def test_the_store_and_its_snapshot_choose_the_same_edges_by_basins(house: House, scope: str) -> None:
    await plant(house, scope, FILMS)
    await run(
        house.ground.graph, "MATCH (e:Entity {scope: $scope}) SET e.degree = COUNT { (e)-[:near]-() }", scope=scope
    )
    await answered_alike(house, scope)
    before = [edge.target for edge in (await house.agents.subgraph(subgraph_of(scope), house.caller)).selected_edges]
    for document, place in enumerate((9, 9, 9, 11, 11, 4)):
        named = [f"{scope}:rain", f"{scope}:place {place}"]
        await house.ground.graph.write([strengthening({f"d{document}": named}, scope, NOW)])
    chosen = await answered_alike(house, scope)
    assert chosen[:2] == [f"{scope}:place 9", f"{scope}:place 11"]
    assert chosen != before


async def answered_alike(house: House, scope: str) -> list[str]:
    """The ends that are chosen from the store and, with the same scores and signals, from a snapshot of it."""
    graph, embedder = house.ground.graph, house.ground.embedder
    view = View((scope,))
    snapshot = await export_snapshot(graph, house.port, view, dimension=embedder.dimension)
    finder = SeedFinder(graph, embedder)
    asker = Asker(graph, snapshot, finder, embedder)
    reporter = Reporter(Provenance(graph, lambda: NOW), house.runs, default_scope=scope)
    apart = LoneAgents(asker, snapshot, finder, RULES, count=lambda texts: [1] * len(texts), reporter=reporter)
    stored = (await house.agents.subgraph(subgraph_of(scope), house.caller)).selected_edges
    held = (await apart.subgraph(subgraph_of(scope), house.caller)).selected_edges
    assert [edge.model_dump() for edge in held] == [edge.model_dump() for edge in stored]
    return [edge.target for edge in stored]


CAUSES = [
    ("storm", "CAUSES", "flood"),
    ("dam break", "CAUSES", "flood"),
    ("flood", "near", "river"),
]


def walk(scope: str, **more: Any) -> PathNavigationRequest:
    values = {"query": QUESTION, "start_node": f"{scope}:flood", "step_budget": 1, "scopes": [scope], **more}
    return PathNavigationRequest(**values)


async def test_a_hop_over_causes_is_scored_and_without_causes_the_score_is_null(house: House, scope: str) -> None:
    await plant(house, scope, CAUSES, storm=0.9, **{"dam break": 0.2})
    found = await house.agents.navigate(walk(scope), house.caller)
    (step,) = found.path.steps
    assert step.relation == "CAUSES"
    assert step.causal_score in (pytest.approx(0.91), pytest.approx(0.2 + 0.8 * 0.45))
    assert found.metadata.fallback_used is False
    assert found.performance["causal_pred_ms"] > 0
    off = await house.agents.navigate(walk(scope, enable_causal=False), house.caller)
    assert {step.causal_score for step in off.path.steps} == {None}
    assert off.performance["causal_pred_ms"] == 0.0
    await run(house.ground.graph, "MATCH (t:RelationshipType {scope: $scope}) SET t.is_causal = false", scope=scope)
    house.port.forget()
    none = await house.agents.navigate(walk(scope), house.caller)
    assert {step.causal_score for step in none.path.steps} == {None}


async def test_causes_decide_where_cosines_do_not(house: House, scope: str) -> None:
    await plant(house, scope, [("flood", "CAUSES", "harm"), ("flood", "near", "harm flood")])
    await run(
        house.ground.graph,
        "MATCH (t:RelationshipType {scope: $scope, name: 'CAUSES'}) SET t.embedding = null",
        scope=scope,
    )
    house.port.forget()
    steps = {}
    for strength in (0.0, 1.0):
        await run(
            house.ground.graph,
            "MATCH (:Entity {scope: $scope})-[r:CAUSES]->() SET r.strength = $s",
            scope=scope,
            s=strength,
        )
        found = await house.agents.navigate(walk(scope, query="harm near here"), house.caller)
        steps[strength] = found.path.steps[0]
    assert steps[1.0].relation == "CAUSES"
    assert steps[0.0].relation == "near"


def question(scope: str, **more: Any) -> CoordinationRequest:
    values: dict[str, Any] = {"query": QUESTION, "budgets": BudgetAllocation(), "start_nodes": [f"{scope}:flood"]}
    return CoordinationRequest(**{**values, "scopes": [scope], **more})


async def test_a_replay_repeats_the_fallbacks_of_the_recorded_run(
    house: House, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await plant(house, scope, CAUSES, storm=0.9)
    monkeypatch.setattr(causal_scores.CausalScores.__init__, "__kwdefaults__", {"operations": 0, "repeat": None})
    answered = await house.coordinator.coordinate(question(scope), house.caller)
    assert answered.result.intelligence.fallback_used is True
    await house.room.causal.settled()
    assert len(house.room.causal.memory) > 0
    recorded = await house.runs.get(answered.run_id or "", house.caller)
    assert recorded.fallbacks
    assert all(name.startswith("causal:") for name in recorded.fallbacks)
    again = await house.coordinator.coordinate(question(scope, record=False), house.caller, repeat=recorded.fallbacks)
    assert differences(recorded.digest, digest_of(again)) == []
    assert again.result.intelligence.fallback_used is True
    later = await house.coordinator.coordinate(question(scope, record=False), house.caller)
    assert later.result.intelligence.fallback_used is False


async def seeds_of(house: House, scope: str) -> dict[str, str]:
    rows = await run(
        house.ground.graph, "MATCH (t:ThoughtSeed {scope: $scope}) RETURN [t.id, t.concept] AS x", scope=scope
    )
    return {row["x"][0]: row["x"][1] for row in rows}


async def test_each_candidate_hop_makes_one_seed_that_the_path_names_before_it_is_written(
    house: House, scope: str
) -> None:
    await plant(house, scope, CAUSES, storm=0.9)
    for _ in range(2):
        found = await house.agents.navigate(walk(scope), house.caller)
        assert found.metadata.thoughtseeds_generated == 3
        (step,) = found.path.steps
        source = query_source(QUESTION)
        assert step.thoughtseed_id == seed_id(scope, step.to_node, source)
        await house.room.settled()
    seeds = await seeds_of(house, scope)
    assert set(seeds.values()) == {"storm", "dam break", "river"}
    assert step.thoughtseed_id in seeds


async def test_flags_off_and_replays_write_nothing(house: House, scope: str) -> None:
    await plant(house, scope, CAUSES)
    off = await house.agents.navigate(walk(scope, enable_thoughtseeds=False, enable_curiosity=False), house.caller)
    assert (off.metadata.thoughtseeds_generated, off.metadata.curiosity_triggers_spawned) == (0, 0)
    assert off.path.steps[0].thoughtseed_id is None
    silent = await house.coordinator.coordinate(question(scope, record=False), house.caller)
    assert silent.result.intelligence.thoughtseeds_generated == 0
    stranger = Caller(house.caller.readable, ())
    await house.agents.navigate(walk(scope), stranger)
    await house.room.settled()
    assert await seeds_of(house, scope) == {}


async def test_curiosity_fires_above_its_threshold_and_history_moves_what_is_expected(house: House, scope: str) -> None:
    await plant(house, scope, CAUSES, storm=0.9)
    loud = await house.agents.navigate(walk(scope, curiosity_threshold=0.0), house.caller)
    quiet = await house.agents.navigate(walk(scope, curiosity_threshold=1.0), house.caller)
    assert loud.metadata.curiosity_triggers_spawned == 1
    assert quiet.metadata.curiosity_triggers_spawned == 0
    await house.room.settled()
    rows = await run(
        house.ground.graph,
        "MATCH (t:CuriosityTrigger {scope: $scope})-[:INVESTIGATES]->(e) RETURN [e.name, t.question] AS x",
        scope=scope,
    )
    assert [row["x"] for row in rows] == [["flood", QUESTION]]
    (gains,) = await run(
        house.ground.graph,
        "MATCH (t:RelationshipType {scope: $scope, name: 'CAUSES'}) RETURN t.inverse_gain_count AS x",
        scope=scope,
    )
    assert gains["x"] == 2
    house.port.forget()
    types = {kind.name: kind for kind in await house.port.relationship_types(View((scope,)))}
    assert types["CAUSES"].gain(False).count == 2


async def test_what_the_critic_foretold_of_a_hop_is_what_was_expected_of_it(house: House, scope: str) -> None:
    await plant(house, scope, CAUSES, storm=0.9)
    expected = {}
    for policy in ("heuristic", "foretelling"):
        asked = question(scope, query=f"{QUESTION} {policy}", policy=policy, curiosity_threshold=0.0)
        answered = await house.coordinator.coordinate(asked, house.caller)
        assert answered.result.intelligence.curiosity_triggers_spawned > 0
        await house.room.settled()
        rows = await run(
            house.ground.graph,
            "MATCH (t:CuriosityTrigger {scope: $scope, question: $question}) RETURN t.expected AS x",
            scope=scope,
            question=asked.query,
        )
        expected[policy] = {row["x"] for row in rows}
    assert expected["foretelling"] == {0.0}
    assert 0.0 not in expected["heuristic"]


async def test_answers_of_several_services_at_once_meet_no_conflict_and_lose_nothing(house: House, scope: str) -> None:
    await plant(house, scope, CAUSES, storm=0.9)
    graph, times = house.ground.graph, 6
    others = [Intelligence.open(house.ground, Knowledge.open(house.ground)) for _ in range(3)]
    finder = SeedFinder(graph, house.ground.embedder)
    services = [
        LoneAgents(
            Asker(graph, house.port, finder, house.ground.embedder),
            house.port,
            finder,
            RULES,
            count=lambda texts: [1] * len(texts),
            reporter=Reporter(Provenance(graph, lambda: NOW), house.runs, default_scope=scope),
            integrations=Integrations(room, house.port, default_scope=scope),
        )
        for room in others
    ]
    asked = walk(scope, curiosity_threshold=0.0)
    await asyncio.gather(*(one.navigate(asked, house.caller) for one in services for _ in range(times)))
    await asyncio.gather(*(room.settled() for room in others))
    assert (await house.room.conflicts.list(caller=house.caller)).items == []
    assert len(await seeds_of(house, scope)) == 3
    for query, expected in (
        ("MATCH (t:CuriosityTrigger {scope: $scope}) RETURN count(t) AS x", 1),
        (
            "MATCH (t:RelationshipType {scope: $scope, name: 'CAUSES'}) RETURN t.inverse_gain_count AS x",
            len(services) * times,
        ),
    ):
        (row,) = await run(graph, query, scope=scope)
        assert row["x"] == expected


async def test_an_answer_is_the_same_bytes_again(house: House, scope: str) -> None:
    await plant(house, scope, CAUSES, storm=0.9)
    one, other = [await house.coordinator.coordinate(question(scope), house.caller) for _ in range(2)]
    assert one.result == other.result
    assert (one.conflicts_detected, one.conflicts_resolved) == (0, 0)
