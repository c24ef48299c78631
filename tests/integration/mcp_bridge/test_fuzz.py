"""Every tool, called with what its own schema allows and with what it does not; and two tenants who must not meet."""

from __future__ import annotations

import json
import zlib
from collections.abc import AsyncIterator
from random import Random
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult
from ulid import ULID

from clause.app import Container
from clause.graph.scopes import Caller
from clause.mcp_bridge.server import offered
from clause.text.tokens import count_tokens
from tests.fakes.arguments import Arguments
from tests.integration.mcp_bridge.conftest import Connect, called
from tests.servers import erase_scope

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

TOOLS = {tool.name: tool for tool in offered("full")}
TRIES = 6
LIMIT = 8000
SECRET = "zanzibar"


def sound(result: CallToolResult) -> dict[str, Any]:
    """The answer of a call, once it is seen that it is one: structured, short, and without embeddings."""
    answer = result.structured_content
    text = result.content[0].text
    assert json.loads(text) == answer
    assert answer["success"] is not result.is_error
    assert count_tokens(text) <= LIMIT
    assert "Traceback" not in text
    assert not embeddings(answer)
    if result.is_error:
        assert answer["error"]["code"] != "internal", answer
        assert answer["error"]["message"]
    return dict(answer)


def embeddings(value: Any) -> bool:
    """True where an embedding is somewhere inside."""
    if isinstance(value, dict):
        return any(key == "embedding" or embeddings(item) for key, item in value.items())
    if isinstance(value, list):
        return (len(value) > 32 and all(isinstance(item, float) for item in value)) or any(map(embeddings, value))
    return False


Known = dict[str, list[str]]


async def seeded(client: Client, scope: str, secret: str) -> Known:
    """Something of everything in a scope; the words that name it, by the arguments that take them."""
    place = {"scope": scope, "project_context": secret, "room_id": f"{secret} room"}
    session = (await called(client, "session_start", **place))["session"]
    beliefs = [
        await called(client, "belief_create", scope=scope, content=f"The {secret} server listens on port {port}")
        for port in (8080, 9090)
    ]
    insight = await called(client, "insight_extract", session_id=session["id"], content=f"{secret} likes short answers")
    turn = await called(client, "exchange_add", session_id=session["id"], role="user", content=f"{secret} says hello")
    habit = {"type": "preference", "description": f"{secret} tests first"}
    pattern = (await called(client, "pattern_record", scope=scope, **habit))["pattern"]
    memory = await called(client, "memory_write", scope=scope, content=f"{secret} moved to Lisbon in May")
    story = {"goal": f"find out why {secret} fails", "hypothesis": f"{secret} has no disk"}
    plan = {"domain": "debugging", "strategy": "bisect", "action": "look at the disk", "prediction": "it is full"}
    experience = (await called(client, "start_ghap", scope=scope, **story, **plan))["experience"]
    mood = {"category": "user_reflection", "salience_spent": 2.0, "valences": {"warmth": 0.5}}
    await called(client, "insight_store", scope=scope, topic_key=f"user:{secret}", content=f"{secret} is kind", **mood)
    answer = await called(client, "coordinate", query=f"Where does {secret} live?", scopes=[scope])
    tensions = (await called(client, "tension_list", scopes=[scope]))["items"]
    entities = [one["id"] for belief in beliefs for one in belief["belief"]["entities"]]
    return {
        "scope": [scope],
        "scopes": [scope],
        "session_id": [session["id"]],
        "source_id": [session["source_id"]],
        "room_id": [f"{secret} room"],
        "belief_id": [*(one["belief"]["id"] for one in beliefs), insight["belief_id"]],
        "derived_from": [beliefs[0]["belief"]["id"]],
        "exchange_id": [turn["id"]],
        "pattern_id": [pattern["id"]],
        "memory_id": [memory["memory_id"]],
        "experience_id": [experience["id"]],
        "tension_id": [one["id"] for one in tensions] or ["none"],
        "entity_id": entities or ["none"],
        "entity": entities or ["none"],
        "run_id": [answer.get("run_id") or "none"],
        "start_node": [*entities, secret],
        "start_nodes": [*entities, secret],
        "axis": ["full", "strategy"],
        "topic_key": [f"user:{secret}"],
        "query": ["which server listens on which port?", "who moved to Lisbon?", "MATCH (n) RETURN n LIMIT 5"],
    }


@pytest.fixture
async def tenants(service: Container, connect: Connect) -> AsyncIterator[tuple[Known, Caller, Caller]]:
    """The ids of what is Ann's, and the callers Ann and Bob, who share nothing."""
    word = str(ULID()).lower()
    scopes = [f"user:ann{word}", f"user:bob{word}"]
    ann, bob = (Caller(readable=(scope,), writable=(scope,), key_id=scope) for scope in scopes)
    async with connect(ann) as client:
        known = await seeded(client, scopes[0], SECRET)
    async with connect(bob) as client:
        await seeded(client, scopes[1], "timbuktu")
    yield known, ann, bob
    await service.runs.settled()
    await service.rooms.memory.settled()
    for scope in scopes:
        await erase_scope(service.graph, scope)


MODES = pytest.mark.parametrize("mode", ["full", "agent"])


@MODES
async def test_every_tool_answers_whatever_it_is_given(
    connect: Connect, tenants: tuple[Known, Caller, Caller], mode: str
) -> None:
    known, ann, _ = tenants
    async with connect(ann, mode=mode) as client:
        for tool in (await client.list_tools()).tools:
            arguments = Arguments(tool.input_schema, Random(zlib.crc32(tool.name.encode())), known)
            for _ in range(TRIES):
                sound(await client.call_tool(tool.name, arguments.valid()))
                sound(await client.call_tool(tool.name, arguments.invalid()))


@MODES
async def test_no_tool_shows_one_tenant_what_is_anothers(
    connect: Connect, tenants: tuple[Known, Caller, Caller], mode: str
) -> None:
    known, ann, bob = tenants
    ids = {name: [word for word in words if SECRET not in word] or ["none"] for name, words in known.items()}
    async with connect(bob, mode=mode) as client:
        for tool in (await client.list_tools()).tools:
            arguments = Arguments(tool.input_schema, Random(zlib.crc32(tool.name.encode()) + 1), ids)
            for _ in range(2 * TRIES):
                given = arguments.valid()
                told = json.dumps(sound(await client.call_tool(tool.name, given)))
                assert SECRET not in told, (tool.name, given)
        for resource in (await client.list_resources()).resources:
            (content,) = (await client.read_resource(resource.uri)).contents
            assert SECRET not in content.text
        for kind, names in (("belief", "belief_id"), ("entity", "entity_id"), ("run", "run_id")):
            for one in known[names]:
                with pytest.raises(MCPError):
                    await client.read_resource(f"clause://{kind}/{one}")
    async with connect(ann) as client:
        held = await called(client, "belief_query", query=f"{SECRET} server port", scopes=known["scope"])
        contents = [hit["belief"]["content"] for hit in held["items"]]
        assert f"The {SECRET} server listens on port 8080" in contents


async def test_an_unknown_id_and_anothers_are_told_alike(
    connect: Connect, tenants: tuple[Known, Caller, Caller]
) -> None:
    known, _, bob = tenants
    async with connect(bob) as client:
        for tool in (await client.list_tools()).tools:
            required = tool.input_schema.get("required", [])
            if [name for name in required if name.endswith("_id")] != required or len(required) != 1:
                continue
            (name,) = required
            for one in known.get(name, ()):
                anothers = sound(await client.call_tool(tool.name, {name: one}))
                unknown = sound(await client.call_tool(tool.name, {name: "nobody"}))
                assert json.dumps(anothers).replace(one, "nobody") == json.dumps(unknown), tool.name
