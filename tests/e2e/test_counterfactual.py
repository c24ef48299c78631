"""Answers as if a source, a belief or a triple were not known, beside the answers with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.e2e.conftest import SCOPE, coordinated, names

pytestmark = pytest.mark.integration
OWN = "user:lighthouse"
KEEPER = "The keeper of the Skerry lighthouse is Maud Ferris."
LAMP = "The lamp of the Skerry lighthouse burns paraffin."
ASKED = "Who is the keeper of the Skerry lighthouse?"


def ask(http: httpx.Client, query: str, scope: str = SCOPE, status: int = 200, **more: Any) -> dict[str, Any]:
    return coordinated(http, query, scope, status, **more)


def told(http: httpx.Client, content: str, **more: Any) -> str:
    given = {"content": content, "scope": OWN, "signal": "explicit_request", **more}
    answered = http.post("/api/beliefs", json=given)
    assert answered.is_success, answered.text
    return str(answered.json()["belief"]["id"])


@pytest.fixture(scope="module")
def beliefs(service: str) -> Iterator[dict[str, str]]:
    """The keeper, whom two who share nothing tell of, and the lamp, of which one alone does."""
    with httpx.Client(base_url=service, timeout=60, trust_env=False) as http:
        log = {"kind": "document", "title": "harbour log", "uri": "log:1"}
        almanac = {"kind": "document", "title": "almanac", "uri": "almanac:1", "upstream": "elsewhere"}
        keeper = told(http, KEEPER, source=log)
        assert told(http, KEEPER, source=almanac) == keeper
        yield {"keeper": keeper, "lamp": told(http, LAMP, source=log)}
        assert http.post("/api/erasures", json={"scope": OWN}).status_code < 500


def test_without_a_triple_its_answer_goes_and_the_others_stay(http: httpx.Client) -> None:
    query = "what films did Ken Loach direct"
    edge = {"source": "Kes", "relation": "directed_by", "target": "Ken Loach"}
    answered = ask(http, query, without={"edges": [edge]})
    assert names(answered["result"]) == {"Kes", "Riff-Raff", "Looks and Smiles"}
    other = answered["counterfactual"]
    assert names(other["result"]) == {"Riff-Raff", "Looks and Smiles"}
    assert [(change["kind"], change["name"]) for change in other["changes"] if change["kind"] != "score"] == [
        ("went", "Kes")
    ]
    assert not other["same"]
    assert all("Kes" not in item["text"] for item in other["result"]["evidence"])
    plain = ask(http, query)
    assert plain["counterfactual"] is None
    assert plain["answer_sha256"] == answered["answer_sha256"] != other["answer_sha256"]


def test_without_its_only_source_a_graph_answers_nothing_and_says_so(http: httpx.Client) -> None:
    plain = ask(http, "who directed Kes")
    source = plain["result"]["evidence"][0]
    for name in (source["source_id"], source["provenance"]["source_uri"]):
        other = ask(http, "who directed Kes", without={"sources": [name]})["counterfactual"]
        assert other["result"]["abstained"]
        assert other["result"]["reason"]
        assert {change["kind"] for change in other["changes"]} == {"went"}


def test_budgets_hold_for_each_of_the_two(http: httpx.Client) -> None:
    edge = {"source": "Riff-Raff", "relation": "directed_by", "target": "Ken Loach"}
    budgets = {"edge_budget": 10, "step_budget": 1, "token_budget": 100}
    answered = ask(http, "what films did Ken Loach direct", budgets=budgets, without={"edges": [edge]})
    for one in (answered, answered["counterfactual"]):
        for line, budget in (("edges", 10), ("steps", 1), ("tokens", 100)):
            assert 0 < one["receipt"][line]["spent"] <= budget == one["receipt"][line]["budget"]


def test_a_belief_that_another_source_holds_up_stays_without_the_first(
    http: httpx.Client, beliefs: dict[str, str]
) -> None:
    kept = ask(http, ASKED, OWN, without={"sources": ["harbour log"]})
    assert any(item["node"] == beliefs["keeper"] for item in kept["result"]["evidence"])
    other = kept["counterfactual"]
    assert other["hidden_texts"] == 1  # the lamp alone
    found = [item for item in other["result"]["evidence"] if item["node"] == beliefs["keeper"]]
    assert found[0]["provenance"]["source_uri"] == "almanac:1"
    assert all(item["node"] != beliefs["lamp"] for item in other["result"]["evidence"])
    both = ask(http, ASKED, OWN, without={"sources": ["harbour log", "almanac"]})["counterfactual"]
    assert both["hidden_texts"] == 2
    assert both["result"]["evidence"] == []


def test_without_a_belief_what_it_says_is_not_told(http: httpx.Client, beliefs: dict[str, str]) -> None:
    answered = ask(http, ASKED, OWN, without={"beliefs": [beliefs["keeper"]]})
    assert KEEPER in {item["text"] for item in answered["result"]["evidence"]}
    assert KEEPER not in {item["text"] for item in answered["counterfactual"]["result"]["evidence"]}


def test_it_is_recorded_and_replayed_like_any_answer(http: httpx.Client) -> None:
    edge = {"source": "Naked", "relation": "directed_by", "target": "Mike Leigh"}
    answered = ask(http, "who directed Naked", without={"edges": [edge]})
    recorded = http.get(f"/api/clause/runs/{answered['run_id']}").json()
    assert recorded["request"]["without"]["edges"] == [edge]
    assert recorded["digest"]["counterfactual"]["answer_sha256"] == answered["counterfactual"]["answer_sha256"]
    replayed = http.post(f"/api/clause/runs/{answered['run_id']}/replay").json()
    assert replayed["same"], replayed["differences"]
    assert replayed["response"]["counterfactual"]["changes"] == answered["counterfactual"]["changes"]


@pytest.mark.parametrize(
    ("without", "field", "status"),
    [
        ({"sources": ["no such source"]}, "without.sources", 404),
        ({"beliefs": ["01JD7W9ZB6V3Q7T5N9S4E2M8XK"]}, "without.beliefs", 404),
        ({"edges": [{"source": "Kes", "relation": "directed_by", "target": "Mike Leigh"}]}, "without.edges", 404),
        ({"edges": [{"source": "Nobody", "relation": "directed_by", "target": "Kes"}]}, "without.edges", 404),
        ({}, "without", 422),
    ],
)
def test_what_is_not_there_cannot_be_left_out(
    http: httpx.Client, without: dict[str, Any], field: str, status: int
) -> None:
    refused = ask(http, "who directed Kes", status=status, without=without)
    assert field in str(refused)
