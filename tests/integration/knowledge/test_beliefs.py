"""Beliefs on a real graph: stated once, many times, at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest

from clause.errors import ConflictError, NotFoundError
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.ingest.embedding import embed_job
from clause.knowledge.beliefs.models import BeliefCreate, BeliefSupersede, ConfidenceGiven, Corroboration, SourceGiven
from clause.knowledge.beliefs.query_models import BeliefQuery
from clause.knowledge.lineage.models import ErasureRequest, RetractionRequest
from clause.knowledge.room import Knowledge
from tests.integration.knowledge.conftest import OWNER, Clock, begun, key
from tests.servers import statement

pytestmark = pytest.mark.integration
CITED = statement(
    "CREATE (:Evidence {id: $id, scope: $scope, text: $text, recorded_at: datetime()})",
    parameters="$id STRING, $scope STRING, $text STRING",
)
PLACEHOLDER = statement(
    "CREATE (:Source {id: $id, scope: $scope, name: $id, kind: 'unknown', recorded_at: datetime()})",
    parameters="$id STRING, $scope STRING",
)
NEAR = statement(
    "MATCH (e:Evidence) SEARCH e IN (VECTOR INDEX evidence_embedding FOR $embedding WHERE e.scope = $scope LIMIT 5) "
    "SCORE AS score RETURN e.text AS text, e.embedding_model AS model ORDER BY score DESC",
    mode="read",
    parameters="$scope STRING, $embedding VECTOR",
    columns="text, model",
)


async def test_a_new_belief_starts_where_its_signal_says_and_is_about_its_entities(knowledge: Knowledge) -> None:
    made = await knowledge.beliefs.create(
        BeliefCreate(content="Ann Miller moved to Paris", signal="decision"), caller=OWNER
    )
    belief = made.belief
    assert belief is not None
    assert made.outcome == "created"
    assert belief.confidence.overall == pytest.approx(0.80, abs=1e-9)
    assert belief.confidence.corroboration is None
    assert {entity.name for entity in belief.entities} == {"Ann Miller", "Paris"}
    stored = await knowledge.beliefs.get(belief.id, caller=OWNER)
    told, held = belief.model_dump(exclude={"confidence"}), stored.model_dump(exclude={"confidence"})
    assert told == {name: held[name] for name in told}


async def test_what_a_caller_may_not_read_is_not_there(knowledge: Knowledge) -> None:
    made = await knowledge.beliefs.create(BeliefCreate(content="a secret"), caller=OWNER)
    assert made.belief is not None
    with pytest.raises(NotFoundError):
        await knowledge.beliefs.get(made.belief.id, caller=Caller(("user:else",), ("user:else",)))


async def test_nothing_is_stated_by_what_stands_for_no_source(knowledge: Knowledge, graph: Graph, user: str) -> None:
    await graph.execute(PLACEHOLDER, {"id": f"unknown:{user}", "scope": user})
    with pytest.raises(NotFoundError, match="no source"):
        await knowledge.beliefs.create(BeliefCreate(content="a rumour", source_id=f"unknown:{user}"), caller=OWNER)


@pytest.mark.parametrize("origins", [1, 32])
async def test_32_creations_of_one_text_at_once_make_one_belief_and_lose_no_statement(
    knowledge: Knowledge, origins: int
) -> None:
    sources = [SourceGiven(kind="document", title=f"t{i % origins}") for i in range(32)]
    made = await asyncio.gather(
        *(
            knowledge.beliefs.create(BeliefCreate(content="Tea is ready", source=source), caller=key(source.title))
            for source in sources
        )
    )
    assert Counter(one.outcome for one in made) == {"created": 1, "corroborated": 31}
    (belief_id,) = {one.belief.id for one in made if one.belief}
    belief = await knowledge.beliefs.get(belief_id, caller=OWNER)
    assert (belief.statements, belief.sources) == (32, origins)
    assert belief.stage == ("tentative" if origins == 1 else "established")


async def test_a_paraphrase_corroborates_and_a_changed_number_does_not(knowledge: Knowledge) -> None:
    first = await knowledge.beliefs.create(
        BeliefCreate(content="Ann Miller rides her bike to the office in Bern every morning"), caller=OWNER
    )
    same = await knowledge.beliefs.create(
        BeliefCreate(content="Ann Miller rides her bicycle to the office in Bern every morning"), caller=OWNER
    )
    assert first.belief is not None
    assert same.belief is not None
    assert (same.outcome, same.belief.id) == ("corroborated", first.belief.id)
    assert [(one.belief_id, one.same) for one in same.candidates] == [(first.belief.id, True)]
    for changed in ("Ann Miller has 3 bikes in the office in Bern", "Ann Miller has 4 bikes in the office in Bern"):
        other = await knowledge.beliefs.create(BeliefCreate(content=changed), caller=OWNER)
        assert other.outcome == "created"
    assert other.candidates[0].reasons == ("numbers differ",)


async def test_the_same_text_for_another_time_is_another_belief(knowledge: Knowledge) -> None:
    years = [datetime(year, 1, 1, tzinfo=UTC) for year in (2010, 2012, 2020)]
    spans = [(years[0], years[1]), (years[2], None), (years[0], years[1])]
    made = [
        await knowledge.beliefs.create(
            BeliefCreate(content="the shop is in Rome", valid_from=start, valid_until=end), caller=OWNER
        )
        for start, end in spans
    ]
    assert [one.outcome for one in made] == ["created", "created", "corroborated"]


async def test_a_hundred_copies_from_one_origin_raise_nothing(knowledge: Knowledge) -> None:
    first = await knowledge.beliefs.create(BeliefCreate(content="tea is ready"), caller=OWNER)
    for _ in range(20):
        last = await knowledge.beliefs.create(BeliefCreate(content="tea is ready"), caller=OWNER)
    assert first.belief is not None
    assert last.belief is not None
    assert (last.belief.statements, last.belief.sources, last.belief.stage) == (21, 1, "tentative")
    assert last.belief.confidence.overall == pytest.approx(first.belief.confidence.overall, abs=1e-6)


async def test_what_was_recalled_corroborates_nothing_for_a_week(knowledge: Knowledge, clock: Clock) -> None:
    one, other_one = await begun(knowledge), await begun(knowledge)
    made = await knowledge.beliefs.create(BeliefCreate(content="tea is ready"), caller=OWNER)
    assert made.belief is not None
    await knowledge.beliefs.query(BeliefQuery(query="tea", session_id=one), caller=OWNER)
    told = BeliefCreate(content="tea is ready", session_id=one)
    again = await knowledge.beliefs.create(told, caller=OWNER)
    assert (again.outcome, again.reason) == ("recalled", "a recalled text corroborates nothing")
    elsewhere = told.model_copy(update={"session_id": other_one})
    assert (await knowledge.beliefs.create(elsewhere, caller=OWNER)).outcome == "recalled"
    clock.move(days=8)
    assert (await knowledge.beliefs.create(elsewhere, caller=OWNER)).outcome == "corroborated"
    flagged = await knowledge.beliefs.corroborate(made.belief.id, Corroboration(recalled=True), caller=OWNER)
    assert flagged.outcome == "recalled"
    by_id = await knowledge.beliefs.corroborate(made.belief.id, Corroboration(session_id=one), caller=OWNER)
    assert by_id.outcome == "recalled"
    assert (await knowledge.beliefs.get(made.belief.id, caller=OWNER)).statements == 2
    unknown = await knowledge.beliefs.create(BeliefCreate(content="coffee is out", recalled=True), caller=OWNER)
    assert (unknown.outcome, unknown.belief) == ("skipped", None)


async def test_capture_by_itself_needs_enough_confidence_and_ends_at_ten_a_session(knowledge: Knowledge) -> None:
    session = await begun(knowledge)

    def captured(content: str, **more: Any) -> BeliefCreate:
        return BeliefCreate(content=content, automatic=True, session_id=session, **more)

    weak = await knowledge.beliefs.create(captured("perhaps tea", signal="mention"), caller=OWNER)
    assert (weak.outcome, weak.reason) == ("skipped", "below 0.5 nothing is captured")
    words = ["tea", "lamp", "door", "house", "garden", "green", "early", "late", "cake", "bread", "stone", "river"]
    made = [await knowledge.beliefs.create(captured(word, signal="theme"), caller=OWNER) for word in words]
    assert [one.outcome for one in made] == ["created"] * 10 + ["skipped"] * 2
    again = await knowledge.beliefs.create(captured("tea", signal="theme"), caller=OWNER)
    assert again.outcome == "corroborated"


async def test_what_is_derived_is_trusted_at_most_as_its_lineage(knowledge: Knowledge) -> None:
    parent = await knowledge.beliefs.create(BeliefCreate(content="tea was seen", signal="mention"), caller=OWNER)
    assert parent.belief is not None
    child = await knowledge.beliefs.create(
        BeliefCreate(content="somebody drinks", derived_from=(parent.belief.id,)), caller=OWNER
    )
    assert child.belief is not None
    assert child.belief.confidence.overall == pytest.approx(0.35, abs=1e-6)
    explained = await knowledge.beliefs.explain(child.belief.id, caller=OWNER)
    assert explained.ceiling == pytest.approx(0.35, abs=1e-6)
    said = Corroboration(source=SourceGiven(kind="document", title="else"))
    freed = await knowledge.beliefs.corroborate(child.belief.id, said, caller=key("bob"))
    assert freed.belief is not None
    assert freed.belief.confidence.overall > 0.8
    with pytest.raises(NotFoundError):
        await knowledge.beliefs.create(BeliefCreate(content="else", derived_from=("nobody",)), caller=OWNER)


async def test_what_is_derived_from_another_scope_rests_on_it_and_goes_with_its_own(
    knowledge: Knowledge, user: str
) -> None:
    given = BeliefCreate(content="the ford is deep", signal="mention", scope=f"{user}-notes")
    parent = (await knowledge.beliefs.create(given, caller=OWNER)).belief
    assert parent is not None
    given = BeliefCreate(content="we take the bridge", derived_from=(parent.id,))
    child = (await knowledge.beliefs.create(given, caller=OWNER)).belief
    assert child is not None
    assert child.confidence.overall == pytest.approx(0.35, abs=1e-6)
    plan = await knowledge.retraction.preview(RetractionRequest(belief_id=parent.id), caller=OWNER)
    assert [(one.id, one.effect) for one in plan.affected if one.label == "Belief"] == [(child.id, "retracted")]
    await knowledge.erasure.apply(ErasureRequest(scope=user), caller=OWNER)
    left = await knowledge.retraction.preview(RetractionRequest(belief_id=parent.id), caller=OWNER)
    assert [one.id for one in left.affected if one.label == "Belief"] == []


async def test_a_given_source_is_used_and_an_unknown_one_is_not_there(knowledge: Knowledge) -> None:
    source = SourceGiven(kind="document", title="Handbook", uri="https://example.org/handbook")
    first = await knowledge.beliefs.create(BeliefCreate(content="tea is ready", source=source), caller=OWNER)
    assert first.belief is not None
    again = await knowledge.beliefs.create(
        BeliefCreate(content="the lamp is green", source_id=first.belief.source_id), caller=OWNER
    )
    assert again.belief is not None
    assert again.belief.source_id == first.belief.source_id
    assert again.belief.source_kind == "document"
    for caller in (OWNER, Caller(("user:else",), ("user:else",))):
        with pytest.raises(NotFoundError):
            await knowledge.beliefs.create(
                BeliefCreate(content="else", source_id="nobody", scope=None if caller is OWNER else "user:else"),
                caller=caller,
            )


async def test_an_explanation_names_each_dimension_each_source_and_what_would_help(knowledge: Knowledge) -> None:
    low = ConfidenceGiven(source_reliability=0.3, internal_consistency=0.4, temporal_freshness=0.2)
    made = await knowledge.beliefs.create(BeliefCreate(content="tea is ready", confidence=low), caller=OWNER)
    assert made.belief is not None
    explained = await knowledge.beliefs.explain(made.belief.id, caller=OWNER)
    assert [one.name for one in explained.dimensions] == [*ConfidenceGiven.model_fields]
    assert sum(one.share for one in explained.dimensions) == pytest.approx(1.0)
    assert [one.share for one in explained.dimensions if one.value is None] == [0.0, 0.0]
    assert len(explained.advice) == 4
    assert (explained.label, len(explained.sources)) == ("uncorroborated", 1)
    said = Corroboration(source=SourceGiven(kind="document", title="menu"), content="there is tea")
    await knowledge.beliefs.corroborate(made.belief.id, said, caller=key("bob"))
    told = await knowledge.beliefs.corroboration(made.belief.id, caller=OWNER)
    assert (told.corroborations, told.label, told.statements) == (1, "single corroboration", 2)
    assert [one.independence for one in told.sources] == [1.0, 1.0]
    assert told.corroboration == pytest.approx(1 - 0.3 * 0.4)


async def test_what_is_put_away_is_not_corroborated(knowledge: Knowledge) -> None:
    made = await knowledge.beliefs.create(BeliefCreate(content="tea is ready"), caller=OWNER)
    assert made.belief is not None
    await knowledge.beliefs.supersede(made.belief.id, BeliefSupersede(content="tea is over"), caller=OWNER)
    with pytest.raises(ConflictError):
        await knowledge.beliefs.corroborate(made.belief.id, Corroboration(), caller=OWNER)


async def test_who_may_only_read_leaves_no_trace_of_what_was_recalled(knowledge: Knowledge, user: str) -> None:
    session = await begun(knowledge)
    await knowledge.beliefs.create(BeliefCreate(content="tea is ready"), caller=OWNER)
    asked = BeliefQuery(query="tea", session_id=session)
    assert len((await knowledge.beliefs.query(asked, caller=Caller((user,), ()))).items) == 1
    again = await knowledge.beliefs.create(BeliefCreate(content="tea is ready", session_id=session), caller=OWNER)
    assert again.outcome == "corroborated"


async def test_what_a_corroboration_said_is_found_by_meaning(knowledge: Knowledge, graph: Graph, user: str) -> None:
    embedder = knowledge.ground.embedder
    for session in (None, await begun(knowledge)):
        said = BeliefCreate(content="The shop opens at nine", session_id=session)
        await knowledge.beliefs.create(said, caller=OWNER)
    await graph.execute(CITED, {"id": f"ev_{user}", "scope": user, "text": "Mills grind grain"})
    asked = {"scope": user, "embedding": await embedder.embed_query("The shop opens at nine")}
    assert [row["text"] for row in await graph.execute(NEAR, asked)] == ["The shop opens at nine"]
    jobs = knowledge.ground.jobs
    async with jobs.lease((await jobs.submit("embed", {}, user)).id) as lease:
        assert await embed_job(graph, embedder, [user], lease) >= 1
    asked["embedding"] = await embedder.embed_query("Mills grind grain")
    assert (await graph.execute(NEAR, asked))[0] == {"text": "Mills grind grain", "model": embedder.model}
