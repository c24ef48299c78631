"""What a question wants, and what of a statement tells it."""

from __future__ import annotations

import pytest

from clause.text.statements.inquiry import Inquiry, passes_over, told

QUESTIONS = [
    ("whos running the night shift", "person"),
    ("To whom does the boat belong?", "person"),
    ("Which town did they move to?", "place"),
    ("What day is the market?", "time"),
    ("how often is the pump serviced?", "time"),
    ("how far is the hut from the pass", "number"),
    ("What did the new roof cost?", "number"),
    ("what is the reason for the delay", "reason"),
    ("How does one reset the pump?", "manner"),
    ("Is the bridge open?", "truth"),
    ("What does the goat eat?", "thing"),
    ("How early does the ferry leave?", "time"),
    ("Which restaurant is the best?", "place"),
    ("Which author wrote the guide?", "person"),
    ("what works best to get a guest to pay", "thing"),
    ("Which midwife came?", "person"),
    ("What does our director collect?", "thing"),
    ("What does the school need?", "thing"),
    ("What is the deadline for the grant?", "time"),
    ("What are the opening hours?", "time"),
    ("What did painting the hull come to?", "number"),
    ("what is the rate per night", "number"),
]


@pytest.mark.parametrize(("question", "wanted"), QUESTIONS)
def test_what_a_question_wants(question: str, wanted: str) -> None:
    assert Inquiry.read(question).wanted.value == wanted


TOLD = [
    ("who repaired the pump?", "The pump was repaired by Ines Falk last week.", ["Ines Falk"]),
    ("who repaired the pump?", "Oskar: I repaired the pump, at last", ["Oskar"]),
    ("who repaired the pump?", "The repair took place in Bergen.", []),
    ("who looks after the goats?", "Feeding the goats happens at six.", []),
    ("when is the market?", "The market is on Saturdays from 8:00 to 13:00.", ["Saturdays from 8:00 to 13:00"]),
    ("when did the ferry stop?", "The ferry stopped on 3 May 2024.", ["3 May 2024"]),
    ("when did the ferry stop?", "The ferry carries forty cars.", []),
    ("how long is the walk to the hut?", "From the pass to the hut one walks two hours.", ["two hours"]),
    ("when does the teacher come?", "The teacher comes on Fridays at five.", ["Fridays at five"]),
    ("how much is the ferry?", "The ferry costs 18.40 now.", ["18.40"]),
    ("how heavy is the anchor?", "The anchor weighs 40 kg.", ["40 kg"]),
    ("how many goats are there?", "There are 14 goats since Monday.", ["14"]),
    ("how many goats are there?", "The goats cost 300 euros and lived 12 years.", []),
    ("how much do the goats cost?", "After 3 months we paid 40 euros for all 5.", ["40 euros", "5"]),
    ("how long did the goats live?", "The goats cost 300 euros and lived 12 years.", ["12 years"]),
    ("where did the ferry go?", "The ferry went to Bergen to pick up the mail.", ["Bergen"]),
    ("where is the spare key?", "The spare key hangs behind the clock.", ["clock"]),
    (
        "why is the pass closed?",
        "The pass is closed because a bridge was washed away.",
        ["because a bridge was washed away."],
    ),
    (
        "why is the pass closed in winter?",
        "It is closed because of the ice in winter.",
        ["because of the ice in winter."],
    ),
    ("why is the pass closed?", "The road is icy, so the pass is closed.", ["The road is icy"]),
    ("why was the mill sold?", "Since March the mill has been sold by the sack.", []),
    ("how much does the inn pay?", "The inn has nine rooms.", []),
    ("how many ferrets does he keep?", "He has one ferret.", ["one"]),
    ("how many ferrets does he keep?", "He met one of the keepers.", []),
    ("when does the gate open?", "The gate opens twenty minutes before sunset.", ["twenty minutes before sunset"]),
    ("when is the fee due?", "The fee is due by the fourth of each month.", ["the fourth of each month"]),
    ("until when can I swap?", "Swaps are taken until nine.", ["nine"]),
    ("when does it close?", "It closes after five o'clock.", ["five o'clock"]),
    ("when were the sheep there?", "The sheep were at two farms.", []),
    ("where will the fair be?", "The fair will be at the old mill in May.", ["old mill"]),
]


@pytest.mark.parametrize(("question", "statement", "names"), TOLD)
def test_what_a_statement_tells(question: str, statement: str, names: list[str]) -> None:
    assert [one.name for one in told(Inquiry.read(question), statement)] == names


def test_what_the_question_says_itself_is_not_told() -> None:
    assert not told(Inquiry.read("who is Ines Falk's boss?"), "Ines Falk works in the harbour.")


def test_somebody_without_a_name_may_be_who_is_asked_for() -> None:
    asked = Inquiry.read("who has the spare key?")
    assert not passes_over(asked, "Our neighbour has the spare key.", [])
    assert passes_over(asked, "The spare key is in the shed.", [])
    assert passes_over(Inquiry.read("who is the baker?"), "The baker closes at six.", [])


def test_a_word_that_others_write_small_is_no_name() -> None:
    common = frozenset({"lambing"})
    assert not told(Inquiry.read("who was ill?"), "Lambing went well.", common)
