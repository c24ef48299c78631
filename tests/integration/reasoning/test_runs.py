"""Recorded runs and the provenance of evidence, written to and read from a real Neo4j."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from ulid import ULID

from clause.errors import NotFoundError, UnavailableError
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.reasoning.agents.policy import LeftOut
from clause.reasoning.answer.evidence import EvidenceRecord, Provenance
from clause.reasoning.answer.run_record import make_receipt
from clause.reasoning.answer.runs import RunRecord, RunRecorder
from clause.reasoning.episode.actions import ARCHITECT, CURATOR, NAVIGATOR, AddBundle, Continue, Pick, Stop
from clause.reasoning.episode.budget import Budgets, Prices, Spend, Unit
from clause.reasoning.episode.episode import Step
from clause.reasoning.episode.steps import step_records
from clause.reasoning.models import SeedNode
from clause.reasoning.models.answer import AnswerEdge
from clause.reasoning.neighbourhood.port import Edge, Hop, View
from tests.integration.reasoning.known_graph import LONG_AGO, run, write_known_graph

pytestmark = pytest.mark.integration

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
HEAT = Edge("heat", "directed_by", "mann")
TRIPLE = Unit("heat|directed_by|mann", "Heat directed by Mann.", 6, "triple", edge=HEAT)
OWNER = Caller()
POLICY = "test-policy"


@pytest.fixture
async def view(graph: Graph, scope: str) -> AsyncIterator[View]:
    await write_known_graph(graph, scope)
    yield View((scope,))
    await run(graph, "MATCH (n:Scope {id: $id}) DETACH DELETE n", id=scope)
    await run(graph, "MATCH (n:Policy {id: $id}) DETACH DELETE n", id=POLICY)


@pytest.fixture
def provenance(graph: Graph) -> Provenance:
    return Provenance(graph, lambda: NOW)


async def picks(provenance: Provenance, view: View, *units: Unit) -> list[EvidenceRecord]:
    half = [0.5] * len(units)
    origins = await provenance.origins(units, view)
    return provenance.of(units, half, half, origins, price=0.01, scope=view.scopes[0])


def a_run(scope: str, **changes: Any) -> RunRecord:
    log = [
        Step(ARCHITECT, AddBundle(0, Hop("directed_by", True), 1), Spend(edges=1), (HEAT,), 0.7),
        Step(ARCHITECT, Stop("GAIN_NEGATIVE"), Spend()),
        Step(NAVIGATOR, Continue(Hop("directed_by", True)), Spend(steps=1), (HEAT,), 0.9),
        Step(NAVIGATOR, Stop(), Spend()),
        Step(CURATOR, Pick(0), Spend(tokens=6), (), 0.8),
        Step(CURATOR, Stop("NO_CANDIDATES"), Spend()),
    ]
    values: dict[str, Any] = {
        "id": str(ULID()),
        "scope": scope,
        "scopes": (scope,),
        "query": "who directed Heat? 雨",
        "request": {"query": "who directed Heat? 雨", "budgets": {"edge_budget": 50}},
        "digest": {"answers": [{"node": "mann", "answer_score": 0.9}]},
        "policy": POLICY,
        "seeds": (SeedNode(id="heat", name="Heat", score=1.0, reason="exact"),),
        "budgets": Budgets(50, 10, 2048, 16),
        "prices": Prices(0.01, 0.02, 0.03),
        "as_of_valid": LONG_AGO,
        "recorded_at": NOW,
        "steps": tuple(step_records(log, [TRIPLE], {ARCHITECT: [LeftOut("starred weaver", 1, 0.1)]})),
        "fallbacks": ("causal: not ready",),
    }
    return RunRecord(**{**values, **changes})


async def test_a_run_comes_back_as_it_was_recorded(graph: Graph, view: View, provenance: Provenance) -> None:
    recorder = RunRecorder(graph)
    records = await picks(provenance, view, TRIPLE)
    made = a_run(view.scopes[0], evidence=tuple(record.id for record in records))
    await recorder.record(made, records)
    await recorder.record(made, records)
    read = await recorder.get(made.id, OWNER)
    assert read == made
    assert make_receipt(read.steps, read.budgets, read.prices) == make_receipt(made.steps, made.budgets, made.prices)


async def test_runs_of_one_batch_come_back_as_they_were_recorded(
    graph: Graph, view: View, provenance: Provenance
) -> None:
    recorder = RunRecorder(graph)
    records = await picks(provenance, view, TRIPLE)
    one = a_run(view.scopes[0], evidence=tuple(record.id for record in records))
    other = a_run(view.scopes[0], steps=(), seeds=())
    await recorder.record(one, records)
    recorder.later(one, records)
    recorder.later(other)
    assert await recorder.get(other.id, OWNER) == other
    assert await recorder.get(one.id, OWNER) == one
    assert recorder.lost == 0


async def test_a_run_can_be_explored_from_its_node(graph: Graph, view: View, provenance: Provenance) -> None:
    records = await picks(provenance, view, TRIPLE)
    made = a_run(view.scopes[0])
    await RunRecorder(graph).record(made, records)
    (row,) = await run(
        graph,
        "MATCH (run:Run {id: $id})-[:DECIDED_BY]->(policy:Policy) MATCH (run)-[:ASKED_FROM]->(seed:Entity) "
        "MATCH (run)-[:HAS_STEP]->(step:RunStep)-[:VISITED]->(seen:Entity) "
        "MATCH (run)-[:SELECTED]->(e:Evidence)-[:HAS_PROVENANCE]->(p:Provenance)-[:FROM]->(s:Source) "
        "RETURN [policy.id, seed.id, step.agent, step.index, seen.id, e.text, p.source_uri, s.id] AS x",
        id=made.id,
    )
    expected = [POLICY, "heat", NAVIGATOR, 3, "mann", TRIPLE.text, "neo4j://entity/heat", f"unknown:{view.scopes[0]}"]
    assert row["x"] == expected
    (count,) = await run(graph, "MATCH (:Run {id: $id})-[:HAS_STEP]->(s) RETURN count(s) AS x", id=made.id)
    assert count["x"] == 6


async def test_an_answer_does_not_wait_for_its_record(graph: Graph, view: View) -> None:
    gate = asyncio.Event()

    class SlowGraph:
        async def write(self, work: Any) -> Any:
            await gate.wait()
            return await graph.write(work)

        def __getattr__(self, name: str) -> Any:
            return getattr(graph, name)

    recorder = RunRecorder(SlowGraph())  # type: ignore[arg-type]
    made = a_run(view.scopes[0])
    recorder.later(made)
    for _ in range(3):
        await asyncio.sleep(0)
    assert not await graph.run("reasoning/run", id=made.id, scopes=list(view.scopes))
    reading = asyncio.create_task(recorder.get(made.id, OWNER))
    gate.set()
    assert (await reading).id == made.id
    await recorder.settled()
    assert recorder.lost == 0


async def test_a_run_that_somebody_asks_for_gathers_no_longer(
    graph: Graph, view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clause.reasoning.answer.runs.GATHER_S", 60.0)
    recorder = RunRecorder(graph)
    made = a_run(view.scopes[0])
    recorder.later(made)
    await asyncio.sleep(0.1)
    assert not await graph.run("reasoning/run", id=made.id, scopes=list(view.scopes))
    assert (await asyncio.wait_for(recorder.get(made.id, OWNER), 10)).id == made.id


async def test_a_record_that_cannot_be_written_is_counted_and_harms_nobody(graph: Graph, view: View) -> None:
    class Away:
        async def write(self, work: Any) -> Any:
            raise UnavailableError("the database is away")

    recorder = RunRecorder(Away())  # type: ignore[arg-type]
    recorder.later(a_run(view.scopes[0]))
    recorder.later(None)
    await recorder.settled()
    assert recorder.lost == 1


async def test_a_run_is_hidden_from_who_may_not_read_all_it_read(graph: Graph, view: View) -> None:
    recorder = RunRecorder(graph)
    made = a_run("public", scopes=("public", view.scopes[0]))
    await recorder.record(made)
    try:
        with pytest.raises(NotFoundError, match=made.id):
            await recorder.get(made.id, Caller(readable=("public",), writable=()))
        assert made.id not in [line.id for line in await recorder.list(Caller(readable=("public",), writable=()))]
        mine = Caller(readable=("public", view.scopes[0]), writable=())
        assert (await recorder.get(made.id, mine)).query == made.query
    finally:
        await run(graph, "MATCH (n:Run {id: $id}) OPTIONAL MATCH (n)-->(s:RunStep) DETACH DELETE n, s", id=made.id)


async def test_an_unknown_run_is_not_found(graph: Graph) -> None:
    with pytest.raises(NotFoundError, match="nothing-here"):
        await RunRecorder(graph).get("nothing-here", OWNER)


async def test_runs_are_listed_newest_first_by_pages(graph: Graph, view: View) -> None:
    recorder = RunRecorder(graph)
    ids = [f"{view.scopes[0]}-{number}" for number in range(5)]
    for run_id in ids:
        await recorder.record(a_run(view.scopes[0], id=run_id))
    caller = Caller(readable=view.scopes, writable=())
    pages, after = [], None
    while page := await recorder.list(caller, limit=2, after=after):
        pages.append([line.id for line in page])
        after = page[-1].id
    assert pages == [[ids[4], ids[3]], [ids[2], ids[1]], [ids[0]]]
    page = await recorder.list(caller, limit=1)
    assert page[0].policy == POLICY
    assert page[0].recorded_at == NOW


async def test_evidence_without_a_run_is_written_once(graph: Graph, view: View, provenance: Provenance) -> None:
    recorder = RunRecorder(graph, now=lambda: NOW)
    bare = Unit("request:1", "Rain falls.", 3)
    records = await picks(provenance, view, TRIPLE, bare)
    recorder.later(None, records)
    await recorder.settled()
    await recorder.record(None, records)
    recorder.later(None, [])
    (counts,) = await run(
        graph,
        "MATCH (e:Evidence {scope: $scope})-[:HAS_PROVENANCE]->(p:Provenance)-[:FROM]->(s:Source) "
        "RETURN [count(DISTINCT e), count(DISTINCT p), count(DISTINCT s)] AS x",
        scope=view.scopes[0],
    )
    assert counts["x"] == [2, 2, 1]


async def test_a_triple_of_several_sources_counts_the_independent_ones(
    graph: Graph, view: View, provenance: Provenance, scope: str
) -> None:
    for source, recorded_at in (("src-b", NOW - timedelta(days=365)), ("src-a", NOW), ("src-a", NOW)):
        await run(
            graph,
            "MERGE (s:Source {id: $scope + $source}) SET s.scope = $scope, s.uri = 'https://x.example/' + $source, "
            "s.reputation = 0.9 WITH s MATCH (a:Entity {id: 'ford'}), (b:Entity {id: 'island'}) "
            "CREATE (a)-[:admires {scope: $scope, source_id: s.id, recorded_at: $at, verification_status: 'verified'}]"
            "->(b)",
            scope=scope,
            source=source,
            at=recorded_at,
        )
    unit = Unit("ford|admires|island", "Ford admires Island.", 5, "triple", edge=Edge("ford", "admires", "island"))
    (pick,) = await picks(provenance, view, unit)
    told = pick.selected.provenance
    assert told is not None
    assert told.source_uri == "https://x.example/src-a"
    assert (told.corroboration_count, told.verification_status) == (2, "verified")
    assert (told.trust_signals.reputation_score, told.trust_signals.recency_score) == (0.9, 0.5)
    await RunRecorder(graph).record(None, [pick])
    (uri,) = await run(
        graph,
        "MATCH (:Evidence {id: $id})-[:HAS_PROVENANCE]->(:Provenance)-[:FROM]->(s:Source) RETURN s.uri AS x",
        id=pick.id,
    )
    assert uri["x"] == "https://x.example/src-a"


async def test_a_passage_is_traced_to_its_document(
    graph: Graph, view: View, provenance: Provenance, scope: str
) -> None:
    await run(
        graph,
        "CREATE (:Document {id: $scope + 'd', scope: $scope, title: 'On Heat', recorded_at: $at})"
        "-[:HAS_PASSAGE]->(:Passage {id: $scope + 'p', scope: $scope, text: 'Heat is a film.', recorded_at: $at})",
        scope=scope,
        at=NOW,
    )
    unit = Unit(f"{scope}p", "Heat is a film.", 5, "passage", node=f"{scope}p")
    (pick,) = await picks(provenance, view, unit)
    told = pick.selected.provenance
    assert told is not None
    assert told.source_uri == f"neo4j://document/{scope}d"
    assert told.trust_signals.reputation_score == 0.5
    assert told.verification_status == "unverified"


@pytest.mark.parametrize("kind", ["Insight", "Exchange"])
async def test_an_insight_and_a_turn_are_told_from_where_they_are_kept(
    graph: Graph, view: View, provenance: Provenance, scope: str, kind: str
) -> None:
    text, node = "Heat ends at night.", f"{scope}{kind}"
    await run(
        graph,
        "MATCH (e:Entity {id: 'heat'}) CREATE (n:$($kind) {id: $id, scope: $scope, content: $said, recorded_at: $at, "
        "quarantined: false})-[:ABOUT {scope: $scope}]->(e)",
        kind=kind,
        id=node,
        scope=scope,
        said=text,
        at=NOW - timedelta(days=365),
    )
    units = [Unit(node, text, 5, kind.lower(), node=node), Unit("t", text, 5, "triple", Edge(node, "ABOUT", "heat"))]
    origins = await provenance.origins(units, view)
    found = provenance.of(units, [0.5] * 2, [0.5] * 2, origins, price=0.01, scope="public")
    assert {record.origin.scope for record in found} == {scope}
    told = found[0].selected.provenance
    assert told is not None
    assert told.source_uri == f"neo4j://{kind.lower()}/{node}"
    assert (told.verification_status, told.corroboration_count) == ("unverified", 0)
    assert told.trust_signals.recency_score == 0.5
    edge = AnswerEdge(from_node=node, relation="ABOUT", to_node="heat")
    rows = await RunRecorder(graph).statements([edge], [node], [scope])
    assert [(row["node"], row["edge"] is None) for row in rows] == [(node, True), (None, False)]
    assert rows[0]["text"] == text


async def test_the_insights_that_a_run_walked_to_can_be_explored(graph: Graph, view: View, scope: str) -> None:
    insight = f"{scope}insight"
    await run(graph, "CREATE (:Insight {id: $id, scope: $scope, content: 'x'})", id=insight, scope=scope)
    step = a_run(scope).steps[0].model_copy(update={"visited": (insight,)})
    made = a_run(scope, steps=(step,), seeds=(SeedNode(id=insight, name="x", score=1.0, reason="exact"),))
    await RunRecorder(graph).record(made)
    ways = await run(graph, "MATCH (:Insight {id: $id})<-[r]-() RETURN type(r) AS x ORDER BY x", id=insight)
    assert [way["x"] for way in ways] == ["ASKED_FROM", "VISITED"]


async def test_where_units_come_from_is_one_read(graph: Graph, view: View, provenance: Provenance) -> None:
    blade = Unit("b", "Blade directed by Scott.", 6, "triple", edge=Edge("blade", "directed_by", "scott"))
    before = graph.round_trips
    assert len(await picks(provenance, view, TRIPLE, blade)) == 2
    assert graph.round_trips == before + 1
    await picks(provenance, view, Unit("request:1", "Rain falls.", 3))
    assert graph.round_trips == before + 1


async def test_a_source_of_another_scope_is_not_told(graph: Graph, view: View, provenance: Provenance) -> None:
    stranger = View(("kg:somebody-else",))
    (pick,) = await picks(provenance, stranger, TRIPLE)
    told = pick.selected.provenance
    assert told is not None
    assert told.source_uri.startswith("request:")


@pytest.mark.parametrize(
    ("status", "sources", "corroboration", "expected"),
    [
        ("active", 1, None, "unverified"),
        ("active", 2, 0.85, "verified"),
        ("active", 2, 0.65, "unverified"),
        ("disputed", 5, 0.95, "pending_review"),
    ],
)
async def test_a_belief_is_verified_by_independent_sources_and_pending_while_disputed(
    graph: Graph, view: View, provenance: Provenance, scope: str, status: str, sources: int,
    corroboration: float | None, expected: str,
) -> None:  # fmt: skip
    given = {"status": status, "sources": sources, "c_corroboration": corroboration}
    await run(
        graph,
        "CREATE (b:Belief {id: $scope + 'b', scope: $scope, content: 'Heat is a film.', recorded_at: $at}) "
        "SET b += $given",
        scope=scope,
        at=NOW,
        given={name: value for name, value in given.items() if value is not None},
    )
    unit = Unit(f"{scope}b", "Heat is a film.", 5, "belief", node=f"{scope}b")
    (pick,) = await picks(provenance, view, unit)
    told = pick.selected.provenance
    assert told is not None
    assert (told.verification_status, told.corroboration_count) == (expected, sources)
