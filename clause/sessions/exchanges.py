"""Exchanges: the turns of a session, numbered without gaps."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from clause.errors import ConflictError, NotFoundError
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.sessions.models import Exchange, ExchangeAdd, Session

RECENT = 400
"""Exchanges that a summary is made of: the last ones."""


class Exchanges:
    """What the doors may ask about exchanges."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    async def add(self, session_id: str, given: ExchangeAdd, *, caller: Caller) -> Exchange:
        """Store the next turn of an active session.

        Raises:
            NotFoundError: there is no such session for this caller.
            ForbiddenError: it may be read, not written.
            ConflictError: the session has been closed.
        """
        ground = self._ground
        scope = await self._scope(session_id, caller)
        caller.require_write(scope)
        properties = {
            "role": given.role,
            "content": given.content,
            "tokens": given.tokens,
            "tool_uses": json.dumps(given.tool_uses, ensure_ascii=False),
            "recorded_at": ground.now(),
        }
        row = await ground.graph.one(
            "sessions/add_exchange", id=ground.ids(), session_id=session_id, scope=scope, exchange=properties
        )
        if row is None:
            raise ConflictError("the session is closed", remedy="start it again, then add to it")
        return _exchange(row["exchange"])

    async def list(self, session_id: str, *, caller: Caller, after: int = 0, limit: int = 50) -> Sequence[Exchange]:
        """Turns in order; `after` is the last sequence number of the page before.

        Raises:
            NotFoundError: there is no such session for this caller.
        """
        scope = await self._scope(session_id, caller)
        rows = await self._ground.graph.run(
            "sessions/exchanges", session_id=session_id, scopes=[scope], after=after, limit=limit
        )
        return [_exchange(row["exchange"]) for row in rows]

    async def recent(self, session: Session, *, caller: Caller) -> Sequence[Exchange]:
        """The last turns of a session, in order."""
        after = max(0, session.exchange_count - RECENT)
        return await self.list(session.id, caller=caller, after=after, limit=RECENT)

    async def _scope(self, session_id: str, caller: Caller) -> str:
        scopes = await self._ground.readable(caller, None)
        row = await self._ground.graph.one("sessions/session", id=session_id, scopes=list(scopes))
        if row is None:
            raise NotFoundError(f"no session {session_id[:80]!r}", field="session_id")
        return str(row["session"]["scope"])


def _exchange(properties: Mapping[str, Any]) -> Exchange:
    known = {name: properties.get(name) for name in Exchange.model_fields}
    return Exchange.model_validate({**known, "tool_uses": json.loads(properties["tool_uses"])})
