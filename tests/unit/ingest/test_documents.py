"""Documents in every format become passages that say where they stand."""

from __future__ import annotations

import io
import os
from pathlib import Path

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from clause.errors import NotFoundError
from clause.ingest.passage_reader import (
    PIECE,
    UnreadableDocumentError,
    cut,
    read_document,
    read_documents,
)
from clause.ingest.passages import find_documents

MARKDOWN = """---
draft: yes
---
# Beekeeping at Hollow Farm

The apiary has nine hives.

## Spring work

Clean the floors in *March*. See the [register](hives.csv).

### Feeding

Sugar syrup, one to one.

| hive | queen |
| --- | --- |
| 4 | Marigold |

## Harvest

Take honey after the limes have flowered.
"""
HTML = """<!doctype html><html><head><title>Tide tables of Brannoch</title><style>p {color: red}</style>
<script>alert("never shown")</script></head><body><nav>Home | About</nav><h1>Tides</h1>
<p>High water is at <b>six</b> &amp; at seven.</p><h2>Spring tides</h2><div>The causeway floods
for <i>three</i> hours.<ul><li>Wait at the hut.</li></ul></div></body></html>"""
TEXT = "Notes of the clockmaker.\n\nThe church clock of Sankt Veit loses two minutes a day.\n"


def pdf(*pages: str, title: str = "") -> bytes:
    """A small PDF with one line of text after the other on each page."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    kids = []
    for page in pages:
        lines = "".join(f"({line}) Tj T* " for line in page.splitlines())
        stream = f"BT /F1 12 Tf 14 TL 72 720 Td {lines}ET"
        objects += [
            f"<< /Type /Page /Parent 2 0 R /Contents {len(objects) + 2} 0 R /MediaBox [0 0 612 792] /Resources "
            "<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
        kids.append(f"{len(objects) - 1} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    objects.append(f"<< /Title ({title}) >>")
    made, places = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(made))
        made += f"{number} 0 obj\n{text}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n"
    root = f"<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>"
    return made + f"{end}{root}\nstartxref\n{len(made)}\n%%EOF".encode("latin-1")


def word() -> bytes:
    """A DOCX with a title, two headings and a table."""
    made = docx.Document()
    made.add_heading("Handbook of the ferry", 0)
    made.add_paragraph("The ferry Osprey crosses twice a day.")
    made.add_heading("Fares", 1)
    made.add_paragraph("Children under six pay nothing.")
    table = made.add_table(rows=1, cols=2)
    table.cell(0, 0).text, table.cell(0, 1).text = "bicycle", "two crowns"
    made.add_heading("Crew", 1)
    made.add_paragraph("The captain is Runa Vik.")
    held = io.BytesIO()
    made.save(held)
    return held.getvalue()


PDF = pdf("The mill at Orrin was\nbuilt in 1788.", "Its wheel is an over-\nshot wheel.", title="Mills of the glen")
CORPUS: dict[str, bytes] = {
    "bees.md": MARKDOWN.encode(),
    "tides.html": HTML.encode(),
    "clock.txt": TEXT.encode(),
    "mills.pdf": PDF,
    "ferry.docx": word(),
}


def _read(folder: Path, name: str) -> tuple[str, list[tuple[str, str | None, int | None]]]:
    (folder / name).write_bytes(CORPUS[name])
    found = read_document(name, folder / name)
    return found.title, [tuple(piece) for piece in found.pieces]


def test_markdown_is_cut_at_its_headings(tmp_path: Path) -> None:
    title, pieces = _read(tmp_path, "bees.md")

    assert title == "Beekeeping at Hollow Farm"
    top = "Beekeeping at Hollow Farm"
    assert [heading for _, heading, _ in pieces] == [
        top,
        f"{top} > Spring work",
        f"{top} > Spring work > Feeding",
        f"{top} > Harvest",
    ]
    assert "Clean the floors in March. See the register." in pieces[1][0]
    assert "Marigold" in pieces[2][0]
    assert "draft" not in "".join(text for text, _, _ in pieces)


def test_html_says_what_a_reader_sees(tmp_path: Path) -> None:
    title, pieces = _read(tmp_path, "tides.html")

    assert title == "Tide tables of Brannoch"
    assert [heading for _, heading, _ in pieces] == ["Tides", "Tides > Spring tides"]
    assert "High water is at six & at seven." in pieces[0][0]
    assert "The causeway floods for three hours." in pieces[1][0]
    assert "Wait at the hut." in pieces[1][0]
    assert not any(hidden in str(pieces) for hidden in ("never shown", "color", "About"))


def test_a_pdf_tells_its_pages(tmp_path: Path) -> None:
    assert _read(tmp_path, "mills.pdf") == (
        "Mills of the glen",
        [("The mill at Orrin was built in 1788.", None, 1), ("Its wheel is an overshot wheel.", None, 2)],
    )


def test_a_docx_tells_its_headings_and_tables(tmp_path: Path) -> None:
    title, pieces = _read(tmp_path, "ferry.docx")

    assert title == "Handbook of the ferry"
    assert [heading for _, heading, _ in pieces] == [title, f"{title} > Fares", f"{title} > Crew"]
    assert "bicycle | two crowns" in pieces[1][0]


def test_plain_text_is_called_like_its_file(tmp_path: Path) -> None:
    assert _read(tmp_path, "clock.txt") == ("clock", [(TEXT.strip(), None, None)])


def test_long_sections_become_passages_under_one_heading(tmp_path: Path) -> None:
    path = tmp_path / "long.md"
    path.write_text("# Log\n\n" + "\n\n".join(f"Day {day}: nothing was seen from the tower." for day in range(99)))

    pieces = read_document("long.md", path).pieces

    assert len(pieces) > 2
    assert {piece.heading for piece in pieces} == {"Log"}
    assert max(len(piece.text) for piece in pieces) <= PIECE + len("Log\n")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("10\u00a0km\u202fan\u2009hour", "10 km an hour"),
        ("\u6771\u4eac\u3000\u5927\u962a", "\u6771\u4eac \u5927\u962a"),
        ("one\u2028two\u2029three\x85four", "one\ntwo\nthree\nfour"),
        ("page\fnext\vline", "page\nnext\nline"),
        ("old\rmac and\r\n\r\n\r\nnew", "old\nmac and\n\nnew"),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"),
        ("\U0001f469\u200d\U0001f680 lands", "\U0001f469\u200d\U0001f680 lands"),
        ("a\u00ad\ufeffb \x01 c\t d \u00a0\nend", "ab c d\nend"),
    ],
)
def test_blanks_of_every_kind_part_words_and_control_letters_go(tmp_path: Path, said: str, kept: str) -> None:
    path = tmp_path / "said.txt"
    path.write_bytes(said.encode())

    assert read_document("said.txt", path).text == kept


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("cut.pdf", PDF[:300], "it is no PDF that can be read"),
        ("fake.docx", b"PK no archive", "it is no DOCX that can be read"),
        ("latin.txt", "Grüße".encode("latin-1"), "it is not UTF-8: byte 2"),
        ("latin.md", "Grüße".encode("latin-1"), "it is not UTF-8: byte 2"),
        ("zero.txt", b"a\x00b", "it holds a NUL byte"),
        ("blank.md", b"# \n\n", "it holds no text"),
        ("empty.html", b"<html><script>1</script></html>", "it holds no text"),
        ("scan.pdf", pdf(""), "it holds no text"),
        ("table.xls", b"", "documents end in .md"),
    ],
)
def test_what_is_no_document_says_why(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    (tmp_path / name).write_bytes(content)

    with pytest.raises(UnreadableDocumentError, match=reason):
        read_document(name, tmp_path / name)


def test_a_folder_gives_its_documents_in_order_and_no_hidden_ones(tmp_path: Path) -> None:
    for folder in ("inner", ".git", "none"):
        (tmp_path / folder).mkdir()
    for name in ("b.md", "inner/a.TXT", ".git/c.md", "picture.png", ".hidden.md"):
        (tmp_path / name).write_text("x")

    assert [name for name, _ in find_documents(tmp_path)] == ["b.md", "inner/a.TXT"]
    with pytest.raises(NotFoundError, match="has no document"):
        find_documents(tmp_path / "none")
    with pytest.raises(NotFoundError, match="there is no file or folder"):
        find_documents(tmp_path / "gone")


def test_what_stands_in_html_within_markdown_is_read_and_a_rule_is_no_front_matter(tmp_path: Path) -> None:
    page = tmp_path / "rent.md"
    page.write_text(
        "---\n\n# Rent\n\n<div>\nThe deposit is 500 euro.\n</div>\n\n---\n\nPaid in May.\n", encoding="utf-8"
    )

    (piece,) = read_document("rent.md", page).pieces

    assert piece.heading == "Rent"
    assert "The deposit is 500 euro." in piece.text
    assert "Paid in May." in piece.text


def test_a_page_whose_head_is_never_closed_is_read(tmp_path: Path) -> None:
    page = tmp_path / "open.html"
    page.write_text("<!doctype html><html><head><title>Tides</title><body><p>High at six.</p></html>", encoding="utf-8")

    found = read_document("open.html", page)

    assert (found.title, [piece.text for piece in found.pieces]) == ("Tides", ["High at six."])


def test_a_cell_over_columns_is_told_once(tmp_path: Path) -> None:
    document = docx.Document()
    cells = document.add_table(rows=1, cols=3).rows[0].cells
    cells[0].merge(cells[2]).text = "Closed in winter"
    document.save(str(tmp_path / "fares.docx"))

    (piece,) = read_document("fares.docx", tmp_path / "fares.docx").pieces

    assert piece.text == "Closed in winter"


def test_sentences_of_scripts_without_blanks_stay_whole() -> None:
    passages = cut("这是第一句话，说明一件事情。" * 200, 1200)

    assert len(passages) > 1
    assert {passage[-1] for passage in passages} == {"。"}


@pytest.mark.parametrize("identity", ['"caf\\ud800"', "1" * 5000])
def test_an_id_that_cannot_be_kept_is_reported(tmp_path: Path, identity: str) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(f'{{"id": {identity}, "text": "a"}}\n{{"id": "2", "text": "b"}}\n', encoding="utf-8")

    first, second = read_documents(corpus)

    assert first.document is None
    assert first.reason
    assert second.document is not None


def test_a_docx_tells_what_was_inserted_and_what_stands_in_fields_and_not_what_was_deleted(tmp_path: Path) -> None:
    document = docx.Document()
    well = document.add_paragraph("The well ")
    words = nsdecls("w")
    for part in (
        f'<w:ins {words} w:id="1" w:author="a"><w:r><w:t>is deep</w:t></w:r></w:ins>',
        f'<w:del {words} w:id="2" w:author="a"><w:r><w:delText> and dry</w:delText></w:r></w:del>',
    ):
        well._p.append(parse_xml(part))
    field = "<w:sdtContent><w:p><w:r><w:t>Dug by Ada Marsh.</w:t></w:r></w:p></w:sdtContent>"
    document.element.body.insert(0, parse_xml(f"<w:sdt {words}><w:sdtPr/>{field}</w:sdt>"))
    document.save(str(tmp_path / "well.docx"))
    (piece,) = read_document("well.docx", tmp_path / "well.docx").pieces
    assert piece.text == "Dug by Ada Marsh.\n\nThe well is deep"


def test_a_file_whose_name_is_no_text_is_named_all_the_same(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    (tmp_path / name).write_text("The cafe opens at dawn.", encoding="utf-8")
    ((said, file),) = find_documents(tmp_path)
    assert said == "caf\ufffd.txt"
    assert read_document(said, file).pieces[0].text == "The cafe opens at dawn."


def _pieces_of(folder: Path, name: str, content: str) -> tuple[str, list[str]]:
    (folder / name).write_text(content, encoding="utf-8")
    found = read_document(name, folder / name)
    return found.title, [piece.text for piece in found.pieces]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<li><div>Price</div><div>5 EUR</div></li>", "Price\n\n5 EUR"),
        ("<ul><li>Tea<ul><li>green</li></ul></li></ul>", "Tea\n\ngreen"),
        ("<select><option>One</option><option>Two</option></select>", "One\n\nTwo"),
        ("<blockquote><section>First</section>then<section>last</section></blockquote>", "First\n\nthen\n\nlast"),
        ("<p>whole<b>sale</b> and H<sub>2</sub>O</p>", "wholesale and H2O"),
        ("<table><tr><td><div>Ann</div><div>Smith</div></td><td>3</td></tr></table>", "Ann Smith | 3"),
        (
            "<table><caption>Fares</caption><tr><th>what</th><th>cost</th></tr>\n<tr><td>whole<b>sale</b></td>"
            "<td>two\ncrowns</td></tr><tr><td></td><td> </td></tr></table><p>Children pay nothing.</p>",
            "Fares\nwhat | cost\nwholesale | two crowns\n\nChildren pay nothing.",
        ),
        (
            "<table><tr><td><ul><li>menu</li></ul></td><td><p>One.</p><p>Two.</p></td></tr></table>",
            "menu\n\nOne.\n\nTwo.",
        ),
    ],
)
def test_words_of_two_boxes_are_not_one_and_tables_are_read_in_rows(tmp_path: Path, page: str, text: str) -> None:
    assert _pieces_of(tmp_path, "page.html", f"<html><body>{page}</body></html>")[1] == [text]


def test_a_heading_is_one_line_whatever_it_is_made_of(tmp_path: Path) -> None:
    page = "<h1><div>Tide</div><span>tab</span>les</h1><p>High at six.</p>"

    assert _pieces_of(tmp_path, "page.html", page) == ("Tide tables", ["Tide tables\nHigh at six."])


def test_a_markdown_table_is_read_in_rows_and_tags_in_a_line_are_not_shown(tmp_path: Path) -> None:
    table = "| hive | *queen* |\n| --- | --- |\n| 4 | `Marigold` |\n| | |"

    _, pieces = _pieces_of(tmp_path, "bees.md", f"Press <kbd>Ctrl</kbd> now<br/>and wait.\n\n{table}\n\nEnd.")

    assert pieces == ["Press Ctrl now\nand wait.\n\nhive | queen\n4 | Marigold\n\nEnd."]


@pytest.mark.parametrize(
    ("front", "title"),
    [
        ('title: "Rent: a guide"', "Rent: a guide"),
        ("date: 2024-01-02\nTitle: Rent  ", "Rent"),
        ("title:\ndraft: yes", "First"),
        ("title: >\n  folded", "First"),
        ("subtitle: none", "First"),
    ],
)
def test_front_matter_gives_the_title(tmp_path: Path, front: str, title: str) -> None:
    page = f"---\n{front}\n---\n# First\n\nThe deposit is 500 euro.\n"

    assert _pieces_of(tmp_path, "rent.md", page) == (title, ["First\nThe deposit is 500 euro."])


def test_an_outline_is_a_text_too(tmp_path: Path) -> None:
    assert _pieces_of(tmp_path, "plan.md", "# Plan\n\n## Roof\n\n## Cellar\n") == ("Plan", ["Plan\nRoof\nCellar"])
    assert _pieces_of(tmp_path, "plan.html", "<h2>Roof</h2><h2>Cellar</h2>") == ("Roof", ["Roof\nCellar"])


def test_texts_of_lines_are_kept_in_one_encoding_of_accents(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"id": 1, "text": " Ame\u0301lie sees Dvor\u030ca\u0301k. "}\n', encoding="utf-8")

    (record,) = read_documents(corpus)

    assert record.document is not None
    assert record.document.text == "Amélie sees Dvořák."


def test_a_long_table_is_cut_between_rows(tmp_path: Path) -> None:
    rows = [f"hive {number} | queen of the year {1900 + number}" for number in range(99)]
    table = "\n".join(f"| {row} |" for row in [rows[0], "--- | ---", *rows[1:]])

    _, pieces = _pieces_of(tmp_path, "bees.md", table)

    assert len(pieces) > 2
    assert [line for piece in pieces for line in piece.split("\n")] == rows
