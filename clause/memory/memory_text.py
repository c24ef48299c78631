"""The text and metadata of a memory: who said it, when, a short name for it, and what looks like personal data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from clause.memory.models import PersonalDataError
from clause.text.fields import read_instant

LONGEST_NAME = 80
_SPEAKER = re.compile(r"\s*([^\W\d_][\w.'\u2019-]*(?: [^\W\d_][\w.'\u2019-]*){0,3}):\s+\S")
_PARTS = re.compile(r"[.'\u2019-]+")
_PARTICLES = frozenset(["al", "bin", "da", "de", "del", "der", "di", "du", "el", "la", "le", "of", "van", "von", "y"])
_NOTE_WORDS = """
access account accounts added address advice afternoon again agenda alert alerts also answer api app approach
architecture ask asked audit august backend background backlog backup because benefit birthday blocked blocker branch
budget bug bugs build builds but cause changed changelog changes chapter chat check checklist checks choice claim
cluster code commit config confirmed constraint contact container context cost costs crash critical data database date
day days dead deadline debug december decided decisions default delivery dependency deploy deployed deploys design
detail details diagnosis diet dinner docs done draft due effect email endpoint error errors estimate evening event
events evidence example examples expected fact facts fail failed failing fails failure failures fatal feature features
february feedback final finally finding findings first fix fixed follow followup format friday frontend fyi goal goals
guideline here hint history how however hypothesis idea ideas impact important in incident info infrastructure
ingredients input insight insurance issue issues item items january job journal july key keywords last latency later
leak lesson lessons limit link links list log login logs lunch maintenance manual march meaning measure meeting memo
method metric metrics milestone minutes model monday monitoring morning my name nb need needs network new news next
night no noon note notes notice november now number objective october office ok okay old opinion order otherwise our
outcome output overview owner page parameters part password patch path pending performance phone pipeline place plan
plans policy postmortem preference preferences prerequisite present price principle priority problem problems process
progress project proposal ps purpose query queue quote rationale reason reasons recap recipe reference references
regarding region related release releases remark remember reminder report request resolved resource resources response
restart result results review risk risks rollback root rule rules saturday schedule scope second security see september
server servers service services setting settings setup shopping side sign so source sources spec sprint staging standup
start starting state status step steps still strategy subject subtask success summary sunday system table task tasks
test tests then therefore things third this thought thoughts thursday ticket tickets time timeline tip tips title tldr
to today todo todos tomorrow tonight tool tools topic topics trigger tuesday type unknown unresolved update updated
updates upgrade url use username value values view warn warning warnings we website wednesday week weekend what when
where which who why with work workaround workflow yes yesterday
"""
_HEADINGS = frozenset(_NOTE_WORDS.split())
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
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[ T].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}")
_PHONE_KEYS = frozenset(["phone", "telephone", "tel", "mobile", "cell", "fax"])
_CARD = range(13, 20)
_PHONE = range(7, 16)


def personal_kind(key: str, value: str | float | bool | Sequence[str]) -> str | None:
    """Tell the kind of personal data `value` looks like under `key`: email, phone, card or national id; None for none.

    A bare run of digits is a phone number only under a key that says so, or written as one (a plus, blanks, brackets);
    a card number passes the Luhn check.

    >>> personal_kind("from", "ann@example.org"), personal_kind("n", 1700000000), personal_kind("phone", 4915112345678)
    ('email', None, 'phone')
    >>> personal_kind("x", "4111 1111 1111 1111"), personal_kind("when", "2026-01-31")
    ('card', None)
    >>> personal_kind("id", "078-05-1120")
    'national id'
    """
    text = "" if isinstance(value, bool) else str(value).strip()
    if _EMAIL.search(text):
        return "email"
    if _NATIONAL.search(text):
        return "national id"
    return None if _DATE.fullmatch(text) else _number_kind(key, text)


def _number_kind(key: str, text: str) -> str | None:
    says_so = bool(_PHONE_KEYS & set(re.split(r"[\W_]+", key.casefold())))
    for found in _DIGITS.finditer(text):
        digits = re.sub(r"\D", "", found[0])
        if len(digits) in _PHONE and (says_so or _is_phone(found[0])):
            return "phone"
        if len(digits) in _CARD and luhn(digits):
            return "card"
    return None


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


def _is_phone(text: str) -> bool:
    """Written as a telephone number: an international prefix, brackets, or several groups.

    >>> _is_phone("+49 151 1234567"), _is_phone("(555) 123-4567"), _is_phone("12345678")
    (True, True, False)
    """
    groups = [group for group in re.split(r"\D+", text) if group]
    return text.startswith("+") or "(" in text or (len(groups) >= 3 and "." not in text)
