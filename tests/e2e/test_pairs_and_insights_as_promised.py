"""Merging, tensions and insights over a running service, on everyday statements that were written before the rules."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import Any

import httpx
import pytest
from ulid import ULID

from tests.value_sentences import SECOND, told_by_hand
from tests.worlds.kept_pairs import FOLDER, told

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

KEPT = told(FOLDER / "kept_aside.txt")
INSIGHTS = (Path(__file__).parents[1] / "harmless_insights.txt").read_text(encoding="utf-8").split("\n\n")[1:]
FIRST_CLUSTERING_S = 10.0
"""Far below the 72 s that it once took; how long it takes is told, not judged: machines differ."""
FEELINGS = ("warmth", "tension", "joy", "concern", "peace", "grief")


@pytest.fixture
def scope() -> str:
    return f"user:pairs-{str(ULID()).lower()}"


def held(http: httpx.Client, scope: str, content: str, **more: Any) -> dict[str, Any]:
    made = http.post("/api/beliefs", json={"content": content, "scope": scope, **more})
    assert made.status_code in {200, 201}, made.text
    return dict(made.json())


def between(http: httpx.Client, scope: str) -> list[set[str]]:
    """The contents of both sides of each open tension."""
    found: list[set[str]] = []
    params = {"scope": scope, "limit": "100"}
    while True:
        page = http.get("/api/tensions", params=params).json()
        found += [{one["a"]["content"], one["b"]["content"]} for one in page["items"]]
        if not page.get("next_cursor"):
            return found
        params["cursor"] = page["next_cursor"]


def test_opposites_stay_two_beliefs(http: httpx.Client, scope: str) -> None:
    """Every third pair of the half kept aside: each statement is a belief of its own."""
    pairs = KEPT["opposites"][::3]
    beliefs = [held(http, scope, text)["belief"]["id"] for pair in pairs for text in pair]
    assert len({*beliefs}) == 2 * len(pairs)


def test_tensions_are_found_and_rarely_made_up(http: httpx.Client, scope: str) -> None:
    """The half kept aside, all in one scope: a tension counts where it is between the two of a pair."""
    for kind in ("contradict", "go together"):
        for pair in KEPT[kind]:
            for text in pair:
                held(http, scope, text)
    seen = between(http, scope)
    found = sum({*pair} in seen for pair in KEPT["contradict"])
    false = sum({*pair} in seen for pair in KEPT["go together"])
    assert found >= 0.8 * len(KEPT["contradict"])
    assert found >= 0.9 * (found + false)


def test_what_five_sources_say_may_be_contradicted(http: httpx.Client, scope: str) -> None:
    for number in range(5):
        source = {"title": f"notes {number}", "upstream": f"notes {number}"}
        held(http, scope, "The exporter works with Kafka 3", source=source)
    assert between(http, scope) == []
    denied = held(http, scope, "The exporter does not work with Kafka 3")
    assert {"The exporter works with Kafka 3", denied["belief"]["content"]} in between(http, scope)


def insight(http: httpx.Client, scope: str, key: str, text: str, place: int) -> None:
    body = {
        "topic_key": key, "category": "synthesis", "content": text, "salience_spent": 3.0, "scope": scope,
        "valences": {FEELINGS[place % len(FEELINGS)]: 0.9, "curiosity": 0.3},
    }  # fmt: skip
    made = http.post("/api/insights", json=body)
    assert made.status_code == 201, made.text


def hidden(http: httpx.Client, scope: str, key: str) -> int:
    """How many insights the default profile holds back."""
    answer = http.post("/api/insights/retrieve", json={"topic_key": key, "scopes": [scope]}).json()
    return len(answer["hidden"])


@pytest.mark.parametrize("half", [0, 1], ids=["looked at", "kept aside"])
def test_compatible_insights_are_shown_and_exclusive_ones_held_back(http: httpx.Client, scope: str, half: int) -> None:
    """Of each half: 30 statements about 5 topics go together, 5 pairs do not; feelings of all kinds."""
    _, *lines = INSIGHTS[half].strip().splitlines()
    held_back = 0
    for number, line in enumerate(lines[:5]):
        for place, text in enumerate(line.split("; ")):
            insight(http, scope, f"self:t{number}", text, place)
        held_back += hidden(http, scope, f"self:t{number}")
    assert held_back <= 1
    found = 0
    for number, line in enumerate(lines[5:]):
        for text in line.split(" | "):
            insight(http, scope, f"self:x{number}", text, 0)
        found += hidden(http, scope, f"self:x{number}") > 0
    assert found >= 4


def test_a_first_clustering_of_sixty_experiences_is_no_long_wait(
    http: httpx.Client, scope: str, record_property: Any
) -> None:
    """64 told by hand, clustered in one request: nothing is compiled for so few."""

    def tell(numbered: tuple[int, tuple[str, dict[str, Any], dict[str, Any]]]) -> None:
        number, (_, start, end) = numbered
        begun = http.post("/api/experiences", json={**start, "scope": scope, "session_id": f"s{number}"})
        assert begun.status_code == 201, begun.text
        entry, tag = begun.json()["experience"]["id"], {"If-Match": begun.headers["ETag"]}
        assert http.post(f"/api/experiences/{entry}/resolve", json=end, headers=tag).status_code == 200

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(tell, enumerate([*told_by_hand(), *told_by_hand(SECOND)])))
    started = perf_counter()
    run = http.post("/api/value_clusters/runs", json={"axis": "full", "scope": scope}, timeout=60)
    waited = perf_counter() - started
    assert (run.status_code, run.json()["experiences"]) == (201, 64)
    record_property("seconds", round(waited, 2))
    assert waited < FIRST_CLUSTERING_S, waited
