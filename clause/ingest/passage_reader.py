"""Reads passages from JSON lines {"id", "title", "text"}, cut at paragraphs, and finds the names that they mention."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from clause.ingest.source import open_text
from clause.text.mentions import find_proper_names, folded_key
from clause.text.names import normalise, short_names

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
    except (json.JSONDecodeError, RecursionError):
        return DocumentRecord(number, None, "not JSON")
    reason = _fault(value)
    if reason:
        return DocumentRecord(number, None, reason)
    document = Document(str(value["id"]), normalise(html.unescape(value.get("title") or "")), value["text"].strip())
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


_WORD = re.compile(r"\w+")
_SHARED_BY = 2
_SHORTEST = 3


class TitleFinder:
    """Known names in a text, word by word: the longest at each place, in time that grows with the text alone.

    A name that starts with a capital is only found where the text has a capital or a digit too: the title `It` is not
    every `it`.

    >>> TitleFinder(["It", "The Matrix", "Matrix"]).find("He saw it in The Matrix.")
    [('The Matrix', 13, 23)]
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names: dict[tuple[str, ...], str] = {}
        self._lengths: dict[str, list[int]] = {}
        for name in names:
            words = tuple(_WORD.findall(folded_key(name)))
            if words and words not in self._names:
                self._names[words] = name
                self._lengths.setdefault(words[0], []).append(len(words))
        for first, lengths in self._lengths.items():
            self._lengths[first] = sorted(set(lengths), reverse=True)

    def find(self, text: str) -> list[tuple[str, int, int]]:
        """(name, start, end) of what `text` mentions, in order of place, without overlaps."""
        places = [(found.start(), found.end()) for found in _WORD.finditer(text)]
        words = [folded_key(text[start:end]) for start, end in places]
        found, at = [], 0
        while at < len(words):
            for length in self._lengths.get(words[at], ()):
                stretch = tuple(words[at : at + length])
                name = self._names.get(stretch) if len(stretch) == length else None
                if name is not None and _capital(text[places[at][0]]) >= _capital(name[0]):
                    found.append((name, places[at][0], places[at + length - 1][1]))
                    at += length - 1
                    break
            at += 1
        return found


class MentionFinder:
    """Finds what a corpus talks about: fed with every passage once (`learn`), then asked for each (`find`).

    A short form of a title (`Kes` of `Kes (1969 film)`) is found only where it stands for itself: not as a part of
    another name, as `John` of `John, Count of Brienne` in `John Sayles`.
    """

    def __init__(self) -> None:
        self._titles: dict[str, None] = {}
        self._proper: Counter[str] = Counter()
        self._finder: TitleFinder | None = None
        self._whole: set[str] = set()

    def learn(self, title: str, text: str) -> None:
        """Remember a passage's title and the names that its text seems to hold."""
        self._titles.setdefault(title)
        self._proper.update(_proper_names(text).keys())

    def names(self, text: str) -> list[str]:
        """The names that a text seems to hold, by rule alone."""
        return [*_proper_names(text)]

    def find(self, title: str, text: str, known: Container[str] = frozenset()) -> list[str]:
        """Names in order of place, each once; the passage's own title comes first.

        A name by rule counts where two texts hold it, or where it is `known` already.
        """
        if self._finder is None:
            shorter = (short for known in self._titles for short in short_names(known))
            self._finder = TitleFinder([*self._titles, *shorter])
            self._whole = set(self._titles)
        found = self._finder.find(text)
        known = [one for one in found if one[0] in self._whole or _stands_alone(text, one[1], one[2])]
        names = dict.fromkeys([title, *(name for name, _, _ in known)])
        taken = [(start, end) for _, start, end in known]
        for name, (start, end) in _proper_names(text).items():
            shared = self._proper[name] >= _SHARED_BY or name in known
            if shared and not any(start < other_end and other < end for other, other_end in taken):
                names.setdefault(name)
        return [name for name in names if name]


_BEFORE = re.compile(r"(\S+)\s$")
_AFTER = re.compile(r"\s(\S+)")
_NEAR = 30
_OPENS = frozenset(["the", "in", "a", "an", "at", "on", "by", "from", "of", "with", "for", "and"])


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether no capitalised word makes a longer name of what stands between two places."""
    after = _AFTER.match(text, end)
    if after and after[1][0].isupper():
        return False
    before = _BEFORE.search(text[max(0, start - _NEAR) : start])
    if before is None or not before[1][0].isupper():
        return True
    return before[1][-1] in ".!?:;," or before[1].casefold() in _OPENS


def _proper_names(text: str) -> dict[str, tuple[int, int]]:
    """Names by rule and where they stand first; numbers and dates say too little to join two passages."""
    return {
        mention.name: (mention.start, mention.end)
        for mention in reversed(find_proper_names(text))
        if len(mention.name) >= _SHORTEST and not any(letter.isdigit() for letter in mention.name)
    }


def _capital(letter: str) -> bool:
    return letter.isupper() or letter.isdigit()
