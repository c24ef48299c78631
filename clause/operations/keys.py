"""API keys: who may read and write which scopes. The graph keeps a hash; the secret is shown once, when it is made.

A key reads `clause_<id>_<secret>`. The secret is 256 random bits, so that one SHA-256 of it is enough: there is no
dictionary to try, which a slow hash would guard against.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from clause.errors import BadInputError, NotFoundError, UnauthorizedError
from clause.graph.runner import Graph
from clause.graph.scopes import PUBLIC, Caller, parse_scope
from clause.ground import new_id, utc_now

MAX_KEYS = 1000
"""Most keys that are listed."""

_SECRET_BYTES = 32
_TOKEN = re.compile(r"clause_(?P<id>[0-9A-HJKMNP-TV-Z]{26})_(?P<secret>[A-Za-z0-9_-]{43})")
_NOBODY = hashlib.sha256(b"nobody").hexdigest()


class ApiKey(BaseModel):
    """A key as it may be shown: never its secret, nor the hash."""

    model_config = ConfigDict(frozen=True)

    id: str = Field(description="the key's ULID")
    name: str = Field(description="who or what it is for")
    readable: tuple[str, ...] | None = Field(description="scopes it may read; null: all")
    writable: tuple[str, ...] | None = Field(description="scopes it may write; null: all")
    created_at: datetime = Field(description="when it was made")
    revoked_at: datetime | None = Field(None, description="when it was revoked; null: it is in force")


class NewKey(ApiKey):
    """A key that was just made, with its secret; it cannot be shown again."""

    token: str = Field(repr=False, description="what a client sends: `Authorization: Bearer <token>`")


class ApiKeys:
    """Makes, lists, revokes and checks keys.

    Args:
        graph: where the ApiKey nodes are.
        now, ids, secret: clock, ids and secrets; passed in by tests.
    """

    def __init__(
        self,
        graph: Graph,
        *,
        now: Callable[[], datetime] = utc_now,
        ids: Callable[[], str] = new_id,
        secret: Callable[[], str] = lambda: secrets.token_urlsafe(_SECRET_BYTES),
    ) -> None:
        self._graph = graph
        self._now = now
        self._ids = ids
        self._secret = secret

    async def create(self, name: str, readable: Sequence[str] | None, writable: Sequence[str] | None) -> NewKey:
        """A new key; what it may write it may read too. None stands for every scope.

        Raises:
            BadInputError: no name, no scope at all, or a malformed one.
        """
        reads, writes = _checked(name, readable, writable)
        identity, secret, now = self._ids(), self._secret(), self._now()
        await self._graph.run(
            "operations/create_key",
            id=identity,
            scope=PUBLIC,
            name=name.strip(),
            secret_hash=hashed(secret),
            reads_all=reads is None,
            readable=list(reads or ()),
            writes_all=writes is None,
            writable=list(writes or ()),
            now=now,
        )
        token = f"clause_{identity}_{secret}"
        return NewKey(id=identity, name=name.strip(), readable=reads, writable=writes, created_at=now, token=token)

    async def list(self) -> tuple[ApiKey, ...]:
        """All keys, newest first, the revoked ones too."""
        rows = await self._graph.run("operations/list_keys", scope=PUBLIC, limit=MAX_KEYS)
        return tuple(_key(row) for row in rows)

    async def revoke(self, key_id: str) -> ApiKey:
        """The key, which opens nothing from now on.

        Raises:
            NotFoundError: no key has this id.
        """
        row = await self._graph.one("operations/revoke_key", id=key_id, scope=PUBLIC, now=self._now())
        if row is None:
            raise NotFoundError(f"no API key has the id {key_id[:40]!r}", remedy="see `clause keys list`")
        return _key(row)

    async def caller(self, token: str) -> Caller:
        """Who presents `token`, with the scopes of the key.

        The hashes are compared in constant time, and an unknown id costs the same comparison.

        Raises:
            UnauthorizedError: it is no key of ours that is in force.
        """
        match = _TOKEN.fullmatch(token)
        if match is None:
            raise refusal()
        row = await self._graph.one("operations/find_key", id=match["id"], scope=PUBLIC)
        same = hmac.compare_digest(hashed(match["secret"]), row["secret_hash"] if row else _NOBODY)
        if row is None or not same:
            raise refusal()
        reads, writes = _scopes(row)
        return Caller(readable=reads, writable=writes, key_id=row["id"])

    async def any_in_force(self) -> bool:
        """True when at least one key opens something."""
        row = await self._graph.one("operations/count_keys", scope=PUBLIC)
        return bool(row and row["keys"])


def hashed(secret: str) -> str:
    """SHA-256 of a secret, in hex: what the graph keeps."""
    return hashlib.sha256(secret.encode()).hexdigest()


def presented(headers: Mapping[str, str]) -> str | None:
    """The key that a request brings, as `Authorization: Bearer` or `X-API-Key` (names in lower case).

    Another way of signing in is a key that opens nothing; None only where there is no attempt at all.

    >>> presented({"authorization": "Bearer clause_x"}), presented({"authorization": "Basic eDp5"}), presented({})
    ('clause_x', '', None)
    """
    authorization = headers.get("authorization")
    if authorization is None:
        return headers.get("x-api-key")
    kind, _, token = authorization.partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def refusal() -> UnauthorizedError:
    """The one answer to a missing, malformed, unknown or revoked key."""
    return UnauthorizedError("an API key is needed, and this is none in force", remedy="make one: `clause keys create`")


def _checked(
    name: str, readable: Sequence[str] | None, writable: Sequence[str] | None
) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    if not 1 <= len(name.strip()) <= 100:
        raise BadInputError("a key needs a name", field="name", bound="1 to 100 characters")
    for scope in (*(readable or ()), *(writable or ())):
        parse_scope(scope)
    writes = None if writable is None else tuple(dict.fromkeys(writable))
    reads = None if readable is None or writes is None else tuple(dict.fromkeys((*readable, *writes)))
    if reads == ():
        raise BadInputError("a key needs a scope", remedy="name one with --read or --write", field="readable")
    return reads, writes


def _scopes(row: dict[str, Any]) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    reads = None if row["reads_all"] else tuple(row["readable"])
    return reads, None if row["writes_all"] else tuple(row["writable"])


def _key(row: dict[str, Any]) -> ApiKey:
    reads, writes = _scopes(row)
    shown = {name: row[name] for name in ("id", "name", "created_at", "revoked_at")}
    return ApiKey(**shown, readable=reads, writable=writes)
