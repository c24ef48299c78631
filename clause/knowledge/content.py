"""A belief's text: its normal form, its hash, its short name, and the words that the full-text index filters by."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from datetime import UTC, datetime

NAME_LENGTH = 80
_BLANKS = re.compile(r"\s+")


def normalised(content: str) -> str:
    r"""The text that a belief is keyed by: NFC, NUL bytes and outer blanks gone, inner blanks as one; case is kept.

    >>> normalised("  Ann\n likes  tea ")
    'Ann likes tea'
    """
    return _BLANKS.sub(" ", unicodedata.normalize("NFC", content.replace("\x00", ""))).strip()


def content_hash(content: str) -> str:
    """Sha256 of the normalised text, in hex."""
    return hashlib.sha256(normalised(content).encode("utf-8", "replace")).hexdigest()


def live_hash(content: str, valid_from: datetime | None, valid_until: datetime | None) -> str:
    """What is unique among the beliefs held in a scope: the text, and its valid time where one is given.

    >>> live_hash("a", None, None) == content_hash("a")
    True
    """
    if valid_from is None and valid_until is None:
        return content_hash(content)
    times = "/".join(at.astimezone(UTC).isoformat() if at else "" for at in (valid_from, valid_until))
    return f"{content_hash(content)}@{times}"


def short_name(content: str) -> str:
    """A title of at most 80 characters, cut after a whole word where there is one.

    >>> short_name("word " * 40)[-9:]
    'word word'
    """
    text = normalised(content)
    return text if len(text) <= NAME_LENGTH else text[:NAME_LENGTH].rsplit(" ", 1)[0]


def recorded_token(at: datetime) -> str:
    """An instant as digits that sort like it, for ranges in the full-text index.

    >>> recorded_token(datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC))
    '20260102030405000006'
    """
    return at.astimezone(UTC).strftime("%Y%m%d%H%M%S%f")


def domain_token(domain: str) -> str:
    """One word for a domain, whatever its letters; upper and lower case are the same domain.

    >>> domain_token("Tech") == domain_token("tech")
    True
    """
    return "d" + hashlib.sha256(domain.casefold().encode("utf-8", "replace")).hexdigest()[:16]
