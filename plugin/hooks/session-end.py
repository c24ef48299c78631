#!/usr/bin/env python3
"""When a session ends: store its last turns and close it. Its summary stays the session's own, and is no belief.

Only what was said is stored, no tool's output; nothing happens when the service is away. The client waits about 1.5 s
for all that ends with it, so that a process of its own does the work.
"""

from __future__ import annotations

import base64
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import service

TURNS = 30
LONGEST = 4000
DEADLINE_S = 8.0
DETACHED = "--detached"
_ROLES = ("user", "assistant")
_UNSAID = ("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage")  # rows of the client or of its agents
_REMINDER = re.compile(r"<system-reminder\b.*?</system-reminder>", re.DOTALL)
_MADE = re.compile(r"<(bash-(input|stdout|stderr)|local-command-|command-|system-reminder|task-notification)")


def hand_over() -> None:
    """Give the event to a process that outlives the client: this script again, which nobody waits for."""
    import subprocess

    event = sys.stdin.buffer.read()  # before it is started: a client that never says anything has no session
    process = subprocess.Popen(  # noqa: S603 - this script, and nothing of the event
        [sys.executable, "-S", os.path.abspath(__file__), DETACHED],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # what the client ends with its group does not end this
    )
    with process.stdin as pipe:
        pipe.write(event)


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
    exchanges = f"/api/sessions/{session['id']}/exchanges"
    said, before = turns(str(told.get("transcript_path") or "")), session["exchange_count"]
    if said and before:  # it was taken up again: go on behind what is there
        last = f"{exchanges}?limit={TURNS}&cursor={cursor(before - TURNS)}"
        there = service.ask(last, scope=place["scope"]).get("items", [])
        said = unsaid(said, [(one["role"], one["content"].strip()) for one in there])
    for role, text in said[-TURNS:]:
        service.ask(exchanges, {"role": role, "content": text})
    service.ask(f"/api/sessions/{session['id']}/end", {"believe": False})


def cursor(after: int) -> str:
    """The cursor of the page behind the turn with this number, as the service writes it."""
    told = json.dumps({"after": str(max(0, after))})
    return base64.urlsafe_b64encode(told.encode()).decode().rstrip("=")


def turns(transcript: str) -> list[tuple[str, str]]:
    """(role, text) of the turns in the client's transcript, one JSON object a line."""
    path = Path(transcript)
    if not transcript or not path.is_file():
        return []
    found = []
    for row in path.read_text(encoding="utf-8", errors="replace").split("\n"):  # no other end of a line is one of JSON
        said = turn(row)
        if said:
            found.append(said)
    return found


def unsaid(said: list[tuple[str, str]], there: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The turns behind the last one that is stored; all where none of them is.

    A short turn comes more than once ("yes"): the place counts that most stored turns in a row lead to. What tools
    have stored between them stands in no transcript.
    """
    known = [one for one in there if one in said]

    def led(place: int) -> int:
        count = 0
        while count < min(place, len(known)) and said[place - 1 - count] == known[-1 - count]:
            count += 1
        return count

    return said[max(range(len(said) + 1), key=led) :]


def turn(row: str) -> tuple[str, str] | None:
    """(role, text) of one line of the transcript; None where nobody says anything in it."""
    try:
        told: Any = json.loads(row)
        message = told["message"]
        content = message["content"]
        role = message["role"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if role not in _ROLES or any(told.get(mark) for mark in _UNSAID):
        return None
    parts = content if isinstance(content, list) else ()
    blocks = [content] if isinstance(content, str) else [part["text"] for part in parts if text_block(part)]
    said = blocks if role == "assistant" else [own_words(block) for block in blocks]
    text = readable("\n".join(filter(None, said))).strip()[:LONGEST].strip()
    return (role, text) if text else None


def own_words(text: str) -> str:
    """A text of the user's side without what the client put there: commands, their output, its reminders."""
    left = _REMINDER.sub("", text).strip()
    return "" if _MADE.match(left) else left


def readable(text: str) -> str:
    """A text as the service keeps it: without NUL and halves of characters."""
    return text.replace("\x00", "").encode("utf-8", "ignore").decode("utf-8")


def text_block(block: Any) -> bool:
    """True for a block of a message that is text, and no tool's doing."""
    return isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)


if __name__ == "__main__":
    if DETACHED in sys.argv[1:]:
        service.run(main, DEADLINE_S)
    service.run(hand_over)
