"""Names in a text: known ones, spans, and proper names by rule."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.text.mentions import (
    _DATE,
    _NUMBER,
    _QUOTED,
    MAX_SPANS,
    _capitalised,
    candidate_spans,
    find_mentions,
    find_names,
    find_proper_names,
    folded_key,
    key_names,
    name_key,
)


def names_in(text, names):
    return [mention.name for mention in find_mentions(text, key_names(names))]


def test_the_longest_name_wins_where_names_overlap():
    assert names_in("who wrote The Matrix Reloaded", ["The Matrix", "Matrix", "The Matrix Reloaded"]) == [
        "The Matrix Reloaded"
    ]


def test_case_and_accents_may_differ():
    assert names_in("amelie met FRANÇOIS truffaut", ["Amélie", "François Truffaut"]) == ["Amélie", "François Truffaut"]


def test_the_spelling_with_accents_is_preferred():
    assert names_in("résumé", ["Resume", "Résumé"]) == ["Résumé"]
    assert names_in("resume", ["Résumé", "Resume"]) == ["Resume"]


def test_mentions_stand_where_the_text_has_them():
    text = "a film, Jaws's sequel"
    (mention,) = find_mentions(text, key_names(["Jaws"]))
    assert text[mention.start : mention.end] == "Jaws"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("what is What Is It? about", "What Is It?"),
        ("who is in What Is It?", "What Is It"),
        ("did you see ...All the Marbles?", "...All the Marbles"),
        ("who made $9.99?", "$9.99"),
        ("who wrote Face/Off?", "Face/Off"),
        ("(M*A*S*H)", "M*A*S*H"),
        ("the Coens’ film", "Coens"),
        ("Ridley  Scott", "Ridley Scott"),
        ("谁导演了霸王别姬？", "霸王别姬"),
        ("من هو عمر الشريف؟", "عمر الشريف"),
        ("🎬Jaws🎬", "Jaws"),
    ],
)
def test_names_with_punctuation_and_of_other_scripts_are_found(text, name):
    assert name in {" ".join(span.text.split()) for span in candidate_spans(text)}


def test_part_of_a_word_is_no_name():
    assert names_in("artists", ["art", "artist"]) == []


@given(st.text(max_size=200))
def test_spans_are_inside_the_text_and_say_what_stands_there(text):
    for span in candidate_spans(text):
        assert 0 <= span.start < span.end <= len(text)
        assert text[span.start : span.end] == span.text


@pytest.mark.parametrize("text", ["word " * 2_000, "x" * 10_000, "a.b?" * 2_500, "字" * 10_000])
def test_a_long_text_has_a_bounded_number_of_spans(text):
    assert 0 < len(candidate_spans(text)) <= MAX_SPANS


def test_every_word_of_a_long_text_is_still_tried():
    text = " ".join(f"w{number}" for number in range(2_000))
    assert "w1999" in {span.text for span in candidate_spans(text)}


@given(st.text(max_size=40))
def test_keys_do_not_change_when_taken_twice(text):
    assert folded_key(folded_key(text)) == folded_key(text)


def test_a_key_is_nfc_trimmed_and_casefolded():
    assert name_key(" Straße ") == "strasse"
    assert name_key("e\u0301") == "é"


def proper(text):
    return [mention.name for mention in find_proper_names(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The director of photography met Ridley Scott.", ["Ridley Scott"]),
        ("When did Marie Curie leave Warsaw?", ["Marie Curie", "Warsaw"]),
        ("She saw the Lord of the Rings in Oxford.", ["Lord of the Rings", "Oxford"]),
        ('He sang "yellow submarine" twice', ["yellow submarine"]),
        ("Born on March 5, 1984 in Lyon", ["Born", "March 5, 1984", "Lyon"]),
        ("It was 2024-01-31, 45% of 1,200", ["2024-01-31", "45%", "1,200"]),
        ("Zoë's friend Łukasz", ["Zoë", "Łukasz"]),
        ("Dr. Who and U.S. law", ["Dr. Who", "U.S."]),
        ("Paris, London and Rome", ["Paris", "London", "Rome"]),
        ("The", []),
        ("Of the Duke of, but The of", ["Duke"]),
        ("They saw Rome. The king left. Zoë stayed", ["Rome", "Zoë"]),
        ("Mr. Smith, J.R.R. Tolkien & AT&T-", ["Mr. Smith", "J.R.R. Tolkien", "AT&T"]),
        ("", []),
        ("nothing here", []),
        ("« Les Misérables » de Victor Hugo", ["Les Misérables", "Victor Hugo"]),
    ],
)
def test_proper_names_by_rule(text, expected):
    assert proper(text) == expected


@given(st.text(max_size=300))
def test_proper_names_stand_in_order_without_overlap(text):
    found = find_proper_names(text)
    assert all(text[m.start : m.end] == m.name for m in found)
    assert all(left.end <= right.start for left, right in pairwise(found))


def test_names_of_a_long_text_take_time_that_grows_with_its_length_alone():
    text = " ".join(f"{number}, Anna met Bert." for number in range(20_000))

    began = time.process_time()
    proper, named = find_proper_names(text), find_names(text)

    assert (len(proper), len(named)) == (60_000, 40_000)
    assert time.process_time() - began < 20, "tested against all that were kept or stand before, they take minutes"


_PARTS = st.sampled_from(
    ["3 May 1990", '"', "Blue Moon", "Duke of York", " ", ". ", "1,200%", "\u201cX of Y\u201d", "the"]
)


@given(st.lists(_PARTS, max_size=30).map("".join))
def test_what_comes_first_wins_where_names_overlap(text):
    kinds = [found for kind in (_QUOTED, _DATE) for found in kind.finditer(text)]
    quoted = [(found.start(found.lastindex or 0), found.end(found.lastindex or 0)) for found in kinds]
    hits = [*quoted, *((m.start, m.end) for m in _capitalised(text)), *(m.span() for m in _NUMBER.finditer(text))]
    kept: list[tuple[int, int]] = []
    for start, end in hits:
        if not any(start < other_end and other < end for other, other_end in kept):
            kept.append((start, end))

    assert [(mention.start, mention.end) for mention in find_proper_names(text)] == sorted(kept)


def test_blanks_in_quotes_are_no_name():
    assert [mention.name for mention in find_names('Priya typed "  " and left.')] == ["Priya"]
