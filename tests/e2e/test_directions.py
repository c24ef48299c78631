"""Which end of a relationship is asked for: sixty questions on small graphs that hold one side, as a user asks them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from clause.graph.wire import Address
from tests.e2e.conftest import coordinated, names

FOLDER = Path(__file__).parents[1] / "worlds"
ASKED = [json.loads(line) for line in (FOLDER / "directions.jsonl").read_text(encoding="utf-8").splitlines()]
PARTS = [
    ("machine_has_part", "What is part of the front wheel?", {"Rim", "Spoke"}),
    ("machine_has_part", "What are the parts of the rear wheel?", {"Spoke"}),
    ("machine_has_part", "what does the front wheel consist of", {"Rim", "Spoke"}),
    ("anatomy_part_of", "What is part of the heart?", {"Left Ventricle", "Mitral Valve"}),
]


def scope_of(graph: str) -> str:
    return f"kg:sides-{graph.replace('_', '-')}"


@pytest.fixture(scope="module")
def directions(served_address: Address, service: str) -> str:
    """The service, over a server that holds the small graphs."""

    async def load() -> None:
        from clause.graph.catalogue import Catalogue
        from clause.graph.runner import Graph
        from clause.ingest.triples import load_triples

        async with Graph(served_address, Catalogue.load()) as graph:
            for file in sorted((FOLDER / "directions").glob("*.txt")):
                await load_triples(graph, None, file, scope_of(file.stem))

    asyncio.run(load())
    return service


def test_the_side_that_is_asked_for_is_given_or_none(directions: str, http: httpx.Client) -> None:
    wrong, left = [], []
    for one in ASKED:
        result: dict[str, Any] = coordinated(http, one["question"], scope_of(one["graph"]))["result"]
        gold = set(one["answers"])
        if result["abstained"]:
            left += [one["question"]] if gold else []
        elif not names(result) or not names(result) <= gold:
            wrong.append((one["question"], names(result)))
    assert wrong == []
    assert len(left) <= 1


@pytest.mark.parametrize(("graph", "question", "wanted"), PARTS)
def test_what_is_part_of_a_thing_is_no_whole(
    directions: str, http: httpx.Client, graph: str, question: str, wanted: set[str]
) -> None:
    assert names(coordinated(http, question, scope_of(graph))["result"]) == wanted
