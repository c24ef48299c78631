"""A detached process and the JSON file that lets the next command find it again.

A pid alone proves nothing: after kill -9 or a reboot another process may carry it. The file therefore keeps the time
the process started beside its pid, and only a process with both is ours.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil
from pydantic import BaseModel, ConfigDict, Field, ValidationError

_SAME_START_S = 1.0
"""Two readings of one process' start time differ by less (clock ticks, and the boot time they are added to)."""


class ProcessRecord(BaseModel):
    """The record that the file keeps of the process. `started_at` is seconds since the epoch, as psutil tells it."""

    model_config = ConfigDict(frozen=True)

    pid: int = Field(gt=0)
    started_at: float
    details: dict[str, Any] = {}

    @property
    def process(self) -> psutil.Process | None:
        """The live process of this record, or None: gone, a zombie, or another process with its pid."""
        try:
            process = psutil.Process(self.pid)
            if abs(process.create_time() - self.started_at) > _SAME_START_S:
                return None
            if process.status() == psutil.STATUS_ZOMBIE:
                _reap(self.pid)
                return None
        except psutil.Error:
            return None
        return process


class PidFile:
    """One JSON file holding one ProcessRecord, replaced atomically."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> ProcessRecord | None:
        """The record, or None where the file is missing or holds something else."""
        try:
            return ProcessRecord.model_validate_json(self.path.read_bytes())
        except (OSError, ValidationError):
            return None

    def running(self) -> ProcessRecord | None:
        """The record of a process that is alive, or None."""
        record = self.read()
        return record if record is not None and record.process is not None else None

    def write(self, pid: int, details: Mapping[str, Any]) -> ProcessRecord:
        """Record the live process `pid`.

        Raises:
            psutil.NoSuchProcess: it is gone already.
        """
        record = ProcessRecord(pid=pid, started_at=psutil.Process(pid).create_time(), details=dict(details))
        replace_privately(self.path, json.dumps(record.model_dump()))
        return record

    def remove(self) -> None:
        """Forget the process."""
        self.path.unlink(missing_ok=True)


def replace_privately(path: Path, text: str) -> None:
    """Write `text` to `path` in one step, readable by its owner only; the folder is made (0700) when missing."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def spawn(command: Sequence[str | Path], output: Path, environment: Mapping[str, str] | None = None) -> int:
    """Start `command` in its own session, holding none of our stdin, stdout and stderr; the pid.

    What it prints is appended to `output`. Ctrl-C in our terminal does not reach it, and it outlives us.
    """
    output.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with output.open("ab") as sink:
        process = subprocess.Popen(  # noqa: S603 - the command is ours
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            cwd=output.parent,
            env=None if environment is None else dict(environment),
            start_new_session=True,
        )
    process.returncode = 0  # it is meant to outlive us: Popen shall neither wait nor warn
    return process.pid


def terminate(process: psutil.Process, patience_s: float) -> bool:
    """Ask `process` to end, kill it when it has not after `patience_s`; True when it had to be killed."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process.terminate()
        _, alive = psutil.wait_procs([process], timeout=patience_s)
        for stubborn in alive:
            stubborn.kill()
            psutil.wait_procs([stubborn], timeout=patience_s)
        return bool(alive)
    return False


def _reap(pid: int) -> None:
    """Take a dead child of ours out of the process table; nothing to do for others' children."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
