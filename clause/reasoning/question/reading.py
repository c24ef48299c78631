"""Readings of a question on a graph: what it may mean, in words, as a plan, each with its probability.

`read_question` is a generator of bounded reads (`patterns.Effects`); `ranked` answers are had by running the plans.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from clause.reasoning.models.answer import QuestionForm
from clause.reasoning.question.candidates import Candidates, QuestionContext
from clause.reasoning.question.forms import ParsedQuestion
from clause.reasoning.question.lists import Claim, ReadingDraft, drafts_of_list
from clause.reasoning.question.pattern_text import CLASS_TYPES, TypeText, is_verb, pattern_words
from clause.reasoning.question.patterns import (
    Effects,
    NodeNames,
    ReadBounds,
    ReadingPriors,
    TypedPattern,
)
from clause.reasoning.question.plan import NodeTest, PlanResult, QuestionPlan, WalkFrom, Where
from clause.reasoning.question.refinements import DENIED, drafts_of_truth, refined
from clause.reasoning.question.seed_matching import FALSE, TRUE, alike, are_truths
from clause.reasoning.question.sides import asked_kin, kin, roots, telling_words, type_roots
from clause.reasoning.question.skeleton import LinkedMention
from clause.reasoning.question.unnamed import drafts_of_unnamed
from clause.reasoning.question.verdicts import drafts_of_comparison, drafts_of_verdict
from clause.reasoning.question.vocabulary import FORM_WORDS, FROM_TODAY
from clause.text.mentions import in_full
from clause.text.names import readable_relation
from clause.text.statements.lexicon import Relation, relation, shipped_lexicon
from clause.text.statements.words import bases

MOST_READINGS = 5
TRIED = 12
"""Drafts of which the plans are run until enough of them answer."""
LEAST_SHARE = 0.02
"""Readings below this share of the first are not listed."""


@dataclass(frozen=True, slots=True)
class RankedReading:
    """One meaning of a question.

    Attributes:
        words: the meaning, said back.
        probability: that this is meant, among the readings that exist.
        plan: what answers it.
        topics: ids of the things it starts from.
        patterns: the walks from them.
        result: the answers and their proofs.
        nearest: the raw score of the best pattern from its topic; infinite where words alone decided.
        claims: the walks, each with the questions that it is to answer; none where words alone decided.
        covered: the share of the question's words that words of the graph explain, in [0, 1].
        steps: the log-probability that its hops are what the question asks for one after the other.
        unheld: the question says a type that the graph has, and that it does not walk.
    """

    words: str
    probability: float
    plan: QuestionPlan
    topics: tuple[str, ...]
    patterns: tuple[TypedPattern, ...]
    result: PlanResult
    nearest: float = 0.0
    claims: tuple[Claim, ...] = ()
    covered: float = 1.0
    steps: float = 0.0
    unheld: bool = False


@dataclass(frozen=True, slots=True)
class Readings:
    """The readings of a question, the chosen one first.

    `reason` says in words why none of them answers, `doubt` what the graph says instead where the first is too unsure.
    `questions` are the core questions, each with its topic masked.
    """

    form: QuestionForm
    readings: tuple[RankedReading, ...] = ()
    reason: str | None = None
    nearest: float = -math.inf
    doubt: str | None = None
    questions: tuple[str, ...] = ()

    @property
    def result(self) -> PlanResult:
        """The answers of the first reading; nothing and the reason where it abstains."""
        if self.reason is not None or not self.readings:
            return PlanResult(reason=self.reason or "no reading of the question exists on this graph")
        return self.readings[0].result


def read_question(
    parsed: ParsedQuestion,
    names: NodeNames,
    *,
    text_of: TypeText = readable_relation,
    bounds: ReadBounds | None = None,
    priors: ReadingPriors | None = None,
    least: float = -math.inf,
    types: Sequence[str] = (),
    again: Callable[[Sequence[LinkedMention]], ParsedQuestion] | None = None,
) -> Effects[Readings]:
    """The readings of a parsed question on a graph, best first.

    Args:
        parsed: from `forms.parse`.
        names: what is known of the nodes that the reads bring.
        text_of: the text of a relationship type.
        bounds: the most that is read.
        priors: what counts beside the scorer's say.
        least: raw score of the nearest pattern below which the question abstains: the graph does not say it.
        types: the graph's relationship types, for questions that name nothing but an attribute.
        again: parses the question with fewer of its names, where one of them turns out to be a class that only says
            what is meant (`the server that X runs on`).
    """
    known = type_roots(types, text_of)
    context = QuestionContext(parsed, names, bounds or ReadBounds(), text_of, priors or ReadingPriors(), known)
    if (today := FROM_TODAY.search(parsed.whole)) and not any(today[0] in text_of(name) for name in types):
        return Readings(parsed.form, reason="it asks for a time reckoned from today, which is not known: say dates")
    if not parsed.topics:
        return (yield from _of_unnamed(context, types))
    by_topic: dict[int, list[Candidates]] = {}
    for clause in parsed.clauses:
        if clause.topic not in by_topic:
            by_topic[clause.topic] = yield from context.of_topic(clause.topic, clause.questions)
    found = {topic: candidates for topic, candidates in by_topic.items() if candidates}
    by_topic = _told_apart(parsed, found)
    if again is not None and len(by_topic) < len(found):
        told = found.keys() - by_topic.keys()
        named = [mention for place, mention in enumerate(parsed.mentions) if place not in told]
        return (
            yield from read_question(
                again(named), names, text_of=text_of, bounds=bounds, priors=priors, least=least, types=types
            )
        )
    if not by_topic:
        instead = context.instead[0] if context.instead else "nothing of what the question names"
        return Readings(parsed.form, reason=f"the graph says {instead}")
    drafts = yield from _drafts(context, by_topic)
    nearest = max((draft.nearest for draft in drafts), default=max(c.nearest for f in by_topic.values() for c in f))
    if not drafts or nearest < least:
        return Readings(parsed.form, reason=unsaid(context, by_topic), nearest=nearest)
    asked = tuple(question for clause in parsed.clauses for question in clause.questions)
    return (yield from _run(context, drafts, nearest, unsaid(context, by_topic), asked))


def _of_unnamed(context: QuestionContext, types: Sequence[str]) -> Effects[Readings]:
    """The readings of a question that names nothing but an attribute."""
    form = context.parsed.form
    drafts = (yield from drafts_of_truth(context, types, _opposed)) or (yield from drafts_of_unnamed(context, types))
    drafts = sorted((yield from refined(context, drafts)), key=lambda draft: (-draft.score, draft.words))
    if not drafts:
        return Readings(form, reason="the question names nothing that the graph has")
    doubt = f'the question names nothing that the graph has; the nearest is "{drafts[0].words}"'
    found = yield from _run(context, drafts, drafts[0].nearest, doubt, ())
    told = tuple(one for one in found.readings if one.covered or not one.unheld)
    return replace(found, readings=told, reason=found.reason if told else doubt)


def _run(
    context: QuestionContext,
    drafts: Sequence[ReadingDraft],
    nearest: float,
    doubt: str,
    asked: tuple[str, ...],
) -> Effects[Readings]:
    """The readings of the likeliest drafts that answer."""
    form = context.parsed.form
    readings: list[RankedReading] = []
    failed: PlanResult | None = None
    passed = 0.0
    scores = _shares(drafts)
    for draft, share in zip(drafts[:TRIED], scores, strict=False):
        if share < LEAST_SHARE * scores[0] or len(readings) == MOST_READINGS:
            break
        walks = draft.patterns
        if (
            any(_is_detour(context, walk) for walk in walks)
            or _is_mere_class(context, draft)
            or _is_turned(context, walks)
        ):
            passed += share
            continue
        result = yield from draft.plan.run(context.names, context.bounds)
        if result.answers:
            readings.append(_told(context, draft, share, result, asked))
        elif failed is None:
            failed = result
    if not readings:
        why = (failed.reason if failed else None) or (doubt if passed else "nothing answers it")
        return Readings(form, reason=why, nearest=nearest)
    total = passed + sum(reading.probability for reading in readings)
    shared = tuple(replace(reading, probability=reading.probability / total) for reading in readings)
    return Readings(form, shared, None, nearest, doubt, asked)


def _told(
    context: QuestionContext, draft: ReadingDraft, share: float, result: PlanResult, asked: tuple[str, ...]
) -> RankedReading:
    walked = draft.walked
    covered = context.covered(walked, draft.ends)
    by_class = context.is_class_alone(draft.patterns)
    looked_at = tuple(claim for claim in draft.attributes if not context.is_named(claim[0]))
    walks = () if (by_class and (draft.attributes or covered == 1.0)) or _is_settled(context, draft) else draft.patterns
    if covered == 1.0:
        walks = tuple(walk for walk in walks if not context.is_told(walk, asked))
    claims = (*((walk, asked) for walk in walks if walk and asked), *looked_at)
    alone = bool(draft.patterns or draft.attributes) and not claims
    return RankedReading(
        words=f"{draft.words}, as far as was read" if result.truncated else draft.words,
        probability=share,
        plan=draft.plan,
        topics=draft.topics,
        patterns=draft.patterns,
        result=result,
        nearest=math.inf if alone else draft.nearest,
        claims=claims,
        covered=covered,
        steps=draft.steps,
        unheld=_is_unsaid(context, draft) or (context.parsed.implied is None and context.is_unheld(walked)),
    )


def _is_settled(context: QuestionContext, draft: ReadingDraft) -> bool:
    """Tell whether names alone are joined by one step each (`X's goalkeeper`), or places up to the kind asked for."""
    if len(draft.patterns) == 1:
        return context.is_contained(draft.patterns[0], draft.ends)
    joined = bool(draft.patterns) and all(len(walk) == 1 for walk in draft.patterns)
    return joined and not telling_words(context.parsed)


def _is_unsaid(context: QuestionContext, draft: ReadingDraft) -> bool:
    """Tell whether a draft leaves out what its answers are said to be: `which italian dishes are soups`."""
    said = context.parsed.class_words.said_of if context.parsed.class_words else ""
    return bool(said) and f", {said}" not in draft.words


def _is_detour(context: QuestionContext, walk: TypedPattern) -> bool:
    """Tell whether a walk says more than is asked: the height of a house is not that of its owner.

    Its last step alone says all that is asked then, and one before it nothing.
    """
    parsed = context.parsed
    asked = telling_words(parsed)
    family = any(asked_kin(" ".join(clause.questions)) for clause in parsed.clauses)
    if len(walk) < 2 or not asked or len(parsed.topics) > 1 or family or parsed.implied is not None:
        return False
    before = [hop for hop in walk[:-1] if context.text_of(hop.relation) not in CLASS_TYPES]
    last = context.roots_of(walk[-1:])
    return any(not context.is_named((hop,)) for hop in before) and all(kin(word) & last for word in asked)


def _is_mere_class(context: QuestionContext, draft: ReadingDraft) -> bool:
    """Tell whether a draft only says what its topic is, and the question asks for more: who has a cat is no cat."""
    if context.is_class_alone(draft.patterns) and _HAS_ONE.match(context.parsed.whole):
        return True
    walk = draft.patterns[0] if len(draft.patterns) == 1 else ()
    if len(walk) != 1 or not walk[0].forward or context.text_of(walk[0].relation) not in CLASS_TYPES:
        return False
    named = in_full(" ".join(map(context.names.name, draft.topics)).casefold()).split()
    asked = telling_words(context.parsed)
    kinds = [context.names.name(end) for end in draft.ends]  # `what kind of dog is X`, `which line is Tram 4 on`
    if kinds and asked and all(any(alike(kind, word) for word in (*named, *asked)) for kind in kinds):
        return context.parsed.kind != "yes_no"
    return len(telling_words(context.parsed)) > 1 and context.covered((walk,), draft.ends) == 0.0


_HAS_ONE = re.compile(
    r"(?:who|which [a-z-]+) (?:do(?:es)? |did )?(?!is\b|are\b|was\b|were\b)[a-z]+ (?:an?|any|some) something\b"
)
_STILL = frozenset(("still", "yet", "already", "anymore", "longer"))
_PASSED, _IN_ORDER = (
    frozenset(line.split())
    for line in """buy sell lend borrow give take receive get send win lose import export teach learn
follow precede succeed lead successor predecessor next previous upstream downstream""".splitlines()
)
"""Acts that pass a thing on (to buy from somebody is what that one sells), and words of order, which turn round."""
_APART = Path(__file__).with_name("opposites.txt")


@lru_cache(maxsize=1)
def _sides_apart() -> Mapping[str, frozenset[tuple[int, int]]]:
    found: dict[str, set[tuple[int, int]]] = {}
    for number, line in enumerate(_APART.read_text(encoding="utf-8").splitlines()[1:]):
        for side, half in enumerate(line.split("|")):
            for root in (root for word in half.split() for root in roots(word)):
                found.setdefault(root, set()).add((number, side))
    return {root: frozenset(places) for root, places in found.items()}


@lru_cache(maxsize=16384)
def _opposed(asked: str, said: str) -> bool:
    if not bases(asked).isdisjoint(_IN_ORDER) or not bases(said).isdisjoint(_IN_ORDER):
        return False
    apart = _sides_apart()
    one, other = ({place for root in roots(word) for place in apart.get(root, ())} for word in (asked, said))
    lines = {line for line, _ in one} & {line for line, _ in other}
    return (bool(lines) and not one & other) or shipped_lexicon().opposed(asked, said)


def says_opposite(asked: Sequence[str], text: str, *, forward: bool) -> bool:
    """Tell whether a type says the opposite of what some words ask for, and nothing of what they ask for.

    Args:
        asked: the words of a question that are no names.
        text: the type's words.
        forward: the way in which it is walked; back from the `employer` are employees.

    >>> says_opposite(["when", "did", "close"], "opened", forward=True)
    True
    >>> [says_opposite(["who", "sold"], text, forward=True) for text in ("bought by", "bought from")]
    [True, False]
    >>> says_opposite(["employees", "of"], "employer", forward=False)
    False
    """
    said = text.split()
    telling = [word for word in asked if len(word) > 2 and word not in FORM_WORDS]
    named = [word for word in said if len(word) > 2 and word not in FORM_WORDS]
    if any(kin(word) & roots(own) or relation(word, own) is Relation.SAME for word in telling for own in named):
        return False
    pairs = [(word, own) for word in telling for own in named if _opposed(word, own)]
    if not pairs or not (forward or is_verb(said[0])):
        return False
    if any(bases(word).isdisjoint(_PASSED) for pair in pairs for word in pair):
        return True
    turned, placed = {"from", "to"}, {"at", "in", "on"}  # what is sold at a fair is bought there
    return placed.isdisjoint([*said, *asked]) and turned.isdisjoint(said) == turned.isdisjoint(asked)


def _is_turned(context: QuestionContext, walks: Sequence[TypedPattern]) -> bool:
    """Tell whether a walk takes a type for its opposite: who bought a thing is not who sold it."""
    parsed = context.parsed
    if parsed.negated or parsed.lack or not _STILL.isdisjoint(parsed.words):
        return False  # what is still open has no day on which it closed
    hops = {hop for walk in walks for hop in walk}
    return any(says_opposite(parsed.words, context.text_of(hop.relation), forward=hop.forward) for hop in hops)


def _told_apart(parsed: ParsedQuestion, by_topic: dict[int, list[Candidates]]) -> dict[int, list[Candidates]]:
    """The topics that walks start from: a class only where nothing else is named (not `which server runs X`)."""
    named = {topic for topic, found in by_topic.items() if not found[0].is_class}
    if parsed.kind == "comparison" or (parsed.kind == "yes_no" and len(named) < 2):  # `is A the driver of B`: two
        return by_topic
    return {topic: found for topic, found in by_topic.items() if topic in named} if named else by_topic


def _drafts(context: QuestionContext, by_topic: dict[int, list[Candidates]]) -> Effects[list[ReadingDraft]]:
    parsed = context.parsed
    if parsed.comparison is not None:
        drafts = yield from drafts_of_comparison(context, parsed.comparison, by_topic)
    elif parsed.kind == "yes_no":
        drafts = yield from drafts_of_verdict(context, by_topic)
    else:
        drafts = yield from drafts_of_list(context, by_topic)
        drafts = yield from refined(context, [_of_what_is_so(context, draft) for draft in drafts])
    return sorted(drafts, key=lambda draft: (-draft.score, draft.words))


def _of_what_is_so(context: QuestionContext, draft: ReadingDraft) -> ReadingDraft:
    """The draft of what a walk's last step says is so, where it would give `true` and `false`: `cats that are tame`."""
    walk = draft.patterns[0] if len(draft.patterns) == 1 else ()
    if len(walk) < 2 or not are_truths(map(context.names.name, draft.ends)):
        return draft
    so = DENIED.search(context.parsed.whole) is None
    words = pattern_words(walk[:-1], context.text_of, context.names.name(draft.topics[0]))
    words = f"{words}, of which {context.text_of(walk[-1].relation)} is {'true' if so else 'false'}"
    test = NodeTest(walk[-1:], called=TRUE if so else FALSE)
    return replace(draft, plan=Where(WalkFrom(draft.topics, walk[:-1]), test), words=words, ends=())


def _shares(drafts: Sequence[ReadingDraft]) -> list[float]:
    top = max(draft.score for draft in drafts)
    weights = [math.exp(draft.score - top) for draft in drafts]
    total = sum(weights)
    return [weight / total for weight in weights]


def unsaid(context: QuestionContext, by_topic: dict[int, list[Candidates]]) -> str:
    """The reason for an abstention: what the graph does say of its topic, nearest first, and that it does not say this.

    Such as `the graph says "starred actors of Salt Road" and "who directed Salt Road", not what was asked`.
    """
    topic = next(iter(by_topic))
    found = by_topic[topic][0]
    near = [one for one in found.patterns if len(one.pattern) == 1][:2]
    said = " and ".join(f'"{pattern_words(one.pattern, context.text_of, found.meaning.name)}"' for one in near)
    asked = context.parsed.clauses[0].questions[0] if context.parsed.clauses else context.parsed.text
    about = re.sub(r"\bit\b", lambda _: found.meaning.name, asked)
    if not said:
        return f'the graph says nothing of {found.meaning.name} that answers "{about}"'
    return f'the graph says {said}, not "{about}"'
