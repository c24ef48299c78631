from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from clause.graph.server.pidfile import PidFile, ProcessRecord, replace_privately, spawn, terminate

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


@pytest.fixture
def pidfile(tmp_path: Path) -> PidFile:
    return PidFile(tmp_path / "run" / "server.json")


def test_a_live_process_is_found_again_with_its_details(pidfile: PidFile) -> None:
    pidfile.write(os.getpid(), {"bolt": 7687})
    record = pidfile.running()
    assert record is not None
    assert (record.pid, record.details) == (os.getpid(), {"bolt": 7687})


def test_another_process_with_the_same_pid_is_not_ours(pidfile: PidFile) -> None:
    record = pidfile.write(os.getpid(), {})
    stranger = record.model_copy(update={"started_at": record.started_at - 60})
    replace_privately(pidfile.path, stranger.model_dump_json())
    assert pidfile.read() == stranger
    assert pidfile.running() is None


def test_a_process_that_ended_is_not_running(pidfile: PidFile) -> None:
    child = subprocess.Popen(SLEEP)
    pidfile.write(child.pid, {})
    child.kill()
    child.wait()
    assert pidfile.running() is None


def test_a_dead_child_of_ours_is_reaped_and_not_running(pidfile: PidFile, tmp_path: Path) -> None:
    pid = spawn([sys.executable, "-c", ""], tmp_path / "log")
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    record = ProcessRecord(pid=pid, started_at=psutil.Process(pid).create_time())
    assert record.process is None
    assert not psutil.pid_exists(pid)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": -1, "started_at": 0}', '{"pid": "x"}', "\x00\xff"])
def test_a_file_that_holds_something_else_is_no_record(pidfile: PidFile, text: str) -> None:
    replace_privately(pidfile.path, text)
    assert pidfile.read() is None
    assert pidfile.running() is None


def test_a_missing_file_is_no_record_and_removing_it_again_does_nothing(pidfile: PidFile) -> None:
    assert pidfile.read() is None
    pidfile.remove()


def test_a_file_is_replaced_in_one_step_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "secret"
    replace_privately(path, "one")
    replace_privately(path, "two")
    assert path.read_text() == "two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [item.name for item in path.parent.iterdir()] == ["secret"]


def test_a_spawned_process_has_its_own_session_and_none_of_our_streams(tmp_path: Path) -> None:
    script = (
        "import json, os, sys; print(json.dumps({'session': os.getsid(0) == os.getpid(),"
        " 'stdin': os.fstat(0).st_ino == os.stat('/dev/null').st_ino,"
        " 'out': os.fstat(1).st_ino, 'err': os.fstat(2).st_ino}))"
    )
    log = tmp_path / "log"
    pid = spawn([sys.executable, "-c", script], log)
    os.waitpid(pid, 0)
    told = json.loads(log.read_text())
    assert told == {"session": True, "stdin": True, "out": log.stat().st_ino, "err": log.stat().st_ino}


def test_a_spawned_process_gets_the_given_environment(tmp_path: Path) -> None:
    log = tmp_path / "log"
    pid = spawn([sys.executable, "-c", "import os; print(os.environ['COLOUR'])"], log, {"COLOUR": "green"})
    os.waitpid(pid, 0)
    assert log.read_text() == "green\n"


def test_a_process_that_ends_when_asked_is_not_killed(tmp_path: Path) -> None:
    process = psutil.Process(spawn(SLEEP, tmp_path / "log"))
    assert terminate(process, patience_s=30) is False
    assert not process.is_running()


def test_a_process_that_does_not_end_when_asked_is_killed(tmp_path: Path) -> None:
    deaf = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(600)"
    )
    log = tmp_path / "log"
    process = psutil.Process(spawn([sys.executable, "-c", deaf], log))
    while log.read_text() != "deaf\n":
        assert process.is_running()
    assert terminate(process, patience_s=0.2) is True
    assert not process.is_running()


def test_ending_a_process_that_is_gone_does_nothing(tmp_path: Path) -> None:
    process = psutil.Process(spawn(SLEEP, tmp_path / "log"))
    process.kill()
    os.waitpid(process.pid, 0)
    assert terminate(process, patience_s=1) is False
