"""Which words and numbers of a statement tell when: months, days beside them, years, times of day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from clause.text.words import Word

_MONTH_WORDS = """january jan; february feb; march mar; april apr; may; june jun; july jul; august aug;
september sep sept; october oct; november nov; december dec"""
MONTHS: Final = {form: number for number, group in enumerate(_MONTH_WORDS.split(";"), 1) for form in group.split()}
"""Forms of the months' names -> 1..12."""

WEEKDAYS: Final = frozenset({"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"})
"""The days of the week, as the list of exclusive words names them."""

_MONTHS_AND_WORDS = frozenset({"may", "march", "mar", "jan"})
_OF_TIME = "in since until till before after during circa year spring summer autumn winter"
_BEFORE_YEARS = frozenset(_OF_TIME.split())
_SPANS = {"to": "from", "and": "between"}
_DETERMINERS = frozenset({"the", "this", "that", "a", "its", "their", "our", "my", "his", "her"})
_SMALL_ENDINGS = frozenset({"was", "is", "has", "his", "its", "this", "as", "does", "always", "across", "us"})
_PEOPLE = frozenset({"people", "men", "women", "children", "dollar", "sheep", "fish", "mice"})
_YEAR = re.compile(r"[12]\d{3}$")
_LIKELY_YEAR = re.compile(r"(1[89]|20)\d\d$")
_DECADE = re.compile(r"[12]\d\d0s$")
_DAY = re.compile(r"#?(0?[1-9]|[12]\d|3[01])$")
_CLOCK = re.compile(r"=\d{1,2}:\d\d(:\d\d)?([ap]m)?$|.* [ap]m$")
_YEARS = re.compile(r"=[12]\d{3}[-/]([12]\d{3}|\d\d)$")


def is_month(tokens: Sequence[Word], position: int) -> bool:
    """Whether the word names a month; `may` and `march` do so only with a capital inside a sentence, or by a number.

    >>> from clause.text.words import words
    >>> is_month(words("it may rain"), 1), is_month(words("in May"), 1), is_month(words("on 3 may"), 2)
    (False, True, True)
    """
    token = tokens[position]
    if token.lower not in MONTHS:
        return False
    if token.lower not in _MONTHS_AND_WORDS or (token.capital and not token.opens):
        return True
    beside = tokens[max(0, position - 1) : position + 2]
    return any(other.text[:1].isdigit() for other in beside)


def tells_when(tokens: Sequence[Word], position: int, length: int, value: str) -> bool:
    """Whether a number tells a date or a time of day, not how many: `in 1990`, `May 3`, `5 pm`, `10:30`.

    Args:
        tokens: of the statement.
        position: where the number begins.
        length: how many tokens it takes.
        value: as `read_quantities` writes it.

    >>> from clause.text.words import words
    >>> tells_when(words("built in 1990"), 2, 1, "1990"), tells_when(words("in 1990 houses"), 1, 1, "1990")
    (True, False)
    """
    word, after = tokens[position].lower, position + length
    if _CLOCK.match(value) or _YEARS.match(value) or _DECADE.match(word):
        return True
    if _DAY.match(value) and (_month_before(tokens, position) or _month_after(tokens, after)):
        return True
    return bool(_YEAR.match(word)) and value == word and _is_year(tokens, position, after)


def _is_year(tokens: Sequence[Word], position: int, after: int) -> bool:
    """Whether four digits are a year: after a month or its day or a word of time, before nothing that is counted."""
    if _month_before(tokens, position) or (position and _dated(tokens, position - 1)):
        return True
    if _counts(tokens, after):
        return False
    before = tokens[position - 1].lower if position else ""
    if before in _BEFORE_YEARS or _spans(tokens, position, before):
        return True
    if before == "of":
        return position > 1 and tokens[position - 2].lower in _BEFORE_YEARS
    likely = bool(_LIKELY_YEAR.match(tokens[position].lower))
    return likely and before in _DETERMINERS and after < len(tokens) and tokens[after].lower.isalpha()


def _spans(tokens: Sequence[Word], position: int, before: str) -> bool:
    """Whether years stand as `from ... to ...` or `between ... and ...`, at either end."""
    if before in _SPANS.values():
        joint, other, opening = position + 1, position + 2, before
    else:
        joint, other, opening = position - 1, position - 2, _SPANS.get(before, "")
        if other < 1 or tokens[other - 1].lower != opening:
            return False
    if not opening or other >= len(tokens) or _SPANS.get(tokens[joint].lower) != opening:
        return False
    return all(_LIKELY_YEAR.match(tokens[at].lower) for at in (position, other))


def _dated(tokens: Sequence[Word], position: int) -> bool:
    """Whether the word is a day beside its month (`May 3, 1990`)."""
    word = tokens[position].lower.removesuffix("st").removesuffix("nd").removesuffix("rd").removesuffix("th")
    return bool(_DAY.match(word)) and _month_before(tokens, position)


def _month_before(tokens: Sequence[Word], position: int) -> bool:
    """Whether a month stands before: `May 3`, `May the 3rd`."""
    at = position - 1
    if at > 0 and tokens[at].lower == "the":
        at -= 1
    return at >= 0 and is_month(tokens, at)


def _month_after(tokens: Sequence[Word], position: int) -> bool:
    """Whether a month follows: `3 May`, `the 3rd of May`."""
    if position + 1 < len(tokens) and tokens[position].lower == "of":
        position += 1
    return position < len(tokens) and is_month(tokens, position)


def _counts(tokens: Sequence[Word], after: int) -> bool:
    """Whether the number stands before something countable: a plural in small letters and without a pause."""
    if after >= len(tokens) or tokens[after].pauses or tokens[after].capital:
        return False
    word = tokens[after].lower
    return word in _PEOPLE or (word.endswith("s") and word not in _SMALL_ENDINGS)
