"""Refinements of a draft by what a question adds to its core: exclusions, filters, a class, a rank, a count."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from clause.reasoning.neighbourhood.port import Hop
from clause.reasoning.question.candidates import QuestionContext
from clause.reasoning.question.comparing import Lacking, ValueOf, counted_in
from clause.reasoning.question.lists import (
    MOST_OF_TOPIC,
    SEEN,
    UNFIT,
    ReadingDraft,
    akin,
    filtered_hops,
    is_uncalled,
    name_of,
    of_unit,
    value_hops,
)
from clause.reasoning.question.measures import Superlative, is_unmeasured
from clause.reasoning.question.modifiers import Excluded
from clause.reasoning.question.pattern_text import pattern_words
from clause.reasoning.question.patterns import (
    UNWALKED_STEP,
    Around,
    Effects,
    Read,
    TypedPattern,
    aged,
    comparable,
    rank_hops,
    wanted_kind,
)
from clause.reasoning.question.plan import (
    Best,
    Count,
    Having,
    HavingValue,
    NodeTest,
    QuestionPlan,
    Untold,
    WalkFrom,
    Where,
    Without,
    ends_of,
)
from clause.reasoning.question.seed_matching import FALSE, TRUE, alike, are_truths, is_called
from clause.reasoning.question.sides import roots, telling_words
from clause.reasoning.question.vocabulary import FORM_WORDS, how_many_best
from clause.text.literals import LiteralFilter
from clause.text.tokens import singular

REFINED = 6
"""Drafts to which filters, ranks and counts are fitted."""
_INCLUDED = re.compile(r"\b(?:included|including|in total|altogether|in all|all told)\b", re.IGNORECASE)
_WHEN = re.compile(
    r"^(?:when|(?:(?:on|in|at) )?(?:what|which) (?:(?:is|was) the )?(?:date|day|year|month|time)|date|year)\b"
)
_HOW_MUCH = re.compile(r"^how (?:many|much|long|old|high|tall|big|deep|heavy|far|large|fast)\b")
DENIED = re.compile(r"\b(?:not|no|non|without|never|lacks?|lacking)\b")
_WHICH = re.compile(r"\b(?:which one|the one|who)\b|\b(?:in|on|at) (?:what|which) (?!date|day|year|month|time)[a-z]+$")
_DOER = re.compile(r"(?:[^aeiou]er|or)s?$")  # the newest joiner is who joined, not when


def _is_asked_for(context: QuestionContext, pattern: TypedPattern, kind: str, nodes: Sequence[str]) -> bool:
    """Tell whether the value is asked for, and not what has it: `when was the last exam`, `top daily rate`."""
    whole, noun = context.parsed.whole, context.noun
    thing = _WHICH.search(whole) is not None
    if not thing and ((kind == "date" and _WHEN.search(whole)) or (kind == "number" and _HOW_MUCH.search(whole))):
        return True
    if thing or noun is None or not pattern or context.is_kind(nodes, noun):
        return False
    if _DOER.search(noun) and singular(noun) not in context.text_of(pattern[-1].relation).split():
        return False
    return bool(roots(noun) & context.roots_of(pattern[-1:])) and not re.match(r"(?:which|who)\b", whole)


def ranked(context: QuestionContext, draft: ReadingDraft) -> Effects[list[ReadingDraft]]:
    """The draft, or of a superlative its best by each attribute that may be meant."""
    superlative = context.parsed.superlative
    if superlative is None or isinstance(draft.plan, Best) or (superlative.dated and _names_an_end(context, draft)):
        return [draft]
    largest = superlative.direction == "max"
    word, most = "most" if largest else "least", how_many_best(context.parsed.text)
    by_ways = Best(draft.plan, None, largest, superlative.rank, most=most)
    often = replace(draft, plan=by_ways, words=f"{draft.words}, the {word} often")
    if superlative.by == "frequency" and not superlative.does:
        if not superlative.questions:
            return [often]
        numbers = yield from _valued(context, draft, superlative, "number")
        counted = yield from _most_of(context, draft, superlative, [pattern for pattern, _ in numbers])
        return [counted or often]
    found, kind, largest = yield from _measures(context, draft, superlative)
    drafts = []
    best = found[0][1] if found else 0.0
    for pattern, score in found[:2]:
        through = pattern_words(pattern, context.text_of, "each") if pattern else "the value"
        if pattern and (not superlative.known or "speed of it" in superlative.questions):
            largest = yield from _is_largest(context, draft, pattern, kind)
        side = _SIDES[kind][not largest]
        plan: QuestionPlan = Best(draft.plan, pattern, largest, superlative.rank, most=most)
        if _has(draft, pattern) and most == 1:
            plan = HavingValue(pattern[0], None, largest, superlative.rank)
        said = f"{draft.words}, the one with the {side} {through}"
        if pattern and _is_asked_for(context, pattern, kind, draft.ends):
            plan, said = ValueOf(plan, pattern), f"the {side} {through} of {draft.words}"
        asked = superlative.part or tuple(one for one in (*superlative.questions, context.parsed.whole) if one)
        attributes = (*draft.attributes, (pattern, asked)) if pattern else draft.attributes
        drafts.append(replace(draft, plan=plan, words=said, score=draft.score + score - best, attributes=attributes))
    if drafts or superlative.does:
        return drafts or [often]
    unmeasured = yield from value_hops(context, draft.ends, kind)  # it has values, and none is what is asked for
    return [] if unmeasured else [replace(draft, score=draft.score - UNFIT, plan=by_ways)]


def _names_an_end(context: QuestionContext, draft: ReadingDraft) -> bool:
    """Tell whether what is filtered is itself called the last or first: `their latest survey before 2005`."""
    hops = (hop for walk, _ in draft.attributes for hop in walk)
    return any(_ENDS.intersection(context.text_of(hop.relation).split()) for hop in hops)


_ENDS = frozenset({"last", "latest", "first", "earliest"})
_SIDES = {"date": ("latest", "earliest"), "number": ("largest", "smallest")}


def _is_largest(context: QuestionContext, draft: ReadingDraft, pattern: TypedPattern, kind: str) -> Effects[bool]:
    """Tell which end of a value is meant where no list knows the word, and where it is what is fastest of a time."""
    best = context.parsed.superlative
    if best is not None and best.known:
        ends = yield from ends_of(draft.ends[:SEEN], pattern, context.bounds)
        values = [context.names.value(end) for found in ends.values() for end, _ in found]
        return aged("more" if best.direction == "max" else "less", kind, best.questions, values) == "more"
    text = context.text_of(pattern[-1].relation)
    most, least = [(Hop(f"{side} {text}", forward=True),) for side in _SIDES[kind]]
    found = yield from rank_hops((context.parsed.whole,), (most, least))
    return bool(found[0][0] == most)


_Rated = list[tuple[TypedPattern, float]]


def _measures(context: QuestionContext, draft: ReadingDraft, best: Superlative) -> Effects[tuple[_Rated, str, bool]]:
    """The values that a superlative may mean, their kind, and whether the largest of them is meant.

    What has lasted longest began first: where no number is measured, the end of a date is the other one.
    """
    largest = best.direction == "max"
    first, other = ("date", "number") if best.dated else ("number", "date")
    found = yield from _valued(context, draft, best, first)
    if found:
        return found, first, largest
    old = aged("before", "number", best.questions) == "more" if best.dated else best.lasts
    found = (yield from _valued(context, draft, best, other)) if old else []
    return (found, other, not largest) if found else ([], first, largest)


def _valued(context: QuestionContext, draft: ReadingDraft, superlative: Superlative, kind: str) -> Effects[_Rated]:
    """The walks of one hop, or none, from a draft's answers to values of a kind that the question may measure."""
    hops = yield from value_hops(context, draft.ends, kind)
    hops = [hop for hop in hops if draft.by in {None, hop}]
    own = comparable([context.names.value(end) for end in draft.ends[:SEEN]]) == kind
    of_class = any(context.leads_to_members(walk[:1]) for walk in draft.patterns)
    own = own and wanted_kind(context.parsed.whole) != "entity"
    own = own and not (of_class and not _is_asked_for(context, draft.patterns[0], kind, ()))
    found = yield from fitting_both(context, superlative.questions, [*hops, *([()] if own else [])])
    texts = {pattern: " ".join(context.text_of(hop.relation) for hop in pattern) for pattern, _ in found}
    said = {one for one in texts if one and context.is_named(one)}  # the heaviest excess weighs nothing
    return [one for one in found if one[0] in {(), *said} or not is_unmeasured(superlative.questions, texts[one[0]])]


def fitting_both(
    context: QuestionContext,
    questions: Sequence[str],
    patterns: Sequence[TypedPattern],
    literals: Sequence[LiteralFilter] = (),
) -> Effects[_Rated]:
    """Patterns by how well they fit what a rank or a filter measures, and the whole question, as much by either.

    A date fits `date of it` best whichever it is: only the other words say that what was brought in last is meant.
    Where a type says the unit of a literal, those that do not lose more than what is of another class.
    """
    by_whole = yield from context.fitting((context.parsed.whole,), patterns)
    by_measure = dict((yield from context.fitting(questions, patterns)) if questions else by_whole)
    likely = [one for literal in literals for one in of_unit(context, literal, patterns)] or patterns
    paid = any(literal.of_unit.startswith("price") for literal in literals)  # money measures nothing else
    loss = (12 if paid else 3) * context.priors.right_class
    rated = [(one, (score + by_measure[one]) / 2 - loss * (one not in likely)) for one, score in by_whole]
    return sorted(rated, key=lambda pair: (-pair[1], pair[0]))


def _most_of(
    context: QuestionContext, draft: ReadingDraft, superlative: Superlative, valued: Sequence[TypedPattern]
) -> Effects[ReadingDraft | None]:
    """The draft's answer with the most of what the question's noun says: a number that is stored, or ends counted."""
    around: Around = yield Read(tuple(draft.ends[:SEEN]), None, context.bounds.sample_edges)
    every = sorted({(hop,) for hops in around.values() for hop in hops if (hop,) not in draft.patterns})
    said = frozenset().union(*(roots(word) for word in superlative.questions[0].split() if word not in FORM_WORDS))
    ranked = yield from context.fitting(superlative.questions, list(dict.fromkeys((*valued, *every))))
    named = [pattern for pattern, _ in ranked if said & context.roots_of(pattern)]
    stored = [pattern for pattern in named if pattern in valued]
    found = stored or named or [one for one, _ in ranked[:1] if one in valued]
    if not found:
        return None
    pattern = found[0]
    largest, most = superlative.direction == "max", how_many_best(context.parsed.text)
    plan = Best(draft.plan, pattern, largest, superlative.rank, pattern not in valued, most)
    words = f"{draft.words}, the one with the {'most' if largest else 'fewest'}: "
    words += pattern_words(pattern, context.text_of, "each")
    return replace(draft, plan=plan, words=words, attributes=(*draft.attributes, (pattern, superlative.questions)))


def refined(context: QuestionContext, drafts: Sequence[ReadingDraft]) -> Effects[list[ReadingDraft]]:
    """The likeliest drafts with the question's exclusions, filters, class, rank and count."""
    parsed = context.parsed
    made: list[ReadingDraft] = []
    for draft in sorted(drafts, key=lambda one: -one.score)[:REFINED]:
        kept = yield from _without(context, draft)
        kept = (yield from lacking(context, kept)) if parsed.topics else kept
        for literal in parsed.filters:
            kept = yield from _filtered(context, kept, literal)
        kept = yield from _classed(context, kept)
        if parsed.choices:
            kept = replace(kept, plan=Where(kept.plan, NodeTest(called=frozenset(parsed.choices))))
        best = yield from ranked(context, kept)
        for one in best:
            made.append((yield from _counted(context, one)))  # noqa: PERF401 - a comprehension cannot yield
    rated = [one for one in made if not (isinstance(one.plan, Best) and one.plan.pattern is None)]
    by_value = parsed.superlative is not None and parsed.superlative.by == "attribute"
    return rated if rated and by_value else made


def _counted(context: QuestionContext, draft: ReadingDraft) -> Effects[ReadingDraft]:
    """The number of a draft's answers where it is asked for, or likelier, a number of such things."""
    plan, parsed = draft.plan, context.parsed
    if parsed.kind != "count":
        return draft
    if isinstance(plan, WalkFrom) and _INCLUDED.search(parsed.text):
        plan = replace(plan, returns=True)
    values = [context.names.value(end) for end in draft.ends[:SEEN]]
    gain = 2 * context.priors.right_class * any(counted_in(values, word) for word in parsed.words)
    if not gain and (yield from is_uncalled(context, draft)):
        plan = Untold(f'the graph calls nothing of this "{context.noun}"')
    return replace(draft, plan=Count(plan), words=f"how many: {draft.words}", score=draft.score + gain)


def _without(context: QuestionContext, draft: ReadingDraft) -> Effects[ReadingDraft]:
    parsed = context.parsed
    had = [place for place in parsed.excluded if draft.ends and not {*context.ids(place)} & {*draft.ends}]
    nodes = frozenset(node for place in parsed.excluded for node in context.ids(place))
    names = [name_of(context, place) for place in parsed.excluded]
    if parsed.itself:
        nodes |= frozenset(draft.topics)
        names += [context.names.name(topic) for topic in draft.topics]
    minus: list[QuestionPlan] = []
    for place in had:  # `other than the white ones`: what has it, where it is none of them
        taken = yield from _taken_away(context, Excluded((place,), "with"), draft)
        minus += [one for one in taken if isinstance(one, WalkFrom) and len(one.pattern) == 1]
    amiss = bool(had) and not minus  # `who else but Ann works there` is asked where Ann does
    for negated in () if isinstance(draft.plan, Lacking) else parsed.negated:
        minus += yield from _taken_away(context, negated, draft)
        names += [f"{negated.clause} {name_of(context, place)}" for place in negated.names]
    if not nodes and not minus:
        return draft
    words = f"{draft.words}, without {', '.join(dict.fromkeys(names))}"
    score = draft.score - 2 * context.priors.right_class * amiss
    return replace(draft, plan=Without(draft.plan, nodes, tuple(minus)), words=words, score=score)


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
    questions = (*literal.asked[0], *(() if literal.words else (context.parsed.whole,)))
    own = comparable([context.names.value(end) for end in draft.ends[:SEEN]])
    value = {"operator": literal.operator, "value": literal.value, "second": literal.second, "negated": literal.negated}
    if own in literal.kinds:
        return replace(draft, plan=Where(draft.plan, NodeTest(**value)), words=f"{draft.words}, {literal}")  # type: ignore[arg-type]
    hops = yield from filtered_hops(context, draft.ends, literal)
    ranked = yield from context.fitting(questions, hops)
    if not ranked:
        return replace(draft, score=draft.score - UNFIT, steps=min(draft.steps, UNWALKED_STEP))
    pattern = ranked[0][0]
    test = NodeTest(pattern, **value)  # type: ignore[arg-type]
    through = pattern_words(pattern, context.text_of, "each")
    words = f"{draft.words}, of which {through} is {literal}"
    attributes = (*draft.attributes, (pattern, questions))
    plan = HavingValue(pattern[0], test) if _has(draft, pattern) else Where(draft.plan, test)
    return replace(draft, plan=plan, words=words, attributes=attributes)


def _has(draft: ReadingDraft, pattern: TypedPattern) -> bool:
    """Tell whether a draft is all that has the value which a pattern leads to: then it is read from the values on."""
    return isinstance(draft.plan, Having) and pattern == (draft.plan.hop,)


def _classed(context: QuestionContext, draft: ReadingDraft) -> Effects[ReadingDraft]:
    """The draft restricted to the class, or to what the words before the noun say, where the graph knows such."""
    words = context.parsed.class_words
    if words is None or not draft.ends:
        return draft
    whole = " ".join((*words.modifiers, words.noun))
    seen, wanted = draft.ends[:SEEN], [*words.modifiers, *words.said_of.split()]
    around: Around = yield Read(tuple(seen), None, context.bounds.sample_edges)
    for noun in dict.fromkeys((whole, words.noun)):
        kinds = akin(context, around, seen, noun)
        if kinds:
            wanted = words.said_of.split() if noun == whole else wanted
            fits = [any(alike(name, kind) for name in context.names.classes(node) for kind in kinds) for node in seen]
            if not all(fits) or len(draft.ends) > SEEN:
                draft = replace(draft, plan=Where(draft.plan, NodeTest(classes=kinds)))
            break
    else:
        wanted += dict.fromkeys((words.noun, whole))
    for word in wanted:
        hop = next(
            (
                hop
                for node, hops in sorted(around.items())
                for hop, edges in sorted(hops.items())
                if hop.forward and any(is_called(context.names.name(edge.other(node)), word) for edge in edges)
            ),
            None,
        )
        if hop is not None and (hop,) not in draft.patterns:
            test = NodeTest((hop,), called=frozenset((word,)))
            draft = replace(draft, plan=Where(draft.plan, test), words=f"{draft.words}, {word}")
        elif hop is None and word in {*words.modifiers, words.noun}:
            one = singular(word)  # of `any sergeants` those who are called Sergeant
            several = word != words.noun or word != one or context.parsed.superlative is not None
            if several < _begun(context, draft, one) < len(draft.ends):
                test = NodeTest(begins=one)
                draft = replace(draft, plan=Where(draft.plan, test), words=f"{draft.words}, called {one}")
    return draft


def _begun(context: QuestionContext, draft: ReadingDraft, word: str) -> int:
    """Count the draft's ends whose names begin with a word: the `Lark missions` are Lark 1 to 3."""
    return sum(context.names.name(end).casefold().startswith(f"{word} ") for end in draft.ends)


def lacking(context: QuestionContext, draft: ReadingDraft) -> Effects[ReadingDraft]:
    """The draft's answers from which the hop that fits best what they are said to lack leads nowhere."""
    lack = context.parsed.lack
    if lack is None or not draft.ends:
        return draft
    around: Around = yield Read(tuple(draft.ends[:SEEN]), None, context.bounds.sample_edges)
    ranked = yield from context.fitting(lack.questions, sorted({(hop,) for hops in around.values() for hop in hops}))
    if not ranked:
        return replace(draft, score=draft.score - UNFIT)
    hop = ranked[0][0][0]
    words = f"{draft.words}, without {pattern_words((hop,), context.text_of, 'each')}"
    attributes = (*draft.attributes, ((hop,), lack.questions))
    names = (context.names.name(edge.other(node)) for node, hops in around.items() for edge in hops.get(hop, ()))
    untrue = Where(draft.plan, NodeTest((hop,), called=FALSE))
    plan = untrue if are_truths(names) else Lacking(draft.plan, hop)
    return replace(draft, plan=plan, words=words, attributes=attributes)


def drafts_of_truth(
    context: QuestionContext, types: Sequence[str], opposed: Callable[[str, str], bool]
) -> Effects[list[ReadingDraft]]:
    """Drafts for what is so, or is not (`dogs that are not vaccinated`), by a type that is said; it is not so, either,
    where a word is `opposed` to one of the type's (who failed has not passed). All values are true or false."""
    named = [(Hop(name, forward=True),) for name in types if context.is_named((Hop(name, forward=True),))]
    denied = context.parsed.lack is not None or DENIED.search(context.parsed.whole)
    asked, said, drafts = (context.parsed.whole,), {*telling_words(context.parsed)}, list[ReadingDraft]()
    for pattern, score in (yield from context.fitting(asked, named)):
        values: Around = yield Read((), (pattern[0].inverse,), 0, len(TRUE | FALSE) + 1)
        if not are_truths(map(context.names.name, values)):
            continue
        around: Around = yield Read((), pattern, context.bounds.sample_edges, context.bounds.unnamed)
        text = context.text_of(pattern[0].relation)
        untrue = bool(denied) != any(opposed(one, own) for one in said for own in {*text.split()} - said)
        words = f"everything of which {text} is {'false' if untrue else 'true'}"
        plan = HavingValue(pattern[0], NodeTest(called=FALSE if untrue else TRUE))
        drafts.append(ReadingDraft(plan, words, score, (), (), tuple(around), score, ((pattern, asked),)))
    return drafts
