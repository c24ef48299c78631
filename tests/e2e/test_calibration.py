"""Verdicts on answers move the scores of their scope and the record of their sources, and nothing of another scope."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from clause.graph.wire import Address
from tests.e2e.conftest import SCOPE

pytestmark = pytest.mark.integration
QUAY = "kg:quay"
SHIPS = ("Aurora", "Borealis", "Cygnus", "Dorado", "Eridanus", "Fornax", "Gemini", "Hydra", "Indus", "Lyra", "Mensa",
         "Norma", "Orion", "Pavo", "Ara", "Vela", "Volans", "Pyxis", "Lepus", "Corvus", "Crater", "Musca", "Tucana",
         "Phoenix")  # fmt: skip
LINES = "".join(f"{ship}|captained_by|Captain {ship[::-1].title()}\n" for ship in SHIPS)


def post(http: httpx.Client, path: str, body: dict[str, Any], status: int = 200) -> dict[str, Any]:
    answered = http.post(path, json=body)
    assert answered.status_code == status, answered.text
    found: dict[str, Any] = answered.json()
    return found


def ask(http: httpx.Client, ship: str, scope: str = QUAY) -> dict[str, Any]:
    query = f"Who is the captain of the {ship}?" if scope == QUAY else "who directed Kes"
    return post(http, "/api/clause/coordinate", {"query": query, "budgets": {}, "scopes": [scope]})


@pytest.fixture(scope="module")
def quay(served_address: Address, service: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A graph of ships and their captains."""
    file = tmp_path_factory.mktemp("quay") / "ships.txt"
    file.write_text(LINES, encoding="utf-8")

    async def load() -> None:
        from clause.graph.catalogue import Catalogue
        from clause.graph.runner import Graph
        from clause.ingest.triples import load_triples
        from clause.text.embedder import SentenceTransformerEmbedder

        embedder = SentenceTransformerEmbedder()
        async with Graph(served_address, Catalogue.load()) as graph:
            await load_triples(graph, embedder, file, QUAY)
        embedder.close()

    asyncio.run(load())
    return service


def test_wrong_verdicts_lower_the_scores_of_their_scope_alone(http: httpx.Client, quay: str) -> None:
    assert quay
    elsewhere = ask(http, "", SCOPE)
    first = ask(http, SHIPS[0])
    before = first["result"]["answers"][0]["answer_score"]
    source = first["result"]["evidence"][0]["source_id"]
    trusted = http.get(f"/api/sources/{source}").json()["track_record"]
    assert first["result"]["calibration"] is None

    few: list[dict[str, Any]] = []
    for ship in SHIPS:
        run = ask(http, ship)["run_id"]
        few.append(post(http, f"/api/clause/runs/{run}/feedback", {"verdict": "wrong"}))
        if len(few) == 3:
            assert abs(ask(http, SHIPS[0])["result"]["answers"][0]["answer_score"] - before) < 0.05
    assert {taken["scope"] for taken in few} == {QUAY}
    assert {taken["sources"] for taken in few} == {1}
    assert few[0]["score"] == pytest.approx(before)

    after = ask(http, SHIPS[0])
    assert after["result"]["calibration"]["feedback"] == len(SHIPS)
    assert after["result"]["answers"][0]["answer_score"] < before - 0.1
    assert after["result"]["readings"][0]["probability"] == after["result"]["answers"][0]["answer_score"]
    record = http.get(f"/api/sources/{source}").json()["track_record"]
    assert record["answered_wrong"] == len(SHIPS)
    assert record["reliability"] < trusted["reliability"]

    assert ask(http, "", SCOPE)["answer_sha256"] == elsewhere["answer_sha256"]
    report = http.get("/api/clause/calibration", params={"scope": QUAY}).json()
    assert report["feedback"] == len(SHIPS)
    assert report["after"]["error"] < report["before"]["error"]
    assert sum(one["count"] for one in report["before"]["bins"]) == len(SHIPS)
    assert http.get("/api/clause/calibration", params={"scope": SCOPE}).json()["feedback"] == 0
    assert http.get("/explorer/calibration.html").is_success

    replayed = post(http, f"/api/clause/runs/{first['run_id']}/replay", {"as_of": _recorded_at(http, first)})
    assert replayed["same"], replayed["differences"]  # what was learnt later was not known then


def test_a_verdict_that_is_said_again_takes_the_place_of_the_former(http: httpx.Client, quay: str) -> None:
    assert quay
    run = ask(http, "Aurora")["run_id"]
    one = post(http, f"/api/clause/runs/{run}/feedback", {"verdict": "right"})
    other = post(http, f"/api/clause/runs/{run}/feedback", {"verdict": "wrong", "cause": "reading"})
    assert one["id"] == other["id"]
    assert (one["sources"], other["sources"]) == (1, 0)
    assert http.get("/api/clause/calibration", params={"scope": QUAY}).json()["feedback"] == len(SHIPS)


def test_an_experience_that_acted_on_an_answer_judges_it(http: httpx.Client, quay: str) -> None:
    assert quay
    answered = post(http, "/api/clause/coordinate", {"query": "who directed Naked", "budgets": {}, "scopes": [SCOPE]})
    known = http.get("/api/clause/calibration", params={"scope": SCOPE}).json()["feedback"]
    started = post(http, "/api/experiences", {
        "domain": "research", "strategy": "ask-the-graph", "goal": "write to the director of Naked",
        "hypothesis": "the graph names the director", "action": "write to whom it names",
        "prediction": "an answer comes from the director", "scope": "user:writer", "run_id": answered["run_id"],
    }, 201)["experience"]  # fmt: skip
    assert started["run_id"] == answered["run_id"]
    post(http, f"/api/experiences/{started['id']}/resolve", {"status": "confirmed", "result": "a letter came back"})
    assert http.get("/api/clause/calibration", params={"scope": SCOPE}).json()["feedback"] == known + 1


def test_what_cannot_be_judged_is_refused(http: httpx.Client, quay: str) -> None:
    assert quay
    before = {"as_of_recorded": "2001-01-01T00:00:00Z"}
    body = {"query": "who directed Kes", "budgets": {}, "scopes": [SCOPE], **before}
    none = post(http, "/api/clause/coordinate", body)
    assert none["result"]["answers"] == []
    assert "answer" in str(post(http, f"/api/clause/runs/{none['run_id']}/feedback", {"verdict": "wrong"}, 409))
    run = ask(http, "", SCOPE)["run_id"]
    refused = post(http, f"/api/clause/runs/{run}/feedback", {"verdict": "wrong", "answer": "Nobody"}, 404)
    assert "Ken Loach" in str(refused)


def _recorded_at(http: httpx.Client, answered: dict[str, Any]) -> str:
    return str(http.get(f"/api/clause/runs/{answered['run_id']}").json()["recorded_at"])
