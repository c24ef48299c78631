"""What a memory's text tells beside its words: who said it, when, and a short name for it."""

from __future__ import annotations

import re
from datetime import UTC, datetime

LONGEST_NAME = 80
_SPEAKER = re.compile(r"\s*([^\W\d_][\w.'\u2019-]*(?: [^\W\d_][\w.'\u2019-]*){0,3}):\s+\S")
_SHORTEST_TIME = 4


def speaker_of(content: str) -> str | None:
    """Who speaks, where a text opens with `Name: `; the name begins with a capital, or its script has none.

    >>> speaker_of("Ann Lee: I moved to Lisbon"), speaker_of("note: buy milk"), speaker_of("Then: nothing at all")
    ('Ann Lee', None, 'Then')
    """
    found = _SPEAKER.match(content)
    if found is None or found[1][0].islower():
        return None
    return found[1]


def occurred_at(timestamp: str | None, otherwise: datetime) -> datetime:
    """The instant that a free text means, UTC where it names no zone; `otherwise` where it is missing or unreadable.

    >>> occurred_at("1:56 pm on 8 May, 2023", datetime(2026, 1, 1, tzinfo=UTC)).isoformat()
    '2023-05-08T13:56:00+00:00'
    >>> occurred_at("some day", datetime(2026, 1, 1, tzinfo=UTC)).year
    2026
    """
    if timestamp is None or len(timestamp) < _SHORTEST_TIME or not any(letter.isdigit() for letter in timestamp):
        return otherwise
    from dateutil import parser  # noqa: PLC0415 -- takes a moment to import

    try:
        found: datetime = parser.parse(timestamp, fuzzy=True, default=datetime(otherwise.year, 1, 1))  # noqa: DTZ001
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError, AttributeError, TypeError):
        return otherwise


def short_name(content: str) -> str:
    """The first line, cut after a whole word to at most 80 characters.

    >>> short_name("tea " * 40).count("tea")
    19
    """
    line = next((line.strip() for line in content.splitlines() if line.strip()), "")
    if len(line) <= LONGEST_NAME:
        return line
    return (line[: LONGEST_NAME - 1].rsplit(" ", 1)[0].rstrip() or line[: LONGEST_NAME - 1]) + "\u2026"
