"""Typed patterns in words: both directions are told apart, and a chain reads from its end to its start."""

from __future__ import annotations

import pytest

from clause.reasoning.question.pattern_text import PREPOSITIONS, Wording, pattern_text, plain_words

NAMES = [
    "directed_by", "written_by", "has_part", "part_of", "caused_by", "causes", "parent", "is_a", "located_in",
    "ACTED_IN", "placeOfBirth", "people.person.place_of_birth", "worksFor", "next_to", "eats", "has_genre", "member_of",
    "owner", "capital", "causes_disease", "is_located_in", "used_for", "follows", "http://example.test/ns#bornIn",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_the_two_directions_of_a_type_are_worded_differently(name: str) -> None:
    assert pattern_text([(name, True)]) != pattern_text([(name, False)])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("forward", [True, False])
def test_the_topic_stands_last_in_a_pattern_of_three_hops(name: str, forward: bool) -> None:
    text = pattern_text([("owner", True), (name, forward), ("located_in", False)])
    assert text.endswith("owner of it")
    assert text.split().count("it") == 1


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("people.person.place_of_birth", "place of birth"),
        ("placeOfBirth", "place of birth"),
        ("PLACE_OF_BIRTH", "place of birth"),
        ("schema:birthPlace", "birth place"),
        ("IMDbRating", "im db rating"),
        ("hasURL", "has url"),
        ("__", "related to"),
    ],
)
def test_names_of_every_spelling_become_words(name: str, words: str) -> None:
    assert plain_words(name) == words


def test_a_type_and_its_inverse_say_nearly_the_same() -> None:
    assert pattern_text([("caused_by", False)]) == pattern_text([("causes", True)]) == "what is caused by it"
    assert pattern_text([("part_of", True)]) == pattern_text([("has_part", False)])
    assert pattern_text([("member_of", False)]) == pattern_text([("member", True)])


def test_a_persons_own_texts_take_the_place_of_the_name() -> None:
    own = {"r17": Wording(forward="films that {} inspired", backward="inspiration")}
    assert pattern_text([("r17", True), ("maker", True)], own) == "maker of films that it inspired"
    assert pattern_text([("r17", False)], own) == "inspiration of it"
    assert pattern_text([("r18", True)], own) == "r18 of it"


def test_braces_in_names_and_texts_do_no_harm() -> None:
    assert pattern_text([("r{b}c", True)]) == "r b c of it"
    assert pattern_text([("x", True)], {"x": Wording(forward="{} and {}")}) == "and of it"


@pytest.mark.parametrize(
    ("name", "forward", "backward"),
    [
        ("breed", "breed of it", "whose breed is it"),
        ("afraid_of", "of what is afraid it", "what is afraid of it"),
        ("blooms_in", "what is bloomed in by it", "what blooms in it"),
        ("blooms", "blooms of it", "whose blooms is it"),
        ("first_ascent_by", "what made the first ascent of it", "first ascent of it"),
        ("ownedByTeam", "by what team is owned it", "what is owned by the team it"),
        ("stars_in", "what is starred in by it", "what stars in it"),
    ],
)
def test_nouns_adjectives_and_verbs_are_told_apart(name: str, forward: str, backward: str) -> None:
    assert (pattern_text([(name, True)]), pattern_text([(name, False)])) == (forward, backward)


@pytest.mark.parametrize("first", sorted(PREPOSITIONS | {"is", "the", "owned", "starts", "who", "it", "2020"}))
def test_no_words_are_too_few_or_too_odd_to_be_a_type(first: str) -> None:
    for name in [first, *(f"{first}_{second}" for second in sorted(PREPOSITIONS))]:
        for forward in (True, False):
            assert "it" in pattern_text([(name, forward)]).split()
