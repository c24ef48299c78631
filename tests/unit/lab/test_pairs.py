"""Pair files, what is measured on them, the pairs that are made, and the commands around them."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from clause.errors import BadInputError, NotFoundError
from clause.lab.commands import evaluate
from clause.lab.commands import memory as evaluate_pairs
from clause.lab.pair_training import Swaps, made_pairs, train_pair_classifier
from clause.lab.pairs import (
    Judge,
    Pair,
    PairDecision,
    decider,
    published_pairs,
    read_pairs,
    sampled,
    shares,
    write_pairs,
)
from clause.lab.pairs import evaluate_pairs as measure
from clause.text.statements.pair_classifier import LABELS, PairClassifier, read_pair
from tests.fakes.embedder import HashEmbedder

pytestmark = pytest.mark.slow

PAIRS = [
    Pair("Ann rides a red bike", "Ann is riding a red bicycle", "duplicate"),
    Pair("The car is red", "The car is blue", "contradiction"),
    Pair("Ann is at home", "Ann is not at home", "contradiction"),
    Pair("A dog runs", "The bank is closed", "neutral"),
]


def figures(pairs, decide, embedder=None):
    return asyncio.run(measure(pairs, embedder or HashEmbedder(), decide))


def by_label(merged, tension):
    return lambda pair, _u, _v: PairDecision(pair.label in merged, pair.label in tension)


def test_a_perfect_judge_has_perfect_figures_under_the_agreed_keys():
    found = figures(PAIRS, by_label({"duplicate"}, {"contradiction"}))
    assert list(found) == ["merge", "tension", "n", "ms_per_pair"]
    assert found["merge"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0, "contradictions_merged": 0}
    assert found["tension"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert found["n"] == 4
    assert found["ms_per_pair"] > 0


def test_merged_contradictions_are_counted():
    found = figures(PAIRS, by_label({"duplicate", "contradiction"}, set()))["merge"]
    assert found == {"precision": 1 / 3, "recall": 1.0, "f1": 0.5, "contradictions_merged": 2}


def test_shares_without_a_denominator_are_null():
    assert figures([], by_label(set(), set())) == {
        "merge": {"precision": None, "recall": None, "f1": None, "contradictions_merged": 0},
        "tension": {"precision": None, "recall": None, "f1": None},
        "n": 0,
        "ms_per_pair": None,
    }
    assert figures(PAIRS, by_label(set(), set()))["tension"] == {"precision": None, "recall": 0.0, "f1": 0.0}


@given(st.lists(st.tuples(st.booleans(), st.booleans())))
def test_f1_is_the_harmonic_mean_where_it_exists(rows):
    found = shares([p for p, _ in rows], [t for _, t in rows])
    if found["precision"] and found["recall"]:
        mean = 2 / (1 / found["precision"] + 1 / found["recall"])
        assert found["f1"] == pytest.approx(mean)


class Twins(HashEmbedder):
    """Everything has one vector: only the texts can tell statements apart."""

    async def embed(self, texts):
        return np.tile(np.full(self.dimension, self.dimension**-0.5, np.float32), (len(texts), 1))


def test_the_cosine_alone_merges_what_the_guards_tell_apart():
    cosine = figures(PAIRS, decider(Judge.COSINE), Twins())
    rules = figures(PAIRS, decider(Judge.RULES), Twins())
    guards = figures(PAIRS[:3], decider(Judge.GUARDS, same_subject=True), Twins())
    assert cosine["merge"]["contradictions_merged"] == 2
    assert cosine["tension"]["precision"] is None
    for found in (rules, guards):
        assert found["merge"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0, "contradictions_merged": 0}
    assert rules["tension"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0}


def test_pair_files_are_read_as_written_and_further_keys_ignored(tmp_path):
    write_pairs(tmp_path / "deep" / "pairs.jsonl", PAIRS)
    assert read_pairs(tmp_path / "deep" / "pairs.jsonl") == PAIRS
    with gzip.open(tmp_path / "pairs.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write('{"a": "x", "b": "ÿ", "label": "neutral", "more": [1]}\n\n')
    assert read_pairs(tmp_path / "pairs.jsonl.gz") == [Pair("x", "ÿ", "neutral")]


@pytest.mark.parametrize("line", ["nothing", '{"a": "x"}', "[1]", '{"a": "x", "b": 2, "label": "neutral"}',
                                  '{"a": "x", "b": "y", "label": "entailment"}'])  # fmt: skip
def test_a_line_that_is_no_pair_is_named(tmp_path, line):
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"a": "x", "b": "y", "label": "neutral"}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(BadInputError, match="line 2"):
        read_pairs(path)


def test_a_missing_file_and_an_unknown_set_are_clear_errors(tmp_path):
    with pytest.raises(NotFoundError, match="no file"):
        read_pairs(tmp_path / "none.jsonl")
    with pytest.raises(NotFoundError, match="no set"):
        published_pairs("snli", [])
    (tmp_path / "sick.tsv").write_text("pair_ID\tsentence_A\n1\tx\n", encoding="utf-8")
    with pytest.raises(BadInputError, match="form of sick"):
        published_pairs("sick", [tmp_path / "sick.tsv"])


SICK = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n" + "".join(
    f"{i}\ta{i}\tb{i}\t{score}\t{label}\n"
    for i, (score, label) in enumerate([(4.7, "ENTAILMENT"), (4.6, "ENTAILMENT"), (3, "NEUTRAL"), (4, "CONTRADICTION")])
)
FEVER = [
    {"sentence1": f"a{i}", "sentence2": f"b{i}", "gold_label": gold} for i, gold in enumerate(["SUPPORTS", "REFUTES"])
]
BREAKING = [
    {"sentence1": f"a{i}", "sentence2": f"b{i}", "gold_label": gold}
    for i, gold in enumerate(["contradiction", "entailment", "neutral"])
]


@pytest.mark.parametrize(
    ("name", "text", "labels"),
    [
        ("sick", SICK, {0: "duplicate", 2: "neutral", 3: "contradiction"}),
        ("stsb", 'a0,b0,4.8\n"a1",b1,4.79\na2,b2,3.5\na3,b3,3.51\n', {0: "duplicate", 2: "neutral"}),
        ("breaking-nli", "\n".join(map(json.dumps, BREAKING)), {0: "contradiction", 2: "neutral"}),
        ("fever-symmetric", "\n".join(map(json.dumps, FEVER)), {1: "contradiction"}),
        (
            "counterfactual-nli",
            "sentence1\tsentence2\tgold_label\na0\tb0\tneutral\na1\tb1\tentailment\na2\tb2\tcontradiction\n",
            {0: "neutral", 2: "contradiction"},
        ),
    ],
)
def test_published_sets_map_to_the_three_labels(tmp_path, name, text, labels):
    path = tmp_path / "set"
    path.write_text(text, encoding="utf-8")
    assert published_pairs(name, [path]) == [Pair(f"a{i}", f"b{i}", label) for i, label in labels.items()]


SENTENCES = [
    "A man is chasing the dog",
    "Two kids are sitting in the red car",
    "The woman is slicing onions near the lake",
    "Three happy boys are walking up the hill",
    "A girl is not eating bread at night",
    "The old soldier was holding a guitar",
]


def test_made_pairs_change_one_thing_and_are_the_same_for_the_same_seed():
    made = made_pairs(SENTENCES * 3, random.Random(1))
    assert made == made_pairs(SENTENCES * 3, random.Random(1))
    assert len({(m.pair.a, m.pair.b) for m in made}) == len(made)
    assert all(m.pair.a != m.pair.b for m in made)
    assert {m.pair.label for m in made} == set(LABELS)
    assert any(m.blind for m in made)
    assert "A dog is being chased by a man" not in {m.pair.a for m in made}


def test_swaps_hold_single_words_of_the_lists():
    swaps = Swaps.load()
    assert "bicycle" in swaps.same["bike"]
    assert "blue" in swaps.other["red"]
    assert "scarlet" not in swaps.other["red"]
    assert "person" in swaps.wider["man"]
    assert not any("_" in word for held in (swaps.same, swaps.other, swaps.wider) for word in held)


def test_training_learns_from_what_it_is_given_and_repeats_itself():
    published = [Pair(f"The {n} car is red", f"The {n} car is blue", "contradiction") for n in SENTENCES]
    published += [Pair(a, b, "neutral") for a in SENTENCES for b in SENTENCES if a < b]

    def trained():
        return asyncio.run(train_pair_classifier(published, HashEmbedder(), sentences=200, units=8))

    model, again = trained(), trained()
    assert model.about["published"] == len(published)
    assert model.hidden[0].tolist() == again.hidden[0].tolist()
    u, v = asyncio.run(HashEmbedder().embed(["Ann is at home", "Ann is not at home"]))
    found = model.classify(read_pair("Ann is at home", "Ann is not at home"), u, v)
    assert sum(found) == pytest.approx(1)
    assert found.contradiction > found.duplicate


def test_training_without_contradictions_says_so():
    with pytest.raises(BadInputError, match="contradictions"):
        asyncio.run(train_pair_classifier([Pair("a", "b", "neutral")], HashEmbedder()))


@pytest.fixture
def fake_model(monkeypatch):
    monkeypatch.setattr(evaluate_pairs, "_embedder", Twins)


def run(*words):
    result = CliRunner().invoke(evaluate.app, list(map(str, words)), catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_the_command_prints_exactly_the_agreed_object(fake_model, tmp_path):
    write_pairs(tmp_path / "pairs.jsonl", PAIRS)
    found = json.loads(run("pairs", "--pairs", tmp_path / "pairs.jsonl", "--json"))
    assert list(found) == ["merge", "tension", "n", "ms_per_pair"]
    assert list(found["merge"]) == ["precision", "recall", "f1", "contradictions_merged"]
    assert list(found["tension"]) == ["precision", "recall", "f1"]
    alone = json.loads(run("pairs", "--pairs", tmp_path / "pairs.jsonl", "--by", "cosine", "--json"))
    assert alone["merge"]["contradictions_merged"] == 2
    assert "n: 4" in run("pairs", "--pairs", tmp_path / "pairs.jsonl", "--same-subject")


def test_pair_files_are_made_by_a_command(tmp_path):
    (tmp_path / "sick.tsv").write_text(SICK, encoding="utf-8")
    found = json.loads(run("make-pairs", "sick", tmp_path / "sick.tsv", "--out", tmp_path / "out.jsonl", "--json"))
    assert (found["n"], found["duplicate"], found["neutral"], found["contradiction"]) == (3, 1, 1, 1)
    assert len(read_pairs(tmp_path / "out.jsonl")) == 3


def test_the_classifier_is_trained_by_a_command(fake_model, tmp_path):
    rows = [f"{a}\t{b}\t{'neutral' if a < b else 'contradiction'}" for a in SENTENCES for b in SENTENCES if a != b]
    (tmp_path / "nli.tsv").write_text("\n".join(["sentence1\tsentence2\tgold_label", *rows]) + "\n", encoding="utf-8")
    (tmp_path / "fever.jsonl").write_text("\n".join(map(json.dumps, FEVER)), encoding="utf-8")
    words = ["--counterfactual", tmp_path / "nli.tsv", "--fever", tmp_path / "fever.jsonl", "--sentences", "200"]
    found = json.loads(run("train-pairs", *words, "--out", tmp_path / "model", "--json"))
    assert found["published"] == 31
    assert PairClassifier.load(tmp_path / "model").about["sentences"] == found["sentences"]


DATA = Path(os.environ.get("CLAUSE_DATA", "../shared/data"))


@pytest.mark.data
@pytest.mark.long
def test_on_sick_the_guards_are_precise_where_the_cosine_is_not():
    file = DATA / "sick" / "trial.tsv.gz"
    if not file.is_file():
        pytest.skip(f"no {file}: set CLAUSE_DATA to the evaluation data")
    from clause.text.embedder import SentenceTransformerEmbedder

    embedder, pairs = SentenceTransformerEmbedder(), published_pairs("sick", [file])
    guards, cosine = (figures(pairs, decider(judge), embedder) for judge in (Judge.GUARDS, Judge.COSINE))
    assert guards["merge"]["contradictions_merged"] == 0
    assert guards["merge"]["precision"] >= 0.95 > cosine["merge"]["precision"]
    assert guards["merge"]["recall"] >= 0.4
    assert guards["tension"]["precision"] >= 0.85
    assert guards["tension"]["recall"] >= 0.5


def test_intervals_hold_the_shares_and_narrow_with_the_number_of_pairs():
    said, real = [True] * 9 + [False] * 11, [True] * 8 + [False] * 2 + [True] * 4 + [False] * 6
    few, many = sampled(said, real), sampled(said * 25, real * 25)
    told = shares(said, real)
    for name in ("precision", "recall"):
        assert few[name][0] < many[name][0] < told[name] < many[name][1] < few[name][1]
    assert sampled(said, real) == few


def test_an_interval_without_a_denominator_is_none():
    assert sampled([], []) == {"precision": None, "recall": None}
    assert sampled([False, False], [True, False])["precision"] is None
    assert sampled([True, False], [False, False])["recall"] is None


def test_intervals_are_told_where_they_are_asked_for():
    pairs = [Pair("a b", "a b", "duplicate"), Pair("a b", "c d", "neutral")]
    told = asyncio.run(measure(pairs, HashEmbedder(), decider(Judge.COSINE), intervals=True))
    assert told["merge"]["intervals"]["precision"] == [1.0, 1.0]
    assert told["tension"]["intervals"] == {"precision": None, "recall": None}
