"""Texts that a question may need, the links between them, and how they are ranked: own signals, and what the best of
them lead to.

A link goes from a text over an entity to another text: to what is about the entity, or to what mentions it too.
Weights were chosen on halves of dev splits: docs/benchmarks-texts.md.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

import numpy as np

from clause.arrays import AnyFloats, Vector
from clause.reasoning.neighbourhood.port import Edge, Node, RelationshipType
from clause.reasoning.question.seed_matching import PLAIN_WORDS
from clause.text.mentions import folded_key

_WORD = re.compile(r"\w+")
_STEM = 6
_CONTEXT = 120  # characters on either side of a name that say why it is named
_COMMON = 10_000.0  # an entity of so many links tells nothing apart


def stems(text: str) -> frozenset[str]:
    """The telling words of a text, cut to six letters, so that `director` and `directed` are one.

    >>> sorted(stems("Who was the director, and of what?"))
    ['direct']
    """
    words = _WORD.findall(_small(text))
    return frozenset(word[:_STEM] for word in words if len(word) > 1 and word not in PLAIN_WORDS)


@lru_cache(maxsize=4096)
def _small(text: str) -> str:
    return text.lower() if text.isascii() else folded_key(text)


class TextLink(NamedTuple):
    """A way from a text to another one, by place.

    Attributes:
        parent, child: places of the two texts.
        triples: the two relationships, from the parent on.
        title: 1 where the parent mentions what the child is about by its whole name.
        heading: how rare the entity is, in [0, 1], where the child's title holds its name; else 0.
        shared: how rare it is where only the child's text mentions it; else 0.
        back: 1 where the child mentions what the parent is about.
        context: the share of the question's words that stand around the name in the parent.
        order: 1 of the first such name in the parent, 1/2 of the second, and so on; 0 where it says it otherwise.
    """

    parent: int
    child: int
    triples: tuple[Edge, Edge]
    title: float = 0.0
    heading: float = 0.0
    shared: float = 0.0
    back: float = 0.0
    context: float = 0.0
    order: float = 0.0


@dataclass(slots=True, weakref_slot=True)
class TextPool:
    """Candidate texts with their own signals, by place; grows while links are followed.

    Attributes:
        question: what is asked.
        embedding: its unit vector [d].
        nodes: the texts.
        vectors: unit vectors by id.
        words, fused, named: signals of each text, in [0, 1]; `named`: 1 where it is about what the question names.
        links: ways between them.
    """

    question: str
    embedding: Vector
    nodes: list[Node] = field(default_factory=list)
    vectors: Mapping[str, Vector] = field(default_factory=dict)
    words: list[float] = field(default_factory=list)
    fused: list[float] = field(default_factory=list)
    named: list[float] = field(default_factory=list)
    links: list[TextLink] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)

    def add(self, node: Node, *, words: float = 0.0, fused: float = 0.0, named: float = 0.0) -> int:
        """The place of a text; signals of one that is there already only grow."""
        place = self.places.setdefault(node.id, len(self.nodes))
        if place == len(self.nodes):
            self.nodes.append(node)
            for signals in (self.words, self.fused, self.named):
                signals.append(0.0)
        for signals, value in ((self.words, words), (self.fused, fused), (self.named, named)):
            signals[place] = max(signals[place], value)
        return place

    def cosines(self) -> AnyFloats:
        """The similarity of each text with the question [n]; 0 without a vector."""
        nothing = np.zeros_like(self.embedding)
        rows = [self.vectors.get(node.id, nothing) for node in self.nodes]
        return np.array(rows, dtype=np.float64).reshape(len(rows), len(nothing)) @ self.embedding.astype(np.float64)


class Ranked(NamedTuple):
    """Scores of texts by place, and the link that each owes its score to (absent: its own signals)."""

    scores: AnyFloats
    by: Mapping[int, TextLink]


RankTexts = Callable[[TextPool], Ranked]


class LinkWeights(NamedTuple):
    """The worth of each signal."""

    cosine: float
    words: float
    named: float
    title: float
    context: float
    order: float
    back: float
    heading: float
    shared: float
    missing: float
    again: float


WEIGHTS: Final = LinkWeights(
    cosine=2.0,
    words=0.75,
    named=2.0,
    title=0.6,
    context=1.5,
    order=1.0,
    back=0.3,
    heading=0.8,
    shared=0.4,
    missing=2.0,
    again=0.8,
)
_LINKED: Final = tuple((sign, getattr(WEIGHTS, sign)) for sign in ("title", "heading", "shared", "back"))
PARENTS: Final = 2
"""Texts whose links are followed: the best by their own signals."""


def own_scores(pool: TextPool) -> AnyFloats:
    """Score what each text is worth by itself [n]."""
    words, named = np.array(pool.words), np.array(pool.named)
    return WEIGHTS.cosine * pool.cosines() + WEIGHTS.words * words + WEIGHTS.named * named


def rank_by_links(pool: TextPool) -> Ranked:
    """Own worth, and that of the best link from one of the best texts: how it is named there, and how much of what the
    question asks and that text does not say the linked one does.
    """
    own = own_scores(pool)
    if not len(own):
        return Ranked(own, {})
    parents = np.argsort(-own, kind="stable")[:PARENTS].tolist()
    asked = Coverage(pool)
    gains, by = np.zeros_like(own), {}
    for (parent, child), links in _pairs(pool.links, parents).items():
        worth = sum(max(getattr(link, sign) for link in links) * weight for sign, weight in _LINKED)
        best = max(links, key=lambda link: (link.title, link.heading, link.shared, link.back))
        worth += best.title * WEIGHTS.title * (WEIGHTS.context * best.context + WEIGHTS.order * best.order)
        worth += WEIGHTS.missing * asked.missing(parent, child)
        gain = worth * math.sqrt(max(0.0, own[parent]) / max(own[parents[0]], 1e-9))
        if gain > gains[child]:
            gains[child], by[child] = gain, best
    return Ranked(_varied(own + gains, pool), by)


def _pairs(links: Sequence[TextLink], parents: Sequence[int]) -> dict[tuple[int, int], list[TextLink]]:
    pairs: defaultdict[tuple[int, int], list[TextLink]] = defaultdict(list)
    for link in links:
        if link.parent in parents and link.child != link.parent:
            pairs[link.parent, link.child].append(link)
    return pairs


def _varied(scores: AnyFloats, pool: TextPool) -> AnyFloats:
    """Scores less a price for each better text of the same title, two at most: other subjects come first."""
    varied, seen = scores.copy(), Counter[str]()
    for place in np.argsort(-scores, kind="stable").tolist():
        title = pool.nodes[place].name
        if title:
            varied[place] -= WEIGHTS.again * min(seen[title], 2)
            seen[title] += 1
    return varied


class Coverage:
    """The words of the question that each text says; a word that few candidates say counts more."""

    def __init__(self, pool: TextPool) -> None:
        self._pool = pool
        self._asked = stems(pool.question)
        ends = {stem: "" if len(stem) == _STEM else r"\b" for stem in self._asked}
        self._words = {stem: re.compile(rf"\b{re.escape(stem)}{end}") for stem, end in ends.items()}
        self._said: dict[int, frozenset[str]] = {}

    @cached_property
    def _weights(self) -> Mapping[str, float]:
        said = Counter(word for place in range(len(self._pool.nodes)) for word in self.said(place))
        count = len(self._pool.nodes)
        return {word: math.log(1 + (count - said[word] + 0.5) / (said[word] + 0.5)) for word in self._asked}

    def said(self, place: int) -> frozenset[str]:
        """The question's words that a text or its title says."""
        if place not in self._said:
            node = self._pool.nodes[place]
            text = _small(f"{node.name} {node.text or ''}")
            self._said[place] = frozenset(
                stem for stem, word in self._words.items() if stem in text and word.search(text)
            )
        return self._said[place]

    def missing(self, parent: int, child: int) -> float:
        """The share in [0, 1] of what is asked that the child says and the parent does not."""
        total = sum(self._weights.values())
        return sum(self._weights[word] for word in self.said(child) - self.said(parent)) / total if total else 0.0


def rarity(degree: int) -> float:
    """Rate how much a shared entity of so many links tells, in [0, 1].

    >>> rarity(1), rarity(100), rarity(1_000_000)
    (1.0, 0.5, 0.0)
    """
    return max(0.0, 1.0 - math.log(max(1, degree)) / math.log(_COMMON))


def context_of(name: str, text: str, asked: frozenset[str]) -> tuple[int, float]:
    """Find where a text says a name first (-1: it does not say it so), and the share of the asked words around it.

    >>> context_of("Ken Loach", "It was directed by Ken Loach.", stems("who is the director"))
    (19, 1.0)
    """
    at = text.lower().find(name.lower())
    if at < 0 or not asked:
        return at, 0.0
    start = max(text.rfind(". ", 0, at) + 1, at - _CONTEXT, 0)
    end = text.find(". ", at + len(name))
    around = text[start : min(len(text) if end < 0 else end, at + len(name) + _CONTEXT)]
    return at, len(stems(around) & asked) / len(asked)


STEP_PARENTS: Final = 3


def rank_two_steps(pool: TextPool) -> Ranked:
    """The two-step rule: fused ranks, what the question names first; each text that the best three name by its title
    gets half its own score and half of that one's.
    """
    own = np.array(pool.fused) + (np.array(pool.named) >= 1)
    parents = np.argsort(-own, kind="stable")[:STEP_PARENTS].tolist()
    scores, by = own.copy(), {}
    for link in pool.links:
        half = 0.5 * own[link.child] + 0.5 * own[link.parent]
        if link.title and link.parent in parents and half > scores[link.child]:
            scores[link.child], by[link.child] = half, link
    return Ranked(scores, by)


DAMPING: Final = 0.5
SOURCES: Final = 10
_ROUNDS = 30


def rank_by_pages(pool: TextPool) -> Ranked:
    """Personalised PageRank (damping 0.5) over title links both ways, from the best ten of the fused ranks."""
    own = np.array(pool.fused) + (np.array(pool.named) >= 1)
    start = np.zeros_like(own)
    best = np.argsort(-own, kind="stable")[:SOURCES]
    start[best] = own[best]
    start /= max(start.sum(), 1e-9)
    ways = np.zeros((len(own), len(own)))
    by: dict[int, TextLink] = {}
    for link in pool.links:
        if link.title:
            ways[link.parent, link.child] = ways[link.child, link.parent] = 1.0
            by.setdefault(link.child, link)
    ways /= np.maximum(ways.sum(axis=1, keepdims=True), 1.0)
    scores = start.copy()
    for _ in range(_ROUNDS):
        scores = (1 - DAMPING) * start + DAMPING * scores @ ways
    return Ranked(scores, by)


LED = 2.0
"""The score that a triple adds to the texts about its other end where its type says all that is asked."""


@dataclass(frozen=True, slots=True)
class TripleRoute:
    """A way to a text over a triple: from an entity that the question names, or from a text; `worth` in [0, 1]."""

    start: str
    triples: tuple[Edge, ...]
    worth: float


def led_by(ranked: Ranked, routes: Mapping[int, TripleRoute]) -> Ranked:
    """Scores with what triples add."""
    scores = ranked.scores.copy()
    for place, route in routes.items():
        scores[place] += LED * route.worth
    return Ranked(scores, ranked.by)


def relation_worth(kind: RelationshipType, question: str, embedding: Vector) -> float:
    """Rate how much a relationship type is what is asked, in [0, 1]: by its words, or by meaning.

    >>> flat = np.zeros(2, dtype=np.float32)
    >>> relation_worth(RelationshipType("keeper_of", "keeper of", "", flat, flat), "Who is the keeper?", flat)
    1.0
    """
    words, asked = stems(kind.name.replace("_", " ")), stems(question)
    said = len(words & asked) / len(words) if words else 0.0
    meant = max(float(vector @ embedding) for vector in (kind.embedding, kind.inverse_embedding))
    return min(1.0, max(said, meant, 0.0))
