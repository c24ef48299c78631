"""Mode `agent` through the official client: the story of a day, and how many tokens it costs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from jsonschema import validate
from mcp import Client
from ulid import ULID

from clause.graph.catalogue import Catalogue
from clause.graph.runner import Graph
from clause.graph.wire import Address
from clause.text.tokens import count_tokens
from tests.e2e.mcp_clients import environment, over_stdio, refused, told
from tests.servers import erase_scope

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

Agent = Callable[[], AbstractAsyncContextManager[Client]]
MOST_TOKENS = 600
QUESTIONS = (
    "who directed Kes",
    "which films did the director of Kes direct",
    "what is caused by climate change",
    "how many films did Ken Loach direct",
    "was Naked directed by Mike Leigh",
    "which films were released in 1969",
    "what do the causes of climate change come from",
    "who composed the music of Kes",
    "where is the lighthouse of Alexandria",
    "which ports does the harbour of Vellmar serve",
    "what did the harbour master of Vellmar write about the storm",
)


@pytest.fixture
async def scope(served_address: Address) -> AsyncIterator[str]:
    name = f"user:agent{str(ULID()).lower()}"
    yield name
    async with Graph(served_address, Catalogue.load()) as graph:
        await erase_scope(graph, name)


@pytest.fixture
def agent(served_address: Address, tmp_path: Path) -> Agent:
    """`async with agent() as client`: a server of its own."""
    return lambda: over_stdio(environment(served_address, tmp_path))


async def asked(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The answer of a call, once it is seen that it is short and what the tool's schema says."""
    result = await client.call_tool(tool, arguments)
    (text,) = [part.text for part in result.content]  # type: ignore[union-attr]
    assert count_tokens(text) <= MOST_TOKENS, (tool, arguments)
    assert json.loads(text) == result.structured_content
    schemas = {one.name: one.output_schema for one in (await client.list_tools()).tools}
    validate(result.structured_content, schemas[tool])
    assert not result.is_error, result.structured_content
    answer: dict[str, Any] = result.structured_content
    return answer


async def test_a_day_of_an_agent(agent: Agent, scope: str) -> None:
    async with agent() as client:
        first = await asked(
            client, "belief_create", scope=scope, content="Ida Brandt leads the harbour project", said_by="Ida"
        )
        assert first["outcome"] == "created"
        assert (await asked(client, "feedback", belief_id=first["id"]))["outcome"] == "corroborated"
        found = await asked(client, "belief_query", query="who leads the harbour project?", scopes=[scope])
        assert [one["id"] for one in found["items"]] == [first["id"]]
        told_by = await asked(client, "ask", query="who leads the harbour project?", scopes=[scope])
        assert first["id"] in [one.get("id") for one in told_by["evidence"]]

        echo = await asked(client, "feedback", belief_id=first["id"])
        assert (echo["outcome"], bool(echo["reason"])) == ("recalled", True)
        newer = await asked(
            client, "belief_supersede", belief_id=first["id"], content="Tom Weiss leads the harbour project"
        )
        wrong = await asked(client, "feedback", belief_id=newer["id"], right=False, reason="a joke")
        gone = await asked(client, "belief_query", query="who leads the harbour project?", scopes=[scope])
        assert newer["id"] not in [one["id"] for one in gone["items"]]
        await asked(client, "feedback", undo=wrong["receipt_id"])
        back = await asked(client, "belief_query", query="who leads the harbour project?", scopes=[scope])
        assert newer["id"] in [one["id"] for one in back["items"]]
        assert (await refused(client, "feedback"))["field"] == "belief_id"
        judged = await asked(client, "feedback", run_id=told_by["run_id"], right=False)
        assert judged["outcome"] == "noted"
        assert "wrong" in judged["reason"]

        kept = await asked(client, "memory_write", scope=scope, content="Ida: the cranes arrive on the fifth of May.")
        recalled = await asked(client, "memory_read", query="when do the cranes arrive", scopes=[scope])
        assert [one["id"] for one in recalled["items"]] == [kept["id"]]
        assert not (await asked(client, "forget", memory_id=kept["id"]))["done"]
        assert (await asked(client, "forget", memory_id=kept["id"], confirm=True))["done"]
        assert (await asked(client, "memory_read", query="when do the cranes arrive", scopes=[scope]))["items"] == []


async def test_every_answer_is_short_also_of_many_things_and_long_texts(agent: Agent, scope: str) -> None:
    async with agent() as client:
        for port in range(30):
            await told(
                client,
                "belief_create",
                scope=scope,
                content=f"The harbour of Vellmar serves the port of Ostrava {port}",
            )
        for storm in range(6):
            log = (
                f"The harbour master of Vellmar wrote about storm {storm}: " + "the waves stood above the mole. " * 120
            )
            await told(client, "memory_write", scope=scope, content=log)
        for question in QUESTIONS:
            for scopes in ({}, {"scopes": [scope]}):
                short = await asked(client, "ask", query=question, **scopes)
                assert short["answers"] or short["abstained"] or short["evidence"], question
        long = await told(client, "ask", query="which films did the director of Kes direct", detail="paths")
        assert any("--directed_by-->" in line or "<--directed_by--" in line for line in long["paths"])

        page = await asked(client, "memory_read", query="the storm", scopes=[scope])
        texts, pages = "", 0
        while "next_cursor" in page:
            page = await asked(client, "memory_read", query="the storm", scopes=[scope], cursor=page["next_cursor"])
            pages += 1
            texts += json.dumps(page)
        assert pages > 3
        assert "the waves stood above the mole" in texts


async def test_a_client_is_told_when_a_belief_changed_and_reads_it_by_its_address(agent: Agent, scope: str) -> None:
    async with agent() as client:
        held = await told(client, "belief_create", scope=scope, content="The mole of Vellmar is forty metres long")
        address = f"clause://belief/{held['id']}"
        async with client.listen(resource_subscriptions=[address]) as changes:
            await told(
                client, "belief_supersede", belief_id=held["id"], content="The mole of Vellmar is fifty metres long"
            )
            event = await asyncio.wait_for(anext(aiter(changes)), 30)
            assert event.uri == address  # type: ignore[union-attr]
        (content,) = (await client.read_resource(address)).contents
        assert json.loads(content.text)["status"] == "superseded"  # type: ignore[union-attr]


async def test_an_answer_is_judged_asked_again_and_what_is_open_is_planned(
    served_address: Address, tmp_path: Path, scope: str
) -> None:
    async with over_stdio(environment(served_address, tmp_path, CLAUSE_MODE="full")) as client:
        schemas = {one.name: one.output_schema for one in (await client.list_tools()).tools}

        async def called(name: str, **arguments: Any) -> dict[str, Any]:
            answer = await told(client, name, **arguments)
            validate(answer, schemas[name])
            return answer

        held = await called("belief_create", scope=scope, content="Ida Brandt leads the harbour project")
        await called("belief_query", query="who leads the harbour project?", scopes=[scope])
        await called("belief_get", belief_id=held["belief"]["id"])
        await called("confidence_explain", belief_id=held["belief"]["id"])
        answer = await called("coordinate", query="who leads the harbour project?", scopes=[scope])
        taken = await called("answer_feedback", run_id=answer["run_id"], verdict="right")
        assert taken["scope"] == scope
        again = await called("replay", run_id=answer["run_id"])
        assert again["run_id"] == answer["run_id"]
        before = await called("replay", run_id=answer["run_id"], as_of="2020-01-01T00:00:00Z")
        assert not before["same"]
        plan = await called("curiosity_plan", budget=3, scopes=[scope])
        assert held["belief"]["id"] in json.dumps(plan["questions"])
        await called("session_list", scopes=[scope])
        await called("memory_stats", scopes=[scope])
