"""Asking every question, and summing up."""

import asyncio

import pytest

from clause.errors import BadInputError
from clause.evaluation.frontier import MeanDifference
from clause.evaluation.harness import AnswerOutcome, Ceiling, FigureRow, ask_all, summarise, supported_em, supported_f1
from clause.evaluation.question_files import GoldQuestion, question_files
from clause.lab.report import difference_text, results_table


class Echo:
    """Answers each question with its own text, the later ones sooner."""

    name = "echo"

    def __init__(self):
        self.in_flight = self.most_in_flight = 0

    async def answer(self, question):
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        await asyncio.sleep(0)
        self.in_flight -= 1
        return AnswerOutcome(((question.text, 1.0),))


@pytest.mark.parametrize("clients", [1, 3])
async def test_outcomes_come_in_the_order_of_the_questions_with_so_many_in_flight(clients):
    questions = [GoldQuestion(str(place), ("0",)) for place in range(7)]
    told, system = [], Echo()
    outcomes = await ask_all(
        system, questions, clients=clients, progress=lambda done, total: told.append((done, total))
    )
    assert [outcome.answers[0][0] for outcome in outcomes] == [str(place) for place in range(7)]
    assert system.most_in_flight == clients
    assert told[-1] == (7, 7)


def test_a_row_has_the_agreed_keys_in_the_agreed_order_and_shares_between_0_and_1():
    questions = [GoldQuestion("q", ("a", "b")), GoldQuestion("r", ("c",))]
    outcomes = [
        AnswerOutcome(
            (("a", 0.9), ("b", 0.9), ("x", 0.1)), frozenset({"a", "x"}), edges=4, steps=2, tokens=30, latency_ms=10
        ),
        AnswerOutcome((), edges=2, edges_read=8, violations=("edges", "steps"), latency_ms=30, abstained=True),
    ]
    row = summarise(questions, outcomes, Ceiling(2, 0.75, 0.8))
    assert list(row) == list(FigureRow.__annotations__)
    assert row == {
        "n": 2,
        "em_at_1": 0.5,
        "f1": 0.4,
        "edges_mean": 3.0,
        "steps_mean": 1.0,
        "tokens_mean": 15.0,
        "p50_ms": 20.0,
        "p95_ms": 29.0,
        "violations": 2,
        "joint_feasible": 0.5,
        "ceiling_em": 0.75,
        "ceiling_f1": 0.8,
        "supported_em": 0.25,
        "supported_f1": 0.25,
        "edges_read_mean": 4.0,
    }


def test_without_a_ceiling_the_row_says_null_and_without_questions_there_is_no_row():
    row = summarise([GoldQuestion("q", ())], [AnswerOutcome()])
    assert row["ceiling_em"] is None
    assert row["em_at_1"] == row["supported_em"] == row["f1"] == 1.0
    with pytest.raises(ValueError, match="no questions"):
        summarise([], [])


def test_only_answers_with_their_path_in_the_evidence_count_as_supported():
    question = GoldQuestion("q", ("a", "b"))
    bare = AnswerOutcome((("a", 1.0), ("b", 1.0)))
    half = AnswerOutcome((("a", 1.0), ("b", 1.0)), frozenset({"b"}))
    assert (supported_em(question, bare), supported_f1(question, bare)) == (0.0, 0.0)
    assert supported_em(question, half) == 0.5
    assert supported_f1(question, half) == pytest.approx(2 / 3)
    wrong = AnswerOutcome((("x", 1.0), ("a", 0.5)), frozenset({"x", "a"}))
    assert supported_em(question, wrong) == 0.0


def test_question_files_are_given_by_hop_in_any_order():
    assert list(question_files(["3=c", "1=a=b.txt"])) == ["1", "3"]
    assert question_files(["1=a=b.txt"])["1"].name == "a=b.txt"


@pytest.mark.parametrize("words", [[], ["a.txt"], ["4=a"], ["1="], ["1=a", "1=b"], ["one=a"]])
def test_other_words_are_refused(words):
    with pytest.raises(BadInputError, match="HOP=FILE"):
        question_files(words)


def test_results_become_a_table_with_its_commands():
    row = summarise([GoldQuestion("q", ("a",))], [AnswerOutcome((("a", 1.0),), latency_ms=12.34)])
    text = results_table([{"policy": "khop", "hops": {"2": row}, "command": "clause evaluate metaqa"}])
    header, _, cells, _, command = text.splitlines()
    assert header.startswith("| policy | hops | n | EM@1 |")
    assert cells.startswith("| khop | 2 | 1 | 100.00 | 100.00 | 0.00 | 0.00 | - | - | 0.0 |")
    assert "| 12.3 |" in cells
    assert command == "- `clause evaluate metaqa`"
    assert difference_text(MeanDifference(-0.01, -0.02, 0.0)) == "-1.00 points, 95 % interval -2.00 to +0.00"
