"""A newcomer's first answer over a file of their own: each command is one that the one before has printed."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from ulid import ULID

from clause.cli.demo import _next
from clause.cli.service import running
from clause.graph.catalogue import Catalogue
from clause.graph.runner import Graph
from clause.graph.wire import Address
from tests.faults.serving import serving
from tests.servers import environ_of, erase_scope

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

WARDS = [
    line
    for number in range(25)
    for line in (
        f"Ward {number}|head_nurse|Nurse {chr(65 + number)}. Okafor",
        f"Ward {number}|on floor|Floor {number // 5}",
        f"Nurse {chr(65 + number)}. Okafor|trained at|School {number % 4}",
        f"Floor {number // 5}|cleaned by|Team {number // 10}",
    )
]


def typed(command: str, environment: dict[str, str]) -> str:
    """What a command prints that is typed as it was printed."""
    program, *arguments = shlex.split(command)
    assert program == "clause"
    done = subprocess.run(
        [sys.executable, "-m", "clause.cli.main", *arguments],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, (command, done.stderr)
    assert "Traceback" not in done.stderr
    assert "WARNING" not in done.stderr
    return done.stdout


@pytest.mark.parametrize("served", [True, False], ids=["with a service", "without one"])
async def test_three_commands_after_the_demo_a_file_of_ones_own_is_answered(
    served_address: Address, tmp_path: Path, served: bool
) -> None:
    scope = f"kg:mine-{str(ULID()).lower()}"
    file = tmp_path / "wards.txt"
    file.write_text("\n".join(dict.fromkeys(WARDS)) + "\n", encoding="utf-8")
    settings = environ_of(served_address, tmp_path)
    others = {name: value for name, value in os.environ.items() if not name.startswith("CLAUSE_")}
    (load,) = [command for command, _ in _next() if command.startswith("clause load")]

    def newcomer() -> None:
        printed = typed(load.replace("FILE", str(file)).replace("kg:mine", scope), {**others, **settings})
        (ask,) = re.findall(r"^next: (.*)$", printed, re.MULTILINE)
        answer = typed(ask, {**others, **settings})
        assert answer.partition("answer\n")[2].startswith("  Nurse A. Okafor"), (ask, answer)

    try:
        if served:
            with serving(tmp_path, settings):
                newcomer()
            assert running(settings) is None
        else:
            newcomer()
    finally:
        async with Graph(served_address, Catalogue.load()) as graph:
            await erase_scope(graph, scope)


def test_a_running_service_consolidates_what_the_command_asks_for(served_address: Address, tmp_path: Path) -> None:
    scope = f"user:shed-{str(ULID()).lower()}"
    settings = environ_of(served_address, tmp_path)
    others = {name: value for name, value in os.environ.items() if not name.startswith("CLAUSE_")}
    with serving(tmp_path, settings) as url, httpx.Client(base_url=url, timeout=60, trust_env=False) as http:
        for number in range(7):
            said = {"content": f"The kettle in shed {number % 2} boils over at four.", "scope": scope}
            http.post("/api/memories", json=said).raise_for_status()
        told = typed(f"clause consolidate --scope {scope}", {**others, **settings})
        kept = http.post("/api/erasures", json={"scope": scope})
    assert re.search(rf"{scope}: of \d+ clusters that changed \d+ were closed, \d+ joined", told), told
    assert '"/api/clusters/consolidate"' in (tmp_path / "serve.log").read_text()  # it was not done beside the service
    assert kept.is_success
