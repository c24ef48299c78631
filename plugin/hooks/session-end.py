#!/usr/bin/env python3
"""When a session ends: store its last turns and close it. Its summary stays the session's own, and is no belief.

Only what was said is stored, no tool's output; nothing happens when the service is away.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import service

TURNS = 30
LONGEST = 4000
DEADLINE_S = 8.0
_ROLES = {"user", "assistant"}


def main() -> None:
    """Store the turns and end the session."""
    told = service.event()
    identity = str(told.get("session_id") or "unknown")[:500]
    place = {
        "platform": "claude-code",
        "project_context": service.project(told),
        "client_session_id": identity,
        "scope": service.scope(told),
    }
    session = service.ask("/api/sessions", place)["session"]
    if session["exchange_count"] == 0:
        for role, text in turns(str(told.get("transcript_path") or "")):
            service.ask(f"/api/sessions/{session['id']}/exchanges", {"role": role, "content": text})
    service.ask(f"/api/sessions/{session['id']}/end", {"believe": False})


def turns(transcript: str) -> list[tuple[str, str]]:
    """(role, text) of the last turns in the client's transcript, one JSON object a line."""
    path = Path(transcript)
    if not transcript or not path.is_file():
        return []
    found = []
    for row in path.read_text(encoding="utf-8", errors="replace").split("\n"):  # no other end of a line is one of JSON
        said = turn(row)
        if said:
            found.append(said)
    return found[-TURNS:]


def turn(row: str) -> tuple[str, str] | None:
    """(role, text) of one line of the transcript; None where nobody says anything in it."""
    try:
        told: Any = json.loads(row)
        message = told["message"]
        content = message["content"]
        role = message["role"]
    except (ValueError, KeyError, TypeError):
        return None
    if role not in _ROLES or told.get("isMeta"):
        return None
    blocks = [content] if isinstance(content, str) else [one.get("text", "") for one in content if text_block(one)]
    text = "\n".join(blocks).strip()[:LONGEST]
    return (role, text) if text else None


def text_block(block: Any) -> bool:
    """True for a block of a message that is text, and no tool's doing."""
    return isinstance(block, dict) and block.get("type") == "text"


if __name__ == "__main__":
    service.run(main, DEADLINE_S)
