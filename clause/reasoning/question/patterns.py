"""Patterns that exist around a question's topics: typed walks of up to three hops, found by bounded reads.

Everything here that needs the graph is a generator: it yields what it wants read (`Read`), or scored (`Rank`), and is
sent the reply. So the same code runs on a snapshot, on a database and in a replay, and who runs it counts the reads.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeVar

from clause.reasoning.neighbourhood.port import Edge, Hop
from clause.reasoning.question.pattern_text import TypeText, pattern_words
from clause.reasoning.question.vocabulary import GENDERS, INVERSES, SYNONYMS, WH_WORDS
from clause.text.literals import STRETCHES, LiteralValue, Operator, of_one_kind
from clause.text.quantities import UNIT_WORDS, Date, Number
from clause.text.statements.words import causal_meaning
from clause.text.tokens import singular

TypedPattern = tuple[Hop, ...]
Around = Mapping[str, Mapping[Hop, Sequence[Edge]]]
"""node -> hop as seen from that node -> edges, ordered by the id of the other end."""

Result_ = TypeVar("Result_")


class Read(NamedTuple):
    """Edges wanted around one frontier: at most `per_type` for each (node, hop); only `hops` where given.

    Of no nodes: around all that the hops lead from, `most` nodes at most (where it is 0, `per_type`); only these nodes,
    and no edges, where `per_type` is 0.
    """

    nodes: tuple[str, ...]
    hops: tuple[Hop, ...] | None
    per_type: int
    most: int = 0


class Rank(NamedTuple):
    """Log-probabilities wanted: of each pattern being what the masked questions (alternatives of one) ask for."""

    questions: tuple[str, ...]
    patterns: tuple[TypedPattern, ...]


Effects = Generator[Read | Rank, Any, Result_]
"""A computation that reads: a `Read` is answered by `Around`, a `Rank` by a list of floats."""


class NodeNames(Protocol):
    """Names, values and classes of nodes that were read."""

    def name(self, node: str) -> str:
        """The name as the graph has it."""
        ...

    def value(self, node: str) -> LiteralValue | None:
        """The date, number or string that a node is; None of an entity that is none."""
        ...

    def classes(self, node: str) -> frozenset[str]:
        """Names of the classes that the node has; empty where the graph says none."""
        ...


class TypedGraph(NodeNames, Protocol):
    """A graph that can be read at once, such as a snapshot."""

    def around(self, nodes: Sequence[str], hops: Sequence[Hop] | None, per_type: int, most: int) -> Around:
        """The edges that a `Read` wants, both directions."""
        ...


class WalkScorer(Protocol):
    """Tells how likely a masked question asks for each of some patterns."""

    def score(self, masked_question: str, patterns: Sequence[TypedPattern]) -> Sequence[float]:
        """Log-probabilities by pattern, of one scale in all calls about a question; they need not sum to 1."""
        ...


@dataclass(frozen=True, slots=True)
class ReadBounds:
    """The most that reading a question may read.

    Attributes:
        hops: longest pattern.
        beam: patterns that are extended at each depth.
        patterns: patterns kept in all.
        sample: nodes of a front that are looked around when patterns are enumerated.
        sample_edges: edges of each (node, type) that are looked at then.
        per_type: edges of each (node, type) that a plan reads.
        front: nodes that a plan carries to its next hop.
        unnamed: nodes with an attribute that are looked at where the question names nothing.
        values: values of an attribute that a plan reads then.
    """

    hops: int = 3
    beam: int = 32
    patterns: int = 800
    sample: int = 16
    sample_edges: int = 8
    per_type: int = 400
    front: int = 800
    unnamed: int = 60
    values: int = 4000


@dataclass(frozen=True, slots=True)
class FoundPattern:
    """A pattern that leads somewhere: some of its ends, and whether there may be more than these.

    `score` is that of the whole question, `steps` the log-probability that its hops are what the question asks for one
    after the other, 0 where it asks for one thing.
    """

    pattern: TypedPattern
    ends: tuple[str, ...]
    more: bool = False
    score: float = 0.0
    steps: float = 0.0


@dataclass(slots=True)
class _Growing:
    ends: dict[str, None] = field(default_factory=dict)
    more: bool = False


def drive(steps: Effects[Result_], graph: TypedGraph, scorer: WalkScorer | None = None) -> Result_:
    """Run a computation on a graph that answers at once.

    A `Rank` takes of each pattern its best score over the alternatives of the question; without a scorer all are alike.
    """
    reply: Any = None
    try:
        while True:
            wanted = steps.send(reply)
            reply = graph.around(*wanted) if isinstance(wanted, Read) else best_scores(wanted, scorer)
    except StopIteration as stop:
        result: Result_ = stop.value
        return result


async def drive_async(
    steps: Effects[Result_],
    read: Callable[[Read], Awaitable[Around]],
    score: Callable[[Rank], Awaitable[Sequence[float]]],
) -> Result_:
    """Run a computation on a graph, and with a scorer, that have to be waited for."""
    reply: Any = None
    try:
        while True:
            wanted = steps.send(reply)
            reply = await read(wanted) if isinstance(wanted, Read) else await score(wanted)
    except StopIteration as stop:
        result: Result_ = stop.value
        return result


def best_scores(wanted: Rank, scorer: WalkScorer | None) -> list[float]:
    """Of each pattern its best score over the alternatives of a question."""
    if scorer is None:
        return [0.0] * len(wanted.patterns)
    rows = [list(scorer.score(question, wanted.patterns)) for question in wanted.questions]
    return [max(column) for column in zip(*rows, strict=True)] if rows else [0.0] * len(wanted.patterns)


@dataclass(frozen=True, slots=True)
class ReadingPriors:
    """Losses and gains of a pattern, in nats, beside the scorer's say; a scorer that knows these needs less of them.

    Attributes:
        wrong_kind: lost by dates where `who` is asked, by things where `when` is.
        unasked_value: lost by dates and numbers where no word asks for one.
        right_class: gained by ends of the class that the question names, lost by others where some are.
        other_class: lost by ends of other classes, where others are of the one that the question names.
        own_name: lost by ends that are called what the question's noun says (the genre `thriller` is no thriller).
        unsaid: lost for each word of the question that is a word of a type around, and not of this pattern.
        named: gained by an attribute that the question names.
        longer: lost for each hop beyond the first.
        back: lost where a hop is walked back at once, and the question does not ask for others or the same.
        repeated: lost where a hop is walked twice the same way.
        elsewhere: lost by a walk that does not come back the way it went, where `the same ... as it` is asked.
        told: gained by a hop that grammar says a step of the question asks for, lost by one to the other side.
        same_kind: gained by ends that stand as the topic does, where `what else` is asked.
    """

    wrong_kind: float = 8.0
    unasked_value: float = 3.0
    right_class: float = 2.5
    other_class: float = 4.0
    own_name: float = 4.0
    unsaid: float = 3.0
    named: float = 8.0
    longer: float = 0.6
    back: float = 1.5
    repeated: float = 0.3
    same_kind: float = 1.5
    elsewhere: float = 3.0
    told: float = 3.0


LEAST_STEP = -5.0
"""The log-probability of a hop that its step does not name; a step that was read wrongly costs no more."""
UNNAMED_HOP = -2.5
"""That of a hop that no step names: what lies between two things that a question names together."""
UNWALKED_STEP = -6.0
"""That of a step that a pattern does not walk."""


def enumerate_patterns(
    topics: Sequence[str],
    questions: Sequence[str],
    bounds: ReadBounds | None = None,
    steps: Sequence[str] = (),
    told: Callable[[Hop, str], float] | None = None,
) -> Effects[list[FoundPattern]]:
    """The patterns that lead somewhere from the topics (ids of one thing), best first.

    One read a depth, of at most `sample` nodes a pattern and `sample_edges` edges a (node, type): a hub costs no more
    than a leaf. Only the `beam` best patterns of a depth are extended; the scorer decides which.

    Args:
        steps: what the question asks for one after the other, each as a question; none where that is not known.
        told: what grammar gives to a hop as the answer to one of them, in nats.
    """
    limits = bounds or ReadBounds()
    starts = tuple(topics)
    level = [FoundPattern((), starts)]
    aligned: dict[TypedPattern, tuple[float, ...]] = {(): (0.0, *(place * UNWALKED_STEP for place in _upto(steps)))}
    found: list[FoundPattern] = []
    for _ in range(limits.hops):
        grown = yield from _extended(level, starts, limits)
        room = limits.patterns - len(found)
        patterns = tuple(sorted(grown))[: max(0, room)]
        if not patterns:
            break
        scores = yield Rank(tuple(questions), patterns)
        named = yield from _named(steps, tuple(sorted({pattern[-1] for pattern in patterns})), told)
        aligned |= {pattern: _aligned(aligned[pattern[:-1]], named[pattern[-1]]) for pattern in patterns}
        here = [
            FoundPattern(pattern, tuple(grown[pattern].ends), grown[pattern].more, score, aligned[pattern][-1])
            for pattern, score in zip(patterns, scores, strict=True)
        ]
        found += here
        level = sorted(here, key=lambda one: (-one.score - max(aligned[one.pattern]), one.pattern))[: limits.beam]
    return sorted(found, key=lambda one: (-one.score - one.steps, len(one.pattern), one.pattern))


def _upto(steps: Sequence[str]) -> range:
    return range(1, len(steps) + 1)


def _aligned(before: Sequence[float], named: Sequence[float]) -> tuple[float, ...]:
    """The log-probabilities of a walk by the steps it has done: those without its last hop, and what this gives."""
    if not named:
        return (0.0,)
    found = [before[0] + UNNAMED_HOP]
    for done, gained in enumerate(named, start=1):
        found.append(max(before[done - 1] + gained, before[done] + UNNAMED_HOP, found[-1] + UNWALKED_STEP))
    return tuple(found)


def _named(
    steps: Sequence[str], hops: Sequence[Hop], told: Callable[[Hop, str], float] | None
) -> Effects[Mapping[Hop, tuple[float, ...]]]:
    """The log-probabilities that each step asks for each hop."""
    columns = []
    for step in steps:
        scores = yield Rank((step,), tuple((hop,) for hop in hops))
        rated = [score + (told(hop, step) if told else 0.0) for hop, score in zip(hops, scores, strict=True)]
        top = max(rated)
        total = top + math.log(sum(math.exp(score - top) for score in rated))
        columns.append([max(score - total, LEAST_STEP) for score in rated])
    return dict(zip(hops, zip(*columns, strict=True), strict=True)) if columns else dict.fromkeys(hops, ())


def _extended(
    level: Sequence[FoundPattern], starts: tuple[str, ...], limits: ReadBounds
) -> Effects[dict[TypedPattern, _Growing]]:
    """The patterns one hop longer than those of `level`, with their ends."""
    looked = {one.pattern: one.ends[: limits.sample] for one in level}
    nodes = tuple(dict.fromkeys(node for ends in looked.values() for node in ends))
    around: Around = yield Read(nodes, None, limits.sample_edges)
    grown: defaultdict[TypedPattern, _Growing] = defaultdict(_Growing)
    for one in level:
        for node in looked[one.pattern]:
            for hop, edges in around.get(node, {}).items():
                if one.pattern and hop == one.pattern[-1].inverse and len(one.ends) == 1 and not one.more:
                    # Back over the only edge's type may still reach siblings: kept where it reaches another node.
                    edges = [edge for edge in edges if edge.other(node) not in starts]  # noqa: PLW2901
                growing = grown[(*one.pattern, hop)]
                growing.ends.update(dict.fromkeys(e.other(node) for e in edges if e.other(node) not in starts))
                growing.more |= one.more or len(edges) >= limits.sample_edges or len(one.ends) > limits.sample
    return {pattern: growing for pattern, growing in grown.items() if growing.ends}


def aged(operator: Operator, kind: str, asked: Sequence[str], values: Sequence[LiteralValue | None] = ()) -> Operator:
    """The operator for ends of a kind: who was born before has more years, and who is faster takes less time.

    >>> aged("before", "number", ("when was it born", "age of it")), aged("before", "date", ("age of it",))
    ('more', 'before')
    """
    turned, units = dict[Operator, Operator](), {one.unit for one in values if isinstance(one, Number)}
    if units & STRETCHES and any(question.startswith("speed of") for question in asked):
        turned = {"more": "less", "less": "more"}
    if kind == "number" and any(question.startswith("age of") for question in asked):
        turned = {"before": "more", "after": "less"}
    return turned.get(operator, operator)


def comparable(values: Sequence[LiteralValue | None]) -> str:
    """The kind that most of some values are: `date`, `number`, or `text` (also where there is none)."""
    values = of_one_kind(values)
    dates = sum(isinstance(value, Date) for value in values)
    numbers = sum(isinstance(value, Number) for value in values)
    if 2 * max(dates, numbers) <= len(values):
        return "text"
    return "date" if dates >= numbers else "number"


def rank_hops(questions: Sequence[str], hops: Sequence[TypedPattern]) -> Effects[list[tuple[TypedPattern, float]]]:
    """Patterns by how well they fit the questions, best first, with their scores; all alike where nothing is asked."""
    patterns, asked = tuple(hops), tuple(question for question in questions if question.strip())
    if not patterns:
        return []
    scores = (yield Rank(asked, patterns)) if asked else [0.0] * len(patterns)
    return sorted(zip(patterns, scores, strict=True), key=lambda pair: (-pair[1], pair[0]))


_WHEN = re.compile(r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|decade|century)\b|\b(?:how old|birthday|date)\b")
_WHAT_DID = re.compile(r"what (?:went|goes|came|comes|broke|hit|caused|replaced|replaces|left|sank|died|fell)\b")
_MEASURE = re.compile(
    r"\bhow (?:tall|long|far|high|big|large|deep|heavy|wide|much|fast|old|expensive)\b|\bpopulation\b"
    rf"|\b(?:what|which) age\b|\bhow many (?:{'|'.join(UNIT_WORDS)})\b"
    r"|^how many (?:[a-z-]+ ){0,2}(?:can|may|fits?|are allowed)\b"
    r"|\b(?:price|cost|weight|height|length|depth|width|area|salary|temperature|duration|speed) of\b"
)
_WHILE = re.compile(r"^((?:who|whom|whose|which|what|where|how)\b.*?)(?<!and) when (?:it|he|she|they|something) .*")
_WHO_ALONE = re.compile(r"(?:who|whom)\b(?!.*\band (?:when|what|which)\b)")
WHO = re.compile(r"^(?:who|whom|whose|where)\b|\bwhom\b")


def wanted_kind(question: str) -> str | None:
    """The kind of answer that a question's words ask for: `date`, `number`, `entity`, or None where they leave it open.

    >>> wanted_kind("when was it born"), wanted_kind("how tall is it"), wanted_kind("who made it")
    ('date', 'number', 'entity')
    """
    question = _WHILE.sub(r"\1", question)
    if _WHEN.search(question) and not _WHO_ALONE.match(question):
        return "date"
    if _MEASURE.search(question):
        return "number"
    return "entity" if WHO.search(question) or _WHAT_DID.match(question) else None


def says(hop: Hop, step: str, text_of: TypeText) -> str | None:
    """Tell how a hop is a step of an implied relation: `exact` by its own word, `wide` by a wider one, None not at all.

    >>> father = Hop("father", True)
    >>> says(father, "father", str), says(father.inverse, "child", str)
    ('exact', 'exact')
    >>> says(Hop("child", True), "son", str), says(father, "mother", str)
    ('wide', None)
    >>> says(Hop("causes", True), "effect", str), says(Hop("caused by", True), "cause", str)
    ('exact', 'exact')
    """
    if step in {"cause", "effect"}:
        kind, backward = causal_meaning(text_of(hop.relation)) or (None, False)
        return "exact" if kind is not None and (hop.forward == backward) == (step == "cause") else None
    words = {singular(word) for word in text_of(hop.relation).split()}
    leads_on = hop.forward != ("of" in words)  # `father of` leads from the father
    towards = step if leads_on else INVERSES[step]
    own = {singular(word) for word in SYNONYMS[towards]}
    if words & own:
        gendered = not leads_on and step in GENDERS
        return "wide" if gendered else "exact"
    wider = {"father": "parent", "mother": "parent", "son": "child", "daughter": "child"}
    wider |= {"husband": "spouse", "wife": "spouse", "brother": "sibling", "sister": "sibling"}
    towards = wider.get(towards, towards)
    general = {towards, f"{towards}ren"} if step in wider else set()
    return "wide" if words & {singular(word) for word in general} else None


def comes_from(hop: Hop, noun: str, text_of: TypeText) -> bool:
    """Tell whether a hop leads from what a noun says, not to it: `which albums` asks for no songs on an album.

    >>> comes_from(Hop("on album", False), "albums", str), comes_from(Hop("on album", True), "albums", str)
    (True, False)
    """
    said = pattern_words((hop,), text_of).split()
    return said[0] in WH_WORDS and any(singular(word) == singular(noun) for word in said[1:])
