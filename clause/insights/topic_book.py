"""The topics that insights are on, and their salience: earned by activity, fading without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from clause.errors import ConflictError, NotFoundError
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.insights.conflict_models import EarnSalience, Topic
from clause.insights.nodes import salience_at, topic_of
from clause.insights.retriever import OWNER
from clause.insights.topics import TopicKey, parse_topic

NEW_SALIENCE = 1.0
"""Of a topic that an insight makes, where nobody says more."""

_TRIES = 100


@dataclass(frozen=True)
class SeenTopic:
    """A topic as a writer has read it; version 0: it is not there yet.

    Attributes:
        id, key, scope, version: of the node.
        salience: as it is now.
    """

    id: str
    key: TopicKey
    scope: str
    version: int
    salience: float

    def claim(self, claim: str, salience: float, now: datetime) -> dict[str, Any]:
        """Parameters of insights/claim_topic: `salience` is what it becomes."""
        fresh = {
            "scope": self.scope,
            "key": str(self.key),
            "kind": self.key.kind,
            "server": self.key.server,
            "reference": self.key.reference,
            "recorded_at": now,
            "version": 0,
        }
        return {
            "id": self.id,
            "scope": self.scope,
            "version": self.version,
            "claim": claim,
            "fresh": fresh,
            "salience": salience,
            "now": now,
        }


class TopicBook:
    """Reads topics, and adds to their salience.

    Args:
        ground: graph, clock and ids.
    """

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._graph = ground.graph

    async def seen(self, topic: TopicKey, scope: str, original: float | None, now: datetime) -> SeenTopic:
        """The topic for a writer; a new one starts with the salience `original`, or with 1."""
        node_id = topic.node_id(scope)
        row = await self._graph.one("insights/topic", id=node_id, scope=scope)
        if row is None:
            return SeenTopic(node_id, topic, scope, 0, NEW_SALIENCE if original is None else original)
        salience = salience_at(row["salience"], row["salience_at"], now)
        return SeenTopic(node_id, topic, scope, row["version"], salience)

    async def earn(self, request: EarnSalience, *, caller: Caller = OWNER) -> Topic:
        """Add to what is left of a topic's salience; the topic is made where it is not there yet.

        Raises:
            BadInputError: the topic is none.
            ForbiddenError: the caller may not write to the scope.
        """
        topic = parse_topic(request.topic_key)
        scope = self._ground.writable(caller, request.scope)
        claim = self._ground.ids()
        for _ in range(_TRIES):
            now = self._ground.now()
            seen = await self.seen(topic, scope, 0.0, now)
            written = await self._graph.write(
                [
                    ("graph/register_scope", {"scope": scope, "recorded_at": now}),
                    ("insights/claim_topic", seen.claim(claim, seen.salience + request.amount, now)),
                ]
            )
            if written[1]:
                return await self.get(request.topic_key, scope=scope, caller=caller)
        raise ConflictError("too many others write on this topic", remedy="try again", field="topic_key")

    async def get(self, topic_key: str, *, scope: str | None = None, caller: Caller = OWNER) -> Topic:
        """One topic in a scope, the caller's own if not said.

        Raises:
            BadInputError: the key is none.
            NotFoundError: nothing is known of it there.
        """
        topic = parse_topic(topic_key)
        home = await self._ground.home(caller, scope)
        rows = await self._graph.run("insights/topics", scopes=[home], key=str(topic), kind=None, after="", limit=1)
        if not rows:
            raise NotFoundError(f"nothing is known of {topic_key[:80]!r} in {home}", field="topic_key")
        return topic_of(rows[0], self._ground.now())

    async def list(
        self,
        *,
        scopes: Sequence[str] | None = None,
        kind: str | None = None,
        limit: int = 20,
        after: str | None = None,
        caller: Caller = OWNER,
    ) -> Sequence[Topic]:
        """Topics in the order of their ids, behind `after`; of one kind or all."""
        rows = await self._graph.run(
            "insights/topics",
            scopes=list(await self._ground.readable(caller, scopes)),
            key=None,
            kind=kind,
            after=after or "",
            limit=limit,
        )
        now = self._ground.now()
        return [topic_of(row, now) for row in rows]
