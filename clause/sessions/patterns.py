"""Patterns: what is seen across sessions; each time makes it surer, long absence lets it fade."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from clause.errors import NotFoundError
from clause.graph.lease import Lease
from clause.graph.scopes import Caller, scope_token
from clause.ground import Ground
from clause.sessions.models import (
    Pattern,
    PatternFound,
    PatternRecord,
    PatternRecorded,
    PatternReinforce,
    PatternSearch,
    PatternStatus,
    PatternType,
)
from clause.text.names import hashed
from clause.text.retrieval import clip01, escape, reciprocal_rank_fusion, requiring

START = 0.5
STEP = 0.1
CAP = 0.99
ESTABLISHED = 4
FADING_AFTER = timedelta(days=30)
"""A pattern not seen for so long is fading."""
ARCHIVED_AFTER = timedelta(days=180)
"""A pattern not seen for so long is put away; seen again it comes back."""

_SHORTEST_TITLE = 80
_LIVE: tuple[PatternStatus, ...] = ("emerging", "established")
_ALL: tuple[PatternStatus, ...] = ("emerging", "established", "fading", "archived")


def reinforced(confidence: float) -> float:
    """The confidence after one more time: c + .1 (1 - c), at most .99.

    >>> round(reinforced(0.5), 4), reinforced(0.99)
    (0.55, 0.99)
    """
    return min(CAP, confidence + STEP * (1.0 - confidence))


class Patterns:
    """The service of patterns, as the doors ask it."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    async def record(self, given: PatternRecord, *, caller: Caller) -> PatternRecorded:
        """Note a regularity; one of the same type and words is reinforced instead.

        Raises:
            ForbiddenError: the scope is not the caller's.
        """
        ground = self._ground
        scope, at = ground.writable(caller, given.scope), ground.now()
        description = " ".join(given.description.split())
        pattern = {
            "id": ground.ids(),
            "scope": scope,
            "scope_token": scope_token(scope),
            "type": given.type,
            "description": description,
            "name": description[:_SHORTEST_TITLE],
            "confidence": START,
            "occurrences": 1,
            "embedding_model": ground.embedder.model,
            "recorded_at": at,
            "last_seen": at,
            "version": 1,
        }
        asked = {
            "key": hashed("pat_", scope, given.type, description.casefold()),
            "pattern": pattern,
            "embedding": await ground.embedder.embed_query(description),
            "scope": scope,
            "session_id": given.session_id,
            "recorded_at": at,
            **_RULES,
        }
        ((row,),) = await ground.graph.write([("sessions/record_pattern", asked)], idempotent=False)
        return PatternRecorded(pattern=pattern_of(row["pattern"]), created=row["created"])

    async def reinforce(self, pattern_id: str, given: PatternReinforce, *, caller: Caller) -> Pattern:
        """A known pattern was seen once more.

        Raises:
            NotFoundError: there is none that this caller may see.
            ForbiddenError: it may be read, not written.
        """
        scope = caller.require_write((await self.get(pattern_id, caller=caller)).scope)
        asked = {
            "id": pattern_id,
            "scope": scope,
            "session_id": given.session_id,
            "recorded_at": self._ground.now(),
            **_RULES,
        }
        (rows,) = await self._ground.graph.write([("sessions/reinforce_pattern", asked)], idempotent=False)
        if not rows:
            raise _unknown(pattern_id)
        return pattern_of(rows[0]["pattern"])

    async def get(self, pattern_id: str, *, caller: Caller) -> Pattern:
        """The pattern of this id; NotFoundError when there is none that this caller may see."""
        found = await self._list(await self._ground.readable(caller, None), ids=[pattern_id], limit=1)
        if not found:
            raise _unknown(pattern_id)
        return found[0]

    async def list(
        self,
        *,
        caller: Caller,
        type: PatternType | None = None,
        status: PatternStatus | None = None,
        scopes: Sequence[str] | None = None,
        after: str | None = None,
        limit: int = 20,
    ) -> Sequence[Pattern]:
        """Patterns newest first; what is None narrows nothing."""
        readable = await self._ground.readable(caller, scopes)
        return await self._list(readable, type=type, status=status, after=after, limit=limit)

    async def strongest(self, scopes: Sequence[str], *, limit: int) -> tuple[Pattern, ...]:
        """The surest established patterns of some scopes."""
        rows = await self._ground.graph.run("sessions/strongest_patterns", scopes=list(scopes), limit=limit)
        return tuple(pattern_of(row["pattern"]) for row in rows)

    async def search(self, given: PatternSearch, *, caller: Caller) -> Sequence[PatternFound]:
        """Patterns by meaning and by words, fused; best first."""
        ground = self._ground
        scopes = await ground.readable(caller, given.scopes)
        words = escape(given.query)
        rows = await ground.graph.passing(
            "sessions/nearest_patterns",
            embedding=await ground.embedder.embed_query(given.query),
            words=requiring(scopes, f"+description:({words})") if words else "scope_token:none",
            scopes=list(scopes),
            statuses=list(_ALL if given.include_fading else _LIVE),
            type=given.type,
            wanted=max(given.limit * 4, 20),
        )
        patterns = {row["pattern"]["id"]: pattern_of(row["pattern"]) for row in rows}
        similar = {row["pattern"]["id"]: clip01(row["similarity"]) for row in rows if row["ranking"] == "dense"}
        rankings = [[row["pattern"]["id"] for row in rows if row["ranking"] == name] for name in ("dense", "sparse")]
        return [
            PatternFound(pattern=patterns[key], fused_score=score, similarity=similar.get(key))
            for key, score in reciprocal_rank_fusion(rankings)[: given.limit]
        ]

    async def fade(self, lease: Lease) -> None:
        """The job `fade_patterns`: what was not seen for long fades, then is put away."""
        now = self._ground.now()
        (rows,) = await lease.commit(
            [
                (
                    "sessions/fade_patterns",
                    {
                        "scope": lease.job.scope,
                        "fading_before": now - FADING_AFTER,
                        "archived_before": now - ARCHIVED_AFTER,
                        "now": now,
                    },
                )
            ]
        )
        touched = rows[0]["faded"] + rows[0]["archived"]
        await lease.progress(touched, touched, f"{rows[0]['faded']} fade, {rows[0]['archived']} put away")

    async def _list(
        self,
        scopes: Sequence[str],
        *,
        limit: int,
        ids: Sequence[str] | None = None,
        type: str | None = None,
        status: str | None = None,
        after: str | None = None,
    ) -> Sequence[Pattern]:
        rows = await self._ground.graph.run(
            "sessions/patterns",
            scopes=list(scopes),
            ids=list(ids) if ids is not None else None,
            type=type,
            status=status,
            after=after,
            limit=limit,
        )
        return [pattern_of(row["pattern"]) for row in rows]


_RULES = {"step": STEP, "cap": CAP, "established": ESTABLISHED}


def pattern_of(properties: Mapping[str, Any]) -> Pattern:
    """A pattern from a node's properties."""
    known = {name: properties[name] for name in Pattern.model_fields if name in properties}
    return Pattern.model_validate({**known, "first_seen": properties["recorded_at"]})


def _unknown(pattern_id: str) -> NotFoundError:
    return NotFoundError(f"no pattern {pattern_id[:80]!r}", field="pattern_id")
