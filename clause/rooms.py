"""The rooms that keep what an agent learns, opened on one ground."""

from __future__ import annotations

from collections import ChainMap
from dataclasses import dataclass
from datetime import timedelta

from clause.ground import Ground
from clause.insights.room import Insights
from clause.intelligence.room import Intelligence
from clause.jobs.schedule import Periodic
from clause.jobs.turn import JobKind
from clause.knowledge.room import Knowledge
from clause.memory.room import Memory
from clause.sessions.room import Sessions
from clause.values.room import Values


@dataclass(frozen=True)
class Rooms:
    """Each room's open services."""

    knowledge: Knowledge
    sessions: Sessions
    memory: Memory
    values: Values
    insights: Insights
    intelligence: Intelligence

    @classmethod
    def open(cls, ground: Ground) -> Rooms:
        """Open every room; nothing is read or started yet."""
        knowledge = Knowledge.open(ground)
        return cls(
            knowledge=knowledge,
            sessions=Sessions.open(ground, knowledge),
            memory=Memory.open(ground),
            values=Values.open(ground, knowledge),
            insights=Insights.open(ground, knowledge),
            intelligence=Intelligence.open(ground, knowledge),
        )

    def close(self) -> None:
        """End what the rooms have started; called once nothing is asked of them any more."""
        self.values.close()

    def job_kinds(self) -> dict[str, JobKind]:
        """The long work of all rooms, by kind."""
        rooms = (self.knowledge, self.sessions, self.memory, self.values, self.insights, self.intelligence)
        return dict(ChainMap(*(room.job_kinds() for room in rooms)))

    def periodic(self) -> dict[str, Periodic]:
        """The jobs that a running service queues by itself, by kind."""
        day = timedelta(days=1)
        own = {
            "forget_keys": Periodic(day, "graph/scope_of_keys"),
            "embed": Periodic(day, "knowledge/scopes_of_bare_evidence"),
        }
        return {**own, **self.knowledge.periodic(), **self.sessions.periodic()}
