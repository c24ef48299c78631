"""Concepts as callers name them (ids, names, aliases) and the entities that they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from clause.errors import AmbiguousNameError, NotFoundError
from clause.graph.scopes import scope_token
from clause.ground import Ground
from clause.text.names import canonical_key, entity_id, name_key, normalise

Work = list[tuple[str, dict[str, Any]]]


class Concepts:
    """Finds the entities of concepts; one look at the graph for all of them."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    async def resolve(self, names: Sequence[str], scopes: Sequence[str], *, field: str) -> dict[str, str]:
        """The entity id of each name: an id, else an exact name, else a name or alias in any case.

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
        keys = sorted({name_key(name) for name in names})
        return await self._ground.graph.run("intelligence/known_concepts", ids=[*names], keys=keys, scopes=list(scopes))

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
    """The rows that a name means: by id, else by exact name, else by folded name or alias."""
    key, exact = name_key(name), normalise(name)
    return (
        [row for row in rows if row["id"] == name]
        or [row for row in rows if row["name"] == exact]
        or [row for row in rows if key in {name_key(row["name"]), *(name_key(alias) for alias in row["aliases"])}]
    )
