"""Attractor basins, found by concept: how firmly an entity is known, from the documents that name it (spec:
intelligence.md).

strength starts at 1.0; each further document that names the concept adds an increment (0.2), then the sum is capped at
2.0. Increments are commutative deltas made under the entity's lock, so that concurrent writers lose none. An idle week
takes 0.1 off, never below 1.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from clause.errors import AmbiguousNameError, NotFoundError
from clause.graph.lease import Lease
from clause.graph.scopes import Caller, scope_token
from clause.ground import CLOSE, INCREMENT, LEAST, MOST, STATES, Ground, basin_id, strengthening
from clause.intelligence.models import Basin, Strengthened, StrengthenRequest
from clause.text.linking import MOST_FOUND, phrases
from clause.text.names import canonical_key, entity_id, name_key, normalise

Work = list[tuple[str, dict[str, Any]]]


class Concepts:
    """Finds the entities of concepts; one look at the graph for all of them."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    async def resolve(self, names: Sequence[str], scopes: Sequence[str], *, field: str) -> dict[str, str]:
        """The entity id of each name: an id, else an exact name, else a name in any case, else an alias.

        Raises:
            NotFoundError: nothing carries a name; `field` is named.
            AmbiguousNameError: several entities do; `details["candidates"]` lists them.
        """
        rows = await self._known(names, scopes)
        found = {}
        for name in names:
            candidates = _called(name, rows)
            if not candidates:
                raise NotFoundError(f"no entity is called {name[:80]!r}", remedy="check the spelling", field=field)
            if len(candidates) > 1:
                raise AmbiguousNameError(
                    f"{len(candidates)} entities are called {name[:80]!r}",
                    remedy="name one by its id",
                    field=field,
                    details={"candidates": [{"id": row["id"], "name": row["name"]} for row in candidates[:20]]},
                )
            found[name] = str(candidates[0]["id"])
        return found

    async def ensure(self, names: Sequence[str], scope: str, recorded_at: datetime) -> tuple[list[str], Work]:
        """The entities of names within one scope, in order, and the statements that make those that nobody knows.

        Of several entities of one name the best connected is meant.
        """
        rows = await self._known(names, [scope])
        fresh: dict[str, list[Any]] = {}
        entities = []
        for name in names:
            candidates = _called(name, rows)
            if candidates:
                entities.append(str(candidates[0]["id"]))
                continue
            key = canonical_key(name)
            entity = entity_id(scope, key)
            fresh.setdefault(entity, [len(fresh), entity, key, normalise(name), name_key(name), "concept", []])
            entities.append(entity)
        return entities, await self._making(fresh, scope, recorded_at)

    async def _known(self, names: Sequence[str], scopes: Sequence[str]) -> Sequence[Mapping[str, Any]]:
        return await self._ground.graph.run(
            "intelligence/known_concepts",
            ids=[*names],
            keys=sorted({name_key(name) for name in names}),
            phrases=phrases(names, scopes),
            scopes=list(scopes),
            limit=MOST_FOUND,
        )

    async def _making(self, fresh: Mapping[str, list[Any]], scope: str, recorded_at: datetime) -> Work:
        if not fresh:
            return []
        rows = [fresh[entity] for entity in sorted(fresh)]
        vectors = await self._ground.embedder.embed([row[3] for row in rows])
        made = {"rows": rows, "scope": scope, "scope_token": scope_token(scope), "recorded_at": recorded_at}
        ids, model = [row[1] for row in rows], self._ground.embedder.model
        embedded = {"ids": ids, "vectors": list(vectors), "model": model, "scope": scope}
        return [("graph/merge_entities", made), ("graph/embed_new_entities", embedded)]


def _called(name: str, rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rows that a name means: by id, else by exact name, else by folded name, else by alias."""
    key, exact = name_key(name), normalise(name)
    return (
        [row for row in rows if name in row["found"]]
        or [row for row in rows if row["name"] == exact]
        or [row for row in rows if name_key(row["name"]) == key]
        or [row for row in rows if key in map(name_key, row["aliases"])]
    )


DECAY_A_WEEK = 0.1
IDLE = timedelta(weeks=1)
DECIMALS = 12
"""A strength that decayed is rounded to so many, so that weeks taken one by one or together give the same."""
MANY_NEIGHBOURS, LEAST_COUNT = 1000, 2
"""Around a basin with more neighbours than this, pairs that were counted less often than that are dropped."""
_DECAY: Final[Mapping[str, Any]] = {
    "rate": DECAY_A_WEEK,
    "idle_s": int(IDLE.total_seconds()),
    "least": LEAST,
    "decimals": DECIMALS,
    "states": dict(STATES),
}
PAGE = 500
_SHOWN = 50


def strengthened(strength: float, increment: float = INCREMENT) -> float:
    """The strength after one more document: add, then cap; a sum within 1e-9 of the cap is the cap.

    >>> strengthened(1.0), strengthened(1.7999999999999998)
    (1.2, 2.0)
    """
    total = strength + increment
    return MOST if total > MOST - CLOSE else total


def decayed(strength: float, idle: timedelta) -> float:
    """The strength after being idle: 0.1 less for each whole week, never below 1.0.

    >>> decayed(1.4, timedelta(days=15)), decayed(1.1, timedelta(weeks=9))
    (1.2, 1.0)
    """
    return max(LEAST, round(strength - DECAY_A_WEEK * (idle // IDLE), DECIMALS))


class Basins:
    """The basins of one graph."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._concepts = Concepts(ground)

    async def strengthen(self, request: StrengthenRequest, *, caller: Caller) -> Strengthened:
        """Strengthen the basins of a document's concepts; concepts that nobody knows become entities.

        The same document counts once for a concept, however often it is sent.

        Raises:
            ForbiddenError: the scope is not this caller's to write.
        """
        scope = self._ground.writable(caller, request.scope)
        recorded_at = self._ground.now()
        entities, making = await self._concepts.ensure(request.concepts, scope, recorded_at)
        work = strengthening({request.document_id: entities}, scope, recorded_at, request.increment)
        known = ("graph/register_scope", {"scope": scope, "recorded_at": recorded_at})
        await self._ground.graph.write([known, *making, work])
        ids = [basin_id(entity) for entity in dict.fromkeys(entities)]
        basins = await self._read(ids, [scope])
        await self.prune([basin.id for basin in basins if basin.neighbour_count > MANY_NEIGHBOURS], scope)
        return Strengthened(document_id=request.document_id, basins=basins)

    async def get(self, basin: str, *, caller: Caller) -> Basin:
        """One basin, by its id or its entity's id.

        Raises:
            NotFoundError: there is none that this caller may read.
        """
        scopes = await self._ground.readable(caller, None)
        row = await self._ground.graph.one("intelligence/basin_of", id=basin, scopes=list(scopes))
        found = await self._read([row["id"]], scopes) if row else []
        if not found:
            raise NotFoundError(f"no basin has the id {basin!r}", field="basin_id")
        return found[0]

    async def prune(self, basins: Sequence[str], scope: str) -> int:
        """Drop the rarest pairs around basins that have very many; how many were dropped."""
        if not basins:
            return 0
        row = await self._ground.graph.one(
            "intelligence/prune_pairs", ids=sorted(basins), scope=scope, least=LEAST_COUNT, many=MANY_NEIGHBOURS
        )
        return int(row["pruned"]) if row else 0

    async def prune_crowded(self, scopes: Sequence[str]) -> int:
        """Prune around every basin of some scopes that has very many neighbours, however they came; how many pairs."""
        rows = await self._ground.graph.run("intelligence/crowded_basins", scopes=list(scopes), many=MANY_NEIGHBOURS)
        return sum([await self.prune(row["ids"], row["scope"]) for row in rows])

    async def decay(self, scopes: Sequence[str], now: datetime) -> dict[str, int]:
        """Let idle basins of some scopes decay; how many did, and how many of them sleep now."""
        total = {"decayed": 0, "asleep": 0}
        after = ""
        while rows := await self._ground.graph.run(
            "intelligence/idle_basins",
            scopes=list(scopes),
            before=now - IDLE,
            after=after,
            states=dict(STATES),
            limit=PAGE,
        ):
            after = str(rows[-1]["id"])
            pairs = sorted(([row["id"], row["entity_id"]] for row in rows), key=lambda pair: str(pair[1]))
            done = await self._ground.graph.one("intelligence/decay", ids=pairs, scopes=list(scopes), now=now, **_DECAY)
            for name in total:
                total[name] += int(done[name]) if done else 0
        return total

    async def decay_job(self, lease: Lease) -> None:
        """The job `basin_decay`: idle basins of the job's scope decay; running it twice does no more than once."""
        done = await self.decay([lease.job.scope], self._ground.now())
        message = f"{done['decayed']} basins decayed, {done['asleep']} of them sleep"
        await lease.progress(done["decayed"], done["decayed"], message)

    async def _read(self, ids: Sequence[str], scopes: Sequence[str]) -> list[Basin]:
        rows = await self._ground.graph.run(
            "intelligence/basins", ids=list(ids), scopes=list(scopes), neighbours=_SHOWN
        )
        found = {row["basin"]["id"]: _basin(row) for row in rows}
        return [found[basin] for basin in ids if basin in found]


def _basin(row: Mapping[str, Any]) -> Basin:
    values = {name: value for name, value in row["basin"].items() if value is not None}
    values["concept"] = values.pop("name")
    return Basin(**values, co_occurring=dict(row["co_occurring"]), neighbour_count=row["neighbour_count"])
