"""Retrieves insights by profile, or by meaning and words. Those in quarantine never come back, whatever is asked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from clause.errors import BadInputError, OutOfBoundsError
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.insights.models import (
    FormattedInsight,
    FoundInsight,
    FoundInsights,
    Insight,
    InsightList,
    ProfileBook,
    RetrievalProfile,
    RetrieveInsights,
    SearchInsights,
)
from clause.insights.nodes import formatted, insight_of, salience_at
from clause.insights.topics import TopicKey, parse_topic
from clause.text.retrieval import escape, reciprocal_rank_fusion, requiring

OWNER = Caller()
"""The owner of everything, as on the loopback."""

MOST = 1000
_MOST_TOPICS = 10_000
_MOST_HIDDEN = 100

Chosen = tuple[Insight, float]
Topics = list[list[Any]]


class InsightRetriever:
    """Reads insights.

    Args:
        ground: graph, clock and settings.
        profiles: those of the code and of the settings.
    """

    def __init__(self, ground: Ground, profiles: ProfileBook) -> None:
        self._ground = ground
        self._graph = ground.graph
        self.profiles = profiles

    async def retrieve(
        self,
        topic_key: str,
        profile: str | RetrievalProfile = "balanced",
        limit: int = 10,
        *,
        scopes: Sequence[str] | None = None,
        caller: Caller = OWNER,
    ) -> list[FormattedInsight]:
        """Insights on a topic: the newest, then the strongest of the others, formatted for a prompt.

        Raises:
            BadInputError: no topic, or no profile of that name.
            OutOfBoundsError: the limit is not within 1..1000.
        """
        return self._shown(await self._chosen(topic_key, profile, limit, scopes, caller))

    async def retrieve_for_global_topic(
        self,
        global_topic: str,
        profile: str | RetrievalProfile = "balanced",
        limit: int = 10,
        *,
        scopes: Sequence[str] | None = None,
        caller: Caller = OWNER,
    ) -> list[FormattedInsight]:
        """Insights on a user or dyad, then those that servers have on the same one.

        Each side gets half of the limit (the global one the odd place), and what it leaves goes to the other.

        Raises:
            BadInputError: the topic is no user or dyad without a server, or no profile has that name.
            OutOfBoundsError: the limit is not within 1..1000.
        """
        topic = parse_topic(global_topic)
        if not topic.is_global_reference:
            raise BadInputError(
                f"{global_topic[:80]!r} is not global", field="topic_key", bound="user:<id> or dyad:<a>:<b>"
            )
        chosen = self.profiles.resolve(profile)
        _require_limit(limit)
        readable = list(await self._ground.readable(caller, scopes))
        own = await self._topics_of_key(topic, readable)
        servers = await self._topics("insights/topics_of_reference", reference=topic.reference, scopes=readable)
        half = limit // 2
        first = await self._pick(own, chosen, limit - half, readable)
        second = await self._pick(servers, chosen, limit - len(first), readable)
        if len(first) == limit - half and len(second) < half:
            first = await self._pick(own, chosen, limit - len(second), readable)
        return self._shown([*first, *second])

    async def listed(self, request: RetrieveInsights, *, caller: Caller = OWNER) -> InsightList:
        """List what `retrieve` finds (with servers, `retrieve_for_global_topic`), and what the profile holds back.

        Raises: as these two.
        """
        chosen = self.retrieve_for_global_topic if request.include_servers else self.retrieve
        found = await chosen(request.topic_key, request.profile, request.limit, scopes=request.scopes, caller=caller)
        hidden = await self._held_back(request, caller)
        return InsightList(items=tuple(found), hidden=hidden, reason=_reason(len(found), len(hidden)))

    async def _held_back(self, request: RetrieveInsights, caller: Caller) -> tuple[str, ...]:
        profile = self.profiles.resolve(request.profile)
        if profile.include_conflicting:
            return ()
        topic = parse_topic(request.topic_key)
        readable = list(await self._ground.readable(caller, request.scopes))
        topics = await self._topics_of_key(topic, readable)
        if request.include_servers:
            topics += await self._topics("insights/topics_of_reference", reference=topic.reference, scopes=readable)
        oldest = self._ground.now() - timedelta(days=profile.max_age_days) if profile.max_age_days else None
        keys = [key for key, _ in topics]
        rows = await self._graph.run(
            "insights/held_back", topics=keys, scopes=readable, since=oldest, limit=_MOST_HIDDEN
        )
        return tuple(row["id"] for row in rows)

    async def get_insights_for_topic(
        self,
        topic_key: str,
        profile: str | RetrievalProfile = "balanced",
        limit: int = 10,
        *,
        scopes: Sequence[str] | None = None,
        caller: Caller = OWNER,
    ) -> list[Insight]:
        """The same choice as `retrieve`, as it is stored. Raises like it."""
        return [insight for insight, _ in await self._chosen(topic_key, profile, limit, scopes, caller)]

    async def get_insights_by_category(
        self,
        category: str,
        limit: int = 100,
        since: datetime | None = None,
        *,
        scopes: Sequence[str] | None = None,
        after: str | None = None,
        caller: Caller = OWNER,
    ) -> list[Insight]:
        """Insights of a category, newest first, made at `since` or later, older than the one with id `after`.

        Raises:
            OutOfBoundsError: the limit is not within 1..1000.
        """
        _require_limit(limit)
        rows = await self._graph.run(
            "insights/by_category",
            category=category,
            scopes=list(await self._ground.readable(caller, scopes)),
            since=since,
            before=after,
            limit=limit,
        )
        return [insight_of(row) for row in rows]

    async def _chosen(
        self,
        topic_key: str,
        profile: str | RetrievalProfile,
        limit: int,
        scopes: Sequence[str] | None,
        caller: Caller,
    ) -> list[Chosen]:
        topic, chosen = parse_topic(topic_key), self.profiles.resolve(profile)
        _require_limit(limit)
        readable = list(await self._ground.readable(caller, scopes))
        return await self._pick(await self._topics_of_key(topic, readable), chosen, limit, readable)

    async def _pick(self, topics: Topics, profile: RetrievalProfile, limit: int, scopes: list[str]) -> list[Chosen]:
        """Insights with their topic's salience: the newest, then the strongest that are not among them."""
        if not topics or limit < 1:
            return []
        recent, strong = profile.split(limit)
        oldest = self._ground.now() - timedelta(days=profile.max_age_days) if profile.max_age_days else None
        where: dict[str, Any] = {
            "topics": topics,
            "scopes": scopes,
            "since": oldest,
            "conflicting": profile.include_conflicting,
        }
        rows = await self._graph.run("insights/recent", **where, exclude=[], limit=recent) if recent else []
        seen = [row["insight"]["id"] for row in rows]
        if strong:
            rows += await self._graph.run("insights/strongest", **where, exclude=seen, limit=strong)
        return [(insight_of(row), float(row["salience"])) for row in rows]

    async def _topics_of_key(self, topic: TopicKey, scopes: list[str]) -> Topics:
        return await self._topics("insights/topics_of_key", key=str(topic), scopes=scopes)

    async def _topics(self, name: str, **where: Any) -> Topics:
        """[id, salience now] of each topic."""
        now = self._ground.now()
        rows = await self._graph.run(name, limit=_MOST_TOPICS, **where)
        return [[row["id"], salience_at(row["salience"], row["salience_at"], now)] for row in rows]

    def _shown(self, chosen: Sequence[Chosen]) -> list[FormattedInsight]:
        now = self._ground.now()
        return [formatted(insight, salience, now) for insight, salience in chosen]


def _reason(found: int, hidden: int) -> str:
    """Say why there is nothing, or what is held back; say nothing where all is shown."""
    if hidden:
        remedy = "settle the conflicts, or ask with the profile comprehensive"
        return f"{hidden} held back for conflicts that are not settled: {remedy}"
    return "" if found else "there is no insight on this topic in these scopes"


def _require_limit(limit: int) -> None:
    if not 1 <= limit <= MOST:
        raise OutOfBoundsError(f"a limit of {limit}", field="limit", bound=f"1 to {MOST}")


_POOL = 50
_FIELDS = 2  # of the index insight_text
_LAST = "\U0010ffff"  # sorts behind every text


class InsightSearch:
    """Finds insights.

    Args:
        ground: graph, embedder and clock.
    """

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    async def search(self, request: SearchInsights, *, caller: Caller = OWNER) -> FoundInsights:
        """Insights near a query, best first, at most `limit`; of one category or all."""
        scopes = list(await self._ground.readable(caller, request.scopes))
        rows = await self._ground.graph.run(
            "insights/search",
            embedding=await self._ground.embedder.embed_query(request.query),
            words=_words(request.query, scopes),
            scopes=scopes,
            category_from=request.category or "",
            category_to=request.category or _LAST,
            limit=max(_POOL, request.limit),
        )
        rankings: dict[str, list[str]] = {"dense": [], "sparse": []}
        by_id: dict[str, dict[str, Any]] = {}
        for row in rows:
            rankings[row["ranking"]].append(row["insight"]["id"])
            by_id[row["insight"]["id"]] = row
        fused = reciprocal_rank_fusion([*rankings.values()])[: request.limit]
        return FoundInsights(items=tuple(self._found(by_id[name], score) for name, score in fused))

    def _found(self, row: dict[str, Any], score: float) -> FoundInsight:
        now, topic = self._ground.now(), row["topic"]
        salience = salience_at(topic["salience"], topic["salience_at"], now)
        return FoundInsight(insight=formatted(insight_of(row), salience, now), fused_score=score)


def _words(query: str, scopes: list[str]) -> str:
    """A Lucene query for any of the words, within scopes; of a query without words one that finds nothing."""
    escaped = escape(query, _FIELDS)
    return requiring(scopes, f"+({escaped})", _FIELDS) if escaped else "scope_token:none"
