"""Which names a passage mentions: titles of the corpus first, then names found by rule that several passages share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from clause.text.mentions import find_proper_names, folded_key

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
    """What a corpus talks about: fed with every passage once (`learn`), then asked for each (`find`)."""

    def __init__(self) -> None:
        self._titles: dict[str, None] = {}
        self._proper: Counter[str] = Counter()
        self._finder: TitleFinder | None = None

    def learn(self, title: str, text: str) -> None:
        """Remember a passage's title and the names that its text seems to hold."""
        self._titles.setdefault(title)
        self._proper.update(_proper_names(text).keys())

    def find(self, title: str, text: str) -> list[str]:
        """Names in order of place, each once; the passage's own title comes first."""
        if self._finder is None:
            self._finder = TitleFinder(self._titles)
        known = self._finder.find(text)
        names = dict.fromkeys([title, *(name for name, _, _ in known)])
        taken = [(start, end) for _, start, end in known]
        for name, (start, end) in _proper_names(text).items():
            shared = self._proper[name] >= _SHARED_BY
            if shared and not any(start < other_end and other < end for other, other_end in taken):
                names.setdefault(name)
        return [name for name in names if name]


def _proper_names(text: str) -> dict[str, tuple[int, int]]:
    """Names by rule and where they stand first; numbers and dates say too little to join two passages."""
    return {
        mention.name: (mention.start, mention.end)
        for mention in reversed(find_proper_names(text))
        if len(mention.name) >= _SHORTEST and not any(letter.isdigit() for letter in mention.name)
    }


def _capital(letter: str) -> bool:
    return letter.isupper() or letter.isdigit()
