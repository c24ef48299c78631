"""Policies that walk from text to text: seeds are what the question names and the best texts of recall, an edge is
text -> entity -> text, and the Curator hands on as many texts as the tokens hold."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from clause.reasoning.agents.policy import (
    Account,
    Decision,
    Embed,
    LeftOut,
    PlainPolicy,
    ProvedAnswer,
    Question,
    SeedCandidate,
)
from clause.reasoning.agents.proving import ProvingAgents
from clause.reasoning.agents.scoring import Walk
from clause.reasoning.agents.text_links import (
    Ranked,
    RankTexts,
    TextLink,
    TextPool,
    TripleRoute,
    context_of,
    led_by,
    own_scores,
    rank_by_links,
    rank_by_pages,
    rank_two_steps,
    rarity,
    relation_worth,
    stems,
)
from clause.reasoning.episode.actions import CuratorAction, Look, Pick, Stop
from clause.reasoning.episode.episode import Episode
from clause.reasoning.episode.subgraph import Path
from clause.reasoning.neighbourhood.port import Edge, Expansion, Hop, Node
from clause.reasoning.question.seed_matching import FUNCTION_WORDS
from clause.text.mentions import find_mentions, folded_key, key_names
from clause.text.names import short_names

NAME: Final = "text-walk"
NO_STATEMENT: Final = "the texts are the evidence: nothing here says an answer word for word"

ABOUT, MENTIONS = "ABOUT", "MENTIONS"
SEARCHED = 40
"""Texts that recall gives, of each ranking."""
SURE = 0.5
"""Seeds at least so likely, and said in the question, are what it names."""
OF_A_NAME = 30
"""Texts read that are about one entity."""
RARE = 40
"""Entities with more links than this are not followed to what mentions them: too much does."""
NEAR = 60
"""Texts that only share an entity with a parent: so many are kept, the nearest to the question."""
LINKED = 30
"""Links that the Architect is asked to add, best first."""
CROSSED = 6
"""Relationship types that are followed from text to text, those nearest to the question."""
ASKED = 0.4
"""Types of less worth are not what is asked."""
FROM_A_TEXT = 0.7
"""The weight of a triple that begins at an entity which only a text names."""
BETWEEN = 12
"""Entities that one triple away are looked at, of each."""


@dataclass(slots=True)
class TextAgents(ProvingAgents):
    """The agents of one question over texts: `found` are the links to the best ones, `account` holds all, best first.

    A text that a link lifted stands where its own signals put it when the link could not be paid.
    """

    unlinked: Sequence[Node] = ()
    named: frozenset[str] = frozenset()
    _order: list[str] | None = None

    def curator(self, episode: Episode) -> Decision[CuratorAction]:
        """The next text that fits: as many as the tokens hold."""
        place_of = {unit.node: place for place, unit in enumerate(episode.pool) if unit.node is not None}
        if self._order is None:
            self._order = [node for node in self._paid(episode) if node in place_of]
        fitting = set(episode.pickable())
        taken = set(episode.picked)
        waiting = [place for node in self._order if (place := place_of[node]) not in taken]
        best = next((place for place in waiting if place in fitting), None)
        if best is not None:
            return Decision(Pick(best))
        if not waiting:
            return Decision(Stop("COMPLETE" if episode.picked else "NO_CANDIDATES"))
        unit = episode.pool[waiting[0]]
        return Decision(Stop("BUDGET_EXHAUSTED"), left_out=LeftOut(unit.text, unit.tokens, 0.0))

    def findings(self, episode: Episode) -> Sequence[ProvedAnswer]:  # noqa: ARG002 -- the protocol's
        """Texts are evidence, no answers."""
        return ()

    def walked(self, episode: Episode) -> Sequence[Path]:
        """The ways that were added and walked, from what the question names first, then best first."""
        reached = ProvingAgents.findings(self, episode)
        ways = dict.fromkeys(_laid(one.triples) for one in reached if one.triples)
        return sorted(ways, key=lambda way: (way.nodes[0] not in self.named, way.end in self.named))

    def _walks_of(self, finding: ProvedAnswer) -> list[Walk]:
        """The one walk from where a way begins to its text."""
        if not finding.triples:
            return []
        path = _laid(finding.triples)
        steps = zip(path.nodes, path.edges, strict=False)
        return [(path.nodes[0], tuple(Hop(edge.relation, edge.source == here) for here, edge in steps))]

    def _paid(self, episode: Episode) -> list[str]:
        """Ids in the order of the ranking; texts whose links were not walked come where they would without."""
        unpaid = {one.node for one in self.found if not self._reached(one, episode)}
        if not unpaid:
            return [node.id for node in self.account.texts or ()]
        place = {node.id: rank for rank, node in enumerate(self.unlinked)}
        own = {node.id: rank for rank, node in enumerate(self.account.texts or ())}
        return sorted(own, key=lambda node: (place[node] if node in unpaid else own[node], node in unpaid, own[node]))


def _laid(triples: Sequence[Edge]) -> Path:
    """Edges laid end to end, from the end of the first that the second does not touch; its source where it is alone."""
    first, *others = triples
    ends = {others[0].source, others[0].target} if others else set()
    path = Path((first.target if first.source in ends and first.target not in ends else first.source,))
    for edge in triples:
        path = path.then(edge)
    return path


@dataclass(frozen=True, slots=True)
class TextWalkPolicy(PlainPolicy):
    """Walks over texts by a rule: `rank` says what texts are worth, `parents` the texts whose links are read."""

    name: str = NAME
    rank: RankTexts = rank_by_links
    parents: int = 3
    abstain_below: float = 0.0

    async def begin(self, question: Question, embed: Embed) -> TextAgents:  # noqa: ARG002 -- reads no other wording
        """Agents that know the texts and their links; they pay for what they use."""
        reading = _Reading(question, TextPool(question.text, question.embedding, vectors=question.vectors))
        await reading.search()
        await reading.follow(self.parents)
        if self.rank is rank_by_links:
            await reading.cross(self.parents)
        pool, routes = reading.pool, reading.routes
        ranked = led_by(self.rank(pool), routes)
        order = np.argsort(-ranked.scores, kind="stable").tolist()
        best = float(ranked.scores[order[0]]) if order else 1.0
        found = [
            ProvedAnswer(pool.nodes[place].name, pool.nodes[place].id, _share(ranked, place, best), triples)
            for place in order[: 2 * LINKED]
            if (triples := _way(place, ranked, routes))
        ][:LINKED]
        starts = [pool.nodes[link.parent].id for link in ranked.by.values()]
        topics = list(dict.fromkeys([*starts, *(route.start for route in routes.values())]))
        said = [seed.id for seed in question.seeds if seed.start is not None]
        question.seeds = [*question.seeds, *_seeds(topics, pool, question.seeds)]
        own = np.argsort(-own_scores(pool), kind="stable").tolist()
        return TextAgents(
            found,
            Account(reason=NO_STATEMENT, texts=[pool.nodes[place] for place in order]),
            reading.reads,
            topics,
            question.prices,
            unlinked=[pool.nodes[place] for place in own],
            named=frozenset([*said, *(node.id for node, sure in zip(pool.nodes, pool.named, strict=True) if sure)]),
        )


def _way(place: int, ranked: Ranked, routes: Mapping[int, TripleRoute]) -> tuple[Edge, ...]:
    """The edges that a text owes its rank to; none where it stands by itself."""
    if place in routes:
        return routes[place].triples
    return ranked.by[place].triples if place in ranked.by else ()


def _share(ranked: Ranked, place: int, best: float) -> float:
    return max(0.0, min(1.0, float(ranked.scores[place]) / best)) if best > 0 else 0.0


def _seeds(ids: Iterable[str], pool: TextPool, known: Sequence[SeedCandidate]) -> list[SeedCandidate]:
    """Texts as seeds, behind the entities that the question names."""
    there = {seed.id for seed in known}
    nodes = [pool.nodes[pool.places[one]] for one in ids if one not in there]
    return [SeedCandidate(node.id, node.name, 1.0) for node in nodes]


@dataclass(slots=True)
class _Reading:
    """The reads of one question, before its episode: they become part of what the episode knows."""

    question: Question
    pool: TextPool
    reads: list[tuple[Look, Expansion]] = field(default_factory=list)
    routes: dict[int, TripleRoute] = field(default_factory=dict)

    async def search(self) -> None:
        """Recall's texts, and those that are about what the question names."""
        names = {seed.id: seed.name for seed in self.question.seeds if seed.start is not None and seed.score >= SURE}
        given = {seed.id: seed.name for seed in self.question.seeds if self.question.start_nodes_given}
        recalled, about = await asyncio.gather(
            self.question.recall(SEARCHED), self._look([*names, *given], (Hop(ABOUT, False),), OF_A_NAME)
        )
        for text in recalled:
            self.pool.add(text.node, words=text.words, fused=text.fused)
        for entity, by_hop in about.neighbours.items():
            texts = [about.nodes[edge.source] for edges in by_hop.values() for edge in edges]
            for node, named in named_texts([about.nodes[entity].name], [text for text in texts if text.text]):
                self.pool.add(node, named=named)
        for node, named in named_texts(names_said(self.question.text, self.pool.nodes), self.pool.nodes):
            self.pool.add(node, named=named)
        await self.question.learn([node.id for node in self.pool.nodes])

    async def follow(self, parents: int) -> None:
        """The links of the best texts."""
        order = np.argsort(-own_scores(self.pool), kind="stable")[:parents].tolist()
        best = [self.pool.nodes[place] for place in order]
        forward = await self._look([node.id for node in best], (Hop(MENTIONS, True), Hop(ABOUT, True)), OF_A_NAME)
        said = f" {folded_key(self.question.text)} "
        entities = {
            edge.target: forward.nodes[edge.target]
            for by_hop in forward.neighbours.values()
            for edges in by_hop.values()
            for edge in edges
        }
        fresh = [one for one, node in entities.items() if folded_key(node.name) not in said]
        rare = [one for one in entities if entities[one].degree <= RARE]
        about, mention = await asyncio.gather(
            self._look(fresh, (Hop(ABOUT, False),), OF_A_NAME), self._look(rare, (Hop(MENTIONS, False),), RARE)
        )
        near: dict[str, Node] = {}
        for found in (about, mention):
            near.update((node.id, node) for node in found.nodes.values() if node.text)
        await self.question.learn(list(near))
        self._keep(near, {edge.source for by_hop in about.neighbours.values() for e in by_hop.values() for edge in e})
        asked = stems(self.question.text)
        for node in best:
            self._link(node, forward, (about, mention), asked, said)

    async def cross(self, parents: int) -> None:
        """Texts over triples: from what the question names, or the best texts name, over a triple of a type that is
        asked, to what is about its other end. Where there are no triples nothing is read.
        """
        question = self.question
        kinds = question.relationship_types.values()
        worth = {kind.name: relation_worth(kind, question.text, question.embedding) for kind in kinds}
        asked = sorted((one for one in worth if worth[one] >= ASKED), key=lambda one: (-worth[one], one))[:CROSSED]
        starts = self._starts(parents) if asked else {}
        hops = tuple(Hop(name, forward) for name in asked for forward in (True, False))
        over = await self._look(list(starts), hops, BETWEEN)
        triples = [
            (near, hop, edge)
            for near, by_hop in over.neighbours.items()
            for hop, edges in by_hop.items()
            for edge in edges
            if starts.get(edge.other(near), ("", ()))[1:] != ((),)
        ]
        about = await self._look(
            list(dict.fromkeys(edge.other(near) for near, _, edge in triples)), (Hop(ABOUT, False),), OF_A_NAME
        )
        await question.learn([node.id for node in about.nodes.values() if node.text])
        for near, hop, edge in triples:
            for back in about.neighbours.get(edge.other(near), {}).get(Hop(ABOUT, False), ()):
                start, before = starts[near]
                sure = worth[hop.relation] * (FROM_A_TEXT if before else 1.0)
                self._route(about.nodes[back.source], TripleRoute(start, (*before, edge, back), sure))

    def _starts(self, parents: int) -> dict[str, tuple[str, tuple[Edge, ...]]]:
        """Entities from which triples are followed, each with where its walk begins and the edges up to it."""
        named = [seed.id for seed in self.question.seeds if seed.start is not None and seed.score >= SURE]
        given = [seed.id for seed in self.question.seeds if self.question.start_nodes_given]
        found: dict[str, tuple[str, tuple[Edge, ...]]] = {one: (one, ()) for one in (*named, *given)}
        best = {self.pool.nodes[one].id for one in np.argsort(-own_scores(self.pool), kind="stable")[:parents].tolist()}
        for _, read in self.reads:
            for text in best & read.neighbours.keys():
                for edge in (edge for edges in read.neighbours[text].values() for edge in edges):
                    if edge.source == text and read.nodes[edge.target].degree <= RARE:
                        found.setdefault(edge.target, (text, (edge,)))
        return found

    def _route(self, node: Node, route: TripleRoute) -> None:
        place = self.pool.add(node)
        known = self.routes.get(place)
        if node.id != route.start and (known is None or route.worth > known.worth):
            self.routes[place] = route

    def _keep(self, near: dict[str, Node], always: set[str]) -> None:
        """New texts become candidates: all that are about an entity, and the nearest of the others."""
        embedding, vectors = self.question.embedding, self.pool.vectors
        others = [one for one in near if one not in self.pool.places and one not in always]
        others.sort(key=lambda one: (-float(vectors[one] @ embedding) if one in vectors else 0.0, one))
        for one in [*(one for one in near if one in always), *others[:NEAR]]:
            self.pool.add(near[one])

    def _link(
        self, parent: Node, forward: Expansion, beyond: Sequence[Expansion], asked: frozenset[str], said: str
    ) -> None:
        """Every way from a text to another candidate."""
        here, title = self.pool.places[parent.id], folded_key(parent.name)
        ways: defaultdict[str, list[Edge]] = defaultdict(list)
        for edges in forward.neighbours.get(parent.id, {}).values():
            for edge in edges:
                ways[edge.target].append(edge)
        places = {one: context_of(forward.nodes[one].name, parent.text or "", asked) for one in ways}
        order = sorted((at, one) for one, (at, _) in places.items() if at >= 0)
        ordinal = {one: 1 / rank for rank, (_, one) in enumerate(order, start=1)}
        for one, edges in ways.items():
            entity = forward.nodes[one]
            name = folded_key(entity.name)
            subject = any(edge.relation == ABOUT for edge in edges) or name in title
            for child, back in self._beyond(one, beyond):
                node = self.pool.nodes[child]
                heading = folded_key(node.name)
                new = not subject and f" {name} " not in said
                whole = back.relation == ABOUT and heading == name
                self.pool.links.append(
                    TextLink(
                        here,
                        child,
                        (edges[0], back),
                        title=float(whole and not subject),
                        heading=rarity(entity.degree) if new and name in heading else 0.0,
                        shared=rarity(entity.degree) if new and name not in heading else 0.0,
                        back=float(subject and back.relation == MENTIONS),
                        context=places[one][1],
                        order=ordinal.get(one, 0.0),
                    )
                )

    def _beyond(self, entity: str, found: Sequence[Expansion]) -> list[tuple[int, Edge]]:
        edges = [edge for one in found for edges in one.neighbours.get(entity, {}).values() for edge in edges]
        return [(self.pool.places[edge.source], edge) for edge in edges if edge.source in self.pool.places]

    async def _look(self, nodes: Sequence[str], hops: tuple[Hop, ...], most: int) -> Expansion:
        if not nodes:
            return Expansion()
        look = Look(tuple(nodes), hops, most)
        found = await self.question.expand(look) if self.question.expand else Expansion()
        self.reads.append((look, found))
        return found


def names_said(question: str, texts: Sequence[Node]) -> list[str]:
    """The titles of some texts, or short forms of them, that a question says; longer ones hide what they hold.

    >>> names_said("Who directed Kes?", [Node("1", "Kes (1969 film)"), Node("2", "Who")])
    ['Kes']
    """
    titles = [node.name for node in texts if node.name]
    known = key_names([*titles, *(short for title in titles for short in short_names(title))])
    spelt = question != question.lower()
    said = []
    for mention in find_mentions(question, known):
        capital = question[mention.start].isupper() or not mention.name[0].isupper()
        if (capital or not spelt) and folded_key(mention.name) not in FUNCTION_WORDS:
            said.append(mention.name)
    return said


def named_texts(names: Iterable[str], texts: Sequence[Node]) -> list[tuple[Node, float]]:
    """Texts that are about what is named: those of just that title count whole, else each has its share of the name.

    >>> texts = [Node("1", "Kes (1969 film)"), Node("2", "Kes (book)")]
    >>> [(node.id, share) for node, share in named_texts(["Kes"], texts)]
    [('1', 0.5), ('2', 0.5)]
    """
    found = []
    for name in map(folded_key, names):
        whole = [text for text in texts if folded_key(text.name) == name]
        short = [text for text in texts if name in map(folded_key, short_names(text.name))]
        titles = {text.name for text in short}
        found += [(text, 1.0) for text in whole] or [(text, 1 / len(titles)) for text in short]
    return found


def two_step() -> TextWalkPolicy:
    """The two-step rule as a policy."""
    return TextWalkPolicy("two-step", rank_two_steps)


def pagerank() -> TextWalkPolicy:
    """Personalised PageRank over title links as a policy."""
    return TextWalkPolicy("pagerank", rank_by_pages, parents=10)
