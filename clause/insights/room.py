"""The open services of this room, and the long work that it brings."""

from __future__ import annotations

from dataclasses import dataclass

from clause.ground import Ground
from clause.insights.insight_store import InsightStore
from clause.insights.profiles import ProfileBook
from clause.insights.retriever import InsightRetriever
from clause.insights.search import InsightSearch
from clause.insights.settlement import Settlement
from clause.insights.topic_book import TopicBook
from clause.jobs.turn import JobKind
from clause.knowledge.room import Knowledge


@dataclass(frozen=True)
class Insights:
    """What the doors may ask of this room.

    Attributes:
        ground, knowledge: what it stands on.
        insights: stores and marks insights.
        retriever: chooses insights by topic and profile, or by category.
        finder: searches in them.
        settlement: conflicts and proposals for a synthesis.
        topics: what insights are about, and its salience.
    """

    ground: Ground
    knowledge: Knowledge
    insights: InsightStore
    retriever: InsightRetriever
    finder: InsightSearch
    settlement: Settlement
    topics: TopicBook

    @classmethod
    def open(cls, ground: Ground, knowledge: Knowledge) -> Insights:
        """Join the services; nothing is read or started yet.

        Raises:
            SettingsError: the setting `insight_profiles` is malformed.
        """
        topics, settlement = TopicBook(ground), Settlement(ground)
        return cls(
            ground=ground,
            knowledge=knowledge,
            insights=InsightStore(ground, topics, settlement),
            retriever=InsightRetriever(ground, ProfileBook(ground.settings.insight_profiles)),
            finder=InsightSearch(ground),
            settlement=settlement,
            topics=topics,
        )

    def job_kinds(self) -> dict[str, JobKind]:
        """Long work by kind: none yet."""
        return {}
