"""API keys, each bound to scopes; a file of the home keeps a hash. Beyond the loopback a service listens only once
there are keys.

A key reads `clause_<id>_<secret>`. The secret is 256 random bits, so that one SHA-256 of it is enough: there is no
dictionary to try, which a slow hash would guard against.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar

from pydantic import Field

from clause.errors import BadInputError, ConflictError, NotFoundError, SettingsError, UnauthorizedError
from clause.graph import database
from clause.graph.runner import Graph
from clause.graph.scopes import PUBLIC, Caller, parse_scope
from clause.ground import new_id
from clause.operations.key_file import NAME, KeyFile, StoredKey
from clause.settings import Settings
from clause.telemetry import logger
from clause.text.fields import Frozen, utc_now

MAX_KEYS = 1000
"""Most keys that there may be."""

LASTS = timedelta(days=365)
"""The time that a key lasts unless something else is said."""

_USED_AGAIN = timedelta(minutes=5)
Result = TypeVar("Result")

_SECRET_BYTES = 32
_TOKEN = re.compile(r"clause_(?P<id>[0-9A-HJKMNP-TV-Z]{26})_(?P<secret>[A-Za-z0-9_-]{43})")
_NOBODY = hashlib.sha256(b"nobody").hexdigest()


class ApiKey(Frozen):
    """A key as it may be shown: never its secret, nor the hash."""

    id: str = Field(description="the key's ULID")
    name: str = Field(description="who or what it is for")
    readable: tuple[str, ...] | None = Field(description="scopes it may read; null: all")
    writable: tuple[str, ...] | None = Field(description="scopes it may write; null: all")
    default: tuple[str, ...] | None = Field(None, description="scopes of a read that names none; null: all it may read")
    person: bool = Field(False, description="it speaks for a person, whose confirmation makes a belief verified")
    created_at: datetime = Field(description="when it was made")
    expires_at: datetime | None = Field(None, description="when it ends by itself; null: never")
    revoked_at: datetime | None = Field(None, description="when it was revoked; null: it is in force")
    last_used_at: datetime | None = Field(None, description="when it last opened something, to five minutes")


class NewKey(ApiKey):
    """A key that was just made, with its secret; it cannot be shown again."""

    token: str = Field(repr=False, description="what a client sends: `Authorization: Bearer <token>`")


class ApiKeys:
    """Makes, lists, rotates, revokes and checks keys.

    Args:
        file: where they are kept: `key_file(settings)`.
        now, ids, secret: clock, ids and secrets; passed in by tests.
    """

    def __init__(
        self,
        file: KeyFile,
        *,
        now: Callable[[], datetime] = utc_now,
        ids: Callable[[], str] = new_id,
        secret: Callable[[], str] = lambda: secrets.token_urlsafe(_SECRET_BYTES),
    ) -> None:
        self._file = file
        self._now = now
        self._ids = ids
        self._secret = secret

    async def create(
        self,
        name: str,
        readable: Sequence[str] | None,
        writable: Sequence[str] | None,
        *,
        default: Sequence[str] | None = None,
        person: bool = False,
        lasts: timedelta | None = LASTS,
    ) -> NewKey:
        """A new key; what it may write it may read too. None stands for every scope, and for a key without an end.

        `default` are the scopes that it reads where a request names none; `person`: it is not an agent's.

        Raises:
            BadInputError: no name, no scope at all, or a malformed one.
            ConflictError: there are too many keys.
        """
        reads, writes = _checked(name, readable, writable)
        caller = Caller(reads, writes)
        for scope in default or ():
            if not caller.may_read(parse_scope(scope, field="default").text):
                raise BadInputError(f"the key may not read {scope}", remedy="name it with --read", field="default")
        now, secret = self._now(), self._secret()
        key = StoredKey(
            id=self._ids(),
            name=name.strip(),
            secret_hash=hashed(secret),
            readable=reads,
            writable=writes,
            default=tuple(dict.fromkeys(default)) if default else None,
            person=person,
            created_at=now,
            expires_at=None if lasts is None else now + lasts,
        )

        def add(keys: dict[str, StoredKey]) -> StoredKey:
            if len(keys) >= MAX_KEYS:
                raise ConflictError(f"there are {MAX_KEYS} API keys already")
            return keys.setdefault(key.id, key)

        return _new(await self._change(add), secret)

    async def list(self) -> tuple[ApiKey, ...]:
        """All keys, newest first, the revoked ones too."""
        keys = await asyncio.to_thread(self._file.read)
        return tuple(_shown(key) for key in sorted(keys.values(), key=lambda key: key.id, reverse=True))

    async def revoke(self, key_id: str) -> ApiKey:
        """The key, which opens nothing from now on.

        Raises:
            NotFoundError: no key has this id.
        """
        now = self._now()
        return _shown(await self._change(lambda keys: _replaced(keys, key_id, lambda old: old.revoked_at or now)))

    async def rotate(self, key_id: str, *, overlap: timedelta = timedelta(0)) -> NewKey:
        """The key with a new secret; the old one opens nothing any more, or until `overlap` has passed.

        A key that ends by itself lasts as long again as it did.

        Raises:
            NotFoundError: no key has this id.
            ConflictError: it was revoked.
        """
        secret, now = self._secret(), self._now()

        def turn(keys: dict[str, StoredKey]) -> StoredKey:
            old = _of(keys, key_id)
            if old.revoked_at is not None:
                raise ConflictError("this key was revoked", remedy="make a new one: `clause keys create`")
            lasts = None if old.expires_at is None else old.expires_at - old.created_at
            keys[key_id] = old.model_copy(
                update={
                    "secret_hash": hashed(secret),
                    "created_at": now,
                    "expires_at": None if lasts is None else now + lasts,
                    "previous_hash": old.secret_hash if overlap else None,
                    "previous_until": now + overlap if overlap else None,
                }
            )
            return keys[key_id]

        return _new(await self._change(turn), secret)

    async def caller(self, token: str) -> Caller:
        """The caller who presents `token`, with the scopes of the key.

        The hashes are compared in constant time, and an unknown id costs the same comparisons.

        Raises:
            UnauthorizedError: it is no key of ours that is in force.
        """
        match = _TOKEN.fullmatch(token)
        if match is None:
            raise refusal()
        now, key = self._now(), self._file.read().get(match["id"])
        given = hashed(match["secret"])
        before = key.previous_hash if key and key.previous_until and now < key.previous_until else None
        same = hmac.compare_digest(given, key.secret_hash if key else _NOBODY)
        same |= hmac.compare_digest(given, before or _NOBODY)
        if key is None or not same or not _in_force(key, now):
            raise refusal()
        if key.last_used_at is None or now - key.last_used_at > _USED_AGAIN:
            await self._used(key.id, now)
        return Caller(
            readable=key.readable, writable=key.writable, key_id=key.id, default=key.default, person=key.person
        )

    async def any_in_force(self) -> bool:
        """True when at least one key opens something."""
        keys, now = await asyncio.to_thread(self._file.read), self._now()
        return any(_in_force(key, now) for key in keys.values())

    async def adopt(self, graph: Graph) -> int:
        """Take over the keys that an older version kept in the graph; how many. There they are removed.

        Only where there is no file yet: what somebody plants in the graph afterwards never becomes a key.
        """
        adopted = 0
        if not self._file.exists():
            rows = await graph.run("operations/keys_of_before", scope=PUBLIC, limit=MAX_KEYS)

            def take(keys: dict[str, StoredKey]) -> int:
                found = {str(row["id"]): _adopted(row) for row in rows}
                keys.update({name: key for name, key in found.items() if name not in keys})
                return len(found)

            adopted = await self._change(take)
        await graph.run("operations/remove_keys", scope=PUBLIC)
        return adopted

    async def _used(self, key_id: str, now: datetime) -> None:
        def note(keys: dict[str, StoredKey]) -> None:
            if key_id in keys:
                keys[key_id] = keys[key_id].model_copy(update={"last_used_at": now})

        try:
            await self._change(note)
        except SettingsError as error:
            logger(__name__).warning("the use of a key is not noted", reason=str(error))

    async def _change(self, work: Callable[[dict[str, StoredKey]], Result]) -> Result:
        def change() -> Result:
            with self._file.changing() as keys:
                return work(keys)

        return await asyncio.to_thread(change)


def key_file(settings: Settings) -> KeyFile:
    """The file of this home's keys."""
    return KeyFile(settings.home.absolute() / NAME)


async def opened_keys(settings: Settings) -> ApiKeys:
    """This home's keys; those that an older version kept in the graph are taken over first."""
    file = key_file(settings)
    keys = ApiKeys(file)
    if not file.exists():
        async with database.open_graph(settings) as graph:
            await keys.adopt(graph)
    return keys


def hashed(secret: str) -> str:
    """SHA-256 of a secret, in hex: what the file keeps."""
    return hashlib.sha256(secret.encode()).hexdigest()


def presented(headers: Mapping[str, str]) -> str | None:
    """The key that a request brings, as `Authorization: Bearer` or `X-API-Key` (names in lower case).

    Another way of signing in, or two keys at once, is a key that opens nothing; None only where there is no attempt.

    >>> presented({"authorization": "Bearer clause_x"}), presented({"authorization": "Basic eDp5"}), presented({})
    ('clause_x', '', None)
    """
    authorization, own = headers.get("authorization"), headers.get("x-api-key")
    if authorization is None:
        return own
    kind, _, token = authorization.partition(" ")
    return token.strip() if kind.lower() == "bearer" and own in (None, token.strip()) else ""


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


def _in_force(key: StoredKey, now: datetime) -> bool:
    return key.revoked_at is None and (key.expires_at is None or now < key.expires_at)


def _of(keys: Mapping[str, StoredKey], key_id: str) -> StoredKey:
    if key_id not in keys:
        raise NotFoundError(f"no API key has the id {key_id[:40]!r}", remedy="see `clause keys list`")
    return keys[key_id]


def _replaced(keys: dict[str, StoredKey], key_id: str, until: Callable[[StoredKey], datetime]) -> StoredKey:
    old = _of(keys, key_id)
    keys[key_id] = old.model_copy(update={"revoked_at": until(old), "previous_hash": None, "previous_until": None})
    return keys[key_id]


def _adopted(row: Mapping[str, Any]) -> StoredKey:
    return StoredKey(
        id=row["id"],
        name=row["name"],
        secret_hash=row["secret_hash"],
        readable=None if row["reads_all"] else tuple(row["readable"]),
        writable=None if row["writes_all"] else tuple(row["writable"]),
        created_at=row["created_at"],
        revoked_at=row["revoked_at"],
    )


def _shown(key: StoredKey) -> ApiKey:
    return ApiKey(**{name: getattr(key, name) for name in ApiKey.model_fields})


def _new(key: StoredKey, secret: str) -> NewKey:
    return NewKey(**_shown(key).model_dump(), token=f"clause_{key.id}_{secret}")


def is_loopback(host: str) -> bool:
    """True when only this machine reaches `host`.

    >>> is_loopback("127.0.0.1"), is_loopback("[::1]"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


async def keys_guard(settings: Settings, host: str) -> bool:
    """True when `host` is beyond the loopback and API keys are in force; False on the loopback, where none is needed.

    Raises:
        SettingsError: `host` is beyond the loopback, and there is no key.
    """
    if is_loopback(host):
        return False
    if not await (await opened_keys(settings)).any_in_force():
        raise unguarded(host)
    return True


def unguarded(host: str) -> SettingsError:
    """The refusal to listen beyond the loopback without keys."""
    return SettingsError(
        f"{host} is not the loopback, and there are no API keys",
        remedy="make one with `clause keys create`, or use 127.0.0.1",
        field="host",
        bound="127.0.0.1, ::1 or localhost while there are no keys",
    )
