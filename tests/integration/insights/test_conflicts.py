"""Conflicts between insights: found on insert, marked both ways, settled with a record; a synthesis when it is time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from clause.errors import BadInputError, ConflictError, NotFoundError, OutOfBoundsError, PreconditionError
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.insights.conflict_models import Quarantine, Resolution, ResolveConflict, StoredInsight
from clause.insights.models import Insight, RetrieveInsights, StoreInsight, Valences
from clause.insights.room import Insights
from tests.fakes.clock import Clock

pytestmark = pytest.mark.integration

EVENING = "an evening with Ann at the lake"


def told(**more: Any) -> StoreInsight:
    given: dict[str, Any] = {
        "topic_key": "user:ann",
        "category": "user_reflection",
        "content": EVENING,
        "salience_spent": 4.0,
        "valences": Valences(warmth=0.9),
    }
    return StoreInsight.model_validate(given | more)


async def store(room: Insights, **more: Any) -> StoredInsight:
    return await room.insights.store(told(**more))


async def two(room: Insights, number: int = 0) -> tuple[Insight, StoredInsight]:
    """A warm insight and a tense one that conflicts with it alone."""
    where = {"content": f"{EVENING} {number}", "topic_key": f"server:9:subject:s{number}"}
    first = (await store(room, **where)).insight
    return first, await store(room, **where, valences=Valences(tension=0.8))


async def test_conflict_tracking_fields_are_populated_both_ways(room: Insights, clock: Clock) -> None:
    first, second = await two(room)
    (conflict,) = second.conflicts
    assert (conflict.insight_id, conflict.other_id) == (second.insight.id, first.id)
    assert conflict.signals == ("warmth / tension",)
    assert conflict.similarity == pytest.approx(1.0, abs=1e-5)
    assert (conflict.recorded_at, conflict.resolution, conflict.version) == (clock.at, None, 1)
    for one, other in ((first.id, second.insight.id), (second.insight.id, first.id)):
        found = await room.insights.get(one)
        assert (found.conflicts_with, found.conflict_resolved) == ((other,), False)
        (change,) = await room.insights.changes(one)
        assert (change.mark, change.after) == ("conflict", other)


async def test_texts_that_contradict_each_other_conflict(room: Insights) -> None:
    calm = Valences(awe=0.5)
    await store(room, content="Ann trusts the new build of the lake house", valences=calm)
    second = await store(room, content="Ann does not trust the new build of the lake house", valences=calm)
    assert [conflict.signals for conflict in second.conflicts] == [("negation",)]


async def test_only_conflicting_ones_are_left_out_and_only_if_asked(room: Insights) -> None:
    first, second = await two(room)
    calm = (
        await store(room, topic_key=first.topic_key, content="nothing of the kind", valences=Valences(awe=1))
    ).insight
    ask = room.retriever.retrieve
    assert [found.id for found in await ask(first.topic_key)] == [calm.id]
    everything = await ask(first.topic_key, "comprehensive")
    assert {found.id for found in everything} == {first.id, second.insight.id, calm.id}
    assert {found.conflicts_with for found in everything} == {(), (first.id,), (second.insight.id,)}
    resolution = ResolveConflict(resolution=Resolution.PARADOX_KEPT, reason="both are so")
    await room.settlement.resolve(second.conflicts[0].id, resolution)
    assert {found.id for found in await ask(first.topic_key)} == {first.id, second.insight.id, calm.id}
    assert (await room.insights.get(first.id)).conflict_resolved


async def test_other_topics_old_ones_and_superseded_ones_do_not_conflict(room: Insights, clock: Clock) -> None:
    tense = Valences(tension=0.9)
    first = (await store(room)).insight
    assert (await store(room, topic_key="user:bob", valences=tense)).conflicts == ()
    assert (await store(room, valences=tense, supersedes=first.id)).conflicts == ()
    third = (await store(room, topic_key="user:eve")).insight
    clock.forward(days=30, seconds=1)
    assert (await store(room, topic_key="user:eve", valences=tense)).conflicts == ()
    assert (await room.insights.get(third.id)).conflicts_with == ()


async def test_thirty_days_are_still_within(room: Insights, clock: Clock) -> None:
    await store(room)
    clock.forward(days=30)
    assert len((await store(room, valences=Valences(tension=0.9))).conflicts) == 1


async def test_a_quarantined_insight_conflicts_with_nobody_that_is_shown(room: Insights) -> None:
    first, second = await two(room)
    await room.insights.quarantine(second.insight.id, Quarantine(quarantined=True))
    found = await room.insights.get(first.id)
    assert (found.conflicts_with, found.conflict_resolved) == ((), False)
    assert [shown.id for shown in await room.retriever.retrieve(first.topic_key)] == [first.id]
    assert await room.settlement.conflicts(scopes=[first.scope]) == []
    with pytest.raises(NotFoundError):
        await room.settlement.conflict(second.conflicts[0].id)
    hidden = await store(room, topic_key=first.topic_key, valences=Valences(tension=1), quarantined=True)
    assert (hidden.insight.quarantined, hidden.conflicts) == (True, ())


async def test_insights_at_one_instant_see_each_other(room: Insights) -> None:
    feelings = [Valences(warmth=0.9), Valences(tension=0.9)] * 4
    answers = await asyncio.gather(*(store(room, valences=valences) for valences in feelings))
    warm = {answer.insight.id for answer in answers[::2]}
    tense = {answer.insight.id for answer in answers[1::2]}
    found = await room.settlement.conflicts(scopes=[answers[0].insight.scope], limit=100)
    pairs = {frozenset((conflict.insight_id, conflict.other_id)) for conflict in found}
    assert pairs == {frozenset((one, other)) for one in warm for other in tense}
    assert len(found) == 16


async def test_superseding_says_which_one_holds(room: Insights) -> None:
    first, second = await two(room)
    conflict_id = second.conflicts[0].id
    for wrong in (None, "01JD7W9ZB6V3Q7T5N9S4E2M8XK"):
        with pytest.raises(OutOfBoundsError):
            await room.settlement.resolve(
                conflict_id, ResolveConflict(resolution=Resolution.SUPERSEDED, superseding_id=wrong)
            )
    resolution = ResolveConflict(resolution=Resolution.SUPERSEDED, superseding_id=first.id)
    settled = await room.settlement.resolve(conflict_id, resolution, versions=(1,))
    assert (settled.resolution, settled.version) == (Resolution.SUPERSEDED, 2)
    assert (await room.insights.get(second.insight.id)).superseded_by == (first.id,)
    changes = await room.insights.changes(first.id)
    assert [(change.mark, change.after) for change in changes] == [
        ("conflict", second.insight.id),
        ("conflict_resolved", "superseded"),
    ]
    with pytest.raises(ConflictError, match="settled already"):
        await room.settlement.resolve(conflict_id, resolution)
    with pytest.raises(PreconditionError):
        await room.settlement.resolve(conflict_id, resolution, versions=(1,))


async def test_a_synthesis_has_to_be_there(room: Insights) -> None:
    first, second = await two(room)
    conflict_id = second.conflicts[0].id
    with pytest.raises(OutOfBoundsError):
        await room.settlement.resolve(conflict_id, ResolveConflict(resolution=Resolution.SYNTHESISED))
    missing = ResolveConflict(resolution=Resolution.SYNTHESISED, synthesis_id="01JD7W9ZB6V3Q7T5N9S4E2M8XK")
    with pytest.raises(NotFoundError):
        await room.settlement.resolve(conflict_id, missing)
    joined = await store(
        room, topic_key=first.topic_key, category="synthesis", content="warm at first, tense after dark",
        valences=Valences(awe=0.5), synthesis_source_ids=(first.id, second.insight.id),
    )  # fmt: skip
    for one_of_them in (first.id, second.insight.id):
        with pytest.raises(OutOfBoundsError, match="joins both"):
            await room.settlement.resolve(
                conflict_id, ResolveConflict(resolution=Resolution.SYNTHESISED, synthesis_id=one_of_them)
            )
    resolution = ResolveConflict(resolution=Resolution.SYNTHESISED, synthesis_id=joined.insight.id)
    settled = await room.settlement.resolve(conflict_id, resolution)
    assert (settled.resolution, settled.synthesis_id) == (Resolution.SYNTHESISED, joined.insight.id)
    assert (await room.settlement.conflict(conflict_id)).synthesis_id == joined.insight.id
    for marked in (first.id, second.insight.id):
        changes = await room.insights.changes(marked)
        assert [change.synthesis_id for change in changes] == [None, joined.insight.id]


async def test_only_a_synthesis_is_kept_as_one(room: Insights) -> None:
    first, second = await two(room)
    third = await store(room, topic_key=first.topic_key, content="nothing of the kind", valences=Valences(awe=1))
    kept = ResolveConflict(resolution=Resolution.PARADOX_KEPT, synthesis_id=third.insight.id)
    assert (await room.settlement.resolve(second.conflicts[0].id, kept)).synthesis_id is None


async def test_a_synthesis_is_in_no_conflict_with_what_it_was_made_of(room: Insights) -> None:
    first, second = await two(room)
    joined = await store(
        room, topic_key=first.topic_key, category="synthesis", content=f"{first.content}, and tense after dark",
        valences=Valences(warmth=0.9, tension=0.9), synthesis_source_ids=(first.id, second.insight.id),
    )  # fmt: skip
    assert joined.conflicts == ()


async def test_a_synthesis_is_proposed_at_three_unresolved_conflicts(room: Insights) -> None:
    tense = Valences(tension=0.9)
    first = (await store(room)).insight
    answers = [await store(room, valences=tense) for _ in range(3)]
    assert [answer.synthesis is not None for answer in answers] == [False, False, True]
    proposal = answers[-1].synthesis
    assert proposal is not None
    assert (proposal.reason, proposal.unresolved, proposal.topic_key) == ("three_unresolved", 3, "user:ann")
    assert set(proposal.insight_ids) == {first.id, *(answer.insight.id for answer in answers)}
    assert set(proposal.options) == set(Resolution)
    assert await room.settlement.proposals(scopes=[first.scope]) == [proposal]
    for answer in answers:
        resolution = ResolveConflict(resolution=Resolution.CONTEXT_DEPENDENT)
        await room.settlement.resolve(answer.conflicts[0].id, resolution)
    assert await room.settlement.proposals(scopes=[first.scope]) == []


async def test_a_synthesis_is_proposed_after_thirty_days(room: Insights, clock: Clock) -> None:
    first, _ = await two(room)
    clock.forward(days=29, hours=23)
    assert await room.settlement.proposals(scopes=[first.scope]) == []
    clock.forward(hours=1)
    (proposal,) = await room.settlement.proposals(topic_key=first.topic_key, scopes=[first.scope])
    assert (proposal.reason, proposal.unresolved) == ("thirty_days", 1)
    assert await room.settlement.proposals(topic_key="user:bob", scopes=[first.scope]) == []


async def test_conflicts_are_listed_in_pages_and_by_state(room: Insights) -> None:
    pairs = [await two(room, number) for number in range(3)]
    scope = pairs[0][0].scope
    newest = [second.conflicts[0].id for _, second in reversed(pairs)]
    listed = await room.settlement.conflicts(scopes=[scope])
    assert [conflict.id for conflict in listed] == newest
    assert [found.id for found in await room.settlement.conflicts(scopes=[scope], after=newest[0])] == newest[1:]
    await room.settlement.resolve(newest[0], ResolveConflict(resolution=Resolution.PARADOX_KEPT))
    assert [found.id for found in await room.settlement.conflicts(scopes=[scope], resolved=True)] == newest[:1]
    assert [found.id for found in await room.settlement.conflicts(scopes=[scope], resolved=False)] == newest[1:]
    by_topic = await room.settlement.conflicts(scopes=[scope], topic_key=pairs[1][0].topic_key)
    assert [found.id for found in by_topic] == [newest[1]]
    with pytest.raises(BadInputError):
        await room.settlement.conflicts(topic_key="%")


async def test_strangers_settle_nothing(room: Insights) -> None:
    _, second = await two(room)
    eve = Caller(readable=("user:eve",), writable=("user:eve",))
    with pytest.raises(NotFoundError):
        await room.settlement.resolve(
            second.conflicts[0].id, ResolveConflict(resolution=Resolution.PARADOX_KEPT), caller=eve
        )
    assert await room.settlement.conflicts(caller=eve) == []


def test_a_request_names_a_profile_or_brings_one() -> None:
    assert RetrieveInsights(topic_key="user:1", profile="deep").profile == "deep"
    inline = RetrieveInsights.model_validate({"topic_key": "user:1", "profile": {"recency_weight": 1}})
    assert not isinstance(inline.profile, str)


async def test_what_a_profile_holds_back_is_counted_and_named(room: Insights) -> None:
    first, second = await two(room, 71)
    request = RetrieveInsights(topic_key=first.topic_key)
    found = await room.retriever.listed(request)
    assert (found.items, set(found.hidden)) == ((), {first.id, second.insight.id})
    assert found.reason.startswith("2 held back for conflicts")
    shown = await room.retriever.listed(request.model_copy(update={"profile": "comprehensive"}))
    assert (len(shown.items), shown.hidden, shown.reason) == (2, (), "")
    nothing = await room.retriever.listed(RetrieveInsights(topic_key="user:nobody"))
    assert nothing.reason == "there is no insight on this topic in these scopes"


async def test_quarantine_is_told_to_those_who_may_end_it(room: Insights, scope: str) -> None:
    kept = (await store(room, topic_key="user:bea")).insight
    await room.insights.quarantine(kept.id, Quarantine(quarantined=True))
    with pytest.raises(NotFoundError) as told_so:
        await room.insights.get(kept.id)
    assert told_so.value.code == "insight_quarantined"
    assert EVENING not in str(told_so.value)
    reader = Caller(readable=(scope,), writable=())
    with pytest.raises(NotFoundError) as unknown:
        await room.insights.get(kept.id, caller=reader)
    assert unknown.value.code == "not_found"


async def test_an_insight_that_is_let_out_is_held_against_what_came_meanwhile(room: Insights, clock: Clock) -> None:
    hidden = (await store(room, quarantined=True)).insight
    clock.forward(days=1)
    later = await store(room, valences=Valences(tension=0.9))
    old = await store(room, content="nothing of the kind", valences=Valences(awe=1))
    assert later.conflicts == ()
    with pytest.raises(PreconditionError):
        await room.insights.quarantine(hidden.id, Quarantine(quarantined=False), versions=[7])
    assert (await room.insights.get(later.insight.id)).conflicts_with == ()
    await room.insights.quarantine(hidden.id, Quarantine(quarantined=False))
    assert (await room.insights.get(hidden.id)).conflicts_with == (later.insight.id,)
    assert (await room.insights.get(later.insight.id)).conflicts_with == (hidden.id,)
    assert (await room.insights.get(old.insight.id)).conflicts_with == ()
    for quarantined in (True, False):
        await room.insights.quarantine(hidden.id, Quarantine(quarantined=quarantined))
    assert len(await room.settlement.conflicts(scopes=[hidden.scope])) == 1
    clock.forward(days=40)
    late = (await store(room, quarantined=True, valences=Valences(tension=0.9))).insight
    await room.insights.quarantine(late.id, Quarantine(quarantined=False))
    assert (await room.insights.get(late.id)).conflicts_with == ()


async def test_two_who_let_one_insight_out_at_once_mark_its_conflicts_once(room: Insights) -> None:
    hidden = (await store(room, quarantined=True)).insight
    later = [(await store(room, valences=Valences(tension=0.9))).insight for _ in range(2)]
    out = Quarantine(quarantined=False)
    await asyncio.gather(*(room.insights.quarantine(hidden.id, out) for _ in range(3)))
    found = await room.settlement.conflicts(scopes=[hidden.scope])
    assert {conflict.other_id for conflict in found} == {one.id for one in later}
    assert len(found) == 2
    marks = [change.mark for change in await room.insights.changes(hidden.id)]
    assert sorted(marks) == ["conflict", "conflict", "quarantined"]


async def test_what_is_superseded_holds_back_nothing(room: Insights) -> None:
    first = (await store(room)).insight
    tense = [await store(room, valences=Valences(tension=0.9)) for _ in range(3)]
    assert len(await room.settlement.proposals(scopes=[first.scope])) == 1
    await store(room, content="nothing of the kind", valences=Valences(awe=1), supersedes=first.id)
    ids = {one.insight.id for one in tense}
    for profile in ("recent", "deep"):
        assert ids <= {found.id for found in await room.retriever.retrieve("user:ann", profile)}
    listed = await room.retriever.listed(RetrieveInsights(topic_key="user:ann"))
    assert listed.hidden == (first.id,)
    assert await room.settlement.proposals(scopes=[first.scope]) == []


async def test_a_superseding_insight_in_quarantine_lets_nothing_out(room: Insights) -> None:
    first = (await store(room)).insight
    second = await store(room, valences=Valences(tension=0.9))
    await store(room, content="nothing of the kind", valences=Valences(awe=1), supersedes=first.id, quarantined=True)
    listed = await room.retriever.listed(RetrieveInsights(topic_key="user:ann"))
    assert set(listed.hidden) == {first.id, second.insight.id}


def twice(monkeypatch: pytest.MonkeyPatch, graph: Graph) -> None:
    """Every statement runs a second time, as after a connection that broke while the first one was committed."""
    once, together = graph.execute, graph.write

    async def execute(*given: Any, **more: Any) -> Any:
        await once(*given, **more)
        return await once(*given, **more)

    async def write(*given: Any, **more: Any) -> Any:
        await together(*given, **more)
        return await together(*given, **more)

    monkeypatch.setattr(graph, "execute", execute)
    monkeypatch.setattr(graph, "write", write)


async def test_settling_twice_after_a_lost_connection_is_settling_once(
    room: Insights, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = await two(room)
    twice(monkeypatch, graph)
    resolution = ResolveConflict(resolution=Resolution.SUPERSEDED, superseding_id=first.id)
    settled = await room.settlement.resolve(second.conflicts[0].id, resolution)
    assert (settled.resolution, settled.version) == (Resolution.SUPERSEDED, 2)
    assert len(await room.insights.changes(first.id)) == 2
    assert (await room.insights.get(second.insight.id)).superseded_by == (first.id,)
    with pytest.raises(ConflictError, match="settled already"):
        await room.settlement.resolve(second.conflicts[0].id, resolution)


async def test_quarantine_twice_after_a_lost_connection_is_quarantine_once(
    room: Insights, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = await two(room)
    twice(monkeypatch, graph)
    for quarantined, version in ((True, 3), (False, 4)):
        now = await room.insights.quarantine(first.id, Quarantine(quarantined=quarantined), versions=[version - 1])
        assert (now.quarantined, now.version) == (quarantined, version)
    assert len(await room.settlement.conflicts(scopes=[first.scope])) == 1
    with pytest.raises(PreconditionError):
        await room.insights.quarantine(first.id, Quarantine(quarantined=True), versions=[3])
