"""An agent's days: sessions, patterns, memories and their clusters."""

from __future__ import annotations

from random import Random

from tests.recorded import words
from tests.recorded.player import Player

SCOPE = "user:bob"
TYPES = ("topic_recurrence", "preference", "working_style", "communication_pattern", "value_expression")
CLUSTER = "memory_cluster_id"
"""The numbers of memories' clusters are kept under a name of their own; those of experiences have the path's."""
ROLES = ("user", "assistant", "system", "tool")


def hold_sessions(play: Player, rng: Random, n: int) -> None:
    """Sessions with exchanges and insights, ended or left open."""
    for number in range(n):
        body = {
            "platform": ("claude-code", "discord")[number % 2],
            "project_context": f"project-{number % 3}",
            "room_id": f"room-{number % 4}",
            "client_session_id": f"client-{number}",
            "scope": SCOPE,
            "metadata": {"number": number},
        }
        session = play.send("POST /api/sessions", body, key=f"session-{number}" if number % 2 else None)
        session_id = play.note("session_id", session.get("session", {}).get("id"))
        for role in ROLES[: 1 + number % 4]:
            said, _ = words.habit(rng)
            play.send(
                "POST /api/sessions/{session_id}/exchanges",
                {"role": role, "content": said, "tokens": 9},
                session_id=session_id,
            )
        said, _ = words.habit(rng)
        insight = {"content": said, "method": ("manual", "auto", "hybrid")[number % 3], "domain_path": ["build"]}
        play.send("POST /api/sessions/{session_id}/insights", insight, session_id=session_id)
        play.send("GET /api/sessions/{session_id}", session_id=session_id)
        play.send("GET /api/sessions/{session_id}/exchanges", session_id=session_id, query={"limit": 2})
        play.send("GET /api/sessions/{session_id}/insights", session_id=session_id)
        play.send("GET /api/sessions/by-room/{room_id}", room_id=f"room-{number % 6}")
        play.send(
            "GET /api/sessions", query={"limit": 1 + number % 5, "platform": "discord"} if number % 2 else {"limit": 3}
        )
        play.send("GET /api/sessions/insights", query={"limit": 1 + number % 5})
        if number % 3 < 2:
            end = {"summary": said, "themes": ["habits"]} if number % 2 else {"status": "abandoned"}
            play.send(
                "POST /api/sessions/{session_id}/end",
                end,
                session_id=session_id,
                match='"90"' if number % 5 == 4 else None,
            )
    play.send("POST /api/sessions", {"platform": ""})
    play.send("POST /api/sessions/{session_id}/exchanges", {"role": "nobody", "content": "x"}, session_id="none")


def see_patterns(play: Player, rng: Random, n: int) -> None:
    """Patterns are recorded, seen again, and searched."""
    for number in range(n):
        said, _ = words.habit(rng)
        body = {
            "type": TYPES[number % 5],
            "description": said,
            "scope": SCOPE,
            "session_id": rng.choice(play.ids("session_id")),
        }
        found = play.send("POST /api/patterns", body).get("pattern", {})
        pattern_id = play.note("pattern_id", found.get("id")) or play.ids("pattern_id")[0]
        play.send("POST /api/patterns/{pattern_id}/reinforce", {}, pattern_id=pattern_id)
        play.send("GET /api/patterns/{pattern_id}", pattern_id=pattern_id)
        play.send(
            "GET /api/patterns", query={"limit": 1 + number % 6, **({"type": TYPES[number % 5]} if number % 2 else {})}
        )
        play.send("POST /api/patterns/search", {"query": said, "scopes": [SCOPE], "limit": 1 + number % 5})
    play.send("POST /api/patterns", {"type": "horoscope", "description": "x"})


def keep_memories(play: Player, rng: Random, n: int) -> None:
    """Memories one by one and in batches, searched in every mode, deleted, and their clusters consolidated."""
    for number in range(n):
        said, _ = words.habit(rng)
        body = {
            "content": f"Bob: {said}",
            "scope": SCOPE,
            "metadata": {"n": number},
            "force_new_cluster": number % 7 == 6,
        }
        _keep(play, play.send("POST /api/memories", body, key=f"memory-{number}" if number % 3 == 0 else None))
        batch = [
            {"content": f"Bob {when}: {words.habit(rng)[0]}", "scope": SCOPE} for when in ("today", "again", "late")
        ]
        play.send("POST /api/memories/batch", {"memories": batch[: 1 + number % 3]})
    play.send("POST /api/memories", {"content": "tea", "scope": SCOPE, "metadata": {"mail": "bob@example.org"}})
    for number in range(n):
        said, _ = words.habit(rng)
        mode = ("dense", "sparse", "hybrid")[number % 3]
        search = {
            "query_text": said,
            "k": 1 + number % 6,
            "scopes": [SCOPE],
            "search_mode": mode,
            "include_embeddings": number == 0,
        }
        play.send(
            "POST /api/memories/search",
            {**search, "search_members": number % 4 == 0, "sparse_weight": 0.1 * (number % 9)},
        )
        turns = [words.habit(rng)[0] for _ in range(2 + number % 5)]
        play.send("POST /api/memories/monitor", {"turns": turns, "window": 2 + number % 4})
    play.settle_recalls()
    listed = play.send("GET /api/memories", query={"scope": SCOPE, "limit": 100}).get("items", [])
    for number, memory in zip(range(n), listed, strict=False):
        play.send("GET /api/memories/{memory_id}", memory_id=play.note("memory_id", memory["memory_id"]))
        play.send("GET /api/memories", query={"scope": SCOPE, "limit": 1 + number % 4})
        play.send("GET /api/memories/stats", query={"scope": SCOPE})
    _look_at_clusters(play, n)
    for number, memory in zip(range(n), reversed(listed), strict=False):
        play.send(
            "DELETE /api/memories/{memory_id}", memory_id=memory["memory_id"], match='"40"' if number % 4 == 0 else None
        )


def _keep(play: Player, kept: dict[str, object]) -> None:
    play.note("memory_id", kept.get("memory_id"))
    play.note(CLUSTER, kept.get("cluster_id"))


def _look_at_clusters(play: Player, n: int) -> None:
    for number in range(n):
        cluster_id = play.ids(CLUSTER)[number % len(play.ids(CLUSTER))]
        play.send("GET /api/clusters/{cluster_id}", cluster_id=cluster_id)
        vectors = {"embeddings": True} if number == 1 else None
        play.send("GET /api/clusters/{cluster_id}/members", cluster_id=cluster_id, query=vectors)
        play.send("GET /api/clusters", query={"scope": SCOPE, "limit": 1 + number % 5})
        scope = SCOPE if number % 2 else f"user:c{number}"
        play.finish(play.send("POST /api/clusters/consolidate", {"scope": scope}))
    play.send("GET /api/clusters/{cluster_id}", cluster_id=999_999_999)
    play.send("GET /api/clusters", query={"cursor": "nonsense"})
