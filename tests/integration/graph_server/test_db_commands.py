"""`clause db` as a user types it, on a real server in a home of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clause.graph.server import ManagedServer

pytestmark = pytest.mark.integration

Command = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def clause(tmp_path: Path) -> Iterator[Command]:
    """Runs `clause ... --json` and gives its exit code and object; returns only when its streams are closed."""
    home = tmp_path / "home"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CLAUSE_")}
    environment = {**kept, "CLAUSE_HOME": str(home), "CLAUSE_NEO4J_HEAP_MB": "512", "CLAUSE_PORT": "0"}

    def run(*words: str) -> tuple[int, dict[str, Any]]:
        command = [sys.executable, "-m", "clause.cli.main", *words, "--json"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=200, check=False)
        return done.returncode, json.loads(done.stdout)

    yield run
    ManagedServer(home).stop()


def test_a_server_is_started_shown_examined_and_stopped(clause: Command) -> None:
    assert clause("db", "status")[0] == 3
    code, started = clause("db", "start")
    assert (code, started["running"]) == (0, True)
    assert clause("db", "start")[1]["pid"] == started["pid"]
    assert clause("db", "status") == (0, {**started, "memory_mb": pytest.approx(started["memory_mb"], rel=0.9)})
    assert clause("db", "logs", "--lines", "1")[1]["lines"][0].endswith("Started.")

    code, examined = clause("doctor")
    wrong = {check["name"]: check["remedy"] for check in examined["checks"] if not check["ok"]}
    assert (code, wrong) == (1, {"migrations": "run `clause migrate`"})
    assert clause("migrate")[0] == 0
    code, examined = clause("doctor")
    assert (code, [check["name"] for check in examined["checks"] if not check["ok"]]) == (0, [])
    assert clause("db", "reindex", "no_such_index")[1]["error"]["code"] == "not_found"

    assert clause("db", "stop") == (0, {"stopped": True})
    assert clause("db", "stop") == (0, {"stopped": False})
