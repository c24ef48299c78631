"""What was done before must not spoil what comes after: merged, taken back, forgotten, ended, and then told again."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from clause import Caller, Clause
from clause.errors import NotFoundError
from clause.graph.idempotency import IdempotencyKeys, RequestKey, StoredResponse
from clause.graph.jobs import Jobs
from clause.graph.runner import Graph
from clause.ingest.passages import load_passages
from clause.ingest.triples import load_triples
from clause.intelligence import curiosity_plan
from clause.intelligence.models import (
    AgentWrites,
    CuriosityAnswer,
    CuriosityPlanRequest,
    RelationWrite,
    StrengthenRequest,
)
from clause.knowledge.beliefs.models import BeliefCreate, BeliefSupersede, SourceGiven
from clause.knowledge.beliefs.query_models import BeliefQuery
from clause.knowledge.entities import RelationCreate
from clause.knowledge.lineage.models import ErasureRequest, MergeRequest, RetractionRequest
from clause.operations.archive import export_scope
from clause.operations.restoration import import_archive
from clause.reasoning.models import ContextCurationRequest
from tests.integration.graphs import triples
from tests.integration.reasoning.known_graph import run
from tests.integration.test_many_scopes import opened
from tests.shapes import write_text

__all__ = ["opened"]
pytestmark = pytest.mark.integration


@pytest.fixture
async def jobs(graph: Graph, scope: str) -> AsyncIterator[Jobs]:
    yield Jobs(graph)
    await run(graph, "MATCH (n:Job|JobLease {scope: $scope}) DETACH DELETE n", scope=scope)


async def entity(opened: Clause, name: str, scope: str) -> str:
    found = await run(
        opened.container.graph, "MATCH (e:Entity {scope: $s, name: $n}) RETURN e.id AS x", s=scope, n=name
    )
    return str(found[0]["x"])


async def merged(opened: Clause, scope: str, winner: str, *losers: str) -> None:
    for loser in losers:
        given = MergeRequest(winner_id=await entity(opened, winner, scope), loser_id=await entity(opened, loser, scope))
        await opened.entities.merge(given, caller=opened.caller)


async def test_what_is_loaded_of_a_merged_entity_is_said_of_the_one_that_it_is_now(
    opened: Clause, graph: Graph, scope: str, tmp_path: Path
) -> None:
    first = write_text(tmp_path / "a.txt", "J Smith|wrote|Fen\nJohn Smith|wrote|Tor\nJon Smith|wrote|Sea\n")
    await load_triples(graph, None, first, scope)
    await merged(opened, scope, "Jon Smith", "J Smith")
    await merged(opened, scope, "John Smith", "Jon Smith")
    later = write_text(tmp_path / "b.txt", "J Smith|wrote|Moor\nJohn Smith|wrote|Moor\nJ Smith|wrote|Dale\n")
    report = await load_triples(graph, None, later, scope, batch_size=2)
    assert report.created == 2
    said = [row for row in await triples(graph, scope) if row[2] in {"Moor", "Dale"}]
    assert sorted(said) == [("John Smith", "wrote", "Dale"), ("John Smith", "wrote", "Moor")]
    again = await load_triples(graph, None, write_text(tmp_path / "c.txt", "Jon Smith|wrote|Moor\n"), scope)
    assert (again.created, again.known) == (0, 1)
    texts = [{"id": 1, "title": "J Smith", "text": "He lived by the sea."}]
    await load_passages(graph, None, write_text(tmp_path / "d.jsonl", json.dumps(texts[0])), scope)
    about = await run(graph, "MATCH (:Passage {scope: $s})-[:ABOUT]->(e:Entity) RETURN e.name AS x", s=scope)
    assert "John Smith" in [row["x"] for row in about]
    assert "J Smith" not in [row["x"] for row in about]


async def test_two_terms_of_one_office_are_two_facts(graph: Graph, scope: str, tmp_path: Path) -> None:
    terms = ["1885-03-04,1889-03-04", "1893-03-04,1897-03-04"]
    lines = "".join(f"Cleveland,president_of,USA,{term}\n" for term in (*terms, terms[0]))
    report = await load_triples(graph, None, write_text(tmp_path / "terms.csv", lines), scope)
    assert (report.created, report.known) == (2, 1)
    again = await load_triples(graph, None, write_text(tmp_path / "again.csv", lines), scope)
    assert (again.created, again.known) == (0, 3)


async def test_an_end_of_time_in_another_zone_is_read(graph: Graph, scope: str, tmp_path: Path) -> None:
    line = "a,r,b,2001-01-01,9999-12-31T23:59:59-05:00\n"
    report = await load_triples(graph, None, write_text(tmp_path / "ever.csv", line), scope)
    assert (report.created, report.bad_count) == (1, 0)


async def test_what_one_file_took_back_another_may_say(
    opened: Clause, graph: Graph, scope: str, tmp_path: Path
) -> None:
    path = write_text(tmp_path / "a.txt", "Kes|directed_by|Loach\n")
    first = await load_triples(graph, None, path, scope)
    given = RetractionRequest(source_id=first.source_id, reason="forged")
    await opened.knowledge.retraction.apply(given, caller=opened.caller)
    assert (await load_triples(graph, None, path, scope)).created == 0
    other = await load_triples(graph, None, write_text(tmp_path / "b.txt", "Kes|directed_by|Loach\n"), scope)
    assert other.created == 1
    answer = await opened.coordinate("who directed Kes", scopes=[scope])
    assert [one.name for one in answer.result.answers] == ["Loach"]
    (told,) = answer.result.evidence
    assert (told.source_id, told.provenance and told.provenance.corroboration_count) == (other.source_id, 1)


async def test_a_merge_keeps_what_the_other_did_at_another_time(opened: Clause, graph: Graph, scope: str) -> None:
    years = [("Ann Lee", 2010, 2012), ("A Lee", 2015, None)]
    for name, begin, end in years:
        given = RelationCreate(
            source=name, relation="works_at", target="Acme", scope=scope, valid_from=datetime(begin, 1, 1, tzinfo=UTC),
            valid_until=datetime(end, 1, 1, tzinfo=UTC) if end else None,
        )  # fmt: skip
        await opened.entities.relate(given, caller=opened.caller)
    await merged(opened, scope, "Ann Lee", "A Lee")
    answer = await opened.coordinate("where does Ann Lee work", scopes=[scope])
    assert [one.name for one in answer.result.answers] == ["Acme"]


async def test_a_merged_belief_was_held_before_it_was_merged(opened: Clause, scope: str) -> None:
    made, moments = [], []
    for content in ("Ann likes tea", "Ann is fond of tea"):
        made.append(await opened.beliefs.create(BeliefCreate(content=content, scope=scope), caller=opened.caller))
        moments.append(datetime.now(UTC))
    ids, before = [one.belief.id for one in made if one.belief is not None], moments[0]
    given = MergeRequest(winner_id=ids[1], loser_id=ids[0])
    await opened.knowledge.merging.merge(given, caller=opened.caller)
    then = BeliefQuery(query="does Ann like tea", scopes=[scope], as_of_recorded=before)
    hits = (await opened.beliefs.query(then, caller=opened.caller)).items
    assert [hit.belief.content for hit in hits] == ["Ann likes tea"]
    assert hits[0].belief.merged_into_id is None
    now = BeliefQuery(query="does Ann like tea", scopes=[scope])
    assert [hit.belief.id for hit in (await opened.beliefs.query(now, caller=opened.caller)).items] == [ids[1]]
    answer = await opened.coordinate("what does Ann like", scopes=[scope], as_of_recorded=before)
    assert "Ann likes tea" in [one.text for one in answer.result.evidence]


async def test_lines_that_take_anothers_id_are_bad_and_counted(graph: Graph, scope: str, tmp_path: Path) -> None:
    lines = [
        {"id": "handbook", "title": "Leave", "text": "Leave is 30 days."},
        {"id": "handbook", "title": "Leave", "text": "Leave is 30 days."},
        {"id": "handbook", "title": "Pay", "text": "Pay comes monthly."},
        {"id": 7, "title": "Seven", "text": "The seventh."},
        {"id": "7", "title": "Seven", "text": "Another seventh."},
    ]
    path = write_text(tmp_path / "h.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    report = await load_passages(graph, None, path, scope, batch_size=2)
    assert (report.records, report.created, report.known, report.replaced, report.bad_count) == (5, 2, 1, 0, 2)
    assert [(bad.number, "record 1" in bad.reason) for bad in report.bad] == [(3, True), (5, False)]
    again = await load_passages(graph, None, path, scope, batch_size=2)
    assert (again.created, again.known, again.replaced) == (0, 3, 0)


async def test_a_document_comes_from_the_file_that_it_was_read_from_last(
    opened: Clause, graph: Graph, scope: str, tmp_path: Path
) -> None:
    reports = []
    for number, text in enumerate(("Leave is 28 days.", "Leave is 30 days.")):
        line = json.dumps({"id": "h", "title": "Leave", "text": text})
        reports.append(await load_passages(graph, None, write_text(tmp_path / f"{number}.jsonl", line), scope))
    await opened.forget(source_id=reports[0].source_id, confirm=True)
    rows = await run(graph, "MATCH (p:Passage {scope: $s}) RETURN p.text AS x", s=scope)
    assert [row["x"] for row in rows] == ["Leave is 30 days."]


async def test_what_was_forgotten_halfway_is_loaded_from_the_beginning(
    opened: Clause, graph: Graph, jobs: Jobs, scope: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clause.graph.lease._BEAT_S", 600.0)
    path = write_text(tmp_path / "long.txt", "".join(f"a{i}|r|b{i}\n" for i in range(60)))

    class StopError(Exception):
        pass

    def broken(_what: str, done: int, _total: int) -> None:
        if done >= 20:
            raise StopError

    with pytest.raises(StopError):
        await load_triples(graph, None, path, scope, jobs=jobs, batch_size=10, progress=broken)
    await run(graph, "MATCH (j:Job {scope: $s}) SET j.state = 'running'", s=scope)
    (source,) = await run(graph, "MATCH (n:Source {scope: $s}) RETURN n.id AS x", s=scope)
    await run(graph, "MATCH (l:JobLease {scope: $s}) SET l.expires_at = datetime() - duration('PT1M')", s=scope)
    await opened.forget(source_id=source["x"], confirm=True)
    report = await load_triples(graph, None, path, scope, jobs=jobs)
    assert (report.created, report.resumed_at, len(await triples(graph, scope))) == (60, 0, 60)


async def test_what_was_forgotten_is_noted_nowhere_and_others_concepts_stay(
    opened: Clause, graph: Graph, scope: str, tmp_path: Path
) -> None:
    basins = opened.intelligence.basins
    await basins.strengthen(StrengthenRequest(concepts=["lantern"], document_id="d", scope=scope), caller=opened.caller)
    loaded = await load_triples(graph, None, write_text(tmp_path / "a.txt", "Kes|directed_by|Loach\n"), scope)
    told = StrengthenRequest(concepts=["Kes", "Loach"], document_id="ledger", scope=scope)
    await basins.strengthen(told, caller=opened.caller)
    await opened.forget(source_id=loaded.source_id, confirm=True)
    left = await run(graph, "MATCH (n {scope: $s}) WHERE n:Entity OR n:AttractorBasin RETURN n.name AS x", s=scope)
    assert {row["x"] for row in left} == {"lantern"}
    activations = await run(graph, "MATCH (n:BasinActivation {scope: $s}) RETURN n.document_id AS x", s=scope)
    assert [row["x"] for row in activations] == ["d"]
    again = await basins.strengthen(told, caller=opened.caller)
    assert {one.strength for one in again.basins} == {1.0}


async def test_a_conflict_of_a_write_that_came_with_a_key_is_recorded(opened: Clause, graph: Graph, scope: str) -> None:
    conflicts = opened.intelligence.conflicts
    causes, inhibits = (
        AgentWrites(agent=agent, scope=scope, writes=[RelationWrite(cause="Rain", effect="Flood", kind=kind)])
        for agent, kind in (("ann", "causes"), ("bob", "inhibits"))
    )
    await conflicts.write(causes, caller=opened.caller)

    async def work() -> StoredResponse:
        return StoredResponse(200, (await conflicts.write(inhibits, caller=opened.caller)).model_dump(mode="json"))

    key = RequestKey.of(opened.caller, f"{scope}/1", b"POST", default_scope=scope, field="Idempotency-Key")
    with pytest.raises(Exception, match="contradicts"):
        await IdempotencyKeys(graph).once(key, work)
    items = (await conflicts.list(caller=opened.caller)).items
    assert [(one.agent, one.kind) for one in items if one.scope == scope] == [("bob", "CONTRADICTORY_RELATIONSHIP")]


async def test_recorded_answers_come_back_from_an_archive(
    opened: Clause, graph: Graph, scope: str, tmp_path: Path
) -> None:
    await load_triples(graph, None, write_text(tmp_path / "a.txt", "Kes|directed_by|Loach\n"), scope)
    answer = await opened.coordinate("who directed Kes", scopes=[scope])
    assert answer.run_id is not None
    await opened.run(answer.run_id)  # written by now
    await export_scope(graph, tmp_path / "a.jsonl", scope)
    await opened.forget(scope=scope, confirm=True)
    report = await import_archive(graph, tmp_path / "a.jsonl")
    assert report.left_out == 1  # which policy decided is a node of `public`
    run_back = await opened.run(answer.run_id)
    assert (run_back.query, run_back.policy) == ("who directed Kes", "learned")
    assert answer.run_id in [one.id for one in await opened.runs()]
    assert (await opened.replay(answer.run_id)).same


async def test_policies_that_no_erasure_takes_stand_in_no_archives_way(
    graph: Graph, scope: str, tmp_path: Path
) -> None:
    await load_triples(graph, None, write_text(tmp_path / "a.txt", "Kes|directed_by|Loach\n"), scope)
    await export_scope(graph, tmp_path / "a.jsonl", scope)
    await run(graph, "MATCH (n {scope: $s}) WHERE NOT n:JobLease DETACH DELETE n", s=scope)
    create = "CREATE (n:Policy {id: $s + 'new', scope: $s, name: 'new'}) RETURN n.id AS x"
    await run(graph, create, s=scope)
    assert (await import_archive(graph, tmp_path / "a.jsonl")).left_out == 0


async def test_what_was_taken_back_before_a_merge_stays_taken_back_and_nothing_is_said_of_one_with_itself(
    opened: Clause, graph: Graph, scope: str, tmp_path: Path
) -> None:
    path = write_text(tmp_path / "a.txt", "IBM Corp|founded_in|1850\nIBM Corp|alias_of|IBM\nIBM|makes|ThinkPad\n")
    first = await load_triples(graph, None, path, scope)
    given = RetractionRequest(source_id=first.source_id, reason="forged")
    await opened.knowledge.retraction.apply(given, caller=opened.caller)
    await merged(opened, scope, "IBM", "IBM Corp")
    assert (await load_triples(graph, None, path, scope)).created == 0
    other = await load_triples(graph, None, write_text(tmp_path / "b.txt", "IBM Corp|founded_in|1911\n"), scope)
    assert other.created == 1


async def test_a_merge_that_only_the_forgotten_source_named_goes_with_it(
    opened: Clause, graph: Graph, scope: str, tmp_path: Path
) -> None:
    path = write_text(tmp_path / "a.txt", "J Smith|wrote|Fen\nJohn Smith|wrote|Tor\nAnn Lee|wrote|Sea\n")
    loaded = await load_triples(graph, None, path, scope)
    kept = RelationCreate(source="Ann Lee", relation="lives_in", target="Ghent", scope=scope)
    await opened.entities.relate(kept, caller=opened.caller)
    await merged(opened, scope, "John Smith", "J Smith")
    answer = await opened.coordinate("what did John Smith write", scopes=[scope])
    assert answer.run_id is not None
    await opened.run(answer.run_id)
    preview = await opened.forget(source_id=loaded.source_id)
    assert (preview.counts["triples"], preview.counts["Entity"]) == (4, 5)
    done = await opened.forget(source_id=loaded.source_id, confirm=True)
    assert (done.counts["triples"], done.counts["Entity"], done.counts["Run"]) == (4, 5, 1)
    left = await run(graph, "MATCH (n:Entity {scope: $s}) RETURN n.name AS x ORDER BY x", s=scope)
    assert [row["x"] for row in left] == ["Ann Lee", "Ghent"]
    assert await run(graph, "MATCH (n:Run {id: $i}) RETURN n.id AS x", i=answer.run_id) == []


async def test_training_sees_the_graph_as_answers_do(opened: Clause, graph: Graph, scope: str, tmp_path: Path) -> None:
    lines = "Ann,works_at,OldCo,2010-01-01,2020-01-01\nAnn,works_at,NewCo,2020-01-01,\nA. Lee,works_at,NewCo,,\n"
    await load_triples(graph, None, write_text(tmp_path / "a.csv", lines), scope)
    await merged(opened, scope, "Ann", "A. Lee")
    snapshot = await opened.snapshot([scope])
    assert sorted(snapshot.names) == ["Ann", "NewCo", "OldCo"]
    found = snapshot.expand_now(snapshot.ids, per_type=9)
    edges = {edge for by_hop in found.neighbours.values() for row in by_hop.values() for edge in row}
    assert {found.nodes[edge.target].name for edge in edges} == {"NewCo"}


async def test_the_belief_that_holds_is_found_behind_fifty_before_it(opened: Clause, scope: str) -> None:
    made = await opened.beliefs.create(
        BeliefCreate(content="The current build is 1.0", scope=scope), caller=opened.caller
    )
    assert made.belief is not None
    held = made.belief.id
    for number in range(1, 51):
        newer = BeliefSupersede(content=f"The current build is 1.{number}")
        held = (await opened.beliefs.supersede(held, newer, caller=opened.caller)).id
    answer = await opened.coordinate("what is the current build", scopes=[scope])
    assert "The current build is 1.50" in [one.text for one in answer.result.evidence]


async def test_a_run_that_read_more_scopes_than_a_request_may_name_is_replayed(
    opened: Clause, graph: Graph, scope: str, tmp_path: Path
) -> None:
    await load_triples(graph, None, write_text(tmp_path / "a.txt", "Kes|directed_by|Loach\n"), scope)
    many = [f"{scope}-{number}" for number in range(101)]
    register = "UNWIND $ids AS id MERGE (s:Scope {id: id}) SET s.scope = id, s.recorded_at = datetime()"
    await run(graph, register, ids=many)
    try:
        answer = await opened.coordinate("who directed Kes")
        assert answer.run_id is not None
        assert (await opened.replay(answer.run_id)).run_id == answer.run_id
    finally:
        await run(graph, "MATCH (s:Scope) WHERE s.id IN $ids DELETE s", ids=many)


async def test_a_gap_that_was_planned_is_closed_though_others_came_before_it(
    opened: Clause, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    planner = opened.container.rooms.intelligence.planner
    first = BeliefCreate(content="The lock keeper rows at dusk", scope=scope, signal="project_fact")
    await opened.container.rooms.knowledge.beliefs.create(first, caller=opened.caller)
    (gap,) = (await planner.plan(CuriosityPlanRequest(budget=5, scopes=(scope,)), caller=opened.caller)).questions
    less = BeliefCreate(content="A heron sleeps in the boathouse", scope=scope, signal="mention")
    await opened.container.rooms.knowledge.beliefs.create(less, caller=opened.caller)
    monkeypatch.setattr(curiosity_plan, "MOST", 1)
    source = SourceGiven(kind="document", title="log book")
    closed = await planner.close(CuriosityAnswer(id=gap.id, source=source), caller=opened.caller)
    assert closed.did == "corroborated: The lock keeper rows at dusk"


async def test_what_was_asked_in_a_session_of_which_nothing_is_kept_is_read_back(
    opened: Clause, graph: Graph, scope: str, tmp_path: Path
) -> None:
    await load_triples(graph, None, write_text(tmp_path / "a.txt", "Kes|directed_by|Loach\n"), scope)
    answer = await opened.coordinate("who directed Kes", scopes=[scope, "session:fresh"])
    assert answer.run_id is not None
    assert (await opened.container.runs.get(answer.run_id, opened.caller)).query == "who directed Kes"
    assert answer.run_id in {one.id for one in await opened.container.runs.list(opened.caller)}


async def told(opened: Clause, text: str, scope: str) -> str:
    made = await opened.knowledge.beliefs.create(BeliefCreate(content=text, scope=scope), caller=opened.caller)
    assert made.belief is not None
    return made.belief.id


NOTED = "MATCH (e:Evidence) WHERE e.text CONTAINS $said RETURN e.id AS x"


@pytest.mark.parametrize("asked", [{}, {"enable_provenance": False}])
async def test_what_is_erased_while_an_answer_is_made_is_not_noted_again(
    opened: Clause, graph: Graph, scope: str, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any]
) -> None:
    text = "Quillfeather guards the Grimsel dam"
    held = await told(opened, text, scope)
    late = list[Any]()
    with monkeypatch.context() as patch:
        patch.setattr(opened.container.runs, "later", lambda run, evidence=(): late.append((run, evidence)))
        answer = await opened.coordinate("who guards the Grimsel dam", scopes=[scope], **asked)
    assert answer.result.answers
    await opened.knowledge.erasure.apply(ErasureRequest(belief_id=held), caller=opened.caller)
    for record, evidence in late:
        await opened.container.runs.record(record, evidence)
    assert await run(graph, NOTED, said="Quillfeather") == []
    with pytest.raises(NotFoundError):
        await opened.container.runs.get(str(answer.run_id), opened.caller)


async def test_what_was_read_in_a_scope_and_noted_in_another_goes_with_the_first(
    opened: Clause, graph: Graph, scope: str
) -> None:
    mine = f"{scope}-mine"
    await told(opened, "Quillfeather guards the Grimsel dam", scope)
    await told(opened, "The ferry leaves at nine", mine)
    reader = Clause(opened.container, Caller(readable=(scope, mine), writable=(mine,), default=(mine,)))
    answer = await reader.coordinate("who guards the Grimsel dam", scopes=[scope, mine])
    assert answer.run_id is not None
    await opened.container.runs.settled()
    assert await run(graph, NOTED, said="Quillfeather") != []
    preview = await opened.knowledge.erasure.preview(ErasureRequest(scope=scope), caller=opened.caller)
    receipt = await opened.knowledge.erasure.apply(ErasureRequest(scope=scope), caller=opened.caller)
    assert preview.counts["Evidence"] == receipt.counts["Evidence"] > 0
    assert await run(graph, NOTED, said="Quillfeather") == []
    await opened.knowledge.erasure.apply(ErasureRequest(scope=mine), caller=opened.caller)


async def test_a_question_that_is_not_recorded_leaves_nothing(opened: Clause, graph: Graph, scope: str) -> None:
    await told(opened, "Fennimore winds the tower clock", scope)
    answer = await opened.coordinate("who winds the tower clock", scopes=[scope], record=False)
    await opened.container.runs.settled()
    assert answer.result.evidence
    assert await run(graph, NOTED, said="Fennimore") == []


async def test_who_is_named_decides_for_one_agent_alone_too(opened: Clause, scope: str) -> None:
    await told(opened, "Fennimore winds the tower clock", scope)
    pool = [
        "Rain fell on the roof.",
        "I know: Fennimore winds the tower clock.",
        "The tower is tall, the clock is old.",
    ]
    given = {"query": "who winds the tower clock", "evidence_pool": pool, "policy": "statements", "scopes": [scope]}
    found = await opened.container.agents.curate(ContextCurationRequest.model_validate(given), opened.caller)
    assert found.metadata.pool_size == 1
    assert [one.text for one in found.selected_evidence] == ["I know: Fennimore winds the tower clock."]


async def test_what_was_merged_is_no_seed_by_meaning(opened: Clause, graph: Graph, scope: str, tmp_path: Path) -> None:
    embedder = opened.container.embedder
    await load_triples(
        graph, embedder, write_text(tmp_path / "a.txt", "Ann Lee|keeps|Goats\nA Lee|keeps|Hens\n"), scope
    )
    await merged(opened, scope, "Ann Lee", "A Lee")
    given = {"scopes": [scope], "embedding": await embedder.embed_query("lee"), "looked": 20, "limit": 5}
    rows = await graph.run("reasoning/seed_vectors", **given, as_of_recorded=None)
    assert {row["name"] for row in rows} == {"Ann Lee", "Goats", "Hens"}
