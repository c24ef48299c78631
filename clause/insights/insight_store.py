"""Stores insights with their conflicts, and marks them; what an insight says never changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from clause.arrays import Floats
from clause.errors import ConflictError, NotFoundError, PreconditionError
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.insights.conflict_models import InsightChange, Quarantine, QuarantineState, StoredInsight
from clause.insights.conflict_resolution import (
    CANDIDATE_DAYS,
    MOST_CANDIDATES,
    ConflictResolver,
    EarlierInsight,
    conflict_signals,
)
from clause.insights.models import Insight, StoreInsight, Valences, valences_of
from clause.insights.nodes import insight_of, properties_of
from clause.insights.retriever import OWNER
from clause.insights.topic_book import TopicBook
from clause.insights.topics import TopicKey, parse_topic

_TRIES = 100
_Known = tuple[str, Valences, Floats]  # what an insight says, feels like, and its vector


class QuarantinedError(NotFoundError):
    """An insight in quarantine, told to those who may let it out; nobody is shown what it says."""

    code = "insight_quarantined"


class InsightStore:
    """Writes insights.

    Args:
        ground: graph, embedder, clock and ids.
        topics: where a topic's salience is kept.
        settlement: conflicts, once they are found.
    """

    def __init__(self, ground: Ground, topics: TopicBook, settlement: ConflictResolver) -> None:
        self._ground = ground
        self._graph = ground.graph
        self._topics = topics
        self._settlement = settlement

    async def store(self, request: StoreInsight, *, caller: Caller = OWNER) -> StoredInsight:
        """Keep an insight; conflicts with earlier ones on its topic are found and marked on both sides.

        Two insights at one instant see each other: whoever comes second on a topic looks again.

        Raises:
            BadInputError: the topic is none.
            NotFoundError: what it supersedes or was made of is not there.
            ForbiddenError: the caller may not write to the scope.
        """
        topic = parse_topic(request.topic_key)
        scope = self._ground.writable(caller, request.scope)
        referred = [*request.synthesis_source_ids, *([request.supersedes] if request.supersedes else [])]
        await self._require_known(referred, scope)
        embedding = await self._ground.embedder.embed_query(request.content)
        insight_id = self._ground.ids()
        for _ in range(_TRIES):
            stored = await self._try(insight_id, request, topic, scope, embedding)
            if stored is not None:
                return await self._stored(stored)
        raise ConflictError("too many others write on this topic", remedy="try again", field="topic_key")

    async def get(self, insight_id: str, *, caller: Caller = OWNER) -> Insight:
        """One insight, unless it is in quarantine.

        Raises:
            NotFoundError: there is none that may be shown to this caller.
            QuarantinedError: it is in quarantine, and the caller may let it out (a NotFoundError too).
        """
        row = await self._graph.one("insights/insight", id=insight_id, scopes=None)
        if row is not None and caller.may_read(row["insight"]["scope"]):
            return insight_of(row)
        owner = await self._graph.one("insights/owner", id=insight_id, scopes=None) if row is None else None
        if owner and owner["quarantined"] and caller.may_write(owner["scope"]):
            raise QuarantinedError(
                f"insight {insight_id[:80]!r} is in quarantine",
                remedy="let it out to read it",
                field="insight_id",
            )
        raise _unknown(insight_id)

    async def quarantine(
        self,
        insight_id: str,
        request: Quarantine,
        *,
        versions: Sequence[int] | None = None,
        caller: Caller = OWNER,
    ) -> QuarantineState:
        """Put an insight into quarantine or let it out; each change is recorded.

        Args:
            insight_id: which one.
            request: in or out, and why.
            versions: those that the caller has seen (If-Match); None: any.
            caller: who asks.

        Raises:
            NotFoundError: there is none, or none that this caller may see.
            PreconditionError: it is of another version by now.
        """
        owner = await self._owner(insight_id, caller)
        mark: dict[str, Any] = {
            "id": insight_id,
            "scope": caller.require_write(owner["scope"]),
            "versions": None if versions is None else [*versions],
            "quarantined": request.quarantined,
            "reason": request.reason,
            "change_id": self._ground.ids(),
        }
        out = None if request.quarantined else self._graph.one("insights/hidden", id=insight_id, scope=mark["scope"])
        hidden = await out if out else None
        if hidden is None or len(hidden["embedding"]) != self._ground.embedder.dimension:
            row = await self._graph.one("insights/quarantine", **mark, claim=None, now=self._ground.now())
        else:
            row = await self._let_out(mark, hidden)
        if row is None:
            raise _unknown(insight_id)
        if not row["accepted"]:
            raise PreconditionError(
                f"the version is now {row['version']}", remedy="read it again and repeat the change", field="If-Match"
            )
        return QuarantineState(id=insight_id, quarantined=request.quarantined, version=row["version"])

    async def changes(
        self, insight_id: str, *, limit: int = 100, after: str = "", caller: Caller = OWNER
    ) -> list[InsightChange]:
        """The marks that were set on an insight, oldest first.

        Raises:
            NotFoundError: there is none, or none that this caller may see.
        """
        owner = await self._owner(insight_id, caller)
        rows = await self._graph.run("insights/changes", id=insight_id, scope=owner["scope"], after=after, limit=limit)
        return [InsightChange.model_validate(row["change"]) for row in rows]

    async def _let_out(self, mark: Mapping[str, Any], hidden: Mapping[str, Any]) -> dict[str, Any] | None:
        """Let an insight out, marked with what does not go together with it: nobody compared it while it was hidden."""
        node, scope, claim = hidden["insight"], mark["scope"], self._ground.ids()
        topic = parse_topic(node["topic_key"])
        known = (node["content"], valences_of(node), hidden["embedding"])
        near = (node["created_at"], [mark["id"], *hidden["marked"]])
        for _ in range(_TRIES):
            now = self._ground.now()
            seen = await self._topics.seen(topic, scope, None, now)
            rows = await self._conflicts(known, topic, scope, *near)
            added = {"insight_id": mark["id"], "scope": scope, "recorded_at": now, "rows": rows}
            written = await self._graph.write(
                [
                    ("insights/claim_topic", seen.claim(claim, seen.salience, now)),
                    ("insights/quarantine", {**mark, "claim": claim, "now": now}),
                    ("insights/add_conflicts", added),
                ]
            )
            if written[0]:
                return written[1][0] if written[1] else None
        raise ConflictError("too many others write on this topic", remedy="try again", field="insight_id")

    async def _try(
        self, insight_id: str, request: StoreInsight, topic: TopicKey, scope: str, embedding: Floats
    ) -> Insight | None:
        """Write on the version of the topic that was read; None when it has moved on."""
        now = self._ground.now()
        seen = await self._topics.seen(topic, scope, request.original_topic_salience, now)
        known = (request.content, request.valences, embedding)
        away = [*request.synthesis_source_ids, *([request.supersedes] if request.supersedes else [])]
        rows = [] if request.quarantined else await self._conflicts(known, topic, scope, now, away)
        salience = seen.salience if request.original_topic_salience is None else request.original_topic_salience
        properties = properties_of(request, topic, scope, salience, now)
        stamp = {"scope": scope, "recorded_at": now}
        insight = {
            **stamp,
            "id": insight_id,
            "topic_id": seen.id,
            "claim": insight_id,
            "properties": properties,
            "embedding": embedding,
            "model": self._ground.embedder.model,
            "supersedes": [request.supersedes] if request.supersedes else [],
            "sources": [*request.synthesis_source_ids],
        }
        written = await self._graph.write(
            [
                ("graph/register_scope", stamp),
                ("insights/claim_topic", seen.claim(insight_id, seen.salience, now)),
                ("insights/create_insight", insight),
                ("insights/add_conflicts", {**stamp, "insight_id": insight_id, "rows": rows}),
            ]
        )
        stored = {"insight": {**properties, "id": insight_id}, "conflicts": [], "superseded_by": []}
        return insight_of(stored) if written[1] else None

    async def _conflicts(
        self, known: _Known, topic: TopicKey, scope: str, at: datetime, exclude: Sequence[str]
    ) -> list[dict[str, Any]]:
        days = timedelta(days=CANDIDATE_DAYS)
        rows = await self._graph.run(
            "insights/candidates",
            topic_id=topic.node_id(scope),
            scope=scope,
            since=at - days,
            until=at + days,
            embedding=known[2],
            dimension=self._ground.embedder.dimension,
            exclude=[*exclude],
            limit=MOST_CANDIDATES,
        )
        found = await self._ground.pool.run(_judged, known, [_candidate(row) for row in rows])
        ids = self._ground.ids
        return [
            {
                "id": ids(),
                "other": other.id,
                "signals": list(signals),
                "similarity": other.similarity,
                "changes": [ids(), ids()],
            }
            for other, signals in sorted(found, key=lambda pair: pair[0].id)
        ]

    async def _stored(self, insight: Insight) -> StoredInsight:
        """With its conflicts, as they are now; one stored in quarantine is only told back."""
        if insight.quarantined:
            return StoredInsight(insight=insight)
        return await self._settlement.of_stored(await self.get(insight.id))

    async def _require_known(self, ids: Sequence[str], scope: str) -> None:
        if not ids:
            return
        rows = await self._graph.run("insights/known", ids=[*ids], scope=scope)
        missing = set(ids) - {row["id"] for row in rows}
        if missing:
            raise _unknown(min(missing))

    async def _owner(self, insight_id: str, caller: Caller) -> dict[str, Any]:
        row = await self._graph.one("insights/owner", id=insight_id, scopes=None)
        if row is None or not caller.may_read(row["scope"]):
            raise _unknown(insight_id)
        return row


def _judged(known: _Known, candidates: Sequence[EarlierInsight]) -> list[tuple[EarlierInsight, tuple[str, ...]]]:
    judged = [(other, conflict_signals(*known, other)) for other in candidates]
    return [(other, signals) for other, signals in judged if signals]


def _candidate(row: dict[str, Any]) -> EarlierInsight:
    node = row["insight"]
    return EarlierInsight(node["id"], node["content"], valences_of(node), row["embedding"], row["similarity"])


def _unknown(insight_id: str) -> NotFoundError:
    return NotFoundError(f"no insight is called {insight_id[:80]!r}", field="insight_id")
