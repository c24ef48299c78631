"""Patterns on a real graph: recorded, reinforced by many at once, found, faded."""

from __future__ import annotations

import asyncio

import pytest

from clause.errors import ForbiddenError, NotFoundError
from clause.graph.scheduler import JobRunner
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.sessions.models import PatternRecord, PatternReinforce, PatternSearch, SessionStart
from clause.sessions.patterns import reinforced
from clause.sessions.room import Sessions
from tests.integration.knowledge.conftest import OWNER, Clock

pytestmark = pytest.mark.integration
STRANGER = Caller(("user:else",), ("user:else",))


def habit(description: str = "Writes the test before the code", **more: str) -> PatternRecord:
    return PatternRecord(type="working_style", description=description, **more)


async def test_the_same_pattern_again_reinforces_the_first(room: Sessions) -> None:
    first = await room.patterns.record(habit(), caller=OWNER)
    again = await room.patterns.record(habit("writes the  test before the code"), caller=OWNER)
    other = await room.patterns.record(PatternRecord(type="preference", description=habit().description), caller=OWNER)
    assert (first.created, again.created, other.created) == (True, False, True)
    assert first.pattern.confidence == 0.5
    assert again.pattern.id == first.pattern.id
    assert again.pattern.confidence == pytest.approx(0.55)
    assert (again.pattern.occurrences, again.pattern.status) == (2, "emerging")


async def test_thirty_two_sightings_at_once_are_all_counted(room: Sessions) -> None:
    pattern = (await room.patterns.record(habit(), caller=OWNER)).pattern
    await asyncio.gather(
        *(room.patterns.reinforce(pattern.id, PatternReinforce(), caller=OWNER) for _ in range(31)),
        room.patterns.record(habit(), caller=OWNER),
    )
    now = await room.patterns.get(pattern.id, caller=OWNER)
    expected = 0.5
    for _ in range(32):
        expected = reinforced(expected)
    assert (now.occurrences, now.status, now.version) == (33, "established", 33)
    assert now.confidence == pytest.approx(expected)


async def test_a_pattern_is_established_at_four_occurrences(room: Sessions) -> None:
    pattern = (await room.patterns.record(habit(), caller=OWNER)).pattern
    states = [(await room.patterns.reinforce(pattern.id, PatternReinforce(), caller=OWNER)).status for _ in range(3)]
    assert states == ["emerging", "emerging", "established"]
    assert [p.id for p in (await room.sessions.start(SessionStart(), caller=OWNER)).patterns] == [pattern.id]


async def test_a_session_counts_once_as_evidence(room: Sessions) -> None:
    session = (await room.sessions.start(SessionStart(), caller=OWNER)).session
    pattern = (await room.patterns.record(habit(session_id=session.id), caller=OWNER)).pattern
    again = await room.patterns.reinforce(pattern.id, PatternReinforce(session_id=session.id), caller=OWNER)
    assert (pattern.sessions, again.sessions) == (1, 1)


async def test_patterns_are_found_by_words_and_meaning_within_the_callers_scopes(room: Sessions) -> None:
    wanted = (await room.patterns.record(habit(), caller=OWNER)).pattern
    await room.patterns.record(habit("Drinks tea at noon"), caller=OWNER)
    found = await room.patterns.search(PatternSearch(query="test before code"), caller=OWNER)
    assert found[0].pattern.id == wanted.id
    assert found[0].similarity is not None
    assert found[0].similarity > 0.5
    assert not await room.patterns.search(PatternSearch(query="test before code"), caller=STRANGER)
    (one,) = await room.patterns.search(PatternSearch(query='"(AND', limit=1), caller=OWNER)
    assert one.fused_score > 0


async def test_a_crowd_of_another_type_hides_no_pattern(room: Sessions) -> None:
    for number in range(30):
        await room.patterns.record(habit(f"tea at noon {number}"), caller=OWNER)
    long = "after tea at noon the tests of the whole house are run once more by hand and read from end to end"
    wanted = (await room.patterns.record(PatternRecord(type="preference", description=long), caller=OWNER)).pattern
    asked = PatternSearch(query="tea at noon", type="preference", limit=3)
    (found,) = await room.patterns.search(asked, caller=OWNER)
    assert found.pattern.id == wanted.id
    assert found.similarity is not None
    assert found.fused_score == pytest.approx(2 / 61)


async def test_a_pattern_long_unseen_fades_is_put_away_and_comes_back(
    room: Sessions, ground: Ground, clock: Clock, user: str
) -> None:
    pattern = (await room.patterns.record(habit(), caller=OWNER)).pattern

    async def after(days: int) -> str:
        clock.move(days=days)
        await ground.jobs.submit("fade_patterns", {}, user)
        await JobRunner(ground.jobs, room.job_kinds()).drain()
        return (await room.patterns.get(pattern.id, caller=OWNER)).status

    assert [await after(10), await after(21), await after(150)] == ["emerging", "fading", "archived"]
    assert not await room.patterns.search(PatternSearch(query="test"), caller=OWNER)
    assert await room.patterns.search(PatternSearch(query="test", include_fading=True), caller=OWNER)
    assert (await room.patterns.reinforce(pattern.id, PatternReinforce(), caller=OWNER)).status == "emerging"
    assert [p.id for p in await room.patterns.list(caller=OWNER, scopes=[user], type="working_style")] == [pattern.id]
    assert not await room.patterns.list(caller=OWNER, scopes=[user], status="fading")


async def test_a_stranger_learns_nothing_of_a_pattern(room: Sessions) -> None:
    pattern = (await room.patterns.record(habit(), caller=OWNER)).pattern
    for ask in (
        room.patterns.get(pattern.id, caller=STRANGER),
        room.patterns.reinforce(pattern.id, PatternReinforce(), caller=STRANGER),
    ):
        with pytest.raises(NotFoundError):
            await ask
    with pytest.raises(ForbiddenError):
        await room.patterns.reinforce(pattern.id, PatternReinforce(), caller=Caller((pattern.scope,), ()))
