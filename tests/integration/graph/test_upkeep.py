"""Idempotency keys and the record of the embedding model."""

from __future__ import annotations

import asyncio

import pytest

from clause.errors import ConflictError, EmbedderMismatchError
from clause.graph.database import check_embedding_model, replace_embedding_model
from clause.graph.idempotency import Claim, IdempotencyKeys, StoredResponse, request_hash
from clause.graph.migrations import drift
from clause.graph.runner import Graph
from tests.fakes.clock import Clock

pytestmark = pytest.mark.integration

SAME, OTHER = request_hash("POST", "/a", b"1"), request_hash("POST", "/a", b"2")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def keys(graph: Graph, clock: Clock) -> IdempotencyKeys:
    return IdempotencyKeys(graph, now=clock)


async def claimed(keys: IdempotencyKeys, scope: str, request: str = SAME) -> Claim:
    claim = await keys.claim(scope, "k", request)
    assert isinstance(claim, Claim)
    return claim


async def test_the_second_of_two_same_requests_gets_the_first_ones_answer(keys: IdempotencyKeys, scope: str):
    await keys.keep(await claimed(keys, scope), 201, {"id": "x", "n": [1, None]})
    assert await keys.claim(scope, "k", SAME) == StoredResponse(201, {"id": "x", "n": [1, None]})


async def test_a_key_with_another_request_is_a_conflict(keys: IdempotencyKeys, scope: str):
    await keys.keep(await claimed(keys, scope), 200, {})
    with pytest.raises(ConflictError, match="another request"):
        await keys.claim(scope, "k", OTHER)


async def test_of_many_at_once_one_does_the_work(keys: IdempotencyKeys, scope: str):
    found = await asyncio.gather(*(keys.claim(scope, "k", SAME) for _ in range(8)), return_exceptions=True)
    assert sum(isinstance(one, Claim) for one in found) == 1
    assert sum(isinstance(one, ConflictError) for one in found) == 7


async def test_a_failed_request_may_be_sent_again(keys: IdempotencyKeys, scope: str):
    await keys.release(await claimed(keys, scope))
    await claimed(keys, scope, OTHER)


async def test_an_answered_key_cannot_be_released_by_a_late_failure(keys: IdempotencyKeys, scope: str):
    claim = await claimed(keys, scope)
    await keys.keep(claim, 200, {})
    await keys.release(claim)
    assert isinstance(await keys.claim(scope, "k", SAME), StoredResponse)


async def test_the_claim_of_a_dead_process_is_taken_over_after_a_while(keys: IdempotencyKeys, scope: str, clock: Clock):
    dead = await claimed(keys, scope)
    clock.forward(minutes=3)
    await keys.keep(await claimed(keys, scope), 200, "second")
    await keys.keep(dead, 200, "first, too late")
    assert await keys.claim(scope, "k", SAME) == StoredResponse(200, "second")


async def test_keys_expire_and_are_forgotten(keys: IdempotencyKeys, scope: str, clock: Clock):
    await keys.keep(await claimed(keys, scope), 200, {})
    clock.forward(hours=25)
    assert await keys.forget_expired() >= 1
    await claimed(keys, scope, OTHER)


async def test_one_key_in_two_scopes_is_two_keys(keys: IdempotencyKeys, scope: str):
    await claimed(keys, scope)
    there = await keys.claim(f"{scope}-b", "k", OTHER)
    assert isinstance(there, Claim)
    await keys.release(there)


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
