"""The plugin's hooks against a running service: what one session learned, the next one starts with."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from ulid import ULID

pytestmark = pytest.mark.integration

HOOKS = Path(__file__).parents[2] / "plugin" / "hooks"


def hook(name: str, service: str, event: dict[str, Any]) -> str:
    """What a hook prints, with time enough on a busy machine: it is its own deadline that ends it."""
    environment = {**os.environ, "CLAUSE_PORT": str(urlsplit(service).port), "USER": "e2e-plugin"}
    script = f"import runpy, sys; sys.path.insert(0, {str(HOOKS)!r}); import service; " + (
        f"run = service.run; service.run = lambda work, _=0: run(work, 60); service.DEADLINE_S = 60; "
        f"runpy.run_path({str(HOOKS / name)!r}, run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "--detached"],  # the end of a session is waited for
        input=json.dumps(event),
        capture_output=True,
        text=True,
        env=environment,
        timeout=90,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout


def test_a_session_ends_with_what_it_learned_and_the_next_begins_with_it(
    service: str, http: httpx.Client, tmp_path: Path
) -> None:
    project = f"shop-{str(ULID()).lower()}"
    event = {"session_id": str(ULID()), "cwd": f"/home/ann/{project}"}
    begun = json.loads(hook("session-start.py", service, event))["hookSpecificOutput"]["additionalContext"]
    session = begun.split()[2]
    assert http.get(f"/api/sessions/{session}").json()["project_context"] == project

    said = [
        f"The {project} checkout service keeps its carts in Redis for one hour.",
        f"The {project} checkout service was moved from Redis to Postgres because carts were lost.",
        f"Carts of the {project} checkout service now live in Postgres for thirty days.",
    ]
    transcript = tmp_path / "transcript.jsonl"
    roles = ("user", "assistant", "user")
    rows = [{"message": {"role": role, "content": text}} for role, text in zip(roles, said, strict=True)]
    transcript.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert hook("session-end.py", service, {**event, "transcript_path": str(transcript)}) == ""
    ended = http.get(f"/api/sessions/{session}").json()
    assert (ended["status"], ended["summary_method"], ended["exchange_count"]) == ("completed", "extracted", 3)
    assert project in ended["summary"]

    again = json.loads(hook("session-start.py", service, {**event, "session_id": str(ULID())}))
    context = again["hookSpecificOutput"]["additionalContext"]
    assert "Last sessions here" in context
    assert ended["summary"][:40] in context
    assert re.fullmatch(f"user:e2e-plugin/session:{project}-[0-9a-f]{{8}}", ended["scope"])
    held = http.get("/api/beliefs", params={"scope": ended["scope"]}).json()["items"]
    assert held == []  # a summary is no belief
    other = {"session_id": str(ULID()), "cwd": "/home/ann/another-project"}
    elsewhere = json.loads(hook("session-start.py", service, other))["hookSpecificOutput"]["additionalContext"]
    assert ended["summary"][:40] not in elsewhere

    for number in range(3):  # a folder of the same name elsewhere is a project of its own, and crowds out nothing here
        namesake = {"session_id": str(ULID()), "cwd": f"/home/ann/{number}/{project}"}
        begun = json.loads(hook("session-start.py", service, namesake))["hookSpecificOutput"]["additionalContext"]
        assert ended["summary"][:40] not in begun
        hook("session-end.py", service, {**namesake, "transcript_path": str(transcript)})
    once_more = json.loads(hook("session-start.py", service, {**event, "session_id": str(ULID())}))
    assert ended["summary"][:40] in once_more["hookSpecificOutput"]["additionalContext"]


def test_what_is_said_after_a_session_is_taken_up_again_is_stored_behind_the_rest(
    service: str, http: httpx.Client, tmp_path: Path
) -> None:
    event = {"session_id": str(ULID()), "cwd": f"/home/ann/shop-{str(ULID()).lower()}"}
    transcript = tmp_path / "transcript.jsonl"
    said = [f"turn {number} of the shop" for number in range(33)]
    for end in (31, 33):
        begun = json.loads(hook("session-start.py", service, event))["hookSpecificOutput"]["additionalContext"]
        rows = [{"message": {"role": "user", "content": text}} for text in said[:end]]
        transcript.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        hook("session-end.py", service, {**event, "transcript_path": str(transcript)})
    stored = http.get(f"/api/sessions/{begun.split()[2]}/exchanges", params={"limit": 100}).json()["items"]
    assert [one["content"] for one in stored] == said[1:]
