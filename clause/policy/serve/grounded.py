"""The grounded policy: reads a question on the graph as it is, whatever its types, and proves what it answers."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Final

from clause.errors import NotFoundError
from clause.policy.serve.pattern_scorer import PatternScorer
from clause.reasoning.agents.policy import Account, Embed, PlainPolicy, ProvedAnswer, Question
from clause.reasoning.agents.proving import ProvingAgents
from clause.reasoning.models.answer import AnswerReading, ReadingHop
from clause.reasoning.neighbourhood.port import RelationshipType
from clause.reasoning.question.grounding import ground
from clause.reasoning.question.pattern_text import Wording, pattern_text
from clause.reasoning.question.patterns import Rank, TypedPattern, best_scores
from clause.reasoning.question.reading import RankedReading, Readings
from clause.text.names import relation_words
from clause.text.thread_pool import CpuPool

NAME: Final = "grounded"
ABSTAIN_BELOW: Final = 0.7
"""The probability below which an answer is withheld: on the dev worlds 8 % of all questions are answered wrongly."""

_ASKED = Path(__file__).parent / "asked_relations.txt"  # what people ask for most, by the labels of kgqa_paths
_QUESTIONS = 3
_WORDS_ALONE = 22.0  # the rate of a reading that words alone decided
_CERTAIN = 1e-3


@lru_cache(maxsize=1)
def shipped() -> PatternScorer:
    """The pattern scorer that ships, read once."""
    return PatternScorer.load()


@lru_cache(maxsize=1)
def asked_relations() -> tuple[str, ...]:
    """The texts of what people ask of a thing most often, whatever the graph; a question for one that the graph does
    not have comes nearer to it than to anything that the graph has.

    >>> len(asked_relations()), asked_relations()[0]
    (400, 'genre of it')
    """
    labels = _ASKED.read_text(encoding="utf-8").splitlines()
    return tuple(dict.fromkeys(pattern_text([(label, True)]) for label in labels))


@dataclass(frozen=True, slots=True)
class ReadingWeights:
    """The logistic that judges a reading, fitted on the three dev worlds (docs/benchmarks-reader.md).

    Attributes:
        share: weight of the log-odds of the reading among those that the graph has.
        gap: of the rate of its patterns less that of the nearest relation that people ask for, by `scale`.
        verdict: gained by yes, no, counts and winners, which are checked against both sides.
        joined: gained by walks that meet.
    """

    bias: float = -0.61
    share: float = 0.22
    gap: float = 0.62
    verdict: float = 2.04
    joined: float = 1.73
    scale: float = 4.0

    def probability(self, share: float, gap: float, *, verdict: bool, joined: bool) -> float:
        """The probability that the answer of a reading is right, in (0, 1).

        >>> ReadingWeights().probability(0.9, 2.0, verdict=False, joined=False) > 0.5
        True
        """
        kept = min(max(share, _CERTAIN), 1 - _CERTAIN)
        utility = self.bias + self.share * math.log(kept / (1 - kept)) + self.gap * gap / self.scale
        utility += self.verdict * verdict + self.joined * joined
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, utility))))


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

    def most_asked(self, masked_question: str) -> float:
        """The rate of the nearest of all relations that people ask for."""
        return float(self.scorer.score_texts(masked_question, asked_relations()).max())


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
        """Read the scorer now, and what people ask for."""
        PatternRates(shipped(), {}).most_asked("what is it")

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
        judging = partial(judge, listed, readings, rates)
        sure = judging() if self._pool is None else await self._pool.run(judging)
        told = list(map(_told, listed, sure))
        least = ABSTAIN_BELOW if question.reading is None else 0.0  # who chose a reading means it
        account = Account(readings.form, tuple(told), readings.reason, readings.doubt, least)
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


def judge(listed: Sequence[RankedReading], readings: Readings, rates: PatternRates) -> list[float]:
    """The probability of each reading that its answer is right."""
    asked = readings.questions[:_QUESTIONS]
    beyond = max((rates.most_asked(question) for question in asked), default=_WORDS_ALONE)
    verdict = readings.form in {"yes_no", "comparison", "count"}
    weights = ReadingWeights()
    found = []
    for reading in listed:
        walks = [pattern for pattern in reading.patterns if pattern]
        rate = _WORDS_ALONE
        if walks and readings.questions:
            rate = min(max(rates.score(question, [walk])[0] for question in readings.questions) for walk in walks)
        joined = len(reading.patterns) > 1
        found.append(weights.probability(reading.probability, rate - beyond, verdict=verdict, joined=joined))
    return found


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


def _told(reading: RankedReading, probability: float) -> AnswerReading:
    patterns = tuple(
        tuple(ReadingHop(relation=hop.relation, forward=hop.forward) for hop in pattern) for pattern in reading.patterns
    )
    return AnswerReading(
        id=reading_id(reading),
        words=reading.words,
        probability=probability,
        patterns=patterns,
        answers=len(reading.result.answers),
    )


def _found(reading: RankedReading, score: float) -> list[ProvedAnswer]:
    return [ProvedAnswer(one.name, one.node, score, one.triples) for one in reading.result.answers]


def _topics(readings: Sequence[RankedReading]) -> tuple[str, ...]:
    return readings[0].topics if readings else ()
