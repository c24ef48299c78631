"""Lists of words that may stand for one another, include one another, or exclude one another: ours and WordNet's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from clause.text.statements.words import bases, derived, graded

K = TypeVar("K", str, int)
V = TypeVar("V")

FOLDER = Path(__file__).parent / "lexicon_data"


class Relation(StrEnum):
    """The relations that the lists know between two different words."""

    SAME = "same"
    WIDER = "wider"
    EXCLUSIVE = "exclusive"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Lexicon:
    """The lists, ready to be asked.

    Attributes:
        groups: word -> the synonym groups it is in.
        narrower: word -> the words it covers.
        sides: word -> the antonym lines it is in, with the side (line, 0 | 1).
        values: word -> the value it is of each kind (kind, number of the value).
        habits: what somebody is called -> words of what such a one does not do, have or take.
        phrases: the phrases of several words, as tuples, longest first.
    """

    groups: dict[str, frozenset[int]]
    narrower: dict[str, frozenset[str]]
    sides: dict[str, frozenset[tuple[int, int]]]
    values: dict[str, frozenset[tuple[str, int]]]
    habits: dict[str, frozenset[str]]
    phrases: tuple[tuple[str, ...], ...]

    @classmethod
    def load(cls, folder: Path = FOLDER) -> Lexicon:
        """The lists in `folder`: synonyms, hypernyms, antonyms, wordnet_antonyms, exclusive, habits (.txt)."""
        groups: dict[str, set[int]] = {}
        for number, line in enumerate(_lines(folder / "synonyms.txt")):
            for word in line.split():
                groups.setdefault(word, set()).add(number)
        narrower: dict[str, set[str]] = {}
        for line in _lines(folder / "hypernyms.txt"):
            wide, covered = line.split(":")
            narrower.setdefault(wide, set()).update(covered.split())
        sides: dict[str, set[tuple[int, int]]] = {}
        opposites = (*_lines(folder / "antonyms.txt"), *_lines(folder / "wordnet_antonyms.txt"))
        for number, line in enumerate(opposites):
            for side, half in enumerate(line.split("|")):
                for word in half.split():
                    sides.setdefault(word, set()).add((number, side))
        values: dict[str, set[tuple[str, int]]] = {}
        for line in _lines(folder / "exclusive.txt"):
            kind, listed = line.split(":")
            for number, value in enumerate(listed.split()):
                for word in value.split("/"):
                    values.setdefault(word, set()).add((kind, number))
        habits = {
            name: frozenset(words.split())
            for names, words in (line.split(":") for line in _lines(folder / "habits.txt"))
            for name in names.split()
        }
        known = {*groups, *narrower, *sides, *values, *(word for covered in narrower.values() for word in covered)}
        phrases = sorted((tuple(word.split("_")) for word in known if "_" in word), key=lambda one: (-len(one), one))
        return cls(_frozen(groups), _frozen(narrower), _frozen(sides), _frozen(values), habits, tuple(phrases))

    def relation(self, left: str, right: str) -> Relation:
        """The relation of two lower-case words (phrases with `_`); SAME goes before WIDER, WIDER before EXCLUSIVE.

        >>> lexicon = shipped_lexicon()
        >>> [lexicon.relation(*pair).value for pair in (("kids", "child"), ("red", "blue"), ("man", "people"))]
        ['same', 'exclusive', 'unknown']
        """
        first, second = _forms(left), _forms(right)
        if first & second or _meet(self.groups, first, second) or derived(first, second):
            return Relation.SAME
        if self._covers(first, second) or self._covers(second, first):
            return Relation.WIDER
        if _differ(self.values, first, second) or self.opposed(left, right):
            return Relation.EXCLUSIVE
        return Relation.UNKNOWN

    def opposed(self, left: str, right: str) -> bool:
        """True for opposites (`open`, `closed`), which exclude one another whatever is said with them.

        Two values of one kind (`French`, `Spanish`; `son`, `daughter`) do so only where there can be but one.
        """
        first, second = _forms(left), _forms(right)
        if _differ(self.values, first, second):
            return False
        return (
            _differ(self.sides, first, second)
            or _prefixed(first, second)
            or any(_differ(self.sides, *plain) for plain in graded(left, right))
        )

    def against_habit(self, called: str, word: str) -> bool:
        """True where somebody called so (`vegetarian`) has nothing to do with `word` (`meat`)."""
        shunned = (self.habits.get(form, frozenset()) for form in _forms(called))
        return any(form in words for words in shunned for form in _forms(word))

    def knows(self, word: str) -> bool:
        """True where any list holds a form of `word`."""
        return any(form in held for form in _forms(word) for held in (self.groups, self.sides, self.values))

    def _covers(self, wide: frozenset[str], narrow: frozenset[str]) -> bool:
        return any(form in self.narrower and self.narrower[form] & narrow for form in wide)


@lru_cache(maxsize=1)
def shipped_lexicon() -> Lexicon:
    """The lists of the package, read once."""
    return Lexicon.load()


@lru_cache(maxsize=65536)
def relation(left: str, right: str) -> Relation:
    """`Lexicon.relation` of the shipped lists, remembered."""
    return shipped_lexicon().relation(left, right)


_PREFIXES = ("un", "non", "in", "im", "dis", "ir", "il", "non-", "anti-", "ex-")


def _prefixed(first: frozenset[str], second: frozenset[str]) -> bool:
    """Tell whether one word is the other with a prefix that negates it (`happy`, `unhappy`)."""
    return any(
        (one == prefix + other or other == prefix + one) and min(len(one), len(other)) > 3
        for one in first
        for other in second
        for prefix in _PREFIXES
    )


def _forms(word: str) -> frozenset[str]:
    head, _, tail = word.rpartition("_")
    if not head:
        return bases(word) | {word}
    return frozenset((word, *(f"{head}_{form}" for form in bases(tail))))


def _meet(held: dict[str, frozenset[int]], first: frozenset[str], second: frozenset[str]) -> bool:
    mine = {group for form in first for group in held.get(form, ())}
    return any(group in mine for form in second for group in held.get(form, ()))


def _differ(held: dict[str, frozenset[tuple[K, int]]], first: frozenset[str], second: frozenset[str]) -> bool:
    """Tell whether both words have a value under one key, and no value in common."""
    mine = {pair for form in first for pair in held.get(form, ())}
    theirs = {pair for form in second for pair in held.get(form, ())}
    return not mine & theirs and bool({key for key, _ in mine} & {key for key, _ in theirs})


def _frozen(held: dict[str, set[V]]) -> dict[str, frozenset[V]]:
    return {word: frozenset(values) for word, values in held.items()}


def _lines(path: Path) -> Iterator[str]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line.strip()
