"""Graphs of odd shapes and input of every bad kind, over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, settings

from clause.graph.catalogue import Catalogue
from clause.graph.runner import Graph
from clause.graph.server import ManagedServer
from clause.ingest.triples import load_triples
from clause.reasoning.models import CoordinationResponse
from clause.text.names import LONGEST_KEY, canonical_key, entity_id, normalise
from tests.servers import statement
from tests.shapes import ODD_NAMES, write_hub, write_text

pytestmark = pytest.mark.integration

SPOKES = 10_000
LATER = timedelta(days=365)
FILES = {
    "kg:empty": "",
    "kg:loop": "Ouroboros|eats|Ouroboros\n",
    "kg:cycle": "Rock|beats|Scissors\nScissors|beats|Paper\nPaper|beats|Rock\n",
    "kg:odd": "".join(f"{name}|links to|Oddity\n" for name in ODD_NAMES),
    "kg:twins": "Kismet|next to|kismet\nkismet|next to|KISMET\n",
    "kg:skewed": "Tomorrow|comes after|Today\n",
}
NASTY = {
    "longest": "x" * 10_000,
    "too long": "x" * 10_001,
    "emoji": "\U0001f3ac\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f37f",
    "right to left": "\u202eمن أخرج \u05de\u05d9 Kes\u202c",
    "NUL": "Kes\x00\x00 who",
    "Lucene": '+scope_token:* OR *:* AND (NOT "open~ [a TO *} \\ /re/ ^2',
    "Cypher": "Kes'}) MATCH (n) DETACH DELETE n //",
    "quoted Cypher": "`]->() DETACH DELETE n; //",
    "parameter": "$scope {name: $query} \\u0027",
    "only marks": "?!- ~^",
}
TRIPLE = {"source": "Kes", "relation": "directed_by", "target": "Ken Loach"}
BODIES: dict[str, dict[str, Any]] = {
    "/api/clause/coordinate": {"query": "who directed Kes", "budgets": {}, "scopes": ["kg:films"]},
    "/api/clause/subgraph": {"query": "who directed Kes", "scopes": ["kg:films"]},
    "/api/clause/navigate": {"query": "who directed it", "start_node": "Kes", "scopes": ["kg:films"]},
    "/api/clause/curate": {"evidence_pool": ["Kes was directed by Ken Loach."], "query": "who directed Kes"},
    "/api/clause/edges/score": {"query": "who directed Kes", "edges": [TRIPLE], "scopes": ["kg:films"]},
}
FIELDS = [
    *((path, field) for path in BODIES for field in ("query", "scopes")),
    *((path, field) for path in list(BODIES)[:2] for field in ("start_nodes", "policy", "as_of_valid")),
    *(("/api/clause/navigate", field) for field in ("start_node", "policy", "as_of_recorded")),
    ("/api/clause/curate", "evidence_pool"),
    *(("/api/clause/edges/score", f"edges.{end}") for end in ("source", "relation", "target")),
]
BRIEF = settings(
    max_examples=10, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
EVERYTHING = statement("MATCH (n:Entity) RETURN count(n) AS nodes", mode="read", columns="nodes")
ONE = statement(
    "CREATE (:Entity {id: 'one', scope: 'kg:one', scope_token: 's_kg_one', canonical_key: 'one', name: 'Robinson', "
    "name_key: 'robinson', kind: 'concept', aliases: [], degree: 0, version: 1, recorded_at: datetime()})"
)


async def count(server: ManagedServer) -> int:
    async with Graph(server.ensure(), Catalogue.load()) as graph:
        return int((await graph.execute(EVERYTHING, {}))[0]["nodes"])


@pytest.fixture(scope="module")
def http(doomed: ManagedServer, api: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of the API, above a graph that holds one scope of each shape."""
    folder: Path = tmp_path_factory.mktemp("shapes")

    async def load() -> None:
        async with Graph(doomed.ensure(), Catalogue.load()) as graph:
            for scope, text in FILES.items():
                ahead = LATER if scope == "kg:skewed" else timedelta()
                path = write_text(folder / f"{scope[3:]}.txt", text)
                await load_triples(graph, None, path, scope, now=lambda ahead=ahead: datetime.now(UTC) + ahead)
            await load_triples(graph, None, write_hub(folder / "hub.txt", SPOKES), "kg:hub")
            await graph.run("graph/register_scope", scope="kg:one", recorded_at=datetime.now(UTC))
            await graph.execute(ONE, {})

    asyncio.run(load())
    with httpx.Client(base_url=api, timeout=120, trust_env=False) as client:
        yield client


def ask(http: httpx.Client, scope: str, query: str, **more: Any) -> CoordinationResponse:
    body = {"query": query, "budgets": {"edge_budget": 20, "step_budget": 5}, "scopes": [scope], **more}
    answer = http.post("/api/clause/coordinate", json=body)
    assert answer.status_code == 200, answer.text
    return CoordinationResponse.model_validate(answer.json())


def spent(response: CoordinationResponse) -> dict[str, int]:
    return {name: used for handoff in response.agent_handoffs for name, used in handoff.budget_used.items()}


def expect_problem(answer: httpx.Response) -> dict[str, Any]:
    assert 400 <= answer.status_code < 500, answer.text[:500]
    assert answer.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = answer.json()
    assert problem["code"]
    return problem


def test_an_empty_graph_is_an_answer_with_a_reason(http: httpx.Client) -> None:
    result = ask(http, "kg:empty", "who directed Kes").result
    assert (result.answers, result.seeds, result.abstained) == ((), (), True)
    assert result.reason


def test_a_single_node_is_a_place_to_start_and_nowhere_to_go(http: httpx.Client) -> None:
    response = ask(http, "kg:one", "where is Robinson", start_nodes=["Robinson"])
    assert [seed.id for seed in response.result.seeds] == ["one"]
    assert response.result.subgraph.edges == ()
    assert spent(response)["edges"] == 0
    walk = http.post("/api/clause/navigate", json={"query": "where is it", "start_node": "one", "scopes": ["kg:one"]})
    assert [node["id"] for node in walk.json()["path"]["nodes"]] == ["one"], walk.text


@pytest.mark.parametrize(("scope", "start", "edges"), [("kg:loop", "Ouroboros", 1), ("kg:cycle", "Rock", 3)])
def test_loops_and_cycles_end(http: httpx.Client, scope: str, start: str, edges: int) -> None:
    response = ask(http, scope, f"what does {start} do to what in the end", max_rounds=5)
    found = response.result.subgraph.edges
    assert len(found) <= edges
    assert spent(response)["steps"] <= 5
    body = {"query": f"what about {start}", "scopes": [scope], "min_edge_score": 0, "hop_distance": 5}
    subgraph = http.post("/api/clause/subgraph", json=body).json()
    triples = [(edge["source"], edge["relation"], edge["target"]) for edge in subgraph["selected_edges"]]
    assert len(triples) == len(set(triples)) <= edges


def test_a_hub_costs_no_more_than_the_budget(http: httpx.Client) -> None:
    response = ask(http, "kg:hub", "what points to Hub")
    assert len(response.result.subgraph.edges) <= spent(response)["edges"] <= 20
    body = {"query": "what points to Hub", "scopes": ["kg:hub"], "edge_budget": 1000, "min_edge_score": 0}
    subgraph = http.post("/api/clause/subgraph", json=body).json()
    assert 0 < subgraph["budget_used"] <= 1000
    for spoke in ("spoke 1", "spoke 9999"):
        assert ask(http, "kg:hub", f"where does {spoke} point to", start_nodes=[spoke]).result.seeds


def test_what_a_machine_with_a_clock_ahead_loaded_is_found(http: httpx.Client) -> None:
    result = ask(http, "kg:skewed", "what comes after Today", start_nodes=["Today"]).result
    assert result.subgraph.edges


@pytest.mark.parametrize("name", ODD_NAMES, ids=range(len(ODD_NAMES)))
def test_an_odd_name_is_found_by_itself(http: httpx.Client, name: str) -> None:
    told = name if len(name) <= LONGEST_KEY else entity_id("kg:odd", canonical_key(name))  # longer: by the id alone
    result = ask(http, "kg:odd", "what does it link to", start_nodes=[told]).result
    assert [seed.name for seed in result.seeds] == [normalise(name)]


@pytest.mark.parametrize("nasty", NASTY.values(), ids=NASTY)
def test_no_text_in_any_field_is_more_than_text(http: httpx.Client, doomed: ManagedServer, nasty: str) -> None:
    before = asyncio.run(count(doomed))
    for path, field in FIELDS:
        body = dict(BODIES[path])
        name, _, end = field.partition(".")
        if end:
            body[name] = [{**TRIPLE, end: nasty}]
        else:
            body[name] = [nasty] if name in {"scopes", "start_nodes", "evidence_pool"} else nasty
        answer = http.post(path, json=body)
        if answer.status_code != 200:
            problem = expect_problem(answer)
            assert str(problem["field"]).startswith(name), (path, problem)
        too_long = len(nasty) > 10_000 and name != "as_of_valid"
        assert not (too_long and answer.status_code == 200), path
    for query in (f"/api/clause/runs/{'x' * 65}", "/api/clause/runs?cursor=%00", "/api/jobs?kind=%27%7D)%20DELETE"):
        assert http.get(query).status_code < 500
    job = http.post("/api/jobs", json={"kind": nasty, "parameters": {nasty: nasty}, "scope": nasty})
    assert expect_problem(job)["field"] in {"kind", "scope"}
    assert asyncio.run(count(doomed)) == before


@pytest.mark.parametrize(
    ("path", "change", "status", "field", "bound"),
    [
        ("coordinate", {"start_nodes": ["Citizen Kane"]}, 404, "start_nodes", None),
        ("subgraph", {"start_nodes": ["Citizen Kane"]}, 404, "start_nodes", None),
        ("navigate", {"start_node": "Citizen Kane"}, 404, "start_node", None),
        ("edges/score", {"edges": [{**TRIPLE, "target": "Citizen Kane"}]}, 404, "edges", None),
        ("navigate", {"start_node": "kISMET", "scopes": ["kg:twins"]}, 409, "start_node", None),
        ("coordinate", {"start_nodes": ["kISMET"], "scopes": ["kg:twins"]}, 409, "start_nodes", None),
        ("curate", {"evidence_pool": []}, 422, "evidence_pool", "at least 1 characters or items"),
        ("curate", {"evidence_pool": ["x" * 10_001]}, 422, "evidence_pool.0", "at most 10000 characters or items"),
        ("curate", {"token_budget": 99}, 422, "token_budget", "at least 100"),
        ("curate", {"token_budget": 8193}, 422, "token_budget", "at most 8192"),
        ("navigate", {"step_budget": 21}, 422, "step_budget", "at most 20"),
        ("navigate", {"step_budget": 0}, 422, "step_budget", "at least 1"),
        ("subgraph", {"edge_budget": 1001}, 422, "edge_budget", "at most 1000"),
        ("subgraph", {"hop_distance": 6}, 422, "hop_distance", "at most 5"),
        ("coordinate", {"budgets": {"edge_budget": 9}}, 422, "budgets.edge_budget", "at least 10"),
        ("coordinate", {"budgets": {"token_budget": 8193}}, 422, "budgets.token_budget", "at most 8192"),
        ("coordinate", {"lambdas": {"edge": 1.1}}, 422, "lambdas.edge", "at most 1.0"),
        *((path, {"scopes": ["kg:nowhere"]}, 400, "scopes", None) for path in ("coordinate", "subgraph", "navigate")),
        ("edges/score", {"scopes": ["kg:nowhere"]}, 400, "scopes", None),
        *((path[12:], {"query": "x" * 10_001}, 422, "query", "at most 10000 characters or items") for path in BODIES),
        *((path[12:], {"surprise": 1}, 422, "surprise", None) for path in BODIES),
    ],
)
def test_bad_input_names_its_field_and_its_bound(
    http: httpx.Client, path: str, change: dict[str, Any], status: int, field: str, bound: str | None
) -> None:
    answer = http.post(f"/api/clause/{path}", json={**BODIES[f"/api/clause/{path}"], **change})
    problem = expect_problem(answer)
    assert (answer.status_code, problem["field"]) == (status, field), problem
    assert bound is None or problem["bound"] == bound
    assert problem.get("candidates") or status != 409


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_number_that_is_none_is_refused(http: httpx.Client, number: str) -> None:
    raw = f'{{"query": "who directed Kes", "min_edge_score": {number}}}'
    answer = http.post("/api/clause/subgraph", content=raw, headers={"Content-Type": "application/json"})
    problem = expect_problem(answer)
    assert problem["field"] == "body"
    assert "JSON" in problem["detail"] or "too large" in problem["detail"]
