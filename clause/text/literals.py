"""Typed literals: what a text of the graph or of a question says as a date, a number or a string, and how two compare.

Every comparison has three outcomes: True, False, and None where the values do not tell (other units, dates that
overlap).
"""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final, Literal

from clause.text.mentions import folded_key
from clause.text.quantities import (
    AMOUNTS,
    DATE,
    MONTH_S,
    NUMBER,
    TIME_OF_DAY,
    YEARLY_DAY,
    YEARLY_MONTH,
    Date,
    Number,
    number_of,
    read_date,
    read_number,
    read_yearly,
    years_of,
)
from clause.text.statements.quantities import read_stretch
from clause.text.tokens import singular

Operator = Literal[
    "before", "after", "since", "until", "in", "between", "more", "less", "at_least", "at_most", "same", "either"
]

_TAGGED = re.compile(r'"(?P<text>.*)"(?:@(?P<language>[A-Za-z]{2,3}(?:-[A-Za-z0-9]+)*)|\^\^<?(?P<type>[^>]*)>?)?', re.S)
_UPTO = re.compile(r"\s*(?P<by>and|or|to|until|till|through|[-–—])\s*", re.IGNORECASE)
_OPENED = re.compile(r"\b(?:between|from|on)\s+(?:the\s+)?$", re.IGNORECASE)
_COUNTS = re.compile(r"\b(?:with|of|has|have|having|for|from) $", re.IGNORECASE)
_DATES = frozenset({"date", "datetime", "gyear", "gyearmonth", "localdatetime"})
_NUMBERS = frozenset({"integer", "int", "long", "float", "double", "decimal", "short", "nonnegativeinteger"})


@dataclass(frozen=True, slots=True)
class String:
    """A string, and its language where the data says one (`de`, `en-GB`)."""

    text: str
    language: str | None = None

    def __str__(self) -> str:
        return self.text


LiteralValue = Date | Number | String
Others = LiteralValue | tuple[LiteralValue, ...]
"""The upper end of a range, or what else may be meant of a list."""


@dataclass(frozen=True, slots=True)
class FoundLiteral:
    """A date or a number and where the text has it: `text[start:end]`."""

    start: int
    end: int
    value: Date | Number


_ABOUT = re.compile(r"^\s*(?:(?:approx(?:\.|imately)?|about|around|circa|ca?\.|roughly)\s*|[~≈±<>≤≥]\s?)", re.I)
_SECONDS = re.compile(r"[1-9]\ds", re.IGNORECASE)  # `30s` says how long: a decade of a value has its article


def read_literal(text: str) -> LiteralValue:
    """The value of a literal: of its tag's type where it has one, else by its looks, `about` or not.

    >>> read_literal('"Wien"@de'), str(read_literal("12 March 2001")), str(read_literal("97 minutes"))
    (String(text='Wien', language='de'), '2001-03-12', '5820 s')
    >>> str(read_literal("c. 1890")), str(read_literal("approx. 40 km")), read_literal("About Schmidt").text
    ('1890', '40000 m', 'About Schmidt')
    >>> str(read_literal("30s")), str(read_literal("the 30s")), str(read_literal("1.2M")), str(read_literal("2:58:12"))
    ('30 s', '1930-1939', '1200000', '10692 time of day')
    >>> read_literal('"1980"^^xsd:integer')
    Number(value=Decimal('1980'), unit='')
    """
    tagged = _TAGGED.fullmatch(text.strip())
    text, language, of = (tagged["text"], tagged["language"], tagged["type"]) if tagged else (text, None, None)
    if language:
        return String(text, language)
    kind = re.split(r"[#:/]", of or "")[-1].lower()
    if kind == "string":
        return String(text)
    if kind in _NUMBERS:
        return read_number(text) or String(text)
    if kind in _DATES:
        return read_date(text) or String(text)
    told = _ABOUT.sub("", text)
    date = None if _SECONDS.fullmatch(told) else read_date(told)
    return date or read_stretch(told) or read_number(told) or String(text)


def find_literals(text: str, *, months: bool = True) -> list[FoundLiteral]:
    """Dates and numbers in a text, in order of place; a date stands over a number at the same place.

    The lower end of a range is counted like the upper one: `between 5 and 10 km`. A month without a year (`in May`) is
    left out where no `months` are wanted: it may be a name.

    >>> [(f.start, str(f.value)) for f in find_literals("from May 1968, over 100 minutes, at 18:00")]
    [(5, '1968-05'), (20, '6000 s'), (36, '64800 time of day')]
    >>> [(f.start, str(f.value)) for f in find_literals("since 3rd of June, between April and July")]
    [(6, '3 June'), (27, 'April'), (37, 'July')]
    >>> [str(f.value) for f in find_literals("between 1900 and 2000 euros, or from 2 to 3.5 million")]
    ['1900 EUR', '2000 EUR', '2000000', '3500000']
    >>> [str(f.value) for f in find_literals("from 1 to 15 March 2020, in March or May 2021, $1500-2000, 5-10 km")]
    ['2020-03-01 to 2020-03-15', '2021-03', '2021-05', '1500 USD', '2000 USD', '5000 m', '10000 m']
    """
    found: list[FoundLiteral] = []
    text = AMOUNTS.sub(_dashed, text)
    counted = [hit.span() for hit in NUMBER.finditer(text)]  # `$1500`, and `1500 kg`: longer than a year
    for hit in DATE.finditer(text):
        date = read_date(hit[0])
        longer = any(start < hit.end() and hit.start() < end and (start, end) != hit.span() for start, end in counted)
        if date is not None and not (longer and (date.bare or "–" in hit[0])):
            found.append(FoundLiteral(hit.start(), hit.end(), date))
    yearly = [(hit.start(), hit[0]) for hit in YEARLY_DAY.finditer(text)]
    for hit in YEARLY_MONTH.finditer(text) if months else ():
        yearly += [(hit.start(name), hit[name]) for name in ("first", "month") if hit[name]]
    dates = ((at, said, read_yearly(said)) for at, said in yearly if not any(f.start <= at < f.end for f in found))
    found += [FoundLiteral(start, start + len(said), date) for start, said, date in list(dates) if date is not None]
    for hit in NUMBER.finditer(text):
        if (number := number_of(hit)) and not any(hit.start() < f.end and f.start < hit.end() for f in found):
            found.append(FoundLiteral(hit.start(), hit.end(), number))
    ordered = _added(sorted(found, key=lambda literal: literal.start), text)
    for place in range(1, len(ordered)):
        ordered[place - 1 : place + 1] = _of_range(ordered[place - 1], ordered[place], text)
    return ordered


_PART = re.compile(r"(?:,?\s*|,?\s+and\s+)")
_HALF = re.compile(r"\s+and\s+a\s+half\b", re.IGNORECASE)


def _added(found: Sequence[FoundLiteral], text: str) -> list[FoundLiteral]:
    """The literals with the parts of one amount as one: `5 feet 11 inches`, `an hour and a half`."""
    added: list[FoundLiteral] = []
    for said in found:
        one = said
        if added and (stretch := read_stretch(text[added[-1].start : one.end])):  # `1h 30m`
            added[-1] = FoundLiteral(added[-1].start, one.end, stretch)
            continue
        part, whole = one.value, added[-1].value if added else None
        if isinstance(part, Number) and part.unit not in ("", TIME_OF_DAY):
            if half := _HALF.match(text, one.end):
                part = replace(part, value=part.value + part.factor / 2)
                one = replace(one, end=half.end(), value=part)
            if isinstance(whole, Number) and whole.unit == part.unit and 0 < part.value < whole.factor:
                between, before = text[added[-1].end : one.start], text[: added[-1].start].lower().split()[-1:]
                if _PART.fullmatch(between) and not ("and" in between and before == ["between"]):
                    both = replace(part, value=whole.value + part.value)
                    added[-1] = replace(added[-1], end=one.end, value=both)
                    continue
        added.append(one)
    return added


def _dashed(hit: re.Match[str]) -> str:
    """Two amounts with a long dash between them, so that no letter is moved; what else a dash joins as it is."""
    noun = _COUNTS.search(hit.string[: hit.start()]) and re.match(r" ?[a-z-]+s\b", hit.string[hit.end() :])
    low, high = (read_number(part) for part in hit[0].split(hit["dash"], 1))
    rises = low is not None and high is not None and (low.value < high.value or low.unit != high.unit)
    amounts = rises and (hit["of"] or noun or not hit[0][0].isdigit()) and hit.string[hit.end() :][:1] != "-"
    return hit[0].replace(hit["dash"], hit["dash"].replace("-", "–"), 1) if amounts else hit[0]


def _of_range(low: FoundLiteral, high: FoundLiteral, text: str) -> tuple[FoundLiteral, FoundLiteral]:
    """The ends of a range; what one of them counts, or of which year it is, the other may leave out."""
    said, first, last = _UPTO.fullmatch(text, low.end, high.start), low.value, high.value
    opened = said and (said["by"].lower() not in {"and", "or"} or _OPENED.search(text[: low.start]))
    if said and isinstance(last, Date):
        return (_dated_like(low, last) if opened or isinstance(first, Date) else low), high
    if not opened or isinstance(last, Date):
        return low, high
    digits, counted = text[low.start : low.end], text[high.start : high.end].lstrip("0123456789.,")
    if counted and digits[-1].isdigit() and digits[0].isdigit():
        return replace(low, value=read_number(digits + counted) or first), high
    if isinstance(first, Number) and first.unit and not (last.unit or digits[0].isdigit()):
        high = replace(high, value=replace(last, unit=first.unit))
    return low, high


def _dated_like(low: FoundLiteral, last: Date) -> FoundLiteral:
    """`1` of `from 1 to 15 March`, `March` of `between March and May 2020`: a day of that month, and in that year."""
    begin, one = low.value, last.first[:2] == last.last[:2]
    if isinstance(begin, Number) and last.first == last.last and not begin.unit and begin.value in range(1, 32):
        begin = read_yearly(f"{begin.value} {month_name[last.first[1]]}") or begin
    dated = isinstance(begin, Date) and begin.yearly and one and not last.yearly
    return replace(low, value=begin.before(last) if dated and isinstance(begin, Date) else begin)


def order(one: LiteralValue, two: LiteralValue) -> int | None:
    """-1 where `one` lies wholly before (is less than) `two`, 1 where after, 0 where equal, None where that is open.

    >>> order(read_literal("1980"), read_literal("12 March 2001")), order(read_literal("2 km"), read_literal("1500 m"))
    (-1, 1)
    >>> order(read_literal("1980"), read_literal("May 1980")) is None
    True
    """
    one, two = _alike(one, two)
    if isinstance(one, Date) and isinstance(two, Date):
        if one.last < two.first or one.first > two.last:
            return -1 if one.first < two.first else 1
        return 0 if (one.first, one.last) == (two.first, two.last) else None
    if isinstance(one, Number) and isinstance(two, Number) and _same_unit(one, two):
        return (one.value > two.value) - (one.value < two.value)
    if isinstance(one, String) and isinstance(two, String) and folded_key(one.text) == folded_key(two.text):
        return 0
    return None


def of_one_kind(values: Sequence[LiteralValue | None]) -> list[LiteralValue | None]:
    """Values of one type, with bare years among numbers as the numbers that they are: heights of 2840 and 1920.

    >>> [type(value).__name__ for value in of_one_kind([read_literal("2840"), read_literal("1920")])]
    ['Number', 'Number']
    """
    bare = any(isinstance(value, Number) for value in values)
    return [Number(Decimal(one.first[0])) if bare and isinstance(one, Date) and one.bare else one for one in values]


def sort_key(value: LiteralValue | None) -> float | None:
    """A value as a number to sort by: dates by their first day; None of what has no order."""
    if isinstance(value, Date):
        year, month, day = value.first
        return year * 372.0 + (month - 1) * 31 + day
    return float(value.value) if isinstance(value, Number) else None


STRETCHES: Final = frozenset({"s", "month", TIME_OF_DAY})
"""The units of how long something takes; a time such as 2:58 may be a stretch of time."""


def in_seconds(value: Number) -> Number:
    """A stretch of time in seconds, a month as long as it is on average."""
    return Number(value.value * (MONTH_S if value.unit == "month" else 1), "s")


def holds(
    operator: Operator, value: LiteralValue, reference: LiteralValue, second: Others | None = None
) -> bool | None:
    """Say whether `value` stands to `reference` (and `second`) as `operator` says; None where that is open.

    >>> holds("in", read_literal("1988-04-02"), read_literal("the 1980s"))
    True
    >>> may = find_literals("in May")[0].value
    >>> [holds("after", read_literal(text), may) for text in ("2021-06-02", "Feb 2022", "2022")]
    [True, False, None]
    >>> holds("before", read_literal("1988-04-02"), read_literal("1990")), holds("more", String("x"), read_literal("3"))
    (True, None)
    >>> holds("less", read_literal("\u00a345 a day"), read_literal("50 pounds"))
    True
    """
    if operator == "between":
        low = holds("at_least", value, reference)
        high = None if second is None or isinstance(second, tuple) else holds("at_most", value, second)
        return False if False in {low, high} else (None if None in {low, high} else True)
    if operator in {"in", "same", "either"}:
        others = second if isinstance(second, tuple) else (second,)
        told = [_within(value, one, exactly=operator == "same") for one in (reference, *others) if one is not None]
        return True if True in told else (None if None in told else False)
    if operator in {"since", "at_least", "until", "at_most"}:
        return _bound(value, reference, lower=operator in {"since", "at_least"})
    placed = order(value, reference)
    if placed is None:
        return None
    return placed < 0 if operator in {"before", "less"} else placed > 0


def _bound(value: LiteralValue, reference: LiteralValue, *, lower: bool) -> bool | None:
    value, reference = _alike(value, reference)
    if isinstance(value, Date) and isinstance(reference, Date):
        inside = value.first >= reference.first if lower else value.last <= reference.last
        outside = value.last < reference.first if lower else value.first > reference.last
        return True if inside else (False if outside else None)
    placed = order(value, reference)
    if placed is None:
        return None
    return placed >= 0 if lower else placed <= 0


def _within(value: LiteralValue, reference: LiteralValue, *, exactly: bool) -> bool | None:
    value, reference = _alike(value, reference)
    if isinstance(value, Date) and isinstance(reference, Date):
        if value.last < reference.first or value.first > reference.last:
            return False
        if exactly and (value.first, value.last) == (reference.first, reference.last):
            return True
        return True if reference.first <= value.first and value.last <= reference.last and not exactly else None
    if isinstance(value, String) and isinstance(reference, String):
        tongues = {value.language, reference.language} - {None}
        return len(tongues) < 2 and folded_key(value.text) == folded_key(reference.text)
    placed = order(value, reference)
    return None if placed is None else placed == 0


def _alike(one: LiteralValue, two: LiteralValue) -> tuple[LiteralValue, LiteralValue]:
    """Both as dates of one year, or as numbers: bare digits (1980) are what the other is, pounds beside money money."""
    if isinstance(one, Date) and isinstance(two, Date):
        return one.beside(two), two.beside(one)
    if isinstance(one, Date) and isinstance(two, Number):
        return _numbered(one, two), _dated(two, one)
    if isinstance(one, Number) and isinstance(two, Date):
        return _dated(one, two), _numbered(two, one)
    if isinstance(one, Number) and isinstance(two, Number):
        if {one.unit, two.unit} == {"month", "s"}:
            one, two = in_seconds(one), in_seconds(two)
        return _paid(one, two), _paid(two, one)
    return one, two


def _paid(number: Number, beside: Number) -> Number:
    """Pounds of money as pounds of weight beside so many of these, to the penny: a question says both by one word."""
    pound = read_number("1 pound")
    if pound is None or number.unit != "GBP" or beside.unit != pound.unit:
        return number
    said = beside.value / pound.value
    return Number(number.value * pound.value, pound.unit) if said == round(said, 2) else number


def _numbered(date: Date, beside: Number) -> LiteralValue:
    return Number(Decimal(date.first[0])) if date.bare and beside.unit != TIME_OF_DAY else date


def _dated(number: Number, beside: Date) -> LiteralValue:
    if beside.bare or number.unit or not 0 < number.value < 10_000 or number.value % 1:
        return number
    return years_of(int(number.value))


def _same_unit(one: Number, two: Number) -> bool:
    """Tell whether two numbers measure the same; degrees may be of either scale.

    One without a unit may have any base unit, a time of day apart: a running time of 170 is not so many seconds.
    """
    if one.unit == two.unit or {one.unit, two.unit} in ({"°", "C"}, {"°", "F"}):
        return True
    return "" in {one.unit, two.unit} and TIME_OF_DAY not in {one.unit, two.unit} and one.factor == two.factor


_HAPPENS = frozenset({"start", "end", "leave", "arrive", "run", "open", "close", "begin", "play", "premiere"})
_OF_UNIT = dict.fromkeys(("EUR", "USD", "GBP"), "price cost") | dict.fromkeys(("C", "°"), "temperature")
_OF_UNIT |= {"g": "amount weight", "l": "amount volume", "m": "length distance", "s": "duration", "B": "size"}


@dataclass(frozen=True, slots=True)
class LiteralFilter:
    """A literal that the answers have to do with: `operator` and `value` (`second` of between, the others of either).

    `words` say which attribute is meant (`born`, `pages`); empty where the question leaves it open. What is `negated`
    does not hold of the answers.
    """

    operator: Operator
    value: LiteralValue
    second: Others | None = None
    words: str = ""
    negated: bool = False

    @property
    def asked(self) -> tuple[tuple[str, ...], str]:
        """What the filter looks at, as questions about one answer, and its kind: `date` or `number`."""
        counts = self.operator in {"more", "less", "at_least", "at_most"} and bool(self.words)
        counts |= isinstance(self.second, Number)  # between 1500 and 2500
        last = singular(self.words.rpartition(" ")[2])  # exactly 1600 inhabitants
        counts |= self.operator in {"same", "between"} and not self.words.endswith(last) and last not in _HAPPENS
        if isinstance(self.value, Date) and not (counts and self.value.bare):
            asked = self.words or "date year"
            return (f"{asked} of it", f"when was it {asked}"), "date"
        named = (self.words,) if self.words else (self.of_unit, "number")
        return tuple(f"{words} of it" for words in named if words), "number"

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of what the filter may look at: digits alone (1500) are a year or a number."""
        bare = isinstance(self.value, Date) and self.value.bare
        return frozenset(("date", "number") if bare else (self.asked[1],))

    @property
    def of_unit(self) -> str:
        """The words for what the value's unit measures, `amount weight` of kilograms; empty where it has none."""
        return _OF_UNIT.get(self.value.unit, "") if isinstance(self.value, Number) else ""

    def __str__(self) -> str:
        """The filter in words: `between 1930 and 1932`."""
        others = self.second if isinstance(self.second, tuple) else (self.second,)
        *first, last = (str(one) for one in (self.value, *others) if one is not None)
        bounds = f"{', '.join(first)} {'or' if self.operator == 'either' else 'and'} {last}" if first else last
        return f"{'not ' * self.negated}{self.operator.replace('_', ' ')} {bounds}"
