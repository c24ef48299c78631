"""Tensions on a real graph: found when a belief is written, listed, settled in four ways, opened again."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import UTC, datetime

import pytest

from clause.errors import ConflictError, ForbiddenError, NotFoundError, PreconditionError
from clause.graph.scheduler import JobRunner
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.knowledge.beliefs.models import BeliefCreate, BeliefDetail
from clause.knowledge.beliefs.query_models import BeliefFilter
from clause.knowledge.room import Knowledge
from clause.knowledge.tension_detection import Action, Tension, TensionFilter, TensionResolve
from tests.integration.knowledge.conftest import OWNER, Clock

pytestmark = pytest.mark.integration

FIRST = "The kitchen door of the old house is painted red"
SECOND = "The kitchen door of the old house is painted blue"


async def held(knowledge: Knowledge, belief_id: str) -> BeliefDetail:
    return await knowledge.beliefs.get(belief_id, caller=OWNER)


async def contradiction(knowledge: Knowledge) -> Tension:
    for content in (FIRST, SECOND):
        made = await knowledge.beliefs.create(BeliefCreate(content=content), caller=OWNER)
    (tension_id,) = made.tensions
    return await knowledge.tensions.get(tension_id, caller=OWNER)


async def test_a_contradiction_makes_a_tension_and_disputes_both_sides(knowledge: Knowledge, user: str) -> None:
    tension = await contradiction(knowledge)
    assert (tension.a.content, tension.b.content) == (FIRST, SECOND)
    assert (tension.kind, tension.severity, tension.status) == ("contradiction", "high", "detected")
    for side in (tension.a, tension.b):
        belief = await held(knowledge, side.id)
        assert (belief.status, belief.open_tensions) == ("disputed", 1)
        assert belief.confidence.internal_consistency == pytest.approx(0.45)
        assert belief.confidence.overall < 0.9
    assert await knowledge.tensions.list(TensionFilter(scopes=(user,)), caller=OWNER) == [tension]


async def test_disjoint_valid_times_make_no_tension(knowledge: Knowledge) -> None:
    year = datetime(2020, 1, 1, tzinfo=UTC)
    await knowledge.beliefs.create(BeliefCreate(content=FIRST, valid_until=year), caller=OWNER)
    made = await knowledge.beliefs.create(BeliefCreate(content=SECOND, valid_from=year), caller=OWNER)
    assert (made.outcome, made.tensions) == ("created", ())


@pytest.mark.parametrize(
    ("action", "statuses", "settled"),
    [
        ("supersede_a", ("superseded", "active"), "resolved"),
        ("supersede_b", ("active", "superseded"), "resolved"),
        ("archive_both", ("archived", "archived"), "resolved"),
        ("keep_both", ("active", "active"), "accepted"),
    ],
)
async def test_each_way_to_settle_a_tension_can_be_taken_back(
    knowledge: Knowledge, action: Action, statuses: tuple[str, str], settled: str
) -> None:
    tension = await contradiction(knowledge)
    before = [await held(knowledge, side.id) for side in (tension.a, tension.b)]
    done = await knowledge.tensions.resolve(
        tension.id, TensionResolve(action=action, resolution="as seen"), caller=OWNER, versions=(tension.version,)
    )
    assert (done.a.status, done.b.status) == statuses
    assert (done.status, done.action, done.resolution) == (settled, action, "as seen")
    for side in (done.a, done.b):
        assert (await held(knowledge, side.id)).open_tensions == 0
    with pytest.raises(ConflictError):
        await knowledge.tensions.resolve(tension.id, TensionResolve(action="keep_both"), caller=OWNER)
    again = await knowledge.tensions.reopen(tension.id, caller=OWNER)
    moving = {"version": True, "a": {"overall"}, "b": {"overall"}}
    assert again.model_dump(exclude=moving) == tension.model_dump(exclude=moving)
    after = [await held(knowledge, side.id) for side in (tension.a, tension.b)]
    left_out = {"version", "confidence", "tensions"}
    assert [one.model_dump(exclude=left_out) for one in after] == [one.model_dump(exclude=left_out) for one in before]
    with pytest.raises(ConflictError):
        await knowledge.tensions.reopen(tension.id, caller=OWNER)


async def test_a_tension_that_was_settled_later_was_open_before(knowledge: Knowledge, clock: Clock) -> None:
    tension = await contradiction(knowledge)
    between = clock.move(days=1)
    clock.move(days=1)
    given = TensionResolve(action="supersede_a", resolution="as seen")
    await knowledge.tensions.resolve(tension.id, given, caller=OWNER)
    (then,) = (await knowledge.beliefs.get(tension.a.id, caller=OWNER, as_of_recorded=between)).tensions
    (now,) = (await held(knowledge, tension.a.id)).tensions
    assert (then.status, then.resolution, then.action) == ("detected", "", None)
    assert (now.status, now.resolution, now.action) == ("resolved", "as seen", "supersede_a")


async def test_of_two_who_settle_a_tension_at_once_one_gets_a_conflict(knowledge: Knowledge) -> None:
    tension = await contradiction(knowledge)
    done = await asyncio.gather(
        *(
            knowledge.tensions.resolve(tension.id, TensionResolve(action=action), caller=OWNER)
            for action in ("supersede_a", "supersede_b")
        ),
        return_exceptions=True,
    )
    assert sum(isinstance(one, Tension) for one in done) == 1
    assert sum(isinstance(one, ConflictError) for one in done) == 1


async def test_a_tension_needs_its_version_its_scope_and_an_id_that_is_there(knowledge: Knowledge, user: str) -> None:
    tension = await contradiction(knowledge)
    settle = TensionResolve(action="keep_both")
    with pytest.raises(PreconditionError):
        await knowledge.tensions.resolve(tension.id, settle, caller=OWNER, versions=(99,))
    with pytest.raises(NotFoundError):
        await knowledge.tensions.resolve(tension.id, settle, caller=Caller(("user:else",), ("user:else",)))
    with pytest.raises(ForbiddenError):
        await knowledge.tensions.resolve(tension.id, settle, caller=Caller((user,), ()))
    with pytest.raises(NotFoundError):
        await knowledge.tensions.get("nobody", caller=OWNER)


async def test_tensions_are_listed_by_severity_belief_entity_and_status(knowledge: Knowledge) -> None:
    tension = await contradiction(knowledge)
    for wanted, found in (
        (TensionFilter(severity="high"), 1),
        (TensionFilter(severity="low"), 0),
        (TensionFilter(belief_id=tension.a.id), 1),
        (TensionFilter(belief_id="nobody"), 0),
        (TensionFilter(entity_id="nobody"), 0),
        (TensionFilter(status="accepted"), 0),
        (TensionFilter(after=tension.id), 0),
    ):
        assert len(await knowledge.tensions.list(wanted, caller=OWNER)) == found, wanted
    await knowledge.tensions.resolve(tension.id, TensionResolve(action="keep_both"), caller=OWNER)
    assert len(await knowledge.tensions.list(TensionFilter(status="accepted"), caller=OWNER)) == 1


async def test_writers_who_contradict_each_other_at_once_all_get_through(
    knowledge: Knowledge, ground: Ground, user: str
) -> None:
    stated = [(FIRST, SECOND)[n % 2] for n in range(24)]
    made = await asyncio.gather(
        *(knowledge.beliefs.create(BeliefCreate(content=content), caller=OWNER) for content in stated)
    )
    assert Counter(one.outcome for one in made) == {"created": 2, "corroborated": 22}
    job = await ground.jobs.submit("scan_tensions", {}, user)
    await JobRunner(ground.jobs, knowledge.job_kinds()).drain()
    assert (await ground.jobs.get(job.id)).state == "succeeded"
    (found,) = await knowledge.tensions.list(TensionFilter(scopes=(user,)), caller=OWNER)
    assert {found.a.content, found.b.content} == {FIRST, SECOND}
    beliefs = await knowledge.beliefs.list(BeliefFilter(status="disputed"), caller=OWNER)
    assert [(belief.open_tensions, belief.statements) for belief in beliefs] == [(1, 12), (1, 12)]
