"""Several processes behind one socket: what they share, and that they begin and end together."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import psutil

from clause.api.middleware import Allowance
from tests.faults.serving import until

CREW = """
import os, sys, time
from pathlib import Path
from clause.errors import SettingsError
from clause.errors import SettingsError
from clause.api.app import Crew

def work(opened, folder, fails):
    if fails == "exits":
        sys.exit(7)
    if fails == "refuses":
        raise SettingsError("no such port", remedy="take another")
    (Path(folder) / str(os.getpid())).touch()
    opened()
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
    program.write_text(textwrap.dedent(CREW))
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
    assert process.wait(60) == 0
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
