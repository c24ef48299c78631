"""The methods that the library and the client share: one story told through each, on the same real graph."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from clause import Clause, ClauseClient, SyncClause
from clause.api.app import build_app
from clause.asking import Asking
from clause.errors import BadInputError, NotFoundError, OutOfBoundsError
from clause.graph.wire import Address
from clause.settings import Settings

pytestmark = pytest.mark.integration
ORCHARD = "Elm Row|planted by|Mina Okoro\nElm Row|grows|Bramley\nBramley|ripens in|October\n"


@pytest.fixture
def settings(migrated_address: Address, tmp_path: Path, no_model: None) -> Settings:
    return Settings(
        home=tmp_path,
        neo4j_uri=migrated_address.uri,
        neo4j_user=migrated_address.user,
        neo4j_password=migrated_address.password,
        neo4j_database=migrated_address.database,
    )


@pytest.fixture(params=["library", "client"])
async def asked(request: pytest.FixtureRequest, settings: Settings, scope: str) -> AsyncIterator[Asking]:
    """An orchard's graph in the scope, asked in this process or through the REST application."""
    async with Clause.open(settings) as library:
        file = settings.home / "orchard.txt"
        file.write_text(ORCHARD)
        await library.load("triples", file, scope)
        if request.param == "library":
            yield library
            return
    application = build_app(settings)
    carrier = httpx.ASGITransport(application)
    async with (
        application.router.lifespan_context(application),
        ClauseClient("http://127.0.0.1:8420", transport=carrier) as client,
    ):
        yield client


async def test_a_day_told_through_either_transport(asked: Asking, scope: str) -> None:
    first = await asked.belief_create("The ladder leans at the third tree of Elm Row", scope=scope)
    assert first.belief is not None
    (hit,) = (await asked.belief_query("where is the ladder?", scopes=[scope], limit=1)).items
    assert hit.belief.id == first.belief.id
    newer = await asked.belief_supersede(first.belief.id, "The ladder hangs in the barn of Elm Row", reason="rain")
    assert newer.id != first.belief.id

    kept = await asked.memory_write("Mina: the blossom came late this year.", scope=scope)
    (recalled,) = await asked.memory_read("when did the blossom come", scopes=[scope], k=1)
    assert (recalled.memory_id, recalled.embedding) == (kept.memory_id, [])

    answer = await asked.coordinate("who planted Elm Row", scopes=[scope])
    assert "Mina Okoro" in [one.name for one in answer.result.answers]
    run_id = str(answer.run_id)
    assert run_id in [one.id for one in await asked.runs(50)]
    assert (await asked.run(run_id)).query == "who planted Elm Row"
    assert (await asked.feedback(run_id, "right")).answer == "Mina Okoro"
    assert (await asked.replay(run_id)).run_id == run_id
    assert newer.id in str((await asked.curiosity_plan(3, scopes=[scope])).questions)

    preview = await asked.forget(memory_id=kept.memory_id)
    assert not preview.done
    assert await asked.memory_read("when did the blossom come", scopes=[scope], k=1)
    assert (await asked.forget(memory_id=kept.memory_id, confirm=True)).done
    assert await asked.memory_read("when did the blossom come", scopes=[scope], k=1) == ()


async def test_what_is_refused_is_the_same_error_on_either_transport(asked: Asking, scope: str) -> None:
    with pytest.raises(OutOfBoundsError) as caught:
        await asked.belief_query("who?", scopes=[scope], limit=1000)
    assert caught.value.field == "limit"
    with pytest.raises(OutOfBoundsError):
        await asked.forget()
    with pytest.raises(NotFoundError):
        await asked.replay("run_nobody/../ran this")
    with pytest.raises(NotFoundError):
        await asked.belief_supersede("bel_000000000000000000000000", "nothing", reason="none")
    with pytest.raises((NotFoundError, BadInputError)):
        await asked.feedback("run_none", "wrong")


def test_the_same_without_await(settings: Settings) -> None:
    scope = "user:orchard-sync"
    with SyncClause.open(settings) as c:
        try:
            created = c.belief_create("Mina Okoro prunes in February", scope=scope)
            assert created.belief is not None
            assert c.belief_query("when does Mina prune?", scopes=[scope]).items[0].belief.id == created.belief.id
        finally:
            assert c.forget(scope=scope, confirm=True).done
