"""Every operation of /openapi.json, fuzzed from its own schema with what it allows and what it forbids: no 5xx.

Half of the requests name things that exist, so that more than "not found" is tried. A short run belongs to the suite,
the long one is marked so: `pytest -m long tests/faults/test_openapi.py`.
"""

from __future__ import annotations

from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
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
