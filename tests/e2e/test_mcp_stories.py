"""An agent's stories through the official MCP client, over stdio and over HTTP with an API key."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from mcp import Client
from ulid import ULID

from clause.graph.catalogue import Catalogue
from clause.graph.runner import Graph
from clause.graph.wire import Address
from tests.e2e.mcp_clients import environment, http_server, new_key, over_http, over_stdio, refused, told
from tests.servers import erase_scope

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

Clients = Callable[[], AbstractAsyncContextManager[Client]]
FIRST = "Marta Keller rides her bike to the office in Bern every morning"
PARAPHRASE = "Marta Keller rides her bicycle to the office in Bern every morning"
CONTRARY = "Marta Keller does not ride her bike to the office in Bern every morning"

WORK = {
    "debugging": (
        "find why the {part} test fails at night",
        "the {part} test depends on the time zone of the machine",
        "run the {part} test with the clock set to another zone",
        "the {part} test fails in the other zone too",
        "the {part} test read the local time; a fixed clock mended it",
    ),
    "performance": (
        "make the {part} query answer within a second",
        "the {part} query lacks an index on its filter",
        "add an index for the {part} query and measure again",
        "the {part} query takes less than a second",
        "the index made the {part} query forty times faster",
    ),
    "review": (
        "merge the change to the {part} module without new faults",
        "a small change to {part} needs no second reader",
        "ask a colleague to read the {part} change before the merge",
        "the reader of the {part} change finds nothing",
        "the reader found a race in the {part} change before users did",
    ),
}
PARTS = ("parser", "loader", "cache", "billing", "login", "search", "export", "mailer", "queue", "report")


@pytest.fixture
def scope() -> str:
    return f"user:story{str(ULID()).lower()}"


@pytest.fixture(scope="module")
def http_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mcp")


@pytest.fixture(scope="module")
def http_url(served_address: Address, http_home: Path) -> Iterator[str]:
    with http_server(environment(served_address, http_home, CLAUSE_MODE="full"), http_home / "log") as url:
        yield url


@pytest.fixture(params=["stdio", "http"])
async def clients(
    request: pytest.FixtureRequest, served_address: Address, scope: str, tmp_path: Path
) -> AsyncIterator[Clients]:
    """Makes a client over each transport; over HTTP with a key of the scope alone."""
    if request.param == "stdio":
        yield lambda: over_stdio(environment(served_address, tmp_path, CLAUSE_MODE="full"))
    else:
        url = request.getfixturevalue("http_url")
        token = await new_key(request.getfixturevalue("http_home"), scope)
        yield lambda: over_http(url, token)
    async with Graph(served_address, Catalogue.load()) as graph:
        await erase_scope(graph, scope)


async def stated(client: Client, scope: str, content: str, title: str, **more: Any) -> dict[str, Any]:
    source = {"kind": "conversation", "title": title}
    return await told(
        client, "belief_create", scope=scope, content=content, source=source, **{"signal": "project_fact", **more}
    )


async def test_the_story_of_a_belief(clients: Clients, scope: str) -> None:
    async with clients() as client:
        started = await told(client, "session_start", scope=scope, project_context="commuting", client_session_id="c1")
        session = started["session"]["id"]

        first = await stated(client, scope, FIRST, "a chat with Marta")
        belief = first["belief"]
        assert first["outcome"] == "created"
        assert belief["confidence"]["overall"] == pytest.approx(0.65, abs=1e-6)
        known_then = datetime.now(UTC).isoformat()

        again = await stated(client, scope, PARAPHRASE, "Peter's notes")
        assert (again["outcome"], again["belief"]["id"]) == ("corroborated", belief["id"])
        says = await told(client, "belief_corroboration", belief_id=belief["id"])
        assert (says["corroborations"], says["label"], len(says["sources"])) == (0, "uncorroborated", 2)

        contrary = await stated(client, scope, CONTRARY, "a later chat", signal="correction")
        (tension,) = (await told(client, "tension_list", scopes=[scope]))["items"]
        assert (tension["a"]["id"], tension["b"]["id"]) == (belief["id"], contrary["belief"]["id"])
        explained = await told(client, "confidence_explain", belief_id=belief["id"])
        assert explained["advice"]
        settled = await told(
            client, "tension_resolve", tension_id=tension["id"], action="supersede_a", resolution="she takes the train"
        )
        assert settled["status"] == "resolved"
        assert (await told(client, "tension_list", scopes=[scope]))["items"] == []

        asked = {"query": "how does Marta Keller get to the office?", "scopes": [scope]}
        now = await told(client, "belief_query", **asked)
        assert [hit["belief"]["id"] for hit in now["items"]] == [contrary["belief"]["id"]]
        then = await told(client, "belief_query", **asked, as_of_recorded=known_then)
        assert [(hit["belief"]["id"], hit["belief"]["sources"]) for hit in then["items"]] == [(belief["id"], 1)]

        answer = await told(client, "coordinate", **asked)
        assert CONTRARY in [evidence["text"] for evidence in answer["evidence"]]
        explained_run = await told(client, "run_explain", run_id=answer["run_id"])
        assert explained_run["query"] == asked["query"]

        newer = await told(
            client,
            "belief_supersede",
            belief_id=contrary["belief"]["id"],
            content="Marta Keller takes the tram to Bern",
        )
        history = await told(client, "belief_get", belief_id=newer["id"])
        assert [one["id"] for one in history["supersedes"]] == [contrary["belief"]["id"], belief["id"]]
        again = await refused(client, "belief_supersede", belief_id=contrary["belief"]["id"], content="something else")
        assert again["code"] == "conflict"

        await told(client, "insight_extract", session_id=session, content="Marta Keller changed how she commutes")
        ended = await told(
            client,
            "session_end",
            session_id=session,
            summary="Marta Keller's way to work was settled: the tram.",
            themes=["commuting in Bern"],
        )
        assert [one["outcome"] for one in ended["captured"]] == ["created", "created"]
        found = await told(client, "entity_search", query="Marta Keller", scopes=[scope])
        marta = await told(client, "entity_get", entity=found["items"][0]["entity"]["id"])
        assert marta["name"] == "Marta Keller"
        trusted = await told(client, "trust_check", topic="how Marta Keller commutes", scopes=[scope])
        assert trusted["matching"] > 0

        preview = await told(client, "belief_retract", belief_id=newer["id"], reason="a joke")
        assert preview["target"] == newer["id"]
        taken = await told(client, "belief_retract", step="apply", belief_id=newer["id"], plan=preview["plan"])
        assert (await told(client, "belief_get", belief_id=newer["id"]))["status"] == "retracted"
        await told(client, "belief_retract", step="undo", receipt_id=taken["id"])
        assert (await told(client, "belief_get", belief_id=newer["id"]))["status"] == "active"

        notes = (await told(client, "belief_get", belief_id=belief["id"]))["source_id"]
        plan = await told(client, "belief_retract", source_id=notes, reason="the chat was invented")
        assert belief["id"] in [one["id"] for one in plan["affected"]]
        receipt = await told(client, "belief_retract", step="apply", source_id=notes, plan=plan["plan"])
        assert receipt["counts"] == {**plan["counts"], "source": 1}
        await told(client, "belief_retract", step="undo", receipt_id=receipt["id"])
        assert (await told(client, "belief_get", belief_id=belief["id"]))["statements"] == 2

        planned = await told(client, "forget", belief_id=newer["id"])
        assert not planned["done"]
        assert (await told(client, "forget", belief_id=newer["id"], confirm=True))["done"]
        assert (await refused(client, "belief_get", belief_id=newer["id"]))["code"] == "not_found"

        learned = await told(client, "insight_list", session_id=session)
        assert [one["content"] for one in learned["items"]] == ["Marta Keller changed how she commutes"]


async def test_the_retro_of_an_agent(clients: Clients, scope: str) -> None:
    async with clients() as client:
        await lived_through(client, scope)
        clusters = (await told(client, "get_clusters", axis="full", scope=scope))["items"]
        assert len(clusters) == len(WORK)
        assert sum(cluster["size"] for cluster in clusters) > 20
        cluster_id = clusters[0]["cluster_id"]
        members = (await told(client, "get_cluster_members", cluster_id=cluster_id, scope=scope, limit=100))["items"]
        assert len({member["payload"]["domain"] for member in members}) == 1

        bad = await told(
            client, "validate_value", text="Bananas are best eaten ripe.", cluster_id=cluster_id, scope=scope
        )
        assert not bad["valid"]
        assert bad["candidate_distance"] > bad["threshold"]
        assert (
            await refused(
                client,
                "store_value",
                text="Bananas are best eaten ripe.",
                cluster_id=cluster_id,
                axis="full",
                scope=scope,
            )
        )["message"]
        text = await revised(client, scope, cluster_id, members)
        value = await told(client, "store_value", text=text, cluster_id=cluster_id, axis="full", scope=scope)
        assert value["cluster_id"].startswith("full_")
        assert "@" in value["cluster_id"]
        listed = (await told(client, "list_values", axis="full", scopes=[scope]))["items"]
        assert [one["id"] for one in listed] == [value["id"]]

        domain = members[0]["payload"]["domain"]
        begun = await told(client, "start_ghap", scope=scope, **tried(domain, "import"))
        assert [warning["value_id"] for warning in begun["premortem"]["warnings"]] == [value["id"]]
        active = await told(client, "get_active_ghap", scope=scope)
        assert active["experience"]["id"] == begun["experience"]["id"]
        found = await told(client, "search_experiences", query="what made a test fail at night", scopes=[scope])
        assert found["items"][0]["experience"]["domain"] == "debugging"


async def lived_through(client: Client, scope: str) -> None:
    """Thirty experiences in three kinds of work, in an order that mixes them."""
    work = [(domain, part) for domain in WORK for part in PARTS]
    Random(7).shuffle(work)
    for domain, part in work:
        begun = await told(client, "start_ghap", scope=scope, **tried(domain, part))
        result = WORK[domain][4].format(part=part)
        await told(client, "resolve_ghap", experience_id=begun["experience"]["id"], status="confirmed", result=result)


def tried(domain: str, part: str) -> dict[str, str]:
    """What an agent says before it tries something."""
    names = ("goal", "hypothesis", "action", "prediction")
    said = {name: text.format(part=part) for name, text in zip(names, WORK[domain], strict=False)}
    return {"domain": domain, "strategy": f"{domain}-first", **said}


async def revised(client: Client, scope: str, cluster_id: str, members: list[dict[str, Any]]) -> str:
    """A value that says what the experiences say, found as an agent does: tried, judged, said closer."""
    for member in members:
        entry = member["payload"]
        told_so = f"Goal: {entry['goal']}\nHypothesis: {entry['hypothesis']}\nAction: {entry['action']}"
        for text in (entry["outcome"]["result"], f"{told_so}\nOutcome: {entry['outcome']['result']}"):
            if (await told(client, "validate_value", text=text, cluster_id=cluster_id, scope=scope))["valid"]:
                return text
    raise AssertionError("no candidate was central to the cluster")


async def test_over_http_a_wrong_key_is_turned_away_and_a_right_one_sees_its_scope(
    http_url: str, http_home: Path, scope: str
) -> None:
    from mcp.shared._httpx_utils import create_mcp_http_client

    async with create_mcp_http_client({"Authorization": "Bearer clause_wrong"}) as http:
        answer = await http.post(http_url, json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    async with over_http(http_url, await new_key(http_home, scope)) as client:
        assert (await refused(client, "memory_read", query_text="films", scopes=["kg:e2e"]))["code"] == "forbidden"
        assert (await refused(client, "graph_query", query="RETURN 1"))["code"] == "forbidden"
        (content,) = (await client.read_resource("clause://stats")).contents
        assert '"kg:e2e"' not in content.text
    async with over_http(http_url) as owner:
        rows = (await told(owner, "graph_query", query="MATCH (n:Entity {name: 'Kes'}) RETURN n"))["rows"]
        assert rows[0]["n"]["labels"] == ["Entity"]


async def test_over_stdio_tools_are_listed_without_a_server_and_a_call_says_what_is_missing(tmp_path: Path) -> None:
    nobody = Address("bolt://127.0.0.1:9", "neo4j")
    async with over_stdio(environment(nobody, tmp_path, CLAUSE_MODE="personal")) as client:
        assert len((await client.list_tools()).tools) >= 14
        error = await refused(client, "belief_query", query="anything")
        assert error["code"] == "unavailable"
        assert "bolt://127.0.0.1:9" in error["message"]
        assert "no tool" in (await refused(client, "coordinate", query="who directed it"))["message"]
