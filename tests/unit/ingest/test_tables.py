"""Tables of triples as programs and people write them: quotes, blanks, column names."""

from __future__ import annotations

from pathlib import Path

import pytest

from clause.ingest.readers import Format, read_triples
from tests.shapes import write_text


def _read(folder: Path, name: str, text: str, form: Format | None = None) -> tuple[list[str], dict[int, str]]:
    """The triples as lines head|relation|tail, and the reasons of what is none by number."""
    records = [*read_triples(write_text(folder / name, text), form)]
    good = [one.triple for one in records if one.triple]
    return (
        [f"{one.head.name}|{one.relation}|{one.tail.name}" for one in good],
        {one.number: one.reason for one in records if one.triple is None},
    )


@pytest.mark.parametrize(
    ("text", "bad", "lines"),
    [
        ('A,knows,"B\nC,knows,D\nE,knows,F\n', 1, "lines 1 to 3"),
        ('C,knows,D\nA,knows,"B\n"E",knows,F', 2, "lines 2 to 3"),
        ('C,knows,D\nE,knows,F\nA,knows,"B', 3, "line 3"),
        ('"A,knows,B\r\nC,knows,D\r\nE,"knows",F\r\n', 1, "lines 1 to 3"),
    ],
)
def test_a_quote_that_is_not_closed_spoils_its_own_line_alone(tmp_path: Path, text: str, bad: int, lines: str) -> None:
    triples, reasons = _read(tmp_path, "a.csv", text)

    assert triples == ["C|knows|D", "E|knows|F"]
    assert list(reasons) == [bad]
    assert f"a quote is opened and not closed ({lines})" in reasons[bad]


def test_stray_quotes_in_a_long_file_lose_as_many_lines_as_there_are(tmp_path: Path) -> None:
    rows = [f'a{n},r,"b{n}' if n % 500 == 7 else f"a{n},r,b{n}" for n in range(3_000)]

    triples, reasons = _read(tmp_path, "a.csv", "\n".join(rows))

    assert list(reasons) == [8, 508, 1008, 1508, 2008, 2508]
    assert len(triples) == 2_994


def test_a_quoted_field_over_lines_is_one_field_and_what_follows_is_counted_on(tmp_path: Path) -> None:
    text = '"Ode\n\nto, ""joy""",by,Schiller\n"a",r\n"x\ny",r,z\n'

    triples, reasons = _read(tmp_path, "a.csv", text)

    assert triples == ['Ode\n\nto, "joy"|by|Schiller', "x\ny|r|z"]
    assert list(reasons) == [4]


def test_quotes_inside_of_a_field_are_no_fault(tmp_path: Path) -> None:
    triples, reasons = _read(tmp_path, "a.csv", 'screen,size,55"\n"Weird Al" Yankovic,sings,Eat It\n')

    assert triples == ['screen|size|55"', "Weird Al Yankovic|sings|Eat It"]
    assert not reasons


def test_blanks_behind_commas_are_no_part_of_names_or_quotes(tmp_path: Path) -> None:
    triples, reasons = _read(tmp_path, "a.csv", 'A, knows, "B, C"\nA, knows, "D"\n"E", "knows","F" \n   \n')

    assert triples == ["A|knows|B, C", "A|knows|D", "E|knows|F"]
    assert not reasons


def test_quotes_that_a_program_put_around_fields_of_a_tsv_go(tmp_path: Path) -> None:
    text = 'A\tsays\t"B ""x"""\n"C, D"\tknows\t"E"\n"Heroes" and "Low"\tby\tBowie\nscreen\tsize\t5"\n'

    triples, _ = _read(tmp_path, "a.tsv", text)

    assert triples == ['A|says|B "x"', "C, D|knows|E", '"Heroes" and "Low"|by|Bowie', 'screen|size|5"']


@pytest.mark.parametrize(
    "text",
    [
        "head;relation;tail\nA;knows;B\nC;costs;1,5\n",
        'A;knows;B\n"C";costs;"1,5"\n',
        "\n\nA\tknows\tB\nC\tcosts\t1,5\n",
        'A,knows,B\nC,costs,"1,5"\n',
    ],
)
def test_a_csv_is_read_by_the_sign_that_parts_its_first_line(tmp_path: Path, text: str) -> None:
    assert _read(tmp_path, "a.csv", text) == (["A|knows|B", "C|costs|1,5"], {})


def test_a_sign_that_stands_inside_of_names_or_quotes_parts_nothing(tmp_path: Path) -> None:
    assert _read(tmp_path, "a.csv", "a;b;c,r,t\n") == (["a;b;c|r|t"], {})
    assert _read(tmp_path, "b.csv", 'a;r;"t, u, v"\n') == (["a|r|t, u, v"], {})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "subject,relationship,object\nA,knows,B\n"),
        ("a.csv", "From,Relation,To\nA,knows,B\n"),
        ("a.csv", '"relation","head","tail"\nknows,A,B\n'),
        ("a.csv", "source,target,type\nA,B,knows\n"),
        ("a.csv", "id,weight,node1,rel,node2\n1,.5,A,knows,B\n"),
        ("a.csv", "head,relation,tail,source\nA,knows,B,a book\n"),
        ("a.csv", "item;property;value;head\nknows;knows;B;A\n"),
        ("a.tsv", "_start\tname\t:END\tType \nA\tx\tB\tknows\n"),
        ("a.csv", "from,from_label,relation,to,to_label\nA,Person,knows,B,Person\n"),
        ("a.csv", ",head,relation,tail\n0,A,knows,B\n"),
        ("a.txt", "head|relation|tail\nA|knows|B\n"),
        ("a.txt", "predicate|object|subject|note\nknows|B|A|long ago\n"),
    ],
)
def test_column_names_are_no_triple_and_say_which_column_is_which(tmp_path: Path, name: str, text: str) -> None:
    assert _read(tmp_path, name, text) == (["A|knows|B"], {})


def test_column_names_say_where_the_times_are(tmp_path: Path) -> None:
    text = "valid from,from,relation,to,note,end date\n2001-02-03,A,knows,B,x,2002-03-04\n,A,knows,C\n"

    first, second = [one.triple for one in read_triples(write_text(tmp_path / "a.csv", text))]

    assert first is not None
    assert second is not None
    assert (first.head.name, first.relation, first.tail.name) == ("A", "knows", "B")
    assert [str(time)[:10] for time in (first.valid_from, first.valid_until)] == ["2001-02-03", "2002-03-04"]
    assert (second.tail.name, second.valid_from, second.valid_until) == ("C", None, None)


@pytest.mark.parametrize(
    "row",
    [
        "Source,directed_by,Target",
        "The Object,type,film",
        "Start,from,to",
        "type,relation,value",
        "head,head,head",
    ],
)
def test_a_row_that_says_something_is_not_taken_for_column_names(tmp_path: Path, row: str) -> None:
    assert _read(tmp_path, "a.csv", f"{row}\n")[0] == [row.replace(",", "|")]


def test_rows_that_do_not_fit_the_column_names_are_bad(tmp_path: Path) -> None:
    text = "relation,head,tail,note\nknows,A\nknows,A,B,x,y\nknows,A,B\n"

    triples, reasons = _read(tmp_path, "a.csv", text)

    assert triples == ["A|knows|B"]
    assert reasons == {2: "2 fields instead of 4", 3: "5 fields instead of 4"}
