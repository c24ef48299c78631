from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from clause.errors import ServerError
from clause.operations import processes as daemon

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


@pytest.fixture
def state(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "home" / "api.json"
    yield path
    daemon.stop(path)


def test_a_started_process_runs_and_keeps_its_details(state: Path, tmp_path: Path) -> None:
    pid = daemon.start_detached(SLEEP, tmp_path / "log", state, details={"port": 8420})
    record = daemon.running(state)
    assert daemon.is_running(state)
    assert record is not None
    assert (record.pid, record.details) == (pid, {"port": 8420})
    assert os.getsid(pid) == pid


def test_starting_twice_gives_the_process_that_runs(state: Path, tmp_path: Path) -> None:
    first = daemon.start_detached(SLEEP, tmp_path / "log", state)
    assert daemon.start_detached(SLEEP, tmp_path / "log", state) == first


def test_a_killed_process_does_not_run_and_is_started_anew(state: Path, tmp_path: Path) -> None:
    first = daemon.start_detached(SLEEP, tmp_path / "log", state)
    os.kill(first, signal.SIGKILL)
    psutil.Process(first).wait(30)
    assert not daemon.is_running(state)
    assert daemon.start_detached(SLEEP, tmp_path / "log", state) != first


def test_stop_ends_it_and_a_second_stop_says_that_nothing_ran(state: Path, tmp_path: Path) -> None:
    pid = daemon.start_detached(SLEEP, tmp_path / "log", state)
    assert daemon.stop(state) is True
    assert not psutil.pid_exists(pid)
    assert daemon.stop(state) is False
    assert not state.exists()


def test_nothing_is_made_by_stopping_what_never_was(tmp_path: Path) -> None:
    assert daemon.stop(tmp_path / "none" / "api.json") is False
    assert not (tmp_path / "none").exists()


def test_a_program_that_is_not_there_is_one_clear_line(state: Path, tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="no-such-program did not start") as caught:
        daemon.start_detached([tmp_path / "no-such-program"], tmp_path / "log", state)
    assert str(tmp_path / "log") in str(caught.value.remedy)
    assert not daemon.is_running(state)


def test_what_it_printed_before_it_could_be_recorded_is_told(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    log.write_text("starting\nno such port\n")
    gone = max(psutil.pids()) + 100_000
    monkeypatch.setattr(daemon, "spawn", lambda command, output, environment: gone)
    with pytest.raises(ServerError, match="did not start: no such port"):
        daemon.start_detached(SLEEP, log, state)
