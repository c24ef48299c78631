"""Drafts of readings for what a list answers: one walk, walks that meet, and what filters, counts and ranks them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from clause.reasoning.neighbourhood.port import Hop
from clause.reasoning.question.candidates import Candidates, QuestionContext
from clause.reasoning.question.measures import Superlative
from clause.reasoning.question.modifiers import Excluded, LiteralFilter, is_unmeasured
from clause.reasoning.question.pattern_text import pattern_words, plural_words
from clause.reasoning.question.patterns import Around, Effects, FoundPattern, Read, TypedPattern, aged, comparable, says
from clause.reasoning.question.plan import (
    Best,
    Count,
    Meet,
    NodeTest,
    PlanResult,
    QuestionPlan,
    WalkFrom,
    Where,
    Without,
    alike,
)
from clause.reasoning.question.sides import roots, steps_asked
from clause.reasoning.question.vocabulary import FORM_WORDS
from clause.text.literals import Operator
from clause.text.quantities import Date

MOST_OF_TOPIC = 10
"""Patterns of each topic that are tried where several meet."""
SAME_PATTERN = 2.0
"""The gain of a pair that walks the same pattern, where the question says the same of both topics."""
REFINED = 6
"""Drafts to which filters, ranks and counts are fitted."""
UNFIT = 3.0
"""The loss of a draft to which a filter of the question cannot be applied."""
COUNTED = 1.0
"""The loss of comparing counts against comparing numbers that the graph has."""
IMPLIED = 3.0
"""The gain of a draft that the words of an implied relation made, over the patterns that only resemble it."""
_SEEN = 24
_INCLUDED = re.compile(r"\b(?:included|including|in total|altogether|in all|all told)\b", re.IGNORECASE)


Claim = tuple[TypedPattern, tuple[str, ...]]
"""A walk, and the questions (alternatives of one, about `it`) that it is to answer."""


@dataclass(frozen=True, slots=True)
class ReadingDraft:
    """A reading that is not yet run: its plan, its words, its score.

    `ends` are some of its answers, `attributes` the walks to the values that filters and ranks look at, `steps` the
    log-probability of its walks by the steps that the question names.
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

    @property
    def walked(self) -> tuple[TypedPattern, ...]:
        """All that it walks: to its answers, and to their values."""
        return (*self.patterns, *(walk for walk, _ in self.attributes))


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
            plan = yield from context.composed(meaning.id, relation)
            if plan is None:
                continue
            result: PlanResult = yield from plan.run(context.names, context.bounds)
            ends = tuple(answer.node for answer in result.answers if answer.node is not None)
            words = f"{relation.name} of {meaning.name}"
            score = meaning.log_probability + IMPLIED
            drafts.append(ReadingDraft(plan, words, score, (meaning.id,), (), ends, math.inf))
    return drafts


def _met(context: QuestionContext, by_topic: Sequence[Sequence[Candidates]]) -> Effects[list[ReadingDraft]]:
    """Drafts for every combination of one pattern a topic whose walks meet."""
    options: list[list[tuple[Candidates, FoundPattern, frozenset[str]]]] = []
    for found in by_topic:
        rows = []
        for candidates in found:
            for one in candidates.patterns[:MOST_OF_TOPIC]:
                walk = WalkFrom((candidates.meaning.id,), one.pattern)
                result: PlanResult = yield from walk.run(context.names, context.bounds)
                reached = frozenset(answer.node for answer in result.answers if answer.node is not None)
                rows.append((candidates, one, reached))
        options.append(rows)
    alike_clauses, drafts = len({clause.questions for clause in context.parsed.clauses}) == 1, []
    for combination in product(*options):
        shared = frozenset.intersection(*(reached for _, _, reached in combination))
        shared -= {candidates.meaning.id for candidates, _, _ in combination}
        if shared:
            drafts.append(_conjunction(context, combination, shared, same=alike_clauses))
    return sorted(drafts, key=lambda draft: -draft.score)[: 2 * MOST_OF_TOPIC]


def _conjunction(
    context: QuestionContext,
    combination: Sequence[tuple[Candidates, FoundPattern, frozenset[str]]],
    shared: frozenset[str],
    *,
    same: bool,
) -> ReadingDraft:
    patterns = tuple(one.pattern for _, one, _ in combination)
    topics = tuple(candidates.meaning.id for candidates, _, _ in combination)
    said = [pattern_words(one.pattern, context.text_of, c.meaning.name) for c, one, _ in combination]
    rest = [re.sub(r"^(?:what|who) ", "", words) for words in said[1:]]
    words = plural_words(" and ".join((said[0], *rest)), _noun(context, tuple(shared)))
    score = sum(one.score + c.meaning.log_probability for c, one, _ in combination)
    score += SAME_PATTERN if same and len(set(patterns)) == 1 else 0.0
    plan = Meet(tuple(WalkFrom((topic,), pattern) for topic, pattern in zip(topics, patterns, strict=True)))
    nearest = max(c.nearest for c, _, _ in combination)
    steps = min(one.steps for _, one, _ in combination)
    return ReadingDraft(plan, words, score, topics, patterns, tuple(sorted(shared)), nearest, steps=steps)


def _noun(context: QuestionContext, ends: Sequence[str]) -> str | None:
    """The question's noun where it is a class of the ends: then it may be said back."""
    words = context.parsed.class_words
    if words is None:
        return None
    fits = any(alike(name, words.noun) for end in ends[:_SEEN] for name in context.names.classes(end))
    return words.noun if fits else None


def refined(context: QuestionContext, drafts: Sequence[ReadingDraft]) -> Effects[list[ReadingDraft]]:
    """The likeliest drafts with the question's exclusions, filters, class, rank and count."""
    parsed = context.parsed
    made: list[ReadingDraft] = []
    for draft in sorted(drafts, key=lambda one: -one.score)[:REFINED]:
        kept = yield from _without(context, draft)
        for literal in parsed.filters:
            kept = yield from _filtered(context, kept, literal)
        kept = yield from _classed(context, kept)
        if parsed.choices:
            kept = replace(kept, plan=Where(kept.plan, NodeTest(called=frozenset(parsed.choices))))
        ranked = yield from _ranked(context, kept)
        made += [_counted(one, parsed.text) if parsed.kind == "count" else one for one in ranked]
    rated = [one for one in made if not (isinstance(one.plan, Best) and one.plan.pattern is None)]
    by_value = parsed.superlative is not None and parsed.superlative.by == "attribute"
    return rated if rated and by_value else made


def _counted(draft: ReadingDraft, text: str) -> ReadingDraft:
    """The number of a draft's answers; the topic is one of them where the question says so."""
    plan = draft.plan
    if isinstance(plan, WalkFrom) and _INCLUDED.search(text):
        plan = replace(plan, returns=True)
    return replace(draft, plan=Count(plan), words=f"how many: {draft.words}")


def _without(context: QuestionContext, draft: ReadingDraft) -> Effects[ReadingDraft]:
    parsed = context.parsed
    nodes = frozenset(node for place in parsed.excluded for node in context.ids(place))
    names = [_name(context, place) for place in parsed.excluded]
    if parsed.itself:
        nodes |= frozenset(draft.topics)
        names += [context.names.name(topic) for topic in draft.topics]
    minus: list[QuestionPlan] = []
    for negated in parsed.negated:
        plan = yield from _taken_away(context, negated, draft)
        minus += plan
        names += [f"{negated.clause} {_name(context, place)}" for place in negated.names]
    if not nodes and not minus:
        return draft
    words = f"{draft.words}, without {', '.join(dict.fromkeys(names))}"
    return replace(draft, plan=Without(draft.plan, nodes, tuple(minus)), words=words)


def _taken_away(context: QuestionContext, negated: Excluded, draft: ReadingDraft) -> Effects[list[QuestionPlan]]:
    """Walks from what the answers must have nothing to do with: the likeliest that ends among things like them."""
    head = context.parsed.class_words.noun if context.parsed.class_words else "what"
    wanted = frozenset(draft.ends)
    plans: list[QuestionPlan] = []
    for place in negated.names:
        found = yield from context.of_topic(place, (f"{head} {negated.clause} it",))
        for candidates in found[:1]:
            likely = candidates.patterns[:MOST_OF_TOPIC]
            meeting = [one for one in likely if wanted & set(one.ends)] or likely[:1]
            plans += [WalkFrom((candidates.meaning.id,), one.pattern) for one in meeting[:1]]
    return plans


def _filtered(context: QuestionContext, draft: ReadingDraft, literal: LiteralFilter) -> Effects[ReadingDraft]:
    """The draft with a literal filter, through the attribute that fits its words best; penalised where none does."""
    questions, kind = asked_of(literal)
    own = comparable([context.names.value(end) for end in draft.ends[:_SEEN]])
    value = {"operator": literal.operator, "value": literal.value, "second": literal.second}
    said = f"{literal.operator.replace('_', ' ')} {literal.value}"
    if own == kind:
        return replace(draft, plan=Where(draft.plan, NodeTest(**value)), words=f"{draft.words}, {said}")  # type: ignore[arg-type]
    hops = yield from value_hops(context, draft.ends, kind)
    ranked = yield from context.fitting(questions, hops)
    if not ranked:
        return replace(draft, score=draft.score - UNFIT)
    pattern = ranked[0][0]
    test = NodeTest(pattern, **value)  # type: ignore[arg-type]
    through = pattern_words(pattern, context.text_of, "each")
    words = f"{draft.words}, of which {through} is {said}"
    attributes = (*draft.attributes, (pattern, questions))
    return replace(draft, plan=Where(draft.plan, test), words=words, attributes=attributes)


def asked_of(literal: LiteralFilter) -> tuple[tuple[str, ...], str]:
    """What a filter looks at, as questions about one answer, and its kind."""
    if isinstance(literal.value, Date) and not _counts(literal):
        asked = literal.words or "date year"
        return (f"{asked} of it", f"when was it {asked}"), "date"
    named = (literal.words,) if literal.words else (literal.of_unit, "number")
    return tuple(f"{words} of it" for words in named if words), "number"


def _counts(literal: LiteralFilter) -> bool:
    return literal.operator in {"more", "less", "at_least", "at_most"} and bool(literal.words)


def value_hops(context: QuestionContext, nodes: Sequence[str], kind: str) -> Effects[list[TypedPattern]]:
    """The single hops from some nodes that end in dates, or in numbers."""
    around: Around = yield Read(tuple(nodes[:_SEEN]), None, context.bounds.sample_edges)
    ends: dict[Hop, list[str]] = {}
    for node, hops in around.items():
        for hop, edges in hops.items():
            ends.setdefault(hop, []).extend(edge.other(node) for edge in edges)
    found = {hop: comparable([context.names.value(end) for end in reached]) for hop, reached in ends.items()}
    return sorted((hop,) for hop, told in found.items() if told == kind)


def _classed(context: QuestionContext, draft: ReadingDraft) -> Effects[ReadingDraft]:
    """The draft restricted to the class, or to what the words before the noun say, where the graph knows such."""
    words = context.parsed.class_words
    if words is None or not draft.ends:
        return draft
    seen, wanted = draft.ends[:_SEEN], [*words.modifiers, *words.said_of.split()]
    for noun in (words.noun, f"{' '.join(words.modifiers)} {words.noun}"):
        fits = [any(alike(name, noun) for name in context.names.classes(end)) for end in seen]
        if any(fits):
            if not all(fits) or len(draft.ends) > _SEEN:
                draft = replace(draft, plan=Where(draft.plan, NodeTest(classes=frozenset((noun,)))))
            break
    else:
        wanted.append(words.noun)
    around: Around = yield Read(tuple(seen), None, context.bounds.sample_edges)
    for word in wanted:
        hop = next(
            (
                hop
                for node, hops in sorted(around.items())
                for hop, edges in sorted(hops.items())
                if hop.forward and any(_is_called(context.names.name(edge.other(node)), word) for edge in edges)
            ),
            None,
        )
        if hop is not None and (hop,) not in draft.patterns:
            test = NodeTest((hop,), called=frozenset((word,)))
            draft = replace(draft, plan=Where(draft.plan, test), words=f"{draft.words}, {word}")
    return draft


def _is_called(name: str, word: str) -> bool:
    """Tell whether a thing is called a word, and not only by its last one: the neighbour `Mill Field` is no class."""
    return name.count(" ") == word.count(" ") and alike(name, word)


def _ranked(context: QuestionContext, draft: ReadingDraft) -> Effects[list[ReadingDraft]]:
    """The draft, or of a superlative its best by each attribute that may be meant."""
    superlative = context.parsed.superlative
    if superlative is None:
        return [draft]
    largest = superlative.direction == "max"
    if isinstance(draft.plan, Best):
        return [draft]
    word = "most" if largest else "least"
    often = replace(
        draft, plan=Best(draft.plan, None, largest, superlative.rank), words=f"{draft.words}, the {word} often"
    )
    if not superlative.questions:
        return [often]
    kind = "date" if superlative.dated else "number"
    hops = yield from value_hops(context, draft.ends, kind)
    if not hops and aged("before", "number", superlative.questions) == "more":
        kind, largest = "number", not largest
        hops = yield from value_hops(context, draft.ends, kind)
    own = comparable([context.names.value(end) for end in draft.ends[:_SEEN]]) == kind
    ranked = yield from context.fitting(superlative.questions, [*hops, *([()] if own else [])])
    texts = {pattern: " ".join(context.text_of(hop.relation) for hop in pattern) for pattern, _ in ranked}
    ranked = [one for one in ranked if not one[0] or not is_unmeasured(superlative.questions, texts[one[0]])]
    if superlative.by == "frequency":
        counted = yield from _most_of(context, draft, superlative, [pattern for pattern, _ in ranked])
        return [counted or often]
    drafts = []
    best = ranked[0][1] if ranked else 0.0
    for pattern, score in ranked[:2]:
        through = pattern_words(pattern, context.text_of, "each") if pattern else "the value"
        side = ("latest" if largest else "earliest") if kind == "date" else ("largest" if largest else "smallest")
        plan = Best(draft.plan, pattern, largest, superlative.rank)
        said = f"{draft.words}, the one with the {side} {through}"
        attributes = (*draft.attributes, (pattern, superlative.questions)) if pattern else draft.attributes
        gained = score - best
        drafts.append(replace(draft, plan=plan, words=said, score=draft.score + gained, attributes=attributes))
    unmeasured = bool(hops) and not ranked  # it has numbers, and none is what the question measures
    return drafts or (
        [] if unmeasured else [replace(draft, score=draft.score - UNFIT, plan=Best(draft.plan, None, largest))]
    )


def _most_of(
    context: QuestionContext, draft: ReadingDraft, superlative: Superlative, valued: Sequence[TypedPattern]
) -> Effects[ReadingDraft | None]:
    """The draft's answer with the most of what the question's noun says: a number that is stored, or ends counted."""
    around: Around = yield Read(tuple(draft.ends[:_SEEN]), None, context.bounds.sample_edges)
    every = sorted({(hop,) for hops in around.values() for hop in hops if (hop,) not in draft.patterns})
    said = frozenset().union(*(roots(word) for word in superlative.questions[0].split() if word not in FORM_WORDS))
    ranked = yield from context.fitting(superlative.questions, list(dict.fromkeys((*valued, *every))))
    named = [pattern for pattern, _ in ranked if said & context.roots_of(pattern)]
    found = (
        [pattern for pattern in named if pattern in valued] or named or [one for one, _ in ranked[:1] if one in valued]
    )
    if not found:
        return None
    pattern = found[0]
    largest = superlative.direction == "max"
    plan = Best(draft.plan, pattern, largest, superlative.rank, counted=pattern not in valued)
    words = f"{draft.words}, the one with the {'most' if largest else 'fewest'}: "
    words += pattern_words(pattern, context.text_of, "each")
    return replace(draft, plan=plan, words=words, attributes=(*draft.attributes, (pattern, superlative.questions)))


def _name(context: QuestionContext, place: int) -> str:
    mention = context.parsed.mentions[place]
    return mention.candidates[0].name if mention.candidates else context.parsed.text[mention.start : mention.end]


def names_of(context: QuestionContext, places: Sequence[int]) -> str:
    """The names of some topics, as the graph has them."""
    return ", ".join(_name(context, place) for place in places)


def kind_of(context: QuestionContext, found: Sequence[FoundPattern]) -> str:
    """The kind that most ends of some patterns are: `date`, `number` or `text`."""
    return comparable([context.names.value(end) for one in found for end in one.ends])


def misfit(operator: Operator, kind: str, *, lasting: bool) -> float:
    """The loss of a pattern for ends that the operator does not compare well."""
    if lasting or operator in {"before", "after"}:
        return 0.0 if kind == "date" else 4 * UNFIT
    if operator in {"more", "less"}:
        return 0.0 if kind == "number" else (COUNTED if kind == "text" else 2 * UNFIT)
    return 0.0
