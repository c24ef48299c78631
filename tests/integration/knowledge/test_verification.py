"""A person's confirmation alone makes a belief verified; a disputed one waits for review; agents confirm nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clause.errors import ConflictError, ForbiddenError, NotFoundError
from clause.graph.scopes import Caller
from clause.knowledge.beliefs.models import Belief, BeliefCreate, BeliefSupersede
from clause.knowledge.beliefs.query_models import BeliefQuery
from clause.knowledge.room import Knowledge
from clause.operations.key_file import KeyFile
from clause.operations.keys import ApiKeys
from tests.integration.knowledge.conftest import OWNER, Clock

pytestmark = pytest.mark.integration

PERSON = Caller(None, None, key_id="key-of-vera", person=True)
AGENT = Caller(None, None, key_id="key-of-a-bot")


async def stated(knowledge: Knowledge, content: str, **more: Any) -> Belief:
    made = await knowledge.beliefs.create(BeliefCreate(content=content, **more), caller=AGENT)
    assert made.belief is not None
    return made.belief


@pytest.mark.parametrize("caller", [OWNER, PERSON], ids=["owner", "a person's key"])
async def test_a_persons_word_is_enough(knowledge: Knowledge, caller: Caller, clock: Clock) -> None:
    belief = await stated(knowledge, "the west gate is locked at nine")
    assert (belief.verification_status, belief.verified_at) == ("unverified", None)
    confirmed = await knowledge.beliefs.confirm(belief.id, caller=caller)
    assert confirmed.verification_status == "verified"
    assert belief.recorded_at < (confirmed.verified_at or clock.at) <= clock.at
    assert confirmed.version == belief.version + 1
    assert confirmed.confidence.overall == pytest.approx(belief.confidence.overall, abs=1e-6)
    assert (await knowledge.beliefs.get(belief.id, caller=AGENT)).verification_status == "verified"
    back = await knowledge.beliefs.confirm(belief.id, caller=caller, confirmed=False)
    assert (back.verification_status, back.verified_at) == ("unverified", None)


async def test_an_agent_confirms_nothing(knowledge: Knowledge, user: str) -> None:
    belief = await stated(knowledge, "the west gate is locked at nine")
    for caller, error in (
        (AGENT, ForbiddenError),
        (Caller(None, (), key_id="k", person=True), ForbiddenError),
        (Caller(("user:else",), ("user:else",), key_id="k", person=True), NotFoundError),
    ):
        with pytest.raises(error):
            await knowledge.beliefs.confirm(belief.id, caller=caller)
    assert (await knowledge.beliefs.get(belief.id, caller=OWNER)).verification_status == "unverified"


async def test_a_disputed_one_waits_for_review_even_when_it_was_confirmed(knowledge: Knowledge, clock: Clock) -> None:
    belief = await stated(knowledge, "the west gate is open on Sundays")
    await knowledge.beliefs.confirm(belief.id, caller=OWNER)
    before = clock.at
    clock.move(days=1)
    other = await knowledge.beliefs.create(BeliefCreate(content="the west gate is not open on Sundays"), caller=PERSON)
    assert other.tensions
    found = await knowledge.beliefs.get(belief.id, caller=OWNER)
    assert (found.status, found.verification_status) == ("disputed", "pending_review")
    asked = BeliefQuery(query="west gate open on Sundays", as_of_recorded=before)
    (then,) = (await knowledge.beliefs.query(asked, caller=OWNER)).items
    assert then.belief.verification_status == "verified"


async def test_what_takes_its_place_is_not_verified_with_it(knowledge: Knowledge) -> None:
    belief = await stated(knowledge, "the west gate is painted blue")
    await knowledge.beliefs.confirm(belief.id, caller=OWNER)
    newer = await knowledge.beliefs.supersede(
        belief.id, BeliefSupersede(content="the west gate is painted red"), caller=OWNER
    )
    assert newer.verification_status == "unverified"
    with pytest.raises(ConflictError, match="superseded"):
        await knowledge.beliefs.confirm(belief.id, caller=OWNER)


async def test_keys_speak_for_a_person_only_where_they_were_made_so(tmp_path: Path) -> None:
    keys = ApiKeys(KeyFile(tmp_path / "keys.json"))
    vera = await keys.create("vera", ["user:vera"], ["user:vera"], person=True)
    bot = await keys.create("bot", None, None)
    assert [(await keys.caller(key.token)).is_person for key in (vera, bot)] == [True, False]
    assert [key.person for key in await keys.list()] == [False, True]
    turned = await keys.rotate(vera.id)
    assert (await keys.caller(turned.token)).is_person
