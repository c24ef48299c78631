"""Readers of passages: JSON lines {"id", "title", "text"} and documents in their formats, cut at paragraphs."""

from __future__ import annotations

import html
import io
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from clause.ingest.source import open_text
from clause.text.names import normalise
from clause.text.tokens import is_common

if TYPE_CHECKING:
    from bs4.element import Tag
    from markdown_it.token import Token

LONGEST_PASSAGE = 2_000
LONGEST_TEXT = 1_000_000
LONGEST_TITLE = 1_000
_BREAKS = re.compile(r"\n\s*\n|(?<=[.!?。！？।؟])\s+|(?<=[。！？])|\s+")


class Piece(NamedTuple):
    """A passage of a document and where it stands: under which heading, on which page (from 1)."""

    text: str
    heading: str | None = None
    page: int | None = None


class Document(NamedTuple):
    """A line or a file: the given id, the title (may be empty) and the text; `pieces` where it is cut already."""

    given_id: str
    title: str
    text: str
    pieces: tuple[Piece, ...] = ()

    def passages(self) -> tuple[Piece, ...]:
        """Its passages in order."""
        return self.pieces or tuple(Piece(text) for text in cut(self.text))


class DocumentRecord(NamedTuple):
    """One line: `number` from 1; either a document or the reason why it is none."""

    number: int
    document: Document | None
    reason: str = ""


def read_documents(path: Path, *, skip: int = 0) -> Iterator[DocumentRecord]:
    """The records of a file (.gz too) after the first `skip` ones; empty lines are no records."""
    with open_text(path, bad_bytes="surrogateescape") as lines:
        count = 0
        for number, line in enumerate(lines, 1):
            if line.isspace():
                continue
            if count >= skip:
                yield _record(number, line)
            count += 1


def _record(number: int, line: str) -> DocumentRecord:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):  # a number of 5,000 digits is no JSONDecodeError
        return DocumentRecord(number, None, "not JSON")
    reason = _fault(value)
    if reason:
        return DocumentRecord(number, None, reason)
    title, text = normalise(html.unescape(value.get("title") or "")), normalise(value["text"])
    document = Document(str(value["id"]), title, text)
    return DocumentRecord(number, document)


def _fault(value: Any) -> str:
    if not isinstance(value, dict):
        return "not a JSON object"
    if not isinstance(value.get("id"), str | int) or isinstance(value.get("id"), bool) or value["id"] == "":
        return "the id is missing"
    if reason := _text_fault(str(value["id"]), LONGEST_TITLE):
        return f"the id {reason}"
    for name, longest in (("title", LONGEST_TITLE), ("text", LONGEST_TEXT)):
        reason = _text_fault(value.get(name) if name == "text" else value.get(name) or "", longest)
        if reason:
            return f"the {name} {reason}"
    return "" if value["text"].strip() else "the text is empty"


def _text_fault(text: Any, longest: int) -> str:
    if not isinstance(text, str):
        return "is no text"
    if len(text) > longest:
        return f"has {len(text):,} characters"
    if "\x00" in text:
        return "holds a NUL byte"
    return "is not UTF-8" if any("\ud800" <= letter <= "\udfff" for letter in text) else ""


def cut(text: str, longest: int = LONGEST_PASSAGE) -> list[str]:
    """Passages of at most `longest` characters, cut at a paragraph, else a sentence, a line, a blank, else anywhere.

    >>> cut("One. Two. Three.", 10)
    ['One. Two.', 'Three.']
    """
    passages, start, end, last = [], 0, len(text), len(text.rstrip())
    while end - start > longest:
        found = _BREAKS.finditer(text, start + 1, start + longest + 1)  # by place: a copy of the rest for each is dear
        breaks = [one for one in found if one.start() >= start + longest // 2]
        best = max(breaks, key=lambda one: (_rank(text, one), one.start()), default=None)
        at = best.start() if best else start + longest
        passages.append(text[start:at].strip())
        start, end = best.end() if best else at, last
        while start < end and text[start].isspace():
            start += 1
    return [*passages, text[start:end]] if start < end else passages


def _rank(text: str, found: re.Match[str]) -> int:
    if found[0].count("\n") > 1:
        return 3
    return 2 if text[found.start() - 1] in ".!?。！？।؟" else found[0].count("\n")


FORMATS: Final[Mapping[str, str]] = {
    ".md": "Markdown",
    ".markdown": "Markdown",
    ".html": "HTML",
    ".htm": "HTML",
    ".pdf": "PDF",
    ".docx": "DOCX",
    ".txt": "text",
    ".text": "text",
}
"""The formats of documents by the endings of their files' names."""

PIECE = 1_200
"""Characters of a passage of a document at most: a few of them fit a budget of 512 tokens."""
LARGEST_FILE = 100 * 1024 * 1024


class UnreadableDocumentError(Exception):
    """A file is no document that can be read; the text says why."""


def read_document(name: str, path: Path) -> Document:
    """A file as a document in passages with their headings and pages; its id is its name.

    Raises:
        UnreadableDocumentError: it is of no known format, damaged, locked, too large, or holds no text.
    """
    form = FORMATS.get(path.suffix.lower())
    if form is None:
        raise UnreadableDocumentError(f"documents end in {', '.join(FORMATS)}")
    if path.stat().st_size > LARGEST_FILE:
        raise UnreadableDocumentError(f"it is larger than {LARGEST_FILE // 1024 // 1024} MB")
    readers = {"Markdown": _markdown, "HTML": _html, "PDF": _pdf, "DOCX": _docx, "text": _plain}
    try:
        title, sections = readers[form](path.read_bytes())
    except UnreadableDocumentError:
        raise
    except Exception as error:  # readers of foreign formats raise what they like
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        raise UnreadableDocumentError(f"it is no {form} that can be read: {reason}") from error
    pieces = tuple(_pieces(sections))
    if not pieces:
        raise UnreadableDocumentError("it holds no text")
    title = normalise(title)[:LONGEST_TITLE] or file_title(name)
    return Document(name, title, "\n\n".join(piece.text for piece in pieces), pieces)


def file_title(name: str) -> str:
    """The title of a document that says none: its file's name without the ending.

    >>> file_title("notes/tide_tables.md")
    'tide tables'
    """
    return normalise(Path(name).stem.replace("_", " ").replace("-", " "))


def is_file_title(given_id: str, title: str) -> bool:
    """Tell whether a title is only how a file is called and no name: `my notes.txt`, `Data.md`."""
    of_file = Path(given_id).suffix.lower() in FORMATS and title == file_title(given_id)
    return of_file and (title.islower() or (" " not in title and is_common(title.capitalize())))


def _pieces(sections: Iterable[Piece]) -> Iterator[Piece]:
    """Sections cut to passages; a heading stands in the first of its passages too, so that words find it."""
    for text, heading, page in sections:
        plain = _clean(text)
        title = _clean(heading or "") or None
        for number, part in enumerate(cut(plain, PIECE)):
            yield Piece(f"{title}\n{part}" if title and number == 0 else part, title, page)


_JOINERS = "\u200c\u200d"
"""Control letters that are a part of writing: Persian parts words with one, emoji are joined by the other."""


def _clean(text: str) -> str:
    """Text in NFC without control letters; line ends and blanks of every kind are plain ones, and at line ends none."""
    lines = re.sub(r"\r\n?|[\f\v\x85\u2028\u2029]", "\n", unicodedata.normalize("NFC", text))
    kept = "".join(one for one in lines if one.isprintable() or one.isspace() or one in _JOINERS)
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[^\S\n]+", " ", kept).replace(" \n", "\n")).strip()


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableDocumentError(f"it is not UTF-8: byte {error.start}") from error


def _plain(raw: bytes) -> tuple[str, list[Piece]]:
    text = _decoded(raw)
    if "\x00" in text:
        raise UnreadableDocumentError("it holds a NUL byte")
    return "", [Piece(text)]


def _sections(blocks: Iterable[tuple[int, str]]) -> tuple[str, list[Piece]]:
    """The title (the first heading of the highest level) and sections of (heading level or 0, text) blocks.

    A section's heading names those above it: `Leave > Sick leave`.
    """
    above: list[tuple[int, str]] = []
    texts: list[str] = []
    found: list[Piece] = []
    titles: list[tuple[int, str]] = []

    def close() -> None:
        if texts:
            found.append(Piece("\n\n".join(texts), " > ".join(name for _, name in above) or None))
            texts.clear()

    for level, text in blocks:
        if not text.strip():
            continue
        if not level:
            texts.append(text)
            continue
        close()
        heading = " ".join(text.split())
        titles.append((level, heading))
        above = [*(one for one in above if one[0] < level), (level, heading)]
    close()
    if titles and not found:  # an outline says something too
        found.append(Piece("\n".join(heading for _, heading in titles)))
    return (min(titles, key=lambda one: one[0])[1] if titles else ""), found


def _markdown(raw: bytes) -> tuple[str, list[Piece]]:
    from markdown_it import MarkdownIt  # noqa: PLC0415 -- only where such a file comes

    lines = _decoded(raw).replace("\r\n", "\n")
    front = _FRONT.match(lines)
    named = _TITLE.search(front[0]) if front else None
    tokens = MarkdownIt("commonmark").enable("table").parse(lines[front.end() :] if front else lines)
    blocks: list[tuple[int, str]] = []
    level, rows = 0, list[list[str]]()
    for token in tokens:
        if token.type == "heading_open":
            level = int(token.tag[1])
        elif token.type == "heading_close":
            level = 0
        elif token.type == "tr_open":
            rows.append([])
        elif token.type == "table_close":
            blocks.append((0, _table(rows)))
            rows = []
        elif token.type == "inline":
            shown = "".join(map(_shown, token.children or ()))
            rows[-1].append(shown) if rows else blocks.append((level, shown))
        elif token.type in ("fence", "code_block"):
            blocks.append((0, token.content))
        elif token.type == "html_block":
            blocks += [(0, piece.text) for piece in _html(token.content.encode())[1]]
    title, sections = _sections(blocks)
    return (named[1].strip("\"'") if named else "") or title, sections


def _shown(token: Token) -> str:
    """The words of a piece of a Markdown line; of tags only that a line breaks."""
    if token.type == "html_inline":
        return "\n" if re.match(r"<br\b", token.content, re.IGNORECASE) else ""
    return token.content or ("\n" if "break" in token.type else "")


def _table(rows: Iterable[Iterable[str]]) -> str:
    """A table as lines of cells, as they are read from left to right."""
    lines = ([" ".join(cell.split()) for cell in row] for row in rows)
    return "\n".join(" | ".join(cells) for cells in lines if any(cells))


_FRONT = re.compile(r"\A---\n(?=[\w-]+\s*:).*?\n(?:---|\.\.\.)(?:\n|\Z)", re.DOTALL)
_TITLE = re.compile(r"^title:[ \t]*([^\s>|].*?)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_UNSEEN = ("script", "style", "noscript", "template", "nav", "footer", "title", "meta", "link", "svg", "iframe")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_CELLS = ("td", "th")
_LISTS = ("li", "pre", "blockquote", "dt", "dd", "figcaption")
_PARTS = ("div", "p", "section", "article", "main", "body", "header", "aside", "form", "address")
_LINES = ("option", "caption", "summary", "legend", "dialog", "fieldset")
_BLOCKS = frozenset([*_HEADINGS, *_CELLS, *_LISTS, *_PARTS, *_LINES])


def _html(raw: bytes) -> tuple[str, list[Piece]]:
    from bs4 import BeautifulSoup  # noqa: PLC0415 -- only where such a file comes
    from bs4.element import PreformattedString  # noqa: PLC0415

    page = BeautifulSoup(raw, "html.parser")
    named = page.title.get_text(" ", strip=True) if page.title else ""
    for unseen in page.find_all(_UNSEEN):
        unseen.decompose()
    for line in page.find_all("br"):
        line.replace_with("\n")
    tables = {id(table): rows for table in page.find_all("table") if (rows := _html_rows(table))}
    blocks: list[tuple[int, str]] = []
    last: tuple[Any, Any] = (None, None)
    for text in page.find_all(string=lambda one: not isinstance(one, PreformattedString)):
        parents = [*text.parents]
        around = next((one for one in parents if one.name in _BLOCKS), None)
        whole = next((one for one in parents if one.name in _HEADINGS or id(one) in tables), around)
        rows, said = tables.get(id(whole), ""), re.sub(r"\s+", " ", text)
        level = int(whole.name[1]) if whole is not None and whole.name in _HEADINGS else 0
        if blocks and last[0] is whole:  # a heading is one line, whatever it is made of
            glue = "" if last[1] is around else " "
            blocks[-1] = (level, rows or f"{blocks[-1][1]}{glue}{said}")
        elif said.strip():
            blocks.append((level, rows or said))
        else:
            continue
        last = (whole, around)
    title, sections = _sections([(level, text.strip()) for level, text in blocks])
    return named or title, sections


def _html_rows(table: Tag) -> str:
    """The rows of a table of plain cells; "" of one that only sets out a page."""
    rows = [row.find_all(_CELLS) for row in table.find_all("tr")]
    if max(map(len, rows), default=0) < 2 or table.find(["table", *_HEADINGS, *_LISTS]) or table.select("td td, th td"):
        return ""
    cells = ([cell.get_text(" " if cell.find(_PARTS) else "") for cell in row] for row in rows)
    return _table([*([one.get_text()] for one in table.find_all("caption")), *cells])


def _pdf(raw: bytes) -> tuple[str, list[Piece]]:
    from pypdf import PdfReader  # noqa: PLC0415 -- only where such a file comes

    reader = PdfReader(io.BytesIO(raw))
    if reader.is_encrypted and not reader.decrypt(""):
        raise UnreadableDocumentError("it is locked with a password")
    title = str(reader.metadata.title or "") if reader.metadata else ""
    pages = [Piece(_unwrapped(page.extract_text() or ""), None, number) for number, page in enumerate(reader.pages, 1)]
    return title, pages


def _unwrapped(text: str) -> str:
    """Lines of a page joined where a sentence goes on; words parted at line ends are whole again."""
    return re.sub(r"(?<![.!?:;\n])\n(?!\n)", " ", re.sub(r"(?<=[^\W\d_A-Z])-\n(?=[^\W\d_A-Z])", "", text))


def _docx(raw: bytes) -> tuple[str, list[Piece]]:
    import docx  # noqa: PLC0415 -- only where such a file comes
    from docx.oxml.ns import qn  # noqa: PLC0415
    from docx.table import Table  # noqa: PLC0415

    document = docx.Document(io.BytesIO(raw))
    for wrapped in list(document.element.body.iter(qn("w:ins"), qn("w:sdt"))):  # what was inserted, or is a field
        content = wrapped.find(qn("w:sdtContent"))
        prompts = wrapped.iterfind(f"{qn('w:sdtPr')}//*")
        empty = any(one.tag == qn("w:showingPlcHdr") or "Table of Contents" in one.values() for one in prompts)
        for child in [] if empty else list(wrapped if content is None else content):
            wrapped.addprevious(child)
        wrapped.getparent().remove(wrapped)
    blocks: list[tuple[int, str]] = []
    for block in document.iter_inner_content():
        if isinstance(block, Table):
            cells = ({cell._tc: cell.text.strip() for cell in row.cells} for row in block.rows)  # one over columns once
            rows = (" | ".join(row.values()) for row in cells)
            blocks.append((0, "\n".join(rows)))
            continue
        style = (block.style.name if block.style else "") or ""
        heading = re.fullmatch(r"Heading (\d)", style)
        blocks.append((1 if style == "Title" else int(heading[1]) + 1 if heading else 0, block.text))
    title, sections = _sections(blocks)
    return document.core_properties.title or title, sections
