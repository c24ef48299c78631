"""Sessions and their exchanges: started, taken up again, numbered without gaps, ended with a summary."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from clause.errors import BadInputError, ConflictError, NotFoundError, PreconditionError
from clause.graph.scopes import Caller, parse_scope
from clause.ground import Ground
from clause.knowledge.beliefs.models import BeliefCreate, SourceGiven
from clause.knowledge.room import Knowledge
from clause.sessions.models import (
    Captured,
    Exchange,
    ExchangeAdd,
    RelevantBelief,
    Session,
    SessionEnd,
    SessionEnded,
    SessionStart,
    SessionStarted,
    SessionStatus,
    SummaryMethod,
)
from clause.sessions.patterns import Patterns
from clause.sessions.summary import Summarizer
from clause.text.names import hashed

RECENT = 400
"""Exchanges that a summary is made of: the last ones."""


class Exchanges:
    """The service of exchanges, as the doors ask it."""

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


BELIEFS = 5
PATTERNS = 5
SHOWN = 100
"""Characters of a belief at the start of a session."""

SHORTEST_SUMMARY = 20
SHORTEST_THEME = 10
_POOL = 200


class SessionService:
    """The service of sessions, as the doors ask it.

    Args:
        ground: the open parts below.
        knowledge: takes summaries and themes as beliefs.
        exchanges, patterns, summarizer: of this room.
    """

    def __init__(
        self, ground: Ground, knowledge: Knowledge, exchanges: Exchanges, patterns: Patterns, summarizer: Summarizer
    ) -> None:
        self._ground = ground
        self._knowledge = knowledge
        self._exchanges = exchanges
        self._patterns = patterns
        self._summarizer = summarizer

    async def start(self, given: SessionStart, *, caller: Caller) -> SessionStarted:
        """Begin a session, or go on with the one that has the client's own id; with what is worth knowing now.

        Raises:
            ForbiddenError: the scope is not the caller's.
        """
        ground = self._ground
        scope, at, session_id = ground.writable(caller, given.scope), ground.now(), ground.ids()
        source = conversation_source(scope, session_id, given.project_context or given.platform)
        session = {
            "id": session_id,
            "scope": scope,
            "platform": given.platform,
            "name": given.project_context or given.platform,
            "project_context": given.project_context,
            "room_id": given.room_id,
            "client_session_id": given.client_session_id,
            "status": "active",
            "themes": [],
            "source_id": source["id"],
            "exchange_count": 0,
            "metadata": json.dumps(given.metadata, ensure_ascii=False, sort_keys=True),
            "recorded_at": at,
            "version": 1,
        }
        known_as = given.client_session_id and hashed("ses_", scope, given.platform, given.client_session_id)
        row = await ground.graph.one(
            "sessions/start",
            key=known_as or session_id,
            session=session,
            source={**source, "recorded_at": at},
            scope=scope,
            recorded_at=at,
        )
        assert row is not None  # noqa: S101 -- the key holds the scope
        found = await self._relevant(given.project_context, scope, caller)
        self._knowledge.beliefs.told(((one["scope"], one["id"]) for one in found), row["session"]["id"], caller=caller)
        beliefs = tuple(
            RelevantBelief(id=one["id"], content=one["content"][:SHOWN], confidence=one["confidence"]) for one in found
        )
        patterns = await self._patterns.strongest(_seen(scope, caller), limit=PATTERNS)
        return SessionStarted(
            session=session_of(row["session"]), resumed=not row["created"], beliefs=beliefs, patterns=patterns
        )

    async def get(self, session_id: str, *, caller: Caller) -> Session:
        """The session of this id.

        Raises:
            NotFoundError: there is none that this caller may see.
        """
        scopes = await self._ground.readable(caller, None)
        row = await self._ground.graph.one("sessions/session", id=session_id, scopes=list(scopes))
        if row is None:
            raise NotFoundError(f"no session {session_id[:80]!r}", field="session_id")
        return session_of(row["session"])

    async def list(
        self,
        *,
        caller: Caller,
        status: SessionStatus | None = None,
        platform: str | None = None,
        project_context: str | None = None,
        room_id: str | None = None,
        scopes: Sequence[str] | None = None,
        after: str | None = None,
        limit: int = 20,
    ) -> Sequence[Session]:
        """Sessions newest first; what is None narrows nothing. `after`: the last id of the page before."""
        rows = await self._ground.graph.run(
            "sessions/sessions",
            scopes=list(await self._ground.readable(caller, scopes)),
            status=status,
            platform=platform,
            project=project_context,
            room=room_id,
            after=after,
            limit=limit,
        )
        return [session_of(row["session"]) for row in rows]

    async def find_by_room(self, room_id: str, *, caller: Caller) -> Session:
        """The newest active session of a chat room.

        Raises:
            NotFoundError: the room has none that this caller may see.
        """
        found = await self.list(caller=caller, room_id=room_id, status="active", limit=1)
        if not found:
            raise NotFoundError("no active session in that room", field="room_id")
        return found[0]

    async def end(
        self, session_id: str, given: SessionEnd, *, caller: Caller, versions: tuple[int, ...] | None = None
    ) -> SessionEnded:
        """Close a session; its summary and themes become beliefs where they say enough and are to be believed.

        Without a summary that of an earlier end stays, or one is taken from the stored exchanges, where there are any.

        Raises:
            NotFoundError: there is no such session for this caller.
            ConflictError: it is closed already, or `versions` (If-Match) names another one.
        """
        session = await self.get(session_id, caller=caller)
        caller.require_write(session.scope)
        if session.status != "active":
            raise ConflictError(f"the session is {session.status} already")
        summary, method = await self._summary(given, session, caller)
        ending = {
            "id": session.id,
            "scope": session.scope,
            "status": given.status,
            "summary": summary,
            "themes": list(session.themes if given.summary is None and not given.themes else given.themes),
            "method": method,
            "versions": list(versions) if versions else None,
            "ended_at": self._ground.now(),
        }
        (rows,) = await self._ground.graph.write([("sessions/end", ending)], idempotent=False)
        if not rows:
            raise await self._refused(session_id, caller, versions)
        said = [("summary", summary)] if summary and (given.summary is not None or method == "extracted") else []
        said += [("theme", theme) for theme in given.themes]
        captured = [await self._captured(text, kind, session, caller) for kind, text in said if given.believe]
        return SessionEnded(session=session_of(rows[0]["session"]), captured=tuple(captured))

    async def _refused(self, session_id: str, caller: Caller, versions: tuple[int, ...] | None) -> ConflictError:
        now = await self.get(session_id, caller=caller)
        if versions is not None and now.version not in versions:
            return PreconditionError(f"the version is now {now.version}", field="If-Match")
        return ConflictError(f"the session is {now.status} already")

    async def _summary(self, given: SessionEnd, session: Session, caller: Caller) -> tuple[str | None, SummaryMethod]:
        if given.summary is not None:
            return given.summary, "given"
        if session.summary_method == "given":  # taken up again, and nothing said against it
            return session.summary, "given"
        said = await self._exchanges.recent(session, caller=caller)
        summary = await self._summarizer.summary([one.content for one in said if one.role in {"user", "assistant"}])
        return (summary, "extracted") if summary else (None, "none")

    async def _captured(self, text: str, kind: str, session: Session, caller: Caller) -> Captured:
        shortest = SHORTEST_SUMMARY if kind == "summary" else SHORTEST_THEME
        if len(text.strip()) < shortest:
            return Captured(kind=kind, outcome="skipped", belief_id=None, reason=f"shorter than {shortest} characters")
        given = BeliefCreate(
            content=text,
            scope=session.scope,
            signal="session_summary" if kind == "summary" else "theme",
            session_id=session.id,
            source_id=session.source_id,
            extraction_method=f"session_{kind}",
            automatic=True,
            domain_path=(session.project_context[:100],) if session.project_context else (),
        )
        try:
            made = await self._knowledge.beliefs.create(given, caller=caller)
        except BadInputError as error:
            return Captured(kind=kind, outcome="skipped", belief_id=None, reason=error.message)
        belief_id = made.belief.id if made.belief else None
        return Captured(kind=kind, outcome=made.outcome, belief_id=belief_id, reason=made.reason)

    async def _relevant(self, project: str | None, scope: str, caller: Caller) -> Sequence[Mapping[str, Any]]:
        ground = self._ground
        return await ground.graph.run(
            "sessions/relevant_beliefs",
            project=project,
            embedding=await ground.embedder.embed_query(project or scope),
            scopes=list(_seen(scope, caller)),
            now=ground.now(),
            pool=_POOL,
            limit=BELIEFS,
        )


def conversation_source(scope: str, session_id: str, title: str) -> dict[str, Any]:
    """The Source node of a session's conversation; what is said in the session without another source comes from it."""
    return {
        "id": hashed("src_", scope, "conversation", session_id),
        "scope": scope,
        "kind": SourceGiven(kind="conversation").kind,
        "title": title,
        "name": title,
        "session_id": session_id,
        "version": 1,
    }


def session_of(properties: Mapping[str, Any]) -> Session:
    """A session from a node's properties."""
    known = {name: properties.get(name) for name in Session.model_fields}
    times = {"started_at": properties["recorded_at"], "metadata": json.loads(properties["metadata"])}
    return Session.model_validate({**known, **times})


def _seen(scope: str, caller: Caller) -> Sequence[str]:
    return [other for other in parse_scope(scope).sees if caller.may_read(other)]
