"""Experiences on a real graph: from start to outcome, one open for a session, found again on each axis."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from clause.errors import ConflictError, ForbiddenError, NotFoundError, OutOfBoundsError, PreconditionError
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.values.axes import InvalidAxisError
from clause.values.ghap import Lesson, Outcome, ResolveGhap, RootCause, StartGhap, Tier, UpdateGhap
from clause.values.models import SearchExperiences
from clause.values.room import Values
from tests.integration.graphs import wrong_counts
from tests.servers import statement

pytestmark = pytest.mark.integration

STARTED = StartGhap(
    domain="Debugging",
    strategy="check-assumptions",
    goal="make the nightly import of Acme pass",
    hypothesis="the dates have another form",
    action="log the first row that fails",
    prediction="the day comes first",
)
FALSIFIED = ResolveGhap(
    status=Outcome.FALSIFIED,
    result="a second header stood in the middle",
    surprise="the header repeats",
    root_cause=RootCause(category="oversight", description="nobody looked past the first rows"),
    lesson=Lesson(what_worked="reading the row", takeaway="look at the data first"),
)
_ABOUT = statement(
    "MATCH (n:Experience {id: $id, scope: $scope})-[:ABOUT]->(e:Entity) RETURN e.name AS name, n.degree AS degree "
    "ORDER BY name",
    mode="read",
    parameters="$id STRING, $scope STRING",
    columns="name, degree",
)


def starting(**more: object) -> StartGhap:
    return StartGhap.model_validate({**STARTED.model_dump(), **more})


async def test_an_experience_goes_from_start_to_outcome(values: Values, scope: str) -> None:
    started = await values.experiences.start(STARTED)
    entry = started.experience
    assert (entry.scope, entry.domain, entry.outcome, entry.version) == (scope, "debugging", None, 1)
    assert started.premortem.warnings == ()
    assert [entity.name for entity in entry.entities] == ["Acme"]

    updated = await values.experiences.update(entry.id, UpdateGhap(hypothesis="a header repeats", note="row 10,000"))
    assert (updated.hypothesis, updated.action, updated.version) == ("a header repeats", entry.action, 2)
    assert [step.note for step in updated.history] == [None, "row 10,000"]

    assert await values.experiences.active() == updated
    resolved = await values.experiences.resolve(entry.id, FALSIFIED)
    assert resolved.outcome is not None
    assert (resolved.outcome.status, resolved.confidence_tier) == (Outcome.FALSIFIED, Tier.SILVER)
    assert resolved.root_cause == FALSIFIED.root_cause
    assert resolved.lesson == FALSIFIED.lesson
    assert await values.experiences.get(entry.id) == resolved
    assert await values.experiences.active() is None


async def test_one_experience_is_open_for_a_session(values: Values) -> None:
    first = await values.experiences.start(starting(session_id="7"))
    with pytest.raises(ConflictError) as refused:
        await values.experiences.start(starting(session_id="7"))
    assert refused.value.details == {"experience_id": first.experience.id}
    other = await values.experiences.start(starting(session_id="8"))
    assert (await values.experiences.active("7")) == first.experience
    assert (await values.experiences.active("8")) == other.experience
    await values.experiences.resolve(first.experience.id, ResolveGhap(status=Outcome.ABANDONED, result="no time"))
    assert (await values.experiences.start(starting(session_id="7"))).experience.session_id == "7"


async def test_of_many_starts_at_one_instant_one_wins(values: Values, scope: str) -> None:
    answers = await asyncio.gather(*(values.experiences.start(STARTED) for _ in range(12)), return_exceptions=True)
    won = [answer for answer in answers if not isinstance(answer, BaseException)]
    assert len(won) == 1
    assert {type(answer) for answer in answers if isinstance(answer, BaseException)} == {ConflictError}
    assert len(await values.experiences.list(scopes=[scope])) == 1


async def test_changes_at_one_instant_are_all_kept(values: Values) -> None:
    entry = (await values.experiences.start(STARTED)).experience
    notes = {f"note {number}" for number in range(8)}
    await asyncio.gather(*(values.experiences.update(entry.id, UpdateGhap(note=note)) for note in sorted(notes)))
    found = await values.experiences.get(entry.id)
    assert {step.note for step in found.history[1:]} == notes
    assert found.version == 9


async def test_a_resolved_experience_does_not_change(values: Values) -> None:
    entry = (await values.experiences.start(STARTED)).experience
    await values.experiences.resolve(entry.id, FALSIFIED)
    with pytest.raises(ConflictError, match="resolved already"):
        await values.experiences.update(entry.id, UpdateGhap(note="late"))
    with pytest.raises(ConflictError, match="resolved already"):
        await values.experiences.resolve(entry.id, FALSIFIED)


async def test_a_change_to_another_version_is_refused(values: Values) -> None:
    entry = (await values.experiences.start(STARTED)).experience
    await values.experiences.update(entry.id, UpdateGhap(note="first"), versions=(1,))
    with pytest.raises(PreconditionError):
        await values.experiences.update(entry.id, UpdateGhap(note="second"), versions=(1,))


async def test_a_change_that_was_refused_leaves_no_trace_of_what_it_named(
    values: Values, graph: Graph, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = (await values.experiences.start(STARTED)).experience
    original = graph.write

    async def late(work: Any, **more: Any) -> Any:
        monkeypatch.setattr(graph, "write", original)
        await values.experiences.resolve(entry.id, ResolveGhap(status=Outcome.CONFIRMED, result="so it was"))
        return await original(work, **more)

    monkeypatch.setattr(graph, "write", late)
    with pytest.raises(ConflictError, match="resolved already"):
        await values.experiences.update(entry.id, UpdateGhap(action="ask Globex for the file"))
    rows = await graph.execute(_ABOUT, {"id": entry.id, "scope": scope})
    assert [row["name"] for row in rows] == ["Acme"]


async def test_falsified_needs_its_reasons(values: Values) -> None:
    entry = (await values.experiences.start(STARTED)).experience
    with pytest.raises(OutOfBoundsError, match="surprise"):
        await values.experiences.resolve(entry.id, ResolveGhap(status=Outcome.FALSIFIED, result="no"))
    assert (await values.experiences.active()) is not None


async def test_experiences_are_about_what_they_name(values: Values, graph: Graph, scope: str) -> None:
    entry = (await values.experiences.start(starting(entities=("the importer",)))).experience
    await values.experiences.resolve(entry.id, ResolveGhap(status=Outcome.CONFIRMED, result="Globex sends them so"))
    rows = await graph.execute(_ABOUT, {"id": entry.id, "scope": scope})
    assert [row["name"] for row in rows] == ["Acme", "Globex", "the importer"]
    assert {row["degree"] for row in rows} == {3}
    assert [row for row in await wrong_counts(graph, scope) if "degree" in row] == []


async def test_search_goes_by_axis_and_filters(values: Values, scope: str) -> None:
    ids = {}
    for domain, surprise in (("debugging", "the header repeats"), ("testing", "the clock was frozen")):
        entry = (await values.experiences.start(starting(domain=domain))).experience
        resolution = FALSIFIED.model_copy(update={"surprise": surprise})
        ids[domain] = (await values.experiences.resolve(entry.id, resolution)).id
    confirmed = (await values.experiences.start(STARTED)).experience
    await values.experiences.resolve(confirmed.id, ResolveGhap(status=Outcome.CONFIRMED, result="so it was"))

    async def found(**more: object) -> list[str]:
        request = SearchExperiences.model_validate({"query": "a frozen clock", "scopes": [scope], **more})
        return [item.experience.id for item in (await values.experiences.search(request)).items]

    assert (await found(axis="surprise"))[0] == ids["testing"]
    assert confirmed.id not in await found(axis="surprise")
    assert await found(axis="root_cause", domain="debugging") == [ids["debugging"]]
    assert await found(outcome="confirmed") == [confirmed.id]
    assert len(await found(strategy="check-assumptions")) == 3
    assert await found(strategy="guessing") == []
    with pytest.raises(InvalidAxisError):
        await found(axis="domain")


async def test_listing_goes_newest_first_in_pages(values: Values, scope: str) -> None:
    ids = []
    for number in range(5):
        entry = (await values.experiences.start(starting(session_id=str(number)))).experience
        ids.append(entry.id)
    newest = await values.experiences.list(scopes=[scope], limit=2)
    assert [entry.id for entry in newest] == ids[:2:-1]
    assert [entry.id for entry in await values.experiences.list(scopes=[scope], after=newest[-1].id)] == ids[2::-1]
    assert [entry.id for entry in await values.experiences.list(scopes=[scope], session_id="3")] == [ids[3]]
    assert await values.experiences.list(scopes=[scope], outcome="confirmed") == []


async def test_strangers_see_and_change_nothing(values: Values) -> None:
    entry = (await values.experiences.start(STARTED)).experience
    stranger = Caller(readable=("user:eve",), writable=("user:eve",))
    for call in (
        values.experiences.get(entry.id, caller=stranger),
        values.experiences.get("01JD7W9ZB6V3Q7T5N9S4E2M8XK", caller=stranger),
        values.experiences.update(entry.id, UpdateGhap(note="x"), caller=stranger),
        values.experiences.resolve(entry.id, FALSIFIED, caller=stranger),
    ):
        with pytest.raises(NotFoundError):
            await call
    assert await values.experiences.list(caller=stranger) == []
    with pytest.raises(ForbiddenError):
        await values.experiences.start(starting(scope=entry.scope), caller=stranger)
    with pytest.raises(ForbiddenError):
        await values.experiences.active(scope=entry.scope, caller=stranger)
