"""Drafts of readings that judge: yes or no, and the winner of a comparison."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from clause.reasoning.question.candidates import Candidates, QuestionContext
from clause.reasoning.question.comparing import Compare
from clause.reasoning.question.forms import ParsedQuestion
from clause.reasoning.question.lists import SEEN, UNFIT, ReadingDraft, composed, drafts_of_list, kind_of, names_of
from clause.reasoning.question.measures import Comparison, find_superlative, is_unmeasured
from clause.reasoning.question.modifiers import BESIDES
from clause.reasoning.question.pattern_text import CLASS_TYPES, pattern_words
from clause.reasoning.question.patterns import (
    Around,
    Effects,
    FoundPattern,
    Read,
    TypedPattern,
    aged,
    comparable,
    rank_hops,
    wanted_kind,
)
from clause.reasoning.question.plan import (
    AnyOf,
    Exists,
    NodeTest,
    PlanResult,
    QuestionPlan,
    Untold,
    WalkFrom,
    Where,
    Without,
)
from clause.reasoning.question.seed_matching import TRUE, alike, are_truths
from clause.reasoning.question.sides import roots, says_noun, telling_words
from clause.reasoning.question.vocabulary import ASKED_AGAIN, AUXILIARIES, COMPARATIVES, IS_NOT, NEGATION
from clause.text.literals import LiteralFilter, Operator
from clause.text.quantities import Date

_COMPARED = 12
"""Patterns of each side that are walked to see whether they lead to the other."""
CONNECTS = 1.0
"""The gain of a pattern that leads to the other topic: what is asked is more often so than not."""
NO_INVERSE = 1.5
"""The loss of a pattern where the other topic has no such edge: then only one side speaks for it."""
_HAS = re.compile(r"\b(?:any|ever|there|at all)\b|^(?:does|do|did|has|have|had) \S+ (?:have|got|had)\b|^ha(?:s|ve|d) ")
_BUT = re.compile(rf"\b{BESIDES} (?:the )?(?P<what>[a-z][a-z -]*)$")
_OWN_ONE = re.compile(
    r"(?:is|are|was|were) there\b|(?:has|have|had|do|does|did) something (?:have|keep|own|got)\b"
)  # whether there is a dog in Flat 2 is not whether Flat 2 is one
_STOPPED_WORDS = """is are was were do does did has have had can could will would a an the it in of by on at for to with
from any ever there that this been be not also both really actually something kind type sort and or"""
_STOPPED = frozenset(_STOPPED_WORDS.split())


_HALF_DENIED = re.compile(r"\b(?:neither|nor|hardly|rarely|seldom|without|lacks?|lacking)\b")
_EXCEPT = re.compile(r"\b(?:but|and) not\b", re.IGNORECASE)


def _denials(parsed: ParsedQuestion) -> int:
    """Count the words that turn what is asked into its opposite; those of a filter are its own."""
    said = parsed.joint or parsed.whole
    if ASKED_AGAIN.search(parsed.text) and not any(said.startswith(f"{word} ") for word in AUXILIARIES):
        return 0
    return len(NEGATION.findall(said)) - (IS_NOT.match(said) is not None)


def _unfollowed(context: QuestionContext) -> str | None:
    """Say which words of a question for yes or no would be left out of every plan."""
    parsed = context.parsed
    half = _HALF_DENIED.search(parsed.joint or parsed.whole)
    if half is not None:
        return f'no plan tells yes from no by "{half[0]}"'
    if _denials(parsed) > 1:
        return "what is denied twice is told neither by yes nor by no"
    if any(one.negated for one in parsed.filters) and IS_NOT.match(parsed.whole) and not IS_NOT.match(parsed.joint):
        return f'no plan tells yes from no by "{parsed.whole}"'
    if parsed.excluded and len(parsed.topics) > 1 and _EXCEPT.search(parsed.text):
        return f"no plan tells in one whether it is so, and is not so of {names_of(context, parsed.excluded)}"
    return None


_EVERY = re.compile(
    r"(?<!\bof )(?<!\bat )(?<!\bwe )(?<!\bthey )(?<!\byou )(?<!\bus )(?<!\bthem )"
    r"\b(?P<word>all|every|each|only|everyone|everybody|everything)\b"
    r"(?! (?:other|right|along|day|night|over|together|\d))(?P<named> (?:of )?(?:the )?(?:it|something)\b(?! 's))?"
)
"""A word for all of several, some of them before their names: `did she make all of Kes, Heat and Salt`."""
_ENDS_NOTHING = re.compile(
    r"\b(?:finish|come|came|arrive|place|start|begin|leave|be|is|was)(?:e?d|s)? (?:first|last)\b"
    r"|\b(?:first|last|next) (?:go|try|attempt|time|week|month|year)\b|\bat (?:the )?(?:latest|earliest|best|worst)\b"
    r"|\b(?:first|last|latest|next)$"
)


def _beyond(context: QuestionContext) -> frozenset[str]:
    """The words of a question for yes or no that ask for the best, or for all, of several."""
    parsed = context.parsed
    every = _EVERY.search(parsed.whole)
    words = {every["word"]} if every else set[str]()
    if (
        every
        and every["named"]
        and every["word"] == "all"
        and re.search(r"\b[Aa]ll (?:of )?(?:the )?[A-Z]", parsed.text)
    ):
        words = set()  # a class that is linked, `all loaves`, is none of the names
    if parsed.kind != "comparison":
        best, rest = find_superlative(_ENDS_NOTHING.sub(" ", parsed.whole))
        said = parsed.whole.split() if best is not None else []
        taken = {*said} - {*rest.split(), "the", "of", "all", "ever"}
        words |= taken or {word for word in said if word.endswith("est") or word in {"most", "least"}}
    return frozenset(word for word in words if not _is_of_a_name(word, parsed.text))


def _is_of_a_name(word: str, text: str) -> bool:
    """Tell whether a word is only written with a capital inside a text: `the Best Western`."""
    return word not in text.split() and re.search(rf"(?<=[a-z,] ){word.title()}\b", text) is not None


def _told(context: QuestionContext, draft: ReadingDraft, words: frozenset[str]) -> bool:
    """Tell whether the graph itself says one of some words where a draft looks: its type is `first climbed by`."""
    said = [context.text_of(hop.relation) for walk in draft.walked for hop in walk]
    said += [context.names.name(end).casefold() for end in draft.ends]
    said += [kind.casefold() for end in draft.ends for kind in context.names.classes(end)]
    return any(not words.isdisjoint(re.findall(r"[a-z]+", text)) for text in said)


def _judged(context: QuestionContext, drafts: Sequence[ReadingDraft]) -> list[ReadingDraft]:
    """The drafts of a yes or no, turned round where the question denies; of no answer where they leave words out."""
    reason = _unfollowed(context)
    if reason is not None:
        return [replace(draft, plan=Untold(reason)) for draft in drafts]
    if beyond := _beyond(context):
        untold = Untold(f'no plan tells yes from no by "{" ".join(sorted(beyond))}"')
        drafts = [draft if _told(context, draft, beyond) else replace(draft, plan=untold) for draft in drafts]
    named = " ".join(context.names.name(node) for place in context.parsed.topics for node in context.ids(place)).split()
    if unmet := [one for one in context.parsed.filters if str(one.value) not in named]:
        said = " and ".join(map(str, unmet))
        untold = Untold(f'the graph does not tell of what is found that it is "{said}"')
        met = context.parsed.kind == "comparison" or len(context.parsed.topics) > 1
        drafts = [replace(draft, plan=untold) if met or not draft.patterns else draft for draft in drafts]
    return [_turned(context, draft) for draft in drafts] if _denials(context.parsed) else [*drafts]


def _turned(context: QuestionContext, draft: ReadingDraft) -> ReadingDraft:
    """The draft with yes for no; as it is where the graph itself says the word: `not fit for`, allergies `none`."""
    told = [context.text_of(hop.relation) for walk in draft.walked for hop in walk]
    told += [context.names.name(end).casefold() for end in draft.ends]
    if not isinstance(draft.plan, Exists | Compare) or any(map(NEGATION.search, told)):
        return draft
    words = f"whether it is not so: {draft.words.removeprefix('whether ')}"
    return replace(draft, plan=replace(draft.plan, denied=True), words=words)


def drafts_of_verdict(context: QuestionContext, by_topic: dict[int, list[Candidates]]) -> Effects[list[ReadingDraft]]:
    """Drafts for yes and no: one thing among what another leads to, a value, a word, or anything at all."""
    return _judged(context, (yield from _drafts_of_what_is_so(context, by_topic)))


def _drafts_of_what_is_so(
    context: QuestionContext, by_topic: dict[int, list[Candidates]]
) -> Effects[list[ReadingDraft]]:
    """The drafts as if nothing were denied."""
    parsed = context.parsed
    topics = [topic for topic in parsed.topics if topic in by_topic]
    if parsed.implied is not None:
        drafts = yield from _implied(context, by_topic, topics)
        if drafts:
            return drafts
    if len(parsed.topics) > 1:
        compared = "than" in parsed.joint.split()  # by something that is no attribute of both: no yes, no no
        return [] if compared else (yield from _between(context, by_topic, topics))
    lists = yield from drafts_of_list(context, by_topic)
    return [_valued(context, draft) for draft in lists] if parsed.filters else _called(context, lists)


def _implied(
    context: QuestionContext, by_topic: dict[int, list[Candidates]], topics: Sequence[int]
) -> Effects[list[ReadingDraft]]:
    """Yes where the implied relation leads anywhere, or to the other topic."""
    relation = context.parsed.implied
    drafts: list[ReadingDraft] = []
    for topic in topics:
        for candidates in by_topic[topic]:
            plan = (yield from composed(context, candidates.meaning.id, relation)) if relation else None
            if plan is None:
                continue
            others = [other for other in context.parsed.topics if other != topic]
            targets = frozenset(node for other in others for node in context.ids(other))
            words = f"whether {relation.name if relation else ''} of {candidates.meaning.name}"
            words += f" is {names_of(context, others)}" if others else " exists"
            drafts.append(ReadingDraft(Exists(plan, targets), words, 0.0, (candidates.meaning.id,), (), (), math.inf))
    return drafts


def _between(
    context: QuestionContext, by_topic: dict[int, list[Candidates]], topics: Sequence[int]
) -> Effects[list[ReadingDraft]]:
    """Tell whether two topics stand to each other as the question says: from the side that knows the alternatives."""
    drafts: list[ReadingDraft] = []
    for topic in topics:
        others = [other for other in context.parsed.topics if other != topic]
        inverse = {
            one.pattern: one.score
            for other in others
            for candidates in by_topic.get(other, ())
            for one in candidates.patterns
        }
        for candidates in by_topic[topic]:
            for one in candidates.patterns[:_COMPARED]:
                draft = yield from _one_side(context, candidates, one, others, inverse)
                if draft is not None:
                    drafts.append(draft)
    return drafts


def _one_side(
    context: QuestionContext,
    candidates: Candidates,
    one: FoundPattern,
    others: Sequence[int],
    inverse: dict[TypedPattern, float],
) -> Effects[ReadingDraft | None]:
    """Check whether a walk leads to the others; None where it does not, and nothing of the kind is ever at its end."""
    walk = WalkFrom(((meaning := candidates.meaning).id,), one.pattern)
    result: PlanResult = yield from walk.run(context.names, context.bounds)
    every, alone = len(others) > 1 and " or " not in context.parsed.text, _alone(context.parsed) not in {None, *others}
    missed = [other for other in others if context.ids(other).isdisjoint(result.nodes)]
    meets = not missed if every else len(missed) < len(others)
    targets = frozenset(node for other in (missed or others if every else others) for node in context.ids(other))
    back, direct = tuple(hop.inverse for hop in reversed(one.pattern)), len(one.pattern) == 1
    if (every and not (direct and (meets or alone))) or not (meets or direct or back in inverse):
        return None
    score = one.score + meaning.log_probability
    score = (score + inverse[back]) / 2 if back in inverse else score - NO_INVERSE * (1 if meets else 2)
    sure = len(one.pattern) == 1 and not telling_words(context.parsed)  # `is A a B` says no relation: any one will do
    score += CONNECTS * (10 if sure else 1) * meets
    score -= 0.0 if meets or one.pattern[0].forward or len(result.answers) == 1 else UNFIT
    if not meets and not (yield from _may_deny(context, one, result.nodes, targets)):
        return None
    words = f"whether {names_of(context, others)} is among: {pattern_words(one.pattern, context.text_of, meaning.name)}"
    return ReadingDraft(Exists(walk, targets), words, score, (meaning.id,), (one.pattern,), (), candidates.nearest)


def _alone(parsed: ParsedQuestion) -> int | None:
    """The topic that a question for yes or no asks about with each of several others: `did X direct both Y and Z`."""
    if parsed.joint.endswith((" it and it", " it and the it")):
        return parsed.topics[0]
    return parsed.topics[-1] if re.match(r"\S+ (?:both )?it (?:, it )*and it\b", parsed.joint) else None


def _may_deny(
    context: QuestionContext, one: FoundPattern, ends: Sequence[str], targets: frozenset[str]
) -> Effects[bool]:
    """Tell whether a walk that leads elsewhere says no: only of what is like its ends in an edge or a class.

    Of a course that Finn booked nobody is allergic to it; what is said by its noun (`is Otto the builder`) is denied.
    """
    last = one.pattern[-1]
    said = pattern_words((last,), context.text_of, "it")
    if any(says_noun(said, word) for word in telling_words(context.parsed)):
        return True
    if context.text_of(last.relation) in CLASS_TYPES:
        return _OWN_ONE.match(context.parsed.whole) is None
    around: Around = yield Read((*targets, *ends[:SEEN]), None, 1)
    sides = {
        node: {hop for hop in hops if context.text_of(hop.relation) not in CLASS_TYPES} for node, hops in around.items()
    }
    there = frozenset(hop for end in ends[:SEEN] for hop in sides.get(end, ()))
    classes = frozenset(name for end in ends[:SEEN] for name in context.names.classes(end))
    if any(sides.get(node, set()) & there or classes & {*context.names.classes(node)} for node in targets):
        return True
    if there - {last.inverse} or comparable([context.names.value(end) for end in ends[:SEEN]]) != "text":
        return False  # what stands there is known well enough to be of another kind
    return not any(last in sides.get(node, ()) or not sides.get(node) for node in targets)


def _valued(context: QuestionContext, draft: ReadingDraft) -> ReadingDraft:
    """Tell whether a value of the topic is all that the question says; no, where it is not one of it."""
    filters = context.parsed.filters
    wanted, kept, others = _kind(filters[0]), draft.plan, list[QuestionPlan]()
    for one in filters:
        test = NodeTest(operator=one.operator, value=one.value, second=one.second, negated=one.negated)
        kept = Where(kept, test)
        others.append(Where(draft.plan, replace(test, negated=not one.negated)))
    said = " and ".join(map(str, filters))
    plan: QuestionPlan = Exists(kept, alternatives=others[0] if len(others) == 1 else AnyOf(tuple(others)))
    if not _are_of_one(context, draft, filters):
        plan = Untold(f'no plan tells yes from no by "{said}" of several values')
    words = f"whether {draft.words} is {said}"
    loss = 0.0 if comparable([context.names.value(end) for end in draft.ends]) == wanted else 2 * UNFIT
    return ReadingDraft(plan, words, draft.score - loss, draft.topics, draft.patterns, draft.ends, draft.nearest)


def _kind(literal: LiteralFilter) -> str:
    return "date" if isinstance(literal.value, Date) else "number"


def _are_of_one(context: QuestionContext, draft: ReadingDraft, filters: Sequence[LiteralFilter]) -> bool:
    """Tell whether several filters are all of the value that a draft leads to: not `born after 1950, died by 1990`."""
    if len(filters) < 2 or len(set(map(_kind, filters))) > 1:
        return len(filters) < 2
    told = frozenset(root for walk in draft.walked for root in context.roots_of(walk))
    for literal in filters:
        named = [word for word in literal.words.split() if word not in COMPARATIVES]
        if named and not any(roots(word) & told for word in named):
            return False
    compared = [COMPARATIVES[word][1] for one in filters for word in one.words.split() if word in COMPARATIVES]
    measures = [set(templates) for templates in compared if templates]
    return not measures or bool(set.intersection(*measures))


def _called(context: QuestionContext, lists: Sequence[ReadingDraft]) -> list[ReadingDraft]:
    """Tell whether what a pattern leads to is called, or is of the class, that the question says; or exists at all."""
    core = context.parsed.clauses[0].questions[0]
    words = frozenset(word for word in re.findall(r"[a-z][a-z-]+", core) if word not in _STOPPED)
    drafts: list[ReadingDraft] = []
    away = frozenset(node for place in context.parsed.excluded for node in context.ids(place))
    but = _BUT.search(core)
    for draft in lists:
        others = away | {end for end in draft.ends if but and alike(context.names.name(end), but["what"])}
        if others:
            said = ", ".join(sorted(map(context.names.name, others)))
            plan = Exists(Without(draft.plan, others))
            drafts.append(_with(draft, plan, f"whether there is: {draft.words}, without {said}", 0.0))
            continue
        named = [end for end in draft.ends if any(alike(context.names.name(end), word) for word in words)]
        classed = any(alike(name, word) for end in draft.ends for name in context.names.classes(end) for word in words)
        truths = are_truths(map(context.names.name, draft.ends))
        if named or truths:
            test = NodeTest(called=TRUE if truths else words)
            plan = Exists(Where(draft.plan, test), alternatives=draft.plan)
            said = f"{draft.words} is {'true' if truths else context.names.name(named[0])}"
            drafts.append(_with(draft, plan, f"whether {said}", 2 * UNFIT))
        elif _HAS.search(core):
            plan = Exists(Where(draft.plan, NodeTest(classes=words))) if classed else Exists(draft.plan)
            drafts.append(_with(draft, plan, f"whether there is: {draft.words}", 0.0))
    return drafts


def _with(draft: ReadingDraft, plan: QuestionPlan, words: str, gain: float) -> ReadingDraft:
    return ReadingDraft(plan, words, draft.score + gain, draft.topics, draft.patterns, draft.ends, draft.nearest)


def drafts_of_comparison(
    context: QuestionContext, comparison: Comparison, by_topic: dict[int, list[Candidates]]
) -> Effects[list[ReadingDraft]]:
    """Drafts for every pattern that exists from all operands and ends in what the operator compares."""
    if any(topic not in by_topic for topic in comparison.operands):
        return []
    groups = [by_topic[topic][0] for topic in comparison.operands]
    tables = [{one.pattern: one for one in group.patterns} for group in groups]
    shared = [pattern for pattern in tables[0] if all(pattern in table for table in tables)]
    operands = tuple(tuple(c.meaning.id for c in by_topic[topic]) for topic in comparison.operands)
    until: TypedPattern = ()
    if comparison.until:
        dated = [p for p in shared if kind_of(context, [table[p] for table in tables]) == "date"]
        ranked = yield from rank_hops(comparison.until, dated)
        until = ranked[0][0] if ranked else ()
    denied = _denials(context.parsed) == 1
    drafts, names = list[ReadingDraft](), " and ".join(group.meaning.name for group in groups)
    for pattern in shared:
        if comparison.until and (not until or pattern == until):
            continue
        if is_unmeasured(comparison.questions, " ".join(context.text_of(hop.relation) for hop in pattern)):
            continue
        found = [table[pattern] for table in tables]
        kind, values = kind_of(context, found), [context.names.value(end) for one in found for end in one.ends]
        operator = aged(comparison.operator, kind, comparison.questions, values)
        if denied and not comparison.verdict:
            operator = _OTHER_SIDE.get(operator, operator)  # of two, who is not taller is shorter
        score = sum(table[pattern].score for table in tables) / len(tables)
        score -= misfit(operator, kind, comparison.questions, lasting=bool(until))
        said = f"{pattern_words(pattern, context.text_of, 'each')}: {operator} among {names}"
        plan = Compare(operands, pattern, operator, comparison.verdict, until)
        nearest = max(group.nearest for group in groups)
        drafts.append(ReadingDraft(plan, said, score, tuple(one[0] for one in operands), (pattern,), (), nearest))
    if comparison.verdict:
        return _judged(context, drafts)
    if denied and (len(operands) > 2 or comparison.operator not in _OTHER_SIDE):
        return [replace(draft, plan=Untold("of several that are not so, none is the only one")) for draft in drafts]
    return drafts


_OTHER_SIDE: dict[Operator, Operator] = {"more": "less", "less": "more", "before": "after", "after": "before"}


def misfit(operator: Operator, kind: str, asked: Sequence[str], *, lasting: bool) -> float:
    """The loss of a pattern for ends that an operator compares badly: a wage, by the same day; least of counts."""
    if lasting or operator in {"before", "after"} or (operator == "same" and wanted_kind(asked[0]) == "date"):
        return 0.0 if kind == "date" else 4 * UNFIT
    amiss = operator in {"more", "less"} and kind != "number"
    return (1.0 if kind == "text" else 2 * UNFIT) * amiss
