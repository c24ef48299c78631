"""Reading triples: formats, odd lines, damaged files."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j.spatial import WGS84Point
from neo4j.time import Duration, Time

from clause.errors import BadInputError, NotFoundError
from clause.graph.driver import kept_properties
from clause.ingest.passages import find_documents
from clause.ingest.readers import Format, Term, checked, guess_format, ranked_names, read_triples
from clause.ingest.source import describe
from clause.operations.archive_lines import _TYPE
from tests.shapes import ODD_NAMES, write_text


def _triples(path: Path, form: Format | None = None, skip: int = 0) -> list[tuple[str, str, str]]:
    found = [record.triple for record in read_triples(path, form, skip=skip) if record.triple]
    return [(one.head.name, one.relation, one.tail.name) for one in found]


def _reasons(path: Path, form: Format | None = None) -> dict[int, str]:
    return {record.number: record.reason for record in read_triples(path, form) if record.triple is None}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", "Heat|directed_by|Michael Mann\r\n\nHeat|release_year|1995"),
        ("a.txt.gz", "Heat|directed_by|Michael Mann\nHeat|release_year|1995\n"),
        ("a.tsv", "head\trelation\ttail\nHeat\tdirected_by\tMichael Mann\nHeat\trelease_year\t1995\n"),
        ("a.dat", "Heat\tdirected_by\tMichael Mann\nHeat\trelease_year\t1995\n"),
        ("a.csv", '"Heat",directed_by,"Michael Mann"\nHeat,release_year,1995\n'),
        (
            "a.nt",
            "# films\n<http://e.org/Heat> <http://e.org/p/directed_by> <http://e.org/Michael_Mann> .\n"
            '<http://e.org/Heat> <http://e.org/p#release_year> "1995"^^<http://www.w3.org/2001/XMLSchema#gYear> .\n',
        ),
    ],
)
def test_every_format_gives_the_same_triples(tmp_path: Path, name: str, text: str) -> None:
    path = write_text(tmp_path / name, text)

    assert _triples(path) == [("Heat", "directed_by", "Michael Mann"), ("Heat", "release_year", "1995")]


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path: Path) -> None:
    assert _triples(write_text(tmp_path / "a.txt", "\ufeffHeat|is|film\n")) == [("Heat", "is", "film")]


def test_a_given_format_is_taken_whatever_the_name_says(tmp_path: Path) -> None:
    path = write_text(tmp_path / "a.csv", "a|b|c, d\n")

    assert _triples(path, Format.PIPE) == [("a", "b", "c, d")]


def test_quoted_csv_fields_keep_commas_quotes_and_newlines(tmp_path: Path) -> None:
    path = write_text(tmp_path / "a.csv", '"a, ""b""",r,"c\nd"\ne,r,f\n')

    assert _triples(path) == [('a, "b"', "r", "c\nd"), ("e", "r", "f")]


def test_two_more_columns_say_when_a_triple_was_true(tmp_path: Path) -> None:
    path = write_text(tmp_path / "a.tsv", "a\tr\tb\t2001-02-03\t2002-01-01T01:00:00+01:00\nc\tr\td\tlong ago\t\n")

    first, second = read_triples(path)

    assert first.triple is not None
    assert first.triple.valid_from == datetime(2001, 2, 3, tzinfo=UTC)
    assert first.triple.valid_until == datetime(2002, 1, 1, tzinfo=UTC)
    assert second.reason.startswith("not an ISO date")


def test_bad_lines_are_named_by_number_and_reason(tmp_path: Path) -> None:
    text = f"only one\na||b\n|r|b\na|r|\na|b|c|d\na\x00|r|b\n{'x' * 10_001}|r|b\na|{'r' * 201}|b\na|r|\udcff\nok|r|ok\n"
    path = write_text(tmp_path / "a.txt", text)

    reasons = _reasons(path)

    assert list(reasons) == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert "NUL" in reasons[6]
    assert "10,001" in reasons[7]
    assert "UTF-8" in reasons[9]
    assert _triples(path) == [("ok", "r", "ok")]


def test_a_csv_field_beyond_all_bounds_is_a_bad_line_and_not_the_end(tmp_path: Path) -> None:
    path = write_text(tmp_path / "a.csv", f"a,r,{'x' * 200_000}\nb,r,c\n")

    assert list(_reasons(path)) == [1]
    assert _triples(path) == [("b", "r", "c")]


def test_n_triples_keep_language_blank_nodes_and_iris(tmp_path: Path) -> None:
    text = '_:x <http://e.org/birthPlace> "Paris"@fr .\n<http://e.org/c%20d> <http://e.org/p> _:x .\nnonsense\n'
    first, second, third = read_triples(write_text(tmp_path / "a.nt", text))

    assert first.triple is not None
    assert second.triple is not None
    assert first.triple.head == Term("x", "concept", "_:x")
    assert first.triple.tail == Term("Paris", "literal", "@fr")
    assert second.triple.head == Term("c d", "concept", "http://e.org/c%20d", ("http://e.org/c%20d",))
    assert second.triple.tail == first.triple.head
    assert third.number == 3
    assert third.reason.startswith("not N-Triples")


def test_reading_can_go_on_after_any_record(tmp_path: Path) -> None:
    path = write_text(tmp_path / "a.txt", "a|r|1\nbad\n\na|r|2\na|r|3\n")

    assert _triples(path, skip=2) == [("a", "r", "2"), ("a", "r", "3")]
    assert _triples(path, skip=9) == []


def test_an_empty_file_has_no_records(tmp_path: Path) -> None:
    assert list(read_triples(write_text(tmp_path / "a.txt", ""))) == []


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_come_through_unharmed(tmp_path: Path, name: str) -> None:
    ((head, _, tail),) = _triples(write_text(tmp_path / "a.txt", f"{name}|r|b\n"))

    assert head == ("étude" if name.startswith("e\u0301") else name)
    assert tail == "b"


@given(st.lists(st.text(st.characters(blacklist_categories=("Cs", "Cc", "Z"), blacklist_characters="|"), min_size=1)))
def test_a_written_name_is_the_name_that_is_read(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    import unicodedata

    path = write_text(tmp_path_factory.mktemp("t") / "a.txt", "".join(f"{name}|r|t\n" for name in names))

    assert [head for head, _, _ in _triples(path)] == [unicodedata.normalize("NFC", name).strip() for name in names]


def test_a_missing_file_a_folder_and_a_damaged_one_are_said_plainly(tmp_path: Path) -> None:
    damaged = tmp_path / "a.txt.gz"
    damaged.write_bytes(write_text(tmp_path / "b.txt.gz", "a|r|b\n" * 500).read_bytes()[:30])
    (tmp_path / "c.gz").write_bytes(b"plain")

    with pytest.raises(NotFoundError, match=r"no file none\.txt"):
        list(read_triples(tmp_path / "none.txt", Format.PIPE))
    with pytest.raises(BadInputError, match="cannot be read"):
        list(read_triples(tmp_path, Format.PIPE))
    with pytest.raises(BadInputError, match="damaged"):
        list(read_triples(damaged))
    with pytest.raises(BadInputError, match="damaged"):
        guess_format(tmp_path / "c.gz")


@pytest.mark.parametrize("read", [lambda path: describe(path, "kg:a"), guess_format, find_documents])
def test_a_pipe_is_refused_before_a_byte_of_it_is_read(read: Callable[[Path], object]) -> None:
    out, into = os.pipe()
    os.write(into, b"a|r|b\n")
    os.close(into)
    try:
        with pytest.raises(BadInputError, match="is no regular file") as refused:
            read(Path(f"/dev/fd/{out}"))
        assert refused.value.remedy == "write it to a file first"
        assert os.read(out, 100) == b"a|r|b\n"
    finally:
        os.close(out)


def test_properties_of_a_relationship_are_kept_as_an_archive_can_say_them():
    given = {
        "since": date(2020, 1, 1),
        "opens": Time(9, 30),
        "terms": [Duration(months=1, days=3)],
        "place": WGS84Point((1.5, 2)),
        "vector": np.array([0.5, 1], dtype=np.float32),
        "badge": b"x",
        "version": [1, 2],
    }

    assert dict(kept_properties(given)) == {
        "since": date(2020, 1, 1),
        "opens": "09:30:00.000000000",
        "terms": ["P1M3D"],
        "place": "WGS84Point(1.5, 2.0)",
        "vector": [0.5, 1.0],
        "badge": b"x",
        "kg_version": [1, 2],
    }


def test_names_of_properties_are_such_as_an_archive_takes() -> None:
    given = {"a\tb\r\n c": 1, "\x07": 2, " \u00a0": 2, "we\x1bight": 3, "weight\n": 4, "é" * 2_000: 5, "plain": 6}

    kept = dict(kept_properties(given))

    assert kept == {"a b c": 1, "_": 2, "we ight": 3, "kg_weight": 4, "é" * 1_000: 5, "plain": 6}
    assert all(_TYPE.fullmatch(name) for name in kept)


def test_an_iri_that_is_no_text_is_reported() -> None:
    record = checked(1, Term("x", "concept", "http://e/caf\ud800/x"), "knows", Term("y"))
    assert record.reason == "the head is not UTF-8"


@pytest.mark.parametrize(
    ("name", "text", "remedy"),
    [
        ("a.ttl", "@prefix e: <http://e.org/> .\ne:a e:b e:c .\n", "rdfpipe -o nt"),
        ("a.nq.gz", "<http://e/a> <http://e/b> <http://e/c> <http://e/g> .\n", "rdfpipe -o nt"),
        ("a.RDF", "<?xml version='1.0'?>\n", "rdfpipe -o nt"),
        ("a.txt", "\n@prefix e: <http://e.org/> .\ne:a e:b e:c .\n", "rdfpipe -o nt"),
        ("a.jsonl", '{"id": 1, "text": "x"}\n', "clause load passages"),
        ("a.xlsx", "PK", "CSV"),
        ("a.pdf", "%PDF", "clause load documents"),
        ("a.csv.zip", "PK", "unpack it"),
    ],
)
def test_a_file_of_another_kind_is_refused_with_what_to_do(tmp_path: Path, name: str, text: str, remedy: str) -> None:
    path = write_text(tmp_path / name, text)

    with pytest.raises(BadInputError, match="holds no lines of triples") as refused:
        guess_format(path)
    assert remedy in (refused.value.remedy or "")
    assert "--format" in (refused.value.remedy or "")
    assert [*read_triples(path, Format.PIPE)], "what the caller says is taken"


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("# a dump\n<http://e/a> <http://e/b> <http://e/c> .\n", Format.NTRIPLES),
        ('_:x <http://e/b> "c | d\\te"@en . # said so\n', Format.NTRIPLES),
        ("subject,predicate,object\na,r,b\n", Format.CSV),
        ("subject;predicate;object\na;r;b\n", Format.CSV),
        ("<a>|<b>|<c> .\n", Format.PIPE),
        ("a, b|r|c, d, e\n", Format.PIPE),
        ("a\tr\tb, c, d\n", Format.TSV),
    ],
)
def test_a_name_that_says_nothing_leaves_it_to_the_first_line(tmp_path: Path, text: str, form: Format) -> None:
    assert guess_format(write_text(tmp_path / "a.txt", text)) is form
    assert guess_format(write_text(tmp_path / "dump", text)) is form


@pytest.mark.parametrize(
    ("since", "until", "first", "last"),
    [
        ("1999", "1999", "1999-01-01", "1999-12-31"),
        ("1999-05", "2000-02", "1999-05-01", "2000-02-29"),
        ("", " 0800 ", "", "0800-12-31"),
        ("1999-05-07", "1999-05", "1999-05-07", "1999-05-31"),
        ("2001-02-03", "2001-02-03", "2001-02-03", "2001-02-03"),
    ],
)
def test_a_year_or_a_month_is_from_its_first_day_to_its_last(
    tmp_path: Path, since: str, until: str, first: str, last: str
) -> None:
    (record,) = read_triples(write_text(tmp_path / "a.tsv", f"a\tr\tb\t{since}\t{until}\n"))

    assert record.triple is not None
    told = (record.triple.valid_from, record.triple.valid_until)
    assert [time.isoformat() if time else "" for time in told] == [
        f"{day}T00:00:00+00:00" if day else "" for day in (first, last)
    ]


def test_times_that_are_none_or_the_wrong_way_round_are_bad(tmp_path: Path) -> None:
    text = "a\tr\tb\t2001\t2000\na\tr\tb\t1999-13\t\na\tr\tb\t0000\t\na\tr\tb\t\tsoon\n"

    assert _reasons(write_text(tmp_path / "a.tsv", text)) == {
        1: "valid from 2001 is after valid until 2000",
        2: "not an ISO date: 1999-13 ",
        3: "not an ISO date: 0000 ",
        4: "not an ISO date:  soon",
    }


def test_blanks_in_a_relation_are_one_and_what_no_archive_takes_is_bad(tmp_path: Path) -> None:
    text = '"a","works\n for\t\tthe","b"\na,is\x07in,b\na,part  of,b\n'
    path = write_text(tmp_path / "a.csv", text)

    assert _triples(path) == [("a", "works for the", "b"), ("a", "part of", "b")]
    assert list(_reasons(path).values()) == ["the relation holds a control character"]
    tabbed = checked(1, Term("a"), "works\tfor", Term("b"))
    assert tabbed.triple is not None
    assert tabbed.triple.relation == "works for"


def test_labels_of_n_triples_are_names_and_no_triples(tmp_path: Path) -> None:
    subject, label = "<http://www.wikidata.org/entity/Q42>", "<http://www.w3.org/2000/01/rdf-schema#label>"
    skos = "http://www.w3.org/2004/02/skos/core#"
    text = (
        f'{subject} {label} "Douglas Adams"@en .\n{subject} <{skos}prefLabel> "Duglas Adams"@lv .\n'
        f'{subject} <{skos}altLabel> "DNA"@en .\n{subject} <http://schema.org/name> "Adams" .\n'
        f'{subject} {label} <http://e.org/x> .\n{subject} <http://e.org/label> "a label" .\n{subject} {label} "" .\n'
    )
    *good, bad = read_triples(write_text(tmp_path / "a.nt", text))

    named = [one.triple.naming for one in good if one.triple]
    assert named[:4] == [0, 1, 10, 0]
    assert named[4:] == [None, None]
    assert bad.reason == "the tail is empty"


@pytest.mark.parametrize(
    ("head", "code"),
    [
        (Term("Q42", identity="http://e/Q42"), "Q42"),
        (Term("GO 0008150"), "GO 0008150"),
        (Term("m.02mjmr"), "m.02mjmr"),
        (Term("550e8400-e29b-41d4-a716-446655440000"), "550e8400-e29b-41d4-a716-446655440000"),
        (Term("genid", "concept", "_:genid"), "genid"),
        (Term("Apollo 11"), None),
        (Term("12 Angry Men"), None),
        (Term("Kes"), None),
    ],
)
def test_only_a_code_gives_way_to_a_name(head: Term, code: str | None) -> None:
    told = {"Sechs": 1, "six": 10, "Six": 0}

    assert ranked_names(head, told) == (["Six", "Sechs", "six"], code, "six")
    assert ranked_names(head, {"six": 10})[1] is None
    assert ranked_names(head, {head.name: 0})[1] is None
