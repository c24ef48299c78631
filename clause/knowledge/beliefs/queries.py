"""Questions to the beliefs: candidates by meaning and by words in one read, then filters, floors and order.

They work on properties as the graph has them; models are made of what is told in the end. Nothing here depends on
what else is stored, so that an answer about the past stays as it was when later facts come in.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from clause.graph.outbox import Outbox
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.knowledge.beliefs import rows
from clause.knowledge.beliefs.models import ConfidenceDimensions
from clause.knowledge.beliefs.origins import told_entry
from clause.knowledge.beliefs.query_models import (
    BeliefHit,
    BeliefHits,
    BeliefQuery,
    BeliefSearch,
    ConfidenceFloors,
    RankingExplanation,
    RankingWeights,
    Removed,
)
from clause.knowledge.beliefs.rows import FIELDS, HELD, domain_token, recorded_token
from clause.telemetry import logger
from clause.text.retrieval import clip01, escape, requiring
from clause.text.statements.words import ADJUNCTS

_PER_DAY = 0.01
_WORDS = 0.5
_WORD = re.compile(r"[^\W_]+")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Moment:
    """The clocks of a question.

    Attributes:
        now: when it is asked.
        valid: which truth is asked for.
        recorded: whose knowledge is asked for; None: today's.
    """

    now: datetime
    valid: datetime
    recorded: datetime | None = None


def chosen(
    found: Sequence[Mapping[str, Any]], query: BeliefQuery, moment: Moment, *, words: bool = True
) -> tuple[list[BeliefHit], list[Removed]]:
    """The hits in their order, and what filters and floors took; `found` are rows of `knowledge/search_beliefs`.

    Without `words` the cosine alone says how near a belief is.
    """
    taken: Counter[str] = Counter()
    ranked = []
    asked = words_of(query.query) if words else frozenset()
    for row in found:
        near = _near(row, query, moment)
        by = "as_of_recorded" if near is None else next(_refusals(near, query, moment), None)
        if near is None or by is not None:
            taken[str(by)] += 1
        else:
            parts = _parts(near, asked, moment)
            if parts[0] < query.least_relevance:
                taken["min_relevance"] += 1
            else:
                ranked.append((_score(parts, query.ranking), near, parts))
    ranked.sort(key=lambda one: (-one[0], one[1].known["id"]))
    hits = [_hit(score, near, parts, query, moment) for score, near, parts in ranked[: query.limit]]
    return hits, [Removed(by=name, count=count) for name, count in taken.most_common()]


def semantic(similarity: float, asked: frozenset[str], content: str) -> float:
    """Nearness in meaning and words: 1 - (1 - cosine) (1 - half the share of the question's words found).

    >>> semantic(0.5, frozenset({"tea"}), "Ann likes tea"), semantic(0.5, frozenset({"tea"}), "no")
    (0.75, 0.5)
    """
    share = len(asked & words_of(content)) / len(asked) if asked else 0.0
    return 1 - (1 - clip01(similarity)) * (1 - _WORDS * share)


def recency(recorded_at: datetime, at: datetime) -> float:
    """exp(-.01 * days); 1.0 for what is recorded after `at`.

    >>> from datetime import UTC, timedelta
    >>> now = datetime(2026, 1, 1, tzinfo=UTC)
    >>> round(recency(now - timedelta(days=100), now), 6)
    0.367879
    """
    return math.exp(-_PER_DAY * max(0.0, (at - recorded_at).total_seconds() / 86_400))


def applicability(query: BeliefQuery, known: Mapping[str, Any]) -> float | None:
    """Measure how far a belief applies to the domain that is asked from: the share of that path that it lies in.

    A domain that was filtered by applies in full. At most what the belief was given; that alone where no domain is
    asked from, or the belief lies in none.

    >>> known = {"domain_path": ["tech", "style"]}
    >>> [applicability(BeliefQuery(query="tabs?", domain=path), known) for path in (("Tech",), ("tech", "cloud"), ())]
    [1.0, 0.5, None]
    """
    path = {one.casefold() for one in known["domain_path"] or ()}
    own: float | None = known.get("c_domain_applicability")
    if not path or not (query.domain or query.domain_filter):
        return own
    inside = [one.casefold() in path for one in query.domain]
    share = sum(inside) / len(inside) if inside else 1.0
    return share if own is None else min(share, own)


def words_of(text: str) -> frozenset[str]:
    """The words of a text that say something, in lower case.

    >>> sorted(words_of("Where is the green Tea?"))
    ['green', 'tea']
    """
    return frozenset(_WORD.findall(text.casefold())) - ADJUNCTS


@dataclass(frozen=True)
class _Near:
    """One candidate: its properties as they are or were, its dimensions, its cosine, its entities."""

    known: Mapping[str, Any]
    dimensions: ConfidenceDimensions
    similarity: float
    entities: Sequence[Sequence[str]]


def _near(row: Mapping[str, Any], query: BeliefQuery, moment: Moment) -> _Near | None:
    """A row of `knowledge/search_beliefs`; None where the belief was not known at the moment."""
    names = rows.FIELDS if moment.recorded is None else (*rows.FIELDS, *rows.PAST)
    found: Mapping[str, Any] | None = dict(zip(names, row["fields"], strict=True)) | {
        "recorded_at": _EPOCH + timedelta(microseconds=row["recorded_us"]),
        "confirmed_at": _EPOCH + timedelta(microseconds=row["confirmed_us"]),
    }
    if moment.recorded is not None and found is not None:
        found = rows.as_recorded(found, moment.recorded)
    if found is None:
        return None
    found = {**found, "c_domain_applicability": applicability(query, found)}
    dimensions = rows.dimensions_of(found, moment.recorded or moment.now)
    return _Near(found, dimensions, row["similarity"], row["entities"])


def _parts(near: _Near, asked: frozenset[str], moment: Moment) -> tuple[float, float, float]:
    """Semantic, confidence and recency."""
    return (
        semantic(near.similarity, asked, near.known["content"]),
        near.dimensions.overall,
        recency(near.known["recorded_at"], moment.recorded or moment.now),
    )


def _score(parts: tuple[float, float, float], weights: RankingWeights) -> float:
    weighed = (weights.semantic, weights.confidence, weights.recency)
    return sum(weight * value for weight, value in zip(weighed, parts, strict=True)) / sum(weighed)


def _hit(score: float, near: _Near, parts: tuple[float, float, float], query: BeliefQuery, moment: Moment) -> BeliefHit:
    told = None
    if query.explain:
        told = RankingExplanation(
            semantic=clip01(parts[0]), confidence=parts[1], recency=clip01(parts[2]), weights=query.ranking
        )
    return BeliefHit(
        belief=rows.belief_of(near.known, near.entities, moment.recorded or moment.now),
        similarity=max(-1.0, min(1.0, near.similarity)),
        final_score=clip01(score),
        ranking=told,
    )


def _refusals(near: _Near, query: BeliefQuery, moment: Moment) -> Iterator[str]:
    """Yield what stands against a belief, by the names of the request's fields, in the order they are counted in."""
    known = near.known
    if known.get("merged_into") is not None:
        yield "merged"
    if known["status"] == "retracted":
        yield "retracted"
    if known["status"] == "archived" and not query.include_archived:
        yield "include_archived"
    if known["status"] == "superseded" and not (query.wants_superseded or _still_holds(known, moment)):
        yield "include_superseded"
    if not _valid(known, query, moment):
        yield "as_of_valid"
    if query.domain_filter and not {one.casefold() for one in query.domain_filter} & {
        one.casefold() for one in known["domain_path"] or ()
    }:
        yield "domain_filter"
    if query.entity_id is not None and query.entity_id not in {entity[0] for entity in near.entities}:
        yield "entity_id"
    if query.min_similarity is not None and near.similarity < query.min_similarity:
        yield "min_similarity"
    for name in type(query.floors).model_fields:
        floor, value = getattr(query.floors, name), getattr(near.dimensions, name)
        if floor is not None and (value is None or value < floor):
            yield f"floors.{name}"


def _still_holds(known: Mapping[str, Any], moment: Moment) -> bool:
    """Tell whether what took its place begins only later."""
    until: datetime | None = known.get("valid_until")
    return until is not None and until > moment.valid


def _valid(known: Mapping[str, Any], query: BeliefQuery, moment: Moment) -> bool:
    """Tell whether it was true then; one that was superseded ended there, which asking for superseded ones forgives."""
    start, end = known.get("valid_from"), known.get("valid_until")
    ended = end is not None and end <= moment.valid
    forgiven = known["status"] == "superseded" and query.as_of_valid is None
    return (start is None or start <= moment.valid) and (not ended or forgiven)


class ToldBelief(NamedTuple):
    """A belief that was told, the entry of the author, and the session, if there was one."""

    scope: str
    belief_id: str
    entry: str
    session_id: str | None


def _lost(recalls: Sequence[ToldBelief], reason: str) -> None:
    logger(__name__).warning("recalls were not noted", recalls=len(recalls), reason=reason)


_BATCH = 500
_MOST_WAITING = 100_000

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
        self._recalls: Outbox[ToldBelief] = Outbox(
            self._note, batch=_BATCH, most=_MOST_WAITING, on_loss=_lost, name="note recalls"
        )

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
            min_relevance=0,
            ranking=RankingWeights(semantic=1, confidence=0, recency=0),
            session_id=search.session_id,
            limit=search.limit,
        )
        found = await self._answer(query, caller, words=False)
        nearest = sorted(found.items, key=lambda hit: (-hit.similarity, hit.belief.id))
        return found.model_copy(update={"items": tuple(nearest)})

    def told(self, beliefs: Iterable[tuple[str, str]], session_id: str | None, caller: Caller) -> None:
        """Note in the background to whom beliefs (scope, id) were told: what they say of them corroborates nothing.

        Only where the caller may write: who may read alone leaves no trace.
        """
        at = self._ground.now()
        for scope, belief_id in beliefs:
            if caller.may_write(scope):
                self._recalls.add(ToldBelief(scope, belief_id, told_entry(caller.author, at), session_id))

    async def settled(self) -> None:
        """Return when all that was told so far is noted."""
        await self._recalls.settled()

    async def _note(self, recalls: Sequence[ToldBelief]) -> None:
        rows = [one._asdict() for one in sorted(set(recalls), key=lambda one: (one.belief_id, one.entry))]
        scopes = sorted({one.scope for one in recalls})
        await self._ground.graph.run("knowledge/note_recall", rows=rows, scopes=scopes, at=self._ground.now())

    async def _answer(self, query: BeliefQuery, caller: Caller, *, words: bool) -> BeliefHits:
        ground = self._ground
        scopes = await ground.readable(caller, query.scopes)
        now = ground.now()
        moment = Moment(now, query.as_of_valid or query.as_of_recorded or now, query.as_of_recorded)
        found = await self._candidates(query, scopes, moment, words=words)
        hits, removed = chosen(found, query, moment, words=words)
        self.told(((hit.belief.scope, hit.belief.id) for hit in hits), query.session_id, caller)
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
            "fields": [*FIELDS, *(rows.PAST if past is not None else ())],
            "scopes": list(scopes),
        }
        if past is not None:
            limit = max(_LEAST, _PAST_WIDTH * query.limit)
            return await self._ground.graph.run("knowledge/search_past", **asked, recorded=past, limit=limit)
        limit = max(_LEAST, WIDTH * query.limit)
        return await self._ground.graph.run(
            "knowledge/search_beliefs", **asked, statuses=_statuses(query), now=moment.valid, limit=limit
        )

    async def _reason(self, considered: int, removed: Sequence[Removed], scopes: Sequence[str]) -> str:
        """Say why an answer is empty."""
        if considered:
            took = ", ".join(f"{one.by} took {one.count}" for one in removed)
            return f"of {considered} near beliefs none is left: {took}"
        counted = await self._ground.graph.run("knowledge/count_beliefs", scopes=list(scopes))
        if not counted:
            return "no beliefs are kept in these scopes"
        kept = ", ".join(f"{row['count']} {row['status']}" for row in counted)
        return f"nothing fits; these scopes keep {kept}"


def _statuses(query: BeliefQuery) -> list[str]:
    more = (("superseded", query.wants_superseded), ("archived", query.include_archived))
    return [*HELD, *(status for status, wanted in more if wanted)]


def _words(text: str, scopes: Sequence[str], past: datetime | None) -> str:
    """A Lucene query for the text's words within scopes; empty where it has no words."""
    escaped = escape(text)
    return requiring(scopes, f"{_upto(past)}+content:({escaped})") if escaped else ""


def _narrow(domains: Sequence[str], scopes: Sequence[str], past: datetime | None) -> str:
    """A Lucene query for everything of some domains within scopes; empty where none is asked for."""
    tokens = " ".join(map(domain_token, domains))
    return requiring(scopes, f"{_upto(past)}+domain_token:({tokens})") if tokens else ""


def _upto(past: datetime | None) -> str:
    """Requires, for a question about the past, an instant of recording up to then."""
    return f"+recorded_token:[0 TO {recorded_token(past)}] " if past is not None else ""
