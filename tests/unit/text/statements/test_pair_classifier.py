"""The words, lists, alignment and classifier behind the guards."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.errors import BadInputError, NotFoundError
from clause.knowledge.tension_detection import MEANT
from clause.text.statements.lexicon import Lexicon, Relation, relation, shipped_lexicon
from clause.text.statements.pair_classifier import (
    LABELS,
    RULES,
    SHIPPED,
    SHIPPED_READER,
    PairClassifier,
    PairReader,
    pair_features,
    read_pair,
    rule_features,
    shipped_pair_classifier,
    shipped_pair_reader,
)
from clause.text.statements.words import bases, words
from tests.worlds.kept_pairs import FOLDER, told


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("riding", "rode", True),
        ("boxes", "box", True),
        ("tries", "try", True),
        ("tried", "trying", True),
        ("running", "runs", True),
        ("leaves", "leaf", True),
        ("plan", "plane", False),
        ("news", "new", True),
        ("bus", "bu", False),
        ("thing", "th", False),
        ("bed", "b", False),
    ],
)
def test_forms_of_one_word_share_a_base(one, other, same):
    assert bool(bases(one) & bases(other)) is same


def test_contractions_and_possessives_are_taken_apart():
    read = [word.lower for word in words("They'll say we can't, won't and cannot; the boys' dog's mine's we've I'm US")]
    assert "will" in read
    assert read.count("not") == 3
    assert {"boys", "dog", "u.s."} <= set(read)
    assert not any("'" in word for word in read)


def test_words_know_where_a_sentence_opens_and_where_it_pauses():
    read = words('Ann said: "Go home." Bob, her son, did - late.')
    assert [word.text for word in read if word.opens] == ["Ann", "Go", "Bob"]
    assert [word.text for word in read if word.pauses] == ["Go", "Bob", "her", "did", "late"]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("kid", "children", Relation.SAME),
        ("grass", "grassy", Relation.SAME),
        ("sun", "sunny", Relation.SAME),
        ("china", "chinese", Relation.SAME),
        ("man", "person", Relation.WIDER),
        ("dog", "animals", Relation.WIDER),
        ("boy", "girl", Relation.EXCLUSIVE),
        ("happy", "unhappy", Relation.EXCLUSIVE),
        ("south_korea", "north_korea", Relation.EXCLUSIVE),
        ("jump", "leap", Relation.SAME),
        ("table", "cloud", Relation.UNKNOWN),
    ],
)
def test_the_lists_relate_words_in_both_directions(one, other, expected):
    assert relation(one, other) is relation(other, one) is expected


def test_the_lists_know_their_words_and_no_others():
    assert shipped_lexicon().knows("blue")
    assert not shipped_lexicon().knows("zyx")


def test_synonyms_win_over_antonyms_in_lists_of_ones_own(tmp_path):
    (tmp_path / "synonyms.txt").write_text("# a comment\nwarm hot\n", encoding="utf-8")
    (tmp_path / "hypernyms.txt").write_text("", encoding="utf-8")
    (tmp_path / "antonyms.txt").write_text("hot | warm cold\n", encoding="utf-8")
    for name in ("wordnet_antonyms.txt", "habits.txt"):
        (tmp_path / name).write_text("", encoding="utf-8")
    (tmp_path / "exclusive.txt").write_text("state: solid liquid/molten\n", encoding="utf-8")
    lexicon = Lexicon.load(tmp_path)
    found = [lexicon.relation(*pair) for pair in (("hot", "warm"), ("hot", "cold"), ("solid", "molten"))]
    assert found == [Relation.SAME, Relation.EXCLUSIVE, Relation.EXCLUSIVE]
    assert lexicon.relation("liquid", "molten") is Relation.UNKNOWN


def test_a_phrase_meets_its_verb_where_the_other_side_has_the_particle():
    together = read_pair("He puts a hat on", "He is putting on a hat").alignment
    assert (together.only_a, together.only_b) == ((), ())
    apart = read_pair("He puts a hat away", "He puts on a hat").alignment
    assert apart.only_a or apart.only_b
    assert read_pair("He lives in South Korea", "He lives in North Korea").alignment.exclusive


def test_what_is_left_over_and_who_does_what_is_told():
    found = read_pair("A boy runs", "Two tall boys run at home").alignment
    assert (found.only_a, found.only_b, found.plural > 0, found.exchanged) == ((), ("tall", "home"), True, False)
    assert read_pair("The cat sees Ann", "Ann sees the cat").alignment.moved > 0
    assert read_pair("Ann and Bob sing", "Bob and Ann sing").alignment.moved == 0
    passive = read_pair("Ann looks out and a cup is held by Bob", "Ann looks out and Bob holds a cup").alignment
    assert passive.moved == 0


@given(st.text(max_size=60), st.text(max_size=60))
def test_features_are_finite_and_do_not_depend_on_the_order(a, b):
    one, other = rule_features(read_pair(a, b), 0.5), rule_features(read_pair(b, a), 0.5)
    assert one.shape == (len(RULES),)
    assert np.isfinite(one).all()
    assert one.tolist() == other.tolist()


def classifier(dimension=4, seed=0):
    rng = np.random.default_rng(seed)
    size = len(RULES) + 2 * dimension
    parts = [rng.normal(size=shape).astype(np.float16).astype(np.float32) for shape in ((size, 3), (3,), (3, 3), (3,))]
    mean, scale = np.zeros(size, np.float32), np.ones(size, np.float32)
    return PairClassifier(mean, scale, (parts[0], parts[1]), (parts[2], parts[3]), {"seed": seed})


def test_a_classifier_gives_shares_and_survives_saving(tmp_path):
    model, reading = classifier(), read_pair("Ann runs", "Ann walks")
    u, v = np.eye(4, dtype=np.float32)[:2]
    shares = model.classify(reading, u, v)
    assert sum(shares) == pytest.approx(1)
    model.save(tmp_path / "deep" / "pairs")
    loaded = PairClassifier.load(tmp_path / "deep" / "pairs")
    assert loaded.classify(reading, u, v) == pytest.approx(shares, abs=1e-6)
    assert loaded.about == {"seed": 0}


def test_a_classifier_of_other_vectors_says_so():
    with pytest.raises(BadInputError, match="features"):
        classifier(dimension=5).classify(read_pair("a", "b"), *np.eye(4, dtype=np.float32)[:2])


def test_files_that_are_missing_or_no_classifier_are_clear_errors(tmp_path):
    with pytest.raises(NotFoundError, match="no pair classifier"):
        PairClassifier.load(tmp_path / "none")
    classifier().save(tmp_path / "pairs")
    about = json.loads((tmp_path / "pairs.json").read_text())
    (tmp_path / "pairs.json").write_text(json.dumps({**about, "rules": ["other"]}))
    with pytest.raises(BadInputError, match="other features"):
        PairClassifier.load(tmp_path / "pairs")
    (tmp_path / "pairs.safetensors").write_bytes(b"nothing")
    with pytest.raises(BadInputError, match="holds no"):
        PairClassifier.load(tmp_path / "pairs")


def test_the_shipped_classifier_is_small_and_tells_its_training():
    model = shipped_pair_classifier()
    assert len(model.mean) == len(RULES) + 2 * 384
    assert SHIPPED.with_suffix(".safetensors").stat().st_size < 300_000
    assert set(model.about["labels"]) == set(LABELS)
    u = np.full(384, 384**-0.5, dtype=np.float32)
    assert pair_features(read_pair("a", "b"), u, u).shape == model.mean.shape


def test_what_statements_mean_is_read_beside_each_other_in_any_order():
    """The half of everyday pairs that was looked at: two fifths of what rules hardly see, and little that is none."""
    pairs, reader = told(FOLDER / "fourth_hand_looked_at.txt"), shipped_pair_reader()
    assert (reader.contradicting(pairs["contradict"]) >= MEANT).mean() > 0.3
    assert (reader.contradicting([*pairs["go together"], *pairs["same"]]) >= MEANT).mean() < 0.05
    turned = [(b, a) for a, b in pairs["contradict"]]
    np.testing.assert_allclose(reader.contradicting(turned), reader.contradicting(pairs["contradict"]), atol=1e-4)


def test_the_statement_that_answers_is_told_beside_the_question():
    asked = "who looks after the hens while Ada is away?"
    texts = [
        "Ada is away from Friday on.",
        "Benno feeds the hens whenever Ada travels.",
        "The hens lay less in winter.",
    ]
    found = shipped_pair_reader().answering(asked, texts)
    assert found.shape == (3,)
    assert found.argmax() == 1
    assert found[1] > 0 > max(found[0], found[2])


def test_a_reader_of_pairs_is_saved_and_read_again(tmp_path):
    rng = np.random.default_rng(0)
    kept = {"norm.weight": rng.normal(size=384).astype(np.float32)}
    table = rng.normal(size=(1536, 384)).astype(np.float32)
    out = (rng.normal(size=(384, 3)).astype(np.float32), np.zeros(3, np.float32))
    PairReader.save(tmp_path / "beside", {**kept, "layers.0.wide.weight": table}, out, {"pairs": 3})
    read = PairReader.load(tmp_path / "beside")
    assert read.about == {"pairs": 3}
    assert read.contradicting([("One thing", "Another thing")]).shape == (1,)


@pytest.mark.parametrize("damage", ["missing", "cut"])
def test_a_reader_of_pairs_that_is_none_says_so(tmp_path, damage):
    for kind in (".json", ".safetensors"):
        (tmp_path / f"beside{kind}").write_bytes(SHIPPED_READER.with_suffix(kind).read_bytes())
    if damage == "missing":
        (tmp_path / "beside.json").unlink()
    else:
        (tmp_path / "beside.safetensors").write_bytes(b"no tensors at all")
    with pytest.raises((NotFoundError, BadInputError), match="pairs"):
        PairReader.load(tmp_path / "beside")
