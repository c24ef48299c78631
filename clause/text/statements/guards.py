"""May two statements be merged, and do they contradict each other? Pure functions over texts and similarity.

A cosine above .90 only makes a candidate: there, one changed colour, number or country is often hidden. A merge needs
the same slots (numbers with units, dates, names, negation, persons, modality, tense), no pair of words that the lists
call exclusive, the same order of roles, and, where content words are left over, the pair classifier's word for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

from clause.arrays import Floats
from clause.text.statements.alignment import ONLY, joined, limited
from clause.text.statements.lexicon import shipped_lexicon
from clause.text.statements.pair_classifier import (
    UNIVERSAL,
    PairClassifier,
    PairReading,
    Probabilities,
    compared,
    negated,
    of_all,
    other_subject,
    read_pair,
    shipped_pair_classifier,
)
from clause.text.statements.quantities import WEEKDAYS, same_numbers
from clause.text.statements.slots import (
    completes,
    happens_once,
    holds_role,
    names_partner,
    names_place,
    names_role,
    numbered_apart,
    one_subject,
    refers,
    single_valued,
)
from clause.text.statements.words import symbols_differ

CANDIDATE = 0.90
"""The cosine above which two statements are candidates for a merge."""

EXCHANGED = 0.99
"""The classifier's least share of `duplicate` for a merge of statements that both have words left over."""

ADDED = 0.5
"""The same where only one has words left over: nothing is exchanged, so the classifier only vetoes."""

TENSION = 0.5
"""The least score of a contradiction."""

SURE = 0.9
"""The classifier's share of `contradiction` that is a signal by itself, where the caller vouches for the subject."""

NEAR = 0.4
"""The least similarity of statements about one subject that may contradict each other."""

APART = 0.6
"""The same where nobody vouches for the subject."""

TensionKind = Literal["contradiction", "temporal_conflict"]
Vectors = tuple[Floats, Floats]


@dataclass(frozen=True)
class MergeVerdict:
    """The verdict on merging two statements.

    Attributes:
        allowed: whether they say the same.
        reasons: what speaks against it, in words; empty where allowed.
        duplicate: the classifier's share of `duplicate`, where it was asked.
    """

    allowed: bool
    reasons: tuple[str, ...]
    duplicate: float | None = None


@dataclass(frozen=True)
class TensionVerdict:
    """The strength with which two statements contradict each other.

    Attributes:
        score: in [0, 1]; at least `TENSION` is a tension.
        signals: what was found, such as `negation` or `exclusive: red / blue`.
        kind: `temporal_conflict` where only dates, weekdays or times of day differ, else `contradiction`; None below
            `TENSION`.
    """

    score: float
    signals: tuple[str, ...]
    kind: TensionKind | None

    @property
    def found(self) -> bool:
        """True where the score makes it a tension."""
        return self.kind is not None


def may_merge(
    a: str,
    b: str,
    similarity: float,
    *,
    vectors: Vectors | None = None,
    classifier: PairClassifier | None = None,
    candidate: float = CANDIDATE,
) -> MergeVerdict:
    """Judges whether statements `a` and `b` with this cosine say the same and may be one; a and b may change places.

    Args:
        a: one statement.
        b: the other one.
        similarity: the cosine of their embeddings.
        vectors: the two embeddings, for the classifier; without them nothing with words left over is merged.
        classifier: the classifier; the shipped one by default.
        candidate: the cosine that must be exceeded.

    >>> may_merge("Ann rides a bike to work", "Ann is riding a bicycle to work", 0.95).allowed
    True
    >>> may_merge("Ann owns 2 red cars", "Ann owns 3 blue cars", 0.95).reasons
    ('numbers differ', 'exclusive: blue / red')
    """
    reading = read_pair(a, b)
    against = _against(reading, similarity, candidate)
    if against:
        return MergeVerdict(False, against)
    left = _left_over(reading)
    if not left:
        return MergeVerdict(True, ())
    if vectors is None:
        return MergeVerdict(False, left)
    share = _ask(reading, vectors, classifier).duplicate
    allowed = share >= (EXCHANGED if reading.alignment.exchanged or reading.alignment.wider else ADDED)
    return MergeVerdict(allowed, () if allowed else left, share)


def contradiction(
    a: str,
    b: str,
    similarity: float,
    *,
    vectors: Vectors | None = None,
    classifier: PairClassifier | None = None,
    same_subject: bool = False,
) -> TensionVerdict:
    """Judges how surely statements `a` and `b` contradict each other; a and b may change places.

    A negation of the same content is a signal; so are exclusive values, numbers and dates in one slot, where everything
    else agrees and the statements speak of the same thing: `same_subject` says so, or a subject that refers (a name,
    `the`), since `a man` may be anybody. The classifier moves the score of a signal; it makes one of its own only with
    `same_subject`.

    Args:
        a: one statement.
        b: the other one.
        similarity: the cosine of their embeddings.
        vectors: the two embeddings, for the classifier; without them the rules alone speak.
        classifier: the classifier; the shipped one by default.
        same_subject: whether the caller knows that both speak of the same thing or event.

    >>> contradiction("Ann is not at home", "Ann is at home", 0.9).signals
    ('negation',)
    >>> contradiction("The car is red", "The car is blue", 0.9).signals
    ('exclusive: blue / red',)
    """
    reading = read_pair(a, b)
    one = same_subject or one_subject(reading.first, reading.second)
    if one and (habit := _habit(reading)):  # told in words that may lie far apart
        return TensionVerdict(0.85, (f"exclusive: {' / '.join(sorted(habit))}",), "contradiction")
    if _apart(reading, similarity, NEAR if one or _other_name(reading) else APART):
        return TensionVerdict(0.0, (), None)
    score, signals = _signals(reading, same_subject)
    if vectors is not None and (score >= TENSION or (same_subject and not signals and _unjudged(reading))):
        share = _ask(reading, vectors, classifier).contradiction
        if signals:
            score = (score + share) / 2
        elif share >= SURE:
            score, signals = share, ("classifier",)
    kind: TensionKind = "temporal_conflict" if signals and all(map(_of_time, signals)) else "contradiction"
    return TensionVerdict(score, signals, kind if score >= TENSION else None)


def _ask(reading: PairReading, vectors: Vectors, classifier: PairClassifier | None) -> Probabilities:
    return (classifier or shipped_pair_classifier()).classify(reading, *vectors)


def _against(reading: PairReading, similarity: float, candidate: float) -> tuple[str, ...]:
    found = [f"{slot} differ" if slot.endswith("s") else f"{slot} differs" for slot in reading.differing]
    found += [f"exclusive: {' / '.join(sorted(pair))}" for pair in reading.alignment.exclusive]
    if symbols_differ(reading.first.text, reading.second.text):
        found.append("symbols differ")
    if reading.alignment.moved:
        found.append("the words have other roles")
    if "names" not in reading.differing and _name_left(reading):
        found.append("names differ")
    if not similarity > candidate:
        found.append(f"similarity is not above {candidate:.2f}")
    return tuple(found)


def _name_left(reading: PairReading) -> bool:
    """Tell whether a word left over may be a name: a capital, even at the opening, of a word that no list knows."""
    left = [
        (
            statement,
            any(
                word.capital and form in words and not shipped_lexicon().knows(form)
                for _, form, word in statement.content
            ),
        )
        for statement, words in (
            (reading.first, reading.alignment.only_a),
            (reading.second, reading.alignment.only_b),
        )
    ]
    return all(named for _, named in left) or any(named and not one.slots.headline for one, named in left)


def _left_over(reading: PairReading) -> tuple[str, ...]:
    """List what one statement says and the other does not say in the same words; in no particular statement's order."""
    found = reading.alignment
    wider = [" / ".join(sorted((reading.first.content[i][1], reading.second.content[j][1]))) for i, j in found.wider]
    lists = sorted([list(found.only_a), list(found.only_b)])
    left = " / ".join(" ".join(words) for words in lists if words)
    kind = "exchanged" if found.exchanged else "added"
    return (*(f"wider: {pair}" for pair in wider), *([f"{kind}: {left}"] if left else []))


def _apart(reading: PairReading, similarity: float, least: float) -> bool:
    """Tell whether statements are about different things: far apart, or of other names or persons, or a question."""
    return not similarity >= least or bool(_slots(reading) & {"names", "persons", "mood"})


def _slots(reading: PairReading) -> set[str]:
    """The slots that differ; names do not where they are the exclusive values (`in Paris`, `in London`)."""
    named = _only_exclusive(reading) or _other_name(reading) or limited(reading.first, reading.second)
    return set(reading.differing) - ({"names"} if named else set())


def _signals(reading: PairReading, same_subject: bool) -> tuple[float, tuple[str, ...]]:
    """The strength of the rules' signals and their names; (0.0, ()) where there are none."""
    slots = _slots(reading)
    found = reading.alignment
    if negated(reading) and not slots - {"negation", "modality", "tense"}:
        return (0.9, ("negation",)) if not found.exclusive else (0.0, ())
    if found.moved and not slots and not _left_over(reading) and compared(reading):
        return 0.85, ("compared the other way round",)
    if "negation" in slots or found.moved or found.wider or not set(slots) <= {"numbers", "dates", "modality"}:
        return 0.0, ()
    known = same_subject or (refers(reading.first) and refers(reading.second)) or of_all(reading)
    referring = 0.85 if known else 0.4
    signals = []
    if _only_exclusive(reading) and not other_subject(reading) and _one_at_a_time(reading, same_subject):
        signals += [f"exclusive: {' / '.join(sorted(pair))}" for pair in found.exclusive]
    elif _other_name(reading):
        signals.append("names differ")
    elif found.exchanged and limited(reading.first, reading.second):
        signals.append("each only one")
    elif {*found.only_a, *found.only_b} - UNIVERSAL:
        return 0.0, ()
    numbers = _numbers_differ(reading)
    repeated = "dates differ" in numbers and not (happens_once(reading.first) and happens_once(reading.second))
    several = not _scene(reading, same_subject) and _several(reading, bool(numbers))
    signals += numbers
    return (referring, tuple(signals)) if signals and not repeated and not several else (0.0, ())


def _numbers_differ(reading: PairReading) -> list[str]:
    """`numbers differ` or `dates differ`, where both sides have some."""
    first, second = reading.first.slots.quantities, reading.second.slots.quantities
    found: list[str] = []
    if numbered_apart(reading.first, reading.second):
        return found
    if "numbers" in reading.differing and first.numbers and second.numbers:
        found.append("dates differ" if same_numbers(first.counts, second.counts) else "numbers differ")
    if "dates" in reading.differing and first.dates and second.dates and "dates differ" not in found:
        found.append("dates differ")
    return found


def _several(reading: PairReading, other_number: bool) -> bool:
    """Tell whether opposites or values come with other ones: each may hold at its own time, or of its own thing.

    `opens at 9` and `closes at 5`, `likes cats` and `dislikes dogs`; not values in a row (`green and white`).
    """
    exclusive = reading.alignment.exclusive
    if not other_number and all(
        joined(one, {pair[side] for pair in exclusive}) for side, one in enumerate((reading.first, reading.second))
    ):
        return any(shipped_lexicon().opposed(*pair) for pair in exclusive) and len({*exclusive}) > 1
    apart = min(len({one for one, _ in exclusive}), len({other for _, other in exclusive}))
    return apart + other_number > 1


def _habit(reading: PairReading) -> tuple[str, str] | None:
    """Find what one side calls somebody and what the other says against it (`vegetarian`, `meat`), neither denied."""
    if reading.first.slots.negations or reading.second.slots.negations or {"persons", "mood"} & {*reading.differing}:
        return None
    found = reading.alignment
    sides = ((found.only_a, found.only_b), (found.only_b, found.only_a))
    pairs = ((called, word) for names, words in sides for called in names for word in words)
    return next((pair for pair in pairs if shipped_lexicon().against_habit(*pair)), None)


def _of_time(signal: str) -> bool:
    """Tell whether a signal says that a fact is told of two times: other dates, other weekdays."""
    values = signal.removeprefix("exclusive: ").split(" / ")
    return signal == "dates differ" or WEEKDAYS.issuperset(values)


def _only_exclusive(reading: PairReading) -> bool:
    """Tell whether every word left over is an exclusive value, or only says to or by whom one of them is so."""
    found = reading.alignment
    values = {word for pair in found.exclusive for word in pair}
    left = {*found.only_a, *found.only_b} - values - UNIVERSAL - ONLY
    sides = ((reading.first, found.only_a), (reading.second, found.only_b))
    return bool(values) and all(
        not left & {*only} or completes(statement, left & {*only}, values) for statement, only in sides
    )


def _one_at_a_time(reading: PairReading, same_subject: bool) -> bool:
    """Tell whether the exclusive words cannot both hold: opposites, or values where there can be but one of them.

    `The car is red` leaves no room for blue; who `speaks French` may speak Spanish too. A scene has no room for
    another thing either (`A man drinks tea`), where the caller knows that both tell the same one.
    """
    if _scene(reading, same_subject):
        return True
    pairs = reading.alignment.exclusive
    if any(shipped_lexicon().opposed(*pair) for pair in pairs):
        return not _turned_round(reading)
    if ONLY & {*reading.alignment.only_a, *reading.alignment.only_b}:
        return True
    values = {word for pair in pairs for word in pair}
    return single_valued(reading.first, values) and single_valued(reading.second, values)


def _scene(reading: PairReading, same_subject: bool) -> bool:
    """Tell whether both tell of one scene: the caller knows that they do, and neither names whom."""
    return same_subject and not (refers(reading.first) or refers(reading.second))


def _unjudged(reading: PairReading) -> bool:
    """Tell whether no list knows the words left over, and there is room for one thing: the classifier may speak."""
    judged = reading.alignment.exclusive or {"numbers", "dates"} & {*reading.differing}
    return (not judged or _scene(reading, True)) and _one_slot(reading)


def _one_slot(reading: PairReading) -> bool:
    """Tell whether what is left over on either side is said in a way that leaves room for one thing only."""
    found = reading.alignment
    return single_valued(reading.first, {*found.only_a}) and single_valued(reading.second, {*found.only_b})


def _other_name(reading: PairReading) -> bool:
    """Tell whether only a name differs where there is room for one: of who holds a role, of the town something is in.

    Not of countries and continents: one place may lie within the other.
    """
    found = reading.alignment
    sides = ((reading.first, found.only_a), (reading.second, found.only_b))
    if all(holds_role(*side) for side in sides):
        return True
    named = all(names_role(*side) or names_place(*side) or names_partner(*side) for side in sides)
    return named and _one_slot(reading)


def _turned_round(reading: PairReading) -> bool:
    """Tell whether opposite comparisons have other things before them: `A is older than B`, `B is younger than A`."""
    if not compared(reading):
        return False
    values = {word for pair in reading.alignment.exclusive for word in pair}
    first, second = (
        [form for _, form, _ in takewhile(lambda part: part[1] not in values, one.content)]
        for one in (reading.first, reading.second)
    )
    return first != second
