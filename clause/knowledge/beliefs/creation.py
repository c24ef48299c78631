"""The way of a statement to a belief: looked around for the same and the contrary, then written in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from clause.arrays import Floats
from clause.errors import NotFoundError, OutOfBoundsError
from clause.graph.runner import Graph
from clause.graph.scopes import Caller, parse_scope
from clause.ground import Ground
from clause.knowledge.beliefs import origins, rows
from clause.knowledge.beliefs.candidates import NEVER_TOLD, Newcomer, Surroundings, pair_key, surroundings
from clause.knowledge.beliefs.confidence import CAPTURED_FROM, overall
from clause.knowledge.beliefs.models import NOWHERE, Belief, BeliefCreate, BeliefCreated, EntityGiven, SourcedStatement
from clause.knowledge.beliefs.rows import content_hash
from clause.knowledge.lineage.lineage import Settling
from clause.knowledge.tension_detection import Contradiction, Held
from clause.text.linking import Linking
from clause.text.names import name_key


async def take_numbers(graph: Graph, scope: str, name: str, count: int = 1, *, now: datetime | None = None) -> range:
    """The next `count` numbers of counter `name` in `scope`, starting at 1: never handed out twice, gaps may occur.

    Raises:
        OutOfBoundsError: `count` is below 1.
    """
    if count < 1:
        raise OutOfBoundsError(f"{count} numbers cannot be taken", field="count", bound=">= 1")
    row = await graph.one(
        "graph/take_numbers", scope=scope, name=name, count=count, recorded_at=now or datetime.now(UTC)
    )
    last = int(row["last"]) if row else 0
    return range(last - count + 1, last + 1)


UNTOLD: Final = "concept"
"""The kind of an entity of which nobody has said one."""

CAPTURES: Final = 10
"""Automatic beliefs of one session at most."""


@dataclass(frozen=True)
class Prepared:
    """A statement that is ready to be written.

    Attributes:
        given: what was said.
        id: the belief's, where it becomes a new one.
        scope, at: where and when it is written.
        source: the properties of its source.
        author: who records it.
        derived: whether it was concluded from what is kept here.
        embedding: of its text [d].
        linking: its entities, and what makes the new ones.
        roles: [id, role] of its entities in the order of ids.
        lineage: ids of nodes that it rests on; besides those that were given, beliefs that it repeats.
        lineage_scopes: the scopes that it sees, and in which these nodes are.
    """

    given: BeliefCreate
    id: str
    scope: str
    at: datetime
    source: dict[str, Any]
    author: str
    derived: bool
    embedding: Floats
    linking: Linking
    roles: list[list[str]]
    lineage: tuple[str, ...]
    lineage_scopes: list[str]

    def proof(self, given: SourcedStatement, provenance_id: str) -> dict[str, Any]:
        """The provenance of what was said, under an id."""
        return origins.provenance(
            given, self.source, provenance_id, scope=self.scope, at=self.at, author=self.author, derived=self.derived
        )

    @property
    def start(self) -> float:
        """The overall at which it starts as a belief, its lineage left aside."""
        return overall(rows.starting_dimensions(self.given, self.source["kind"]))

    @property
    def newcomer(self) -> Newcomer:
        """The statement as the look around takes it."""
        given = self.given
        subjects = frozenset(entity for entity, role in self.roles if role == "subject")
        valid = (given.valid_from, given.valid_until)
        held = Held(given.content, self.start, subjects, given.domain_path, valid)
        return Newcomer(held, self.scope, content_hash(given.content), self.embedding)


class Creation:
    """Makes beliefs of statements.

    Args:
        ground: the open parts below.
    """

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    async def create(self, given: BeliefCreate, caller: Caller) -> BeliefCreated:
        """Hold a statement as a belief, or count it as one more statement of a belief that says the same."""
        ready = await self.prepare(given, caller)
        if given.automatic and ready.start < CAPTURED_FROM:
            return BeliefCreated(outcome="skipped", belief=None, reason=f"below {CAPTURED_FROM} nothing is captured")
        around = await surroundings(self._ground, ready.newcomer)
        if around.same is not None:
            said = await self.state(around.same, given, ready, told=around.told)
            if said is not None:
                why = "the same text is held already" if around.exact else "a belief that says the same is held already"
                return self._answer(said, around, why)
        if given.recalled:
            return BeliefCreated(outcome="skipped", belief=None, reason="a recalled text is no news")
        if given.automatic and not await self._may_capture(ready):
            return BeliefCreated(outcome="skipped", belief=None, reason=f"a session captures {CAPTURES} at most")
        return await self._write(replace(ready, lineage=(*ready.lineage, *around.repeats)), around)

    async def prepare(self, given: BeliefCreate, caller: Caller, *, links: Sequence[Sequence[str]] = ()) -> Prepared:
        """Everything that a write needs to know: the source, the vector and the entities (`links` adds [id, role]).

        Raises:
            ForbiddenError: the scope is not the caller's.
            NotFoundError: the source, or a node that it was derived from, is not known to this caller.
        """
        ground = self._ground
        scope, at = ground.writable(caller, given.scope), ground.now()
        names = [one.name for one in given.entities]
        kinds = {name_key(one.name): one.kind for one in given.entities if one.kind is not None}
        (source, known), embedding, linking = await asyncio.gather(
            self._source(given, scope, at, caller),
            ground.embedder.embed_query(given.content),
            ground.linker.link([given.content], scope, at, given=[names], kinds=kinds),
        )
        linking = _of_kinds(linking, kinds, scope)
        found = dict(_roles(linking, given.entities)) | {one[0]: one[1] for one in links}
        roles = sorted([entity, role] for entity, role in found.items())
        derived = origins.is_derived(given, {one: row["label"] for one, row in known.items()})
        return Prepared(
            given=given,
            id=ground.ids(),
            scope=scope,
            at=at,
            source=source,
            author=caller.author,
            derived=derived,
            embedding=embedding,
            linking=linking,
            roles=roles,
            lineage=given.derived_from,
            lineage_scopes=sorted({*parse_scope(scope).sees, *(row["scope"] for row in known.values())}),
        )

    async def state(
        self, belief_id: str, given: SourcedStatement, ready: Prepared, *, told: Mapping[str, Any] = NEVER_TOLD
    ) -> BeliefCreated | None:
        """Count a statement for a held belief, which was `told` to some; None where it is not held any more."""
        scopes = list(parse_scope(ready.scope).sees)
        asked: dict[str, Any] = {"ids": [belief_id], "scopes": scopes}
        if origins.echoes(given, told, author=ready.author, at=ready.at):
            (row,) = await self._ground.graph.run("knowledge/beliefs", **asked)
            return BeliefCreated(outcome="recalled", belief=self._belief(row, ready.at))
        proof = ready.proof(given, self._ground.ids())
        stated = {
            "id": belief_id,
            "scope": ready.scope,
            "evidence": origins.evidence(ready.given.content, belief_id, proof, model=self._ground.embedder.model),
            "embedding": ready.embedding,
            "source": ready.source,
            "provenance": proof,
            "recorded_at": ready.at,
        }
        settle = rows.settling([belief_id], [ready.scope], ready.at)
        held, _, found = await self._ground.graph.write(
            [("knowledge/corroborate", stated), settle, ("knowledge/beliefs", asked)]
        )
        if not held:
            return None
        return BeliefCreated(outcome="corroborated", belief=self._belief(found[0], ready.at))

    def statement(self, ready: Prepared, *, after: str | None = None) -> Settling:
        """The statements that make the belief, and the entities that it is the first to name."""
        given, proof = ready.given, ready.proof(ready.given, f"prv_{ready.id}")
        belief = rows.new_belief(
            given, ready.id, ready.source, proof, scope=ready.scope, model=self._ground.embedder.model, at=ready.at
        )
        made = {
            "id": ready.id,
            "scope": ready.scope,
            "live_hash": belief["live_hash"],
            "belief": {**belief, "degree": len(ready.roles)},
            "embedding": ready.embedding,
            "recorded_at": ready.at,
            "entities": ready.roles,
            "source": ready.source,
            "provenance": proof,
            "scopes": list(parse_scope(ready.scope).sees),
            "after": after,
        }
        work: Settling = [*ready.linking.statements, ("knowledge/create_belief", made)]
        if ready.lineage:
            parents = {
                "id": ready.id,
                "scope": ready.scope,
                "parents": sorted(set(ready.lineage)),
                "scopes": ready.lineage_scopes,
                "recorded_at": ready.at,
            }
            work.append(("knowledge/derive_belief", parents))
        return work

    def tensions(self, ready: Prepared, contradictions: Mapping[str, Contradiction]) -> Settling:
        """The statements that raise the tensions of a new belief, and settle both sides."""
        if not contradictions:
            return []
        found = [tension_row(self._ground.ids(), other, ready.id, one) for other, one in sorted(contradictions.items())]
        raised = ("knowledge/raise_tensions", {"rows": found, "scope": ready.scope, "at": ready.at})
        return [raised, rows.settling([ready.id, *contradictions], [ready.scope], ready.at)]

    async def _write(self, ready: Prepared, around: Surroundings) -> BeliefCreated:
        work = self.statement(ready)
        raised = self.tensions(ready, around.contradictions)
        settle = [rows.settling([ready.id], [ready.scope], ready.at)] if ready.lineage and not raised else []
        work += [*raised, *settle]
        if raised or settle:
            work.append(("knowledge/beliefs", {"ids": [ready.id], "scopes": [ready.scope]}))
        results = await self._run(work)
        created = next(found for (name, _), found in zip(work, results, strict=True) if name.endswith("create_belief"))
        if not created[0]["created"]:
            said = await self.state(created[0]["id"], ready.given, ready)
            return (
                self._answer(said, around, "the same text was stated at the same instant")
                if said
                else (await self._write(ready, around))
            )
        belief = self._belief(results[-1][0], ready.at) if raised or settle else self._fresh(ready, work[-1][1])
        return BeliefCreated(
            outcome="created",
            belief=belief,
            candidates=around.verdicts,
            tensions=tuple(row["id"] for row in results[-3]) if raised else (),
        )

    async def _run(self, work: Settling) -> list[list[dict[str, Any]]]:
        """One statement goes alone (one round trip), several in one transaction."""
        if len(work) > 1:
            return await self._ground.graph.write(work)
        ((name, parameters),) = work
        return [await self._ground.graph.run(name, **parameters)]

    async def _source(
        self, given: BeliefCreate, scope: str, at: datetime, caller: Caller
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """The source, and label and scope of each node that is named, by its id: all of them are there."""
        own = origins.new_source(given, scope, at, author=caller.author)
        sessions = [given.session_id] if given.session_id is not None else []
        if given.source_id is None and not given.derived_from and not sessions:
            return own, {}
        scopes = list(await self._ground.readable(caller, None))
        found = await self._ground.graph.run(
            "knowledge/known_nodes", ids=[*given.derived_from, *sessions], source_id=given.source_id, scopes=scopes
        )
        named = {row["id"]: row for row in found if row["source"] is None}
        for parent in given.derived_from:
            if parent not in named:
                raise NotFoundError(f"no node {parent[:80]!r}", field="derived_from")
        for session in sessions:
            if session not in named or named[session]["label"] != "Session":
                raise NotFoundError(f"no session {session[:80]!r}", remedy="start it first", field="session_id")
        if given.source_id is None:
            return own, named
        known = next((row["source"] for row in found if row["id"] == given.source_id and row["source"]), None)
        if known is None or known.get("kind") == NOWHERE:
            raise NotFoundError(
                f"no source {given.source_id[:80]!r}", remedy="say in `source` who says it", field="source_id"
            )
        told = {key: value for key, value in known.items() if value is not None}
        return {"kind": "document", "scope": scope, "recorded_at": at, "version": 1, **told}, named

    async def _may_capture(self, ready: Prepared) -> bool:
        name = f"captures:{ready.given.session_id}"
        taken = await take_numbers(self._ground.graph, ready.scope, name, now=ready.at)
        return taken[0] <= CAPTURES

    def _fresh(self, ready: Prepared, made: Mapping[str, Any]) -> Belief:
        """The belief that was just written with the parameters `made`, without asking for it."""
        known = {entity.id: entity for entity in ready.linking.entities[0]}
        entities = [
            [entity, known[entity].name, known[entity].kind, role] for entity, role in ready.roles if entity in known
        ]
        return rows.belief_of(made["belief"], entities, ready.at)

    def _belief(self, row: Mapping[str, Any], at: datetime) -> Belief:
        return rows.belief_of(row["belief"], row["entities"], at)

    @staticmethod
    def _answer(said: BeliefCreated, around: Surroundings, reason: str) -> BeliefCreated:
        why = "a recalled text corroborates nothing" if said.outcome == "recalled" else reason
        return said.model_copy(update={"reason": why, "candidates": around.verdicts})


def tension_row(tension_id: str, first: str, second: str, found: Contradiction) -> dict[str, Any]:
    """A row of `knowledge/raise_tensions`: `first` was there first."""
    return {
        "id": tension_id,
        "pair": pair_key(first, second),
        "a": first,
        "b": second,
        "kind": found.kind,
        "severity": found.severity,
        "score": found.score,
        "similarity": found.similarity,
        "signals": list(found.signals),
    }


def _of_kinds(linking: Linking, kinds: Mapping[str, str], scope: str) -> Linking:
    """The entities with the kinds that were said, where nobody knew better than that they are concepts."""
    meant = {linking.given[key]: kind for key, kind in kinds.items()}
    told = {one.id: meant.get(one.id, one.kind) for one in linking.entities[0] if one.kind == UNTOLD}
    changed = [[entity, kind] for entity, kind in sorted(told.items()) if kind != UNTOLD]
    if not changed:
        return linking
    entities = tuple(one.model_copy(update={"kind": told.get(one.id, one.kind)}) for one in linking.entities[0])
    work = ("knowledge/tell_kinds", {"rows": changed, "scope": scope})
    return linking._replace(entities=(entities, *linking.entities[1:]), statements=(*linking.statements, work))


def _roles(linking: Linking, given: Sequence[EntityGiven]) -> list[tuple[str, str]]:
    """(id, role) of each entity: as given, else the first is the subject, the others context."""
    asked = {linking.given[name_key(one.name)]: one.role for one in given}
    return [
        (entity.id, asked.get(entity.id, "subject" if place == 0 else "context"))
        for place, entity in enumerate(linking.entities[0])
    ]
