"""Names that graphs give one relation, and ways to ask for it, as training meets them."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from clause.reasoning.question.pattern_text import (
    PREPOSITIONS,
    TRANSITIVE,
    frames,
    participle,
    past,
    plain,
    plain_words,
    third,
)

_TOPIC = re.compile(r"\bit\b", re.IGNORECASE)
_AUX = r"(?:is|was|are|were|did|does|do|has|have|had|can|could|will|would)"
_RULES = (
    (re.compile(r"^(?:who|what|which)(?:'s| is| was| are| were) (the|it's|its) (.+)$"), r"\1 \2"),
    (re.compile(rf"^who (?!{_AUX}\b)(.+)$"), r"the person who \1"),
    (re.compile(r"^(?:what|which) ([a-z-]+(?: [a-z-]+)?) (is|was|are|were) it (.+)$"), r"the \1 that it \2 \3"),
    (re.compile(r"^(?:what|which) ([a-z-]+(?: [a-z-]+)?) (did|does|do) it (.+)$"), r"the \1 that it \2 \3"),
    (re.compile(r"^(?:what|which) ([a-z-]+(?: [a-z-]+)?) (is|was|are|were|has|have|had) (.+)$"), r"the \1 that \2 \3"),
    (re.compile(r"^where (is|was|are|were|did|does|do) it (.+)$"), r"the place where it \1 \2"),
    (re.compile(r"^(?:name|list|find|tell me) (?:a|an|the|some|one|any)(?: of)? (.+)$"), r"the \1"),
)


def phrase(question: str) -> str | None:
    """The noun phrase for what a masked question asks for, by its form; none where it has none of the known forms.

    >>> phrase("who is the author of it?"), phrase("who directed it"), phrase("where was it born")
    ('the author of it', 'the person who directed it', 'the place where it was born')
    """
    bare = question.strip(" ?.!").lower()
    if len(_TOPIC.findall(bare)) != 1 or len(bare.split()) > 12:
        return None
    for form, made in _RULES:
        if form.match(bare):
            found = form.sub(made, bare)
            return found if len(_TOPIC.findall(found)) == 1 else None
    return None


def nested(question: str, inner: str) -> str | None:
    """`question` about `inner` instead of about its topic; none where the topic is not named exactly once."""
    if len(_TOPIC.findall(question)) != 1:
        return None
    return _TOPIC.sub(lambda _: inner, question)


def asked(words: str, forward: bool, rng: random.Random) -> str:
    """A question about one hop, from the words of its relation."""
    said = plain_words(words)
    frame = frames(said)[0 if forward else 1]
    if frame.endswith(" of {}"):
        return rng.choice(_FORWARD).format(frame[:-6])
    if frame.startswith("whose "):
        return rng.choice(_BACKWARD).format(frame[6:-6])
    if forward and rng.random() < 0.6:
        return _reached(said, rng)
    text = frame.format("it")
    if text.startswith("what "):
        return f"{rng.choice(('what', 'who', 'which ones', 'which things', 'name something that'))} {text[5:]}"
    return rng.choice(("{}", "{}", "tell me {}", "name {}")).format(text)


def _reached(said: str, rng: random.Random) -> str:
    """A question for what a verb's subject reaches: "what does it eat", "where is it located in"."""
    first, _, rest = said.partition(" ")
    who = rng.choice(("what", "who", "which one", "which things", "where" if rest in ("in", "at") else "what"))
    tail = f" {rest}" if rest else ""
    if rest == "by" or (rest and participle(first) == first):
        return rng.choice((f"{who} is it {said}", f"{who} was it {said}", f"it is {said} {who}"))
    verb = plain(first)
    helps = rng.choice(("does", "do", "did"))
    return rng.choice((f"{who} {helps} it {verb}{tail}", f"it {said} {who}", f"{who} is the one it {said}"))


def meant(words: str, forward: bool, rng: random.Random) -> str:
    """A noun phrase for what one hop reaches, from the words of its relation."""
    said = plain_words(words)
    frame = frames(said)[0 if forward else 1]
    if frame.endswith(" of {}"):
        return rng.choice(("the {} of it", "it's {}", "the {} of it", "the {} that it has")).format(frame[:-6])
    if frame.startswith("whose "):
        return rng.choice(_OWNERS).format(frame[6:-6])
    known = rng.choice(
        ("what", "the one that", "those that", "the thing that", "whatever", "the ones that", "the person who")
    )
    if forward and rng.random() < 0.6:
        first, _, rest = said.partition(" ")
        passive = rest == "by" or (rest and participle(first) == first)
        return f"{known.replace('who', 'whom')} it {'is ' if passive else ''}{said}"
    text = frame.format("it")
    return f"{known} {text[5:]}" if text.startswith("what ") else text


_HEADS = ("what", "the one that", "those that", "the thing that", "whatever", "the ones that", "the person who")
_FORWARD = (
    "what is the {} of it", "what is it's {}", "it's {}", "who is the {} of it", "which {} does it have",
    "what are the {} of it", "tell me the {} of it", "{} of it", "it has which {}", "what {} does it have",
    "name the {} of it", "who is it's {}", "which is the {} of it", "find the {} for it",
)  # fmt: skip
_BACKWARD = (
    "whose {} is it", "what has it as {}", "which ones have it as their {}", "for what is it the {}",
    "what is it the {} of", "of what is it the {}", "who has it as {}", "name something with it as {}",
    "it is the {} of what", "which have the {} it", "what is it a {} of", "who is it the {} of",
)  # fmt: skip
_OWNERS = (
    "the one whose {} is it", "those whose {} is it", "what has it as {}", "the ones with it as {}",
    "whatever it is the {} of", "what it is {} of", "things with the {} it", "the one that has it as its {}",
)  # fmt: skip


Side = tuple[str, bool]

_DONE = {
    "author": ("wrote", "written by"), "writer": ("wrote", "written by"), "director": ("directed", "directed by"),
    "producer": ("produced", "produced by"), "composer": ("composed", "composed by"),
    "founder": ("founded", "founded by"), "founded by": ("founded", "founded by"),
    "publisher": ("published", "published by"), "developer": ("developed", "developed by"),
    "manufacturer": ("manufactures", "manufactured by"), "performer": ("performed", "performed by"),
    "creator": ("created", "created by"), "owner": ("owns", "owned by"), "owned by": ("owns", "owned by"),
    "employer": ("employs", "works for"), "designer": ("designed", "designed by"), "editor": ("edited", "edited by"),
    "inventor": ("invented", "invented by"), "discoverer or inventor": ("discovered", "discovered by"),
    "operator": ("operates", "operated by"), "translator": ("translated", "translated by"),
    "distributor": ("distributed", "distributed by"), "distributed by": ("distributes", "distributed by"),
    "illustrator": ("illustrated", "illustrated by"), "architect": ("designed", "designed by"),
    "screenwriter": ("wrote", "written by"), "cast member": ("acted in", "has actor"),
    "maintained by": ("maintains", "maintained by"), "sponsor": ("sponsors", "sponsored by"),
    "head coach": ("coaches", "coached by"), "teacher": ("taught", "taught by"), "student": ("student of", "taught"),
    "has cause": ("causes", "caused by"), "has effect": ("caused by", "causes"), "has part": ("part of", "consists of"),
    "has parts": ("part of", "consists of"), "part of": ("has part", "part of"), "follows": ("followed by", "follows"),
    "followed by": ("follows", "followed by"), "parent taxon": ("has subtaxon", "child of"),
    "influenced by": ("influenced", "influenced by"), "killed by": ("killed", "killed by"),
    "manager": ("manages", "managed by"), "chairperson": ("chairs", "chaired by"),
    "cinematographer": ("shot", "filmed by"), "father": ("father of", "child of"), "mother": ("mother of", "child of"),
    "capital": ("capital of", "has capital"), "drug used for treatment": ("treats", "treated with"),
    "winner": ("won", "won by"), "award received": ("awarded to", "won"), "conferred by": ("confers", "conferred by"),
    "member of": ("has member", "member of"), "educated at": ("educated", "studied at"),
    "place of birth": ("birthplace of", "born in"), "place of death": ("deathplace of", "died in"),
    "residence": ("home of", "lives in"), "notable work": ("created by", "created"), "child": ("child of", "parent of"),
    "performers": ("performed", "performed by"), "used by": ("uses", "used by"), "use": ("used by", "used for"),
    "location": ("location of", "located in"), "headquarters location": ("headquarters of", "headquartered in"),
}  # fmt: skip
"""(a name of the other direction, another name of this one)."""

SYMMETRIC = re.compile(
    r"spouse|married|sibling|border|adjoin|neighbor|neighbour|partner|twin|sister|friend|related|relative|same as|"
    r"similar|rival|compet|opposite|different from|peer|co-|shares|collaborat|equivalent|adjacent|nearby|connect"
)
"""Relations that say the same in both directions, which is then no mistake to be trained against."""


def spelt(label: str, aliases: Sequence[str], forward: bool, rng: random.Random) -> Side:
    """One way in which a graph could name a relation, and the direction in which it is then walked."""
    lower = label.lower().replace("_", " ")
    if lower not in _DONE:
        lower = lower.removeprefix("has ").removeprefix("in ")
    short = [alias.lower() for alias in aliases if 1 <= len(alias.split()) <= 4]
    ways: list[tuple[float, Side]] = [(0.45, (lower, forward))]
    if lower in _DONE:
        inverse, same = _DONE[lower]
        ways += [(0.16, (inverse, not forward)), (0.18, (same, forward))]
    if _noun(lower):
        ways += [(0.06, (f"{lower} of", not forward)), (0.12, (f"has {lower}", forward))]
        ways += [] if lower.endswith("s") else [(0.03, (f"{lower}s", forward))]
    if short:
        ways.append((0.2, (rng.choice(short), forward)))
    return rng.choices([side for _, side in ways], [weight for weight, _ in ways])[0]


def _noun(label: str) -> bool:
    words = label.split()
    return len(words) <= 3 and not label.startswith(("has ", "is ")) and words[-1] not in _ENDS and "," not in label


_ENDS = PREPOSITIONS


def siblings(label: str) -> str:
    """The form of a label under which relations are held out together.

    >>> siblings("Films (in this genre)"), siblings("film")
    ('film', 'film')
    """
    bare = re.sub(r"\([^)]*\)", " ", label.lower())
    return " ".join(re.sub(r"s$", "", word) for word in re.findall(r"[a-z0-9]+", bare)) or label.lower()


_NOUNS = {
    "teach": ("teacher", "student"), "employ": ("employer", "employee"), "own": ("owner", ""),
    "direct": ("director", ""), "write": ("author", ""), "make": ("maker", "product"), "found": ("founder", ""),
    "produce": ("producer", "product"),
    "create": ("creator", "creation"), "discover": ("discoverer", "discovery"), "invent": ("inventor", "invention"),
    "cause": ("cause", "effect"), "treat": ("treatment", ""), "lead": ("leader", "follower"), "coach": ("coach", ""),
    "supply": ("supplier", ""), "publish": ("publisher", "publication"), "compose": ("composer", ""),
    "precede": ("predecessor", "successor"), "eat": ("predator", "prey"), "manage": ("manager", ""),
    "mentor": ("mentor", "protege"), "host": ("host", "guest"), "sponsor": ("sponsor", ""),
    "train": ("trainer", "trainee"), "supervise": ("supervisor", ""), "perform": ("performer", ""),
    "develop": ("developer", ""), "sell": ("seller", ""), "use": ("user", "tool"), "govern": ("governor", ""),
    "hire": ("employer", "hire"), "design": ("designer", "design"), "replace": ("replacement", ""),
    "contain": ("container", "content"), "finance": ("financier", ""),
}  # fmt: skip
"""(who does it, to whom) in nouns."""

_TO_WHOM = (
    "what does it {b}", "what did it {b}", "who does it {b}", "which ones does it {b}", "what is {p} by it",
    "which things are {p} by it", "who was {p} by it", "it {t} what", "name what it {t}", "what has it {p}",
    "what all does it {b}", "which did it {b}",
)  # fmt: skip
_BY_WHOM = (
    "what {t} it", "who {d} it", "who {t} it", "what is it {p} by", "by whom was it {p}", "which ones {b} it",
    "it is {p} by what", "name what {t} it", "what {d} it", "by what is it {p}", "who was it {p} by",
    "which things {b} it",
)  # fmt: skip


def direction_pair(rng: random.Random) -> list[tuple[str, tuple[str, bool], Side]]:
    """One verb asked for from both its ends: (question, relation and direction, the graph's name and direction)."""
    verb = rng.choice(TRANSITIVE)
    while SYMMETRIC.search(verb):
        verb = rng.choice(TRANSITIVE)
    forms = {"b": verb, "t": third(verb), "p": participle(verb), "d": past(participle(verb))}
    words, forward = _name(verb, forms, rng)
    pair = []
    for onward, wordings, noun in ((True, _TO_WHOM, 1), (False, _BY_WHOM, 0)):
        said = _NOUNS.get(verb, ("", ""))[noun]
        by_noun = said and rng.random() < 0.25
        question = f"who is the {said} of it" if by_noun else rng.choice(wordings).format(**forms)
        pair.append((question, (third(verb), onward), (words, forward == onward)))
    return pair


def _name(verb: str, forms: dict[str, str], rng: random.Random) -> Side:
    """Draw a name that a graph gives the relation from who does it to whom, and the direction of that."""
    ways: list[Side] = [
        (forms["t"], True),
        (forms["d"], True),
        (f"{forms['p']} by", False),
        (f"{forms['p']} by", False),
    ]
    doer, done = _NOUNS.get(verb, ("", ""))
    if doer:
        ways += [(doer, False), (f"{doer} of", True)]
    if done:
        ways += [(done, True), (f"{done} of", False)]
    return rng.choice(ways)
