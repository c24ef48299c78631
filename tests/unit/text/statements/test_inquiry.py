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


DENIED = [
    ("where does Ann live?", "Ann no longer lives in Porto.", []),
    ("where does Ann live?", "Ann doesn\u2019t live in Porto any more, she moved to Ghent.", ["Ghent"]),
    ("where does Ann live?", "Ann does not smoke and lives in Porto.", ["Porto"]),
    ("where does Ann live?", "Ann, who does not own a car, lives in Porto.", ["Porto"]),
    ("where did Ben go?", "Ben flew to Porto without luggage.", ["Porto"]),
    ("where is the spare key?", "The spare key is not in the drawer but in the bowl.", ["bowl"]),
    ("who approved the budget?", "Ines Falk has not approved the budget yet.", []),
    ("who leads the team?", "Ana Ruiz is no longer head of the team.", []),
    ("who does not eat meat?", "Ann Lee does not eat meat.", ["Ann Lee"]),
    ("who has a key?", "Nobody but Ines Falk has a key.", ["Ines Falk"]),
    ("who signed it?", "Not only Ann Lee but also Bob Hart signed it.", ["Ann Lee", "Bob Hart"]),
    ("who is the vet?", "Don't call Dr Marsh, call Dr Falk: she is the vet.", ["Dr Falk"]),
    ("how much is the rent?", "The rent is no longer \u00a31,200.", []),
    ("how many cats does Ann have?", "Ann does not have 3 cats.", []),
    ("how many came?", "No more than 30 people came.", ["30"]),
    ("when is the meeting?", "The meeting is not on Monday but on Tuesday.", ["Tuesday"]),
    ("when does the shop open?", "The shop does not open until 9 am.", ["9 am"]),
    ("when did the pump break?", "The pump has not worked since 3 March.", ["3 March"]),
    ("when can Carla come?", "Carla cannot come on Monday.", []),
]


@pytest.mark.parametrize(("question", "statement", "names"), DENIED)
def test_what_a_statement_denies_it_does_not_tell(question: str, statement: str, names: list[str]) -> None:
    inquiry = Inquiry.read(question)
    found = [one.name for one in told(inquiry, statement)]
    assert found == names
    assert passes_over(inquiry, statement, found) is not bool(names)


WHOLE = [
    ("when did it start?", "It started at 2026-03-04T10:15:00Z.", ["2026-03-04T10:15:00Z"]),
    ("when is the meeting?", "The meeting is on 03.04.2026.", ["03.04.2026"]),
    ("when is the deadline?", "The deadline is 12/03/2026.", ["12/03/2026"]),
    ("when is the meeting?", "The meeting is at 10.30.", ["10.30"]),
    ("when does it open?", "It is open from 9 to 5 pm.", ["9 to 5 pm"]),
    ("when does it leave?", "It leaves between 7 and 8 am.", ["between 7 and 8 am"]),
    ("when was it built?", "It was built in the 19th century.", ["the 19th century"]),
    ("when was it built?", "It was built in the 1980s.", ["the 1980s"]),
    ("when was it built?", "It was built in 1450 by monks.", ["1450"]),
    ("when was it built?", "It was built in 44 BC.", ["44 BC"]),
    ("how many cases were there?", "It was found in 845 cases.", ["845"]),
    ("how long does delivery take?", "Delivery takes 3-5 days.", ["3-5 days"]),
    ("how much is the fine?", "The fine is 10\u201315 euros.", ["10\u201315 euros"]),
    ("how cold does the freezer get?", "It gets as cold as \u221218 \u00b0C.", ["\u221218 \u00b0C"]),
    ("how much did it raise?", "It raised $1.5 million in 1923.", ["$1.5 million"]),
    ("how much does the flat cost?", "The flat costs \u20ac 350 000.", ["\u20ac 350 000"]),
    ("how far is the station?", "The station is 2 1/2 miles away.", ["2 1/2 miles"]),
    ("where does Ann live?", "Ann moved from Porto to Lisbon.", ["Porto", "Lisbon"]),
]


@pytest.mark.parametrize(("question", "statement", "names"), WHOLE)
def test_dates_ranges_and_signs_are_told_whole(question: str, statement: str, names: list[str]) -> None:
    assert [one.name for one in told(Inquiry.read(question), statement)] == names


SPEAKERS = [
    ("Bob: my sister runs the Berlin office.", []),
    ("Bob: Ana Ruiz runs the Berlin office.", ["Ana Ruiz"]),
    ("Bob: I run the Berlin office.", ["Bob"]),
    ("Bob: running the Berlin office since May.", ["Bob"]),
    ("Bob: my sister helps, but I run the Berlin office.", ["Bob"]),
]


@pytest.mark.parametrize(("statement", "names"), SPEAKERS)
def test_who_speaks_of_others_is_not_who_is_spoken_of(statement: str, names: list[str]) -> None:
    assert [one.name for one in told(Inquiry.read("who runs the Berlin office?"), statement)] == names
