"""Dates and numbers as people and data write them; a date is the stretch of time that it may mean.

A year is the stretch from its first day to its last; so a date of any precision is compared with any other.
"""

from __future__ import annotations

import calendar
import re
import unicodedata
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path

from dateutil import parser

from clause.text.tokens import ORDINALS, SCALES, SPELT, read_spelt, singular

Day = tuple[int, int, int]
"""Year (astronomical: 0 is 1 BC), month, day; tuples compare as days do."""

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:r?uary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"(?:[0-2]?\d|3[01])(?:st|nd|rd|th)?"
_YEAR = r"(?:1\d{3}|20\d\d|21\d\d)"
_ISO = rf"(?:{_YEAR}|0\d{{3}})-[01]\d(?:-[0-3]\d(?:[T ][0-2]\d:[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?)?"
_NUMERIC = rf"[0-3]?\d[./][0-3]?\d[./]{_YEAR}|{_YEAR}/[01]?\d/[0-3]?\d"
_WRITTEN = (
    rf"{_DAY}\s+(?:of\s+)?{_MONTH}\.?,?\s+{_YEAR}|{_MONTH}\.?\s+{_DAY},?\s+{_YEAR}|{_MONTH}\.?,?\s+(?:of\s+)?{_YEAR}"
)
_DECADE_WORDS = "twenties thirties forties fifties sixties seventies eighties nineties"
_TENS = {word: 10 * number for number, word in enumerate(_DECADE_WORDS.split(), 2)}
_ORDINALS = {word: number for word, number in ORDINALS.items() if number <= 21}
_DECADE = (
    r"(?:the\s+)?(?:early\s+|late\s+|mid-?\s*)?"
    rf"(?:[12]\d\d0['\u2019]?s|['\u2019]?[2-9]0['\u2019]?s|{'|'.join(_TENS)})"
)
_CENTURY = rf"(?:the\s+)?(?:[0-2]?\d(?:st|nd|rd|th)|{'|'.join(_ORDINALS)})[\s-]+century(?:\s+BCE?)?"
_ERA = r"\d{1,4}\s*(?:BCE|BC|AD|CE|B\.\s?C\.?(?:\s?E\.?)?|A\.\s?D\.?)"
_SINGLE = rf"{_ISO}|{_WRITTEN}|{_NUMERIC}|{_CENTURY}|{_DECADE}|{_ERA}|{_YEAR}"
_RANGE = rf"{_YEAR}\s*[-\u2013\u2014]\s*(?:{_YEAR}|\d\d)"
DATE = re.compile(rf"(?<![\w.,/:-])(?:{_RANGE}(?![\d-])|{_SINGLE})(?![\w/:]|[.,]\d|-\d)", re.IGNORECASE)
"""A date inside a text."""
_NO_YEAR = rf"(?!\.?,?\s+(?:of\s+)?(?:{_YEAR}|{_DAY}\b)|['\u2019]s)"
YEARLY_DAY = re.compile(rf"(?<![\w./:-])(?:{_DAY}\s+(?:of\s+)?{_MONTH}|{_MONTH}\s+{_DAY})\b(?![/:.]\d){_NO_YEAR}", re.I)
"""A day of every year inside a text: `1 May`."""
YEARLY_MONTH = re.compile(
    r"\b(?:in|after|since|until|during|before|by|from|between)\s+"
    rf"(?:(?P<first>{_MONTH})\s+(?:and|or|to|until)\s+)?(?P<month>{_MONTH})\b{_NO_YEAR}",
    re.IGNORECASE,
)
"""A month of every year behind a word that wants a time: `in May`; alone it may be a name."""

_PARTS = re.compile(
    rf"(?P<range>(?P<from>{_YEAR})\s*[-\u2013\u2014]\s*(?P<to>\d{{4}}|\d\d))$"
    r"|(?P<era>(?P<count>\d{1,4})\s*(?:(?P<bc>b\.?\s?c\.?(?:\s?e\.?)?)|a\.?\s?d\.?|c\.?e\.?))$"
    rf"|(?P<century>.*century(?P<before>\s+bce?)?)$|(?P<decade>{_DECADE})$|(?P<year>0?\d{{3,4}})$",
    re.IGNORECASE,
)
_WHOLE_ISO = re.compile(r"([+-]?\d{4,6})(?:-(\d\d)(?:-(\d\d))?)?(?:T.*)?(?:Z|[+-]\d\d:\d\d)?$")
_DATED = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])$|[+-]0\d{3}|[+-]\d{4,6}-\d\d")  # -25000 is an amount
_TWO_DEFAULTS = datetime(2001, 1, 1), datetime(2002, 2, 2)  # noqa: DTZ001 - they only tell which parts were written


@dataclass(frozen=True, slots=True)
class Date:
    """A stretch of days, both ends included; `bare`: only digits (1980 may be a number), `yearly`: of any year."""

    first: Day
    last: Day
    bare: bool = False
    yearly: bool = False

    def __str__(self) -> str:
        (year, month, day), last = self.first, self.last
        if self.yearly:
            return f"{day} {calendar.month_name[month]}" if self.first == last else calendar.month_name[month]
        if self.first == last:
            return f"{_four(year)}-{month:02}-{day:02}"
        if (self.first, last) == (month_of(year, month).first, month_of(year, month).last):
            return f"{_four(year)}-{month:02}"
        return _four(year) if year == last[0] else f"{_four(year)}-{_four(last[0])}"

    def beside(self, other: Date) -> Date:
        """The date as one of the year in which another begins, where it is yearly and the other is not."""
        if not self.yearly or other.yearly:
            return self
        (_, month, day), year = self.first, other.first[0]
        return day_of(year, month, min(day, _days(year, month))) if self.first == self.last else month_of(year, month)

    def meets(self, other: Date) -> bool:
        """Tell whether another stretch begins on the day after this one ends.

        >>> years_of(1980, 1989).meets(years_of(1990, 1999)), years_of(2001).meets(years_of(2003))
        (True, False)
        """
        year, month, day = self.last
        after = [(year, month, day + 1), (year, month + 1, 1), (year + 1, 1, 1)]
        return other.first == after[(day == _days(year, month)) + (month == 12 and day == 31)]


def day_of(year: int, month: int, day: int) -> Date:
    """One day.

    Raises:
        ValueError: there is no such day.
    """
    if not (1 <= month <= 12 and 1 <= day <= _days(year, month)):
        raise ValueError(f"there is no day {year:04}-{month:02}-{day:02}")
    return Date((year, month, day), (year, month, day))


def month_of(year: int, month: int) -> Date:
    """One month.

    Raises:
        ValueError: there is no such month.

    >>> str(month_of(2000, 2)), month_of(2000, 2).last
    ('2000-02', (2000, 2, 29))
    """
    if not 1 <= month <= 12:
        raise ValueError(f"there is no month {year:04}-{month:02}")
    return Date((year, month, 1), (year, month, _days(year, month)))


def years_of(first: int, last: int | None = None, *, bare: bool = False) -> Date:
    """A year, or the stretch from one year to another."""
    return Date((first, 1, 1), ((first if last is None else last), 12, 31), bare)


def read_date(text: str) -> Date | None:
    """The date that the whole of `text` is; None where it is none. Day before month where `/` and `.` leave it open.

    >>> [str(read_date(text)) for text in ("12 March 2001", "2001-03", "the 1980s", "19th century", "1914-18")]
    ['2001-03-12', '2001-03', '1980-1989', '1801-1900', '1914-1918']
    >>> read_date("12 angry men") is None
    True
    """
    cleaned = " ".join(text.split()).strip(" .,;")
    iso = _WHOLE_ISO.match(cleaned)
    if iso and (_DATED.match(cleaned) or iso[3] or "T" in cleaned):
        return _from_iso(*iso.groups())
    if not DATE.fullmatch(cleaned):
        return None
    parts = _PARTS.match(cleaned)
    try:
        return _from_parts(parts) if parts else _written(cleaned)
    except ValueError:
        return None


def read_yearly(text: str) -> Date | None:
    """The day or month of every year that a text says; None where there is no such day.

    >>> [str(read_yearly(text)) for text in ("1st of May", "feb 29", "March", "31 April")]
    ['1 May', '29 February', 'March', 'None']
    """
    with suppress(ValueError):
        return replace(_written(f"{text.lower().replace('febu', 'febru')} 2000"), yearly=True)
    return None


def _from_iso(year: str, month: str | None, day: str | None) -> Date | None:
    number = int(year)
    try:
        if month and int(month) and day and int(day):
            return day_of(number, int(month), int(day))
        return month_of(number, int(month)) if month and int(month) else years_of(number)
    except ValueError:
        return None


def _from_parts(parts: re.Match[str]) -> Date:
    text = parts[0].lower().removeprefix("the ")
    if parts["range"]:
        first, second = parts["from"], parts["to"]
        last = int(second) if len(second) == 4 else int(first[:2] + second)
        if last < int(first):
            raise ValueError(f"{text} ends before it begins")
        return years_of(int(first), last)
    if parts["era"]:
        number = int(parts["count"])
        return years_of(1 - number if parts["bc"] else number)
    if parts["century"]:
        ordinal = re.split(r"[\s-]+century", text)[0]
        number = _ORDINALS.get(ordinal) or int(re.sub(r"\D", "", ordinal))
        first = 1 - 100 * number if parts["before"] else 100 * number - 99
        return years_of(first, first + 99)
    if parts["decade"]:
        return _decade(text)
    return years_of(int(text), bare=True)


def _decade(text: str) -> Date:
    word = text.rsplit(maxsplit=1)[-1].removeprefix("mid-")
    digits = re.sub(r"\D", "", word)
    start = _TENS[word] if word in _TENS else int(digits)
    if start < 100:
        start += 1900 if start >= 30 else 2000
    return years_of(start, start + (99 if digits.endswith("00") else 9))


def _written(text: str) -> Date:
    plain = re.sub(r"\bof\b", " ", text, flags=re.IGNORECASE)
    day_first = not plain[:4].isdigit()
    one, two = (parser.parse(plain, default=default, dayfirst=day_first) for default in _TWO_DEFAULTS)
    if one.month != two.month:
        return years_of(one.year)
    return day_of(one.year, one.month, one.day) if one.day == two.day else month_of(one.year, one.month)


def _days(year: int, month: int) -> int:
    # The calendar repeats every 400 years, and monthrange knows years from 1 on.
    return calendar.monthrange(year % 400 + 400, month)[1]


def _four(year: int) -> str:
    return f"{year:05}" if year < 0 else f"{year:04}"


_LARGE = {"M": 10**6, "B": 10**9}  # `1.2M` and `$3B`, where `m` is a metre and `512B` are bytes
_MEASURES, _CURRENCIES = (
    [line.split() for line in part.splitlines()]
    for part in Path(__file__).with_name("units.txt").read_text(encoding="utf-8").split("\n", 1)[1].split("\n\n")
)
_FACTORS: dict[str, tuple[str, Decimal]] = {
    form.replace("_", " "): (base, Decimal(factor))
    for base, factor, *forms in (*_MEASURES, *_CURRENCIES)
    for form in forms
}
_MONEY = {form: base for base, _, *forms in _CURRENCIES for form in forms}
UNITS = frozenset(base for base, _ in _FACTORS.values())
"""The units that numbers are brought to."""
UNIT_WORDS = [
    "feet",
    *(form for form in _FACTORS if form.endswith("s") and form not in {"s", "rs", "degrees", "pounds"}),
]
"""Words of which `how many` asks for a number that is written down, not for things to be counted."""
_DOTTED = r"[1-9]\d{0,2}(?:(?:\.\d{3}){2,}(?:,\d+)?|\.\d{3},\d+)"
_COMMAS, _BLANKS = r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?", r"[1-9]\d{0,2}(?:[\u00a0\u202f'\u2019 ]\d{3})+(?:[.,]\d+)?"
_DIGITS = rf"{_COMMAS}|{_BLANKS}|{_DOTTED}|\d+(?:[.,]\d+)?"
_FRACTION, _FRACTION_SIGN = r"(?:\d+(?:\s+|-))?[1-9]/[2-9]|\d+\s+and\s+a\s+half", r"\d*\s?[\u00bc-\u00be\u2153-\u215e]"
_SCALE = "|".join(sorted(SCALES, key=len)[::-1])
_UNIT = "|".join(re.escape(unit) for unit in sorted(_FACTORS, key=len)[::-1])
_ONE = (
    r"(?:(?<=than )|(?<=under )|(?<=over )|(?<=past )|(?<=within )|(?<=least )|(?<=most ))"
    rf"an?(?=\s+(?:{_UNIT})\b)|\bhalf an?(?=\s+(?:{_UNIT})\b)"
    rf"|\ban?(?=\s+(?:{_UNIT})\s+or\s+(?:more|longer|so|less|over)\b)"
)
_BEFORE = "|".join(re.escape(form) for form in sorted(_MONEY, key=len)[::-1] if len(form) <= len("usd"))
_CLOCK = (
    r"(?P<hour>\d\d?):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d(?:\.\d+)?)(?:Z|[+-]\d\d:\d\d)?)?\s*(?P<half>[ap]\.?m\b\.?)?"
    r"|(?P<h12>1[0-2]|[1-9])\s*(?P<half12>[ap]\.?m\b\.?)"
)
NUMBER = re.compile(
    rf"(?<![\w.,:/-])(?:(?P<clock>{_CLOCK})|(?P<money>(?:{_BEFORE})\.?\s*)?(?P<sign>[-+\u2212]|minus\s)?"
    rf"(?:(?P<digits>(?:{_FRACTION})(?=\s*(?:{_UNIT}|{_SCALE})\b)|{_FRACTION_SIGN}|{_DIGITS})"
    rf"|(?P<spelt>{SPELT}|{_ONE}))(?:(?:\s*(?P<scale>{_SCALE})|(?P<large>(?-i:[MB])))\b)?"
    rf"(?:\s*(?P<unit>{_UNIT})(?![\w²]))?)"
    rf"(?![\w]|[.,:]\d|-\w)",
    re.IGNORECASE,
)
"""A number inside a text, with its unit where one follows or a sign of money stands before."""

_EXPONENT = re.compile(r"[-+]?\d+(?:\.\d+)?[eE][-+]?\d+$")
TIME_OF_DAY = "time of day"
"""The unit of a time such as 18:00, in seconds after midnight."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number in the base of its unit (`5 km` is 5000 m); `unit` is empty where none is known.

    `factor` is what the unit that was written is worth in its base (1000 of km).
    """

    value: Decimal
    unit: str = ""
    factor: Decimal = field(default=Decimal(1), repr=False, compare=False)

    def __str__(self) -> str:
        shown = f"{self.value.normalize():f}"
        return f"{shown} {self.unit}".rstrip()


MONTH_S = Decimal(2629746)
"""The seconds of a month, of a year of 365.2425 days."""
_THOUSANDS = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_OF_MEASURE = re.compile(r"\s*(?:/|(?:per|an?)\b)\s*(?:l|lit(?:er|re)|gal(?:lon)?|kwh|g|kg|m3|m³)\b", re.IGNORECASE)
_FOR_EACH = re.compile(r"^(?:\+|(?:/ ?|(?:per|each|an?|p)\b ?)(?:[a-z]+)?)$")
_INCHES = re.compile(r"(?<=\d)\s*in$")


def read_number(text: str) -> Number | None:
    """The number that the whole of `text` is; None where it is none.

    A word after the number that is no unit of measure counts as its unit (`300 pages`); what it is paid or counted for
    is left out (`$40 a day`), and parts of one amount are added.

    >>> [str(read_number(text)) for text in ("1,200,000", "5 km", "$3.5 million", "12 %", "a dozen", "300 pages")]
    ['1200000', '5000 m', '3500000 USD', '12 %', '12', '300 page']
    >>> [str(read_number(text)) for text in ("USD 2,400", "£45 per night", "$1.2m", "2 h 30 min", "5 ft 11 in", "500+")]
    ['2400 USD', '45 GBP', '1200000 USD', '9000 s', '1.8034 m', '500']
    >>> [str(read_number(text)) for text in ("1/2 hour", "2 1/2 hours", "two and a half km", "1 hour and a half")]
    ['1800 s', '9000 s', '2500 m', '5400 s']
    >>> read_number("Route 66") is None
    True
    """
    cleaned = " ".join(text.split()).strip(" ;")
    if _EXPONENT.match(cleaned):
        return Number(Decimal(cleaned))
    found = NUMBER.match(cleaned)
    if found is None:
        return None
    number = number_of(found)
    counted = _FOR_EACH.sub("", cleaned[found.end() :].strip())
    if number is None or not counted:
        return number
    if counted.lower() == "and a half" and number.unit not in ("", TIME_OF_DAY):
        return Number(number.value + number.factor / 2, number.unit, number.factor)
    further = read_number(_INCHES.sub(" inches", re.sub(r"^(?:,|and\b)\s*", "", counted))) if number.unit else None
    if further is not None and further.unit == number.unit != TIME_OF_DAY:
        return Number(number.value + further.value, number.unit, number.factor)
    plain = number.unit == "" and re.fullmatch(r"[^\W\d_]+", counted) and found["digits"]
    return Number(number.value, singular(counted.lower())) if plain else None


def number_of(found: re.Match[str]) -> Number | None:
    """The number of a match of `NUMBER`; None where it cannot be one."""
    if found["clock"]:
        return Number(_seconds(found), TIME_OF_DAY)
    value = _digits(found["digits"]) if found["digits"] else read_spelt(found["spelt"].lower())
    if value is None:
        return None
    unit, large = (found["unit"] or "").lower(), found["large"] or ""
    if large == "B" and not (found["money"] or "." in (found["digits"] or "")):
        unit, large = "byte", ""
    value *= SCALES.get((found["scale"] or "").lower(), 1) * _LARGE.get(large, 1)
    value = -value if (found["sign"] or "+") != "+" else value
    if found["money"]:
        value, unit = value * (10**6 if unit == "m" else 1), found["money"].strip(" .").lower()
    dotted = unit in _MONEY and value < 1000 and _THOUSANDS.fullmatch(found["digits"] or "")
    if dotted and not (found["scale"] or _OF_MEASURE.match(found.string, found.end())):
        value *= 1000  # `1.500 €`: no price has three decimals, but for that of a litre
    base, factor = _FACTORS.get(unit, ("", Decimal(1)))
    return Number(value * factor, base, factor)


def unit_of(word: str) -> str:
    """The unit to which numbers with a word behind them are brought; empty where it is no unit.

    >>> unit_of("kilos"), unit_of("kg"), unit_of("pages")
    ('g', 'g', '')
    """
    return _FACTORS[word][0] if word in _FACTORS else ""


_MIXED = re.compile(r"(?P<whole>\d*)(?:\s+|-)?(?:(?P<over>\d)/(?P<under>\d)|(?P<sign>[^\d\s.,/'\u2019-]))")


def _digits(text: str) -> Decimal | None:
    if text.endswith("half"):
        return Decimal(text.split(maxsplit=1)[0]) + Decimal("0.5")
    if mixed := _MIXED.fullmatch(text):
        over, under = mixed["over"], mixed["under"]
        share = Decimal(over) / Decimal(under) if over else Decimal(str(unicodedata.numeric(mixed["sign"])))
        return Decimal(mixed["whole"] or 0) + share
    plain = re.sub(r"[\s\u00a0\u202f'\u2019]", "", text)
    if re.fullmatch(_COMMAS, plain):
        plain = plain.replace(",", "")
    elif re.fullmatch(_DOTTED, plain):
        plain = plain.replace(".", "").replace(",", ".")
    else:
        plain = plain.replace(",", ".")
    try:
        return Decimal(plain)
    except InvalidOperation:
        return None


def _seconds(found: re.Match[str]) -> Decimal:
    hour = int(found["hour"] or found["h12"])
    half = (found["half"] or found["half12"] or "").lower().replace(".", "")
    if half == "pm" and hour < 12:
        hour += 12
    if half == "am" and hour == 12:
        hour = 0
    return 3600 * hour + 60 * int(found["minute"] or 0) + Decimal(found["second"] or 0)
