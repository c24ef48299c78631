"""Drafts of readings that judge: yes or no, and the winner of a comparison; and the plan that compares."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from clause.reasoning.neighbourhood.port import Edge
from clause.reasoning.question.candidates import Candidates, QuestionContext
from clause.reasoning.question.lists import UNFIT, ReadingDraft, drafts_of_list, kind_of, misfit, names_of
from clause.reasoning.question.measures import Comparison
from clause.reasoning.question.modifiers import LiteralFilter, is_unmeasured
from clause.reasoning.question.pattern_text import pattern_words
from clause.reasoning.question.patterns import (
    Effects,
    FoundPattern,
    NodeNames,
    ReadBounds,
    TypedPattern,
    comparable,
    rank_hops,
)
from clause.reasoning.question.plan import (
    Exists,
    NodeTest,
    PlanAnswer,
    PlanResult,
    QuestionPlan,
    WalkFrom,
    Where,
    alike,
    ends_of,
    sort_key,
)
from clause.text.literals import LiteralValue, Operator, holds, order
from clause.text.quantities import Date, Number

_COMPARED = 12
"""Patterns of each side that are walked to see whether they lead to the other."""
CONNECTS = 1.0
"""The gain of a pattern that leads to the other topic: what is asked is more often so than not."""
NO_INVERSE = 1.5
"""The loss of a pattern where the other topic has no such edge: then only one side speaks for it."""
_HAS = re.compile(
    r"\b(?:any|ever|there|at all)\b|^(?:does|do|did|has|have|had) \S+ (?:have|got|had)\b|^(?:has|have|had) "
)
_STOPPED_WORDS = """is are was were do does did has have had can could will would a an the it in of by on at for to with
from any ever there that this been be not also both really actually something kind type sort and or"""
_STOPPED = frozenset(_STOPPED_WORDS.split())


def drafts_of_verdict(context: QuestionContext, by_topic: dict[int, list[Candidates]]) -> Effects[list[ReadingDraft]]:
    """Drafts for yes and no: one thing among what another leads to, a value, a word, or anything at all."""
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
    if parsed.filters:
        return [_valued(context, draft, parsed.filters[0]) for draft in lists]
    return _called(context, lists)


def _implied(
    context: QuestionContext, by_topic: dict[int, list[Candidates]], topics: Sequence[int]
) -> Effects[list[ReadingDraft]]:
    """Yes where the implied relation leads anywhere, or to the other topic."""
    relation = context.parsed.implied
    drafts: list[ReadingDraft] = []
    for topic in topics:
        for candidates in by_topic[topic]:
            plan: QuestionPlan | None = None
            if relation is not None:
                plan = yield from context.composed(candidates.meaning.id, relation)
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
    """Whether a walk leads to the others; None where it does not, and nothing of the kind is ever at its end."""
    targets = frozenset(node for other in others for node in context.ids(other))
    meaning = candidates.meaning
    walk = WalkFrom((meaning.id,), one.pattern)
    result: PlanResult = yield from walk.run(context.names, context.bounds)
    meets = any(answer.node in targets for answer in result.answers)
    back = tuple(hop.inverse for hop in reversed(one.pattern))
    if not meets and len(one.pattern) > 1 and back not in inverse:
        return None
    score = one.score + meaning.log_probability
    score = (score + inverse[back]) / 2 if back in inverse else score - NO_INVERSE
    score += CONNECTS if meets else 0.0
    knows = meets or one.pattern[0].forward or len(result.answers) == 1
    score -= 0.0 if knows else UNFIT
    said = pattern_words(one.pattern, context.text_of, meaning.name)
    words = f"whether {names_of(context, others)} is among: {said}"
    plan: QuestionPlan = Exists(walk, targets)
    return ReadingDraft(plan, words, score, (meaning.id,), (one.pattern,), (), candidates.nearest)


def _valued(context: QuestionContext, draft: ReadingDraft, literal: LiteralFilter) -> ReadingDraft:
    """Tell whether a value of the topic is as the question says."""
    values = [context.names.value(end) for end in draft.ends]
    kind = comparable(values)
    wanted = "date" if isinstance(literal.value, Date) else "number"
    test = NodeTest(operator=literal.operator, value=literal.value, second=literal.second)
    plan = Exists(Where(draft.plan, test), alternatives=draft.plan)
    words = f"whether {draft.words} is {literal.operator.replace('_', ' ')} {literal.value}"
    loss = 0.0 if kind == wanted else 2 * UNFIT
    return ReadingDraft(plan, words, draft.score - loss, draft.topics, draft.patterns, draft.ends, draft.nearest)


def _called(context: QuestionContext, lists: Sequence[ReadingDraft]) -> list[ReadingDraft]:
    """Tell whether what a pattern leads to is called, or is of the class, that the question says; or exists at all."""
    core = context.parsed.clauses[0].questions[0]
    words = frozenset(word for word in re.findall(r"[a-z][a-z-]+", core) if word not in _STOPPED)
    drafts: list[ReadingDraft] = []
    for draft in lists:
        named = [end for end in draft.ends if any(alike(context.names.name(end), word) for word in words)]
        classed = any(alike(name, word) for end in draft.ends for name in context.names.classes(end) for word in words)
        if named:
            test = NodeTest(called=words)
            plan: QuestionPlan = Exists(Where(draft.plan, test), alternatives=draft.plan)
            drafts.append(_with(draft, plan, f"whether {draft.words} is {context.names.name(named[0])}", 2 * UNFIT))
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
    drafts = []
    names = " and ".join(group.meaning.name for group in groups)
    for pattern in shared:
        if comparison.until and (not until or pattern == until):
            continue
        if is_unmeasured(comparison.questions, " ".join(context.text_of(hop.relation) for hop in pattern)):
            continue
        score = sum(table[pattern].score for table in tables) / len(tables)
        loss = misfit(comparison.operator, kind_of(context, [t[pattern] for t in tables]), lasting=bool(until))
        said = f"{pattern_words(pattern, context.text_of, 'each')}: {comparison.operator} among {names}"
        plan = Compare(operands, pattern, comparison.operator, comparison.verdict, until)
        nearest = max(group.nearest for group in groups)
        topics = tuple(operand[0] for operand in operands)
        drafts.append(ReadingDraft(plan, said, score - loss, topics, (pattern,), (), nearest))
    return drafts


_SMALLER = frozenset(("before", "less"))
_DAYS_IN_YEAR = 365.2425
_KEYS_IN_YEAR = 372.0  # of `sort_key`


@dataclass(frozen=True, slots=True)
class Measured:
    """A pattern's say on one operand: its ends, the value that counts, and the triples that say so."""

    operand: str
    ends: frozenset[str]
    value: LiteralValue | None
    triples: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Compare:
    """The operand that wins by `operator`; with `verdict` yes or no, whether the first stands so to the second.

    Args:
        operands: of each the ids of what it may be; the first that the pattern leads from counts.
        pattern: from an operand to what is compared. Of several dates the earliest counts, of several numbers the
            largest; where the ends are neither, `more` and `less` compare how many there are.
        until: where given, the time from `pattern`'s date to this one's is compared.
    """

    operands: tuple[tuple[str, ...], ...]
    pattern: TypedPattern
    operator: Operator
    verdict: bool = False
    until: TypedPattern = ()

    def run(self, names: NodeNames, bounds: ReadBounds) -> Effects[PlanResult]:
        """Read the pattern from all operands at once and compare."""
        nodes = tuple(dict.fromkeys(node for operand in self.operands for node in operand))
        ends = yield from ends_of(nodes, self.pattern, bounds)
        last = (yield from ends_of(nodes, self.until, bounds)) if self.until else None
        measured: list[Measured] = []
        for operand in self.operands:
            node = next((one for one in operand if ends.get(one)), None)
            if node is None:
                return PlanResult(reason=f"the graph does not say it of {names.name(operand[0])}")
            found = self._measured(node, ends[node], names)
            if last is not None:
                found = _lasting(found, self._measured(node, last[node], names))
            measured.append(found)
        proof = tuple(dict.fromkeys(edge for one in measured for edge in one.triples))
        return self._same(measured, proof, names) if self.operator == "same" else self._decided(measured, proof, names)

    def _measured(self, node: str, ends: Sequence[tuple[str, tuple[Edge, ...]]], names: NodeNames) -> Measured:
        values = [(value, proof) for end, proof in ends if (value := names.value(end)) is not None]
        ordered = [(key, value, proof) for value, proof in values if (key := sort_key(value)) is not None]
        reached = frozenset(end for end, _ in ends)
        if self.operator == "same":
            proof = tuple(edge for _, one in ends for edge in one)
            return Measured(node, reached, values[0][0] if len(values) == 1 else None, proof)
        if ordered:
            dated = isinstance(ordered[0][1], Date)
            _, value, proof = (min if dated else max)(ordered, key=lambda one: one[0])
            return Measured(node, reached, value, proof)
        counted = read_count(len(ends)) if self.operator in {"more", "less"} else None
        return Measured(node, reached, counted, tuple(edge for _, proof in ends for edge in proof))

    def _same(self, measured: Sequence[Measured], proof: tuple[Edge, ...], names: NodeNames) -> PlanResult:
        first, *others = measured
        shared = all(_share(first.ends, other.ends, names) for other in others)
        if not shared and first.value is not None:
            told = [other.value is not None and holds("same", first.value, other.value) for other in others]
            if None in told:
                return PlanResult(reason="the dates are not exact enough to tell")
            shared = all(told)
        return PlanResult((PlanAnswer("yes" if shared else "no", None, proof),))

    def _decided(self, measured: Sequence[Measured], proof: tuple[Edge, ...], names: NodeNames) -> PlanResult:
        values = [one.value for one in measured]
        if any(value is None for value in values):
            return PlanResult(reason="the graph has no values to compare them by")
        if self.verdict:
            told = holds(self.operator, values[0], values[1])  # type: ignore[arg-type]
            if told is None:
                return PlanResult(reason="the values are not exact enough to compare")
            return PlanResult((PlanAnswer("yes" if told else "no", None, proof),))
        wanted = -1 if self.operator in _SMALLER else 1
        for place, one in enumerate(measured):
            others = [values[other] for other in range(len(values)) if other != place]
            if all(order(values[place], other) == wanted for other in others):  # type: ignore[arg-type]
                return PlanResult((PlanAnswer(names.name(one.operand), one.operand, proof),))
        return PlanResult(reason="they are equal, or their values are not exact enough to compare")


def _share(one: frozenset[str], two: frozenset[str], names: NodeNames) -> bool:
    """Tell whether two sets of ends have one in common, by id or by name (`Austria` and `Austrian`)."""
    values = [end for end in one if names.value(end) is None]
    others = [end for end in two if names.value(end) is None]
    return bool(one & two) or any(alike(names.name(end), names.name(other)) for end in values for other in others)


def read_count(count: int) -> Number:
    """A count as a number to compare."""
    return Number(Decimal(count))


def _lasting(first: Measured, last: Measured) -> Measured:
    """The time from one date to another, in days; nothing where either is no date."""
    begins, ends = first.value, last.value
    length: LiteralValue | None = None
    if isinstance(begins, Date) and isinstance(ends, Date):
        keys = sort_key(ends), sort_key(begins)
        days = ((keys[0] or 0.0) - (keys[1] or 0.0)) / _KEYS_IN_YEAR * _DAYS_IN_YEAR
        length = read_count(round(days))
    return Measured(first.operand, first.ends | last.ends, length, (*first.triples, *last.triples))
