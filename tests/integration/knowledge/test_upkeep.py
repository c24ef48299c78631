"""The passes over beliefs: freshness, missed tensions, twins."""

from __future__ import annotations

from typing import Any

import pytest

from clause.graph.scheduler import JobRunner
from clause.ground import Ground
from clause.knowledge.beliefs.models import Belief, BeliefCreate, Corroboration, SourceGiven
from clause.knowledge.beliefs.origins import new_source, provenance
from clause.knowledge.beliefs.rows import new_belief
from clause.knowledge.room import Knowledge
from clause.knowledge.tension_detection import TensionFilter
from tests.integration.knowledge.conftest import OWNER, Clock

pytestmark = pytest.mark.integration

RED = "The kitchen door of the old house is painted red"
BLUE = "The kitchen door of the old house is painted blue"
RIDES = "Marta Keller rides her bike to the office every morning in Bern"
RIDING = f"{RIDES}!"


async def written_unseen(ground: Ground, content: str, scope: str) -> str:
    """A belief as it is written when the look around saw nothing, because the other one was not committed yet."""
    given, at = BeliefCreate(content=content), ground.now()
    belief_id, source = ground.ids(), new_source(given, scope, at)
    proof = provenance(given, source, ground.ids(), scope=scope, at=at)
    await ground.graph.run(
        "knowledge/create_belief",
        id=belief_id,
        scope=scope,
        belief=(made := new_belief(given, belief_id, source, proof, scope=scope, model="hash", at=at)),
        live_hash=made["live_hash"],
        embedding=await ground.embedder.embed_query(content),
        recorded_at=at,
        entities=[],
        source=source,
        provenance=proof,
        scopes=[scope],
        after=None,
    )
    return belief_id


async def run(knowledge: Knowledge, ground: Ground, kind: str, scope: str, **parameters: Any) -> int:
    job = await ground.jobs.submit(kind, parameters, scope)
    await JobRunner(ground.jobs, knowledge.job_kinds()).drain()
    done = await ground.jobs.get(job.id)
    assert done.state == "succeeded", done.error
    return done.done


async def held(knowledge: Knowledge, belief_id: str) -> Belief:
    return await knowledge.beliefs.get(belief_id, caller=OWNER)


async def test_a_tension_that_no_write_saw_is_found_once(knowledge: Knowledge, ground: Ground, user: str) -> None:
    ids = [await written_unseen(ground, content, user) for content in (RED, BLUE)]
    here = TensionFilter(scopes=(user,))
    assert await knowledge.tensions.list(here, caller=OWNER) == []
    assert await run(knowledge, ground, "scan_tensions", user) == 2
    (tension,) = await knowledge.tensions.list(here, caller=OWNER)
    assert (tension.a.id, tension.b.id) == tuple(ids)
    assert [(await held(knowledge, one)).status for one in ids] == ["disputed", "disputed"]
    assert await run(knowledge, ground, "scan_tensions", user) == 0
    assert await run(knowledge, ground, "scan_tensions", user, all=True) == 2
    assert len(await knowledge.tensions.list(here, caller=OWNER)) == 1


async def test_twins_of_one_instant_are_joined_and_can_be_parted(
    knowledge: Knowledge, ground: Ground, user: str
) -> None:
    first, second = [await written_unseen(ground, content, user) for content in (RIDES, RIDING)]
    lone = await written_unseen(ground, "the lamp is green", user)
    assert await run(knowledge, ground, "join_twins", user) == 3
    winner, loser = await held(knowledge, first), await held(knowledge, second)
    assert (winner.status, winner.statements) == ("active", 2)
    assert (loser.status, loser.merged_into_id) == ("archived", first)
    assert (await held(knowledge, lone)).statements == 1
    await knowledge.merging.unmerge(second, caller=OWNER)
    assert [(await held(knowledge, one)).statements for one in (first, second)] == [1, 1]


async def test_twins_that_contradict_each_other_are_never_joined(
    knowledge: Knowledge, ground: Ground, user: str
) -> None:
    ids = [await written_unseen(ground, content, user) for content in (RED, BLUE)]
    await run(knowledge, ground, "join_twins", user)
    assert [(await held(knowledge, one)).status for one in ids] == ["active", "active"]


async def test_freshness_is_stored_anew_and_a_statement_makes_a_belief_fresh_again(
    knowledge: Knowledge, ground: Ground, clock: Clock, user: str
) -> None:
    made = await knowledge.beliefs.create(BeliefCreate(content="tea is ready", decay="week"), caller=OWNER)
    assert made.belief is not None
    clock.move(days=14)
    assert await run(knowledge, ground, "freshen_beliefs", user) == 1
    (row,) = await ground.graph.run("knowledge/beliefs", ids=[made.belief.id], scopes=[user])
    assert row["belief"]["c_temporal_freshness"] == pytest.approx(0.25, abs=1e-4)
    assert row["belief"]["overall"] == pytest.approx(
        (await held(knowledge, made.belief.id)).confidence.overall, abs=1e-6
    )
    said = Corroboration(source=SourceGiven(kind="document", title="menu"))
    again = await knowledge.beliefs.corroborate(made.belief.id, said, caller=OWNER)
    assert again.belief is not None
    assert again.belief.confidence.temporal_freshness == pytest.approx(1.0, abs=1e-6)
