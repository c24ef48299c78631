"""Questions to the beliefs on a real graph: order, filters, floors, reasons, both times."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest

from clause.errors import NotFoundError
from clause.graph.scopes import Caller
from clause.knowledge.beliefs.models import (
    Belief,
    BeliefCreate,
    BeliefSupersede,
    ConfidenceGiven,
    Corroboration,
    SourceGiven,
)
from clause.knowledge.beliefs.query_models import (
    BeliefFilter,
    BeliefHits,
    BeliefQuery,
    BeliefSearch,
    ConfidenceFloors,
    RankingWeights,
)
from clause.knowledge.room import Knowledge
from clause.knowledge.tension_detection import TensionFilter, TensionResolve
from tests.integration.knowledge.conftest import OWNER, Clock

pytestmark = pytest.mark.integration


async def stated(knowledge: Knowledge, content: str, **more: Any) -> Belief:
    made = await knowledge.beliefs.create(BeliefCreate(content=content, **more), caller=OWNER)
    assert made.belief is not None
    return made.belief


def contents(hits: BeliefHits) -> list[str]:
    return [hit.belief.content for hit in hits.items]


async def test_the_nearest_and_surest_come_first_and_say_why(knowledge: Knowledge) -> None:
    await stated(knowledge, "tea is served at noon", signal="mention")
    await stated(knowledge, "tea is served at five", signal="explicit_request")
    await stated(knowledge, "the garage door is broken")
    hits = await knowledge.beliefs.query(BeliefQuery(query="when is tea served", explain=True, limit=2), caller=OWNER)
    assert contents(hits) == ["tea is served at five", "tea is served at noon"]
    best = hits.items[0]
    assert best.ranking is not None
    parts = best.ranking
    weighed = 0.5 * parts.semantic + 0.35 * parts.confidence + 0.15 * parts.recency
    assert best.final_score == pytest.approx(weighed, abs=1e-9)
    plain = await knowledge.beliefs.query(BeliefQuery(query="tea"), caller=OWNER)
    assert all(hit.ranking is None for hit in plain.items)


async def test_weights_change_the_order(knowledge: Knowledge, clock: Clock) -> None:
    await stated(knowledge, "tea at noon", signal="mention", decay="forever")
    clock.move(days=200)
    await stated(knowledge, "tea and cake and more cake at five", signal="mention", decay="forever")
    for weights, first in (
        (RankingWeights(semantic=1, confidence=0, recency=0), "tea at noon"),
        (RankingWeights(semantic=0, confidence=0, recency=1), "tea and cake and more cake at five"),
    ):
        hits = await knowledge.beliefs.query(BeliefQuery(query="tea at noon", ranking=weights), caller=OWNER)
        assert contents(hits)[0] == first


async def test_filters_and_floors_say_how_many_they_took(knowledge: Knowledge) -> None:
    await stated(knowledge, "tea is green", domain_path=("Kitchen", "tea"))
    await stated(knowledge, "tea is black", signal="mention", confidence=ConfidenceGiven(source_reliability=0.2))
    filtered = await knowledge.beliefs.query(BeliefQuery(query="tea", domain_filter=("kitchen",)), caller=OWNER)
    assert contents(filtered) == ["tea is green"]
    assert [(one.by, one.count) for one in filtered.removed] == [("domain_filter", 1)]
    floors = ConfidenceFloors(source_reliability=0.99, corroboration=0.5)
    empty = await knowledge.beliefs.query(BeliefQuery(query="tea", floors=floors), caller=OWNER)
    assert empty.items == ()
    assert {one.by: one.count for one in empty.removed} == {"floors.source_reliability": 2}
    assert empty.reason == "of 2 near beliefs none is left: floors.source_reliability took 2"


async def test_an_empty_scope_says_so_and_one_with_put_away_beliefs_says_that(knowledge: Knowledge, user: str) -> None:
    await stated(knowledge, "the lamp is green")
    nothing = await knowledge.beliefs.query(BeliefQuery(query="tea", scopes=("session:none",)), caller=OWNER)
    assert (nothing.considered, nothing.reason) == (0, "no beliefs are kept in these scopes")
    old = await stated(knowledge, "tea is ready", scope=f"{user}/session:s")
    assert old.scope.endswith("session:s")
    await knowledge.beliefs.supersede(
        old.id, BeliefSupersede(content="tea is over", valid_until=old.recorded_at), caller=OWNER
    )
    mine = Caller((f"{user}/session:s",), ())
    gone = await knowledge.beliefs.query(BeliefQuery(query="tea"), caller=mine)
    assert (gone.items, [one.by for one in gone.removed]) == ((), ["as_of_valid"])
    both = await knowledge.beliefs.query(BeliefQuery(query="tea", include_superseded=True), caller=mine)
    assert contents(both) == ["tea is ready"]


async def test_put_away_beliefs_come_when_they_are_asked_for(knowledge: Knowledge, user: str) -> None:
    await stated(knowledge, "The kitchen door of the old house is painted red")
    await stated(knowledge, "The kitchen door of the old house is painted blue")
    (tension,) = await knowledge.tensions.list(TensionFilter(scopes=(user,)), caller=OWNER)
    await knowledge.tensions.resolve(tension.id, TensionResolve(action="archive_both"), caller=OWNER)
    asked = BeliefQuery(query="kitchen door")
    nothing = await knowledge.beliefs.query(asked, caller=OWNER)
    assert (nothing.items, nothing.reason) == ((), "nothing fits; these scopes keep 2 archived")
    both = await knowledge.beliefs.query(asked.model_copy(update={"include_archived": True}), caller=OWNER)
    assert len(both.items) == 2


async def test_an_entity_narrows_the_answer(knowledge: Knowledge) -> None:
    ann = await stated(knowledge, "Ann Miller drinks tea")
    await stated(knowledge, "Bob Stone drinks coffee")
    entity = next(entity for entity in ann.entities if entity.name == "Ann Miller")
    hits = await knowledge.beliefs.query(BeliefQuery(query="who drinks", entity_id=entity.id), caller=OWNER)
    assert contents(hits) == ["Ann Miller drinks tea"]
    listed = await knowledge.beliefs.list(BeliefFilter(entity_id=entity.id), caller=OWNER)
    assert [belief.id for belief in listed] == [ann.id]


async def test_a_search_goes_by_meaning_alone_from_a_least_similarity(knowledge: Knowledge) -> None:
    await stated(knowledge, "tea is ready", signal="mention")
    await stated(knowledge, "tea is ready for guests")
    await stated(knowledge, "the lamp is broken")
    hits = await knowledge.beliefs.search(BeliefSearch(query="tea is ready"), caller=OWNER)
    assert contents(hits)[0] == "tea is ready"
    assert all(hit.similarity >= 0.5 for hit in hits.items)
    sure = await knowledge.beliefs.search(BeliefSearch(query="tea is ready", min_confidence=0.5), caller=OWNER)
    assert contents(sure) == ["tea is ready for guests"]
    assert {one.by for one in sure.removed} == {"floors.overall", "min_similarity"}


async def test_words_in_common_put_nothing_before_what_is_nearer_in_meaning(knowledge: Knowledge) -> None:
    for content in ("Ann favours indentation by tabulators", "the coding style of the coding team", "tea is ready"):
        await stated(knowledge, content)
    wanted = BeliefSearch(query="coding style", min_similarity=0)
    many = (await knowledge.beliefs.search(wanted, caller=OWNER)).items
    (one,) = (await knowledge.beliefs.search(wanted.model_copy(update={"limit": 1}), caller=OWNER)).items
    assert one.belief.id == max(many, key=lambda hit: hit.similarity).belief.id


async def test_lists_go_from_the_newest_in_pages(knowledge: Knowledge) -> None:
    made = [await stated(knowledge, f"{word} is here") for word in ("tea", "cake", "Ann", "Bob", "nobody")]
    first = await knowledge.beliefs.list(BeliefFilter(limit=3), caller=OWNER)
    rest = await knowledge.beliefs.list(BeliefFilter(limit=3, after=first[-1].id), caller=OWNER)
    assert [belief.id for belief in (*first, *rest)] == sorted((belief.id for belief in made), reverse=True)
    assert await knowledge.beliefs.list(BeliefFilter(status="retracted"), caller=OWNER) == []


async def test_valid_time_decides_what_was_true_when(knowledge: Knowledge, clock: Clock) -> None:
    start = clock.at
    await stated(knowledge, "the shop was in Bern", valid_from=start, valid_until=start + timedelta(days=10))
    await stated(knowledge, "the shop was in Rome", valid_from=start + timedelta(days=10))
    for day, place in ((5, "Bern"), (10, "Rome"), (500, "Rome")):
        at = start + timedelta(days=day)
        hits = await knowledge.beliefs.query(BeliefQuery(query="where was the shop", as_of_valid=at), caller=OWNER)
        assert contents(hits) == [f"the shop was in {place}"], day


WORDS = ["tea", "lamp", "door", "house", "garden", "green", "red", "early", "late", "Ann", "Bob"]


async def test_later_facts_never_change_an_earlier_answer(knowledge: Knowledge, clock: Clock) -> None:
    chance = random.Random(11)
    known: list[str] = []

    async def something() -> None:
        kind = chance.random()
        held = [belief for belief in known if chance.random() < 0.5]
        if kind < 0.6 or not held:
            content = " ".join(chance.choices(WORDS, k=4))
            made = await knowledge.beliefs.create(
                BeliefCreate(
                    content=content,
                    signal=chance.choice(["decision", "mention", "preference"]),
                    source=SourceGiven(title=chance.choice(["one", "two", "three"])),
                ),
                caller=OWNER,
            )
            if made.outcome == "created" and made.belief:
                known.append(made.belief.id)
        elif kind < 0.8:
            said = Corroboration(source=SourceGiven(kind="document", title=chance.choice(["four", "five", "six"])))
            await knowledge.beliefs.corroborate(held[0], said, caller=OWNER)
        else:
            new = await knowledge.beliefs.supersede(
                held[0], BeliefSupersede(content=" ".join(chance.choices(WORDS, k=5))), caller=OWNER
            )
            known.remove(held[0])
            if new.id not in known:
                known.append(new.id)

    async def asked(moment: datetime, word: str) -> Any:
        query = BeliefQuery(query=word, as_of_recorded=moment, explain=True, include_superseded=True)
        return (await knowledge.beliefs.query(query, caller=OWNER)).model_dump()

    answers = []
    for _ in range(25):
        await something()
        clock.move(hours=chance.random() * 100)
        if chance.random() < 0.4:
            moment, word = clock(), chance.choice(WORDS)
            answers.append((moment, word, await asked(moment, word)))
            clock.move(seconds=1)
    assert any(answer["items"] for _, _, answer in answers)
    for moment, word, answer in answers:
        assert await asked(moment, word) == answer


async def test_a_belief_may_be_seen_as_it_was(knowledge: Knowledge, clock: Clock) -> None:
    belief = await stated(knowledge, "tea is ready")
    then = clock.move(hours=1)
    await knowledge.beliefs.corroborate(
        belief.id, Corroboration(source=SourceGiven(kind="document", title="else")), caller=OWNER
    )
    await knowledge.beliefs.supersede(belief.id, BeliefSupersede(content="tea is over"), caller=OWNER)
    was = await knowledge.beliefs.get(belief.id, caller=OWNER, as_of_recorded=then)
    assert (was.status, was.statements, was.valid_until, was.superseded_by) == ("active", 1, None, ())
    is_now = await knowledge.beliefs.get(belief.id, caller=OWNER)
    assert (is_now.status, is_now.statements) == ("superseded", 2)
    with pytest.raises(NotFoundError):
        await knowledge.beliefs.get(belief.id, caller=OWNER, as_of_recorded=then - timedelta(days=1))


async def test_a_crowd_of_foreign_beliefs_hides_none_of_mine(knowledge: Knowledge, user: str) -> None:
    for n in range(60):
        await stated(knowledge, f"tea is served at {n}", scope=f"{user}/session:crowd")
    await stated(knowledge, "tea is served")
    own = f"{user}/session:mine"
    mine = Caller((own,), (own,))
    await knowledge.beliefs.create(BeliefCreate(content="tea is served", scope=own), caller=mine)
    hits = await knowledge.beliefs.query(BeliefQuery(query="tea served"), caller=mine)
    assert [hit.belief.scope for hit in hits.items] == [own]


@pytest.mark.parametrize("seed", range(3))
async def test_each_time_has_the_belief_that_held_then(knowledge: Knowledge, clock: Clock, seed: int) -> None:
    """A chain of supersessions, some saying since when: each one holds from its start until the next one's."""
    chance = random.Random(seed)
    start = clock.at
    places = ("Bern", "Rome", "Oslo", "Lima", "Cairo", "Quito")
    now = await stated(knowledge, "the shop is in Bern", valid_from=start)
    starts = [start]
    for place in places[1:]:
        clock.move(days=chance.randint(5, 20))
        said = clock.at - timedelta(days=chance.randint(1, 4)) if chance.random() < 0.5 else None
        given = BeliefSupersede(content=f"the shop is in {place}", valid_from=said)
        now = await knowledge.beliefs.supersede(now.id, given, caller=OWNER)
        starts.append(said or now.recorded_at)
        assert now.valid_from == starts[-1]
    clock.move(days=1)
    for place, begins, ends in zip(places, starts, [*starts[1:], clock.at + timedelta(days=9)], strict=True):
        for at in (begins, begins + (ends - begins) * chance.random()):
            asked = BeliefQuery(query="where is the shop", as_of_valid=at, include_superseded=True)
            assert contents(await knowledge.beliefs.query(asked, caller=OWNER)) == [f"the shop is in {place}"], at
    earlier = BeliefQuery(query="where is the shop", as_of_valid=starts[0] - timedelta(days=1), include_superseded=True)
    assert contents(await knowledge.beliefs.query(earlier, caller=OWNER)) == []


@dataclass(frozen=True)
class Told:
    """A statement of a history: its text, when it was recorded, and the times that came with it, if any."""

    content: str
    recorded: datetime
    begins: datetime | None
    ends: datetime | None

    @property
    def start(self) -> datetime:
        return self.begins or self.recorded


def held_then(history: list[Told], valid: datetime, recorded: datetime) -> list[str]:
    """What holds at an instant by what was known at another: from its start until the first start of a later one."""
    known = [one for one in history if one.recorded <= recorded]
    found = []
    for place, one in enumerate(known):
        ends = [later.start for later in known[place + 1 :]] + ([one.ends] if one.ends else [])
        if one.start <= valid and all(valid < end for end in ends):
            found.append(one.content)
    return found


@pytest.mark.parametrize("seed", range(8))
async def test_both_clocks_answer_over_random_histories(knowledge: Knowledge, clock: Clock, seed: int) -> None:
    """Supersessions with and without given times, also back before what was superseded; any instant, known at any."""
    chance = random.Random(100 + seed)
    begins = clock.at
    history: list[Told] = []
    now: Any = None
    for place in chance.sample(["Bern", "Rome", "Oslo", "Lima", "Cairo", "Quito", "Turin", "Sofia"], 5):
        clock.move(days=chance.randint(2, 15))
        start = clock.at - timedelta(days=chance.randint(1, 40)) if chance.random() < 0.5 else None
        end = clock.at + timedelta(days=chance.randint(1, 30)) if chance.random() < 0.3 else None
        content, times = f"the shop is in {place}", {"valid_from": start, "valid_until": end}
        if now is None:
            start = times["valid_from"] = start or clock.at
            now = await stated(knowledge, content, **times)
        else:
            now = await knowledge.beliefs.supersede(now.id, BeliefSupersede(content=content, **times), caller=OWNER)
        history.append(Told(content, now.recorded_at, start, end))
    span = (clock.at - begins).days + 60
    marks = [mark for one in history for mark in (one.start, one.ends, one.recorded) if mark is not None]
    instants = [*marks, *(begins + timedelta(days=chance.uniform(-45, span)) for _ in range(15))]
    compared = 0
    for valid in instants:
        for recorded in (None, *chance.sample([one.recorded for one in history], 3)):
            later = None if recorded is None else recorded + timedelta(seconds=1)
            asked = BeliefQuery(query="where is the shop", as_of_valid=valid, as_of_recorded=later)
            expected = held_then(history, valid, later or clock.at)
            found = contents(await knowledge.beliefs.query(asked, caller=OWNER))
            assert found == expected, (valid, later, history)
            compared += bool(expected)
    assert compared > len(instants)


async def test_until_a_successor_begins_the_old_one_answers(knowledge: Knowledge, clock: Clock) -> None:
    old = await stated(knowledge, "the ferry leaves from pier two")
    monday = clock.at + timedelta(days=4)
    given = BeliefSupersede(content="the ferry leaves from pier nine", valid_from=monday)
    await knowledge.beliefs.supersede(old.id, given, caller=OWNER)
    asked = BeliefQuery(query="where does the ferry leave from")
    for days, pier in ((1, "two"), (2, "two"), (2, "nine")):
        now = clock.move(days=days)
        found = contents(await knowledge.beliefs.query(asked, caller=OWNER))
        assert found == [f"the ferry leaves from pier {pier}"], days
        said = asked.model_copy(update={"as_of_valid": now})
        assert contents(await knowledge.beliefs.query(said, caller=OWNER)) == found


async def test_a_successor_is_not_valid_before_it_was_said(knowledge: Knowledge, clock: Clock) -> None:
    old = await stated(knowledge, "the mill is in Bern")
    then = clock.move(days=3)
    clock.move(days=3)
    await knowledge.beliefs.supersede(old.id, BeliefSupersede(content="the mill is in Rome"), caller=OWNER)
    for at, place in ((then, "Bern"), (clock.move(days=1), "Rome")):
        hits = await knowledge.beliefs.query(BeliefQuery(query="where is the mill", as_of_valid=at), caller=OWNER)
        assert contents(hits) == [f"the mill is in {place}"]
