"""Insights on a real graph: stored whole, chosen by profile, aged in words, kept out in quarantine (seed 003)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clause.errors import BadInputError, ForbiddenError, NotFoundError, OutOfBoundsError, PreconditionError
from clause.graph.scopes import Caller
from clause.insights.conflict_models import EarnSalience, Quarantine
from clause.insights.models import (
    PROFILES,
    FormattedInsight,
    Insight,
    RetrievalProfile,
    SearchInsights,
    StoreInsight,
    Valences,
)
from clause.insights.room import Insights
from tests.fakes.clock import Clock

pytestmark = pytest.mark.integration

COUNT = iter(range(1 << 40))


def told(**more: Any) -> StoreInsight:
    """A request; contents differ in every word, so that none is similar to another."""
    words = " ".join(f"w{next(COUNT)}" for _ in range(6))
    given_: dict[str, Any] = {
        "topic_key": "user:ann",
        "category": "user_reflection",
        "content": words,
        "salience_spent": 4.0,
        "valences": Valences(curiosity=0.5),
    }
    return StoreInsight.model_validate(given_ | more)


async def stored(room: Insights, **more: Any) -> Insight:
    return (await room.insights.store(told(**more))).insight


def ids(found: list[FormattedInsight] | list[Insight]) -> list[str]:
    return [insight.id for insight in found]


async def test_insights_store_with_all_fields(room: Insights, scope: str, clock: Clock) -> None:
    source = await stored(room)
    old = await stored(room)
    request = told(
        topic_key="dyad:bob:ann",
        category="dyad_observation",
        sources_scope_max="dm",
        strength_adjustment=1.5,
        original_topic_salience=8.0,
        confidence=0.9,
        importance=0.8,
        novelty=0.7,
        valences=Valences(joy=0.1, concern=0.2, curiosity=0.3, warmth=0.4, tension=0.5, awe=0.6, grief=0.7,
                          longing=0.8, peace=0.9, gratitude=1.0),
        open_questions=("why?", "since when?"),
        participants=("ann", "bob"),
        supersedes=old.id,
        synthesis_source_ids=(source.id,),
    )  # fmt: skip
    answer = (await room.insights.store(request)).insight
    found = await room.insights.get(answer.id)
    assert found == answer
    expected = request.model_dump(exclude={"scope", "topic_key", "quarantined"})
    assert found.model_dump(include=set(expected)) == expected
    assert (found.topic_key, found.scope, found.created_at) == ("dyad:ann:bob", scope, clock.at)
    assert (found.strength, found.original_topic_salience) == (6.0, 8.0)
    assert (found.quarantined, found.conflicts_with, found.conflict_resolved) == (False, (), False)
    assert (await room.insights.get(old.id)).superseded_by == (found.id,)


async def test_recent_profile_emphasizes_recency(room: Insights, clock: Clock) -> None:
    made = []
    for age in range(10):
        made.append(await stored(room, salience_spent=float(10 - age)))
        clock.forward(minutes=1)
    found = await room.retriever.retrieve("user:ann", "recent", 5)
    assert ids(found) == [insight.id for insight in (made[9], made[8], made[7], made[6], made[0])]


async def test_deep_profile_emphasizes_strength(room: Insights, clock: Clock) -> None:
    made = []
    for age in range(10):
        made.append(await stored(room, salience_spent=float(10 - age)))
        clock.forward(minutes=1)
    found = await room.retriever.retrieve("user:ann", "deep", 5)
    assert ids(found) == [insight.id for insight in (made[9], made[0], made[1], made[2], made[3])]


async def test_quarantined_insights_excluded(room: Insights) -> None:
    kept, hidden = await stored(room), await stored(room)
    state = await room.insights.quarantine(hidden.id, Quarantine(quarantined=True, reason="private"))
    assert (state.quarantined, state.version) == (True, 2)
    for profile in PROFILES:
        assert ids(await room.retriever.retrieve("user:ann", profile)) == [kept.id]
    assert ids(await room.retriever.get_insights_by_category("user_reflection", scopes=[kept.scope])) == [kept.id]
    with pytest.raises(NotFoundError):
        await room.insights.get(hidden.id)
    found = await room.finder.search(SearchInsights(query=hidden.content, scopes=(kept.scope,)))
    assert hidden.id not in [item.insight.id for item in found.items]
    await room.insights.quarantine(hidden.id, Quarantine(quarantined=False))
    assert set(ids(await room.retriever.retrieve("user:ann"))) == {kept.id, hidden.id}
    changes = await room.insights.changes(hidden.id)
    assert [(change.before, change.after, change.reason) for change in changes] == [
        ("false", "true", "private"),
        ("true", "false", None),
    ]


async def test_temporal_markers_accurate(room: Insights, clock: Clock) -> None:
    insight = await stored(room, salience_spent=6.0)
    clock.forward(days=3)
    (found,) = await room.retriever.retrieve("user:ann")
    assert found.temporal_marker == "clear memory from 3 days ago"
    assert found == FormattedInsight(
        id=insight.id,
        content=insight.content,
        temporal_marker="clear memory from 3 days ago",
        strength=6.0,
        confidence=0.5,
        category="user_reflection",
        created_at=insight.created_at,
        effective_strength=6.0,
        topic_key="user:ann",
        scope=insight.scope,
    )


async def test_global_topic_retrieves_server_scoped_too(room: Insights) -> None:
    own = [await stored(room) for _ in range(2)]
    on_servers = [await stored(room, topic_key=f"server:{server}:user:ann") for server in ("9", "8")]
    await stored(room, topic_key="server:9:user:anna")
    await stored(room, topic_key="server:9:subject:user")
    found = await room.retriever.retrieve_for_global_topic("user:ann")
    assert set(ids(found[:2])) == {insight.id for insight in own}
    assert set(ids(found[2:])) == {insight.id for insight in on_servers}


async def test_max_age_respected(room: Insights, clock: Clock) -> None:
    old = await stored(room)
    clock.forward(days=2)
    young = await stored(room)
    assert set(ids(await room.retriever.retrieve("user:ann", "careful"))) == {old.id, young.id}
    clock.forward(seconds=1)
    assert ids(await room.retriever.retrieve("user:ann", "careful")) == [young.id]
    inline = RetrievalProfile(max_age_days=3)
    assert set(ids(await room.retriever.retrieve("user:ann", inline))) == {old.id, young.id}


async def test_an_unknown_profile_is_an_error(room: Insights) -> None:
    with pytest.raises(BadInputError, match="no retrieval profile"):
        await room.retriever.retrieve("user:ann", "shallow")
    with pytest.raises(OutOfBoundsError):
        await room.retriever.retrieve("user:ann", limit=0)


async def test_what_one_side_leaves_goes_to_the_other(room: Insights) -> None:
    own = [await stored(room) for _ in range(6)]
    theirs = await stored(room, topic_key="server:9:user:ann")
    assert len(await room.retriever.retrieve_for_global_topic("user:ann", limit=6)) == 6
    found = ids(await room.retriever.retrieve_for_global_topic("user:ann", limit=6))
    assert theirs.id in found
    assert len({*found} & {insight.id for insight in own}) == 5
    for _ in range(6):
        await stored(room, topic_key="server:7:user:bob")
    bob = await stored(room, topic_key="user:bob")
    found = ids(await room.retriever.retrieve_for_global_topic("user:bob", limit=5))
    assert (len(found), found[0]) == (5, bob.id)
    assert len(await room.retriever.retrieve_for_global_topic("user:bob", limit=1)) == 1


@pytest.mark.parametrize("key", ["user:%", "user:*", "user:_nn", "dyad:ann:%", "%", "user:ann'--", "server:%:user:ann"])
async def test_a_pattern_is_no_topic(room: Insights, key: str) -> None:
    await stored(room)
    for ask in (room.retriever.retrieve, room.retriever.retrieve_for_global_topic):
        with pytest.raises(BadInputError):
            await ask(key)


async def test_names_that_look_like_patterns_are_only_names(room: Insights) -> None:
    percent = await stored(room, topic_key="server:9:subject:%")
    await stored(room, topic_key="server:9:subject:other")
    assert ids(await room.retriever.retrieve("server:9:subject:%")) == [percent.id]


async def test_only_users_and_dyads_are_global(room: Insights) -> None:
    for key in ("self:growth", "server:9:user:ann", "server:9:channel:1"):
        with pytest.raises(BadInputError, match="is not global"):
            await room.retriever.retrieve_for_global_topic(key)


async def test_strength_fades_with_the_topic_and_ranks(room: Insights, clock: Clock) -> None:
    await room.topics.earn(EarnSalience(topic_key="user:ann", amount=10.0))
    strong = await stored(room, salience_spent=9.0)
    topic = await room.topics.get("user:ann")
    assert topic.current_salience == 10.0
    clock.forward(days=107)
    faded = await stored(room, topic_key="user:ann", salience_spent=5.0)
    assert faded.original_topic_salience == pytest.approx(10.0 * 0.99**100)
    first, second = await room.retriever.retrieve("user:ann", RetrievalProfile(recency_weight=0, strength_weight=1), 2)
    assert ids([first, second]) == [faded.id, strong.id]
    assert second.strength == 9.0
    assert second.effective_strength == pytest.approx(9.0 * 0.99**100)
    assert second.temporal_marker == "fading memory from 3 months ago"
    assert (await room.insights.get(strong.id)).strength == 9.0


async def test_activity_adds_to_what_is_left(room: Insights, clock: Clock) -> None:
    await room.topics.earn(EarnSalience(topic_key="user:ann", amount=10.0))
    clock.forward(days=17)
    topic = await room.topics.earn(EarnSalience(topic_key="user:ann", amount=1.0))
    assert topic.salience == pytest.approx(10.0 * 0.99**10 + 1.0)
    await asyncio.gather(*(room.topics.earn(EarnSalience(topic_key="user:ann", amount=0.5)) for _ in range(12)))
    assert (await room.topics.get("user:ann")).salience == pytest.approx(10.0 * 0.99**10 + 7.0)
    assert [known.key for known in await room.topics.list(scopes=[topic.scope], kind="user")] == ["user:ann"]
    with pytest.raises(NotFoundError):
        await room.topics.get("user:bob")


async def test_raw_insights_come_in_the_same_order(room: Insights, clock: Clock) -> None:
    for _ in range(5):
        await stored(room)
        clock.forward(minutes=1)
    shown = await room.retriever.retrieve("user:ann", "recent", 4)
    raw = await room.retriever.get_insights_for_topic("user:ann", "recent", 4)
    assert ids(raw) == ids(shown)
    assert isinstance(raw[0], Insight)


async def test_categories_go_newest_first_since_an_instant(room: Insights, scope: str, clock: Clock) -> None:
    made = []
    for _ in range(4):
        made.append(await stored(room, category="synthesis"))
        clock.forward(hours=1)
    by_category = room.retriever.get_insights_by_category
    assert ids(await by_category("synthesis", scopes=[scope])) == [insight.id for insight in reversed(made)]
    assert ids(await by_category("synthesis", since=made[2].created_at, scopes=[scope])) == [made[3].id, made[2].id]
    assert ids(await by_category("synthesis", 1, scopes=[scope], after=made[2].id)) == [made[1].id]
    assert await by_category("self_reflection", scopes=[scope]) == []


async def test_search_finds_by_words_within_scopes_and_categories(room: Insights, scope: str) -> None:
    wanted = await stored(room, content="Ann asks for the reason first")
    await stored(room, content="Bob never asks anything", category="synthesis")
    found = await room.finder.search(SearchInsights(query="the reason that Ann asks for", scopes=(scope,)))
    assert found.items[0].insight.id == wanted.id
    only = await room.finder.search(SearchInsights(query="asks", category="synthesis", scopes=(scope,)))
    assert {item.insight.category for item in only.items} == {"synthesis"}
    assert (await room.finder.search(SearchInsights(query="AND OR ( /", scopes=(scope,)))).items is not None


async def test_a_crowd_of_other_categories_and_hidden_ones_hides_no_insight_from_a_search_by_words(
    room: Insights, scope: str
) -> None:
    for number in range(60):
        await stored(room, content="Ann", topic_key=f"user:u{number % 9}", quarantined=number % 2 == 0)
    wanted = await stored(room, content="what became of the harbour, and why Ann left it", category="synthesis")
    asked = SearchInsights(query="Ann", category="synthesis", scopes=(scope,))
    (found,) = (await room.finder.search(asked)).items
    assert found.insight.id == wanted.id
    assert found.fused_score == pytest.approx(2 / 61)  # first by meaning and by words


async def test_strangers_see_nothing(room: Insights) -> None:
    insight = await stored(room)
    eve = Caller(readable=("user:eve",), writable=("user:eve",))
    with pytest.raises(NotFoundError):
        await room.insights.get(insight.id, caller=eve)
    with pytest.raises(NotFoundError):
        await room.insights.quarantine(insight.id, Quarantine(quarantined=True), caller=eve)
    with pytest.raises(NotFoundError):
        await room.insights.changes(insight.id, caller=eve)
    with pytest.raises(ForbiddenError):
        await room.insights.store(told(scope=insight.scope), caller=eve)
    with pytest.raises(ForbiddenError):
        await room.retriever.retrieve("user:ann", scopes=[insight.scope], caller=eve)
    assert await room.retriever.retrieve("user:ann", caller=eve) == []


async def test_quarantine_honours_the_version_that_was_seen(room: Insights) -> None:
    insight = await stored(room)
    await room.insights.quarantine(insight.id, Quarantine(quarantined=True), versions=(1,))
    with pytest.raises(PreconditionError):
        await room.insights.quarantine(insight.id, Quarantine(quarantined=False), versions=(1,))
    again = await room.insights.quarantine(insight.id, Quarantine(quarantined=True), versions=(2,))
    assert again.version == 2
    assert len(await room.insights.changes(insight.id)) == 1


async def test_what_an_insight_refers_to_has_to_be_there(room: Insights) -> None:
    hidden = await stored(room, quarantined=True)
    for more in ({"supersedes": "01JD7W9ZB6V3Q7T5N9S4E2M8XK"}, {"synthesis_source_ids": (hidden.id,)}):
        with pytest.raises(NotFoundError):
            await stored(room, **more)


PROFILES_OF_ANY_KIND = st.one_of(
    st.sampled_from(sorted(PROFILES)),
    st.builds(
        RetrievalProfile,
        recency_weight=st.floats(0.01, 1),
        strength_weight=st.floats(0, 1),
        max_age_days=st.one_of(st.none(), st.integers(1, 400)),
        include_conflicting=st.booleans(),
    ),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
async def test_quarantined_insights_are_never_returned_whatever_the_flags(room: Insights, data: st.DataObject) -> None:
    user = f"u{next(COUNT)}"
    opposed = [Valences(warmth=0.9), Valences(tension=0.9)]
    flags = data.draw(st.lists(st.booleans(), min_size=2, max_size=5), label="quarantined")
    made = []
    for number, quarantined in enumerate(flags):
        topic = data.draw(st.sampled_from([f"user:{user}", f"server:9:user:{user}"]))
        words = data.draw(st.sampled_from(["the very same words", f"other words {number}"]))
        made.append(await stored(room, topic_key=topic, content=words, valences=opposed[number % 2]))
        if quarantined:
            await room.insights.quarantine(made[-1].id, Quarantine(quarantined=True))
    hidden = {insight.id for insight, quarantined in zip(made, flags, strict=True) if quarantined}
    profile = data.draw(PROFILES_OF_ANY_KIND, label="profile")
    limit = data.draw(st.integers(1, 12), label="limit")
    scope = made[0].scope
    answers: list[Any] = [
        await room.retriever.retrieve(f"user:{user}", profile, limit),
        await room.retriever.retrieve_for_global_topic(f"user:{user}", profile, limit),
        await room.retriever.get_insights_for_topic(f"server:9:user:{user}", profile, limit),
        await room.retriever.get_insights_by_category("user_reflection", 1000, scopes=[scope]),
        [item.insight for item in (await room.finder.search(SearchInsights(query="words", scopes=(scope,)))).items],
    ]
    for answer in answers:
        assert len(ids(answer)) == len(set(ids(answer)))
        assert not hidden & set(ids(answer))
        assert not hidden & {other for insight in answer for other in insight.conflicts_with}
    conflicts = await room.settlement.conflicts(scopes=[scope], limit=1000)
    assert not hidden & {insight for conflict in conflicts for insight in (conflict.insight_id, conflict.other_id)}
    for proposal in await room.settlement.proposals(scopes=[scope], limit=100):
        assert not hidden & {*proposal.insight_ids}
    for insight_id in hidden:
        with pytest.raises(NotFoundError):
            await room.insights.get(insight_id)
