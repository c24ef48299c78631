"""Which entities a text names: matches, misspellings, and the full-text query."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.reasoning.question.seed_matching import (
    FUNCTION_WORDS,
    full_text_query,
    match_names,
    match_words,
    plain,
    telling_words,
)
from clause.text.mentions import candidate_spans
from clause.text.retrieval import tokens_in


def reasons(text, *rows):
    return {(c.name, c.reason, c.span.text) for c in match_names(candidate_spans(text), rows)}


def row(name, **other):
    return {"id": name, "name": name, **other}


@given(st.text())
def test_taking_brackets_away_keeps_every_place(text):
    assert len(plain(text)) == len(text)
    assert not set(plain(text)) & set("[]\x00")


def test_every_kind_of_match_has_its_reason():
    rows = [row("Amélie"), row("amélie"), row("The Matrix", aliases=["Neo's film"])]
    assert reasons("Amélie", *rows) == {("Amélie", "exact", "Amélie"), ("amélie", "case_insensitive", "Amélie")}
    assert reasons("amelie", rows[0]) == {("Amélie", "accent_insensitive", "amelie")}
    assert reasons("neo's film", rows[2]) == {("The Matrix", "alias", "neo's film")}


def test_an_alias_that_is_the_name_too_is_no_alias():
    assert reasons("Jaws", row("Jaws", aliases=["jaws"])) == {("Jaws", "exact", "Jaws")}


def test_a_name_said_twice_is_matched_twice():
    assert len(match_names(candidate_spans("Jaws or Jaws"), [row("Jaws")])) == 2


def test_several_blanks_are_one():
    assert reasons("Ridley   Scott", row("Ridley Scott")) == {("Ridley Scott", "exact", "Ridley   Scott")}


@pytest.mark.parametrize(
    ("words", "name", "found"),
    [
        (["tarentino"], "Quentin Tarantino", True),
        (["brad", "pit"], "Brad Pitt", True),
        (["main"], "maine", False),
        (["hampton"], "A Hampton Court Story", False),
        (["hampton"], "Hampton!", True),
        (["nothing"], "???", False),
    ],
)
def test_enough_letters_of_a_name_have_to_be_said(words, name, found):
    assert bool(match_words(words, [row(name)])) is found


def test_a_better_spelling_is_more_relevant():
    exact, near = match_words(["reloaded"], [row("Reloaded"), row("Reloadet")])
    assert exact.relevance == 1.0 > near.relevance > 0.5


def test_a_misspelt_name_with_capitals_is_rather_one_with_capitals():
    upper, lower = match_words(["Quentin", "Tarentino"], [row("Quentin Tarantino"), row("quentin tarantino")])
    assert upper.relevance > lower.relevance
    upper, lower = match_words(["quentin", "tarentino"], [row("Quentin Tarantino"), row("quentin tarantino")])
    assert upper.relevance == lower.relevance


def test_words_that_are_explained_already_find_nothing_more():
    assert match_words(["hampton"], [row("Hampton")], fresh=[]) == []
    assert match_words(["matrix", "reload"], [row("Matrix Reload")], fresh=["reload"])


def test_an_alias_is_found_by_its_words():
    (found,) = match_words(["wachowskis"], [row("Lana", aliases=["The Wachowskis"])])
    assert (found.name, found.reason) == ("Lana", "full_text")


def test_telling_words_leave_out_what_questions_are_made_of():
    text = "which films did Hampton Fancher direct in Hampton"
    assert telling_words(text) == ["Hampton", "Fancher"]
    assert not {w.casefold() for w in telling_words(text)} & FUNCTION_WORDS
    (span,) = [s for s in candidate_spans(text) if s.text == "Hampton Fancher"]
    assert telling_words(text, covered=[span]) == ["Hampton"]


def test_a_long_text_asks_a_bounded_query():
    words = [f"word{number}" for number in range(5_000)]
    query = full_text_query(words, ["public"], ["x" * 5_000, "字" * 5_000])
    assert len(query) < 4_000
    assert "xxx" not in query


@pytest.mark.parametrize("word", ["字" * 30, "ab", "samovar"])
def test_words_make_no_more_clauses_than_lucene_takes(word):
    query = full_text_query([f"{word}{number}" for number in range(500)], ["public"], ["a name"] * 64)
    phrases, misspelt = query.count('"^4'), query.count("~")
    plainly = re.sub(r'\S+~\d|"a name"\^4|\S+:\S+', "", query)
    assert phrases == 64
    assert 500 < 3 * (phrases + misspelt + tokens_in(plainly)) <= 1_000


def test_misspelt_words_can_be_left_out():
    assert full_text_query(["Matrix", "of"], ["public"], misspelt=False) == "+scope_token:(s_public)^0 +(Matrix of)"


@given(st.lists(st.text(max_size=50)), st.lists(st.sampled_from(["public", "kg:a"])))
def test_a_query_is_never_empty_and_always_names_a_scope(words, scopes):
    query = full_text_query(words, scopes, words)
    assert query.startswith("+scope_token:")
    if not scopes:
        assert "nothing" in query


def test_a_first_name_is_enough_where_one_alone_is_called_so():
    people = [row("Gustaf Lindqvist-Sandberg"), row("Axel Lindqvist-Sandberg"), row("The Gustaf Society")]
    assert [found.name for found in match_words(["Gustaf"], people)] == ["Gustaf Lindqvist-Sandberg"]
    assert match_words(["Gustaf"], [*people, row("Gustaf Hartigan-Petersen")]) == []
    assert match_words(["will"], [row("Will Hartigan-Petersen")]) == []
