"""Idempotency keys and the record of the embedding model."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest

from clause.errors import BadInputError, ConflictError, EmbedderMismatchError
from clause.graph.database import check_embedding_model, replace_embedding_model
from clause.graph.idempotency import IdempotencyKeys, RequestKey, StoredResponse, request_hash
from clause.graph.migrations import drift
from clause.graph.runner import Graph, apart
from tests.fakes.clock import Clock
from tests.integration.graphs import waiting, writing
from tests.servers import erase_scope, statement

pytestmark = pytest.mark.integration

SAME, OTHER = request_hash(b"POST", b"/a", b"1"), request_hash(b"POST", b"/a", b"2")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def keys(graph: Graph, clock: Clock) -> IdempotencyKeys:
    return IdempotencyKeys(graph, now=clock)


_PUT = statement("CREATE (:OnceMark {id: randomUUID(), scope: $scope})", parameters="$scope STRING")
_MARKS = statement(
    "MATCH (n:OnceMark {scope: $scope}) RETURN count(n) AS n", mode="read", parameters="$scope STRING", columns="n"
)


def key_of(scope: str, request: str = SAME) -> RequestKey:
    return RequestKey(scope, "k", request)


def answering(graph: Graph, scope: str, body: Any = None) -> Callable[[], Awaitable[StoredResponse]]:
    """Work that makes two marks in two transactions, were it not for the key."""

    async def work() -> StoredResponse:
        await graph.execute(_PUT, {"scope": scope})
        await graph.execute(_PUT, {"scope": scope})
        return StoredResponse(201, body or {"marks": await marks(graph, scope)})

    return work


async def marks(graph: Graph, scope: str) -> int:
    return int((await graph.execute(_MARKS, {"scope": scope}))[0]["n"])


async def test_the_second_of_two_same_requests_gets_the_first_ones_answer(
    graph: Graph, keys: IdempotencyKeys, scope: str
) -> None:
    first = await keys.once(key_of(scope), answering(graph, scope, {"id": "x", "n": [1, None]}))
    again = await keys.once(key_of(scope), answering(graph, scope, {"id": "y"}))
    assert first == StoredResponse(201, {"id": "x", "n": [1, None]})
    assert again == StoredResponse(201, {"id": "x", "n": [1, None]}, replayed=True)
    assert await marks(graph, scope) == 2


async def test_work_sees_what_it_wrote_before_anybody_else_does(
    graph: Graph, keys: IdempotencyKeys, scope: str
) -> None:
    seen: list[int] = []

    async def work() -> StoredResponse:
        await graph.execute(_PUT, {"scope": scope})
        seen.append(await marks(graph, scope))
        with apart():
            seen.append(await marks(graph, scope))
        return StoredResponse(200, {})

    await keys.once(key_of(scope), work)
    assert seen == [1, 0]


async def test_a_key_with_another_request_is_a_conflict(graph: Graph, keys: IdempotencyKeys, scope: str) -> None:
    await keys.once(key_of(scope), answering(graph, scope))
    with pytest.raises(ConflictError, match="another request"):
        await keys.once(key_of(scope, OTHER), answering(graph, scope))
    assert await marks(graph, scope) == 2


async def test_of_many_at_once_one_does_the_work_and_all_get_its_answer(
    graph: Graph, keys: IdempotencyKeys, scope: str
) -> None:
    found = await asyncio.gather(*(keys.once(key_of(scope), answering(graph, scope)) for _ in range(8)))
    assert {one.body["marks"] for one in found} == {2}
    assert sum(not one.replayed for one in found) == 1
    assert await marks(graph, scope) == 2


async def test_a_failed_request_leaves_nothing_and_its_key_is_free_at_once(
    graph: Graph, keys: IdempotencyKeys, scope: str
) -> None:
    async def failing() -> StoredResponse:
        await graph.execute(_PUT, {"scope": scope})
        raise BadInputError("no")

    with pytest.raises(BadInputError):
        await keys.once(key_of(scope), failing)
    assert await marks(graph, scope) == 0
    await keys.once(key_of(scope, OTHER), answering(graph, scope))


async def test_who_is_cut_off_in_the_middle_leaves_nothing(graph: Graph, keys: IdempotencyKeys, scope: str) -> None:
    written = asyncio.Event()

    async def hanging() -> StoredResponse:
        await graph.execute(_PUT, {"scope": scope})
        written.set()
        await asyncio.Event().wait()
        raise AssertionError

    task = asyncio.create_task(keys.once(key_of(scope), hanging))
    await written.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert (await keys.once(key_of(scope), answering(graph, scope))).body == {"marks": 2}


async def test_work_that_goes_on_after_a_conflict_is_done_again(
    graph: Graph, keys: IdempotencyKeys, scope: str
) -> None:
    taken, tries = f"{scope}/taken", []
    put = statement("CREATE (:Job {id: $id, scope: $scope})", parameters="$id STRING, $scope STRING")
    await graph.execute(put, {"id": taken, "scope": scope})

    async def work() -> StoredResponse:
        tries.append(1)
        await graph.execute(_PUT, {"scope": scope})
        if len(tries) == 1:
            with suppress(ConflictError):
                await graph.execute(put, {"id": taken, "scope": scope})
        return StoredResponse(200, {"marks": await marks(graph, scope)})

    assert (await keys.once(key_of(scope), work)).body == {"marks": 1}
    assert len(tries) == 2
    assert await marks(graph, scope) == 1


async def test_what_is_too_large_for_one_transaction_keeps_its_key_after_it(
    graph: Graph, keys: IdempotencyKeys, scope: str
) -> None:
    first = await keys.once(key_of(scope), answering(graph, scope), whole=False)
    again = await keys.once(key_of(scope), answering(graph, scope), whole=False)
    assert (first.replayed, again.replayed, await marks(graph, scope)) == (False, True, 2)


async def test_keys_expire_and_are_forgotten(graph: Graph, keys: IdempotencyKeys, scope: str, clock: Clock) -> None:
    await keys.once(key_of(scope), answering(graph, scope))
    clock.forward(hours=25)
    assert not (await keys.once(key_of(scope, OTHER), answering(graph, scope))).replayed
    clock.forward(hours=25)
    assert await keys.forget_expired() >= 1
    assert not (await keys.once(key_of(scope), answering(graph, scope))).replayed


async def test_one_key_in_two_scopes_is_two_keys(graph: Graph, keys: IdempotencyKeys, scope: str) -> None:
    await keys.once(key_of(scope), answering(graph, scope))
    try:
        assert not (await keys.once(key_of(f"{scope}-b", OTHER), answering(graph, scope))).replayed
    finally:
        await erase_scope(graph, f"{scope}-b")


@pytest.mark.usefixtures("no_model")
async def test_the_first_model_is_recorded_and_another_is_refused_until_everything_is_embedded_anew(graph: Graph):
    await check_embedding_model(graph, "mini", 384)
    await check_embedding_model(graph, "mini", 384)
    for model, dimension in (("large", 384), ("mini", 1024)):
        with pytest.raises(EmbedderMismatchError, match="clause reembed"):
            await check_embedding_model(graph, model, dimension)
    await replace_embedding_model(graph, "large", 1024)
    await check_embedding_model(graph, "large", 1024)
    found = await drift(graph)
    assert "vector.dimensions 384 instead of 1024" in found["entity_embedding"]


async def test_a_key_that_is_claimed_anew_while_the_expired_go_stays(
    graph: Graph, keys: IdempotencyKeys, scope: str, clock: Clock
) -> None:
    await keys.once(key_of(scope), answering(graph, scope))
    clock.forward(days=30)
    renewed = "MATCH (k:IdempotencyKey {scope: $scope}) SET k.expires_at = $at + duration({days: 1})"
    async with writing(graph, renewed, scope=scope, at=clock()):
        forgetting = await waiting(graph, graph.run("graph/forget_keys", now=clock(), limit=100))
    await forgetting
    assert (await keys.once(key_of(scope), answering(graph, scope))).replayed
