"""What a seed finder must hold on any graph: one small world and its questions, for the fake and for a real Neo4j."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from clause.errors import AmbiguousNameError, NotFoundError, OutOfBoundsError
from clause.graph.scopes import scope_token
from clause.reasoning.neighbourhood.port import View
from clause.reasoning.question.seeds import SeedFinder
from clause.text.mentions import name_key

TRIPLES = [
    ("The Matrix", "directed_by", "Lana Wachowski"),
    ("The Matrix", "has_tags", "bullet time"),
    ("The Matrix Reloaded", "directed_by", "Lana Wachowski"),
    ("Who?", "directed_by", "Somebody Else"),
    ("What", "release_year", "1972"),
    ("The Movie", "directed_by", "Clint Eastwood"),
    ("Unforgiven", "directed_by", "Clint Eastwood"),
    ("Unforgiven", "has_tags", "clint eastwood"),
    ("Unforgiven", "has_genre", "Western"),
    ("Unforgiven", "has_tags", "duel"),
    ("The 400 Blows", "directed_by", "François Truffaut"),
    ("Face/Off", "directed_by", "John Woo"),
    ("The Director", "written_by", "Somebody Else"),
    ("霸王别姬", "directed_by", "陈凯歌"),
    ("عمر", "directed_by", "هاني أبو أسعد"),
]
ALIASES = {"Lana Wachowski": ["Larry Wachowski", "The Wachowskis"], "John Woo": ["Wú Yǔsēn"]}

FIRST = [
    ("who directed The Matrix", "The Matrix", "exact"),
    ("who directed [The Matrix]", "The Matrix", "exact"),
    ("Who directed The Matrix Reloaded?", "The Matrix Reloaded", "exact"),
    ("who directed the matrix", "The Matrix", "case_insensitive"),
    ("the film The Movie was directed by who", "The Movie", "exact"),
    ("what movies did Clint Eastwood direct", "Clint Eastwood", "exact"),
    ("which films are about clint eastwood", "clint eastwood", "exact"),
    ("films directed by Francois Truffaut", "François Truffaut", "accent_insensitive"),
    ("what did Larry Wachowski direct?", "Lana Wachowski", "alias"),
    ("who made Face/Off?", "Face/Off", "exact"),
    ("which films did Fransois Trufaut direct", "François Truffaut", "full_text"),
    ("how many duels are there", "duel", "exact"),
    ("谁导演了霸王别姬？", "霸王别姬", "exact"),
    ("من أخرج عمر؟", "عمر", "exact"),
    ("🎬 Unforgiven 🎬", "Unforgiven", "exact"),
    ("Unforgiven\x00", "Unforgiven", "exact"),
]

NASTY = [
    "AND OR NOT TO",
    '+-&|!(){}[]^"~*?:\\/<>=',
    "MATCH (n) DETACH DELETE n //",
    "'}) RETURN 1 UNION MATCH (n) DETACH DELETE n //",
    "🎬🍿",
    "\u202eright to left\u202c עברית",
    "\x00",
    "\ud800",
    "x" * 10_000,
    "The Matrix " * 900,
    "字" * 10_000,
    "$scopes $keys {{dimension}}",
]


@dataclass
class World:
    """A finder over `TRIPLES` in `scope`; `elsewhere` is another scope with an entity called `Elsewhere`.

    `twice` names are carried by two entities each.
    """

    finder: SeedFinder
    scope: str
    elsewhere: str
    looks: Any
    twice: list[str] = field(default_factory=lambda: ["Twin"])

    @property
    def view(self) -> View:
        return View((self.scope,))


def entity_id(scope: str, key: str) -> str:
    return "ent_" + hashlib.sha256(f"{scope}\n{key}".encode()).hexdigest()[:24]


def entity_rows(scope: str, elsewhere: str, embeddings: dict[str, np.ndarray]) -> list[dict[str, Any]]:
    names = dict.fromkeys(name for head, _, tail in TRIPLES for name in (head, tail))
    places = [(scope, name, name) for name in names]
    places += [(scope, "Twin", "Twin 1"), (scope, "Twin", "Twin 2"), (elsewhere, "Elsewhere", "Elsewhere")]
    return [
        {
            "id": entity_id(place, key),
            "scope": place,
            "scope_token": scope_token(place),
            "canonical_key": key,
            "name": name,
            "name_key": name_key(name),
            "aliases": ALIASES.get(name, []),
            "degree": sum(name in (head, tail) for head, _, tail in TRIPLES),
            "embedding": embeddings[name],
        }
        for place, name, key in places
    ]


def entity_names() -> list[str]:
    return [*dict.fromkeys(name for head, _, tail in TRIPLES for name in (head, tail)), "Twin", "Elsewhere"]


class SeedChecks:
    """Subclasses give the fixture `world`."""

    @pytest.mark.parametrize(("query", "name", "reason"), FIRST)
    async def test_the_entity_asked_about_comes_first_with_its_reason(self, world: World, query, name, reason):
        seeds = await world.finder.find(query, world.view)
        assert (seeds[0].name, seeds[0].reason) == (name, reason)
        if seeds[0].start is not None:
            assert name_key(query[seeds[0].start : seeds[0].end]) in {name_key(name), "larry wachowski", "duels"} or (
                reason == "accent_insensitive"
            )

    async def test_brackets_change_nothing(self, world: World):
        plain = await world.finder.find("who directed  The Matrix ", world.view)
        assert plain == await world.finder.find("who directed [The Matrix]", world.view)

    async def test_several_candidates_are_kept_best_first(self, world: World):
        seeds = await world.finder.find("Which films did Clint Eastwood direct?", world.view)
        assert [seed.name for seed in seeds[:2]] == ["Clint Eastwood", "clint eastwood"]
        assert seeds[0].score > seeds[1].score
        assert len({seed.id for seed in seeds}) == len(seeds)

    async def test_two_things_asked_about_are_both_found(self, world: World):
        seeds = await world.finder.find("what links Unforgiven and John Woo?", world.view)
        assert {seed.name for seed in seeds[:2]} == {"Unforgiven", "John Woo"}

    async def test_no_more_than_the_limit(self, world: World):
        assert len(await world.finder.find("The Matrix Reloaded or Unforgiven", world.view, limit=1)) == 1

    async def test_a_named_entity_costs_one_round_trip(self, world: World):
        before = world.looks()
        await world.finder.find("who directed The Matrix", world.view)
        assert world.looks() - before == 1

    async def test_meaning_is_asked_only_where_nothing_is_named(self, world: World):
        before = world.looks()
        seeds = await world.finder.find("time", world.view)
        assert world.looks() - before == 2
        assert [(seed.name, seed.reason) for seed in seeds] == [("bullet time", "vector")]
        assert (seeds[0].start, seeds[0].end) == (None, None)

    async def test_nothing_found_is_no_seed_and_a_reason(self, world: World):
        found = await world.finder.search("completely unrelated gibberish", world.view)
        assert found.seeds == ()
        assert "named" in str(found.reason)

    async def test_other_scopes_are_not_seen(self, world: World):
        assert await world.finder.find("Elsewhere", world.view) == []
        both = View((world.scope, world.elsewhere))
        assert [seed.name for seed in await world.finder.find("Elsewhere", both)] == ["Elsewhere"]
        with pytest.raises(NotFoundError):
            await world.finder.resolve([entity_id(world.elsewhere, "Elsewhere")], world.view)

    @pytest.mark.parametrize("query", NASTY)
    async def test_no_text_is_an_error(self, world: World, query):
        found = await world.finder.search(query, world.view)
        assert found.seeds or found.reason

    async def test_the_same_question_has_the_same_seeds(self, world: World):
        query = "who directed the matrix with Clint Eastwood, or Who?"
        assert await world.finder.find(query, world.view) == await world.finder.find(query, world.view)

    async def test_a_text_beyond_the_bound_is_refused(self, world: World):
        with pytest.raises(OutOfBoundsError) as refused:
            await world.finder.find("x" * 10_001, world.view)
        assert (refused.value.field, refused.value.bound) == ("query", "at most 10000 characters")

    async def test_without_scopes_nothing_is_found(self, world: World):
        assert (await world.finder.search("The Matrix", View(()))).reason == "no scope is readable"

    @pytest.mark.parametrize(
        ("given", "name"),
        [
            ("The Matrix", "The Matrix"),
            ("the matrix", "The Matrix"),
            ("clint eastwood", "clint eastwood"),
            ("Clint Eastwood", "Clint Eastwood"),
            ("CLINT EASTWOOD", None),
            ("larry wachowski", "Lana Wachowski"),
            ("The Wachowskis", "Lana Wachowski"),
            ("Francois Truffaut", "François Truffaut"),
            ("Who?", "Who?"),
        ],
    )
    async def test_start_nodes_are_resolved_by_name_or_alias(self, world: World, given, name):
        if name is None:
            with pytest.raises(AmbiguousNameError) as refused:
                await world.finder.resolve([given], world.view)
            assert {c["name"] for c in refused.value.details["candidates"]} == {"Clint Eastwood", "clint eastwood"}
        else:
            (seed,) = await world.finder.resolve([given], world.view)
            assert (seed.name, seed.reason, seed.score) == (name, "given", 1.0)

    async def test_start_nodes_keep_their_order_and_come_once(self, world: World):
        by_id = entity_id(world.scope, "Unforgiven")
        seeds = await world.finder.resolve([by_id, "The Matrix", "unforgiven"], world.view)
        assert [seed.name for seed in seeds] == ["Unforgiven", "The Matrix"]
        assert seeds[0].id == by_id

    async def test_a_name_of_two_entities_is_ambiguous_and_its_id_is_not(self, world: World):
        with pytest.raises(AmbiguousNameError, match="2 entities are called 'Twin'") as refused:
            await world.finder.resolve(["Twin"], world.view)
        candidates = refused.value.details["candidates"]
        assert {c["id"] for c in candidates} == {entity_id(world.scope, f"Twin {n}") for n in (1, 2)}
        assert [s.id for s in await world.finder.resolve([candidates[0]["id"]], world.view)] == [candidates[0]["id"]]

    async def test_an_unknown_start_node_is_named_with_what_was_near(self, world: World):
        with pytest.raises(
            NotFoundError, match=r"'The Matrix Reloded'; did you mean .*'The Matrix Reloaded'"
        ) as refused:
            await world.finder.resolve(["The Matrix", "The Matrix Reloded"], world.view)
        assert refused.value.field == "start_nodes"

    @pytest.mark.parametrize("name", [*NASTY, ""])
    async def test_a_nasty_start_node_is_not_found(self, world: World, name):
        with pytest.raises(NotFoundError):
            await world.finder.resolve([name[:5000]], world.view)

    async def test_no_start_nodes_resolve_to_none(self, world: World):
        assert await world.finder.resolve([], world.view) == []
