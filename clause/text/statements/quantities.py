"""Numbers with their units, and the words and numbers that tell when, as a statement writes them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from clause.text.quantities import MONTH_S, Number
from clause.text.statements.words import Word, bases

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


_WORTH = {"Y": 12 * MONTH_S, "M": MONTH_S, "W": Decimal(604800), "D": Decimal(86400)}
_WORTH |= {"H": Decimal(3600), "m": Decimal(60), "S": Decimal(1)}
_STRETCH = re.compile(r"-?P(?=.)(?P<days>(?:-?\d+[YMWD])*)(?:T(?P<time>(?:-?\d+(?:\.\d+)?[HMS])+))?")
_SHORTLY = re.compile(r"(?=.*[hs])(?:\d+ ?h ?)?\d+ ?m(?: ?\d+ ?s)?")


def read_stretch(text: str) -> Number | None:
    """The amount of time that a text is, as programs write it (ISO 8601) or shortly; months where it is told in months.

    >>> [str(read_stretch(text)) for text in ("PT2H30M", "P5D", "P1Y2M", "-PT1.5S", "1h 30m", "30m", "P31")]
    ['9000 s', '432000 s', '14 month', '-1.5 s', '5400 s', 'None', 'None']
    """
    said = f"PT{text.replace(' ', '').upper()}" if _SHORTLY.fullmatch(text) else text
    found = _STRETCH.fullmatch(said)
    if found is None:
        return None
    told = re.findall(r"([\d.-]+)([A-Za-z])", found["days"] + (found["time"] or "").replace("M", "m"))
    parts = [(Decimal(one), _WORTH[unit]) for one, unit in told]
    value = sum((one * worth for one, worth in parts), Decimal(0)) * (-1 if said[0] == "-" else 1)
    if all(worth >= MONTH_S for _, worth in parts):
        return Number(value / MONTH_S, "month", parts[0][1] / MONTH_S)
    return Number(value, "s", parts[0][1])


def is_month(tokens: Sequence[Word], position: int) -> bool:
    """True where the word names a month; `may` and `march` only with a capital inside a sentence, or by a number.

    >>> from clause.text.statements.words import words
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
    """True where a number tells a date or a time of day, not how many: `in 1990`, `May 3`, `5 pm`, `10:30`.

    Args:
        tokens: of the statement.
        position: where the number begins.
        length: how many tokens it takes.
        value: as `read_quantities` writes it.

    >>> from clause.text.statements.words import words
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
    """Tell whether four digits are a year: after a month, its day or a word of time, before nothing that is counted."""
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
    """Tell whether years stand as `from ... to ...` or `between ... and ...`, at either end."""
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
    """Tell whether the word is a day beside its month (`May 3, 1990`)."""
    word = tokens[position].lower.removesuffix("st").removesuffix("nd").removesuffix("rd").removesuffix("th")
    return bool(_DAY.match(word)) and _month_before(tokens, position)


def _month_before(tokens: Sequence[Word], position: int) -> bool:
    """Tell whether a month stands before: `May 3`, `May the 3rd`."""
    at = position - 1
    if at > 0 and tokens[at].lower == "the":
        at -= 1
    return at >= 0 and is_month(tokens, at)


def _month_after(tokens: Sequence[Word], position: int) -> bool:
    """Tell whether a month follows: `3 May`, `the 3rd of May`."""
    if position + 1 < len(tokens) and tokens[position].lower == "of":
        position += 1
    return position < len(tokens) and is_month(tokens, position)


def _counts(tokens: Sequence[Word], after: int) -> bool:
    """Tell whether the number stands before something countable: a plural in small letters and without a pause."""
    if after >= len(tokens) or tokens[after].pauses or tokens[after].capital:
        return False
    word = tokens[after].lower
    return word in _PEOPLE or (word.endswith("s") and word not in _SMALL_ENDINGS)


_SMALL_WORDS = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen"""
_TENS_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINAL_WORDS = """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"""
_UNIT_WORDS = """km kilometer kilometers kilometre kilometres; m meter meters metre metres;
cm centimeter centimeters centimetre centimetres; mm millimeter millimeters millimetre; mile miles mi;
foot feet ft; inch inches; yard yards; kg kilo kilos kilogram kilograms; g gram grams; mg milligram milligrams;
pound pounds lb lbs; ounce ounces oz; ton tons tonne tonnes; l liter liters litre litres;
ml milliliter milliliters millilitre; gallon gallons; ns nanosecond nanoseconds; us microsecond microseconds;
ms millisecond milliseconds; s sec secs second seconds; min mins minute minutes; h hr hrs hour hours; day days;
week weeks; month months; year years; decade decades; century centuries; % percent percentage pct;
$ dollar dollars usd; cent cents; € euro euros eur; £ gbp; ¥ yen jpy; ° degree degrees; b byte bytes;
kb kilobyte kilobytes; mb megabyte megabytes; gb gigabyte gigabytes; tb terabyte terabytes; hz hertz; mhz; ghz;
w watt watts; kw kilowatt; v volt volts; mph; kph kmh; am a.m.; pm p.m."""

_SMALL = {word: value for value, word in enumerate(_SMALL_WORDS.split())}
_TENS = {word: 10 * value for value, word in enumerate(_TENS_WORDS.split(), 2)}
_SCALES = {"hundred": 100.0, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0}
_FIRST_SCALES = frozenset({"dozen", "hundred", "thousand", "million"})
_LETTER_SCALES = {"k": 1e3, "bn": 1e9}
_ORDINALS = {word: value for value, word in enumerate(_ORDINAL_WORDS.split(), 1)} | {
    f"{word[:-1]}ieth": value for word, value in _TENS.items()
}
_TIMES = {"once": 1, "twice": 2, "thrice": 3, "single": 1, "double": 2, "triple": 3, "pair": 2, "couple": 2}
_UNITS = {form: group.split()[0] for group in _UNIT_WORDS.split(";") for form in group.split()}
_FACTORS = {
    "ns": (1e-9, "s"),
    "us": (1e-6, "s"),
    "ms": (1e-3, "s"),
    "min": (60.0, "s"),
    "h": (3600.0, "s"),
    "day": (86400.0, "s"),
    "week": (604800.0, "s"),
    "km": (1e3, "m"),
    "cm": (1e-2, "m"),
    "mm": (1e-3, "m"),
    "kg": (1e3, "g"),
    "mg": (1e-3, "g"),
    "ton": (1e6, "g"),
    "ml": (1e-3, "l"),
}
_CURRENCIES = frozenset("$€£¥")
_ISO_DATE = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})$")
_PLAIN = re.compile(r"([-+\u2212]?)((?:[1-9]\d{0,2}(?:,\d{3})+|\d+)(?:\.\d+)?)([^\W\d_]*)$")
_ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th"})


@dataclass(frozen=True)
class Quantities:
    """The numbers and dates of a statement.

    Attributes:
        numbers: value with its unit, converted where that is exact (`5 km`: `5000 m`), ordinals (`#2`), literals
            (`=3.11.2`), each with the word that follows.
        dates: parts of dates (`month 5`).
        spent: positions of the words that went into them.
        instants: places among `numbers` of those that tell when (`in 1990`, `May 3`, `5 pm`), not how many.
    """

    numbers: tuple[tuple[str, str], ...]
    dates: Counter[str]
    spent: frozenset[int]
    instants: frozenset[int] = frozenset()

    @property
    def counts(self) -> tuple[tuple[str, str], ...]:
        """The numbers that tell no date and no time of day."""
        return tuple(number for place, number in enumerate(self.numbers) if place not in self.instants)


def read_quantities(tokens: Sequence[Word]) -> Quantities:
    """The numbers and dates among `tokens`.

    >>> from clause.text.statements.words import words
    >>> read_quantities(words("5 km on May 3, 2026 with two-hundred dogs")).numbers
    (('5000 m', 'on'), ('3', '2026'), ('2026', 'with'), ('200', 'dogs'))
    """
    numbers: list[tuple[str, str]] = []
    dates: Counter[str] = Counter()
    spent: set[int] = set()
    instants: set[int] = set()
    position = 0
    while position < len(tokens):
        word, length = tokens[position].lower, 1
        date = _ISO_DATE.match(word)
        if date:
            year, month, day = map(int, date.groups())
            dates[f"month {month}"] += 1
            instants |= {len(numbers), len(numbers) + 1}
            numbers += [(str(day), str(year)), (str(year), "")]
            spent.add(position)
        elif is_month(tokens, position):
            dates[f"month {MONTHS[word]}"] += 1
            spent.add(position)
        else:
            value, length = _number_at(tokens, position)
            spent.update(range(position, position + length))
            length = max(length, 1)
            if value:
                instants |= {len(numbers)} if tells_when(tokens, position, length, value) else set()
                numbers.append((value, tokens[position + length].lower if position + length < len(tokens) else ""))
        position += length
    return Quantities(tuple(numbers), dates, frozenset(spent), frozenset(instants))


def _number_at(tokens: Sequence[Word], position: int) -> tuple[str, int]:
    """The number that begins at `position`, written in one way, and how many tokens it takes; ("", 0) if none does."""
    word = tokens[position].lower
    if word in _ORDINALS:
        return f"#{_ORDINALS[word]}", 1
    if word in _TIMES:
        alone = word == "single" and position + 1 == len(tokens)  # not married
        counts = _follows(tokens, position, "of") if word == "couple" else not alone
        return (f"{_TIMES[word]}", 1) if counts else ("", 0)
    plain = _PLAIN.match(word)
    if plain is None and any(letter.isdigit() for letter in word):
        return (f"={word}", 1) if word[0].isdigit() or word[0] in "-+" else ("", 0)
    value, length, tail = _value_at(tokens, position, plain)
    if value is None or tail in _ORDINAL_ENDINGS:
        return (f"#{value:g}" if value is not None else ""), length
    unit, more = _unit(tokens, position, length, tail)
    if unit is None:
        return f"={word}", 1
    factor, name = _FACTORS.get(unit, (1.0, unit))
    return f"{value * factor:.12g} {name}".rstrip(), length + more


def _unit(tokens: Sequence[Word], position: int, length: int, tail: str) -> tuple[str | None, int]:
    """The unit of the number at `position`, or "", and its own tokens; None for glued letters that are no unit."""
    before = tokens[position - 1].lower if position else ""
    after = tokens[position + length].lower if position + length < len(tokens) else ""
    unit = _UNITS.get(tail) or (_UNITS[before] if before in _CURRENCIES else None)
    if tail and unit is None:
        return None, 0
    if unit is None and after in _UNITS:
        return _UNITS[after], 1
    return unit or "", 0


def _value_at(tokens: Sequence[Word], position: int, plain: re.Match[str] | None) -> tuple[float | None, int, str]:
    """The value of digits or of number words at `position`, the tokens taken, and letters glued to digits."""
    tail, total, length = "", 0.0, 0
    if plain is not None:
        sign, digits, tail = plain.groups()
        total = float(digits.replace(",", "")) * (-1 if sign in {"-", "\u2212"} else 1)
        length = 1
        if tail in _LETTER_SCALES and _UNITS.get(tail) is None:
            total, tail = total * _LETTER_SCALES[tail], ""
        if position + 1 < len(tokens) and tokens[position + 1].lower in _SCALES and not tail:
            total, length = total * _SCALES[tokens[position + 1].lower], 2
        return total, length, tail
    part = 0.0
    while position + length < len(tokens):
        word = tokens[position + length].lower
        pieces = word.split("-")
        if not all(piece in _SMALL or piece in _TENS or piece in _SCALES for piece in pieces):
            break
        if not length and pieces[0] in _SCALES and pieces[0] not in _FIRST_SCALES:
            break
        for piece in pieces:
            if piece in _SCALES:
                part = max(part, 1.0) * _SCALES[piece]
                total, part = (total + part, 0.0) if _SCALES[piece] >= 1e3 else (total, part)
            else:
                part += _SMALL.get(piece, 0) + _TENS.get(piece, 0)
        length += 1
    return (total + part, length, tail) if length else (None, 0, tail)


def _follows(tokens: Sequence[Word], position: int, word: str) -> bool:
    return position + 1 < len(tokens) and tokens[position + 1].lower == word


def same_numbers(mine: tuple[tuple[str, str], ...], theirs: tuple[tuple[str, str], ...]) -> bool:
    """True where numbers (value, word that follows) are equal, in one order or of the same things; `1` is an article.

    >>> same_numbers((("2", "dogs"), ("3", "cats")), (("3", "cats"), ("2", "dogs"))), same_numbers((("1", "dog"),), ())
    (True, True)
    """
    first, second = ([number for number in numbers if number[0] != "1"] for numbers in (mine, theirs))
    if [value for value, _ in first] == [value for value, _ in second]:
        return True
    return Counter(map(_counted, first)) == Counter(map(_counted, second))


def _counted(number: tuple[str, str]) -> tuple[str, str]:
    value, word = number
    return value, min(bases(word), key=lambda form: (len(form), form))
