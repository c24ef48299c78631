"""Which content words of two statements correspond, and what is left over on either side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clause.text.lexicon import Relation, relation
from clause.text.slots import Statement
from clause.text.vocabulary import FILLERS
from clause.text.word_order import moved_pairs

Relate = Callable[[str, str], Relation]
"""How two different words relate."""


@dataclass(frozen=True)
class Alignment:
    """The content words of statements a and b, matched.

    Attributes:
        same: pairs of positions in the content of a and of b, equal or synonyms.
        synonyms: how many of `same` are different words.
        wider: pairs where one word covers the other.
        only_a: forms in a without a match.
        only_b: forms in b without a match.
        exclusive: leftover pairs that exclude one another.
        moved: how many matched pairs stand in another order, the passive voice set right.
        plural: how many matched words are singular on one side and plural on the other.
    """

    same: tuple[tuple[int, int], ...]
    synonyms: int
    wider: tuple[tuple[int, int], ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    exclusive: tuple[tuple[str, str], ...]
    moved: int
    plural: int

    @property
    def exchanged(self) -> bool:
        """Whether both sides have words the other lacks."""
        return bool(self.only_a) and bool(self.only_b)


def align(first: Statement, second: Statement, relate: Relate = relation) -> Alignment:
    """Match content words: equal ones first, then synonyms, then wider and narrower ones; near positions go first.

    >>> from clause.text.slots import read_statement
    >>> found = align(read_statement("A kid rides a red bike"), read_statement("A child is riding a blue bicycle"))
    >>> found.exclusive, found.synonyms
    ((('red', 'blue'),), 2)
    """
    mine, theirs = [form for _, form, _ in first.content], [form for _, form, _ in second.content]
    free_a, free_b = set(range(len(mine))), set(range(len(theirs)))
    equal = _pair(free_a, free_b, lambda i, j: _equal(first, second, i, j))
    akin = _pair(free_a, free_b, lambda i, j: relate(mine[i], theirs[j]) is Relation.SAME)
    wider = _pair(free_a, free_b, lambda i, j: relate(mine[i], theirs[j]) is Relation.WIDER)
    only_a, only_b = [mine[i] for i in sorted(free_a)], [theirs[j] for j in sorted(free_b)]
    exclusive = [(x, y) for x in only_a for y in only_b if relate(x, y) is Relation.EXCLUSIVE]
    exclusive += _opposed_particles(first, second, only_a, only_b)
    matched = sorted([*equal, *akin, *wider])
    return Alignment(
        same=tuple(sorted([*equal, *akin])),
        synonyms=len(akin),
        wider=tuple(wider),
        only_a=tuple(only_a),
        only_b=tuple(only_b),
        exclusive=tuple(exclusive),
        moved=moved_pairs(first, second, matched),
        plural=sum(_plural(mine[i]) != _plural(theirs[j]) for i, j in equal),
    )


def _equal(first: Statement, second: Statement, i: int, j: int) -> bool:
    """Whether two content words are forms of one; a phrase (`put_on`) is its head where the other side has the rest."""
    (_, mine, one), (_, theirs, other) = first.content[i], second.content[j]
    if "_" in mine and "_" in theirs:
        return mine == theirs
    if "_" not in mine + theirs:
        return bool(one.bases & other.bases)
    phrase, rest_of = (mine, second) if "_" in mine else (theirs, first)
    particles = set(phrase.split("_")[1:]) & FILLERS
    return bool(particles and one.bases & other.bases) and particles <= {word.lower for word in rest_of.words}


def _pair(free_a: set[int], free_b: set[int], fits: Callable[[int, int], bool]) -> list[tuple[int, int]]:
    """Free positions that fit each other, the nearest in place first; they are free no more."""
    found = []
    for i in sorted(free_a):
        options = [j for j in free_b if fits(i, j)]
        if options:
            j = min(options, key=lambda other: (abs(other - i), other))
            free_b.discard(j)
            free_a.discard(i)
            found.append((i, j))
    return found


def _opposed_particles(
    first: Statement, second: Statement, only_a: Sequence[str], only_b: Sequence[str]
) -> list[tuple[str, str]]:
    """Small words (`up`, `into`) of one side that exclude a small or leftover word of the other."""
    mine = {word.lower for word in first.words if word.lower in FILLERS}
    theirs = {word.lower for word in second.words if word.lower in FILLERS}
    return sorted(
        (x, y)
        for x in {*(mine - theirs), *only_a}
        for y in {*(theirs - mine), *only_b}
        if (x in FILLERS or y in FILLERS) and relation(x, y) is Relation.EXCLUSIVE
    )


def _plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))
