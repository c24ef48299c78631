"""Curiosity on a real Neo4j: triggers once, workers by lease, and findings with provenance."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest

from clause.errors import UnavailableError
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.intelligence.curiosity import Surprise, trigger_rows
from clause.intelligence.investigation import Investigator, questions_about
from tests.fakes.clock import Clock
from tests.integration.intelligence.ground import make_ground
from tests.integration.reasoning.known_graph import run
from tests.servers import erase_scope

pytestmark = pytest.mark.integration

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
EDGES = [
    ("Heat", "directed_by", "Mann"),
    ("Collateral", "directed_by", "Mann"),
    ("Heat", "starred", "Pacino"),
    ("Collateral", "starred", "Cruise"),
]
QUESTION = "mann directed by starred"


@pytest.fixture
async def ground(graph: Graph, scope: str) -> AsyncIterator[Ground]:
    ground = make_ground(graph, Clock(START), scope)
    words = ["directed by", "starred"]
    vectors = await ground.embedder.embed(words)
    await run(
        graph,
        "UNWIND $rows AS row "
        "MERGE (a:Entity {id: $scope + ':' + row[0]}) ON CREATE SET a.scope = $scope, a.degree = 0, "
        "a.name = row[0], a.canonical_key = 'concept:' + row[0], a.recorded_at = $at "
        "MERGE (b:Entity {id: $scope + ':' + row[2]}) ON CREATE SET b.scope = $scope, b.name = row[2], b.degree = 0, "
        "b.canonical_key = 'concept:' + row[2], b.recorded_at = $at "
        "CREATE (a)-[:$(row[1]) {scope: $scope, recorded_at: $at}]->(b)",
        rows=[list(edge) for edge in EDGES],
        scope=scope,
        at=START,
    )
    await run(
        graph,
        "UNWIND range(0, 1) AS i CREATE (t:RelationshipType {id: $scope + $names[i], scope: $scope, name: $names[i], "
        "text: $words[i], count: 2, is_causal: false, recorded_at: $at}) SET t.embedding = toFloatList($vectors[i])",
        names=["directed_by", "starred"],
        words=words,
        vectors=list(vectors),
        scope=scope,
        at=START,
    )
    await graph.run("graph/register_scope", scope=scope, recorded_at=START)
    yield ground
    await run(graph, "MATCH (n:Scope {id: $id}) DETACH DELETE n", id=scope)


async def queue(graph: Graph, scope: str, *names: str, error: float = 0.9) -> None:
    surprises = [Surprise(f"{scope}:{name}", name, "r", True, error, 0.0) for name in names]
    rows = trigger_rows(surprises, threshold=0.5, question=QUESTION, scope=scope, scopes=[scope], at=START)
    await graph.run("intelligence/write_triggers", rows=rows)


async def findings(graph: Graph, scope: str) -> list[tuple[str, str]]:
    rows = await run(
        graph,
        "MATCH (a:Entity {scope: $scope})-[r:related_to]->(b) RETURN [a.name, b.name] AS x ORDER BY x",
        scope=scope,
    )
    return [tuple(row["x"]) for row in rows]


def owner(scope: str) -> Caller:
    return Caller(readable=(scope,), writable=(scope,))


async def test_a_trigger_is_queued_once_with_what_it_is_about(graph: Graph, ground: Ground, scope: str) -> None:
    for _ in range(2):
        await queue(graph, scope, "Mann")
    (row,) = await run(
        graph,
        "MATCH (t:CuriosityTrigger {scope: $scope})-[:INVESTIGATES]->(e) "
        "RETURN [e.name, t.trigger_type, t.investigation_status, t.priority, t.error_magnitude] AS x",
        scope=scope,
    )
    assert row["x"] == ["Mann", "prediction_error", "queued", "high", 0.9]


async def test_what_is_found_is_in_the_graph_with_provenance(graph: Graph, ground: Ground, scope: str) -> None:
    await queue(graph, scope, "Mann")
    report = await Investigator(ground).work(caller=owner(scope))
    assert (report.investigated, report.findings, report.failed) == (1, 2, 0)
    assert await findings(graph, scope) == [("Mann", "Cruise"), ("Mann", "Pacino")]
    rows = await run(
        graph,
        "MATCH (e:Evidence {scope: $scope})-[:HAS_PROVENANCE]->(p)-[:FROM]->(s:Source) "
        "MATCH (e)-[:DERIVED_FROM]->(:CuriosityTrigger) "
        "RETURN [e.text, p.verification_status, p.corroboration_count, s.kind] AS x ORDER BY x",
        scope=scope,
    )
    assert [row["x"] for row in rows] == [
        ["Collateral directed by Mann. Collateral starred Cruise.", "unverified", 0, "curiosity"],
        ["Heat directed by Mann. Heat starred Pacino.", "unverified", 0, "curiosity"],
    ]
    (kind,) = await run(
        graph, "MATCH (t:RelationshipType {scope: $scope, name: 'related_to'}) RETURN t.count AS x", scope=scope
    )
    assert kind["x"] == 2
    (state,) = await run(
        graph,
        "MATCH (t:CuriosityTrigger {scope: $scope}) "
        "RETURN [t.investigation_status, t.findings, size(t.questions)] AS x",
        scope=scope,
    )
    assert state["x"] == ["completed", 2, 5]
    assert 3 <= len(questions_about("Mann", QUESTION)) <= 5
    assert await Investigator(ground).state(caller=owner(scope)) == {"completed": 1}
    (listed,) = await Investigator(ground).triggers(caller=owner(scope), status="completed")
    assert (listed.concept, listed.findings) == ("Mann", 2)


async def test_a_second_round_finds_nothing_twice(graph: Graph, ground: Ground, scope: str) -> None:
    await queue(graph, scope, "Mann")
    worker = Investigator(ground)
    await worker.work(caller=owner(scope))
    await run(graph, "MATCH (t:CuriosityTrigger {scope: $scope}) SET t.investigation_status = 'queued'", scope=scope)
    await worker.work(caller=owner(scope))
    assert await findings(graph, scope) == [("Mann", "Cruise"), ("Mann", "Pacino")]
    (kind,) = await run(
        graph, "MATCH (t:RelationshipType {scope: $scope, name: 'related_to'}) RETURN t.count AS x", scope=scope
    )
    assert kind["x"] == 2


async def test_no_two_workers_take_one_trigger(graph: Graph, ground: Ground, scope: str) -> None:
    await queue(graph, scope, "Mann", "Heat", "Collateral", "Pacino", "Cruise")
    reports = await asyncio.gather(*(Investigator(ground).work(caller=owner(scope)) for _ in range(4)))
    assert sum(report.investigated for report in reports) == 5
    rows = await run(graph, "MATCH (t:CuriosityTrigger {scope: $scope}) RETURN t.attempts AS x", scope=scope)
    assert [row["x"] for row in rows] == [1] * 5


async def test_a_worker_killed_in_mid_work_loses_nothing_and_repeats_nothing(
    graph: Graph, ground: Ground, scope: str
) -> None:
    await queue(graph, scope, "Mann")
    dead = Investigator(ground, lease_s=0.2)
    (taken,) = await dead._take([scope], "dead", 5)
    assert await Investigator(ground).work(caller=owner(scope)) == await Investigator(ground).work(caller=owner(scope))
    assert await findings(graph, scope) == []
    await run(
        graph,
        "MATCH (t:CuriosityTrigger {scope: $scope}) SET t.leased_until = datetime.realtime() - duration({seconds: 1})",
        scope=scope,
    )
    report = await Investigator(ground).work(caller=owner(scope))
    assert (report.investigated, report.findings) == (1, 2)
    assert await dead.investigate(taken, "dead") == 0
    assert await findings(graph, scope) == [("Mann", "Cruise"), ("Mann", "Pacino")]
    (row,) = await run(
        graph, "MATCH (t:CuriosityTrigger {scope: $scope}) RETURN [t.owner = 'dead', t.findings] AS x", scope=scope
    )
    assert row["x"] == [False, 2]


async def test_an_investigation_that_fails_waits_for_its_lease(graph: Graph, ground: Ground, scope: str) -> None:
    await queue(graph, scope, "Mann")
    worker = Investigator(ground)

    async def away(*_: Any) -> int:
        raise UnavailableError("the database is away")

    worker.investigate = away  # type: ignore[method-assign]
    report = await worker.work(caller=owner(scope), most=3)
    assert (report.investigated, report.failed) == (0, 1)
    (row,) = await run(
        graph, "MATCH (t:CuriosityTrigger {scope: $scope}) RETURN t.investigation_status AS x", scope=scope
    )
    assert row["x"] == "investigating"


async def test_a_caller_that_may_not_write_investigates_nothing(graph: Graph, ground: Ground, scope: str) -> None:
    await queue(graph, scope, "Mann")
    report = await Investigator(ground).work(caller=Caller(readable=(scope,), writable=()))
    assert report.investigated == 0


async def test_what_was_asked_over_more_scopes_is_told_to_those_alone_who_may_read_all(
    graph: Graph, ground: Ground, scope: str
) -> None:
    surprise = Surprise(f"{scope}:Mann", "Mann", "r", True, 0.9, 0.0)
    both = [scope, f"{scope}-bob"]
    await graph.run("graph/register_scope", scope=both[1], recorded_at=START)
    rows = trigger_rows([surprise], threshold=0.5, question="bob's own", scope=scope, scopes=both, at=START)
    await graph.run("intelligence/write_triggers", rows=rows)
    for scopes, seen in (([scope], 0), (both, 1)):
        listed = await graph.run("intelligence/triggers", scopes=scopes, status=None, limit=10)
        waiting = await graph.run("intelligence/queued_surprises", scopes=scopes, limit=10)
        counts = await graph.run("intelligence/trigger_counts", scopes=scopes)
        assert (len(listed), len(waiting), sum(row["count"] for row in counts)) == (seen, seen, seen)
    await run(graph, "MATCH (n:Scope {id: $id}) DETACH DELETE n", id=both[1])  # forgotten: nobody may read it any more
    assert len(await graph.run("intelligence/triggers", scopes=[scope], status=None, limit=10)) == 1


async def found_by(graph: Graph, scope: str) -> list[list[Any]]:
    """Whose findings there are between entities of `scope`, and whether each was taken back."""
    rows = await run(
        graph,
        "MATCH (:Entity {scope: $scope})-[r:related_to]->(b) "
        "RETURN [r.scope, b.name, r.retracted_at IS NOT NULL] AS x ORDER BY x",
        scope=scope,
    )
    return [row["x"] for row in rows]


async def test_each_scope_has_its_own_finding_between_the_same_entities(
    graph: Graph, ground: Ground, scope: str
) -> None:
    tenants = [f"{scope}-ann", f"{scope}-bob"]
    for tenant in tenants:
        surprise = Surprise(f"{scope}:Mann", "Mann", "r", True, 0.9, 0.0)
        both = [scope, tenant]
        rows = trigger_rows([surprise], threshold=0.5, question=QUESTION, scope=tenant, scopes=both, at=START)
        await graph.run("intelligence/write_triggers", rows=rows)
        report = await Investigator(ground).work(caller=Caller(readable=tuple(both), writable=(tenant,)))
        assert report.findings == 2
    assert await found_by(graph, scope) == [
        [tenant, name, False] for tenant in tenants for name in ("Cruise", "Pacino")
    ]
    counts = await run(
        graph, "MATCH (t:RelationshipType {name: 'related_to'}) WHERE t.scope IN $of RETURN t.count AS x", of=tenants
    )
    assert [row["x"] for row in counts] == [2, 2]
    for tenant in tenants:
        await erase_scope(graph, tenant)


async def test_what_was_taken_back_is_found_anew_and_stays_as_it_was(graph: Graph, ground: Ground, scope: str) -> None:
    await queue(graph, scope, "Mann")
    await Investigator(ground).work(caller=owner(scope))
    await run(
        graph,
        "MATCH (:Entity {scope: $scope})-[r:related_to]->({name: 'Pacino'}) SET r.retracted_at = $at "
        "WITH r MATCH (t:CuriosityTrigger {scope: $scope}) SET t.investigation_status = 'queued'",
        scope=scope,
        at=START,
    )
    await Investigator(ground).work(caller=owner(scope))
    assert await found_by(graph, scope) == [
        [scope, "Cruise", False],
        [scope, "Pacino", False],
        [scope, "Pacino", True],
    ]


async def test_only_answers_of_the_scopes_that_are_asked_count_as_citing(graph: Graph, scope: str) -> None:
    other = f"{scope}-bob"
    await run(
        graph,
        "UNWIND ['a', 'b'] AS side CREATE (b:Belief {id: $scope + side, scope: $scope, status: 'active', sources: 1, "
        "content: side, overall: 0.5}) "
        "WITH collect(b) AS both CREATE (t:Tension {id: $scope + 't', scope: $scope, status: 'detected', "
        "recorded_at: $at}) WITH t, both[0] AS a, both[1] AS b "
        "CREATE (t)-[:BETWEEN {side: 'a'}]->(a), (t)-[:BETWEEN {side: 'b'}]->(b) "
        "WITH a UNWIND [$scope, $other, $other] AS of "
        "CREATE (:Run {id: randomUUID(), scope: of})-[:SELECTED]->"
        "(:Evidence {id: randomUUID(), scope: of, unit: a.id})",
        scope=scope,
        other=other,
        at=START,
    )
    for scopes, cited in (([scope], 1), ([scope, other], 3)):
        (tension,) = await graph.run("intelligence/open_tensions", scopes=scopes, limit=5)
        lone = await graph.run("intelligence/lone_beliefs", scopes=scopes, limit=5)
        assert (tension["cited"], [row["cited"] for row in lone]) == (cited, [cited, 0])
    await erase_scope(graph, other)
