"""The text and metadata of a memory: who said it, when, a short name for it, and what looks like personal data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from clause.memory.models import PersonalDataError
from clause.text.fields import read_instant

LONGEST_NAME = 80
_SPEAKER = re.compile(r"\s*([^\W\d_][\w.'\u2019-]*(?: [^\W\d_][\w.'\u2019-]*){0,3}):\s+\S")
_PARTS = re.compile(r"[.'\u2019-]+")
_PARTICLES = frozenset(["al", "bin", "da", "de", "del", "der", "di", "du", "el", "la", "le", "of", "van", "von", "y"])
_HEADINGS = frozenset(Path(__file__).with_name("note_words.txt").read_text(encoding="utf-8").split())
_THINGS = re.compile(r"(?:[ts]ions?|ness|ship|ism|ware|outs?|ages?|ments?)$")
"""Words, and ends of words, of what opens notes and headings; a label with one of them names nobody."""


def speaker_of(content: str) -> str | None:
    """Find who speaks, where a text opens with `Name: `; words of names begin with a capital, or their script has none.

    >>> speaker_of("Ann Lee: I moved to Lisbon"), speaker_of("Ludwig van Beethoven: Listen")
    ('Ann Lee', 'Ludwig van Beethoven')
    >>> speaker_of("Backup of invoices stopped: disk full"), speaker_of("Then: nothing"), speaker_of("note: buy milk")
    (None, None, None)
    """
    found = _SPEAKER.match(content)
    if found is None:
        return None
    words = found[1].split()
    named = [word for word in words if word not in _PARTICLES]
    if words[0] not in named or words[-1] not in named or any(word[0].islower() for word in named):
        return None
    parts = [part for word in named for part in _PARTS.split(word.casefold())]
    return None if any(part in _HEADINGS or _THINGS.search(part) for part in parts) else found[1]


def occurred_at(timestamp: str | None, otherwise: datetime) -> datetime:
    """The instant that a text means, UTC where it names no zone; `otherwise` where it is missing or unreadable."""
    found = read_instant(timestamp or "")
    return otherwise if found is None else found


def short_name(content: str) -> str:
    """The first line, cut after a whole word to at most 80 characters.

    >>> short_name("tea " * 40).count("tea")
    19
    """
    line = next((line.strip() for line in content.splitlines() if line.strip()), "")
    if len(line) <= LONGEST_NAME:
        return line
    return (line[: LONGEST_NAME - 1].rsplit(" ", 1)[0].rstrip() or line[: LONGEST_NAME - 1]) + "\u2026"


Metadata = Mapping[str, str | float | bool | Sequence[str]]

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_DIGITS = re.compile(r"(?<![\w.])\+?\(?\d(?:[ ().\-/]{0,2}\d){6,18}(?![\w.])")
_NATIONAL = re.compile(
    r"\b(?:\d{3}-\d{2}-\d{4}"  # United States
    r"|[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]"  # United Kingdom
    r"|[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?)\b"  # IBAN
)
_DATE = re.compile(
    r"(?<![\d+])(?<!\d[-/.])(?:\d{4}([-/.])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])"
    r"|\d{1,2}([-/.])\d{1,2}\2\d{4})(?!\d|[-/.]\d)"
)
_PHONE_KEYS = frozenset(["phone", "phones", "telephone", "tel", "mobile", "cell", "fax", "whatsapp"])
_PHONE_DIGITS = range(7, 16)
_PHONE = re.compile(
    r"^\+|\(\d{1,5}\)"
    r"|(?<![\d-])(?:(?:0\d{1,4}|1[38]00|\d{1,3})(?:-\d{2,}){2,}|\d{3} \d{3}-\d{4})(?![\d-])"
    r"|(?<!\d)(?<!\d )0[1-9](?:(?: \d\d){4}|\d{0,3}(?: \d{3,4}){2})(?! ?\d)"
)
"""Digits written as a telephone number: a plus, an area in brackets, groups by dashes, or a 0 and groups by blanks."""
_CARD = re.compile(r"(?<![\w.])(?<!\d[ -])(?:\d{13,19}|\d{4}([ .-])\d{4,6}(?:\1\d{3,6}){1,3})(?![\w.]|[ -]\d{3})")
_ISSUED = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|(?:2[2-7]|35|5\d|6\d)\d{14}|6\d{18}"
)
_IN_USE = (15, 16)
"""Digits of nearly every card; a bare number of another length is an id or a clock."""


def personal_kind(key: str, value: str | float | bool | Sequence[str]) -> str | None:
    """Tell the kind of personal data `value` looks like under `key`: email, phone, card or national id; None for none.

    A phone number is written as one, or digits where its key says so; a card number begins as its issuer's and passes
    the Luhn check. The items of a list are looked at one by one.

    >>> personal_kind("from", "ann@example.org"), personal_kind("n", 1700000000), personal_kind("phone", 4915112345678)
    ('email', None, 'phone')
    >>> personal_kind("x", "4111 1111 1111 1111"), personal_kind("path", "/data/2026/11/22/run-001")
    ('card', None)
    >>> personal_kind("id", "078-05-1120")
    'national id'
    """
    if not isinstance(value, (str, int, float)):
        return next(filter(None, (personal_kind(key, one) for one in value)), None)
    text = "" if isinstance(value, bool) else str(value).strip()
    if _EMAIL.search(text):
        return "email"
    if _NATIONAL.search(text):
        return "national id"
    text = _DATE.sub(",", text)
    if _has_phone(key, text):
        return "phone"
    cards = [re.sub(r"\D", "", found[0]) for found in _CARD.finditer(text)]
    likely = [one for one in cards if _ISSUED.fullmatch(one) and (isinstance(value, str) or len(one) in _IN_USE)]
    return "card" if any(map(luhn, likely)) else None


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def _has_phone(key: str, text: str) -> bool:
    named = bool(_PHONE_KEYS & _words(re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", key)))
    told = named or bool({*_PHONE_KEYS, "call"} & _words(text))
    for found in (one[0] for one in _DIGITS.finditer(text)):
        groups = re.findall(r"\d+", found)
        written = _PHONE.search(found) or (told and len(groups) >= 3 and "." not in found)
        if (named or written) and len("".join(groups)) in _PHONE_DIGITS:
            return True
    return False


def luhn(digits: str) -> bool:
    """Tell whether a string of digits passes the check of payment cards (ISO/IEC 7812-1), and is not all zeros.

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    doubled = [int(digit) * (2 if place % 2 else 1) for place, digit in enumerate(reversed(digits))]
    return sum(n - 9 if n > 9 else n for n in doubled) % 10 == 0 and any(doubled)


def refuse_personal(metadata: Metadata | None) -> None:
    """Do nothing for metadata without personal data.

    Raises:
        PersonalDataError: a value (or a key) looks like it; neither is repeated in the message.
    """
    for number, (key, value) in enumerate((metadata or {}).items()):
        kind = personal_kind(key, value)
        in_key = personal_kind("", key)
        if kind or in_key:
            shown = f"metadata key {number + 1}" if in_key else f"metadata[{key[:40]!r}]"
            raise PersonalDataError(
                f"{shown} looks like personal data ({kind or in_key})",
                remedy="leave it out, or send pii_consent: true",
                field="metadata" if in_key else f"metadata.{key[:40]}",
                bound="no personal data without consent",
            )
