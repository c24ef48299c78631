"""What an agent learns: experiences, the clusters and values made of them, and insights by topic."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.recorded import words
from tests.recorded.player import Player

SCOPE = "user:eve"
AXES = ("full", "strategy", "surprise", "root_cause", "domain")
GROUPS = (
    ("make the nightly import pass again", "the supplier sends dates in another form", "log the first row that fails"),
    (
        "stop the memory leak of the server",
        "a cache keeps every session for ever",
        "count the objects after each request",
    ),
    ("speed up the search for customers", "the index is not used by the query", "read the plan of the slow query"),
)
STORED = 22
"""Experiences that are told at least: below twenty nothing is clustered."""


def have_experiences(play: Player, rng: Random, n: int) -> None:
    """Experiences told, changed and resolved."""
    for number in range(max(2 * n, STORED)):
        goal, hypothesis, action = GROUPS[number % 3]
        body = {
            "domain": words.DOMAINS[number % 3],
            "strategy": words.STRATEGIES[number % 3],
            "goal": f"{goal} in {rng.choice(words.PLACES)}",
            "hypothesis": hypothesis,
            "action": f"{action}, try {number}",
            "prediction": "the cause shows itself",
            "scope": SCOPE,
            "session_id": f"s{number % 4}",
        }
        started = play.send("POST /api/experiences", body, key=f"experience-{number}" if number % 4 == 0 else None)
        experience_id = play.note("experience_id", (started.get("experience") or started).get("id"))
        if number < n:
            play.send("GET /api/experiences/active", query={"scope": SCOPE, "session_id": f"s{number % 4}"})
            play.send(
                "PATCH /api/experiences/{experience_id}",
                {"note": "it was not the first row"},
                experience_id=experience_id,
            )
        resolve = "POST /api/experiences/{experience_id}/resolve"
        if number % 8 == 5:  # nothing that was not captured is as good as gold
            play.send(resolve, {**_outcome(number), "confidence_tier": "gold"}, experience_id=experience_id)
        play.send(resolve, _outcome(number), experience_id=experience_id)
    for number in range(n):
        experience_id = play.ids("experience_id")[number % len(play.ids("experience_id"))]
        play.send("GET /api/experiences/{experience_id}", experience_id=experience_id)
        query = {
            "scope": SCOPE,
            "limit": 1 + number % 4,
            "outcome": ("confirmed", "falsified", "abandoned")[number % 3],
        }
        play.send("GET /api/experiences", query=query)
        search = {"query": GROUPS[number % 3][0], "axis": AXES[number % 5], "limit": 1 + number % 4, "scopes": [SCOPE]}
        play.send("POST /api/experiences/search", search)
    play.send("POST /api/experiences", {"domain": "x"})
    play.send("GET /api/experiences/active", query={"scope": SCOPE, "session_id": "none"})


def _outcome(number: int) -> dict[str, Any]:
    lesson = {"what_worked": "reading what failed", "takeaway": "look at the data before the code"}
    if number % 4 == 1:
        return {
            "status": "confirmed",
            "result": f"it was so, {number}",
            "lesson": lesson,
            "confidence_tier": ("silver", None)[number // 4 % 2],
        }
    return {
        "status": "falsified",
        "result": "something else was the cause",
        "surprise": GROUPS[number % 3][1],
        "root_cause": {"category": "wrong-assumption", "description": GROUPS[number % 3][2]},
        "lesson": lesson,
    }


def form_values(play: Player, n: int) -> None:
    """Experiences are clustered on each axis; values are judged against the clusters and stored."""
    for number in range(n):
        axis = AXES[number % 5]
        play.send("POST /api/value_clusters/runs", {"axis": axis, "scope": SCOPE})
        play.send("GET /api/value_clusters/runs", query={"limit": 1 + number % 3})
        found = play.send("GET /api/value_clusters", query={"axis": axis, "scope": SCOPE}).get("items", [])
        place = found[number % len(found)]["cluster_id"] if found else f"{axis}_0"
        play.note("cluster_id", place)
        play.send("GET /api/value_clusters/{cluster_id}", cluster_id=place, query={"scope": SCOPE})
        members = play.send(
            "GET /api/value_clusters/{cluster_id}/members", cluster_id=place, query={"scope": SCOPE, "limit": 3}
        )
        text = _lived(members["items"][0]["payload"]) if members and number % 4 < 3 else "a song about the sea"
        play.send("POST /api/values/validate", {"text": text, "cluster_id": place, "scope": SCOPE})
        stored = play.send("POST /api/values", {"text": text, "cluster_id": place, "axis": axis, "scope": SCOPE})
        if play.note("value_id", stored.get("id")):
            play.send("GET /api/values/{value_id}", value_id=stored["id"])
        play.send("GET /api/values", query={"scope": SCOPE, "limit": 1 + number % 4})


def _lived(experience: dict[str, Any]) -> str:
    """An experience in lines: what lies close to the middle of its cluster."""
    told = [(name.title(), experience[name]) for name in ("goal", "hypothesis", "action", "prediction")]
    outcome, lesson = experience["outcome"], experience["lesson"]
    told += [
        ("Outcome", f"{outcome['status']}: {outcome['result']}"),
        ("Surprise", experience["surprise"]),
        ("Lesson", f"{lesson['what_worked']} {lesson['takeaway']}"),
    ]
    return "\n".join(f"{name}: {text}" for name, text in told if text)


def have_insights(play: Player, rng: Random, n: int) -> None:
    """Insights by topic, some against others; conflicts are settled, topics earn salience."""
    for number in range(2 * n):
        topic = words.TOPICS[number // 3 % len(words.TOPICS)]
        body = {
            "topic_key": topic,
            "category": ("user_reflection", "dyad_observation")[number % 2],
            "content": f"an evening with Ann at the lake, {number // 3}",
            "salience_spent": 1.0 + number % 4,
            "valences": {"tension": 0.9} if number % 5 == 4 else {"warmth": 0.9},
            "confidence": 0.1 * (number % 9),
            "importance": 0.5,
            "scope": SCOPE,
            "open_questions": ["why the lake?"],
        }
        stored = play.send("POST /api/insights", body, key=f"insight-{number}" if number % 4 == 0 else None)
        play.note("insight_id", (stored.get("insight") or {}).get("id"))
        for conflict in stored.get("conflicts", []):
            play.note("conflict_id", conflict.get("id"))
    play.send(
        "POST /api/insights",
        {"topic_key": "user:%", "category": "x", "content": "x", "salience_spent": 1, "valences": {}},
    )
    for number in range(n):
        topic = words.TOPICS[number % len(words.TOPICS)]
        profile: Any = ("recent", "deep", "shallow", {"recency_weight": 0.0, "strength_weight": 1.0})[number % 4]
        asked = {
            "topic_key": topic,
            "profile": profile,
            "limit": 1 + number % 5,
            "scopes": [SCOPE],
            "include_servers": number % 2 == 0,
        }
        play.send("POST /api/insights/retrieve", asked)
        play.send("POST /api/insights/retrieve_raw", asked)
        play.send(
            "POST /api/insights/search", {"query": "evening at the lake", "limit": 1 + number % 4, "scopes": [SCOPE]}
        )
        play.send("GET /api/insights", query={"category": "user_reflection", "scope": SCOPE, "limit": 1 + number % 5})
        play.send("GET /api/insights/syntheses", query={"scope": SCOPE, "limit": 1 + number % 5})
        play.send("POST /api/topics/salience", {"topic_key": topic, "amount": 1.5 * number, "scope": SCOPE})
        play.send("GET /api/topics/{topic_key}", topic_key=topic, query={"scope": SCOPE})
        play.send("GET /api/topics", query={"scope": SCOPE, "limit": 1 + number % 4})
        _settle(play, number)
        _mark(play, rng, number)


def _settle(play: Player, number: int) -> None:
    query = {"scope": SCOPE, "limit": 1 + number % 5, **({"resolved": "true"} if number % 3 == 2 else {})}
    play.send("GET /api/insights/conflicts", query=query)
    conflicts = play.ids("conflict_id")
    place = conflicts[number % len(conflicts)]
    play.send("GET /api/insights/conflicts/{conflict_id}", conflict_id=place)
    how = {"resolution": ("paradox_kept", "context_dependent", "superseded")[number % 3], "reason": "asked again"}
    play.send(
        "POST /api/insights/conflicts/{conflict_id}/resolve",
        how,
        conflict_id=place,
        match='"30"' if number % 4 == 3 else None,
    )


def _mark(play: Player, rng: Random, number: int) -> None:
    insight_id = rng.choice(play.ids("insight_id"))
    play.send("PUT /api/insights/{insight_id}/quarantine", {"quarantined": number % 2 == 0}, insight_id=insight_id)
    play.send("GET /api/insights/{insight_id}", insight_id=insight_id)
    play.send("GET /api/insights/{insight_id}/changes", insight_id=insight_id, query={"limit": 5})
