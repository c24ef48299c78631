from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.text.linking import (
    Closeness,
    bare,
    edit_distance,
    match_name,
    slips_between,
)

short = st.text(alphabet="abc", max_size=6)


def slow_distance(one, two):
    @cache
    def of(i, j):
        if not i or not j:
            return i + j
        best = min(of(i - 1, j) + 1, of(i, j - 1) + 1, of(i - 1, j - 1) + (one[i - 1] != two[j - 1]))
        if i > 1 and j > 1 and one[i - 1] == two[j - 2] and one[i - 2] == two[j - 1]:
            best = min(best, of(i - 2, j - 2) + 1)
        return best

    return of(len(one), len(two))


@given(short, short, st.integers(0, 6))
def test_edit_distance_is_that_of_a_slow_recursion_up_to_its_bound(one, two, most):
    assert edit_distance(one, two, most) == min(slow_distance(one, two), most + 1)


@given(short, short)
def test_edit_distance_is_symmetric(one, two):
    assert edit_distance(one, two, 6) == edit_distance(two, one, 6)


@pytest.mark.parametrize(
    ("said", "closeness"),
    [
        ("Amélie", Closeness.EXACT),
        ("[Amélie]", Closeness.SPACED),
        ("\u201cAmélie\u201d's", Closeness.SPACED),
        ("AMÉLIE", Closeness.CASE),
        ("amelie", Closeness.ACCENTS),
        ("amelei", Closeness.TYPO),
    ],
)
def test_closeness(said, closeness):
    match = match_name(said, "Amélie")
    assert match is not None
    assert match.closeness is closeness


def test_underscores_are_blanks():
    match = match_name("blade runner", "Blade_Runner")
    assert match is not None
    assert match.closeness is Closeness.CASE
    assert bare("Blade_Runner's") == "Blade Runner"


def test_a_typo_is_said_and_a_right_spelling_is_not():
    match = match_name("Blade Runer", "Blade Runner")
    assert match is not None
    assert (match.did_you_mean, match.slips) == ("Blade Runner", 1)
    right = match_name("Blade Runner", "Blade Runner")
    assert right is not None
    assert right.did_you_mean is None
    assert match_name("Blade Runer", "Kes") is None


def test_digits_forgive_nothing():
    assert slips_between("apollo 13", "apollo 11") is None
    assert slips_between("cat", "car") is None
