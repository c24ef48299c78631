"""The alignment of two statements' content words: by order, by correspondence, and the rest on either side."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from itertools import combinations, takewhile

from clause.text.statements.lexicon import Relation, relation
from clause.text.statements.slots import ParsedStatement, holds_role, refers
from clause.text.statements.words import ADJUNCTS, ARTICLES, AUXILIARIES, FILLERS, LIGHT

_PASSIVE_WORDS = "is are was were be been being get gets got getting"
_BARE_WORDS = "cut put hit hurt shut set let read cast cost burst split spread beat run come"
_BREAK_WORDS = "is are was were in on at into onto with near from to under over behind for by"
_SUBORDINATING = "if when whenever because since although though while unless until after before so then"
_OPENING_WORDS = "every each tomorrow today yesterday tonight next last on in at during after before"
_KNOWN_WORDS = "the my your his her its our their"

_PASSIVE_BE = frozenset(_PASSIVE_WORDS.split())
_BARE = frozenset(_BARE_WORDS.split())
_BREAKS = frozenset(_BREAK_WORDS.split())
_SUBORDINATORS = frozenset(_SUBORDINATING.split())
_TIME_OPENERS = frozenset(_OPENING_WORDS.split())
_ONE_KNOWN = frozenset(_KNOWN_WORDS.split())
_RELATIVES = frozenset({"which", "that", "who"})
_JOINTS = frozenset({"of", "for", "which", "that", "who"}) | LIGHT
_LINKS = frozenset({"and", "or"})
_OFTEN = frozenset({"every", "always", "often", "usually", "sometimes", "regularly", "daily", "weekly"})

_WIDEST_NAME = 3

ONLY = frozenset({"only", "solely", "exclusively"})
"""Words that leave no room for another."""

Pair = tuple[int, int]


def moved_pairs(first: ParsedStatement, second: ParsedStatement, matched: Sequence[Pair]) -> int:
    """The number of matched words in another order, at best over the readings; 0 where all roles are kept.

    Neighbours around a joint may change places: `cooking oil` and `oil for cooking`, `A and B`. A verb that is passive
    on one side only, without the one who acts (`is eaten`, `is eating`), counts too.

    Args:
        first: a statement.
        second: the other one.
        matched: positions in the content of both.
    """
    agents = _agent_at(first), _agent_at(second)
    if agents == (None, None) and _voice_differs(first, second, matched):
        return len(matched)
    one, other = _orders(first), _orders(second)
    if agents[0] is not None:
        one = [*_active_orders(first, agents[0]), *(one if agents[1] is not None else [])]
    if agents[1] is not None:
        other = [*_active_orders(second, agents[1]), *(other if agents[0] is not None else [])]
    return min((_inversions(first, second, matched, x, y) for x in one for y in other), default=len(matched))


def _orders(statement: ParsedStatement) -> list[list[int]]:
    """The orders of the content (positions in it) that the statement may mean, its own first.

    `N, which is A,` is read as A N too, and `P, Q` as Q P.
    """
    own = list(range(len(statement.content)))
    turned = [*_turned(statement, own), *_fronted(statement, own), *_equated(statement, own)]
    return [own, *_attributive_orders(statement, own), *turned]


def _active_orders(statement: ParsedStatement, by: int) -> list[list[int]]:
    """`O is V-ed (P) by S Q` as S V O P Q, whatever part of what follows `by` is S."""
    own = list(range(len(statement.content)))
    tokens = [word.lower for word in statement.words]
    places = [position for position, _, _ in statement.content]
    be = max(at for at in range(by) if tokens[at] in _PASSIVE_BE)
    act = next(at for at in range(be + 1, by) if _participle(statement, at))
    clause = max((at for at in range(be) if tokens[at] in _LINKS), default=-1)
    verb = [i for i in own if places[i] == act]
    adverbs = [i for i in own if be < places[i] < act]
    rest = [i for i in own if act < places[i] < by]
    manner = [i for i in rest if tokens[places[i]].endswith("ly")]
    others = [i for i in rest if i not in manner]
    after = [i for i in own if places[i] > by]
    orders = []
    for start in {-1, clause}:
        before = [i for i in own if places[i] < start]
        patient = [i for i in own if start < places[i] < be]
        for end in range(1, len(after) + 1):
            agent, tail = after[:end], after[end:]
            orders.append([*before, *agent, *adverbs, *verb, *patient, *rest, *tail])
            orders.append([*before, *agent, *adverbs, *manner, *verb, *patient, *others, *tail])
    return orders


def _attributive_orders(statement: ParsedStatement, own: list[int]) -> list[list[int]]:
    """`N, which is A,` as A N, where N may have several words (`guinea pig`)."""
    tokens = [word.lower for word in statement.words]
    places = [position for position, _, _ in statement.content]
    orders = [list(own) for _ in range(_WIDEST_NAME)]
    for at, word in enumerate(tokens[:-1]):
        if word in _RELATIVES and tokens[at + 1] in {"is", "are", "was", "were"}:
            end = next((stop for stop in range(at + 2, len(tokens)) if tokens[stop] in _BREAKS), len(tokens))
            head = max((i for i in own if places[i] < at), default=None)
            run = [i for i in own if at < places[i] < end]
            if head is not None and run:
                for back, order in enumerate(orders):
                    kept = [i for i in order if i not in run]
                    where = max(0, kept.index(head) - back)
                    order[:] = [*kept[:where], *run, *kept[where:]]
    return [order for order in orders if order != own]


def _turned(statement: ParsedStatement, own: list[int]) -> list[list[int]]:
    """The parts before and after each comma or colon changed over (`Q, said P` for `P said Q`)."""
    if any(word.lower in _SUBORDINATORS for word in statement.words):
        return []
    pauses = [at for at, word in enumerate(statement.words) if word.pauses]
    places = [position for position, _, _ in statement.content]
    cuts = {sum(place < pause for place in places) for pause in pauses}
    return [[*own[cut:], *own[:cut]] for cut in sorted(cuts) if 0 < cut < len(own)]


def _fronted(statement: ParsedStatement, own: list[int]) -> list[list[int]]:
    """Move what stands before the subject (`Every night ...`, `Tomorrow evening ...`) to the end."""
    if not statement.words or statement.words[0].lower not in _TIME_OPENERS or _turned(statement, own):
        return []
    return [[*own[cut:], *own[:cut]] for cut in range(1, min(_WIDEST_NAME, len(own) - 1) + 1)]


def _equated(statement: ParsedStatement, own: list[int]) -> list[list[int]]:
    """`Our head is Ann` as `Ann is our head`: both sides of a lone `is` changed over, where each names one thing."""
    tokens = [word.lower for word in statement.words]
    if sum(token in _PASSIVE_BE for token in tokens) != 1 or not tokens[1:-1]:
        return []
    be = next(at for at, token in enumerate(tokens) if token in _PASSIVE_BE)
    sides = statement.words[:be], statement.words[be + 1 :]
    named = [bool(side) and all(word.capital for word in side) for side in sides]
    known = [bool(side) and (side[0].lower in _ONE_KNOWN or one) for side, one in zip(sides, named, strict=True)]
    if not all(known) or not any(named):
        return []
    cut = sum(position < be for position, _, _ in statement.content)
    return [[*own[cut:], *own[:cut]]]


def _agent_at(statement: ParsedStatement) -> int | None:
    """The place of the `by` that follows a form of `be` and a participle; None where there is none."""
    tokens = [word.lower for word in statement.words]
    for by, word in enumerate(tokens):
        be = max((at for at in range(by) if tokens[at] in _PASSIVE_BE), default=None) if word == "by" else None
        if be is not None and any(_participle(statement, at) for at in range(be + 1, by)):
            return by
    return None


def _participle(statement: ParsedStatement, at: int) -> bool:
    word = statement.words[at]
    if word.lower.endswith(("ing", "s", "ly")) or word.lower in AUXILIARIES:
        return False
    return word.bases != {word.lower} or word.lower in _BARE


def _voice_differs(first: ParsedStatement, second: ParsedStatement, matched: Sequence[Pair]) -> bool:
    for i, j in matched:
        at, to = first.content[i][0], second.content[j][0]
        passive = [_passive_at(first, at), _passive_at(second, to)]
        going = [first.words[at].lower.endswith("ing"), second.words[to].lower.endswith("ing")]
        if (passive[0] and going[1]) or (passive[1] and going[0]):
            return True
    return False


def _passive_at(statement: ParsedStatement, at: int) -> bool:
    return at > 0 and statement.words[at - 1].lower in _PASSIVE_BE and _participle(statement, at)


def _inversions(
    first: ParsedStatement, second: ParsedStatement, matched: Sequence[Pair], one: Sequence[int], other: Sequence[int]
) -> int:
    rank_a = {i: rank for rank, i in enumerate(one)}
    rank_b = {j: rank for rank, j in enumerate(other)}
    ordered = sorted(matched, key=lambda pair: rank_a[pair[0]])
    return sum(
        rank_b[left[1]] > rank_b[right[1]] and not _joined(first, second, left, right)
        for left, right in combinations(ordered, 2)
    )


def _joined(first: ParsedStatement, second: ParsedStatement, left: Pair, right: Pair) -> bool:
    """Tell whether two matched words are neighbours that may swap: `cooking oil`, `oil for cooking`; `A and B`."""
    if abs(left[0] - right[0]) != 1 or abs(left[1] - right[1]) != 1:
        return False
    one, other = _between(first, left[0], right[0]), _between(second, left[1], right[1])
    compound = (not one and bool(other & _JOINTS)) or (not other and bool(one & _JOINTS))
    return compound or (bool(one) and bool(other) and one <= _LINKS and other <= _LINKS)


def _between(statement: ParsedStatement, i: int, j: int) -> set[str]:
    """The words between two neighbours in the content; articles and commas do not count."""
    start, end = sorted((statement.content[i][0], statement.content[j][0]))
    return {word.lower for word in statement.words[start + 1 : end]} - ARTICLES


Relate = Callable[[str, str], Relation]
"""A function that says how two different words relate."""


@dataclass(frozen=True)
class Alignment:
    """The content words of statements a and b, matched.

    Attributes:
        same: pairs of positions in the content of a and of b, equal or synonyms.
        synonyms: how many of `same` are different words.
        wider: pairs where one word covers the other.
        only_a: forms in a without a match.
        only_b: forms in b without a match.
        exclusive: leftover pairs that exclude one another.
        moved: how many matched pairs stand in another order, the passive voice set right.
        plural: how many matched words are singular on one side and plural on the other.
    """

    same: tuple[tuple[int, int], ...]
    synonyms: int
    wider: tuple[tuple[int, int], ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    exclusive: tuple[tuple[str, str], ...]
    moved: int
    plural: int

    @property
    def exchanged(self) -> bool:
        """True where both sides have words the other lacks."""
        return bool(self.only_a) and bool(self.only_b)


def align(first: ParsedStatement, second: ParsedStatement, relate: Relate = relation) -> Alignment:
    """Match content words: equal ones first, then synonyms, then wider and narrower ones; near positions go first.

    >>> from clause.text.statements.slots import read_statement
    >>> found = align(read_statement("A kid rides a red bike"), read_statement("A child is riding a blue bicycle"))
    >>> found.exclusive, found.synonyms
    ((('red', 'blue'),), 2)
    """
    mine, theirs = [form for _, form, _ in first.content], [form for _, form, _ in second.content]
    free_a, free_b = set(range(len(mine))), set(range(len(theirs)))
    equal = _pair(free_a, free_b, lambda i, j: _equal(first, second, i, j))
    akin = _pair(free_a, free_b, lambda i, j: relate(mine[i], theirs[j]) is Relation.SAME)
    wider = _pair(free_a, free_b, lambda i, j: relate(mine[i], theirs[j]) is Relation.WIDER)
    only_a, only_b = [mine[i] for i in sorted(free_a)], [theirs[j] for j in sorted(free_b)]
    exclusive = [(x, y) for x in only_a for y in only_b if relate(x, y) is Relation.EXCLUSIVE]
    exclusive += _opposed_particles(first, second, only_a, only_b)
    matched = sorted([*equal, *akin, *wider])
    return Alignment(
        same=tuple(sorted([*equal, *akin])),
        synonyms=len(akin),
        wider=tuple(wider),
        only_a=tuple(only_a),
        only_b=tuple(only_b),
        exclusive=tuple(exclusive),
        moved=moved_pairs(first, second, matched),
        plural=sum(_plural(mine[i]) != _plural(theirs[j]) for i, j in equal),
    )


def _equal(first: ParsedStatement, second: ParsedStatement, i: int, j: int) -> bool:
    """Tell whether two words are forms of one; a phrase (`put_on`) is its head where the other side has the rest."""
    (_, mine, one), (_, theirs, other) = first.content[i], second.content[j]
    if "_" in mine and "_" in theirs:
        return mine == theirs
    if "_" not in mine + theirs:
        return bool(one.bases & other.bases)
    phrase, rest_of = (mine, second) if "_" in mine else (theirs, first)
    particles = set(phrase.split("_")[1:]) & FILLERS
    return bool(particles and one.bases & other.bases) and particles <= {word.lower for word in rest_of.words}


def _pair(free_a: set[int], free_b: set[int], fits: Callable[[int, int], bool]) -> list[tuple[int, int]]:
    """Free positions that fit each other, the nearest in place first; they are free no more."""
    found = []
    for i in sorted(free_a):
        options = [j for j in free_b if fits(i, j)]
        if options:
            j = min(options, key=lambda other: (abs(other - i), other))
            free_b.discard(j)
            free_a.discard(i)
            found.append((i, j))
    return found


def _opposed_particles(
    first: ParsedStatement, second: ParsedStatement, only_a: Sequence[str], only_b: Sequence[str]
) -> list[tuple[str, str]]:
    """Small words (`up`, `into`) of one side that exclude a small or leftover word of the other."""
    mine = {word.lower for word in first.words if word.lower in FILLERS}
    theirs = {word.lower for word in second.words if word.lower in FILLERS}
    return sorted(
        (x, y)
        for x in {*(mine - theirs), *only_a}
        for y in {*(theirs - mine), *only_b}
        if (x in FILLERS or y in FILLERS) and relation(x, y) is Relation.EXCLUSIVE
    )


def _plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))


def limited(first: ParsedStatement, second: ParsedStatement) -> bool:
    """Tell whether both say `only` of what alone tells them apart, behind the same subject and what it does.

    >>> from clause.text.statements.slots import read_statement
    >>> told = ("Ann eats only fish", "Ann eats only meat", "Ann only drinks tea", "Ann only reads")
    >>> limited(*map(read_statement, told[:2])), limited(*map(read_statement, told[2:]))
    (True, False)
    """
    told = [[word for word in one.words if word.lower not in ONLY] for one in (first, second)]
    if any(len(one) == len(two.words) for one, two in zip(told, (first, second), strict=True)):
        return False
    ends = [place for place, (one, other) in enumerate(zip(*told, strict=False)) if one.lower != other.lower]
    opening = told[0][: min(ends, default=0)]
    return refers(first) and refers(second) and sum(word.lower not in ADJUNCTS for word in opening) > 1


def joined(statement: ParsedStatement, values: Set[str]) -> bool:
    """Tell whether several `values` stand in a row (`green and white`)."""
    places = [place for place, (_, form, _) in enumerate(statement.content) if form in values]
    return len(places) > 1 and places[-1] - places[0] == len(places) - 1


def often(statement: ParsedStatement, other: ParsedStatement) -> int:
    """The number of words that say how often what `other` says never is done (`every evening`)."""
    if not any(word.lower == "never" for word in other.words):
        return 0
    every = {place + 1 for place, (_, form, _) in enumerate(statement.content) if form == "every"}
    return sum(form in _OFTEN or place in every for place, (_, form, _) in enumerate(statement.content))


def one_role(first: ParsedStatement, second: ParsedStatement) -> bool:
    """Tell whether both say who holds the same role (`Ann is the head of finance`, `Bob is the head of finance`)."""
    names = [[word.lower for word in takewhile(lambda word: word.capital, one.words)] for one in (first, second)]
    rests = [[word.lower for word in one.words[len(name) :]] for one, name in zip((first, second), names, strict=True)]
    if rests[0] != rests[1] or names[0] == names[1]:
        return False
    return all(holds_role(one, name) for one, name in zip((first, second), names, strict=True))
