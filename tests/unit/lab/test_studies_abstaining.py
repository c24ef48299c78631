"""Unanswerable questions, and the threshold of abstaining."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clause.evaluation.question_files import GoldQuestion, parse_line, type_pattern
from clause.lab.studies import abstaining, answerable, calibrate, unanswerable
from clause.policy.train.lessons import TypedWalks
from tests.unit.evaluation.films import snapshot

GRAPH = TypedWalks(snapshot())


def typed(line, kind):
    question = parse_line(line)
    return GoldQuestion(question.text, question.answers, question.entity, kind)


QUESTIONS = [
    typed("who wrote [Heat]\tMann", "movie_to_writer"),
    typed("what did [Pacino] act in\tHeat|Scarface", "actor_to_movie"),
    typed("what is about [Crime]\tHeat", "tag_to_movie"),
]


def test_unanswerable_questions_name_an_entity_without_that_relationship():
    found = unanswerable(GRAPH, QUESTIONS, count=3)
    assert len(found) == 3
    for question in found:
        assert question.answers == ()
        assert question.entity in GRAPH
        assert question.entity in question.text
        assert GRAPH.ends(question.entity, type_pattern(question.kind)) == frozenset()
    wrote = next(question for question in found if question.kind == "movie_to_writer")
    assert wrote.entity in {"Ali", "Ronin", "Scarface"}
    assert found == unanswerable(GRAPH, QUESTIONS, count=3)
    assert len(unanswerable(GRAPH, QUESTIONS, count=1)) == 1


def test_questions_without_type_entity_or_a_stranger_are_passed_over():
    all_directed = typed("who directed [Heat]\tMann", "movie_to_director")
    assert unanswerable(GRAPH, [all_directed, GoldQuestion("who?", ())], count=2) == []
    assert sorted(answerable(QUESTIONS, 9), key=str) == sorted(QUESTIONS, key=str)


def test_precision_and_recall_of_abstaining_are_counted():
    found = abstaining([-1, 0.3, 0.3, 0.8], [False, True, False, True], threshold=0.5)
    assert found == (0.5, pytest.approx(2 / 3), 1.0)
    assert abstaining([0.9], [True], 0.5) == (0.5, 1.0, 1.0)
    assert abstaining([0.9], [False], 0.5).f1 == 0.0


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from([-1.0, 0.1, 0.4, 0.7, 1.0]), st.booleans()), min_size=1))
def test_the_calibrated_threshold_is_the_best_there_is(pairs):
    scores, answers = zip(*pairs, strict=True)
    best = calibrate(scores, answers)
    assert all(abstaining(scores, answers, cut / 20).f1 <= best.f1 for cut in range(21))
