"""Beliefs on a real graph: stated once, many times, at once."""

from __future__ import annotations

import pytest

from clause.errors import NotFoundError
from clause.graph.scopes import Caller
from clause.knowledge.models import BeliefCreate
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
    assert belief == await knowledge.beliefs.get(belief.id, caller=OWNER)


async def test_what_a_caller_may_not_read_is_not_there(knowledge: Knowledge) -> None:
    made = await knowledge.beliefs.create(BeliefCreate(content="a secret"), caller=OWNER)
    assert made.belief is not None
    with pytest.raises(NotFoundError):
        await knowledge.beliefs.get(made.belief.id, caller=Caller(("user:else",), ("user:else",)))
