"""Entities that a text may name, and by which of its stretches: the candidates that `seed_ranking` orders."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import accumulate, compress, pairwise
from typing import Any

from clause.reasoning.models.answer import SeedReason
from clause.reasoning.neighbourhood.port import Hop
from clause.reasoning.question.pattern_text import CLASS_TYPES, TypeText
from clause.text.mentions import Span, folded_key, name_key
from clause.text.names import readable_relation
from clause.text.retrieval import MOST_TOKENS, escape, requiring, tokens_in
from clause.text.tokens import MOST_WORDS, WORD, is_common, singular

LEAST_RELEVANCE = 0.5
"""A full-text find counts when the text says at least this share of the letters of its name."""

LEAST_SIMILARITY = 0.3
"""A vector find counts from this cosine on."""

_MOST_SPANS = 3
_LONGEST_WORD = 40
_LONGEST_PHRASE = 200
_MOST_LETTERS = 800
_FIELDS = 3  # of the index entity_names
_FUZZY_FROM = 4
_FUZZY_ALONE_FROM = 6
_FUZZY_MORE_FROM = 8
_ALIKE = 0.8
_OTHER_CASE = 0.95  # a name in lower case that the text would write with capitals

_TITLE_WORDS = """dr doctor prof professor mr mrs ms miss sir lady lord mayor captain chief president king queen prince
princess sister brother father mother aunt uncle saint st judge senator general colonel major minister bishop pope
coach baron baroness count countess duke duchess earl de di da do du del della der den van von la le al el bin ibn"""
_TITLES = frozenset(_TITLE_WORDS.split())
_BLANKED = re.compile(r"[\[\]\x00\ud800-\udfff]")

_QUESTION_WORDS = "what which who whom whose when where why how"
_ARTICLES = "the a an"
_PREPOSITIONS = "by of in with for about to from on at as than between"
_AUXILIARIES = "is are was were be been being am do does did done has have had can could will would should may must"
_OTHER = """might not and or but if then so that this these those there here it its he she they them his her their we us
our you your i me my also same other another any some all each one name list give tell show find describe mention
person people thing things kind kinds type types sort number year years date dates time place"""
_OF_WORKS = """movie movies film films book books song songs actor actors actress director directors writer writers
author authors screenwriter screenwriters star stars starred starring act acted acts appear appears appeared play plays
played direct directed directs write writes wrote written release released releases genre genres language languages
rating ratings vote votes tag tags topic topics word words"""
ARTICLES = frozenset(_ARTICLES.split())
PREPOSITIONS = frozenset(_PREPOSITIONS.split())
PLAIN_WORDS = frozenset(" ".join((_QUESTION_WORDS, _ARTICLES, _PREPOSITIONS, _AUXILIARIES, _OTHER)).split())
"""The words that questions about anything are made of."""
FUNCTION_WORDS = PLAIN_WORDS | frozenset(_OF_WORKS.split())
"""The words that questions are made of; they may be names too, but seldom are."""


@dataclass(frozen=True, slots=True)
class EntityMatch:
    """An entity that may be meant, and how it was found.

    `span` is None where no stretch of the text is its name (full-text and vector finds). `hops` are its relationship
    types, `>directed_by` as head and `<directed_by` as tail. `relevance` is the share in [0, 1] of its name's letters
    that the text says, `similarity` the cosine with the text clipped to [0, 1]; 0 where that was not what found it.
    """

    id: str
    name: str
    reason: SeedReason
    span: Span | None = None
    degree: int = 0
    hops: frozenset[str] = field(default_factory=frozenset)
    relevance: float = 0.0
    similarity: float = 0.0


def plain(text: str) -> str:
    r"""`text` with brackets, NUL bytes and lone surrogates as blanks: `[X]` is X, and every place stays where it was.

    >>> plain("who directed [X]\x00")
    'who directed  X  '
    """
    return _BLANKED.sub(" ", text)


def spaced(key: str) -> str:
    """`key` with single blanks."""
    return " ".join(key.split())


def match_names(spans: Sequence[Span], rows: Iterable[Mapping[str, Any]]) -> list[EntityMatch]:
    """A candidate for each entity and each span that says its name or an alias, of at most three spans an entity.

    Exact spellings are kept before others, and earlier ones before later. `rows` hold `id`, `name`, and where known
    `aliases`, `degree` and `hops`.
    """
    by_key: defaultdict[str, list[Span]] = defaultdict(list)
    by_folded: defaultdict[str, list[Span]] = defaultdict(list)
    for span in spans:
        by_key[spaced(name_key(span.text))].append(span)
        by_folded[folded_key(span.text)].append(span)
    found: list[EntityMatch] = []
    for row in rows:
        name = str(row["name"])
        said: dict[tuple[int, int], tuple[Span, SeedReason]] = {}
        for alias in row.get("aliases") or ():
            said.update({(s.start, s.end): (s, "alias") for s in by_folded.get(folded_key(str(alias)), ())})
        said.update({(s.start, s.end): (s, "accent_insensitive") for s in by_folded.get(folded_key(name), ())})
        for span in by_key.get(spaced(name_key(name)), ()):
            reason: SeedReason = "exact" if spaced(span.text) == spaced(name) else "case_insensitive"
            said[span.start, span.end] = (span, reason)
        bare = _bare(row)
        best = sorted(said.values(), key=lambda item: (item[1] != "exact", item[0].start, item[0].end))
        found += [replace(bare, reason=reason, span=span) for span, reason in best[:_MOST_SPANS]]
    return found


def match_words(
    words: Sequence[str], rows: Iterable[Mapping[str, Any]], fresh: Sequence[str] | None = None
) -> list[EntityMatch]:
    """A candidate for each entity of whose name or of one of whose aliases `words` say enough letters.

    A word of six letters or more may be misspelt a little, of four where another word of the name is right. A last name
    is enough, and a first name where one alone is called so. Where
    `fresh` is given, at least one of those has to be among the words said: the others are explained by a better find.

    >>> [c.name for c in match_words(["matrx", "reloaded"], [{"id": "1", "name": "The Matrix Reloaded"}])]
    ['The Matrix Reloaded']
    >>> people = [{"id": "1", "name": "Ravi Menon-Bhattacharya"}, {"id": "2", "name": "Ann Fairweather"}]
    >>> [c.name for c in match_words(["ravi", "Ann"], people)]
    ['Ravi Menon-Bhattacharya', 'Ann Fairweather']
    >>> [c.name for c in match_words(["Ann"], [*people, {"id": "3", "name": "Ann Longstreet"}])]
    []
    """
    asked = [folded_key(word) for word in words]
    capital = any(word != word.lower() for word in words)
    new = asked if fresh is None else [folded_key(word) for word in fresh]
    rows = list(rows)
    forenames = Counter(_forename(str(row["name"])) for row in rows)
    told = [word for word in words if word[:1].isupper() or not is_common(word.capitalize())]
    called = {folded_key(word).removesuffix("'s") for word in told}
    found = []
    for row in rows:
        texts = (str(row["name"]), *map(str, row.get("aliases") or ()))
        relevance = max((_said(text, asked) for text in texts if _said(text, new)), default=0.0)
        forename = _forename(texts[0])
        alone = forename in called and forenames[forename] == 1
        if alone or any(is_surname(word, texts[0]) for word in words):
            relevance = max(relevance, LEAST_RELEVANCE)
        if capital and row["name"] == str(row["name"]).lower():
            relevance *= _OTHER_CASE
        if relevance >= LEAST_RELEVANCE:
            found.append(replace(_bare(row), reason="full_text", relevance=relevance))
    return found


def alike(name: str, word: str) -> bool:
    """Tell whether a name of the graph and a word of the question are the same: in number, or land and adjective.

    >>> alike("Thriller", "thrillers"), alike("football player", "players"), alike("Germany", "german")
    (True, True, True)
    >>> alike("TalkShow", "talk shows"), alike("TalkShow", "shows"), alike("Dept", "departments")
    (True, True, True)
    >>> alike("Go", "god"), alike("Rome", "romance")
    (False, False)
    """
    one, two = folded_key(name.replace("_", " ")), folded_key(word.replace("_", " "))
    if singular(one) == singular(two):
        return True
    if " " not in name and (full := readable_relation(name)) != name.lower():
        return alike(full, word)
    last = one.split(" ")[-1]
    if " " in one and singular(last) == singular(two):
        return True
    shared = min(len(one), len(two))
    return shared >= 5 and _national(one, two)


LIKENESS = re.compile(r"\b(?:same|similar|also|too|likewise|share|shares|common|like|together)\b")
"""Words that ask for what is of one kind with something, or has to do with the same."""
_ASKS_CLASS = re.compile(r"\b(?:kinds?|types?|class|classes|sorts?|category|categories)\b")


def is_roundabout(pattern: Sequence[Hop], asked: str, text_of: TypeText) -> bool:
    """Tell whether a walk goes by a class that is not asked for: on to its other members, or to end there."""
    if LIKENESS.search(asked):
        return False
    classes = [text_of(hop.relation) in CLASS_TYPES for hop in pattern]
    back = any(one.forward and not other.forward for one, other in pairwise(compress(pattern, classes)))
    return back or (len(pattern) > 1 and classes[-1] and pattern[-1].forward and not _ASKS_CLASS.search(asked))


def named_kinds(name: str) -> list[str]:
    """The words by which a name may say what it names: the first and the last of several, unless in the plural.

    >>> named_kinds("Marmot Hut"), named_kinds("Castell Devices"), named_kinds("Kes")
    (['marmot', 'hut'], ['castell'], [])
    """
    words = name.lower().split()
    return [words[place] for place in (0, -1) if len(words) > 1 and singular(words[place]) == words[place]]


def _national(one: str, two: str) -> bool:
    """Tell whether one is the land and the other its adjective, by their beginnings (`germany`, `german`)."""
    for ending in ("ian", "ean", "an", "n", "ish", "ese", "ic", "i"):
        for land, adjective in ((one, two), (two, one)):
            stem = adjective.removesuffix(ending)
            if stem != adjective and len(stem) >= 4 and land.startswith(stem) and len(land) - len(stem) <= 3:
                return True
    return False


def is_surname(said: str, name: str) -> bool:
    """Tell whether a word with a capital is the last of a name of two or three: people are called so.

    >>> is_surname("Fellini's", "Federico Fellini"), is_surname("lund", "Ada Lund"), is_surname("Hall", "The Old Hall")
    (True, False, False)
    """
    words = [folded_key(word) for word in WORD.findall(name)]
    called = folded_key(said).removesuffix("'s")
    return (
        said[:1].isupper()
        and len(words) in {2, 3}
        and words[-1] == called
        and words[0] not in FUNCTION_WORDS
        and name == name.title()
    )


def _forename(name: str) -> str:
    """The first of a name of two or three words that people are called by; empty where it is none."""
    words = [folded_key(word) for word in WORD.findall(name)]
    return words[0] if len(words) in {2, 3} and name == name.title() and words[0] not in FUNCTION_WORDS else ""


def names_another(text: str, name: str) -> bool:
    """Tell whether a text says part of `name` only within other names: `Saint Jakob` is not `Saint Urban`.

    Capitals tell a name from the words around it: nothing is told of a text in which all words but small ones have one.
    Titles, and what joins the parts of a name, make no other name: `Marie De Namur` may be `Marie of Namur`.

    >>> names_another("who lives in Saint Jakob", "Saint Urban"), names_another("where is Saint Urbn", "Saint Urban")
    (True, False)
    >>> names_another("who sits in Room 12", "Room 5"), names_another("List Urban houses", "Saint Urban")
    (True, False)
    >>> names_another("what did Mayor Lund open", "Ada Lund"), names_another("houses in Urban", "Saint Urban")
    (False, False)
    >>> names_another("who taught Marie De Namur", "Marie of Namur")
    False
    """
    if all(word[:1].isupper() or word in ARTICLES | PREPOSITIONS for word in WORD.findall(text)):
        return False
    own = [folded_key(word) for word in WORD.findall(name)]
    near = [run for run in _capitalised(text) if any(_is_of(word, own) for word in run)]
    return bool(near) and all(any(not _is_of(word, own) and word not in _TITLES for word in run) for run in near)


@lru_cache(maxsize=64)  # each name that was found is compared with one question
def _capitalised(text: str) -> tuple[list[str], ...]:
    """Runs of words with capitals and the numbers behind them, folded; a word of questions ends one."""
    runs: list[list[str]] = []
    end = -1
    for found in WORD.finditer(text):
        word, goes_on = folded_key(found[0]), text[end : found.start()] == " "
        if word in FUNCTION_WORDS or not (found[0][:1].isupper() or (goes_on and word.isdigit())):
            continue
        if goes_on:
            runs[-1].append(word)
        else:
            runs.append([word])
        end = found.end()
    return tuple(runs)


def _is_of(word: str, name: Sequence[str]) -> bool:
    return any(_likeness(word, other, _FUZZY_FROM) for other in name)


def telling_words(text: str, covered: Iterable[Span] = ()) -> list[str]:
    """The words of `text`, each once, without those that questions are made of and those inside `covered` spans.

    >>> telling_words("who directed the Matrix")
    ['Matrix']
    """
    taken = [(span.start, span.end) for span in covered]
    words = (
        found[0]
        for found in WORD.finditer(text)
        if found[0].casefold().split("'")[0] not in FUNCTION_WORDS
        and not any(start <= found.start() and found.end() <= end for start, end in taken)
    )
    return list(dict.fromkeys(form for word in words for form in (word, word.removesuffix("'s"))))[:MOST_WORDS]


def full_text_query(
    words: Sequence[str], scopes: Sequence[str], phrases: Sequence[str] = (), *, misspelt: bool = True
) -> str:
    """A Lucene query for entities of `scopes` that have any of `words`, longer ones also misspelt, or a whole phrase.

    What is longer than a name's words is left out, and so is what would make more clauses than Lucene takes.
    Never empty: without words or scopes it is a query that nothing answers.

    >>> full_text_query(["Matrix", "of"], ["public"], ["The Matrix"])
    '+scope_token:(s_public)^0 +("The Matrix"^4 Matrix Matrix~1 of)'
    """
    clauses = [f'"{escaped}"^4' for escaped in map(escape, _short(phrases, _LONGEST_PHRASE)) if escaped]
    room = MOST_TOKENS // _FIELDS - len(clauses)
    for escaped in map(escape, _short(words, _LONGEST_WORD)):
        if escaped and (room := room - tokens_in(escaped) - 1) >= 0:
            near = f"{escaped}~{1 if len(escaped) < _FUZZY_MORE_FROM else 2}"
            clauses += [escaped, near] if misspelt and len(escaped) >= _FUZZY_FROM else [escaped]
    if not clauses or not scopes:
        return "+scope_token:none +scope_token:nothing"
    return requiring(scopes, f"+({' '.join(clauses)})", _FIELDS)


def _short(texts: Sequence[str], longest: int) -> list[str]:
    kept = [text for text in texts if len(text) <= longest]
    letters = accumulate(map(len, kept))
    return [text for text, so_far in zip(kept, letters, strict=True) if so_far <= _MOST_LETTERS]


def _bare(row: Mapping[str, Any]) -> EntityMatch:
    degree, hops = int(row.get("degree") or 0), frozenset(row.get("hops") or ())
    return EntityMatch(str(row["id"]), str(row["name"]), "vector", degree=degree, hops=hops)


def _said(name: str, asked: Sequence[str]) -> float:
    words = [folded_key(found[0]) for found in WORD.finditer(name)]
    letters = sum(map(len, words))
    shortest = _FUZZY_FROM if any(word in asked for word in words) else _FUZZY_ALONE_FROM
    said = sum(len(word) * max((_likeness(word, other, shortest) for other in asked), default=0.0) for word in words)
    return said / letters if letters else 0.0


def _likeness(word: str, other: str, shortest: int) -> float:
    if word == other:
        return 1.0
    if max(len(word), len(other)) < shortest or abs(len(word) - len(other)) > 2:
        return 0.0
    common = sum(letter in other for letter in word)
    if 2 * common < _ALIKE * (len(word) + len(other)):  # quicker to see, and never more than the ratio
        return 0.0
    ratio = SequenceMatcher(None, word, other, autojunk=False).ratio()
    return ratio if ratio >= _ALIKE else 0.0


TRUE, FALSE = frozenset(("true", "yes", "y")), frozenset(("false", "no", "n"))
"""The values of what is so, and of what is not, in lower case."""


def are_truths(texts: Iterable[str]) -> bool:
    """Tell whether some texts say only what is so or is not; of none it is not told.

    >>> are_truths(["True", "N"]), are_truths(["true", "beagle"]), are_truths([])
    (True, False, False)
    """
    said = {text.casefold() for text in texts}
    return bool(said) and said <= TRUE | FALSE


def is_called(name: str, word: str) -> bool:
    """Tell whether a thing is called a word, and not only by its last one: the neighbour `Mill Field` is no class."""
    return name.count(" ") == word.count(" ") and alike(name, word)
