"""Every operation of /openapi.json, fuzzed from its own schema with what it allows and what it forbids: no 5xx.

Half of the requests name things that exist, so that more than "not found" is tried. Then stories: what one operation
answers is what the next one is asked with, along the links between them. A short run belongs to the suite, the long one
is marked so: `pytest -m long tests/faults/test_openapi.py`.
"""

from __future__ import annotations

from collections import Counter
from itertools import count
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from clause.api.app import build_app
from clause.settings import Settings

pytestmark = pytest.mark.integration

METHODS = ("get", "put", "post", "delete", "patch")
OPERATIONS = [
    (method, path)
    for path, operations in build_app(Settings()).openapi()["paths"].items()
    for method in METHODS
    if method in operations
]
CHECKS = [not_a_server_error, response_schema_conformance, content_type_conformance]
CALM: dict[str, Any] = {
    "deadline": None,
    "database": None,
    "phases": (Phase.explicit, Phase.generate),
    "suppress_health_check": list(HealthCheck),
}
SHORT = settings(max_examples=3, derandomize=True, **CALM)
LONG = settings(max_examples=60, **CALM)


@pytest.fixture(scope="module")
def described(api: str) -> schemathesis.BaseSchema:
    """The document that the running service gives out."""
    return schemathesis.openapi.from_url(f"{api}/openapi.json")


@pytest.fixture(scope="module")
def known(api: str) -> dict[str, str]:
    """Ids that exist, by the name of the path parameter that takes them."""
    found: dict[str, str] = {}
    with httpx.Client(base_url=api, timeout=60, trust_env=False) as http:
        run = http.post("/api/clause/coordinate", json={"query": "who directed Kes", "budgets": {}}).json()["run_id"]
        http.get(f"/api/clause/runs/{run}").raise_for_status()
        http.post("/api/jobs", json={"kind": "forget_keys", "parameters": {}}).raise_for_status()
        for method, path in OPERATIONS:
            collection, _, parameter = path.rpartition("/{")
            if method == "get" and collection and "{" not in collection and ("get", collection) in OPERATIONS:
                answer = http.get(collection)
                items = answer.json().get("items") if answer.is_success else None
                if items and "id" in items[0]:
                    found[parameter.removesuffix("}")] = items[0]["id"]
    return found


def fuzz(described: Any, known: dict[str, str], method: str, path: str, rate: Any) -> None:
    """Send what the schema allows, then what it forbids."""
    operation = described[path][method]
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):

        @rate
        @given(case=operation.as_strategy(generation_mode=mode), exists=st.booleans())
        def send(case: schemathesis.Case, exists: bool) -> None:
            if exists:
                for name in set(case.path_parameters or {}) & set(known):
                    case.path_parameters[name] = known[name]
            case.call_and_validate(checks=CHECKS, timeout=60)

        try:
            send()
        except Unsatisfiable:  # what takes no input can be given no wrong one
            assert mode is GenerationMode.NEGATIVE


def test_the_document_names_the_operations_that_are_fuzzed(described: Any, known: dict[str, str]) -> None:
    served = [(found.ok().method.lower(), found.ok().path) for found in described.get_all_operations()]
    assert sorted(served) == sorted(OPERATIONS)
    assert {"run_id", "job_id"} <= set(known)


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_no_request_breaks_an_operation(described: Any, known: dict[str, str], method: str, path: str) -> None:
    fuzz(described, known, method, path, SHORT)


@pytest.mark.long
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_no_request_of_many_breaks_an_operation(described: Any, known: dict[str, str], method: str, path: str) -> None:
    fuzz(described, known, method, path, LONG)


STEPS = 25


def stories(described: schemathesis.BaseSchema, cases: int) -> Counter[str]:
    """Send at least so many requests in stories of at most STEPS, each with a seed of its own; how often each operation
    was asked. What the service holds changes with every story, so that none is told twice."""
    sent: Counter[str] = Counter()
    machine = described.as_state_machine()

    class Story(machine):  # type: ignore[misc, valid-type]
        def get_call_kwargs(self, _case: schemathesis.Case) -> dict[str, Any]:
            return {"timeout": 120}

        def validate_response(
            self, response: Any, case: schemathesis.Case, additional_checks: Any = (), **_more: Any
        ) -> None:
            sent[case.operation.label] += 1
            case.validate_response(response, checks=CHECKS)

    for number in count():
        if sent.total() >= cases:
            return sent
        told = type(f"Story{number}", (Story,), {})
        seed(number)(told.TestCase)
        told.run(settings=settings(max_examples=2, stateful_step_count=STEPS, **CALM))
    raise AssertionError("unreachable")


@pytest.mark.timeout(900)  # a story may load the sample, and ask the rest meanwhile
def test_no_story_of_requests_breaks_the_service(described: Any, known: dict[str, str]) -> None:
    sent = stories(described, 500)
    assert len(sent) >= 50


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_no_story_of_many_requests_breaks_the_service(described: Any, known: dict[str, str]) -> None:
    sent = stories(described, 10_000)
    assert len(sent) >= 90
