"""What makes a name the one that a question asks about."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.reasoning.question.seed_matching import EntityMatch, match_names
from clause.reasoning.question.seed_ranking import FEATURES, features, rank, shipped_weights, stem
from clause.text.mentions import candidate_spans


def ranked(question, *rows):
    found = match_names(candidate_spans(question), [{"id": row["name"], **row} for row in rows])
    return [r.candidate.name for r in rank(question, found)]


def described(question, name, *others, **row):
    rows = [{"id": n, "name": n} for n in others] + [{"id": name, "name": name, **row}]
    found = match_names(candidate_spans(question), rows)
    best = next(i for i, c in enumerate(found) if c.name == name)
    return dict(zip(FEATURES, features(question, found)[best], strict=True))


def film(name, **row):
    return {"name": name, "hops": [">directed_by", ">release_year"], **row}


def test_the_weights_that_ship_are_those_of_the_features():
    assert list(shipped_weights()) == list(FEATURES)
    assert all(np.isfinite(list(shipped_weights().values())))


@pytest.mark.parametrize(
    ("question", "names", "first"),
    [
        ("who directed The Movie", ["Who", "The Movie", "Movie"], "The Movie"),
        ("what is the genre of Who", ["What", "Who", "Genre"], "Who"),
        ("when was Desperate Hours released", ["Hours", "Desperate", "Desperate Hours"], "Desperate Hours"),
        ("what films did Clint Eastwood direct", ["clint eastwood", "Clint Eastwood"], "Clint Eastwood"),
        ("which movies are about clint eastwood", ["clint eastwood", "Clint Eastwood"], "clint eastwood"),
        ("the director of The Director is who", ["director", "The Director"], "The Director"),
        ("What did the man say in The Third Man?", ["man", "What", "The Third Man", "Third Man"], "The Third Man"),
    ],
)
def test_a_common_word_that_is_a_title_does_not_win(question, names, first):
    assert ranked(question, *({"name": name} for name in names))[0] == first


def test_the_relationships_an_entity_has_decide_between_equal_names():
    tag = {"id": "tag", "name": "drama", "hops": ["<has_tags"]}
    genre = {"id": "genre", "name": "drama", "hops": ["<has_genre"]}
    for question, expected in [("drama is the genre of which films", "genre"), ("films with tags like drama", "tag")]:
        found = match_names(candidate_spans(question), [tag, genre])
        assert rank(question, found)[0].candidate.id == expected


def test_features_say_what_stands_around_the_span():
    row = described("films directed by Clint Eastwood", "Clint Eastwood", hops=["<directed_by"])
    assert (row["exact"], row["closes"], row["after_preposition"]) == (1, 1, 1)
    assert (row["relation_fits"], row["relation_reads_into"], row["relation_misfits"]) == (1, 1, 0)
    assert (row["opens"], row["cuts_name"], row["capitals_left"]) == (0, 0, 0)


def test_features_say_what_the_span_leaves_out():
    row = described("Ridley Scott's Blade Runner", "Scott", "Ridley Scott")
    assert (row["cuts_name"], row["inside_longer"], row["one_word"]) == (1, 1, 1)
    assert row["capitals_left"] == pytest.approx(3 / 4)
    assert described("who made Alien", "Alien", hops=["<has_tags"])["relation_misfits"] == 0


def test_a_title_in_lower_case_and_function_words_are_noted():
    row = described("who directed the movie", "The Movie")
    assert (row["title_in_lower_case"], row["exact"], row["only_function_words"]) == (1, 0, 1)


def test_every_feature_is_a_share():
    question = "who directed The Matrix with tags of time by Lana?"
    names = ["Who", "The Matrix", "time", "Lana", "?"]
    found = match_names(candidate_spans(question), [film(n, id=n, degree=10**6) for n in names])
    found.append(EntityMatch("v", "v", "vector", similarity=1.0))
    found.append(EntityMatch("f", "f", "full_text", relevance=1.0))
    rows = features(question, found)
    assert ((rows >= 0) & (rows <= 1)).all()


def test_each_entity_comes_once_by_its_best_span():
    question = "Jaws or jaws"
    found = match_names(candidate_spans(question), [{"id": "1", "name": "Jaws"}])
    (only,) = rank(question, found)
    assert only.candidate.reason == "exact"
    assert only.candidate.span is not None
    assert only.candidate.span.start == 0


def test_equal_candidates_are_ordered_by_degree_and_then_by_id():
    candidates = [EntityMatch(i, "x", "vector", degree=d) for i, d in [("b", 1), ("a", 1), ("c", 9)]]
    weights = {**dict.fromkeys(FEATURES, 0.0), "named": 1.0}
    assert [r.candidate.id for r in rank("q", candidates, weights)] == ["c", "a", "b"]


@given(st.permutations(["Who", "The Movie", "Movie", "the movie", "directed"]))
def test_the_order_of_the_candidates_does_not_matter(names):
    question = "who directed The Movie"
    rows = [{"id": name, "name": name} for name in names]
    ids = [r.candidate.id for r in rank(question, match_names(candidate_spans(question), rows))]
    rows.sort(key=lambda row: row["id"])
    assert ids == [r.candidate.id for r in rank(question, match_names(candidate_spans(question), rows))]


def test_scores_are_shares_and_fall():
    question = "who directed The Movie"
    rows = [{"id": n, "name": n} for n in ["Who", "The Movie", "Movie"]]
    scores = [r.score for r in rank(question, match_names(candidate_spans(question), rows))]
    assert scores == sorted(scores, reverse=True)
    assert 0 < scores[-1] < 0.5 < scores[0] < 1


def test_no_candidates_give_no_ranking():
    assert rank("anything", []) == []
    assert features("anything", []).shape == (0, len(FEATURES))


@pytest.mark.parametrize(("word", "other"), [("acted", "actors"), ("languages", "language"), ("released", "release")])
def test_words_of_one_family_share_a_stem(word, other):
    assert stem(word) == stem(other)


def test_a_short_word_keeps_its_ending():
    assert stem("is") == "is"
    assert stem("act") == "act"
