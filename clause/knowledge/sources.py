"""Sources: where statements come from, how often they were right, and how trust passes from one to the next."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from clause.errors import ConflictError, NotFoundError
from clause.graph.lease import Lease
from clause.graph.scopes import OWNER_AUTHOR, Caller
from clause.ground import Ground
from clause.knowledge.beliefs.confidence import CORROBORATED
from clause.knowledge.beliefs.models import NOWHERE, SourceGiven
from clause.knowledge.beliefs.origins import RELIABILITY, described
from clause.knowledge.entities import EntityService
from clause.knowledge.entity_models import (
    Source,
    SourceCreate,
    TrackRecord,
    TrustAnswer,
    TrustCheck,
    Trusted,
    TrustEdge,
    TrustGiven,
)
from clause.text.retrieval import escape, requiring

PRIOR_STRENGTH = 4.0
"""The number of beliefs that a kind's prior weighs as much as."""

_UNKNOWN = 0.5
_PAGE = 200
_EDGES = 1_000


ANSWER_WEIGHT = 0.5
"""The weight of a judged answer for the source of its evidence, where an author who confirms or disputes it has 1."""


def track_record(
    kind: str, confirmed: int, disputed: int, superseded: int, *, answered_right: int = 0, answered_wrong: int = 0
) -> TrackRecord:
    """The Beta distribution of a source: alpha = 4 r + confirmed, beta = 4 (1 - r) + disputed + superseded.

    r is the reliability that its kind starts with; pieces of its evidence behind right and wrong answers count half.

    >>> track_record("document", 0, 0, 0).reliability, track_record("document", 4, 0, 0).reliability
    (0.6, 0.8)
    """
    prior = RELIABILITY.get(kind, _UNKNOWN)
    alpha = PRIOR_STRENGTH * prior + confirmed + ANSWER_WEIGHT * answered_right
    beta = PRIOR_STRENGTH * (1.0 - prior) + disputed + superseded + ANSWER_WEIGHT * answered_wrong
    counts = {
        "confirmed": confirmed,
        "disputed": disputed,
        "superseded": superseded,
        "answered_right": answered_right,
        "answered_wrong": answered_wrong,
    }
    return TrackRecord(alpha=alpha, beta=beta, reliability=alpha / (alpha + beta), **counts)


class SourceService:
    """The service that the doors ask about sources."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    async def create(self, given: SourceCreate, *, caller: Caller) -> Source:
        """A source, or the known one of the same kind, title and uri, or of the same content.

        Raises:
            ForbiddenError: the scope is not the caller's.
        """
        ground = self._ground
        scope, at = ground.writable(caller, given.scope), ground.now()
        if given.content_hash is not None:
            known = await ground.graph.one("knowledge/source_of_content", content_hash=given.content_hash, scope=scope)
            if known is not None:
                return await self.get(str(known["id"]), caller=caller)
        told = SourceGiven(kind=given.kind, title=given.title, uri=given.uri, upstream=given.upstream)
        source = {
            **described(told, scope, at, default=(given.content_hash or ground.ids(),)),
            "content_hash": given.content_hash,
        }
        await ground.graph.run("knowledge/create_source", source=source, scope=scope, recorded_at=at)
        return await self.get(str(source["id"]), caller=caller)

    async def get(self, source_id: str, *, caller: Caller) -> Source:
        """The source of this id; NotFoundError when there is none that this caller may see."""
        found = await self._list(await self._ground.readable(caller, None), ids=[source_id], limit=1)
        if not found:
            raise NotFoundError(f"no source {source_id[:80]!r}", field="source_id")
        return found[0]

    async def list(
        self,
        *,
        caller: Caller,
        kind: str | None = None,
        scopes: Sequence[str] | None = None,
        after: str | None = None,
        limit: int = 20,
    ) -> Sequence[Source]:
        """Sources by id, last first; what is None narrows nothing."""
        readable = await self._ground.readable(caller, scopes)
        return await self._list(readable, kind=kind, after=after, limit=limit)

    async def trust(self, source_id: str, given: TrustGiven, *, caller: Caller) -> TrustEdge:
        """Say how far one source trusts another.

        Raises:
            NotFoundError: one of them is not there for this caller.
            ForbiddenError: the trusting one may be read, not written.
            ConflictError: a source is to trust itself.
        """
        source = await self.get(source_id, caller=caller)
        scope = caller.require_write(source.scope)
        if given.to_source_id == source_id:
            raise ConflictError("a source's trust in itself says nothing", field="to_source_id")
        other = await self.get(given.to_source_id, caller=caller)
        row = await self._ground.graph.one(
            "knowledge/set_trust",
            from_id=source_id,
            to_id=other.id,
            weight=given.weight,
            scope=scope,
            scopes=[scope, other.scope],
            now=self._ground.now(),
        )
        if row is None:
            raise NotFoundError(f"no source {source_id[:80]!r}", field="source_id")
        return TrustEdge.model_validate(row)

    async def trusts(self, *, caller: Caller, source_id: str | None = None) -> Sequence[TrustEdge]:
        """Edges of trust within three hops of a source, or all that the caller may read."""
        scopes = await self._ground.readable(caller, None)
        rows = await self._ground.graph.run(
            "knowledge/trust_edges", source_id=source_id, scopes=list(scopes), limit=_EDGES
        )
        return [TrustEdge.model_validate(row) for row in rows]

    async def rate(self, lease: Lease) -> None:
        """The job `rate_sources`: stores what each source of a scope has earned, so that answers weigh by it."""
        scope, done = lease.job.scope, 0
        after: str | None = None
        while page := await self._list([scope], after=after, limit=_PAGE):
            after, done = page[-1].id, done + len(page)
            rows = [[one.id, one.track_record.reliability] for one in page]
            await lease.commit(
                [("knowledge/rate_sources", {"rows": rows, "scope": scope})], done=done, message="rating sources"
            )

    async def _list(
        self,
        scopes: Sequence[str],
        *,
        limit: int,
        ids: Sequence[str] | None = None,
        kind: str | None = None,
        after: str | None = None,
    ) -> Sequence[Source]:
        rows = await self._ground.graph.run(
            "knowledge/sources",
            ids=list(ids) if ids is not None else None,
            scopes=list(scopes),
            kind=kind,
            after=after,
            corroborated=CORROBORATED,
            owner=OWNER_AUTHOR,
            limit=limit,
        )
        return [_source(row) for row in rows]


def _source(row: Mapping[str, Any]) -> Source:
    source = row["source"]
    kind = source["kind"] or NOWHERE
    answered = {name: row[name] for name in ("answered_right", "answered_wrong")}
    record = track_record(kind, row["confirmed"], row["disputed"], row["superseded"], **answered)
    known = {name: source[name] for name in source if name in Source.model_fields}
    return Source.model_validate(
        {
            **known,
            "kind": kind,
            "title": source["title"] or source["name"] or "",
            "version": source["version"] or 1,
            "track_record": record,
            "beliefs": row["beliefs"],
        }
    )


DECAY = 0.7
"""The share that each hop after the first leaves of trust."""
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
    """The service that the doors ask about trust."""

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
        rows = await ground.graph.run(
            "knowledge/topic_beliefs",
            embedding=await ground.embedder.embed_query(given.topic),
            words=requiring(scopes, f"+content:({words})") if words else "scope_token:none",
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
