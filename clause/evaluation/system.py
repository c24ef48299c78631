"""Systems under test: anything that answers a question and says what that cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from clause.evaluation.questions import Question


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question, answered.

    Attributes:
        answers: (name, score), best first; empty when the system abstained.
        supported: the names of which a whole path is in the evidence set.
        evidence: the texts of the evidence set, in the order of picking.
        seeds: the names of the seed entities, best first.
        edges, steps, tokens: what was spent.
        edges_read: edges that came out of the store.
        violations: the resources of which more was spent than the budget allows.
        latency_ms: wall time of the answer; `timings` splits it where the system knows how.
        abstained: whether answers were withheld, or there were none.
        error: the refusal, when the question was one that the system refuses.
    """

    answers: tuple[tuple[str, float], ...] = ()
    supported: frozenset[str] = frozenset()
    evidence: tuple[str, ...] = ()
    seeds: tuple[str, ...] = ()
    edges: int = 0
    steps: int = 0
    tokens: int = 0
    edges_read: int = 0
    violations: tuple[str, ...] = ()
    latency_ms: float = 0.0
    timings: Mapping[str, float] = field(default_factory=dict)
    abstained: bool = False
    error: str | None = None


class System(Protocol):
    """Something that answers."""

    @property
    def name(self) -> str:
        """What tables call it."""
        ...

    async def answer(self, question: Question) -> Outcome:
        """Answer one question; an input that the system refuses is an outcome with `error`."""
        ...
