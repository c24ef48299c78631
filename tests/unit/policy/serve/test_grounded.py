"""How readings are judged: by those that give the same answers, and by how the names were spelt."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from clause.policy.serve import grounded
from clause.policy.serve.grounded import (
    PatternRates,
    ReadingSigns,
    agreed,
    probability,
    reconsidered,
    shipped,
    signs_of,
)
from clause.reasoning.agents.policy import Question, SeedCandidate
from clause.reasoning.episode.budget import Prices
from clause.reasoning.neighbourhood.port import Hop
from clause.reasoning.question.grounding import GraphReads
from clause.reasoning.question.name_links import linked
from clause.reasoning.question.patterns import UNWALKED_STEP
from clause.reasoning.question.plan import Exists, PlanAnswer, PlanResult, WalkFrom
from clause.reasoning.question.reading import RankedReading


def reading(pattern: tuple[Hop, ...], share: float, *answers: str, nearest: float = 1.0) -> RankedReading:
    result = PlanResult(tuple(PlanAnswer(name, name) for name in answers))
    claims = ((pattern, ("who designed it",)),) if pattern else ()
    return RankedReading(
        repr(pattern), share, WalkFrom(("kes",), pattern), ("kes",), (pattern,), result, nearest, claims
    )


def signs(said: str, *listed: RankedReading) -> list[ReadingSigns]:
    seeds = [SeedCandidate("kes", "Kestrel Tower", 0.5, 13, 13 + len(said))]
    question = Question(f"who designed {said}", np.zeros(1), seeds, {}, Prices())
    return signs_of(listed, "list", PatternRates(shipped(), {}), GraphReads(question).spelling())


DESIGNED, BUILT = (Hop("designed_by", True),), (Hop("built_by", True),)


def test_readings_with_the_same_answers_vouch_for_each_other() -> None:
    apart = signs("Kestrel Tower", reading(DESIGNED, 0.5, "ann"), reading(BUILT, 0.5, "bob"))
    alike = signs("Kestrel Tower", reading(DESIGNED, 0.5, "ann"), reading(BUILT, 0.5, "ann"))
    assert apart[0].share == pytest.approx(0.0)
    assert alike[0].share > 5
    assert probability(alike[0]) > probability(apart[0])


def test_two_graphs_that_say_the_same_do_not_make_each_other_doubtful() -> None:
    here, there = (
        replace(reading(DESIGNED, 0.5), result=PlanResult((PlanAnswer("Ann", f"ann of {graph}"),)))
        for graph in ("here", "there")
    )
    assert min(one.share for one in signs("Kestrel Tower", here, there)) > 5
    assert agreed([here, there], [0.4, 0.9]) == [0.9, 0.9]


def test_a_yes_to_one_thing_is_not_the_yes_to_another() -> None:
    def exists(pattern: tuple[Hop, ...], targets: frozenset[str] = frozenset()) -> RankedReading:
        yes = replace(reading(pattern, 0.5), result=PlanResult((PlanAnswer("yes", None),)))
        return replace(yes, plan=Exists(WalkFrom(("kes",), pattern), targets))

    apart = signs("Kestrel Tower", exists(DESIGNED), exists(BUILT))
    alike = signs("Kestrel Tower", exists(DESIGNED, frozenset({"ann"})), exists(BUILT, frozenset({"ann"})))
    assert apart[0].share == pytest.approx(0.0)
    assert alike[0].share > 5


def test_the_question_explains_what_it_asks_for() -> None:
    right, other = signs("Kestrel Tower", reading(DESIGNED, 0.5, "ann"), reading(BUILT, 0.5, "bob"))
    assert right.explained > other.explained
    assert right.gap > other.gap


@pytest.mark.parametrize(("said", "linked"), [("kestrel tower", 1.0), ("Kestral Tower", 0.5), ("Kestrel", 0.0)])
def test_a_name_spelt_in_part_is_linked_less_surely(said: str, linked: float) -> None:
    (only,) = signs(said, reading(DESIGNED, 1.0, "ann"))
    assert only.linked == linked


def test_what_words_alone_decide_is_told() -> None:
    (only,) = signs("Kestrel Tower", reading((), 1.0, "ann", nearest=math.inf))
    assert only.worded


def test_an_answer_is_as_sure_as_the_surest_reading_that_gives_it() -> None:
    listed = [reading(DESIGNED, 0.5, "ann"), reading(BUILT, 0.3, "bob"), reading(DESIGNED, 0.2, "ann")]
    assert agreed(listed, [0.4, 0.6, 0.8]) == [0.8, 0.6, 0.8]


@pytest.mark.parametrize(
    ("text", "meant"),
    [("films by Tony Scott", ["Tony Scott"]), ("films by tony scott", ["Tony Scott"])],
)
def test_a_person_s_name_is_no_tag_that_only_has_its_letters(text: str, meant: list[str]) -> None:
    seeds = [SeedCandidate("1", "Tony Scott", 0.9), SeedCandidate("2", "tony scott", 0.8)]
    (mention,) = linked(text, seeds)
    assert [one.name for one in mention.candidates] == meant


@pytest.mark.parametrize(("text", "named"), [("whose screenplay was Kes", ["Kes"]), ("who is in the cast", [])])
def test_a_noun_that_a_question_asks_by_is_no_name(text: str, named: list[str]) -> None:
    seeds = [SeedCandidate(name, name, 0.9) for name in ("screenplay", "cast", "Kes")]
    shown = GraphReads(Question(f"{text}, Ann?", np.zeros(1), seeds, {}, Prices())).mentions
    assert [one.candidates[0].name for one in shown] == named


def test_a_reading_in_doubt_is_read_beside_the_question_and_one_that_is_not_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[tuple[str, str]] = []

    def knows(question: str, text: str) -> float:
        read.append((question, text))
        return 6.0 if "design" in text else -6.0

    monkeypatch.setattr(grounded, "answering", knows)
    rates = PatternRates(shipped(), {})
    right, wrong = reading(DESIGNED, 0.5, "ann"), reading(BUILT, 0.5, "bob")
    again = replace(right, words="ann once more")

    surer, same, rival = reconsidered([right, again, wrong], [0.6, 0.6, 0.3], rates)
    assert surer == same > 0.8
    assert rival == 0.3
    assert [question for question, _ in read] == ["who designed it"]

    less, _ = reconsidered([wrong, right], [0.6, 0.3], rates)
    assert less < 0.3

    read.clear()
    assert reconsidered([wrong, right], [0.95, 0.04], rates) == [0.95, 0.04]
    assert reconsidered([reading((), 0.9, "ann")], [0.6], rates) == [0.6]
    assert reconsidered([replace(wrong, steps=UNWALKED_STEP)], [0.6], rates) == [0.6]
    assert reconsidered([], [], rates) == []
    assert not read
