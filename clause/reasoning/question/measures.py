"""Comparisons and superlatives: what a question measures, read from its words, and the plan that compares."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from clause.reasoning.question.modifiers import class_words
from clause.reasoning.question.pattern_text import PARTICIPLES
from clause.reasoning.question.skeleton import LITERAL, TOPIC, Skeleton
from clause.reasoning.question.vocabulary import (
    AUXILIARIES,
    COMPARATIVES,
    COUNTS,
    DATED,
    MOST_LEAST,
    SUPERLATIVES,
    WH_WORDS,
)
from clause.text.literals import Operator
from clause.text.tokens import ORDINALS, singular

_OPERANDS = re.compile(
    rf"(?:[,:] )?(?:\b(?:between|out of|of|among|is it|was it) (?:the )?)?{TOPIC}"
    rf"(?: (?:,|and|or|vs|versus|/|&)(?: (?:and|or))? {TOPIC})+(?: [,:])?"
)
_BESIDE = re.compile(rf"{TOPIC} {TOPIC}$")
_CHOICE = re.compile(
    rf"\bor (?:the )?{TOPIC}|{TOPIC} or\b|\b(?:vs|versus)\b"
    rf"|\b(?:between|out of|among|of) (?:the )?{TOPIC} (?:,|and|or|&)|\btwo [:,] {TOPIC} (?:,|and|&) {TOPIC}$"
    rf"|\b(?:{'|'.join(COMPARATIVES)}) or (?:{'|'.join(COMPARATIVES)})\b"
)
_SET_BEFORE = re.compile(
    rf"^(?:if |of |between |i compare )*({TOPIC}) (?:,|and|or|&|with|to) ({TOPIC}) (?:[,:;] )?(?:tell me )?"
    rf"(which|who|what)(?: one| of (?:{TOPIC}|the two|these))? (.+)$"
)
"""Names before what is asked of both: `A and B, which of them was shipped first`."""
_SAME = re.compile(r"\b(?:the )?(?:same|identical|equal|share|shares|shared|a common)\b")
_ADJECTIVES = "|".join(sorted(MOST_LEAST, key=len, reverse=True))
_MORE = re.compile(rf"\b(?P<sense>more|less) (?P<adjective>{_ADJECTIVES})\b")
_COMPARATIVE, _SUPERLATIVE = (re.compile(rf"\b(?:{'|'.join(words)})\b") for words in (COMPARATIVES, SUPERLATIVES))
_ONE_OF = "(?:the )?(?:(?:one|ones|that|those) (?:of|for|in|at|on|to|from) (?:the )?)?"
_NO_TIME = "".join(rf"(?<!\b{verb} )" for verb in ("look", "looks", "looked", "looking", "named", "called", "modelled"))
_THAN = re.compile(rf"\b(?:than|before|{_NO_TIME}after) {_ONE_OF}{TOPIC}")
_JOINING = """the a an of these those two one or and than that both same as from in to be been it for at on with there
by identical equal share shares shared common any more less most least between among , : ? 's get gets got"""
_SCAFFOLD = WH_WORDS | AUXILIARIES | frozenset(_JOINING.split())
_GENERIC = frozenset(("before", "after", "more", "less"))
_DATE_NOUNS = {
    "born": "date of birth", "died": "date of death", "die": "date of death", "released": "release date",
    "came out": "release date", "come out": "release date", "published": "publication date",
    "founded": "date founded", "started": "start date", "opened": "opening date", "open": "opening date",
    "built": "date built", "made": "date made",
}  # fmt: skip

_LIVED = re.compile(
    r"\b(?:lived|lives|live) (?:the )?(?:longer|longest|shorter)\b|\b(?:longer|shorter) (?:life|lived)\b"
)
_LIFE_START, _LIFE_END = ("date of birth of it", "when was it born"), ("date of death of it", "when did it die")
_ATTRIBUTE = re.compile(
    r"\b(?:same|identical|equal|common|shares?|shared)(?: the)?(?: same)? (?P<words>[a-z -]+?)"
    r"(?= (?:as|with|of|in)\b|$| ,)"
)
_DONE_SAME = re.compile(
    r"\b(?P<verb>[a-z]+) (?P<by>by|in|at|on|to|from|with|for|under) (?:one and )?the (?:very )?same (?P<noun>[a-z]+)\b"
)
_NOT_MEASURES = re.compile(
    r"\b(?:first|last|middle) names?\b|\bfirst (?:lady|aid|person)\b|\bat (?:least|most)\b|\bmost of\b"
    r"|\blast (?:week|month|year|night|time)\b|\bfor the first time\b|\bat first\b|\bat last\b"
)
_NTH = "|".join(sorted(ORDINALS, key=len)[::-1]).replace("-", "[ -]")
_FROM_END = re.compile(
    rf"\b(?:(?P<nth>{_NTH}|next)[ -](?:to|from)[ -](?:the[ -])?last|last[ -]but[ -](?P<but>\S+)"
    rf"|(?P<ante>ante)?penultimate)\b|\blast but (?P<many>{LITERAL})"
)
"""Places from the end: `second to last`, `last but one`."""
_FREQUENCY = r"(?:often|frequently|commonly|common|frequent|usually|times)"
_RANK = rf"(?:(?P<rank>\d+(?:st|nd|rd|th)|{_NTH}|nth|[a-z]+teenth)[ -])?"
_NO_NOUN = rf"(?!{TOPIC}|(?:to|of|in|by|per|for|on|at|from|with|during|and|or|a|an|the|this|last|each|every|ever)\b)"
_COUNTED = rf"(?:(?:different|distinct|direct|separate|various|other) )?(?P<noun>{_NO_NOUN}[a-z-]+)"
_MOST = re.compile(
    rf"\b(?:the )?{_RANK}(?P<sense>most|least|fewest)\b"
    rf"(?: (?:(?P<often>{_FREQUENCY})|(?P<adjective>{_ADJECTIVES})|{_COUNTED}))?"
)
_EST = re.compile(
    rf"\b(?:the |'s )?{_RANK}(?P<word>{'|'.join(SUPERLATIVES)}|best|worst|[a-z]{{3,}}est)\b(?: of all| ever)?"
)
_LEVEL = re.compile(
    r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )(?<!\bis the )(?<!\bwas the )"
    r"\b(?:higher|lower|greater|larger|smaller|heavier|lighter) (?P<noun>[a-z]{3,})\b"
)
_HELD = re.compile(
    r"\b(?:has|have|had|having|with|at|(?P<does>(?:need|want|get|take|require|offer|reach|cover|return|show|record|produce"
    r"|charge|score|earn|boast|yield|carr(?:y|ie)|pay)(?:e?[sd]|ed)?|gave|gives?|got|took|paid)) (?:the )?·"
    r" (?P<noun>(?:[a-z-]{3,} )?[a-z-]{3,}(?=$| (?:of|in|at|on|for|from|among|by|to|with)\b)|[a-z-]{3,})"
)  # with an s, `does` is easily taken for a noun: which lab charges the lowest price
_NO_SUPERLATIVE_WORDS = """forest west east test rest request interest guest nest chest harvest contest protest invest
digest honest modest arrest priest quest southwest northwest midwest northeast southeast suggest earnest conquest
manifest tempest inquest crest vest pest zest jest"""
_NO_SUPERLATIVES = frozenset(_NO_SUPERLATIVE_WORDS.split())
_OF_SEVERAL = re.compile(r"^(?:which|who|what) of\b|^(?:out )?of (?:the|all|these|those)\b")
UNREAD = 10**6
"""The rank of a place that cannot be read: nothing has it, so nothing is answered."""
_EVENT = re.compile(r"\b([a-z]+ed|born|made|built|written|won|sold|come out|came out|join|release|publish|happen)\b")
_MEASURED = (
    "length|width breadth beam wide|height altitude elevation tall|depth draught deep"
    "|weight mass tonnage weigh weighs heavy kg|age"
    "|price cost costs fee fare rent toll rate value worth priced eur usd gbp dollars|speed velocity|area ha hectares"
    "|volume capacity litres|colour color|diameter|temperature|population inhabitants|power horsepower|pressure"
)
_OF_ANY = frozenset(("size", "number", "duration", "elevation", "age"))  # big, long, high, old measure much
_GROUPS = {word: number for number, group in enumerate(_MEASURED.split("|")) for word in group.split()}
_IS_MEASURE = re.compile(
    rf"\b(?:number|amount|count|total|quantity|level|figure|size|rating|score|{'|'.join(_GROUPS)})\b"
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two or more operands compared: by `operator`, over `questions` about one operand, `it` (alternatives).

    `verdict` tells that yes or no is asked for (`Is A older than B?`), not a winner. Where `until` is given, what is
    compared is the time from the date that `questions` ask for to the one that `until` asks for (`lived longer`).
    """

    operator: Operator
    operands: tuple[int, ...]
    questions: tuple[str, ...]
    verdict: bool = False
    until: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Superlative:
    """The best of what the core asks for: by an attribute (`questions` about one answer, `it`) or by frequency.

    `does` tells that it may be either: by what is done the most (`which costs the most`); where its word is not `known`
    the direction is only likely. `part` asks for what is measured where that is no measure: a plot's longest `hedge`.
    """

    direction: Literal["max", "min"]
    by: Literal["attribute", "frequency"]
    questions: tuple[str, ...] = ()
    rank: int = 1
    dated: bool = False
    does: bool = False
    known: bool = True
    part: tuple[str, ...] = ()

    @property
    def lasts(self) -> bool:
        """True where it may be told by when something began: what is longest began first."""
        return any(word in question for question in self.questions for word in ("length", "duration", "age", "long"))

    @property
    def counted(self) -> str:
        """The noun behind `the most`; empty where there is none."""
        number = re.match(r"number of (\S+)", self.questions[0]) if self.questions else None
        return number[1] if number else ""


_CLASS_NAMED = re.compile(rf"^(which|what|whose|out of which) {TOPIC} |\bthe [a-z]+ (?={TOPIC})")
"""The words that only say what the operands are: `which boat is longer, ...`, `than the boat Petrel`."""


def find_comparison(of: Skeleton, text: str, *, verdict: bool) -> Comparison | None:
    """The comparison that a skeleton's text asks for; None where it compares nothing."""
    text = _SET_BEFORE.sub(r"\3 \4 , \1 or \2", text)
    unclassed = " ".join(_CLASS_NAMED.sub(r"\1 ", text).split())
    text = unclassed if len(of.names(unclassed)) > 1 else text
    operands = of.names(text)
    if len(operands) < 2:
        return None
    if verdict and _SAME.search(text):
        return Comparison("same", operands, _shared(text), verdict=True)
    verdict = verdict and not _CHOICE.search(text)
    compared = bool(_THAN.search(text)) if verdict else bool(_CHOICE.search(text) or _BESIDE.search(text))
    found = _compared(text) if compared else None
    if found is None:
        return None
    operator, questions = found
    until = _LIFE_END if _LIVED.search(text) else ()
    questions = _LIFE_START if until else questions
    return Comparison(operator, operands[:2] if verdict else operands, questions, verdict, until)


def _compared(text: str) -> tuple[Operator, tuple[str, ...]] | None:
    """The operator that a text compares by, and what it measures of one operand."""
    if _LASTED.search(text):
        return "before", _BEGAN
    adjective = _MORE.search(text)
    if adjective:
        operator: Operator = "more" if adjective["sense"] == "more" else "less"
        if adjective["adjective"].startswith("recent"):
            operator = "after" if operator == "more" else "before"
        rest = _rest(text.replace(adjective[0], " "))
        return operator, _measured(operator, MOST_LEAST[adjective["adjective"]], rest)
    word = _COMPARATIVE.search(text) or _SUPERLATIVE.search(text)
    if word is None:
        return None
    operator, templates = (COMPARATIVES | SUPERLATIVES)[word[0]]
    held = _LEVEL.search(text)
    if held and held["noun"] not in _SCAFFOLD:
        return operator, (f"{held['noun']} of it",)
    rest = _rest(text[: word.start()] + " " + text[word.end() :])
    own = () if word[0] in _GENERIC | {"first", "last", "later", "earlier", "fewer"} else templates
    return operator, _measured(operator, own, rest)


def counted_off(of: Skeleton, text: str) -> str:
    """The text without numbers that only count things: `of the 20 rooms`, `the 3 oldest`; ranked `by` what it says.

    >>> from clause.reasoning.question.skeleton import skeleton
    >>> made = skeleton("the 3 largest towns by area", [])
    >>> counted_off(made, made.text), counted_off(made, "top daily rate")
    ('towns with the largest area', 'highest daily rate')
    """
    counts = [letter for letter in re.findall(LITERAL, text) if re.fullmatch(r"\d{1,3}", str(of.literal(letter).value))]
    for said, plain in COUNTS:
        if counts or "#" not in said:
            text = re.sub(said.replace("#", f"[{''.join(counts)}]"), plain, text)
    return text


_LASTING = re.compile(
    r"\b(?:the )?longest (?:without|w/o|since)\b(?P<what>.*)|\bsince (?:the )?longest$"
    r"|\b(?:been|gone|served|serving|worked|volunteered|taught|had|held|kept|owned|rented|with us)\b.*\blongest$"
)
_BEGAN = ("start date of it", "when did it start", "since when")
_LASTED = re.compile(r"\b(?:been|gone|served|serving|worked|working|here|with us)\b.*\blonger\b")
_LEVEL_OF = re.compile(r"^(?:the |what is the )?· (?:[a-z-]+ )?(?P<noun>[a-z-]+) (?:of|for|in|at|among|from)\b")


def find_superlative(text: str) -> tuple[Superlative | None, str]:
    """The superlative of a skeleton's text, and the text without its words.

    >>> find_superlative("what was the first film of ann")[1], find_superlative("who lives in the forest")[0]
    ('what was film of ann', None)
    """
    if _OF_SEVERAL.search(text) and not _THAN.search(text):
        text = re.sub(
            r"\b(more|less|fewer)\b", lambda hit: {"more": "most", "less": "least", "fewer": "fewest"}[hit[1]], text
        )
    text = _FROM_END.sub(_from_end, text)
    plain = _NOT_MEASURES.sub(lambda hit: "·" * len(hit[0]), text)
    lasting = _LASTING.search(plain)
    if lasting is not None:  # what began, or was done last, before all else
        asked = ("last date of it", "when was it last", "since when") if lasting["what"] else _BEGAN
        return Superlative("min", "attribute", asked, dated=True), text
    most = _MOST.search(plain)
    if most is not None:
        return _of_most(text, most)
    for hit in _EST.finditer(plain):
        if (word := hit["word"]) in _NO_SUPERLATIVES:
            continue
        owner = "'s" if hit[0].startswith("'s") else ""
        held = _HELD.search(f"{text[: hit.start()]}·{text[hit.end() :]}")
        lead = f"{text[: held.start()]}has" if held and (held["does"] or "").endswith("s") else text[: hit.start()]
        rest = _tidy(f"{lead} {owner} {text[hit.end() :]}").removeprefix("of ")
        operator, templates = SUPERLATIVES.get(word) or _unknown(word)
        part = (f"{held['noun']} of it",) if held and not _IS_MEASURE.search(held["noun"]) else ()
        held = held or _LEVEL_OF.search(f"{text[: hit.start()]}· {text[hit.end() :].lstrip()}")
        if held and operator not in DATED:
            templates = (f"{held['noun']} of {{}}", *templates)
        found = _superlative(operator, templates, rest, _place(hit["rank"]))
        return replace(found, known=word in SUPERLATIVES or word in {"best", "worst"}, part=part), rest
    return None, text


def _place(said: str | None) -> int:
    digits = re.match(r"\d+", said or "first")
    return int(digits[0]) if digits else ORDINALS.get((said or "first").replace(" ", "-"), UNREAD)


def _from_end(hit: re.Match[str]) -> str:
    if hit["but"] or hit["many"]:
        return f"{ {'one': 'second', 'two': 'third', 'three': 'fourth'}.get(hit['but'] or '', 'nth') } last"
    return "third last" if hit["ante"] else f"{(hit['nth'] or 'next').replace('next', 'second')} last"


_DONE_MOST = re.compile(
    r"\b(?!(?:is|are|was|were|the|which|who|what|has|have|does|did|do|been|appears?|occurs?)\b)(?P<verb>[a-z]{3,})"
    r"(?: (?:us|you|me|them|him|her|it|one))? (?:the )?(?:most|least)\b[^a-z]*(?:[a-z]+ ?)?$"
)


def _of_most(text: str, hit: re.Match[str]) -> tuple[Superlative, str]:
    noun = hit["noun"] or ""
    rest = _tidy(f"{text[: hit.start()]} {noun} {text[hit.end() :]}")
    rank = _place(hit["rank"])
    direction: Literal["max", "min"] = "max" if hit["sense"] == "most" else "min"
    adjective = hit["adjective"]
    if adjective:
        operator: Operator = "more" if direction == "max" else "less"
        if adjective.startswith("recent"):
            operator = "after" if direction == "max" else "before"
        return _superlative(operator, MOST_LEAST[adjective], rest, rank), rest
    done = None if noun or hit["often"] else _DONE_MOST.search(text[: hit.end()])
    if done:
        return Superlative(direction, "frequency", (f"how much does it {done['verb']}",), rank, does=True), rest
    return Superlative(direction, "frequency", (f"number of {noun} of it",) if noun else (), rank), rest


def _superlative(operator: Operator, templates: tuple[str, ...], rest: str, rank: int) -> Superlative:
    questions = [template.format("it") for template in templates]
    dated = operator in DATED
    if dated:
        questions = (
            [f"when was it {event}" for event in _EVENT.findall(rest)] + questions + ["date of it", "year of it"]
        )
    direction: Literal["max", "min"] = "max" if operator in {"after", "more"} else "min"
    return Superlative(direction, "attribute", tuple(dict.fromkeys(questions)), rank, dated)


def _unknown(word: str) -> tuple[Operator, tuple[str, ...]]:
    if word in {"best", "worst"}:
        return ("more" if word == "best" else "less"), ("rating of {}", "score of {}", "rank of {}")
    stem = re.sub("i$", "y", word.removesuffix("est")).replace("littl", "little")
    sense: Operator = "less" if stem in {"little", "tiny", "slim", "skinny", "slow", "weak", "light"} else "more"
    return sense, (f"how {stem} is {{}}", f"{stem} of {{}}")


def _rest(text: str) -> str:
    """The words that say what is compared: without the operands, the comparing words and those that only join."""
    kind = class_words(text)
    bare = _OPERANDS.sub(" ", _SAME.sub(" ", text))
    words = [word for word in bare.split() if not re.fullmatch(TOPIC, word)]
    content = [word for word in words if word not in _SCAFFOLD]
    if kind is not None and text.split(maxsplit=1)[0] in {"which", "what"}:
        inside = [word for word in content if word != kind.noun and word not in kind.modifiers]
        content = inside or content if words[:1] != ["which"] else inside
    return " ".join(content)


def _shared(text: str) -> tuple[str, ...]:
    """Questions about one operand for `have the same X`: `X of it`, and through what else the text names."""
    said = _ATTRIBUTE.search(text)
    attribute = " ".join(word for word in said["words"].split() if word not in _SCAFFOLD) if said else ""
    before = text if said is None else f"{text[: said.start()]} {text[said.end() :]}"
    before = re.sub(
        rf"\b[a-z]+s (?:, )?(?={TOPIC} (?:,|and))", " ", before
    )  # the kind of the operands: `both films A and B`
    done = _DONE_SAME.search(text)
    if done and done["verb"] not in _SCAFFOLD:
        who = "who" if done["noun"] in {"person", "people", "man", "woman", "guy"} else f"which {done['noun']}"
        return (f"{who} {'is' if done['verb'] in PARTICIPLES else 'does'} it {done['verb']} {done['by']}",)
    others = list(dict.fromkeys(singular(word) for word in _rest(before).split()))
    if not attribute:
        return (f"{' '.join(others)} of it",) if others else ("what is it",)
    if not others:
        return f"{attribute} of it", f"what is the {attribute} of it"
    through = " ".join(others)
    return f"{attribute} of the {through} of it", f"{through} {attribute} of it", f"{attribute} of it"


def _measured(operator: Operator, templates: tuple[str, ...], rest: str) -> tuple[str, ...]:
    """Questions about one operand, `it`: from the templates of the comparing word, and from the words beside it."""
    found: list[str] = []
    event = next((event for event in _DATE_NOUNS if re.search(rf"\b{event}\b", rest)), None)
    others = " ".join(rest.replace(event, " ").split()) if event else rest
    thing = f"the {others} of it" if others else "it"
    if operator in DATED and event:
        found.append(f"{_DATE_NOUNS[event]} of {thing}")
        found.append(f"when was {thing} {event}")
    elif templates:
        found += [template.format(thing) for template in templates]
        found += [f"{rest} of it"] if rest else []
    elif operator in DATED:
        found += [f"when was it {rest}", f"date of {rest} of it", f"{rest} date of it"] if rest else []
        found += ["date of it", "when was it"]
    else:
        found += [f"{rest} of it", f"number of {rest} of it", f"what {rest} does it have"] if rest else ["number of it"]
    return tuple(dict.fromkeys(found))


def _tidy(text: str) -> str:
    return " ".join(text.split())


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
