"""Supersession: a belief takes the place of another, in one transaction; the second of two who try gets a conflict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from clause.errors import ConflictError, NotFoundError, PreconditionError
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.knowledge.beliefs.candidates import Surroundings, surroundings
from clause.knowledge.beliefs.confidence import CORROBORATED
from clause.knowledge.beliefs.creation import Creation, Prepared
from clause.knowledge.beliefs.models import Belief, BeliefCreate, BeliefSupersede, ConfidenceGiven
from clause.knowledge.beliefs.rows import HELD, belief_of, dimensions_of, live_hash, settling
from clause.knowledge.lineage.lineage import Settling
from clause.knowledge.tension_detection import Contradiction, severity

SIGNAL: Final = "superseded without authority"
"""The signal of a tension that a supersession left."""

_TOLERANCE = 1e-6


class Supersession:
    """Puts one belief in the place of another, if it has at least its authority; else the two are in tension.

    Args:
        ground: the open parts below.
        creation: makes the newcomer.
    """

    def __init__(self, ground: Ground, creation: Creation) -> None:
        self._ground = ground
        self._creation = creation

    async def supersede(
        self, belief_id: str, given: BeliefSupersede, caller: Caller, versions: tuple[int, ...] | None
    ) -> Belief:
        """The belief that holds the new text; what is not given it inherits from the old one.

        One that inherits its confidence, or says the same, rests on what the old one rests on. With less confidence
        than the old one has, or where more independent sources say the old one, both are held, with a tension.

        Raises:
            NotFoundError: there is no such belief that this caller may see.
            ForbiddenError: the caller may not write in its scope.
            ConflictError: it is not held any more.
            PreconditionError: its version is none of `versions`.
        """
        graph = self._ground.graph
        readable = list(await self._ground.readable(caller, None))
        old = await self._held(belief_id, readable, versions)
        entities = [] if given.entities is not None else [[one[0], one[3]] for one in old["entities"]]
        ready = await self._creation.prepare(inherited(given, old["belief"]), caller, links=entities)
        around = await surroundings(self._ground, ready.newcomer)
        same = any(one.same for one in around.verdicts if one.belief_id == belief_id)
        inherits = given.signal is None and given.confidence is None and bool(old["belief"].get("upstream"))
        lineage = [belief_id] if same or inherits else []
        ready = replace(ready, lineage=(*lineage, *around.repeats), derived=ready.derived or bool(lineage))
        if not await self._may(ready, old["belief"], around):
            return await self._disputed(ready, old["belief"], around)
        against = {other: found for other, found in around.contradictions.items() if other != belief_id}
        near = await graph.one("knowledge/tension_neighbours", id=belief_id, scopes=readable)
        key = {"id": belief_id, "newcomer": ready.id, "at": ready.at}
        closed = {
            **key,
            "scopes": [ready.scope],
            "until": given.valid_from or ready.at,
            "reason": given.reason,
            "versions": None if versions is None else list(versions),
            **{name: old["belief"][name] for name in ("overall", "sources")},
        }
        made = self._creation.statement(ready, after=belief_id)
        live = live_hash(ready.given.content, ready.given.valid_from, ready.given.valid_until)
        touched = [belief_id, ready.id, *against, *(near["ids"] if near else [])]
        work: Settling = [
            ("knowledge/close_belief", closed),
            *made,
            ("knowledge/link_supersession", {**key, "scope": ready.scope, "live_hash": live}),
            *self._creation.tensions(ready, against)[:1],
            settling(touched, [ready.scope], ready.at),
        ]
        results = await graph.write(work)
        holder = results[1 + len(made)]
        if not holder:
            await self._held(belief_id, readable, versions)
            raise ConflictError("the belief has changed meanwhile", remedy="read it again, then write")
        return await self._found(holder[0]["id"], ready)

    async def _may(self, ready: Prepared, old: Mapping[str, Any], around: Surroundings) -> bool:
        """Tell whether the newcomer, or the belief that has its text already, has at least the old one's authority."""
        start, sources = ready.start, 1
        standing = dimensions_of(old, ready.at).overall
        if around.exact and around.same not in (None, old["id"]):
            for holder in await self._ground.graph.run("knowledge/beliefs", ids=[around.same], scopes=[ready.scope]):
                start, sources = dimensions_of(holder["belief"], ready.at).overall, holder["belief"]["sources"]
        elif ready.lineage:
            start = min(start, standing)
        return start >= standing - _TOLERANCE and (sources >= old["sources"] or old["sources"] < CORROBORATED)

    async def _disputed(self, ready: Prepared, old: Mapping[str, Any], around: Surroundings) -> Belief:
        """The newcomer, held beside the old belief, with a tension between the two."""
        similarity = next((one.similarity for one in around.verdicts if one.belief_id == old["id"]), 0.0)
        how_much = severity(min(ready.start, float(old["overall"])))
        plain = Contradiction("contradiction", how_much, 1.0, similarity, (SIGNAL,))
        against = {**around.contradictions, old["id"]: around.contradictions.get(old["id"], plain)}
        held = around.same if around.exact and around.same != old["id"] else None
        ready = ready if held is None else replace(ready, id=held)
        made = self._creation.statement(ready) if held is None else []
        await self._ground.graph.write([*made, *self._creation.tensions(ready, against)])
        return await self._found(ready.id, ready)

    async def _found(self, belief_id: str, ready: Prepared) -> Belief:
        found = await self._ground.graph.run("knowledge/beliefs", ids=[belief_id], scopes=[ready.scope])
        if not found:
            raise ConflictError("its text is held by another belief meanwhile", remedy="supersede again")
        return belief_of(found[0]["belief"], found[0]["entities"], ready.at)

    async def _held(self, belief_id: str, scopes: list[str], versions: tuple[int, ...] | None) -> Mapping[str, Any]:
        found = await self._ground.graph.run("knowledge/beliefs", ids=[belief_id], scopes=scopes)
        if not found:
            raise NotFoundError(f"no belief {belief_id[:80]!r}")
        belief = found[0]["belief"]
        if versions is not None and belief["version"] not in versions:
            raise PreconditionError(
                f"the version is now {belief['version']}",
                remedy="read it again and repeat the change",
                field="If-Match",
            )
        if belief["status"] not in HELD:
            raise ConflictError(
                f"the belief is {belief['status']}", remedy="supersede the one that is held", field="belief_id"
            )
        return found[0]


def inherited(given: BeliefSupersede, old: Mapping[str, Any]) -> BeliefCreate:
    """The newcomer as a statement: what was not given comes from the old belief's properties.

    Confidence: the old dimensions, unless a signal or dimensions are given; its sources said the old text, so that
    corroboration starts anew.
    """
    own = given.confidence
    if own is None and given.signal is None:
        own = ConfidenceGiven(
            source_reliability=old.get("c_source_reliability"),
            method_quality=old.get("c_method_quality"),
            internal_consistency=old.get("given_consistency"),
            domain_applicability=old.get("c_domain_applicability"),
        )
    stated = given.source is not None or given.source_id is not None or given.session_id is not None
    return BeliefCreate(
        content=given.content,
        scope=old["scope"],
        domain_path=tuple(old.get("domain_path") or ()) if given.domain_path is None else given.domain_path,
        entities=given.entities or (),
        signal=given.signal or old["signal"],
        confidence=own,
        decay=given.decay or old["decay"],
        valid_from=given.valid_from,
        valid_until=given.valid_until,
        visibility=given.visibility or old["visibility"],
        source_id=given.source_id if stated else old.get("source_id"),
        source=given.source,
        session_id=given.session_id,
        extraction_method=given.extraction_method,
        recalled=given.recalled,
    )
