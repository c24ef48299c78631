from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.text.linking import (
    Closeness,
    EntityRef,
    _keys,
    _Naming,
    bare,
    edit_distance,
    match_name,
    slips_between,
)
from clause.text.names import name_key

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


def _linked(names, text):
    """Known names that a text of memories and beliefs is linked to; nothing is known by rule."""
    known = {name_key(name): (name, EntityRef(id=name, name=name, kind="concept")) for name in names}
    return [entity.name for entity in _Naming("public", known, {}).entities(text, [], [])]


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["Will", "Her", "Hope"], "I will call her tomorrow, I hope."),
        (["Will", "Her", "Hope"], "Will you? Her dog barks. Hope so."),
        (["Run"], "they run out of milk"),
        (["May", "Us"], "It may help us."),
        (["IT"], "Is it raining? It is."),
        (["Go"], "WE GO NOW"),
        (["東京"], "京都に東の道がある"),
    ],
)
def test_an_everyday_word_names_nothing(names, text):
    assert _linked(names, text) == []


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["Will", "Hope"], "I met Will and Hope."),
        (["Berlin"], "we moved to berlin"),
        (["Docker", "Postgres"], "we run docker and postgres here"),
        (["coffee"], "Coffee keeps me awake"),
        (["IT"], "IT is slow today"),
        (["Will Smith"], "i saw will smith"),
        (["東京"], "東京に住んでいる"),
        (["서울", "부산"], "저는 서울 사람이고 부산에서 일한다"),
        (["Դվին"], "Դվին"),
        (["กรุงเทพมหานคร"], "ฉันชอบกรุงเทพมหานคร"),
    ],
)
def test_known_names_are_linked_as_users_type_them(names, text):
    assert _linked(names, text) == names


def test_two_letters_of_a_script_without_case_are_looked_up():
    assert {"東京", "กรุงเทพมหานคร"} <= _keys(["去年東京と", "ฉันกรุงเทพมหานคร"], [])
    assert "at" not in _keys(["at"], [])
