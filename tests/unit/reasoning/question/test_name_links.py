"""Which stretches of a question are names, in a graph where most words are names of something."""

from __future__ import annotations

import numpy as np
import pytest

from clause.reasoning.agents.policy import Question, SeedCandidate
from clause.reasoning.episode.budget import Prices
from clause.reasoning.neighbourhood.port import RelationshipType
from clause.reasoning.question.name_links import namings

SAID = {"directed_by": "directed by", "starred_actors": "starred actors", "has_tags": "tags", "in_language": "language"}
TYPES = {name: RelationshipType(name, text, text, np.zeros(1), np.zeros(1)) for name, text in SAID.items()}


def ways(text: str, *names: str) -> list[list[str]]:
    """The names that each way of taking a question's names keeps, as the text says them."""
    seeds = [SeedCandidate(name, name, 0.5) for name in names]
    told = namings(Question(text, np.zeros(1), seeds, TYPES, Prices()))
    return [[said[one.start : one.end] for one in mentions] for said, mentions in told]


@pytest.mark.parametrize(
    ("text", "others", "kept"),
    [
        ("Who was the director of The Mill?", ["director"], "The Mill"),
        ("Please give me the cast of The Mill", ["Please Give"], "The Mill"),
        ("Could you find the songs that have Ann Lee in them?", ["Them"], "Ann Lee"),
        ("just saw mildenhall omg who directed it", ["Saw", "Just Pals"], "mildenhall"),
        ("My sister and I saw The Mill years ago. Who directed it?", ["Sister Act"], "The Mill"),
        ("I drove a steam engine, so The Mill is dear to me. Who made it?", ["Steam", "Dear God"], "The Mill"),
        ("What language is The Mill in?", ["language"], "The Mill"),
        ("People keep telling me that Ann Lee directed it", ["Elling"], "Ann Lee"),
    ],
)
def test_words_of_the_sentence_are_no_names_where_another_is_one(text: str, others: list[str], kept: str) -> None:
    assert ways(text, kept.title(), *others)[0] == [kept]


@pytest.mark.parametrize(("text", "name"), [("who made heat", "Heat"), ("who directed taken", "Taken")])
def test_a_word_that_is_the_only_name_is_one(text: str, name: str) -> None:
    assert ways(text, name) == [[name.lower()]]


def test_what_may_be_a_name_or_a_word_is_tried_both_ways() -> None:
    assert ways("Which horror films did Ann Lee direct?", "Horror", "Ann Lee") == [["horror", "Ann Lee"], ["Ann Lee"]]


def test_a_name_of_two_words_is_the_person_and_not_the_tag_of_the_same_letters() -> None:
    seeds = [SeedCandidate("1", "Ellen Page", 0.5), SeedCandidate("2", "ellen page", 0.6)]
    ((_, (mention,)),) = namings(Question("ellen page films", np.zeros(1), seeds, TYPES, Prices()))
    assert [one.name for one in mention.candidates] == ["Ellen Page"]


def test_people_are_called_by_their_last_name() -> None:
    assert ways("How many films did Grace Kelly make for Hitchcock?", "Grace Kelly", "Alfred Hitchcock") == [
        ["Grace Kelly", "Hitchcock"]
    ]


@pytest.mark.parametrize(
    ("text", "value"), [("orders over 2480 euros", "2480"), ("which orders were placed on 5 May 2023", "2023")]
)
def test_a_part_of_what_is_said_as_a_value_is_no_name(text: str, value: str) -> None:
    assert ways(text, value) == [[]]


@pytest.mark.parametrize(("name", "kept"), [("12 March", [["12 March"]]), ("12 March 2024", [[]])])
def test_a_day_is_a_name_where_something_is_called_so(name: str, kept: list[list[str]]) -> None:
    assert ways("who has a birthday on 12 March", name) == kept
