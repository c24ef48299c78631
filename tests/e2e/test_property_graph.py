"""A property graph of a hundred thousand nodes on somebody's Neo4j: loaded by the command, killed and gone on with, and
asked by name over HTTP."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import neo4j
import pytest

from clause.graph.wire import Address
from tests.e2e.conftest import coordinated, names
from tests.servers import environ_of

pytestmark = [pytest.mark.integration, pytest.mark.long, pytest.mark.timeout(3600)]

SCOPE = "kg:e2e-league"
PLAYERS, TEAMS = 100_000, 2_000
STARTS = ("Ada", "Bo", "Cai", "Dov", "Eli", "Fay", "Gus", "Hal", "Ida", "Jon")
MIDDLES = ("la", "ne", "ri", "so", "tu", "va", "mi", "do", "ke", "zu")
ENDS = ("berg", "dahl", "feld", "gard", "holm", "lund", "moor", "rand", "stad", "vik")
BEASTS = ("Owls", "Hares", "Otters", "Larks", "Stoats", "Pikes", "Rooks", "Moles", "Terns", "Voles")
MADE = """
UNWIND $players AS p
MERGE (t:E2eTeam {title: p.team}) ON CREATE SET t.founded = p.founded
CREATE (:E2ePlayer {name: p.name, born: date({year: p.born, month: 3, day: 4})})-[:PLAYS_FOR {since: p.since}]->(t)
"""


def player(number: int) -> dict[str, object]:
    """A player by number: a name of their own, and a team that fifty share."""
    one, two, three, four, five = (number // 10**place % 10 for place in range(5))
    return {
        "name": f"{STARTS[one]}{MIDDLES[two]} {MIDDLES[three].title()}{MIDDLES[four]}{ENDS[five]}",
        "team": team(number % TEAMS),
        "founded": 1900 + number % TEAMS % 100,
        "born": 1960 + number % 47,
        "since": 2000 + number % 20,
    }


def team(number: int) -> str:
    """A team by number."""
    one, two, three, four = (number // 10**place % 10 for place in range(4))
    return f"{MIDDLES[one].title()}{ENDS[two]} {'Upper ' * four}{BEASTS[three]}"


@pytest.fixture(scope="module")
def league(served_address: Address, service: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The league in a scope, whose load was killed in the middle; the property graph itself is gone afterwards."""
    password = served_address.password.get_secret_value()
    with (
        neo4j.GraphDatabase.driver(served_address.uri, auth=(served_address.user, password)) as driver,
        driver.session() as session,
    ):
        driver.execute_query("CREATE INDEX e2e_team IF NOT EXISTS FOR (t:E2eTeam) ON (t.title)")
        for start in range(0, PLAYERS, 5_000):
            driver.execute_query(MADE, players=[player(number) for number in range(start, start + 5_000)])
        try:
            home = tmp_path_factory.mktemp("league")
            killed = loading(served_address, home)
            time.sleep(25)
            killed.send_signal(signal.SIGKILL)
            killed.communicate()
            said, _ = loading(served_address, home).communicate(timeout=3_000)
            assert json.loads(said)["bad_count"] == 0
            yield
        finally:
            session.run("MATCH (n:E2ePlayer|E2eTeam) CALL (n) { DETACH DELETE n } IN TRANSACTIONS").consume()
            driver.execute_query("DROP INDEX e2e_team IF EXISTS")


def loading(address: Address, home: Path) -> subprocess.Popen[str]:
    """`clause load neo4j`, under way."""
    command = [sys.executable, "-m", "clause.cli.main", "load", "neo4j", "--uri", address.uri, "--scope", SCOPE]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CLAUSE_")}
    secret = {"SOURCE_NEO4J_PASSWORD": address.password.get_secret_value()}
    return subprocess.Popen(
        [*command, "--label", "E2ePlayer", "--label", "E2eTeam", "--no-embed", "--json"],
        env={**kept, **environ_of(address, home), **secret},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def test_every_node_is_there_once(league: None, served_address: Address) -> None:
    password = served_address.password.get_secret_value()
    with neo4j.GraphDatabase.driver(served_address.uri, auth=(served_address.user, password)) as driver:
        counted = "MATCH (:Entity {scope: $scope})-[r:PLAYS_FOR]->(:Entity {scope: $scope}) RETURN count(r) AS n"
        assert driver.execute_query(counted, scope=SCOPE).records[0]["n"] == PLAYERS


@pytest.mark.parametrize("number", [7, 31_415, 54_321, 99_999])
def test_what_is_named_is_answered_among_a_hundred_thousand(league: None, http: httpx.Client, number: int) -> None:
    asked = player(number)
    one, its = asked["name"], asked["team"]
    assert names(coordinated(http, f"who does {one} play for?", SCOPE)["result"]) == {its}
    assert names(coordinated(http, f"when was {one} born", SCOPE)["result"]) == {f"{asked['born']}-03-04"}
    mates = {player(other)["name"] for other in range(number % TEAMS, PLAYERS, TEAMS)}
    assert names(coordinated(http, f"who plays for {its}?", SCOPE)["result"]) == mates
