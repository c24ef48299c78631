"""Beliefs: told, said again, contradicted, settled, merged, retracted and erased; entities, sources and trust."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.recorded import words
from tests.recorded.player import Player

SCOPE = "user:ann"
KINDS = ("document", "conversation", "inference", "observation", "api", "user_input")
SIGNALS = ("explicit_request", "decision", "preference", "correction", "project_fact", "mention")
BELIEF = "POST /api/beliefs"


def tell_sources(play: Player, rng: Random, n: int) -> None:
    """Sources that trust each other."""
    for number in range(n):
        body = {
            "kind": KINDS[number % 6],
            "title": f"Survey {number}",
            "uri": f"https://example.org/{number}",
            "scope": SCOPE,
        }
        source = play.send("POST /api/sources", body, key=f"source-{number}" if number % 2 else None)
        play.note("source_id", source.get("id"))
    play.send("POST /api/sources", {"kind": "rumour"})
    ids = play.ids("source_id")
    for number in range(n):
        one, other = rng.choice(ids), rng.choice(ids)
        play.send(
            "PUT /api/sources/{source_id}/trusts",
            {"to_source_id": other, "weight": round(rng.random(), 2)},
            source_id=one,
        )
        play.send("GET /api/sources/{source_id}/trusts", source_id=one)
        play.send("GET /api/sources/{source_id}", source_id=ids[number % len(ids)])
        play.send(
            "GET /api/sources", query={"limit": 1 + number, **({"kind": KINDS[number % 6]} if number % 2 else {})}
        )
        play.send("GET /api/trust/edges")


def tell_beliefs(play: Player, rng: Random, n: int) -> None:
    """Statements, paraphrases and contradictions; then questions about them."""
    for number in range(2 * n):
        said, contrary = words.habit(rng)
        text = (said, words.paraphrase(said), contrary)[number % 3]
        body: dict[str, Any] = {
            "content": text,
            "scope": SCOPE,
            "signal": SIGNALS[number % 6],
            "domain_path": ["tech", f"d{number % 3}"],
        }
        if number % 2:
            body["source_id"] = rng.choice(play.ids("source_id"))
        else:
            body["source"] = {"kind": KINDS[number % 6], "title": f"a chat {number % 5}"}
        if number % 5 == 0:
            body |= {"valid_from": "2019-03-01T00:00:00Z", "confidence": {"source_reliability": 0.4}}
        told = play.send(BELIEF, body, key=f"belief-{number}" if number % 3 == 0 else None)
        belief = told.get("belief") or {}
        play.note("belief_id", belief.get("id"))
        for entity in belief.get("entities", []):
            play.note("entity_id", entity.get("id"))
            play.note("entity", entity.get("name"))
        for tension in told.get("tensions", []):
            play.note("tension_id", tension)
    play.send(BELIEF, {"content": ""})
    play.send(BELIEF, {"content": "Ann likes tea", "scope": "nowhere"})
    play.send(BELIEF, {"content": "Ann likes tea", "source_id": "none"})
    said, _ = words.habit(rng)
    for _ in range(2):
        play.send(BELIEF, {"content": said, "scope": SCOPE}, key="twice")
    play.send(BELIEF, {"content": "other words", "scope": SCOPE}, key="twice")
    _ask_about_beliefs(play, rng, n)


def _ask_about_beliefs(play: Player, rng: Random, n: int) -> None:
    ids, cursor = play.ids("belief_id"), None
    for number in range(n):
        said, _ = words.habit(rng)
        asked = {"query": f"what is known of {said}", "scopes": [SCOPE], "limit": 1 + number % 8}
        play.send(
            "POST /api/beliefs/query",
            {
                **asked,
                "explain": number % 2 == 0,
                "include_superseded": number % 3 == 0,
                "ranking": {"semantic": 1, "recency": 0},
            },
        )
        play.send("POST /api/beliefs/search", {**asked, "min_similarity": 0.1 * (number % 7)})
        query = {"limit": 3, "scope": SCOPE, **({"cursor": cursor} if cursor else {})}
        cursor = play.send("GET /api/beliefs", query=query).get("next_cursor")
        place = ids[number % len(ids)]
        play.send("GET /api/beliefs/{belief_id}", belief_id=place)
        play.send("GET /api/beliefs/{belief_id}/confidence", belief_id=place)
        words_of_it = {"content": said} if number % 2 else {}
        source = {"kind": "document", "title": f"Guide {number}"}
        play.send("POST /api/beliefs/{belief_id}/corroborations", {"source": source, **words_of_it}, belief_id=place)
        play.send("GET /api/beliefs/{belief_id}/corroborations", belief_id=place)
        newer = play.send(
            "POST /api/beliefs/{belief_id}/supersede",
            {"content": f"{said} since last spring", "reason": "told so today"},
            belief_id=rng.choice(ids),
            match='"99"' if number % 4 == 0 else None,
        )
        play.note("belief_id", newer.get("id"))


def settle_tensions(play: Player, rng: Random, n: int) -> None:
    """Each tension is settled, and some are opened again."""
    for number in range(n):
        tension_id = play.ids("tension_id")[number % len(play.ids("tension_id"))]
        play.send(
            "GET /api/tensions", query={"limit": 2 + number, **({"status": "resolved"} if number % 3 == 1 else {})}
        )
        play.send("GET /api/tensions/{tension_id}", tension_id=tension_id)
        action = ("supersede_a", "supersede_b", "keep_both", "archive_both")[number % 4]
        play.send(
            "POST /api/tensions/{tension_id}/resolve",
            {"action": action, "resolution": "it was asked again"},
            tension_id=tension_id,
            match='"77"' if number % 5 == 4 else None,
        )
        if number % 2:
            play.send("POST /api/tensions/{tension_id}/reopen", tension_id=tension_id)
    play.send("GET /api/tensions", query={"severity": "enormous"})


def know_entities(play: Player, rng: Random, n: int) -> None:
    """Entities are searched, named otherwise, and joined."""
    for number in range(n):
        name = rng.choice(play.ids("entity"))
        play.send("POST /api/entities/search", {"query": name, "limit": 1 + number % 6, "scopes": [SCOPE]})
        play.send("GET /api/entities/{entity}", entity=name)
        play.send("GET /api/entities/candidates", query={"limit": 1 + number})
        one, other = rng.sample(play.ids("entity_id", 2), 2)
        play.send("POST /api/entities/{entity_id}/aliases", {"alias": f"{name} the {number}th"}, entity_id=one)
        merge = play.send("POST /api/entity-merges", {"winner_id": one, "loser_id": other, "reason": "the same"})
        if play.note("merge_id", merge.get("id")):
            play.send("GET /api/entity-merges/{receipt_id}", receipt_id=merge["id"])
            if number % 2:
                play.send("POST /api/entity-merges/{receipt_id}/undo", receipt_id=merge["id"])
        play.send("GET /api/entity-merges", query={"limit": 3})
        topic = {"topic": name, "limit": 4, "min_trust": 0.1 * (number % 5), "scopes": [SCOPE]}
        play.send("POST /api/trust/check", {**topic, **({"entity_name": name} if number % 2 else {})})


def undo_beliefs(play: Player, rng: Random, n: int) -> None:
    """What was wrong is retracted, joined, deleted and erased, always after a look at what would happen."""
    ids, sources = play.ids("belief_id"), play.ids("source_id")
    for number in range(n):
        one = rng.choice(ids)
        what = {"source_id": rng.choice(sources)} if number % 4 == 3 else {"belief_id": one}
        plan = play.send("POST /api/retractions/preview", {**what, "reason": "the survey was forged"})
        receipt = play.send(
            "POST /api/retractions", {**what, "reason": "the survey was forged", "plan": plan.get("plan")}
        )
        if receipt:
            play.note("retraction_id", receipt["id"])
            play.send("GET /api/retractions/{receipt_id}", receipt_id=receipt["id"])
            if number % 3:
                play.send("POST /api/retractions/{receipt_id}/undo", receipt_id=receipt["id"])
        play.send("GET /api/retractions", query={"limit": 2})
        pair = [
            play.send(BELIEF, {"content": text, "scope": SCOPE}).get("belief") or {}
            for text in (f"the bridge of {number} arches is closed", f"nobody crosses the bridge of {number} arches")
        ]
        winner, loser = (belief.get("id", "none") for belief in pair)
        merge = play.send("POST /api/belief-merges", {"winner_id": winner, "loser_id": loser, "reason": "the same"})
        if play.note("belief_merge_id", merge.get("id")):
            play.send("GET /api/belief-merges/{receipt_id}", receipt_id=merge["id"])
            play.send("POST /api/belief-merges/{receipt_id}/undo", receipt_id=merge["id"])
        play.send("GET /api/belief-merges", query={"limit": 2 + number % 3})
        play.send("GET /api/trust/audit")
    for number in range(n):
        play.send("POST /api/erasures/preview", {"belief_id": ids[-1 - number % len(ids)]})
        play.send("POST /api/erasures", {"belief_id": ids[-1 - number % len(ids)]})
        play.send(
            "DELETE /api/beliefs/{belief_id}",
            belief_id=ids[number % len(ids)],
            match='"50"' if number % 4 == 0 else None,
        )
        play.send("DELETE /api/sources/{source_id}", source_id=sources[-1 - number % len(sources)])
    play.send("POST /api/erasures/preview", {"scope": "user:nobody"})
    play.send("POST /api/erasures", {})
