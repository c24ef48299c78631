"""The open services of this room, and the long work that it brings."""

from __future__ import annotations

from dataclasses import dataclass

from clause.graph.lease import JobKind
from clause.ground import Ground
from clause.insights.conflict_resolution import ConflictResolver
from clause.insights.insight_store import InsightStore
from clause.insights.models import ProfileBook
from clause.insights.retriever import InsightRetriever, InsightSearch
from clause.insights.topic_book import TopicBook


@dataclass(frozen=True)
class Insights:
    """The services of this room that the doors may ask.

    Attributes:
        ground: what it stands on.
        insights: stores and marks insights.
        retriever: chooses insights by topic and profile, or by category.
        finder: searches in them.
        settlement: conflicts and proposals for a synthesis.
        topics: what insights are about, and its salience.
    """

    ground: Ground
    insights: InsightStore
    retriever: InsightRetriever
    finder: InsightSearch
    settlement: ConflictResolver
    topics: TopicBook

    @classmethod
    def open(cls, ground: Ground) -> Insights:
        """Join the services; nothing is read or started yet.

        Raises:
            SettingsError: the setting `insight_profiles` is malformed.
        """
        topics, settlement = TopicBook(ground), ConflictResolver(ground)
        return cls(
            ground=ground,
            insights=InsightStore(ground, topics, settlement),
            retriever=InsightRetriever(ground, ProfileBook(ground.settings.insight_profiles)),
            finder=InsightSearch(ground),
            settlement=settlement,
            topics=topics,
        )

    def job_kinds(self) -> dict[str, JobKind]:
        """Long work by kind: none yet."""
        return {}
