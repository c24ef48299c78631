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
