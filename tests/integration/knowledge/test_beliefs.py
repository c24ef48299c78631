"""Beliefs on a real graph: stated once, many times, at once."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from clause.errors import NotFoundError
from clause.graph.scopes import Caller
from clause.knowledge.models import BeliefCreate, SourceGiven
from clause.knowledge.room import Knowledge
from tests.integration.knowledge.conftest import OWNER

pytestmark = pytest.mark.integration


async def test_a_new_belief_starts_where_its_signal_says_and_is_about_its_entities(knowledge: Knowledge) -> None:
    made = await knowledge.beliefs.create(
        BeliefCreate(content="Ann Miller moved to Paris", signal="decision"), caller=OWNER
    )
    belief = made.belief
    assert belief is not None
    assert made.outcome == "created"
    assert belief.confidence.overall == pytest.approx(0.80, abs=1e-9)
    assert belief.confidence.corroboration is None
    assert {entity.name for entity in belief.entities} == {"Ann Miller", "Paris"}
    stored = await knowledge.beliefs.get(belief.id, caller=OWNER)
    told, held = belief.model_dump(exclude={"confidence"}), stored.model_dump(exclude={"confidence"})
    assert told == {name: held[name] for name in told}


async def test_what_a_caller_may_not_read_is_not_there(knowledge: Knowledge) -> None:
    made = await knowledge.beliefs.create(BeliefCreate(content="a secret"), caller=OWNER)
    assert made.belief is not None
    with pytest.raises(NotFoundError):
        await knowledge.beliefs.get(made.belief.id, caller=Caller(("user:else",), ("user:else",)))


@pytest.mark.parametrize("origins", [1, 32])
async def test_32_creations_of_one_text_at_once_make_one_belief_and_lose_no_statement(
    knowledge: Knowledge, origins: int
) -> None:
    sources = [SourceGiven(kind="document", title=f"t{i % origins}") for i in range(32)]
    made = await asyncio.gather(
        *(
            knowledge.beliefs.create(BeliefCreate(content="Tea is ready", source=source), caller=OWNER)
            for source in sources
        )
    )
    assert Counter(one.outcome for one in made) == {"created": 1, "corroborated": 31}
    (belief_id,) = {one.belief.id for one in made if one.belief}
    belief = await knowledge.beliefs.get(belief_id, caller=OWNER)
    assert (belief.statements, belief.sources) == (32, origins)
    assert belief.stage == ("tentative" if origins == 1 else "established")
