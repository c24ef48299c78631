"""Additions of a question to its core: exclusions, negations, filters by a literal, and the class of what is asked for.

Each function takes a skeleton's text and gives what it found and the text without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from clause.reasoning.question.pattern_text import VERB_FORMS
from clause.reasoning.question.skeleton import LITERAL, TOPIC, Skeleton
from clause.reasoning.question.vocabulary import AUXILIARIES, COMPARATIVES, PREPOSITIONS, SUPERLATIVES, WH_WORDS
from clause.text.literals import LiteralValue, Operator
from clause.text.quantities import Date, Number

_BESIDES = (
    r"(?:besides?|apart from|aside from|other than|except(?: for)?|excepting|excluding|not counting|not including"
    r"|with the exception of|but not|and not|in addition to|ignoring|leaving out)"
)
_GROUP = rf"{TOPIC}(?: (?:, )?(?:(?:and|or|&) )?{TOPIC})*"
_EXCLUDED = re.compile(rf"(?:, )?\b{_BESIDES} (?:the )?(?P<group>{_GROUP})(?! 's)(?: itself)?(?: ,)?")
_ELSE = re.compile(r"\b(?:else(?:where)?|other|others|another|additional|further)\b(?! than\b)")
_NO_ELSE = re.compile(
    r"\b(?:each other|one another|other half|something or other|another name|other names?|(?:among|of|and) others)\b"
)
_NEGATED = re.compile(
    rf"(?:, )?(?:\b(?:that|which|who|but|and|where) )*(?:"
    rf"(?P<with>\b(?:with|contain|contains|containing|have|has|having|use|uses|using|need|needs|include|includes)) no"
    rf"|\bwithout(?: (?:any|using))?"
    rf"|(?:\b(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would) )?\bnot(?P<verb>(?: [a-z-]+){{0,4}})"
    rf"|\bnever(?P<never>(?: [a-z-]+){{1,4}})"
    rf") (?:the )?(?P<group>{_GROUP})"
)
_OPERATORS: dict[str, Operator] = {
    "before": "before", "prior to": "before", "earlier than": "before", "until": "until", "till": "until",
    "up to": "at_most", "no later than": "until", "by the end of": "until",
    "after": "after", "later than": "after", "since": "since", "following": "after", "starting in": "since",
    "more than": "more", "over": "more", "above": "more", "greater than": "more", "exceeding": "more", "beyond": "more",
    "at least": "at_least", "no less than": "at_least", "no fewer than": "at_least", "minimum": "at_least",
    "less than": "less", "fewer than": "less", "under": "less", "below": "less", "beneath": "less", "within": "at_most",
    "at most": "at_most", "no more than": "at_most", "maximum": "at_most", "not more than": "at_most",
    "in": "in", "from": "in", "of": "in", "during": "in", "on": "in", "at": "in", "dated": "in", "around": "in",
    "exactly": "same", "equal to": "same", "as of": "in", "for": "same", "with": "same", "is": "same",
}  # fmt: skip
_SAID = "|".join(re.escape(word) for word in sorted(_OPERATORS, key=len, reverse=True))
_THAN = "|".join(COMPARATIVES)
_VERB = r"(?:[a-z]+ed|born|made|built|written|sold|held|set|shot|won|drawn|sung|came out|come out|comes out)"
_TAKES = (
    r"(?:takes?|costs?|leaves?|arrives?|lasts?|has|have|having|weighs?|measures?|starts?|ends?|runs?|seats?|holds?"
    r"|taking|costing|leaving|arriving|lasting|weighing|measuring|starting|ending|running|seating|holding)"
)
_LEAD = (
    rf"(?:(?:, )?(?:(?:that|which|who|and) )?(?:(?:was|were|is|are|has|have|had|been) )*"
    rf"(?P<lead>(?<!{TOPIC[:-1]}] )\b{_VERB}|\b{_TAKES}|\b(?:rated|priced|dated)) )?"
)
_JOINING = "|".join(sorted(PREPOSITIONS | AUXILIARIES | {"and", "or", "that", "who", "which"}))
_COUNTED = rf"(?P<counted>(?: (?!(?:{_JOINING})\b)[a-z-]+){{0,2}}(?: (?:per|a|each) [a-z]+)?)"
_BETWEEN = re.compile(
    rf"{_LEAD}\b(?:between (?P<low>{LITERAL}) and|from (?P<low2>{LITERAL}) (?:to|until|till|through)) "
    rf"(?P<high>{LITERAL}){_COUNTED}"
)
_COMPARED = re.compile(
    rf"{_LEAD}\b(?:(?P<than>{_THAN}) than|(?P<op>{_SAID}))(?: the)?(?: year)? (?P<value>{LITERAL}){_COUNTED}"
)
_NAMED = re.compile(
    rf"(?:\b(?:with|of|at|has|have|having) )?(?:the |an? )?"
    rf"\b(?P<words>(?!(?:{_JOINING}|top|first|last|next|about|nearly|almost|exactly|the|all)\b)[a-z-]{{3,}}) "
    rf"(?P<value>{LITERAL})(?! ?(?:[a-z]+ )?(?:or|and) {LITERAL})"
)
_BARE = re.compile(rf"(?P<value>{LITERAL})")
_ON = re.compile(
    rf"(?P<value>{LITERAL}) (?:or|and) "
    r"(?P<side>later|after|newer|earlier|before|older|more|less|fewer|above|below|onwards?)"
)
_SIDES: dict[str, Operator] = {
    "later": "since", "after": "since", "newer": "since", "onward": "since", "onwards": "since", "earlier": "until",
    "before": "until", "older": "until", "more": "at_least", "above": "at_least", "less": "at_most",
    "fewer": "at_most", "below": "at_most",
}  # fmt: skip
_NO_NOUN = (
    AUXILIARIES | PREPOSITIONS | WH_WORDS | {"that", "and", "or", "but", "not", "'s", "than", "there", "he", "she"}
)
_NO_NOUN |= {
    "both",
    "either",
    "they",
    "you",
    "it",
    "ever",
    "also",
    "whose",
    "between",
    "besides",
    "except",
    "without",
    "is",
}
_DETERMINERS = frozenset(
    (
        "the",
        "a",
        "an",
        "all",
        "any",
        "some",
        "every",
        "each",
        "different",
        "of",
        "these",
        "those",
        "this",
        "many",
        "one",
    )
)
_VAGUE_WORDS = """thing things stuff one ones something anything everything whatever person people someone anyone
everyone everybody anybody somebody"""
_VAGUE = frozenset(_VAGUE_WORDS.split())
_VERB_WORDS = "belonging containing starring border borders cost costs play star use work"
_VERBS = frozenset(_VERB_WORDS.split())
_PAST = re.compile(r"\S{3,}ed")
_COPULA = re.compile(r"^(?:what|who|which) (?:is|are|was|were) (?:the |all )?")
_KIND_AND_MORE = re.compile(r"[a-z-]+ (?:of|by|from|in|on|at|with|that|which|who|[a-z]+ed)\b")
_SAID_OF = re.compile(
    r"\b(?:is|are|was|were) (?:also )?(?:an? )?"
    r"((?!(?:there|left|known|listed|available|it|this|that|one|ones)$)[a-z-]{2,})(?<!ed)$"
)
_OPENING = re.compile(r"^(?:(?:in|on|at|by|with|for|to|from|of) )?(?:which|what|whose|how many|how much)\b ?")


@dataclass(frozen=True, slots=True)
class Excluded:
    """A thing that no answer may be or have: `names` are places of names, `clause` the words before (none: not be)."""

    names: tuple[int, ...]
    clause: str = ""


_OF_UNIT = dict.fromkeys(("EUR", "USD", "GBP"), "price cost") | {
    "g": "amount weight",
    "l": "amount volume",
    "m": "length distance",
    "s": "duration",
    "C": "temperature",
    "°": "temperature",
    "B": "size",
}


@dataclass(frozen=True, slots=True)
class LiteralFilter:
    """A literal that the answers have to do with: `operator` and `value` (`second` of between).

    `words` say which attribute is meant (`born`, `pages`); empty where the question leaves it open.
    """

    operator: Operator
    value: LiteralValue
    second: LiteralValue | None = None
    words: str = ""
    said: str = ""

    @property
    def of_unit(self) -> str:
        """The words for what the value's unit measures, `amount weight` of kilograms; empty where it has none."""
        return _OF_UNIT.get(self.value.unit, "") if isinstance(self.value, Number) else ""


@dataclass(frozen=True, slots=True)
class ClassWords:
    """The noun for what is asked for, the words before it, and what it is said to be: `german films are comedies`."""

    noun: str
    modifiers: tuple[str, ...] = ()
    said_of: str = ""


def take_excluded(of: Skeleton, text: str) -> tuple[tuple[int, ...], str]:
    """Names that the answers must not be (`besides X`), and the text without them."""
    places: list[int] = []
    for hit in _EXCLUDED.finditer(text):
        places += of.names(hit["group"])
    return tuple(dict.fromkeys(places)), _tidy(_EXCLUDED.sub(" ", text))


def take_else(text: str) -> tuple[bool, str]:
    """Tell whether the topics themselves are excluded (`else`, `other`), and the text without the word.

    >>> take_else("what else did she write"), take_else("who fought each other")
    ((True, 'what did she write'), (False, 'who fought each other'))
    """
    if _NO_ELSE.search(text) or not _ELSE.search(text):
        return False, text
    return True, _tidy(_ELSE.sub(" ", text))


def take_negated(of: Skeleton, text: str) -> tuple[tuple[Excluded, ...], str]:
    """Clauses that the answers must not satisfy (`that do not star X`), and the text without them."""
    found: list[Excluded] = []
    text = re.sub(rf"\b(in|on|under|with) ({TOPIC}) 's ([a-z]+)$", r"\1 \3 of \2", text)  # `not in X's care`
    for hit in _NEGATED.finditer(text):
        verb = (hit["verb"] or hit["never"] or hit["with"] or "with").strip()
        found.append(Excluded(of.names(hit["group"]), verb))
    return tuple(found), _tidy(_NEGATED.sub(" ", text))


def take_filters(of: Skeleton, text: str) -> tuple[tuple[LiteralFilter, ...], str]:
    """Literals that restrict the answers, and the text without them and the words that belong to them alone."""
    found: list[LiteralFilter] = []

    def value(letter: str | None) -> LiteralValue:
        return of.literal(letter or "").value

    def said(*letters: str | None) -> str:
        return " ".join(str(of.literal(letter).value) for letter in letters if letter)

    for hit in _BETWEEN.finditer(text):
        low = hit["low"] or hit["low2"]
        words = _words(hit["lead"], hit["counted"])
        found.append(LiteralFilter("between", value(low), value(hit["high"]), words, said(low, hit["high"])))
    text = _tidy(_BETWEEN.sub(" ", text))
    found += [
        LiteralFilter(_SIDES[hit["side"]], value(hit["value"]), said=said(hit["value"])) for hit in _ON.finditer(text)
    ]
    text = _tidy(_ON.sub(" ", text))
    for hit in _COMPARED.finditer(text):
        operator = COMPARATIVES[hit["than"]][0] if hit["than"] else _OPERATORS[hit["op"]]
        measure = hit["than"] if hit["than"] not in {None, "more", "less", "fewer", "before", "after", "later"} else ""
        operator = _of_dates(operator, value(hit["value"])) if not hit["counted"] else operator
        words = _words(hit["lead"], measure or "", hit["counted"])
        found.append(LiteralFilter(operator, value(hit["value"]), None, words, said(hit["value"])))
    text = _tidy(_COMPARED.sub(" ", text))
    for hit in _NAMED.finditer(text):
        number = value(hit["value"])
        if isinstance(number, Number) and not number.unit:
            found.append(LiteralFilter("same", number, None, hit["words"], said(hit["value"])))
            text = _tidy(text.replace(hit[0], " "))
    for hit in _BARE.finditer(text):
        if isinstance(value(hit["value"]), Date):
            found.append(LiteralFilter("in", value(hit["value"]), said=said(hit["value"])))
            text = _tidy(text.replace(hit["value"], " "))
    return tuple(found), text


def class_words(text: str) -> ClassWords | None:
    """The noun for what a question asks for, where it says one: after `which`, or first in what is not a sentence.

    >>> class_words("which german films by ann are comedies"), class_words("who wrote it")
    (ClassWords(noun='films', modifiers=('german',), said_of='comedies'), None)
    >>> class_words("all the services of ann").noun, class_words("which soups call for it").noun
    ('services', 'soups')
    >>> class_words("which judge heard it").noun, class_words("which city guides does it sell").noun
    ('judge', 'guides')
    """
    rest = _OPENING.sub("", text, count=1)
    copula = _COPULA.match(text)
    if copula is not None:
        rest = text[copula.end() :]
        owned = re.match(rf"{TOPIC} 's ([a-z-]+)$", rest)
        if owned is not None:
            return ClassWords(owned[1])
        if not _KIND_AND_MORE.match(rest):
            return None
    elif rest == text and text.split(" ", 1)[0] in WH_WORDS | AUXILIARIES:
        return None
    words = re.sub(rf"^(?:of (?:the )?)?{TOPIC} (?:'s )?", "", rest).split(" ")
    taken: list[str] = []
    for word, after in pairwise([*words, ""]):
        if word in _DETERMINERS and not taken:
            continue
        if taken and (word in _VERBS or (word in VERB_FORMS and after not in AUXILIARIES) or _PAST.fullmatch(word)):
            break
        if word in _NO_NOUN or not re.fullmatch(r"[a-z][a-z'-]*", word) or len(taken) == 3:
            break
        if word not in COMPARATIVES and word not in SUPERLATIVES and word not in {"most", "least"}:
            taken.append(word)
    if len(taken) > 1 and (
        re.search(rf"\b{taken[-1]} (?:{TOPIC}|(?:the|a|both|either)\b)", rest) or _is_verb(taken, rest)
    ):
        taken = taken[:-1]  # the verb: `films star X`
    if not taken or taken[-1] in _VAGUE:
        return None
    said = _SAID_OF.search(rest)
    return ClassWords(taken[-1], tuple(taken[:-1]), said[1] if said else "")


def _is_verb(words: Sequence[str], text: str) -> bool:
    """Tell whether the last of some words is a verb behind a plural: `soups call for`, `things boil above`."""
    noun, verb = words[-2:]
    plural = noun.endswith("s") and not noun.endswith("ss") and not verb.endswith("s")
    return plural and re.search(rf"\b{verb} (?:(?!of\b)(?:{_JOINING})|{_SAID}|{_THAN})\b", text) is not None


_MEANT = re.compile(r"^(?P<said>.+?)(?: [,;:(.])? (?:i mean|i ?\. ?e ?\.?|that is to say)(?: [,:])? (?P<meant>.+)$")
_MEANT_KIND = re.compile(r"^(?P<place>(?:at|in|on|for|from|by|to) )?(?:which|what|the) (?P<kind>[a-z]+)$")


def said_once(core: str) -> str:
    """A core with what it says again said once: `who did she direct , i mean which plays` asks for plays."""
    again = _MEANT.match(core)
    if again is None or re.search(TOPIC, again["meant"]) or not re.search(TOPIC, again["said"]):
        return core
    kind = _MEANT_KIND.match(again["meant"])
    if kind is None:
        return again["said"]
    asked = f"which {kind['kind']}"
    said = re.sub(r"^(?:where|when)\b", f"{kind['place'] or ''}{asked}", again["said"])
    return re.sub(r"^(?:who|what|which)\b", asked, said)


_OF_DATES: dict[Operator, Operator] = {"more": "after", "less": "before", "at_least": "since", "at_most": "until"}


def _of_dates(operator: Operator, value: LiteralValue) -> Operator:
    """`more than` or `over` of a date is after it, `under` before it."""
    return _OF_DATES.get(operator, operator) if isinstance(value, Date) and not value.bare else operator


def _words(*parts: str | None) -> str:
    """The words for an attribute; having it says nothing of which it is."""
    return " ".join(word for part in parts if part for word in part.split() if word not in {"have", "has", "having"})


def _tidy(text: str) -> str:
    spaced = re.sub(r"\s+", " ", text)
    return re.sub(r"^(?:, |and )+|(?: ,| and| i mean)+(?= [?.!]|$)", "", spaced.strip()).strip()


_WITH = re.compile(r"(?:(?:with|having|has|have|had|got|been|on|in|of) ?)+$")
_PLACED = re.compile(r"^(in|at|on|for|from|to|with|by) ")
_ASKED = re.compile(r"^(?:the|all|any|which|what|who|whom) (?:the )?")


def asked_of_each(core: str, kind: ClassWords | None, counted: str) -> tuple[str | None, str]:
    """What a question for the most of something asks for, and a question about one of those, `it`.

    Args:
        core: the question without its superlative.
        kind: the words for what is asked for.
        counted: the noun behind `the most`; empty where there is none.

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


_MEASURED = (
    "length|width breadth beam|height altitude elevation|depth draught|weight mass tonnage|price cost fee fare rent"
    " toll rate value worth|age|speed velocity|area|volume capacity|colour color|diameter|temperature"
    "|population inhabitants|power horsepower|pressure"
)
_OF_ANY = frozenset(("size", "number", "duration", "elevation", "age"))  # big, long, high, old measure much
_GROUPS = {word: number for number, group in enumerate(_MEASURED.split("|")) for word in group.split()}


def measured(words: Iterable[str]) -> frozenset[int]:
    """The measures that words name, as numbers that stand for one measure each.

    >>> measured(["beam", "width"]) == measured(["breadth"]), measured(["length", "m"]) & measured(["width"])
    (True, frozenset())
    """
    return frozenset(_GROUPS[word] for word in words if word in _GROUPS)


def is_unmeasured(questions: Iterable[str], text: str) -> bool:
    """Tell whether questions ask for one measure of `it`, and a type's text says another, or none.

    >>> is_unmeasured(["price of it", "cost of it"], "copies sold"), is_unmeasured(["price of it"], "daily rate")
    (True, False)
    """
    asked = {word for question in questions for word in question.split()}
    groups = measured(asked)
    said = text.split()
    return bool(groups) and not (asked & _OF_ANY or groups & measured(said) or asked & set(said))
