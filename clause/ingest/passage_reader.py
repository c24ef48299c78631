"""Reads passages: JSON lines {"id", "title", "text"}, one document a line; long texts are cut at paragraphs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from clause.ingest.readers import open_text
from clause.text.names import normalise

LONGEST_PASSAGE = 2_000
LONGEST_TEXT = 1_000_000
LONGEST_TITLE = 1_000
_BREAKS = re.compile(r"\n\s*\n|(?<=[.!?。！？])\s+|\s+")


class Document(NamedTuple):
    """A line: the given id, the title (may be empty) and the text."""

    given_id: str
    title: str
    text: str


class DocumentRecord(NamedTuple):
    """One line: `number` from 1; either a document or the reason why it is none."""

    number: int
    document: Document | None
    reason: str = ""


def read_documents(path: Path, *, skip: int = 0) -> Iterator[DocumentRecord]:
    """The records of a file (.gz too) after the first `skip` ones; empty lines are no records."""
    with open_text(path) as lines:
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
    except (json.JSONDecodeError, RecursionError):
        return DocumentRecord(number, None, "not JSON")
    reason = _fault(value)
    if reason:
        return DocumentRecord(number, None, reason)
    document = Document(str(value["id"]), normalise(value.get("title") or ""), value["text"].strip())
    return DocumentRecord(number, document)


def _fault(value: Any) -> str:
    if not isinstance(value, dict):
        return "not a JSON object"
    if not isinstance(value.get("id"), str | int) or isinstance(value.get("id"), bool) or value["id"] == "":
        return "the id is missing"
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
    """Passages of at most `longest` characters, cut at a paragraph, else a sentence, else a blank, else anywhere.

    >>> cut("One. Two. Three.", 10)
    ['One. Two.', 'Three.']
    """
    passages = []
    while len(text) > longest:
        breaks = [found for found in _BREAKS.finditer(text, 1, longest + 1) if found.start() >= longest // 2]
        best = max(breaks, key=lambda found: (_rank(text, found), found.start()), default=None)
        at = best.start() if best else longest
        passages.append(text[:at].strip())
        text = text[best.end() if best else at :].strip()
    return [*passages, text] if text else passages


def _rank(text: str, found: re.Match[str]) -> int:
    if found[0].count("\n") > 1:
        return 2
    return int(text[found.start() - 1] in ".!?。！？")
