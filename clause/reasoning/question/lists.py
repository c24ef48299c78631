"""Drafts of readings for what a list answers: one walk, or walks that meet."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice, product, takewhile

from clause.reasoning.neighbourhood.port import Hop
from clause.reasoning.question.candidates import Candidates, QuestionContext
from clause.reasoning.question.comparing import ValueOf
from clause.reasoning.question.measures import measured
from clause.reasoning.question.modifiers import ClassWords
from clause.reasoning.question.pattern_text import pattern_words, plural_words
from clause.reasoning.question.patterns import (
    Around,
    Effects,
    FoundPattern,
    NodeNames,
    Read,
    ReadBounds,
    TypedPattern,
    comparable,
    says,
)
from clause.reasoning.question.plan import AnyOf, NodeTest, PlanResult, QuestionPlan, WalkFrom, Where
from clause.reasoning.question.seed_matching import alike, is_called
from clause.reasoning.question.sides import asked_kin, kin, roots, steps_asked, telling_words
from clause.reasoning.question.vocabulary import (
    COMPARATIVES,
    DESCRIBED,
    FORM_WORDS,
    GENDERS,
    PREPOSITIONS,
    ImpliedRelation,
)
from clause.text.literals import LiteralFilter
from clause.text.quantities import Number, unit_of
from clause.text.statements.lexicon import Relation, relation
from clause.text.tokens import singular

MOST_OF_TOPIC = 10
"""Patterns of each topic that are tried where several meet."""
SAME_PATTERN = 2.0
"""The gain of a pair that walks the same pattern, where the question says the same of both topics."""
IMPLIED = 3.0
"""The gain of a draft that the words of an implied relation made, over the patterns that only resemble it."""
UNFIT = 3.0
"""The loss of a draft to which a filter of the question cannot be applied."""
_EITHER = re.compile(r"(?<![,;:] )\bit or (?:the )?it\b")  # behind a comma they are a choice
ALIKE_TOLD = 0.75
"""The share of what is told of a thing that is told of others as well, where all are of one kind."""
SEEN = 24
"""Answers of a draft whose surroundings are looked at."""

Claim = tuple[TypedPattern, tuple[str, ...]]
"""A walk, and the questions (alternatives of one, about `it`) that it is to answer."""


@dataclass(frozen=True, slots=True)
class ReadingDraft:
    """A reading that is not yet run: its plan, its words, its score.

    `ends` are some of its answers, `attributes` the walks to the values that filters and ranks look at, `steps` the
    log-probability of its walks by the steps that the question names, `by` the value that alone ranks its answers.
    """

    plan: QuestionPlan
    words: str
    score: float
    topics: tuple[str, ...]
    patterns: tuple[TypedPattern, ...]
    ends: tuple[str, ...] = ()
    nearest: float = 0.0
    attributes: tuple[Claim, ...] = ()
    steps: float = 0.0
    by: TypedPattern | None = None

    @property
    def walked(self) -> tuple[TypedPattern, ...]:
        """All that it walks: to its answers, and to their values."""
        return (*self.patterns, *(walk for walk, _ in self.attributes))


@dataclass(frozen=True, slots=True)
class Meet:
    """The answers that all of some plans have: walks from several topics that end in the same nodes."""

    parts: tuple[QuestionPlan, ...]

    def run(self, names: NodeNames, bounds: ReadBounds) -> Effects[PlanResult]:
        """Run all parts; an answer's triples are those of every part."""
        results: list[PlanResult] = []
        for part in self.parts:
            results.append((yield from part.run(names, bounds)))  # noqa: PERF401 - a comprehension cannot yield
        maps = [{answer.node: answer for answer in result.answers} for result in results]
        met = [answer for answer in results[0].answers if all(answer.node in one for one in maps)]
        listed = tuple(
            replace(answer, triples=tuple(dict.fromkeys(edge for one in maps for edge in one[answer.node].triples)))
            for answer in met
        )
        reason = None if listed else "nothing meets all that is asked for"
        return PlanResult(listed, reason, any(result.truncated for result in results))


def value_hops(context: QuestionContext, nodes: Sequence[str], kind: str) -> Effects[list[TypedPattern]]:
    """The single hops from some nodes that end in dates, or in numbers."""
    around: Around = yield Read(tuple(nodes[:SEEN]), None, context.bounds.sample_edges)
    ends: dict[Hop, list[str]] = {}
    for node, hops in around.items():
        for hop, edges in hops.items():
            ends.setdefault(hop, []).extend(edge.other(node) for edge in edges)
    return sorted((hop,) for hop, some in ends.items() if comparable(list(map(context.names.value, some))) == kind)


_BESIDE_NUMBERS = FORM_WORDS | COMPARATIVES.keys() | {"exactly", "exceeding", "exceeds", "exceed", "above", "below"}
_BESIDE_NUMBERS |= {"beneath", "excess", "upwards", "beyond", "minimum", "maximum", "equal", "greater", "no", "only"}


def filtered_hops(
    context: QuestionContext, nodes: Sequence[str], literal: LiteralFilter
) -> Effects[list[TypedPattern]]:
    """The single hops to values that a filter may look at; of a bare number (1500) those that its own noun names.

    Where it has none, what is more or less than such a number is a number, and anything else a date.
    """
    kind = literal.asked[1]
    hops = yield from value_hops(context, nodes, kind)
    if len(literal.kinds) == 1:
        return list(of_unit(context, literal, hops))
    further = yield from value_hops(context, nodes, "number" if kind == "date" else "date")
    for said in _nouns_of(context, literal):
        if named := [hop for hop in (*hops, *further) if said & context.roots_of(hop)]:
            return named
    if literal.words or literal.operator not in {"more", "less", "at_least", "at_most"}:
        return hops
    return further or hops


def _nouns_of(context: QuestionContext, literal: LiteralFilter) -> list[frozenset[str]]:
    """The roots of the words that say what a bare number is of: its own and the one before it, or those behind it."""
    before, _, behind = context.parsed.text.lower().partition(str(literal.value))
    said = (word for word in reversed(re.findall(r"[a-z]+", before)) if word not in _BESIDE_NUMBERS)
    near = [*literal.words.split(), *islice(said, 1)]
    after = takewhile(lambda word: word not in FORM_WORDS, re.findall(r"[a-z]+|[^a-z\s]", behind)[:2])
    return [frozenset().union(*map(roots, words)) for words in (near, after)]


def drafts_of_list(context: QuestionContext, by_topic: dict[int, list[Candidates]]) -> Effects[list[ReadingDraft]]:
    """The drafts of a question's core: one topic's walks, or walks of several topics that meet."""
    topics = [topic for topic in context.parsed.topics if topic in by_topic]
    implied = yield from _of_implied(context, by_topic)
    if len(topics) > 1:
        met = yield from _met(context, [by_topic[topic] for topic in topics])
        return [*implied, *met]
    single = _single(context, by_topic[topics[0]])
    return [*implied, *(single if implied else [draft for draft in single if not _is_part(context, draft)])]


def _is_part(context: QuestionContext, draft: ReadingDraft) -> bool:
    """Tell whether a draft walks one step alone of what an implied relation is composed of: no spouse is in-law."""
    relation, walk = context.parsed.implied, draft.patterns[0]
    if relation is None or len(walk) > 1 or any(len(steps) == 1 for steps in relation.compositions):
        return False
    return any(says(walk[0], step, context.text_of) for steps in relation.compositions for step in steps)


def _single(context: QuestionContext, found: Sequence[Candidates]) -> list[ReadingDraft]:
    drafts = []
    for candidates in found:
        meaning = candidates.meaning
        for one in candidates.patterns[: 2 * MOST_OF_TOPIC]:
            words = plural_words(pattern_words(one.pattern, context.text_of, meaning.name), _noun(context, one.ends))
            score, walk = meaning.log_probability + one.score, WalkFrom((meaning.id,), one.pattern)
            topic = (meaning.id,), (one.pattern,)
            drafts.append(ReadingDraft(walk, words, score, *topic, one.ends, candidates.nearest, steps=one.steps))
    return sorted(drafts, key=lambda draft: -draft.score)


def _of_implied(context: QuestionContext, by_topic: dict[int, list[Candidates]]) -> Effects[list[ReadingDraft]]:
    relation, drafts = context.parsed.implied, list[ReadingDraft]()
    if relation is None or any(len(steps_asked(clause.questions[-1])) > 1 for clause in context.parsed.clauses):
        return drafts
    for found in by_topic.values():
        for candidates in found:
            meaning = candidates.meaning
            plan = yield from composed(context, meaning.id, relation)
            if plan is None:
                continue
            result: PlanResult = yield from plan.run(context.names, context.bounds)
            words = f"{relation.name} of {meaning.name}"
            score = meaning.log_probability + IMPLIED
            drafts.append(ReadingDraft(plan, words, score, (meaning.id,), (), result.nodes, math.inf))
    return drafts


def composed(context: QuestionContext, topic: str, relation: ImpliedRelation) -> Effects[QuestionPlan | None]:
    """The plan of an implied relation on this graph, by the words of its types; None where the graph has none."""
    parts: list[QuestionPlan] = []
    for steps in relation.compositions:
        parts += yield from _steps(context, topic, steps)
    return AnyOf(tuple(dict.fromkeys(parts))) if parts else None


def _steps(context: QuestionContext, topic: str, steps: Sequence[str]) -> Effects[list[QuestionPlan]]:
    """Walks along the steps of one composition over all types that say them."""
    fronts: list[tuple[TypedPattern, tuple[str, ...], NodeTest | None]] = [((), (topic,), None)]
    for step in steps:
        nodes = tuple(dict.fromkeys(end for _, ends, _ in fronts for end in ends[: context.bounds.sample]))
        around: Around = yield Read(nodes, None, context.bounds.sample_edges)
        further: list[tuple[TypedPattern, tuple[str, ...], NodeTest | None]] = []
        for pattern, ends, _ in fronts:
            hops = dict.fromkeys(hop for end in ends for hop in around.get(end, ()))
            gendered = {hop: says(hop, step, context.text_of) for hop in hops}
            exact = any(told == "exact" for told in gendered.values())
            for hop, told in gendered.items():
                if told is None or (exact and told != "exact"):
                    continue
                reached = dict.fromkeys(edge.other(end) for end in ends for edge in around.get(end, {}).get(hop, ()))
                test = None if told == "exact" else (yield from _gender(context, step, tuple(reached)))
                if told == "wide" and test is None and step in GENDERS:
                    continue
                further.append(((*pattern, hop), tuple(reached), test))
        fronts = further
    walks = [(WalkFrom((topic,), pattern), test) for pattern, _, test in fronts]
    return [walk if test is None else Where(walk, test) for walk, test in walks]


def _gender(context: QuestionContext, step: str, nodes: tuple[str, ...]) -> Effects[NodeTest | None]:
    """The test that tells a brother among siblings, where the graph says who is male."""
    if (gender := GENDERS.get(step)) is None or not nodes:
        return None
    around: Around = yield Read(nodes[: context.bounds.sample], None, context.bounds.sample_edges)
    hops = (hop for edges in around.values() for hop in edges if hop.forward)
    said = next((hop for hop in hops if {"gender", "sex"} & set(context.text_of(hop.relation).split())), None)
    words = frozenset(("male", "man", "m") if gender == "male" else ("female", "woman", "f"))
    return None if said is None else NodeTest((said,), called=words)


def _met(context: QuestionContext, by_topic: Sequence[Sequence[Candidates]]) -> Effects[list[ReadingDraft]]:
    """Drafts for every combination of one pattern a topic whose walks meet; for `A or B`, that is the same of all."""
    options: list[list[tuple[Candidates, FoundPattern, frozenset[str]]]] = []
    for found in by_topic:
        rows = []
        for candidates, one in ((group, one) for group in found for one in group.patterns[:MOST_OF_TOPIC]):
            walk = WalkFrom((candidates.meaning.id,), one.pattern)
            result: PlanResult = yield from walk.run(context.names, context.bounds)
            rows.append((candidates, one, frozenset(result.nodes)))
        options.append(rows)
    alike_clauses, drafts = len({clause.questions for clause in context.parsed.clauses}) == 1, []
    join = frozenset.union if (either := _EITHER.search(context.parsed.joint) is not None) else frozenset.intersection
    for combination in product(*options):
        shared = join(*(reached for _, _, reached in combination))
        shared -= {candidates.meaning.id for candidates, _, _ in combination}
        lasts = {one.pattern[1:][-1:] for _, one, _ in combination}
        apart = DESCRIBED.match(context.parsed.whole) and (len(lasts) > 1 or () in lasts)
        if shared and not apart and not (either and len({one.pattern for _, one, _ in combination}) > 1):
            drafts.append(_conjunction(context, combination, shared, same=alike_clauses, either=either))
    return sorted(drafts, key=lambda draft: -draft.score)[: 2 * MOST_OF_TOPIC]


def _conjunction(
    context: QuestionContext,
    combination: Sequence[tuple[Candidates, FoundPattern, frozenset[str]]],
    shared: frozenset[str],
    *,
    same: bool,
    either: bool,
) -> ReadingDraft:
    patterns = tuple(one.pattern for _, one, _ in combination)
    topics = tuple(candidates.meaning.id for candidates, _, _ in combination)
    said = [pattern_words(one.pattern, context.text_of, c.meaning.name) for c, one, _ in combination]
    rest = [re.sub(r"^(?:what|who) ", "", words) for words in said[1:]]
    words = plural_words((" or " if either else " and ").join((said[0], *rest)), _noun(context, tuple(shared)))
    score = sum(one.score + c.meaning.log_probability for c, one, _ in combination)
    score += SAME_PATTERN if same and len(set(patterns)) == 1 else 0.0
    last = patterns[0][-1:] if DESCRIBED.match(context.parsed.whole) else ()  # of what meets, and not that itself
    walks = tuple(WalkFrom((topic,), one[: len(one) - len(last)]) for topic, one in zip(topics, patterns, strict=True))
    plan: QuestionPlan = AnyOf(walks) if either else ValueOf(Meet(walks), last) if last else Meet(walks)
    nearest = max(c.nearest for c, _, _ in combination)
    steps = min(one.steps for _, one, _ in combination)
    return ReadingDraft(plan, words, score, topics, patterns, tuple(sorted(shared)), nearest, steps=steps)


def _noun(context: QuestionContext, ends: Sequence[str]) -> str | None:
    """The question's noun where it is a class of the ends: then it may be said back."""
    words = context.parsed.class_words
    classes = (name for end in ends[:SEEN] for name in context.names.classes(end))
    return words.noun if words is not None and any(alike(name, words.noun) for name in classes) else None


def name_of(context: QuestionContext, place: int) -> str:
    """The name of what a mention most likely means, as the graph has it."""
    mention = context.parsed.mentions[place]
    return mention.candidates[0].name if mention.candidates else context.parsed.text[mention.start : mention.end]


def names_of(context: QuestionContext, places: Sequence[int]) -> str:
    """The names of some topics, as the graph has them."""
    return ", ".join(name_of(context, place) for place in places)


def kind_of(context: QuestionContext, found: Sequence[FoundPattern]) -> str:
    """The kind that most ends of some patterns are: `date`, `number` or `text`."""
    return comparable([context.names.value(end) for one in found for end in one.ends])


def akin(context: QuestionContext, around: Around, nodes: Sequence[str], noun: str) -> frozenset[str]:
    """The classes of `nodes` that a noun asks for: those called so, and where one word only ends their names (a washing
    machine is a machine), those of which nearly the same is told (a dryer); none where no class ends in it."""
    classes = {node: [name for name in context.names.classes(node) if alike(name, noun)] for node in nodes}
    named = [node for node in nodes if classes[node]]
    if not named or " " in noun or any(is_called(name, noun) for node in named for name in classes[node]):
        return frozenset((noun,)) if named else frozenset()
    told = {hop for node in named for hop in around.get(node, ())}
    like = [node for node, hops in around.items() if len(told & {*hops}) >= ALIKE_TOLD * len(hops)]
    return frozenset((noun, *(name for node in like for name in context.names.classes(node))))


def names_side(context: QuestionContext, hop: Hop, noun: str | None, counted: str) -> bool:
    """Tell whether a type says what has the most, or what is counted, at the end where it is: `needs tool` leads to it.

    It is asked for from there on: a tool has recipes where these need tools.
    """
    last, wanted = context.text_of(hop.relation).split()[-1], counted if hop.forward else noun
    return bool(wanted) and last not in PREPOSITIONS and singular(last) == singular(str(wanted))


def is_said_kind(context: QuestionContext, nodes: Sequence[str], noun: str | None) -> Effects[bool]:
    """Tell whether the graph calls most of some things by words that a noun includes: rabbits and dogs are animals."""
    if noun is None:
        return False
    around: Around = yield Read(tuple(nodes[:SEEN]), None, context.bounds.sample_edges)
    said = [
        {context.names.name(e.other(node)) for edges in hops.values() for e in edges} for node, hops in around.items()
    ]
    included = (Relation.SAME, Relation.WIDER)
    like = [any(word.islower() and relation(singular(noun), word) in included for word in words) for words in said]
    return 2 * sum(like) > len(like)


def of_unit(context: QuestionContext, literal: LiteralFilter, walks: Sequence[TypedPattern]) -> Sequence[TypedPattern]:
    """The patterns whose last type says the unit of a filter's value; all of them where none does."""
    unit = literal.value.unit if isinstance(literal.value, Number) else ""
    own = [one for one in walks if unit and unit in map(unit_of, context.text_of(one[-1].relation).split())]
    return own or walks


_WITH = re.compile(r"(?:(?:with|having|has|have|had|got|been|on|in|of) ?)+$")
_PLACED = re.compile(r"^(in|at|on|for|from|to|with|by) ")
_ASKED = re.compile(r"^(?:the|all|any|which|what|who|whom) (?:the )?")


def asked_of_each(core: str, kind: ClassWords | None, counted: str) -> tuple[str | None, str]:
    """Find what a question for the most of something asks for, and word a question about one of those, `it`.

    `core` is the question without its superlative, `kind` says what is asked for, `counted` is the noun behind `most`.

    >>> asked_of_each("which course do students take", ClassWords("course"), "students")
    ('course', 'what students take it')
    >>> asked_of_each("which course is required by", ClassWords("course"), "")
    ('course', 'what is it required by')
    >>> asked_of_each("who owns huts", None, "huts"), asked_of_each("guide with peaks", ClassWords("guide"), "peaks")
    ((None, 'what huts does it owns'), ('guide', 'peaks of it'))
    >>> asked_of_each("in which room are courses held", ClassWords("room"), "courses")
    ('room', 'what courses are held in it')
    """
    placed = _PLACED.match(core)
    words = _ASKED.sub("", core[placed.end() :] if placed else core)
    nouns = [*kind.modifiers, kind.noun] if kind is not None else []
    nouns = nouns[:1] if counted in nouns else nouns
    rest = " ".join(word for word in words.removeprefix(" ".join(nouns)).split() if word != counted)
    noun, said, (first, _, after) = nouns[-1] if nouns else None, f"what {counted}".strip(), rest.partition(" ")
    if placed:
        return noun, f"{said} {rest} {placed[1]} it"
    if first in {"does", "do", "did"}:
        return noun, f"{said} {after} it"
    if counted and (not rest or _WITH.fullmatch(rest)):
        return noun, f"{counted} of it"
    return noun, f"{said} {first} it {after}" if first in {"is", "are", "was", "were"} else f"{said} does it {rest}"


def is_uncalled(context: QuestionContext, draft: ReadingDraft) -> Effects[bool]:
    """Tell whether all that a question says of things to be counted is a noun, and nothing calls what is found so.

    Whoever is a vet of a clinic is not thereby one of its `patients`; what is found would be counted for them.
    """
    noun, parsed = context.noun, context.parsed
    words = {word for walk in draft.walked for hop in walk for word in context.text_of(hop.relation).split()}
    relatives = (asked_kin(question) for clause in parsed.clauses for question in clause.questions)
    if noun is None or parsed.implied or set(telling_words(parsed)) != {noun} or not words or any(relatives):
        return False
    included = (Relation.SAME, Relation.WIDER)
    if kin(noun) & context.roots_of(sum(draft.walked, ())) or not measured((noun,)).isdisjoint(measured(words)):
        return False
    if context.is_kind(draft.ends, noun) or any(relation(singular(noun), one) in included for one in words):
        return False
    return not (yield from is_said_kind(context, draft.ends, noun))
