"""The words of a statement: tokens, the base forms a word may have, and which words carry content."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from clause.text.vocabulary import AMBIGUOUS, IRREGULAR

_TOKEN = re.compile(
    r"(?:[^\W\d_]\.){2,}"  # U.S.
    r"|(?<![\w.,])[-+\u2212]?\d+(?:[.,:/-]\d+)*[^\W_]*"  # -3.5, 2026-01-02, 5kg, 2nd
    r"|[^\W_]+(?:['\u2019\u2010-][^\W_]+)*"  # words, well-known, don't, t-shirt
    r"|[$\u20ac\u00a3\u00a5%\u00b0]"
)
_PAUSE = re.compile(r"[,;:\"\u201c\u201d\u2014]|\s-+\s")
_OPENERS = re.compile(r"[.!?:;\"\u201c(]\s*$")

_VOWELS = frozenset("aeiou")


@dataclass(frozen=True, slots=True)
class Word:
    """One token.

    Attributes:
        text: as written.
        lower: in lower case.
        bases: the base forms it may have.
        opens: whether it opens a sentence.
        pauses: whether a comma, a colon, a quote or a dash stands before it.
    """

    text: str
    lower: str
    bases: frozenset[str]
    opens: bool
    pauses: bool = False

    @property
    def capital(self) -> bool:
        """Whether it begins with a capital letter or holds one."""
        return self.text != self.lower


def words(text: str) -> list[Word]:
    """The words of `text` in order; compounds and contractions of `not` are split, possessive endings fall away.

    >>> [word.lower for word in words("The U.S. isn't Ann's 5kg friend.")]
    ['the', 'u.s.', 'is', 'not', 'ann', '5kg', 'friend']
    """
    found: list[Word] = []
    end = 0
    for hit in _TOKEN.finditer(text):
        opens = not found or bool(_OPENERS.search(text[: hit.start()]))
        pauses = bool(found) and bool(_PAUSE.search(text[end : hit.start()]))
        end = hit.end()
        found.extend(_word(part, opens and not i, pauses and not i) for i, part in enumerate(_parts(hit.group())))
    return found


@lru_cache(maxsize=65536)
def bases(word: str) -> frozenset[str]:
    """The base forms that a lower-case word may have; two words are forms of one if theirs meet.

    >>> sorted(bases("riding") & bases("rode")), bases("plan") & bases("plane")
    (['ride'], frozenset())
    """
    if word in AMBIGUOUS:
        return frozenset(AMBIGUOUS[word])
    if word in IRREGULAR:
        return frozenset((IRREGULAR[word],))
    return frozenset((word, *_without_ending(word)))


def _parts(token: str) -> list[str]:
    plain = token.replace("\u2019", "'").replace("\u2010", "-")
    compound = plain.split("-") if plain[0].isalpha() else [plain]
    if len(compound) > 1 and all(len(part) > 1 or part.isdigit() for part in compound):
        return [word for part in compound for word in _parts(part)]
    lower = plain.lower()
    if lower in {"cannot", "can't", "won't"}:
        return [{"w": "will", "c": "can"}[lower[0]], "not"]
    if lower.endswith("n't"):
        return [plain[:-3], "not"]
    for ending in ("'s", "s'", "'re", "'ve", "'ll", "'d", "'m"):
        if lower.endswith(ending) and len(lower) > len(ending):
            rest = plain[: -len(ending)] + ("s" if ending == "s'" else "")
            return [rest, "will"] if ending == "'ll" else [rest]
    return [plain]


def _word(text: str, opens: bool, pauses: bool) -> Word:
    lower = "u.s." if text == "US" else text.casefold()
    return Word(text, lower, bases(lower), opens, pauses)


def _without_ending(word: str) -> list[str]:
    if len(word) <= 3 or not word.isalpha():
        return []
    return _verb_stems(word) if word.endswith(("ed", "ing")) else _singular(word)


def _singular(word: str) -> list[str]:
    if word.endswith("ies"):
        return [word[:-3] + "y", word[:-1]]
    if word.endswith(("sses", "shes", "ches", "xes", "zes", "oes")):
        return [word[:-2], word[:-1]]
    return [word[:-1]] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else []


def _verb_stems(word: str) -> list[str]:
    if word.endswith("ied"):
        return [word[:-3] + "y"]
    stem = word.removesuffix("ing") if word.endswith("ing") else word.removesuffix("ed")
    if len(stem) < 2 or not any(letter in _VOWELS or letter == "y" for letter in stem):
        return []
    stems = [stem, stem + "e"]
    if stem[-1] == stem[-2] and stem[-1] not in "aeiou":
        stems.append(stem[:-1])
    return stems
