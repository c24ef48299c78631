"""Entities: found by id, name or alias; searched; candidates that may be one; joined with what is the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Self

from pydantic import BaseModel, Field, model_validator

from clause.errors import AmbiguousNameError, BadInputError, NotFoundError, PreconditionError
from clause.graph.lease import Lease
from clause.graph.scopes import Caller, parse_scope
from clause.ground import Ground
from clause.knowledge.beliefs.models import EntityKind, require_order
from clause.knowledge.entity_models import (
    AliasAdd,
    Entity,
    EntityFound,
    EntitySearch,
    Name,
    ResolutionCandidate,
    Share,
)
from clause.knowledge.lineage.merging import MergeService
from clause.knowledge.lineage.models import Merge, MergeRequest
from clause.text.fields import Frozen, Instant, request_config
from clause.text.linking import EntityRef, Linking, phrases
from clause.text.names import name_key, normalise, register, stored_name
from clause.text.retrieval import clip01, escape, reciprocal_rank_fusion, requiring

_MOST = 64
_SHOWN = 10


class RelationCreate(BaseModel):
    """A relationship between two entities: the first one, what it has to do with the other, and the other."""

    model_config = request_config(source="Ann Lee", relation="works_at", target="Acme")

    source: Name = Field(description="where it starts: an entity's id, name or alias, or the name of a new one")
    relation: Name = Field(description="the relationship's type, in words: works_at")
    target: Name = Field(description="where it ends: an entity's id, name or alias, or the name of a new one")
    source_kind: EntityKind | None = Field(None, description="what kind of thing a new start is; a concept if not said")
    target_kind: EntityKind | None = Field(None, description="what kind of thing a new end is; a concept if not said")
    scope: str | None = Field(None, max_length=300, description="whose it is; the default scope if not said")
    strength: Share = Field(1.0, description="of a cause: the chance that it acts; else its weight")
    valid_from: Instant | None = Field(None, description="when it became true; null: always was")
    valid_until: Instant | None = Field(None, description="when it stopped being true; null: it holds")

    @model_validator(mode="after")
    def _sound(self) -> Self:
        require_order(self.valid_from, self.valid_until)
        return self


class EntityRelation(Frozen):
    """A relationship between two entities, as it is kept."""

    source: EntityRef = Field(description="where it starts")
    relation: str = Field(description="its type in the graph")
    target: EntityRef = Field(description="where it ends")
    scope: str = Field(description="whose it is")
    strength: Share = Field(description="of a cause: the chance that it acts; else its weight")
    valid_from: datetime | None = Field(description="when it became true")
    valid_until: datetime | None = Field(description="when it stopped being true")
    recorded_at: datetime = Field(description="when it became known here")
    created: bool = Field(description="false where the same relationship was kept already")


class EntityNeighbour(Frozen):
    """A relationship of an entity with another one, as the graph has it."""

    source: EntityRef = Field(description="where it starts")
    relation: str = Field(description="its type in the graph")
    target: EntityRef = Field(description="where it ends")


class EntityService:
    """The service that the doors ask about entities."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._merging = MergeService(ground, "Entity")

    async def get(self, reference: str, *, caller: Caller, scopes: Sequence[str] | None = None) -> Entity:
        """The entity of this id, exact name, or alias; a merged one is found by its id alone.

        Raises:
            NotFoundError: there is none that this caller may see.
            AmbiguousNameError: several carry the name; `details["candidates"]` lists them.
        """
        readable = await self._ground.readable(caller, scopes)
        by_id = await self._many([reference], readable)
        if by_id:
            return by_id[0]
        found = await self._named(reference, readable)
        exact = [one for one in found if normalise(one.name) == normalise(reference)] or found
        if not exact:
            raise NotFoundError(f"no entity is called {reference[:80]!r}", field="entity")
        if len(exact) > 1:
            listed = [{"id": one.id, "name": one.name, "kind": one.kind, "scope": one.scope} for one in exact[:_SHOWN]]
            raise AmbiguousNameError(
                f"{len(exact)} entities are called {reference[:80]!r}",
                remedy="ask by id",
                field="entity",
                details={"candidates": listed},
            )
        return exact[0]

    async def neighbours(
        self, reference: str, *, caller: Caller, scopes: Sequence[str] | None = None, limit: int = 50
    ) -> Sequence[EntityNeighbour]:
        """At most `limit` relationships of an entity that hold, those to entities with few others first.

        Raises:
            NotFoundError, AmbiguousNameError: as `get`.
        """
        found = await self.get(reference, caller=caller, scopes=scopes)
        readable = await self._ground.readable(caller, scopes)
        now = self._ground.now()
        rows = await self._ground.graph.run(
            "knowledge/neighbours", id=found.id, scopes=list(readable), now=now, limit=limit
        )
        return [EntityNeighbour.model_validate(dict(row)) for row in rows]

    async def search(self, given: EntitySearch, *, caller: Caller) -> Sequence[EntityFound]:
        """Entities by the words of their names and by meaning, fused; best first."""
        ground = self._ground
        scopes = await ground.readable(caller, given.scopes)
        words = escape(given.query, fields=2)
        rows = await ground.graph.passing(
            "knowledge/nearest_entities",
            embedding=await ground.embedder.embed_query(given.query),
            words=requiring(scopes, f"+(name:({words}) aliases:({words}))") if words else "scope_token:none",
            scopes=list(scopes),
            kind=given.kind,
            wanted=max(_MOST, given.limit * 4),
        )
        similar = {row["id"]: clip01(row["similarity"]) for row in rows if row["ranking"] == "dense"}
        rankings = [[row["id"] for row in rows if row["ranking"] == name] for name in ("dense", "sparse")]
        fused = reciprocal_rank_fusion(rankings)[: given.limit]
        entities = {one.id: one for one in await self._many([key for key, _ in fused], scopes)}
        return [
            EntityFound(entity=entities[key], fused_score=score, similarity=similar.get(key))
            for key, score in fused
            if key in entities
        ]

    async def add_alias(
        self, entity_id: str, given: AliasAdd, *, caller: Caller, versions: tuple[int, ...] | None = None
    ) -> Entity:
        """Give an entity another name.

        Raises:
            NotFoundError: there is no such entity for this caller.
            ForbiddenError: it may be read, not written.
            PreconditionError: `versions` (If-Match) names another one.
        """
        entity = await self._by_id(entity_id, caller)
        scope = caller.require_write(entity.scope)
        row = await self._ground.graph.one(
            "knowledge/add_alias",
            id=entity_id,
            scope=scope,
            alias=normalise(given.alias),
            versions=list(versions) if versions else None,
        )
        if row is None:
            raise PreconditionError("the entity is of another version", remedy="read it again", field="If-Match")
        return await self._by_id(entity_id, caller)

    async def relate(self, given: RelationCreate, *, caller: Caller) -> EntityRelation:
        """Keep a relationship between two entities; names that nobody knows become new ones.

        Raises:
            ForbiddenError: the scope is not the caller's.
            BadInputError: both ends are one entity.
        """
        ground = self._ground
        scope, at = ground.writable(caller, given.scope), ground.now()
        linking, ends = await self._ends(given, scope, at)
        kind = register(scope, stored_name(given.relation))
        if ends[0].id == ends[1].id:
            raise BadInputError("a relationship has two ends", remedy="name another end", field="target")
        vectors = await ground.embedder.embed([kind.text, kind.inverse_text])
        made = {
            "source": ends[0].id, "target": ends[1].id, "type": kind.name, "strength": given.strength,
            "valid_from": given.valid_from, "valid_until": given.valid_until, "author": f"api:{caller.author}",
            "vectors": list(vectors), "model": ground.embedder.model, "scopes": list(parse_scope(scope).sees),
        }  # fmt: skip
        common = {"scope": scope, "recorded_at": at}
        *_, (kept,) = await ground.graph.write(
            [
                ("graph/register_scope", common),
                *linking.statements,
                ("ingest/merge_types", {**common, "rows": [[*kind]]}),
                ("knowledge/relate", {**common, **made}),
            ]
        )
        return EntityRelation(source=ends[0], relation=kind.name, target=ends[1], scope=scope, **kept)

    async def _ends(self, given: RelationCreate, scope: str, at: datetime) -> tuple[Linking, list[EntityRef]]:
        """The two entities, by id, name or alias, and what makes new ones."""
        sees = parse_scope(scope).sees
        names = [given.source, given.target]
        known = await self._winners(names, sees)
        by_id = {name: EntityRef(id=one.id, name=one.name, kind=one.kind) for name, one in known.items()}
        kinds = {name_key(given.source): given.source_kind, name_key(given.target): given.target_kind}
        asked = [[name] for name in names if name not in by_id]
        linking = await self._ground.linker.link(
            [""] * len(asked), scope, at, given=asked, kinds={key: kind for key, kind in kinds.items() if kind}
        )
        found = dict(zip((name for (name,) in asked), (one for (one,) in linking.entities), strict=True))
        return linking, [by_id.get(name) or found[name] for name in names]

    async def merge(self, given: MergeRequest, *, caller: Caller) -> Merge:
        """Two entities are the same; the loser points to the winner by SAME_AS. See `MergeService.merge`."""
        return await self._merging.merge(given, caller=caller)

    async def unmerge(self, receipt_id: str, *, caller: Caller) -> Merge:
        """They are not the same after all. See `MergeService.unmerge`."""
        return await self._merging.unmerge(receipt_id, caller=caller)

    async def get_merge(self, receipt_id: str, *, caller: Caller) -> Merge:
        """The receipt of a merge of entities; NotFoundError when there is none that this caller may see."""
        return await self._merging.get(receipt_id, caller=caller)

    async def merges(self, *, caller: Caller, after: str | None = None, limit: int = 20) -> Sequence[Merge]:
        """Merges of entities, newest first."""
        return await self._merging.list(caller=caller, after=after, limit=limit)

    async def candidates(
        self, *, caller: Caller, scopes: Sequence[str] | None = None, limit: int = 20
    ) -> Sequence[ResolutionCandidate]:
        """Pairs that the job `resolve_entities` found alike, most alike first."""
        readable = await self._ground.readable(caller, scopes)
        rows = await self._ground.graph.run("knowledge/candidates_of_resolution", scopes=list(readable), limit=limit)
        ids = sorted({row[side] for row in rows for side in ("a", "b")})
        known = {one.id: one for one in await self._many(ids, readable)}
        return [
            ResolutionCandidate(
                a=known[row["a"]],
                b=known[row["b"]],
                similarity=row["similarity"],
                shared=row["shared"],
                reason=row["reason"],
            )
            for row in rows
            if row["a"] in known and row["b"] in known
        ]

    async def _by_id(self, entity_id: str, caller: Caller) -> Entity:
        found = await self._many([entity_id], await self._ground.readable(caller, None))
        if not found:
            raise NotFoundError(f"no entity is called {entity_id[:80]!r}", field="entity")
        return found[0]

    async def _many(self, ids: Sequence[str], scopes: Sequence[str]) -> Sequence[Entity]:
        rows = await self._ground.graph.run("knowledge/entities", ids=list(ids), scopes=list(scopes))
        return [Entity.model_validate(row["entity"]) for row in rows]

    async def _winners(self, ids: Sequence[str], scopes: Sequence[str]) -> dict[str, Entity]:
        """Entities by their ids; one that was merged gives way to the other."""
        known = {one.id: one for one in await self._many(ids, scopes)}
        merged = {loser: one.same_as for loser, one in known.items() if one.same_as is not None}
        winners = await self._winners(sorted(set(merged.values())), scopes) if merged else {}
        return known | {loser: winners[winner] for loser, winner in merged.items() if winner in winners}

    async def _named(self, name: str, scopes: Sequence[str]) -> Sequence[Entity]:
        key = name_key(name)
        rows = await self._ground.graph.run(
            "graph/known_entities",
            keys=[key],
            phrases=phrases([name], scopes),
            scopes=list(scopes),
            limit=_MOST,
        )
        named = [row["id"] for row in rows if key in {name_key(other) for other in (row["name"], *row["aliases"])}]
        return await self._many(named, scopes)


PAGE = 100
NEAR = 12
LEAST = 0.45
"""Least cosine of two names to look at; what is alike decides `alike`."""
SURE = 0.93
"""Cosine of two names that makes a candidate without another sign."""

_WORD = re.compile(r"\w+")


def alike(a: str, b: str, similarity: float, shared: int) -> str | None:
    """Give the reason why two names may mean one thing; None where they may not.

    Different numbers are different things. Otherwise the same letters, an initial for a name, one name within the
    other beside something shared, or a very near meaning make a candidate.

    >>> alike("Zoë Kravitz", "Zoe  Kravitz", 0.9, 0), alike("Rocky 2", "Rocky 3", 0.99, 5)
    ('the same letters', None)
    >>> alike("J. Smith", "John Smith", 0.8, 0), alike("Loach", "Ken Loach", 0.8, 2)
    ('an initial stands for a name', 'one name is part of the other, and 2 things are shared')
    """
    one, other = _words(a), _words(b)
    if _numbers(one) != _numbers(other):
        return None
    if "".join(one) == "".join(other):
        return "the same letters"
    if _initials(one, other):
        return "an initial stands for a name"
    if shared and (set(one) < set(other) or set(other) < set(one)):
        return f"one name is part of the other, and {shared} things are shared"
    return "the names mean nearly the same" if similarity >= SURE else None


class Resolver:
    """The job `resolve_entities`: looks at every entity of a scope once."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    async def run(self, lease: Lease) -> None:
        """Look for pairs page after page; broken off, it goes on from its cursor."""
        scope = lease.job.scope
        if not lease.cursor:
            await lease.commit([("knowledge/drop_candidates", {"scope": scope})], message="looking for pairs")
        after, done = str(lease.cursor.get("after", "")), lease.job.done
        while page := await self._page(scope, after):
            after, done = str(page[-1]["id"]), done + len(page)
            rows = [row for entity in page for row in _pairs(entity)]
            kept = {"rows": rows, "scope": scope, "now": self._ground.now()}
            work = [("knowledge/keep_candidates", kept)] if rows else []
            await lease.commit(work, done=done, message="looking for pairs", cursor={"after": after})

    async def _page(self, scope: str, after: str) -> list[dict[str, Any]]:
        return await self._ground.graph.run(
            "knowledge/resolution_page", scope=scope, after=after, limit=PAGE, near=NEAR, least=LEAST
        )


def _pairs(entity: dict[str, Any]) -> list[list[Any]]:
    found = []
    for identity, name, kind, similarity, shared in entity["pairs"]:
        reason = alike(entity["name"], name, similarity, shared)
        if reason is not None and _compatible(entity["kind"], kind):
            found.append([*sorted((entity["id"], identity)), similarity, shared, reason])
    return found


def _compatible(kind: str, other: str) -> bool:
    return kind == other or "concept" in {kind, other}


def _words(name: str) -> list[str]:
    plain = "".join(c for c in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(c))
    return _WORD.findall(plain)


def _numbers(words: list[str]) -> list[str]:
    return sorted(word for word in words if any(letter.isdigit() for letter in word))


def _initials(one: list[str], other: list[str]) -> bool:
    if len(one) != len(other) or len(one) < 2:
        return False
    pairs = list(zip(one, other, strict=True))
    short = [pair for pair in pairs if pair[0] != pair[1]]
    return len(short) < len(pairs) and all(min(pair, key=len) == max(pair, key=len)[0] for pair in short)
