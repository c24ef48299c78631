"""The studies behind `clause evaluate`, on systems whose answers are known."""

from collections import Counter

import pytest

from clause.evaluation.harness import AnswerOutcome
from clause.evaluation.question_files import GoldQuestion
from clause.lab.studies import abstaining_study, comparison_study, metaqa_study, seeds_study
from clause.policy.train.lessons import TypedWalks
from tests.unit.evaluation.films import snapshot

GRAPH = TypedWalks(snapshot())
SETS = {
    "1": [GoldQuestion("who directed Ali", ("Mann",), "Ali", "movie_to_director")],
    "2": [
        GoldQuestion("films by who directed Ali", ("Heat",), "Ali", "movie_to_director_to_movie"),
        GoldQuestion("films by who directed Ronin", (), "Ronin", "movie_to_director_to_movie"),
    ],
}


class Knowing:
    """Answers with the gold; says so of only some questions when `share` is below 1."""

    def __init__(self, name="knowing", silent=()):
        self.name = name
        self.silent = set(silent)

    async def answer(self, question):
        if question.text in self.silent or not question.answers:
            return AnswerOutcome(abstained=True)
        scored = tuple((name, 0.8) for name in question.answers)
        return AnswerOutcome(scored, frozenset(question.answers), edges=1, steps=1, tokens=9, latency_ms=2.0)


async def test_metaqa_has_one_row_a_hop_with_its_ceiling_in_the_agreed_order():
    counts = Counter()
    found = await metaqa_study(
        Knowing(), SETS, GRAPH, clients=2, command="clause evaluate metaqa", progress=lambda *_: counts.update("x")
    )
    assert list(found) == ["dataset", "policy", "n", "hops", "command"]
    assert (found["dataset"], found["policy"], found["n"]) == ("metaqa", "knowing", 3)
    assert list(found["hops"]) == ["1", "2"]
    assert found["hops"]["1"]["em_at_1"] == found["hops"]["1"]["ceiling_em"] == 1.0
    assert found["hops"]["2"]["supported_f1"] == 1.0
    assert counts["x"] == 3


async def test_a_comparison_pairs_the_questions_of_two_systems():
    found = await comparison_study(
        Knowing(), Knowing("mute", [q.text for q in SETS["1"]]), SETS, clients=1, command="c"
    )
    assert found["policy"] == "knowing"
    assert found["against"] == "mute"
    assert found["hops"]["1"]["supported_f1"] == {"mean": 1.0, "low": 1.0, "high": 1.0}
    assert found["hops"]["2"]["em_at_1"] == {"mean": 0.0, "low": 0.0, "high": 0.0}


async def test_abstaining_is_perfect_where_the_system_knows_what_it_does_not_know():
    questions = [
        GoldQuestion(f"who wrote {film} {place}", ("Mann",), film, "movie_to_writer")
        for place, film in enumerate(["Heat"] * 8)
    ]
    found = await abstaining_study(Knowing(), {"1": questions}, GRAPH, each=6, command="c")
    assert (found["unanswerable"], found["answerable"]) == (6, 6)
    assert found["as_served"] == {"precision": 1.0, "recall": 1.0}
    assert found["calibrated"] == {"threshold": 0.0, "precision": 1.0, "recall": 1.0}


async def test_seeds_are_counted_by_hop_and_pooled():
    async def find(text):
        return ["Ali", "Heat"] if "Ali" in text else ["Heat", "Ali", "Ronin", "Mann"]

    sets = {"1": [*SETS["1"], GoldQuestion("nothing named", ())], "2": SETS["2"]}
    found = await seeds_study(find, sets, clients=1, command="c")
    assert found["hops"]["1"] == {"n": 1, "first": 1.0, "top_3": 1.0, "top_8": 1.0}
    assert found["pooled"]["n"] == found["n"] == 3
    assert found["pooled"]["first"] == pytest.approx(2 / 3, abs=1e-6)
    assert found["pooled"]["top_3"] == 1.0
