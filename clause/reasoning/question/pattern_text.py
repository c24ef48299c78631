"""Typed patterns in words, from the last hop to the first, so that the side that is asked for cannot be mistaken."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

_PREPOSITIONS = (
    "about above after against along among around as at before behind below beside between beyond by during for from "
    "in inside into near of off on onto out outside over past through to toward towards under until upon via with "
    "within without"
)
PREPOSITIONS = frozenset(_PREPOSITIONS.split())
"""Words that end a type which wants its object: "located in", "part of"."""

_VERBS = (
    "accept acquire act administer affect aid appear apply arrange assist attend attract author base be become begin "
    "belong breed build buy call carry cause chair cite coach collaborate come compete compose conduct connect consist "
    "consume contain contribute control cover create cross cure decay deliver depend depict derive describe design "
    "destroy develop die direct discover distribute drain drink drive eat edit educate emit employ enable enter "
    "exhibit expose express feed finance find finish flow fly follow form found fund give go govern graduate grow "
    "guard guide hang hate haunt head help hire hold host house hunt hurt illustrate import inform inhabit inherit "
    "inhibit inspire install interact invade invent invest join kill know lack launch lay lead learn leave lend lie "
    "like link listen live locate love maintain make manage manufacture marry measure mentor migrate mine monitor "
    "narrate need neighbor neighbour nest occur offer open operate oppose organize originate oversee own paint "
    "participate perform photograph pilot play poison pollinate precede predate prescribe present prevent produce "
    "promote protect prove provide publish pump rate reach read receive record recycle reduce refer regulate release "
    "rely repair replace report represent require research reside resolve restore review ride rule run sail sell send "
    "serve shelter shoot sign sing speak specialize specialise sponsor star start stay stock store study succeed "
    "suffer supervise supply support surround teach test train translate transport travel treat trigger tune use visit "
    "want watch water wear win work worship write yield"
)
_BASES = _VERBS.split()

_PASTS = {
    "be": ("was",), "become": ("became",), "begin": ("began", "begun"), "breed": ("bred",), "build": ("built",),
    "buy": ("bought",), "come": ("came",), "drink": ("drank", "drunk"), "drive": ("drove", "driven"),
    "eat": ("ate", "eaten"), "feed": ("fed",), "find": ("found",), "fly": ("flew", "flown"), "give": ("gave", "given"),
    "go": ("went", "gone"), "grow": ("grew", "grown"), "hang": ("hung",), "hold": ("held",), "hurt": ("hurt",),
    "know": ("knew", "known"), "lay": ("laid",), "lead": ("led",), "learn": ("learnt",), "leave": ("left",),
    "lend": ("lent",), "lie": ("lay", "lain"), "make": ("made",), "oversee": ("oversaw", "overseen"),
    "read": ("read",), "ride": ("rode", "ridden"), "run": ("ran", "run"), "sell": ("sold",), "send": ("sent",),
    "shoot": ("shot",), "sing": ("sang", "sung"), "speak": ("spoke", "spoken"), "teach": ("taught",),
    "wear": ("wore", "worn"), "win": ("won",), "write": ("wrote", "written"),
}  # fmt: skip
_MORE_PARTICIPLES = (
    "born lit set put cut kept held met lost hit spread split bound thought seen shown drawn taken chosen"
)
_ALONE = (
    "acted appeared arrived attended belonged collaborated competed contributed departed died emigrated enrolled "
    "fought graduated grew happened immigrated lived majored migrated occurred originated participated performed "
    "played ran resided retired served settled sang spoke starred stayed studied succeeded taught traveled travelled "
    "trained voted went worked"
)
_INTRANSITIVE = frozenset(_ALONE.split())


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


PRESENT = frozenset(third(base) for base in _BASES if base != "be")
"""Third persons: "uses", "causes"."""

_EITHER = (
    "act aid author cause chair coach cover cure design drink form guard guide head help host house issue lead lie "
    "link love marry mine need neighbor neighbour nest offer paint pilot play poison present record report rule sail "
    "sign sponsor star start stay stock store study supply support test train transport travel treat use visit water "
    "wear work yield mentor rate release research review run feed find finance trigger buy control deposit export "
    "influence import launch hire call lack flow exhibit hunt"
)
BASES = frozenset(_BASES) - frozenset(_EITHER.split()) - {"be"}
"""Plain forms that are no usual noun: "contain", "employ"."""

ACTIVE_PASTS = frozenset(
    {_regular(base) for base in _BASES if base not in _PASTS} | {past[0] for past in _PASTS.values()}
)
"""Pasts that stand alone: "directed", "wrote"."""

PARTICIPLES = frozenset(
    {_regular(base) for base in _BASES if base not in _PASTS}
    | {past[-1] for past in _PASTS.values()}
    | set(_MORE_PARTICIPLES.split())
)
"""Participles of passives: "directed by", "written by"."""

VERB_FORMS = PRESENT | ACTIVE_PASTS | BASES | PARTICIPLES
"""Forms that are verbs where they stand behind a noun: "lives", "born"."""


def is_passive(first: str, last: str) -> bool:
    """A type that begins with `first` and ends with the preposition `last` is said with "is".

    >>> is_passive("directed", "by"), is_passive("acted", "in"), is_passive("works", "for")
    (True, False, False)
    """
    if last == "by":
        return first.endswith("ed") or first in PARTICIPLES
    return first not in _INTRANSITIVE and (first in PARTICIPLES or (first.endswith("ed") and len(first) > 4))


_FORMS = {
    form: (base, past, participle)
    for base in _BASES
    for past, participle in [
        (_PASTS[base][0], _PASTS[base][-1]) if base in _PASTS else (_regular(base), _regular(base))
    ]
    for form in {base, third(base), past, participle}
}


_NO_OBJECT = _INTRANSITIVE | {"lied", "lay", "leaned", "became", "came", "depended", "resulted"}
TRANSITIVE = tuple(
    base
    for base in _BASES
    if base not in {"be", "become", "consist", "depend", "lie", "relate", "rely", "hang", "begin", "base", "flow", "go"}
    and _FORMS[base][1] not in _NO_OBJECT
)
"""Plain forms of verbs that take an object."""


def participle(verb: str) -> str:
    """The participle of a verb in any of its forms.

    >>> participle("eats"), participle("wrote"), participle("befriends")
    ('eaten', 'written', 'befriended')
    """
    if verb in _FORMS:
        return _FORMS[verb][2]
    return verb if verb.endswith("ed") else _regular(_singular(verb))


def past(verb: str) -> str:
    """The past of a verb given by its participle.

    >>> past("written"), past("directed")
    ('wrote', 'directed')
    """
    return _FORMS[verb][1] if verb in _FORMS else verb


def plain(verb: str) -> str:
    """The plain form of a verb in any of its forms.

    >>> plain("eats"), plain("caused")
    ('eat', 'cause')
    """
    return _FORMS[verb][0] if verb in _FORMS else _singular(verb)


def _singular(verb: str) -> str:
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb


TOPIC = "it"
"""The word for a pattern's start, as the topic of a masked question."""

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_GAP = re.compile(r"[\W_]+")
_KINDS = frozenset({"is a", "is an", "isa", "is", "a", "an", "type", "instance of", "kind", "kind of", "rdf type"})
_KIN = "of"
_COPULAS = frozenset({"is", "are", "was", "were"})
_AUXILIARIES = _COPULAS | {"has", "have", "a", "an", "the"}
_LEADING = frozenset({"in", "of", "on", "by", "for", "with"})
_ATTRIBUTE_NOUNS = "date year time day place site location rate cost price number code id name count"
_ATTRIBUTES = frozenset(_ATTRIBUTE_NOUNS.split())
"""Nouns that make one thing with the verb before them: "publish date"."""


TypeText = Callable[[str], str]
"""A relationship type's own text, as the registry has it, or its name."""


class TypedHop(NamedTuple):
    """One hop of a pattern: a relationship type's name (or its words), and its direction."""

    words: str
    forward: bool


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
    """
    last = re.split(r"[#/]|\.(?=[A-Za-z_])|:(?=\w)", name.strip().rstrip("#/.:"))[-1]
    spaced = _GAP.sub(" ", _HUMP.sub(" ", last)).strip().lower()
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
    """
    if words in _KINDS:
        return "class of {}", "what is a {}"
    parts = words.split()
    if len(parts) > 1 and parts[0] in _AUXILIARIES:
        return _owned(parts[0], parts[1:])
    return _frames(parts)


def _owned(first: str, rest: list[str]) -> tuple[str, str]:
    said = " ".join(rest)
    if first in _COPULAS and rest[-1] in PREPOSITIONS and rest[-1] != _KIN and rest[-1] != "by":
        return _placed(rest)
    return frames(said)


def _frames(parts: list[str]) -> tuple[str, str]:
    said, first = " ".join(parts), parts[0]
    if parts[-1] in PREPOSITIONS:
        return _ending_open(said, parts)
    if parts == [first] and _is_past(first):
        return _active(parts)
    if is_verb(first) and not (first in BASES and parts[-1] in _ATTRIBUTES):
        return _active(parts)
    noun = " ".join(parts[1:]) if first in _LEADING else said
    if first in {"in", "on"}:
        return f"{noun} of {{}}", f"what is {first} the {noun} {{}}"
    return f"{noun} of {{}}", f"whose {noun} is {{}}"


def _ending_open(said: str, parts: list[str]) -> tuple[str, str]:
    """Texts of a type that ends with a preposition: "made of", "works for", "part of", "next to"."""
    first, last = parts[0], parts[-1]
    if len(parts) == 2 and last == "by":
        if not is_passive(first, last):
            return f"what made the {first} of {{}}", f"{first} of {{}}"
        return f"what {past(first)} {{}}", f"what is {said} {{}}"
    if len(parts) > 1 and not is_passive(first, last):
        if is_verb(first):
            return f"what is {' '.join([participle(first), *parts[1:]])} by {{}}", f"what {said} {{}}"
        if last == _KIN:
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
