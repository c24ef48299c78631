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


def lines(file: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / file).read_text(encoding="utf-8").splitlines()]


ASKED = lines("directions.jsonl")
PARTS = [
    ("machine_has_part", "What is part of the front wheel?", {"Rim", "Spoke"}),
    ("machine_has_part", "What are the parts of the rear wheel?", {"Spoke"}),
    ("machine_has_part", "what does the front wheel consist of", {"Rim", "Spoke"}),
    ("anatomy_part_of", "What is part of the heart?", {"Left Ventricle", "Mitral Valve"}),
]

CLASSES = [
    ("How many talk shows are there?", {"2"}),
    ("which music shows does owen tull produce", {"Vinyl Attic"}),
    ("which shows does Owen Tull produce?", {"Vinyl Attic", "Early Kettle"}),
    ("who mentored Beth Okafor?", {"Owen Tull"}),
    ("who was it that mentored owen tull", set[str]()),
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
            for file in sorted(FOLDER.glob("directions/*.txt")) + sorted(FOLDER.glob("opposites/*.txt")):
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


@pytest.mark.parametrize(("file", "most_wrong"), [("opposites/questions.jsonl", 0), ("opposites/kept.jsonl", 1)])
def test_the_opposite_of_what_is_asked_is_no_answer(
    directions: str, http: httpx.Client, file: str, most_wrong: int
) -> None:
    wrong, left = [], []
    for one in lines(file):
        result: dict[str, Any] = coordinated(http, one["question"], scope_of(one["graph"]))["result"]
        told = set() if result["abstained"] else names(result)
        wrong += [(one["question"], told)] if told - set(one["answers"]) else []
        left += [one["question"]] if one["answers"] and not told else []
    assert len(wrong) <= most_wrong, wrong
    assert left == []


@pytest.mark.parametrize(("question", "wanted"), CLASSES)
def test_classes_are_asked_for_in_words_and_a_mentor_is_who_mentored(
    directions: str, http: httpx.Client, question: str, wanted: set[str]
) -> None:
    result = coordinated(http, question, scope_of("station"))["result"]
    assert (set() if result["abstained"] else names(result)) == wanted
