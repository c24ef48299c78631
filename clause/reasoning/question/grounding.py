"""Reads a question on the graph that is served: names linked among its seeds, reads bounded, remembered and kept."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from clause.reasoning.agents.policy import Question
from clause.reasoning.episode.actions import Look
from clause.reasoning.neighbourhood.port import Edge, Expansion, Hop, Node
from clause.reasoning.question.forms import ParsedQuestion, parse
from clause.reasoning.question.name_links import Naming, kinds_told, namings, texts_of, vocabulary_of
from clause.reasoning.question.pattern_text import CLASS_TYPES
from clause.reasoning.question.patterns import Around, Rank, Read, ReadBounds, drive_async
from clause.reasoning.question.reading import Readings, read_question
from clause.reasoning.question.skeleton import LinkedMention
from clause.text.linking import Closeness, match_name
from clause.text.literals import LiteralValue, String, read_literal
from clause.text.names import readable_relation

SERVED: Final = ReadBounds(beam=12, patterns=400, sample=8, per_type=200, front=400, values=2_000)
"""The bounds of reading while somebody waits."""

_CLASSES_OF_ONE = 8
_PLAIN_KINDS = frozenset({"", "entity", "concept", "literal"})
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
    _from: dict[Hop, tuple[int, Sequence[Node]]] = field(default_factory=dict)
    _cut: set[tuple[str, Hop]] = field(default_factory=set)
    _read: dict[tuple[str, Hop], float] = field(default_factory=dict)
    _classes: dict[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.text, self.mentions = self.naming or namings(self.question)[0]

    def spelling(self) -> dict[str, float]:
        """The id of each seed with how well the question spells it: 1 by its name, 0.5 with slips, 0 in part."""
        found: dict[str, float] = {}
        for mention in self.mentions:
            said = self.text[mention.start : mention.end]
            for one in mention.candidates:
                match = match_name(said, one.name)
                spelt = 0.0 if match is None else 0.5 if match.closeness is Closeness.TYPO else 1.0
                found[one.id] = max(spelt, found.get(one.id, 0.0))
        return found

    async def read(self, wanted: Read) -> Around:
        """The edges around a frontier: one query, and one for the classes of what is new where the graph has any."""
        hops = wanted.hops or self._hops
        if not wanted.nodes:
            starts = await self._starts(hops, wanted.most or wanted.per_type)
            unread = not starts or not wanted.per_type
            return {node: {} for node in starts} if unread else await self.read(wanted._replace(nodes=starts))
        missing = tuple(node for node in wanted.nodes if not self._known(node, wanted))
        if missing:
            await self._look(missing, wanted)
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
        return self._classes.get(node, frozenset()) | ({kind} - _PLAIN_KINDS)

    async def _starts(self, hops: Sequence[Hop], limit: int) -> tuple[str, ...]:
        """Find what any of some hops leads from, wherever it is: one query for each hop that is not known so far."""
        found: dict[str, None] = {}
        if self.question.starts is None:
            return ()
        for hop in hops:
            known = self._from.get(hop)
            if known is None or len(known[1]) == known[0] < limit:
                known = self._from[hop] = limit, await self.question.starts(hop, limit)
                self._nodes |= {node.id: node for node in known[1]}
            found |= dict.fromkeys(node.id for node in known[1][:limit])
        return tuple(found)

    @property
    def _hops(self) -> tuple[Hop, ...]:
        names = sorted(self.question.relationship_types)
        return tuple(Hop(name, forward) for name in names for forward in (True, False))

    def _known(self, node: str, wanted: Read) -> bool:
        around = node in self._around
        if wanted.hops is None:
            return around
        read = ((node, hop) for hop in wanted.hops)
        return all(self._read.get(one, 0) >= wanted.per_type or (around and one not in self._cut) for one in read)

    async def _look(self, nodes: tuple[str, ...], wanted: Read) -> None:
        expand = self.question.expand
        if expand is None:
            return
        found = await expand(look := Look(nodes, wanted.hops or self._hops, wanted.per_type))
        self.kept.append((look, found))
        self._nodes.update(found.nodes)
        for node in nodes:
            mine, new = self._edges.setdefault(node, {}), found.neighbours.get(node, {})
            mine |= {hop: edges for hop, edges in new.items() if len(edges) > len(mine.get(hop, ()))}
        if wanted.hops is None:
            self._around.update(nodes)
            self._cut |= found.truncated
        else:
            read = ((node, hop) for node in nodes for hop in wanted.hops)
            self._read |= {one: wanted.per_type if one in found.truncated else math.inf for one in read}
        await self._classify(found)

    async def _classify(self, found: Expansion) -> None:
        """Read the classes of nodes that are new, or what several of their types tell of them, where there are none."""
        kinds = self.question.relationship_types
        hops = tuple(Hop(name, True) for name in kinds if readable_relation(name) in CLASS_TYPES)
        told = {} if hops else kinds_told(kinds, texts_of(kinds))
        hops = (*hops, *(Hop(name, True) for name in sorted(told)))
        new = tuple(node for node in found.nodes if node not in self._classes)
        if not hops or not new or self.question.expand is None:
            return
        said = await self.question.expand(Look(new, hops, _CLASSES_OF_ONE))
        for node in new:
            around = said.neighbours.get(node, {})
            ends = [edge.other(node) for edges in around.values() for edge in edges if not told]
            named = [said.nodes[end].name for end in ends if end in said.nodes]
            first = [told[hop.relation] for hop in around if told]
            self._classes[node] = frozenset([*named, *(word for word in first if first.count(word) > 1)])


async def ground(
    question: Question, rated: Rated, bounds: ReadBounds = SERVED, naming: Naming | None = None
) -> tuple[Readings, GraphReads]:
    """The readings of a question on its graph, best first, and everything that was read for them.

    Args:
        question, rated: with `expand`, by which the graph is read; scores patterns against masked questions.
        bounds, naming: the most that is read; the stretches that are taken for names, the likeliest where None.
    """
    reads = GraphReads(question, naming)
    text_of = texts_of(question.relationship_types)
    vocabulary = vocabulary_of(question.relationship_types, text_of)

    def parsed(mentions: Sequence[LinkedMention]) -> ParsedQuestion:
        return parse(reads.text, mentions, vocabulary)

    types = sorted(question.relationship_types, key=lambda name: (-question.relationship_types[name].count, name))
    steps = read_question(parsed(reads.mentions), reads, text_of=text_of, bounds=bounds, types=types, again=parsed)
    return await drive_async(steps, reads.read, rated), reads
