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


_LARGE = {"M": 10**6, "B": 10**9}  # `1.2M` and `$3B`, where `m` is a metre and `512B` are bytes
_MEASURES, _CURRENCIES = (
    [line.split() for line in part.splitlines()]
    for part in Path(__file__).with_name("units.txt").read_text(encoding="utf-8").split("\n", 1)[1].split("\n\n")
)
_FACTORS: dict[str, tuple[str, Decimal]] = {
    form.replace("_", " "): (base, Decimal(by)) for base, by, *forms in (*_MEASURES, *_CURRENCIES) for form in forms
}
_MONEY = {form: base for base, _, *forms in _CURRENCIES for form in forms}
UNITS = frozenset(base for base, _ in _FACTORS.values())
"""The units that numbers are brought to."""
_NO_UNIT_WORDS = frozenset(("s", "rs", "degrees", "pounds"))
UNIT_WORDS = ["feet", *(form for form in _FACTORS if form.endswith("s") and form not in _NO_UNIT_WORDS)]
"""Words of which `how many` asks for a number that is written down, not for things to be counted."""


def _any_of(*words: str) -> str:
    return f"(?:{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})"


def _forms() -> dict[str, str]:
    """The regular expressions of the table beside this module, by name."""
    signs = _any_of(*(word for word in _MONEY if len(word) < 4))
    forms = {"UNITS": _any_of(*_FACTORS), "SCALES": _any_of(*SCALES), "MONEY": _any_of(*_MONEY), "SIGNS": signs}
    forms["SPELT"] = SPELT
    for line in Path(__file__).with_name("quantities.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        name, said = line.split("\t")
        forms[name] = f"(?:{re.sub('<([A-Z_]+)>', lambda hit: forms[hit[1]], said)})"
    return forms


_FORMS = _forms()
_TENS = {word: 10 * number for number, word in enumerate(_FORMS["TENS"][3:-1].split("|"), 2)}
_ORDINALS = {word: number for word, number in ORDINALS.items() if number <= 21}
DATE = re.compile(_FORMS["DATE"], re.IGNORECASE)
"""A date inside a text."""
YEARLY_DAY = re.compile(_FORMS["YEARLY_DAY"], re.IGNORECASE)
"""A day of every year inside a text: `1 May`."""
YEARLY_MONTH = re.compile(_FORMS["YEARLY_MONTH"], re.IGNORECASE)
"""A month of every year behind a word that wants a time: `in May`; alone it may be a name."""
NUMBER = re.compile(_FORMS["NUMBER"], re.IGNORECASE)
"""A number inside a text, with its unit where one follows or a sign of money stands before."""
AMOUNTS = re.compile(_FORMS["AMOUNTS"], re.IGNORECASE)
"""Two numbers that a dash joins: `$1500-2000`, `5-10 km`."""
_COMMAS, _DOTTED = _FORMS["COMMAS"], _FORMS["DOTTED"]
_PARTS, _MONTH = re.compile(_FORMS["PARTS"], re.IGNORECASE), re.compile(_FORMS["MONTH"], re.IGNORECASE)
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
        if (month, day, *last[1:]) == (1, 1, 12, 31):
            return _four(year) if year == last[0] else f"{_four(year)}-{_four(last[0])}"
        months = day == 1 and last == month_of(*last[:2]).last
        one, two = (f"{_four(y)}-{m:02}{'' if months else f'-{d:02}'}" for y, m, d in (self.first, last))
        return one if one == two else f"{one} to {two}"

    def beside(self, other: Date) -> Date:
        """The date as one of the year in which another begins, where it is yearly and the other is not."""
        if not self.yearly or other.yearly:
            return self
        (_, month, day), year = self.first, other.first[0]
        return day_of(year, month, min(day, _days(year, month))) if self.first == self.last else month_of(year, month)

    def before(self, last: Date) -> Date:
        """The yearly date that a range begins with, in the last year in which it is before its end.

        >>> may = read_date("May 2020")
        >>> [str(read_yearly(said).before(may)) for said in ("3 March", "November")]
        ['2020-03-03', '2019-11']
        """
        own = self.beside(last)
        return own if own.first <= last.last else self.beside(years_of(last.first[0] - 1))

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
    >>> [str(read_date(text)) for text in ("Q2 2020", "late 1990s", "1-15 March 2020", "second half of 2019")]
    ['2020-04 to 2020-06', '1997-1999', '2020-03-01 to 2020-03-15', '2019-07 to 2019-12']
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
    if parts["range"] or parts["low"]:
        return _spanned(parts)
    if share := parts["share"] or parts["letter"]:
        return _share_of(share.lower().removeprefix("the "), read_date(parts["whole"] or parts["of"]))
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


def _spanned(parts: re.Match[str]) -> Date:
    """`1914-18`, `1-15 March 2020`, `March-May 2020`, `March 1 to 15, 2020`: what one end leaves out the other says."""
    if parts["range"]:
        first, second = parts["from"], parts["to"]
        years = years_of(int(first), int(second) if len(second) == 4 else int(first[:2] + second))
        if years.last < years.first:
            raise ValueError(f"{parts[0]} ends before it begins")
        return years
    low, high = parts["low"], parts["high"]
    month = (_MONTH.search(low) or _MONTH.search(high) or parts)[0]
    last = _written(high if _MONTH.search(high) else f"{month} {high}")
    begin = read_yearly(low if _MONTH.search(low) else f"{low} {month}")
    return Date((begin or last).before(last).first, last.last)


_PLACES = {"first": 0, "early": 0, "second": 1, "mid": 1, "third": 2, "late": 2, "fourth": 3, "last": -1, "latter": -1}


def _share_of(said: str, whole: Date | None) -> Date:
    """A quarter, a half, or (early, mid, late) a third of a stretch: in months of a year, in years of more."""
    digit, kind = re.search(r"[1-4]", said), re.search(r"quarter|half|^[qh]", said)
    parts = {"q": 4, "h": 2}[kind[0][0]] if kind else 3
    at = int(digit[0]) - 1 if digit else next(at for word, at in _PLACES.items() if said.startswith(word))
    if at >= parts or whole is None:
        raise ValueError(f"there is no {said} of {whole}")
    (year, month, _), last = whole.first, whole.last
    years, months = last[0] - year + 1, last[1] - month + 1
    length = years if years > 1 else months if months > 1 else last[2]
    start, end = (-(-length * place // parts) for place in (at % parts, at % parts + 1))
    if years > 1:
        return years_of(year + start, year + end - 1)
    if months > 1:
        return Date((year, start + 1, 1), month_of(year, end).last)
    return Date((year, month, start + 1), (year, month, end))


def _decade(text: str) -> Date:
    word = text.rsplit(maxsplit=1)[-1]
    digits = re.sub(r"\D", "", word)
    start = _TENS[word] if word in _TENS else int(digits)
    if start < 100:
        start += 1900 if start >= 30 else 2000
    return years_of(start, start + (99 if digits.endswith("00") and start < 2000 else 9))


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
    unit, large = (found["unit"] or "").lower(), (found["large"] or "").strip().upper()
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
    hour += {"pm": 12 * (hour < 12), "am": -12 * (hour == 12)}.get(half, 0)
    return 3600 * hour + 60 * int(found["minute"] or 0) + Decimal(found["second"] or 0)
