"""Reads a question on the graph that is served: names linked among its seeds, reads bounded, remembered and kept."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from clause.reasoning.agents.policy import Question, SeedCandidate
from clause.reasoning.episode.actions import Look
from clause.reasoning.models.answer import ForgivenSpelling
from clause.reasoning.neighbourhood.port import Edge, Expansion, Hop, Node, RelationshipType
from clause.reasoning.question.candidates import CLASS_TYPES
from clause.reasoning.question.forms import Kind, ParsedQuestion, parse
from clause.reasoning.question.pattern_text import plain
from clause.reasoning.question.patterns import Around, Rank, Read, ReadBounds, drive_async
from clause.reasoning.question.reading import Readings, read_question
from clause.reasoning.question.skeleton import EntityCandidate, LinkedMention, named_span
from clause.reasoning.question.vocabulary import FORM_WORDS, SUPERLATIVES, SYNONYMS
from clause.text.linking import Closeness, NamedEntity, match_name
from clause.text.literals import LiteralValue, String, find_literals, read_literal
from clause.text.mentions import candidate_spans, folded_key
from clause.text.names import readable_relation

SERVED: Final = ReadBounds(beam=12, patterns=400, sample=8, per_type=200, front=400)
"""The bounds of reading while somebody waits."""

_CLASSES_OF_ONE = 8
_CLASS_BEFORE = re.compile(
    rf"\b(?:which|what|wich|many|every|each|most|this|these|those|another|{'|'.join(SUPERLATIVES)})\s+$", re.IGNORECASE
)
_OWNED_BEFORE = re.compile(r"\b(?:whose|how much)\s+$", re.IGNORECASE)
_PLACED_BEFORE = re.compile(r"\b(?:in|on|of|for) (?:the|its|their)\s+$")
_RELATED = frozenset(word for words in SYNONYMS.values() for word in words)
_PLAIN_KINDS = frozenset({"entity", "concept", "literal"})

Rated = Callable[[Rank], Awaitable[Sequence[float]]]
"""Log-probabilities of patterns, once they are there."""


@dataclass(slots=True)
class GraphReads:
    """The reads of one question: nothing is read twice, and everything read is kept for the episode.

    Args:
        question: what is asked; its `expand` reads.

    Attributes:
        text, mentions: the question as it is parsed, and its linked names.
    """

    question: Question
    text: str = field(init=False)
    mentions: Sequence[LinkedMention] = field(init=False)
    kept: list[tuple[Look, Expansion]] = field(default_factory=list)
    _edges: dict[str, dict[Hop, Sequence[Edge]]] = field(default_factory=dict)
    _nodes: dict[str, Node] = field(default_factory=dict)
    _around: set[str] = field(default_factory=set)
    _cut: set[tuple[str, Hop]] = field(default_factory=set)
    _whole: set[tuple[str, Hop]] = field(default_factory=set)
    _classes: dict[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.text, self.mentions = spoken(self.question)

    def spelling(self) -> dict[str, float]:
        """The id of each seed with how well the question spells it: 1 by its name, 0.5 with slips, 0 in part."""
        found: dict[str, float] = {}
        for mention in self.mentions:
            said = self.text[mention.start : mention.end]
            for one in mention.candidates:
                match = match_name(said, NamedEntity(one.id, one.name))
                spelt = 0.0 if match is None else 0.5 if match.closeness is Closeness.TYPO else 1.0
                found[one.id] = max(spelt, found.get(one.id, 0.0))
        return found

    async def read(self, wanted: Read) -> Around:
        """The edges around a frontier: one query, and one for the classes of what is new where the graph has any."""
        hops = wanted.hops or self._hops
        if not wanted.nodes:
            heads = await self._heads(hops, wanted.per_type)
            return await self.read(wanted._replace(nodes=heads)) if heads else {}
        missing = tuple(node for node in wanted.nodes if not self._known(node, wanted.hops))
        if missing:
            await self._look(Look(missing, hops, wanted.per_type), whole=wanted.hops is not None)
        return {
            node: {hop: edges[: wanted.per_type] for hop, edges in self._edges[node].items() if hop in hops}
            for node in wanted.nodes
            if node in self._edges
        }

    def name(self, node: str) -> str:
        """The name as the graph has it."""
        return self._nodes[node].name if node in self._nodes else node

    def value(self, node: str) -> LiteralValue | None:
        """The date or number that a node is; None of any other."""
        read = read_literal(self.name(node))
        return None if isinstance(read, String) else read

    def classes(self, node: str) -> frozenset[str]:
        """The classes that the graph says of a node: by its own types for that, and by its label."""
        kind = self._nodes[node].kind if node in self._nodes else ""
        own = frozenset() if not kind or kind in _PLAIN_KINDS else frozenset((kind,))
        return self._classes.get(node, frozenset()) | own

    async def _heads(self, hops: Sequence[Hop], limit: int) -> tuple[str, ...]:
        """What any of some hops leads from, wherever it is."""
        if self.question.heads is None:
            return ()
        found = [await self.question.heads(hop.relation, limit) for hop in hops]
        return tuple(dict.fromkeys(node for heads in found for node in heads))

    @property
    def _hops(self) -> tuple[Hop, ...]:
        names = sorted(self.question.relationship_types)
        return tuple(Hop(name, forward) for name in names for forward in (True, False))

    def _known(self, node: str, hops: Sequence[Hop] | None) -> bool:
        around = node in self._around
        if hops is None:
            return around
        return all((node, hop) in self._whole or (around and (node, hop) not in self._cut) for hop in hops)

    async def _look(self, look: Look, *, whole: bool) -> None:
        expand = self.question.expand
        if expand is None:
            return
        found = await expand(look)
        self.kept.append((look, found))
        self._nodes.update(found.nodes)
        for node in look.nodes:
            mine = self._edges.setdefault(node, {})
            mine.update(found.neighbours.get(node, {}))
            if whole:
                self._whole.update((node, hop) for hop in look.hops or ())
            else:
                self._around.add(node)
        if not whole:
            self._cut |= found.truncated
        await self._classify(found)

    async def _classify(self, found: Expansion) -> None:
        """Read the classes of nodes that are new."""
        kinds = self.question.relationship_types
        hops = tuple(Hop(name, True) for name in kinds if readable_relation(name) in CLASS_TYPES)
        new = tuple(node for node in found.nodes if node not in self._classes)
        if not hops or not new or self.question.expand is None:
            return
        said = await self.question.expand(Look(new, hops, _CLASSES_OF_ONE))
        for node in new:
            ends = [edge.other(node) for edges in said.neighbours.get(node, {}).values() for edge in edges]
            self._classes[node] = frozenset(said.nodes[end].name for end in ends if end in said.nodes)


def linked(text: str, seeds: Sequence[SeedCandidate]) -> list[LinkedMention]:
    """The stretches of a question that name its seeds, each with what it may mean, best first.

    A seed without a place was found by some of its words or letters: it is put where the text comes nearest its name.

    >>> [(m.start, m.end) for m in linked("who runs Loggin Gate", [SeedCandidate("1", "Login Gate", 0.9)])]
    [(9, 20)]
    """
    return list(_linked(text, tuple(seeds)))


@lru_cache(maxsize=64)  # a question is linked to choose who reads it, to read it, and to say what was forgiven
def _linked(text: str, seeds: tuple[SeedCandidate, ...]) -> tuple[LinkedMention, ...]:
    places: dict[tuple[int, int], list[EntityCandidate]] = {}
    counted = {(one.start, one.end) for one in find_literals(text)}
    for seed in seeds:
        span = _place(text, seed)
        if span is not None and span not in counted:
            places.setdefault(span, []).append(EntityCandidate(seed.id, seed.name, seed.score))
    return tuple(
        LinkedMention(start, end, tuple(sorted(_nearest(text[start:end], found), key=lambda one: -one.score)))
        for (start, end), found in sorted(places.items())
    )


def _nearest(said: str, found: Sequence[EntityCandidate]) -> list[EntityCandidate]:
    """The candidates that are called what is said; all of them where none is.

    A name with capitals, spelt exactly so, is no other that only has its letters: `Tony Scott` is no tag `tony scott`.
    """
    exact = [one for one in found if one.name == said]
    if exact and not said.islower():
        return exact
    matches = ((one, match_name(said, NamedEntity(one.id, one.name))) for one in found)
    called = [one for one, match in matches if match is not None and match.closeness is not Closeness.TYPO]
    return called or list(found)


def _place(text: str, seed: SeedCandidate) -> tuple[int, int] | None:
    if seed.start is not None and seed.end is not None:
        return seed.start, seed.end
    named = named_span(text, seed.name, folded=True)
    if named is not None and (whole := _whole_words(text, *named)) is not None:
        return whole
    entity = NamedEntity(seed.id, seed.name)
    spans = [span for span in candidate_spans(text) if not FORM_WORDS.issuperset(folded_key(span.text).split())]
    near = [
        (match.closeness, match.slips, span.start - span.end, span)
        for span in spans
        if _resembles(span.text, seed.name) and (match := match_name(span.text, entity)) is not None
    ]
    if near:
        best = min(near, key=lambda one: one[:3])[3]
        return best.start, best.end
    words = set(folded_key(seed.name).split())
    marks = text != text.lower()  # then a word in small letters is no part of a name that has capitals
    inside = [
        span
        for span in spans
        if set(folded_key(span.text).split()) <= words
        and span.text[:1].isalnum()
        and not _CLASS_BEFORE.search(text[: span.start])
        and not (span.start == 0 and seed.name.islower() and seed.name.endswith(f" {span.text.casefold()}"))
        and not (marks and span.text[:1].islower() and seed.name[:1].isupper())
    ]
    if not inside:
        return None
    longest = max(inside, key=lambda span: (span.end - span.start, -span.start))
    return longest.start, longest.end


def _whole_words(text: str, start: int, end: int) -> tuple[int, int] | None:
    """A stretch with the plural's ending behind it; None where it begins or ends within another word.

    >>> _whole_words("which servers run", 6, 12), _whole_words("itself", 0, 2)
    ((6, 13), None)
    """
    behind = re.match(r"[^\W_]*", text[end:])
    rest = behind[0] if behind else ""
    if (start and text[start - 1].isalnum()) or rest.lower() not in {"", "s", "es"}:
        return None
    return start, end + len(rest)


def _resembles(said: str, name: str) -> bool:
    return abs(len(said) - len(name)) <= 4 or name.casefold().startswith(said.casefold())


def spoken(question: Question) -> tuple[str, list[LinkedMention]]:
    """The question's text with its linked names; a start node that it does not name is told in a sentence before.

    >>> from clause.reasoning.episode.budget import Prices
    >>> import numpy as np
    >>> kes = SeedCandidate("1", "Kes", 1.0)
    >>> spoken(Question("Who made it?", np.zeros(1), [kes], {}, Prices(), start_nodes_given=True))[0]
    'Kes. Who made it?'
    """
    mentions = _without_words(linked(question.text, question.seeds), question)
    if mentions or not question.start_nodes_given or not question.seeds:
        return question.text, mentions
    first = question.seeds[0]
    candidate = EntityCandidate(first.id, first.name, first.score)
    return f"{first.name}. {question.text}", [LinkedMention(0, len(first.name), (candidate,))]


def _without_words(mentions: list[LinkedMention], question: Question) -> list[LinkedMention]:
    """The mentions without words of the graph's types that only stand in a name: `album` is no `Album of the Year`."""
    mentions = [one for one in mentions if not _is_owned_noun(question.text, one)]
    partly = [(one, folded_key(question.text[one.start : one.end])) for one in mentions]
    partly = [(one, said) for one, said in partly if _is_part_of_all(said, one.candidates)]
    if not partly:
        return mentions
    words = vocabulary_of(question.relationship_types, texts_of(question.relationship_types))
    dropped = [one for one, said in partly if said in words or _is_numbered(said, one.candidates)]
    return [one for one in mentions if one not in dropped]


def _is_owned_noun(text: str, mention: LinkedMention) -> bool:
    """Tell whether a mention is a noun that a question asks by: `whose screenplay`, `how much money`, `in the cast`."""
    said, before = text[mention.start : mention.end], text[: mention.start]
    if not said.islower():
        return False
    placed = (
        said in _RELATED and text != text.lower() and re.search(r"\b(?:in|on|of|for) (?:the|its|their)\s+$", before)
    )
    return bool(placed) or _OWNED_BEFORE.search(before) is not None


def _is_part_of_all(said: str, candidates: Sequence[EntityCandidate]) -> bool:
    """Tell whether what is said is one word of several in the names of all candidates."""
    names = [folded_key(candidate.name).split() for candidate in candidates]
    return all(len(words) > 1 and said in words for words in names)


def _is_numbered(said: str, candidates: Sequence[EntityCandidate]) -> bool:
    """Tell whether names are what is said and a number or a letter: `room` alone is no `Room 12`.

    >>> _is_numbered("room", [EntityCandidate("1", "Room 12")]), _is_numbered("ann", [EntityCandidate("2", "Ann Lee")])
    (True, False)
    """
    others = {word for one in candidates for word in folded_key(one.name).split() if word != said}
    return all(len(word) == 1 or any(letter.isdigit() for letter in word) for word in others)


def forgiven(question: Question) -> tuple[ForgivenSpelling, ...]:
    """The names of a question that were taken for others, in their order.

    >>> from clause.reasoning.episode.budget import Prices
    >>> import numpy as np
    >>> seeds = [SeedCandidate("1", "Login Gate", 0.9)]
    >>> [one.meant for one in forgiven(Question("who runs Loggin Gate", np.zeros(1), seeds, {}, Prices()))]
    ['Login Gate']
    """
    found = []
    for mention in linked(question.text, question.seeds):
        said = question.text[mention.start : mention.end]
        matches = [match_name(said, NamedEntity(one.id, one.name)) for one in mention.candidates]
        if matches and matches[0] is not None and matches[0].did_you_mean is not None:
            found.append(ForgivenSpelling(said=said, meant=matches[0].did_you_mean))
    return tuple(found)


def asked_kind(question: Question) -> Kind:
    """What a question asks for: things, yes or no, a number, a winner, or the best of things.

    >>> from clause.reasoning.episode.budget import Prices
    >>> import numpy as np
    >>> asked_kind(Question("how many films did Kes make", np.zeros(1), [], {}, Prices()))
    'count'
    """
    text, mentions = spoken(question)
    return parse(text, mentions).kind


async def ground(question: Question, rated: Rated, bounds: ReadBounds = SERVED) -> tuple[Readings, GraphReads]:
    """The readings of a question on its graph, best first, and everything that was read for them.

    Args:
        question: with `expand`, by which the graph is read.
        rated: scores patterns of relationships against masked questions.
        bounds: the most that is read.
    """
    reads = GraphReads(question)
    text_of = texts_of(question.relationship_types)
    vocabulary = vocabulary_of(question.relationship_types, text_of)

    def parsed(mentions: Sequence[LinkedMention]) -> ParsedQuestion:
        return parse(reads.text, mentions, vocabulary)

    kinds = sorted(question.relationship_types.values(), key=lambda kind: (-kind.count, kind.name))
    types = [kind.name for kind in kinds]
    steps = read_question(parsed(reads.mentions), reads, text_of=text_of, bounds=bounds, types=types, again=parsed)
    return await drive_async(steps, reads.read, rated), reads


def texts_of(types: Mapping[str, RelationshipType]) -> Callable[[str], str]:
    """The words of relationship types: a person's own where the registry has them."""
    own = {name: kind.text for name, kind in types.items()}
    return lambda name: own.get(name) or readable_relation(name)


def vocabulary_of(types: Iterable[str], text_of: Callable[[str], str]) -> frozenset[str]:
    """The words of relationship types, and their plain forms.

    >>> sorted(vocabulary_of(["discovered_by"], readable_relation))
    ['by', 'discover', 'discovered']
    """
    words = {word for name in types for word in text_of(name).lower().split()}
    return frozenset(form for word in words for form in (word, plain(word)))


def chains(triples: Iterable[Edge], topics: Sequence[str]) -> list[tuple[str, tuple[Edge, ...]]]:
    """Triples laid end to end: walks (start, edges), from the topics on where they touch one.

    >>> walks = chains([Edge("kes", "made_by", "ken"), Edge("up", "made_by", "ken")], ["kes"])
    >>> [(start, [edge.source for edge in edges]) for start, edges in walks]
    [('kes', ['kes', 'up'])]
    """
    made: list[tuple[str, list[Edge], str]] = []
    for edge in triples:
        if made and made[-1][2] in (edge.source, edge.target) and edge not in made[-1][1]:
            start, edges, end = made[-1]
            if not {edge.source, edge.target} & set(topics):
                made[-1] = (start, [*edges, edge], edge.other(end))
                continue
        start = next((end for end in (edge.source, edge.target) if end in topics), edge.source)
        made.append((start, [edge], edge.other(start)))
    return [(start, tuple(edges)) for start, edges, _ in made]
