"""Conflicts of insights: found when one is stored, listed, settled; where many or old ones wait, a synthesis is
proposed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from clause.arrays import Floats
from clause.errors import ConflictError, NotFoundError, OutOfBoundsError, PreconditionError
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.insights.conflict_models import Conflict, Resolution, ResolveConflict, StoredInsight, SynthesisProposal
from clause.insights.models import Insight, Valences
from clause.insights.nodes import conflict_of
from clause.insights.retriever import OWNER
from clause.insights.topics import parse_topic
from clause.text.statements.guards import CANDIDATE, contradiction
from clause.text.statements.pair_classifier import COVERED, covered, read_pair

MANY = 3
"""Unresolved conflicts on a topic that ask for a synthesis."""

OLD_DAYS = 30
"""Days after which a single one does."""

_ALL = 1000


class ConflictResolver:
    """Reads and settles conflicts.

    Args:
        ground: graph, clock and ids.
    """

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._graph = ground.graph

    async def conflicts(
        self,
        *,
        topic_key: str | None = None,
        resolved: bool | None = None,
        scopes: Sequence[str] | None = None,
        limit: int = 20,
        after: str | None = None,
        caller: Caller = OWNER,
    ) -> list[Conflict]:
        """Conflicts, newest first, older than the one with id `after`; those with quarantined insights left out."""
        rows = await self._graph.run(
            "insights/conflicts",
            scopes=list(await self._ground.readable(caller, scopes)),
            topic_key=str(parse_topic(topic_key)) if topic_key else None,
            resolved=resolved,
            before=after,
            limit=limit,
        )
        return [conflict_of(row) for row in rows]

    async def conflict(self, conflict_id: str, *, caller: Caller = OWNER) -> Conflict:
        """One conflict.

        Raises:
            NotFoundError: there is none that may be shown to this caller.
        """
        row = await self._graph.one("insights/conflict", id=conflict_id, scopes=None)
        if row is None or not caller.may_read(row["conflict"]["scope"]):
            raise NotFoundError(f"no conflict is called {conflict_id[:80]!r}", field="conflict_id")
        return conflict_of(row)

    async def resolve(
        self,
        conflict_id: str,
        request: ResolveConflict,
        *,
        versions: Sequence[int] | None = None,
        caller: Caller = OWNER,
    ) -> Conflict:
        """Settle a conflict: one side holds, both hold in their context, a synthesis joins them, or a paradox is kept.

        Raises:
            NotFoundError: there is no such conflict or synthesis, or none that may be shown to this caller.
            OutOfBoundsError: the resolution lacks what it needs.
            ConflictError: it is settled already.
            PreconditionError: it is of another version by now.
        """
        conflict = await self.conflict(conflict_id, caller=caller)
        caller.require_write(conflict.scope)
        if versions is not None and conflict.version not in versions:
            raise PreconditionError(f"the version is now {conflict.version}", field="If-Match")
        superseding, synthesis = await self._checked(conflict, request)
        row = await self._graph.one(
            "insights/resolve_conflict",
            id=conflict_id,
            scope=conflict.scope,
            resolution=request.resolution.value,
            superseding=superseding,
            synthesis=synthesis,
            reason=request.reason,
            changes=[self._ground.ids(), self._ground.ids()],
            now=self._ground.now(),
        )
        if row is None:
            raise ConflictError("the conflict is settled already", field="conflict_id")
        return await self.conflict(conflict_id, caller=caller)

    async def proposals(
        self,
        *,
        topic_key: str | None = None,
        scopes: Sequence[str] | None = None,
        limit: int = 20,
        caller: Caller = OWNER,
    ) -> list[SynthesisProposal]:
        """Topics with 3 unresolved conflicts, or with one of more than 30 days: longest waiting first."""
        readable = list(await self._ground.readable(caller, scopes))
        return await self._proposals(readable, str(parse_topic(topic_key)) if topic_key else None, limit)

    async def of_stored(self, insight: Insight) -> StoredInsight:
        """A new insight with its conflicts, and the proposal for its topic where one is due."""
        found = await self._graph.run(
            "insights/conflicts",
            scopes=[insight.scope],
            topic_key=insight.topic_key,
            resolved=False,
            before=None,
            limit=_ALL,
        )
        conflicts = tuple(
            conflict for conflict in map(conflict_of, found) if insight.id in {conflict.insight_id, conflict.other_id}
        )
        due = await self._proposals([insight.scope], insight.topic_key, 1) if conflicts else []
        return StoredInsight(insight=insight, conflicts=conflicts, synthesis=due[0] if due else None)

    async def _proposals(self, scopes: list[str], topic_key: str | None, limit: int) -> list[SynthesisProposal]:
        rows = await self._graph.run(
            "insights/unresolved",
            scopes=scopes,
            topic_key=topic_key,
            many=MANY,
            old=self._ground.now() - timedelta(days=OLD_DAYS),
            limit=limit,
        )
        return [_proposal(row) for row in rows]

    async def _checked(self, conflict: Conflict, request: ResolveConflict) -> tuple[str | None, str | None]:
        """The insight that supersedes and the one that joins both, each where the resolution asks for it."""
        two = {conflict.insight_id, conflict.other_id}
        if request.resolution is Resolution.SUPERSEDED:
            if request.superseding_id not in two:
                raise OutOfBoundsError(
                    "one of the two has to hold",
                    field="superseding_id",
                    bound=f"{conflict.insight_id} or {conflict.other_id}",
                )
            return request.superseding_id, None
        if request.resolution is not Resolution.SYNTHESISED:
            return None, None
        if request.synthesis_id is None or request.synthesis_id in two:
            raise OutOfBoundsError(
                "an insight that joins both has to be named",
                remedy="store one made of the two, and name it",
                field="synthesis_id",
                bound="the id of a third insight",
            )
        known = await self._graph.run("insights/known", ids=[request.synthesis_id], scope=conflict.scope)
        if not known:
            raise NotFoundError(f"no insight is called {request.synthesis_id[:80]!r}", field="synthesis_id")
        return None, request.synthesis_id


def _proposal(row: dict[str, Any]) -> SynthesisProposal:
    reason = "three_unresolved" if row["unresolved"] >= MANY else "thirty_days"
    return SynthesisProposal.model_validate({**row, "reason": reason})


OPPOSED = (
    ("warmth", "tension"),
    ("warmth", "concern"),
    ("joy", "grief"),
    ("joy", "concern"),
    ("peace", "grief"),
    ("peace", "tension"),
    ("peace", "longing"),
    ("gratitude", "tension"),
    ("gratitude", "grief"),
)
"""Feelings that do not lean the same way. Curiosity and awe go with everything."""

LEAN = 0.4
"""The least lean of an insight to one side, and of the other insight to the other."""

NEAR = 0.75
"""The least similarity of insights whose feelings are compared: below it they say different things of their topic; so
do those that share no more than its name (see `covered`), unless they are as near as one statement to itself."""

MOST_CANDIDATES = 10
CANDIDATE_DAYS = 30


@dataclass(frozen=True)
class EarlierInsight:
    """An earlier insight on the same topic: id, content, valences, embedding [d], and its similarity to the new one."""

    id: str
    content: str
    valences: Valences
    embedding: Floats
    similarity: float


def opposed(first: Valences, second: Valences) -> tuple[str, ...]:
    """The pairs of feelings in which two insights lean to opposite sides, as `warmth / tension`.

    An insight leans by the difference of the two; one that feels both alike leans nowhere.

    >>> opposed(Valences(warmth=0.8), Valences(tension=0.7))
    ('warmth / tension',)
    >>> opposed(Valences(warmth=0.8, tension=0.7), Valences(tension=0.7))
    ()
    """
    return tuple(
        f"{one} / {other}"
        for one, other in OPPOSED
        if _lean(first, one, other) * _lean(second, one, other) < 0
        and min(abs(_lean(first, one, other)), abs(_lean(second, one, other))) >= LEAN
    )


def conflict_signals(content: str, valences: Valences, embedding: Floats, other: EarlierInsight) -> tuple[str, ...]:
    """The signals for a conflict of a new insight with an earlier one; () where nothing speaks for it.

    Words of the texts are not in it: of `exclusive: blue / red` only `exclusive` stays.
    """
    alike = other.similarity > CANDIDATE or covered(read_pair(content, other.content)) >= COVERED
    feelings = opposed(valences, other.valences) if alike and other.similarity >= NEAR else ()
    verdict = contradiction(
        content, other.content, other.similarity, vectors=(embedding, other.embedding), same_subject=True
    )
    words = tuple(signal.partition(":")[0] for signal in verdict.signals) if verdict.found else ()
    return tuple(dict.fromkeys((*feelings, *words)))


def _lean(valences: Valences, one: str, other: str) -> float:
    left, right = getattr(valences, one), getattr(valences, other)
    return float((left or 0.0) - (right or 0.0))
