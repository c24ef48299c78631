"""Names that passages mention: titles, word by word, and names by rule that passages share."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Container, Iterable

from clause.ingest.passage_reader import is_file_title
from clause.text.mentions import (
    HANGUL,
    PARTICLES,
    UNSPACED,
    folded_key,
    is_meant,
    joining_names,
    name_key,
    stands_alone,
)
from clause.text.names import short_names

_MARKS = "".join(one for one in map(chr, range(0x300, 0x3100)) if unicodedata.category(one)[0] == "M")
_ALONE = UNSPACED + HANGUL
_ODD = re.compile(rf"[{_ALONE}{_MARKS}]")
_PLAIN = re.compile(r"\w+")
_WORD = re.compile(rf"[{_ALONE}][{_MARKS}]*|[^\W{_ALONE}]+(?:[{_MARKS}]+[^\W{_ALONE}]*)*")
_STOP = re.compile(r"[.!?\u2026]['\"\u2019\u201d)\]]*\s|\n\s*\n|[\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f]")
_SHORTENED = re.compile(r"\b(?:[^\W\d_]|Mr|Mrs|Ms|Dr|St|Ste|Prof|Mt|Ft|Jr|Sr|vs|No|Vol|Inc|Co|Ltd)$", re.IGNORECASE)
_AHEAD = re.compile(r"[#$€£¥@+*~]+")
_BEHIND = re.compile(r"(?<!\s)[#$€£¥@+*%]+$")
_SIGNED = re.compile(r"(?<!\d)[#+]+(?!\w)")
_ENDING = re.compile(rf"(?:{PARTICLES})?(?![{HANGUL}])")
_LETTER = re.compile(rf"[{UNSPACED}]")
_EDGES = re.compile(r"^\W+|\W+$")
_ARTICLE = re.compile(r"^(?:the|an?) (?=\S+$)", re.IGNORECASE)
_SHARED_BY = 2


def _words(text: str) -> tuple[list[str], list[re.Match[str]]]:
    """Words as they are looked up, and where they stand; of scripts that join words every letter is one."""
    if text.isascii():
        return _PLAIN.findall(text.lower()), [*_PLAIN.finditer(text)]
    pattern = _WORD if _ODD.search(text) else _PLAIN
    words, places = pattern.findall(text), [*pattern.finditer(text)]
    return [word.lower() if word.isascii() else folded_key(word) for word in words], places


class TitleFinder:
    """Known names in a text, word by word: the longest at each place, in time that grows with the text alone.

    A name that starts with a capital is only found where the text has a capital or a digit too: the title `It` is not
    every `it`. Of names that differ in case, accents or signs the one is found that is written most like the text.

    >>> TitleFinder(["It", "The Matrix", "Matrix", "C", "C++"]).find("He saw it in The Matrix. C++ did it.")
    [('The Matrix', 13, 23), ('C++', 25, 28)]
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}
        lengths: dict[str, set[int]] = {}
        for name in names:
            words = tuple(_words(name)[0])
            known = self._names.get(words, ())
            if words and name not in known:
                self._names[words] = (*known, name)
                lengths.setdefault(words[0], set()).add(len(words))
        self._lengths = {first: sorted(some, reverse=True) for first, some in lengths.items()}

    def find(self, text: str) -> list[tuple[str, int, int]]:
        """(name, start, end) of what `text` mentions, in order of place, without overlaps."""
        words, places = _words(text)
        found, upto = list[tuple[str, int, int]](), 0
        for at, first in enumerate(words):
            if at < upto or first not in self._lengths:
                continue
            for length in self._lengths[first]:
                names = self._names.get(tuple(words[at : at + length])) if at + length <= len(words) else None
                hit = _nearest(names, text, places[at].start(), places[at + length - 1].end()) if names else None
                if hit:
                    found.append(hit)
                    upto = at + length
                    break
        return found


def _nearest(names: Iterable[str], text: str, start: int, end: int) -> tuple[str, int, int] | None:
    """The name, and where it stands with its signs, that a stretch most likely means of those spelt alike."""
    hits = [hit for name in names if (hit := _placed(name, text, start, end))]
    return min(hits, key=lambda hit: _unlikeness(text, *hit)) if len(hits) > 1 else next(iter(hits), None)


def _unlikeness(text: str, name: str, start: int, end: int) -> tuple[int, int]:
    """The less, the more a name is written as the text has it: in all letters and signs, but for case, for accents."""
    edge = len(name) - len(_EDGES.sub("", name))
    whole = name in text[max(0, start - edge) : end + edge]
    return (0, -len(name)) if whole else (1 + (name_key(name) != name_key(text[start:end])), 0)


def _placed(name: str, text: str, start: int, end: int) -> tuple[str, int, int] | None:
    """The name and where it stands, if this stretch means it."""
    opening = next((letter for letter in name if letter.isalnum()), "")
    if _is_high(opening) > _is_high(text[start]) or not _is_whole(name, text, start, end):
        return None
    ahead, behind, signed = _AHEAD.match(name), _BEHIND.search(name), _SIGNED.match(text, end)
    before, after = ahead[0] if ahead else "", behind[0] if behind else ""
    alike = text.endswith(before, 0, start) and text.startswith(after, end)
    if not alike or (signed and signed[0] != after):
        return None
    return (name, start - len(before), end + len(after)) if before or after or _fits(name, text, start, end) else None


def _fits(name: str, text: str, start: int, end: int) -> bool:
    """Tell whether an everyday word, alone or behind an article, means the name here: `The Village`."""
    core = _EDGES.sub("", name)
    rest = _ARTICLE.sub("", core)
    return is_meant(rest, text, start if rest == core else max(start + 1, end - len(rest)), end)


def _is_whole(name: str, text: str, start: int, end: int) -> bool:
    """Tell whether a stretch is no part of another word, and no sentence ends in it that does not end in the name."""
    if HANGUL[0] <= text[start] <= HANGUL[-1] and HANGUL[0] <= text[start - 1 : start] <= HANGUL[-1]:
        return False
    if HANGUL[0] <= text[end - 1] <= HANGUL[-1] and not _ENDING.match(text, end):
        return False
    if end - start == 1 and _LETTER.match(text, start):
        return not (_LETTER.match(text, end) or (start and _LETTER.match(text, start - 1)))
    return _stops(text[start:end]) <= _stops(name)


def _stops(stretch: str) -> int:
    """The number of places where a sentence may end inside a stretch."""
    return sum(not _SHORTENED.search(stretch[: stop.start()]) for stop in _STOP.finditer(stretch))


def _is_high(letter: str) -> bool:
    return letter.isupper() or letter.isdigit()


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

    def learn(self, title: str, text: str, given_id: str = "") -> None:
        """Remember a passage's title and the names that its text seems to hold; the id tells titles of mere files."""
        if not is_file_title(given_id, title):
            self._titles.setdefault(title)
        self._proper.update(joining_names(text).keys())

    def names(self, text: str) -> list[str]:
        """The names that a text seems to hold, by rule alone."""
        return [*joining_names(text)]

    def find(self, title: str, text: str, known: Container[str] = frozenset()) -> list[str]:
        """Names in order of place, each once; the passage's own title comes first.

        A name by rule counts where two texts hold it, or where it is `known` already.
        """
        if self._finder is None:
            shorter = (short for known in self._titles for short in short_names(known))
            self._finder = TitleFinder([*self._titles, *shorter])
            self._whole = set(self._titles)
        found = self._finder.find(text)
        titled = [one for one in found if one[0] in self._whole or stands_alone(text, one[1], one[2])]
        names = dict.fromkeys([title, *(name for name, _, _ in titled)])
        taken = [(start, end) for _, start, end in titled]
        for name, (start, end) in joining_names(text).items():
            shared = self._proper[name] >= _SHARED_BY or name in known
            if shared and not any(start < other_end and other < end for other, other_end in taken):
                names.setdefault(name)
        return [name for name in names if name]
