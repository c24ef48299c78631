"""The managed server's handling of processes, ports and files, with a process that only pretends to be Neo4j."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import neo4j.exceptions
import psutil
import pytest
from filelock import FileLock

from clause.errors import ServerError
from clause.graph.server import ManagedServer, launch, managed
from clause.graph.server import layout as ports
from clause.graph.server.layout import Layout, Ports

SIGN_IN = ManagedServer._sign_in
PROGRAM = Path(__file__).parents[3] / "fakes" / "neo4j_server.py"


@pytest.fixture
def behave(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """How the pretended Neo4j behaves: set `["as"]`."""
    behaviour = {"as": "up"}

    def command(java: Path, class_path: list[Path], layout: Layout, *rest: Any) -> list[str]:
        return [sys.executable, str(PROGRAM), behaviour["as"], launch.MAIN, launch.home_argument(layout.home)]

    monkeypatch.setattr(launch, "server_command", command)
    monkeypatch.setattr(launch, "set_initial_password", lambda *given: None)
    monkeypatch.setattr(managed, "find_java", lambda: Path("java"))
    monkeypatch.setattr(ManagedServer, "_class_path", lambda self, progress: [])
    monkeypatch.setattr(ManagedServer, "_sign_in", lambda self, record: self.layout.read_password())
    return behaviour


class FakeDriver(AbstractContextManager["FakeDriver"]):
    """A connection that `neo4j` accepts or not."""

    def __init__(self, uri: str, auth: tuple[str, str]) -> None:
        self.auth = auth

    def __exit__(self, *error: object) -> None:
        pass

    def session(self, database: str) -> FakeDriver:
        assert database == "neo4j"
        return self

    def run(self, text: str) -> FakeDriver:
        assert "dbms.components" in text
        if self.auth != ("neo4j", "right"):
            raise neo4j.exceptions.AuthError
        if closed:
            raise neo4j.exceptions.DatabaseUnavailable
        return self

    def consume(self) -> None:
        pass


closed: list[str] = []
"""Whether the database behind a `FakeDriver` is closed: what `closing` says."""


@pytest.fixture
def closing(signing_in: None, server: ManagedServer) -> Iterator[list[str]]:
    """Put something into this list, and the database is closed."""
    server.layout.prepare()
    server.layout.password.write_text("right")
    yield closed
    closed.clear()


@pytest.fixture
def signing_in(behave: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The server really asks for its password, which is `right`."""
    monkeypatch.setattr(ManagedServer, "_sign_in", SIGN_IN)
    monkeypatch.setattr(neo4j.GraphDatabase, "driver", FakeDriver)


@pytest.fixture
def server(behave: dict[str, str], tmp_path: Path) -> Iterator[ManagedServer]:
    server = ManagedServer(tmp_path / "home", 256)
    yield server
    server.stop()


def pid_of(server: ManagedServer) -> int:
    pid = server.status().pid
    assert pid is not None
    return pid


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    psutil.Process(pid).wait(30)


def test_the_constructor_does_nothing(tmp_path: Path) -> None:
    server = ManagedServer(tmp_path / "home")
    assert server.status().running is False
    assert server.stop() is False
    assert not (tmp_path / "home").exists()


def test_it_starts_once_and_tells_where(server: ManagedServer) -> None:
    told: list[str] = []
    address = server.ensure(lambda message, done, total: told.append(message))
    status = server.status()
    assert (status.running, status.uri) == (True, address.uri)
    assert status.browser is not None
    assert status.memory_mb is not None
    assert address.password.get_secret_value() == server.layout.password.read_text().strip()
    assert told[0] == "setting the password"
    assert told[-1] == "starting Neo4j"
    assert server.logs(1) == ["INFO  Started."]


def test_a_second_ensure_finds_it_without_taking_the_lock(server: ManagedServer) -> None:
    first = server.ensure()
    with FileLock(server.layout.lock):
        assert ManagedServer(server.layout.home).ensure() == first


def test_many_at_once_start_one_server(server: ManagedServer) -> None:
    with ThreadPoolExecutor(8) as pool:
        addresses = set(pool.map(lambda _: ManagedServer(server.layout.home).ensure(), range(8)))
    assert len(addresses) == 1


def test_two_homes_have_two_servers_on_different_ports(server: ManagedServer, tmp_path: Path) -> None:
    other = ManagedServer(tmp_path / "other")
    try:
        assert other.ensure().uri != server.ensure().uri
        assert pid_of(other) != pid_of(server)
    finally:
        other.stop()


def test_stop_ends_the_process_and_can_be_said_twice(server: ManagedServer) -> None:
    server.ensure()
    pid = pid_of(server)
    assert server.stop() is True
    assert not psutil.pid_exists(pid)
    assert server.status().running is False
    assert server.stop() is False


def test_a_server_killed_with_9_comes_back_on_its_ports(server: ManagedServer) -> None:
    address = server.ensure()
    killed = pid_of(server)
    kill(killed)
    assert server.ensure() == address
    assert pid_of(server) != killed


def test_a_server_whose_state_file_is_lost_is_found_again(server: ManagedServer) -> None:
    address = server.ensure()
    pid = pid_of(server)
    server.layout.state.unlink()
    assert server.status().running is False
    assert server.ensure() == address
    assert pid_of(server) == pid


def test_a_server_whose_state_file_is_lost_can_be_stopped(server: ManagedServer) -> None:
    server.ensure()
    pid = pid_of(server)
    server.layout.state.unlink()
    assert server.stop() is True
    assert not psutil.pid_exists(pid)


def test_a_lost_race_for_a_port_is_run_again_on_others(server: ManagedServer, behave: dict[str, str]) -> None:
    behave["as"] = "taken"
    address = server.ensure()
    assert address.uri not in {"bolt://127.0.0.1:7687", "bolt://127.0.0.1:7474"}
    assert server.status().running


def test_a_port_lost_every_time_is_an_error(server: ManagedServer, behave: dict[str, str]) -> None:
    behave["as"] = "always-taken"
    with pytest.raises(ServerError, match="a port is taken"):
        server.ensure()


@pytest.mark.parametrize(("how", "cause"), [("full", "the disk is full"), ("gone", "without a word")])
def test_a_server_that_ends_while_starting_is_one_clear_line(
    server: ManagedServer, behave: dict[str, str], how: str, cause: str
) -> None:
    behave["as"] = how
    with pytest.raises(ServerError, match=cause):
        server.ensure()
    behave["as"] = "up"
    assert server.ensure()


def test_a_server_that_stays_silent_is_given_up_in_the_end(
    server: ManagedServer, behave: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    behave["as"] = "mute"
    monkeypatch.setattr(managed, "_START_S", 0.3)
    with pytest.raises(ServerError, match="did not start"):
        server.ensure()
    assert server.status().running is False


def test_an_interrupted_start_is_gone_on_with(server: ManagedServer) -> None:
    def interrupt(message: str, done: int, total: int) -> None:
        if message == "starting Neo4j":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        server.ensure(interrupt)
    pid = pid_of(server)
    assert server.ensure()
    assert pid_of(server) == pid


def test_a_changed_password_file_is_told_while_the_server_runs(server: ManagedServer) -> None:
    server.ensure()
    kept = server.layout.password.read_text()
    server.layout.password.write_text("something else")
    with pytest.raises(ServerError, match="does not hold the password"):
        server.ensure()
    server.layout.password.write_text(kept)
    assert server.ensure()


@pytest.mark.usefixtures("signing_in")
def test_the_server_is_ready_only_once_it_takes_the_password_and_a_mended_file_is_believed(
    server: ManagedServer,
) -> None:
    server.layout.prepare()
    server.layout.password.write_text("wrong")
    with pytest.raises(ServerError, match="does not hold the password of the store"):
        server.ensure()
    pid = pid_of(server)
    assert server.status().running is False
    server.layout.password.write_text("right")
    assert server.ensure().password.get_secret_value() == "right"
    assert (pid_of(server), server.status().running) == (pid, True)


def test_a_server_that_answers_but_whose_database_is_closed_is_not_running(
    server: ManagedServer, closing: list[str]
) -> None:
    server.ensure()
    assert (server.status().running, server.status().problem) == (True, None)
    closing.append("a full disk")
    status = server.status()
    assert status.running is False
    assert "is closed; free disk space if there is none, then run `clause db stop` and `clause db start`" in str(
        status.problem
    )


def test_a_process_that_hangs_is_not_running_and_says_the_way_out(
    server: ManagedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(managed, "_WAKE_S", 0.2)
    address = server.ensure()
    with monkeypatch.context() as hanging:
        hanging.setattr(ports, "speaks_bolt", lambda port: False)
        assert server.status().running is False
        assert "answers nothing; " in str(server.status().problem)
        with pytest.raises(ServerError, match=r"answers nothing; .*`clause db stop` and `clause db start`"):
            server.ensure()
    assert server.ensure() == address


def test_a_database_that_does_not_open_is_an_error_and_nothing_is_left_running(
    server: ManagedServer, closing: list[str]
) -> None:
    closing.append("something else")
    with pytest.raises(ServerError, match="did not start"):
        server.ensure()
    assert server.status().pid is None


def test_a_lock_that_another_command_holds_too_long_is_an_error(
    server: ManagedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.layout.prepare()
    monkeypatch.setattr(managed, "_LOCK_S", 0.05)
    with FileLock(server.layout.lock), pytest.raises(ServerError, match="another command has held"):
        server.ensure()


def test_a_process_gone_before_it_is_recorded_is_an_error(
    server: ManagedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = max(psutil.pids()) + 100_000
    monkeypatch.setattr(managed, "spawn", lambda command, output: gone)
    with pytest.raises(ServerError, match="did not start"):
        server.ensure()


def test_the_memory_of_a_process_that_may_not_be_read_is_unknown(
    server: ManagedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.ensure()

    def refuse(self: psutil.Process) -> None:
        raise psutil.AccessDenied

    monkeypatch.setattr(psutil.Process, "memory_info", refuse)
    assert server.status().memory_mb is None


def test_the_usual_ports_are_used_when_they_are_free(server: ManagedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = Ports(*ports.free_ports(2))
    monkeypatch.setattr(ports, "Ports", lambda *given: Ports(*given) if given else usual)
    assert server.ensure().uri == f"bolt://127.0.0.1:{usual.bolt}"
