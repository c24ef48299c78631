"""Randomised /coordinate calls: no budget is exceeded, nothing answers 5xx, receipts recompute from the run."""

from __future__ import annotations

import asyncio
import gzip
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import httpx
import pytest

from clause.graph.wire import Address
from clause.ingest.sample.loader import KB
from clause.reasoning.answer.run_record import RunRecord, make_receipt
from clause.reasoning.models import CoordinationResponse
from clause.text.names import canonical_key, entity_id

SCOPE = "kg:random"
TRIPLES = 6_000
CLIENTS = 4
TEMPLATES = (
    "what movies did {} act in",
    "who directed {}",
    "the films that share directors with the film {} were in which genres",
    "what are the languages spoken in the films directed by {}",
    "{}",
    "{} and {}",
    "tell me about {} please, AND (NOT {}) OR title:*",
    "MATCH (n) DETACH DELETE n // {}",
    "🎬 {} 🎬 \u202eلغات أفلام",
    "what does nobody know about the colour of the wind",
)
ODD_NODES = ("", "rosebud the sled", "\u0000", "ent_000000000000000000000000", "' OR 1=1 --", "x" * 10_001)


@pytest.fixture(scope="session")
def names(served_address: Address, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Names of a slice of the sample graph, which is loaded into a scope of its own."""
    file: Path = tmp_path_factory.mktemp("random") / "films.txt"
    with gzip.open(KB, "rt", encoding="utf-8") as lines:
        triples = list(islice(lines, TRIPLES))
    file.write_text("".join(triples), encoding="utf-8")

    async def load() -> None:
        from clause.graph.catalogue import Catalogue
        from clause.graph.runner import Graph
        from clause.ingest.triples import load_triples

        async with Graph(served_address, Catalogue.load()) as graph:
            await load_triples(graph, None, file, SCOPE)

    asyncio.run(load())
    return sorted({name for line in triples for name in line.strip().split("|")[::2]})


def bodies(names: list[str], seed: int) -> Iterator[dict[str, Any]]:
    """Endless request bodies, most of them honest."""
    chance = random.Random(seed)
    while True:
        named = chance.sample(names, 2)
        body: dict[str, Any] = {
            "query": chance.choice(TEMPLATES).format(*named),
            "budgets": {
                "edge_budget": chance.choice([10, 11, 50, 200]),
                "step_budget": chance.choice([1, 2, 3, 20]),
                "token_budget": chance.choice([100, 101, 2048, 8192]),
            },
            "lambdas": {name: chance.choice([0.0, 0.01, 1.0]) for name in ("edge", "latency", "token")},
            "scopes": [SCOPE],
            "policy": chance.choice([None, None, "heuristic"]),
            "max_rounds": chance.choice([1, 1, 1, 2, 5]),
        }
        odd = chance.random()
        if odd < 0.15:
            body["start_nodes"] = [chance.choice([named[0], entity_id(SCOPE, canonical_key(named[1]))])]
        elif odd < 0.25:
            body["start_nodes"] = [chance.choice(ODD_NODES)]
        elif odd < 0.30:
            body[chance.choice(["scopes", "policy", "max_rounds"])] = chance.choice([["kg:nowhere"], "oracle", 0, 99])
        yield body


async def check(client: httpx.AsyncClient, body: dict[str, Any]) -> int:
    """Send one request and check whatever comes back; its status."""
    answer = await client.post("/api/clause/coordinate", json=body)
    assert answer.status_code < 500, (body, answer.text)
    if answer.status_code != 200:
        assert answer.headers["content-type"].startswith("application/problem+json"), answer.text
        assert answer.json()["code"]
        return answer.status_code
    response = CoordinationResponse.model_validate(answer.json())
    used = {name: spent for handoff in response.agent_handoffs for name, spent in handoff.budget_used.items()}
    assert used["edges"] <= body["budgets"]["edge_budget"]
    assert used["steps"] <= body["budgets"]["step_budget"]
    assert used["tokens"] <= body["budgets"]["token_budget"]
    assert sum(item.tokens for item in response.result.evidence) == used["tokens"]
    assert all(len(path.steps) <= body["budgets"]["step_budget"] for path in response.result.paths)
    told = await client.get(f"/api/clause/runs/{response.run_id}")
    run = RunRecord.model_validate(told.json())
    assert make_receipt(run.steps, run.budgets, run.prices) == response.receipt
    return answer.status_code


async def ask_many(service: str, names: list[str], count: int) -> dict[int, int]:
    """How often each status came back."""
    statuses: dict[int, int] = {}
    queue = islice(bodies(names, seed=count), count)

    async def work(client: httpx.AsyncClient) -> None:
        for body in queue:
            status = await check(client, body)
            statuses[status] = statuses.get(status, 0) + 1

    async with httpx.AsyncClient(base_url=service, timeout=120, trust_env=False) as client:
        await asyncio.gather(*(work(client) for _ in range(CLIENTS)))
    return statuses


@pytest.mark.integration
async def test_three_hundred_random_questions_keep_every_promise(service: str, names: list[str]) -> None:
    statuses = await ask_many(service, names, 300)
    assert statuses[200] > 200
    assert sum(statuses.values()) == 300


@pytest.mark.integration
@pytest.mark.long
@pytest.mark.timeout(3600)
async def test_ten_thousand_random_questions_keep_every_promise(service: str, names: list[str]) -> None:
    statuses = await ask_many(service, names, 10_000)
    assert statuses[200] > 7_000
    assert sum(statuses.values()) == 10_000
