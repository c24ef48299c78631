"""What is kept from training, what readers make of it, and limits that change in mid-episode."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from clause.errors import BadInputError
from clause.evaluation import training_material as material
from clause.evaluation.question_files import GoldQuestion
from clause.lab.report import adaptation_text, generalisation_text, trial_text
from clause.lab.training import generalisation as studies
from clause.lab.training.generalisation import (
    Bench,
    exact_match,
    has_cue,
    has_wording,
    is_held_out,
    names_of_tests,
    needs_not,
    renamed,
)
from clause.lab.training.trial import LimitChange, Player, changed, summed_up
from clause.policy.serve.agents import Plan
from clause.policy.serve.reader import paraphrases
from clause.policy.train.lessons import TypedWalks
from clause.policy.train.warm_start import VectorTable
from clause.reasoning.episode.budget import Budgets
from clause.reasoning.neighbourhood.port import Hop
from clause.text.names import relation_words
from tests.unit.policy.cinema import DIRECTED, DIRECTS, EMBEDDER, GENRE, STARS, checkpoint, cinema, task, types, walk
from tests.unit.policy.train.test_trainer import RECIPE

pytestmark = pytest.mark.slow

ASKED = {
    "1": {
        "who directed {}": ("movie_to_director", (DIRECTED,)),
        "the director of {}": ("movie_to_director", (DIRECTED,)),
        "who is the person behind {}": ("movie_to_director", (DIRECTED,)),
        "who stars in {}": ("movie_to_actor", (STARS,)),
        "the actors of {}": ("movie_to_actor", (STARS,)),
    },
    "2": {"genres of films by the director of {}": ("movie_to_director_to_movie_to_genre", (DIRECTED, DIRECTS, GENRE))},
}


def sets() -> dict[str, list[GoldQuestion]]:
    names = dict(zip(cinema().ids, cinema().names, strict=True))
    return {
        hop: [
            GoldQuestion(
                wording.format(names[f"film{film}"]),
                tuple(names[node] for node in sorted(walk(f"film{film}", pattern))),
                names[f"film{film}"],
                kind,
            )
            for film in range(8)
            for wording, (kind, pattern) in wordings.items()
        ]
        for hop, wordings in ASKED.items()
    }


@pytest.fixture(scope="module")
def bench() -> Bench:
    table = VectorTable(EMBEDDER)
    return Bench(cinema(), EMBEDDER, sets(), sets(), RECIPE, checkpoint().scorer, table, TypedWalks(cinema()))


def test_a_wording_is_kept_whole_and_some_are_held_out() -> None:
    wordings = [f"wording number {number} of" for number in range(60)]
    held = [is_held_out(GoldQuestion(f"{wording} Heat", (), "Heat")) for wording in wordings]
    assert held == [is_held_out(GoldQuestion(f"{wording} Ali", (), "Ali")) for wording in wordings]
    assert 10 < sum(held) < 30
    question = GoldQuestion("who directed Heat", (), "Heat")
    assert has_wording(question, 0) is not is_held_out(question, 0)


def test_a_question_without_a_type_needs_none() -> None:
    assert needs_not(GoldQuestion("who directed Heat", (), "Heat"), "directed_by")
    assert not needs_not(GoldQuestion("who directed Heat", (), "Heat", "movie_to_director"), "directed_by")
    assert not has_cue(GoldQuestion("is it in Heat", (), "Heat"), "in_language")


def test_the_names_of_tests_are_kept_apart_from_those_of_training() -> None:
    training = {text for hop, texts in paraphrases().items() for text in (relation_words(*hop), *texts)}
    for relation, texts in names_of_tests().items():
        assert not training.intersection(texts)
        assert Hop(relation, True) in paraphrases()


def test_a_broken_line_of_names_is_named(tmp_path: Path) -> None:
    file = tmp_path / "names.tsv"
    file.write_text("directed_by helmed by\n")
    with pytest.raises(BadInputError, match="line 1"):
        names_of_tests(file)


def test_renamed_types_have_other_vectors_and_the_same_edges() -> None:
    found = asyncio.run(renamed(types(), {"directed_by": ("helmed by", "helmed")}, EMBEDDER))
    assert found["directed_by"].text == "helmed by"
    assert (found["directed_by"].embedding != types()["directed_by"].embedding).any()
    assert found["has_genre"] is types()["has_genre"]


def test_every_study_stands_beside_the_same_questions_with_nothing_lacking(bench: Bench) -> None:
    told: list[str] = []
    result = {
        "held_out_wordings": studies.wordings(bench, [0], 6, told.append),
        "renamed_types": studies.names(bench, 6, told.append),
        "left_out_types": studies.left_out(bench, [0], 6, told.append),
        "longer_questions": studies.lengths(bench, [0], 6, told.append),
        "command": "clause y",
    }
    assert told[0] == "held-out wordings, seed 0"
    assert len(told) == 1 + 2 + 3 + 1
    for row in (*result["renamed_types"].values(), *result["longer_questions"].values()):
        assert row["n"] == 6
        assert row["em"] - row["em_full"] == pytest.approx(row["difference"]["mean"])
    left = result["left_out_types"]
    assert set(left["types"]) == {"directed_by", "has_genre", "starred_actors"}
    assert "2" not in left["types"]["starred_actors"]["em"]
    text = generalisation_text(result)
    assert "mean of cued types" in text
    assert "renamed types" in text


def test_the_first_plan_that_leads_anywhere_is_judged() -> None:
    walks, right = TypedWalks(cinema()), task("film0", (DIRECTED,))
    nowhere, wrong = replace(right.plans[0], pattern=(DIRECTS,)), replace(right.plans[0], pattern=(STARS,))
    assert exact_match(walks, replace(right, plans=(nowhere, *right.plans))) == 1.0
    assert exact_match(walks, replace(right, plans=(wrong, *right.plans))) == 0.0
    assert exact_match(walks, replace(right, plans=(nowhere,))) == 0.0


def test_agents_that_are_told_of_new_limits_keep_them() -> None:
    asked = material.bracketed(cinema(), sets()["2"])
    made = material.with_types(cinema(), EMBEDDER, asked)
    player = Player.of(checkpoint(), made.snapshot, asked, VectorTable(EMBEDDER))
    plans = [Plan(question.seed, (DIRECTED, DIRECTS, GENRE), 1.0) for question in asked]
    tasks = [replace(task, plans=(plan,)) for task, plan in zip(player.tasks, plans, strict=True)]
    player = replace(player, tasks=tasks)
    change = LimitChange("tightened", Budgets(20, 6, 256), Budgets(5, 6, 64), 2)
    rows = changed(player, [change])
    assert rows[0]["violations"] == 0
    assert 0 <= rows[0]["spent_before"] <= 8
    assert rows[0]["n"] == 8
    assert "tightened" in adaptation_text({"rows": rows, "command": "clause z"})


def test_a_trial_is_summed_up_hop_by_hop() -> None:
    asked = material.bracketed(cinema(), sets()["1"][:5])
    made = material.with_types(cinema(), EMBEDDER, asked)
    found = summed_up(Player.of(checkpoint(), made.snapshot, asked, VectorTable(EMBEDDER)))
    assert found["n"] == 5
    assert 0 <= found["feasible"] <= 1
    assert "| 1 | 5 |" in trial_text({"hops": {"1": found}, "command": "clause t"})
