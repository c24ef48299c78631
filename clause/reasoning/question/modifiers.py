"""Additions of a question to its core: exclusions, negations, filters by a literal, and the class of what is asked for;
each function takes a skeleton's text and gives what it found and the text without it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from clause.reasoning.question.pattern_text import VERB_FORMS
from clause.reasoning.question.skeleton import LITERAL, TOPIC, Skeleton
from clause.reasoning.question.vocabulary import (
    AGED,
    AT_MOST,
    AUXILIARIES,
    COMPARATIVES,
    INCLUDED,
    OF_DATES,
    OPERATORS,
    PREPOSITIONS,
    SIDES,
    SUPERLATIVES,
    WH_WORDS,
    any_of,
    bounds,
    of_ages,
)
from clause.text.literals import LiteralFilter, LiteralValue
from clause.text.quantities import Date, Number

BESIDES = (
    r"(?:besides?|apart from|aside from|other than|except(?: for)?|excepting|excluding|not counting|not including"
    r"|with the exception of|but not|and not|in addition to|ignoring|leaving out)"
)
_GROUP = rf"{TOPIC}(?: (?:, )?(?:(?:and|or|&) )?{TOPIC})*"
_ONES = r"(?: itself|(?: [a-z-]+)? ones?\b)?"
_EXCLUDED = re.compile(rf"(?:, )?\b{BESIDES} (?:the )?(?P<group>{_GROUP})(?! 's){_ONES}(?: ,)?")
_ELSE = re.compile(r"\b(?:else(?:where)?|other|others|another|additional|further)\b(?! than\b)")
_NO_ELSE = re.compile(
    r"\b(?:each other|one another|other half|something or other|another name|other names?|(?:among|of|and) others)\b"
)
_THOSE = "(?:those|the ones?|ones|anything|any|whatever|what|everything)(?: that| which| who)?"
_NEGATED = re.compile(
    rf"(?:, )?(?:\b(?:that|which|who|but|and|where) )*(?:"
    rf"(?P<with>\b(?:with|contain|contains|containing|have|has|having|use|uses|using|need|needs|include|includes)) no"
    rf"|\bwithout(?: (?:any|using))?"
    rf"|(?:\b(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would) )?\bnot(?P<verb>(?: [a-z-]+){{0,4}})"
    rf"|\b(?:never|{BESIDES} {_THOSE})(?P<never>(?: [a-z-]+){{1,4}})"
    rf") (?:the )?(?P<group>{_GROUP})"
)
_AT = rf"(?:(?:in|at|on|for|with|of) )?(?:the )?({TOPIC})"
_NEITHER_OF = re.compile(rf"\b((?:(?!(?:which|what|who|that)\b)[a-z-]+ ){{0,2}})neither {_AT} nor {_AT}")
_SAID = "|".join(re.escape(word) for word in sorted(OPERATORS, key=len, reverse=True))
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
_JOINING = "|".join(sorted(PREPOSITIONS | AUXILIARIES | {"and", "or", "but", "that", "who", "which"}))
_COUNTED = rf"(?P<counted>(?: (?!(?:{_JOINING})\b)[a-z-]+){{0,2}}(?: (?:per|a|each) [a-z]+)?)"
_BETWEEN = re.compile(
    rf"{_LEAD}(?P<never>\bnot )?(?:\bbetween (?P<low>{LITERAL}) and|(?:\bfrom )?(?P<low2>{LITERAL}) "
    rf"(?:to|until|till|through)) (?P<high>{LITERAL}){_COUNTED}"
)
_AGAIN = rf"(?:(?:in|on|at|from|with|of) )?(?:the )?{LITERAL}"
_EITHER = re.compile(
    rf"{_LEAD}(?P<never>\bnot )?(?P<at>\b(?:in|on|at|from|with|of|for|during) )?(?:either )?(?P<all>{_AGAIN}"
    rf"(?:(?: ,| or| and) {_AGAIN})*(?: ,)? (?:or|and) {_AGAIN}){_COUNTED}"
)
_OPERATOR = rf"(?:(?:{_SAID})|(?:{_THAN}) than)(?: the)?(?: year)?"
_COMPARED = re.compile(
    rf"{_LEAD}\b(?:(?P<not>(?:no|not) )?(?P<than>{_THAN}) than|(?P<never>(?:not|never) )?(?P<or>(?:on|in|at) or )?"
    rf"(?P<op>{_SAID}))(?: the)?(?: year)? (?P<value>{LITERAL}){_COUNTED}"
)
_DENIED = re.compile(
    rf"\b(?:(?:do|does|did) )?(?:not|never) (?:been |be )?(?P<done>{_VERB}|{_TAKES})"
    rf"(?P<noun>(?: an?| any)?(?: [a-z]+)?)(?= (?:between|{_OPERATOR}) {LITERAL})"
    rf"|\b(?P<has>has|have|having|with) no(?P<lacks> [a-z]+)(?= {_OPERATOR} {LITERAL})"
)
_NEITHER = re.compile(
    rf"\bneither (?P<one>(?P<op>{_OPERATOR} )?{LITERAL}) nor (?P<two>{_OPERATOR} )?(?P<value>{LITERAL})"
)
_NAMED = re.compile(
    rf"(?:\b(?:with|of|at|has|have|having) )?(?:the |an? )?"
    rf"\b(?P<words>(?!(?:{_JOINING}|top|first|last|next|about|nearly|almost|exactly|the|all)\b)[a-z-]{{3,}}) "
    rf"(?P<value>{LITERAL})(?! ?(?:[a-z]+ )?(?:or|and) {LITERAL})"
)
_BARE = re.compile(rf"(?P<value>{LITERAL})")
_ON = re.compile(
    rf"(?P<value>{LITERAL})(?: (?P<of>[a-z-]+))? (?:or|and) (?P<side>{'|'.join(SIDES)})\b"
    rf"(?! (?:than )?(?:the )?(?:year )?{LITERAL})|{_LEAD}\b(?:from|since|starting(?: in| from)?) (?P<first>{LITERAL})"
    r" (?:and )?(?:onwards?|upwards?|on(?= *(?:[?.!,]|$)))"
)
_NO_NOUN_WORDS = "both either they them we i you it ever also whose between besides except without is yet"
_NO_NOUN = (
    AUXILIARIES | PREPOSITIONS | WH_WORDS | {"that", "and", "or", "but", "not", "'s", "than", "there", "he", "she"}
)
_NO_NOUN |= set(_NO_NOUN_WORDS.split())
_VAGUE_WORDS = """all thing things stuff one ones something anything everything whatever person people someone anyone
everyone everybody anybody somebody"""
_VAGUE = frozenset(_VAGUE_WORDS.split())
_LISTED = """the a an all any some every each different of these those this many one
belonging containing starring border borders cost costs last lasts lasted lie lies lay play star use work"""
_DETERMINERS, _VERBS = (frozenset(line.split()) for line in _LISTED.splitlines())
_PAST = re.compile(r"\S{3,}ed")
_COPULA = re.compile(r"^(?:what|who|which) (?:is|are|was|were) (?:the |all )?")
_KIND_AND_MORE = re.compile(r"(?![a-z]+ing (?!of\b))[a-z-]+ (?:of|by|from|in|on|at|with|that|which|who|[a-z]+ed)\b")
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


@dataclass(frozen=True, slots=True)
class ClassWords:
    """The noun for what is asked for, the words before it, and what it is said to be: `german films are comedies`."""

    noun: str
    modifiers: tuple[str, ...] = ()
    said_of: str = ""


def take_excluded(of: Skeleton, text: str) -> tuple[tuple[int, ...], str]:
    """Names that the answers must not be (`besides X`), and the text without them."""
    places = [place for hit in _EXCLUDED.finditer(text) for place in of.names(hit["group"])]
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
    text = _NEITHER_OF.sub(r"not \1\2 or \3", text)
    text = re.sub(rf"\b(in|on|under|with) ({TOPIC}) 's ([a-z]+)$", r"\1 \3 of \2", text)  # `not in X's care`
    text = re.sub(r"\b((?:must|should|may|shall|can|could) (?:i|we|you|one)) not\b", r"\1", text)  # it asks what is bad
    text = re.sub(rf"\b(?:(?:that|which|who) )?({TOPIC}) (did|does|has|had) (not|never)\b", r"\2 \1 \3", text)
    text = re.sub(rf"\b(?:did|does|do|has|have|had) (?:the )?({TOPIC}) (?:not|never) ([a-z]+)", r"not \2 by \1", text)
    found = [
        Excluded(of.names(hit["group"]), (hit["verb"] or hit["never"] or hit["with"] or "with").strip())
        for hit in _NEGATED.finditer(text)
    ]
    return tuple(found), _tidy(_NEGATED.sub(" ", text))


def take_filters(of: Skeleton, text: str, *, denied: bool = True) -> tuple[tuple[LiteralFilter, ...], str]:
    """Literals that restrict the answers, and the text without them and the words that belong to them alone.

    A `not` before one is heard where it may be `denied`: whether a film was not made in 1999 asks whether it was.
    """
    found: list[LiteralFilter] = []
    for said, plain in bounds(LITERAL, _JOINING):
        text = said.sub(plain, text)
    if denied:
        text = _DENIED.sub(lambda hit: f"{hit['done'] or hit['has']}{hit['noun'] or hit['lacks'] or ''} not", text)
        text = _NEITHER.sub(lambda hit: f"not {hit['one']} and not {hit['two'] or hit['op'] or ''}{hit['value']}", text)

    def value(letter: str) -> LiteralValue:
        return of.literal(letter).value

    for hit in _BETWEEN.finditer(text):
        words, low = _words(hit["lead"], hit["counted"]), value(hit["low"] or hit["low2"])
        found.append(LiteralFilter("between", low, value(hit["high"]), words, hit["never"] is not None))
    text = _tidy(_BETWEEN.sub(" ", text))
    for hit in _EITHER.finditer(text):
        each = [value(letter) for letter in re.findall(LITERAL, hit["all"])]
        dated = all(isinstance(one, Date) for one in each)
        if dated or ((hit["lead"] or hit["at"]) and (len(each) > 2 or " and " not in hit["all"])):
            words = _words(hit["lead"], None if dated else hit["counted"])
            found.append(any_of(each, words, negated=hit["never"] is not None))
            text = text.replace(hit[0].removesuffix(hit["counted"]) if dated else hit[0], " ")
    found += [
        LiteralFilter("since", value(hit["first"]), None, _words(hit["lead"]))
        if hit["first"]
        else LiteralFilter(SIDES[hit["side"]], value(hit["value"]), None, _sided(hit, value(hit["value"])))
        for hit in _ON.finditer(text)
    ]
    text = _tidy(_ON.sub(" ", text))
    single, text = _bounds(of, text)
    found += single
    for hit in _NAMED.finditer(text):
        number = value(hit["value"])
        if isinstance(number, Number) and not number.unit:
            found.append(LiteralFilter("same", number, None, hit["words"]))
            text = _tidy(text.replace(hit[0], " "))
    for hit in _BARE.finditer(text):
        if isinstance(value(hit["value"]), Date):
            found.append(LiteralFilter("in", value(hit["value"])))
            text = _tidy(text.replace(hit["value"], " "))
    return tuple(map(of_ages, found)), text


def _bounds(of: Skeleton, text: str) -> tuple[list[LiteralFilter], str]:
    """The filters of one bound each, and the text without them; two that stand together are of one attribute."""
    every = [(hit, of.literal(hit["value"]).value) for hit in _COMPARED.finditer(text)]
    single = [(hit, value) for hit, value in every if hit["op"] != "by" or isinstance(value, Date)]
    found = list[LiteralFilter]()
    for hit, value in single:
        said = COMPARATIVES[hit["than"]][0] if hit["than"] else OPERATORS[hit["op"]]
        operator = AT_MOST.get(said, said) if hit["not"] else said
        measure = hit["than"] if hit["than"] not in {None, "more", "less", "fewer", "before", "after", "later"} else ""
        dated = isinstance(value, Date) and not value.bare and not hit["counted"]  # `over` 1990 is after it
        operator = OF_DATES.get(operator, operator) if dated else operator
        operator = INCLUDED.get(operator, operator) if hit["or"] else operator
        words = _words(hit["lead"], measure or "", hit["counted"])
        found.append(of_ages(LiteralFilter(operator, value, None, words, hit["never"] is not None)))
    for place in reversed(range(len(single) - 1)):
        low, high = found[place : place + 2]
        start, end = single[place][0].end(), single[place + 1][0].start()
        between = text[start:end].strip()
        if _OR.fullmatch(between) and (both := _either_side(low, high)):
            found[place : place + 2] = [both]
            text = f"{text[:start]} {text[end:]}"
        elif between in {"", "and", "but"}:
            words = low.words or high.words
            found[place : place + 2] = replace(low, words=words), replace(high, words=high.words or words)
    for hit, _ in single:
        text = text.replace(hit[0], " ")
    return found, _tidy(text)


_OR = re.compile(r"or(?: (?:that|which|who|are|is|were|was|be|been|either|has|have|with))*")


def _either_side(low: LiteralFilter, high: LiteralFilter) -> LiteralFilter | None:
    """The filter by two bounds with what lies between left out: `before 1999 or after 2003`, `under 18 or over 65`."""
    one, two = ({*COMPARATIVES[a.words][1]} if a.words in COMPARATIVES else {a.words} for a in (low, high))
    apart = {low.operator, high.operator} in ({"before", "after"}, {"less", "more"})
    if not apart or low.negated or high.negated or not (one & two or not low.words or not high.words):
        return None
    low, high = (low, high) if low.operator in {"before", "less"} else (high, low)
    return LiteralFilter("between", low.value, high.value, low.words or high.words, negated=True)


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
    return ClassWords(taken[-1], tuple(taken[:-1]), said[1] if said and said[1] not in VERB_FORMS else "")


def _is_verb(words: Sequence[str], text: str) -> bool:
    """Tell whether the last of some words is a verb behind a plural: `soups call for`, `things boil above`."""
    noun, verb = words[-2:]
    plural = noun.endswith("s") and not noun.endswith("ss") and not verb.endswith("s")
    return plural and re.search(rf"\b{verb} (?:(?!of\b)(?:{_JOINING})|{_SAID}|{_THAN})\b", text) is not None


def _sided(hit: re.Match[str], value: LiteralValue) -> str:
    """The words for the attribute of `34 seats or more`, and of `34 or older` what it is compared by."""
    return _words(hit["of"], hit["side"] if hit["side"] in AGED and isinstance(value, Number) else "")


def _words(*parts: str | None) -> str:
    """The words for an attribute; having it says nothing of which it is."""
    return " ".join(word for part in parts if part for word in part.split() if word not in {"have", "has", "having"})


def _tidy(text: str) -> str:
    spaced = re.sub(r"\s+", " ", text)
    return re.sub(r"^(?:, |and )+|(?: ,| and| but| i mean)+(?= [?.!]|$)", "", spaced.strip()).strip()


_PLAIN = rf"(?!{TOPIC}|{LITERAL})[a-z'-]+"
_AFTER_NOUN = """is are was were has have written known recorded listed documented given noted set put down on to
against at in for from and but yet as whatsoever of by"""
_END = rf"(?:{'|'.join(_AFTER_NOUN.split())})\b"
_NOT_ONE = r"(?!(?:one|longer|more|less|later|fewer)\b)"
_LACKED = rf"{_NOT_ONE}(?P<noun>(?!{_END}){_PLAIN}(?: (?!{_END}){_PLAIN}){{0,3}})"
_NOBODY = r"(?:nobody|no one|no-one|none|no person) (?!(?:less|more|else|other|but)\b)"
_ONE = r"(?:(?:any|a single|a|an|one|even one) )?"
_AUXILIARY = r"(?:do|does|did|has|have|had|is|are|was|were|can|could)"
_HELPING = r"(?:(?:has|have|is|was|are|ever|down|as|to|can|will) )*"
_LACKS = (
    rf"(?:for|of|to|in|on|at|with) (?:which|whom) (?:there (?:is|are) )?no {_LACKED}",
    rf"(?:with|has|have|having|had|got|carry|carries|shows?) (?:got )?no {_LACKED}",
    rf"(?:is|are|was|were) there no {_LACKED}",
    rf"(?:is|are|was|were) no {_LACKED} (?:listed|known|recorded|given|documented|noted)",
    rf"(?:(?<!longest )(?<!longer )without|w/o|lacks?|lacking|missing) {_ONE}{_LACKED}",
    rf"{_AUXILIARY} (?:not|never) (?:have|got|possess) {_ONE}{_LACKED}",
    rf"(?:has|have|with|having|got) (?:{_NOBODY}|nothing )(?P<role>[a-z]+(?: [a-z]+){{0,3}})",
    rf"(?:(?:which|that|whom|because|since|as) )?(?:with )?{_NOBODY}{_HELPING}(?P<done>[a-z]+)"
    r"(?P<after>(?: [a-z]+){0,3})",
    r"(?P<doing>[a-z]+) (?:nobody|no one|no-one|nothing)",
    rf"(?P<how>{_AUXILIARY}) (?:not|never) (?P<said>(?:{_PLAIN}(?: |$)){{1,9}})",
    rf"never (?P<been>been )?(?P<once>(?:{_PLAIN}(?: |$)){{1,7}})",
)
_LACK = [re.compile(rf"(?:, |\b(?:that|which|who|and|but) )?\b{form}") for form in _LACKS]
_EMPTY = re.compile(r"\b(?:any|a single|even|yet|ever|of the|at all|single)\b|\b(?:a|an) (?=[a-z])")


@dataclass(frozen=True, slots=True)
class Lack:
    """Something that answers must not have: as questions about one that had it, `it`."""

    questions: tuple[str, ...]


def take_lack(text: str) -> tuple[Lack | None, str]:
    """Find what a core without names says is lacking, and give the core without it.

    >>> take_lack("which houses have no builder on record")
    (Lack(questions=('builder of it', 'which houses have builder on record')), 'which houses')
    >>> take_lack("teachers who advise nobody")[0].questions[0], take_lack("which huts have no one less")[0]
    ('what does it advise', None)
    >>> take_lack("which systems have never been hit by an incident")[0].questions[0]
    'what is it hit by incident'
    """
    for form in _LACK:
        hit = form.search(text)
        if hit is None:
            continue
        found = {name: said.strip() for name, said in hit.groupdict().items() if said}
        question = _question(found)
        if question is None:
            continue
        rest = " ".join(f"{text[: hit.start()]} {_outside(text[hit.end() :])}".split()).strip(" ,")
        whole = " ".join(re.sub(r"\b(?:no|not|never|nobody|without)\b", " ", text).split())
        return Lack((question, whole)), rest
    return None, text


def _outside(after: str) -> str:
    """Return the words behind a lack that are no part of it: from a comma on."""
    return after[after.index(" , ") :] if " , " in after else ""


def _question(found: dict[str, str]) -> str | None:
    if noun := found.get("noun"):
        return f"{noun} of it"
    if role := found.get("role"):
        return f"who is {role} of it"
    if done := found.get("done"):
        return " ".join(f"who {done} it {found.get('after', '')}".split())
    if doing := found.get("doing"):
        return None if doing in {"is", "there", "has", "have", "with", "names", "for"} else f"what does it {doing}"
    said = _EMPTY.sub(" ", found.get("said") or found.get("once") or "").split()
    if not said or said[0] in {"sure", "know", "mind", "counting", "including"}:
        return None
    be = found.get("how") in {"is", "are", "was", "were"} or found.get("been") or said[0] == "been"
    said = said[1:] if said[0] == "been" else said
    return f"what is it {' '.join(said)}" if be else f"what does it {' '.join(said)}"
