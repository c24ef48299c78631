"""Reads a question on the graph that is served: names linked among its seeds, reads bounded, remembered and kept."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from clause.reasoning.agents.policy import Question
from clause.reasoning.episode.actions import Look
from clause.reasoning.neighbourhood.port import Edge, Expansion, Hop, Node
from clause.reasoning.question.candidates import CLASS_TYPES
from clause.reasoning.question.forms import Kind, ParsedQuestion, parse
from clause.reasoning.question.name_links import Naming, namings, texts_of, vocabulary_of
from clause.reasoning.question.patterns import Around, Rank, Read, ReadBounds, drive_async
from clause.reasoning.question.reading import Readings, read_question
from clause.reasoning.question.skeleton import LinkedMention
from clause.text.linking import Closeness, NamedEntity, match_name
from clause.text.literals import LiteralValue, String, read_literal
from clause.text.names import readable_relation

SERVED: Final = ReadBounds(beam=12, patterns=400, sample=8, per_type=200, front=400)
"""The bounds of reading while somebody waits."""

_CLASSES_OF_ONE = 8
_PLAIN_KINDS = frozenset({"entity", "concept", "literal"})
Rated = Callable[[Rank], Awaitable[Sequence[float]]]
"""Log-probabilities of patterns, once they are there."""


@dataclass(slots=True)
class GraphReads:
    """The reads of one question: nothing is read twice, and everything read is kept for the episode.

    Args:
        question: what is asked; its `expand` reads.
        naming: the stretches of it that are taken for names; None: the likeliest.

    Attributes:
        text, mentions: the question as it is parsed, and its linked names.
    """

    question: Question
    naming: Naming | None = None
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
        self.text, self.mentions = self.naming or namings(self.question)[0]

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


def asked_kind(question: Question) -> Kind:
    """What a question asks for: things, yes or no, a number, a winner, or the best of things.

    >>> from clause.reasoning.episode.budget import Prices
    >>> import numpy as np
    >>> asked_kind(Question("how many films did Kes make", np.zeros(1), [], {}, Prices()))
    'count'
    """
    return parse(*namings(question)[0]).kind


async def ground(
    question: Question, rated: Rated, bounds: ReadBounds = SERVED, naming: Naming | None = None
) -> tuple[Readings, GraphReads]:
    """The readings of a question on its graph, best first, and everything that was read for them.

    Args:
        question: with `expand`, by which the graph is read.
        rated: scores patterns of relationships against masked questions.
        bounds: the most that is read.
        naming: the stretches that are taken for names; None: the likeliest.
    """
    reads = GraphReads(question, naming)
    text_of = texts_of(question.relationship_types)
    vocabulary = vocabulary_of(question.relationship_types, text_of)

    def parsed(mentions: Sequence[LinkedMention]) -> ParsedQuestion:
        return parse(reads.text, mentions, vocabulary)

    kinds = sorted(question.relationship_types.values(), key=lambda kind: (-kind.count, kind.name))
    types = [kind.name for kind in kinds]
    steps = read_question(parsed(reads.mentions), reads, text_of=text_of, bounds=bounds, types=types, again=parsed)
    return await drive_async(steps, reads.read, rated), reads
