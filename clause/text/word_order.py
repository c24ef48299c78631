"""Whether the matched words of two statements keep their roles: who does what to whom."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from clause.text.slots import Statement
from clause.text.vocabulary import ARTICLES, AUXILIARIES, LIGHT

_PASSIVE_WORDS = "is are was were be been being get gets got getting"
_BARE_WORDS = "cut put hit hurt shut set let read cast cost burst split spread beat run come"
_BREAK_WORDS = "is are was were in on at into onto with near from to under over behind for by"
_SUBORDINATING = "if when whenever because since although though while unless until after before so then"

_PASSIVE_BE = frozenset(_PASSIVE_WORDS.split())
_BARE = frozenset(_BARE_WORDS.split())
_BREAKS = frozenset(_BREAK_WORDS.split())
_SUBORDINATORS = frozenset(_SUBORDINATING.split())
_RELATIVES = frozenset({"which", "that", "who"})
_JOINTS = frozenset({"of", "for", "which", "that", "who"}) | LIGHT
_LINKS = frozenset({"and", "or"})

_WIDEST_NAME = 3

Pair = tuple[int, int]


def moved_pairs(first: Statement, second: Statement, matched: Sequence[Pair]) -> int:
    """How many matched words stand in another order, at best over the readings; 0 where all roles are kept.

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


def _orders(statement: Statement) -> list[list[int]]:
    """The orders of the content (positions in it) that the statement may mean, its own first.

    `N, which is A,` is read as A N too, and `P, Q` as Q P.
    """
    own = list(range(len(statement.content)))
    return [own, *_attributive_orders(statement, own), *_turned(statement, own)]


def _active_orders(statement: Statement, by: int) -> list[list[int]]:
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


def _attributive_orders(statement: Statement, own: list[int]) -> list[list[int]]:
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


def _turned(statement: Statement, own: list[int]) -> list[list[int]]:
    """The parts before and after each comma or colon changed over (`Q, said P` for `P said Q`)."""
    if any(word.lower in _SUBORDINATORS for word in statement.words):
        return []
    pauses = [at for at, word in enumerate(statement.words) if word.pauses]
    places = [position for position, _, _ in statement.content]
    cuts = {sum(place < pause for place in places) for pause in pauses}
    return [[*own[cut:], *own[:cut]] for cut in sorted(cuts) if 0 < cut < len(own)]


def _agent_at(statement: Statement) -> int | None:
    """The place of the `by` that follows a form of `be` and a participle; None where there is none."""
    tokens = [word.lower for word in statement.words]
    for by, word in enumerate(tokens):
        be = max((at for at in range(by) if tokens[at] in _PASSIVE_BE), default=None) if word == "by" else None
        if be is not None and any(_participle(statement, at) for at in range(be + 1, by)):
            return by
    return None


def _participle(statement: Statement, at: int) -> bool:
    word = statement.words[at]
    if word.lower.endswith(("ing", "s", "ly")) or word.lower in AUXILIARIES:
        return False
    return word.bases != {word.lower} or word.lower in _BARE


def _voice_differs(first: Statement, second: Statement, matched: Sequence[Pair]) -> bool:
    for i, j in matched:
        at, to = first.content[i][0], second.content[j][0]
        passive = [_passive_at(first, at), _passive_at(second, to)]
        going = [first.words[at].lower.endswith("ing"), second.words[to].lower.endswith("ing")]
        if (passive[0] and going[1]) or (passive[1] and going[0]):
            return True
    return False


def _passive_at(statement: Statement, at: int) -> bool:
    return at > 0 and statement.words[at - 1].lower in _PASSIVE_BE and _participle(statement, at)


def _inversions(
    first: Statement, second: Statement, matched: Sequence[Pair], one: Sequence[int], other: Sequence[int]
) -> int:
    rank_a = {i: rank for rank, i in enumerate(one)}
    rank_b = {j: rank for rank, j in enumerate(other)}
    ordered = sorted(matched, key=lambda pair: rank_a[pair[0]])
    return sum(
        rank_b[left[1]] > rank_b[right[1]] and not _joined(first, second, left, right)
        for left, right in combinations(ordered, 2)
    )


def _joined(first: Statement, second: Statement, left: Pair, right: Pair) -> bool:
    """Whether two matched words are neighbours that may change places: `cooking oil`, `oil for cooking`; `A and B`."""
    if abs(left[0] - right[0]) != 1 or abs(left[1] - right[1]) != 1:
        return False
    one, other = _between(first, left[0], right[0]), _between(second, left[1], right[1])
    compound = (not one and bool(other & _JOINTS)) or (not other and bool(one & _JOINTS))
    return compound or (bool(one) and bool(other) and one <= _LINKS and other <= _LINKS)


def _between(statement: Statement, i: int, j: int) -> set[str]:
    """The words between two neighbours in the content; articles and commas do not count."""
    start, end = sorted((statement.content[i][0], statement.content[j][0]))
    return {word.lower for word in statement.words[start + 1 : end]} - ARTICLES
