"""Finds the entities that a text speaks of: known names first, then names by rule."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from typing import Any, NamedTuple, TypeVar

from pydantic import Field

from clause.graph.runner import Graph
from clause.graph.scopes import PUBLIC, parse_scope, scope_token
from clause.text.embedder import Embedder
from clause.text.fields import Frozen
from clause.text.mentions import Mention, candidate_spans, find_mentions, find_names, folded_key, is_meant
from clause.text.mentions import name_key as case_key
from clause.text.names import QUALIFIER, canonical_key, entity_id, name_key, normalise
from clause.text.retrieval import escape, within_scopes

_QUOTES = "\"'`\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb"
_BRACKETS = ("[]", "()", "{}", "<>")
_POSSESSIVE = re.compile(r"(?:['\u2019]s|(?<=s)['\u2019])$", re.IGNORECASE)
_BLANKS = re.compile(r"[\s_]+")
_FREE = ((16, 3), (8, 2), (4, 1))


class Closeness(IntEnum):
    """Ways to say a name, from the surest down; a smaller number is surer."""

    EXACT = 0
    """Letter by letter."""
    SPACED = 1
    """But for blanks and underscores, quotes, brackets, a possessive ending."""
    CASE = 2
    """But for case."""
    ACCENTS = 3
    """But for accents and typography."""
    UNQUALIFIED = 4
    """But for a qualifier in brackets at the name's end (`Kes (1969 film)`)."""
    TYPO = 5
    """But for a few slips of the fingers."""


@dataclass(frozen=True, slots=True)
class NameMatch:
    """A name that a text may say. `did_you_mean` is the name where the text misspells it."""

    name: str
    closeness: Closeness
    slips: int = 0

    @property
    def did_you_mean(self) -> str | None:
        """The right spelling, where a typo was forgiven."""
        return self.name if self.closeness is Closeness.TYPO else None


def bare(text: str) -> str:
    """A text without what stands around a name: quotes, brackets, a possessive ending; underscores are blanks.

    >>> bare("\u201cBlade_Runner\u201d's"), bare("[Kes]"), bare("James'")
    ('Blade Runner', 'Kes', 'James')
    """
    before = None
    while before != text:
        before = text
        text = _POSSESSIVE.sub("", text.strip()).strip(_QUOTES).strip()
        if text[:1] + text[-1:] in _BRACKETS:
            text = text[1:-1]
    return _BLANKS.sub(" ", text).strip() or before


def match_name(text: str, name: str) -> NameMatch | None:
    """The match of a text and a name; None where it does not.

    >>> [match_name(said, "Kes (1969 film)").closeness.name for said in ("kes (1969 film)", "Kes")]
    ['CASE', 'UNQUALIFIED']
    >>> match_name("Blade Runer", "Blade Runner").did_you_mean
    'Blade Runner'
    """
    said, called = bare(text), _BLANKS.sub(" ", name).strip()
    key, short = folded_key(said), QUALIFIER.sub("", called)
    tests = (
        (Closeness.EXACT, text == name),
        (Closeness.SPACED, said in {called, bare(name)}),
        (Closeness.CASE, case_key(said) == case_key(called)),
        (Closeness.ACCENTS, key == folded_key(called)),
        (Closeness.UNQUALIFIED, short != called and key == folded_key(short)),
    )
    for closeness, passed in tests:
        if passed:
            return NameMatch(name, closeness)
    slips = [found for other in (called, short) if (found := slips_between(key, folded_key(other)))]
    return NameMatch(name, Closeness.TYPO, min(slips)) if slips else None


def slips_between(said: str, name: str) -> int | None:
    """The slips of the fingers that turn one text into the other; None where these are more than its length forgives.

    A text of 4 letters forgives one, of 8 two, of 16 three; shorter ones none, and digits none: `1984` is not `1985`.

    >>> slips_between("matirx", "matrix"), slips_between("heat", "beat"), slips_between("cat", "car")
    (1, 1, None)
    """
    if said == name:
        return 0
    forgiven = next((slips for letters, slips in _FREE if min(len(said), len(name)) >= letters), 0)
    if not forgiven or re.findall(r"\d+", said) != re.findall(r"\d+", name):
        return None
    distance = edit_distance(said, name, forgiven)
    return distance if distance <= forgiven else None


def edit_distance(one: str, two: str, most: int) -> int:
    """Letters inserted, left out, changed, or turned round beside each other (optimal string alignment, Boytsov 2011).

    Stops early: anything above `most` is `most + 1`.

    >>> edit_distance("kitten", "sitting", 5), edit_distance("ab", "ba", 2), edit_distance("abc", "xyz", 1)
    (3, 1, 2)
    """
    if abs(len(one) - len(two)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(two) + 1))
    for i, letter in enumerate(one, 1):
        last, row, before = before, [i], row
        for j, other in enumerate(two, 1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if last and j > 1 and letter == two[j - 2] and one[i - 2] == other:
                best = min(best, last[j - 2] + 1)
            row.append(best)
        if min(row) > most and (not before or min(before) > most):
            return most + 1
    return min(row[-1], most + 1)


MOST_NAMES = 24
"""Entities linked to one text, in order of place."""

_SPAN_WORDS = 6
_SPANS = 1_500
_SHORTEST = 3
_PHRASES = 48
_FEW = 4
MOST_FOUND = 256
"""Entities that one query of the full-text index brings, best first."""

Found = TypeVar("Found")


NO_KINDS: Mapping[str, str] = {}


class EntityRef(Frozen):
    """An entity that a text speaks of."""

    id: str = Field(description="the entity's id")
    name: str = Field(description="its name as the graph has it")
    kind: str = Field("concept", description="what kind of thing it is")


class Linking(NamedTuple):
    """The finds of `EntityLinker.link`.

    Attributes:
        entities: for each text the entities it speaks of, in order of place, each once.
        statements: make the new ones; they come first in the transaction that links to them.
        given: the ids of the given names' entities, by the look-up keys of these names.
    """

    entities: tuple[tuple[EntityRef, ...], ...]
    statements: tuple[tuple[str, dict[str, Any]], ...]
    given: Mapping[str, str] = NO_KINDS


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
        kinds: Mapping[str, str] = NO_KINDS,
    ) -> Linking:
        """The entities of each text, in `scope`.

        Args:
            texts: what was said.
            scope: where new entities are made; known ones may also be of the scopes that it sees.
            recorded_at: when the texts became known.
            given: names that the caller gives for each text; they are linked whether or not the text holds them.
            kinds: what kind of thing new ones are, by their look-up keys; concepts if not said.

        A name found in several scopes means the entity of the nearest scope, of those one that has it as its name
        before one that has it as an alias, and of those the one of highest degree.
        """
        sees = parse_scope(scope).sees
        names = given or [()] * len(texts)
        by_rule, keys = await _aside(len(texts), lambda: (list(map(find_names, texts)), _keys(texts, names)))
        naming = _Naming(scope, await self._known(keys, names, by_rule, sees), kinds)
        found = await _aside(len(texts), lambda: tuple(map(naming.entities, texts, by_rule, names)))
        return Linking(found, await self._statements(naming.fresh, scope, recorded_at), naming.given)

    async def _known(
        self,
        keys: set[str],
        given: Sequence[Sequence[str]],
        by_rule: Sequence[Sequence[Mention]],
        sees: Sequence[str],
    ) -> dict[str, tuple[str, EntityRef]]:
        """Known entities by the look-up keys of their names and aliases, with these as they are written; within a scope
        names go before aliases."""
        if not keys:
            return {}
        proper = [mention.name for mentions in by_rule for mention in mentions]
        asked = [name for names in given for name in names]
        rows = await self._graph.run(
            "graph/known_entities",
            keys=sorted(keys | set(map(name_key, proper))),
            phrases=[*phrases([*asked, *proper], sees), *phrases(proper, sees, field="name")],
            scopes=list(sees),
            limit=MOST_FOUND,
        )
        nearness = {scope: place for place, scope in enumerate((*sees, PUBLIC))}
        said = [
            ((nearness.get(row["scope"], len(nearness)), name != row["name"], -row["degree"], row["id"]), name, row)
            for row in rows
            for name in (row["name"], *row["aliases"])
        ]
        known: dict[str, tuple[str, EntityRef]] = {}
        for _, name, row in sorted(said, key=lambda one: one[0]):
            known.setdefault(name_key(name), (name, EntityRef(id=row["id"], name=row["name"], kind=row["kind"])))
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

    def __init__(self, scope: str, known: Mapping[str, tuple[str, EntityRef]], kinds: Mapping[str, str]) -> None:
        self._scope = scope
        self._kinds = kinds
        self._written = {key: name for key, (name, _) in known.items()}
        self._known = {key: entity for key, (_, entity) in known.items()}
        self._names = {key: key for key in known}
        self.fresh: dict[str, list[Any]] = {}
        self.given: dict[str, str] = {}

    def entities(self, text: str, by_rule: Sequence[Mention], given: Sequence[str]) -> tuple[EntityRef, ...]:
        """The given ones, then those named, in order of place; a name by rule gives way to a known one."""
        named = [mention for mention in find_mentions(text, self._names) if self._names_it(text, mention)]
        places = [(mention.start, self._known[mention.name]) for mention in named]
        places += [
            (mention.start, self._new(mention.name))
            for mention in by_rule
            if not any(mention.start < other.end and other.start < mention.end for other in named)
        ]
        placed = [entity for _, entity in sorted(places, key=lambda place: place[0])]
        asked = [self._known.get(name_key(name)) or self._new(name) for name in given]
        self.given.update((name_key(name), entity.id) for name, entity in zip(given, asked, strict=True))
        return tuple({entity.id: entity for entity in [*asked, *placed]}.values())[:MOST_NAMES]

    def _names_it(self, text: str, mention: Mention) -> bool:
        """Tell whether a known name that the text spells is meant there."""
        place = mention.start, mention.end
        return _tells(text[slice(*place)]) and is_meant(self._written[mention.name], text, *place)

    def _new(self, name: str) -> EntityRef:
        key = canonical_key(name)
        kind = self._kinds.get(name_key(name), "concept")
        entity = EntityRef(id=entity_id(self._scope, key), name=name.strip(), kind=kind)
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


def _spans(text: str) -> Iterable[str]:
    spans = candidate_spans(text, max_words=_SPAN_WORDS, limit=_SPANS)
    return (span.text for span in spans if _tells(span.text))


def _tells(span: str) -> bool:
    """A stretch that may be a name: not a short word in small letters; of scripts without case two letters are enough.

    >>> _tells("Neo4j"), _tells("at"), _tells("dark mode"), _tells("東京"), _tells("서울")
    (True, False, True, True, True)
    """
    return len(span) >= _SHORTEST or (len(span) > 1 and any(letter.isalpha() > letter.islower() for letter in span))


def phrases(names: Iterable[str], scopes: Sequence[str], *, field: str = "aliases") -> list[str]:
    """Lucene queries for names as phrases of a field of `entity_names`, within scopes: one for each 48 of them.

    Of one field alone, because the many names that have a word in common would leave a rare alias no place.
    """
    words = [f'"{escaped}"' for name in dict.fromkeys(map(normalise, names)) if (escaped := escape(name))]
    slices = [words[start : start + _PHRASES] for start in range(0, len(words), _PHRASES)]
    return [within_scopes(f"{field}:({' '.join(some)})", scopes, 1) for some in slices]
