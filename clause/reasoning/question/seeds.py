"""Seed entities of a question: those that its text names, found in one look at the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from pydantic import Field

from clause.errors import AmbiguousNameError, BadInputError, NotFoundError, OutOfBoundsError
from clause.reasoning.models.answer import SeedEntity
from clause.reasoning.neighbourhood.port import View
from clause.reasoning.question.seed_matching import (
    FUNCTION_WORDS,
    LEAST_SIMILARITY,
    EntityMatch,
    full_text_query,
    match_names,
    match_words,
    names_another,
    plain,
    spaced,
    telling_words,
)
from clause.reasoning.question.seed_ranking import RankedSeed, rank
from clause.text.embedder import Embedder
from clause.text.fields import Frozen
from clause.text.mentions import MAX_SPANS, Span, candidate_spans, folded_key, name_key
from clause.text.retrieval import clip01
from clause.text.tokens import WORD, singular

MOST_CHARACTERS = 10_000
_FULL_TEXT_FINDS = 24
_LOOKED = 4  # times as many by meaning: some were merged, or came later
_SURE = 0.5
_LONGEST_NAME = 1000
_FEWEST_SPANS = 400
_MOST_SEEKS = 20_000  # keys times scopes: each pair is one seek in the index

Rows = list[dict[str, Any]]


class Statements(Protocol):
    """The part of `clause.graph.runner.Graph` that is needed here."""

    async def run(self, name: str, /, **parameters: Any) -> Rows:
        """The rows of one statement of the catalogue."""
        ...


class SeedSearch(Frozen):
    """Seed entities, best first, and why there are none where there are none."""

    seeds: tuple[SeedEntity, ...] = ()
    reason: str | None = Field(None, description="why `seeds` is empty; null where it is not")


class SeedFinder:
    """Finds seed entities by name, alias and words, and by meaning where nothing is named."""

    def __init__(self, graph: Statements, embedder: Embedder) -> None:
        """Keep what is asked; nothing is asked yet."""
        self._graph = graph
        self._embedder = embedder

    async def find(self, query: str, view: View, limit: int = 8) -> list[SeedEntity]:
        """The seeds of `search`; an empty list where nothing is found."""
        return list((await self.search(query, view, limit)).seeds)

    async def search(self, query: str, view: View, limit: int = 8) -> SeedSearch:
        """Up to `limit` entities that `query` may be about, best first.

        Names and aliases are matched on every stretch of the text and, in the same look, by the full-text index;
        the vector index is asked only when those find nothing. Brackets mean nothing.

        Raises:
            OutOfBoundsError: the text is longer than 10,000 characters.
        """
        if len(query) > MOST_CHARACTERS:
            raise OutOfBoundsError(
                f"the query has {len(query)} characters", field="query", bound=f"at most {MOST_CHARACTERS} characters"
            )
        text = plain(query)
        if not text.strip():
            return SeedSearch(reason="the query holds no text")
        if not view.scopes:
            return SeedSearch(reason="no scope is readable")
        ranked = await self._by_name(text, view)
        if not any(_tells(found.candidate) for found in ranked):
            ranked = [*ranked, *await self._by_plural(text, view)]
        if not any(_tells(found.candidate) for found in ranked):
            ranked = rank(text, [*(r.candidate for r in ranked), *await self._by_meaning(text, view, limit)])
        if not ranked:
            return SeedSearch(reason="no entity of these scopes is named in the query or near it in meaning")
        return SeedSearch(seeds=tuple(map(_seed, _kept(ranked, limit))))

    async def resolve(self, start_nodes: Sequence[str], view: View) -> list[SeedEntity]:
        """The entities that the caller named, in that order, each once; see `named`."""
        named = await self.named(start_nodes, view)
        return list({seed.id: seed for seed in named.values()}.values())

    async def named(self, start_nodes: Sequence[str], view: View) -> dict[str, SeedEntity]:
        """Each name with its entity: by id, else by name, else by alias.

        Of several entities the one spelt exactly so is taken; a name in another case or an alias has to be unique.

        Raises:
            NotFoundError: nothing that this view may see is called so.
            AmbiguousNameError: several are; `details["candidates"]` lists them.
        """
        if not start_nodes:
            return {}
        names = [plain(name).strip() for name in start_nodes]
        rows = await self._look(
            view,
            ids=names,
            keys=[spaced(name_key(name)) for name in names],
            words=[word for name in names for word in _words(name)],
            phrases=names,
            limit=max(_FULL_TEXT_FINDS, 8 * len(names)),
        )
        return {given: _given(_one(name, rows)) for given, name in zip(start_nodes, names, strict=True)}

    async def _by_name(self, text: str, view: View) -> list[RankedSeed]:
        spans = candidate_spans(text, limit=max(_FEWEST_SPANS, min(MAX_SPANS, _MOST_SEEKS // len(view.scopes))))
        words = telling_words(text)
        rows = await self._look(view, keys=_keys(spans), words=words)
        named = match_names(spans, rows)
        ranked = rank(text, named)
        sure = [r.candidate.span for r in ranked if r.score >= _SURE and r.candidate.span is not None]
        names = {candidate.id for candidate in named}
        others = [row for row in rows if row["id"] not in names and not _is_anothers(text, row)]
        return rank(text, [*named, *match_words(words, others, fresh=telling_words(text, covered=sure))])

    async def _by_plural(self, text: str, view: View) -> list[RankedSeed]:
        """Find what the text names in the plural or apart: `Soup` by `how many soups`, `TalkShow` by `talk shows`."""
        spans = candidate_spans(text, limit=_FEWEST_SPANS)
        forms = [(span, {said := _singular(span.text), said.replace(" ", "")} - {span.text}) for span in spans]
        single = [replace(span, text=said) for span, others in forms for said in sorted(others)]
        if not single:
            return []
        return rank(text, match_names(single, await self._look(view, keys=_keys(single), words=())))

    async def _by_meaning(self, text: str, view: View, limit: int) -> list[EntityMatch]:
        embedding = await self._embedder.embed_query(text)
        rows = await self._graph.run(
            "reasoning/seed_vectors",
            scopes=list(view.scopes),
            embedding=embedding,
            looked=_LOOKED * limit,
            limit=limit,
            as_of_recorded=view.as_of_recorded,
        )
        return [
            EntityMatch(row["id"], row["name"], "vector", degree=row["degree"], similarity=clip01(row["similarity"]))
            for row in rows
            if row["similarity"] >= LEAST_SIMILARITY and not names_another(text, row["name"])
        ]

    async def _look(
        self,
        view: View,
        *,
        ids: Sequence[str] = (),
        keys: Sequence[str],
        words: Sequence[str],
        phrases: Sequence[str] = (),
        limit: int = _FULL_TEXT_FINDS,
    ) -> Rows:
        asked: dict[str, Any] = {
            "scopes": list(view.scopes),
            "ids": list(ids),
            "keys": list(keys),
            "limit": limit,
            "as_of_recorded": view.as_of_recorded,
        }
        try:
            query = full_text_query(words, view.scopes, phrases)
            return await self._graph.run("reasoning/seed_names", words=query, **asked)
        except BadInputError:  # more names are a letter or two away from the words than Lucene takes
            query = full_text_query(words, view.scopes, phrases, misspelt=False)
            return await self._graph.run("reasoning/seed_names", words=query, **asked)


def _kept(ranked: Sequence[RankedSeed], limit: int) -> list[RankedSeed]:
    """The best of the finds, in their order; names that the text spells with their capitals before what resembles some.

    Else a long text's many words, and all the people of one surname, leave no room for what it names.
    """
    spelt = [one for one in ranked if one.candidate.reason == "exact" and not one.candidate.name.islower()]
    kept = list(dict.fromkeys(one.candidate.id for one in (*spelt, *ranked)))[:limit]
    return [one for one in ranked if one.candidate.id in kept]


def _is_anothers(text: str, row: Mapping[str, Any]) -> bool:
    return all(names_another(text, str(name)) for name in (row["name"], *(row.get("aliases") or ())))


def _tells(candidate: EntityMatch) -> bool:
    """Tell whether the find rests on more than words that any question has."""
    return candidate.span is None or bool(telling_words(candidate.span.text)) or not _words(candidate.span.text)


def _keys(spans: Sequence[Span]) -> list[str]:
    return list(dict.fromkeys(spaced(name_key(span.text)) for span in spans if len(span.text) <= _LONGEST_NAME))


def _singular(text: str) -> str:
    *before, last = text.split()
    return text if last.casefold() in FUNCTION_WORDS else " ".join((*before, singular(last)))


def _words(text: str) -> list[str]:
    return [found[0] for found in WORD.finditer(text)]


def _seed(ranked: RankedSeed) -> SeedEntity:
    candidate, span = ranked.candidate, ranked.candidate.span
    place = {"start": span.start, "end": span.end} if span is not None else {}
    return SeedEntity(id=candidate.id, name=candidate.name, score=ranked.score, reason=candidate.reason, **place)


def _given(row: Mapping[str, Any]) -> SeedEntity:
    return SeedEntity(id=row["id"], name=row["name"], score=1.0, reason="given")


def _one(name: str, rows: Rows) -> dict[str, Any]:
    key, folded = spaced(name_key(name)), folded_key(name)
    tests = (
        lambda row: row["id"] == name,
        lambda row: row["name"] == name,
        lambda row: spaced(name_key(row["name"])) == key,
        lambda row: folded in map(folded_key, row["aliases"]),
        lambda row: folded_key(row["name"]) == folded,
    )
    for test in tests:
        found = [row for row in rows if test(row)]
        if len(found) == 1:
            return found[0]
        if found:
            listed = [{"id": row["id"], "name": row["name"], "scope": row["scope"]} for row in found]
            raise AmbiguousNameError(
                f"{len(found)} entities are called {name!r}",
                remedy="name one of the candidates by its id",
                field="start_nodes",
                details={"candidates": listed},
            )
    near = match_words(_words(name), rows)[:3]
    raise NotFoundError(
        f"no entity is called {name!r}",
        remedy=f"did you mean {', '.join(repr(c.name) for c in near)}?" if near else "check the name and the scopes",
        field="start_nodes",
    )
