"""The open services of this room, and the long work that it brings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from clause.ground import Ground
from clause.jobs.schedule import Periodic
from clause.jobs.turn import JobKind
from clause.knowledge.room import Knowledge
from clause.sessions.exchanges import Exchanges
from clause.sessions.insights import SessionInsights
from clause.sessions.patterns import Patterns
from clause.sessions.sessions import SessionService
from clause.sessions.summary import Summarizer


@dataclass(frozen=True)
class Sessions:
    """What the doors may ask of this room."""

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
        """What a running service does by itself: patterns fade."""
        return {"fade_patterns": Periodic(timedelta(days=1), "sessions/scopes_of_patterns")}
