"""Processes of ours: detached ones, which outlive the command and are found again by a state file, and those that serve
one socket together."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import psutil
from filelock import FileLock

from clause.errors import ClauseError, ServerError
from clause.graph.server.diagnosis import tail
from clause.graph.server.pidfile import PidFile, ProcessRecord, spawn, terminate
from clause.telemetry import logger
from clause.workers import end_with_parent

_SHOWN_LINES = 5


def start_detached(
    command: Sequence[str | Path],
    log_path: Path,
    state_path: Path,
    *,
    environment: Mapping[str, str] | None = None,
    details: Mapping[str, Any] | None = None,
) -> int:
    """Start `command` in its own session, holding none of our stdin, stdout and stderr; the pid.

    What it prints is appended to `log_path`. When the process of `state_path` still runs, its pid is given and nothing
    is started. `details` (a port, say) are kept in the state file beside the pid.

    Raises:
        ServerError: it cannot be started, or ended at once.
    """
    state_path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _locked(state_path):
        pidfile = PidFile(state_path)
        if running := pidfile.running():
            return running.pid
        try:
            pid = spawn(command, log_path, environment)
            return pidfile.write(pid, details or {}).pid
        except (OSError, psutil.NoSuchProcess) as error:
            said = tail(log_path, _SHOWN_LINES)
            raise ServerError(
                f"{command[0]} did not start: {said[-1] if said else error}", remedy=f"see {log_path}"
            ) from error


@contextmanager
def recorded(state_path: Path, pid: int, details: Mapping[str, Any]) -> Iterator[None]:
    """Name the running process `pid` in the state file for as long as this lasts, unless another one is named there."""
    pidfile = PidFile(state_path)
    state_path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _locked(state_path):
        before = pidfile.running()
        if before is None or before.pid == pid:
            pidfile.write(pid, details)
    try:
        yield
    finally:  # without the lock: who stops us holds it until we are gone
        last = pidfile.read()
        if last is not None and last.pid == pid:
            pidfile.remove()


def stop(state_path: Path, patience_s: float = 15.0) -> bool:
    """End the process of `state_path`, with force after `patience_s`; False when it does not run."""
    if not state_path.parent.is_dir():
        return False
    with _locked(state_path):
        record = PidFile(state_path).read()
        process = record.process if record else None
        if process is not None:
            terminate(process, patience_s)
        PidFile(state_path).remove()
        return process is not None


def is_running(state_path: Path) -> bool:
    """True while the process of `state_path` runs; a stale file, or another process with its pid, is False."""
    return running(state_path) is not None


def running(state_path: Path) -> ProcessRecord | None:
    """Pid, start and details of the process of `state_path` while it runs."""
    return PidFile(state_path).running()


def hand_back_memory() -> None:
    """Give what was freed back to the system: glibc keeps it for each thread, and loading models leaves a lot."""
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)


def _locked(state_path: Path) -> FileLock:
    return FileLock(state_path.with_suffix(".lock"))


def leave(_signal: int, _frame: object) -> None:
    """End well: what a process does when it is asked to."""
    raise SystemExit(0)


def one_of_a_crew(telling: Connection | None, work: Callable[..., None], given: tuple[Any, ...]) -> None:
    """Run `work`; tell the parent when it can answer (None) or what kept it from that, and end with the parent."""
    end_with_parent(lambda: os.kill(os.getpid(), signal.SIGTERM))

    def tell(error: ClauseError | None = None) -> None:
        if telling is not None:
            telling.send(error)
        elif error is not None:  # the parent goes on without us: the log alone says why we ended
            logger(__name__).error("a worker cannot work", detail=str(error))

    try:
        work(tell, *given)
    except ClauseError as error:
        tell(error)
        sys.exit(1)
    except KeyboardInterrupt:  # of the terminal: all of us got it
        sys.exit(0)
