"""The open services of this room, and the long work that it brings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from clause.ground import Ground
from clause.jobs.schedule import Periodic
from clause.jobs.turn import JobKind
from clause.knowledge.authority import AuthorityService
from clause.knowledge.beliefs import BeliefService
from clause.knowledge.entities import EntityService
from clause.knowledge.erasure import ErasureService
from clause.knowledge.merging import MergeService
from clause.knowledge.resolution import Resolver
from clause.knowledge.retraction import RetractionService
from clause.knowledge.sources import SourceService
from clause.knowledge.tensions import TensionService
from clause.knowledge.trust import TrustService
from clause.knowledge.upkeep import Upkeep


@dataclass(frozen=True)
class Knowledge:
    """What the doors may ask of this room."""

    ground: Ground
    beliefs: BeliefService
    tensions: TensionService
    entities: EntityService
    sources: SourceService
    trust: TrustService
    retraction: RetractionService
    merging: MergeService
    authority: AuthorityService
    erasure: ErasureService

    @classmethod
    def open(cls, ground: Ground) -> Knowledge:
        """Join the services; nothing is read or started yet."""
        entities, sources = EntityService(ground), SourceService(ground)
        return cls(
            ground=ground,
            beliefs=BeliefService(ground),
            tensions=TensionService(ground),
            entities=entities,
            sources=sources,
            trust=TrustService(ground, entities, sources),
            retraction=RetractionService(ground),
            merging=MergeService(ground, "Belief"),
            authority=AuthorityService(ground),
            erasure=ErasureService(ground),
        )

    def job_kinds(self) -> dict[str, JobKind]:
        """Long work by kind."""
        upkeep = Upkeep(self.ground, self.merging)
        return {
            "resolve_entities": Resolver(self.ground).run,
            "rate_sources": self.sources.rate,
            "freshen_beliefs": upkeep.freshen,
            "scan_tensions": upkeep.scan,
            "join_twins": upkeep.join,
        }

    def periodic(self) -> dict[str, Periodic]:
        """What a running service does by itself: new beliefs are scanned hourly, the rest follows more slowly.

        Freshness is derived anew at each reading; the weekly job keeps what is stored, and sorted by, near to it.
        """
        hour, day, week = timedelta(hours=1), timedelta(days=1), timedelta(weeks=1)
        return {
            "scan_tensions": Periodic(hour, "knowledge/scopes_unseen"),
            "join_twins": Periodic(hour, "knowledge/scopes_unseen"),
            "rate_sources": Periodic(day, "knowledge/scopes_of_sources"),
            "resolve_entities": Periodic(week, "knowledge/scopes_of_beliefs"),
            "freshen_beliefs": Periodic(week, "knowledge/scopes_of_beliefs"),
        }
