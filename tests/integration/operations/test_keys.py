"""API keys in a real graph."""

from __future__ import annotations

import pytest

from clause.errors import BadInputError, NotFoundError, UnauthorizedError
from clause.graph.runner import Graph
from clause.operations.keys import ApiKeys, hashed
from tests.servers import statement

pytestmark = pytest.mark.integration

_STORED = statement(
    "MATCH (k:ApiKey {id: $id}) RETURN properties(k) AS key", mode="read", parameters="$id STRING", columns="key"
)


async def test_a_key_opens_its_scopes_and_no_others(graph: Graph) -> None:
    keys = ApiKeys(graph)
    made = await keys.create("app", ["public"], ["user:ann"])
    caller = await keys.caller(made.token)
    assert (caller.readable, caller.writable, caller.key_id) == (("public", "user:ann"), ("user:ann",), made.id)
    assert caller.may_write("user:ann/session:1")
    assert not caller.may_write("public")
    assert not caller.may_read("user:bob")


async def test_the_graph_keeps_a_hash_and_never_the_secret(graph: Graph) -> None:
    made = await ApiKeys(graph).create("app", ["public"], [])
    ((row),) = await graph.execute(_STORED, {"id": made.id})
    secret = made.token.rpartition(made.id + "_")[2]
    assert row["key"]["secret_hash"] == hashed(secret)
    assert secret not in str(row)
    assert made.token not in repr(made)


async def test_a_key_for_everything_opens_everything(graph: Graph) -> None:
    keys = ApiKeys(graph)
    everything = await keys.caller((await keys.create("owner", None, None)).token)
    reader = await keys.caller((await keys.create("reader", None, [])).token)
    writer = await keys.caller((await keys.create("writer", [], None)).token)
    assert (everything.readable, everything.writable) == (None, None)
    assert (reader.readable, reader.writable) == (None, ())
    assert (writer.readable, writer.writable) == (None, None)


async def test_a_revoked_key_opens_nothing(graph: Graph) -> None:
    keys = ApiKeys(graph)
    made = await keys.create("app", ["public"], [])
    ended = await keys.revoke(made.id)
    assert ended.revoked_at is not None
    assert (await keys.revoke(made.id)).revoked_at == ended.revoked_at
    with pytest.raises(UnauthorizedError):
        await keys.caller(made.token)
    assert ended in await keys.list()


@pytest.mark.parametrize(
    "change",
    [
        lambda token: token[:-1] + ("A" if token[-1] != "A" else "B"),
        str.upper,
        lambda token: token + "a",
        lambda token: f" {token}",
    ],
)
async def test_a_key_that_is_almost_right_opens_nothing(graph: Graph, change: object) -> None:
    keys = ApiKeys(graph)
    made = await keys.create("app", ["public"], [])
    token = change(made.token)  # type: ignore[operator]
    with pytest.raises(UnauthorizedError):
        await keys.caller(token)


async def test_a_key_of_an_unknown_id_opens_nothing(graph: Graph) -> None:
    keys = ApiKeys(graph)
    with pytest.raises(UnauthorizedError):
        await keys.caller("clause_01JD7W9ZB6V3Q7T5N9S4E2M8XK_" + "a" * 43)


@pytest.mark.parametrize("token", ["", "x", "clause_", "clause_1_2", "Bearer x", "\0", "clause_" + "é" * 26 + "_x"])
async def test_what_is_no_key_is_refused_without_asking_the_graph(graph: Graph, token: str) -> None:
    before = graph.round_trips
    with pytest.raises(UnauthorizedError):
        await ApiKeys(graph).caller(token)
    assert graph.round_trips == before


async def test_an_unknown_key_cannot_be_revoked(graph: Graph) -> None:
    with pytest.raises(NotFoundError):
        await ApiKeys(graph).revoke("nobody")


async def test_a_key_needs_a_name_and_a_scope_that_is_one(graph: Graph) -> None:
    keys = ApiKeys(graph)
    with pytest.raises(BadInputError, match="name"):
        await keys.create("  ", ["public"], [])
    with pytest.raises(BadInputError, match="needs a scope"):
        await keys.create("app", [], [])
    with pytest.raises(BadInputError, match="not a scope"):
        await keys.create("app", ["*"], [])


async def test_keys_are_in_force_until_the_last_is_revoked(graph: Graph) -> None:
    keys = ApiKeys(graph)
    made = await keys.create("app", ["public"], [])
    assert await keys.any_in_force()
    for key in await keys.list():
        await keys.revoke(key.id)
    assert not await keys.any_in_force()
    assert (await keys.list())[0].id == made.id
