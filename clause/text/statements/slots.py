"""The slots that two statements must agree in to the letter: numbers with units, dates, names, negation, persons,
tense."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass
from functools import lru_cache

from clause.text.statements.lexicon import Relation, relation, shipped_lexicon
from clause.text.statements.quantities import Quantities, read_quantities
from clause.text.statements.words import ADJUNCTS, LIGHT, MODALS, NEGATIONS, PAST, PRESENT, PRONOUNS, Word, bases, words

SLOTS = ("numbers", "dates", "names", "negation", "persons", "modality", "tense", "mood")
"""The names of the slots, in the order in which differences are told."""

_HAVE = frozenset({"has", "have", "had"})
_BE = frozenset({"is", "are", "was", "were", "be", "been", "'s"})
_DONE_ONCE_WORDS = """bear born base situate locate schedule set write make build paint name call found hold rent host
elect appoint"""
_ONE_AT_A_TIME_WORDS = """live reside weigh cost belong start begin end finish leave depart arrive land expire measure
last run date die"""
_ONE_AT_A_TIME = frozenset(_ONE_AT_A_TIME_WORDS.split())
_DONE_ONCE = _ONE_AT_A_TIME | frozenset(_DONE_ONCE_WORDS.split())
_RELATIVES = frozenset({"who", "which", "that", "what", "where", "when", "why", "how"})
_TITLE_SHARE = 0.8
_TITLE_LENGTH = 3


@dataclass(frozen=True)
class Slots:
    """The things that a statement fixes.

    Attributes:
        quantities: numbers and dates.
        names: words with capitals inside a sentence, or with digits, in lower case.
        negations: the content word that follows each negation, or `` where none does; `clause of ...` where the
            negation stands outside the clause of that word (`isn't who has`, `is who hasn't`).
        persons: personal pronouns by person (`he`, `they`).
        modals: modal verbs.
        tense: `past` and `present` as the auxiliaries have it.
        headline: whether most words have capitals, so that these name nothing.
    """

    quantities: Quantities
    names: Counter[str]
    negations: Counter[str]
    persons: frozenset[str]
    modals: frozenset[str]
    tense: frozenset[str]
    headline: bool


@dataclass(frozen=True)
class ParsedStatement:
    """A text read once: its words, its slots, and its content words as (position, look-up form, word)."""

    text: str
    words: tuple[Word, ...]
    slots: Slots
    content: tuple[tuple[int, str, Word], ...]


@lru_cache(maxsize=8192)
def read_statement(text: str) -> ParsedStatement:
    """`text` as words, slots and content words.

    >>> statement = read_statement("The 2 dogs don't bite Ann.")
    >>> [form for _, form, _ in statement.content], statement.slots.quantities.numbers, dict(statement.slots.negations)
    (['dogs', 'bite', 'ann'], (('2', 'dogs'),), {'bite': 1})
    """
    tokens = tuple(words(text))
    slots = _slots(tokens)
    return ParsedStatement(text, tokens, slots, tuple(_content(tokens, slots.quantities.spent)))


def differing_slots(first: ParsedStatement, second: ParsedStatement) -> list[str]:
    """The slots in which two statements differ: numbers, dates, names, negation, persons, modality, tense, mood.

    >>> differing_slots(*map(read_statement, ("Here Ann has 5 cups.", "Here Bob hasn't six cups.")))
    ['numbers', 'names', 'negation']
    """
    mine, theirs = first.slots, second.slots
    found = []
    if not same_numbers(mine.quantities.numbers, theirs.quantities.numbers):
        found.append("numbers")
    if mine.quantities.dates != theirs.quantities.dates:
        found.append("dates")
    if not _same_names(first, second):
        found.append("names")
    if not _same_negations(mine.negations, theirs.negations):
        found.append("negation")
    if mine.persons - theirs.persons and theirs.persons - mine.persons:
        found.append("persons")
    if mine.modals != theirs.modals:
        found.append("modality")
    if mine.tense and theirs.tense and not mine.tense & theirs.tense:
        found.append("tense")
    if first.text.rstrip().endswith("?") != second.text.rstrip().endswith("?"):
        found.append("mood")
    return found


def single_valued(statement: ParsedStatement, values: Set[str]) -> bool:
    """Whether the statement says one of `values` of its subject in a way that leaves no room for another.

    What a thing is, where it was born, when it starts, what somebody is just doing; not what one speaks, owns or sells.

    >>> [single_valued(read_statement(text), {"french", "red"}) for text in ("Ann speaks French", "The car is red")]
    [False, True]
    """
    places = [position for position, form, _ in statement.content if form in values]
    if not places:
        return False
    at = max(places)
    be = max((position for position in range(at) if statement.words[position].lower in _BE), default=None)
    if be is not None and min(places) < be:  # part of the subject: of two things
        return False
    said = [
        word
        for position, form, word in statement.content
        if (-1 if be is None else be) < position < at and form not in values
    ]
    if be is None:  # what follows the subject at once is what it does; one may have many things
        if any(word.lower in _HAVE for word in statement.words[:at]):
            return False
        return len(said) <= 1 or any(word.bases & _ONE_AT_A_TIME for word in said)
    return any(word.lower.endswith("ing") for word in said) or all(
        word.bases & _DONE_ONCE or word.lower.endswith("ly") for word in said
    )


def _slots(tokens: tuple[Word, ...]) -> Slots:
    quantities = read_quantities(tokens)
    lower = [token.lower for token in tokens]
    headline, names = _names(tokens, quantities.spent)
    return Slots(
        quantities=quantities,
        names=names,
        negations=_negations(lower),
        persons=frozenset(PRONOUNS[word] for word in lower if word in PRONOUNS),
        modals=frozenset(lower[at] for at in range(len(lower)) if lower[at] in MODALS and at not in quantities.spent),
        tense=frozenset(
            name for name, forms in (("past", PAST), ("present", PRESENT)) if any(word in forms for word in lower)
        ),
        headline=headline,
    )


def _content(tokens: tuple[Word, ...], spent: frozenset[int]) -> list[tuple[int, str, Word]]:
    """Content words; runs that the lists know as a phrase (`south_korea`) become one."""
    phrases = _phrases_by_head()
    found = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        length, form = 1, token.lower
        for phrase in phrases.get(token.lower, ()):
            if all(
                position + step < len(tokens)
                and word in {tokens[position + step].lower, *tokens[position + step].bases}
                for step, word in enumerate(phrase)
            ):
                length, form = len(phrase), "_".join(phrase)
                break
        small = token.lower in ADJUNCTS or bool({token.lower, *token.bases} & LIGHT)
        if position not in spent and (length > 1 or not small):
            found.append((position, form, token))
        position += length
    return found


@lru_cache(maxsize=1)
def _phrases_by_head() -> dict[str, list[tuple[str, ...]]]:
    heads: dict[str, list[tuple[str, ...]]] = {}
    for phrase in shipped_lexicon().phrases:
        heads.setdefault(phrase[0], []).append(phrase)
    return heads


def _names(tokens: tuple[Word, ...], spent: frozenset[int]) -> tuple[bool, Counter[str]]:
    """Whether capitals are a headline's, and the names."""
    content = [token for at, token in enumerate(tokens) if at not in spent and token.lower not in ADJUNCTS]
    inner = [token for token in content if not token.opens]
    headline = len(inner) >= _TITLE_LENGTH and sum(token.capital for token in inner) > _TITLE_SHARE * len(inner)
    found: Counter[str] = Counter()
    for token in content:
        coded = any(letter.isdigit() for letter in token.text)
        inside = token.capital and not headline and (not token.opens or token.text[1:] != token.lower[1:])
        if coded or inside:
            found[token.lower] += 1
    return headline, found


def _negations(lower: list[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for position, word in enumerate(lower):
        if word in NEGATIONS:
            after = lower[position + 1 :]
            at = next((at for at, other in enumerate(after) if other not in ADJUNCTS), None)
            target = "" if at is None else min(bases(after[at]), key=lambda form: (len(form), form))
            found[f"clause of {target}" if _RELATIVES & set(after[:at]) else target] += 1
    return found


def same_numbers(mine: tuple[tuple[str, str], ...], theirs: tuple[tuple[str, str], ...]) -> bool:
    """True where numbers (value, word that follows) are equal, in one order or of the same things; `1` is an article.

    >>> same_numbers((("2", "dogs"), ("3", "cats")), (("3", "cats"), ("2", "dogs"))), same_numbers((("1", "dog"),), ())
    (True, True)
    """
    first, second = ([number for number in numbers if number[0] != "1"] for numbers in (mine, theirs))
    if [value for value, _ in first] == [value for value, _ in second]:
        return True
    return Counter(map(_counted, first)) == Counter(map(_counted, second))


def _counted(number: tuple[str, str]) -> tuple[str, str]:
    value, word = number
    return value, min(bases(word), key=lambda form: (len(form), form))


def _same_names(first: ParsedStatement, second: ParsedStatement) -> bool:
    """Whether every name of either is a word of the other; capitals do not matter there."""
    mine, theirs = ({form for word in one.words for form in (word.lower, *word.bases)} for one in (first, second))
    forms_a = {form for _, form, _ in first.content}
    forms_b = {form for _, form, _ in second.content}
    return all(_named(name, theirs, forms_b) for name in first.slots.names) and all(
        _named(name, mine, forms_a) for name in second.slots.names
    )


def _named(name: str, known: set[str], forms: set[str]) -> bool:
    return name in known or any(relation(name, form) is Relation.SAME for form in forms)


def _same_negations(mine: Counter[str], theirs: Counter[str]) -> bool:
    """Whether both negate the same words."""
    if mine.total() != theirs.total():
        return False
    left, right = list((mine - theirs).elements()), list((theirs - mine).elements())
    return all(any(relation(one, other) is Relation.SAME for other in right) for one in left if one)
