"""Numbers, units and dates as a statement writes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.text.statements.quantities import read_quantities
from clause.text.statements.words import words


def numbers(text):
    return [value for value, _ in read_quantities(words(text)).numbers]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("two dogs", ["2"]),
        ("twenty-one dogs", ["21"]),
        ("two hundred and five", ["200", "5"]),
        ("three million people", ["3000000"]),
        ("a dozen eggs", ["12"]),
        ("trillion-dollar plan", []),
        ("1,000 and 1000", ["1000", "1000"]),
        ("$1.0 bn", ["1 $"]),
        ("10k users", ["10000"]),
        ("$1 billion", ["1000000000 $"]),
        ("-3.5 degrees", ["-3.5 °"]),
        ("−3.5°", ["-3.5 °"]),
        ("5kg or 5 kilograms", ["5000 g", "5000 g"]),
        ("5 minutes or 300 s", ["300 s", "300 s"]),
        ("2 days, 48 hours", ["172800 s", "172800 s"]),
        ("10 percent", ["10 %"]),
        ("10%", ["10 %"]),
        ("2nd and second", ["#2", "#2"]),
        ("the thirtieth", ["#30"]),
        ("twice a day", ["2"]),
        ("a couple of dogs", ["2"]),
        ("a couple dances", []),
        ("version 3.11.2", ["=3.11.2"]),
        ("at 10:30", ["=10:30"]),
        ("4x4 cars", ["=4x4"]),
        ("GPT-4 and B12 are names", ["4"]),
        ("5 pm", ["5 pm"]),
        ("2026-05-03", ["3", "2026"]),
        ("no numbers", []),
    ],
)
def test_numbers_are_written_in_one_way(text, found):
    assert numbers(text) == found


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("on 3 May 2026", {"month 5": 1}),
        ("on May 3", {"month 5": 1}),
        ("it may rain", {}),
        ("They march in March", {"month 3": 1}),
        ("march 3 dogs out in sept", {"month 3": 1, "month 9": 1}),
        ("2026/12/01", {"month 12": 1}),
    ],
)
def test_months_are_told_from_words(text, months):
    assert dict(read_quantities(words(text)).dates) == months


@given(st.text(max_size=80))
def test_any_text_is_read_and_spent_positions_are_positions(text):
    tokens = words(text)
    assert read_quantities(tokens).spent <= set(range(len(tokens)))


@given(st.integers(0, 10**12))
def test_digits_with_and_without_commas_are_one_number(number):
    assert numbers(f"x {number:,} y") == numbers(f"x {number} y") != []
