"""Plain text made safe for a Lucene query string."""

from __future__ import annotations

import re

_SPECIAL = re.compile(r'([+\-!(){}\[\]^"~*?:\\/|&<>=])')
_OPERATOR = re.compile(r"\b(?:AND|OR|NOT|TO)\b")


def escape(text: str) -> str:
    r"""`text` with every Lucene operator taken literally, NUL bytes gone; may be empty (then do not ask the index).

    >>> escape("What? (1984) AND more")
    'What\\? \\(1984\\) and more'
    >>> escape(" \x00 ")
    ''
    """
    escaped = _SPECIAL.sub(r"\\\1", text.replace("\x00", " "))
    return _OPERATOR.sub(lambda found: found[0].lower(), escaped).strip()
