"""Fitting the weights: on a small world whose right answer is known, and measured on MetaQA's dev questions."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from clause.lab import seed_training
from clause.lab.seed_training import FIXED, NamedQuestion, NameIndex, fit, measure, read_questions, read_triples, vary
from clause.reasoning.question.seed_matching import EntityMatch
from clause.reasoning.question.seed_ranking import FEATURES
from clause.settings import Settings

pytestmark = pytest.mark.slow

TRIPLES = [(f"Film {n}", "directed_by", f"Person {n}") for n in range(30)] + [
    ("film", "has_tags", "who"),
    ("Film 1", "has_tags", "person 1"),
]
QUESTIONS = [NamedQuestion(f"who directed Film {n}", f"Film {n}") for n in range(30)] + [
    NamedQuestion(f"what film did Person {n} direct", f"Person {n}") for n in range(30)
]


@pytest.fixture(scope="module")
def index():
    return NameIndex(TRIPLES)


def test_fitting_finds_weights_that_put_the_right_entity_first(index):
    weights = fit(QUESTIONS, index)
    quality = measure(QUESTIONS, index, weights)
    assert (quality.n, quality.first, quality.top_3) == (60, 1.0, 1.0)
    assert weights["exact"] > 0
    assert list(weights) == list(FEATURES)


def test_what_training_cannot_show_keeps_its_hand_set_weight(index):
    weights = fit(QUESTIONS, index)
    assert {name: weights[name] for name in FIXED} == FIXED


def test_fitting_twice_gives_the_same_weights(index):
    assert fit(QUESTIONS, index, seed=3) == fit(QUESTIONS, index, seed=3)


def test_measuring_counts_misses(index):
    quality = measure([NamedQuestion("who directed Film 1", "Nobody")], index)
    assert (quality.first, quality.top_3) == (0.0, 0.0)
    assert measure([], index).n == 0


def test_the_index_gives_every_case_with_degree_and_relationships(index):
    by_name = {c.name: c for c in index.candidates("person 1")}
    assert by_name["Person 1"].hops == {"<directed_by"}
    assert by_name["person 1"].reason == "exact"
    assert by_name["Person 1"].degree == 1


def test_the_relationships_of_a_hub_are_not_read():
    hub = NameIndex((f"f{n}", "has_genre", "Drama") for n in range(201))
    (found,) = hub.candidates("Drama")
    assert (found.degree, found.hops) == (201, frozenset())


def test_variations_keep_the_entity_and_change_the_writing():
    source = np.random.default_rng(0)
    texts = {vary(NamedQuestion("who made Jaws", "Jaws"), source).text for _ in range(60)}
    assert texts == {"who made Jaws", "who made jaws", "Who made Jaws?"}


def test_lines_are_read_without_their_brackets():
    assert list(read_questions(["no entity\tx", "films by [A B]\tc"])) == [NamedQuestion("films by A B", "A B")]
    assert list(read_triples(["a|r|b\n"])) == [("a", "r", "b")]


def write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as stream:
        stream.write("\n".join(lines) + "\n")


def test_the_command_fits_measures_and_writes_only_when_told(tmp_path, capsys, monkeypatch):
    write(tmp_path / "kb.txt.gz", ["|".join(triple) for triple in TRIPLES])
    for hops in (1, 2, 3):
        asked = [q.text.replace(q.entity, f"[{q.entity}]") + "\tx" for q in QUESTIONS]
        write(tmp_path / f"{hops}-hop/qa_train_regenerated.txt.gz", asked)
        write(tmp_path / f"{hops}-hop/qa_dev.txt.gz", asked)
    monkeypatch.setattr(seed_training, "SHIPPED", tmp_path / "seed_weights.json")
    seed_training.main([str(tmp_path), "--limit", "40"])
    report = json.loads(capsys.readouterr().out)
    assert report["2-hop"]["first"] == 1.0
    assert not (tmp_path / "seed_weights.json").exists()
    seed_training.main([str(tmp_path), "--write", "--dev-limit", "5"])
    assert json.loads((tmp_path / "seed_weights.json").read_text())["weights"].keys() == set(FEATURES)
    capsys.readouterr()
    seed_training.main([str(tmp_path), "--shipped"])
    assert json.loads(capsys.readouterr().out)["weights"] is None


@pytest.mark.data
def test_the_right_entity_of_metaqa_dev_questions_is_found_from_plain_text():
    folder = Settings.load().data / "metaqa"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there: set CLAUSE_DATA to the evaluation data")
    index = NameIndex(read_triples(seed_training._lines(folder / "kb.txt.gz")))
    asked: list[NamedQuestion] = []
    for hops in (1, 2, 3):
        asked += list(read_questions(seed_training._lines(folder / f"{hops}-hop/qa_dev.txt.gz")))[::20]
    quality = measure(asked, index)
    assert quality.n > 1900
    assert quality.first >= 0.97
    assert quality.top_3 >= 0.995


def test_a_candidate_without_a_span_is_not_written_anywhere(index):
    assert all(isinstance(c, EntityMatch) and c.span is not None for c in index.candidates("Film 1 Person 2"))
