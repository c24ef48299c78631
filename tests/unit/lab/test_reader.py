"""The reader's workshop: lessons hold no right answer as a wrong one, exams can be passed."""

from __future__ import annotations

import random
from dataclasses import asdict
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch

from clause.errors import BadInputError
from clause.lab.pair_training import started, train_beside
from clause.lab.pairs import Pair
from clause.lab.reader.close import CloseLists, CloseRecipe, close_loss, standing_loss, train_close
from clause.lab.reader.exams import Item, Walker, marks, noted, strangers, told_apart
from clause.lab.reader.lessons import Lessons, Likeness, key, notebooks
from clause.lab.reader.material import (
    KEPT_ASIDE,
    NOTEBOOKS,
    NOTEBOOKS_KEPT_ASIDE,
    STRANGERS,
    WRITTEN,
    left_out_label,
    written_questions,
)
from clause.lab.reader.phrases import asked, meant, nested, phrase, siblings, spelt
from clause.lab.reader.sources import Asked, LearntRelation, masked
from clause.lab.reader.training import LowRank, ReaderRecipe, apart, scored, train, unpack_onnx, untrained
from clause.policy.serve.pattern_scorer import LONGEST, SHIPPED
from clause.policy.train.encoder import TokenEncoder, TrainedReader, packaged_encoder
from clause.reasoning.question.pattern_text import pattern_text
from clause.text.bert import PARTS
from clause.text.embedder import packaged_folder
from clause.text.statements.pair_classifier import ANSWERS, PairReader, read_weights

RELATIONS = {
    name: LearntRelation(name, ("maker of it",)) for name in ("director", "spouse", "genre", "owner", "place of birth")
}


def lessons(seed: int) -> Lessons:
    rng = random.Random(1)
    singles = [
        Asked(text, ((name, forward),), "set")
        for name in RELATIONS
        for forward, text in ((True, f"what is the {name} of it?"), (False, f"which has it as {name}"))
    ]
    chains = [Asked(f"the {a} of its {b}", ((b, True), (a, True)), "set") for a in RELATIONS for b in RELATIONS]
    rng.shuffle(singles)
    vectors = np.eye(len(RELATIONS), dtype=np.float32)
    return Lessons(singles + chains, chains, RELATIONS, Likeness(sorted(RELATIONS), vectors), seed=seed)


@pytest.mark.parametrize("seed", range(8))
def test_a_batch_names_the_right_pattern_and_never_sets_its_equal_against_it(seed: int) -> None:
    batch = lessons(seed).batch()
    assert len(batch.questions) == len(batch.right) == 32
    assert len(set(batch.patterns)) == len(batch.patterns)
    assert not batch.ignored[np.arange(32), batch.right].any()
    assert (~batch.ignored).sum(1).min() > 8


def test_batches_repeat_with_their_seed() -> None:
    assert lessons(3).batch().questions == lessons(3).batch().questions
    assert lessons(3).batch().questions != lessons(4).batch().questions


def test_symmetric_relations_are_one_in_both_directions() -> None:
    assert key((("spouse", True),)) == key((("spouses", False),))
    assert key((("parent", True),)) != key((("parent", False),))


def test_a_spelling_keeps_what_is_meant() -> None:
    rng = random.Random(0)
    said = {pattern_text([spelt("director", (), True, rng)]) for _ in range(200)}
    assert {"director of it", "what directed it"} <= said
    assert "what is directed by it" not in said
    assert "whose director is it" not in said


def test_phrases_nest_into_questions_that_name_the_topic_once() -> None:
    rng = random.Random(0)
    for name in ("director", "directed_by", "eats", "located_in", "part_of", "works_for", "is_a", "causes_disease"):
        for forward in (True, False):
            said = nested(asked(name, forward, rng), meant(name, forward, rng))
            assert said is not None
            assert said.split().count("it") + said.count("it's") == 1, said
    assert phrase("who directed it?") == "the person who directed it"
    assert phrase("is it a film") is None


def test_a_mention_is_masked_where_it_stands() -> None:
    assert masked("Who wrote EMMA?", "Emma") == "Who wrote it?"
    assert masked("Who wrote it?", "Emma") is None


def test_no_relation_of_the_written_questions_kept_aside_is_trained_on() -> None:
    learnt, apart = (
        {siblings(label) for one in written_questions(file) for label, _ in one.path} for file in (WRITTEN, KEPT_ASIDE)
    )
    assert min(len(learnt), len(apart)) > 90
    assert not learnt & apart


def test_written_questions_stand_among_the_relations_of_their_field() -> None:
    written = written_questions(WRITTEN)
    made = Lessons(
        [],
        [],
        {},
        Likeness([], np.zeros((0, 1), dtype=np.float32)),
        seed=2,
        shares=(0, 0, 0, 0, 0, 1, 0),
        written=written,
    )
    batch = made.batch(2)
    said = {one.question.rstrip(" ?.") for one in written}
    assert {text.rstrip(" ?.") for text in batch.questions} <= said
    assert len(batch.patterns) > len(set(batch.right))
    exam = told_apart(written[:40])["written, kept aside"]
    assert all(sum(item.worth) == 1 and len(item.patterns) > 5 for item in exam)


def test_a_note_is_told_from_the_others_of_its_notebook() -> None:
    kept = notebooks(NOTEBOOKS)
    nothing = Likeness([], np.zeros((0, 1), dtype=np.float32))
    batch = Lessons([], [], {}, nothing, seed=2, shares=(0, 0, 0, 0, 0, 0, 1), notebooks=kept[:1]).batch(1)
    answering = {(text.rstrip(" ?."), kept[0].notes[place]) for text, places in kept[0].questions for place in places}
    chosen = [batch.patterns[place] for place in batch.right]
    assert {(text.rstrip(" ?."), note) for text, note in zip(batch.questions, chosen, strict=True)} <= answering
    exam = noted(notebooks(NOTEBOOKS_KEPT_ASIDE))["notes, kept aside"]
    assert all(1 <= sum(item.worth) < 5 and len(item.patterns) == 40 for item in exam)
    assert not {book.title for book in kept} & {book.title for book in notebooks(NOTEBOOKS_KEPT_ASIDE)}


@pytest.mark.slow
def test_a_scorer_learns_what_others_say_together(tmp_path: Path) -> None:
    others, encoder, matcher = TrainedReader.load(SHIPPED).parts(), packaged_encoder(), untrained()
    recipe, batch = (
        ReaderRecipe(of=("shipped",), steps=40, groups=1, frozen=0, hard=0.0, decay=0.9),
        lessons(9).batch(1),
    )

    def far() -> float:
        with torch.no_grad():
            return float(apart(scored(batch, (encoder, matcher)), scored(batch, others)))

    before = far()
    train(encoder, lessons(4), {}, recipe, folder=tmp_path, matcher=matcher, others=[others], report=lambda _: None)
    assert far() < 0.9 * before
    with torch.no_grad():
        assert float(apart(scored(batch, others), scored(batch, others))) == pytest.approx(0, abs=1e-5)


def exported(folder: Path, layers: int) -> Path:
    """A file as exports of BERT are: tables without their names, the other way round, beside steps that have them."""
    encoder = packaged_encoder()
    named = {"word_embeddings.weight": encoder.word.weight, "position_embeddings.weight": encoder.place}
    named |= {"LayerNorm.weight": encoder.norm.weight, "LayerNorm.bias": encoder.norm.bias}
    tables = {f"embeddings.{name}": value for name, value in named.items()}
    tables["embeddings.token_type_embeddings.weight"] = torch.zeros(2, 384)
    nodes: list[onnx.NodeProto] = []
    for number in range(layers):
        for part, own in PARTS.items():
            name, layer = f"encoder.layer.{number}.{part}", getattr(encoder.layers[number], own)
            tables[f"{name}.bias"] = layer.bias
            if part.endswith("LayerNorm"):
                tables[f"{name}.weight"] = layer.weight
            else:
                tables[f"onnx::MatMul_{len(nodes)}"] = layer.weight.T
                step = f"/{name.replace('.', '/')}/MatMul".replace("layer/", "layer.")
                nodes.append(onnx.helper.make_node("MatMul", ["x", f"onnx::MatMul_{len(nodes)}"], ["y"], name=step))
    kept = [onnx.numpy_helper.from_array(value.detach().numpy(), name) for name, value in tables.items()]
    graph = onnx.helper.make_graph(nodes, "bert", [], [], kept)
    onnx.save(onnx.helper.make_model(graph), folder / "bert.onnx")
    return folder / "bert.onnx"


def test_a_bert_that_a_package_carries_as_onnx_reads_as_it_did(tmp_path: Path) -> None:
    tokenizer = packaged_folder() / "tokenizer.json"
    unpack_onnx(exported(tmp_path, layers=2), tokenizer, tmp_path / "base")

    found, packaged = TokenEncoder.packaged(tmp_path / "base", LONGEST), packaged_encoder()
    del packaged.layers[2:]
    texts = ["who owns it", "what it is made of"]
    assert torch.equal(found(texts).states, packaged(texts).states)
    with pytest.raises(BadInputError, match="no BERT"):
        unpack_onnx(exported(tmp_path, layers=0), tokenizer, tmp_path / "other")


def close_lists(seed: int) -> CloseLists:
    books = notebooks(NOTEBOOKS_KEPT_ASIDE)
    return CloseLists(lessons(seed), books, (packaged_encoder(), untrained()), CloseRecipe(groups=1, seed=seed))


@pytest.mark.parametrize("seed", range(3))
def test_a_close_readers_lists_begin_with_the_right_text_and_hold_it_once(seed: int) -> None:
    lists, unanswered = close_lists(seed).draw()
    nothing_answers = {text for book in notebooks(NOTEBOOKS_KEPT_ASIDE) for text, notes in book.questions if not notes}

    assert len(lists) == 8
    for one in lists:
        assert len({question for question, _ in one}) == 1
        assert one[0] not in one[1:]
    assert len(unanswered) == 12
    assert {question for question, _ in unanswered} <= nothing_answers


@pytest.mark.slow
def test_trained_on_for_statements_alone_it_keeps_what_tells_of_answers() -> None:
    start = read_weights()
    pairs = [Pair("It is open.", "It is shut.", "contradiction"), Pair("It is open.", "One may enter.", "same")]
    layers, out = train_beside(pairs, epochs=48, start=start, report=lambda _line: None)

    assert out[0].shape == (384, 4)
    np.testing.assert_allclose(out[0][:, ANSWERS], start.out[0][:, ANSWERS], atol=1e-3)
    assert any((layers[name] != start.layers[name]).any() for name in layers)


@pytest.mark.slow
def test_a_close_reader_is_trained_on_from_a_reader_of_pairs() -> None:
    told: list[str] = []
    start, recipe = read_weights(), CloseRecipe(groups=1, steps=2, seed=1)
    pairs = [Pair("It is open.", "It is shut.", "contradiction"), Pair("It is open.", "One may enter.", "same")]
    layers, out = train_close(close_lists(1), pairs, start, recipe, report=told.append)

    assert out[0].shape == (384, 4)
    assert layers.keys() == start.layers.keys()
    assert any((layers[name] != start.layers[name]).any() for name in layers)
    assert told[-1].startswith("step 2: loss")


@pytest.mark.slow
def test_a_reader_of_pairs_is_begun_from_another_bert_and_teaches_the_one_that_ships(tmp_path: Path) -> None:
    pairs = [Pair("It is open.", "It is shut.", "contradiction"), Pair("It is open.", "One may enter.", "same")]
    start, quiet = read_weights(), lambda _line: None
    anew = CloseRecipe(groups=1, steps=2, seed=1, base=str(packaged_folder()))
    layers, out = train_close(close_lists(1), pairs, start, anew, report=quiet)
    assert not np.allclose(layers["layers.0.query.weight"], start.layers["layers.0.query.weight"], atol=1e-3)

    PairReader.save(tmp_path / "anew", layers, out, {"close": [asdict(anew)]})
    taught = CloseRecipe(groups=1, steps=2, seed=1, of=(str(tmp_path / "anew"),))
    layers, _ = train_close(close_lists(2), pairs, start, taught, report=quiet)
    assert not np.array_equal(layers["layers.0.query.weight"], start.layers["layers.0.query.weight"])


def test_what_a_reader_of_pairs_learns_of_others_is_nothing_where_these_are_itself() -> None:
    own, other, recipe = started(read_weights()), started(None), CloseRecipe(groups=1, hard=0.0, apart=0.0)
    pairs = [Pair("It is open.", "It is shut.", "contradiction"), Pair("It is open.", "One may enter.", "same")]
    of_itself, of_another = (standing_loss(own, pairs, recipe, [one]).item() for one in (own, other))
    assert of_itself < 0.1 * of_another
    of_itself, of_another = (close_loss(own, close_lists(3), recipe, [one])[0].item() for one in (own, other))
    assert of_itself < 0.1 * of_another


def test_every_question_about_the_strangers_can_be_answered() -> None:
    exam = strangers(STRANGERS)
    assert sum(len(items) for items in exam.values()) == 123
    assert all(max(item.worth) == 1.0 for items in exam.values() for item in items)


def test_marks_are_the_worth_of_the_first_pattern() -> None:
    exam = {"one": [Item("q", ("a", "b"), (0.0, 0.5))], "two": [Item("q", ("a", "b"), (1.0, 0.0))]}
    found = marks(exam, lambda questions, _: [torch.tensor([0.0, 1.0]) for _ in questions])
    assert found == {"one": 50.0, "two": 0.0}


def test_a_walk_finds_what_can_be_reached_and_not_its_start() -> None:
    walker = Walker([("Heat", "by", "Mann"), ("Ali", "by", "Mann"), ("Mann", "born", "Chicago")])
    heat = walker.rows["Heat"]
    assert (("by", True), ("by", False)) in walker.walks(heat, 2)
    assert [walker.names[row] for row in walker.reach(heat, (("by", True), ("by", False)))] == ["Ali"]
    assert (("born", True),) not in walker.walks(heat, 2)


def test_one_relation_in_eight_is_left_out_in_every_spelling() -> None:
    names = [f"relation {number}" for number in range(400)]
    assert 25 < sum(map(left_out_label, names)) < 80
    assert all(left_out_label(name) == left_out_label(f"{name.title()}s (thing)") for name in names)


def test_a_low_rank_change_worked_in_says_the_same() -> None:
    changed = LowRank(torch.nn.Linear(6, 4), 2)
    torch.nn.init.normal_(changed.up.weight)
    given = torch.randn(3, 6)
    before = changed(given)
    torch.testing.assert_close(changed.whole()(given), before)
