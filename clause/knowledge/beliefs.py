"""Beliefs: stated once or many times, looked up, explained."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from clause.errors import NotFoundError
from clause.graph.scopes import Caller, parse_scope
from clause.ground import Ground
from clause.knowledge import belief_rows as rows
from clause.knowledge.models import Belief, BeliefCreate, BeliefCreated, EntityGiven
from clause.linking import EntityRef
from clause.text.names import hashed, name_key


class BeliefService:
    """What the doors may ask about beliefs.

    Args:
        ground: the open parts below.
    """

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    async def create(self, given: BeliefCreate, *, caller: Caller) -> BeliefCreated:
        """Hold a statement as a belief, or count it as one more statement of the same belief.

        Raises:
            ForbiddenError: the scope is not the caller's.
            NotFoundError: the source is not known, or not to this caller.
        """
        ground = self._ground
        scope, at = ground.writable(caller, given.scope), ground.now()
        names = [[one.name for one in given.entities]]
        embedding, linking = await asyncio.gather(
            ground.embedder.embed_query(given.content),
            ground.linker.link([given.content], scope, at, given=names),
        )
        source = rows.new_source(given, scope, at)
        belief_id = ground.ids()
        statement = {
            "id": belief_id,
            "scope": scope,
            "live_hash": rows.live_hash(given.content, given.valid_from, given.valid_until),
            "belief": rows.new_belief(given, belief_id, source, scope=scope, model=ground.embedder.model, at=at),
            "embedding": embedding,
            "recorded_at": at,
            "entities": _roles(linking.entities[0], given.entities),
            "source": source,
            "provenance": rows.provenance(given, source, ground.ids(), scope, at),
            "derived_from": list(given.derived_from),
            "scopes": list(parse_scope(scope).sees),
        }
        *_, made = await ground.graph.write([*linking.statements, ("knowledge/create_belief", statement)])
        if not made[0]["created"]:
            return await self._corroborated(str(made[0]["id"]), given, source, at=at, caller=caller)
        return BeliefCreated(outcome="created", belief=await self.get(belief_id, caller=caller))

    async def get(self, belief_id: str, *, caller: Caller) -> Belief:
        """The belief of this id.

        Raises:
            NotFoundError: there is none that this caller may see.
        """
        scopes = await self._ground.readable(caller, None)
        found = await self._ground.graph.run("knowledge/beliefs", ids=[belief_id], scopes=list(scopes))
        if not found:
            raise NotFoundError(f"no belief {belief_id[:80]!r}")
        return rows.belief_of(found[0])

    async def _corroborated(
        self,
        belief_id: str,
        given: BeliefCreate,
        source: dict[str, Any],
        *,
        at: datetime,
        caller: Caller,
    ) -> BeliefCreated:
        scope = str(source["scope"])
        if given.recalled:
            belief = await self.get(belief_id, caller=caller)
            return BeliefCreated(outcome="recalled", belief=belief, reason="a recalled text corroborates nothing")
        proof = rows.provenance(given, source, self._ground.ids(), scope, at)
        evidence = {
            "id": hashed("evb_", belief_id, proof["id"]),
            "scope": scope,
            "text": given.content,
            "content_hash": rows.content_hash(given.content),
            "recorded_at": at,
        }
        await self._ground.graph.write(
            [
                (
                    "knowledge/corroborate",
                    {
                        "id": belief_id,
                        "scope": scope,
                        "evidence": evidence,
                        "source": source,
                        "provenance": proof,
                        "recorded_at": at,
                    },
                ),
                rows.settling([belief_id], [scope], at),
            ]
        )
        belief = await self.get(belief_id, caller=caller)
        return BeliefCreated(outcome="corroborated", belief=belief, reason="the same text is held already")


def _roles(found: Sequence[EntityRef], given: Sequence[EntityGiven]) -> list[list[str]]:
    """[id, role] of each entity in the order of ids: as given, else the first is the subject, the others context."""
    asked = {name_key(one.name): one.role for one in given}
    said = [
        [entity.id, asked.get(name_key(entity.name), "subject" if place == 0 else "context")]
        for place, entity in enumerate(found)
    ]
    return sorted(said)
