from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.text.linking import (
    Closeness,
    NamedEntity,
    bare,
    edit_distance,
    links_without_overlap,
    match_name,
    rank_matches,
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
        ("Le Fabuleux Destin", Closeness.ALIAS),
        ("amelei", Closeness.TYPO),
    ],
)
def test_closeness(said, closeness):
    match = match_name(said, NamedEntity("1", "Amélie", aliases=("Le fabuleux destin",)))
    assert match is not None
    assert match.closeness is closeness


def test_underscores_are_blanks():
    match = match_name("blade runner", NamedEntity("1", "Blade_Runner"))
    assert match is not None
    assert match.closeness is Closeness.CASE
    assert bare("Blade_Runner's") == "Blade Runner"


def test_an_exact_spelling_stands_before_whatever_resembles_it():
    rows = [
        NamedEntity("1", "Heat", degree=1),
        NamedEntity("2", "heat", degree=900),
        NamedEntity("3", "Meat", degree=999),
    ]
    assert [match.entity.id for match in rank_matches("Heat", rows)] == ["1", "2"]


def test_a_typo_is_found_and_said_only_where_nothing_is_named_right():
    (match,) = rank_matches("Blade Runer", [NamedEntity("1", "Blade Runner"), NamedEntity("2", "Kes")])
    assert (match.did_you_mean, match.slips) == ("Blade Runner", 1)
    assert rank_matches("Blade Runner", [NamedEntity("1", "Blade Runner")])[0].did_you_mean is None


def test_a_scope_asked_for_decides_before_degree():
    rows = [NamedEntity("1", "Kes", degree=99, scope_place=1), NamedEntity("2", "Kes", degree=1, scope_place=0)]
    assert rank_matches("Kes", rows)[0].entity.id == "2"


def test_digits_forgive_nothing():
    assert slips_between("apollo 13", "apollo 11") is None
    assert slips_between("cat", "car") is None


spans = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 8), st.sampled_from(Closeness)), max_size=8)


@given(spans)
def test_links_kept_never_overlap(places):
    made = [(start, start + length, closeness) for start, length, closeness in places]
    kept = [made[place] for place in links_without_overlap(made)]
    assert all(one is two or one[1] <= two[0] or two[1] <= one[0] for one in kept for two in kept)
