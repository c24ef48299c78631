"""Two services write to one basin and answer about it at once: no update is lost, absolute writes count what they met,
and an answer, which makes none, met nothing."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from ulid import ULID

from clause.graph.wire import Address
from tests.faults.serving import serving
from tests.servers import environ_of

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]
ROUNDS = 12


@pytest.fixture
def services(served_address: Address, tmp_path: Path) -> Iterator[list[httpx.Client]]:
    folders = [tmp_path / name for name in ("one", "other")]
    for folder in folders:
        folder.mkdir()
    with (
        serving(folders[0], environ_of(served_address, folders[0])) as one,
        serving(folders[1], environ_of(served_address, folders[1])) as other,
        httpx.Client(base_url=one, timeout=60, trust_env=False) as first,
        httpx.Client(base_url=other, timeout=60, trust_env=False) as second,
    ):
        yield [first, second]


def test_answers_meet_nothing_and_absolute_writes_count_what_they_met(services: list[httpx.Client]) -> None:
    scope = f"kg:basin-{str(ULID()).lower()}"
    told = {"source": "Lake Orrin", "relation": "fed_by", "target": "Vell glacier", "scope": scope}
    assert services[0].post("/api/entities/relations", json=told).status_code == 201
    before = strengthen(services[0], scope, "first")

    def work(place: int) -> tuple[int, list[int]]:
        http, met, answered = services[place], 0, []
        for number in range(ROUNDS):
            strengthen(http, scope, f"doc-{place}-{number}")
            write = {"op": "strength", "concept": "Lake Orrin", "strength": 1.9, "version": before}
            done = http.post(
                "/api/clause/writes", json={"agent": f"a{place}", "writes": [write], "scope": scope}
            ).json()
            met += done["conflicts_detected"]
            question = {"query": "What is Lake Orrin fed by?", "budgets": {}, "scopes": [scope]}
            answer = http.post("/api/clause/coordinate", json=question).json()
            assert [one["name"] for one in answer["result"]["answers"]] == ["Vell glacier"]
            answered.append(answer["conflicts_detected"])
        return met, answered

    with ThreadPoolExecutor(2) as pool:
        (met, answered), (also_met, also_answered) = pool.map(work, range(2))
    assert [*answered, *also_answered] == [0] * 2 * ROUNDS
    assert met + also_met >= 2 * ROUNDS - 1
    counted = services[1].get("/api/clause/conflicts", params={"limit": 200}).json()["items"]
    assert sum(one["scope"] == scope for one in counted) == met + also_met
    entity = services[0].get("/api/entities/Lake Orrin", params={"scope": scope}).json()["id"]
    basin = services[0].get(f"/api/clause/basins/{entity}").json()
    assert (basin["activation_count"], basin["strength"]) == (2 * ROUNDS + 1, 2.0)


def strengthen(http: httpx.Client, scope: str, document: str) -> int:
    body = {"concepts": ["Lake Orrin"], "document_id": document, "scope": scope}
    done = http.post("/api/clause/basins/strengthen", json=body)
    assert done.status_code == 200, done.text
    return int(done.json()["basins"][0]["version"])
