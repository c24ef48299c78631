"""The stretches of a question that name its seeds, and which of them are names and not merely words.

In a graph of many names most words are names too (films are called `Taken`, `Them`, `Please Give`): what a question
means by its names is tried in a few ways, likeliest first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import IntEnum
from functools import lru_cache
from itertools import pairwise

from clause.reasoning.agents.policy import Question, SeedCandidate
from clause.reasoning.models.answer import ForgivenSpelling
from clause.reasoning.neighbourhood.port import RelationshipType
from clause.reasoning.question.forms import Kind, parse
from clause.reasoning.question.pattern_text import VERB_FORMS, is_verb, plain
from clause.reasoning.question.seed_matching import FUNCTION_WORDS, is_surname
from clause.reasoning.question.sides import roots
from clause.reasoning.question.skeleton import EntityCandidate, LinkedMention, named_span
from clause.reasoning.question.vocabulary import FORM_WORDS, PREPOSITIONS, SUPERLATIVES, SYNONYMS
from clause.text.linking import Closeness, match_name
from clause.text.literals import find_literals
from clause.text.mentions import candidate_spans, folded_key
from clause.text.names import readable_relation
from clause.text.quantities import Date
from clause.text.tokens import WORD, is_common, singular

_CLASS_BEFORE = re.compile(
    rf"\b(?:which|what|wich|many|every|each|most|this|these|those|another|{'|'.join(SUPERLATIVES)})\s+$", re.IGNORECASE
)
_OWNED_BEFORE = re.compile(r"\b(?:whose|how much)\s+$", re.IGNORECASE)
_PLACED_BEFORE = re.compile(r"\b(?:in|on|of|for) (?:the|its|their)\s+$")
_RELATED = frozenset(word for words in SYNONYMS.values() for word in words)
_OPENS = re.compile(r"(?:^|[.?!:;,(])\s*[\"'\u201c\u2018]?$")
_SENTENCE = re.compile(r"[.?!;]+\s+(?=\S)")
_QUOTES = ('"', "\u201c", "\u00ab", "[")
_BY_SURNAME = 0.3
_FILLERS = """please kindly dear excuse enough good just omg lol guy guys bloke man men woman women lady gentleman
fellow chap lad girl boy folks thing stuff always never ever late lately sort sorts kinda yes no okay fine nice great
anyone someone everyone everything something nothing them themselves himself herself up out down off away back over
only even still already yet too very really quite such total sister brother mother father friend friends husband wife
son daughter happen know see saw seen want like love need keep look work works done made taken coming going"""
_WORDS_OF_ANY = FORM_WORDS | FUNCTION_WORDS | VERB_FORMS | frozenset(_FILLERS.split())


class Standing(IntEnum):
    """The degrees of sureness that a stretch of a question is a name."""

    WORD = 0
    """It reads as a word of the sentence."""
    PERHAPS = 1
    """It may be either: `heat`, `horror`."""
    LIKELY = 2
    """No ordinary word is written so."""
    MARKED = 3
    """A capital inside the sentence, or quotes, say so."""


Naming = tuple[str, tuple[LinkedMention, ...]]
"""A question's text, and the stretches of it that are taken for names."""


def linked(text: str, seeds: Sequence[SeedCandidate]) -> list[LinkedMention]:
    """The stretches of a question that name its seeds, each with what it may mean, best first.

    A seed without a place was found by some of its words or letters: it is put where the text comes nearest its name.
    What is said as a date or an amount, or is a part of one, is no name: `2023` of `5 May 2023`.

    >>> [(m.start, m.end) for m in linked("who runs Loggin Gate", [SeedCandidate("1", "Login Gate", 0.9)])]
    [(9, 20)]
    """
    return list(_linked(text, tuple(seeds)))


@lru_cache(maxsize=64)  # a question is linked to choose who reads it, to read it, and to say what was forgiven
def _linked(text: str, seeds: tuple[SeedCandidate, ...]) -> tuple[LinkedMention, ...]:
    places: dict[tuple[int, int], list[EntityCandidate]] = {}
    named = {folded_key(seed.name) for seed in seeds}
    values = [  # a day without a year may be what something is called
        (one.start, one.end)
        for one in find_literals(text, months=False)
        if not (isinstance(one.value, Date) and one.value.yearly and folded_key(text[one.start : one.end]) in named)
    ]
    for seed in seeds:
        span = _place(text, seed)
        if span is not None and not any(start <= span[0] and span[1] <= end for start, end in values):
            places.setdefault(span, []).append(EntityCandidate(seed.id, seed.name, seed.score))
    return tuple(
        LinkedMention(start, end, tuple(sorted(_nearest(text[start:end], found), key=lambda one: -one.score)))
        for (start, end), found in sorted(places.items())
    )


def _nearest(said: str, found: Sequence[EntityCandidate]) -> list[EntityCandidate]:
    """The candidates that are called what is said, and people by their last name; all of them where none is.

    A name with capitals, spelt exactly so, is no other that only has its letters: `Heat` is no tag `heat`.
    """
    if " " in said:  # `tony scott` is the person, not the tag that people gave his films
        named = {folded_key(one.name) for one in found if not one.name.islower()}
        found = [one for one in found if not (one.name.islower() and folded_key(one.name) in named)]
    surnamed = [one for one in found if is_surname(said, one.name)]
    exact = [one for one in found if one.name == said]
    if exact and not said.islower():
        return [*exact, *_rarer(surnamed)]
    matches = ((one, match_name(said, one.name)) for one in found)
    matched = [(one, match.closeness) for one, match in matches if match is not None]
    called = [one for one, closeness in matched if closeness is not Closeness.TYPO] or [one for one, _ in matched]
    return [*called, *(_rarer(surnamed) if called else surnamed)] or list(found)


def _rarer(surnamed: Sequence[EntityCandidate]) -> list[EntityCandidate]:
    """Candidates that are called so by their last name alone, where others are called so whole."""
    return [replace(one, score=one.score * _BY_SURNAME) for one in surnamed]


def _place(text: str, seed: SeedCandidate) -> tuple[int, int] | None:
    if seed.start is not None and seed.end is not None:
        return seed.start, seed.end
    named = named_span(text, seed.name, folded=True)
    if named is not None and (whole := _whole_words(text, *named)) is not None:
        return whole
    spans = [span for span in candidate_spans(text) if not FORM_WORDS.issuperset(folded_key(span.text).split())]
    near = [
        (match.closeness, match.slips, span.start - span.end, span)
        for span in spans
        if _resembles(span.text, seed.name) and (match := match_name(span.text, seed.name)) is not None
    ]
    if near:
        best = min(near, key=lambda one: one[:3])[3]
        return best.start, best.end
    words = set(folded_key(seed.name).split())
    marks = text != text.lower()  # then a word in small letters is no part of a name that has capitals
    inside = [
        span
        for span in spans
        if set(folded_key(span.text).split()) <= words
        and span.text[:1].isalnum()
        and not _CLASS_BEFORE.search(text[: span.start])
        and not (span.start == 0 and seed.name.islower() and seed.name.endswith(f" {span.text.casefold()}"))
        and not (marks and span.text[:1].islower() and seed.name[:1].isupper())
    ]
    if not inside:
        return None
    longest = max(inside, key=lambda span: (span.end - span.start, -span.start))
    return longest.start, longest.end


def _whole_words(text: str, start: int, end: int) -> tuple[int, int] | None:
    """A stretch with the plural's ending behind it; None where it begins or ends within another word.

    >>> _whole_words("which servers run", 6, 12), _whole_words("itself", 0, 2)
    ((6, 13), None)
    """
    behind = re.match(r"[^\W_]*", text[end:])
    rest = behind[0] if behind else ""
    if (start and text[start - 1].isalnum()) or rest.lower() not in {"", "s", "es"}:
        return None
    return start, end + len(rest)


def _resembles(said: str, name: str) -> bool:
    return abs(len(said) - len(name)) <= 4 or name.casefold().startswith(said.casefold())


def namings(question: Question) -> list[Naming]:
    """The ways to take a question's names, likeliest first: never none.

    Stretches that read as words of the sentence are names only where there are no others; then those that may be words
    are left out, too. A start node that the text does not name is told in a sentence before.

    >>> from clause.reasoning.episode.budget import Prices
    >>> import numpy as np
    >>> kes, them = SeedCandidate("1", "Kes", 1.0), SeedCandidate("2", "Them", 0.1, 27, 31)
    >>> asked = Question("Which awards has Kes among them?", np.zeros(1), [kes, them], {}, Prices())
    >>> [[text[one.start : one.end] for one in names] for text, names in namings(asked)]
    [['Kes']]
    """
    text = question.text
    mentions = _without_words(linked(text, question.seeds), question)
    if not mentions and question.start_nodes_given and question.seeds:
        first = question.seeds[0]
        candidate = EntityCandidate(first.id, first.name, first.score)
        return [(f"{first.name}. {text}", (LinkedMention(0, len(first.name), (candidate,)),))]
    known = vocabulary_of(question.relationship_types, texts_of(question.relationship_types))
    typed = frozenset(root for word in known - FORM_WORDS if " " not in word for root in roots(word))
    stood = _marked_apart(text, [(one, standing(text, one, typed)) for one in mentions])
    ways = [tuple(one for one, how in stood if how >= least) for least in (Standing.PERHAPS, Standing.LIKELY)]
    return [(text, way) for way in dict.fromkeys(filter(None, ways))] or [(text, tuple(mentions))]


def asked_kind(question: Question) -> Kind:
    """Name what a question asks for: things, yes or no, a number, a winner, or the best of things.

    >>> from clause.reasoning.episode.budget import Prices
    >>> import numpy as np
    >>> asked_kind(Question("how many films did Kes make", np.zeros(1), [], {}, Prices()))
    'count'
    """
    return parse(*namings(question)[0]).kind


def _marked_apart(text: str, stood: Sequence[tuple[LinkedMention, Standing]]) -> list[tuple[LinkedMention, Standing]]:
    """Mentions where a name is marked: in what is told before the question no word without a mark is one."""
    asks = max((found.end() for found in _SENTENCE.finditer(text)), default=0)
    if not any(how is Standing.MARKED for _, how in stood):
        return list(stood)
    return [
        (one, Standing.WORD if how is Standing.PERHAPS and one.start < asks and text[one.start].islower() else how)
        for one, how in stood
    ]


def standing(text: str, mention: LinkedMention, typed: frozenset[str] = frozenset()) -> Standing:
    """Judge how surely a mention of a question is a name.

    Args:
        typed: the roots of the words of the graph's types; they seldom are names.

    >>> def of(text, said, name):
    ...     start = text.index(said)
    ...     return standing(text, LinkedMention(start, start + len(said), (EntityCandidate("1", name),))).name
    >>> of("films taken from Kes", "taken", "Taken"), of("My sister saw Kes", "sister", "Sister Act")
    ('WORD', 'WORD')
    >>> of("who made Heat", "Heat", "Heat"), of("who made heat", "heat", "Heat"), of("soups with leek", "leek", "leek")
    ('MARKED', 'PERHAPS', 'LIKELY')
    """
    said = text[mention.start : mention.end]
    words = [found for found in WORD.finditer(said) if found[0].casefold().split("'")[0] not in FUNCTION_WORDS]
    capital = [found for found in words if found[0][:1].isupper() or found[0].isdigit()]
    if text[: mention.start].endswith(_QUOTES):
        return Standing.MARKED
    if _writes_capitals(text) and any(not _OPENS.search(text[: mention.start + found.start()]) for found in capital):
        return Standing.MARKED
    plain_words = all(_is_ordinary(found[0].casefold(), typed) for found in words)
    one_of = said.removesuffix(words[-1][0]) + singular(words[-1][0]) if words else said
    matches = [match_name(each, one.name) for one in mention.candidates for each in {said, one_of}]
    whole = [match.name for match in matches if match is not None and match.closeness is not Closeness.TYPO]
    if plain_words or (not whole and all(is_common(found[0].capitalize()) for found in words)):
        return Standing.WORD
    if _writes_capitals(text) and whole and not any(name.islower() for name in whole):
        return Standing.WORD if re.match(r"(?:the|an?) ", said) else Standing.PERHAPS
    return Standing.PERHAPS if len(words) < 2 and is_common(said.capitalize()) else Standing.LIKELY


def _is_ordinary(word: str, typed: frozenset[str]) -> bool:
    ending = len(word) > len("going") and word.endswith("ing") and is_common(word.capitalize())
    return word in _WORDS_OF_ANY or ending or word in _RELATED or not typed.isdisjoint(roots(word))


def _writes_capitals(text: str) -> bool:
    """Tell whether names in a text have capitals: some word inside a sentence has, and not all words have."""
    words = list(WORD.finditer(text))
    inside = [found for found in words if found[0] not in {"I", "I'm"} and not _OPENS.search(text[: found.start()])]
    high = sum(found[0][:1].isupper() for found in inside)
    return high > 0 and text != text.upper()


def _without_words(mentions: list[LinkedMention], question: Question) -> list[LinkedMention]:
    """The mentions without words of the graph's types that only stand in a name: `album` is no `Album of the Year`."""
    mentions = [one for one in mentions if not _is_owned_noun(question.text, one)]
    partly = [(one, folded_key(question.text[one.start : one.end])) for one in mentions]
    partly = [(one, said) for one, said in partly if _is_part_of_all(said, one.candidates)]
    if not partly:
        return mentions
    words = vocabulary_of(question.relationship_types, texts_of(question.relationship_types))
    dropped = [
        one
        for one, said in partly
        if not words.isdisjoint((said, singular(said))) or _is_numbered(said, one.candidates)
    ]
    return [one for one in mentions if one not in dropped]


def _is_owned_noun(text: str, mention: LinkedMention) -> bool:
    """Tell whether a mention is a noun that a question asks by: `whose screenplay`, `how much money`, `in the cast`."""
    said, before = text[mention.start : mention.end], text[: mention.start]
    if not said.islower():
        return False
    placed = said in _RELATED and text != text.lower() and _PLACED_BEFORE.search(before)
    return bool(placed) or _OWNED_BEFORE.search(before) is not None


def _is_part_of_all(said: str, candidates: Sequence[EntityCandidate]) -> bool:
    """Tell whether what is said is one word of several in the names of all candidates."""
    names = [folded_key(candidate.name).split() for candidate in candidates]
    return all(len(words) > 1 and said in words for words in names)


def _is_numbered(said: str, candidates: Sequence[EntityCandidate]) -> bool:
    """Tell whether names are what is said and a number or a letter: `room` alone is no `Room 12`.

    >>> _is_numbered("room", [EntityCandidate("1", "Room 12")]), _is_numbered("ann", [EntityCandidate("2", "Ann Lee")])
    (True, False)
    """
    others = {word for one in candidates for word in folded_key(one.name).split() if word != said}
    return all(len(word) == 1 or any(letter.isdigit() for letter in word) for word in others)


def forgiven(question: Question) -> tuple[ForgivenSpelling, ...]:
    """The names of a question that were taken for others, in their order.

    >>> from clause.reasoning.episode.budget import Prices
    >>> import numpy as np
    >>> seeds = [SeedCandidate("1", "Login Gate", 0.9)]
    >>> [one.meant for one in forgiven(Question("who runs Loggin Gate", np.zeros(1), seeds, {}, Prices()))]
    ['Login Gate']
    """
    found = []
    for mention in linked(question.text, question.seeds):
        said = question.text[mention.start : mention.end]
        matches = [match_name(said, one.name) for one in mention.candidates]
        if matches and matches[0] is not None and matches[0].did_you_mean is not None:
            found.append(ForgivenSpelling(said=said, meant=matches[0].did_you_mean))
    return tuple(found)


def texts_of(types: Mapping[str, RelationshipType]) -> Callable[[str], str]:
    """The words of relationship types: a person's own where the registry has them."""
    own = {name: kind.text for name, kind in types.items()}
    return lambda name: own.get(name) or readable_relation(name)


_NO_NOUNS = "date time year number name home first last full start end total has is was"
_NO_KINDS = frozenset(_NO_NOUNS.split())


def kinds_told(types: Iterable[str], text_of: Callable[[str], str]) -> dict[str, str]:
    """Types of two nouns with the first of them, where several begin so: what has a `club lead` and a `club room` is a
    club, which a graph without classes does not say otherwise.

    >>> kinds_told(["club_lead", "club_room", "home_town", "works_at", "works_for"], readable_relation)
    {'club_lead': 'club', 'club_room': 'club'}
    """
    words = {name: text_of(name).lower().split() for name in types}
    pairs = {name: said for name, said in words.items() if len(said) == 2 and said[1] not in PREPOSITIONS}
    first = {name: said[0] for name, said in pairs.items() if said[0] not in _NO_KINDS and not is_verb(said[0])}
    often = Counter(first.values())
    return {name: word for name, word in first.items() if often[word] > 1}


def vocabulary_of(types: Iterable[str], text_of: Callable[[str], str]) -> frozenset[str]:
    """The words of relationship types, their plain forms, and each two words that stand side by side in one.

    >>> sorted(vocabulary_of(["discovered_by"], readable_relation))
    ['by', 'discover', 'discovered', 'discovered by']
    """
    texts = [text_of(name).lower().split() for name in types]
    pairs = {f"{one} {other}" for words in texts for one, other in pairwise(words)}
    return frozenset(pairs | {form for words in texts for word in words for form in (word, plain(word))})
