"""A question as words for the full-text index: question words go, every operator is literal, the scope is required."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clause.graph.scopes import scope_token
from clause.text.lucene import escape

_QUESTION_WORDS = """
    what when where who whom whose which why how did do does done is are was were be been has have had having would
    could can should will shall may might must kind type sort many much long often likely considered i me my you your
    he him his she her it its we our they them their a an the and or of in on at to for from with by about as that this
    these those there s t
"""
_ASKING = frozenset(_QUESTION_WORDS.split())
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
MOST_WORDS = 64


def content_words(text: str) -> list[str]:
    """The words of a question that say what it is about, each once, at most 64; all of them where none does.

    >>> content_words("When did Caroline go to the LGBTQ support group?")
    ['Caroline', 'go', 'LGBTQ', 'support', 'group']
    >>> content_words("Who is it?")
    ['Who', 'is', 'it']
    """
    words = list(dict.fromkeys(_WORD.findall(text)))
    telling = [word for word in words if _bare(word) not in _ASKING]
    return (telling or words)[:MOST_WORDS]


def names_in(text: str) -> frozenset[str]:
    """The words of a text in lower case, without possessives: what speakers' names are looked up in.

    >>> sorted(names_in("What is Ann's job?"))
    ['ann', 'is', 'job', 'what']
    """
    return frozenset(map(_bare, _WORD.findall(text)))


def lucene_query(text: str, scopes: Sequence[str]) -> str | None:
    """A Lucene query for the content words within scopes, which add nothing to scores; None where there is no word.

    >>> lucene_query("Where is Ann?", ["user:ann"])
    '+scope_token:(s_user_ann)^0 +(Ann)'
    """
    words = escape(" ".join(content_words(text)))
    tokens = " ".join(sorted({scope_token(scope) for scope in scopes}))
    return f"+scope_token:({tokens})^0 +({words})" if words else None


def _bare(word: str) -> str:
    return re.sub(r"['\u2019]s$", "", word.casefold())
