"""The words of a question that tell which relation, and which side of one, it asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from clause.reasoning.question.forms import ParsedQuestion
from clause.reasoning.question.measures import measured
from clause.reasoning.question.pattern_text import PARTICIPLES, VERB_FORMS, TypeText, is_placed, is_verb, plain_words
from clause.reasoning.question.seed_ranking import stem
from clause.reasoning.question.vocabulary import (
    COMPARATIVES,
    DESCRIBED,
    FORM_WORDS,
    GENDERS,
    INVERSES,
    MOST_LEAST,
    PLACED,
    PREPOSITIONS,
    SUPERLATIVES,
    SYNONYMS,
    WH_WORDS,
)
from clause.text.statements.lexicon import Relation, relation
from clause.text.statements.words import bases
from clause.text.tokens import singular

_LISTED = Path(__file__).with_name("sides.txt").read_text(encoding="utf-8").splitlines()
_LINES = (frozenset(line.split()) for line in _LISTED[1:])
_NO_WORDS, _ANY_KIND, _OF_MANY, _DETERMINERS, _HELPERS, PLACES, _TIMES, _NOT_NOUNS = _LINES
_NOT_TELLING = FORM_WORDS | COMPARATIVES.keys() | SUPERLATIVES.keys() | MOST_LEAST.keys() | _NO_WORDS


@lru_cache(maxsize=65536)
def roots(word: str) -> frozenset[str]:
    """The roots that a word has in common with its other forms: `leads` and `led`, `director` and `directed`.

    >>> bool(roots("leads") & roots("led")), bool(roots("director") & roots("directed")), roots("plan") & roots("plain")
    (True, True, frozenset())
    """
    doing = {word[:-1]} if word.endswith("ery") else set[str]()  # the discovery of what is discovered
    return frozenset(map(stem, {word, *bases(word), *doing}))


def type_roots(types: Iterable[str], text_of: TypeText) -> frozenset[str]:
    """The roots of the words of some relationship types.

    >>> sorted(type_roots(["directed by", "leads"], str))
    ['direct', 'lead']
    """
    words = (word for name in types for word in text_of(name).split())
    return frozenset(root for word in words if word not in FORM_WORDS for root in roots(word))


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
    """The side of a verb, of which `verbs` are the roots, that a question in small letters asks for, its topic masked:
    its `agent`, its `patient` (done to), or None.

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


def telling_words(parsed: ParsedQuestion) -> tuple[str, ...]:
    """The words of a question that are no names, and say more than its form; `per day` names no day."""
    told = zip(("", *parsed.words), parsed.words, strict=False)
    return tuple(word for before, word in told if before != "per" and word not in _NOT_TELLING)


def says_noun(said: str, noun: str) -> bool:
    """Tell whether a hop in words is called by a noun: `head warden of it`, and not `what made the warden of it`."""
    kind, _, it = said.rpartition(" of ")
    last = kind.split()[-1:] if it == "it" and "what" not in kind.split() else ()
    return any(roots(word) & roots(singular(noun)) for word in last)


@lru_cache(maxsize=16384)
def kin(word: str) -> frozenset[str]:
    """The roots of a word, and of the words for the same step of a family, a film, a team, or the step back."""
    steps = [step for step, named in SYNONYMS.items() if word in named or singular(word) in named]
    words = {word, *(name for step in steps for one in (step, INVERSES[step]) for name in SYNONYMS[one])}
    return frozenset(root for one in words for root in roots(one))


_MAY_BE = frozenset((Relation.SAME, Relation.WIDER))


@lru_cache(maxsize=16384)
def is_other_kind(question: str, text: str) -> bool:
    """Tell whether a question asks for another kind of what a type's text names, by the word before the noun.

    >>> is_other_kind("what is the melting point of it", "boiling point"), is_other_kind("its point", "boiling point")
    (True, False)
    >>> is_other_kind("when is the date of death of it", "date of birth"), is_other_kind("how deep is it", "area ha")
    (True, True)
    """
    words = plain_words(text).split()
    if is_verb(words[0]) or words[-1] in PREPOSITIONS or ("of" in words and words[0] not in _OF_MANY):
        return False
    *kinds, noun = _compound(words)
    own = frozenset(root for word in kinds if word not in FORM_WORDS for root in roots(word))
    said = _compound(re.findall(r"[a-z]+|'s", question))
    if (asked := measured(said)) and (told := measured(words)) and not asked & told:
        return True
    if not own or noun in PARTICIPLES or any(roots(word) & own for word in said):
        return False
    return any(
        not any(relation(word, kind) in _MAY_BE for kind in kinds)
        for word, after in pairwise(said)
        if after not in FORM_WORDS and roots(after) & roots(noun)
        if word not in _NOT_TELLING and word not in _ANY_KIND and word not in {"it", "'s"} and not is_verb(word)
    )


def _compound(words: Sequence[str]) -> list[str]:
    """Words with `date of birth` as `birth date`."""
    found = list(words)
    for at in range(1, len(found) - 1):
        if found[at] == "of" and found[at + 1] not in FORM_WORDS and found[at - 1] not in FORM_WORDS:
            found[at - 1 : at + 2] = [found[at + 1], found[at - 1], ""]
    return [word for word in found if word]


def may_be_part(whole: str, text: str, *, forward: bool, alone: bool) -> bool:
    """Tell whether a walk's last type may lead to what a question asks for of a thing that it describes; any other may.

    >>> asked = "who is the owner of the dog that bit something"
    >>> [may_be_part(asked, said, forward=True, alone=True) for said in ("owner", "bit")]
    [True, False]
    """
    asked = DESCRIBED.match(whole)
    part = [singular(word) for word in asked["part"].split()] if asked else []
    same = (relation(one, word) in _MAY_BE for one in part for word in text.split())
    named = any(kin(one) & type_roots((text,), str) for one in part) or any(same)
    return not part or ((named or not alone) and asked_way(f"what is the {part[-1]} of it", text) in {None, forward})


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
    >>> asked_way("who trained it", "trainer"), asked_way("who did it train", "trainer")
    (True, False)
    """
    question, words = _bare(question), plain_words(text).split()
    while len(words) > 1 and words[0] in _BEGINNINGS:
        words = words[1:]
    if len(words) > 2 and words[-1] in PREPOSITIONS - {"of"} and not is_verb(words[0]) and is_verb(words[1]):
        words = words[1:]  # a `record held by` somebody is what that one holds
    noun = not is_verb(words[0]) and words[-1] not in PREPOSITIONS - {"of"}
    said = words[-2 if words[-1] == "of" and len(words) > 1 else -1] if noun else words[0]
    for word in re.findall(r"[a-z]+", question):
        if word in FORM_WORDS or not roots(word) & roots(said):
            continue
        found = _of_noun(question, word, words) if noun else _of_verb(question, word, words)
        from_it = words[-1] == "by" and re.search(rf"\b{word} (?:{_BEING} )?from it\b", question)
        if found is not None or from_it:
            return bool(found)  # the recipes from her are those by her
    doer = noun and len(words) == 1 and said.endswith(("er", "or"))
    sided = (words[-1] == "by" or not noun or doer or said.endswith("ed")) and not is_placed(words)
    side = asked_side(question, roots(said)) if sided else None
    return None if side is None else (side == "agent") == (doer or words[-1] == "by")  # who trained it is its trainer


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
    by_others = is_placed(words) and words[-1] not in question.split()
    helping = _BEING if by_others else f"(?:{_HELPING}|{_BEING})"
    if re.search(rf"\b{helping} (?:not )?it (?:\w+ly )?{word}\b(?! by)|^it (?:{_BEING} )?{word}\b(?! by)", question):
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
    if not steps:
        return [step for step, said in PLACED.items() if said.search(question)]
    turned = re.search(rf"\bwhose \w+ (?:is|was) it\b|\b{_BEING} it (?:an? |the )?\w+ of\b", question)
    return list(dict.fromkeys(INVERSES[step] for step in steps)) if turned else steps


_KIN, _RELATIVES = ("parent", "child", "spouse", "sibling", *GENDERS), WH_WORDS | {"that"}
_BEGINNINGS = frozenset(("is", "are", "was", "were", "has", "have", "had", "a", "an", "the", "been"))
_TOWARDS = frozenset(("for", "in", "at", "to", "on", "by", "with"))
_LINKED, _DOING, _LONGEST_NOUN, _MOST_STEPS = frozenset(("or", "and")), {"does", "do", "did"}, 4, 4
_ASKS_ALONE = re.compile(r"^(?:in |at |on |from |to )?(?:where|when|how (?!many |much )|what do\w* it do$)")
_Part = tuple[int, int, str]  # where a phrase about `it` begins and ends among the words of a question, and the phrase


@lru_cache(maxsize=4096)
def steps_asked(question: str) -> tuple[str, ...]:
    """The hops that a masked question asks for one after the other, from `it` on, each as a question about `it`.

    Args:
        question: with its topic masked, in small letters.

    >>> steps_asked("where does the spouse of it 's parents live")
    ("it 's parents", 'the spouse of it', 'where does it live')
    >>> steps_asked("which college did the person it married 's kids go to")
    ('the person it married', "it 's kids", 'which college did it go to')
    >>> steps_asked("who made it"), steps_asked("what is the name of it 's owner")
    (('who made it',), ("it 's owner",))
    """
    words = _unnamed(_bare(re.sub(r"[?.,!]", " ", question)).split())
    found: list[str] = []
    while len(found) < _MOST_STEPS and words.count("it") == 1:
        at = words.index("it")
        part = _owned_by_it(words, at) or _noun_of_it(words, at)
        part = part or _object_clause(words, at) or _subject_clause(words, at)
        if part is None:
            break
        start, stop, said = part
        found += [said] if _tells(said) else []
        words[start:stop] = ["it"]
    rest = " ".join(words)
    return tuple(found) if found and (not _tells(rest) or _repeats(rest, found[-1])) else (*found, rest)


def _repeats(rest: str, step: str) -> bool:
    """Tell whether `where is it` or `when was it` says again what a step named: a place, a date."""
    again = PLACES if "where" in rest else _TIMES if "when" in rest else frozenset()
    return not set(re.findall(r"[a-z]{3,}", rest)) - _NOT_TELLING and bool(again & set(step.split()))


def _unnamed(words: list[str]) -> list[str]:
    """The words without the noun that says what `it` is: `the director of the film it`."""
    for at in [place for place, word in enumerate(words) if word == "it"]:
        before, behind = words[max(0, at - 3) : at], words[at + 1 : at + 2]
        article = len(before) == 3 and before[1] in _DETERMINERS
        owner = before[0:1] if article else before[-2:-1]
        if (
            owner == ["of"]
            and _is_noun(before[-1])
            and not (behind and (behind[0] in _HELPERS or behind[0] in VERB_FORMS))
        ):
            return [*words[: at - (2 if article else 1)], *words[at:]]
    return words


def _tells(said: str) -> bool:
    """Tell whether a phrase about `it` asks for a hop, and not only for `it` itself (`what is the name of it`)."""
    return bool(_ASKS_ALONE.search(said) or set(re.findall(r"[a-z]{3,}", said)) - _NOT_TELLING)


def _is_noun(word: str) -> bool:
    return word not in FORM_WORDS and word[0].isalpha() and word not in _NOT_NOUNS


def _relates(word: str) -> bool:
    """Tell whether a word behind a noun begins what is said of it: `owning`, `built by`."""
    return word in VERB_FORMS or (word.endswith(("ed", "ing")) and len(word) > 4)


def _owned_by_it(words: Sequence[str], at: int) -> _Part | None:
    """`it 's wife or husband`: up to the next owner, verb, preposition or end."""
    if words[at + 1 : at + 2] != ["'s"]:
        return None
    end = at + 2
    while end < len(words) and end - at - 2 < _LONGEST_NOUN:
        linked = words[end] in _LINKED and end + 1 < len(words) and _is_noun(words[end + 1])
        if not linked and not (_is_noun(words[end]) and (end == at + 2 or words[end] not in VERB_FORMS)):
            break
        end += 1
    inverted = _DOING & set(words[:at]) and not any(word in VERB_FORMS for word in words[end:])
    if inverted and end - at > 3 and words[end : end + 1] != ["'s"] and words[end - 2] not in _LINKED:
        end -= 1  # `what did it 's partner study`: the verb
    return (at, end, " ".join(words[at:end])) if end > at + 2 else None


def _noun_of_it(words: Sequence[str], at: int) -> _Part | None:
    """`the kids of it`, `date of birth of it`: back to the article, a verb or another form word."""
    if at < 2 or words[at - 1] != "of" or words[at + 1 : at + 2] == ["'s"]:
        return None
    if (start := _noun_before(words, at - 1)) == at - 1:
        return None
    while start > 1 and words[start - 1] == "of" and singular(words[at - 2]) == words[at - 2]:
        if (start := _noun_before(words, before := start - 1)) == before:
            start += 1
            break
    if start and words[start - 1] in _DETERMINERS:
        start -= 1
    return start, at + 1, " ".join(words[start : at + 1])


def _noun_before(words: Sequence[str], end: int) -> int:
    """The place where the nouns that end before `end` begin; `end` where there are none."""
    start = end
    while start and end - start < _LONGEST_NOUN:
        word = words[start - 1]
        linked = word in _LINKED and start < end and start > 1 and _is_noun(words[start - 2])
        if not linked and (not _is_noun(word) or (start < end and word in VERB_FORMS)):
            break
        start -= 1
    return start


def _headed(words: Sequence[str], end: int) -> int | None:
    """Find the start of a noun phrase with an article (or before a relative) that ends before `end`; None without."""
    relative = end > 0 and words[end - 1] in _RELATIVES
    stop = end - 1 if relative else end
    if (start := _noun_before(words, stop)) == stop:
        return None
    if start and words[start - 1] in _DETERMINERS:
        return start - 1
    return start if relative and start else None


def _object_clause(words: Sequence[str], at: int) -> _Part | None:
    """`the person it married`, `the firm that it works for`."""
    if (start := _headed(words, at)) is None:
        return None
    end = at + 1
    while end < len(words) and words[end] in _HELPERS:
        end += 1
    if end >= len(words) or not (_relates(words[end]) or end > at + 1):
        return None
    end += 1
    if end < len(words) and words[end] in _TOWARDS:
        end += 1
    return start, end, " ".join(words[start:end])


def _subject_clause(words: Sequence[str], at: int) -> _Part | None:
    """`the actor who played it`, `the books written by it`."""
    place = at - 1
    if place > 0 and words[place] in PREPOSITIONS:
        place -= 1
    if place < 1 or not _relates(words[place]):
        return None
    while place > 0 and words[place - 1] in _HELPERS:
        place -= 1
    start = _headed(words, place)
    return None if start is None or start == 0 else (start, at + 1, " ".join(words[start : at + 1]))
