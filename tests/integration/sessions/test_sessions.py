"""Sessions on a real graph: begun, spoken in by many at once, ended."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from clause.errors import ConflictError, ForbiddenError, NotFoundError, PreconditionError
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.knowledge.beliefs.models import BeliefCreate, BeliefSupersede
from clause.knowledge.beliefs.origins import new_source
from clause.knowledge.room import Knowledge
from clause.sessions.models import ExchangeAdd, InsightExtract, SessionEnd, SessionStart
from clause.sessions.room import Sessions
from clause.sessions.sessions import conversation_source
from tests.integration.knowledge.conftest import OWNER, Clock

pytestmark = pytest.mark.integration
STRANGER = Caller(("user:else",), ("user:else",))


def said(content: str, role: str = "user") -> ExchangeAdd:
    return ExchangeAdd(role=role, content=content)


async def test_a_session_starts_with_its_conversation_as_a_source(room: Sessions, user: str) -> None:
    started = await room.sessions.start(SessionStart(project_context="clause", metadata={"cwd": "/src"}), caller=OWNER)
    assert not started.resumed
    assert started.session.scope == user
    assert started.session.metadata == {"cwd": "/src"}
    assert started.session == await room.sessions.get(started.session.id, caller=OWNER)


async def test_what_is_said_in_a_session_comes_from_its_conversation(room: Sessions, knowledge: Knowledge) -> None:
    session = (await room.sessions.start(SessionStart(), caller=OWNER)).session
    given = BeliefCreate(content="Ann likes tea", session_id=session.id)
    made = await knowledge.beliefs.create(given, caller=OWNER)
    assert made.belief is not None
    assert made.belief.source_id == session.source_id
    assert new_source(given, session.scope, session.started_at)["id"] == session.source_id
    assert conversation_source(session.scope, session.id, "x")["id"] == session.source_id


async def test_the_clients_own_id_takes_a_session_up_again(room: Sessions) -> None:
    first = await room.sessions.start(SessionStart(client_session_id="abc"), caller=OWNER)
    await room.sessions.end(first.session.id, SessionEnd(summary="short"), caller=OWNER)
    again = await room.sessions.start(SessionStart(client_session_id="abc"), caller=OWNER)
    assert again.resumed
    assert (again.session.id, again.session.status, again.session.ended_at) == (first.session.id, "active", None)
    other = await room.sessions.start(SessionStart(client_session_id="abc", platform="elsewhere"), caller=OWNER)
    assert not other.resumed


async def test_sixteen_writers_leave_no_gap_and_no_double(room: Sessions) -> None:
    session = (await room.sessions.start(SessionStart(), caller=OWNER)).session

    async def speak(writer: int) -> list[int]:
        return [
            (await room.exchanges.add(session.id, said(f"{writer} says {turn}"), caller=OWNER)).sequence
            for turn in range(6)
        ]

    numbers = await asyncio.gather(*(speak(writer) for writer in range(16)))
    assert sorted(number for each in numbers for number in each) == list(range(1, 97))
    assert all(each == sorted(each) for each in numbers)
    stored = await room.exchanges.list(session.id, caller=OWNER, limit=200)
    assert [exchange.sequence for exchange in stored] == list(range(1, 97))
    assert (await room.sessions.get(session.id, caller=OWNER)).exchange_count == 96


async def test_the_same_exchange_written_twice_is_one(room: Sessions, graph: Graph) -> None:
    session = (await room.sessions.start(SessionStart(), caller=OWNER)).session
    row = {"role": "user", "content": "hello", "tool_uses": "[]", "recorded_at": session.started_at}
    asked = {"id": f"{session.id}x", "session_id": session.id, "scope": session.scope, "exchange": row}
    first = await graph.one("sessions/add_exchange", **asked)
    again = await graph.one("sessions/add_exchange", **asked)
    assert first is not None
    assert first == again
    assert (await room.sessions.get(session.id, caller=OWNER)).exchange_count == 1


async def test_a_closed_session_takes_no_exchange_and_is_not_closed_again(room: Sessions) -> None:
    session = (await room.sessions.start(SessionStart(), caller=OWNER)).session
    with pytest.raises(PreconditionError):
        await room.sessions.end(session.id, SessionEnd(), caller=OWNER, versions=(7,))
    ended = await room.sessions.end(session.id, SessionEnd(), caller=OWNER, versions=(session.version,))
    assert (ended.session.status, ended.session.summary, ended.session.summary_method) == ("completed", None, "none")
    assert ended.captured == ()
    with pytest.raises(ConflictError):
        await room.exchanges.add(session.id, said("too late"), caller=OWNER)
    with pytest.raises(ConflictError):
        await room.sessions.end(session.id, SessionEnd(), caller=OWNER)


async def test_summary_and_themes_become_beliefs_where_they_say_enough(room: Sessions, knowledge: Knowledge) -> None:
    session = (await room.sessions.start(SessionStart(project_context="clause"), caller=OWNER)).session
    ended = await room.sessions.end(
        session.id,
        SessionEnd(summary="The lock file was pinned with hashes.", themes=("reproducible builds", "tests")),
        caller=OWNER,
    )
    assert [(one.kind, one.outcome) for one in ended.captured] == [
        ("summary", "created"),
        ("theme", "created"),
        ("theme", "skipped"),
    ]
    belief = await knowledge.beliefs.get(str(ended.captured[0].belief_id), caller=OWNER)
    assert belief.confidence.overall == pytest.approx(0.5, abs=1e-9)
    assert (belief.source_id, belief.domain_path) == (session.source_id, ("clause",))


async def test_without_a_summary_one_is_taken_from_what_was_said(room: Sessions) -> None:
    session = (await room.sessions.start(SessionStart(), caller=OWNER)).session
    sentences = ["The build uses one lock file.", "The lock file of the build has hashes.", "Lunch was good today."]
    for sentence in sentences:
        await room.exchanges.add(session.id, said(sentence), caller=OWNER)
    await room.exchanges.add(session.id, said("tool output that nobody said.", role="tool"), caller=OWNER)
    ended = await room.sessions.end(session.id, SessionEnd(), caller=OWNER)
    assert ended.session.summary_method == "extracted"
    assert ended.session.summary is not None
    assert sentences[0] in ended.session.summary
    assert "tool output" not in ended.session.summary


async def test_a_start_brings_the_projects_beliefs_first_and_short(room: Sessions, knowledge: Knowledge) -> None:
    for number in range(7):
        await knowledge.beliefs.create(BeliefCreate(content=f"clause fact number {number} " + "x" * 200), caller=OWNER)
    own = await knowledge.beliefs.create(BeliefCreate(content="Pins every hash", domain_path=("clause",)), caller=OWNER)
    started = await room.sessions.start(SessionStart(project_context="clause"), caller=OWNER)
    assert own.belief is not None
    assert len(started.beliefs) == 5
    assert started.beliefs[0].id == own.belief.id
    assert started.beliefs[0].confidence == pytest.approx(0.9, abs=1e-9)
    assert max(len(belief.content) for belief in started.beliefs) == 100
    assert len((await room.sessions.start(SessionStart(), caller=OWNER)).beliefs) == 5


async def test_an_insight_is_a_belief_extracted_from_its_session(room: Sessions) -> None:
    session = (await room.sessions.start(SessionStart(), caller=OWNER)).session
    given = InsightExtract(content="The team pins dependencies", method="hybrid", entities=("The Team",))
    made = await room.insights.extract(session.id, given, caller=OWNER)
    again = await room.insights.extract(session.id, given, caller=OWNER)
    assert (made.outcome, again.outcome, again.belief_id) == ("created", "corroborated", made.belief_id)
    (insight,) = await room.insights.list(caller=OWNER, session_id=session.id)
    assert (insight.belief_id, insight.method, insight.content) == (made.belief_id, "hybrid", given.content)
    assert [one.belief_id for one in await room.insights.list(caller=OWNER)][:1] == [made.belief_id]


async def test_what_was_learned_in_several_sessions_is_on_the_pages_once_for_each(room: Sessions) -> None:
    started = [(await room.sessions.start(SessionStart(), caller=OWNER)).session.id for _ in range(3)]
    for session in started:
        await room.insights.extract(session, InsightExtract(content="The weir is tended at dawn"), caller=OWNER)
    pages, after = list[tuple[str, str]](), None
    while found := await room.insights.list(caller=OWNER, after=after, limit=1):
        pages += [(one.content, one.session_id) for one in found]
        after = found[-1].key
    assert [one for one in pages if one[1] in started] == [
        ("The weir is tended at dawn", session) for session in sorted(started, reverse=True)
    ]


async def test_sessions_are_listed_by_what_they_are(room: Sessions) -> None:
    one = (await room.sessions.start(SessionStart(room_id="r1", platform="chat"), caller=OWNER)).session
    two = (await room.sessions.start(SessionStart(room_id="r1", project_context="p"), caller=OWNER)).session
    assert [s.id for s in await room.sessions.list(caller=OWNER, scopes=[one.scope])] == [two.id, one.id]
    assert [s.id for s in await room.sessions.list(caller=OWNER, scopes=[one.scope], platform="chat")] == [one.id]
    assert (await room.sessions.find_by_room("r1", caller=OWNER)).id == two.id
    await room.sessions.end(two.id, SessionEnd(status="abandoned"), caller=OWNER)
    assert (await room.sessions.find_by_room("r1", caller=OWNER)).id == one.id


async def test_a_stranger_learns_nothing_of_a_session(room: Sessions) -> None:
    session = (await room.sessions.start(SessionStart(room_id="secret room"), caller=OWNER)).session
    refused = []
    for session_id in (session.id, "01JD7W9ZB6V3Q7T5N9S4E2M8XK"):
        for ask in (
            room.sessions.get(session_id, caller=STRANGER),
            room.sessions.end(session_id, SessionEnd(), caller=STRANGER),
            room.exchanges.add(session_id, said("x"), caller=STRANGER),
            room.exchanges.list(session_id, caller=STRANGER),
            room.insights.extract(session_id, InsightExtract(content="x"), caller=STRANGER),
            room.insights.list(caller=STRANGER, session_id=session_id),
        ):
            with pytest.raises(NotFoundError) as caught:
                await ask
            refused.append(str(caught.value).replace(session_id, ""))
    assert len(set(refused)) == 1
    with pytest.raises(NotFoundError):
        await room.sessions.find_by_room("secret room", caller=STRANGER)
    with pytest.raises(ForbiddenError):
        await room.sessions.start(SessionStart(scope=session.scope), caller=STRANGER)
    assert not await room.sessions.list(caller=STRANGER)


async def test_who_may_only_read_writes_nothing(room: Sessions) -> None:
    session = (await room.sessions.start(SessionStart(), caller=OWNER)).session
    reader = Caller((session.scope,), ())
    assert (await room.sessions.get(session.id, caller=reader)).id == session.id
    with pytest.raises(ForbiddenError):
        await room.exchanges.add(session.id, said("x"), caller=reader)


async def test_idle_time_does_not_change_what_was_recorded(room: Sessions, clock: Clock) -> None:
    session = (await room.sessions.start(SessionStart(), caller=OWNER)).session
    exchange = await room.exchanges.add(
        session.id, ExchangeAdd(role="assistant", content="ok", tokens=1, tool_uses=({"name": "grep"},)), caller=OWNER
    )
    clock.move(days=3)
    assert list(await room.exchanges.list(session.id, caller=OWNER)) == [exchange]
    assert exchange.tool_uses == ({"name": "grep"},)


async def test_who_takes_an_ended_session_up_and_ends_it_without_a_word_keeps_what_was_given(room: Sessions) -> None:
    first = await room.sessions.start(SessionStart(client_session_id="abc"), caller=OWNER)
    given = SessionEnd(summary="Decided on one lock file because builds differed.", themes=("reproducible builds",))
    await room.sessions.end(first.session.id, given, caller=OWNER)
    again = await room.sessions.start(SessionStart(client_session_id="abc"), caller=OWNER)
    await room.exchanges.add(again.session.id, said("The tests pass now, on both machines."), caller=OWNER)
    ended = (await room.sessions.end(again.session.id, SessionEnd(believe=False), caller=OWNER)).session
    assert (ended.summary, ended.summary_method, ended.themes) == (given.summary, "given", given.themes)
    third = await room.sessions.start(SessionStart(client_session_id="abc"), caller=OWNER)
    assert (await room.sessions.end(third.session.id, SessionEnd(), caller=OWNER)).captured == ()
    fourth = await room.sessions.start(SessionStart(client_session_id="abc"), caller=OWNER)
    other = SessionEnd(summary="Went back to two lock files.", believe=False)
    ended = (await room.sessions.end(fourth.session.id, other, caller=OWNER)).session
    assert (ended.summary, ended.themes) == (other.summary, ())


@pytest.mark.parametrize("project", ["rota", None])
async def test_a_start_tells_what_holds_until_its_successor_begins(
    room: Sessions, knowledge: Knowledge, clock: Clock, project: str | None
) -> None:
    given = BeliefCreate(content="Olga has the night shift", domain_path=("rota",))
    made = await knowledge.beliefs.create(given, caller=OWNER)
    assert made.belief is not None
    later = BeliefSupersede(content="Ben has the night shift", valid_from=clock() + timedelta(days=40))
    await knowledge.beliefs.supersede(made.belief.id, later, caller=OWNER)
    start = SessionStart(project_context=project)
    assert [one.id for one in (await room.sessions.start(start, caller=OWNER)).beliefs] == [made.belief.id]
    clock.move(days=41)
    assert [one.content for one in (await room.sessions.start(start, caller=OWNER)).beliefs] == [later.content]


async def test_a_projects_own_beliefs_are_found_among_many_that_are_nearer(
    room: Sessions, knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clause.sessions.sessions._POOL", 3)
    own = BeliefCreate(content="Retries are capped at three", domain_path=["atlas"])
    made = await knowledge.beliefs.create(own, caller=OWNER)
    for number in range(6):
        near = BeliefCreate(content=f"The atlas of mountain number {number} lies on the table")
        await knowledge.beliefs.create(near, caller=OWNER)
    started = await room.sessions.start(SessionStart(project_context="Atlas"), caller=OWNER)
    assert made.belief is not None
    assert started.beliefs[0].id == made.belief.id
    assert len({one.id for one in started.beliefs}) == len(started.beliefs) > 1
