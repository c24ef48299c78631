"""Entities, sources and trust on a real graph."""

from __future__ import annotations

from itertools import pairwise

import pytest

from clause.errors import AmbiguousNameError, ConflictError, ForbiddenError, NotFoundError, PreconditionError
from clause.graph.canonical import scope_hash
from clause.graph.runner import Graph
from clause.graph.scheduler import JobRunner
from clause.graph.scopes import Caller, scope_token
from clause.ground import Ground
from clause.knowledge.beliefs.models import Belief, BeliefCreate, BeliefSupersede, SourceGiven
from clause.knowledge.entities import NEAR, RelationCreate
from clause.knowledge.entity_models import AliasAdd, EntitySearch, SourceCreate, TrustCheck, TrustGiven
from clause.knowledge.lineage.models import MergeRequest, RetractionRequest
from clause.knowledge.room import Knowledge
from tests.integration.knowledge.conftest import OWNER, key
from tests.servers import statement

pytestmark = pytest.mark.integration
GUESSED = statement(
    "MATCH (a:Entity {id: $a}), (b:Entity {id: $b}) CREATE (a)-[:MAYBE_SAME_AS {scope: $scope}]->(b)",
    parameters="$a STRING, $b STRING, $scope STRING",
)
STRANGER = Caller(("user:else",), ("user:else",))
TRIPLE = statement(
    "MERGE (s:Scope {id: $scope}) ON CREATE SET s.scope = $scope, s.recorded_at = datetime() "
    "MERGE (a:Entity {id: $scope + $head}) ON CREATE SET a += {scope: $scope, scope_token: $token, name: $head, "
    "canonical_key: $head, name_key: toLower($head), aliases: [], degree: 0, recorded_at: datetime(), version: 1} "
    "MERGE (b:Entity {id: $scope + $tail}) ON CREATE SET b += {scope: $scope, scope_token: $token, name: $tail, "
    "canonical_key: $tail, name_key: toLower($tail), aliases: [], degree: 0, recorded_at: datetime(), version: 1} "
    "MERGE (t:RelationshipType {id: $scope + 'knows'}) ON CREATE SET t += {scope: $scope, name: 'knows', count: 0} "
    "CREATE (a)-[:knows {scope: $scope, source_id: $source, weight: 1.0}]->(b) "
    "SET a.degree = a.degree + 1, b.degree = b.degree + 1, t.count = t.count + 1",
    parameters="$scope STRING, $token STRING, $head STRING, $tail STRING, $source STRING",
)
CROWD = statement(
    "UNWIND range(1, 70) AS n CREATE (:Entity {id: $scope + $kind + n, scope: $scope, scope_token: $token, "
    "name: 'Tessa', canonical_key: $kind + n, name_key: 'tessa' + n, aliases: [], degree: 0, kind: $kind, version: 1, "
    "recorded_at: datetime(), merged_into: $merged, embedding: $embedding, embedding_model: 'hash'})",
    parameters="$scope STRING, $token STRING, $kind STRING, $merged STRING, $embedding LIST<FLOAT>",
)
NO_TRIPLE = statement(
    "MATCH (a:Entity {id: $scope + $head})-[r:knows]->(b:Entity {id: $scope + $tail}) "
    "MATCH (t:RelationshipType {id: $scope + 'knows'}) WITH a, b, t, r LIMIT 1 DELETE r "
    "SET a.degree = a.degree - 1, b.degree = b.degree - 1, t.count = t.count - 1 "
    "WITH a, b UNWIND [a, b] AS end WITH end WHERE end.degree = 0 DELETE end",
    parameters="$scope STRING, $head STRING, $tail STRING",
)
MERGED_CROWD = statement(
    "UNWIND $ids AS id MATCH (e:Entity {id: id}) UNWIND range(1, $count) AS place "
    "CREATE (:Entity {id: e.id + place, scope: $scope, name: e.name, canonical_key: e.id + place, degree: 0, "
    "embedding: e.embedding, merged_into: e.id, archived_at: datetime(), recorded_at: datetime(), version: 1})",
    parameters="$scope STRING, $ids LIST<STRING>, $count INTEGER",
)
LIVING_CROWD = statement(
    "MATCH (low:Entity {id: $low}), (high:Entity {id: $high}) "
    "SET low.embedding = [1.0] + [i IN range(2, size(low.embedding)) | 0.0], "
    "high.embedding = [0.8, 0.6] + [i IN range(3, size(low.embedding)) | 0.0] "
    "WITH low UNWIND range(1, $count) AS place "
    "CREATE (:Entity {id: 'a' + $scope + place, scope: $scope, name: 'crowd ' + place, canonical_key: 'crowd' + place, "
    "degree: 0, embedding: [0.9, 0.0, 0.435] + [i IN range(4, size(low.embedding)) | 0.0], recorded_at: datetime(), "
    "version: 1})",
    parameters="$scope STRING, $low STRING, $high STRING, $count INTEGER",
)
TRUSTS = statement(
    "MATCH (a:Source {id: $a}), (b:Source {id: $b}) CREATE (a)-[:TRUSTS {scope: $scope, weight: 0.5}]->(b)",
    parameters="$a STRING, $b STRING, $scope STRING",
)
KNOWS = statement(
    "MATCH (a:Entity {scope: $scope})-[r:knows]->(b:Entity) MATCH (t:RelationshipType {scope: $scope, name: 'knows'}) "
    "RETURN a.name AS head, b.name AS tail, r.retracted_at IS NOT NULL AS gone, t.count AS count ORDER BY head, tail",
    mode="read",
    parameters="$scope STRING",
    columns="head, tail, gone, count",
)


async def hold(knowledge: Knowledge, content: str, by: Caller = OWNER, **more: object) -> Belief:
    made = await knowledge.beliefs.create(BeliefCreate(content=content, **more), caller=by)
    assert made.belief is not None
    return made.belief


async def run(ground: Ground, knowledge: Knowledge, kind: str, scope: str) -> None:
    await ground.jobs.submit(kind, {}, scope)
    await JobRunner(ground.jobs, knowledge.job_kinds()).drain()


async def test_an_entity_is_found_by_id_name_alias_and_words(knowledge: Knowledge, user: str) -> None:
    await hold(knowledge, "We use it", entities=[{"name": "Apache Kafka"}])
    kafka = await knowledge.entities.get("apache kafka", caller=OWNER, scopes=[user])
    assert (kafka.name, kafka.beliefs, kafka.same_as) == ("Apache Kafka", 1, None)
    assert await knowledge.entities.get(kafka.id, caller=OWNER) == kafka
    named = await knowledge.entities.add_alias(
        kafka.id, AliasAdd(alias="The Log"), caller=OWNER, versions=(kafka.version,)
    )
    assert (await knowledge.entities.get("the log", caller=OWNER, scopes=[user])).id == kafka.id
    assert await knowledge.entities.add_alias(kafka.id, AliasAdd(alias="The Log"), caller=OWNER) == named
    with pytest.raises(PreconditionError):
        await knowledge.entities.add_alias(kafka.id, AliasAdd(alias="x"), caller=OWNER, versions=(99,))
    found = await knowledge.entities.search(EntitySearch(query="Kafka", scopes=[user]), caller=OWNER)
    assert found[0].entity.id == kafka.id
    assert not await knowledge.entities.search(EntitySearch(query="Kafka", kind="person", scopes=[user]), caller=OWNER)
    assert await knowledge.entities.search(EntitySearch(query='"(*', scopes=[user]), caller=OWNER) is not None


async def test_a_crowd_of_merged_entities_and_of_other_kinds_hides_none(
    knowledge: Knowledge, ground: Ground, graph: Graph, user: str
) -> None:
    name = "the long road by the old mill of Tessa"
    await hold(knowledge, "One", entities=[{"name": name, "kind": "place"}])
    wanted = await knowledge.entities.get(name, caller=OWNER, scopes=[user])
    near = (await ground.embedder.embed_query("Tessa")).tolist()
    crowd = {"scope": user, "token": scope_token(user), "embedding": near}
    for kind, merged, asked_for in (("place", wanted.id, None), ("person", None, "place")):
        await graph.execute(CROWD, {**crowd, "kind": kind, "merged": merged})
        asked = EntitySearch(query="Tessa", kind=asked_for, scopes=[user], limit=5)
        (found,) = await knowledge.entities.search(asked, caller=OWNER)
        assert found.entity.id == wanted.id
        assert found.fused_score == pytest.approx(2 / 61)


async def test_a_name_of_several_is_refused_with_its_candidates(knowledge: Knowledge, user: str) -> None:
    first = await hold(knowledge, "One", entities=[{"name": "Mercury"}])
    second = await hold(knowledge, "Two", entities=[{"name": "MERCURY planet"}])
    ids = [belief.entities[0].id for belief in (first, second)]
    await knowledge.entities.add_alias(ids[1], AliasAdd(alias="mercury"), caller=OWNER)
    assert (await knowledge.entities.get("Mercury", caller=OWNER, scopes=[user])).id == ids[0]
    with pytest.raises(AmbiguousNameError) as caught:
        await knowledge.entities.get("MERCURY", caller=OWNER, scopes=[user])
    assert {one["id"] for one in caught.value.details["candidates"]} == set(ids)


async def test_the_relationships_of_an_entity_are_those_that_hold_each_once(
    knowledge: Knowledge, graph: Graph, user: str
) -> None:
    past, coming = {"valid_until": "2020-01-01T00:00:00Z"}, {"valid_from": "2090-01-01T00:00:00Z"}
    for source, relation, target, times in (
        ("Ann Lee", "knows", "Cid", {}),
        ("Anne Lee", "knows", "Cid", {}),
        ("Cid", "rents", "the mill", past),
        ("Cid", "buys", "the mill", coming),
        ("Cid", "paints", "the mill", {}),
    ):
        said = {"source": source, "relation": relation, "target": target, "scope": user, **times}
        await knowledge.entities.relate(RelationCreate.model_validate(said), caller=OWNER)
    ids = [(await knowledge.entities.get(name, caller=OWNER)).id for name in ("Ann Lee", "Anne Lee", "Cid")]
    await graph.execute(GUESSED, {"a": ids[0], "b": ids[2], "scope": user})
    await knowledge.entities.merge(MergeRequest(winner_id=ids[0], loser_id=ids[1]), caller=OWNER)
    found = await knowledge.entities.neighbours("Cid", caller=OWNER, scopes=[user])
    assert [(one.source.name, one.relation, one.target.name) for one in found] == [
        ("Ann Lee", "knows", "Cid"),
        ("Cid", "paints", "the mill"),
    ]


async def test_merging_entities_takes_triples_over_and_gives_them_back(
    knowledge: Knowledge, graph: Graph, user: str
) -> None:
    for head, tail in (("ann", "bob"), ("anne", "bob"), ("anne", "cid"), ("dora", "anne")):
        await graph.execute(
            TRIPLE, {"scope": user, "token": scope_token(user), "head": head, "tail": tail, "source": "src"}
        )
    merge = MergeRequest(winner_id=f"{user}ann", loser_id=f"{user}anne", reason="one person")
    done = await knowledge.entities.merge(merge, caller=OWNER)
    assert done.relationships == 2
    rows = await graph.execute(KNOWS, {"scope": user})
    assert ("ann", "cid") in {(row["head"], row["tail"]) for row in rows}
    assert {row["count"] for row in rows} == {len(rows)} == {6}
    assert (await knowledge.entities.get("anne", caller=OWNER, scopes=[user])).id == f"{user}ann"
    assert [one.id for one in await knowledge.entities.merges(caller=OWNER, limit=1)] == [done.id]
    assert await knowledge.entities.get_merge(done.id, caller=OWNER) == done
    await knowledge.entities.unmerge(f"{user}anne", caller=OWNER)
    rows = await graph.execute(KNOWS, {"scope": user})
    assert {row["count"] for row in rows} == {len(rows)} == {4}
    with pytest.raises(NotFoundError):
        await knowledge.entities.unmerge(f"{user}anne", caller=OWNER)
    with pytest.raises(ConflictError):
        await knowledge.entities.unmerge(done.id, caller=OWNER)


async def test_what_was_added_between_merge_and_unmerge_stays_at_the_winner_and_all_else_is_as_before(
    knowledge: Knowledge, graph: Graph, user: str
) -> None:
    def triple(head: str, tail: str) -> dict[str, str]:
        return {"scope": user, "token": scope_token(user), "head": head, "tail": tail, "source": "src"}

    for head, tail in (("ann", "bob"), ("anne", "bob"), ("anne", "cid"), ("dora", "anne"), ("anne", "ann")):
        await graph.execute(TRIPLE, triple(head, tail))
    before = await scope_hash(graph, user)
    merge = MergeRequest(winner_id=f"{user}ann", loser_id=f"{user}anne", reason="one person")
    done = await knowledge.entities.merge(merge, caller=OWNER)
    added = [triple("ann", "eve"), triple("eve", "ann"), triple("ann", "cid")]  # cid is known by the copy, too
    for one in added:
        await graph.execute(TRIPLE, one)
    await knowledge.entities.unmerge(done.id, caller=OWNER)
    rows = await graph.execute(KNOWS, {"scope": user})
    expected = {("ann", "bob"), ("anne", "bob"), ("anne", "cid"), ("dora", "anne"), ("anne", "ann")}
    expected |= {(one["head"], one["tail"]) for one in added}
    assert [(row["head"], row["tail"]) for row in rows] == sorted(expected)
    for one in added:
        await graph.execute(NO_TRIPLE, {"scope": user, "head": one["head"], "tail": one["tail"]})
    assert await scope_hash(graph, user) == before


async def test_a_belief_that_named_a_merged_entity_stays_with_the_winner(knowledge: Knowledge, user: str) -> None:
    await hold(knowledge, "Zoe Kravitz acted in a film", entities=[{"name": "Zoe Kravitz"}])
    await hold(knowledge, "Zoë Kravitz sings", entities=[{"name": "Zoë Kravitz"}])
    winner = await knowledge.entities.get("Zoe Kravitz", caller=OWNER)
    loser = await knowledge.entities.get("Zoë Kravitz", caller=OWNER)
    merge = await knowledge.entities.merge(MergeRequest(winner_id=winner.id, loser_id=loser.id), caller=OWNER)
    between = await hold(knowledge, "Zoë Kravitz lives in Paris", entities=[{"name": "Zoë Kravitz"}])
    assert [one.id for one in between.entities if one.name.endswith("Kravitz")] == [winner.id]
    await knowledge.entities.unmerge(merge.id, caller=OWNER)
    after = [await knowledge.entities.get(one.id, caller=OWNER) for one in (winner, loser)]
    assert [(one.beliefs, one.degree, one.same_as) for one in after] == [(2, 2, None), (1, 1, None)]


async def test_what_is_said_of_an_alias_or_of_what_was_merged_is_said_of_the_entity(
    knowledge: Knowledge, user: str
) -> None:
    await hold(knowledge, "He is a clerk", entities=[{"name": "Robert Kessler"}])
    robert = await knowledge.entities.get("Robert Kessler", caller=OWNER)
    await knowledge.entities.add_alias(robert.id, AliasAdd(alias="Bobby Kess"), caller=OWNER)
    for merged in ("R. Kessler", "Kessler, R."):  # the second into what the first is then part of
        await hold(knowledge, f"{merged} sings", entities=[{"name": merged}])
        loser = await knowledge.entities.get(merged, caller=OWNER)
        await knowledge.entities.merge(MergeRequest(winner_id=robert.id, loser_id=loser.id), caller=OWNER)
    said = {"name": "bobby kess", "role": "object", "kind": "person"}
    belief = await hold(knowledge, "Ann Lee likes him", entities=[{"name": "Ann Lee"}, said])
    assert {(one.name, one.role, one.kind) for one in belief.entities} == {
        ("Ann Lee", "subject", "concept"),
        ("Robert Kessler", "object", "person"),
    }
    twice = await hold(knowledge, "He is tall", entities=[{"name": "Bobby Kess"}, {"name": "Kessler, R."}])
    assert [one.id for one in twice.entities] == [robert.id]
    for place, name in enumerate(("Bobby Kess", "r. kessler", "Kessler, R.", loser.id, robert.id)):
        given = RelationCreate(source=name, relation="works_at", target=f"Acme {place}")
        made = await knowledge.entities.relate(given, caller=OWNER)
        assert (made.source.id, made.source.name) == (robert.id, "Robert Kessler")


async def test_the_id_of_what_was_merged_twice_means_the_last_winner(knowledge: Knowledge, user: str) -> None:
    ids = [
        (await hold(knowledge, f"Something of {name}", entities=[{"name": name}])).entities[0].id
        for name in ("Anna A", "Bella B", "Cilla C")
    ]
    for loser, winner in pairwise(ids):
        await knowledge.entities.merge(MergeRequest(winner_id=winner, loser_id=loser), caller=OWNER)
    for name in (ids[0], "Anna A"):
        made = await knowledge.entities.relate(
            RelationCreate(source="Dan", relation="knows", target=name), caller=OWNER
        )
        assert made.target.id == ids[2]


async def test_what_only_a_source_says_goes_and_comes_with_it(knowledge: Knowledge, graph: Graph, user: str) -> None:
    source = await knowledge.sources.create(SourceCreate(title="the register"), caller=OWNER)
    await graph.execute(
        TRIPLE, {"scope": user, "token": scope_token(user), "head": "ann", "tail": "bob", "source": source.id}
    )
    await graph.execute(
        TRIPLE, {"scope": user, "token": scope_token(user), "head": "ann", "tail": "cid", "source": "another"}
    )
    asked = RetractionRequest(source_id=source.id)
    assert (await knowledge.retraction.preview(asked, caller=OWNER)).triples == 1
    done = await knowledge.retraction.apply(asked, caller=OWNER)
    assert [row["gone"] for row in await graph.execute(KNOWS, {"scope": user})] == [True, False]
    await knowledge.retraction.undo(done.id, caller=OWNER)
    assert [row["gone"] for row in await graph.execute(KNOWS, {"scope": user})] == [False, False]


async def test_entities_that_may_be_one_are_found_by_the_job(knowledge: Knowledge, ground: Ground, user: str) -> None:
    for name in ("Zoe Kravitz", "Zoë Kravitz", "Kravitz", "Rocky 2", "Rocky 3"):
        await hold(knowledge, f"Something about {name} here", entities=[{"name": name}])
    for _ in range(2):
        await run(ground, knowledge, "resolve_entities", user)
        found = await knowledge.entities.candidates(caller=OWNER, scopes=[user])
        assert [(one.reason, {one.a.name, one.b.name}) for one in found if "Kravitz" in one.a.name][:1] == [
            ("the same letters", {"Zoe Kravitz", "Zoë Kravitz"})
        ]
        assert not [one for one in found if "Rocky" in one.a.name]
    assert not await knowledge.entities.candidates(caller=STRANGER)


async def two_spellings(knowledge: Knowledge, user: str) -> list[str]:
    """The sorted ids of two entities that are one."""
    names = ("Zoe Kravitz", "Zoë Kravitz")
    made = [await hold(knowledge, f"Something about {name} here", entities=[{"name": name}]) for name in names]
    return sorted(one.entities[0].id for one in made)


async def test_entities_that_were_merged_crowd_out_no_pair_that_may_be_one(
    knowledge: Knowledge, ground: Ground, graph: Graph, user: str
) -> None:
    for name in ("Zoe Kravitz", "Zoë Kravitz"):
        await hold(knowledge, f"Something about {name} here", entities=[{"name": name}])
    ids = [
        (await knowledge.entities.get(name, caller=OWNER, scopes=[user])).id for name in ("Zoe Kravitz", "Zoë Kravitz")
    ]
    await graph.execute(MERGED_CROWD, {"scope": user, "ids": ids, "count": NEAR})
    await run(ground, knowledge, "resolve_entities", user)
    (found,) = await knowledge.entities.candidates(caller=OWNER, scopes=[user])
    assert [found.a.id, found.b.id] == sorted(ids)


async def test_a_pair_that_only_the_one_with_the_higher_id_sees_is_found(
    knowledge: Knowledge, ground: Ground, graph: Graph, user: str
) -> None:
    for name in ("Zoe Kravitz", "Zoë Kravitz"):
        await hold(knowledge, f"Something about {name} here", entities=[{"name": name}])
    ids = sorted(
        [
            (await knowledge.entities.get(name, caller=OWNER, scopes=[user])).id
            for name in ("Zoe Kravitz", "Zoë Kravitz")
        ]
    )
    await graph.execute(LIVING_CROWD, {"scope": user, "low": ids[0], "high": ids[1], "count": 4 * NEAR})
    await run(ground, knowledge, "resolve_entities", user)
    found = await knowledge.entities.candidates(caller=OWNER, scopes=[user])
    assert ids in [[one.a.id, one.b.id] for one in found]


async def test_a_track_record_follows_what_became_of_a_sources_beliefs(
    knowledge: Knowledge, ground: Ground, user: str
) -> None:
    paper = SourceGiven(kind="document", title="the paper")
    kept = await hold(knowledge, "The bridge is long", source=paper)
    source_id = str(kept.source_id)
    start = (await knowledge.sources.get(source_id, caller=OWNER)).track_record
    assert start.reliability == pytest.approx(0.6)
    await hold(knowledge, "The bridge is long", key("bob"), source=SourceGiven(kind="observation", title="a walk"))
    confirmed = (await knowledge.sources.get(source_id, caller=OWNER)).track_record
    assert (confirmed.confirmed, confirmed.reliability > start.reliability) == (1, True)
    old = await hold(knowledge, "The mayor is Smith", source=paper)
    jones = BeliefSupersede(content="The mayor is Jones", source=SourceGiven(title="the council"))
    await knowledge.beliefs.supersede(old.id, jones, caller=key("bob"))
    lowered = (await knowledge.sources.get(source_id, caller=OWNER)).track_record
    assert (lowered.superseded, lowered.reliability < confirmed.reliability) == (1, True)
    await run(ground, knowledge, "rate_sources", user)
    rated = await knowledge.sources.get(source_id, caller=OWNER)
    await run(ground, knowledge, "rate_sources", user)
    assert await knowledge.sources.get(source_id, caller=OWNER) == rated
    assert rated.version == 2


async def test_trust_is_passed_on_and_replaced(knowledge: Knowledge) -> None:
    one, two, three = [
        (await knowledge.sources.create(SourceCreate(title=title), caller=OWNER)).id for title in ("a", "b", "c")
    ]
    await knowledge.sources.trust(one, TrustGiven(to_source_id=two, weight=0.2), caller=OWNER)
    await knowledge.sources.trust(one, TrustGiven(to_source_id=two, weight=0.8), caller=OWNER)
    await knowledge.sources.trust(two, TrustGiven(to_source_id=three, weight=0.5), caller=OWNER)
    edges = await knowledge.sources.trusts(caller=OWNER, source_id=one)
    assert {(edge.from_source_id, edge.to_source_id, edge.weight) for edge in edges} == {
        (one, two, 0.8),
        (two, three, 0.5),
    }
    with pytest.raises(ConflictError):
        await knowledge.sources.trust(one, TrustGiven(to_source_id=one, weight=1), caller=OWNER)
    with pytest.raises(NotFoundError):
        await knowledge.sources.trust(one, TrustGiven(to_source_id="src_none", weight=1), caller=OWNER)
    with pytest.raises(NotFoundError):
        await knowledge.sources.trust(one, TrustGiven(to_source_id=two, weight=1), caller=STRANGER)
    reader = Caller(((await knowledge.sources.get(one, caller=OWNER)).scope,), ())
    with pytest.raises(ForbiddenError):
        await knowledge.sources.trust(one, TrustGiven(to_source_id=two, weight=1), caller=reader)
    assert not await knowledge.sources.trusts(caller=STRANGER)


async def test_who_is_to_be_trusted_on_a_topic(knowledge: Knowledge, user: str) -> None:
    expert, guesser = SourceGiven(kind="document", title="expert"), SourceGiven(kind="document", title="guesser")
    for what in ("keep relationships as records", "answer questions about paths", "need an index to start from"):
        await hold(knowledge, f"graph databases {what}", source=expert, entities=[{"name": "Neo4j"}])
    weak = await hold(knowledge, "graph databases are slow", source=guesser, signal="mention")
    await hold(knowledge, "bread needs salt", source=expert)
    asked = TrustCheck(topic="graph databases", scopes=[user])
    answer = await knowledge.trust.check(asked, caller=OWNER)
    sources = [one for one in answer.trusted if one.kind == "source"]
    assert [(one.name, one.beliefs) for one in sources] == [("expert", 3), ("guesser", 1)]
    assert sources[0].trust == pytest.approx(0.9)
    assert sources[1].trust == pytest.approx(0.35)
    assert answer.matching == 4
    high = await knowledge.trust.check(asked.model_copy(update={"min_trust": 0.95}), caller=OWNER)
    assert (high.trusted, high.below > 0, "none with a trust" in str(high.reason)) == ((), True, True)
    about = await knowledge.trust.check(asked.model_copy(update={"entity_name": "neo4j"}), caller=OWNER)
    assert about.matching == 3
    await knowledge.sources.trust(str(weak.source_id), TrustGiven(to_source_id=sources[0].id, weight=0.5), caller=OWNER)
    passed = await knowledge.trust.check(asked.model_copy(update={"source_id": weak.source_id}), caller=OWNER)
    assert {one.name: one.passed_on for one in passed.trusted if one.kind == "source"} == {
        "expert": 0.5,
        "guesser": 0.1,
    }
    nobody = await knowledge.trust.check(TrustCheck(topic="knitting", scopes=[user]), caller=OWNER)
    assert (nobody.trusted, nobody.reason) == ((), "no active belief is on the topic")
    with pytest.raises(NotFoundError):
        await knowledge.trust.check(asked.model_copy(update={"scopes": None, "entity_name": "Neo4j"}), caller=STRANGER)


async def test_what_is_believed_of_an_entity_is_weighed_whoever_else_is_nearer_to_the_topic(
    knowledge: Knowledge, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clause.knowledge.sources._POOL", 3)
    paper = SourceGiven(kind="document", title="the paper")
    await hold(
        knowledge, "Ann Lee is in the tea trade", source=paper, entities=[{"name": "Ann Lee", "role": "subject"}]
    )
    for number in range(20):
        await hold(knowledge, f"tea trade {number}", entities=[{"name": f"Trader {number}"}])
    answer = await knowledge.trust.check(TrustCheck(topic="tea trade", entity_name="Ann Lee"), caller=OWNER)
    assert "the paper" in [one.name for one in answer.trusted]


async def test_trust_edges_are_cut_at_the_same_place_every_time(knowledge: Knowledge, graph: Graph, user: str) -> None:
    ids = [(await knowledge.sources.create(SourceCreate(title=f"source {n}"), caller=OWNER)).id for n in range(6)]
    for a, b in reversed([(a, b) for a in ids for b in ids if a != b]):
        await graph.execute(TRUSTS, {"a": a, "b": b, "scope": user})
    for source in (None, ids[3]):
        every = await graph.run("knowledge/trust_edges", source_id=source, scopes=[user], limit=100)
        assert len(every) == 30
        for limit in (1, 7):
            assert (
                await graph.run("knowledge/trust_edges", source_id=source, scopes=[user], limit=limit) == every[:limit]
            )
