"""Which numbers of a statement tell when."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.text.statements.quantities import read_quantities
from clause.text.statements.words import words


def told(text):
    found = read_quantities(words(text))
    return [value for place, (value, _) in enumerate(found.numbers) if place in found.instants]


@pytest.mark.parametrize(
    ("text", "instants"),
    [
        ("it was built in 1990", ["1990"]),
        ("in 1990, houses were cheap", ["1990"]),
        ("In 1990 Ann moved", ["1990"]),
        ("in 1990 he moved", ["1990"]),
        ("in 1990 was the fair", ["1990"]),
        ("May 1990", ["1990"]),
        ("on May 3, 1990", ["3", "1990"]),
        ("on 3 May 1990", ["3", "1990"]),
        ("on the 3rd of May", ["#3"]),
        ("on May the third", ["#3"]),
        ("on 1990-05-03", ["3", "1990"]),
        ("the summer of 1990", ["1990"]),
        ("the 1990 election", ["1990"]),
        ("from 1914 to 1918", ["1914", "1918"]),
        ("between 1914 and 1918", ["1914", "1918"]),
        ("in 1914-18", ["=1914-18"]),
        ("in the 1990s", ["1990 s"]),
        ("at 5 pm", ["5 pm"]),
        ("at 10:30", ["=10:30"]),
    ],
)
def test_dates_and_times_of_day_tell_when(text, instants):
    assert told(text) == instants


@pytest.mark.parametrize(
    "text",
    [
        "1990",
        "it costs 1990",
        "a total of 1990",
        "of 1990",
        "1990 houses",
        "the shop sold in 1990 houses",
        "after 1990 people came",
        "it fell from 1990 to 180",
        "from 1990",
        "and 1990",
        "one and 1990",
        "the 1500 limit",
        "the 1990",
        "within 1990 m",
        "3 dogs",
        "it may take 3 days",
        "a 4x4 car",
        "version 3.11.2",
    ],
)
def test_how_many_is_not_when(text):
    assert told(text) == []


@given(st.text(alphabet="inof the may of3 19 90,s-:", max_size=40))
def test_every_number_either_counts_or_tells_when(text):
    found = read_quantities(words(text))
    assert len(found.counts) + len(found.instants) == len(found.numbers)
    assert found.instants <= set(range(len(found.numbers)))
