"""The worked story of a belief, over HTTP against a running service with the real embedding model."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from ulid import ULID

pytestmark = pytest.mark.integration

FIRST = "Marta Keller rides her bike to the office in Bern every morning"
PARAPHRASE = "Marta Keller rides her bicycle to the office in Bern every morning"
CONTRARY = "Marta Keller does not ride her bike to the office in Bern every morning"


def sent(answer: httpx.Response, status: int) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    body: dict[str, Any] = answer.json()
    return body


@pytest.fixture
def scope() -> str:
    return f"user:story{str(ULID()).lower()}"


def stated(http: httpx.Client, scope: str, content: str, title: str, **more: Any) -> dict[str, Any]:
    source = {"kind": "conversation", "title": title}
    body = {"content": content, "scope": scope, "source": source, "signal": "project_fact", **more}
    return sent(http.post("/api/beliefs", json=body), 201)


def test_a_belief_is_stated_corroborated_contradicted_settled_asked_of_yesterday_cited_and_retracted(
    http: httpx.Client, scope: str
) -> None:
    first = stated(http, scope, FIRST, "a chat with Marta")
    assert first["outcome"] == "created"
    belief = first["belief"]
    assert belief["confidence"]["overall"] == pytest.approx(0.65, abs=1e-6)
    assert {"Marta Keller", "Bern"} <= {entity["name"] for entity in belief["entities"]}
    known_then = datetime.now(UTC)

    again = stated(http, scope, PARAPHRASE, "Peter's notes")
    assert (again["outcome"], again["belief"]["id"]) == ("corroborated", belief["id"])
    assert (again["belief"]["sources"], again["belief"]["statements"]) == (1, 2), "one author, under two titles"
    pages = ("https://bern-cycles.org/commuters", "https://office-news.org/people/marta-keller")
    for source in [{"kind": "document", "uri": page} for page in pages]:
        again = sent(http.post(f"/api/beliefs/{belief['id']}/corroborations", json={"source": source}), 201)
    assert (again["belief"]["sources"], again["belief"]["statements"], again["belief"]["stage"]) == (2, 4, "emerging")
    assert again["belief"]["confidence"]["corroboration"] > 0.65

    contrary = stated(http, scope, CONTRARY, "a later chat", signal="correction")
    assert contrary["outcome"] == "created"
    (tension_id,) = contrary["tensions"]
    listed = sent(http.get("/api/tensions", params={"scope": scope}), 200)["items"]
    assert [tension["id"] for tension in listed] == [tension_id]
    assert (listed[0]["a"]["id"], listed[0]["b"]["id"]) == (belief["id"], contrary["belief"]["id"])
    assert listed[0]["signals"] == ["negation"]
    assert sent(http.get(f"/api/beliefs/{belief['id']}"), 200)["status"] == "disputed"

    seen = http.get(f"/api/tensions/{tension_id}")
    settled = http.post(
        f"/api/tensions/{tension_id}/resolve",
        json={"action": "supersede_a", "resolution": "she takes the train now"},
        headers={"If-Match": seen.headers["ETag"], "Idempotency-Key": str(ULID())},
    )
    assert sent(settled, 200)["status"] == "resolved"
    assert sent(http.get("/api/tensions", params={"scope": scope}), 200)["items"] == []

    asked = {"query": "how does Marta Keller get to the office?", "scopes": [scope]}
    now = sent(http.post("/api/beliefs/query", json=asked), 200)
    assert [hit["belief"]["id"] for hit in now["items"]] == [contrary["belief"]["id"]]
    then = sent(http.post("/api/beliefs/query", json={**asked, "as_of_recorded": known_then.isoformat()}), 200)
    assert [hit["belief"]["id"] for hit in then["items"]] == [belief["id"]]
    assert then["items"][0]["belief"]["sources"] == 1
    assert then["items"][0]["belief"]["status"] == "active"

    answer = sent(
        http.post("/api/clause/coordinate", json={"query": asked["query"], "budgets": {}, "scopes": [scope]}), 200
    )
    cited = [evidence["text"] for evidence in answer["result"]["evidence"]]
    assert CONTRARY in cited
    assert FIRST not in cited

    source = {"source_id": contrary["belief"]["source_id"], "reason": "the chat was made up"}
    plan = sent(http.post("/api/retractions/preview", json=source), 200)
    effects = {affected["id"]: (affected["label"], affected["effect"]) for affected in plan["affected"]}
    assert effects[contrary["belief"]["id"]] == ("Belief", "retracted")
    assert effects[answer["run_id"]] == ("Run", "marked")
    assert (plan["counts"]["belief"], plan["counts"]["answer"]) == (1, 1)
    before = sent(http.get(f"/api/beliefs/{contrary['belief']['id']}"), 200)
    receipt = sent(http.post("/api/retractions", json={**source, "plan": plan["plan"]}), 201)
    assert receipt["counts"] == {**plan["counts"], "source": 1}
    gone = sent(http.post("/api/beliefs/query", json=asked), 200)
    assert (gone["items"], "retracted" in gone["reason"]) == ([], True)
    cited_now = sent(
        http.post("/api/clause/coordinate", json={"query": asked["query"], "budgets": {}, "scopes": [scope]}), 200
    )
    assert CONTRARY not in [evidence["text"] for evidence in cited_now["result"]["evidence"]]

    assert sent(http.post(f"/api/retractions/{receipt['id']}/undo"), 200)["undone_at"]
    after = sent(http.get(f"/api/beliefs/{contrary['belief']['id']}"), 200)
    moving = {"confidence"}
    assert {name: value for name, value in after.items() if name not in moving} == {
        name: value for name, value in before.items() if name not in moving
    }
    again = sent(http.post("/api/beliefs/query", json=asked), 200)
    assert [hit["belief"]["id"] for hit in again["items"]] == [contrary["belief"]["id"]]
    still = sent(http.post("/api/beliefs/query", json={**asked, "as_of_recorded": known_then.isoformat()}), 200)
    assert still == then


def test_a_wrong_version_a_second_supersession_and_a_replayed_key_are_told_apart(
    http: httpx.Client, scope: str
) -> None:
    belief = stated(http, scope, FIRST, "a chat")["belief"]
    address = f"/api/beliefs/{belief['id']}/supersede"
    body = {"content": "Marta Keller takes the tram to the office in Bern", "reason": "she said so"}
    assert http.post(address, json=body, headers={"If-Match": '"99"'}).status_code == 412
    key = {"Idempotency-Key": str(ULID())}
    newer = sent(http.post(address, json=body, headers=key), 201)
    replayed = http.post(address, json=body, headers=key)
    assert (replayed.headers["Idempotency-Replayed"], replayed.json()) == ("true", newer)
    assert http.post(address, json=body).status_code == 409
    detail = sent(http.get(f"/api/beliefs/{newer['id']}"), 200)
    assert [one["id"] for one in detail["supersedes"]] == [belief["id"]]
    assert detail["supersedes"][0]["reason"] == "she said so"
    older = sent(http.get(f"/api/beliefs/{belief['id']}"), 200)
    assert older["status"] == "superseded"
    assert [one["id"] for one in older["superseded_by"]] == [newer["id"]]
