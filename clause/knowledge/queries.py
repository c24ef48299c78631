"""Questions to the beliefs: candidates by meaning and by words in one read, then filters, floors and order."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from clause.graph.scopes import Caller, scope_token
from clause.ground import Ground
from clause.knowledge.belief_rows import FIELDS, HELD
from clause.knowledge.content import domain_token, recorded_token
from clause.knowledge.models_query import (
    BeliefHits,
    BeliefQuery,
    BeliefSearch,
    ConfidenceFloors,
    RankingWeights,
    Removed,
)
from clause.knowledge.ranking import Moment, chosen
from clause.text.lucene import escape

WIDTH: Final = 2
"""Candidates of each ranking for each belief that is asked for."""

_PAST_WIDTH: Final = 10
_LEAST: Final = 30


class Queries:
    """Answers questions.

    Args:
        ground: the open parts below.
    """

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    async def query(self, query: BeliefQuery, caller: Caller) -> BeliefHits:
        """The beliefs that fit, best first; where there are none, why."""
        return await self._answer(query, caller, words=True)

    async def search(self, search: BeliefSearch, caller: Caller) -> BeliefHits:
        """The nearest beliefs by meaning alone."""
        query = BeliefQuery(
            query=search.query,
            scopes=search.scopes,
            domain_filter=search.domain_filter,
            floors=ConfidenceFloors(overall=search.min_confidence),
            min_similarity=search.min_similarity,
            ranking=RankingWeights(semantic=1, confidence=0, recency=0),
            session_id=search.session_id,
            limit=search.limit,
        )
        found = await self._answer(query, caller, words=False)
        nearest = sorted(found.items, key=lambda hit: (-hit.similarity, hit.belief.id))
        return found.model_copy(update={"items": tuple(nearest)})

    async def told(self, ids: Sequence[str], session_id: str, caller: Caller) -> None:
        """Note that beliefs were told to a session: what it says of them again corroborates nothing.

        Only where the caller may write: who may read alone leaves no trace.
        """
        ground = self._ground
        scopes = [scope for scope in await ground.readable(caller, None) if caller.may_write(scope)]
        if ids and scopes:
            await ground.graph.run(
                "knowledge/note_recall", ids=sorted(ids), scopes=scopes, session_id=session_id, at=ground.now()
            )

    async def _answer(self, query: BeliefQuery, caller: Caller, *, words: bool) -> BeliefHits:
        ground = self._ground
        scopes = await ground.readable(caller, query.scopes)
        now = ground.now()
        moment = Moment(now, query.as_of_valid or query.as_of_recorded or now, query.as_of_recorded)
        found = await self._candidates(query, scopes, moment, words=words)
        hits, removed = chosen(found, query, moment)
        if query.session_id is not None:
            await self.told([hit.belief.id for hit in hits], query.session_id, caller)
        reason = "" if hits else await self._reason(len(found), removed, scopes)
        return BeliefHits(items=tuple(hits), considered=len(found), removed=tuple(removed), reason=reason)

    async def _candidates(
        self, query: BeliefQuery, scopes: Sequence[str], moment: Moment, *, words: bool
    ) -> list[dict[str, Any]]:
        embedding = await self._ground.embedder.embed_query(query.query)
        past = moment.recorded
        asked: dict[str, Any] = {
            "embedding": embedding,
            "words": _words(query.query, scopes, past) if words else "",
            "narrow": _narrow(query.domain_filter, scopes, past),
            "entity_id": query.entity_id or "",
            "fields": [*FIELDS, *(["history"] if past is not None else [])],
            "scopes": list(scopes),
        }
        if past is not None:
            limit = max(_LEAST, _PAST_WIDTH * query.limit)
            return await self._ground.graph.run("knowledge/search_past", **asked, recorded=past, limit=limit)
        limit = max(_LEAST, WIDTH * query.limit)
        return await self._ground.graph.run("knowledge/search_beliefs", **asked, statuses=_statuses(query), limit=limit)

    async def _reason(self, considered: int, removed: Sequence[Removed], scopes: Sequence[str]) -> str:
        """Why an answer is empty."""
        if considered:
            took = ", ".join(f"{one.by} took {one.count}" for one in removed)
            return f"of {considered} near beliefs none is left: {took}"
        counted = await self._ground.graph.run("knowledge/count_beliefs", scopes=list(scopes))
        if not counted:
            return "no beliefs are kept in these scopes"
        kept = ", ".join(f"{row['count']} {row['status']}" for row in counted)
        return f"nothing fits; these scopes keep {kept}"


def _statuses(query: BeliefQuery) -> list[str]:
    more = (("superseded", query.include_superseded), ("archived", query.include_archived))
    return [*HELD, *(status for status, wanted in more if wanted)]


def _words(text: str, scopes: Sequence[str], past: datetime | None) -> str:
    """A Lucene query for the text's words within scopes; empty where it has no words."""
    escaped = escape(text)
    return f"{_within(scopes, past)} +content:({escaped})" if escaped else ""


def _narrow(domains: Sequence[str], scopes: Sequence[str], past: datetime | None) -> str:
    """A Lucene query for everything of some domains within scopes; empty where none is asked for."""
    tokens = " ".join(map(domain_token, domains))
    return f"{_within(scopes, past)} +domain_token:({tokens})" if tokens else ""


def _within(scopes: Sequence[str], past: datetime | None) -> str:
    """Requires one of the scopes, and for a question about the past an instant of recording up to then."""
    tokens = " ".join(scope_token(scope) for scope in scopes)
    upto = f" +recorded_token:[0 TO {recorded_token(past)}]" if past is not None else ""
    return f"+scope_token:({tokens}){upto}"
