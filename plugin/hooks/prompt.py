#!/usr/bin/env python3
"""At each prompt, where RECALL_ON_PROMPT=1: recall when the conversation has moved on, and stay silent otherwise.

The service's semantic-state monitor decides, from the prompts of this session; they are kept in a private file.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any

import service
from service import line

KEPT = 20
LONGEST = 2000
MOST = 3
_RECALL = {"RETRIEVE", "RETRIEVE_CONSOLIDATE"}


def main() -> None:
    """Ask the monitor, and recall where it says so."""
    if os.environ.get("RECALL_ON_PROMPT") != "1":
        return
    told = service.event()
    prompt = str(told.get("prompt") or "").strip()[:LONGEST]
    if not prompt:
        return
    prompts = remembered(str(told.get("session_id") or "unknown"), prompt)
    newest = service.ask("/api/memories/monitor", {"turns": prompts})["newest"]
    if newest["action"] in _RECALL:
        found = service.ask(
            "/api/beliefs/query", {"query": prompt, "limit": MOST, "scopes": [service.scope(told), service.user()]}
        )
        service.inject("UserPromptSubmit", context(found["items"]))


def remembered(session: str, prompt: str) -> list[str]:
    """The prompts of this session up to now, the new one last."""
    folder = service.cache() / "prompts"
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / (re.sub(r"[^A-Za-z0-9-]", "_", session)[:80] + ".json")
    try:
        before = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        before = []
    prompts = [*before, prompt][-KEPT:]
    path.write_text(json.dumps(prompts), encoding="utf-8")
    return prompts


def context(items: list[dict[str, Any]]) -> str:
    """What was recalled, as data with its source; empty where there is nothing."""
    beliefs = [item["belief"] for item in items]
    lines = [
        f"- {line(one['content'])} (confidence {one['confidence']['overall']:.2f}, {one['id']})" for one in beliefs
    ]
    return service.recalled("\n".join(lines)) if lines else ""


if __name__ == "__main__":
    service.run(main)
