import json
from typing import Any

import pytest
from httpx import AsyncClient, Response

from clause.errors import AmbiguousNameError, BadInputError, ClauseError, NotFoundError, SetupError, UnavailableError
from clause.reasoning.models import Answer, CoordinationResult
from tests.unit.api.fakes import FakeContainer

COORDINATE = "/api/clause/coordinate"
ASKING: dict[str, Any] = {"query": "abc", "budgets": {}}
ENDPOINTS: dict[str, dict[str, Any]] = {
    "/api/clause/subgraph": {"query": "who directed it"},
    "/api/clause/navigate": {"query": "who directed it", "start_node": "ent_1"},
    "/api/clause/curate": {"evidence_pool": ["a text"]},
    COORDINATE: {"query": "who directed it", "budgets": {"edge_budget": 10, "step_budget": 1, "token_budget": 100}},
    "/api/clause/edges/score": {"query": "who", "edges": [{"source": "a", "relation": "r", "target": "b"}]},
}


def expect_problem(answer: Response, status: int, **members: Any) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    document: dict[str, Any] = answer.json()
    assert document["status"] == status
    assert document["type"] == f"urn:clause:problem:{document['code']}"
    assert document["request_id"] == answer.headers["X-Request-ID"]
    assert document["instance"] == answer.request.url.path
    assert document["detail"]
    assert document["title"]
    assert {name: document.get(name) for name in members} == members
    return document


@pytest.mark.parametrize("path", ENDPOINTS)
async def test_each_agent_answers_a_right_request(client: AsyncClient, container: FakeContainer, path: str) -> None:
    answer = await client.post(path, json=ENDPOINTS[path])
    assert answer.status_code == 200, answer.text
    assert len(container.coordinator.asked) == 1


async def test_on_the_loopback_the_caller_owns_everything(client: AsyncClient, container: FakeContainer) -> None:
    await client.post(COORDINATE, json=ENDPOINTS[COORDINATE])
    (caller,) = container.coordinator.callers
    assert (caller.readable, caller.writable) == (None, None)


@pytest.mark.parametrize(
    ("path", "change", "field", "bound"),
    [
        (COORDINATE, {"budgets": {"edge_budget": 9}}, "budgets.edge_budget", "at least 10"),
        (COORDINATE, {"budgets": {"step_budget": 21}}, "budgets.step_budget", "at most 20"),
        (COORDINATE, {"budgets": {"token_budget": 8193}}, "budgets.token_budget", "at most 8192"),
        (COORDINATE, {"lambdas": {"edge": 1.5}}, "lambdas.edge", "at most 1.0"),
        (COORDINATE, {"query": "ab", "budgets": {}}, "query", "at least 3 characters or items"),
        (COORDINATE, {"query": "x" * 10_001, "budgets": {}}, "query", "at most 10000 characters or items"),
        ("/api/clause/subgraph", {"edge_budget": 1001}, "edge_budget", "at most 1000"),
        ("/api/clause/navigate", {"step_budget": 0}, "step_budget", "at least 1"),
        ("/api/clause/curate", {"evidence_pool": []}, "evidence_pool", "at least 1 characters or items"),
    ],
)
async def test_a_value_out_of_bounds_is_named_with_its_bound(
    client: AsyncClient, path: str, change: dict[str, Any], field: str, bound: str
) -> None:
    answer = await client.post(path, json={**ENDPOINTS[path], **change})
    expect_problem(answer, 422, code="out_of_bounds", field=field, bound=bound)


async def test_an_unknown_field_and_a_missing_one_are_named(client: AsyncClient) -> None:
    document = expect_problem(await client.post(COORDINATE, json={"budget": 3}), 422, code="bad_input")
    assert {error["field"] for error in document["errors"]} == {"query", "budget", "budgets"}


@pytest.mark.parametrize(
    "query",
    [
        "x" * 10_000,
        "what \x00 is",
        "\U0001f600\U0001f680\U0001f9e0",
        "שלום עולם",
        'a AND (b OR "c~2^ [d TO *',
        "'}) DETACH DELETE n //",
    ],
)
async def test_texts_of_the_world_are_asked_as_they_are(
    client: AsyncClient, container: FakeContainer, query: str
) -> None:
    answer = await client.post(COORDINATE, json={**ASKING, "query": query})
    assert answer.status_code == 200, answer.text
    assert container.coordinator.asked[0].query == query


@pytest.mark.parametrize(
    "body", [b'{"query": "abc", "lambdas": {"edge": NaN}}', b'{"query": "\\ud800 lone"}', b"{", b"\xff"]
)
async def test_a_body_that_is_not_strict_json_is_a_problem(client: AsyncClient, body: bytes) -> None:
    answer = await client.post(COORDINATE, content=body, headers={"Content-Type": "application/json"})
    expect_problem(answer, 400, code="bad_input", field="body")


@pytest.mark.parametrize("headers", [{"Content-Type": "text/plain"}, {}])
async def test_a_body_that_is_not_declared_as_json_is_refused(client: AsyncClient, headers: dict[str, str]) -> None:
    answer = await client.post(COORDINATE, content=b'{"query": "abc"}', headers=headers)
    expect_problem(answer, 422)


async def test_a_body_over_a_mebibyte_is_refused_even_when_it_hides_its_length(client: AsyncClient) -> None:
    async def chunks() -> Any:
        for _ in range(17):
            yield b" " * (1 << 16)

    answer = await client.post(COORDINATE, content=chunks(), headers={"Content-Type": "application/json"})
    expect_problem(answer, 413, code="body_too_large", field="body")


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (NotFoundError("no entity is called 'X'", field="start_nodes"), 404),
        (AmbiguousNameError("two are called 'X'", details={"candidates": ["a", "b"]}), 409),
        (BadInputError("nothing is stored in scope 'kg:x'", field="scopes"), 400),
    ],
)
async def test_our_errors_keep_their_status_code_and_field(
    client: AsyncClient, container: FakeContainer, error: ClauseError, status: int
) -> None:
    container.fail(error)
    document = expect_problem(await client.post(COORDINATE, json=ASKING), status, code=error.code, field=error.field)
    assert document.get("candidates") == error.details.get("candidates")


@pytest.mark.parametrize(
    ("error", "wait_s"), [(UnavailableError("Neo4j is away", retry_after_s=7), "7"), (SetupError("not set up"), "2")]
)
async def test_a_database_that_is_away_says_when_to_try_again(
    client: AsyncClient, container: FakeContainer, error: ClauseError, wait_s: str
) -> None:
    container.fail(error)
    answer = await client.post(COORDINATE, json=ASKING)
    expect_problem(answer, 503, code=error.code)
    assert answer.headers["Retry-After"] == wait_s
    container.coordinator.error = None
    assert (await client.post(COORDINATE, json=ASKING)).status_code == 200


async def test_an_answer_with_a_number_that_json_cannot_say_is_no_answer(
    client: AsyncClient, container: FakeContainer
) -> None:
    nothing = Answer.model_construct(node="ent_1", name="Kes", answer_score=float("nan"), supported=False, path_ids=())
    container.coordinator.result = CoordinationResult.model_construct(
        **{**dict(CoordinationResult()), "answers": (nothing,)}
    )
    answer = await client.post(COORDINATE, json=ASKING)
    expect_problem(answer, 500, code="internal")


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [("GET", "/nowhere", 404, "not_found"), ("GET", COORDINATE, 405, "method_not_allowed")],
)
async def test_wrong_paths_and_methods_are_problems_too(
    client: AsyncClient, method: str, path: str, status: int, code: str
) -> None:
    expect_problem(await client.request(method, path), status, code=code)


async def test_answers_are_counted_by_route_agent_and_spend(client: AsyncClient) -> None:
    await client.post(COORDINATE, json=ASKING)
    text = (await client.get("/metrics")).text
    assert f'clause_requests_total{{method="POST",route="{COORDINATE}",status="200"}} 1.0' in text
    assert 'clause_budget_spent_total{resource="tokens"} 40.0' in text
    assert 'clause_stage_milliseconds_count{stage="architect"} 1.0' in text


async def test_the_answer_is_compact_utf8_json(client: AsyncClient, container: FakeContainer) -> None:
    container.coordinator.result = {"answers": [{"node": "ent_1", "name": "Amélie", "answer_score": 0.9}]}
    answer = await client.post(COORDINATE, json=ASKING)
    assert '"name":"Amélie"' in answer.text
    assert json.loads(answer.content)["run_id"] == "run_1"


@pytest.mark.parametrize(
    ("path", "field"),
    [("subgraph", "start_nodes"), ("navigate", "start_node"), ("coordinate", "start_nodes"), ("edges/score", "edges")],
)
@pytest.mark.parametrize("kind", [NotFoundError, AmbiguousNameError])
async def test_a_node_that_cannot_be_told_is_named_by_the_field_of_the_request(
    client: AsyncClient, container: FakeContainer, path: str, field: str, kind: type[ClauseError]
) -> None:
    container.fail(kind("no such entity", field="start_nodes"))
    answer = await client.post(f"/api/clause/{path}", json=ENDPOINTS[f"/api/clause/{path}"])
    expect_problem(answer, kind.status, field=field)
    container.fail(kind("no such policy", field="policy"))
    answer = await client.post(f"/api/clause/{path}", json=ENDPOINTS[f"/api/clause/{path}"])
    expect_problem(answer, kind.status, field="policy")
