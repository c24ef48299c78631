"""Idempotency keys: the same request sent twice is done once and answered twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from ulid import ULID

from clause.errors import ConflictError
from clause.graph.runner import Graph

KEPT = timedelta(hours=24)
"""How long a response is kept for the same key."""

_IN_WORK = timedelta(minutes=2)  # after this, a claim without a response belonged to a process that died


@dataclass(frozen=True)
class StoredResponse:
    """What the first request was answered: HTTP status and JSON body."""

    status: int
    body: Any


@dataclass(frozen=True)
class Claim:
    """The right to do the work of one key, once."""

    scope: str
    key: str
    token: str


def request_hash(method: str, path: str, body: bytes) -> str:
    """sha256 over what makes two requests the same, in hex."""
    return hashlib.sha256(b"\0".join([method.encode(), path.encode(), body])).hexdigest()


class IdempotencyKeys:
    """Keys of the callers, each within its scope.

    Use: `found = await keys.claim(...)`; a StoredResponse is the answer; a Claim is kept with `keep` after the work,
    or given back with `release` when it failed.
    """

    def __init__(
        self,
        graph: Graph,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        token: Callable[[], str] = lambda: str(ULID()),
    ) -> None:
        self._graph = graph
        self._now = now
        self._token = token

    async def claim(self, scope: str, key: str, request: str) -> StoredResponse | Claim:
        """The stored response of this key, or the right to make it. `request` is a `request_hash`.

        Raises:
            ConflictError: the key came with another request before, or its first request is still being answered.
        """
        now, token = self._now(), self._token()
        row: Mapping[str, Any] | None = await self._graph.one(
            "graph/claim_key",
            id=_id(scope, key),
            scope=scope,
            key=key,
            claim=token,
            request_hash=request,
            now=now,
            claimed_until=now + _IN_WORK,
            expires_at=now + KEPT,
        )
        if row is None or row["claim"] == token:
            return Claim(scope, key, token)
        if row["request_hash"] != request:
            raise ConflictError(
                "this Idempotency-Key came with another request", remedy="use a new key", field="Idempotency-Key"
            )
        if row["status"] is None:
            raise ConflictError(
                "the first request with this key is still being answered",
                remedy="send it again later",
                field="Idempotency-Key",
            )
        return StoredResponse(row["status"], json.loads(row["response"]))

    async def keep(self, claim: Claim, status: int, body: Any) -> None:
        """Store the response: from now on it is the answer to this key."""
        await self._graph.run(
            "graph/keep_response",
            id=_id(claim.scope, claim.key),
            scope=claim.scope,
            claim=claim.token,
            status=status,
            response=json.dumps(body),
        )

    async def release(self, claim: Claim) -> None:
        """Give the claim back: the request failed and may be sent again."""
        await self._graph.run("graph/release_key", id=_id(claim.scope, claim.key), scope=claim.scope, claim=claim.token)

    async def forget_expired(self, limit: int = 10_000) -> int:
        """Remove up to `limit` keys that have expired; returns how many."""
        row = await self._graph.one("graph/forget_keys", now=self._now(), limit=limit)
        return int(row["forgotten"]) if row else 0


def _id(scope: str, key: str) -> str:
    return hashlib.sha256(f"{scope}\n{key}".encode()).hexdigest()
