import re
from typing import Any

import jsonschema
import pytest
from fastapi import FastAPI
from httpx import AsyncClient

from clause.api.app import EXAMPLES, build_app
from clause.settings import Settings
from tests.unit.api.fakes import FakeContainer

DOCUMENT: dict[str, Any] = build_app(Settings()).openapi()
OPERATIONS = [
    (path, method, operation) for path, item in DOCUMENT["paths"].items() for method, operation in item.items()
]
FAKED = ("/api/clause", "/api/jobs")
"""What the fakes here answer; tests/integration/api/test_every_route.py asks the rest of a real graph."""
ASKED = [
    (path, method, operation["requestBody"]["content"]["application/json"]["schema"])
    for path, method, operation in OPERATIONS
    if "requestBody" in operation and path.startswith(FAKED)
]
WITH_EXAMPLES = sorted(
    name for name, schema in DOCUMENT["components"]["schemas"].items() if "example" in schema or "examples" in schema
)


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref")
    return DOCUMENT["components"]["schemas"][reference.rsplit("/", 1)[1]] if reference else schema


def examples_of(schema: dict[str, Any]) -> list[Any]:
    schema = resolved(schema)
    return [*schema.get("examples", []), *([schema["example"]] if "example" in schema else [])]


@pytest.mark.parametrize(("path", "method", "schema"), ASKED, ids=[f"{method} {path}" for path, method, _ in ASKED])
async def test_the_examples_of_every_request_are_answered(
    client: AsyncClient, container: FakeContainer, path: str, method: str, schema: dict[str, Any]
) -> None:
    container.runs.add("{run_id}", {})
    examples = examples_of(schema)
    assert examples, f"{path} has no example"
    for example in examples:
        answer = await client.request(method, path, json=example)
        assert answer.status_code in (200, 202), answer.text


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_every_example_fits_its_own_schema(name: str) -> None:
    schema = {"$ref": f"#/components/schemas/{name}", "components": DOCUMENT["components"]}
    for example in examples_of(DOCUMENT["components"]["schemas"][name]):
        jsonschema.validate(example, schema)


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS, ids=[f"{m} {p}" for p, m, _ in OPERATIONS])
def test_every_operation_says_what_it_does_and_how_it_fails(path: str, method: str, operation: dict[str, Any]) -> None:
    assert operation["description"]
    if path.startswith("/api/"):
        for status in ("4XX", "5XX"):
            content = operation["responses"][status]["content"]
            assert content["application/problem+json"]["schema"] == {"$ref": "#/components/schemas/Problem"}


def test_the_promised_routes_are_there(app: FastAPI) -> None:
    promised = {
        "/api/clause/subgraph",
        "/api/clause/navigate",
        "/api/clause/curate",
        "/api/clause/coordinate",
        "/api/clause/edges/score",
        "/health/live",
        "/health/ready",
        "/metrics",
    }
    assert promised <= set(app.openapi()["paths"])


def test_each_operation_has_a_stable_id_and_says_in_words_what_it_does() -> None:
    document = build_app(Settings()).openapi()
    operations = [operation for item in document["paths"].values() for operation in item.values()]
    ids = [operation["operationId"] for operation in operations]
    assert len(set(ids)) == len(ids)
    assert {"reasoning_coordinate", "beliefs_create", "memories_search"} <= set(ids)
    for operation in operations:
        assert operation["tags"], operation["operationId"]
        assert " " in operation["summary"], operation["operationId"]
        assert len(operation["summary"]) <= 120


def test_an_api_key_opens_the_service_and_the_loopback_does_without() -> None:
    document = build_app(Settings()).openapi()
    assert document["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    assert document["security"] == [{}, {"key": []}]


def test_every_operation_stands_in_a_group_that_is_told_in_words() -> None:
    told = {tag["name"]: tag["description"] for tag in DOCUMENT["tags"]}
    used = {tag for _, _, operation in OPERATIONS for tag in operation["tags"]}
    assert used == set(told)
    assert all(words.endswith(".") for words in told.values())


def test_a_key_can_be_given_in_the_page_and_none_is_needed_on_the_loopback() -> None:
    assert DOCUMENT["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    assert DOCUMENT["security"] == [{}, {"key": []}]


def test_an_operation_is_named_by_its_group_and_what_it_does() -> None:
    names = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z_]+", name) for name in names)
    kept = {"reasoning_coordinate", "beliefs_create", "memories_write", "runs_replay", "lineage_erase", "jobs_start"}
    assert kept <= set(names)


def test_what_the_page_offers_to_send_belongs_to_an_operation_and_fits_it() -> None:
    bodies = {
        operation["operationId"]: operation["requestBody"]
        for _, _, operation in OPERATIONS
        if "requestBody" in operation
    }
    for name, example in EXAMPLES.items():
        content = bodies[name]["content"]["application/json"]
        assert content["example"] == example
        jsonschema.validate(example, {**content["schema"], "components": DOCUMENT["components"]})
