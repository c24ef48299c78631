"""The first minutes at the command line: a slip of the finger, what can be set, and errors in words."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clause.cli import console
from clause.cli.main import COMMANDS
from clause.settings import Settings
from tests.unit.cli.conftest import Done

Clause = Callable[..., Done]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("aks", "ask"), ("serv", "serve"), ("migrat", "migrate"), ("polcy", "policy"), ("setting", "settings")],
)
def test_a_mistyped_command_is_answered_by_the_one_that_was_meant(clause: Clause, typed: str, meant: str) -> None:
    done = clause(typed, "--json")
    assert done.code == 2
    assert f"Did you mean {meant}" in " ".join(done.err.split())


def test_a_word_that_looks_like_no_command_gets_no_guess(clause: Clause) -> None:
    done = clause("zzzzzz")
    assert done.code == 2
    assert "Did you mean" not in done.err


def test_every_setting_is_listed_with_its_default_and_meaning(clause: Clause, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUSE_PORT", "9000")
    monkeypatch.setenv("CLAUSE_NEO4J_PASSWORD", "hunter2")
    done = clause("settings")
    assert "CLAUSE_PORT=9000  (default 8420)" in done.out
    assert "hunter2" not in done.out
    listed = json.loads(clause("settings", "--json").out)["settings"]
    assert [one["name"] for one in listed] == [f"CLAUSE_{name.upper()}" for name in Settings.model_fields]
    assert all(one["meaning"] for one in listed)
    assert {one["name"]: one["value"] for one in listed}["CLAUSE_NEO4J_PASSWORD"] == "set"


def test_settings_are_found_by_a_word(clause: Clause) -> None:
    found = [line for line in clause("settings", "MCP").out.splitlines() if line.startswith("CLAUSE_")]
    assert {line.partition("=")[0] for line in found} >= {"CLAUSE_MODE", "CLAUSE_MCP_TOKENS"}
    assert not any("HEAP" in line for line in found)
    assert "no setting" in clause("settings", "nothing of the kind").err


def test_a_request_that_a_model_refuses_is_said_in_words_with_its_field(clause: Clause) -> None:
    done = clause("forget", "--scope", "x" * 400, "--preview", "--json")
    assert done.code == 1
    error = json.loads(done.out)["error"]
    assert (error["code"], error["field"]) == ("out_of_bounds", "scope")
    assert "Traceback" not in done.err
    assert "300 characters" in done.err


def test_a_snapshot_of_nothing_is_an_error(clause: Clause, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from contextlib import asynccontextmanager

    from clause import library

    @asynccontextmanager
    async def opened(*_: Any, **__: Any) -> Any:
        async def snapshot(_scopes: Any) -> Any:
            return SimpleNamespace(ids=())

        yield SimpleNamespace(snapshot=snapshot)

    monkeypatch.setattr(library.Clause, "open", opened)
    done = clause("snapshot", str(tmp_path / "films"), "--scope", "kg:films")
    assert done.code == 1
    assert "nothing in kg:films" in done.err
    assert not (tmp_path / "films.npz").exists()


def test_a_bar_ends_at_its_end_though_less_was_counted(capsys: pytest.CaptureFixture[str]) -> None:
    with console.loading_bar() as progress:
        progress("triples", 30, 100)
    assert "100/100" in capsys.readouterr().err


def test_a_bar_of_work_that_broke_off_stays_where_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    def broken_off() -> None:
        with console.loading_bar() as progress:
            progress("triples", 30, 100)
            raise OSError("away")

    with pytest.raises(OSError, match="away"):
        broken_off()
    assert "30/100" in capsys.readouterr().err


def test_what_the_driver_notes_stays_off_the_screen() -> None:
    program = (
        "import logging\nfrom clause.cli.main import run\n"
        "try:\n    run(['--version'])\nexcept SystemExit:\n    pass\n"
        "logging.getLogger('neo4j.notifications').warning('a label does not exist')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert logging.getLogger("neo4j").propagate


@pytest.mark.parametrize(
    ("typed", "offered"), [("clause se", {"serve", "settings"}), ("clause db st", {"start", "stop", "status"})]
)
def test_a_shell_completes_commands(typed: str, offered: set[str]) -> None:
    told = {"_CLAUSE_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": typed}
    program = "from clause.cli.main import run; run([])"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, **told}, check=False
    )
    assert offered <= set(COMMANDS) | {"start", "stop", "status"}
    assert all(name in done.stdout for name in offered), done
