"""Beliefs as the doors may ask about them, and the explanation of why one is held."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from clause.errors import ConflictError, ForbiddenError, NotFoundError
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.knowledge.beliefs.candidates import NEVER_TOLD
from clause.knowledge.beliefs.confidence import WEIGHTS, corroboration_label, independences
from clause.knowledge.beliefs.creation import Creation
from clause.knowledge.beliefs.models import (
    Belief,
    BeliefCreate,
    BeliefCreated,
    BeliefDetail,
    BeliefSupersede,
    BeliefVersion,
    ConfidenceDimensions,
    Corroboration,
    Corroborations,
    SourceCounted,
)
from clause.knowledge.beliefs.queries import Queries
from clause.knowledge.beliefs.query_models import (
    BeliefFilter,
    BeliefHits,
    BeliefQuery,
    BeliefSearch,
    ConfidenceExplanation,
    DimensionExplained,
)
from clause.knowledge.beliefs.rows import HELD, as_recorded, belief_of, origin_of
from clause.knowledge.beliefs.supersession import Supersession
from clause.knowledge.tensions import tension_of

Beliefs = list[Belief]
Rows = list[dict[str, Any]]


class BeliefService:
    """Beliefs stated, superseded, looked up and explained. Scopes outside the caller's are as if they were empty.

    Args:
        ground: the open parts below.
    """

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._creation = Creation(ground)
        self._supersession = Supersession(ground, self._creation)
        self._queries = Queries(ground)

    async def create(self, given: BeliefCreate, *, caller: Caller) -> BeliefCreated:
        """Hold a statement as a belief, or count it as one more statement of a belief that says the same.

        Raises:
            ForbiddenError: the scope is not the caller's.
            NotFoundError: the source, or a node that it was derived from, is not known to this caller.
        """
        await self.settled()
        return await self._creation.create(given, caller)

    async def corroborate(self, belief_id: str, given: Corroboration, *, caller: Caller) -> BeliefCreated:
        """Count one more statement for a belief that is known by its id.

        Raises:
            NotFoundError: there is no such belief or source that this caller may see.
            ForbiddenError: the caller may not write in its scope.
            ConflictError: the belief is not held any more.
        """
        await self.settled()
        belief = await self.get(belief_id, caller=caller)
        if belief.status not in HELD:
            raise ConflictError(f"the belief is {belief.status}", field="belief_id")
        said = {name: getattr(given, name) for name in type(given).model_fields if name != "content"}
        text = given.content or belief.content
        ready = await self._creation.prepare(BeliefCreate(content=text, scope=belief.scope, **said), caller)
        found = await self._ground.graph.run("knowledge/recalled_in", ids=[belief_id], scopes=[belief.scope])
        counted = await self._creation.state(belief_id, given, ready, told=found[0] if found else NEVER_TOLD)
        if counted is None:
            raise ConflictError("the belief has changed meanwhile", remedy="read it again, then write")
        reason = "a recalled text corroborates nothing" if counted.outcome == "recalled" else "counted by its id"
        return counted.model_copy(update={"reason": reason})

    async def confirm(self, belief_id: str, *, caller: Caller, confirmed: bool = True) -> Belief:
        """A person says that a belief is right, which makes it verified while it is not disputed; or takes that back.

        Raises:
            NotFoundError: there is no such belief that this caller may see.
            ForbiddenError: the caller is no person, or may not write in its scope.
            ConflictError: the belief is not held any more.
        """
        belief = await self.get(belief_id, caller=caller)
        caller.require_write(belief.scope)
        if not caller.is_person:
            raise ForbiddenError(
                "a person confirms, and this key is an agent's", remedy="use a key of `clause keys create --person`"
            )
        given = {"scope": belief.scope, "confirmed": confirmed, "author": caller.author, "at": self._ground.now()}
        asked = {"ids": [belief_id], "scopes": [belief.scope]}
        done, found = await self._ground.graph.write(
            [("knowledge/confirm_belief", {"id": belief_id, **given}), ("knowledge/beliefs", asked)]
        )
        if not done:
            raise ConflictError(f"the belief is {belief.status}", field="belief_id")
        return belief_of(found[0]["belief"], found[0]["entities"], self._ground.now())

    async def supersede(
        self, belief_id: str, given: BeliefSupersede, *, caller: Caller, versions: tuple[int, ...] | None = None
    ) -> Belief:
        """The belief that takes the place of another; what is not given it inherits from the old one.

        Args:
            belief_id: the old belief.
            given: what is held from now on.
            caller: who asks.
            versions: of the old belief that are accepted (If-Match); None accepts any.

        Raises:
            NotFoundError: there is no such belief that this caller may see.
            ForbiddenError: the caller may not write in its scope.
            ConflictError: it is not held any more.
            PreconditionError: its version is another one.
        """
        return await self._supersession.supersede(belief_id, given, caller, versions)

    async def get(self, belief_id: str, *, caller: Caller, as_of_recorded: datetime | None = None) -> BeliefDetail:
        """The belief of this id with its history both ways and its tensions; or as it was known at an instant.

        Raises:
            NotFoundError: there is none that this caller may see, or none was known then.
        """
        row = await self._row(belief_id, caller)
        at = as_of_recorded or self._ground.now()
        known = row["belief"] if as_of_recorded is None else as_recorded(row["belief"], as_of_recorded)
        if known is None:
            raise NotFoundError(f"no belief {belief_id[:80]!r}")
        belief = belief_of(known, row["entities"], at)
        seen = (lambda found: found["recorded_at"] <= at) if as_of_recorded else (lambda _found: True)
        return BeliefDetail(
            **dict(belief),
            supersedes=tuple(BeliefVersion.model_validate(one) for one in row["older"] if seen(one)),
            superseded_by=tuple(BeliefVersion.model_validate(one) for one in row["newer"] if seen(one)),
            tensions=tuple(tension_of(one, at) for one in row["tensions"] if seen(one)),
        )

    async def list(self, wanted: BeliefFilter, *, caller: Caller) -> Beliefs:
        """Beliefs, newest first.

        Raises:
            BadInputError, ForbiddenError: of the scopes that are named.
        """
        scopes = await self._ground.readable(caller, wanted.scopes)
        found = await self._ground.graph.run(
            "knowledge/list_beliefs",
            scopes=list(scopes),
            statuses=[wanted.status] if wanted.status else list(HELD),
            entity_id=wanted.entity_id,
            session_id=wanted.session_id,
            after=wanted.after,
            limit=wanted.limit,
        )
        now = self._ground.now()
        return [belief_of(row["belief"], row["entities"], now) for row in found]

    async def query(self, query: BeliefQuery, *, caller: Caller) -> BeliefHits:
        """The beliefs that answer a question, by meaning and words, best first; where there are none, why."""
        return await self._queries.query(query, caller)

    async def search(self, search: BeliefSearch, *, caller: Caller) -> BeliefHits:
        """The nearest beliefs by meaning alone; where there are none, why."""
        return await self._queries.search(search, caller)

    def told(self, beliefs: Iterable[tuple[str, str]], session_id: str, *, caller: Caller) -> None:
        """Note that beliefs (scope, id) were told to a session: what it says of them again corroborates nothing."""
        self._queries.told(beliefs, session_id, caller)

    async def settled(self) -> None:
        """Return when it is noted to whom beliefs were told; a statement waits for it, to know an echo."""
        await self._queries.settled()

    async def explain(self, belief_id: str, *, caller: Caller) -> ConfidenceExplanation:
        """Explain how the confidence of a belief came to be, and what would raise it.

        Raises:
            NotFoundError: there is none that this caller may see.
        """
        row, statements = await self._with_statements(belief_id, caller)
        belief = belief_of(row["belief"], row["entities"], self._ground.now())
        return explain(belief, statements, row["belief"])

    async def corroboration(self, belief_id: str, *, caller: Caller) -> Corroborations:
        """Tell who says a belief besides its first source.

        Raises:
            NotFoundError: there is none that this caller may see.
        """
        row, statements = await self._with_statements(belief_id, caller)
        belief = belief_of(row["belief"], row["entities"], self._ground.now())
        return corroborations(belief, statements, row["belief"].get("upstream") or ())

    async def _with_statements(self, belief_id: str, caller: Caller) -> tuple[Mapping[str, Any], Rows]:
        row = await self._row(belief_id, caller)
        scope = row["belief"]["scope"]
        return row, await self._ground.graph.run("knowledge/statements", id=belief_id, scopes=[scope])

    async def _row(self, belief_id: str, caller: Caller) -> dict[str, Any]:
        scopes = await self._ground.readable(caller, None)
        row = await self._ground.graph.one("knowledge/belief_detail", id=belief_id, scopes=list(scopes))
        if row is None:
            raise NotFoundError(f"no belief {belief_id[:80]!r}")
        return row


ADVICE: Final[Mapping[str, tuple[float, str]]] = {
    "source_reliability": (0.5, "verify the source"),
    "corroboration": (0.3, "find further sources"),
    "temporal_freshness": (0.5, "refresh it: state it again or supersede it"),
    "internal_consistency": (0.5, "review its tensions"),
}
"""Below which value of a dimension what is advised; a dimension that is absent counts as 0 for corroboration alone."""


def explain(belief: Belief, statements: Sequence[Mapping[str, Any]], known: Mapping[str, Any]) -> ConfidenceExplanation:
    """The explanation of a belief, given rows of `knowledge/statements` and the properties that are kept of it."""
    values = belief.confidence
    present = {name: weight for name, weight in WEIGHTS.items() if getattr(values, name) is not None}
    total = sum(present.values())
    counted = count_sources(statements, known.get("upstream") or ())
    return ConfidenceExplanation(
        belief_id=belief.id,
        content=belief.content,
        overall=values.overall,
        stage=belief.stage,
        label=corroboration_label(max(0, belief.sources - 1)),
        dimensions=tuple(
            DimensionExplained(
                name=name,
                value=getattr(values, name),
                weight=weight,
                share=present.get(name, 0.0) / total if total else 0.0,
                how=_how(name, belief),
            )
            for name, weight in WEIGHTS.items()
        ),
        ceiling=known.get("ceiling"),
        advice=advice(values),
        sources=counted,
    )


def corroborations(
    belief: Belief, statements: Sequence[Mapping[str, Any]], upstream: Sequence[str] = ()
) -> Corroborations:
    """Tell who says a belief besides its first source; `upstream`: the voices of its lineage."""
    more = max(0, belief.sources - 1)
    return Corroborations(
        belief_id=belief.id,
        corroborations=more,
        label=corroboration_label(more),
        statements=belief.statements,
        corroboration=belief.confidence.corroboration,
        sources=count_sources(statements, upstream),
    )


def count_sources(statements: Sequence[Mapping[str, Any]], upstream: Sequence[str] = ()) -> tuple[SourceCounted, ...]:
    """Each statement with what it counts for, in order of recording; `upstream`: the voices of the lineage."""
    values = independences([origin_of(row) for row in statements], upstream)
    return tuple(
        SourceCounted(
            source_id=row["source_id"],
            kind=row["kind"] or "unknown",
            title=row["title"] or "",
            session_id=row["session_id"],
            reliability=row["reliability"],
            independence=value,
            recorded_at=row["recorded_at"],
        )
        for row, value in zip(statements, values, strict=True)
    )


def advice(values: ConfidenceDimensions) -> tuple[str, ...]:
    """Suggest what would raise the confidence.

    >>> advice(ConfidenceDimensions(source_reliability=0.4, temporal_freshness=0.9, overall=0.5))
    ('verify the source', 'find further sources')
    """
    absent = {"corroboration": 0.0}
    return tuple(
        said
        for name, (bound, said) in ADVICE.items()
        if (value := getattr(values, name) if getattr(values, name) is not None else absent.get(name)) is not None
        and value < bound
    )


def _how(name: str, belief: Belief) -> str:
    """Say in words how one dimension came to be."""
    said = {
        "source_reliability": f"it came by {belief.signal.replace('_', ' ')}, or as the caller set it",
        "method_quality": f"it was extracted by {belief.extraction_method}, from {belief.signal.replace('_', ' ')}",
        "internal_consistency": f"{belief.open_tensions} open tensions",
        "temporal_freshness": f"last stated {belief.confirmed_at.date()}, half-life {belief.decay}",
        "corroboration": f"{belief.sources} independent sources in {belief.statements} statements",
        "domain_applicability": "as the caller set it",
    }
    value = getattr(belief.confidence, name)
    return f"absent: {said[name]}" if value is None else said[name]
