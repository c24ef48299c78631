"""`clause serve` as a process of its own, on whatever the environment names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from threading import Event

import httpx

PATIENCE_S = 600  # a bound for what hangs; a machine that does other things is slow, and nothing is measured here
EVERY_S = 0.1


@contextmanager
def serving(folder: Path, settings: Mapping[str, str]) -> Iterator[str]:
    """The URL of an API that was started with `settings` alone, once it is ready; stopped afterwards."""
    log = folder / "serve.log"
    process, url = started(log, settings)
    try:
        yield url
    finally:
        process.terminate()
        process.wait(timeout=60)
    assert process.returncode in (0, -15), log.read_text()


def started(log: Path, settings: Mapping[str, str], port: int = 0) -> tuple[subprocess.Popen[str], str]:
    """An API that is ready, and its URL; what it prints is in `log`."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("CLAUSE_")}
    command = [sys.executable, "-m", "clause.cli.main", "serve", "--port", str(port), "--json"]
    with log.open("a") as sink:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=sink, env={**others, **settings}, text=True)
    try:
        assert process.stdout is not None
        said = "".join(takewhile(lambda line: line != "}\n", process.stdout))
        assert said, log.read_text()
        url = json.loads(said + "}")["api"]
        until(lambda: process.poll() is not None or ready(url))
        assert process.poll() is None, log.read_text()
    except BaseException:
        process.kill()
        process.wait(timeout=60)
        raise
    return process, url


def ready(url: str) -> bool:
    """True once /health/ready says that questions can be answered."""
    try:
        return httpx.get(f"{url}/health/ready", timeout=30, trust_env=False).is_success
    except httpx.TransportError:
        return False


def until(happened: Callable[[], bool]) -> None:
    """Look again until it has happened, now and then: what is waited for needs the processor too."""
    deadline = time.monotonic() + PATIENCE_S
    between = Event()
    while not happened():
        assert time.monotonic() < deadline, "it never happened"
        between.wait(EVERY_S)
