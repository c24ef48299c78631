"""The learned classifier of relationship patterns."""

import json

import numpy as np
import pytest

from clause.errors import BadInputError, NotFoundError
from clause.evaluation.question_files import parse_line
from clause.lab.baselines.relation_path import confident, shipped_classifier
from clause.lab.pattern_classifier import PatternClassifier, parse_pattern, pattern_name, train_pattern_classifier
from clause.policy.train.lessons import TypedWalks
from tests.unit.evaluation.films import snapshot

GRAPH = TypedWalks(snapshot())
DIRECTED = ["who directed [Ali]\tMann", "who directed [Ronin]\tFrankenheimer", "who directed [Heat]\tMann"]
GENRES = ["what genre is [Ali]\tDrama", "what genre is [Ronin]\tCrime", "what genre is [Scarface]\tCrime"]
ACTORS = ["who acted in [Ali]\tSmith", "who acted in [Ronin]\tDe Niro", "who acted in [Heat]\tPacino|De Niro"]


def trained(lines, **options):
    return train_pattern_classifier(GRAPH, [parse_line(line) for line in lines], rarest_gram=1, **options)


def test_weak_labels_teach_the_pattern_of_each_wording_and_ambiguous_ones_follow_the_sure_ones():
    told = []
    model = trained(DIRECTED * 2 + GENRES, rarest_pattern=2, progress=lambda done, total: told.append((done, total)))
    assert pattern_name(model.predict("who directed it")[0][0]) == "directed_by"
    assert pattern_name(model.predict("what genre is it")[0][0]) == "has_genre"
    assert parse_pattern("written_by") not in model.patterns
    assert model.about["unambiguous"] == 7
    assert told[-1] == (9, 9)


def test_probabilities_sum_to_1_best_first():
    model = trained(DIRECTED + GENRES + ACTORS, rarest_pattern=2)
    shares = [share for _, share in model.predict("who acted in it", top=9)]
    assert sum(shares) == pytest.approx(1, abs=1e-5)
    assert shares == sorted(shares, reverse=True)
    assert len(model.patterns) == 3


def test_an_unlabelled_question_is_left_out_and_too_few_patterns_are_refused():
    with pytest.raises(BadInputError, match="too few questions"):
        trained([*DIRECTED, "who directed [Ali]\tNobody", "who directed Ali\tMann"], rarest_pattern=1)


def test_a_saved_model_predicts_the_same(tmp_path):
    model = trained(DIRECTED + GENRES, rarest_pattern=2)
    model.save(tmp_path / "deep" / "model")
    again = PatternClassifier.load(tmp_path / "deep" / "model")
    assert [pattern for pattern, _ in again.predict("who directed it")] == [
        pattern for pattern, _ in model.predict("who directed it")
    ]
    np.testing.assert_allclose(again.weights, model.weights, rtol=1e-3, atol=1e-3)
    assert again.about == model.about


def test_missing_corrupt_and_foreign_files_are_one_clear_error_each(tmp_path):
    with pytest.raises(NotFoundError, match="train-relation-path"):
        PatternClassifier.load(tmp_path / "model")
    model = trained(DIRECTED + GENRES, rarest_pattern=2)
    model.save(tmp_path / "model")
    about = json.loads((tmp_path / "model.json").read_text())
    (tmp_path / "model.json").write_text(json.dumps(about | {"grams": ["one"]}))
    with pytest.raises(BadInputError, match="do not fit 1 n-grams"):
        PatternClassifier.load(tmp_path / "model")
    (tmp_path / "model.json").write_text("{}")
    with pytest.raises(BadInputError, match="holds no pattern classifier"):
        PatternClassifier.load(tmp_path / "model")
    model.save(tmp_path / "model")
    (tmp_path / "model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(BadInputError, match="holds no pattern classifier"):
        PatternClassifier.load(tmp_path / "model")


def test_the_shipped_classifier_reads_metaqas_wordings_and_is_small():
    model = shipped_classifier()
    assert pattern_name(model.predict("who directed it")[0][0]) == "directed_by"
    assert pattern_name(model.predict("the films acted by it were released in which years")[0][0]) == (
        "~starred_actors release_year"
    )
    assert model.weights.nbytes < 1_000_000
    assert shipped_classifier() is model


def test_confident_predictions_keep_the_best_one_whatever_its_share():
    first, second = (parse_pattern(name) for name in "ab")
    assert confident([(first, 0.04), (second, 0.03)], 0.05) == [(first, 0.04)]
    assert confident([(first, 0.9), (second, 0.1)], 0.05) == [(first, 0.9), (second, 0.1)]
