"""Questions that name nothing, on more things than are read at once: what is answered is whole, and read once."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta

import numpy as np
import pytest

from clause.reasoning.agents.policy import Question
from clause.reasoning.episode.budget import Prices
from clause.reasoning.neighbourhood.port import Hop, RelationshipType, View
from clause.reasoning.neighbourhood.snapshot import Snapshot
from clause.reasoning.question.grounding import GraphReads, ground
from clause.reasoning.question.patterns import Read
from clause.text.embedder import SentenceTransformerEmbedder
from tests.unit.reasoning.question.resemblance import Resemblance

ORDERS = 900
CUSTOMERS = ("Ana Dahl", "Boris Holm", "Clara Abel", "Dario Costa", "Edda Jensen", "Felix Gruber", "Greta Brandt")


def placed_on(number: int) -> str:
    return (date(2024, 1, 1) + timedelta(days=number * 7 % 400)).isoformat()


def customer_of(number: int) -> str:
    return CUSTOMERS[2 if number % 90 == 0 else number % 7]


def total_of(number: int) -> str:
    return str(20 + number * 37 % 1500)


def orders_of(time: str) -> set[str]:
    return {f"Order {number}" for number in range(ORDERS) if placed_on(number).startswith(time)}


TRIPLES = [
    triple
    for number in range(ORDERS)
    for triple in (
        (f"Order {number}", "placed on", placed_on(number)),
        (f"Order {number}", "placed by", customer_of(number)),
        (f"Order {number}", "total eur", total_of(number)),
    )
]
SHOP = Snapshot.build({name: name for head, _, tail in TRIPLES for name in (head, tail)}, TRIPLES)
TYPES = {
    name: RelationshipType(name, name, name, np.zeros(1), np.zeros(1), count=ORDERS)
    for name in ("placed on", "placed by", "total eur")
}
VIEW = View(("kg:shop",))


def asked(text: str, looks: list[int]) -> Question:
    async def expand(look):
        looks.append(len(look.nodes))
        return SHOP.expand_now(look.nodes, per_type=look.per_type, hops=look.hops)

    async def starts(hop, limit):
        return await SHOP.starts(hop, VIEW, limit=limit)

    return Question(text, np.zeros(1), [], TYPES, Prices(), expand=expand, starts=starts)


@pytest.fixture(scope="module")
def rated():
    return Resemblance(SentenceTransformerEmbedder()).rank


LARGEST = max(range(ORDERS), key=lambda number: int(total_of(number)))
OFTENEST = Counter(map(customer_of, range(ORDERS))).most_common(1)[0][0]


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("which order has the highest total", {f"Order {LARGEST}"}),
        ("orders over 1480 euros", {f"Order {n}" for n in range(ORDERS) if int(total_of(n)) > 1480}),
        ("which orders were placed in March 2024", {f"Order {n}" for n in range(ORDERS) if "2024-03" in placed_on(n)}),
        (
            "which orders were placed on 5 May 2024",
            {f"Order {n}" for n in range(ORDERS) if placed_on(n) == "2024-05-05"},
        ),
    ],
)
async def test_all_that_a_value_tells_apart_is_found_among_more_than_is_carried(question, answers, rated):
    looks: list[int] = []
    readings, _ = await ground(asked(question, looks), rated)
    assert {answer.name for answer in readings.result.answers} == answers
    assert not readings.result.truncated
    assert max(looks) <= max(60, len(answers)), "the values are read, not all that has one"


async def test_who_did_most_is_found_where_all_that_was_done_is_more_than_is_carried(rated):
    readings, _ = await ground(asked("which customer placed the most orders", []), rated)
    assert [answer.name for answer in readings.result.answers] == [OFTENEST]


async def test_what_is_read_stays_known_however_little_is_read_later():
    looks: list[int] = []
    reads = GraphReads(asked("orders", looks))
    placed = Hop("placed by", forward=False)
    few = (await reads.read(Read(("Ana Dahl",), (placed,), 3)))["Ana Dahl"][placed]
    many = (await reads.read(Read(("Ana Dahl",), (placed,), 200)))["Ana Dahl"][placed]
    await reads.read(Read(("Ana Dahl",), None, 8))
    again = (await reads.read(Read(("Ana Dahl",), (placed,), 200)))["Ana Dahl"][placed]
    assert (len(few), len(many), again) == (3, sum(customer_of(n) == "Ana Dahl" for n in range(ORDERS)), many)
    assert len(looks) == 3


async def test_what_a_hop_leads_from_is_asked_for_again_only_where_there_was_more():
    asks: list[int] = []
    question = asked("orders", [])
    starts = question.starts

    async def counted(hop, limit):
        asks.append(limit)
        return await starts(hop, limit)

    question.starts = counted
    reads = GraphReads(question)
    customers, orders = Hop("placed by", forward=False), Hop("placed by", forward=True)
    for limit in (60, 400):
        assert set(await reads.read(Read((), (customers,), 0, limit))) == set(CUSTOMERS)
        assert len(await reads.read(Read((), (orders,), 0, limit))) == limit
    assert asks == [60, 60, 400]
    assert reads.name(next(iter(await reads.read(Read((), (orders,), 0, 5))))).startswith("Order")
