"""Jobs and health, and requests made from the OpenAPI document for every operation that had too few."""

from __future__ import annotations

import string
from collections import Counter
from random import Random
from typing import Any

from tests.fakes.arguments import Arguments
from tests.recorded import words
from tests.recorded.player import Player

SCOPE = "user:worker"
KINDS = (
    "basin_decay",
    "thoughtseed_links",
    "thoughtseed_archive",
    "resolve_entities",
    "rate_sources",
    "freshen_beliefs",
    "scan_tensions",
    "join_twins",
    "fade_patterns",
    "cluster_values",
    "forget_keys",
    "embed",
)
START = "POST /api/jobs"
RECEIPTS = ("merge_id", "belief_merge_id", "retraction_id")
RECALLING = ("POST /api/memories/search", "POST /api/clause/coordinate")
LONGEST = 300
"""Characters of a made-up text: longer ones are tried elsewhere, and fill a recording."""


def run_jobs(play: Player, n: int) -> None:
    """Jobs of every kind, one after the other, each watched to its end; some are cancelled while they wait."""
    for number in range(2 * n):
        scope = ("user:ann", "user:bob", "user:eve", "user:worker")[number // 2 % 4]
        job = play.send(START, {"kind": KINDS[number % len(KINDS)], "scope": scope}, key=f"job-{number}")
        play.note("job_id", job.get("id"))
        play.finish(job)
        play.send("GET /api/jobs/{job_id}", job_id=job.get("id"))
        play.send("GET /api/jobs/{job_id}/events", job_id=job.get("id"))
        play.send("GET /api/jobs", query={"limit": 1 + number % 5, **({"state": "succeeded"} if number % 2 else {})})
        if number < n:  # the runner has just looked for work, and does not again for a second
            waiting = play.send(START, {"kind": "forget_keys", "scope": f"user:w{number}"})
            play.send("POST /api/jobs/{job_id}/cancel", job_id=waiting.get("id"))
    play.send(START, {"kind": "no_such_work"})
    play.send(START, {"kind": "embed", "scope": "nonsense scope"})
    play.send("GET /api/jobs/{job_id}/events", job_id="none")


def look_at_health(play: Player, n: int) -> None:
    """Alive, ready and counted."""
    for _ in range(n):
        play.send("GET /health/live")
        play.send("GET /health/ready")
        play.send("GET /metrics")


def fill(play: Player, seed: int, *, of_each: int, of_a_group: int) -> None:
    """Requests for every operation until it had `of_each` and its group `of_a_group`, some well made and some not.

    Each operation has its own dice, and the order is that of the names: one that changes leaves the others as they are.
    """
    document = play.document()
    operations = sorted(
        (path, f"{method.upper()} {path}", operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
    )
    groups = Counter(operation["tags"][0] for _, _, operation in operations)
    for _, name, operation in operations:
        maker = _Maker(document["components"]["schemas"], Random(f"{seed} {name}"), play.known)
        share = -(-of_a_group // groups[operation["tags"][0]])
        for number in range(max(of_each, share) - play.counts[name]):
            body, query = maker.body(operation, number), maker.query(operation, number)
            places = {place: maker.place(place, number) for _, place, _, _ in string.Formatter().parse(name) if place}
            answer = play.send(name, body, query=query or None, **places)
            if isinstance(answer, dict) and {"resource", "state", "cursor"} <= answer.keys():
                play.finish(answer)
        if name in RECALLING:
            play.settle_recalls()


class _Maker:
    """Makes bodies, queries and places for an operation; every third is wrong in one point."""

    def __init__(self, schemas: dict[str, Any], rng: Random, known: dict[str, list[Any]]) -> None:
        self._schemas = schemas
        self._rng = rng
        self._known = known
        scopes = ["user:ann", "user:bob", "user:eve", SCOPE]
        self._words = {
            **{name: [str(value) for value in values] for name, values in known.items()},
            **dict.fromkeys(("scope", "scopes"), scopes),
            "kind": KINDS,
            "axis": ("full", "strategy"),
            "topic_key": words.TOPICS,
            "winner_id": known.get("entity_id", []),
            "loser_id": known.get("entity_id", []),
            "profile": ("recent", "deep"),
            "policy": ("heuristic",),
            "relation": ("leads_to",),
        }

    def body(self, operation: dict[str, Any], number: int) -> Any:
        """A JSON body; None where the operation takes none."""
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if content is None:
            return None
        schema = content["schema"]
        for found in (schema, *schema.get("anyOf", [])):
            if "$ref" in found:
                return self._made(self._schemas[found["$ref"].rpartition("/")[2]], number)
        return None

    def query(self, operation: dict[str, Any], number: int) -> dict[str, Any]:
        """A query; null and nested values, which no query holds, are left out."""
        asked = {p["name"]: p["schema"] for p in operation.get("parameters", []) if p["in"] == "query"}
        required = [p["name"] for p in operation.get("parameters", []) if p["in"] == "query" and p.get("required")]
        if not asked:
            return {}
        made = self._made({"type": "object", "properties": asked, "required": required}, number)
        return {name: value for name, value in made.items() if isinstance(value, str | int | float)}

    def place(self, name: str, number: int) -> Any:
        """What fills a place of the path: mostly something that is there."""
        known = self._known.get(name) or ["none"]
        if name == "receipt_id":
            known = [value for kind in RECEIPTS for value in self._known.get(kind, [])] or ["none"]
        return "none" if number % 4 == 3 else known[number % len(known)]

    def _made(self, schema: dict[str, Any], number: int) -> dict[str, Any]:
        arguments = Arguments({**schema, "$defs": self._schemas}, self._rng, self._words)
        made = arguments.invalid() if number % 3 == 2 else arguments.valid()
        return {name: _short(value) for name, value in made.items()}


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value[:LONGEST].replace("\0", "")
    if isinstance(value, int) and abs(value) > 10**18:
        return 10**18
    return [_short(inner) for inner in value] if isinstance(value, list) else value
