"""Several processes behind one socket: what they share, and that they begin and end together."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psutil
import pytest
from prometheus_client.mmap_dict import MmapedDict

from clause.api.middleware import Allowance
from clause.telemetry import METRICS_FOLDER
from tests.faults.serving import until

pytestmark = pytest.mark.slow

RATE = 5.0
"""Requests a second that a client may send, in bursts of twice that."""

CREW = """
import os, sys, time
from pathlib import Path
from clause.errors import SettingsError
from clause.api.app import Crew

def work(opened, folder, fails):
    if fails == "exits":
        sys.exit(7)
    if fails == "refuses":
        raise SettingsError("no such port", remedy="take another")
    opened()
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(600)

if __name__ == "__main__":
    try:
        Crew(work, (sys.argv[1], sys.argv[2]), 3).run()
    except SettingsError as error:
        print(error)
        sys.exit(3)
"""


def crew(folder: Path, how: str) -> subprocess.Popen[str]:
    program = folder / "crew.py"
    program.write_text(CREW)
    (folder / "pids").mkdir()
    command = [sys.executable, str(program), str(folder / "pids"), how]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def pids(folder: Path) -> set[int]:
    return {int(file.name) for file in (folder / "pids").iterdir()}


def spent(allowance: Allowance, answers: multiprocessing.Queue) -> None:
    answers.put([allowance.take("10.0.0.1", 1.0, 7.0) for _ in range(2)])


def test_processes_take_from_one_bucket() -> None:
    allowance, spawning = Allowance(), multiprocessing.get_context("spawn")
    answers = spawning.Queue()
    assert allowance.take("10.0.0.1", 1.0, 7.0)
    process = spawning.Process(target=spent, args=(allowance, answers))
    process.start()
    assert answers.get(timeout=240) == [True, False]
    process.join(60)
    assert not allowance.take("10.0.0.1", 1.0, 7.0)
    assert allowance.take("10.0.0.2", 1.0, 7.0)


def test_a_full_table_forgets_who_was_not_seen_for_the_longest_time() -> None:
    allowance = Allowance()
    for number in range(40_000):
        allowance.take(f"client {number}", 0.5, float(number))
    assert allowance.take("client 0", 0.5, 0.0)
    assert not allowance.take("client 39999", 0.5, 39_999.0)


def started(folder: Path, count: int) -> Callable[[], bool]:
    return lambda: len(pids(folder)) >= count


def test_all_end_with_the_first_however_that_ends(tmp_path: Path) -> None:
    process = crew(tmp_path, "works")
    until(started(tmp_path, 3))
    behind = [psutil.Process(pid) for pid in pids(tmp_path)]
    process.kill()
    process.wait(30)
    assert psutil.wait_procs(behind, timeout=60)[1] == []


def test_terminating_ends_all_and_is_no_failure(tmp_path: Path) -> None:
    process = crew(tmp_path, "works")
    until(started(tmp_path, 3))
    behind = [psutil.Process(pid) for pid in pids(tmp_path)]
    process.terminate()
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "a worker ended" not in said, "each of them opened, and none had to be replaced"
    assert psutil.wait_procs(behind, timeout=60)[1] == []


def test_one_that_cannot_open_ends_all_with_its_code(tmp_path: Path) -> None:
    process = crew(tmp_path, "exits")
    assert process.wait(240) == 7
    assert pids(tmp_path) == set()


def test_an_error_of_ours_that_keeps_the_first_from_opening_is_raised_once(tmp_path: Path) -> None:
    process = crew(tmp_path, "refuses")
    said, _ = process.communicate(timeout=240)
    assert (process.returncode, said) == (3, "no such port; take another\n")


def test_one_that_ends_is_replaced(tmp_path: Path) -> None:
    process = crew(tmp_path, "works")
    try:
        until(started(tmp_path, 3))
        psutil.Process(min(pids(tmp_path))).kill()
        until(started(tmp_path, 4))
    finally:
        process.terminate()
        process.wait(60)


SERVING = """
import asyncio, socket, sys
from contextlib import asynccontextmanager
from types import SimpleNamespace
from clause.api.app import Crew, build_app, serving
from clause.api.middleware import Allowance
from clause.operations.listening import listen
from clause.settings import Settings
from clause.telemetry import Metrics, configure_logging

def work(opened, listener, allowance):
    configure_logging("error")
    settings = Settings(rate_limit=float(sys.argv[1]))

    @asynccontextmanager
    async def opener(_settings, _metrics):
        opened()
        yield SimpleNamespace()

    app = build_app(settings, opener=opener, metrics=Metrics(), allowance=allowance)
    asyncio.run(serving(app, settings).serve(sockets=[listener]))

if __name__ == "__main__":
    with listen("127.0.0.1", 0) as listener:
        print(listener.getsockname()[1], flush=True)
        Crew(work, (listener, Allowance()), 2).run()
"""


class Asked:
    """Requests to the service, each over a connection of its own; how many there were is counted."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.sent = 0

    def get(self, path: str) -> httpx.Response:
        self.sent += 1
        return httpx.get(f"{self.url}{path}", timeout=240, trust_env=False)

    def burst(self, count: int) -> list[int]:
        self.sent += count
        with ThreadPoolExecutor(8) as pool:
            answers = pool.map(
                lambda _: httpx.get(f"{self.url}/health/live", timeout=240, trust_env=False), range(count)
            )
            return [answer.status_code for answer in answers]


def answered(parent: psutil.Process) -> set[int]:
    """Pids of the workers that have answered a request, by the files that their figures are in."""
    (one, *_) = (child for child in parent.children() if "spawn_main" in " ".join(child.cmdline()))
    files = Path(one.environ()[METRICS_FOLDER]).glob("counter_*.db")
    rows = {int(file.stem.split("_")[1]): MmapedDict.read_all_values_from_file(str(file)) for file in files}
    return {pid for pid, values in rows.items() if any("clause_requests_total" in value[0] for value in values)}


def test_over_http_two_workers_are_one_service(tmp_path: Path) -> None:
    program = tmp_path / "serving.py"
    program.write_text(SERVING)
    process = subprocess.Popen([sys.executable, str(program), str(RATE)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        asked = Asked(f"http://127.0.0.1:{int(process.stdout.readline())}")
        asked.get("/health/live")
        until(lambda: bool(asked.burst(16)) and len(answered(psutil.Process(process.pid))) == 2)

        began = time.monotonic()
        statuses = asked.burst(80)
        assert set(statuses) <= {200, 429}
        assert statuses.count(200) <= 2 * RATE + RATE * (time.monotonic() - began) + 1

        until(lambda: (figures := asked.get("/metrics")).is_success and requests_in(figures.text) == asked.sent - 1)
    finally:
        process.terminate()
        process.wait(60)


def requests_in(figures: str) -> float:
    """Answered requests that the metrics tell, whoever tells them and whatever the answer."""
    lines = [line for line in figures.splitlines() if line.startswith("clause_requests_total{")]
    return sum(float(line.rpartition(" ")[2]) for line in lines)
