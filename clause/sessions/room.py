"""The open services of this room, and the long work that it brings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from clause.errors import ConflictError, NotFoundError
from clause.graph.lease import JobKind
from clause.graph.scheduler import Periodic
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.knowledge.beliefs.models import BeliefCreate, EntityGiven
from clause.knowledge.room import Knowledge
from clause.sessions.models import Captured, InsightExtract, SessionInsight
from clause.sessions.patterns import Patterns
from clause.sessions.sessions import Exchanges, SessionService
from clause.sessions.summary import Summarizer


class SessionInsights:
    """The service of insights of sessions, as the doors ask it (not the Insights of the insights room)."""

    def __init__(self, ground: Ground, knowledge: Knowledge, sessions: SessionService) -> None:
        self._ground = ground
        self._knowledge = knowledge
        self._sessions = sessions

    async def extract(self, session_id: str, given: InsightExtract, *, caller: Caller) -> Captured:
        """Hold what was learned as a belief (or as one more statement of one), and tie it to the session.

        Raises:
            NotFoundError: there is no such session for this caller.
            ConflictError: the belief was taken away while it was being linked.
        """
        session = await self._sessions.get(session_id, caller=caller)
        caller.require_write(session.scope)
        made = await self._knowledge.beliefs.create(
            BeliefCreate(
                content=given.content,
                scope=session.scope,
                domain_path=given.domain_path,
                entities=tuple(EntityGiven(name=name) for name in given.entities),
                session_id=session.id,
                source_id=session.source_id,
                extraction_method=f"insight_{given.method}",
                signal="project_fact",
            ),
            caller=caller,
        )
        if made.belief is None:
            return Captured(kind="insight", outcome=made.outcome, belief_id=None, reason=made.reason)
        row = await self._ground.graph.one(
            "sessions/link_insight",
            belief_id=made.belief.id,
            session_id=session.id,
            scope=session.scope,
            method=given.method,
            recorded_at=self._ground.now(),
        )
        if row is None:
            raise ConflictError("the belief or the session went away meanwhile")
        return Captured(kind="insight", outcome=made.outcome, belief_id=made.belief.id, reason=made.reason)

    async def list(
        self, *, caller: Caller, session_id: str | None = None, after: str | None = None, limit: int = 20
    ) -> Sequence[SessionInsight]:
        """Insights newest first, of one session or of all that the caller may read, `after` the key of one.

        Raises:
            NotFoundError: there is no such session for this caller.
        """
        scopes = await self._ground.readable(caller, None)
        if session_id is not None:
            row = await self._ground.graph.one("sessions/session", id=session_id, scopes=list(scopes))
            if row is None:
                raise NotFoundError(f"no session {session_id[:80]!r}", field="session_id")
        belief, _, session = after.partition("/") if after else (None, "", "")
        rows = await self._ground.graph.run(
            "sessions/insights",
            scopes=list(scopes),
            session_id=session_id,
            after=belief,
            after_session=session,
            limit=limit,
        )
        return [SessionInsight.model_validate(row) for row in rows]


@dataclass(frozen=True)
class Sessions:
    """The services of this room that the doors may ask."""

    ground: Ground
    knowledge: Knowledge
    sessions: SessionService
    exchanges: Exchanges
    patterns: Patterns
    insights: SessionInsights

    @classmethod
    def open(cls, ground: Ground, knowledge: Knowledge) -> Sessions:
        """Join the services; nothing is read or started yet."""
        exchanges, patterns = Exchanges(ground), Patterns(ground)
        sessions = SessionService(ground, knowledge, exchanges, patterns, Summarizer(ground))
        insights = SessionInsights(ground, knowledge, sessions)
        return cls(ground, knowledge, sessions, exchanges, patterns, insights)

    def job_kinds(self) -> dict[str, JobKind]:
        """Long work by kind."""
        return {"fade_patterns": self.patterns.fade}

    def periodic(self) -> dict[str, Periodic]:
        """The periodic work of a running service: patterns fade."""
        return {"fade_patterns": Periodic(timedelta(days=1), "sessions/scopes_of_patterns")}
