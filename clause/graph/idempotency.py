"""Work that is done once for its key: the key and the answer are written in the transaction of the work itself.

So there is no moment in which one is there without the other. Who dies in the middle leaves neither, and the key is
free at once; who sends the same request while the first one is at work waits for it, and gets its answer.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from clause.errors import BadInputError, ClauseError, ConflictError
from clause.graph.runner import Graph, apart
from clause.graph.scopes import Caller
from clause.graph.wire import Rows

KEPT = timedelta(hours=24)
"""The time for which an answer is kept for the same key."""

_OPEN_S = 300.0
_KEY = re.compile(r"[\x21-\x7e]{1,255}")


@dataclass(frozen=True)
class StoredResponse:
    """The answer to a request: HTTP status and JSON body; `replayed` where an earlier one got it."""

    status: int
    body: Any
    replayed: bool = False


@dataclass(frozen=True)
class RequestKey:
    """A key as it is kept: whose scope, the caller's own word, and a hash of the request that it stands for."""

    scope: str
    key: str
    request: str

    @classmethod
    def of(cls, caller: Caller, key: str, *parts: bytes, default_scope: str, field: str) -> RequestKey:
        """The key of a caller's request: the same word sent with another API key is another one.

        Args:
            caller: who asks.
            key: the caller's word.
            parts: what makes two requests the same.
            default_scope: of writes that name none.
            field: what the key is called where it is refused.

        Raises:
            BadInputError: not 1 to 255 visible ASCII characters.
        """
        if not _KEY.fullmatch(key):
            raise BadInputError("not an idempotency key", field=field, bound="1 to 255 visible ASCII characters")
        own = key if caller.key_id is None else f"{caller.key_id}:{key}"
        return cls(caller.home(default_scope), own, request_hash(*parts))

    @property
    def id(self) -> str:
        """The id of the key's node."""
        return hashlib.sha256(f"{self.scope}\n{self.key}".encode()).hexdigest()


class _AnsweredError(Exception):
    """The work was done before: `row` is what was kept."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        super().__init__("answered")
        self.row = row


def request_hash(*parts: bytes) -> str:
    """sha256 over what makes two requests the same, in hex."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


class IdempotencyKeys:
    """Keys of the callers, each within its scope."""

    def __init__(self, graph: Graph, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._graph = graph
        self._now = now

    async def once(
        self, key: RequestKey, work: Callable[[], Awaitable[StoredResponse]], *, whole: bool = True
    ) -> StoredResponse:
        """The answer of `work`, or the one that was kept when it was done.

        Args:
            key: stands for the request.
            work: does it, and may be done again from its beginning where the database asks for that.
            whole: all its writes happen in one transaction, with the key. False for work that is too large for one, and
                changes nothing when it is done again: its key is kept after it.

        Raises:
            ConflictError: the key came with another request before.
        """
        try:
            if not whole:
                await self._look(key)
                done = await work()
                return await self._together(key, lambda: _given(done))
            return await self._together(key, work)
        except _AnsweredError as answered:
            return _of(answered.row, key)

    async def _together(self, key: RequestKey, work: Callable[[], Awaitable[StoredResponse]]) -> StoredResponse:
        async def unless_answered() -> StoredResponse:
            await self._look(key)
            try:
                return await work()
            except ClauseError:
                await self._look(key)  # it may fail because it was done a moment ago
                raise

        return await self._graph.together(
            unless_answered,
            opening=("graph/claim_key", {"id": key.id, "scope": key.scope, "key": key.key, "now": self._now()}),
            on_opening=_refuse_answered,
            last=lambda answer: ("graph/keep_response", self._kept(key, answer)),
            timeout_s=_OPEN_S,
        )

    async def forget_expired(self, limit: int = 10_000) -> int:
        """Remove up to `limit` keys that have expired; returns how many."""
        row = await self._graph.one("graph/forget_keys", now=self._now(), limit=limit)
        return int(row["forgotten"]) if row else 0

    async def _look(self, key: RequestKey) -> None:
        with apart():
            _refuse_answered(await self._graph.run("graph/kept_response", id=key.id, scope=key.scope, now=self._now()))

    def _kept(self, key: RequestKey, answer: StoredResponse) -> Mapping[str, Any]:
        return {
            "id": key.id,
            "scope": key.scope,
            "request_hash": key.request,
            "status": answer.status,
            "response": json.dumps(answer.body),
            "expires_at": self._now() + KEPT,
        }


async def _given(answer: StoredResponse) -> StoredResponse:
    return answer


def _refuse_answered(rows: Rows) -> None:
    for row in rows:
        if row["status"] is not None:
            raise _AnsweredError(row)


def _of(row: Mapping[str, Any], key: RequestKey) -> StoredResponse:
    if row["request_hash"] != key.request:
        raise ConflictError(
            "this idempotency key came with another request", remedy="use a new key", field="Idempotency-Key"
        )
    return StoredResponse(row["status"], json.loads(row["response"]), replayed=True)
