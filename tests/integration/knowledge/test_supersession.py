"""Supersession on a real graph: inherited, once only, in one transaction."""

from __future__ import annotations

import asyncio

import pytest

from clause.errors import ConflictError, ForbiddenError, NotFoundError, PreconditionError
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.knowledge.beliefs.models import (
    Belief,
    BeliefCreate,
    BeliefSupersede,
    ConfidenceGiven,
    EntityGiven,
    SourceGiven,
)
from clause.knowledge.room import Knowledge
from tests.integration.graphs import waiting, writing
from tests.integration.knowledge.conftest import OWNER

pytestmark = pytest.mark.integration


async def stated(knowledge: Knowledge, content: str = "Ann Miller works in Bern", **more: object) -> Belief:
    made = await knowledge.beliefs.create(BeliefCreate(content=content, **more), caller=OWNER)  # type: ignore[arg-type]
    assert made.belief is not None
    return made.belief


async def test_what_is_not_given_is_inherited(knowledge: Knowledge) -> None:
    old = await stated(
        knowledge,
        domain_path=("work",),
        signal="decision",
        confidence=ConfidenceGiven(domain_applicability=0.7),
        source=SourceGiven(kind="document", title="contract"),
        decay="quarter",
        visibility="public",
    )
    new = await knowledge.beliefs.supersede(
        old.id, BeliefSupersede(content="Ann Miller works from home", reason="she moved"), caller=OWNER
    )
    inherited = ("domain_path", "signal", "source_id", "source_kind", "decay", "visibility", "scope")
    assert [getattr(new, name) for name in inherited] == [getattr(old, name) for name in inherited]
    assert {entity.name for entity in new.entities} == {"Ann Miller", "Bern"}
    assert new.confidence.overall == pytest.approx(old.confidence.overall, abs=1e-6)
    then = await knowledge.beliefs.get(old.id, caller=OWNER)
    assert (then.status, then.superseded_by_id) == ("superseded", new.id)
    assert then.valid_until == then.superseded_at
    assert [one.reason for one in (await knowledge.beliefs.get(new.id, caller=OWNER)).supersedes] == ["she moved"]


async def test_what_is_given_is_not_inherited(knowledge: Knowledge) -> None:
    old = await stated(knowledge, domain_path=("work",), signal="mention")
    new = await knowledge.beliefs.supersede(
        old.id,
        BeliefSupersede(
            content="Bob Stone works in Rome",
            domain_path=("people",),
            entities=(EntityGiven(name="Bob Stone"),),
            signal="mention",
            source=SourceGiven(kind="api", title="feed"),
        ),
        caller=OWNER,
    )
    assert (new.domain_path, new.signal, new.source_kind) == (("people",), "mention", "api")
    assert {entity.name for entity in new.entities} == {"Bob Stone", "Rome"}
    assert new.confidence.overall == pytest.approx(0.35, abs=1e-6)


async def test_the_history_goes_both_ways(knowledge: Knowledge) -> None:
    chain = [await stated(knowledge, "the plan is one")]
    for word in ("two", "three"):
        newer = BeliefSupersede(content=f"the plan is {word}")
        chain.append(await knowledge.beliefs.supersede(chain[-1].id, newer, caller=OWNER))
    middle = await knowledge.beliefs.get(chain[1].id, caller=OWNER)
    assert [one.id for one in middle.supersedes] == [chain[0].id]
    assert [one.id for one in middle.superseded_by] == [chain[2].id]


async def test_of_ten_who_supersede_at_once_one_does_and_nine_get_a_conflict(knowledge: Knowledge) -> None:
    old = await stated(knowledge)
    done = await asyncio.gather(
        *(
            knowledge.beliefs.supersede(old.id, BeliefSupersede(content=f"plan number {n}"), caller=OWNER)
            for n in range(10)
        ),
        return_exceptions=True,
    )
    (winner,) = [one for one in done if isinstance(one, Belief)]
    assert sum(isinstance(one, ConflictError) for one in done) == 9
    after = await knowledge.beliefs.get(old.id, caller=OWNER)
    assert [one.id for one in after.superseded_by] == [winner.id]
    with pytest.raises(ConflictError):
        await knowledge.beliefs.supersede(old.id, BeliefSupersede(content="too late"), caller=OWNER)


async def test_a_text_that_is_held_already_takes_the_place(knowledge: Knowledge) -> None:
    old, other = await stated(knowledge, "the lamp is green"), await stated(knowledge, "tea is ready")
    new = await knowledge.beliefs.supersede(old.id, BeliefSupersede(content="tea is ready"), caller=OWNER)
    assert new.id == other.id
    assert (await knowledge.beliefs.get(old.id, caller=OWNER)).superseded_by_id == other.id


async def test_a_superseded_text_may_be_held_again(knowledge: Knowledge) -> None:
    old = await stated(knowledge, "the lamp is green")
    await knowledge.beliefs.supersede(old.id, BeliefSupersede(content="the lamp is gone"), caller=OWNER)
    again = await stated(knowledge, "the lamp is green")
    assert again.id != old.id


async def test_it_needs_the_version_the_scope_and_an_id_that_is_there(knowledge: Knowledge, user: str) -> None:
    old = await stated(knowledge)
    newer = BeliefSupersede(content="else")
    with pytest.raises(PreconditionError):
        await knowledge.beliefs.supersede(old.id, newer, caller=OWNER, versions=(7,))
    with pytest.raises(NotFoundError):
        await knowledge.beliefs.supersede(old.id, newer, caller=Caller(("user:else",), ("user:else",)))
    with pytest.raises(ForbiddenError):
        await knowledge.beliefs.supersede(old.id, newer, caller=Caller((user,), ()))
    with pytest.raises(NotFoundError):
        await knowledge.beliefs.supersede("nobody", newer, caller=OWNER)


async def test_superseding_one_side_of_a_tension_lifts_the_other(knowledge: Knowledge) -> None:
    red = await stated(knowledge, "The kitchen door of the old house is painted red")
    blue = await stated(knowledge, "The kitchen door of the old house is painted blue")
    assert (await knowledge.beliefs.get(blue.id, caller=OWNER)).status == "disputed"
    await knowledge.beliefs.supersede(red.id, BeliefSupersede(content="The old house has been torn down"), caller=OWNER)
    after = await knowledge.beliefs.get(blue.id, caller=OWNER)
    assert (after.status, after.open_tensions, after.confidence.internal_consistency) == ("active", 0, 1.0)


async def test_nothing_is_hung_on_a_belief_that_was_superseded_while_it_was_stated(
    knowledge: Knowledge, graph: Graph
) -> None:
    old = await stated(knowledge, "the lamp is green")
    ended = "MATCH (b:Belief {id: $id}) SET b.status = 'superseded', b.superseded_at = datetime(), b.live_hash = null"
    async with writing(graph, ended, id=old.id):
        again = BeliefCreate(content="the lamp is green", source=SourceGiven(kind="document", title="diary"))
        stating = await waiting(graph, knowledge.beliefs.create(again, caller=OWNER))
    made = (await stating).belief
    assert made is not None
    assert (made.id != old.id, made.statements) == (True, 1)
    assert len(await graph.run("knowledge/statements", id=old.id, scopes=[old.scope])) == 1


async def test_a_belief_that_was_superseded_meanwhile_is_not_confirmed(knowledge: Knowledge, graph: Graph) -> None:
    old = await stated(knowledge, "the lamp is green")
    async with writing(graph, "MATCH (b:Belief {id: $id}) SET b.status = 'superseded'", id=old.id):
        confirming = await waiting(graph, knowledge.beliefs.confirm(old.id, caller=OWNER))
    with pytest.raises(ConflictError):
        await confirming
    assert (await knowledge.beliefs.get(old.id, caller=OWNER)).verified_at is None
