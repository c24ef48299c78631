"""The grounded policy: reads a question on the graph as it is, whatever its types, and proves what it answers."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from clause.errors import NotFoundError
from clause.policy.serve.pattern_scorer import PatternScorer
from clause.reasoning.agents.policy import Account, Embed, Finding, PlainPolicy, Question
from clause.reasoning.agents.proving import ProvingAgents
from clause.reasoning.models.answer import AnswerReading, ReadingHop
from clause.reasoning.neighbourhood.port import RelationshipType
from clause.reasoning.question.grounding import ground
from clause.reasoning.question.pattern_text import Wording
from clause.reasoning.question.patterns import Rank, TypedPattern, best_scores
from clause.reasoning.question.reading import RankedReading
from clause.text.names import relation_words
from clause.text.thread_pool import CpuPool

NAME: Final = "grounded"
ABSTAIN_BELOW: Final = 0.5


@lru_cache(maxsize=1)
def shipped() -> PatternScorer:
    """The pattern scorer that ships, read once."""
    return PatternScorer.load()


@dataclass(frozen=True, slots=True)
class PatternRates:
    """Rates walks by the pattern scorer, in a graph's own words for its types."""

    scorer: PatternScorer
    wordings: Mapping[str, Wording]

    def score(self, masked_question: str, patterns: Sequence[TypedPattern]) -> Sequence[float]:
        """Scores in the order of the patterns; no hop at all is worth what the worst of the others is."""
        walks = [pattern for pattern in patterns if pattern]
        found = iter(self.scorer.score(masked_question, walks, self.wordings).tolist() if walks else ())
        scores = [next(found) if pattern else math.inf for pattern in patterns]
        least = min(scores, default=0.0)
        return [score if score < math.inf else (least if walks else 0.0) for score in scores]


class GroundedPolicy(PlainPolicy):
    """Answers by the likeliest reading that the graph has, with the triples that prove it.

    Args:
        name: what `policy` in a request says.
        pool: runs the scorer apart from the event loop; None runs it in it.
    """

    def __init__(self, *, name: str = NAME, pool: CpuPool | None = None) -> None:
        self.name = name
        self._pool = pool

    @property
    def abstain_below(self) -> float:
        """The probability below which an answer is withheld."""
        return ABSTAIN_BELOW

    def warm(self) -> None:
        """Read the scorer now."""
        shipped()

    async def begin(self, question: Question, embed: Embed) -> ProvingAgents:  # noqa: ARG002 -- it has its own encoder
        """Agents that prove the reading which was chosen, or the likeliest.

        Raises:
            NotFoundError: the request chose a reading that the question does not have.
        """
        rates = PatternRates(shipped(), wordings(question.relationship_types))

        async def rated(rank: Rank) -> Sequence[float]:
            if self._pool is None:
                return best_scores(rank, rates)
            return await self._pool.run(best_scores, rank, rates)

        readings, reads = await ground(question, rated)
        listed = _chosen(readings.readings, question.reading)
        told = [_told(reading, question) for reading in listed]
        account = Account(readings.form, tuple(told), readings.reason, readings.doubt, ABSTAIN_BELOW)
        found = _found(listed[0], told[0].probability) if listed else []
        return ProvingAgents(found, account, reads.kept, _topics(listed), question.prices)


def wordings(types: Mapping[str, RelationshipType]) -> dict[str, Wording]:
    """A person's own texts of types, where they are not what the names say."""
    own: dict[str, Wording] = {}
    for name, kind in types.items():
        forward = kind.text if kind.text != relation_words(name, True) else None
        backward = kind.inverse_text if kind.inverse_text not in (relation_words(name, False), kind.text) else None
        if forward or backward:
            own[name] = Wording(forward, backward)
    return own


def probability(reading: RankedReading, question: Question) -> float:
    """The probability that a reading's answer is right."""
    certain = min((seed.score for seed in question.seeds if seed.id in reading.topics), default=1.0)
    return reading.probability * certain


def reading_id(reading: RankedReading) -> str:
    """A stable id: of what is done, not of the words for it."""
    return f"reading_{hashlib.sha256(repr(reading.plan).encode()).hexdigest()[:10]}"


def _chosen(readings: Sequence[RankedReading], wanted: str | None) -> list[RankedReading]:
    if wanted is None:
        return list(readings)
    first = [reading for reading in readings if reading_id(reading) == wanted]
    if not first:
        known = ", ".join(map(reading_id, readings)) or "none"
        raise NotFoundError(f"the question has no reading {wanted!r}", remedy=f"it has: {known}", field="reading")
    return [*first, *(reading for reading in readings if reading_id(reading) != wanted)]


def _told(reading: RankedReading, question: Question) -> AnswerReading:
    patterns = tuple(
        tuple(ReadingHop(relation=hop.relation, forward=hop.forward) for hop in pattern) for pattern in reading.patterns
    )
    return AnswerReading(
        id=reading_id(reading),
        words=reading.words,
        probability=min(1.0, max(0.0, probability(reading, question))),
        patterns=patterns,
        answers=len(reading.result.answers),
    )


def _found(reading: RankedReading, score: float) -> list[Finding]:
    return [Finding(one.name, one.node, score, one.triples) for one in reading.result.answers]


def _topics(readings: Sequence[RankedReading]) -> tuple[str, ...]:
    return readings[0].topics if readings else ()
