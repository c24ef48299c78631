"""Numerals as people write them: digits of several countries, fractions, words, times of a day."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal, InvalidOperation

_SMALL_WORDS = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen"""
_TEN_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: value for value, word in enumerate(_SMALL_WORDS.split())}
_SMALL |= {word: 10 * number for number, word in enumerate(_TEN_WORDS.split(), 2)}
SCALES = {"hundred": 10**2, "dozen": 12, "thousand": 10**3, "k": 10**3, "million": 10**6, "mio": 10**6, "mn": 10**6}
SCALES |= {"billion": 10**9, "bn": 10**9, "trillion": 10**12}
"""Words behind a number that multiply it."""
LARGE = {"M": 10**6, "B": 10**9}
"""Capitals that multiply: `1.2M` and `$3B`, where `m` is a metre and `512B` are bytes."""
SCALE = "|".join(sorted(SCALES, key=len)[::-1])
_DOTTED = r"[1-9]\d{0,2}(?:(?:\.\d{3}){2,}(?:,\d+)?|\.\d{3},\d+)"
_COMMAS, _BLANKS = r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?", r"[1-9]\d{0,2}(?:[\u00a0\u202f'\u2019 ]\d{3})+(?:[.,]\d+)?"
DIGITS = rf"{_COMMAS}|{_BLANKS}|{_DOTTED}|\d+(?:[.,]\d+)?"
FRACTION, FRACTION_SIGN = r"(?:\d+(?:\s+|-))?[1-9]/[2-9]|\d+\s+and\s+a\s+half", r"\d*\s?[\u00bc-\u00be\u2153-\u215e]"
"""A fraction, which without a unit may be a day (1/2); and one of the signs of it."""
_WORDS = "|".join(sorted((*_SMALL, "hundred", "thousand", "million", "billion", "trillion", "dozen"), key=len)[::-1])
SPELT = (
    r"(?:(?:a|half a)\s+(?=hundred|thousand|million|billion|dozen))?"
    rf"\b(?:{_WORDS})\b(?:[\s-]+(?:and\s+)?(?:{_WORDS})\b)*(?:\s+and\s+a\s+half\b)?"
)
CLOCK = (
    r"(?P<hour>\d\d?):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?\s*(?P<half>[ap]\.?m\b\.?)?"
    r"|(?P<h12>1[0-2]|[1-9])\s*(?P<half12>[ap]\.?m\b\.?)"
)
_MIXED = re.compile(r"(?P<whole>\d*)(?:\s+|-)?(?:(?P<over>\d)/(?P<under>\d)|(?P<sign>[^\d\s.,/'\u2019-]))")


def read_digits(text: str) -> Decimal | None:
    """The value of a number in digits; None where they make none.

    >>> [str(read_digits(text)) for text in ("1,200.5", "1.234,56", "0,125", "2 1/2", "2½", "2 and a half")]
    ['1200.5', '1234.56', '0.125', '2.5', '2.5', '2.5']
    """
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


def read_spelt(text: str) -> Decimal | None:
    """The value of a number in small words; None where they say none.

    >>> [str(read_spelt(text)) for text in ("forty-two", "half a dozen", "two hundred and five", "two and a half")]
    ['42', '6', '205', '2.5']
    """
    if re.fullmatch(r"(?:half )?an?", text):
        return Decimal("0.5") if text.startswith("half") else Decimal(1)
    words = re.sub(r"\s+and\s+a\s+half$", "", text)
    total, part, said = Decimal(0), Decimal(0), False
    half = words.startswith("half a ")
    for word in re.findall(r"[a-z]+", words.removeprefix("half a ").removeprefix("a ")):
        if word in _SMALL:
            part, said = part + _SMALL[word], True
        elif word in SCALES:
            part, said = (part or Decimal(1)) * SCALES[word], True
            if SCALES[word] >= 1000:
                total, part = total + part, Decimal(0)
    value = total + part
    more = Decimal("0.5") if words != text else Decimal(0)
    return (value / 2 if half else value) + more if said else None


def read_clock(found: re.Match[str]) -> int:
    """The seconds after midnight of a match of `CLOCK`."""
    hour = int(found["hour"] or found["h12"])
    half = (found["half"] or found["half12"] or "").lower().replace(".", "")
    if half == "pm" and hour < 12:
        hour += 12
    if half == "am" and hour == 12:
        hour = 0
    return 3600 * hour + 60 * int(found["minute"] or 0) + int(found["second"] or 0)
