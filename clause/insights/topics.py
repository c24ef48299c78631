"""Topic keys: a grammar of what an insight is about, parsed and validated, never matched as a pattern.

    user:<id>   dyad:<a>:<b>   self:<aspect>
    server:<id>:user:<id>              server:<id>:dyad:<a>:<b>              server:<id>:self:<aspect>
    server:<id>:channel:<id>           server:<id>:thread:<id>               server:<id>:role:<id>
    server:<id>:user_in_channel:<channel>:<user>       server:<id>:dyad_in_channel:<channel>:<a>:<b>
    server:<id>:subject:<name>         server:<id>:emoji:<name>

The two of a dyad are kept in order. An id is letters, digits and ._@+- (at most 128); a name, aspect or emoji is any
text without a colon or control character (at most 200).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from clause.errors import BadInputError
from clause.text.names import hashed

GLOBAL_KINDS = frozenset({"user", "dyad"})
"""Topics that are one and the same on every server."""

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,127}")
_NAME = re.compile(r"[^:\x00-\x1f\x7f-\x9f]{1,200}")
_GLOBAL = {"user": 1, "dyad": 2, "self": 1}
_ON_SERVER = _GLOBAL | {
    "channel": 1, "thread": 1, "role": 1, "user_in_channel": 2, "dyad_in_channel": 3, "subject": 1, "emoji": 1,
}  # fmt: skip
_NAMED = frozenset({"self", "subject", "emoji"})
_FORM = "user:<id>, dyad:<a>:<b>, self:<aspect> or server:<id>:<kind>:..."


@dataclass(frozen=True)
class TopicKey:
    """A parsed key.

    Attributes:
        kind: user, dyad, self, channel, ...
        parts: its ids or name, those of a dyad in order.
        server: the server's id; None for a global topic.
    """

    kind: str
    parts: tuple[str, ...]
    server: str | None = None

    @property
    def reference(self) -> str:
        """The key without its server: the same for one user on every server."""
        return ":".join((self.kind, *self.parts))

    @property
    def is_global_reference(self) -> bool:
        """True for a user or dyad without a server: what servers speak of, too."""
        return self.server is None and self.kind in GLOBAL_KINDS

    def __str__(self) -> str:
        """The canonical key."""
        return self.reference if self.server is None else f"server:{self.server}:{self.reference}"

    def node_id(self, scope: str) -> str:
        """The id of this topic's node in `scope`."""
        return hashed("top_", scope, str(self))


def parse_topic(text: str) -> TopicKey:
    """A topic's key, checked and in its canonical form.

    Raises:
        BadInputError: it is not of the grammar; `field` and `bound` are set.

    >>> str(parse_topic("dyad:bob:ann")), str(parse_topic("server:9:subject:ci"))
    ('dyad:ann:bob', 'server:9:subject:ci')
    >>> parse_topic("server:9:user:7").reference
    'user:7'
    >>> try: parse_topic("user:%")
    ... except BadInputError as error: print(error.message)
    'user:%' is no topic: '%' is no id
    """
    head, *rest = text.split(":")
    server = None
    if head == "server":
        if len(rest) < 2:
            raise _wrong(text, "the server's id and a kind must follow")
        server, head, *rest = rest
        if not _ID.fullmatch(server):
            raise _wrong(text, f"{server[:40]!r} is no id")
    kinds = _GLOBAL if server is None else _ON_SERVER
    if head not in kinds:
        raise _wrong(text, f"{head[:40]!r} is no kind of topic here")
    if len(rest) != kinds[head]:
        raise _wrong(text, f"{head} takes {kinds[head]}, not {len(rest)}")
    return TopicKey(head, _parts(text, head, rest), server)


def _parts(text: str, kind: str, given: list[str]) -> tuple[str, ...]:
    parts = [unicodedata.normalize("NFC", part).strip() for part in given]
    allowed, what = (_NAME, "name") if kind in _NAMED else (_ID, "id")
    for part in parts:
        if not allowed.fullmatch(part):
            raise _wrong(text, f"{part[:40]!r} is no {what}")
    if kind.startswith("dyad"):
        first, second = sorted(parts[-2:])
        if first == second:
            raise _wrong(text, "a dyad is of two")
        parts[-2:] = [first, second]
    return tuple(parts)


def _wrong(text: str, why: str) -> BadInputError:
    return BadInputError(f"{text[:80]!r} is no topic: {why}", remedy=f"use {_FORM}", field="topic_key", bound=_FORM)
