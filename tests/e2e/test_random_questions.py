"""Randomised /coordinate calls, every form of question among them: no budget is exceeded, nothing answers 5xx,
receipts recompute from the run, and replays repeat."""

from __future__ import annotations

import asyncio
import gzip
import logging
import random
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import httpx
import pytest

from clause.graph.wire import Address
from clause.ingest.samples import KB
from clause.reasoning.answer.run_record import RunRecord, make_receipt
from clause.reasoning.models import CoordinationResponse
from clause.text.embedder import DEFAULT_MODEL
from clause.text.names import canonical_key, entity_id
from tests.faults.serving import until

SCOPE = "kg:e2e-random"
TRIPLES = 6_000
CLIENTS = 4
LINKED = 0.6
"""The share of calls whose first two names have to do with each other."""

REPLAYED = 10
"""Each so manieth call is replayed."""
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
FORMS = (
    "how many films did {} direct",
    "how many films have both {} and {}",
    "did {} direct {}?",
    "is {} in {}, yes or no",
    "which film is older, {} or {}?",
    "do {} and {} have the same director?",
    "which films from 19{year} did {} act in",
    "which films by {} came out after 19{year}",
    "the films of {} that are not with {}",
    "what else has the director of {} made besides {}",
    "who acted most often in films directed by {}",
    "the first film of {}",
    "the newest comedy with {}",
    "which films did {} and {} act in together",
    "films with {}, {} and {}",
    "I loved {}. Who wrote it, and what else did they write?",
    "which is longer, {}, {} or the other one",
    "when was {} released, and who directed {}?",
    "how many of the films of {} are in {} and from 19{year}",
    "who directed {} and did they also write {}",
)
"""Questions in every form, sensible and not: any name of the graph may come anywhere."""

ODD_NODES = ("", "rosebud the sled", "\u0000", "ent_000000000000000000000000", "' OR 1=1 --", "x" * 10_001)


@pytest.fixture(scope="session")
def films(served_address: Address, tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    """Each film of a slice of the sample graph with all that it leads to; the slice is loaded into a scope."""
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
    found: dict[str, list[str]] = {}
    for line in triples:
        film, _, end = line.strip().split("|")
        found.setdefault(film, [film]).append(end)
    return list(found.values())


def bodies(films: list[list[str]], seed: int) -> Iterator[dict[str, Any]]:
    """Endless request bodies, most of them honest."""
    chance = random.Random(seed)
    names = sorted({name for film in films for name in film})
    while True:
        named = chance.sample(names, 3)
        if chance.random() < LINKED:
            film, *ends = chance.choice(films)
            named[:2] = chance.sample([film, chance.choice(ends)], 2)
        body: dict[str, Any] = {
            "query": chance.choice(chance.choice([TEMPLATES, FORMS])).format(*named, year=chance.randint(10, 99)),
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


async def check(client: httpx.AsyncClient, body: dict[str, Any], told: Counter[str], *, again: bool) -> int:
    """Send one request and check whatever comes back, `again` with its replay; its status. `told` counts what came."""
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
    kept = await client.get(f"/api/clause/runs/{response.run_id}")
    run = RunRecord.model_validate(kept.json())
    assert make_receipt(run.steps, run.budgets, run.prices) == response.receipt
    told[f"form {response.result.form}"] += 1
    told["abstained" if response.result.abstained else "answered"] += 1
    if again:
        replay = (await client.post(f"/api/clause/runs/{response.run_id}/replay")).json()
        assert replay["same"], (body, replay)
        told["replayed"] += 1
    return answer.status_code


async def ask_many(service: str, films: list[list[str]], count: int) -> tuple[Counter[int], Counter[str]]:
    """How often each status came back, and what was told: forms, abstentions, replays."""
    statuses: Counter[int] = Counter()
    told: Counter[str] = Counter()
    queue = enumerate(islice(bodies(films, seed=count), count))

    async def work(client: httpx.AsyncClient) -> None:
        for number, body in queue:
            statuses[await check(client, body, told, again=number % REPLAYED == 0)] += 1

    async with httpx.AsyncClient(base_url=service, timeout=120, trust_env=False) as client:
        await asyncio.gather(*(work(client) for _ in range(CLIENTS)))
    logging.getLogger(__name__).info("%d calls: %s, %s", count, dict(statuses), dict(sorted(told.items())))
    return statuses, told


def keeps(statuses: Counter[int], told: Counter[str], count: int) -> None:
    """Most calls were honest ones, every form came, and replays were among them; the promises are checked call by
    call."""
    assert statuses[200] > 2 * count / 3
    assert sum(statuses.values()) == count
    assert told["replayed"] > count / REPLAYED / 2
    assert {f"form {form}" for form in ("yes_no", "count", "comparison", "superlative")} <= set(told)


def embed(service: str) -> None:
    """Give the names their vectors, which a service does by itself in the middle of a day: replays would not repeat."""
    with httpx.Client(base_url=service, timeout=60, trust_env=False) as client:
        asked = {"kind": "embed", "parameters": {"model": DEFAULT_MODEL}, "scope": SCOPE}
        job = client.post("/api/jobs", json=asked).raise_for_status().json()["id"]
        until(lambda: client.get(f"/api/jobs/{job}").json()["state"] == "succeeded")


@pytest.mark.integration
async def test_three_hundred_random_questions_keep_every_promise(service: str, films: list[list[str]]) -> None:
    statuses, told = await ask_many(service, films, 300)
    keeps(statuses, told, 300)


@pytest.mark.integration
@pytest.mark.long
@pytest.mark.timeout(3600)
async def test_ten_thousand_random_questions_keep_every_promise(service: str, films: list[list[str]]) -> None:
    await asyncio.to_thread(embed, service)
    statuses, told = await ask_many(service, films, 10_000)
    keeps(statuses, told, 10_000)
