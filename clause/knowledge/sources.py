"""Sources: where statements come from, how often they were right, and whom they trust."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clause.errors import ConflictError, NotFoundError
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.jobs.turn import Turn
from clause.knowledge.models_entities import Source, SourceCreate, TrackRecord, TrustEdge, TrustGiven
from clause.knowledge.origins import RELIABILITY
from clause.text.names import hashed

PRIOR_STRENGTH = 4.0
"""How many beliefs a kind's prior weighs as much as."""

_UNKNOWN = 0.5
_PAGE = 200
_EDGES = 1_000


def track_record(kind: str, confirmed: int, disputed: int, superseded: int) -> TrackRecord:
    """The Beta distribution of a source: alpha = 4 r + confirmed, beta = 4 (1 - r) + disputed + superseded.

    r is the reliability that its kind starts with.

    >>> track_record("document", 0, 0, 0).reliability, track_record("document", 4, 0, 0).reliability
    (0.6, 0.8)
    """
    prior = RELIABILITY.get(kind, _UNKNOWN)
    alpha = PRIOR_STRENGTH * prior + confirmed
    beta = PRIOR_STRENGTH * (1.0 - prior) + disputed + superseded
    counts = {"confirmed": confirmed, "disputed": disputed, "superseded": superseded}
    return TrackRecord(alpha=alpha, beta=beta, reliability=alpha / (alpha + beta), **counts)


class SourceService:
    """What the doors may ask about sources."""

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
        parts = (given.kind, given.title, given.uri, given.upstream)
        own = parts if any(parts[1:]) else (given.kind, given.content_hash or ground.ids())
        source = {
            "id": hashed("src_", scope, *own),
            "scope": scope,
            "kind": given.kind,
            "title": given.title,
            "name": given.title or given.kind.replace("_", " "),
            "uri": given.uri or None,
            "upstream": given.upstream or None,
            "content_hash": given.content_hash,
            "recorded_at": at,
            "version": 1,
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

    async def rate(self, turn: Turn) -> None:
        """The job `rate_sources`: stores what each source of a scope has earned, so that answers weigh by it."""
        scope, done = turn.job.scope, 0
        after: str | None = None
        while page := await self._list([scope], after=after, limit=_PAGE):
            after, done = page[-1].id, done + len(page)
            rows = [[one.id, one.track_record.reliability] for one in page]
            await turn.commit(
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
            limit=limit,
        )
        return [_source(row) for row in rows]


def _source(row: Mapping[str, Any]) -> Source:
    source = row["source"]
    kind = source["kind"] or "unknown"
    record = track_record(kind, row["confirmed"], row["disputed"], row["superseded"])
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
