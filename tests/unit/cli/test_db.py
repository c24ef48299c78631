from __future__ import annotations

import json
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import clause.graph.database
import clause.graph.migrations
import clause.graph.server
from clause.cli import db
from clause.errors import NotFoundError, ServerError, SettingsError
from clause.graph.server import ServerStatus
from clause.graph.server.layout import Layout

RUN = CliRunner()


class FakeServer:
    """A server that is up after `ensure` and down after `stop`."""

    up = False

    def __init__(self, home: Path, heap_mb: int) -> None:
        self.layout = Layout(home)

    def ensure(self, progress: Any) -> None:
        progress("fetching", 0, 100)
        progress("fetching", 100, 100)
        progress("starting Neo4j", 0, 0)
        FakeServer.up = True

    def stop(self) -> bool:
        was, FakeServer.up = FakeServer.up, False
        return was

    def status(self) -> ServerStatus:
        uri = "bolt://127.0.0.1:7687" if FakeServer.up else None
        return ServerStatus(running=FakeServer.up, home=self.layout.home, uri=uri)

    def logs(self, n: int) -> list[str]:
        return [f"line {number} [with brackets]" for number in range(n)]


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(clause.graph.server, "ManagedServer", FakeServer)
    monkeypatch.setattr(FakeServer, "up", False)
    monkeypatch.setenv("CLAUSE_HOME", str(tmp_path))
    monkeypatch.delenv("CLAUSE_NEO4J_URI", raising=False)
    return tmp_path


def test_start_tells_where_the_server_is_and_where_its_password_lies(home: Path) -> None:
    done = RUN.invoke(db.app, ["start"])
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0] == "running"
    assert "bolt://127.0.0.1:7687" in done.stdout
    assert str(home / "password") in done.stdout.replace("\n", "")


def test_start_with_json_prints_one_object_only(home: Path) -> None:
    told = json.loads(RUN.invoke(db.app, ["start", "--json"]).stdout)
    assert (told["running"], told["uri"]) == (True, "bolt://127.0.0.1:7687")
    assert told["password_file"] == str(home / "password")


def test_status_ends_with_3_while_nothing_runs_and_0_when_something_does() -> None:
    before = RUN.invoke(db.app, ["status"])
    assert (before.exit_code, before.stdout.splitlines()[0]) == (3, "not running")
    RUN.invoke(db.app, ["start"])
    assert RUN.invoke(db.app, ["status", "--json"]).exit_code == 0


def test_stop_says_whether_anything_ran() -> None:
    RUN.invoke(db.app, ["start"])
    assert RUN.invoke(db.app, ["stop"]).stdout == "stopped\n"
    assert RUN.invoke(db.app, ["stop"]).stdout == "it did not run\n"
    assert json.loads(RUN.invoke(db.app, ["stop", "--json"]).stdout) == {"stopped": False}


def test_logs_are_printed_as_they_are() -> None:
    assert RUN.invoke(db.app, ["logs", "-n", "2"]).stdout == "line 0 [with brackets]\nline 1 [with brackets]\n"
    told = json.loads(RUN.invoke(db.app, ["logs", "-n", "1", "--json"]).stdout)
    assert told == {"lines": ["line 0 [with brackets]"]}


def test_a_server_of_somebody_else_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUSE_NEO4J_URI", "bolt://elsewhere:7687")
    for command in ("start", "stop", "status", "logs"):
        error = RUN.invoke(db.app, [command]).exception
        assert isinstance(error, SettingsError)
        assert error.field == "neo4j_uri"


@pytest.fixture
def reindexed(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """The names that were asked for."""
    asked: list[str | None] = []

    @asynccontextmanager
    async def open_graph(settings: Any, *, progress: Any) -> Any:
        yield "graph"

    async def reindex(graph: Any, name: str | None, **_: Any) -> tuple[str, ...]:
        asked.append(name)
        return (name,) if name else ()

    monkeypatch.setattr(clause.graph.database, "open_graph", open_graph)
    monkeypatch.setattr(clause.graph.migrations, "reindex", reindex)
    return asked


def test_reindex_rebuilds_the_named_index(reindexed: list[str | None]) -> None:
    assert RUN.invoke(db.app, ["reindex", "names"]).stdout == "1 rebuilt: names\n"
    assert json.loads(RUN.invoke(db.app, ["reindex", "names", "--json"]).stdout) == {"rebuilt": ["names"]}
    assert reindexed == ["names", "names"]


def test_reindex_without_a_name_asks_for_all(reindexed: list[str | None]) -> None:
    assert RUN.invoke(db.app, ["reindex"]).stdout == "nothing to rebuild\n"
    assert reindexed == [None]


def test_browse_refuses_while_nothing_runs() -> None:
    error = RUN.invoke(db.app, ["browse"]).exception
    assert isinstance(error, ServerError)
    assert "clause db start" in str(error)


@pytest.fixture
def running(monkeypatch: pytest.MonkeyPatch, home: Path) -> Path:
    """A server that runs, with its Browser."""
    state = ServerStatus(running=True, home=home, uri="bolt://127.0.0.1:7687", browser="http://127.0.0.1:7474/browser/")
    monkeypatch.setattr(FakeServer, "status", lambda _self: state)
    (home / "password").write_text("s3cret\n")
    return home


def test_browse_says_where_browser_is_how_to_sign_in_and_what_to_look_at(running: Path) -> None:
    said = RUN.invoke(db.app, ["browse"]).stdout
    assert "http://127.0.0.1:7474/browser/?dbms=bolt://neo4j@127.0.0.1:7687" in said
    assert "user           neo4j" in said
    assert str(running / "password") in said
    assert "05_the_last_answer" in said
    assert "look for: " in said
    assert "s3cret" not in said


def test_the_password_itself_is_shown_only_when_asked_for(running: Path) -> None:
    told = json.loads(RUN.invoke(db.app, ["browse", "--show-password", "--json"]).stdout)
    assert told["password"] == "s3cret"
    assert all(item["link"].startswith("http://127.0.0.1:7474/browser/?") for item in told["explorations"])


def test_one_exploration_is_printed_with_its_link(running: Path) -> None:
    said = RUN.invoke(db.app, ["browse", "14_hubs"]).stdout
    assert said.startswith("// Hubs: ")
    assert "&cmd=edit&arg=" in said
    assert isinstance(RUN.invoke(db.app, ["browse", "nothing"]).exception, NotFoundError)


def test_browse_knows_where_a_server_of_somebody_else_usually_has_its_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUSE_NEO4J_URI", "neo4j://graph.internal:7687")
    monkeypatch.setenv("CLAUSE_NEO4J_USER", "ann")
    told = json.loads(RUN.invoke(db.app, ["browse", "--json"]).stdout)
    assert told["browser"] == "http://graph.internal:7474/browser/?dbms=neo4j://ann@graph.internal:7687"
    assert told["user"] == "ann"
