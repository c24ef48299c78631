"""The meanings of a question's topics, and the patterns from each that the question may ask for, scored."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from clause.reasoning.neighbourhood.port import Hop
from clause.reasoning.question.forms import ParsedQuestion
from clause.reasoning.question.measures import measured
from clause.reasoning.question.pattern_text import CLASS_TYPES, TypeText, is_verb, pattern_words
from clause.reasoning.question.patterns import (
    UNNAMED_HOP,
    WHO,
    Effects,
    FoundPattern,
    NodeNames,
    ReadBounds,
    ReadingPriors,
    TypedPattern,
    comes_from,
    comparable,
    enumerate_patterns,
    rank_hops,
    says,
    wanted_kind,
)
from clause.reasoning.question.seed_matching import LIKENESS, alike, is_roundabout, named_kinds
from clause.reasoning.question.sides import (
    PLACES,
    asked_kin,
    asked_way,
    is_other_kind,
    kin,
    may_be_part,
    roots,
    says_noun,
    steps_asked,
    telling_words,
    type_roots,
)
from clause.reasoning.question.skeleton import reworded
from clause.reasoning.question.vocabulary import FORM_WORDS, INVERSES, measured_by
from clause.text.literals import STRETCHES
from clause.text.names import readable_relation
from clause.text.quantities import Number, unit_of
from clause.text.statements.quantities import MONTHS, WEEKDAYS
from clause.text.tokens import singular

MOST_MEANINGS, _SEEN = 2, 8
"""Entities of one mention that are tried."""

_TELLS_TIME = re.compile(
    rf"\d|\b(?:{'|'.join([*MONTHS, *WEEKDAYS])}|spring|summer|autumn|fall|winter|morning|noon|evening|night)s?\b",
    re.IGNORECASE,
)
_IN_WHICH = re.compile(r"(?:in|at|on) (?:which|what) |(?:which|what) [a-z-]+ (?:is|are|was|were) .* (?:in|at|on)$")
_LIES = re.compile(
    r"(?:(?:is )?(?:lies|located|stands|situated|sited|placed|installed|kept|housed|stored|based|moored|parked|hangs)"
    r"|is|lives) (?:in|at|on|within)|location"
)
_LYING = frozenset(root for word in ("lie", "located", "stand", "situated", "found", "kept") for root in roots(word))
_IN_UNIT = re.compile(r"\bin ((?:square |cubic )?[a-z]+)$")
_TAKES = re.compile(r"^how long\b.*\b(?:takes?|took|lasts?|lasted)\b")
_ANY_SIZE = frozenset(("size", "number", "duration", "elevation", "age", "area", "space"))
_BEGINNING_WORDS = """born birth dob birthday birthdate age aged founded established built made created opened launched
year erected constructed commissioned completed planted painted composed written published released foundation dated
hatched foaled laid registered formed"""
_BEGINNINGS = frozenset(_BEGINNING_WORDS.split())
"""The words of types whose dates tell how old something is."""
_SAME_AS_IT = re.compile(r"\bsame (?:\w+ ){1,2}(?:as|that|like) it\b")
_ITS_DOER = re.compile(r"\b(?:did|does|do|has|have|had) (?:the )?(?:it 's (\w+)|(\w+) (?:of|behind|on) it)\b")
_SAID_OF_IT = re.compile(r"^([a-z]+) of it$")
_HEAD = re.compile(
    r"^(?:(?:in|on|at|by|for|to|from|of|with) |(?:who|what) (?:is|are|was|were) )?"
    r"(?:(?:which|what|how many|how much|all|any|every|each|the|number of|count of|list|of|our|my) )*it\b"
)


@dataclass(frozen=True, slots=True)
class Meaning:
    """One thing that a mention may mean: its id and name, and the log-probability that it is meant."""

    id: str
    name: str
    log_probability: float


@dataclass(frozen=True, slots=True)
class Candidates:
    """The patterns from one meaning of a topic, best first, scores normalised over them.

    Attributes:
        nearest: the raw score of the best.
        is_class: the topic has things of its class.
    """

    meaning: Meaning
    patterns: tuple[FoundPattern, ...]
    nearest: float
    is_class: bool = False


@dataclass(frozen=True, slots=True)
class QuestionContext:
    """The needs of reading beside the question: names of nodes, texts of types, and bounds.

    `vocabulary`: roots of the words of all types. `instead` gathers what the graph says only next to what is asked.
    """

    parsed: ParsedQuestion
    names: NodeNames
    bounds: ReadBounds
    text_of: TypeText = readable_relation
    priors: ReadingPriors = field(default_factory=ReadingPriors)
    vocabulary: frozenset[str] = frozenset()
    instead: list[str] = field(default_factory=list)

    def meanings(self, place: int) -> list[Meaning]:
        """The likeliest meanings of a mention."""
        listed = sorted(self.parsed.mentions[place].candidates, key=lambda one: (-one.score, one.id))[:MOST_MEANINGS]
        total = sum(one.score for one in listed) or 1.0
        return [Meaning(one.id, one.name, math.log(max(one.score, 1e-6) / total)) for one in listed]

    def ids(self, place: int) -> frozenset[str]:
        """All ids that a mention may mean."""
        return frozenset(one.id for one in self.parsed.mentions[place].candidates)

    def of_topic(self, place: int, questions: Sequence[str]) -> Effects[list[Candidates]]:
        """The patterns of each meaning of a topic, for the masked questions about it."""
        found = []
        steps = tuple((*reworded(one), one)[0] for one in steps_asked(questions[-1])) if questions else ()
        several = steps if len(steps) > 1 else ()
        for meaning in self.meanings(place):
            found_patterns = yield from enumerate_patterns((meaning.id,), questions, self.bounds, several, self.told)
            of_kind = self._of_kind(found_patterns, questions)
            patterns = self._on_side(of_kind, " ; ".join(questions), further=bool(several))
            if not patterns and found_patterns:
                said = pattern_words(found_patterns[0].pattern, self.text_of, meaning.name)
                why = "the other side of what is asked" if of_kind else "something next to what is asked"
                self.instead.append(f'"{said}", which is only {why}')
            if patterns:
                is_of = self.leads_to_members
                deep = max(len(one.pattern) * is_of(one.pattern) for one in patterns)  # of a Ketch, which is a Boat
                patterns = [one for one in patterns if len(one.pattern) >= deep or not is_of(one.pattern)]
                members = [one for one in patterns if is_of(one.pattern)]
                kept = members if members and self._narrows and any(map(_HEAD.search, questions)) else patterns
                rated = self._normalised(kept, questions)
                found.append(Candidates(meaning, rated, max(one.score for one in patterns), is_class=bool(members)))
        return found

    @property
    def noun(self) -> str | None:
        """The question's noun for what it asks for; None where it has none."""
        return self.parsed.class_words.noun if self.parsed.class_words else None

    @property
    def _narrows(self) -> bool:
        """Tell whether something beside a walk says which of a class are meant: a filter, a rank, another topic."""
        asked = self.parsed
        return bool(asked.kind == "count" or asked.filters or asked.superlative or asked.negated or asked.topics[1:])

    def _is_called(self, walk: TypedPattern) -> bool:
        """Tell whether the last type of a walk says the noun that is asked for (`which county`): it leads to one."""
        kind = walk[-1].forward and re.match(r"(?:in |at |on )?(?:which|what) ([^ ]+)", self.parsed.whole)
        of_it = pattern_words(walk[-1:], self.text_of, "it")
        return bool(kind and kind[1] == self.noun and says_noun(of_it, kind[1]))

    def leads_to_members(self, pattern: TypedPattern) -> bool:
        """Tell whether a walk leads from a class to its members, or to those of its classes."""
        return bool(pattern) and all(not hop.forward and self.text_of(hop.relation) in CLASS_TYPES for hop in pattern)

    def _normalised(self, patterns: Sequence[FoundPattern], questions: Sequence[str]) -> tuple[FoundPattern, ...]:
        """Scores as log-probabilities over the patterns, after what the question says of the kind of answer."""
        asked = " ; ".join(questions)
        words = {word for word in re.findall(r"[a-z]+", asked) if word not in FORM_WORDS and len(word) > 2}
        said = [self.roots_of(one.pattern) for one in patterns]
        around = frozenset().union(*said)
        doers = self._doers([one.pattern for one in patterns])
        sayable = [roots(word) for word in sorted(words - doers) if roots(word) & around]
        fits = [self.is_kind(one.ends, self.noun) or self._is_called(one.pattern) for one in patterns]
        known = [any(map(self.names.classes, one.ends[:_SEEN])) for one in patterns]
        classed = any(right and has for right, has in zip(fits, known, strict=True))
        kin_asked = asked_kin(asked)
        named = frozenset().union(*sayable)
        settled = not words & PLACES and any(
            len(one.pattern) == 1 and not one.steps and self._right_side(one.pattern, asked) for one in patterns
        )
        scored = []
        for one, own, right, has in zip(patterns, said, fits, known, strict=True):
            loss = self.priors.unsaid * sum(not word & own for word in sayable) + self._by_shape(one, asked)
            lexical = any(word & self.roots_of(one.pattern[-1:]) for word in sayable)
            loss += self._wrong_kind(one, asked, lexical=lexical)
            if len(one.pattern) == 1 and any(says(one.pattern[0], step, self.text_of) for step in kin_asked):
                loss -= self.priors.told
            if settled and len(one.pattern) > 1:
                loss -= UNNAMED_HOP * sum(not self.roots_of((hop,)) & named for hop in one.pattern)
            loss += self.priors.right_class * (1 - 2 * right) * any(fits)
            loss += self.priors.other_class * (classed and has and not right)
            scored.append(replace(one, score=one.score + one.steps - loss))
        top = max(one.score for one in scored)
        total = top + math.log(sum(math.exp(one.score - top) for one in scored))
        normal = [replace(one, score=one.score - total) for one in scored]
        return tuple(sorted(normal, key=lambda one: (-one.score, len(one.pattern), one.pattern)))

    def roots_of(self, pattern: TypedPattern) -> frozenset[str]:
        """The roots of the words of a walk's types."""
        return type_roots((hop.relation for hop in pattern), self.text_of)

    def is_class_alone(self, patterns: Sequence[TypedPattern]) -> bool:
        """Tell whether all that is walked is from a class to what is of it (`which employees ...`)."""
        return bool(patterns) and all(self.leads_to_members(pattern) for pattern in patterns)

    def covered(self, walks: Sequence[TypedPattern], ends: Sequence[str]) -> float:
        """The share of the question's telling words that some walks, or the class of what they lead to, explain.

        Where the graph says no classes, the noun for what is asked for cannot be told right or wrong, and is left out.
        """
        kinds = {name for end in ends[:_SEEN] for name in self.names.classes(end)}
        steps = [step for clause in self.parsed.clauses for step in asked_kin(" ; ".join(clause.questions))]
        if any(says(walk[0], step, self.text_of) for walk in walks if len(walk) == 1 for step in steps):
            return 1.0
        fits = not kinds and self.is_kind(ends, self.noun)
        asked = [word for word in telling_words(self.parsed) if kinds or word != self.noun]
        hops = {hop for walk in walks for hop in walk if self.text_of(hop.relation) not in CLASS_TYPES}
        explained = frozenset().union(*(self.roots_of((hop,)) for hop in hops))
        if self.parsed.implied is not None:
            explained |= frozenset(root for word in self.parsed.implied.name.split() for root in roots(word))
        told = [word for word in asked if kin(word) & explained or any(alike(kind, word) for kind in kinds)]
        return (len(told) + fits) / (len(asked) + fits) if asked else 1.0

    def is_unheld(self, walks: Sequence[TypedPattern]) -> bool:
        """Tell whether the question says a type that the graph has, and that none of some walks takes.

        Who commanded one mission is not answered by who operated it where the graph knows commanders of others.
        """
        own = {self.noun, self.parsed.superlative.counted if self.parsed.superlative else ""}
        walked = frozenset().union(*map(self.roots_of, walks))
        asked = (word for word in telling_words(self.parsed) if word not in own)
        return any(roots(word) & self.vocabulary and not kin(word) & walked for word in asked)

    def _is_other_kind(self, one: FoundPattern, asked: Sequence[str]) -> bool:
        """Tell whether answers are of another kind than all questions ask for: a place by `when`, a date by `who`."""
        wanted, ends, hop, whole = set(map(wanted_kind, asked)), one.ends[:_SEEN], one.pattern[-1], self.parsed.whole
        part = may_be_part(whole, self.text_of(hop.relation), forward=hop.forward, alone=len(one.pattern) == 1)
        if not part or (self.parsed.kind in {"list", "count"} and self._measures_other(one)):
            return True
        classes = hop.forward and self.text_of(hop.relation) in CLASS_TYPES
        if self.parsed.kind != "list" or len(wanted) != 1 or None in wanted or not ends:
            return classes and all(measured(said.split()) for said in asked)  # of what colour it is, no class tells
        kind, dated = comparable([self.names.value(node) for node in ends]), "date" in wanted
        if "entity" in wanted:
            nobody = all(map(str.isdigit, map(self.names.name, ends))) or self.text_of(hop.relation) in PLACES
            return kind == "date" or (nobody and hop.forward and all(said.startswith("who ") for said in asked))
        names = map(self.names.name, ends)
        return kind == "text" and all(name[:1].isupper() and not (dated and _TELLS_TIME.search(name)) for name in names)

    def _measures_other(self, one: FoundPattern) -> bool:
        """Tell whether values measure something else than is said: how old by a day of joining, kilometres by hours."""
        text, whole = self.text_of(one.pattern[-1].relation), self.parsed.whole
        values = [value for value in map(self.names.value, one.ends[:_SEEN]) if value is not None]
        if (kind := comparable(values)) == "date":
            return "how old" in whole and _BEGINNINGS.isdisjoint(text.split())
        if kind != "number":
            return False
        found = (measured_by(value, text) for value in values)
        units = {value.unit for value in found if isinstance(value, Number)} - {""}
        unit = unit_of(said[1]) if (said := _IN_UNIT.search(whole)) else ""
        if not unit:
            return bool(_TAKES.match(whole) and units and units.isdisjoint(STRETCHES))
        if units:
            return unit not in units and not {unit, *units} <= STRETCHES
        return not measured(text.split()) and _ANY_SIZE.isdisjoint(text.split())

    def is_named(self, pattern: TypedPattern) -> bool:
        """Tell whether the question has a word of a walk's types; of what is ranked, or lacks something, no noun."""
        of = self.parsed.superlative or self.parsed.lack
        noun = self.noun if of is not None and self.noun not in " ".join(of.questions).split() else None
        but = {noun, singular(noun)} if noun is not None else set()
        return any(roots(word) & self.roots_of(pattern) for word in telling_words(self.parsed) if word not in but)

    def is_contained(self, walk: TypedPattern, ends: Sequence[str]) -> bool:
        """Tell whether a walk goes from place to place up to the kind that is asked for: `in which town is it`."""
        said = self.roots_of(walk) | _LYING
        other = [word for word in telling_words(self.parsed) if word != self.noun and not roots(word) & said]
        if other or not (walk and ends and _IN_WHICH.match(self.parsed.whole)):
            return False  # where somebody lives is not where she works
        placed = all(hop.forward and _LIES.fullmatch(self.text_of(hop.relation)) for hop in walk)
        return placed and all(self.is_kind((end,), self.noun) for end in ends[:_SEEN])

    def is_told(self, walk: TypedPattern, asked: Sequence[str]) -> bool:
        """Tell whether grammar settles that some questions ask for a walk of one hop, and for this end of it."""
        return len(walk) == 1 and self._right_side(walk, " ; ".join(asked)) is True

    def fitting(
        self, questions: Sequence[str], patterns: Sequence[TypedPattern]
    ) -> Effects[list[tuple[TypedPattern, float]]]:
        """Patterns by how well they fit some questions, those that the whole question names before others.

        What one of the questions says by its own word (`elevation of it`) fits as well as any.
        """
        ranked = yield from rank_hops(questions, patterns)
        best = max((score for _, score in ranked), default=0.0)
        said = {hit[1] for question in questions if (hit := _SAID_OF_IT.match(question))}
        gained = []
        for one, score in ranked:
            own = len(one) == 1 and not said.isdisjoint(self.text_of(one[0].relation).split())
            gained.append((one, (best if own else score) + (self.priors.named if self.is_named(one) else 0.0)))
        return sorted(gained, key=lambda pair: (-pair[1], pair[0]))

    def _wrong_kind(self, one: FoundPattern, asked: str, *, lexical: bool) -> float:
        """The loss of a pattern for ends of another kind than the question asks for."""
        wanted = wanted_kind(asked)
        kind = comparable([self.names.value(end) for end in one.ends[:_SEEN]])
        if wanted is not None:
            by = asked.startswith("where") and self.text_of(one.pattern[-1].relation).split()[-1] == "by"
            loss = self.priors.unasked_value if by and one.pattern[-1].forward else 0.0  # who did it is no place
            return loss if kind == ("text" if wanted == "entity" else wanted) else self.priors.wrong_kind
        if kind == "text":
            return 0.0
        if self.noun and self.parsed.comparison is None and not roots(self.noun) & self.roots_of(one.pattern[-1:]):
            return self.priors.wrong_kind
        used = self.parsed.filters or self.parsed.superlative is not None
        return 0.0 if lexical and not (used and self.parsed.kind != "yes_no") else self.priors.unasked_value

    def _by_shape(self, one: FoundPattern, asked: str) -> float:
        """The loss of a pattern for its length, its turns, and for ends that the question cannot mean."""
        pattern, priors, noun = one.pattern, self.priors, self.noun
        loss = 0.0 if one.steps else priors.longer * (len(pattern) - 1)
        loss += priors.repeated * (len(pattern) - len(set(pattern)))
        if not (self.parsed.itself or LIKENESS.search(asked)) and any(a.inverse == b for a, b in pairwise(pattern)):
            loss += priors.back if one.steps else 2 * priors.back
        called = [name for name in map(self.names.name, one.ends[:_SEEN]) if " " not in name or name.islower()]
        if noun is not None and any(alike(name, noun) for name in called):
            loss += priors.own_name  # the genre `crime thriller`; the `Marmot Hut` is a hut
        if noun is not None and comes_from(pattern[-1], noun, self.text_of):
            loss += priors.told
        counted = self.parsed.superlative.counted if self.parsed.superlative else ""
        if counted and pattern[-1].forward and roots(counted) & self.roots_of(pattern[-1:]):
            loss += priors.own_name  # who has the most credits is no credit
        returns = pattern[-1].inverse == pattern[0]
        if self.parsed.itself and returns and not WHO.search(asked):
            loss -= priors.same_kind
        doer = _ITS_DOER.search(asked) if self.parsed.itself and len(pattern) == 1 else None
        if doer and roots(doer[1] or doer[2]) & self.roots_of(pattern):
            loss += priors.own_name  # what else its director made is no director
        if _SAME_AS_IT.search(asked) and not (returns and len(pattern) > 1):
            loss += priors.elsewhere
        return loss

    def _of_kind(self, patterns: Sequence[FoundPattern], questions: Sequence[str]) -> list[FoundPattern]:
        """The patterns without those that say another kind of thing than every wording asks for: no date is a place."""
        texts = {self.text_of(hop.relation) for one in patterns for hop in one.pattern}
        other = {text for text in texts if all(is_other_kind(question, text) for question in questions)}
        kept = [one for one in patterns if not any(self.text_of(hop.relation) in other for hop in one.pattern)]
        kept = [one for one in kept if not self._is_other_kind(one, questions)]
        asked = f"{' ; '.join(questions)} {self.noun} {'also' if self.parsed.itself else ''}"
        return [one for one in kept if not is_roundabout(one.pattern, asked, self.text_of)] or kept

    def _on_side(self, patterns: Sequence[FoundPattern], asked: str, *, further: bool) -> list[FoundPattern]:
        """The patterns that do not lead to the other side than is asked for; none where the graph has only that.

        Of a question that goes `further` than one step another step may have the word for it.
        """
        single = [one.pattern for one in patterns if len(one.pattern) == 1]
        told: dict[TypedPattern, bool | None] = {pattern: self._right_side(pattern, asked) for pattern in single}
        if False in told.values() and True not in told.values() and not (further or any(map(self._is_called, told))):
            return []
        return [one for one in patterns if told.get(one.pattern) is not False]

    def _right_side(self, pattern: TypedPattern, asked: str) -> bool | None:
        """Tell whether a hop leads to the side that grammar or a word for relatives asks for; None: neither says."""
        if (forward := asked_way(asked, self.text_of(pattern[0].relation))) is not None:
            return forward == pattern[0].forward
        if not (steps := asked_kin(asked)):
            return None
        if any(says(pattern[0], step, self.text_of) is not None for step in steps):
            return True
        return False if any(says(pattern[0], INVERSES[step], self.text_of) is not None for step in steps) else None

    def told(self, hop: Hop, step: str) -> float:
        """Weigh a hop as the answer to a step: by grammar, and by words that its type and the step have in common."""
        side = self._right_side((hop,), step)
        return 0.0 if side is None else self.priors.told if side else -self.priors.told

    def _doers(self, patterns: Sequence[TypedPattern]) -> frozenset[str]:
        """The question's noun where only verbs of the graph have its root: a guide guides, and is not guided."""
        noun, hops = self.noun or "", {hop for pattern in patterns for hop in pattern}
        said = [self.text_of(hop.relation).split() for hop in hops if roots(noun) & self.roots_of((hop,))]
        done = said and all(is_verb(words[0]) and words[-1] != "by" for words in said)
        return frozenset((noun, singular(noun), f"{noun}s")) if done else frozenset()

    def is_kind(self, nodes: Sequence[str], noun: str | None) -> bool:
        """Tell whether some nodes are what a noun says: by their classes, or by a name (`Marmot Hut`, `Judge Vann`)."""
        names = [name for node in nodes[:_SEEN] for name in self.names.classes(node)]
        names += [word for node in nodes[:_SEEN] for word in named_kinds(self.names.name(node))]
        return noun is not None and any(alike(name, noun) for name in names)
