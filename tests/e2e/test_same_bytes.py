"""The same graph on two Neo4j servers, asked by two processes that differ in threads: the same hashes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.faults.serving import serving
from tests.servers import environ_of, managed, server_for_tests

pytestmark = [pytest.mark.integration, pytest.mark.long]
GRAPH, OWN = "kg:harbour", "user:harbour"
SHIPS = """\
Aurora|built_at|Odense yard
Aurora|captained_by|Ines Dahl
Borealis|built_at|Odense yard
Borealis|captained_by|Tom Reyes
Borealis|carries|Grain
Aurora|carries|Timber
Odense yard|located_in|Denmark
Ines Dahl|born_in|Bergen
Tom Reyes|born_in|Vigo
Grain|loaded_at|Rotterdam
"""
TOLD = ("The Borealis leaves Rotterdam on Tuesdays.", "Ines Dahl prefers the northern route.")
QUESTIONS = (
    "Where was the captain of the Aurora born?",
    "Which ships were built at the Odense yard?",
    "How many ships were built at the Odense yard?",
    "What does the Borealis carry?",
    "When does the Borealis leave Rotterdam?",
    "Which route does Ines Dahl prefer?",
    "Who repaired the Aurora?",
)
THREADS = (
    {"OMP_NUM_THREADS": "1", "CLAUSE_EMBEDDER_THREADS": "1"},
    {"OMP_NUM_THREADS": "2", "CLAUSE_EMBEDDER_THREADS": "2"},
)


class Machine:
    """A service with a home and a server of its own, and the command line beside it."""

    def __init__(self, http: httpx.Client, environ: Mapping[str, str], folder: Path) -> None:
        self.http = http
        self.folder = folder
        self._environ = environ

    def run(self, *arguments: str) -> str:
        """What a command prints."""
        others = {name: value for name, value in os.environ.items() if not name.startswith("CLAUSE_")}
        command = [sys.executable, "-m", "clause.cli.main", *arguments]
        done = subprocess.run(command, env={**others, **self._environ}, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def asked(self, query: str, **more: Any) -> str:
        """The hash of an answer."""
        answered = self.http.post("/api/clause/coordinate", json={"query": query, "budgets": {}, **more})
        assert answered.status_code == 200, answered.text
        return str(answered.json()["answer_sha256"])


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Machine]]:
    """Two machines; the second got its graph from files: the triples, and an archive of the first one's beliefs."""
    with ExitStack() as stack:
        found = []
        for number, threads in enumerate(THREADS):
            folder = tmp_path_factory.mktemp(f"machine{number}")
            address = stack.enter_context(server_for_tests() if number == 0 else managed())
            environ = environ_of(address, folder / "home", CLAUSE_PERIODIC_JOBS="false", **threads)
            (folder / "ships.txt").write_text(SHIPS, encoding="utf-8")
            url = stack.enter_context(serving(folder, environ))
            http = stack.enter_context(httpx.Client(base_url=url, timeout=120, trust_env=False))
            found.append(Machine(http, environ, folder))
        one, other = found
        for told in TOLD:
            given = {"content": told, "scope": OWN, "signal": "explicit_request"}
            assert one.http.post("/api/beliefs", json=given).is_success
        archive = str(one.folder / "own.jsonl.gz")
        one.run("export", archive, "--scope", OWN)
        other.run("import", archive)
        for machine in found:
            machine.run("load", "triples", str(machine.folder / "ships.txt"), "--scope", GRAPH)
        yield found


@pytest.mark.timeout(600)
def test_two_machines_give_the_same_hash_for_every_question(machines: list[Machine]) -> None:
    one, other = machines
    for query in QUESTIONS:
        assert one.asked(query) == other.asked(query), query
        assert one.asked(query, budgets={"token_budget": 100}) == other.asked(query, budgets={"token_budget": 100})
    hashes = [one.asked(query) for query in QUESTIONS]
    assert len(set(hashes)) == len(QUESTIONS)
    assert hashes == [one.asked(query) for query in QUESTIONS]


@pytest.mark.timeout(600)
def test_the_command_line_prints_the_hash_of_the_running_service(machines: list[Machine]) -> None:
    printed = {machine.run("ask", QUESTIONS[0], "--hash") for machine in machines}
    assert printed == {machines[0].asked(QUESTIONS[0])}
    answered = json.loads(machines[1].run("ask", QUESTIONS[0], "--json"))
    assert answered["answer_sha256"] in printed


@pytest.mark.timeout(600)
def test_one_more_triple_is_another_hash_until_both_have_it(machines: list[Machine]) -> None:
    one, other = machines
    query = QUESTIONS[1]
    before = one.asked(query)
    for machine in (other, one):
        (machine.folder / "more.txt").write_text("Cygnus|built_at|Odense yard\n", encoding="utf-8")
    other.run("load", "triples", str(other.folder / "more.txt"), "--scope", GRAPH)
    assert one.asked(query) == before != other.asked(query)
    one.run("load", "triples", str(one.folder / "more.txt"), "--scope", GRAPH)
    assert [one.asked(query) for query in QUESTIONS] == [other.asked(query) for query in QUESTIONS]
