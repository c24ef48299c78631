from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp.shared.exceptions import MCPError
from pydantic import SecretStr

from clause.errors import UnauthorizedError, UnavailableError
from clause.graph.scopes import Caller
from clause.graph.wire import ExplorationResult
from clause.mcp_bridge.resources import RESOURCES, TEMPLATES
from clause.mcp_bridge.server import PROMPTS, LazyContainer, build_server, offered
from clause.mcp_bridge.tool import Mode
from clause.mcp_bridge.tools.reasoning import _first
from clause.mcp_bridge.transports import _bearer_of
from clause.settings import Settings
from tests.unit.api.fakes import FakeApiKeys, FakeContainer
from tests.unit.mcp_bridge.conftest import Connect


class FakeGraph:
    """Finds so many rows of words."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.asked: list[tuple[str, Any]] = []

    async def explore(self, text: str, parameters: Any) -> ExplorationResult:
        self.asked.append((text, parameters))
        return ExplorationResult(("x",), tuple({"x": f"{place} " * 20} for place in range(self.rows)), cut=False)


async def test_tools_are_listed_before_anything_is_opened(connect: Connect, container: FakeContainer) -> None:
    async with connect() as client:
        tools = (await client.list_tools()).tools
        assert {"coordinate", "graph_query"} <= {tool.name for tool in tools}
    assert not container.opened


async def test_every_tool_says_when_to_use_it_and_what_it_takes(connect: Connect) -> None:
    async with connect() as client:
        for tool in (await client.list_tools()).tools:
            assert "Use it" in (tool.description or ""), tool.name
            Draft202012Validator.check_schema(tool.input_schema)
            assert tool.input_schema["type"] == "object"
            assert tool.input_schema["properties"]["cursor"]["type"] == "string"
            assert tool.output_schema is not None
            assert tool.output_schema["required"] == ["success"]
            assert tool.annotations is not None
            assert tool.annotations.open_world_hint is False


async def test_a_call_opens_the_container_and_the_end_closes_it(connect: Connect, container: FakeContainer) -> None:
    async with connect() as client:
        result = await client.call_tool("coordinate", {"query": "who directed it"})
        assert result.structured_content["success"] is True
        assert container.opened
        assert not container.closed
    assert container.closed


def test_the_answers_come_before_the_subgraph() -> None:
    result = {"subgraph": {}, "path": {}, "reason": "why", "evidence": [], "answers": []}
    assert list(_first(result)) == ["answers", "evidence", "path", "subgraph", "reason"]


async def test_what_the_model_can_mend_is_an_error_result(connect: Connect, container: FakeContainer) -> None:
    async with connect() as client:
        for name, arguments in (("coordinate", {"query": "x"}), ("coordinate", {"nonsense": 1}), ("nothing", {})):
            result = await client.call_tool(name, arguments)
            assert result.is_error
            assert result.structured_content["success"] is False
            assert result.structured_content["error"]["message"]
        container.fail(UnavailableError("Neo4j is away", remedy="start it"))
        away = await client.call_tool("coordinate", {"query": "who directed it"})
        assert away.structured_content["error"] == {
            "code": "unavailable",
            "message": "Neo4j is away",
            "remedy": "start it",
        }


async def test_an_argument_that_is_not_for_agents_is_neither_offered_nor_taken(connect: Connect) -> None:
    async with connect() as client:
        (offered_tool,) = [tool for tool in (await client.list_tools()).tools if tool.name == "memory_read"]
        assert "embedding" not in offered_tool.input_schema["properties"]
        result = await client.call_tool("memory_read", {"query_text": "tea", "embedding": [0.1] * 384})
        assert result.structured_content["error"]["field"] == "embedding"


async def test_a_long_answer_goes_on_with_its_cursor(connect: Connect, container: FakeContainer) -> None:
    container.graph = FakeGraph(rows=300)
    async with connect(mcp_tokens=2000) as client:
        arguments: dict[str, Any] = {"query": "MATCH (n) RETURN n.name AS x"}
        rows, pages = [], 0
        while True:
            page = (await client.call_tool("graph_query", arguments)).structured_content
            rows += page["rows"]
            pages += 1
            if "next_cursor" not in page:
                break
            arguments["cursor"] = page["next_cursor"]
        assert [row["x"].split()[0] for row in rows] == [str(place) for place in range(300)]
        assert pages > 3
        assert len(container.graph.asked) == 1
        lost = await client.call_tool("graph_query", {"query": "x", "cursor": "rest-lost"})
        assert lost.structured_content["error"]["field"] == "cursor"


async def test_an_empty_cursor_is_none_and_an_empty_list_says_so(connect: Connect, container: FakeContainer) -> None:
    asked: list[Any] = []

    async def listed(**given: Any) -> list[Any]:
        asked.append(given["after"])
        return []

    container.rooms = SimpleNamespace(sessions=SimpleNamespace(sessions=SimpleNamespace(list=listed)))
    container.graph = FakeGraph(rows=1)
    async with connect() as client:
        found = (await client.call_tool("session_list", {"cursor": ""})).structured_content
        rows = await client.call_tool("graph_query", {"query": "MATCH (n) RETURN n.name AS x", "cursor": ""})
    assert asked == [None]
    assert (found["items"], found["reason"]) == ([], "nothing here fits these filters")
    assert len(rows.structured_content["rows"]) == 1


@pytest.mark.parametrize(("own", "read"), [(None, ("kg:server",)), (("kg:asked",), ("kg:asked",))])
async def test_what_a_request_or_its_key_reads_by_default_goes_before_what_the_server_does(
    connect: Connect, container: FakeContainer, own: tuple[str, ...] | None, read: tuple[str, ...]
) -> None:
    seen: list[Any] = []

    async def noted(*_: Any, caller: Caller, **__: Any) -> list[Any]:
        seen.append(caller.readable)
        return []

    service = SimpleNamespace(list=noted)
    container.rooms = SimpleNamespace(
        sessions=SimpleNamespace(sessions=service), knowledge=SimpleNamespace(beliefs=service)
    )
    async with connect(caller=Caller(default=own), read_scope="kg:server") as client:
        await client.call_tool("session_list", {})
        await client.read_resource("clause://beliefs/recent")
    assert seen == [read, read]


async def test_cypher_is_the_owners_alone(connect: Connect, container: FakeContainer) -> None:
    container.graph = FakeGraph(rows=1)
    async with connect(caller=Caller(readable=("user:ann",), writable=())) as client:
        refused = await client.call_tool("graph_query", {"query": "MATCH (n) RETURN n"})
    assert refused.structured_content["error"]["code"] == "forbidden"
    assert container.graph.asked == []


async def test_resources_are_listed_and_read(connect: Connect, container: FakeContainer) -> None:
    async def run(name: str, **_: Any) -> list[dict[str, Any]]:
        return [{"id": "public"}] if name == "graph/scopes" else [{"label": "Entity", "nodes": 3}]

    container.graph = SimpleNamespace(run=run)
    async with connect() as client:
        listed = (await client.list_resources()).resources
        assert "clause://stats" in {resource.uri for resource in listed}
        (content,) = (await client.read_resource("clause://stats")).contents
        assert '"Entity": 3' in content.text
        with pytest.raises(MCPError, match="no resource"):
            await client.read_resource("clause://nothing")


async def test_a_resource_that_cannot_be_read_says_why(connect: Connect, container: FakeContainer) -> None:
    async def run(_name: str, **_: Any) -> Any:
        raise UnavailableError("Neo4j is away")

    container.graph = SimpleNamespace(run=run)
    async with connect() as client:
        with pytest.raises(MCPError, match="Neo4j is away"):
            await client.read_resource("clause://stats")


AGENT = "ask belief_create belief_query belief_supersede memory_write memory_read feedback forget"
PERSONAL = """belief_query belief_create belief_supersede belief_get belief_search entity_get entity_search tension_list
tension_resolve confidence_explain session_start session_end session_get session_list pattern_list insight_extract"""
CONNECTED = """belief_corroboration trust_check exchange_add exchange_list pattern_record pattern_reinforce
pattern_search session_find_by_room insight_list"""
FULL = """coordinate navigate curate subgraph run_explain answer_feedback replay curiosity_plan
memory_write memory_read memory_stats start_ghap update_ghap
resolve_ghap get_active_ghap list_ghap_entries search_experiences get_clusters get_cluster_members validate_value
store_value list_values insight_store insight_retrieve belief_retract belief_unmerge forget graph_query"""


@pytest.mark.parametrize(
    ("mode", "names"),
    [
        ("agent", AGENT),
        ("personal", PERSONAL),
        ("connected", f"{PERSONAL} {CONNECTED}"),
        ("full", f"{PERSONAL} {CONNECTED} {FULL}"),
    ],
)
def test_a_mode_offers_its_tools_and_those_of_the_smaller_ones(mode: Mode, names: str) -> None:
    offered_names = [tool.name for tool in offered(mode)]
    assert sorted(offered_names) == sorted(names.split())
    assert len(offered_names) == {"agent": 8, "personal": 16, "connected": 25, "full": 53}[mode]


def test_the_documentation_names_every_tool_and_resource_and_no_other_tool() -> None:
    text = (Path(__file__).parents[3] / "docs" / "mcp.md").read_text()
    tables = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    named = [name for cell in tables for name in re.findall(r"`([^`]+)`", cell)]
    templates = [f"{template.prefix}{{id}}" for template in TEMPLATES]
    tools = {tool.name for mode in ("agent", "full") for tool in offered(mode)}
    assert set(named) == {*tools, *RESOURCES, *templates, *(prompt.name for prompt in PROMPTS)}


async def test_over_stdio_the_owner_asks_or_the_bearer_of_the_key_that_is_set() -> None:
    @asynccontextmanager
    async def opener(_settings: Any, _metrics: Any) -> AsyncIterator[FakeContainer]:
        yield FakeContainer()

    assert await _bearer_of(LazyContainer(Settings(), opener))(None) == Caller()
    right = LazyContainer(Settings(api_key=SecretStr(FakeApiKeys.RIGHT)), opener)
    assert (await _bearer_of(right)(None)).readable == ("user:ann",)
    wrong = LazyContainer(Settings(api_key=SecretStr("wrong")), opener)
    with pytest.raises(UnauthorizedError):
        await _bearer_of(wrong)(None)
    await right.close()
    await wrong.close()


async def test_a_container_that_cannot_be_opened_is_tried_again_by_the_next_call() -> None:
    tries = []

    @asynccontextmanager
    async def opener(_settings: Any, _metrics: Any):
        tries.append(1)
        if len(tries) == 1:
            raise UnavailableError("Neo4j is away")
        yield FakeContainer()

    holder = LazyContainer(Settings(), opener)
    with pytest.raises(UnavailableError):
        await holder.container()
    assert await holder.container() is await holder.container()
    assert len(tries) == 2
    await holder.close()
    await holder.close()
    assert build_server(holder).name == "clause"
