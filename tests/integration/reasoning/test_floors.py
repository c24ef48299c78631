"""Floors on what a walk may read, held against confidence as of the question: it fades between settlings."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from clause.graph.runner import Graph
from clause.ground import Ground
from clause.knowledge.beliefs.confidence import HALF_LIVES_DAYS, WEIGHTS
from clause.knowledge.beliefs.models import BeliefCreate, BeliefSupersede, Corroboration, SourceGiven
from clause.knowledge.beliefs.rows import as_recorded, dimensions_of
from clause.knowledge.room import Knowledge
from clause.reasoning.answer.counterfactual import Withholding
from clause.reasoning.models.answer import TextFilters, TextFloors
from clause.reasoning.neighbourhood.port import View
from clause.reasoning.question.seeds import SeedFinder
from tests.integration.knowledge.conftest import OWNER, Clock, clock, ground, knowledge, user

__all__ = ["clock", "ground", "knowledge", "user"]
pytestmark = pytest.mark.integration


@pytest.fixture
def withholding(graph: Graph, ground: Ground) -> Withholding:
    return Withholding(graph, SeedFinder(graph, ground.embedder))


async def left_out(withholding: Withholding, view: View, **floors: float) -> set[str]:
    filters = TextFilters(floors=TextFloors(**floors))
    seen, counted = await withholding.passing(filters, view)
    assert sum(counted.values()) == len(seen.hidden.texts)
    return set(seen.hidden.texts)


async def stated(knowledge: Knowledge, content: str, **fields: Any) -> str:
    made = await knowledge.beliefs.create(BeliefCreate(content=content, **fields), caller=OWNER)
    assert made.belief is not None
    return made.belief.id


async def test_what_has_faded_falls_below_floors_that_it_passed(
    knowledge: Knowledge, withholding: Withholding, clock: Clock, user: str
) -> None:
    clock.at = datetime.now(UTC) - timedelta(days=30)
    faded = await stated(knowledge, "the lamp is green", scope=user, decay="week", signal="explicit_request")
    await stated(knowledge, "tea is ready", scope=user, decay="forever", signal="explicit_request")
    soon = View((user,), as_of_recorded=clock.at + timedelta(hours=1))
    for floors in ({"temporal_freshness": 0.5}, {"overall": 0.6}):
        assert await left_out(withholding, View((user,)), **floors) == {faded}
        assert await left_out(withholding, soon, **floors) == set()


@pytest.mark.parametrize("seed", range(3))
async def test_floors_see_what_the_beliefs_tell_of_themselves(
    graph: Graph, knowledge: Knowledge, withholding: Withholding, clock: Clock, user: str, seed: int
) -> None:
    """Random beliefs, corroborated, contradicted, derived and superseded; any floor, now and as of any instant."""
    chance = random.Random(seed)
    clock.at = datetime.now(UTC) - timedelta(days=60)
    made: list[str] = []
    for n, thing in enumerate(("tea", "lamp", "door", "house", "garden", "cake", "shop", "coffee")):
        clock.move(days=chance.uniform(0, 8))
        given = {name: chance.random() for name in WEIGHTS if chance.random() < 0.4 and name != "corroboration"}
        fields: dict[str, Any] = {"confidence": given} if given else {}
        decay = chance.choice(list(HALF_LIVES_DAYS))
        made.append(await stated(knowledge, f"the {thing} costs {n + 3} crowns", scope=user, decay=decay, **fields))
        said = Corroboration(source=SourceGiven(kind="document", title=chance.choice(["four", "five", "six"])))
        await knowledge.beliefs.corroborate(chance.choice(made), said, caller=OWNER)
    clock.move(days=1)
    await stated(knowledge, "the tea costs 9 crowns", scope=user)
    await knowledge.beliefs.supersede(made[1], BeliefSupersede(content="the lamp is broken"), caller=OWNER)
    rows = await graph.run("knowledge/beliefs", ids=made, scopes=[user])
    moments = [None, *(clock.at - timedelta(days=chance.uniform(0, 40)) for _ in range(4))]
    compared = 0
    for recorded in moments:
        then = recorded or datetime.now(UTC)
        known = {row["belief"]["id"]: row["belief"] for row in rows}
        if recorded is not None:
            known = {one: was for one, now in known.items() if (was := as_recorded(now, recorded)) is not None}
        values = {one: dimensions_of(was, then) for one, was in known.items()}
        for name in TextFloors.model_fields:
            for floor in (0.2, 0.5, 0.8):
                below = {one for one, has in values.items() if (getattr(has, name) or 0.0) < floor}
                found = await left_out(withholding, View((user,), as_of_recorded=recorded), **{name: floor})
                assert found & set(values) == below, (name, floor, recorded)
                compared += 0 < len(below) < len(values)
    assert compared > 15
