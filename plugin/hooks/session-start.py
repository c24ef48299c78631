#!/usr/bin/env python3
"""When a session starts: open it in the service, and put what is known before the model.

At most 5 beliefs, 5 patterns and 5 values, and how the last sessions of the project ended. When the service is away the
person is told once.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import service
from service import line

MOST = 5
LAST = 2


def main() -> None:
    """Open the session and say what is known."""
    told = service.event()
    project, scope = service.project(told), service.scope(told)
    place = {"platform": "claude-code", "project_context": project, "scope": scope}
    try:
        started = service.ask(
            "/api/sessions", {**place, "client_session_id": str(told.get("session_id") or "unknown")[:500]}
        )
    except ConnectionError:
        service.away()
        return
    service.here()
    own, person = (quote(one, safe="") for one in (scope, service.user()))
    values = service.ask(f"/api/values?limit={MOST}&scope={own}&scope={person}").get("items", [])
    completed = f"status=completed&project_context={quote(project, safe='')}&scope={own}"
    past = service.ask(f"/api/sessions?limit={LAST + 1}&{completed}")
    ended = [one for one in past.get("items", []) if one.get("summary") and one.get("scope") == scope]
    service.inject("SessionStart", context(started, values, ended[:LAST]))


def context(started: dict[str, Any], values: list[dict[str, Any]], ended: list[dict[str, Any]]) -> str:
    """What is known, as data with its source; the session's id is for the tools."""
    beliefs = [
        f"{line(one['content'])} (confidence {one['confidence']:.2f}, {one['id']})" for one in started["beliefs"]
    ]
    patterns = [f"{line(one['description'])} ({one['type']})" for one in started["patterns"]]
    parts = {
        "Beliefs (confidence, id)": beliefs,
        "Patterns": patterns,
        "Values from experience": [line(one["text"]) for one in values],
        "Last sessions here": [line(one["summary"], 400) for one in ended],
    }
    said = [f"{title}:\n" + "\n".join(f"- {text}" for text in texts[:MOST]) for title, texts in parts.items() if texts]
    head = f"clause session: {started['session']['id']}"
    return f"{head}\n{service.recalled(chr(10).join(said))}" if said else head


if __name__ == "__main__":
    service.run(main)
