"""What to find out next: the gaps that matter most first, within a budget; answers close them."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

pytestmark = pytest.mark.integration
OWN = "user:mill"


def post(http: httpx.Client, path: str, body: dict[str, Any], status: int = 200) -> dict[str, Any]:
    answered = http.post(path, json=body)
    assert answered.status_code == status, answered.text
    found: dict[str, Any] = answered.json()
    return found


def told(http: httpx.Client, content: str, **more: Any) -> str:
    return str(post(http, "/api/beliefs", {"content": content, "scope": OWN, **more}, 201)["belief"]["id"])


def ask(http: httpx.Client, query: str) -> dict[str, Any]:
    return post(http, "/api/clause/coordinate", {"query": query, "budgets": {}, "scopes": [OWN]})["result"]


def plan(http: httpx.Client, budget: int = 50) -> dict[str, Any]:
    return post(http, "/api/clause/curiosity/plan", {"budget": budget, "scopes": [OWN]})


def close(http: httpx.Client, status: int = 200, **given: Any) -> dict[str, Any]:
    return post(http, "/api/clause/curiosity/answers", given, status)


def gaps(found: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [one for one in found["questions"] if one["kind"] == kind]


def test_the_plan_ranks_gaps_and_answers_close_them(http: httpx.Client) -> None:
    told(http, "The wheel of the Tarn mill turns 8 times a minute.")
    told(http, "The wheel of the Tarn mill turns 13 times a minute.")
    weak = told(http, "The miller of the Tarn mill keeps goats.", signal="mention")
    rare, often = "Which flour does the Holm bakery buy?", "What does the night watch of Brell carry?"
    for query in (rare, often, often, often):
        assert ask(http, query)["abstained"] or ask(http, query)["answers"][0]["answer_score"] < 0.7

    found = plan(http)
    gains = [one["gain"] for one in found["questions"]]
    assert gains == sorted(gains, reverse=True)
    asked = [one["question"] for one in gaps(found, "question")]
    assert asked.index(often) < asked.index(rare)
    (tension,) = gaps(found, "tension")
    assert {"8 times" in side or "13 times" in side for side in tension["sides"]} == {True}
    assert weak in {node for one in gaps(found, "belief") for node in one["about"]}

    few = plan(http, budget=2)
    assert [one["id"] for one in few["questions"]] == [one["id"] for one in found["questions"]][:2]
    assert few["left_out"] == len(found["questions"]) - 2
    assert few["expected_gain"] == pytest.approx(sum(gains[:2]))
    assert few["left_out_gain"] <= gains[1]

    first = next(one for one in found["questions"] if one["question"] == often)
    closed = close(http, id=first["id"], statement="The night watch of Brell carries a brass lantern.")
    assert closed["belief_id"]
    after = plan(http)
    assert first["id"] not in {one["id"] for one in after["questions"]}
    assert "brass lantern" in str(ask(http, often)["evidence"])

    side = "a" if "13 times" in tension["sides"][0] else "b"
    assert "needs `side`" in str(close(http, 400, id=tension["id"]))
    close(http, id=tension["id"], side=side, statement="counted on Monday")
    assert gaps(plan(http), "tension") == []
    assert "13 times" in str(ask(http, "How often does the wheel of the Tarn mill turn?")["evidence"])

    lone = next(one for one in gaps(found, "belief") if weak in one["about"])
    close(http, id=lone["id"], source={"kind": "document", "title": "parish register"})
    assert http.get(f"/api/beliefs/{weak}").json()["statements"] == 2
    assert lone["id"] not in {one["id"] for one in plan(http)["questions"]}

    close(http, 404, id="gap_of_nobody", statement="nothing")
    triggers = http.get("/api/clause/curiosity/triggers")
    assert triggers.status_code == 200, "what was planned is no trigger of an investigation"


def test_what_counts_nothing_closes_nothing(http: httpx.Client) -> None:
    lone = told(http, "The ferry of Orrin carries eleven sheep.", signal="mention")
    post(http, "/api/beliefs/query", {"query": "ferry of Orrin", "scopes": [OWN]})
    gap = next(one for one in gaps(plan(http), "belief") if lone in one["about"])
    assert "nothing was counted" in str(close(http, 409, id=gap["id"], source={"kind": "document", "title": "diary"}))
    assert gap["id"] in {one["id"] for one in plan(http)["questions"]}


def test_what_is_about_the_same_gains_less(http: httpx.Client) -> None:
    found = plan(http)
    seen: set[str] = set()
    for one in found["questions"]:
        assert one["gain"] >= 0
        seen |= set(one["about"])
    assert len({one["id"] for one in found["questions"]}) == len(found["questions"])
