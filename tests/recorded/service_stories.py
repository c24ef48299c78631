"""Jobs and health, and requests made from the OpenAPI document for every operation that had too few."""

from __future__ import annotations

import json
import re
import string
from collections import Counter
from random import Random
from typing import Any

from tests.fakes.arguments import Arguments
from tests.recorded import words
from tests.recorded.agent_stories import CLUSTER
from tests.recorded.player import UNORDERED, Player

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
    "embed",
    "forget_keys",
)
EVERYWHERE = "forget_keys"
"""The kind that takes no scope: it works on all of them."""
START = "POST /api/jobs"
ASKING = ("tags", "parameters", "requestBody")
WORDS = ("description", "example", "examples", "title")
RECEIPTS = ("merge_id", "belief_merge_id", "retraction_id")
RECALLING = ("POST /api/memories/search", "POST /api/clause/coordinate")
WHOLE = 200
"""A page that holds all there is."""
LONGEST = 300
"""Characters of a made-up text: longer ones are tried elsewhere, and fill a recording."""


def run_jobs(play: Player, n: int) -> None:
    """Jobs of every kind, one after the other, each watched to its end; some are cancelled after it."""
    for number in range(2 * n):
        scope = ("user:ann", "user:bob", "user:eve", "user:worker")[number // 2 % 4]
        kind = KINDS[number % len(KINDS)]
        asked = {"kind": kind} if kind == EVERYWHERE else {"kind": kind, "scope": scope}
        job = play.send(START, asked, key=f"job-{number}")
        play.note("job_id", job.get("id"))
        play.finish(job)
        play.send("GET /api/jobs/{job_id}", job_id=job.get("id"))
        play.send("GET /api/jobs/{job_id}/events", job_id=job.get("id"))
        play.send("GET /api/jobs", query={"limit": 1 + number % 5, **({"state": "succeeded"} if number % 2 else {})})
        if number < n:  # one that waits may be running when it is cancelled: chance
            play.send("POST /api/jobs/{job_id}/cancel", job_id=job.get("id"))
    play.send(START, {"kind": "no_such_work"})
    play.send(START, {"kind": "embed", "scope": "nonsense scope"})
    play.send("GET /api/jobs/{job_id}/events", job_id="none")


def look_at_health(play: Player, n: int) -> None:
    """Alive, ready and counted."""
    for _ in range(n):
        play.send("GET /health/live")
        play.send("GET /health/ready")
        play.send("GET /metrics")


def outline(document: dict[str, Any]) -> dict[str, Any]:
    """What an OpenAPI document says of requests, without words: all that `fill` reads of it."""
    schemas, wanted = document["components"]["schemas"], set[str]()
    kept = {
        path: {method: {part: said[part] for part in ASKING if part in said} for method, said in operations.items()}
        for path, operations in document["paths"].items()
    }
    found = _references(kept)
    while found - wanted:
        wanted |= found
        found = _references([schemas[name] for name in wanted])
    wordless: dict[str, Any] = _without_words(
        {"paths": kept, "components": {"schemas": {name: schemas[name] for name in sorted(wanted)}}}
    )
    return wordless


def _references(value: Any) -> set[str]:
    return set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(value)))


def _without_words(value: Any, *, names: bool = False) -> Any:
    if isinstance(value, dict):
        return {
            name: _without_words(inner, names=name == "properties" and not names)
            for name, inner in value.items()
            if names or name not in WORDS
        }
    return [_without_words(inner) for inner in value] if isinstance(value, list) else value


def fill(play: Player, document: dict[str, Any], seed: int, *, of_each: int, of_a_group: int) -> None:
    """Requests for every operation until it had `of_each` and its group `of_a_group`, some well made and some not.

    Each operation has its own dice, and the order is that of the names: one that changes leaves the others as they are.
    """
    operations = sorted(
        (path, f"{method.upper()} {path}", operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
    )
    groups = Counter(operation["tags"][0] for _, _, operation in operations)
    for path, name, operation in operations:
        clusters = {"cluster_id": play.ids(CLUSTER)} if path.startswith("/api/clusters") else {}
        maker = _Maker(document["components"]["schemas"], Random(f"{seed} {name}"), {**play.known, **clusters})
        share = -(-of_a_group // groups[operation["tags"][0]])
        for number in range(max(of_each, share) - play.counts[name]):
            body, query = maker.body(operation, number), maker.query(operation, number)
            if name in UNORDERED and number % 3 != 2:
                query["limit"] = WHOLE
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
            "kind": [kind for kind in KINDS if kind != EVERYWHERE],
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
