"""Questions, their runs, and what thinks along: causes, basins, curiosity, agents' writes."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.recorded import words
from tests.recorded.film_questions import Films, Question
from tests.recorded.player import Player

COORDINATE = "POST /api/clause/coordinate"
GRAPH = "kg:metaqa"
CAUSES = ("smoking", "tar", "cancer", "stress", "sleep", "exercise", "pollution", "fatigue", "accidents", "rain")


def ask_questions(play: Player, questions: list[Question]) -> None:
    """Every question once, as `clause demo` asks its own."""
    for question in questions:
        answer = play.send(COORDINATE, {"query": question.text, "scopes": [GRAPH], "budgets": {}})
        play.note("run_id", answer.get("run_id"))


def reason(play: Player, films: Films, rng: Random, n: int) -> None:
    """Each agent alone, all three with other budgets, and what they refuse."""
    for number in range(n):
        question, facts = films.questions[number % len(films.questions)], films.facts(rng, 6)
        asked = {"query": question.text, "scopes": [GRAPH]}
        budgets = {
            "edge_budget": 10 + 10 * (number % 5),
            "step_budget": 1 + number % 8,
            "token_budget": 100 + 150 * number,
        }
        prices = {"edge": 0.02 * (number % 4), "latency": 0.01, "token": 0.005 * (number % 3)}
        play.send(COORDINATE, {**asked, "budgets": budgets, "lambdas": prices, "start_nodes": [question.topic]})
        rounds = {"max_rounds": 1 + number % 3, "policy": ("heuristic", None)[number % 2], "enable_causal": False}
        play.send(COORDINATE, {**asked, "budgets": {}, **rounds})
        play.send(
            "POST /api/clause/subgraph",
            {
                **asked,
                "edge_budget": 5 + 7 * number,
                "hop_distance": 1 + number % 3,
                "min_edge_score": 0.1 * (number % 5),
            },
        )
        walk = {"start_node": question.topic, "step_budget": 1 + number % 10, "curiosity_threshold": 0.2}
        walked = play.send("POST /api/clause/navigate", {**asked, **walk})
        for step in walked.get("path", {}).get("steps", []):
            play.note("seed_id", step.get("thoughtseed_id"))
        pool = [f"{head} {relation.replace('_', ' ')} {tail}" for head, relation, tail in facts]
        play.send(
            "POST /api/clause/curate", {"query": question.text, "evidence_pool": pool, "token_budget": 100 + number}
        )
        edges = [{"source": head, "relation": relation, "target": tail} for head, relation, tail in facts]
        play.send("POST /api/clause/edges/score", {**asked, "edges": edges[: 1 + number % 6]})
    for body in _refused(films.questions[0]):
        play.send(COORDINATE, {"query": "who directed it", "budgets": {}, **body})
    play.send("POST /api/clause/subgraph", raw='{"query": "who directed Kes", "min_edge_score": NaN}')
    play.send("POST /api/clause/navigate", {"query": "who directed it", "start_node": "Nobody Of That Name"})
    play.send("POST /api/clause/curate", {"evidence_pool": []})
    play.send(
        "POST /api/clause/edges/score", {"query": "who", "edges": [{"source": "a", "relation": "b", "target": "c"}]}
    )
    play.settle()


def _refused(question: Question) -> list[dict[str, Any]]:
    return [
        {"budgets": {"edge_budget": 9}},
        {"lambdas": {"edge": 1.1}},
        {"scopes": ["kg:nowhere"]},
        {"scopes": ["nonsense scope"]},
        {"policy": "no-such-policy"},
        {"start_nodes": ["Nobody Of That Name"]},
        {"surprise": 1},
        {"query": "x"},
        {"as_of_valid": "1900-01-01T00:00:00Z", "start_nodes": [question.topic], "scopes": [GRAPH]},
    ]


def look_at_runs(play: Player, n: int) -> None:
    """Recorded runs: listed in pages, read, and replayed."""
    cursor = None
    for _ in range(n):
        query = {"limit": 7, **({"cursor": cursor} if cursor else {})}
        cursor = play.send("GET /api/clause/runs", query=query).get("next_cursor")
    for run_id in play.known.get("run_id", [])[:n]:
        play.send("GET /api/clause/runs/{run_id}", run_id=run_id)
        play.send("POST /api/clause/runs/{run_id}/replay", run_id=run_id)
    play.send("GET /api/clause/runs/{run_id}", run_id="none")
    play.send("POST /api/clause/runs/{run_id}/replay", run_id="none")


def think_along(play: Player, n: int) -> None:
    """Agents write causes and concepts; what follows from them is asked."""
    scope = "user:thinker"
    for number in range(n):
        cause, effect = CAUSES[number % 10], CAUSES[(number + 1 + number // 10) % 10]
        kind = ("causes", "enables", "inhibits")[number % 3]
        written = {"op": "relate", "cause": cause, "effect": effect, "kind": kind, "strength": 0.1 * (number % 9)}
        writes = [{"op": "create", "concept": cause}, written]
        play.send("POST /api/clause/writes", {"agent": f"agent-{number % 2}", "writes": writes, "scope": scope})
        basin = play.send(
            "POST /api/clause/basins/strengthen",
            {
                "concepts": [cause, effect],
                "document_id": f"doc-{number % 4}",
                "increment": 0.1 + 0.05 * (number % 5),
                "scope": scope,
            },
        )
        for found in basin.get("basins", []):
            play.note("basin_id", found.get("id"))
        play.send(
            "PUT /api/clause/causal/types",
            {"relation": "written_by", "kind": (kind, "none")[number % 2], "scope": GRAPH},
        )
    for number in range(n):
        one, other = CAUSES[number % 10], CAUSES[(number + 1 + number % 4) % 10]
        pair = {"intervention_node": one, "target_node": other, "scopes": [scope], "base_rate": 0.1 * (number % 6)}
        play.send("POST /api/clause/causal/intervene", {**pair, "value": number % 2 == 0})
        play.send("POST /api/clause/causal/counterfactual", pair)
        play.send(
            "POST /api/clause/causal/root-causes", {"node": other, "least": 0.1 * (number % 5), "scopes": [scope]}
        )
        writes = [{"op": "strength", "concept": one, "strength": 1.0 + 0.1 * (number % 9), "version": number % 3}]
        play.send("POST /api/clause/writes", {"agent": "agent-3", "writes": writes, "scope": scope})
        status = (None, "queued", "completed")[number % 3]
        triggers = play.send(
            "GET /api/clause/curiosity/triggers", query={"limit": 3 + number, **({"status": status} if status else {})}
        )
        for trigger in triggers.get("items", []):
            play.note("concept", trigger.get("concept"))
        play.send("GET /api/clause/conflicts", query={"limit": 1 + number})
    for seed_id in play.known.get("seed_id", [])[:n]:
        play.send("GET /api/clause/thoughtseeds/{seed_id}", seed_id=seed_id)
    for basin_id in play.known.get("basin_id", [])[:n]:
        play.send("GET /api/clause/basins/{basin_id}", basin_id=basin_id)
    play.send("POST /api/clause/causal/intervene", {"intervention_node": "no such", "target_node": "cancer"})
    play.send("POST /api/clause/writes", {"agent": "", "writes": []})
    for name in words.NASTY:
        play.send("POST /api/clause/basins/strengthen", {"concepts": [name], "document_id": name, "scope": scope})
