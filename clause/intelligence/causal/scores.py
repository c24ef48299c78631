"""Causal scores of one request's hops, bounded in operations; what was too much is computed afterwards and remembered.

Deterministic: nothing here looks at a clock. A pair that costs more than the request has left is a fallback (its hop is
judged by the cosine alone); a replay repeats the fallbacks that were recorded and computes everything else.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Sequence

from clause.intelligence.causal.graph import CausalGraph
from clause.intelligence.causal.inference import BASE_RATE, SAMPLES, Propagation

REQUEST_OPERATIONS = 5_000_000
"""Operations of `elimination` that one request may spend: less than 30 ms on two slow cores."""
BACKGROUND_OPERATIONS = 200_000_000
"""Beyond this an answer is sampled in the background too."""
REMEMBERED = 1_000
"""Answers kept; the least recently used leaves first."""
LOOKED_AT = 8
"""Nodes of a front whose causal score is looked at; the best of them is the front's."""

Key = tuple[str, str, str, bool, float]


class CausalMemory:
    """Answers by the graph they were computed in: a changed relationship is another graph, so nothing stale is found.

    >>> memory = CausalMemory(limit=1)
    >>> for key in ("a", "b"): memory.put((key, "x", "y", True, 0.5), 0.9)
    >>> memory.get(("a", "x", "y", True, 0.5)), memory.get(("b", "x", "y", True, 0.5))
    (None, 0.9)
    """

    def __init__(self, limit: int = REMEMBERED) -> None:
        self.limit = limit
        self._answers: OrderedDict[Key, float] = OrderedDict()

    def __len__(self) -> int:
        """Count the answers that are kept."""
        return len(self._answers)

    def get(self, key: Key) -> float | None:
        """The answer, if it is remembered."""
        if key in self._answers:
            self._answers.move_to_end(key)
        return self._answers.get(key)

    def put(self, key: Key, answer: float) -> None:
        """Remember an answer."""
        self._answers[key] = answer
        self._answers.move_to_end(key)
        while len(self._answers) > self.limit:
            self._answers.popitem(last=False)


class CausalScores:
    """P(effect | do(cause)) for one request.

    Args:
        graph: the causal relationships around the request's seeds.
        memory: answers of earlier requests.
        operations: what this request may spend.
        repeat: fallbacks of a recorded run; given, exactly these fall back and all else is computed.
    """

    def __init__(
        self,
        graph: CausalGraph,
        memory: CausalMemory,
        *,
        operations: int = REQUEST_OPERATIONS,
        repeat: Collection[str] | None = None,
    ) -> None:
        self.graph = graph
        self.fallbacks: dict[str, Propagation] = {}
        self.spent = 0
        self._memory = memory
        self._operations = operations
        self._repeat = repeat
        self._found: dict[tuple[str, str], float | None] = {}

    def of(self, cause: str, effect: str) -> float | None:
        """P(effect | do(cause)); None where no causal path leads there, or where it fell back."""
        pair = (cause, effect)
        if pair not in self._found:
            self._found[pair] = self._compute(cause, effect)
        return self._found[pair]

    def of_hop(self, seed: str, ends: Sequence[str]) -> float | None:
        """The causal score of a hop that reaches `ends`: the best of the first LOOKED_AT of them, as causes of the seed
        or as its effects; None where none is either.
        """
        scores = [
            score for end in ends[:LOOKED_AT] for score in (self.of(end, seed), self.of(seed, end)) if score is not None
        ]
        return max(scores, default=None)

    def _compute(self, cause: str, effect: str) -> float | None:
        if not self.graph.edges or not self.graph.leads_to(cause, effect):
            return None
        name = fallback_name(cause, effect)
        asked = Propagation(self.graph, effect, cause)
        key = memory_key(asked)
        if self._repeat is not None and name in self._repeat:
            self.fallbacks[name] = asked
            return None
        known = self._memory.get(key)
        if known is not None:
            return known
        if self._repeat is None and not self._affords(asked):
            self.fallbacks[name] = asked
            return None
        found = answer(asked)
        self._memory.put(key, found)
        return found

    def _affords(self, asked: Propagation) -> bool:
        cost = asked.operations
        if cost is None or self.spent + cost > self._operations:
            return False
        self.spent += cost
        return True


def answer(asked: Propagation) -> float:
    """The probability whatever it costs: exact where that can be had, else sampled by a seed of the question's own."""
    cost = asked.operations
    if cost is not None and cost <= BACKGROUND_OPERATIONS:
        return asked.exact()
    return asked.sampled(SAMPLES, seed=int(asked.graph.fingerprint[:8], 16))[0]


def memory_key(asked: Propagation) -> Key:
    """Give the key by which an answer is remembered."""
    return (asked.graph.fingerprint, str(asked.node), asked.target, asked.value, asked.base_rate)


def fallback_name(cause: str, effect: str) -> str:
    """Give the name that a recorded run has for a causal score that it did without.

    >>> fallback_name("ent_1", "ent_2")
    'causal:ent_1>ent_2'
    """
    return f"causal:{cause}>{effect}"


__all__ = ["BASE_RATE", "CausalMemory", "CausalScores", "answer", "fallback_name", "memory_key"]
