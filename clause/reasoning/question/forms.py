"""The form of a question, and its parts: what a plan needs to know, read from the text and its linked names alone.

By rules over a closed vocabulary: the forms are few and their words closed, and rules say why they chose and cost no
time; what is open (which relation is meant) is left to the scorer, over the masked core questions made here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from clause.reasoning.models.answer import QuestionForm
from clause.reasoning.question.measures import Comparison, Superlative, counted_off, find_comparison, find_superlative
from clause.reasoning.question.modifiers import (
    ClassWords,
    Excluded,
    Lack,
    class_words,
    take_else,
    take_excluded,
    take_filters,
    take_lack,
    take_negated,
)
from clause.reasoning.question.pattern_text import ACTIVE_PASTS, PARTICIPLES, PRESENT
from clause.reasoning.question.preamble import ANY_WH, as_noun_phrase, stripped
from clause.reasoning.question.skeleton import (
    KEPT,
    LITERAL,
    TOPIC,
    LinkedMention,
    Skeleton,
    name_letter,
    refer,
    reworded,
    skeleton,
)
from clause.reasoning.question.vocabulary import (
    AUXILIARIES,
    PREPOSITIONS,
    SEXES,
    WH_WORDS,
    ImpliedRelation,
    composed,
    find_implied,
    mended,
)
from clause.text.literals import LiteralFilter
from clause.text.quantities import UNIT_WORDS
from clause.text.tokens import singular

MASK = "it"
"""The word for a topic in a core question."""
_JOINED = re.compile(rf"{TOPIC}(?: (?:, )?(?:(?:and|or|&|plus|as well as|together with) )?(?:the )?{TOPIC})*")
_LEADING = re.compile(
    r"^(?:(?:,|and|but|also|both|that|which|who|while|plus|then|as well as|either|the|is|are|was|were)\b ?|, ?)+"
)
_OPENERS = frozenset(("and", "but", ",", "also", "that", "which", "who"))


@dataclass(frozen=True, slots=True)
class TopicClause:
    """The question's words on one topic: `topic` is the place of its name, `questions` the masked alternatives."""

    topic: int
    questions: tuple[str, ...]


def masked(of: Skeleton, text: str, topic: int) -> str:
    """A skeleton's text with one topic as `it` and the other names as `something`.

    >>> from clause.reasoning.question.skeleton import skeleton, LinkedMention
    >>> made = skeleton("Did Ann direct Kes?", [LinkedMention(4, 7, ()), LinkedMention(15, 18, ())])
    >>> masked(made, made.text, 1)
    'did something direct it ?'
    """
    own = text.replace(name_letter(topic), MASK)
    return _plain(re.sub(TOPIC, "something", own), of)


def single(of: Skeleton, text: str, topics: Sequence[int]) -> tuple[TopicClause, ...]:
    """The clauses of a question whose topics stand in one clause each on their own (one topic, or yes and no)."""
    return tuple(TopicClause(topic, (masked(of, text, topic),)) for topic in topics)


def conjoined(of: Skeleton, text: str, topics: Sequence[int], kind: ClassWords | None) -> tuple[TopicClause, ...]:
    """A clause for each of several topics that one answer meets: the head, the words before the topic, and `it`.

    Topics joined by `and` share the words around them; a clause of prepositions alone takes the verb of the one before.
    """
    groups = list(_JOINED.finditer(text))
    head, start = _head(text, kind)
    found: dict[int, TopicClause] = {}
    previous = ""
    for number, group in enumerate(groups):
        left = text[start : group.start()].strip() if start <= group.start() else ""
        next_start = groups[number + 1].start() if number + 1 < len(groups) else len(text)
        right = text[group.end() : next_start].strip()
        if number + 1 < len(groups):
            right, taken = _owned(right)
            start = group.end() + taken
        said = re.sub(r"\bboth ", "", _LEADING.sub("", f"{left} ")).strip()
        if number and said and all(word in PREPOSITIONS for word in said.split()):
            said = f"{_verb(previous)} {said}".strip()
        elif number and not said:
            said = previous
        previous = said
        for topic in of.names(group[0]):
            if topic in topics and topic not in found:
                question = _plain(f"{head} {said} {MASK} {right}", of)
                found[topic] = TopicClause(topic, (question,))
    return tuple(found[topic] for topic in topics if topic in found)


def _head(text: str, kind: ClassWords | None) -> tuple[str, int]:
    """The opening words of a question (`which films`), and where what follows them begins."""
    words = text.split()
    end = 0
    for word in words:
        if re.fullmatch(TOPIC, word):
            break
        in_kind = kind is not None and (word == kind.noun or word in kind.modifiers)
        if not (word in WH_WORDS or in_kind or word in {"the", "all", "many", "number", "of", "any", "both"}):
            break
        end += 1
        if kind is not None and word == kind.noun:
            break
    head = " ".join(words[:end])
    return head, len(head) + (1 if head else 0)


def _owned(right: str) -> tuple[str, int]:
    """The words that belong to the topic before it (`'s books`), and how many characters that takes."""
    if not right.startswith("'s"):
        return "", 0
    words = right.split()
    taken = 1
    while taken < len(words) and words[taken] not in AUXILIARIES | PREPOSITIONS | _OPENERS:
        taken += 1
    kept = " ".join(words[:taken])
    return kept, len(kept) + 1


def _verb(said: str) -> str:
    words = said.split()
    while words and words[-1] in PREPOSITIONS:
        words.pop()
    return " ".join(words)


_BEFORE_MASK = re.compile(r"\b(?:(?:the|an?|our|my|dear|little|young|old|good|lovely|poor|famous) )+(?=it\b)")


def _plain(text: str, of: Skeleton) -> str:
    """The text in plain words: literals as they were, single blanks, no mark before the end."""
    whole = "".join(str(of.literal(letter).value) if "\ue800" <= letter <= "\uefff" else letter for letter in text)
    whole = _BEFORE_MASK.sub("", whole)
    return re.sub(r"^(?:[,:] )+|(?: [,:.])+$", "", " ".join(whole.replace(KEPT, "").split())).strip()


Kind = Literal["list", "yes_no", "count", "comparison", "superlative"]

_COUNT = re.compile(
    r"(?:^(?:what|which) (?:is|are|was|were) )?\b(?:in |with |at |on |to |from |by |for |of )?"
    r"how many(?: different| distinct| other| total)?\b"
    r"|(?:^(?:what|which) (?:(?:is|are|was|were) )?|^|\b(?:the|a|total|what is|exact|overall|full|of|is|in) )"
    r"(?:the )?(?:total |exact |overall |full )?(?:number|count|total)"
    r"(?: number)? of(?: different| distinct| all)?\b(?! it\b)"
    r"|^count(?: up)?(?: (?:all|of))*(?: the)?\b(?: number of)?(?: how many)?"
)
_NO_OF = re.compile(r"\bno\. of\b", re.IGNORECASE)
_MEASURED = re.compile(
    rf"\bhow many (?:{'|'.join(UNIT_WORDS)})\b|^how many (?:[a-z-]+ ){{0,2}}(?:(?:(?:can|may) [a-z]+|fits?|are allowed)"
    rf" (?:in|into|inside|on|at|to) (?:the )?{TOPIC}|(?:can|may) (?:the )?{TOPIC} (?:hold|take|carry|have|fit))$"
)
"""Asks for a number that is stored: how much is measured, or for how many there is room."""
_STATED = re.compile(
    rf"^{TOPIC} (?:'s [a-z]+ )?(?:(?:{'|'.join(sorted(AUXILIARIES))}|by|from|in)\b"
    rf"|[a-z]+(?:ed|ing)\b|(?:{'|'.join(sorted(PRESENT | ACTIVE_PASTS))})\b)"
)
_CHOICES = re.compile(r"\b(?P<one>[a-z-]+) or (?:(?:an?|the|in|from|of|by) )?(?P<two>[a-z-]+)(?: [a-z-]+)?$")
_NAMED_CHOICES = re.compile(rf"(?:an? |the )?{TOPIC} or (?:an? |the )?{TOPIC}$")
_IS_EITHER = re.compile(rf"\b(?:is|are|was|were) (?:an? |the )?{TOPIC} or (?:an? |the )?{TOPIC}$")
_NO_CHOICE = re.compile(r"\b(?:brothers?|sisters?|any|more|not) or\b|\bor (?:not|no)$")
_WHAT_IS = re.compile(r"^(?:what|who|which) (?:is|are|was|were) ")
_COMMON = re.compile(r"\bin common\b")
_AFTERTHOUGHT = re.compile(
    r"(?<=[.!?,;]) *(?:(?:and )?(?:which|what)(?: ones?| are they| is it|(?: is|'?s) (?:it called|its name))?"
    r"|(?:please )?(?:name|list|tell me)(?: them| it| me| names)?|names?(?: only| please)?"
    r"|just (?:the )?(?:names?|figure|number)|who(?: are they| is it| would that be)?)[ ,.?!]*$",
    re.IGNORECASE,
)
"""A last sentence that only asks again: `Which ones?`, `Name them.`"""
_COUNTED_LAST = re.compile(r"[(,;:-]\s*how many\b[^a-z]*$", re.IGNORECASE)
_ANY = re.compile(
    r"^(?:(?:is|are|was|were) there (?:an? |any(?:thing|one|body)? |some(?:thing|one)? |one )?"
    r"|(?:do|does|did|has|have|is|are|was|were) any (?:of (?:the )?)?)(?=\S)"
)
"""The opening that asks for yes or no by itself, and for a thing where the last sentence asks which."""


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question in its parts.

    Attributes:
        text: as it was asked.
        kind: what is asked for: things, yes or no, a number, a winner, the best of things.
        mentions: the names, at the places that the other fields speak of.
        topics: places of the names that walks start from (of a comparison: its operands).
        clauses: one for each topic: its masked core questions.
        excluded: places of names that are no answers; `itself` tells that the topics are none.
        negated: clauses that the answers must not satisfy; `lack`: what they must not have at all.
        comparison, superlative, filters, class_words, implied: as the question says them; None or empty where not.
        choices: words of which one is the answer (`male or female`).
        joint: the whole core with every topic masked (`it`), for scorers that read two patterns at once.
        did_refer: whether a pronoun or the sentence before brought the topic in.
        words: the words that are no names, in small letters, spelt right.
        whole: the core with all that modifies it, every topic as `something`.
    """

    text: str
    kind: Kind
    mentions: tuple[LinkedMention, ...]
    topics: tuple[int, ...]
    clauses: tuple[TopicClause, ...]
    excluded: tuple[int, ...] = ()
    itself: bool = False
    negated: tuple[Excluded, ...] = ()
    comparison: Comparison | None = None
    superlative: Superlative | None = None
    filters: tuple[LiteralFilter, ...] = ()
    class_words: ClassWords | None = None
    implied: ImpliedRelation | None = None
    choices: tuple[str, ...] = ()
    joint: str = ""
    did_refer: bool = False
    words: tuple[str, ...] = ()
    lack: Lack | None = None
    whole: str = ""

    @property
    def form(self) -> QuestionForm:
        """The one word for it: what is asked for, or of a list what sets it apart."""
        if self.kind != "list":
            return self.kind
        if self.excluded or self.itself or self.negated or self.lack:
            return "exclusion"
        if len(self.topics) > 1:
            return "intersection"
        if self.filters:
            return "filter"
        return "composition" if self.implied is not None else "list"


def parse(text: str, mentions: Sequence[LinkedMention], vocabulary: frozenset[str] = frozenset()) -> ParsedQuestion:
    """The parts of a question, given the names that the linker found in it.

    A slip of the fingers in a word of `vocabulary` (the graph's words for its relationships) is mended, and an end that
    they say is no best of all: what has a `first ascent` is not asked for the first.

    >>> parsed = parse("Which films other than Kes did Ken Loach make?", [LinkedMention(23, 26, ()),
    ...                LinkedMention(31, 40, ())])
    >>> parsed.form, parsed.excluded, parsed.topics, parsed.clauses[0].questions
    ('exclusion', (0,), (1,), ('which films did it make',))
    """
    text = _NO_OF.sub("num of", text)  # as long as it was: the names stay where they are
    made = skeleton(_AFTERTHOUGHT.sub(lambda hit: " " * len(hit[0]), text), mentions)
    made = replace(made, text=re.sub(r"[a-z]{5,}", lambda hit: mended(hit[0], vocabulary), made.text))
    made = replace(made, text=_HAS_DONE.sub("has ", _END.sub(lambda hit: _kept_end(hit, vocabulary), made.text)))
    core, asked = stripped(_ASIDE.sub(r"\1", made.text))
    core = _LAST_FIRST.sub(r"\1 \3 \2 ", core)
    core = _ANY.sub("which ", core) if _AFTERTHOUGHT.search(text) else core
    core = f"how many {core}" if _COUNTED_LAST.search(text) else core
    excluded, core = take_excluded(made, core)
    core = as_noun_phrase(core)
    core = counted_off(made, core)
    if not made.names(core) and excluded:
        core, _ = refer(core, excluded)
    verdict = asked or _opens_verdict(made, core, stated=made.text.endswith("?"))
    core = re.sub(rf"^({'|'.join(sorted(AUXILIARIES))}) not ", r"\1 ", core) if verdict else core
    whole = masked(made, core, -1)
    negated, core = take_negated(made, core) if not verdict else ((), core)
    filters, core = take_filters(made, core, denied=not verdict)
    itself, core = take_else(core)
    comparison = find_comparison(made, core, verdict=verdict)
    base = ParsedQuestion(
        text,
        "list",
        made.mentions,
        made.names(core),
        (),
        excluded=excluded,
        itself=itself,
        negated=negated,
        filters=filters,
        did_refer=bool(made.referred),
        words=tuple(dict.fromkeys(re.findall(r"[a-z]{3,}", made.text))),
        whole=whole,
    )
    if comparison is not None:
        clauses = tuple(TopicClause(topic, comparison.questions) for topic in comparison.operands)
        return replace(base, kind="comparison", topics=comparison.operands, clauses=clauses, comparison=comparison)
    return _listed(made, core, base, verdict=verdict)


_END = re.compile(r"\b(?:first|last|latest|next|best|top|max(?:imum)?|min(?:imum)?) (?P<noun>[a-z]+)")
_ASIDE = re.compile(
    rf"^(.*(?:{TOPIC}|{ANY_WH.pattern}).*?) [,;] (?:(?:cos|cause|because|since|as|so|and|but) )?"
    r"(?:i|we|she|he|they|you|there|my|our) (?:am|is|are|was|were|has|have|had|need|want|can|could|would|will|think"
    rf"|guess|like|love|forgot|do|must|got)\b(?:(?!{TOPIC}|{ANY_WH.pattern}).)*$"
)
"""A clause in which askers speak of themselves, behind the question: `, i need to email them`."""
_LAST_FIRST = re.compile(rf"^(who|what|where|when) ({TOPIC}) (is|are|was|were|did|does|do|has|have) ")
"""A question whose first word stood last: who X are filling in for."""
_HAS_DONE = re.compile(
    rf"(?<=\bwho )is (?=(?!(?:called|named|given|made)\b)(?:[a-z]+ed|{'|'.join(sorted(PARTICIPLES))}) (?:the )?{TOPIC})"
)
"""The short form of `has`: who's bought X."""


def _kept_end(hit: re.Match[str], vocabulary: frozenset[str]) -> str:
    said = {hit[0], f"{hit[0].removesuffix(hit['noun'])}{singular(hit['noun'])}"}
    return hit[0] if vocabulary.isdisjoint(said) else f"{KEPT}{hit[0]}"


def _listed(made: Skeleton, core: str, base: ParsedQuestion, *, verdict: bool) -> ParsedQuestion:
    """The question without its modifiers: a list, or one of the kinds that are made of a list."""
    counted = None if verdict or _MEASURED.search(core) else _COUNT.search(core)
    firsts = base.filters and re.search(r"\bfirst\b", core)  # when it first opened, of what opened in a year
    whole = core
    superlative, core = (None, core) if verdict or counted or firsts else find_superlative(core)
    lack, core = (None, core) if verdict or superlative else take_lack(core)
    counted = _COUNT.search(core) if counted else None
    implied = find_implied(core)
    either = implied is None and (verdict or _IS_EITHER.search(core))
    choices, core = _chosen_among(made, core, base.text) if either else ((), core)
    verdict = verdict and not choices
    kind: Kind = "yes_no" if verdict else "count" if counted else "superlative" if superlative is not None else "list"
    plain = f"{core[: counted.start()]} which {core[counted.end() :]}".strip() if counted else core
    plain = " ".join(plain.split())
    ranked = superlative is not None and not whole.startswith(core)  # what is the oldest boat: which boat
    asked = _WHAT_IS.sub("which ", plain) if ranked else plain
    noun = None if verdict or choices else class_words(asked)
    topics = made.names(core)
    if kind == "yes_no" or len(topics) < 2:
        clauses = single(made, plain, topics)
    else:
        clauses = conjoined(made, plain, topics, noun)
    if implied is not None:
        clauses = tuple(
            TopicClause(
                clause.topic,
                (*(q for question in clause.questions for q in composed(question, implied)), *clause.questions),
            )
            for clause in clauses
        )
    clauses = tuple(replace(one, questions=(*reworded(one.questions[-1]), *one.questions)) for one in clauses)
    joint = _masked_all(made, plain)
    return replace(
        base,
        kind=kind,
        topics=topics,
        clauses=clauses,
        superlative=superlative,
        class_words=noun,
        implied=implied,
        choices=choices,
        joint=joint,
        lack=lack,
    )


def _masked_all(made: Skeleton, text: str) -> str:
    return masked(made, re.sub(TOPIC, MASK, text), -1) if made.names(text) else text


def _chosen_among(made: Skeleton, core: str, text: str) -> tuple[tuple[str, ...], str]:
    """The words of which one is the answer (`male or female`), and the core without them where they are names."""
    named = _NAMED_CHOICES.search(core)
    if named and made.names(core[: named.start()]):
        said = [made.mentions[place] for place in made.names(named[0])]
        words = tuple(one.candidates[0].name if one.candidates else text[one.start : one.end] for one in said)
        return words, f"{core[: named.start()]}{' or '.join(words).lower()}"
    choice = None if _NO_CHOICE.search(core) else _CHOICES.search(core)
    if choice is None:
        return (), core
    words = (choice["one"], choice["two"])
    return (*words, *(SEXES[word] for word in words if word in SEXES)), core


def _opens_verdict(made: Skeleton, core: str, *, stated: bool) -> bool:
    """Tell whether a core asks for yes or no: an auxiliary verb first, or a statement of names with a `?`."""
    first = core.split(maxsplit=1)[0] if core else ""
    if first in AUXILIARIES:
        return True
    told = len(made.names(core)) > 1 or re.search(LITERAL, core)
    return bool(stated and told and _STATED.match(core) and not ANY_WH.search(core) and not _COMMON.search(core))
