"""Walks over texts, and over texts and triples together, over a service with keys: what ships as a demonstration, what
two tenants ask at random, and what none of them may ever see."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
from ulid import ULID

from clause.cli.demo import TEXTS_QUESTION, TEXTS_SCOPE, TEXTS_SECOND
from clause.graph.catalogue import Catalogue
from clause.graph.runner import Graph
from clause.graph.wire import Address
from clause.ingest.passages import load_passages
from clause.ingest.samples import load_texts
from clause.ingest.triples import load_triples
from clause.operations.archive import reset_sample
from clause.operations.keys import ApiKeys, KeyFile
from clause.settings import Settings
from clause.text.embedder import SentenceTransformerEmbedder
from tests.e2e.test_random_questions import check
from tests.faults.serving import serving
from tests.servers import environ_of, erase_scope

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

PLAYS = """\
The Glass Orchard|directed_by|Wenna Strake
The Glass Orchard|designed_by|Lothar Binns
Nine Umbrellas|directed_by|Odile Marr
Nine Umbrellas|designed_by|Lothar Binns
Odile Marr|pupil_of|Ruben Sask
Wenna Strake|pupil_of|Carla Voigt
"""
PEOPLE = {
    "Wenna Strake": "Wenna Strake grew up above a chandler's shop in Penhallow and went to sea before she saw a stage.",
    "Lothar Binns": "Lothar Binns painted railway posters. He lost an eye at thirty and took up stage models.",
    "Odile Marr": "Odile Marr began as a prompter. She never learnt to drive and keeps two tortoises.",
    "Ruben Sask": "Ruben Sask studied in Tartu, taught voice for forty years and collected umbrellas.",
    "Carla Voigt": "Carla Voigt was a juggler from Graz who wrote the standard book on timing.",
    "Lantern Playhouse": "The Lantern Playhouse seats ninety. Its manager, Odile Marr, tears the tickets herself.",
    "Corn Exchange": "The Corn Exchange burned in 1911; a cinema stood there later, and then a car park.",
    "Prop store": "The store keeps six thrones, forty swords and a stuffed goose that every company borrows.",
    "Ticket office": "The office opens at noon. Pensioners pay half on Wednesdays, and dogs go free.",
    "Stage door": "Letters for actors are left at the stage door, in the box with the brass flap.",
}
SECRETS = {
    "Wenna Strake": "Wenna Strake, zanzibar ledger: she owes the quartermaster nine hundred.",
    "The Glass Orchard": "The Glass Orchard, zanzibar ledger: the script was bought from a ghost writer.",
    "Ruben Sask": "Ruben Sask, zanzibar ledger: he never paid for the umbrellas.",
}
SECRET = "zanzibar"


@dataclass(frozen=True)
class Tenants:
    """The URL of a service, scopes and keys of three: plays with texts about their people, secrets, the valley."""

    url: str
    plays: str
    secrets: str
    valley: str
    tokens: dict[str, str]

    def client(self, scope: str) -> httpx.Client:
        """A client with that scope's key."""
        return httpx.Client(base_url=self.url, headers=self.headers(scope), timeout=60, trust_env=False)

    def headers(self, scope: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[scope]}"}


@pytest.fixture(scope="module")
def tenants(served_address: Address, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tenants]:
    """A service that needs keys, and three scopes on it."""
    home: Path = tmp_path_factory.mktemp("tenants")
    scopes = [f"kg:{name}-{str(ULID()).lower()}" for name in ("plays", "secrets", "valley")]
    plays, secrets, valley = scopes
    triples = home / "plays.txt"
    triples.write_text(PLAYS, encoding="utf-8")

    async def load() -> dict[str, str]:
        embedder = SentenceTransformerEmbedder()
        async with Graph(served_address, Catalogue.load()) as graph:
            await load_triples(graph, embedder, triples, plays)
            await load_passages(graph, embedder, lines(home / "people.jsonl", PEOPLE), plays)
            await load_passages(graph, embedder, lines(home / "secrets.jsonl", SECRETS), secrets)
            first = await load_texts(graph, embedder, scope=valley)
            again = await load_texts(graph, embedder, scope=valley)
        embedder.close()
        assert (first.created, again.created, again.known) == (34, 0, 34)
        keys = ApiKeys(KeyFile(home / "keys.json"))
        return {scope: (await keys.create(scope, [], [scope])).token for scope in scopes}

    async def erase() -> None:
        async with Graph(served_address, Catalogue.load()) as graph:
            for scope in scopes:
                await erase_scope(graph, scope)

    tokens = asyncio.run(load())
    try:
        with serving(home, environ_of(served_address, home, CLAUSE_HOST="0.0.0.0")) as url:
            yield Tenants(url.replace("0.0.0.0", "127.0.0.1"), plays, secrets, valley, tokens)
    finally:
        asyncio.run(erase())


def lines(path: Path, texts: dict[str, str]) -> Path:
    told = [json.dumps({"id": title, "title": title, "text": text}) for title, text in texts.items()]
    path.write_text("\n".join(told), encoding="utf-8")
    return path


def asked(tenants: Tenants, scope: str, query: str, policy: str | None = None, **budgets: int) -> dict[str, Any]:
    told = {"query": query, "scopes": [scope], "budgets": budgets, "policy": policy}
    with tenants.client(scope) as http:
        answer = http.post("/api/clause/coordinate", json=told)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())


def texts_of(answer: dict[str, Any]) -> str:
    return "\n".join(item["text"] for item in answer["result"]["evidence"])


def ways(answer: dict[str, Any]) -> list[list[str]]:
    """The names along each walk."""
    return [[node["name"] for node in path["nodes"]] for path in answer["result"]["paths"]]


@pytest.mark.parametrize(
    ("question", "way", "says"),
    [
        (TEXTS_QUESTION, ["Kestrel Bridge", "Ilse Harrow", "Ilse Harrow"], "born in Tamsin's Rest"),
        (TEXTS_SECOND, ["Tide Museum", "Hana Brisk", "Hana Brisk"], "apprenticed to the clockmaker Otis Fenn"),
    ],
)
def test_the_demonstration_shows_its_walk_from_text_to_text(
    tenants: Tenants, question: str, way: list[str], says: str
) -> None:
    answer = asked(tenants, tenants.valley, question, token_budget=256)
    assert ways(answer)[0] == way, ways(answer)
    assert answer["result"]["path"] == answer["result"]["paths"][0]
    assert says in texts_of(answer)
    for path in answer["result"]["paths"]:
        ids = [node["id"] for node in path["nodes"]]
        assert [{step["from_node"], step["to_node"]} for step in path["steps"]] == [set(two) for two in pairwise(ids)]
        assert [{edge["from"], edge["to"]} for edge in path["edges"]] == [set(two) for two in pairwise(ids)]


@pytest.mark.parametrize(
    ("question", "way", "says"),
    [
        ("Where did the director of The Glass Orchard grow up?", ["Wenna Strake", "Wenna Strake"], "Penhallow"),
        ("What happened to the eye of the man who designed The Glass Orchard?", ["Lothar Binns"] * 2, "lost an eye"),
        ("Where did the person study whose pupil the manager of the Lantern Playhouse was?", [], "Tartu"),
    ],
)
def test_triples_lead_to_texts_and_back(tenants: Tenants, question: str, way: list[str], says: str) -> None:
    answer = asked(tenants, tenants.plays, question, "text-walk", token_budget=128)
    assert says in texts_of(answer), (ways(answer), texts_of(answer))
    relations = [[edge["relation"] for edge in path["edges"]] for path in answer["result"]["paths"]]
    assert any("ABOUT" in one and len({*one} - {"ABOUT", "MENTIONS"}) for one in relations), (relations, ways(answer))
    assert not way or any(names[-2:] == way for names in ways(answer)), ways(answer)


def test_where_the_triples_are_silent_the_walk_goes_through_both(tenants: Tenants) -> None:
    answer = asked(tenants, tenants.plays, "What happened to the eye of the man who designed The Glass Orchard?")
    assert ["The Glass Orchard", "Lothar Binns", "Lothar Binns"] in ways(answer), ways(answer)


def test_triples_still_answer_where_they_know(tenants: Tenants) -> None:
    answer = asked(tenants, tenants.plays, "Who directed The Glass Orchard?")
    assert [one["name"] for one in answer["result"]["answers"]] == ["Wenna Strake"]
    assert not answer["result"]["abstained"]


WORDS = sorted({word.strip(".,;'") for text in (*PEOPLE.values(), *SECRETS.values()) for word in text.split()})


def bodies(seed: int, scope: str | None) -> list[dict[str, Any]]:
    """Requests at random; none of them says the word that only the secrets hold."""
    chance = random.Random(seed)
    words = [word for word in (*WORDS, *PEOPLE, *SECRETS) if SECRET not in word]
    made = []
    for _ in range(40):
        told: dict[str, Any] = {
            "query": " ".join(chance.sample(words, chance.randint(2, 9))) + chance.choice(["", "?"]),
            "budgets": {
                "edge_budget": chance.choice([10, 11, 50]),
                "step_budget": chance.choice([1, 2, 3, 20]),
                "token_budget": chance.choice([100, 101, 256, 2048]),
            },
            "lambdas": {name: chance.choice([0.0, 0.01, 1.0]) for name in ("edge", "latency", "token")},
            "policy": chance.choice([None, None, "text-walk", "two-step", "pagerank", "statements"]),
            "max_rounds": chance.choice([1, 1, 2]),
        }
        made.append(told if scope is None else {**told, "scopes": [scope]})
    return made


async def test_budgets_receipts_and_replays_hold_at_random_over_texts(tenants: Tenants) -> None:
    for scope in (tenants.plays, tenants.valley):
        async with httpx.AsyncClient(
            base_url=tenants.url, headers=tenants.headers(scope), timeout=120, trust_env=False
        ) as http:
            for body in bodies(7, scope):
                assert await check(http, body, Counter(), again=True) == 200
            for body in bodies(11, scope)[:10]:
                answer = (await http.post("/api/clause/coordinate", json=body)).json()
                again = (await http.post("/api/clause/coordinate", json=body)).json()
                assert again["answer_sha256"] == answer["answer_sha256"]
                await http.get(f"/api/clause/runs/{answer['run_id']}")
                replayed = await http.post(f"/api/clause/runs/{answer['run_id']}/replay", json={})
                assert replayed.status_code == 200, replayed.text
                assert replayed.json()["same"], (body, replayed.json())


def test_nothing_of_another_tenant_is_ever_told(tenants: Tenants) -> None:
    own = asked(tenants, tenants.secrets, "What does the ledger say of Wenna Strake?")
    assert SECRET in json.dumps(own), "the secret is there for whom it belongs to"
    for scope in (None, tenants.plays):
        with tenants.client(tenants.plays) as http:
            for body in bodies(23, scope):
                answer = http.post("/api/clause/coordinate", json=body)
                assert answer.status_code == 200, answer.text
                assert SECRET not in answer.text
                assert tenants.secrets not in answer.text
    with tenants.client(tenants.plays) as http:
        body = {"query": "the ledger", "budgets": {}, "scopes": [tenants.secrets]}
        assert http.post("/api/clause/coordinate", json=body).status_code in (403, 404)


async def test_the_demonstrations_texts_can_be_taken_out_and_nothing_else(
    served_address: Address, tmp_path: Path
) -> None:
    settings = Settings(home=tmp_path)
    embedder = SentenceTransformerEmbedder()
    async with Graph(served_address, Catalogue.load()) as graph:
        await load_texts(graph, embedder)
        gone = await reset_sample(graph, settings, apply=True, scope=TEXTS_SCOPE)
        assert gone is not None
        assert gone.counts["Passage"] == 34
        assert await reset_sample(graph, settings, apply=False, scope=TEXTS_SCOPE) is None
    embedder.close()
