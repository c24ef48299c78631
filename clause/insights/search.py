"""Search in insights by meaning and by words, fused by rank; those in quarantine are never found."""

from __future__ import annotations

from typing import Any

from clause.graph.scopes import Caller, scope_token
from clause.ground import Ground
from clause.insights.models import FoundInsight, FoundInsights, SearchInsights
from clause.insights.nodes import formatted, insight_of
from clause.insights.retriever import OWNER
from clause.insights.strength import salience_at
from clause.text.fusion import reciprocal_rank_fusion
from clause.text.lucene import escape

_POOL = 50
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
    tokens = " ".join(scope_token(scope) for scope in scopes)
    escaped = escape(query)
    return f"+scope_token:({tokens}) +({escaped})" if escaped and tokens else "scope_token:none"
