"""The slots that two statements must agree in to the letter: numbers with units, dates, names, negation, persons,
tense."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from clause.text.statements.lexicon import Relation, relation, shipped_lexicon
from clause.text.statements.quantities import Quantities, read_quantities, same_numbers
from clause.text.statements.words import ADJUNCTS, LIGHT, MODALS, NEGATIONS, PAST, PRESENT, PRONOUNS, Word, bases, words

SLOTS = ("numbers", "dates", "names", "negation", "persons", "modality", "tense", "mood")
"""The names of the slots, in the order in which differences are told."""

_HAVE = frozenset({"has", "have", "had"})
_BE = frozenset({"is", "are", "was", "were", "be", "been", "'s"})
_DONE_ONCE_WORDS = """bear born base situate locate schedule set write make build paint name call found hold rent host
elect appoint marry engage lead chair head direct"""
_ONE_AT_A_TIME_WORDS = """live reside weigh cost belong start begin end finish leave depart arrive land expire measure
last run date die face total happen occur takes_place take_place retire report"""
_ONE_AT_A_TIME = frozenset(_ONE_AT_A_TIME_WORDS.split())
_DONE_ONCE = _ONE_AT_A_TIME | frozenset(_DONE_ONCE_WORDS.split())
_AT_ONE_TIME = _DONE_ONCE | {"open", "close"}
_DEFINITE = "the this that these those my your his her its our their every all each both"
_ANYBODY = "a an some someone somebody one two three four five several many few people"
_DETERMINERS = frozenset(_DEFINITE.split())
_INDEFINITE = frozenset(_ANYBODY.split())
_ROLE_OPENERS = frozenset({"is", "was", "by", "as", "called", "named"})
_COMPLEMENTS = frozenset({"to", "by", "with", "of"})
_PRESIDES = frozenset({"chair", "head", "lead", "captain"})
_DEFINITES = frozenset({"the", "our", "my", "your", "his", "her", "their", "its"})
_TO_ONE = frozenset({"marry", "engage", "report", "belong"})
_STAYS = frozenset({"live", "reside", "base", "situate", "locate", "headquarter", "bear", "bury"})
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
    """Tell whether the statement says one of `values` of its subject in a way that leaves no room for another.

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


def refers(statement: ParsedStatement) -> bool:
    """Tell whether the subject is a known one: a name, a pronoun, `the ...`, a kind as a whole (`Guests may ...`).

    Not `a man`, `two men`, `people`, nor some of a kind that are just doing something (`Dogs are running`).

    >>> [refers(read_statement(text)) for text in ("The car is old", "A car is old", "Dogs are banned", "Dogs run")]
    [True, False, True, True]
    """
    opening = next((word for word in statement.words if word.lower not in {"there", "is", "are", "no"}), None)
    if opening is None or opening.lower in _INDEFINITE or opening.text[0].isdigit():
        return False
    if opening.lower in _DETERMINERS or opening.lower in PRONOUNS or not opening.lower.endswith("s"):
        return True
    return not any(word.lower.endswith("ing") for word in statement.words)


def one_subject(first: ParsedStatement, second: ParsedStatement) -> bool:
    """Tell whether both statements open with the same known subject: the same words up to one with content at least.

    >>> told = ("Our boiler is old", "Our boiler was replaced", "Our car is old", "A boiler is old")
    >>> [one_subject(read_statement(told[0]), read_statement(other)) for other in told[1:]]
    [True, False, False]
    """
    places = [{position for position, _, _ in statement.content} for statement in (first, second)]
    for at, (one, other) in enumerate(zip(first.words, second.words, strict=False)):
        if one.lower != other.lower:
            return False
        if at in places[0] and at in places[1]:
            return refers(first) and refers(second) and not numbered_apart(first, second)
    return False


def numbered_apart(first: ParsedStatement, second: ParsedStatement) -> bool:
    """Tell whether both statements open with one noun and different numbers that tell things of it apart.

    >>> told = ("Room 12 is free", "Room 13 is free", "Rooms are free", "Ann has 2 cats", "Ann has 3 cats")
    >>> numbered_apart(*map(read_statement, told[:2])), numbered_apart(*map(read_statement, told[3:]))
    (True, False)
    """
    ends = [statement.content[0][0] + 1 for statement in (first, second) if statement.content]
    if len(ends) < 2 or ends[0] != ends[1]:
        return False
    heads = [[word.lower for word in statement.words[: ends[0] + 1]] for statement in (first, second)]
    return heads[0][:-1] == heads[1][:-1] and heads[0] != heads[1] and all(head[-1].isdigit() for head in heads)


def happens_once(statement: ParsedStatement) -> bool:
    """Tell whether what is told of one time cannot be told of another: a state, a passive, what one does but once.

    >>> told = ("The mill was built in 1901", "The firm bought a mill in 1901", "The train leaves at 8:15")
    >>> [happens_once(read_statement(text)) for text in told]
    [True, False, True]
    """
    if any(word.lower in _BE for word in statement.words):
        return True
    return any(form in _AT_ONE_TIME or word.bases & _AT_ONE_TIME for _, form, word in statement.content)


def completes(statement: ParsedStatement, left: Set[str], values: Set[str]) -> bool:
    """Tell whether the words `left` only say to, by, with or of whom one of `values` is so (`married to Elsa`).

    >>> told = read_statement("Juan is married to Elsa"), read_statement("The hut is open in winter")
    >>> completes(told[0], {"elsa"}, {"married"}), completes(told[1], {"winter"}, {"open"})
    (True, False)
    """
    places = {form: position for position, form, _ in statement.content}
    value = max((places[form] for form in values if form in places), default=None)
    if value is None or any(places.get(form, -1) <= value for form in left):
        return False
    return any(word.lower in _COMPLEMENTS for word in statement.words[value + 1 : value + 2])


def names_role(statement: ParsedStatement, left: Sequence[str]) -> bool:
    """Tell whether the words `left` are a name at the end of a role, behind `is` or `by` (`The capital is Varna`)."""
    named = _names_left(statement, left)
    if not named or statement.words[0].lower not in _DETERMINERS:
        return False
    return refers(statement) and statement.words[named[0] - 1].lower in _ROLE_OPENERS


def names_place(statement: ParsedStatement, left: Sequence[str]) -> bool:
    """Tell whether the words `left` name the town that something is or lives in, and no country, which may hold a town.

    >>> told = ("Ann lives in Braga", "Ann lives in Portugal", "Ann was in Braga")
    >>> [names_place(read_statement(text), (text.split()[-1].lower(),)) for text in told]
    [True, False, False]
    """
    named = _names_left(statement, left)
    if not named or not refers(statement) or statement.words[named[0] - 1].lower not in {"in", "at"}:
        return False
    if any(shipped_lexicon().knows(form) for form in left) or any(word.lower == "was" for word in statement.words):
        return any(word.bases & {"bear"} for word in statement.words[: named[0]])
    verb = statement.words[named[0] - 2] if named[0] > 1 else statement.words[0]
    return verb.lower in {"is", "are"} or bool(verb.bases & _STAYS)


def names_partner(statement: ParsedStatement, left: Sequence[str]) -> bool:
    """Tell whether the words `left` name to whom alone somebody or something is tied (`Ann is married to Juan`)."""
    named = _names_left(statement, left)
    if not named or named[0] < 2 or not refers(statement) or statement.words[named[0] - 1].lower != "to":
        return False
    return bool(statement.words[named[0] - 2].bases & _TO_ONE)


def holds_role(statement: ParsedStatement, left: Sequence[str]) -> bool:
    """Tell whether the words `left` are the name of who holds a role that one alone can (`Ann is the head of finance`).

    >>> holds_role(read_statement("Ann is the head of finance"), ("ann",))
    True
    """
    opening = [word.lower for word in statement.words[: len(left)]]
    rest = [word.lower for word in statement.words[len(left) : len(left) + 2]]
    if not left or opening != [*left] or not all(word.capital for word in statement.words[: len(left)]):
        return False
    role = statement.words[len(left) + 2 :]
    if rest and rest[-1] in _DEFINITES and statement.words[len(left)].bases & _PRESIDES:
        return bool(role)
    if rest != ["is", "the"]:
        return False
    return bool(role) and not role[0].lower.endswith("s") and any(word.lower == "of" for word in role)


def _names_left(statement: ParsedStatement, left: Sequence[str]) -> list[int]:
    """The places of the words `left`, where all of them have a capital; else none."""
    named = [(position, word) for position, form, word in statement.content if form in left]
    return [position for position, word in named] if all(word.capital for _, word in named) else []


def _slots(tokens: tuple[Word, ...]) -> Slots:
    quantities = read_quantities(tokens)
    lower = [token.lower for token in tokens]
    headline, names = _names(tokens, quantities.spent)
    return Slots(
        quantities=quantities,
        names=names,
        negations=_negations(lower),
        persons=frozenset(PRONOUNS[word] for word in lower if word in PRONOUNS),
        modals=_modals(lower, quantities.spent),
        tense=_tense(lower),
        headline=headline,
    )


def _modals(lower: list[str], spent: Set[int]) -> frozenset[str]:
    """The modal verbs; `is able to` is can, and `has to` is must, but for its negation: who need not may."""
    found = {word for at, word in enumerate(lower) if word in MODALS and at not in spent}
    followed = {word for word, after in pairwise(lower) if after == "to"}
    if "able" in followed:
        found.add("can")
    if followed & _HAVE and not NEGATIONS & {*lower}:
        found.add("must")
    return frozenset(found)


def _tense(lower: list[str]) -> frozenset[str]:
    """Read the tenses off the auxiliaries: what has been done was done, and still is so."""
    found = {name for name, forms in (("past", PAST), ("present", PRESENT)) if any(word in forms for word in lower)}
    if any(word in {"has", "have"} and after == "been" for word, after in pairwise(lower)):
        found.add("past")
    return frozenset(found)


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
    """Tell whether capitals are a headline's, and find the names."""
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


def _same_names(first: ParsedStatement, second: ParsedStatement) -> bool:
    """Tell whether every name of either is a word of the other; capitals do not matter there."""
    mine, theirs = ({form for word in one.words for form in (word.lower, *word.bases)} for one in (first, second))
    forms_a = {form for _, form, _ in first.content}
    forms_b = {form for _, form, _ in second.content}
    return all(_named(name, theirs, forms_b) for name in first.slots.names) and all(
        _named(name, mine, forms_a) for name in second.slots.names
    )


def _named(name: str, known: set[str], forms: set[str]) -> bool:
    return name in known or any(relation(name, form) is Relation.SAME for form in forms)


def _same_negations(mine: Counter[str], theirs: Counter[str]) -> bool:
    """Tell whether both negate the same words."""
    if mine.total() != theirs.total():
        return False
    left, right = list((mine - theirs).elements()), list((theirs - mine).elements())
    return all(any(relation(one, other) is Relation.SAME for other in right) for one in left if one)
