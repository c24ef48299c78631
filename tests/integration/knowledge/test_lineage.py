"""Retraction, merging, authority and erasure on a real graph: what rests on what, and that undoing is exact."""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from clause.errors import ConflictError, ForbiddenError, NotFoundError, OutOfBoundsError
from clause.graph.canonical import canonical_text, read_scope, scope_hash
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.knowledge.beliefs.models import Belief, BeliefCreate, BeliefSupersede, SourceGiven
from clause.knowledge.beliefs.rows import HELD
from clause.knowledge.entities import RelationCreate
from clause.knowledge.entity_models import SourceCreate
from clause.knowledge.lineage import erasure as erasure_module
from clause.knowledge.lineage.erasure import ErasureService
from clause.knowledge.lineage.models import ErasureRequest, Merge, MergeRequest, Retraction, RetractionRequest
from clause.knowledge.room import Knowledge
from clause.knowledge.tension_detection import TensionFilter, TensionResolve
from tests.integration.knowledge.conftest import OWNER, key
from tests.servers import statement

pytestmark = pytest.mark.integration
STRANGER = Caller(("user:else",), ("user:else",))
NOUNS = ("castle", "river", "king", "forest")
RUN = statement(
    "MERGE (p:Policy {id: 'heuristic'}) ON CREATE SET p.scope = 'public' "
    "CREATE (run:Run {id: $id, scope: $scope, scopes: [$scope], query: 'q', request: '{}', seeds: '[]', digest: '{}', "
    "recorded_at: datetime()})-[:DECIDED_BY]->(p) "
    "CREATE (run)-[:HAS_STEP]->(step:RunStep {id: $id + '-1', scope: $scope, detail: '{}', left_out: $left_out}) "
    "CREATE (e:Evidence {id: 'ev_' + $id, scope: $scope, unit: $belief, text: 'cited'})<-[:SELECTED]-(run) "
    "WITH step MATCH (b:Belief {id: $belief}) CREATE (step)-[:VISITED]->(b)",
    parameters="$id STRING, $scope STRING, $belief STRING, $left_out STRING",
)
SEEDS = statement(
    "CREATE (t:ThoughtSeed {id: $id, scope: $scope, concept_id: $belief, concept: 'the dam', recorded_at: datetime()})"
    "<-[:GENERATED_BY]-(:EmergentPattern {id: 'pat' + $id, scope: $scope, concepts: ['the dam'], version: 1}) "
    "WITH t MATCH (b:Belief {id: $belief}) "
    "CREATE (:CuriosityTrigger {id: 'cur' + $id, scope: $scope, text: 'the dam', version: 1})-[:INVESTIGATES]->(b)",
    parameters="$id STRING, $scope STRING, $belief STRING",
)
INSIGHT = statement(
    "CREATE (:Insight {id: $id, scope: $scope, content: 'the dam holds', recorded_at: datetime(), version: 1})",
    parameters="$id STRING, $scope STRING",
)
SEED_OF_ENTITY = statement(
    "MATCH (:Belief {id: $belief})-[:ABOUT]->(e:Entity {name: $name}) "
    "CREATE (:ThoughtSeed {id: $id, scope: $scope, concept_id: e.id, concept: e.name, recorded_at: datetime()})",
    parameters="$id STRING, $scope STRING, $belief STRING, $name STRING",
)
QUESTION = statement(
    "CREATE (:CuriosityTrigger {id: $id, scope: $scope, question: $question, questions: [$question], version: 1})",
    parameters="$id STRING, $scope STRING, $question STRING",
)
READ = statement(
    "MATCH (t:ThoughtSeed {id: $id}) SET t.scopes = $scopes "
    "WITH t MATCH (c:CuriosityTrigger {id: 'cur' + $id}) SET c.scopes = $scopes, c.concept_id = t.concept_id",
    parameters="$id STRING, $scopes LIST<STRING>",
)
TRIPLES = statement(
    "UNWIND ['mill', 'river'] AS name "
    "CREATE (e:Entity {id: name + $scope, scope: $scope, name: name, version: 1, degree: 2, recorded_at: datetime()}) "
    "WITH collect(e) AS both WITH both[0] AS a, both[1] AS b "
    "CREATE (a)-[:NEAR {scope: $scope, source_id: $source}]->(b), (b)-[:NEAR {scope: $scope, source_id: $source}]->(a)",
    parameters="$scope STRING, $source STRING",
)
FOUND = statement(
    "MATCH (t:CuriosityTrigger {id: $id}) "
    "CREATE (t)<-[:DERIVED_FROM]-(:Evidence {id: 'ev' + $id + $text, scope: $scope, text: $text})-[:HAS_PROVENANCE]->"
    "(:Provenance {id: 'prv' + $id + $text, scope: $scope, supporting_evidence: $text})",
    parameters="$id STRING, $scope STRING, $text STRING",
)
UNSAID = statement(
    "MATCH (:Belief {id: $id})-[:HAS_PROVENANCE]->(p) DETACH DELETE p",
    parameters="$id STRING",
)
UNMARKED = statement(
    "MATCH (k:Kept {scope: $scope}) REMOVE k.sealed, k.status_after, k.retracted_at_after, k.archived_at_after, "
    "k.merged_into_after, k.live_hash_after",
    parameters="$scope STRING",
)
RETRACTIONS = statement(
    "MATCH (run:Run {id: $id, scope: $scope}) RETURN coalesce(run.retractions, []) AS ids",
    parameters="$id STRING, $scope STRING",
    mode="read",
    columns="ids",
)
VALUE = statement(
    "MATCH (b:Belief {id: $belief}) CREATE (v:Value {id: $id, scope: $scope, text: 'pin everything', version: 1, "
    "degree: 1, recorded_at: datetime()})-[:DERIVED_FROM {scope: $scope}]->(b) SET b.degree = b.degree + 1",
    parameters="$id STRING, $scope STRING, $belief STRING",
)


async def hold(knowledge: Knowledge, content: str, source: SourceGiven | None = None, **more: object) -> Belief:
    """A belief; what a source says is recorded by a key of its own."""
    by = OWNER if source is None else key(source.title)
    made = await knowledge.beliefs.create(BeliefCreate(content=content, source=source, **more), caller=by)
    assert made.belief is not None
    return made.belief


def told_by(title: str) -> SourceGiven:
    return SourceGiven(kind="document", title=title, uri=f"file:///{title}")


async def lines_of(graph: Graph, scope: str) -> list[str]:
    """The canonical lines of a scope: where two hashes differ, these tell where."""
    return sorted([canonical_text(line) async for line in read_scope(graph, scope)])


async def test_a_retraction_names_all_that_rests_on_a_source_and_its_undoing_is_exact(
    knowledge: Knowledge, graph: Graph, user: str
) -> None:
    first = await hold(knowledge, "The dam was built in 1931", source=told_by("survey"))
    both = await hold(knowledge, "The lake freezes every winter", source=told_by("survey"))
    await hold(knowledge, "The lake freezes every winter", source=told_by("diary"))
    derived = await hold(knowledge, "So the dam is old", derived_from=(first.id,))
    await graph.execute(RUN, {"id": f"run{first.id}", "scope": user, "belief": first.id, "left_out": "{}"})
    await graph.execute(VALUE, {"id": f"val{first.id}", "scope": user, "belief": derived.id})
    await graph.execute(SEEDS, {"id": f"ths{first.id}", "scope": user, "belief": first.id})
    before = await scope_hash(graph, user)

    asked = RetractionRequest(source_id=first.source_id, reason="forged")
    plan = await knowledge.retraction.preview(asked, caller=OWNER)
    found = {one.id: (one.kind, one.effect) for one in plan.affected}
    assert found.pop(f"run{first.id}") == ("answer", "marked")
    assert found.pop(f"val{first.id}") == ("value", "retracted")
    assert found.pop(f"ths{first.id}") == ("thoughtseed", "retracted")
    assert found.pop(f"patths{first.id}") == ("emergentpattern", "retracted")
    assert found.pop(f"ev_run{first.id}") == ("evidence", "retracted")
    assert found.pop(first.id) == ("belief", "retracted")
    assert found.pop(derived.id) == ("belief", "retracted")
    assert found.pop(both.id) == ("belief", "weakened")
    assert {kind for kind, _ in found.values()} <= {"evidence"}
    assert await scope_hash(graph, user) == before

    done = await knowledge.retraction.apply(asked.model_copy(update={"plan": plan.plan}), caller=OWNER)
    assert done.counts["belief"] == 3
    assert done.counts["answer"] == 1
    assert (await knowledge.beliefs.get(first.id, caller=OWNER)).status == "retracted"
    weakened = await knowledge.beliefs.get(both.id, caller=OWNER)
    assert (weakened.status, weakened.sources, weakened.confidence.corroboration) == ("active", 1, None)
    assert (await scope_hash(graph, user)).sha256 != before.sha256
    with pytest.raises(ConflictError):
        await knowledge.retraction.apply(asked, caller=OWNER)

    undone = await knowledge.retraction.undo(done.id, caller=OWNER)
    assert undone.undone_at is not None
    assert await scope_hash(graph, user) == before
    with pytest.raises(ConflictError):
        await knowledge.retraction.undo(done.id, caller=OWNER)
    assert [one.id for one in await knowledge.retraction.list(caller=OWNER)][:1] == [done.id]


async def test_a_retracted_belief_no_longer_disputes_and_may_be_stated_anew(knowledge: Knowledge, graph: Graph) -> None:
    one = await hold(knowledge, "The door is open")
    retraction = await knowledge.retraction.apply(RetractionRequest(belief_id=one.id), caller=OWNER)
    again = await hold(knowledge, "The door is open")
    assert again.id != one.id
    with pytest.raises(ConflictError, match="stated anew"):
        await knowledge.retraction.undo(retraction.id, caller=OWNER)
    await knowledge.retraction.apply(RetractionRequest(belief_id=again.id), caller=OWNER)
    await knowledge.retraction.undo(retraction.id, caller=OWNER)
    assert (await knowledge.beliefs.get(one.id, caller=OWNER)).status == "active"


async def test_what_was_said_since_a_retraction_survives_its_undoing(knowledge: Knowledge) -> None:
    both = await hold(knowledge, "Snow falls in June", source=told_by("survey"))
    await hold(knowledge, "Snow falls in June", source=told_by("diary"))
    done = await knowledge.retraction.apply(RetractionRequest(source_id=both.source_id), caller=OWNER)
    await hold(knowledge, "Snow falls in June", source=told_by("letter"))
    await knowledge.retraction.undo(done.id, caller=OWNER)
    now = await knowledge.beliefs.get(both.id, caller=OWNER)
    assert (now.sources, now.statements) == (3, 3)


async def twice_said(knowledge: Knowledge, content: str) -> tuple[Belief, str]:
    """A belief that two sources say, and the receipt of a retraction of the first: it is weakened."""
    both = await hold(knowledge, content, source=told_by("survey"))
    await hold(knowledge, content, source=told_by("diary"))
    done = await knowledge.retraction.apply(RetractionRequest(source_id=both.source_id), caller=OWNER)
    return both, done.id


async def test_what_was_superseded_since_a_retraction_stays_so_when_it_is_undone(knowledge: Knowledge) -> None:
    old, receipt = await twice_said(knowledge, "The ferry leaves at nine")
    newcomer = BeliefSupersede(content="The ferry leaves at ten", source=told_by("timetable"))
    newer = await knowledge.beliefs.supersede(old.id, newcomer, caller=OWNER)
    await knowledge.retraction.undo(receipt, caller=OWNER)
    now = await knowledge.beliefs.get(old.id, caller=OWNER)
    assert (now.status, now.superseded_by_id, now.sources) == ("superseded", newer.id, 2)
    with pytest.raises(ConflictError, match="superseded"):
        await knowledge.beliefs.supersede(old.id, newcomer, caller=OWNER)
    again = await hold(knowledge, old.content)
    assert again.id != old.id
    assert (await knowledge.beliefs.get(newer.id, caller=OWNER)).status in HELD


async def test_what_was_put_away_since_a_retraction_stays_so_when_it_is_undone(knowledge: Knowledge) -> None:
    one, receipt = await twice_said(knowledge, "The south gate is open")
    other = await hold(knowledge, "The south gate is not open")
    (tension,) = await knowledge.tensions.list(TensionFilter(belief_id=one.id), caller=OWNER)
    await knowledge.tensions.resolve(tension.id, TensionResolve(action="archive_both"), caller=OWNER)
    await knowledge.retraction.undo(receipt, caller=OWNER)
    for belief in (one, other):
        assert (await knowledge.beliefs.get(belief.id, caller=OWNER)).status == "archived"
    await knowledge.tensions.reopen(tension.id, caller=OWNER)
    assert (await knowledge.beliefs.get(one.id, caller=OWNER)).status == "disputed"


async def test_who_was_retracted_since_a_merge_stays_so_when_it_is_undone(knowledge: Knowledge) -> None:
    winner = await hold(knowledge, "Green tea is drunk here", source=told_by("one"))
    loser = await hold(knowledge, "Tea is what Ann drinks, green", source=told_by("two"))
    merged = await knowledge.merging.merge(MergeRequest(winner_id=winner.id, loser_id=loser.id), caller=OWNER)
    done = await knowledge.retraction.apply(RetractionRequest(belief_id=winner.id), caller=OWNER)
    await knowledge.merging.unmerge(merged.id, caller=OWNER)
    assert (await knowledge.beliefs.get(loser.id, caller=OWNER)).status == "active"
    assert (await knowledge.beliefs.get(winner.id, caller=OWNER)).status == "retracted"
    await knowledge.retraction.undo(done.id, caller=OWNER)
    back = await knowledge.beliefs.get(winner.id, caller=OWNER)
    assert (back.status, back.sources) == ("active", 1)
    assert (await hold(knowledge, winner.content)).id == winner.id


async def test_of_two_retractions_the_second_stands_while_the_first_is_undone(
    knowledge: Knowledge, graph: Graph, user: str
) -> None:
    belief, first = await twice_said(knowledge, "Snow falls in June")
    run = {"id": f"run{belief.id}", "scope": user}
    await graph.execute(RUN, {**run, "belief": belief.id, "left_out": "{}"})
    diary = next(one for one in await knowledge.sources.list(caller=OWNER) if one.title == "diary")
    second = await knowledge.retraction.apply(RetractionRequest(source_id=diary.id), caller=OWNER)
    assert (await knowledge.beliefs.get(belief.id, caller=OWNER)).status == "retracted"
    third = await knowledge.retraction.apply(
        RetractionRequest(belief_id=(await hold(knowledge, "It is cold in June")).id), caller=OWNER
    )
    await knowledge.retraction.undo(first, caller=OWNER)
    assert (await knowledge.beliefs.get(belief.id, caller=OWNER)).status == "retracted"
    assert (await graph.execute(RETRACTIONS, run))[0]["ids"] == [second.id]
    await knowledge.retraction.undo(second.id, caller=OWNER)
    now = await knowledge.beliefs.get(belief.id, caller=OWNER)
    assert (now.status, now.sources) == ("active", 2)
    assert (await graph.execute(RETRACTIONS, run))[0]["ids"] == []
    assert (await knowledge.retraction.get(third.id, caller=OWNER)).undone_at is None


async def test_receipts_that_were_written_without_marks_are_undone_as_ever(
    knowledge: Knowledge, graph: Graph, user: str
) -> None:
    first = await hold(knowledge, "The dam was built in 1931", source=told_by("survey"))
    await hold(knowledge, "So the dam is old", derived_from=(first.id,))
    before = await scope_hash(graph, user)
    done = await knowledge.retraction.apply(RetractionRequest(source_id=first.source_id), caller=OWNER)
    await graph.execute(UNMARKED, {"scope": user})
    await knowledge.retraction.undo(done.id, caller=OWNER)
    assert await scope_hash(graph, user) == before
    again = await knowledge.retraction.apply(RetractionRequest(source_id=first.source_id), caller=OWNER)
    await graph.execute(UNMARKED, {"scope": user})
    await hold(knowledge, "The dam of 1931 leaks", derived_from=(first.id,))
    await knowledge.retraction.undo(again.id, caller=OWNER)
    assert (await knowledge.beliefs.get(first.id, caller=OWNER)).status == "active"


async def test_more_triples_than_a_transaction_holds_are_refused_and_nothing_is_written(
    knowledge: Knowledge, graph: Graph, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    belief = await hold(knowledge, "The mill stands by the river", source=told_by("map"))
    await graph.execute(TRIPLES, {"scope": user, "source": belief.source_id})
    monkeypatch.setattr("clause.knowledge.lineage.retraction.MOST_TRIPLES", 1)
    before = await scope_hash(graph, user)
    with pytest.raises(OutOfBoundsError, match="2 triples rest on it"):
        await knowledge.retraction.apply(RetractionRequest(source_id=belief.source_id), caller=OWNER)
    assert await scope_hash(graph, user) == before


async def test_a_plan_that_is_out_of_date_is_refused(knowledge: Knowledge) -> None:
    belief = await hold(knowledge, "The bridge is closed")
    plan = await knowledge.retraction.preview(RetractionRequest(belief_id=belief.id), caller=OWNER)
    await hold(knowledge, "So we take the ferry", derived_from=(belief.id,))
    with pytest.raises(ConflictError, match="preview"):
        await knowledge.retraction.apply(RetractionRequest(belief_id=belief.id, plan=plan.plan), caller=OWNER)


async def test_what_a_second_source_says_too_outlives_its_lineage(knowledge: Knowledge) -> None:
    ground = await hold(knowledge, "The well is dry")
    derived = await hold(knowledge, "There is no water", derived_from=(ground.id,), source=told_by("one"))
    await hold(knowledge, "There is no water", source=told_by("two"))
    plan = await knowledge.retraction.preview(RetractionRequest(belief_id=ground.id), caller=OWNER)
    assert [(one.id, one.effect) for one in plan.affected if one.label == "Belief"] == [(derived.id, "weakened")]


async def test_a_merge_keeps_the_loser_and_its_undoing_is_exact_but_for_what_was_added(
    knowledge: Knowledge, graph: Graph, user: str
) -> None:
    winner = await hold(knowledge, "Green tea is drunk here", source=told_by("one"))
    loser = await hold(knowledge, "Tea is what Ann drinks, green", source=told_by("two"))
    assert winner.id != loser.id
    before = await scope_hash(graph, user)
    merged = await knowledge.merging.merge(MergeRequest(winner_id=winner.id, loser_id=loser.id), caller=OWNER)
    joined = await knowledge.beliefs.get(winner.id, caller=OWNER)
    assert (joined.sources, joined.stage, merged.relationships) == (2, "emerging", 2)
    kept = await knowledge.beliefs.get(loser.id, caller=OWNER)
    assert kept.status == "archived"
    undone = await knowledge.merging.unmerge(loser.id, caller=OWNER)
    assert undone.undone_at is not None
    assert await scope_hash(graph, user) == before

    again = await knowledge.merging.merge(MergeRequest(winner_id=winner.id, loser_id=loser.id), caller=OWNER)
    await hold(knowledge, winner.content, source=told_by("three"))
    await knowledge.merging.unmerge(again.id, caller=OWNER)
    now = await knowledge.beliefs.get(winner.id, caller=OWNER)
    assert (now.sources, now.statements) == (2, 2)
    assert (await knowledge.beliefs.get(loser.id, caller=OWNER)).status == "active"


async def test_what_was_derived_from_the_loser_of_a_merge_rests_on_the_winner_until_it_is_undone(
    knowledge: Knowledge, graph: Graph, user: str
) -> None:
    ground = await hold(knowledge, "A crate of tea came in May")
    winner = await hold(knowledge, "Green tea is drunk here", derived_from=(ground.id,), source=told_by("one"))
    loser = await hold(knowledge, "Tea is what Ann drinks, green", source=told_by("two"))
    derived = await hold(knowledge, "We must buy tea", derived_from=(loser.id,))
    further = await hold(knowledge, "Somebody goes to the shop", derived_from=(derived.id,))
    before = await scope_hash(graph, user)
    merged = await knowledge.merging.merge(MergeRequest(winner_id=winner.id, loser_id=loser.id), caller=OWNER)
    plan = await knowledge.retraction.preview(RetractionRequest(belief_id=winner.id), caller=OWNER)
    assert {(one.id, one.effect) for one in plan.affected if one.label == "Belief"} == {
        (derived.id, "retracted"),
        (further.id, "retracted"),
    }
    assert (await knowledge.authority.audit(caller=OWNER, scopes=[user])).sound
    await knowledge.merging.unmerge(merged.id, caller=OWNER)
    assert await scope_hash(graph, user) == before


async def test_a_merge_and_its_undoing_leave_what_another_scope_derived_as_it_was(
    knowledge: Knowledge, graph: Graph, user: str
) -> None:
    session = f"{user}/session:9"
    ground = await hold(knowledge, "A crate of tea came in May")
    winner = await hold(knowledge, "Green tea is drunk here", derived_from=(ground.id,), source=told_by("one"))
    loser = await hold(knowledge, "Tea is what Ann drinks, green", source=told_by("two"))
    await hold(knowledge, "We must buy tea", derived_from=(loser.id,), scope=session)
    before = [await scope_hash(graph, scope) for scope in (user, session)]
    merged = await knowledge.merging.merge(MergeRequest(winner_id=winner.id, loser_id=loser.id), caller=OWNER)
    assert await scope_hash(graph, session) == before[1]
    await knowledge.merging.unmerge(merged.id, caller=OWNER)
    assert [await scope_hash(graph, scope) for scope in (user, session)] == before


async def test_no_belief_rests_on_itself_when_its_ground_goes_into_what_was_derived_from_it(
    knowledge: Knowledge, graph: Graph, user: str
) -> None:
    first = await hold(knowledge, "The weir leaks", source=told_by("one"))
    second = await hold(knowledge, "The pond is low", derived_from=(first.id,))
    third = await hold(knowledge, "There is a hole in the weir", derived_from=(second.id,))
    await knowledge.merging.merge(MergeRequest(winner_id=third.id, loser_id=first.id), caller=OWNER)
    plan = await knowledge.retraction.preview(RetractionRequest(belief_id=third.id), caller=OWNER)
    assert [one.id for one in plan.affected if one.label == "Belief"] == []
    assert (await knowledge.beliefs.explain(second.id, caller=OWNER)).ceiling is not None


async def test_entities_that_are_one_are_joined_and_parted_exactly(
    knowledge: Knowledge, graph: Graph, user: str
) -> None:
    await hold(knowledge, "Zoe Kravitz acted in a film", entities=[{"name": "Zoe Kravitz"}])
    await hold(knowledge, "Zoë Kravitz sings", entities=[{"name": "Zoë Kravitz"}])
    winner = await knowledge.entities.get("Zoe Kravitz", caller=OWNER)
    loser = await knowledge.entities.get("Zoë Kravitz", caller=OWNER)
    before = await scope_hash(graph, user)
    merge = await knowledge.entities.merge(MergeRequest(winner_id=winner.id, loser_id=loser.id), caller=OWNER)
    one = await knowledge.entities.get("Zoë Kravitz", caller=OWNER)
    assert (one.id, one.beliefs, one.degree) == (winner.id, 2, 2)
    assert (await knowledge.entities.get(loser.id, caller=OWNER)).same_as == winner.id
    with pytest.raises(ConflictError):
        await knowledge.entities.merge(MergeRequest(winner_id=winner.id, loser_id=loser.id), caller=OWNER)
    await knowledge.entities.unmerge(merge.id, caller=OWNER)
    assert await scope_hash(graph, user) == before


async def test_an_entity_that_was_merged_on_is_not_brought_back_by_undoing_what_it_took_in(
    knowledge: Knowledge, graph: Graph, user: str
) -> None:
    names = ("Zoe Kravitz", "Zoë Kravitz", "Zoe Isabella Kravitz")
    for name, does in zip(names, ("acted in a film", "sings", "directs"), strict=True):
        await hold(knowledge, f"{name} {does}", entities=[{"name": name}])
    a, b, c = [(await knowledge.entities.get(name, caller=OWNER)).id for name in names]
    before = await scope_hash(graph, user)
    first = await knowledge.entities.merge(MergeRequest(winner_id=a, loser_id=b), caller=OWNER)
    second = await knowledge.entities.merge(MergeRequest(winner_id=c, loser_id=a), caller=OWNER)
    await knowledge.entities.unmerge(first.id, caller=OWNER)
    found = [(await knowledge.entities.get(one, caller=OWNER)).same_as for one in (a, b, c)]
    assert found == [c, None, None]
    with pytest.raises(ConflictError, match="merged"):
        await knowledge.entities.merge(MergeRequest(winner_id=b, loser_id=a), caller=OWNER)
    await knowledge.entities.unmerge(second.id, caller=OWNER)
    assert [(await knowledge.entities.get(one, caller=OWNER)).same_as for one in (a, b, c)] == [None, None, None]
    now = await scope_hash(graph, user)
    assert (now.nodes, now.relationships) == (before.nodes, before.relationships)


async def test_nothing_derived_is_trusted_more_than_its_lineage(knowledge: Knowledge, graph: Graph, user: str) -> None:
    weak = await hold(knowledge, "Perhaps it rains", signal="mention")
    derived = await hold(knowledge, "Take an umbrella", derived_from=(weak.id,))
    further = await hold(knowledge, "Umbrellas are needed", derived_from=(derived.id,))
    assert further.confidence.overall <= derived.confidence.overall <= weak.confidence.overall
    audit = await knowledge.authority.audit(caller=OWNER, scopes=[user])
    assert (audit.sound, audit.derived) == (True, 2)
    raised = statement("MATCH (b:Belief {id: $id}) SET b.overall = 0.99", parameters="$id STRING")
    await graph.execute(raised, {"id": derived.id})
    audit = await knowledge.authority.audit(caller=OWNER, scopes=[user])
    assert not audit.sound
    found = [(one.reason, one.id, one.on, one.trust) for one in audit.violations]
    assert found == [("lineage", derived.id, weak.id, 0.99), ("signal", derived.id, derived.id, 0.99)]


async def test_lineage_that_falls_takes_what_was_derived_down_with_it(knowledge: Knowledge, user: str) -> None:
    ground = await hold(knowledge, "The mill turns every day", source=told_by("one"))
    await hold(knowledge, "The mill turns every day", source=told_by("two"))
    derived = await hold(knowledge, "Flour is ground", derived_from=(ground.id,))
    further = await hold(knowledge, "Bread is baked", derived_from=(derived.id,))
    await knowledge.retraction.apply(RetractionRequest(source_id=ground.source_id), caller=OWNER)
    assert (await knowledge.authority.audit(caller=OWNER, scopes=[user])).sound
    after = [
        (await knowledge.beliefs.get(one.id, caller=OWNER)).confidence.overall for one in (ground, derived, further)
    ]
    assert after == sorted(after, reverse=True)


async def test_a_stranger_can_neither_preview_nor_undo_nor_forget(knowledge: Knowledge) -> None:
    belief = await hold(knowledge, "A secret of ours")
    done = await knowledge.retraction.apply(RetractionRequest(belief_id=belief.id), caller=OWNER)
    asked = RetractionRequest(belief_id=belief.id)
    for ask in (
        knowledge.retraction.preview(asked, caller=STRANGER),
        knowledge.retraction.apply(asked, caller=STRANGER),
        knowledge.retraction.get(done.id, caller=STRANGER),
        knowledge.retraction.undo(done.id, caller=STRANGER),
        knowledge.merging.unmerge(done.id, caller=STRANGER),
        knowledge.merging.merge(MergeRequest(winner_id=belief.id, loser_id="x"), caller=STRANGER),
        knowledge.erasure.preview(ErasureRequest(belief_id=belief.id), caller=STRANGER),
        knowledge.erasure.apply(ErasureRequest(belief_id=belief.id), caller=STRANGER),
        knowledge.erasure.apply(ErasureRequest(source_id=belief.source_id), caller=STRANGER),
    ):
        with pytest.raises(NotFoundError):
            await ask
    with pytest.raises(ForbiddenError):
        await knowledge.erasure.apply(ErasureRequest(scope=belief.scope), caller=STRANGER)
    with pytest.raises(ForbiddenError):
        await knowledge.retraction.undo(done.id, caller=Caller((belief.scope,), ()))


async def test_a_source_is_found_again_by_what_it_is(knowledge: Knowledge) -> None:
    one = await knowledge.sources.create(SourceCreate(title="The survey", uri="file:///s"), caller=OWNER)
    assert await knowledge.sources.create(SourceCreate(title="The survey", uri="file:///s"), caller=OWNER) == one
    hashed = await knowledge.sources.create(SourceCreate(title="A", content_hash="ab"), caller=OWNER)
    assert (await knowledge.sources.create(SourceCreate(title="B", content_hash="ab"), caller=OWNER)).id == hashed.id


async def test_a_source_that_says_much_is_forgotten_in_slices(
    knowledge: Knowledge, ground: Ground, graph: Graph, user: str
) -> None:
    words = ["apple", "birch", "cedar", "dogwood", "elder", "fir", "ginkgo", "hazel", "ivy", "juniper"]
    only = [await hold(knowledge, f"The {word} stands alone in the garden", source=told_by("census")) for word in words]
    both = []
    for word in ("mill", "quay", "barn"):
        both.append(await hold(knowledge, f"The {word} burned down", source=told_by("census")))
        await hold(knowledge, f"The {word} burned down", source=told_by("diary"))
    erasure = ErasureService(ground, slice_of=4)
    receipt = await erasure.apply(ErasureRequest(source_id=only[0].source_id), caller=OWNER)
    assert receipt.counts["Belief"] == len(words)
    assert {*receipt.kept} == {belief.id for belief in both}
    for belief in only:
        with pytest.raises(NotFoundError):
            await knowledge.beliefs.get(belief.id, caller=OWNER)
    for belief in both:
        left = await knowledge.beliefs.get(belief.id, caller=OWNER)
        assert (left.sources, left.statements) == (1, 1)
    lines = "".join([canonical_text(line) async for line in read_scope(graph, user)])
    assert "garden" not in lines
    assert "census" not in lines


async def test_what_grew_from_a_forgotten_belief_goes_with_it(knowledge: Knowledge, graph: Graph, user: str) -> None:
    belief = await hold(knowledge, "The Grimsel dam is old")
    await graph.execute(SEEDS, {"id": f"ths{belief.id}", "scope": user, "belief": belief.id})
    receipt = await knowledge.erasure.apply(ErasureRequest(belief_id=belief.id), caller=OWNER)
    assert {"ThoughtSeed", "EmergentPattern", "CuriosityTrigger", "Entity"} <= receipt.counts.keys()
    assert "dam" not in "".join(await lines_of(graph, user))


async def test_a_retraction_that_is_undone_twice_changes_nothing_the_second_time(
    knowledge: Knowledge, graph: Graph, user: str
) -> None:
    said = await hold(knowledge, "The weir is closed", source=told_by("notice"))
    done = await knowledge.retraction.apply(RetractionRequest(source_id=said.source_id), caller=OWNER)
    await knowledge.retraction.undo(done.id, caller=OWNER)
    before = await scope_hash(graph, user)
    with pytest.raises(ConflictError, match="undone already"):
        await knowledge.retraction.undo(done.id, caller=OWNER)
    assert await scope_hash(graph, user) == before


async def test_what_was_retracted_before_it_is_forgotten_goes_all_the_same(
    knowledge: Knowledge, graph: Graph, user: str
) -> None:
    said = await hold(knowledge, "The Grimsel dam leaks", source=told_by("survey"))
    await hold(knowledge, "So the Grimsel valley is at risk", derived_from=(said.id,))
    both = await hold(knowledge, "The road is shut in March", source=told_by("survey"))
    await hold(knowledge, both.content, source=told_by("diary"))
    await knowledge.retraction.apply(RetractionRequest(source_id=said.source_id), caller=OWNER)
    plan = await knowledge.erasure.preview(ErasureRequest(source_id=said.source_id), caller=OWNER)
    receipt = await knowledge.erasure.apply(ErasureRequest(source_id=said.source_id), caller=OWNER)
    assert plan.counts["Belief"] == receipt.counts["Belief"] == 2
    assert "Grimsel" not in "".join(await lines_of(graph, user))
    assert (await knowledge.beliefs.get(both.id, caller=OWNER)).status == "active"


async def test_the_loser_of_a_merge_goes_with_its_only_source(knowledge: Knowledge, graph: Graph, user: str) -> None:
    winner = await hold(knowledge, "The ferry runs on Sundays", source=told_by("timetable"))
    loser = await hold(knowledge, "There is a Sunday boat, says Olga", source=told_by("letter"))
    await knowledge.merging.merge(MergeRequest(winner_id=winner.id, loser_id=loser.id), caller=OWNER)
    await knowledge.erasure.apply(ErasureRequest(source_id=loser.source_id), caller=OWNER)
    assert "Sunday boat" not in "".join(await lines_of(graph, user))
    assert (await knowledge.beliefs.get(winner.id, caller=OWNER)).status == "active"


async def test_a_merge_that_is_undone_twice_leaves_the_names_of_later(knowledge: Knowledge) -> None:
    for name in ("Robert Hale", "Bob Hale"):
        await hold(knowledge, f"{name} keeps bees", entities=[{"name": name}])
    winner, loser = [(await knowledge.entities.get(name, caller=OWNER)).id for name in ("Robert Hale", "Bob Hale")]
    pair = MergeRequest(winner_id=winner, loser_id=loser)
    first = await knowledge.entities.merge(pair, caller=OWNER)
    await knowledge.entities.unmerge(first.id, caller=OWNER)
    await knowledge.entities.merge(pair, caller=OWNER)
    with pytest.raises(ConflictError, match="undone already"):
        await knowledge.entities.unmerge(first.id, caller=OWNER)
    assert (await knowledge.entities.get("Bob Hale", caller=OWNER)).id == winner


async def test_what_other_scopes_noted_of_it_goes_and_what_others_hold_themselves_stays(
    knowledge: Knowledge, graph: Graph, user: str
) -> None:
    session, other = f"{user}/session:7", f"{user}-bob"
    text = "The Grimsel dam is guarded by Quillfeather"
    belief = await hold(knowledge, text)
    of_session = await hold(knowledge, "So Quillfeather knows the dam", scope=session, derived_from=(belief.id,))
    of_other = await hold(knowledge, "I heard so too", scope=other, derived_from=(belief.id,))
    for number, scope in enumerate((session, other)):
        await graph.execute(SEEDS, {"id": f"ths{number}{belief.id}", "scope": scope, "belief": belief.id})
    of_entity = {"id": f"ent{belief.id}", "scope": other, "belief": belief.id, "name": "Quillfeather"}
    await graph.execute(SEED_OF_ENTITY, of_entity)
    await graph.execute(QUESTION, {"id": f"ask{belief.id}", "scope": other, "question": f"is it true: {text}?"})

    caller = Caller((user, session), (user, session))
    asked = ErasureRequest(belief_id=belief.id)
    preview = await knowledge.erasure.preview(asked, caller=caller)
    receipt = await knowledge.erasure.apply(asked, caller=caller)
    found = "".join([line for scope in (user, session, other) for line in await lines_of(graph, scope)])
    assert "Quillfeather" not in found
    assert of_session.id not in found
    assert {"Belief": 2, "ThoughtSeed": 3, "EmergentPattern": 2, "questions": 1}.items() <= receipt.counts.items()
    names = ("Belief", "ThoughtSeed", "EmergentPattern", "CuriosityTrigger", "Entity", "questions")
    assert {name: preview.counts[name] for name in names} == {name: receipt.counts[name] for name in names}
    assert (await knowledge.beliefs.get(of_other.id, caller=OWNER)).content == "I heard so too"


async def test_a_scope_that_is_forgotten_takes_what_others_noted_of_it_along(
    knowledge: Knowledge, graph: Graph, user: str
) -> None:
    other = f"{user}-bob"
    belief = await hold(knowledge, "The Grimsel dam is guarded by Quillfeather")
    mine = await hold(knowledge, "The dam of Bob is new", scope=other)
    read = {"scopes": [user, other]}
    for one in (belief, mine):
        seed = {"id": f"ths{one.id}", "scope": other, "belief": one.id}
        await graph.execute(SEEDS, seed)
        await graph.execute(READ, {**read, "id": seed["id"]})
    before = {line for line in await lines_of(graph, other) if belief.id not in line}
    preview = await knowledge.erasure.preview(ErasureRequest(scope=user), caller=OWNER)
    receipt = await knowledge.erasure.apply(ErasureRequest(scope=user), caller=OWNER)
    counted = {"ThoughtSeed": 1, "EmergentPattern": 1, "CuriosityTrigger": 1}
    assert counted.items() <= receipt.counts.items()
    assert counted.items() <= preview.counts.items()
    left = await lines_of(graph, other)
    assert {*left} == before
    assert belief.id not in "".join(left)
    assert any(mine.id in line and "ThoughtSeed" in line for line in left)


async def test_what_was_noted_of_an_insight_stays_while_the_insight_does(
    knowledge: Knowledge, graph: Graph, user: str
) -> None:
    other = f"{user}-bob"
    await hold(knowledge, "The Grimsel dam is guarded by Quillfeather")
    noted = {"id": f"ins{other}", "scope": other}
    await graph.execute(INSIGHT, noted)
    await graph.execute(SEEDS, {"id": f"ths{other}", "scope": other, "belief": noted["id"]})
    await graph.execute(READ, {"id": f"ths{other}", "scopes": [user, other]})
    assert "ThoughtSeed" not in (await knowledge.erasure.preview(ErasureRequest(scope=user), caller=OWNER)).counts
    assert "ThoughtSeed" not in (await knowledge.erasure.apply(ErasureRequest(scope=user), caller=OWNER)).counts
    assert any("ThoughtSeed" in line for line in await lines_of(graph, other))


async def test_a_scope_that_is_forgotten_takes_its_relationships_between_entities_of_others_along(
    knowledge: Knowledge, graph: Graph, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clause.knowledge.lineage.scope_erasure._RELATIONSHIPS", 1)
    session = f"{user}/session:7"
    names = ("Acme", "Northbank", "Ann")
    for place, target in enumerate(names[1:]):
        told = RelationCreate(source=names[place], relation="pays", target=target, scope=user)
        await knowledge.entities.relate(told, caller=OWNER)
    before = await lines_of(graph, user)
    owes = [("Acme", "owes money to", "Northbank"), ("Ann", "owes money to", "Acme"), ("Ann", "fears", "the auditor")]
    for source, relation, target in owes:
        told = RelationCreate(source=source, relation=relation, target=target, scope=session)
        await knowledge.entities.relate(told, caller=OWNER)
    assert (await knowledge.entities.get("Ann", caller=OWNER)).degree == 3
    assert not [line for line in await lines_of(graph, user) if "owes" in line]
    preview = await knowledge.erasure.preview(ErasureRequest(scope=session), caller=OWNER)
    receipt = await knowledge.erasure.apply(ErasureRequest(scope=session), caller=OWNER)
    assert preview.counts == receipt.counts
    assert receipt.counts["relationships"] == len(owes)
    assert await lines_of(graph, user) == before


async def test_many_at_once_take_the_runs_of_their_scope_along(
    knowledge: Knowledge, graph: Graph, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure_module, "BULK", 1)
    belief = await hold(knowledge, "The gate is locked at night")
    other = await hold(knowledge, "The well is deep", source=told_by("diary"))
    await graph.execute(RUN, {"id": f"run{other.id}", "scope": user, "belief": other.id, "left_out": "{}"})
    preview = await knowledge.erasure.preview(ErasureRequest(belief_id=belief.id), caller=OWNER)
    receipt = await knowledge.erasure.apply(ErasureRequest(belief_id=belief.id), caller=OWNER)
    assert preview.counts["Run"] == receipt.counts["Run"] == 1
    assert (await knowledge.beliefs.get(other.id, caller=OWNER)).content == other.content


async def test_a_text_that_another_node_holds_in_its_own_right_is_told(knowledge: Knowledge) -> None:
    one = await hold(knowledge, "The gate is locked")
    longer = await hold(knowledge, "The gate is locked and the guard of the north tower has the only key to it")
    for told in (
        await knowledge.erasure.preview(ErasureRequest(belief_id=one.id), caller=OWNER),
        await knowledge.erasure.apply(ErasureRequest(belief_id=one.id), caller=OWNER),
    ):
        assert longer.id in told.elsewhere


async def test_a_tension_rests_while_one_side_is_retracted(knowledge: Knowledge, graph: Graph, user: str) -> None:
    one = await hold(knowledge, "The north gate is open")
    other = await hold(knowledge, "The north gate is not open")
    disputed = await knowledge.beliefs.get(one.id, caller=OWNER)
    assert disputed.status == "disputed"
    before = await scope_hash(graph, user)
    done = await knowledge.retraction.apply(RetractionRequest(belief_id=other.id), caller=OWNER)
    calm = await knowledge.beliefs.get(one.id, caller=OWNER)
    assert (calm.status, calm.open_tensions) == ("active", 0)
    assert calm.confidence.overall > disputed.confidence.overall
    await knowledge.retraction.undo(done.id, caller=OWNER)
    assert await scope_hash(graph, user) == before


@pytest.mark.parametrize("forgotten", ["belief", "source"])
async def test_a_tension_goes_with_the_side_that_is_forgotten(knowledge: Knowledge, forgotten: str) -> None:
    one = await hold(knowledge, "The north gate is open")
    calm = await knowledge.beliefs.get(one.id, caller=OWNER)
    other = await hold(knowledge, "The north gate is not open", source=told_by("rumour"))
    assert (await knowledge.beliefs.get(one.id, caller=OWNER)).open_tensions == 1
    asked = {"belief": ErasureRequest(belief_id=other.id), "source": ErasureRequest(source_id=other.source_id)}
    receipt = await knowledge.erasure.apply(asked[forgotten], caller=OWNER)
    assert (receipt.counts["Tension"], receipt.kept) == (1, ())
    left = await knowledge.beliefs.get(one.id, caller=OWNER)
    assert (left.status, left.open_tensions, left.verification_status) == ("active", 0, "unverified")
    assert left.confidence.internal_consistency == calm.confidence.internal_consistency
    assert left.confidence.overall == pytest.approx(calm.confidence.overall)


@pytest.mark.parametrize("seed", range(3))
async def test_whatever_is_retracted_or_merged_is_undone_exactly(
    knowledge: Knowledge, graph: Graph, user: str, seed: int
) -> None:
    dice = Random(seed)
    held: list[Belief] = []
    for place in range(10):
        parents = tuple(one.id for one in dice.sample(held, min(len(held), dice.randrange(3))))
        source = told_by(dice.choice("abc"))
        text = f"Chapter {dice.choice(['one', 'two', 'three'])} tells of the {'very ' * place}old {dice.choice(NOUNS)}"
        found = await knowledge.beliefs.create(
            BeliefCreate(content=text, source=source, derived_from=parents), caller=OWNER
        )
        if found.belief is not None and found.belief.id not in {one.id for one in held}:
            held.append(found.belief)
    assert (await knowledge.authority.audit(caller=OWNER, scopes=[user])).sound
    undo = []
    hashes = [await lines_of(graph, user)]
    for _ in range(4):
        live = [one.id for one in held if (await knowledge.beliefs.get(one.id, caller=OWNER)).status in HELD]
        if not live:
            break
        if dice.random() < 0.5 and len(live) > 1:
            winner, loser = dice.sample(live, 2)
            done = await knowledge.merging.merge(MergeRequest(winner_id=winner, loser_id=loser), caller=OWNER)
            undo.append((knowledge.merging.unmerge, done.id))
        else:
            asked = RetractionRequest(belief_id=dice.choice(live))
            undo.append((knowledge.retraction.undo, (await knowledge.retraction.apply(asked, caller=OWNER)).id))
        assert (await knowledge.authority.audit(caller=OWNER, scopes=[user])).sound
        hashes.append(await lines_of(graph, user))
    for take_back, receipt in reversed(undo):
        hashes.pop()
        await take_back(receipt, caller=OWNER)
        assert await lines_of(graph, user) == hashes[-1]


@pytest.mark.parametrize("pairs", [((0, 1), (1, 0)), ((1, 0), (2, 0))], ids=["each into the other", "one into two"])
async def test_of_two_merges_at_once_one_is_made_and_the_other_refused(
    knowledge: Knowledge, graph: Graph, user: str, pairs: tuple[tuple[int, int], ...]
) -> None:
    names = ("New York", "NYC", "the Big Apple")
    held = [await hold(knowledge, f"They met in {name}", entities=[{"name": name}]) for name in names]
    before = await scope_hash(graph, user)
    for merging, ids in (
        (knowledge.merging, [one.id for one in held]),
        (knowledge.entities, [one.entities[0].id for one in held]),
    ):
        asked = [MergeRequest(winner_id=ids[winner], loser_id=ids[loser]) for winner, loser in pairs]
        done = await asyncio.gather(*(merging.merge(one, caller=OWNER) for one in asked), return_exceptions=True)
        (made,) = [one for one in done if isinstance(one, Merge)]
        (refused,) = [one for one in done if isinstance(one, ConflictError)]
        assert refused.remedy is not None
        await merging.unmerge(made.id, caller=OWNER)
        assert await scope_hash(graph, user) == before


async def test_of_two_who_undo_one_thing_at_once_one_does(knowledge: Knowledge, graph: Graph, user: str) -> None:
    names = ("New York", "NYC")
    held = [
        await hold(knowledge, f"They met in {name}", source=told_by(name), entities=[{"name": name}]) for name in names
    ]
    for target in ("Ann", "Bob", "Cid"):
        told = RelationCreate(source="NYC", relation="houses", target=target, scope=user)
        await knowledge.entities.relate(told, caller=OWNER)
    before = await scope_hash(graph, user)
    of_beliefs = MergeRequest(winner_id=held[0].id, loser_id=held[1].id)
    of_entities = MergeRequest(winner_id=held[0].entities[0].id, loser_id=held[1].entities[0].id)
    undoings = (
        (knowledge.entities.unmerge, (await knowledge.entities.merge(of_entities, caller=OWNER)).id),
        (knowledge.merging.unmerge, (await knowledge.merging.merge(of_beliefs, caller=OWNER)).id),
    )
    for undo, receipt in reversed(undoings):
        done = await asyncio.gather(*(undo(receipt, caller=OWNER) for _ in range(2)), return_exceptions=True)
        assert sum(isinstance(one, Merge) for one in done) == 1
        (refused,) = [one for one in done if isinstance(one, ConflictError)]
        assert "undone already" in str(refused)
    assert await scope_hash(graph, user) == before


@pytest.mark.parametrize("of", ["belief", "source"])
async def test_of_two_retractions_of_one_thing_at_once_one_is_made_and_its_undoing_is_exact(
    knowledge: Knowledge, graph: Graph, user: str, of: str
) -> None:
    belief = await hold(knowledge, "The dam was built in 1931", source=told_by("survey"))
    await hold(knowledge, "So the dam is old", derived_from=(belief.id,))
    before = await scope_hash(graph, user)
    same = RetractionRequest(belief_id=belief.id)
    asked = [same, same if of == "belief" else RetractionRequest(source_id=belief.source_id)]
    done = await asyncio.gather(
        *(knowledge.retraction.apply(one, caller=OWNER) for one in asked), return_exceptions=True
    )
    (made,) = [one for one in done if isinstance(one, Retraction)]
    assert sum(isinstance(one, ConflictError) for one in done) == 1
    await knowledge.retraction.undo(made.id, caller=OWNER)
    assert await scope_hash(graph, user) == before


async def test_a_loser_whose_only_source_was_retracted_comes_back_after_that_is_undone(
    knowledge: Knowledge, graph: Graph, user: str
) -> None:
    winner = await hold(knowledge, "Green tea is drunk here", source=told_by("one"))
    loser = await hold(knowledge, "Tea is what Ann drinks, green", source=told_by("two"))
    before = await scope_hash(graph, user)
    merged = await knowledge.merging.merge(MergeRequest(winner_id=winner.id, loser_id=loser.id), caller=OWNER)
    done = await knowledge.retraction.apply(RetractionRequest(source_id=loser.source_id), caller=OWNER)
    for given in (merged.id, loser.id):
        with pytest.raises(ConflictError, match="retracted while it was merged") as refused:
            await knowledge.merging.unmerge(given, caller=OWNER)
        assert "undo that retraction" in str(refused.value.remedy)
    assert (await knowledge.beliefs.get(loser.id, caller=OWNER)).status == "archived"
    await knowledge.retraction.undo(done.id, caller=OWNER)
    await knowledge.merging.unmerge(merged.id, caller=OWNER)
    assert await scope_hash(graph, user) == before


async def test_a_loser_that_something_still_holds_up_comes_back(knowledge: Knowledge, graph: Graph, user: str) -> None:
    ground = await hold(knowledge, "A crate of tea came in May")
    winner = await hold(knowledge, "Green tea is drunk here", source=told_by("one"))
    twice = await hold(knowledge, "Tea is what Ann drinks, green", source=told_by("two"))
    await hold(knowledge, "Tea is what Ann drinks, green", source=told_by("three"))
    derived = await hold(knowledge, "Somebody here likes tea", source=told_by("two"), derived_from=(ground.id,))
    bare = await hold(knowledge, "There is a tea pot")
    await graph.execute(UNSAID, {"id": bare.id})
    for loser in (twice, derived, bare):
        merged = await knowledge.merging.merge(MergeRequest(winner_id=winner.id, loser_id=loser.id), caller=OWNER)
        done = await knowledge.retraction.apply(RetractionRequest(source_id=twice.source_id), caller=OWNER)
        await knowledge.merging.unmerge(merged.id, caller=OWNER)
        assert (await knowledge.beliefs.get(loser.id, caller=OWNER)).status == "active"
        await knowledge.retraction.undo(done.id, caller=OWNER)


async def test_the_proof_of_what_curiosity_found_goes_with_what_it_was_found_of(
    knowledge: Knowledge, graph: Graph, user: str
) -> None:
    other = f"{user}-bob"
    belief = await hold(knowledge, "The Grimsel dam is guarded by Quillfeather")
    mine = await hold(knowledge, "The dam of Bob is new", scope=other)
    for one in (belief, mine):
        seed = f"ths{one.id}"
        await graph.execute(SEEDS, {"id": seed, "scope": other, "belief": one.id})
        await graph.execute(READ, {"id": seed, "scopes": [user, other]})
        await graph.execute(FOUND, {"id": f"cur{seed}", "scope": other, "text": one.content})
    before = {line for line in await lines_of(graph, other) if belief.id not in line}
    counted = {"CuriosityTrigger": 1, "Evidence": 1, "Provenance": 1}
    preview = await knowledge.erasure.preview(ErasureRequest(scope=user), caller=OWNER)
    receipt = await knowledge.erasure.apply(ErasureRequest(scope=user), caller=OWNER)
    left = await lines_of(graph, other)
    assert "Quillfeather" not in "".join(left)
    assert {*left} == before
    for told in (preview, receipt):  # the belief of the scope has a provenance of its own
        assert {**counted, "Provenance": 2}.items() <= told.counts.items()


async def test_what_curiosity_found_goes_with_its_question(knowledge: Knowledge, graph: Graph, user: str) -> None:
    other = f"{user}-bob"
    belief = await hold(knowledge, "The Grimsel dam is guarded by Quillfeather")
    for number, question in enumerate((f"is it true: {belief.content}?", "is the dam new?")):
        asked = f"ask{number}{belief.id}"
        await graph.execute(QUESTION, {"id": asked, "scope": other, "question": question})
        for place in "ab":
            await graph.execute(FOUND, {"id": asked, "scope": other, "text": f"{asked} {place}"})
    receipt = await knowledge.erasure.apply(ErasureRequest(belief_id=belief.id), caller=OWNER)
    assert receipt.counts["questions"] == 1
    left = "".join(await lines_of(graph, other))
    assert f"ask0{belief.id}" not in left
    assert left.count(f"ask1{belief.id} a") >= 2
