"""A graph whose types no policy was trained on: read as it is, said back, proved, or left unanswered with a reason."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.e2e.conftest import CLIMATE, KENNELS, MARINA, SCOPE, SHOP, coordinated, names


def ask(http: httpx.Client, query: str, status: int = 200, scope: str = CLIMATE, **more: Any) -> dict[str, Any]:
    return coordinated(http, query, scope, status, **more)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("What causes climate change?", {"Greenhouse gas emissions", "Deforestation"}),
        ("What does climate change cause?", {"Sea level rise", "Crop failure"}),
        ("What does soil erosion cause?", {"Crop failure", "Dust storms"}),
        ("How many effects does climate change have?", {"2"}),
        ("Does deforestation cause climate change?", {"yes"}),
        ("What is the capital of Brazil?", {"Brasília"}),
    ],
)
def test_a_question_is_read_on_the_graph_as_it_is(http: httpx.Client, query: str, wanted: set[str]) -> None:
    answered = ask(http, query)
    result = answered["result"]
    assert names(result) == wanted
    assert all(answer["supported"] for answer in result["answers"])
    assert result["readings"][0]["answers"] == len(wanted)
    assert result["answers"][0]["answer_score"] == result["readings"][0]["probability"]
    edges, steps = answered["receipt"]["edges"], answered["receipt"]["steps"]
    assert 0 < edges["spent"] <= edges["budget"]
    assert 0 < steps["spent"] <= steps["budget"]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("How many films did Ken Loach direct?", {"3"}),
        ("Did Mike Leigh direct Naked?", {"yes"}),
        ("Which came out first, Kes or Naked?", {"Kes"}),
    ],
)
def test_a_form_is_answered_on_types_that_training_knew(http: httpx.Client, query: str, wanted: set[str]) -> None:
    result = ask(http, query, scopes=[SCOPE])["result"]
    assert names(result) == wanted, result["reason"]


def test_room_is_read_where_it_is_stored_and_no_size_is_that_of_a_part(http: httpx.Client) -> None:
    assert names(ask(http, "How many dogs can stay in Kennel 2?", scope=KENNELS)["result"]) == {"6"}
    assert names(ask(http, "How many dogs stay in Kennel 2?", scope=KENNELS)["result"]) == {"1"}
    assert names(ask(http, "Which kennel has the largest area?", scope=KENNELS)["result"]) == {"Kennel 1"}
    assert ask(http, "Which kennel has the longest fence?", scope=KENNELS)["result"]["abstained"]


def test_a_question_that_names_only_an_attribute_is_answered_and_replayed(http: httpx.Client) -> None:
    answered = ask(http, "Which country has the smallest surface area?")
    assert names(answered["result"]) == {"Bangladesh"}
    assert answered["result"]["answers"][0]["supported"]
    assert answered["receipt"]["edges"]["spent"] == 1
    replayed = http.post(f"/api/clause/runs/{answered['run_id']}/replay")
    assert replayed.json()["differences"] == []


def test_a_count_that_the_budget_cannot_prove_is_not_told_and_says_so(http: httpx.Client) -> None:
    query = "How many orders did Boris Holm place?"
    told = ask(http, query, scope=SHOP)["result"]
    assert names(told) == {"40"}
    dear = ask(http, query, scope=SHOP, budgets={"edge_budget": 39})["result"]
    assert not dear["answers"]
    assert dear["reason"] == "the evidence that would prove the answer does not fit into the budgets: raise them"


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("which order has the highest total", {"Order 160"}),
        ("orders over 1110 euros", {"Order 159", "Order 160"}),
        ("which orders were placed on 3 May 2024", {"Order 114", "Order 142"}),
        ("which customer placed the most orders", {"Boris Holm"}),
    ],
)
def test_what_is_asked_of_everything_is_answered_whole(http: httpx.Client, query: str, wanted: set[str]) -> None:
    result = ask(http, query, scope=SHOP)["result"]
    assert names(result) == wanted, result["reason"]


def test_a_name_with_a_slip_is_taken_and_said(http: httpx.Client) -> None:
    result = ask(http, "What is the capital of Bangladehs?")["result"]
    assert names(result) == {"Dhaka"}
    assert result["did_you_mean"] == [{"said": "Bangladehs", "meant": "Bangladesh"}]
    assert ask(http, "What is the capital of Brazil?")["result"]["did_you_mean"] == []


@pytest.mark.parametrize("query", ["What causes soil erosion?", "Who is the president of Brazil?"])
def test_what_the_graph_does_not_say_is_not_answered(http: httpx.Client, query: str) -> None:
    result = ask(http, query)["result"]
    assert result["abstained"]
    assert "the graph" in result["reason"]


def test_the_other_side_alone_is_said_and_not_answered(http: httpx.Client) -> None:
    result = ask(http, "What causes soil erosion?")["result"]
    assert result["reason"].startswith('the graph says "what is caused by Soil erosion", which is only the other side')


def test_another_reading_can_be_chosen(http: httpx.Client) -> None:
    first = ask(http, "Does deforestation cause climate change?")["result"]
    other = first["readings"][1]
    chosen = ask(http, "Does deforestation cause climate change?", reading=other["id"])["result"]
    assert [reading["id"] for reading in chosen["readings"]][:2] == [other["id"], first["readings"][0]["id"]]
    refused = ask(http, "What causes climate change?", status=404, reading="reading_none")
    assert chosen["readings"][0]["words"] == other["words"]
    assert "reading_none" in str(refused)


def test_a_reading_that_was_chosen_is_answered_however_unsure_it_was(http: httpx.Client) -> None:
    unsure = ask(http, "Who is the president of Brazil?")["result"]
    assert unsure["abstained"]
    chosen = ask(http, "Who is the president of Brazil?", reading=unsure["readings"][0]["id"])["result"]
    assert not chosen["abstained"]
    assert chosen["answers"][0]["answer_score"] < 0.7


def test_a_proof_that_the_budget_cannot_pay_gives_no_answer(http: httpx.Client) -> None:
    question = "Where is the coastal flooding located that sea level rise causes?"
    budgets = {"edge_budget": 10, "step_budget": 1, "token_budget": 100}
    answered = ask(http, question, budgets=budgets, policy="grounded")
    receipt = answered["receipt"]
    assert receipt["steps"]["spent"] <= 1
    assert receipt["tokens"]["spent"] <= 100
    assert all(path["edges"] and len(path["edges"]) <= 1 for path in answered["result"]["paths"])


def test_a_run_is_replayed_the_same(http: httpx.Client) -> None:
    run = ask(http, "What does climate change cause?")["run_id"]
    replayed = http.post(f"/api/clause/runs/{run}/replay")
    assert replayed.status_code == 200, replayed.text
    assert replayed.json()["differences"] == []


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("What causes it?", {"Greenhouse gas emissions", "Deforestation"}),
        ("What does it cause?", {"Sea level rise", "Crop failure"}),
    ],
)
def test_a_named_policy_walks_and_gathers_as_it_reads(http: httpx.Client, query: str, wanted: set[str]) -> None:
    walk = {"query": query, "start_node": "Climate change", "scopes": [CLIMATE], "policy": "learned"}
    walked = http.post("/api/clause/navigate", json=walk).json()
    assert {answer["name"] for answer in walked["metadata"]["answers"]} == wanted
    assert walked["metadata"]["budget_used"] == 1
    asked = {"query": query, "start_nodes": ["Climate change"], "scopes": [CLIMATE], "policy": "learned"}
    gathered = http.post("/api/clause/subgraph", json=asked).json()
    assert gathered["budget_used"] == len(gathered["selected_edges"]) == len(wanted)
    assert all(0 <= edge["score"] <= 1 for edge in gathered["selected_edges"])


@pytest.mark.parametrize("route", ["navigate", "subgraph"])
def test_a_policy_that_nobody_knows_is_refused(http: httpx.Client, route: str) -> None:
    start = {"start_node": "Climate change"} if route == "navigate" else {}
    asked = {"query": "What causes climate change?", "scopes": [CLIMATE], "policy": "oracle", **start}
    refused = http.post(f"/api/clause/{route}", json=asked)
    assert refused.status_code == 404
    assert "learned" in refused.text


def test_how_sure_an_answer_must_be_is_asked_for(http: httpx.Client) -> None:
    sure = ask(http, "What is the capital of Brazil?", abstain_below=1.0)["result"]
    assert (sure["abstained"], sure["answers"][0]["name"]) == (True, "Brasília")
    assert names(ask(http, "What is the capital of Brazil?", abstain_below=0.0)["result"]) == {"Brasília"}


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("what does the husband of the Sea Lark's skipper do?", {"sailmaker"}),
        ("Where was the founder of the yard that built Grey Gull born?", {"Oulu"}),
        ("who is the warden of the pier where Grey Gull is berthed", {"Mila Brandt"}),
        ("what is the job of Ivo Brandt 's sister", {"welder"}),
        ("Which river runs through the town Lena Brandt lives in?", {"Sel"}),
        ("where does the wife of the skipper of Grey Gull live", {"Tarnsund"}),
        ("Which boat is longer, Sea Lark or Grey Gull?", {"Sea Lark"}),
        ("is the boat Sea Lark longer than the boat Grey Gull?", {"yes"}),
    ],
)
def test_hops_are_walked_as_they_are_named(http: httpx.Client, query: str, wanted: set[str]) -> None:
    assert names(ask(http, query, scope=MARINA)["result"]) == wanted


@pytest.mark.parametrize(
    "query",
    [
        "what is the beam width of Sea Lark?",
        "where was the founder of Hallam Yard's daughter born?",
        "what is the birth date of Otto Hallam",
    ],
)
def test_what_lies_next_to_the_question_is_no_answer(http: httpx.Client, query: str) -> None:
    result = ask(http, query, scope=MARINA)["result"]
    assert result["abstained"], result["answers"]
    assert result["reason"]
