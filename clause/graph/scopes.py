"""Scopes say whose a node is; a Caller says which of them a request may read and write."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clause.errors import BadInputError, ForbiddenError

PUBLIC = "public"
"""The scope that everyone may read."""

_FORMS = "public, user:<id>, user:<id>/session:<id>, session:<id>, kg:<name>"
_ID = r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,127}"
_SCOPE = re.compile(
    rf"(?P<public>public)|user:(?P<user>{_ID})(?:/session:(?P<user_session>{_ID}))?"
    rf"|session:(?P<session>{_ID})|kg:(?P<kg>{_ID})"
)


@dataclass(frozen=True)
class Scope:
    """One parsed scope; `text` is its canonical form, the value of every node's `scope` property."""

    text: str
    user: str | None = None
    session: str | None = None
    knowledge_graph: str | None = None

    @property
    def sees(self) -> tuple[str, ...]:
        """What a reader in this scope sees: a session sees itself, its user and public; a user itself and public.

        >>> parse_scope("user:ann/session:7").sees
        ('user:ann/session:7', 'user:ann', 'public')
        >>> parse_scope("kg:metaqa").sees
        ('kg:metaqa',)
        """
        if self.user is not None and self.session is not None:
            return (self.text, f"user:{self.user}", PUBLIC)
        if self.user is not None or self.session is not None:
            return (self.text, PUBLIC)
        return (self.text,)

    def __str__(self) -> str:
        """The canonical form."""
        return self.text


def parse_scope(text: str, *, field: str = "scope") -> Scope:
    """Check and take apart a scope.

    Raises:
        BadInputError: it has none of the five forms; `field` and `bound` are set.

    >>> parse_scope("kg:metaqa").knowledge_graph
    'metaqa'
    """
    match = _SCOPE.fullmatch(text)
    if match is None:
        shown = text if len(text) <= 80 else f"{text[:77]}..."
        raise BadInputError(f"{shown!r} is not a scope", remedy=f"use one of {_FORMS}", field=field, bound=_FORMS)
    parts = match.groupdict()
    return Scope(text, parts["user"], parts["user_session"] or parts["session"], parts["kg"])


def scope_of(user_id: str | None, session_id: str | None, default: str = PUBLIC) -> str:
    """The scope that a seed's user_id and session_id mean; `default` when both are missing.

    >>> scope_of("ann", "7"), scope_of("ann", None), scope_of(None, "7"), scope_of(None, None)
    ('user:ann/session:7', 'user:ann', 'session:7', 'public')
    """
    user = f"user:{user_id}" if user_id else ""
    session = f"session:{session_id}" if session_id else ""
    return parse_scope("/".join(part for part in (user, session) if part) or default).text


@dataclass(frozen=True)
class Caller:
    """Who asks. None means everything: the owner on loopback. A user's scope covers that user's sessions.

    `key_id` is the API key that spoke, None for the owner: what one key left behind is not another's to find.

    >>> Caller(readable=("user:ann",), writable=()).may_read("user:ann/session:7")
    True
    >>> Caller(readable=("user:ann",), writable=()).may_read("user:bob")
    False
    """

    readable: tuple[str, ...] | None = None
    writable: tuple[str, ...] | None = None
    key_id: str | None = None

    def may_read(self, scope: str) -> bool:
        """True when `scope` is within what this caller may read."""
        return _covers(self.readable, scope)

    def may_write(self, scope: str) -> bool:
        """True when `scope` is within what this caller may write."""
        return _covers(self.writable, scope)

    def resolve(self, requested: Sequence[str] | None, known: Sequence[str]) -> tuple[str, ...]:
        """The scopes a request reads: those it names (a session's with its user and public), or all readable ones.

        `known` are the scopes that hold something; public and session scopes count as known before their first write.

        Raises:
            BadInputError: a named scope is malformed, unknown, or the list is empty.
            ForbiddenError: a named scope is not this caller's.

        >>> Caller().resolve(None, ["kg:metaqa"])
        ('kg:metaqa', 'public')
        """
        if requested is None:
            return tuple(sorted(scope for scope in {*known, PUBLIC, *(self.readable or ())} if self.may_read(scope)))
        if not requested:
            raise BadInputError("no scope is named", remedy="leave `scopes` out to read all", field="scopes")
        seen: set[str] = set()
        for text in requested:
            scope = parse_scope(text, field="scopes")
            self._require_readable(scope, known)
            seen.update(other for other in scope.sees if self.may_read(other)) if scope.session else seen.add(text)
        return tuple(sorted(seen))

    def require_write(self, scope: str) -> str:
        """`scope` itself, once it is well-formed and this caller may write there; ForbiddenError otherwise."""
        parse_scope(scope)
        if not self.may_write(scope):
            raise ForbiddenError(f"writing to scope {scope!r} is not allowed to this caller", field="scope")
        return scope

    def home(self, default: str) -> str:
        """Where a write goes that names no scope: `default`, or this caller's first scope where that is not its own.

        >>> Caller(readable=(), writable=("user:ann",)).home("public"), Caller().home("public")
        ('user:ann', 'public')
        """
        return self.writable[0] if self.writable and not self.may_write(default) else default

    def _require_readable(self, scope: Scope, known: Sequence[str]) -> None:
        if not self.may_read(scope.text):
            raise ForbiddenError(f"reading scope {scope.text!r} is not allowed to this caller", field="scopes")
        if scope.text != PUBLIC and scope.session is None and scope.text not in known:
            raise BadInputError(f"nothing is stored in scope {scope.text!r}", remedy="load it first", field="scopes")


def _covers(scopes: tuple[str, ...] | None, scope: str) -> bool:
    if scopes is None:
        return True
    parsed = _SCOPE.fullmatch(scope)
    owner = f"user:{parsed['user']}" if parsed and parsed["user"] else scope
    return scope in scopes or owner in scopes


def scope_token(scope: str) -> str:
    """One word for a scope that every full-text analyzer keeps whole; stored as `scope_token` beside indexed text.

    >>> scope_token("user:ann/session:7")
    's_user_ann_session_7'
    """
    return "s_" + re.sub(r"[^A-Za-z0-9]", "_", scope).lower()
