"""Drafts of readings for a question that names nothing: all that has an attribute, lacks one, or has the most of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clause.reasoning.neighbourhood.port import Hop
from clause.reasoning.question.candidates import QuestionContext
from clause.reasoning.question.comparing import Lacking, counted_in, of_one_kind_with
from clause.reasoning.question.lists import SEEN, ReadingDraft, asked_of_each, is_said_kind, names_side
from clause.reasoning.question.measures import is_unmeasured, measured
from clause.reasoning.question.modifiers import Excluded, Lack
from clause.reasoning.question.pattern_text import is_verb, pattern_words
from clause.reasoning.question.patterns import Around, Effects, Read, comparable, rank_hops
from clause.reasoning.question.plan import AnyOf, Best, Having
from clause.reasoning.question.refinements import fitting_both
from clause.reasoning.question.sides import roots
from clause.reasoning.question.vocabulary import how_many_best
from clause.text.tokens import singular

MOST_TYPES = 256
"""Relationship types among which a question's attribute is looked for where it names nothing."""
UNNAMED_TRIED, MOST_TRIED, MOST_SIDES = 4, 8, 40
"""Read then: attributes of everything; sides of types, for the most of something, and for all that may lack it."""


def drafts_of_unnamed(context: QuestionContext, types: Sequence[str]) -> Effects[list[ReadingDraft]]:
    """Drafts for a question that names nothing but an attribute (`the cheapest`, `noted before 1975`): what has it.

    Of `types`, those that the graph has most of stand first. What is oldest has the largest age, or the first date.
    """
    parsed, best = context.parsed, context.parsed.superlative
    if parsed.lack is not None:
        return (yield from _drafts_of_lack(context, parsed.lack, types))
    if parsed.negated:
        return (yield from _drafts_of_rest(context, parsed.negated[0], types))
    if best is not None and best.questions:
        first = "date" if best.dated else "number"
        questions, kinds = best.questions, {"number", "date"} if best.lasts or best.does else {first}
    elif best is not None:
        questions, kinds = (), set[str]()
    elif parsed.filters:
        questions, kinds = parsed.filters[0].asked[0], {*parsed.filters[0].kinds}
        questions = questions if parsed.filters[0].words else ()
    else:
        return []
    every = [(Hop(name, forward=True),) for name in types[:MOST_TYPES]]
    ranked = (yield from fitting_both(context, questions, every, parsed.filters[:1])) if kinds else []
    members = (yield from _members(context, types)) if ranked else frozenset()
    drafts, of_kind, named = list[ReadingDraft](), list[bool](), False
    for pattern, score in ranked[: 2 * MOST_TRIED]:
        text = context.text_of(pattern[0].relation)
        if len(drafts) == UNNAMED_TRIED or (is_unmeasured(questions, text) and not context.is_named(pattern)):
            continue
        around: Around = yield Read((), pattern, context.bounds.sample_edges, context.bounds.unnamed)
        ends = [edge.other(node) for node, hops in around.items() for edges in hops.values() for edge in edges]
        kind, ranks = comparable([context.names.value(end) for end in ends]), best is not None and not best.dated
        if kind in kinds and (best is None or ranks or kind == "date" or "age" in text.split()):
            unlike = (
                3
                if ranks and kind == "date" and "number" in kinds
                else 2
                if best and not ranks and kind != "date"
                else 0
            )
            words = f"everything with {text}"
            counted = best is not None and counted_in(map(context.names.value, ends), best.counted or "-")
            right = counted or context.is_kind(tuple(around), context.noun) or not members.isdisjoint(around)
            of_kind.append(right or (yield from is_said_kind(context, tuple(around), context.noun)))
            by = None if best is None else pattern
            rated = score - unlike * context.priors.right_class
            drafts.append(ReadingDraft(Having(pattern[0]), words, rated, (), (), tuple(around), score, by=by))
            same = measured(text.split()) & measured(" ".join(questions).split())
            named |= counted or context.is_named(pattern) or bool(same)
    if members or any(of_kind):
        gains = (2 * context.priors.right_class * (1 if right else -1) for right in of_kind)
        drafts = [replace(draft, score=draft.score + gain) for draft, gain in zip(drafts, gains, strict=True)]
    if best is None or best.by != "frequency" or named:
        return drafts
    return (yield from _drafts_of_most(context, types, largest=best.direction == "max"))


def _members(context: QuestionContext, types: Sequence[str]) -> Effects[frozenset[str]]:
    """The things to which types lead that end in the question's noun (`serves menu`) or say who does it (`sung by`)."""
    noun = singular(context.noun or "")
    found, done = set[str](), roots(noun) if noun.endswith(("er", "or")) else frozenset()
    for name in types if noun else ():
        *before, last = context.text_of(name).split()
        if singular(last) != noun and not (last == "by" and before and roots(before[-1]) & done):
            continue
        ends: Around = yield Read((), (Hop(name, forward=False),), 0, context.bounds.front)
        found |= set(ends)
    return frozenset(node for node in found if context.names.value(node) is None)


def _drafts_of_rest(context: QuestionContext, negated: Excluded, types: Sequence[str]) -> Effects[list[ReadingDraft]]:
    """Drafts for all that has what the question denies of its answers: those who do not work in X work somewhere.

    What is denied of a class is denied of all its members: finds that are in no museum lack what leads to one.
    """
    found = yield from context.of_topic(negated.names[0], (f"{context.noun or 'what'} {negated.clause} it",))
    drafts: list[ReadingDraft] = []
    for candidates in found:
        if candidates.is_class:
            named = (f"what is it {negated.clause} {candidates.meaning.name}", context.parsed.whole)
            further = [one.pattern for one in candidates.patterns if context.leads_to_members(one.pattern[:1])]
            hops = {pattern[1].inverse for pattern in further if len(pattern) == 2}
            drafts += yield from _drafts_of_lack(context, Lack(named), types, sorted(hops))
            continue
        for one in candidates.patterns[:UNNAMED_TRIED]:
            valued = comparable([context.names.value(end) for end in one.ends]) != "text"
            if len(one.pattern) > 1 or (one.pattern[0].forward and valued):
                continue
            hop = one.pattern[0].inverse
            around: Around = yield Read((), (hop,), context.bounds.front)
            words = pattern_words((one.pattern[0],), context.text_of, "something")
            topic = (candidates.meaning.id,)
            drafts.append(ReadingDraft(Having(hop), words, one.score, topic, (one.pattern,), tuple(around)))
    return drafts


def _drafts_of_most(context: QuestionContext, types: Sequence[str], *, largest: bool) -> Effects[list[ReadingDraft]]:
    """Drafts for what has, does or meets something most often, anywhere: of either side of a type, the most of it."""
    parsed = context.parsed
    counted, rank = (parsed.superlative.counted, parsed.superlative.rank) if parsed.superlative else ("", 1)
    noun, question = asked_of_each(parsed.joint, parsed.class_words, counted)
    hops = [(Hop(name, forward),) for name in types[:MOST_TYPES] for forward in (True, False)]
    ranked = yield from rank_hops((question, parsed.whole), hops)
    told = []
    for (hop,), score in ranked:
        first, *rest = context.text_of(hop.relation).split()
        verb = is_verb(first) and rest[:1] != ["of"]  # a `repair of` something is one
        says = not verb and roots(counted) & context.roots_of((hop,))  # what is counted, not how it has to do with it
        grammar = -context.priors.named if says else context.told(hop, question)
        told.append((hop, score + (context.priors.told if names_side(context, hop, noun, counted) else grammar)))
    drafts, of_class = list[ReadingDraft](), list[ReadingDraft]()
    for hop, score in sorted(told, key=lambda pair: -pair[1])[:MOST_TRIED]:
        around: Around = yield Read((), (hop,), context.bounds.sample_edges, context.bounds.unnamed)
        starts, ends = list(around), [edge.other(n) for n, found in around.items() for edge in found.get(hop, ())]
        if comparable([context.names.value(node) for node in (ends if hop.forward else starts)]) != "text":
            continue
        right = context.is_kind(starts, noun)
        words = pattern_words((hop.inverse,), context.text_of, "something")
        words = f"{words}, the one with the {'most' if largest else 'fewest'}"
        plan = Best(Having(hop), (hop,), largest, rank, counted=True, most=how_many_best(parsed.text))
        rated = score + context.priors.right_class * (right + context.is_kind(ends, counted or None))
        drafts.append(ReadingDraft(plan, words, rated, (), ((hop,),), (), score, (((hop,), (question,)),)))
        of_class += drafts[-1:] if right else ()
    return of_class or drafts


def _drafts_of_lack(
    context: QuestionContext, lack: Lack, types: Sequence[str], among: Sequence[Hop] = ()
) -> Effects[list[ReadingDraft]]:
    """Drafts for what is of one kind with things that have something (by `among`, if any), and has it not itself."""
    hops = [Hop(name, forward) for name in types[:MOST_TYPES] for forward in (True, False)]
    ranked = yield from context.fitting(lack.questions, [(hop,) for hop in among or hops])
    told = [(pattern[0], score + context.told(pattern[0], lack.questions[0])) for pattern, score in ranked]
    sides: dict[Hop, list[str]] = {}
    for side in (Hop(name, forward) for name in types[:MOST_SIDES] for forward in (True, False)):
        around: Around = yield Read((), (side,), 0, context.bounds.front)
        if side.forward or comparable([context.names.value(node) for node in around]) == "text":
            sides[side] = list(around)
    drafts: list[ReadingDraft] = []
    for hop, score in sorted(told, key=lambda pair: -pair[1])[:UNNAMED_TRIED]:
        kind = of_one_kind_with(sides.get(hop, ()), sides, hop)
        if not kind:
            continue
        nodes = tuple(dict.fromkeys(node for side in kind for node in sides[side]))
        yield Read(nodes[:SEEN], (hop,), 1)  # for their classes
        words = f"{context.noun or 'everything'} without {pattern_words((hop,), context.text_of, 'each')}"
        rated = score + (context.priors.right_class if context.is_kind(nodes, context.noun) else 0.0)
        plan = Lacking(AnyOf(tuple(map(Having, kind))), hop)
        drafts.append(ReadingDraft(plan, words, rated, (), (), nodes, score, (((hop,), lack.questions),)))
    return drafts
