#!/usr/bin/env python3
"""When a session starts: open it in the service, and put what is known before the model.

At most 5 beliefs, 5 patterns and 5 values; nothing at all when the service is away.
"""

from __future__ import annotations

from typing import Any

import service
from service import line

MOST = 5


def main() -> None:
    """Open the session and say what is known."""
    told = service.event()
    started = service.ask(
        "/api/sessions",
        {
            "platform": "claude-code",
            "project_context": service.project(told),
            "client_session_id": str(told.get("session_id") or "unknown")[:500],
        },
    )
    values = service.ask(f"/api/values?limit={MOST}").get("items", [])
    service.inject("SessionStart", context(started, values))


def context(started: dict[str, Any], values: list[dict[str, Any]]) -> str:
    """What is known, as data with its source; the session's id is for the tools."""
    beliefs = [
        f"{line(one['content'])} (confidence {one['confidence']:.2f}, {one['id']})" for one in started["beliefs"]
    ]
    patterns = [f"{line(one['description'])} ({one['type']})" for one in started["patterns"]]
    parts = {
        "Beliefs (confidence, id)": beliefs,
        "Patterns": patterns,
        "Values from experience": [line(one["text"]) for one in values],
    }
    said = [f"{title}:\n" + "\n".join(f"- {text}" for text in texts[:MOST]) for title, texts in parts.items() if texts]
    head = f"clause session: {started['session']['id']}"
    return f"{head}\n{service.recalled(chr(10).join(said))}" if said else head


if __name__ == "__main__":
    service.run(main)
