"""Names, the registry, batches and mentions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.ingest.mention_finder import MentionFinder, TitleFinder
from clause.ingest.passage_reader import cut, read_documents
from clause.ingest.readers import Record, Term, Triple
from clause.ingest.triples import Interner
from clause.text.names import (
    LONGEST_KEY,
    canonical_key,
    entity_id,
    name_key,
    readable_name,
    readable_relation,
    register,
    short,
    stored_name,
)
from tests.shapes import write_text


def _record(head: str, relation: str, tail: str, number: int = 1) -> Record:
    return Record(number, Triple(Term(head), relation, Term(tail)))


def test_case_and_accents_make_different_entities_but_one_look_up_key() -> None:
    assert canonical_key("Amélie") != canonical_key("amelie")
    assert canonical_key("Ame\u0301lie ") == canonical_key("Amélie")
    assert name_key("AMÉLIE") == name_key("amélie")


def test_the_same_name_in_two_scopes_is_two_entities() -> None:
    assert entity_id("kg:a", "concept:x") != entity_id("kg:b", "concept:x")


@given(st.text(min_size=LONGEST_KEY + 1, max_size=LONGEST_KEY + 50))
def test_long_keys_are_shortened_without_collisions_of_their_prefix(text: str) -> None:
    assert len(short(text)) < LONGEST_KEY
    assert short(text) != short(text + "x")


@pytest.mark.parametrize(
    ("relation", "words"),
    [
        ("directed_by", "directed by"),
        ("birthPlace", "birth place"),
        ("http://dbpedia.org/ontology/birthPlace", "birth place"),
        ("has-IMDB-rating", "has imdb rating"),
        ("CAUSES", "causes"),
        ("___", "___"),
    ],
)
def test_relationship_types_read_as_words(relation: str, words: str) -> None:
    assert readable_relation(relation) == words


def test_an_iri_without_an_end_keeps_its_text() -> None:
    assert readable_name("http://e.org/_") == "http://e.org/_"


def test_our_own_relationship_types_are_not_taken_by_a_loaded_graph() -> None:
    assert stored_name("ABOUT") == "kg_ABOUT"
    assert stored_name("about") == "about"
    assert register("kg:x", "kg_ABOUT").text == "about"


def test_causal_types_are_marked_and_directions_have_different_words() -> None:
    causes, likes = register("kg:x", "CAUSES"), register("kg:x", "likes")

    assert (causes.is_causal, likes.is_causal) == (True, False)
    assert likes.text != likes.inverse_text


def test_a_batch_holds_each_name_and_each_triple_once() -> None:
    batch = Interner("kg:x", "src_1").batch([_record("a", "r", "b"), _record("a", "r", "b"), _record("b", "r", "a")])

    assert [row[3] for row in batch.entities] == ["a", "b"]
    assert len(batch.triples) == 2
    assert batch.records == 3


def test_a_name_of_an_earlier_batch_is_not_sent_again_and_memory_stays_bounded() -> None:
    interner = Interner("kg:x", "src_1", remembered=2)

    first = interner.batch([_record("a", "r", "b"), _record("c", "r", "d")])
    second = interner.batch([_record("a", "r", "e")])
    third = interner.batch([_record("f", "r", "g"), _record("h", "r", "i")])
    fourth = interner.batch([_record("c", "r", "f")])

    assert [[row[3] for row in batch.entities] for batch in (first, second, third, fourth)] == [
        ["a", "b", "c", "d"],
        ["e"],
        ["f", "g", "h", "i"],
        ["c"],
    ]


def test_names_of_a_batch_are_kept_by_thing_with_the_best_that_each_is() -> None:
    head = Term("Q1", "concept", "http://e/Q1")
    told = [("Eins", 1), ("One", 0), ("One", 1), ("Uno", 10)]
    names = [
        Record(n, Triple(head, "label", Term(name, "literal"), naming=how)) for n, (name, how) in enumerate(told, 1)
    ]

    batch = Interner("kg:x", "src_1").batch([*names, _record("a", "r", "b")])

    assert [*batch.names.values()] == [(head, {"Eins": 1, "One": 0, "Uno": 10})]
    assert (batch.named, len(batch.triples), batch.records) == (4, 1, 5)
    assert [row[3] for row in batch.entities] == ["Q1", "a", "b"], "a label is no thing of its own"


def test_blank_nodes_of_two_files_are_different_things() -> None:
    record = Record(1, Triple(Term("x", "concept", "_:x"), "r", Term("b")))

    one, other = (Interner("kg:x", source).batch([record]).entities[0][1] for source in ("src_1", "src_2"))

    assert one != other


def test_the_longest_title_is_found_and_capitals_are_asked_for() -> None:
    finder = TitleFinder(["It", "The Matrix", "The Matrix Reloaded", "1984", "café"])

    found = [name for name, _, _ in finder.find("it: THE MATRIX RELOADED, The Matrix; It in 1984, Cafe. The")]

    assert found == ["The Matrix Reloaded", "The Matrix", "It", "1984", "café"]


def test_a_passage_mentions_its_title_other_titles_and_names_that_passages_share() -> None:
    finder = MentionFinder()
    finder.learn("Heat", "A film by Michael Mann with Al Pacino in Los Angeles.")
    finder.learn("Collateral", "A film by Michael Mann with Jamie Foxx, set in Los Angeles like Heat.")

    found = finder.find("Collateral", "A film by Michael Mann with Jamie Foxx, set in Los Angeles like Heat.")

    assert found[0] == "Collateral"
    assert set(found) == {"Collateral", "Heat", "Michael Mann", "Los Angeles"}


@given(st.text(min_size=1, max_size=400), st.integers(10, 60))
def test_cutting_loses_no_word_and_keeps_to_the_length(text: str, longest: int) -> None:
    passages = cut(text, longest)

    assert all(0 < len(passage) <= longest for passage in passages) or not text.strip()
    assert "".join("".join(passages).split()) == "".join(text.split())


def test_a_long_text_is_cut_at_paragraphs_before_sentences() -> None:
    assert cut("One two three.\n\nFour. Five six seven", 24) == ["One two three.", "Four. Five six seven"]
    assert cut("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]


class _Counted(str):
    """A text that counts the characters that are copied out of it."""

    copied = 0

    def __getitem__(self, key: Any) -> _Counted:
        return self._kept(super().__getitem__(key))

    def strip(self, *given: Any) -> _Counted:
        return self._kept(super().strip(*given))

    def _kept(self, piece: str) -> _Counted:
        _Counted.copied += len(piece)
        return _Counted(piece)


@pytest.mark.parametrize("text", ["A word, and another. ", "Para\n\n \n", "x" * 50, "\u3002\u4e00", " \t "])
def test_a_text_is_copied_a_few_times_however_long_it_is(text: str) -> None:
    _Counted.copied, whole = 0, _Counted(text * 2_000)

    cut(whole, 100)

    assert _Counted.copied < 5 * len(whole)


def test_documents_that_are_none_are_named_by_line_and_reason(tmp_path: Path) -> None:
    text = "\n".join(
        [
            '{"id": 0, "title": "A", "text": "a"}',
            "",
            "{nonsense",
            "[1]",
            '{"title": "A", "text": "a"}',
            '{"id": 1, "title": 3, "text": "a"}',
            '{"id": 1, "title": "A"}',
            '{"id": 1, "title": "A", "text": "  "}',
            '{"id": 1, "title": "A", "text": "a\\u0000b"}',
            '{"id": 1, "title": "A", "text": "\\ud800"}',
            '{"id": 1, "title": "' + "t" * 1001 + '", "text": "a"}',
            '{"id": "last", "text": "no title"}',
        ]
    )
    records = list(read_documents(write_text(tmp_path / "p.jsonl", text)))

    assert [record.number for record in records if record.document is None] == [3, 4, 5, 6, 7, 8, 9, 10, 11]
    assert [record.document.given_id for record in records if record.document] == ["0", "last"]
    assert len(list(read_documents(tmp_path / "p.jsonl", skip=10))) == 1
