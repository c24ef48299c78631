"""A recorded question again as of another time: what the answer was, what it is, and which statement made it so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

pytestmark = pytest.mark.integration
OWN = "user:orchard"
OLD = "The gate of the Penrow orchard is opened by Silas Venn."
NEW = "The gate of the Penrow orchard is opened by Ada Quill."
QUERY = "Who opens the gate of the Penrow orchard?"
PRESS = "The press of the Penrow orchard holds 40 litres."
DENIED = "The press of the Penrow orchard holds 90 litres."


def post(http: httpx.Client, path: str, body: dict[str, Any] | None = None, status: int = 200) -> dict[str, Any]:
    answered = http.post(path, json=body)
    assert answered.status_code == status, answered.text
    found: dict[str, Any] = answered.json()
    return found


def asked(http: httpx.Client, query: str) -> tuple[str, str, dict[str, Any]]:
    """(run, when it was recorded, result)."""
    found = post(http, "/api/clause/coordinate", {"query": query, "budgets": {}, "scopes": [OWN]})
    run = http.get(f"/api/clause/runs/{found['run_id']}").json()
    return found["run_id"], run["recorded_at"], found["result"]


def told(http: httpx.Client, content: str) -> str:
    body = {"content": content, "scope": OWN, "signal": "explicit_request"}
    return str(post(http, "/api/beliefs", body, 201)["belief"]["id"])


@pytest.fixture(scope="module")
def story(service: str) -> Iterator[dict[str, Any]]:
    """What was believed was asked for, then superseded and contradicted."""
    with httpx.Client(base_url=service, timeout=60, trust_env=False) as http:
        old, press = told(http, OLD), told(http, PRESS)
        gate_run, gate_at, _ = asked(http, QUERY)
        press_run, press_at, _ = asked(http, "How much does the press of the Penrow orchard hold?")
        superseded = post(http, f"/api/beliefs/{old}/supersede", {"content": NEW, "reason": "she took over"}, 201)
        told(http, DENIED)
        yield {
            "old": old,
            "new": superseded["id"],
            "press": press,
            "gate": (gate_run, gate_at),
            "press_run": (press_run, press_at),
        }


def replay(http: httpx.Client, run: str, **clocks: str) -> dict[str, Any]:
    return post(http, f"/api/clause/runs/{run}/replay", clocks or None)


def texts(found: dict[str, Any]) -> set[str]:
    return {item["text"] for item in found["response"]["result"]["evidence"]}


def test_at_its_own_time_a_run_comes_out_as_it_was(http: httpx.Client, story: dict[str, Any]) -> None:
    run, at = story["gate"]
    found = replay(http, run, as_of=at)
    assert found["same"], found["differences"]
    assert found["as_of_valid"] == found["as_of_recorded"] == at
    assert OLD in texts(found)
    assert found["reasons"] == found["changes"] == []


def test_today_the_answer_is_another_and_the_statements_tell_why(http: httpx.Client, story: dict[str, Any]) -> None:
    found = replay(http, story["gate"][0])
    assert not found["same"]
    assert found["reproduced"]
    assert OLD not in texts(found)
    assert NEW in texts(found)
    why = {reason["node"]: reason for reason in found["reasons"]}
    assert why[story["old"]]["kind"] == "went"
    assert why[story["old"]]["why"] == f'it was superseded then by "{NEW}"'
    assert why[story["new"]]["kind"] == "came"
    assert why[story["new"]]["at"] > story["gate"][1]
    assert {change["kind"] for change in found["changes"]} <= {"came", "went", "score"}


def test_a_belief_that_was_contradicted_lost_confidence(http: httpx.Client, story: dict[str, Any]) -> None:
    found = replay(http, story["press_run"][0])
    (lost,) = [reason for reason in found["reasons"] if reason["node"] == story["press"]]
    assert lost["kind"] == "lost_confidence"
    assert lost["after"] < lost["before"]
    assert "open tensions: 0 -> 1" in lost["why"]


def test_before_anything_was_known_there_is_no_answer(http: httpx.Client, story: dict[str, Any]) -> None:
    found = replay(http, story["gate"][0], as_of_recorded="2020-01-01T00:00:00Z")
    assert found["response"]["result"]["abstained"]
    assert texts(found) == set()
    assert {reason["kind"] for reason in found["reasons"]} == {"went"}
    assert {reason["why"] for reason in found["reasons"]} == {"it was recorded then"}


def test_both_ways_to_say_the_time_are_not_mixed(http: httpx.Client, story: dict[str, Any]) -> None:
    at = story["gate"][1]
    refused = post(http, f"/api/clause/runs/{story['gate'][0]}/replay", {"as_of": at, "as_of_valid": at}, 422)
    assert "as_of" in str(refused)
