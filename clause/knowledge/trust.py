"""Trust: whom to believe on a topic, and how trust is passed on from source to source."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from clause.errors import NotFoundError
from clause.graph.scopes import Caller, scope_token
from clause.ground import Ground
from clause.knowledge.entities import EntityService
from clause.knowledge.models_entities import TrustAnswer, TrustCheck, Trusted
from clause.knowledge.sources import SourceService
from clause.text.lucene import escape

DECAY = 0.7
"""What each hop after the first leaves of trust."""
HOPS = 3
DEFAULT = 0.1
"""Trust in a source that nobody within three hops trusts."""

LEAST = 0.35
"""Cosine at which a belief is on a topic."""
_POOL = 200


def passed_on(edges: Iterable[tuple[str, str, float]], source: str) -> dict[str, float]:
    """Trust of `source` in every source within three hops: the best path's weights times .7 for each further hop.

    Args:
        edges: (from, to, weight).

    >>> found = passed_on([("a", "b", 0.8), ("b", "c", 0.5), ("c", "d", 1.0), ("d", "e", 1.0)], "a")
    >>> {name: round(trust, 4) for name, trust in found.items()}
    {'b': 0.8, 'c': 0.28, 'd': 0.196}
    """
    outgoing: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
    for start, end, weight in edges:
        outgoing[start].append((end, weight))
    best: dict[str, float] = {}
    frontier = {source: 1.0}
    for hop in range(HOPS):
        reached: dict[str, float] = {}
        for name, trust in frontier.items():
            for end, weight in outgoing[name]:
                value = trust * weight * (DECAY if hop else 1.0)
                reached[end] = max(reached.get(end, 0.0), value)
        for name, trust in reached.items():
            if name != source:
                best[name] = max(best.get(name, 0.0), trust)
        frontier = reached
    return best


class TrustService:
    """What the doors may ask about trust."""

    def __init__(self, ground: Ground, entities: EntityService, sources: SourceService) -> None:
        self._ground = ground
        self._entities = entities
        self._sources = sources

    async def check(self, given: TrustCheck, *, caller: Caller) -> TrustAnswer:
        """Entities and sources by the mean overall confidence of their active beliefs on the topic, then by how many.

        Raises:
            NotFoundError: the entity or the asking source is not there for this caller.
            AmbiguousNameError: several entities carry the name.
        """
        ground = self._ground
        scopes = await ground.readable(caller, given.scopes)
        entity_id = None
        if given.entity_name is not None:
            entity_id = (await self._entities.get(given.entity_name, caller=caller, scopes=given.scopes)).id
        words = escape(given.topic)
        tokens = " ".join(scope_token(scope) for scope in scopes)
        rows = await ground.graph.run(
            "knowledge/topic_beliefs",
            embedding=await ground.embedder.embed_query(given.topic),
            words=f"+scope_token:({tokens}) +content:({words})" if words else "scope_token:none",
            scopes=list(scopes),
            entity_id=entity_id,
            least=LEAST,
            limit=_POOL,
        )
        passing = await self._passing(given.source_id, caller)
        ranked = _ranked(rows, passing)
        kept = [one for one in ranked if one.trust >= given.min_trust]
        below = len(ranked) - len(kept)
        reason = None if kept else _reason(len(rows), below, given.min_trust)
        return TrustAnswer(trusted=tuple(kept[: given.limit]), matching=len(rows), below=below, reason=reason)

    async def _passing(self, source_id: str | None, caller: Caller) -> Mapping[str, float] | None:
        if source_id is None:
            return None
        source = await self._sources.get(source_id, caller=caller)
        if source.retracted_at is not None:
            raise NotFoundError(f"no source {source_id[:80]!r}", field="source_id")
        edges = await self._sources.trusts(caller=caller, source_id=source_id)
        return passed_on(((one.from_source_id, one.to_source_id, one.weight) for one in edges), source_id)


def _ranked(rows: Sequence[Mapping[str, Any]], passing: Mapping[str, float] | None) -> list[Trusted]:
    overalls: defaultdict[tuple[Literal["entity", "source"], str], list[float]] = defaultdict(list)
    names: dict[str, str] = {}
    for row in rows:
        for kind, found in (("entity", row["entities"]), ("source", row["sources"])):
            for identity, name in found:
                overalls["entity" if kind == "entity" else "source", identity].append(row["overall"])
                names[identity] = name
    trusted = [
        Trusted(
            kind=kind,
            id=identity,
            name=names[identity],
            trust=min(1.0, sum(values) / len(values)),
            beliefs=len(values),
            passed_on=passing.get(identity, DEFAULT) if passing is not None and kind == "source" else None,
        )
        for (kind, identity), values in overalls.items()
    ]
    return sorted(trusted, key=lambda one: (-round(one.trust, 9), -one.beliefs, one.kind, one.id))


def _reason(matching: int, below: int, floor: float) -> str:
    if below:
        return f"{below} are known on the topic, none with a trust of {floor:g}"
    return "an active belief on the topic names nobody" if matching else "no active belief is on the topic"
