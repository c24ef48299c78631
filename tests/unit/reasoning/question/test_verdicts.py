from __future__ import annotations

import re

import pytest

from clause.text.embedder import SentenceTransformerEmbedder
from tests.unit.reasoning.question.resemblance import Resemblance
from tests.unit.reasoning.question.small_graph import SmallGraph
from tests.unit.reasoning.question.test_reading import ask

BAKERY = (
    ("Rye Loaf", "baked by", "Ida"), ("Oat Loaf", "baked by", "Ida"), ("Plum Cake", "baked by", "Ida"),
    ("Fig Roll", "baked by", "Odd"),
    ("Rye Loaf", "sold in", "Hamar"), ("Oat Loaf", "sold in", "Moss"), ("Plum Cake", "sold in", "Moss"),
    ("Fig Roll", "sold in", "Hamar"),
    ("Rye Loaf", "weight", "400 g"), ("Oat Loaf", "weight", "900 g"), ("Plum Cake", "weight", "650 g"),
    ("Fig Roll", "weight", "120 g"),
    ("Rye Loaf", "first baked on", "1987-03-02"), ("Oat Loaf", "first baked on", "1994-11-20"),
    ("Plum Cake", "first baked on", "2003-06-01"), ("Fig Roll", "first baked on", "2011-09-09"),
    ("Ida", "apprentice", "Liv"), ("Oat Loaf", "not fit for", "Moss"),
    ("Rye Loaf", "class", "loaf"), ("Oat Loaf", "class", "loaf"),
)  # fmt: skip
NAMED = ("Rye Loaf", "Oat Loaf", "Plum Cake", "Fig Roll", "Ida", "Odd", "Liv", "Hamar", "Moss")


@pytest.fixture(scope="module")
def scorer():
    return Resemblance(SentenceTransformerEmbedder())


KINDS = (("Plum Cake", "instance of", "cake"), ("Fig Roll", "instance of", "cake"))


async def told(scorer, question, more=()):
    """The answers to a question on the bakery, and why there are none."""
    names = [name for name in NAMED if re.search(rf"\b{name}\b", question)]
    types = sorted({relation for _, relation, _ in BAKERY if relation != "class"})
    names += sorted({kind for _, _, kind in more})
    _, read = await ask(SmallGraph((*BAKERY, *more)), scorer, question, names, types=types)
    return [answer.name for answer in read.result.answers], read.result.reason


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Is it true that Ida did not bake the Rye Loaf?", "no"),
        ("Is it true that Ida did not bake the Fig Roll?", "yes"),
        ("Did Ida never bake the Rye Loaf?", "no"),
        ("Has Odd never baked the Oat Loaf?", "yes"),
        ("Ida never baked the Rye Loaf, right?", "no"),
        ("Ida didn't bake the Fig Roll, correct?", "yes"),
        ("Is it false that Ida baked the Rye Loaf?", "no"),
        ("Does Ida have no apprentice?", "no"),
        ("Is it true that the Oat Loaf was not first baked before 1990?", "yes"),
        ("Is it true that the Rye Loaf is not heavier than the Fig Roll?", "no"),
        ("Is it true that the Rye Loaf is not heavier than the Oat Loaf?", "yes"),
        ("Who is not heavier, the Rye Loaf or the Oat Loaf?", "Rye Loaf"),
        ("Which isn't heavier, Oat Loaf or Plum Cake?", "Plum Cake"),
        ("Which is heavier, Oat Loaf or Plum Cake?", "Oat Loaf"),
    ],
)
async def test_what_a_question_denies_is_answered_the_other_way_round(scorer, question, expected):
    assert (await told(scorer, question))[0] == [expected]


@pytest.mark.parametrize(
    "question",
    [
        "Didn't Ida bake the Rye Loaf?",
        "Isn't the Rye Loaf baked by Ida?",
        "Was the Rye Loaf not baked by Ida?",
        "Isn't it true that Ida baked the Rye Loaf?",
        "Ida never baked the Rye Loaf, did she?",
        "Was the Rye Loaf first baked no later than 1990?",
        "Isn't the Oat Loaf heavier than the Rye Loaf?",
        "Is it true that the Oat Loaf is not fit for Moss?",
    ],
)
async def test_a_question_that_opens_with_not_asks_whether_it_is_so(scorer, question):
    assert (await told(scorer, question))[0] == ["yes"]


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Did Ida bake the Rye Loaf but not the Fig Roll?", "Fig Roll"),
        ("Is it true that Ida never did not bake the Rye Loaf?", "twice"),
        ("Is it true that Ida hardly baked the Rye Loaf?", "hardly"),
    ],
)
async def test_what_is_half_denied_is_not_answered(scorer, question, word):
    found, reason = await told(scorer, question)
    assert found == []
    assert word in reason


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Is the Rye Loaf the heaviest loaf by Ida?", "heaviest"),
        ("Did Ida bake the lightest cake, the Rye Loaf?", "lightest"),
        ("Does Ida have the most apprentices?", "most"),
        ("Are all loaves by Ida sold in Moss?", "all"),
        ("Is every loaf by Ida sold in Moss?", "every"),
        ("All loaves by Ida are sold in Moss, right?", "all"),
        ("Is the Rye Loaf the most heavy loaf by Ida?", "heaviest"),
        ("Was the first loaf by Ida the Oat Loaf?", "first"),
        ("Are all of Ida's loaves sold in Moss?", "all"),
        ("Did Ida only bake the Rye Loaf?", "only"),
        ("Is Ida the only baker of the Rye Loaf?", "only"),
    ],
)
async def test_the_best_and_all_of_several_are_not_told_by_one_of_them(scorer, question, word):
    found, reason = await told(scorer, question)
    assert found == []
    assert f'"{word}"' in reason


@pytest.mark.parametrize(
    "question",
    [
        "Did Ida bake all of the Rye Loaf, Oat Loaf and Plum Cake?",
        "Are any loaves by Ida sold in Moss?",
        "Was the Rye Loaf first baked before 1990?",
        "Is the Rye Loaf sold in Hamar, of all places?",
    ],
)
async def test_words_that_ask_for_no_more_than_is_named_are_let_be(scorer, question):
    assert (await told(scorer, question))[0] == ["yes"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Was the Oat Loaf first baked after 1990 and before 1993?", "no"),
        ("Was the Oat Loaf first baked after 1990 and before 1996?", "yes"),
        ("Was the Oat Loaf first baked after 1996 and before 1999?", "no"),
        ("Is the weight of the Plum Cake more than 600 g and less than 700 g?", "yes"),
        ("Is the weight of the Plum Cake more than 600 g and less than 620 g?", "no"),
        ("Was the Oat Loaf first baked before 1990 or after 2000?", "no"),
        ("Was the Fig Roll first baked before 1990 or after 2000?", "yes"),
    ],
)
async def test_a_value_is_all_that_is_said_of_it(scorer, question, expected):
    assert (await told(scorer, question))[0] == [expected]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Did Ida bake the Rye Loaf in 1999?", "in 1999"),
        ("Did Ida bake the Rye Loaf before 1950?", "before 1950"),
        ("Is the Oat Loaf heavier than the Rye Loaf by more than 800 g?", "more 800"),
        ("Was the Oat Loaf first baked in 1994 and heavier than 2 kg?", "in 1994"),
        ("Was the Oat Loaf first baked after 1990 and sold before 1999?", "before 1999"),
    ],
)
async def test_a_date_or_number_that_no_plan_looks_at_is_no_yes(scorer, question, said):
    found, reason = await told(scorer, question)
    assert found == []
    assert said in reason


@pytest.mark.parametrize("question", ["Are all cakes by Ida sold in Moss?", "Is every cake by Ida sold in Moss?"])
async def test_a_class_behind_all_is_not_a_name_where_it_is_linked_as_one(scorer, question):
    found, reason = await told(scorer, question, KINDS)
    assert found == []
    assert reason


PLAYS = (
    ("Kes", "directed by", "Ann"), ("Heat", "directed by", "Ann"), ("Moth", "directed by", "Bob"),
    ("Kes", "starring", "Ann"), ("Moth", "starring", "Ann"), ("Kes", "starring", "Eve"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Did Ann direct both Kes and Heat?", ["yes"]),
        ("Did Ann direct both Kes and Moth?", ["no"]),
        ("Did Ann direct Kes, Heat and Moth?", ["no"]),
        ("Did both Ann and Eve star in Kes?", ["yes"]),
        ("Did both Ann and Bob direct Kes?", ["no"]),
    ],
)
async def test_both_are_asked_for_by_what_is_said_and_directly(scorer, question, expected):
    names = [name for name in ("Ann", "Bob", "Eve", "Kes", "Heat", "Moth") if name in question]
    _, read = await ask(SmallGraph(PLAYS), scorer, question, names, types=["directed by", "starring"])
    assert [answer.name for answer in read.result.answers] == expected
