"""Questions that name nothing: what lacks something, the most and the least of all, and what that is."""

from __future__ import annotations

import pytest

from clause.reasoning.neighbourhood.port import Hop
from clause.reasoning.question.comparing import of_one_kind_with
from clause.reasoning.question.forms import parse
from clause.reasoning.question.measures import find_superlative
from clause.reasoning.question.sides import telling_words
from clause.reasoning.question.verdicts import misfit
from clause.text.embedder import SentenceTransformerEmbedder
from tests.unit.reasoning.question.resemblance import Resemblance
from tests.unit.reasoning.question.small_graph import SmallGraph
from tests.unit.reasoning.question.test_reading import ask

HARBOUR = (
    ("Petrel", "pilot", "Ana Lund"), ("Skua", "pilot", "Ben Orr"), ("Petrel", "berth fee eur", "120"),
    ("Skua", "berth fee eur", "80"), ("Tern", "berth fee eur", "310"), ("Petrel", "launched on", "2001-05-04"),
    ("Skua", "launched on", "1987-03-01"), ("Tern", "launched on", "2014-09-30"), ("Petrel", "owned by", "Cole"),
    ("Skua", "owned by", "Cole"), ("Tern", "owned by", "Dora"), ("Cole", "lives in", "Ayr"),
    ("Dora", "lives in", "Ayr"),
)  # fmt: skip
TYPES = ["berth fee eur", "launched on", "owned by", "pilot", "lives in"]


@pytest.fixture(scope="module")
def scorer():
    return Resemblance(SentenceTransformerEmbedder())


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("which boats have no pilot", ["Tern"]),
        ("boats without a pilot on record", ["Tern"]),
        ("A few boats are still waiting. For which ones is no pilot listed?", ["Tern"]),
        ("how many boats have no pilot", ["1"]),
        ("boats with no pilot. Name them.", ["Tern"]),
        ("which boat has the highest berth fee", ["Tern"]),
        ("top berth fee of any boat", ["310"]),
        ("when was the latest boat launched", ["2014-09-30"]),
        ("on what date was the oldest one launched", ["1987-03-01"]),
        ("who owns the greatest number of boats", ["Cole"]),
        ("when they were launched I don't know, but tell me the one launched earliest", ["Skua"]),
    ],
)
async def test_what_is_not_named_is_found(question, answers, scorer):
    _, read = await ask(SmallGraph(HARBOUR), scorer, question, [], types=TYPES)
    assert sorted(answer.name for answer in read.result.answers) == answers


MISSIONS = (
    *((f"Lark {number}", "lasted days", str(days)) for number, days in enumerate((90, 140, 200), start=1)),
    ("Petrel", "lasted days", "400"), ("Lark Valley Group", "funded", "Petrel"),
)  # fmt: skip


async def test_a_word_with_which_some_names_begin_says_which_of_them_are_meant(scorer):
    question = "which of the Lark missions lasted the most days"
    _, read = await ask(SmallGraph(MISSIONS), scorer, question, [], types=["lasted days", "funded"])
    assert [answer.name for answer in read.result.answers] == ["Lark 3"]


DEALERS = (
    ("Castell Devices", "established in", "2003"), ("Oryx Devices", "established in", "1990"),
    ("Neon Device", "bought in", "2001"), ("Argon Device", "bought in", "2002"),
)  # fmt: skip


async def test_a_firm_whose_name_has_the_plural_of_a_noun_is_no_such_thing(scorer):
    _, read = await ask(
        SmallGraph(DEALERS), scorer, "which device is the newest", [], types=["established in", "bought in"]
    )
    assert [answer.name for answer in read.result.answers] == ["Argon Device"]


FERRIES = (
    *(("Petrel", "used on", quay) for quay in ("North Quay", "Mill Quay", "Old Quay")), ("Tern", "used on", "Old Quay"),
    *(("Skua", "used on", quay) for quay in ("Sand Quay", "Mill Quay")), ("Petrel", "serviced by", "Lund"),
    ("Skua", "kept at", "Deep Hall"), ("Petrel", "kept at", "Lake Hall"), ("Lund", "class", "firm"),
    *((hall, relation, "museum") for hall in ("Deep Hall", "Lake Hall") for relation in ("type", "class")),
    *((quay, "class", "quay") for quay in ("North Quay", "Sand Quay", "Old Quay", "Mill Quay")),
    *((boat, "class", "boat") for boat in ("Petrel", "Skua", "Tern")),
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "names", "answers"),
    [
        ("which quays don't have Petrel", ["Petrel"], ["Sand Quay"]),
        ("which quays use Petrel", ["Petrel"], ["Mill Quay", "North Quay", "Old Quay"]),
        ("which boats are not kept at any museum yet", ["museum"], ["Tern"]),
    ],
)
async def test_what_is_denied_is_denied_of_the_class_that_is_asked_for(question, names, answers, scorer):
    types = ["used on", "kept at", "serviced by", "type"]
    _, read = await ask(SmallGraph(FERRIES), scorer, question, names, types=types)
    assert sorted(answer.name for answer in read.result.answers) == answers


async def test_a_lack_is_read_of_what_a_name_leads_to(scorer):
    parsed, read = await ask(
        SmallGraph(HARBOUR), scorer, "which of the boats that Dora owns has no pilot", ["Dora"], types=TYPES
    )
    assert parsed.lack is not None
    assert "without" in read.readings[0].words if read.readings else read.reason


@pytest.mark.parametrize(
    "question",
    ["which aircraft has gone the longest without being inspected", "is there no pilot", "which hut has no one less"],
)
def test_what_only_sounds_like_a_lack_is_none(question):
    assert parse(question, []).lack is None


def test_things_are_of_one_kind_by_the_sides_on_which_most_of_them_are():
    sides = {Hop("height", True): ["a", "b", "c"], Hop("owner", True): ["a", "x", "y"], Hop("warden", True): ["a"]}
    assert [side.relation for side in of_one_kind_with(["a", "b"], sides, Hop("guide", True))] == ["height"]


async def test_a_question_of_names_and_blanks_alone_is_no_error(scorer):
    _, read = await ask(SmallGraph(HARBOUR), scorer, "?", [], types=TYPES)
    assert read.reason


def test_what_is_said_before_a_question_is_put_aside_only_where_it_asks_for_nothing():
    asked = {
        "I am broke, which guide is easiest on the wallet?": "which guide is easiest on the wallet",
        "not counting children, who are the guests": "not counting children , who are the guests",
    }
    assert {question: parse(question, []).whole for question in asked} == asked


async def test_a_value_is_told_by_the_whole_question_where_no_word_names_it(scorer):
    _, read = await ask(SmallGraph(HARBOUR), scorer, "what took to the water between 1980 and 1990", [], types=TYPES)
    assert [answer.name for answer in read.result.answers] == ["Skua"]


CAVES = [
    (name, said, value)
    for name, length, surveyed in (
        ("Raven Shaft", "900", "2001"),
        ("Gypsum Stair", "400", "2003"),
        ("Pot", "70", "2011"),
    )
    for said, value in (("passage length m", length), ("last survey", surveyed))
]


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which caves had their latest survey before 2005?", ["Gypsum Stair", "Raven Shaft"]),
        ("which cave was surveyed last", ["Pot"]),
        ("what's the longest cave we have?", ["Raven Shaft"]),
    ],
)
async def test_what_a_type_is_called_is_no_superlative(question, answers, scorer):
    _, read = await ask(SmallGraph(CAVES), scorer, question, [], types=["passage length m", "last survey"])
    assert sorted(answer.name for answer in read.result.answers) == answers


KENNEL = (
    ("Biscuit", "class", "dog"), ("Pickle", "class", "dog"), ("Mango", "class", "cat"),
    ("Biscuit", "is a", "dog"), ("Pickle", "is a", "dog"), ("Mango", "is a", "cat"),
    ("Biscuit", "breed", "beagle"), ("Pickle", "breed", "dachshund"),
    ("Biscuit", "vaccinated", "true"), ("Pickle", "vaccinated", "false"), ("Mango", "vaccinated", "true"),
    ("Biscuit", "sleeps in", "Larch Run"), ("Pickle", "sleeps in", "Willow Run"),
    ("Larch Run", "floor area", "9 square metres"), ("Willow Run", "floor area", "6 square metres"),
    ("Larch Run", "holds", "3 animals"), ("Willow Run", "holds", "1 animals"),
    ("Ada Lowe", "looks after", "Biscuit"), ("Ben Orr", "looks after", "Pickle"), ("Ada Lowe", "class", "carer"),
    ("Ada Lowe", "is a", "carer"),
)  # fmt: skip
KENNEL_TYPES = ["is a", "breed", "vaccinated", "sleeps in", "floor area", "holds", "looks after"]


@pytest.mark.parametrize(
    ("question", "names", "answers"),
    [
        ("is Biscuit vaccinated?", ["Biscuit"], ["yes"]),
        ("is Pickle vaccinated?", ["Pickle"], ["no"]),
        ("which animals are vaccinated", [], ["Biscuit", "Mango"]),
        ("which animals are not vaccinated", [], ["Pickle"]),
        ("how many animals are vaccinated", [], ["2"]),
        ("dogs that are vaccinated", ["dog"], ["Biscuit"]),
        ("which of the dogs aren't vaccinated", ["dog"], ["Pickle"]),
        ("what's the smallest run", [], ["Willow Run"]),
        ("is Ada Lowe the carer of Pickle", ["Ada Lowe", "carer", "Pickle"], ["no"]),
        ("is Ada Lowe the carer of Biscuit", ["Ada Lowe", "carer", "Biscuit"], ["yes"]),
    ],
)
async def test_what_is_true_or_false_and_what_has_a_role(question, names, answers, scorer):
    _, read = await ask(SmallGraph(KENNEL), scorer, question, names, types=KENNEL_TYPES)
    assert sorted(answer.name for answer in read.result.answers) == answers


async def test_what_a_thing_is_called_in_the_question_is_no_answer_to_it(scorer):
    _, read = await ask(SmallGraph(KENNEL), scorer, "what kind of dog is Pickle", ["Pickle"])
    assert "dog" not in [answer.name for reading in read.readings for answer in reading.result.answers]


ARRIVALS = (
    *((name, "birth date", f"20{year}-01-01") for name, year in (("Momo", 10), ("Tiny", 23), ("Gus", 12))),
    *((name, "brought in on", f"20{year}-05-01") for name, year in (("Momo", 22), ("Gus", 15))),
)  # fmt: skip


async def test_what_ranks_is_chosen_by_the_whole_question_too(scorer):
    question = "which animal was the last one to be brought in"
    _, read = await ask(SmallGraph(ARRIVALS), scorer, question, [], types=["birth date", "brought in on"])
    assert [answer.name for answer in read.result.answers] == ["Momo"]


PRICES = (
    ("Little Bites", "feeds heads", "12"), ("Board", "feeds heads", "8"),
    ("Little Bites", "price eur", "14"), ("Board", "price eur", "60"),
)  # fmt: skip


async def test_a_value_with_a_unit_is_compared_with_what_is_measured_in_it(scorer):
    question = "menus under 20 euros"
    _, read = await ask(SmallGraph(PRICES), scorer, question, [], types=["feeds heads", "price eur"])
    assert [answer.name for answer in read.result.answers] == ["Little Bites"]


RIDES = (
    ("Dale Loop", "takes place on", "2024-05-12"), ("Dale Loop", "distance km", "62"),
    ("Hill Hundred", "takes place on", "2024-07-21"), ("Hill Hundred", "distance km", "101"),
)  # fmt: skip


async def test_what_is_longest_is_told_by_a_date_only_where_nothing_is_measured(scorer):
    _, read = await ask(SmallGraph(RIDES), scorer, "longest ride?", [], types=["takes place on", "distance km"])
    assert [answer.name for answer in read.result.answers] == ["Hill Hundred"]


LIFTS = (
    ("Ropers Lift", "passed inspection", "yes"), ("Mill Lift", "passed inspection", "no"),
    ("Attic Lift", "passed inspection", "no"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("which ones failed inspection", ["Attic Lift", "Mill Lift"]),
        ("which did not fail inspection", ["Ropers Lift"]),
        ("which passed inspection", ["Ropers Lift"]),
    ],
)
async def test_what_is_not_so_is_said_by_an_opposite_too(scorer, question, expected):
    _, read = await ask(SmallGraph(LIFTS), scorer, question, [], types=["passed inspection"])
    assert sorted(answer.name for answer in read.result.answers) == expected


def test_days_are_compared_by_dates_service_is_told_by_its_start_and_per_day_names_no_day():
    asked = ("which day is it bought on",)
    assert misfit("same", "number", asked, lasting=False) > misfit("same", "date", asked, lasting=False) == 0
    for asked_for in (
        "who has worked here the longest",
        "who has had their plot the longest",
        "who has taught longest",
    ):
        best, _ = find_superlative(asked_for)
        assert best is not None
        assert (best.dated, best.direction) == (True, "min")
    assert "day" not in telling_words(parse("which lift is the dearest per day", []))
    assert "day" in telling_words(parse("which day is the dearest", []))
