"""What an agent keeps in words answers: beliefs, memories and insights over a running service, and what must not."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from ulid import ULID

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

BELIEFS = [
    "The glasshouse is heated with wood chips from the sawmill.",
    "Rosalind Achterberg waters the orchids on weekdays.",
    "The seed bank holds 412 kinds of beans.",
    "Visitors may not touch the cacti.",
]
MEMORIES = ["Pim: the lily pond froze over on 9 January", "we lent the big ladder to the museum next door"]
INSIGHT = "Fern cuttings root best in coconut fibre."


@pytest.fixture
def scope(http: httpx.Client) -> str:
    """A garden's notes."""
    own = f"user:garden-{str(ULID()).lower()}"
    for text in BELIEFS:
        created(http, "/api/beliefs", content=text, scope=own)
    for text in MEMORIES:
        created(http, "/api/memories", content=text, scope=own)
    told(http, own, INSIGHT)
    return own


def created(http: httpx.Client, path: str, **given: Any) -> dict[str, Any]:
    made = http.post(path, json=given)
    assert made.is_success, made.text
    return dict(made.json())


def told(http: httpx.Client, scope: str, content: str, **more: Any) -> dict[str, Any]:
    about = {"topic_key": "self:garden", "category": "synthesis", "salience_spent": 3.0, "valences": {"curiosity": 0.5}}
    return created(http, "/api/insights", content=content, scope=scope, **about, **more)


def ask(http: httpx.Client, scope: str, query: str, **more: Any) -> dict[str, Any]:
    given = {"query": query, "budgets": {"token_budget": 300}, "scopes": [scope], **more}
    return dict(created(http, "/api/clause/coordinate", **given)["result"])


@pytest.mark.parametrize(
    ("question", "first", "says"),
    [
        ("Who waters the orchids?", "Rosalind Achterberg", BELIEFS[1]),
        ("how many kinds of beans are in the seed bank", "412", BELIEFS[2]),
        ("When did the lily pond freeze?", "9 January", MEMORIES[0]),
        ("What is the glasshouse heated with?", BELIEFS[0], BELIEFS[0]),
        ("What do fern cuttings root best in?", INSIGHT, INSIGHT),
        ("to whom did we lend the big ladder", MEMORIES[1], MEMORIES[1]),
    ],
)
def test_a_statement_answers_with_its_text_as_proof(
    http: httpx.Client, scope: str, question: str, first: str, says: str
) -> None:
    found = ask(http, scope, question)
    assert not found["abstained"], found["reason"]
    answer = found["answers"][0]
    assert answer["name"] == first
    assert answer["supported"]
    assert found["evidence"][0]["text"] == says
    statement = next(one for one in found["answers"] if one["kind"] == "statement")
    assert (statement["name"], statement["node"]) == (says, answer["statement"])


def test_an_entity_that_is_walked_to_comes_with_its_walk(http: httpx.Client, scope: str) -> None:
    found = ask(http, scope, "Who waters the orchids?")
    first = found["answers"][0]
    assert first["kind"] == "entity"
    walk = next(path for path in found["paths"] if path["id"] in first["path_ids"])
    assert [edge["relation"] for edge in walk["edges"]] == ["ABOUT"]


def test_what_is_not_kept_is_said_so(http: httpx.Client, scope: str) -> None:
    found = ask(http, scope, "What is the phone number of the plumber?")
    assert found["abstained"]
    assert "nothing that is kept answers this" in found["reason"]
    assert found["evidence"]


def test_what_was_superseded_or_retracted_never_answers(http: httpx.Client, scope: str) -> None:
    old = created(http, "/api/beliefs", content="The pump room key hangs in the office.", scope=scope)["belief"]["id"]
    new = "The pump room key hangs behind the potting shed."
    created(http, f"/api/beliefs/{old}/supersede", content=new)
    gone = created(http, "/api/beliefs", content="The pump room key is with the mayor.", scope=scope)["belief"]["id"]
    created(http, "/api/retractions", belief_id=gone)
    found = ask(http, scope, "Where does the pump room key hang?")
    assert found["answers"][0]["statement"] == next(one["node"] for one in found["answers"] if one["name"] == new)
    kept = {item["text"] for item in found["evidence"]}
    assert not kept & {"The pump room key hangs in the office.", "The pump room key is with the mayor."}


def test_a_verdict_on_a_statement_weighs_its_source_alone(http: httpx.Client, scope: str) -> None:
    said = {"The heron is fed at noon.": "feeding plan", "The heron nests in the old oak.": "bird log"}
    for text, title in said.items():
        source = {"kind": "document", "title": title, "uri": f"{title}:{scope}"}
        created(http, "/api/beliefs", content=text, scope=scope, source=source)
    given = {"query": "When is the heron fed?", "budgets": {"token_budget": 300}, "scopes": [scope]}
    answered = created(http, "/api/clause/coordinate", **given)
    sources = {item["text"]: item["source_id"] for item in answered["result"]["evidence"] if item["text"] in said}
    assert sources.keys() == said.keys()
    assert answered["result"]["answers"][0]["name"] == "noon"
    assert created(http, f"/api/clause/runs/{answered['run_id']}/feedback", verdict="wrong")["sources"] == 1
    wrong = [http.get(f"/api/sources/{sources[text]}").json()["track_record"]["answered_wrong"] for text in said]
    assert wrong == [1, 0]


def test_an_insight_in_quarantine_is_no_evidence(http: httpx.Client, scope: str) -> None:
    told(http, scope, "Moss is best removed with vinegar.", quarantined=True)
    found = ask(http, scope, "What is moss best removed with?")
    assert found["abstained"] or "vinegar" not in found["answers"][0]["name"]
    assert not [item for item in found["evidence"] if "vinegar" in item["text"]]


def test_an_insight_is_evidence_under_its_own_name_and_can_be_left_out(http: httpx.Client, scope: str) -> None:
    first = told(http, scope, "Hellebores are planted beneath the walnut tree.")["insight"]["id"]
    whole = told(http, scope, "Below the walnut tree nothing but hellebores grows.", synthesis_source_ids=[first])
    query, budgets = "What is planted beneath the walnut tree?", {"token_budget": 300}
    given = {"query": query, "budgets": budgets, "scopes": [scope], "without": {"beliefs": [first]}}
    answered = created(http, "/api/clause/coordinate", **given)
    cited = {item["node"]: item["provenance"]["source_uri"] for item in answered["result"]["evidence"]}
    both = {first, whole["insight"]["id"]}
    assert {one: cited[one] for one in both} == {one: f"neo4j://insight/{one}" for one in both}
    other = answered["counterfactual"]
    assert other["hidden_texts"] == 2  # what was made of it alone goes with it
    assert not both & {item["node"] for item in other["result"]["evidence"]}


def test_triples_and_statements_of_one_scope_answer_each_their_questions(http: httpx.Client, scope: str) -> None:
    lines = "greenhouse | built_by | Ottokar Lund\nOttokar Lund | born_in | Turku\ngreenhouse | located_in | Aarhus"
    for line in lines.splitlines():
        head, relation, tail = (part.strip() for part in line.split("|"))
        created(http, "/api/entities/relations", scope=scope, source=head, relation=relation, target=tail)
    assert ask(http, scope, "Who waters the orchids?")["answers"][0]["name"] == "Rosalind Achterberg"
    by_graph = ask(http, scope, "Who built the greenhouse?")["answers"]
    assert by_graph[0]["name"] == "Ottokar Lund"


def test_a_statement_that_the_tokens_do_not_hold_is_not_told(http: httpx.Client, scope: str) -> None:
    budgets = {"edge_budget": 10, "step_budget": 1, "token_budget": 100}
    found = ask(http, scope, "Who waters the orchids?", budgets=budgets)
    assert sum(item["tokens"] for item in found["evidence"]) <= 100
