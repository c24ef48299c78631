import asyncio
import gzip
import json
import re
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from ulid import ULID

from clause.api.app import EXAMPLES
from clause.graph.catalogue import Catalogue
from clause.graph.runner import Graph
from clause.graph.wire import Address
from clause.ingest import samples
from clause.ingest.triples import load_triples
from clause.reasoning.models import CoordinationResponse
from clause.text.embedder import SentenceTransformerEmbedder
from tests.e2e.conftest import SCOPE

pytestmark = pytest.mark.integration
COORDINATE = "/api/clause/coordinate"


def asking(query: str, **more: Any) -> dict[str, Any]:
    return {"query": query, "budgets": {}, "scopes": [SCOPE], **more}


def expect_problem(answer: httpx.Response, status: int, **members: Any) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    document: dict[str, Any] = answer.json()
    assert document["request_id"] == answer.headers["X-Request-ID"]
    assert {name: document.get(name) for name in members} == members
    return document


def test_a_question_is_answered_with_path_evidence_and_receipt(http: httpx.Client) -> None:
    answer = http.post(COORDINATE, json=asking("who directed Kes"))
    assert answer.status_code == 200, answer.text
    response = CoordinationResponse.model_validate(answer.json())
    assert "Ken Loach" in [item.name for item in response.result.answers]
    assert response.result.seeds[0].name == "Kes"
    assert response.result.path.steps
    assert response.result.evidence[0].provenance.source_uri
    assert [handoff.agent for handoff in response.agent_handoffs] == [
        "SubgraphArchitect",
        "PathNavigator",
        "ContextCurator",
    ]
    assert response.receipt


def test_the_recorded_run_can_be_read_listed_and_replayed(http: httpx.Client) -> None:
    run_id = http.post(COORDINATE, json=asking("who directed Naked")).json()["run_id"]
    run = http.get(f"/api/clause/runs/{run_id}")
    assert run.status_code == 200, run.text
    assert run.json()["id"] == run_id
    assert run_id in [item["id"] for item in http.get("/api/clause/runs").json()["items"]]
    replay = http.post(f"/api/clause/runs/{run_id}/replay")
    assert replay.status_code == 200, replay.text


def test_each_agent_answers_alone(http: httpx.Client) -> None:
    body = {"query": "who directed Kes", "scopes": [SCOPE], "min_edge_score": 0}
    subgraph = http.post("/api/clause/subgraph", json=body)
    assert subgraph.json()["selected_edges"], subgraph.text
    walk = http.post("/api/clause/navigate", json={"query": "who directed it", "start_node": "Kes", "scopes": [SCOPE]})
    assert walk.json()["path"]["nodes"], walk.text
    curated = http.post("/api/clause/curate", json={"evidence_pool": ["Kes was directed by Ken Loach."]})
    assert curated.json()["selected_evidence"], curated.text
    edges = [{"source": "Kes", "relation": "directed_by", "target": "Ken Loach"}]
    scored = http.post("/api/clause/edges/score", json={"query": "who directed Kes", "edges": edges, "scopes": [SCOPE]})
    assert scored.json()["scores"][0]["score"] > 0, scored.text


ALONE = {
    "subgraph": {"query": "who directed Kes"},
    "navigate": {"query": "who directed it", "start_node": "Kes"},
    "curate": {
        "query": "who directed Kes",
        "evidence_pool": ["Mike Leigh made Naked.", "Ken Loach made Kes.", "Rain."],
    },
    "edges/score": {
        "query": "who directed Kes",
        "edges": [
            {"source": "Kes", "relation": "directed_by", "target": "Ken Loach"},
            {"source": "Kes", "relation": "written_by", "target": "Barry Hines"},
        ],
    },
}


@pytest.mark.parametrize("path", [*ALONE, "coordinate"])
def test_an_unknown_policy_is_refused_wherever_one_may_be_named(http: httpx.Client, path: str) -> None:
    body = {**ALONE.get(path, asking("who directed Kes")), "scopes": [SCOPE], "policy": "oracle"}
    expect_problem(http.post(f"/api/clause/{path}", json=body), 404, field="policy")


@pytest.mark.parametrize("policy", ["learned", "grounded"])
def test_each_agent_alone_reads_by_the_policy_that_is_named(http: httpx.Client, policy: str) -> None:
    def asked(path: str) -> dict[str, Any]:
        answer = http.post(f"/api/clause/{path}", json={**ALONE[path], "scopes": [SCOPE], "policy": policy})
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told

    assert {edge["relation"] for edge in asked("subgraph")["selected_edges"]} == {"directed_by"}
    assert [step["relation"] for step in asked("navigate")["path"]["steps"]] == ["directed_by"]
    assert [one["text"] for one in asked("curate")["selected_evidence"]] == ["Ken Loach made Kes."]
    director, writer = asked("edges/score")["scores"]
    assert director["score"] > 0.5
    assert writer["score"] == 0


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        (asking("who directed Kes", start_nodes=["Citizen Kane"]), 404, "start_nodes"),
        (asking("who directed Kes", scopes=["kg:nowhere"]), 400, "scopes"),
        (asking("who directed Kes", scopes=["kg:"]), 400, "scopes"),
        (asking("who directed Kes", policy="oracle"), 404, "policy"),
        (asking("who directed Kes", budgets={"edge_budget": 201}), 422, "budgets.edge_budget"),
        (asking("x" * 10_001), 422, "query"),
        (asking("ab"), 422, "query"),
    ],
)
def test_bad_input_is_a_problem_that_names_the_field(
    http: httpx.Client, body: dict[str, Any], status: int, field: str
) -> None:
    expect_problem(http.post(COORDINATE, json=body), status, field=field)


@pytest.mark.parametrize(
    "query",
    [
        "x" * 10_000,
        "Kes \x00 who directed",
        "\U0001f600 Kes \U0001f680",
        "מי ביים את Kes",
        'Kes AND (NOT "open~ [a TO *} \\',
        "Kes'}) DETACH DELETE n //",
        "+scope_token:* OR *:*",
    ],
)
def test_odd_texts_are_answered(http: httpx.Client, query: str) -> None:
    answer = http.post(COORDINATE, json=asking(query))
    assert answer.status_code == 200, answer.text


def test_a_question_that_names_nothing_is_an_answer_with_a_reason(http: httpx.Client) -> None:
    result = http.post(COORDINATE, json=asking("zzqx wvvk jjy")).json()["result"]
    assert (result["seeds"] == []) <= (result["abstained"] and bool(result["reason"]))


def test_the_same_request_gets_the_same_answer(http: httpx.Client) -> None:
    results = [http.post(COORDINATE, json=asking("what films did Ken Loach direct")).json() for _ in range(2)]
    for key in ("answers", "path", "paths", "subgraph", "seeds"):
        assert results[0]["result"][key] == results[1]["result"][key]
    assert results[0]["answer_sha256"] == results[1]["answer_sha256"]
    assert results[0]["receipt"] == results[1]["receipt"]


def test_several_clients_at_once_all_get_their_answer(http: httpx.Client) -> None:
    with ThreadPoolExecutor(8) as pool:
        statuses = list(
            pool.map(lambda _: http.post(COORDINATE, json=asking("who directed Kes")).status_code, range(24))
        )
    assert set(statuses) == {200}


def test_health_names_every_part_as_ready(http: httpx.Client) -> None:
    assert http.get("/health/live").json()["status"] == "alive"
    ready = http.get("/health/ready").json()
    assert {name: check["ready"] for name, check in ready["checks"].items()} == {
        "neo4j": True,
        "migrations": True,
        "model": True,
        "policy": True,
    }


def test_metrics_count_answers_by_route(http: httpx.Client) -> None:
    http.post(COORDINATE, json=asking("who directed Kes"))
    text = http.get("/metrics").text
    found = re.search(r'clause_requests_total\{method="POST",route="/api/clause/coordinate",status="200"\} (\S+)', text)
    assert found is not None
    assert float(found[1]) >= 1
    assert 'clause_stage_milliseconds_count{stage="architect"}' in text


def test_the_docs_page_and_its_files_come_from_us_alone(http: httpx.Client) -> None:
    page = http.get("/docs").text
    assert re.findall(r"""(?:https?:)?//[\w.-]+\.\w+""", page) == []
    for file in re.findall(r"""(?:src|href)=["']([^"']+)["']""", page):
        assert http.get(file).status_code == 200


def test_a_job_is_started_once_for_its_key_and_tells_its_progress(http: httpx.Client) -> None:
    headers = {"Idempotency-Key": str(ULID())}
    body = {"kind": "forget_keys", "parameters": {}}
    first = http.post("/api/jobs", json=body, headers=headers)
    assert first.status_code == 202, first.text
    again = http.post("/api/jobs", json=body, headers=headers)
    assert again.json()["id"] == first.json()["id"]
    assert again.headers["Idempotency-Replayed"] == "true"
    with http.stream("GET", f"{first.headers['Location']}/events") as stream:
        events = [line.removeprefix("data: ") for line in stream.iter_lines() if line.startswith("data: ")]
    states = [json.loads(event)["state"] for event in events]
    assert states[-1] == "succeeded", states
    assert http.get(first.headers["Location"]).json()["state"] == "succeeded"
    other = http.post("/api/jobs", json={**body, "scope": "public"}, headers=headers)
    expect_problem(other, 409, field="Idempotency-Key")


def test_the_pages_of_runs_hold_each_run_once(http: httpx.Client) -> None:
    made = {http.post(COORDINATE, json=asking("who directed Kes")).json()["run_id"] for _ in range(3)}
    seen: list[str] = []
    query: dict[str, str] = {"limit": "2"}
    while True:
        page = http.get("/api/clause/runs", params=query).json()
        seen += [item["id"] for item in page["items"]]
        if page["next_cursor"] is None:
            break
        query["cursor"] = page["next_cursor"]
    assert len(seen) == len(set(seen))
    assert made <= set(seen)


def test_another_host_name_and_another_origin_are_refused(http: httpx.Client) -> None:
    expect_problem(http.get("/health/live", headers={"Host": "evil.example"}), 403, code="forbidden")
    expect_problem(http.post("/api/jobs", headers={"Origin": "http://evil.example"}), 403, code="forbidden")


def test_the_request_id_goes_in_and_out(http: httpx.Client) -> None:
    assert http.get("/health/live", headers={"X-Request-ID": "my-1"}).headers["X-Request-ID"] == "my-1"


@pytest.mark.parametrize(
    "raw",
    [b"GARBAGE\r\n\r\n", b"POST /api/clause/coordinate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: abc\r\n\r\n"],
)
def test_bytes_that_are_no_request_do_no_harm(http: httpx.Client, service: str, raw: bytes) -> None:
    place = urlsplit(service)
    with socket.create_connection((place.hostname, place.port), timeout=10) as connection:
        connection.sendall(raw)
        assert b"400" in connection.recv(1000)
    assert http.get("/health/live").status_code == 200


SAMPLE = "kg:e2e-sample"


@pytest.fixture
def weir(http: httpx.Client, served_address: Address, tmp_path: Path) -> Iterator[str]:
    """The sample's own lines about the films of Peter Weir; erased afterwards."""
    with gzip.open(samples.KB, "rt", encoding="utf-8") as lines:
        triples = [line.rstrip("\n").split("|") for line in lines]
    films = {head for head, relation, tail in triples if (relation, tail) == ("directed_by", "Peter Weir")}
    file = tmp_path / "weir.txt"
    file.write_text("".join("|".join(triple) + "\n" for triple in triples if triple[0] in films), encoding="utf-8")

    async def load() -> None:
        embedder = SentenceTransformerEmbedder()
        async with Graph(served_address, Catalogue.load()) as graph:
            await load_triples(graph, embedder, file, SAMPLE)
        embedder.close()

    asyncio.run(load())
    yield SAMPLE
    http.post("/api/erasures", json={"scope": SAMPLE}).raise_for_status()


def test_what_the_page_of_the_api_offers_to_send_is_answered_rightly(http: httpx.Client, weir: str) -> None:
    operations = {
        operation["operationId"]: path
        for path, item in http.get("/openapi.json").json()["paths"].items()
        for operation in item.values()
    }

    def answered(name: str) -> dict[str, Any]:
        answer = http.post(operations[name], json={**EXAMPLES[name], "scopes": [weir]})
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    wrote = {one["name"] for one in answered("reasoning_coordinate")["result"]["answers"]}
    assert {"Andrew Niccol", "Tom Schulman", "Cliff Green", "Paul Theroux"} <= wrote
    assert "directed_by" in {edge["relation"] for edge in answered("reasoning_subgraph")["selected_edges"]}
    assert answered("reasoning_navigate")["path"]["nodes"][-1]["name"] == "1998"
    scores = {one["relation"]: one["score"] for one in answered("reasoning_score_edges")["scores"]}
    assert scores["directed_by"] > scores["release_year"]
