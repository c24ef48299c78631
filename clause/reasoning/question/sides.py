"""The words of a question that tell which relation, and which side of one, it asks for."""

from __future__ import annotations

import re
from functools import lru_cache

from clause.reasoning.neighbourhood.port import Hop
from clause.reasoning.question.forms import ParsedQuestion
from clause.reasoning.question.pattern_text import TypeText, is_verb, plain_words
from clause.reasoning.question.seed_ranking import stem
from clause.reasoning.question.vocabulary import (
    COMPARATIVES,
    FORM_WORDS,
    GENDERS,
    INVERSES,
    MOST_LEAST,
    PREPOSITIONS,
    SUPERLATIVES,
    SYNONYMS,
)
from clause.text.quantities import singular
from clause.text.statements.words import bases

_WHEN = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|decade|century)\b|\bhow old\b|\bbirthday\b|\bdate of\b"
)
_MEASURE = re.compile(
    r"\bhow (?:tall|long|far|high|big|large|deep|heavy|wide|much|fast|old|expensive)\b|\bpopulation\b"
    r"|\b(?:price|cost|weight|height|length|depth|width|area|salary|temperature|duration|speed) of\b"
)
_NO_WORDS = """please thanks thank hello hey there here our your who whose got get gets have has having all any some
every each both thing things stuff something anything everything whatever person people someone anyone everyone else
itself himself herself too much very just exactly actually really kind sort type called named name know say says do
than then will can could would should might may must been being were was are not only own one ones two also again"""
_NOT_TELLING = FORM_WORDS | COMPARATIVES.keys() | SUPERLATIVES.keys() | MOST_LEAST.keys() | set(_NO_WORDS.split())
WHO = re.compile(r"^(?:who|whom|whose|where)\b|\bwhom\b")


@lru_cache(maxsize=65536)
def roots(word: str) -> frozenset[str]:
    """The roots that a word has in common with its other forms: `leads` and `led`, `director` and `directed`.

    >>> bool(roots("leads") & roots("led")), bool(roots("director") & roots("directed")), roots("plan") & roots("plain")
    (True, True, frozenset())
    """
    return frozenset((stem(word), *map(stem, bases(word))))


_HELPING = "(?:does|do|did|has|have|had|can|could|will|would|may|might|should)"
_BEING = "(?:is|are|was|were|be|been|being|get|gets|got)"
_SIDES = (
    ("agent", rf"{_BEING} it (?:\w+ )?VERB (?:\w+ )?by\b|\bby (?:what|whom|who|which \w+) {_BEING} it VERB\b"),
    ("patient", rf"(?:{_BEING} )?(?:\w+ )?VERB by it\b"),
    ("patient", rf"{_HELPING} (?:not )?it (?:\w+ )?VERB\b"),
    (
        "agent",
        rf"(?:^|\b)(?:what|who|which(?: \w+)?|something|things?|that)(?: {_HELPING})? (?:\w+ly )?VERB (?:\w+ )?it\b",
    ),
)


def asked_side(question: str, verbs: frozenset[str]) -> str | None:
    """The side of a verb that a masked question asks for: its `agent`, its `patient` (done to), or None.

    Args:
        question: with its topic masked, in small letters.
        verbs: roots of the verb.

    >>> asked_side("what causes it", roots("causes")), asked_side("what is it caused by", roots("causes"))
    ('agent', 'agent')
    >>> asked_side("what does it cause", roots("causes")), asked_side("what is caused by it", roots("causes"))
    ('patient', 'patient')
    >>> asked_side("who is it 's manager", roots("manages"))
    'agent'
    """
    for word in re.findall(r"[a-z]+", question):
        if word in FORM_WORDS or not roots(word) & verbs:
            continue
        if word.rstrip("s").endswith(("er", "or")) and re.search(rf"\bit 's {word}\b|\b{word} of it\b", question):
            return "agent"
        for side, form in _SIDES:
            if re.search(form.replace("VERB", word), question):
                return side
    return None


def wanted_kind(question: str) -> str | None:
    """The kind of answer that a question's words ask for: `date`, `number`, `entity`, or None where they leave it open.

    >>> wanted_kind("when was it born"), wanted_kind("how tall is it"), wanted_kind("who made it")
    ('date', 'number', 'entity')
    """
    if _WHEN.search(question):
        return "date"
    if _MEASURE.search(question):
        return "number"
    return "entity" if WHO.search(question) else None


def says(hop: Hop, step: str, text_of: TypeText) -> str | None:
    """Tell how a hop is a step of an implied relation: `exact` by its own word, `wide` by a wider one, None not at all.

    >>> father = Hop("father", True)
    >>> says(father, "father", str), says(father.inverse, "child", str)
    ('exact', 'exact')
    >>> says(Hop("child", True), "son", str), says(father, "mother", str)
    ('wide', None)
    """
    words = {singular(word) for word in text_of(hop.relation).split()}
    leads_on = hop.forward != ("of" in words)  # `father of` leads from the father
    towards = step if leads_on else INVERSES[step]
    own = {singular(word) for word in SYNONYMS[towards]}
    if words & own:
        gendered = not leads_on and step in GENDERS
        return "wide" if gendered else "exact"
    wider = {"father": "parent", "mother": "parent", "son": "child", "daughter": "child"}
    wider |= {"husband": "spouse", "wife": "spouse", "brother": "sibling", "sister": "sibling"}
    towards = wider.get(towards, towards)
    general = {towards, f"{towards}ren"} if step in wider else set()
    return "wide" if words & {singular(word) for word in general} else None


def telling_words(parsed: ParsedQuestion) -> tuple[str, ...]:
    """The words of a question that are no names, and say more than its form."""
    return tuple(word for word in parsed.words if word not in _NOT_TELLING)


@lru_cache(maxsize=16384)
def kin(word: str) -> frozenset[str]:
    """The roots of a word, and of the words for the same step of a family, a film, a team, or the step back."""
    steps = [step for step, named in SYNONYMS.items() if word in named or singular(word) in named]
    words = {word, *(name for step in steps for one in (step, INVERSES[step]) for name in SYNONYMS[one])}
    return frozenset(root for one in words for root in roots(one))


_OPEN = "(?:from|to|on|in|with|at|for|into|under|over|through|against|about|near|after|off|out)"


def asked_way(question: str, text: str) -> bool | None:
    """Tell whether a masked question asks for what a type leads to from `it` (True), or for what leads to `it` by the
    type (False); None where grammar does not say.

    Args:
        question: with its topic masked, in small letters.
        text: the type's words.

    >>> asked_way("who did it learn from", "learned from"), asked_way("who learned from it", "learned from")
    (True, False)
    >>> asked_way("what parts does it have", "has part"), asked_way("what parts does it have", "part of")
    (True, False)
    >>> asked_way("what caused it", "caused by"), asked_way("what does it cause", "causes")
    (True, True)
    """
    question, words = _bare(question), plain_words(text).split()
    while len(words) > 1 and words[0] in _BEGINNINGS:
        words = words[1:]
    noun = not is_verb(words[0]) and words[-1] not in PREPOSITIONS - {"of"}
    said = words[-2 if words[-1] == "of" and len(words) > 1 else -1] if noun else words[0]
    for word in re.findall(r"[a-z]+", question):
        if word in FORM_WORDS or not roots(word) & roots(said):
            continue
        found = _of_noun(question, word, words) if noun else _of_verb(question, word, words)
        if found is not None:
            return found
    side = asked_side(question, roots(said)) if words[-1] == "by" or not noun or said.endswith("ed") else None
    if side is None:
        return None
    return (side == "agent") == (words[-1] == "by")


def _bare(question: str) -> str:
    return re.sub(r"\b(?:the|an?) it\b", "it", question)


def _of_noun(question: str, word: str, words: list[str]) -> bool | None:
    """The way that a question about `word` of `it` asks for, of a type that says a noun (`part`, `part of`)."""
    owner = words[-1] == "of"
    if re.search(
        rf"\bwhose (?:\w+ )?{word} (?:is|was|are|were) it\b|\b{_BEING} it (?:an? |the )?(?:\w+ )?{word} of\b", question
    ):
        return owner
    of_it = rf"\b{word} of (?:the |a |an )?it\b|\bit 's (?:\w+ )?{word}\b|\b{word} {_HELPING} it have\b"
    return not owner if re.search(of_it, question) else None


def _of_verb(question: str, word: str, words: list[str]) -> bool | None:
    """The way that a question with a verb and `it` asks for, of a type that says a verb and a preposition."""
    if len(words) < 2 or words[-1] not in PREPOSITIONS - {"of", "by"}:
        return None
    if re.search(
        rf"\b(?:{_HELPING}|{_BEING}) (?:not )?it (?:\w+ly )?{word}\b(?! by)|^it (?:{_BEING} )?{word}\b(?! by)", question
    ):
        return True
    return False if re.search(rf"\b{word}(?: \w+)? {_OPEN} it\b", question) else None


def asked_kin(question: str) -> list[str]:
    """The relatives of `it` that a masked question asks for: `child` of `whose father is it`.

    >>> asked_kin("who are it 's children"), asked_kin("whose daughter is it"), asked_kin("who is it the father of")
    (['child'], ['parent'], ['child'])
    """
    question = _bare(question)
    words = {singular(word) for word in re.findall(r"[a-z]+", question)}
    steps = [step for step in _KIN if words & {singular(word) for word in SYNONYMS[step]}]
    turned = re.search(rf"\bwhose \w+ (?:is|was) it\b|\b{_BEING} it (?:an? |the )?\w+ of\b", question)
    return list(dict.fromkeys(INVERSES[step] for step in steps)) if turned else steps


_KIN = ("parent", "child", "spouse", "sibling", *GENDERS)
_BEGINNINGS = frozenset(("is", "are", "was", "were", "has", "have", "had", "a", "an", "the", "been"))
