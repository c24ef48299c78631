"""The closed vocabulary of question forms, and how its words are recognised when they are misspelt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Final, cast

from clause.text.literals import (
    STRETCHES,
    LiteralFilter,
    LiteralValue,
    Operator,
    in_seconds,
    of_one_kind,
    sort_key,
)
from clause.text.quantities import TIME_OF_DAY, UNITS, Date, Number, read_number
from clause.text.tokens import SPELT, read_spelt, singular

Steps = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ImpliedRelation:
    """A relation, and the compositions that make it; each is a walk from the topic, one relation word a step.

    `apart` tells that the topic itself is no answer (a sibling is another child of the parents). Steps in words that
    graphs use: `parent` may be `father` or `mother`, `child` any of their inverses.
    """

    name: str
    compositions: tuple[Steps, ...]
    apart: bool = False


def _lines(file: str) -> list[list[str]]:
    """The cells of each line of a table beside this module, without its head."""
    told = Path(__file__).with_name(file).read_text(encoding="utf-8")
    return [line.split("\t") for line in told.splitlines()[1:]]


_KIN = _lines("kin.tsv")
_ALL = tuple(
    ImpliedRelation(name, tuple(tuple(steps.split()) for steps in walks), how == "apart")
    for name, how, *walks in _KIN
    if how != "is"
)
_OTHER_NAMES = {name: same for name, how, same, *_ in _KIN if how == "is"}
IMPLIED: Final = {relation.name: relation for relation in _ALL}
"""The relations by name."""

_FORMS = {
    **{name: name for name in IMPLIED},
    **{f"{name}s": name for name in IMPLIED},
    **{name.replace("-", " "): name for name in IMPLIED if "in-law" in name or name.startswith("co-")},
    **_OTHER_NAMES,
}
_WORDS = re.compile(
    rf"\b(?:{'|'.join(re.escape(form) for form in sorted(_FORMS, key=len, reverse=True))})\b(?!-)"
    r"(?! (?:city|cities|town|towns|company|companies|ship|ships|project|projects)\b)"
)

_STEPS = _lines("steps.tsv")
SYNONYMS: Final = {step: frozenset(words.split()) for step, _, _, words in _STEPS}
"""Words by which graphs call a step."""
INVERSES: Final = {step: back for step, back, *_ in _STEPS}
"""A step and the one that leads back."""
GENDERS: Final = {step: gender for step, _, gender, _ in _STEPS if gender}
"""Steps that say the gender of the one they lead to."""

PLACED: Final = {step: re.compile(said) for step, said in _lines("placed.tsv")}
"""Steps that a question about `it` asks for without a word for them."""

SEXES: Final = {"man": "male", "men": "male", "boy": "male", "woman": "female", "women": "female", "girl": "female"}
"""Words for people, and what a graph calls their gender."""


def find_implied(text: str) -> ImpliedRelation | None:
    """The implied relation that a skeleton's text names; the longest name decides.

    >>> find_implied("who is the father in law of her").name, find_implied("all brothers and sisters of it").name
    ('father-in-law', 'sibling')
    """
    found = _WORDS.search(text)
    return IMPLIED[_FORMS[found[0]]] if found else None


def composed(text: str, relation: ImpliedRelation) -> tuple[str, ...]:
    """The text with the relation's name written out, once for each composition.

    >>> composed("who is the aunt of it", IMPLIED["aunt"])
    ('who is the sister of the parent of it',)
    >>> composed("it 's uncle", IMPLIED["uncle"])
    ("it 's parent 's brother",)
    """
    written: list[str] = []
    for steps in relation.compositions:
        owned = " 's ".join(steps)
        of = " of the ".join(reversed(steps))
        written.append(_WORDS.sub(lambda hit, owned=owned, of=of: owned if _owned(text, hit) else of, text, count=1))  # type: ignore[misc]
    return tuple(written)


def _owned(text: str, hit: re.Match[str]) -> bool:
    return text[: hit.start()].endswith("'s ")


_WH = "who whom whose what which when where why how"
_AUXILIARIES = "is are was were am do does did has have had can could will would shall should may might must"
_MORE_WORDS = """many much number count total list name give show tell find first last latest earliest oldest newest
youngest biggest largest longest shortest highest lowest smallest cheapest fewest least most often frequently common
recent recently older younger newer earlier later longer shorter bigger larger smaller higher lower cheaper heavier
lighter more less fewer before after between since until during besides except excluding apart aside other another else
without same both either equal different than whether along together"""

AUXILIARIES: Final = frozenset(_AUXILIARIES.split())
WH_WORDS: Final = frozenset(_WH.split())
_PREPOSITIONS = "of by in on at from to with for about as into onto than through via under over inside within behind"
PREPOSITIONS: Final = frozenset(_PREPOSITIONS.split())
_JOINTS = "the a an and or but not that this these those it its he she they his her their there also me us you i we be"
FORM_WORDS: Final = frozenset((*WH_WORDS, *AUXILIARIES, *_MORE_WORDS.split(), *_JOINTS.split(), *PREPOSITIONS))
"""Words that make forms; a name that consists of them alone counts only where it is marked as a name."""

_SLIPS = dict(_lines("slips.tsv"))
_ORDINARY_WORDS = """order whole form lost lists named given gives shown found beside others dose wife while white
these where there theme their three whom lasts laser louder lighter wider counts county country lease yeast mount mast
mist common lover lower latter letter better water largely recently late nested lead lend left often soften then them
dates rates after shorted excepting accept excel bother brother mother father"""
_ORDINARY = frozenset(_ORDINARY_WORDS.split())
_SHORTEST = 4


@lru_cache(maxsize=16384)
def spelt(word: str, following: str = "") -> str:
    """A lower-case word as the vocabulary spells it; any other word as it is.

    >>> spelt("wich"), spelt("oldset"), spelt("hwo", "many"), spelt("isnt"), spelt("whole"), spelt("brother")
    ('which', 'oldest', 'how', 'is not', 'whole', 'brother')
    >>> spelt("dose", "it"), spelt("dose", "of")
    ('does', 'dose')
    """
    if word in FORM_WORDS:
        return word
    if word == "dose" and (
        not following or following in FORM_WORDS - {"it", "the", "he", "she", "they", "this", "that"}
    ):
        return word
    if word == "hwo" and following in {"many", "mnay", "manny", "much", "old", "long", "often"}:
        return "how"
    known = _SLIPS.get(word)
    if known or len(word) < _SHORTEST or word in _ORDINARY or not word.isalpha():
        return known or word
    near = {right for right in FORM_WORDS if len(right) >= _SHORTEST and slipped(word, right)}
    return near.pop() if len(near) == 1 else word


@lru_cache(maxsize=16384)
def mended(word: str, vocabulary: frozenset[str]) -> str:
    """A word as a graph's own vocabulary spells it, where one slip of the fingers is between them; else as it is.

    Another ending is no slip.

    >>> mended("happend", frozenset({"happened"})), mended("lender", frozenset({"leader"}))
    ('happened', 'lender')
    >>> mended("manager", frozenset({"manages"})), mended("manage", frozenset({"manages"}))
    ('manager', 'manage')
    """
    if word in vocabulary or word in FORM_WORDS or word in _ORDINARY:
        return word
    long = (right for right in vocabulary if len(right) >= _SHORTEST and not _inflected(word, right))
    near = {right for right in long if slipped(word, right)}
    return near.pop() if len(near) == 1 else word


def _inflected(word: str, right: str) -> bool:
    shorter, longer = sorted((word, right), key=len)
    return longer.startswith(shorter) or word[:-1] == right[:-1]


def slipped(word: str, right: str) -> bool:
    """Tell whether one slip of the fingers makes `word` of `right`: two letters turned, one doubled, one left out.

    One letter for another counts from seven letters on: in shorter words it makes other words (`lost`, `list`).

    >>> slipped("whcih", "which"), slipped("lost", "list"), slipped("cheepest", "cheapest")
    (True, False, True)
    """
    if abs(len(word) - len(right)) > 1 or word == right:
        return False
    if len(word) == len(right):
        differ = [place for place in range(len(word)) if word[place] != right[place]]
        if len(differ) == 2 and differ[1] == differ[0] + 1:
            return word[differ[0]] == right[differ[1]] and word[differ[1]] == right[differ[0]]
        return len(differ) == 1 and len(word) >= 7
    longer, shorter = (word, right) if len(word) > len(right) else (right, word)
    cuts = [place for place in range(len(longer)) if longer[:place] + longer[place + 1 :] == shorter]
    if not cuts:
        return False
    if longer is word:
        return longer[cuts[0]] in longer[cuts[0] - 1 : cuts[0]] + longer[cuts[0] + 1 : cuts[0] + 2]
    return len(right) >= 5 and cuts[-1] > 0


_TOLD = _lines("comparatives.tsv")

COMPARATIVES: Final[dict[str, tuple[Operator, tuple[str, ...]]]] = {
    word: (cast("Operator", operator), tuple(told)) for word, operator, *told in _TOLD if operator
}
"""Comparing adjectives: the operator, and what is compared in words; `{}` stands for the thing compared."""

_IRREGULAR = {"last": "later", "latest": "later", "most": "more", "least": "less", "fewest": "fewer", "newest": "newer",
              "biggest": "bigger", "hottest": "hotter", "first": "earlier"}  # fmt: skip
SUPERLATIVES: Final[dict[str, tuple[Operator, tuple[str, ...]]]] = {
    **{word.removesuffix("er") + "est": meaning for word, meaning in COMPARATIVES.items() if word.endswith("er")},
    **{word: COMPARATIVES[base] for word, base in _IRREGULAR.items()},
}
"""Superlatives, read as their comparatives: the oldest is what is older than the others."""

MOST_LEAST: Final[dict[str, tuple[str, ...]]] = {word: tuple(told) for word, operator, *told in _TOLD if not operator}
"""Adjectives that take `most` and `least`, and what they measure."""

NEGATION: Final = re.compile(
    r"\b(?:not(?! only\b)|never|none|nobody|nothing|nowhere|no(?! \d))\b"
    r"|(?<=^is it )(?:false|untrue|incorrect|wrong)\b|(?<=^was it )(?:false|untrue|incorrect|wrong)\b"
)
"""Words that deny."""
IS_NOT: Final = re.compile(
    rf"^(?:{'|'.join(sorted(AUXILIARIES))})\b(?:(?!\b(?:that|which|who|whose|where|if|and|or|but)\b|,).)*?\bnot\b"
)
"""The opening that asks whether it is so, with its `not` behind its subject: `was it not made by her`."""
ASKED_AGAIN: Final = re.compile(
    rf"[,;.!]\s*(?:and )?(?:{'|'.join(sorted(AUXILIARIES))}) (?:it|he|she|they|there)[\s?.!]*$", re.IGNORECASE
)
"""A tag that asks anew what the statement before it denies: `She never made it, did she?`"""
_NO_PART = "(?:name|title|number|kind|type|sort|identity|one)"
DESCRIBED: Final = re.compile(
    rf"(?:who|what|which [a-z]+|list) (?:is |are |was |were )?(?:the )?(?!{_NO_PART}s?\b)(?P<part>[a-z-]+(?: [a-z-]+)?)"
    r" (?:of|for|at|in|by) (?:the |an? |any )?(?:(?!(?:that|which|who)\b)[a-z-]+ ){1,2}(?:that|which|who)\b"
)
"""The opening of a question for something of a thing that it describes: `who is the vet of the dog that ...`."""
_STRETCH = "(?:years?|months?|weeks?|days?|decades?)"
FROM_TODAY: Final = re.compile(
    rf"\b(?:last|past|previous|next|coming) (?:\d+ (?:month|s)\b|(?:few|couple of|several) {_STRETCH})"
    rf"|\d+ (?:month|s) ago\b|\b(?:last|this|next) {_STRETCH}$"
    rf"|\b(?:in|over|during|within) the (?:last|past|next) {_STRETCH}\b"
)
"""A time that is reckoned from today, in a core whose names are masked."""
BESTS: Final = f"(?:{'|'.join(SUPERLATIVES)}|best|worst|most|least|fewest)"
"""Any word for the best, as a regular expression."""
COUNTS: Final = [(said.replace("{best}", BESTS), plain) for said, plain in _lines("counts.tsv")]

DATED: Final = frozenset({"before", "after"})
"""Operators that compare dates."""

_SAID = {word: cast("Operator", operator) for word, operator in _lines("operators.tsv")}
OPERATORS: Final = {word: operator for word, operator in _SAID.items() if not word.startswith("or ")}
"""Words before a literal that say how what is asked for stands to it."""

SIDES: Final = {word[3:]: operator for word, operator in _SAID.items() if word.startswith("or ")}
"""Words behind a literal and `or`: `1990 or later`."""
AT_MOST: Final[dict[Operator, Operator]] = {"more": "at_most", "less": "at_least", "after": "until", "before": "since"}
"""Operators that a `no` or `not` before them leaves."""
INCLUDED: Final[dict[Operator, Operator]] = {"more": "at_least", "less": "at_most", "after": "since", "before": "until"}
"""Operators that take in the bound itself: `at or above`."""
OF_DATES: Final[dict[Operator, Operator]] = {"more": "after", "less": "before", "at_least": "since", "at_most": "until"}
"""Operators of amounts, as of dates: `over 1990`."""
AGED: Final = {"older": "age", "elder": "age", "younger": "age", "newer": "age"}
"""Comparatives that are of dates, and of a number what that measures."""
_YEARS: dict[Operator, Operator] = {"before": "more", "after": "less", "until": "at_least", "since": "at_most"}


def of_ages(literal: LiteralFilter) -> LiteralFilter:
    """What is older than a number has an age of more; than a date, it is from before."""
    words, operator = literal.words.split(), _YEARS.get(literal.operator)
    if operator is None or not isinstance(literal.value, Number) or AGED.keys().isdisjoint(words):
        return literal
    return replace(literal, operator=operator, words=" ".join(AGED.get(word, word) for word in words))


def any_of(values: Sequence[LiteralValue], words: str, *, negated: bool) -> LiteralFilter:
    """The filter by two or more values of which any will do; bare numbers count what the last does."""
    unit = values[-1] if isinstance(values[-1], Number) else None
    kin = [counted_by(one, unit) for one in of_one_kind(values) if one is not None]
    second = kin[1] if len(kin) == 2 else tuple(kin[1:])
    joined = isinstance(kin[0], Date) and isinstance(second, Date) and kin[0].meets(second)
    return LiteralFilter("between" if joined else "either", kin[0], second, words, negated)


_MEASURES = (
    "ages?|total|sum|number|count|price|cost|fee|rent|wage|salary|income|budget|amount|value|weight|mass|height|length"
    "|depth|width|area|size|volume|distance|duration|speed|rate|temperature|capacity|population|score|rating|level|limit"
    "|average|mean|quantity|altitude|elevation"
)


@lru_cache(maxsize=1)
def bounds(literal: str, joining: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Ways to say a bound on what matches `literal`, and the words of each that stand right before it."""
    told = Path(__file__).with_name("bounds.tsv").read_text("utf-8").replace("{joint}", joining).replace("#", literal)
    strict = sorted((word for word, one in OPERATORS.items() if one not in {"in", "same"} and word != "by"), key=len)
    told = told.replace("{measure}", _MEASURES).replace(
        "{bound}", f"(?:{'|'.join(strict[::-1])}|(?:{'|'.join(COMPARATIVES)}) than)"
    )
    return tuple((re.compile(said), plain) for said, plain in (line.split("\t") for line in told.splitlines()))


def counted_by(value: LiteralValue, unit: Number | None) -> LiteralValue:
    """A bare number in a unit; anything else as it is."""
    if unit is None or not isinstance(value, Number) or value.unit:
        return value
    return Number(value.value * unit.factor, unit.unit, unit.factor)


def shared_unit(values: Iterable[LiteralValue | None]) -> Number | None:
    """A number of the unit that all of some values have which have one: 70 beside `85 kg` and `92 kg` is of kilograms.

    >>> from clause.text.literals import read_literal
    >>> shared_unit(map(read_literal, ("70", "85 kg"))), shared_unit(map(read_literal, ("90 min", "2 h", "45")))
    (Number(value=Decimal('85000'), unit='g'), None)
    """
    found = {(one.unit, one.factor): one for one in values if isinstance(one, Number) and one.unit}
    return next(iter(found.values())) if len(found) == 1 and (TIME_OF_DAY, Decimal(1)) not in found else None


_SO_MANY = re.compile(
    rf"\b(?P<many>\d{{1,3}}|{SPELT})\s+{BESTS}\b|\b(?:top|bottom|first|last)\s+(?P<ends>\d{{1,3}}|{SPELT})\s+[a-z]"
    rf"|^\W*(?:which|what)\s+(?P<which>\d{{1,3}}|{SPELT})\s+[a-z].*\b{BESTS}\b",
    re.IGNORECASE,
)


def how_many_best(text: str) -> int:
    """The number of the best that a question asks for.

    >>> how_many_best("the three oldest mills"), how_many_best("the oldest mill"), how_many_best("Top 5 mills by power")
    (3, 1, 5)
    """
    said = _SO_MANY.search(text)
    many = next(filter(None, said.groups())) if said else "1"
    return int(read_spelt(many.lower()) or many)


def sort_keys(values: Sequence[LiteralValue | None]) -> list[float | None]:
    """The numbers that values of one attribute sort by: all None where they are of units that do not compare.

    >>> from clause.text.literals import String, read_literal
    >>> sort_keys([read_literal("18 months"), read_literal("3 years"), read_literal("400 days"), String("x")])
    [47335428.0, 94670856.0, 34560000.0, None]
    >>> sort_keys([read_literal("5 km"), read_literal("3 kg")]), sort_keys([read_literal("7"), read_literal("1920")])
    ([None, None], [7.0, 1920.0])
    """
    shared, values = shared_unit(values), of_one_kind(values)
    values = [value and counted_by(value, shared) for value in values]
    units = {value.unit for value in values if isinstance(value, Number) and value.unit in UNITS | {TIME_OF_DAY}}
    if len(units) > 1 and units <= STRETCHES:
        values = [in_seconds(value) if isinstance(value, Number) else value for value in values]
    elif len(units) > 1 and "°" not in units:
        return [None] * len(values)
    return [sort_key(value) for value in values]


_TIMES = frozenset({"day", "month", "year"})


def measured_by(value: LiteralValue, name: str, asked: LiteralValue | None = None) -> LiteralValue:
    """A bare number with the unit that the name of its attribute says, a time apart: that says when, not how long.

    Beside a stretch of time that is `asked` for an age is so many years.

    >>> from decimal import Decimal
    >>> str(measured_by(Number(Decimal(5)), "weight kg")), str(measured_by(Number(Decimal(1990)), "build year"))
    ('5000 g', '1990')
    """
    if not isinstance(value, Number) or value.unit:
        return value
    aged = isinstance(asked, Number) and asked.unit in STRETCHES and not {"age", "aged"}.isdisjoint(name.split())
    words = ["years"] if aged else []
    words += [word for word in name.split() if len(word) > 1 and singular(word) not in _TIMES]
    counted = (read_number(f"{value.value} {word}") for word in words)
    return next((number for number in counted if number is not None and number.unit in UNITS), value)
