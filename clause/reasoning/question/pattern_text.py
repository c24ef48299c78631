"""Typed patterns in words, from the last hop to the first, so that the side that is asked for cannot be mistaken."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from clause.text.names import HUMP

_PREPOSITIONS = (
    "about above after against along among around as at before behind below beside between beyond by during for from "
    "in inside into near of off on onto out outside over past through to toward towards under until upon via with "
    "within without"
)
PREPOSITIONS = frozenset(_PREPOSITIONS.split())
"""Words that end a type which wants its object: "located in", "part of"."""


class _Verb(NamedTuple):
    """One line of verbs.tsv.

    Attributes:
        marks: n, the plain form is a usual noun, too ("design"); s, the third person is a usual plural ("awards"); i,
            it takes no object ("died"); a, its past before a noun is an adjective ("certified medical specialties"); p,
            of its forms only the participle is known as a verb ("set", "light").
    """

    base: str
    past: str
    participle: str
    marks: str


def third(base: str) -> str:
    """The third person of a verb's plain form.

    >>> third("pass"), third("supply")
    ('passes', 'supplies')
    """
    if base.endswith(("s", "sh", "ch", "x", "o")):
        return base + "es"
    return base[:-1] + "ies" if base.endswith("y") and base[-2] not in "aeou" else base + "s"


def _regular(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    return base[:-1] + "ied" if base.endswith("y") and base[-2] not in "aeou" else base + "ed"


def _read(line: str) -> _Verb:
    base, past, participle, marks = (line.split("\t") + [""] * 3)[:4]
    return _Verb(base, past or _regular(base), participle or _regular(base), marks)


_VERBS = tuple(map(_read, Path(__file__).with_name("verbs.tsv").read_text(encoding="utf-8").splitlines()))
_WHOLE = tuple(verb for verb in _VERBS if "p" not in verb.marks)

PRESENT = frozenset(third(verb.base) for verb in _WHOLE if verb.base != "be" and "s" not in verb.marks)
"""Third persons: "uses", "causes"."""

_PLURALS = frozenset(third(verb.base) for verb in _WHOLE if "s" in verb.marks)
BASES = frozenset(verb.base for verb in _WHOLE if "n" not in verb.marks) - {"be"}
"""Plain forms that are no usual noun: "contain", "employ"."""

ACTIVE_PASTS = frozenset(verb.past for verb in _WHOLE if "a" not in verb.marks)
"""Pasts that stand alone: "directed", "wrote"."""

PARTICIPLES = frozenset(verb.participle for verb in _VERBS) | {"born"}
"""Participles of passives: "directed by", "written by"."""

VERB_FORMS = PRESENT | ACTIVE_PASTS | BASES | PARTICIPLES
"""Forms that are verbs where they stand behind a noun: "lives", "born"."""

_INTRANSITIVE = frozenset(verb.past for verb in _VERBS if "i" in verb.marks) | {"travelled"}


def is_passive(first: str, last: str) -> bool:
    """A type that begins with `first` and ends with the preposition `last` is said with "is".

    >>> is_passive("directed", "by"), is_passive("acted", "in"), is_passive("works", "for")
    (True, False, False)
    """
    if last == "by":
        return first.endswith("ed") or first in PARTICIPLES
    return first not in _INTRANSITIVE and (first in PARTICIPLES or (first.endswith("ed") and len(first) > 4))


def is_placed(words: Sequence[str]) -> bool:
    """A type says where something was done, and by whom is open: wards use what is `used on` them.

    >>> is_placed(["used", "on"]), is_placed(["works", "at"]), is_placed(["used", "by"])
    (True, False, False)
    """
    return words[-1] in {"on", "in", "at"} and is_passive(words[0], words[-1])


_FORMS = {verb.participle: verb for verb in _VERBS} | {
    form: verb for verb in _WHOLE for form in (verb.base, third(verb.base), verb.past, verb.participle)
}


_NO_OBJECT = _INTRANSITIVE | {"lied", "lay", "depended", "related", "relied"}
TRANSITIVE = tuple(
    verb.base
    for verb in _WHOLE
    if verb.base not in {"be", "consist", "hang", "begin", "base", "flow", "go"} and verb.past not in _NO_OBJECT
)
"""Plain forms of verbs that take an object."""


def participle(verb: str) -> str:
    """The participle of a verb in any of its forms.

    >>> participle("eats"), participle("wrote"), participle("befriends")
    ('eaten', 'written', 'befriended')
    """
    if verb in _FORMS:
        return _FORMS[verb].participle
    return verb if verb.endswith("ed") else _regular(_singular(verb))


def past(verb: str) -> str:
    """The past of a verb given by its participle.

    >>> past("written"), past("directed")
    ('wrote', 'directed')
    """
    return _FORMS[verb].past if verb in _FORMS else verb


def plain(verb: str) -> str:
    """The plain form of a verb in any of its forms.

    >>> plain("eats"), plain("caused")
    ('eat', 'cause')
    """
    return _FORMS[verb].base if verb in _FORMS else _singular(verb)


def _singular(verb: str) -> str:
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb


TOPIC = "it"
"""The word for a pattern's start, as the topic of a masked question."""

_GAP = re.compile(r"[\W_]+")
_KINDS = frozenset({"is a", "is an", "isa", "is", "a", "an", "type", "instance of", "kind", "kind of", "rdf type"})
_KIN = "of"
_COPULAS = frozenset({"is", "are", "was", "were", "been", "being"})
_OWNING = frozenset({"has", "have"})
_ARTICLES = frozenset({"a", "an", "the"})
_NOTHING_SAID = _ARTICLES | {"its", "his", "her", "their"}
_CAN_BE = re.compile(r"^(?:can|could|may) be ")
_KIND_OF = "county|town|city|village|parish|district|region|province|state|country|family|genus|order|field|league|year"
_NAMED_OF = re.compile(rf"^(.*\b(?:in|on|at|to|from|within) the (?:{_KIND_OF})) of$")  # "in the county of": a county
_AUXILIARIES = _COPULAS | _OWNING | _NOTHING_SAID

_QUALITIES = frozenset(("afraid", "scared", "fond", "proud", "aware", "capable", "tired", "typical", "characteristic"))
_LEADING = frozenset({"in", "of", "on", "by", "for", "with"})
_ATTRIBUTE_NOUNS = "date year time day place site location rate cost price number code id name count"
_ATTRIBUTES = frozenset(_ATTRIBUTE_NOUNS.split())
"""Nouns that make one thing with the verb before them: "publish date"."""


TypeText = Callable[[str], str]
"""A relationship type's own text, as the registry has it, or its name."""

CLASS_TYPES = frozenset({"is a", "isa", "type", "instance of", "kind", "kind of", "rdf type", "has type"})
"""Relationship types, in words, that lead from a thing to its class."""


@dataclass(frozen=True, slots=True)
class Wording:
    """Texts that a person gave a type, in place of what its name says; "{}" stands for where the hop comes from.

    Args:
        forward: from the type's first end, such as "director of {}" or plain "director".
        backward: from its second end, such as "films directed by {}".
    """

    forward: str | None = None
    backward: str | None = None


def pattern_text(hops: Sequence[tuple[str, bool]], wordings: Mapping[str, Wording] | None = None) -> str:
    """A pattern in words, its last hop first.

    Args:
        hops: (name or words of the type, walked forward) from the topic on.
        wordings: a person's own texts of types, by name.

    >>> pattern_text([("country", True), ("currency", True)])
    'currency of country of it'
    >>> pattern_text([("directed_by", True), ("directed_by", False), ("has_genre", True)])
    'genre of what is directed by what directed it'
    >>> pattern_text([("maker", False)]), pattern_text([("parent", False)], {"parent": Wording(backward="child")})
    ('whose maker is it', 'child of it')
    """
    said = TOPIC
    for words, forward in hops:
        frame = hop_frame(words, forward, wordings.get(words)) if wordings else _named_frame(words, forward)
        said = frame.replace("{}", said)
    return said


def own_wording(text: str, backward: str = "") -> Wording:
    """A person's words for a type as texts of its hops; without words for the way back, the text says that, too.

    >>> own_wording("director"), own_wording("director", "films directed by").backward
    (Wording(forward='director of {}', backward='whose director is {}'), 'films directed by {}')
    """
    forward, back = (text, None) if "{}" in text else frames(plain_words(text))
    if backward and "{}" not in backward:
        *before, last = plain_words(backward).split()
        open_end = last == "by" and before and not is_passive(before[0], last)
        backward = f"{' '.join([*before, last])} {{}}" if open_end else frames(plain_words(backward))[0]
    return Wording(forward, backward or back)


def pattern_words(pattern: Sequence[tuple[str, bool]], text_of: TypeText, topic: str = TOPIC) -> str:
    """A pattern in words from `topic` on, each type by its own text.

    >>> pattern_words([("country", True), ("currency", True)], str, "Zubrowka")
    'currency of country of Zubrowka'
    """
    said = topic
    for relation, forward in pattern:
        said = _named_frame(text_of(relation), forward).replace("{}", said)
    return said


def plural_words(said: str, noun: str | None) -> str:
    """A pattern's words with the noun that the question used: `films that are directed by X`.

    >>> plural_words("what is directed by X", "films"), plural_words("currency of X", None)
    ('films that are directed by X', 'currency of X')
    """
    if noun is None:
        return said
    if said.startswith("what is "):
        plural = noun.endswith("s")
        return f"{noun} that {'are' if plural else 'is'} {said.removeprefix('what is ')}"
    if re.match(r"(?:what|who) ", said):
        return f"{noun}: {said}"
    if said.startswith("whose "):
        return f"{noun} {said}"
    return said


def hop_frame(words: str, forward: bool, wording: Wording | None = None) -> str:
    """The text of one hop with "{}" for where it comes from.

    >>> hop_frame("causedBy", True), hop_frame("causedBy", False)
    ('what caused {}', 'what is caused by {}')
    """
    given = None if wording is None else wording.forward if forward else wording.backward
    if given and given.strip():
        return given if given.count("{}") == 1 else f"{_plain(given)} of {{}}"
    return _named_frame(words, forward)


@lru_cache(maxsize=65536)
def _named_frame(words: str, forward: bool) -> str:
    return frames(plain_words(words))[0 if forward else 1]


@lru_cache(maxsize=65536)
def plain_words(name: str) -> str:
    """A type's name as words in lower case: the last part of a dotted name or an address, split at humps and marks.

    >>> plain_words("people.person.place_of_birth"), plain_words("placeOfBirth"), plain_words("ACTED_IN")
    ('place of birth', 'place of birth', 'acted in')
    >>> plain_words("/people/person/profession"), plain_words("capacity p/h")
    ('profession', 'capacity p h')
    """
    last = re.split(r"#|(?<!\s)/(?=\w\w)|\.(?=[A-Za-z_])|:(?=\w)", name.strip().rstrip("#/.:"))[-1]
    spaced = _GAP.sub(" ", HUMP.sub(" ", last)).strip().lower()
    return spaced or _GAP.sub(" ", name).strip().lower() or "related to"


@lru_cache(maxsize=65536)
def frames(words: str) -> tuple[str, str]:
    """The texts of a type in words, forward and backward; where the hop comes from always stands last.

    So that a pattern of several hops reads from its end to its start, as its question does: a text in the middle of
    another ("what what it is kept in is located in") is read by nobody.

    >>> frames("part of"), frames("part")
    (('whose part is {}', 'part of {}'), ('part of {}', 'whose part is {}'))
    >>> frames("eats"), frames("directed by")
    (('what is eaten by {}', 'what eats {}'), ('what directed {}', 'what is directed by {}'))
    >>> frames("album by"), frames("on album")
    (('what made the album of {}', 'album of {}'), ('album of {}', 'what is on the album {}'))
    >>> frames("located in"), frames("works for")
    (('in what is located {}', 'what is located in {}'), ('what is worked for by {}', 'what works for {}'))
    >>> frames("has its office in"), frames("in the county of")[0], frames("was born in year")[0]
    (('in what is the office of {}', 'whose office is in {}'), 'county of {}', 'in what year is born {}')
    """
    if words in _KINDS:
        return "class of {}", "what is a {}"
    parts = _NAMED_OF.sub(r"\1", _CAN_BE.sub("is ", words)).split()
    if len(parts) > 1 and parts[0] in _AUXILIARIES:
        return _owned(parts[0], parts[1:])
    if len(parts) > 1 and parts[-1] in _COPULAS:
        return frames(" ".join(parts[:-1]))
    return _frames(parts)


def _owned(first: str, rest: list[str]) -> tuple[str, str]:
    last = rest[-1]
    if last in PREPOSITIONS and last not in {_KIN, "by"}:
        if first in _COPULAS:
            return _placed(rest)
        noun = " ".join(word for word in rest[:-1] if word not in _NOTHING_SAID)
        if first in _OWNING and noun and rest[0] not in _COPULAS | PARTICIPLES and not noun.endswith(("ed", "ing")):
            return f"{last} what is the {noun} of {{}}", f"whose {noun} is {last} {{}}"
    return frames(" ".join(rest))


def _frames(parts: list[str]) -> tuple[str, str]:
    said, first = " ".join(parts), parts[0]
    if parts[-1] in PREPOSITIONS:
        return _ending_open(said, parts)
    passive = parts[1:2] == ["by"] and is_passive(first, "by")  # "owned by team"
    acts = is_verb(first) and not passive and not (first in BASES and parts[-1] in _ATTRIBUTES)
    if acts or (parts == [first] and _is_past(first)):
        return _active(parts)
    if len(parts) > 2 and parts[1] in PREPOSITIONS and (first in PARTICIPLES or _is_past(first)):
        noun = " ".join(parts[2:])
        return f"{parts[1]} what {noun} is {first} {{}}", f"what is {first} {parts[1]} the {noun} {{}}"
    noun = " ".join(parts[2 if parts[1:2] == ["the"] else 1 :]) if first in _LEADING else said
    return f"{noun} of {{}}", f"what is {first} the {noun} {{}}" if first in {"in", "on"} else f"whose {noun} is {{}}"


def _ending_open(said: str, parts: list[str]) -> tuple[str, str]:
    """Texts of a type that ends with a preposition: "made of", "works for", "part of", "next to"."""
    first, last = parts[0], parts[-1]
    if last == "by" and len(parts) > 1:
        *before, verb = parts[:-1]
        if is_passive(verb, last):
            return f"what {' '.join([*before, past(verb)])} {{}}", f"what is {said} {{}}"
        if not is_passive(first, last):
            return f"what made the {' '.join(parts[:-1])} of {{}}", f"{' '.join(parts[:-1])} of {{}}"
    dated = last == "on" and first in VERB_FORMS and first.endswith("ed")  # on a day, mostly
    passive = is_passive(first, last) or dated
    if len(parts) > 1 and not (passive and parts[1] not in _ARTICLES):
        if is_verb(first) or first in _PLURALS or passive:
            return f"what is {' '.join([participle(first), *parts[1:]])} by {{}}", f"what {said} {{}}"
        if last == _KIN and parts[-2] not in _QUALITIES:
            noun = " ".join(parts[:-1])
            return f"whose {noun} is {{}}", f"{noun} of {{}}"
    return _placed(parts)


def _placed(parts: list[str]) -> tuple[str, str]:
    return " ".join([parts[-1], "what is", *parts[:-1], "{}"]), f"what is {' '.join(parts)} {{}}"


def _active(parts: list[str]) -> tuple[str, str]:
    """Texts of a type that begins with a verb: "uses", "causes disease", "lives in city"."""
    verbs = 2 if len(parts) > 2 and parts[1] in PREPOSITIONS else 1
    verb, rest = " ".join(parts[:verbs]), " ".join(parts[verbs:])
    passive = " ".join([participle(parts[0]), *parts[1:verbs]])
    if not rest:
        return f"what is {passive} by {{}}", f"what {verb} {{}}"
    return f"{rest} {passive} by {{}}", f"what {verb} the {rest} {{}}"


def is_verb(word: str) -> bool:
    """Tell whether a type's first word is a verb's form.

    >>> is_verb("causes"), is_verb("part")
    (True, False)
    """
    return word in PRESENT or word in ACTIVE_PASTS or word in BASES


_NO_PASTS = frozenset(("hundred", "kindred", "sacred", "naked", "wicked", "moped", "biped", "infrared"))


def _is_past(word: str) -> bool:
    """Tell whether a type of this one word is a verb's past: `insured`, and no `speed`."""
    return len(word) > 4 and word.endswith("ed") and not word.endswith("eed") and word not in _NO_PASTS


def _plain(text: str) -> str:
    return text.replace("{", "").replace("}", "").strip()
