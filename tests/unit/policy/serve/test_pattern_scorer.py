"""The pattern scorer as it ships: its figures do not hang on what it is asked beside, and it tells directions apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from clause.errors import BadInputError, NotFoundError
from clause.policy.serve.pattern_scorer import SHIPPED, PatternScorer
from clause.policy.train.encoder import TrainedReader

Hops = list[tuple[str, bool]]


@pytest.fixture(scope="module")
def scorer() -> PatternScorer:
    return PatternScorer.load()


def best(scorer: PatternScorer, question: str, patterns: list[Hops]) -> Hops:
    return patterns[int(scorer.score(question, patterns).argmax())]


def both_ways(*names: str) -> list[Hops]:
    return [[(name, forward)] for name in names for forward in (True, False)]


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Who directed it?", [("directed_by", True)]),
        ("What did it direct?", [("directed_by", False)]),
        ("What does it cause?", [("caused_by", False)]),
        ("What causes it?", [("caused_by", True)]),
        ("Which parts does it have?", [("has_part", True)]),
    ],
)
def test_the_side_that_is_asked_for_comes_first(scorer: PatternScorer, question: str, wanted: Hops) -> None:
    assert best(scorer, question, both_ways(wanted[0][0], "release_year", "spouse")) == wanted


def test_neither_a_hop_too_many_nor_one_too_few(scorer: PatternScorer) -> None:
    one: Hops = [("country", True)]
    two: Hops = [("country", True), ("currency", True)]
    three: Hops = [("country", True), ("currency", True), ("inventor", True)]
    assert best(scorer, "Which country is it in?", [one, two, three]) == one
    assert best(scorer, "What is the currency of the country of it?", [one, two, three]) == two


def test_a_pattern_scores_the_same_whatever_stands_beside_it(scorer: PatternScorer) -> None:
    patterns = both_ways("director", "place_of_birth", "caused_by", "owner")
    together = scorer.score("who owns it", patterns)
    alone = np.concatenate([scorer.score("who owns it", [pattern]) for pattern in patterns])
    fresh = PatternScorer.load().score("who owns it", patterns[::-1])[::-1]
    np.testing.assert_allclose(together, alone, atol=1e-4)
    np.testing.assert_allclose(together, fresh, atol=1e-4)


def test_log_probabilities_are_those_of_a_choice(scorer: PatternScorer) -> None:
    found = scorer.log_probabilities("who owns it", both_ways("owner", "maker"))
    assert np.exp(found).sum() == pytest.approx(1.0, abs=1e-5)
    assert found.dtype == np.float32
    assert scorer.log_probabilities("who owns it", []).shape == (0,)


def test_least_recently_read_texts_are_let_go_first() -> None:
    shipped = PatternScorer.load()
    small = PatternScorer(shipped.reader, cached=2)
    patterns = both_ways("owner", "maker")
    np.testing.assert_allclose(small.score("who owns it", patterns), shipped.score("who owns it", patterns), atol=1e-4)
    assert len(small._kept) == 2


def test_saved_and_loaded_it_scores_the_same(scorer: PatternScorer, tmp_path: Path) -> None:
    TrainedReader.load(SHIPPED).save(tmp_path / "copy", ("layers.",))
    copy = PatternScorer.load(tmp_path / "copy")
    patterns = both_ways("owner", "maker", "caused_by")
    np.testing.assert_allclose(
        copy.score("who owns it", patterns), scorer.score("who owns it", patterns), rtol=0, atol=0.05
    )


def test_served_without_torch_it_computes_what_was_trained(scorer: PatternScorer) -> None:
    trained = PatternScorer.load(backend="torch")
    patterns = both_ways("owner", "maker", "caused_by", "place_of_birth", "has_part")
    patterns += [[*one, *other] for one in patterns for other in patterns]
    for question in ("who owns it", "Which country is it in?", "雨 🎬", "word " * 90 + "it"):
        ours, theirs = scorer.score(question, patterns), trained.score(question, patterns)
        np.testing.assert_allclose(ours, theirs, atol=1e-4, rtol=0)
        np.testing.assert_array_equal(np.argsort(-ours)[:5], np.argsort(-theirs)[:5])


def test_what_ships_is_under_45_megabytes() -> None:
    assert SHIPPED.with_suffix(".safetensors").stat().st_size < 45_000_000


def test_a_missing_or_foreign_file_is_said_to_be_so(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no pattern scorer"):
        PatternScorer.load(tmp_path / "absent")
    (tmp_path / "foreign.json").write_text("{}")
    (tmp_path / "foreign.safetensors").write_bytes(b"nothing of the kind")
    with pytest.raises(BadInputError, match="is no pattern scorer"):
        PatternScorer.load(tmp_path / "foreign")


def test_a_blank_question_and_an_empty_pattern_are_refused(scorer: PatternScorer) -> None:
    with pytest.raises(BadInputError, match="asks for nothing"):
        scorer.score("  ", both_ways("owner"))
    with pytest.raises(BadInputError, match="without a hop"):
        scorer.score("who owns it", [[]])
