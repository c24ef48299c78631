"""Which entities a text speaks of: known names first, then names by rule. Beliefs, memories and values all link so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from clause.graph.runner import Graph
from clause.graph.scopes import PUBLIC, parse_scope, scope_token
from clause.text.embedder import Embedder
from clause.text.lucene import escape
from clause.text.mentions import Mention, candidate_spans, find_mentions, find_proper_names
from clause.text.names import canonical_key, entity_id, name_key

MOST_NAMES = 24
"""Entities linked to one text, in order of place."""

_SPAN_WORDS = 6
_SPANS = 1_500
_SHORTEST = 3
_PHRASES = 48
_FOUND = 256
_FEW = 4

Found = TypeVar("Found")


class EntityRef(BaseModel):
    """An entity that a text speaks of."""

    model_config = ConfigDict(frozen=True)

    id: str = Field(description="the entity's id")
    name: str = Field(description="its name as the graph has it")
    kind: str = Field("concept", description="what kind of thing it is")


class Linking(NamedTuple):
    """What `EntityLinker.link` found.

    Attributes:
        entities: for each text the entities it speaks of, in order of place, each once.
        statements: make the new ones; they come first in the transaction that links to them.
    """

    entities: tuple[tuple[EntityRef, ...], ...]
    statements: tuple[tuple[str, dict[str, Any]], ...]


class EntityLinker:
    """Finds entities in texts; one look at the graph for a batch.

    Args:
        graph: where the known ones are.
        embedder: gives new ones their vectors.
    """

    def __init__(self, graph: Graph, embedder: Embedder) -> None:
        self._graph = graph
        self._embedder = embedder

    async def link(
        self,
        texts: Sequence[str],
        scope: str,
        recorded_at: datetime,
        *,
        given: Sequence[Sequence[str]] = (),
    ) -> Linking:
        """The entities of each text, in `scope`.

        Args:
            texts: what was said.
            scope: where new entities are made; known ones may also be of the scopes that it sees.
            recorded_at: when the texts became known.
            given: names that the caller gives for each text; they are linked whether or not the text holds them.

        A name found in several scopes means the entity of the nearest scope, and of those the one of highest degree.
        """
        sees = parse_scope(scope).sees
        names = given or [()] * len(texts)
        by_rule, keys = await _aside(len(texts), lambda: (list(map(_proper_names, texts)), _keys(texts, names)))
        naming = _Naming(scope, await self._known(keys, by_rule, sees))
        found = await _aside(len(texts), lambda: tuple(map(naming.entities, texts, by_rule, names)))
        return Linking(found, await self._statements(naming.fresh, scope, recorded_at))

    async def _known(
        self,
        keys: set[str],
        by_rule: Sequence[Sequence[Mention]],
        sees: Sequence[str],
    ) -> dict[str, EntityRef]:
        """Known entities by the look-up keys of their names and aliases."""
        if not keys:
            return {}
        proper = dict.fromkeys(mention.name for mentions in by_rule for mention in mentions)
        rows = await self._graph.run(
            "graph/known_entities",
            keys=sorted(keys),
            phrases=_phrases([*proper], sees),
            scopes=list(sees),
            limit=_FOUND,
        )
        nearness = {scope: place for place, scope in enumerate((*sees, PUBLIC))}
        rows.sort(key=lambda row: (nearness.get(row["scope"], len(nearness)), -row["degree"], row["id"]))
        known: dict[str, EntityRef] = {}
        for row in rows:
            entity = EntityRef(id=row["id"], name=row["name"], kind=row["kind"])
            for name in (row["name"], *row["aliases"]):
                known.setdefault(name_key(name), entity)
        return known

    async def _statements(
        self, fresh: dict[str, list[Any]], scope: str, recorded_at: datetime
    ) -> tuple[tuple[str, dict[str, Any]], ...]:
        if not fresh:
            return ()
        rows = [fresh[entity] for entity in sorted(fresh)]
        vectors = await self._embedder.embed([row[3] for row in rows])
        made = {"rows": rows, "scope": scope, "scope_token": scope_token(scope), "recorded_at": recorded_at}
        ids = [row[1] for row in rows]
        embedded = {"ids": ids, "vectors": list(vectors), "model": self._embedder.model, "scope": scope}
        return (("graph/merge_entities", made), ("graph/embed_new_entities", embedded))


class _Naming:
    """Gives each text its entities; those that nobody knows are made (`fresh`: rows of graph/merge_entities)."""

    def __init__(self, scope: str, known: dict[str, EntityRef]) -> None:
        self._scope = scope
        self._known = known
        self._names = {key: key for key in known}
        self.fresh: dict[str, list[Any]] = {}

    def entities(self, text: str, by_rule: Sequence[Mention], given: Sequence[str]) -> tuple[EntityRef, ...]:
        """The given ones, then those named, in order of place; a name by rule gives way to a known one."""
        named = [mention for mention in find_mentions(text, self._names) if _tells(text[mention.start : mention.end])]
        places = [(mention.start, self._known[mention.name]) for mention in named]
        places += [
            (mention.start, self._new(mention.name))
            for mention in by_rule
            if not any(mention.start < other.end and other.start < mention.end for other in named)
        ]
        placed = [entity for _, entity in sorted(places, key=lambda place: place[0])]
        asked = [self._known.get(name_key(name)) or self._new(name) for name in given]
        return tuple({entity.id: entity for entity in [*asked, *placed]}.values())[:MOST_NAMES]

    def _new(self, name: str) -> EntityRef:
        key = canonical_key(name)
        entity = EntityRef(id=entity_id(self._scope, key), name=name.strip())
        self.fresh.setdefault(
            entity.id, [len(self.fresh), entity.id, key, entity.name, name_key(name), entity.kind, []]
        )
        return entity


async def _aside(texts: int, work: Callable[[], Found]) -> Found:
    """The result of CPU work: of many texts in a thread, so that the event loop stays free."""
    return await asyncio.to_thread(work) if texts > _FEW else work()


def _keys(texts: Sequence[str], given: Sequence[Iterable[str]]) -> set[str]:
    """Look-up keys of all that may be a name."""
    spans = {name_key(span) for text in texts for span in _spans(text)}
    return spans | {name_key(name) for names in given for name in names}


def _proper_names(text: str) -> list[Mention]:
    """Names by rule; numbers and dates say too little to join two texts."""
    return [
        mention
        for mention in find_proper_names(text)
        if len(mention.name) >= _SHORTEST and not any(letter.isdigit() for letter in mention.name)
    ]


def _spans(text: str) -> Iterable[str]:
    spans = candidate_spans(text, max_words=_SPAN_WORDS, limit=_SPANS)
    return (span.text for span in spans if _tells(span.text))


def _tells(span: str) -> bool:
    """A stretch that may be a name: not a short word in small letters.

    >>> _tells("Neo4j"), _tells("at"), _tells("dark mode")
    (True, False, True)
    """
    return len(span) >= _SHORTEST or (len(span) > 1 and any(letter.isupper() for letter in span))


def _phrases(names: Sequence[str], scopes: Sequence[str]) -> str:
    """A Lucene query for whole names or aliases, within scopes."""
    tokens = " ".join(scope_token(scope) for scope in scopes)
    words = [f'"{escaped}"' for name in names[:_PHRASES] if (escaped := escape(name))]
    return f"+scope_token:({tokens}) +({' '.join(words)})" if words else "scope_token:none"
