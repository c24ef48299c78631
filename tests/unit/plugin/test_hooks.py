"""The hooks as a client runs them: a process with an event on stdin, against a service that is there, away or stuck."""

from __future__ import annotations

import json
import os
import re
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from clause.api.dependencies import encode
from clause.graph.scopes import parse_scope
from tests.unit.plugin.test_manifest import started

HOOKS = Path(__file__).parents[3] / "plugin" / "hooks"
PROJECT = "user:ann/session:shop-6fec8fd0"
EVENT = {"session_id": "c-1", "cwd": "/home/ann/shop", "hook_event_name": "SessionStart"}
SESSION = {"id": "01SESSION", "exchange_count": 0}
BELIEF = {"id": "01BELIEF", "content": "Ann prefers <b>tabs</b>\nover spaces", "confidence": 0.75}
HIT = {"belief": {**BELIEF, "confidence": {"overall": 0.75}}}
ANSWERS: dict[str, Any] = {
    "/api/sessions": {
        "session": SESSION,
        "beliefs": [BELIEF] * 7,
        "patterns": [{"description": "Writes the test first", "type": "working_style"}],
    },
    f"/api/values?limit=5&scope={quote(PROJECT, safe='')}&scope=user%3Aann": {
        "items": [{"text": "Look at the data before the code."}]
    },
    f"/api/sessions?limit=3&status=completed&project_context=shop&scope={quote(PROJECT, safe='')}": {
        "items": [
            {"summary": "Moved the <carts> to Postgres.", "scope": PROJECT},
            {"summary": "Somebody else's shop.", "scope": "user:bob/session:shop"},
            {"summary": None, "scope": PROJECT},
        ]
    },
    "/api/sessions/01SESSION/exchanges": {"id": "01TURN"},
    "/api/sessions/01SESSION/end": {"session": SESSION},
    "/api/memories/monitor": {"newest": {"action": "RETRIEVE"}},
    "/api/beliefs/query": {"items": [HIT]},
}
Asked = list[tuple[str, dict[str, Any], str | None]]


@pytest.fixture
def asked() -> Iterator[tuple[int, Asked]]:
    """A service on a port of its own, and what it was asked."""
    calls: Asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._answer(body)

        def do_GET(self) -> None:
            self._answer({})

        def _answer(self, body: dict[str, Any]) -> None:
            calls.append((self.path, body, self.headers.get("Authorization")))
            answer = json.dumps(ANSWERS[self.path]).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server.server_address[1], calls
    server.shutdown()


def run(hook: str, port: int, event: Any, cache: Path, **more: str) -> str:
    """What a hook prints; it always leaves with 0 and says nothing on stderr.

    What the end of a session leaves to a process of its own is waited for here.
    """
    environment = {**os.environ, "CLAUSE_PORT": str(port), "XDG_CACHE_HOME": str(cache), "USER": "ann", **more}
    command = [sys.executable, "-S", str(HOOKS / hook), *(["--detached"] if hook == "session-end.py" else [])]
    said = event if isinstance(event, str) else json.dumps(event)
    done = subprocess.run(command, input=said, capture_output=True, text=True, env=environment, timeout=60, check=True)
    assert done.stderr == ""
    return done.stdout


def test_a_session_starts_with_what_is_known(asked: tuple[int, Asked], tmp_path: Path) -> None:
    port, calls = asked
    output = json.loads(run("session-start.py", port, EVENT, tmp_path))["hookSpecificOutput"]
    text = output["additionalContext"]
    assert output["hookEventName"] == "SessionStart"
    assert text.startswith("clause session: 01SESSION\n<recalled>")
    assert text.count("01BELIEF") == 5
    assert "Writes the test first" in text
    assert "Look at the data before the code." in text
    assert "not instructions" in text
    assert "<b>" not in text
    assert "Moved the \u2039carts\u203a to Postgres." in text
    assert "Somebody else" not in text
    path, body, key = calls[0]
    assert (path, key) == ("/api/sessions", None)
    assert body == {"platform": "claude-code", "project_context": "shop", "client_session_id": "c-1", "scope": PROJECT}


def test_a_key_is_brought_where_one_is_set(asked: tuple[int, Asked], tmp_path: Path) -> None:
    port, calls = asked
    run("session-start.py", port, EVENT, tmp_path, CLAUSE_API_KEY="clause_x", CLAUSE_HOST="0.0.0.0")
    assert {key for _, _, key in calls} == {"Bearer clause_x"}


def test_a_session_ends_with_its_last_turns_stored(asked: tuple[int, Asked], tmp_path: Path) -> None:
    port, calls = asked
    transcript = tmp_path / "transcript.jsonl"
    rows: list[Any] = [
        {"type": "user", "message": {"role": "user", "content": "Please pin\u2028every dependency."}},
        {
            "type": "assistant",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "Done."}, {"type": "tool_use"}]},
        },
        {"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": "secret"}]}},
        {"type": "user", "isMeta": True, "message": {"role": "user", "content": "meta"}},
        {"type": "summary", "summary": "x"},
        [1],
    ]
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    transcript.write_text("\n".join([*lines, "no json", '{"message": 5}']), encoding="utf-8")
    assert run("session-end.py", port, {**EVENT, "transcript_path": str(transcript)}, tmp_path) == ""
    assert [(path.rpartition("/")[2], body.get("role"), body.get("content")) for path, body, _ in calls] == [
        ("sessions", None, None),
        ("exchanges", "user", "Please pin\u2028every dependency."),
        ("exchanges", "assistant", "Done."),
        ("end", None, None),
    ]
    assert calls[0][1]["scope"] == PROJECT
    assert calls[-1][1] == {"believe": False}


def said(*rows: Any) -> dict[str, Any]:
    """A row of a transcript: what the user says, and what the row is marked with."""
    content, *marks = rows
    return {"type": "user", "message": {"role": "user", "content": content}, **dict.fromkeys(marks, True)}


def stored(calls: Asked) -> list[str]:
    return [body["content"] for path, body, _ in calls if path.endswith("exchanges") and body]


def ended(port: int, tmp_path: Path, *rows: Any) -> None:
    """A session of these rows ends."""
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert run("session-end.py", port, {**EVENT, "transcript_path": str(transcript)}, tmp_path) == ""


MADE = ["bash-input", "bash-stdout", "bash-stderr", "local-command-stdout", "command-name", "command-message"]


def test_what_the_client_and_its_commands_say_is_not_stored_as_the_users_words(
    asked: tuple[int, Asked], tmp_path: Path
) -> None:
    port, calls = asked
    made = [said(f"<{mark}>password=x</{mark}><bash-stderr></bash-stderr>") for mark in MADE]
    made += [
        said([{"type": "text", "text": f"<{mark}>x</{mark}>"}]) for mark in ("system-reminder", "task-notification")
    ]
    unsaid = [said("x", mark) for mark in ("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage")]
    talk = "A tag <b> is mine.<system-reminder>be kind</system-reminder>"
    answer = {"message": {"role": "assistant", "content": "<command-name> is a tag."}}
    ended(port, tmp_path, *made, *unsaid, said(talk), said([{"type": "text", "text": "And this."}]), answer)
    assert stored(calls) == ["A tag <b> is mine.", "And this.", "<command-name> is a tag."]


def test_an_odd_row_is_passed_over_and_the_others_are_stored(asked: tuple[int, Asked], tmp_path: Path) -> None:
    port, calls = asked
    odd: list[Any] = [said(None), said(5), said([{"type": "text", "text": None}, {"type": "text"}, None, 5])]
    odd += [{"message": {"role": role, "content": "x"}} for role in (["user"], {}, None)]
    odd += [{"message": None}, said("\x00\ud800 "), None, "x", 5]
    ended(port, tmp_path, said("before"), *odd, said("after\ud800"))
    assert stored(calls) == ["before", "after"]


@pytest.mark.parametrize(
    ("there", "rows", "told"),
    [
        ("hi yes", "hi yes more", "more"),
        ("hi yes", "hi yes", ""),
        ("hi yes", "hi yes hi yes", "hi yes"),  # said again since
        ("hi yes", "yes hi yes no yes", "no yes"),
        ("hi yes noted-by-a-tool", "hi yes more", "more"),
        ("b c", "a b c d", "d"),  # of a long one only the end was stored
        ("other", "hi yes", "hi yes"),
    ],
)
def test_a_session_that_was_taken_up_again_stores_what_was_said_since(
    asked: tuple[int, Asked], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: str, rows: str, told: str
) -> None:
    port, calls = asked
    before = [{"role": "user", "content": text} for text in there.split()]
    monkeypatch.setitem(ANSWERS, "/api/sessions", {"session": {**SESSION, "exchange_count": 40}})
    page = f"/api/sessions/01SESSION/exchanges?limit=30&cursor={encode('10')}"
    monkeypatch.setitem(ANSWERS, page, {"items": before})
    ended(port, tmp_path, *map(said, rows.split()))
    assert stored(calls) == told.split()
    assert calls[-1][0].endswith("/end")


def test_the_turns_of_a_session_are_read_in_its_own_scope() -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(HOOKS)!r}); import service\n"
        "def exchanged(path, headers, data): print(headers['X-Read-Scope']); return b'{}'\n"
        "service._exchange = exchanged\n"
        "service.ask('/api/x', scope='user:ann/session:1')"
    )
    told = {**os.environ, "CLAUSE_READ_SCOPE": "kg:project"}
    done = subprocess.run([sys.executable, "-c", program], env=told, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "user:ann/session:1"


def test_a_session_stays_in_its_project_wherever_the_client_goes(asked: tuple[int, Asked], tmp_path: Path) -> None:
    port, calls = asked
    below = {**EVENT, "cwd": "/home/ann/shop/backend"}
    run("session-end.py", port, below, tmp_path, CLAUDE_PROJECT_DIR="/home/ann/shop")
    assert calls[0][1]["scope"] == PROJECT


def test_only_the_last_turns_are_stored(asked: tuple[int, Asked], tmp_path: Path) -> None:
    port, calls = asked
    transcript = tmp_path / "long.jsonl"
    rows = [{"message": {"role": "user", "content": f"turn {n} " + "x" * 9000}} for n in range(40)]
    transcript.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    run("session-end.py", port, {**EVENT, "transcript_path": str(transcript)}, tmp_path)
    stored = [body["content"] for path, body, _ in calls if path.endswith("exchanges")]
    assert [text.split()[1] for text in stored] == [str(n) for n in range(10, 40)]
    assert {len(text) for text in stored} == {4000}


def test_a_prompt_recalls_when_the_monitor_says_so_and_only_where_it_is_asked_to(
    asked: tuple[int, Asked], tmp_path: Path
) -> None:
    port, calls = asked
    event = {"session_id": "../c 1", "prompt": "what does Ann prefer?"}
    assert run("prompt.py", port, event, tmp_path) == ""
    assert calls == []
    text = json.loads(run("prompt.py", port, event, tmp_path, RECALL_ON_PROMPT="1"))["hookSpecificOutput"]
    assert "Ann prefers" in text["additionalContext"]
    run("prompt.py", port, {**event, "prompt": "and Bob?"}, tmp_path, RECALL_ON_PROMPT="1")
    turns = [body["turns"] for path, body, _ in calls if path.endswith("monitor")]
    assert turns == [["what does Ann prefer?"], ["what does Ann prefer?", "and Bob?"]]
    (kept,) = (tmp_path / "clause" / "prompts").iterdir()
    assert kept.name == "___c_1.json"


def test_an_empty_prompt_asks_nothing(asked: tuple[int, Asked], tmp_path: Path) -> None:
    port, calls = asked
    assert run("prompt.py", port, {"prompt": "  "}, tmp_path, RECALL_ON_PROMPT="1") == ""
    assert calls == []


@pytest.mark.parametrize("hook", ["session-start.py", "session-end.py", "prompt.py"])
@pytest.mark.parametrize("event", [EVENT, {"prompt": "x", "session_id": 5}, "", "[]", "no json"])
def test_a_hook_is_silent_when_the_service_is_away(hook: str, event: Any, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (tmp_path / "clause").mkdir()
    (tmp_path / "clause" / "away").touch()  # it has been told
    assert run(hook, port, event, tmp_path, RECALL_ON_PROMPT="1") == ""


def test_the_person_is_told_once_that_the_service_is_away_and_again_after_it_was_there(
    asked: tuple[int, Asked], tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    told = json.loads(run("session-start.py", port, EVENT, tmp_path))
    assert "clause serve" in told["systemMessage"]
    assert "hookSpecificOutput" not in told
    assert run("session-start.py", port, EVENT, tmp_path) == ""
    run("session-start.py", asked[0], EVENT, tmp_path)
    assert "systemMessage" in run("session-start.py", port, EVENT, tmp_path)


@pytest.mark.parametrize(
    ("cwd", "more", "scope"),
    [
        ("/home/ann/my shop!", {}, "user:ann/session:my-shop-[0-9a-f]{8}"),
        ("/srv/x", {"USER": ""}, "user:me/session:x-[0-9a-f]{8}"),
        ("/srv/x", {"CLAUSE_DEFAULT_SCOPE": "user:team"}, "user:team"),
        ("/srv/проект", {}, "user:ann/session:(?P<one>[0-9a-f]{8})"),
        ("/srv/" + "x" * 300, {"USER": "DOM\\ann b"}, "user:DOM-ann-b-[0-9a-f]{8}/session:x{48}-[0-9a-f]{8}"),
        ("/srv/_site", {}, "user:ann/session:site-[0-9a-f]{8}"),
        ("/srv/__init__", {"USER": "_www"}, "user:www-[0-9a-f]{8}/session:init-[0-9a-f]{8}"),
        ("/", {}, "user:ann/session:home-[0-9a-f]{8}"),
    ],
)
def test_a_session_is_kept_in_its_projects_scope_and_never_in_public(
    asked: tuple[int, Asked], tmp_path: Path, cwd: str, more: dict[str, str], scope: str
) -> None:
    port, calls = asked
    run("session-end.py", port, {"session_id": "1", "cwd": cwd}, tmp_path, LOGNAME="", **more)
    assert re.fullmatch(scope, calls[0][1]["scope"])
    assert parse_scope(calls[0][1]["scope"]).text != "public"


@pytest.mark.parametrize("name", ["ann", "ann.smith", "ann@example.org", "ann+work", "a_b-c", "x" * 128, "D\\ann", ""])
def test_hooks_read_the_scope_of_the_user_in_which_the_tools_write(
    asked: tuple[int, Asked], tmp_path: Path, name: str
) -> None:
    port, calls = asked
    _, tools = started(tmp_path, USER=name)
    more = {"USER": name, "LOGNAME": "another", "RECALL_ON_PROMPT": "1"}
    run("prompt.py", port, {**EVENT, "prompt": "tabs?"}, tmp_path, **more)
    project, user = calls[-1][1]["scopes"]
    assert user == tools
    assert project.startswith(f"{tools}/session:shop-")
    assert parse_scope(project).user == parse_scope(tools).user


def test_folders_of_one_name_are_projects_of_their_own_however_they_are_written(
    asked: tuple[int, Asked], tmp_path: Path
) -> None:
    port, calls = asked
    for cwd in ("/home/ann/acme/backend", "/home/ann/globex/backend", "/home/ann/acme/../acme/backend/"):
        run("session-end.py", port, {"session_id": "1", "cwd": cwd}, tmp_path)
    first, second, again = (body["scope"] for path, body, _ in calls if path == "/api/sessions")
    assert first == again != second
    assert {first[:-8], second[:-8]} == {"user:ann/session:backend-"}


def test_a_hook_gives_up_on_a_service_that_never_answers(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as stuck:
        assert run("session-start.py", stuck.getsockname()[1], EVENT, tmp_path) == ""


def test_the_end_of_a_session_keeps_nobody_waiting(
    asked: tuple[int, Asked], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No answer comes before the hook has left; what it left behind, in a session of its own, stores the turns then."""
    port, calls = asked
    left = threading.Event()

    class Slow(dict[str, Any]):
        def __getitem__(self, path: str) -> Any:
            left.wait(30)
            return super().__getitem__(path)

    monkeypatch.setattr(sys.modules[__name__], "ANSWERS", Slow(ANSWERS))
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_text(json.dumps(said("Pin it.")), encoding="utf-8")
    environment = {**os.environ, "CLAUSE_PORT": str(port), "XDG_CACHE_HOME": str(tmp_path), "USER": "ann"}
    done = subprocess.run(
        [sys.executable, "-S", str(HOOKS / "session-end.py")],
        input=json.dumps({**EVENT, "transcript_path": str(transcript)}),
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
        check=True,
    )
    left.set()
    assert (done.stdout, done.stderr) == ("", "")
    deadline = time.monotonic() + 30
    while not (calls and calls[-1][0].endswith("/end")) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert stored(calls) == ["Pin it."]
    assert calls[-1][0].endswith("/end")


MOST_S = 0.15
EVENTS = {"session-start.py": EVENT, "prompt.py": {"prompt": "tabs?", "session_id": "q"}, "session-end.py": EVENT}


@pytest.mark.parametrize("hook", EVENTS)
@pytest.mark.parametrize("there", [True, False], ids=["up", "away"])
def test_a_hook_takes_less_than_150_ms_of_the_processor(
    asked: tuple[int, Asked], tmp_path: Path, hook: str, there: bool
) -> None:
    """One process for an event; its own time, the least of five: wall time on a busy machine says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        nobody = free.getsockname()[1]

    def seconds() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run(hook, asked[0] if there else nobody, EVENTS[hook], tmp_path, RECALL_ON_PROMPT="1")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    taken = min(seconds() for _ in range(5))
    assert 0 < taken < MOST_S
    assert bool(asked[1]) == there


@pytest.mark.parametrize("hook", EVENTS)
def test_a_hook_that_hangs_ends_by_its_own_deadline(tmp_path: Path, hook: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as stuck:
        began = time.monotonic()
        assert run(hook, stuck.getsockname()[1], EVENTS[hook], tmp_path, RECALL_ON_PROMPT="1") == ""
    deadline = 8.0 if hook == "session-end.py" else 1.5
    assert time.monotonic() - began < deadline + 3  # and the start of Python on a busy machine


def test_the_deadlines_are_below_what_the_client_waits() -> None:
    sys.path.insert(0, str(HOOKS))
    try:
        import service
    finally:
        sys.path.remove(str(HOOKS))
    assert service.DEADLINE_S < 2
    told = json.loads((HOOKS / "hooks.json").read_text())["hooks"]
    assert {group["hooks"][0]["timeout"] for name, (group,) in told.items() if name != "SessionEnd"} == {5}
    assert told["SessionEnd"][0]["hooks"][0]["timeout"] > 8


@pytest.mark.parametrize(
    ("told", "record", "url"),
    [
        ({}, None, "http://127.0.0.1:8420"),
        ({}, {"details": {"host": "127.0.0.1", "port": 9111}}, "http://127.0.0.1:9111"),
        ({}, {"details": {"host": "0.0.0.0", "port": 9111}}, "http://127.0.0.1:9111"),
        ({"CLAUSE_PORT": "9222"}, {"details": {"host": "127.0.0.1", "port": 9111}}, "http://127.0.0.1:9222"),
        ({}, {"details": "odd"}, "http://127.0.0.1:8420"),
        ({}, ["odd"], "http://127.0.0.1:8420"),
    ],
)
def test_a_hook_finds_the_service_through_its_home_folder(
    tmp_path: Path, told: dict[str, str], record: Any, url: str
) -> None:
    if record is not None:
        (tmp_path / "api.json").write_text(json.dumps(record), encoding="utf-8")
    program = f"import sys; sys.path.insert(0, {str(HOOKS)!r}); import service; print(service.base_url())"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CLAUSE_")}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**environment, "CLAUSE_HOME": str(tmp_path), **told},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == url


def test_a_hook_reads_a_home_folder_with_a_tilde(tmp_path: Path) -> None:
    program = f"import sys; sys.path.insert(0, {str(HOOKS)!r}); import service; print(service.home())"
    told = {**os.environ, "HOME": str(tmp_path), "CLAUSE_HOME": "~/brain"}
    done = subprocess.run([sys.executable, "-c", program], env=told, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(tmp_path / "brain")


def test_a_hook_looks_for_the_home_folder_where_the_service_has_it(tmp_path: Path) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(HOOKS)!r}); import service, platformdirs\n"
        "print(str(service.home()) == platformdirs.user_data_dir('clause'))"
    )
    environment = {name: value for name, value in os.environ.items() if name != "CLAUSE_HOME"}
    for told in ({}, {"XDG_DATA_HOME": str(tmp_path)}):
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env={**environment, **told}, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "True"
