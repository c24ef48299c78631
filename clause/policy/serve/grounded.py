"""The grounded policy: reads a question on the graph as it is, whatever its types, and proves what it answers."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Final, NamedTuple

from clause.errors import NotFoundError
from clause.policy.serve.pattern_scorer import PatternScorer, TaughtScorer
from clause.reasoning.agents.policy import Account, Embed, PlainPolicy, ProvedAnswer, Question
from clause.reasoning.agents.proving import ProvingAgents
from clause.reasoning.episode.actions import Look
from clause.reasoning.episode.budget import edge_sentence, relation_text
from clause.reasoning.models.answer import AnswerReading, QuestionForm, ReadingHop
from clause.reasoning.neighbourhood.port import Edge, Expansion, Node, RelationshipType
from clause.reasoning.question.grounding import GraphReads, Rated, ground
from clause.reasoning.question.name_links import Naming, namings
from clause.reasoning.question.pattern_text import Wording, own_wording, pattern_text
from clause.reasoning.question.patterns import UNWALKED_STEP, Rank, TypedPattern, best_scores
from clause.reasoning.question.plan import Exists, QuestionPlan
from clause.reasoning.question.reading import RankedReading, Readings
from clause.reasoning.question.skeleton import reworded
from clause.text.names import inverse_text, relation_words
from clause.text.statements.pair_classifier import answering
from clause.text.tokens import count_all
from clause.workers import CpuPool

NAME: Final = "grounded"
ABSTAIN_BELOW: Final = 0.7
"""The probability below which an answer is withheld; what that gives on graphs apart: docs/benchmarks-reader.md."""

_ASKED = Path(__file__).parent / "asked_relations.txt"  # what people ask for most, by the labels of kgqa_paths
COUNTED_EXACTLY = 400
"""Edges up to which tokens are counted exactly before there is a pool; beyond, 4 letters are taken for a token."""
_QUESTIONS = 3
_WORDS_EXPLAIN = 0.8
_CERTAIN = 1e-3
_GAP_SCALE = 4.0
_DOUBT = (0.3, 0.92)  # the probabilities between which a reading is looked at again
_AGAIN = 0.4  # log-odds of a reading that is looked at again
_TOLD = 0.3  # the weight of what the reader of pairs says of it


@cache
def shipped(backend: str = "onnx") -> PatternScorer:
    """The pattern scorer that ships, read once."""
    return PatternScorer.load(backend=backend)


@lru_cache(maxsize=1)
def asked_relations() -> tuple[str, ...]:
    """The texts of what people ask of a thing most often, whatever the graph; a question for one that the graph does
    not have comes nearer to it than to anything that the graph has.

    >>> len(asked_relations()), asked_relations()[0]
    (400, 'genre of it')
    """
    labels = _ASKED.read_text(encoding="utf-8").splitlines()
    return tuple(dict.fromkeys(pattern_text([(label, True)]) for label in labels))


class ReadingSigns(NamedTuple):
    """The signs by which a reading is judged before anybody says whether its answer is right.

    Attributes:
        share: log-odds of all the readings that say the same, or give the same answers, among those that the graph has.
        gap: the rate of its patterns less that of the nearest relation that people ask for, by 4.
        linked: how well the names are spelt that its walks start from, in [0, 1].
        verdict: 1 of yes, no and winners, which are checked against both sides.
        joined: 1 of walks that meet.
        worded: 1 where words alone decided (`grandfather`).
        explained: how far the question explains its least explained walk, in [-1, 1].
        covered: the share of the question's telling words that words of the graph explain, in [0, 1].
        unwalked: 1 where the question names a step that its walk does not take.
        unheld: 1 where the question says a type that the graph has elsewhere, and that is not walked.
    """

    share: float
    gap: float
    linked: float
    verdict: float
    joined: float
    worded: float
    explained: float
    covered: float
    unwalked: float = 0.0
    unheld: float = 0.0


WEIGHTS: Final = ReadingSigns(0.28, 0.43, -0.18, 0.9, 1.03, 0.64, 3.5, 0.09, -2.5, -0.72)
BIAS: Final = -2.6
"""The logistic that judges a reading: `python -m clause.lab.reader calibrate --move` (docs/benchmarks-reader.md).
The fit has -2.06 for `unwalked`: what leaves out a step that was named answers another question, and is withheld."""


def probability(signs: ReadingSigns, offset: float = 0.0) -> float:
    """The probability that the answer of a reading is right, in (0, 1); `offset` moves its log-odds.

    >>> likely, unlikely = (ReadingSigns(share, 0.5, 1, 0, 0, 0, 0.8, 1) for share in (2.0, -2.0))
    >>> probability(likely) > probability(unlikely)
    True
    """
    utility = offset + BIAS + sum(weight * sign for weight, sign in zip(WEIGHTS, signs, strict=True))
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

    def fit(self, masked_question: str, walk: TypedPattern) -> tuple[float, float]:
        """The rate of a walk, and how far the question explains it, in [-1, 1]: low where it says too much."""
        return self.scorer.fit(masked_question, pattern_text(walk, self.wordings))

    def beside(self, reading: RankedReading) -> float:
        """The least log-odds that a walk of a reading is what the question asks for, both read together."""
        found = []
        for walk, questions in reading.claims:
            text = pattern_text(walk, self.wordings)
            found.append(max(answering(question, text) for question in own_words(questions)))
        return min(found, default=0.0)

    def most_asked(self, masked_question: str) -> float:
        """The rate of the nearest of all relations that people ask for."""
        return float(self.scorer.score_texts(masked_question, asked_relations()).max())


@dataclass(frozen=True, slots=True)
class _ReadQuestion:
    """The readings of a question under one naming, what was read for them, and their probabilities by id."""

    readings: Readings
    reads: GraphReads
    judged: Mapping[str, float]

    def worth(self, wanted: str | None) -> float:
        """The probability of the first reading; of one that the request chose, whether it is among them."""
        if wanted is not None:
            return float(wanted in self.judged)
        first = self.readings.readings[:1]
        return self.judged[reading_id(first[0])] if first else 0.0


class GroundedPolicy(PlainPolicy):
    """Answers by the likeliest reading that the graph has, with the triples that prove it.

    Args:
        name: what `policy` in a request says.
        pool: runs the scorer apart from the event loop; None runs it in it.
        backend: what runs the scorer's encoder, "onnx" or "torch".
        taught: what own questions taught the scorer, or its checkpoint without the ending; None: nothing.
    """

    def __init__(
        self,
        *,
        name: str = NAME,
        pool: CpuPool | None = None,
        backend: str = "onnx",
        taught: Path | TaughtScorer | None = None,
    ) -> None:
        self.name = name
        self._pool = pool
        self._backend = backend
        self._taught = taught
        self._scorer: PatternScorer | None = None

    @property
    def abstain_below(self) -> float:
        """The probability below which an answer is withheld."""
        return ABSTAIN_BELOW

    def warm(self) -> None:
        """Read the scorer now, what people ask for, and the reader of pairs.

        Raises:
            NotFoundError, BadInputError: as `TaughtScorer.read`.
        """
        PatternRates(self._known(), {}).most_asked("what is it")
        answering("what is it", "kind of it")

    def _known(self) -> PatternScorer:
        if self._scorer is None:
            known, taught = shipped(self._backend), self._taught
            self._scorer = TaughtScorer.read(taught, known) if isinstance(taught, Path) else taught or known
        return self._scorer

    def judged(self, question: Question, signs: Sequence[ReadingSigns]) -> list[float]:  # noqa: ARG002 -- for reports
        """The probability of each reading of a question, by its signs."""
        scorer = self._known()
        offset = scorer.offset if isinstance(scorer, TaughtScorer) else 0.0
        return [probability(one, offset) for one in signs]

    async def begin(self, question: Question, embed: Embed) -> ProvingAgents:  # noqa: ARG002 -- it has its own encoder
        """Agents that prove the reading which was chosen, or the likeliest.

        Raises:
            NotFoundError: the request chose a reading that the question does not have.
        """
        rates = PatternRates(self._known(), wordings(question.relationship_types))

        async def rated(rank: Rank) -> Sequence[float]:
            if self._pool is None:
                return best_scores(rank, rates)
            return await self._pool.run(best_scores, rank, rates)

        likeliest, *others = namings(question)
        best = await self._read(question, likeliest, rates, rated)
        for naming in others:
            if best.worth(question.reading) >= ABSTAIN_BELOW:
                break
            read = await self._read(question, naming, rates, rated)
            best = read if read.worth(question.reading) >= ABSTAIN_BELOW else best
        listed = _chosen(best.readings.readings, question.reading)
        told = [_told(reading, best.judged[reading_id(reading)]) for reading in listed]
        readings = best.readings
        account = Account(readings.form, tuple(told), readings.reason, readings.doubt, ABSTAIN_BELOW)
        return self._proving(question, account, listed, best.reads.kept)

    async def _read(self, question: Question, naming: Naming, rates: PatternRates, rated: Rated) -> _ReadQuestion:
        readings, reads = await ground(question, rated, naming=naming)
        judging = partial(self._judged, question, readings, rates, reads.spelling())
        judged = judging() if self._pool is None else await self._pool.run(judging)
        return _ReadQuestion(readings, reads, dict(zip(map(reading_id, readings.readings), judged, strict=True)))

    def _judged(
        self, question: Question, readings: Readings, rates: PatternRates, linked: Mapping[str, float]
    ) -> list[float]:
        listed = readings.readings
        return reconsidered(
            listed, agreed(listed, self.judged(question, signs_of(listed, readings.form, rates, linked))), rates
        )

    def _proving(
        self,
        question: Question,
        account: Account,
        listed: Sequence[RankedReading],
        reads: Sequence[tuple[Look, Expansion]],
    ) -> ProvingAgents:
        """Agents that prove the first reading."""
        found = found_by(listed[0], account.readings[0].probability) if listed else []
        count = partial(count_edges, types=question.relationship_types)
        topics = listed[0].topics if listed else ()
        return ProvingAgents(found, account, reads, topics, question.prices, count)


def wordings(types: Mapping[str, RelationshipType]) -> dict[str, Wording]:
    """A person's own texts of types, where they are not what the names say."""
    own: dict[str, Wording] = {}
    for name, kind in types.items():
        told = kind.text != relation_words(name, True)
        usual = (relation_words(name, False), inverse_text(kind.text), kind.text)
        backward = "" if kind.inverse_text in usual else kind.inverse_text
        if told or backward:
            own[name] = own_wording(kind.text if told else name, backward)
    return own


def signs_of(
    listed: Sequence[RankedReading], form: QuestionForm, rates: PatternRates, linked: Mapping[str, float]
) -> list[ReadingSigns]:
    """The signs of each reading of a question.

    Args:
        linked: how well the question spells each of its seeds, by id.
    """
    fit_of = cache(partial(_fit, rates))
    found = []
    for reading in listed:
        fits = [fit_of(*claim) for claim in reading.claims]
        gap, explained = (min(fit[sign] for fit in fits) for sign in (0, 1)) if fits else (0.0, _WORDS_EXPLAIN)
        same = sum(one.probability for one in listed if one.words == reading.words or _names(one) == _names(reading))
        share = min(max(same, _CERTAIN), 1 - _CERTAIN)
        found.append(
            ReadingSigns(
                share=math.log(share / (1 - share)),
                gap=gap / _GAP_SCALE,
                linked=min((linked.get(topic, 1.0) for topic in reading.topics), default=1.0),
                verdict=form in {"yes_no", "comparison"} and not _is_bare(reading.plan),
                joined=len(reading.patterns) > 1,
                worded=math.isinf(reading.nearest),
                explained=explained,
                covered=reading.covered,
                unwalked=reading.steps <= UNWALKED_STEP,
                unheld=reading.unheld,
            )
        )
    return found


def _fit(rates: PatternRates, walk: TypedPattern, questions: tuple[str, ...]) -> tuple[float, float]:
    """A walk's rate above that of the nearest relation that people ask for, and how far the questions explain it."""
    fits = [rates.fit(question, walk) for question in questions]
    beyond = max(rates.most_asked(question) for question in own_words(questions))
    return max(rate for rate, _ in fits) - beyond, max(explained for _, explained in fits)


def own_words(questions: Sequence[str]) -> Sequence[str]:
    """The asker's own words for a question, without the plainer ones, which name what people ask for often."""
    plainer = reworded(questions[-1])
    return [question for question in questions if question not in plainer][:_QUESTIONS]


def agreed(listed: Sequence[RankedReading], judged: Sequence[float]) -> list[float]:
    """The probability of each reading's answer: it is right where any of the readings that give it is.

    Args:
        judged: the probability of each reading by itself.
    """
    best: dict[frozenset[str], float] = {}
    for reading, sure in zip(listed, judged, strict=True):
        best[_names(reading)] = max(sure, best.get(_names(reading), 0.0))
    return [best[_names(reading)] for reading in listed]


def reconsidered(listed: Sequence[RankedReading], judged: Sequence[float], rates: PatternRates) -> list[float]:
    """The probabilities, once a first reading that is in doubt was read beside the question: 5 ms a walk.

    One that leaves a named step out stays as it is: what it does walk may well be asked for.
    """
    if not (listed and listed[0].claims and listed[0].steps > UNWALKED_STEP and _DOUBT[0] <= judged[0] < _DOUBT[1]):
        return [*judged]
    odds = math.log(judged[0] / (1 - judged[0])) + _AGAIN + _TOLD * rates.beside(listed[0])
    again = 1 / (1 + math.exp(-odds))
    return [again if _names(one) == _names(listed[0]) else p for one, p in zip(listed, judged, strict=True)]


def _is_bare(plan: QuestionPlan) -> bool:
    """Tell whether a plan says yes to anything that is there, without another side to check it against."""
    return isinstance(plan, Exists) and not plan.targets and plan.alternatives is None


def _names(reading: RankedReading) -> frozenset[str]:
    """The answers of a reading by name, in whichever graph; a yes to one thing is not the yes to another."""
    own = (repr(reading.plan),) if _is_bare(reading.plan) else ()
    return frozenset((*(answer.name for answer in reading.result.answers), *own))


def reading_id(reading: RankedReading) -> str:
    """A stable id: of what is done, not of the words for it."""
    return f"reading_{hashlib.sha256(repr(reading.plan).encode()).hexdigest()[:10]}"


def _chosen(readings: Sequence[RankedReading], wanted: str | None) -> list[RankedReading]:
    """The readings, a wanted one first; of those that say and answer the same (two graphs may), the first."""
    if wanted is not None and wanted not in map(reading_id, readings):
        known = ", ".join(map(reading_id, readings)) or "none"
        raise NotFoundError(f"the question has no reading {wanted!r}", remedy=f"it has: {known}", field="reading")
    first: dict[tuple[str, frozenset[str]], RankedReading] = {}
    for reading in sorted(readings, key=lambda one: wanted not in (None, reading_id(one))):
        first.setdefault((reading.words, _names(reading)), reading)
    return list(first.values())


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


def found_by(reading: RankedReading, score: float) -> list[ProvedAnswer]:
    """The answers of a reading with their proofs, each as likely as the reading is right."""
    return [ProvedAnswer(one.name, one.node, score, one.triples) for one in reading.result.answers]


def count_edges(
    edges: Sequence[Edge], nodes: Mapping[str, Node], *, types: Mapping[str, RelationshipType]
) -> Sequence[int]:
    """Tokens of the edges' sentences: exact up to 400 edges, 4 letters for a token beyond."""
    texts = [edge_sentence(edge, nodes, relation_text(edge, types)) for edge in edges]
    return count_all(texts) if len(texts) <= COUNTED_EXACTLY else [len(text) // 4 + 1 for text in texts]
