"""Lessons and tasks for training, made of questions with answers."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from clause.arrays import Ints
from clause.errors import BadInputError, ConflictError
from clause.policy.serve.agents import Plan
from clause.policy.serve.grounded import ABSTAIN_BELOW, PatternRates, wordings
from clause.policy.serve.pattern_scorer import PatternScorer
from clause.policy.serve.reader import PatternReader, ScoredPattern, words
from clause.policy.serve.tree import Pattern
from clause.policy.train.encoder import ReaderLesson
from clause.policy.train.rollout import Task
from clause.policy.train.warm_start import Example, VectorTable
from clause.reasoning.agents.policy import Question
from clause.reasoning.neighbourhood.port import Hop, RelationshipType
from clause.reasoning.neighbourhood.snapshot import Rows, Snapshot
from clause.reasoning.question import patterns
from clause.reasoning.question.candidates import QuestionContext
from clause.reasoning.question.forms import parse
from clause.reasoning.question.grounding import GraphReads
from clause.reasoning.question.name_links import texts_of, vocabulary_of
from clause.reasoning.question.pattern_text import pattern_text
from clause.reasoning.question.skeleton import mask, span_of
from clause.telemetry import CountProgress, silent_count
from clause.text.embedder import Embedder
from clause.text.names import relation_words


class TypedWalks:
    """A snapshot's edges split by relationship type and direction; nodes go in and out by id."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        size = len(snapshot.ids)
        self._row_of = {node: row for row, node in enumerate(snapshot.ids)}
        self._tables: dict[Hop, tuple[Ints, Ints]] = {}
        for rows, forward in ((snapshot.forward, True), (snapshot.backward, False)):
            near = np.repeat(np.arange(size, dtype=np.int32), np.diff(rows.starts))
            for kind, relation in enumerate(snapshot.relations):
                chosen = rows.relations == kind
                table = Rows.build(near[chosen], rows.relations[chosen], rows.ends[chosen], size)
                self._tables[Hop(relation, forward)] = table.starts, table.ends

    def __contains__(self, node: str) -> bool:
        return node in self._row_of

    @property
    def nodes(self) -> tuple[str, ...]:
        """Every node, sorted."""
        return self.snapshot.ids

    @property
    def hops(self) -> tuple[Hop, ...]:
        """Every type in every direction."""
        return tuple(self._tables)

    def leaves(self, node: str, hop: Hop) -> bool:
        """True where an edge of that type and direction begins at the node."""
        if node not in self._row_of or hop not in self._tables:
            return False
        starts, row = self._tables[hop][0], self._row_of[node]
        return bool(starts[row + 1] > starts[row])

    def ends(self, start: str, pattern: Sequence[Hop]) -> frozenset[str]:
        """The nodes at which a perfect walk ends; none where the start is not in the graph.

        >>> graph = Snapshot.build({"a": "Heat", "b": "Mann", "c": "Ali"}, [("a", "by", "b"), ("c", "by", "b")])
        >>> TypedWalks(graph).ends("a", [Hop("by", True), Hop("by", False)])
        frozenset({'c'})
        """
        if start not in self._row_of:
            return frozenset()
        front = self._front(start)
        for hop in pattern:
            front = self._onwards(front, hop, self._row_of[start])
        return frozenset(self.snapshot.ids[row] for row in front.tolist())

    def shortest(
        self, start: str, answers: Collection[str], *, max_hops: int = 3, widest: int | None = None
    ) -> tuple[Pattern, ...]:
        """Every pattern of the least length whose walk from `start` ends at exactly `answers`, sorted.

        Needs no question type. Empty where no pattern of at most `max_hops` hops gives the answers. Fronts of more than
        `widest` nodes are not followed; None follows them all.

        >>> graph = Snapshot.build({"a": "Heat", "b": "Mann", "c": "Ali"}, [("a", "by", "b"), ("c", "by", "b")])
        >>> TypedWalks(graph).shortest("a", ["c"]) == ((Hop("by", True), Hop("by", False)),)
        True
        """
        if start not in self._row_of or not all(node in self._row_of for node in answers):
            return ()
        wanted = np.unique(np.fromiter((self._row_of[node] for node in answers), dtype=np.int32))
        level: dict[Pattern, Ints] = {(): self._front(start)}
        for _ in range(max_hops):
            further: dict[Pattern, Ints] = {}
            for pattern, front in level.items():
                for hop in self._tables:
                    reached = self._onwards(front, hop, self._row_of[start])
                    if reached.size > 0 and (widest is None or reached.size <= widest):
                        further[(*pattern, hop)] = reached
            found = tuple(sorted(p for p, ends in further.items() if np.array_equal(ends, wanted)))
            if found or not further:
                return found
            level = further
        return ()

    def _front(self, start: str) -> Ints:
        return np.array([self._row_of[start]], dtype=np.int32)

    def _onwards(self, front: Ints, hop: Hop, start: int) -> Ints:
        reached = self._step(front, hop)
        onwards: Ints = reached[reached != start]
        return onwards

    def _step(self, front: Ints, hop: Hop) -> Ints:
        """The distinct rows that `hop` reaches from the rows of `front`, sorted; a hop of no edge reaches none."""
        if hop not in self._tables:
            return np.empty(0, dtype=np.int32)
        starts, ends = self._tables[hop]
        first, counts = starts[front], starts[front + 1] - starts[front]
        total = int(counts.sum())
        if total == 0:
            return np.empty(0, dtype=np.int32)
        offsets = np.repeat(first - np.concatenate(([0], np.cumsum(counts)[:-1])), counts)
        return np.unique(ends[offsets + np.arange(total)]).astype(np.int32)


PATTERNS_OF_A_TASK = 3
READ_AT_ONCE = 64
WIDEST = 3_000
"""Nodes of a front; a pattern through a wider one is not looked for."""


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question with its answers, in a graph: `seed` is the node it is about, `text[start:end]` names it.

    `answers` are node ids; `missing` more answers are not in the graph.
    """

    text: str
    seed: str
    start: int | None
    end: int | None
    answers: frozenset[str]
    missing: int = 0

    @property
    def masked(self) -> str:
        """The text with its mention masked."""
        return mask(self.text, span_of(self.start, self.end))


def fingerprint(snapshot: Snapshot | None, questions: Sequence[AnsweredQuestion]) -> str:
    """A hash of the graph and of the questions; of these alone without a graph."""
    digest = hashlib.sha256()
    if snapshot is not None:
        for array in (snapshot.forward.starts, snapshot.forward.ends, snapshot.forward.relations):
            digest.update(np.ascontiguousarray(array).tobytes())
        digest.update("\n".join((*snapshot.ids, *snapshot.relations)).encode())
    for question in questions:
        digest.update(f"{question.text}\t{question.seed}\t{sorted(question.answers)}\n".encode())
    return digest.hexdigest()[:16]


def label(
    snapshot: Snapshot, questions: Sequence[AnsweredQuestion], *, max_hops: int, tell: CountProgress = silent_count
) -> list[Example]:
    """The questions whose answers some pattern gives, with the shortest such patterns.

    Raises:
        BadInputError: there is none.
    """
    walks = TypedWalks(snapshot)
    found = []
    for done, question in enumerate(questions, start=1):
        answers = [node for node in question.answers if node in walks]
        patterns = walks.shortest(question.seed, answers, max_hops=max_hops, widest=WIDEST) if answers else ()
        if patterns:
            found.append(Example(question.masked, patterns))
        tell(done, len(questions))
    if not found:
        raise BadInputError("no question's answers are reached by a pattern of relationships", field="questions")
    return found


def pose(
    snapshot: Snapshot, questions: Sequence[AnsweredQuestion], reader: PatternReader, table: VectorTable
) -> list[Task]:
    """Tasks: each question with the patterns that the reader sees in it; the graph is asked when they are played."""
    masked = [question.masked for question in questions]
    distinct = sorted(set(masked))
    table.learn({text for one in distinct for text in (one, *words(one))})
    read: dict[str, list[ScoredPattern]] = {}
    for start in range(0, len(distinct), READ_AT_ONCE):
        part = distinct[start : start + READ_AT_ONCE]
        vectors = {text: table[text] for one in part for text in (one, *words(one))}
        read.update(zip(part, reader.read(part, vectors, snapshot.types), strict=True))
    return [
        Task(
            tuple(
                Plan(question.seed, pattern.hops, math.exp(pattern.log_probability), pattern.next_hops)
                for pattern in read[text][:PATTERNS_OF_A_TASK]
            ),
            question.answers,
            question.missing,
        )
        for question, text in zip(questions, masked, strict=True)
    ]


def choose(
    tasks: Sequence[Task], rng: np.random.Generator, *, count: int, long_share: float, largest: int
) -> list[Task]:
    """Tasks for reinforcement learning: most with the longest pattern, since there budgets bind; none that is huge."""
    fit = [task for task in tasks if task.plans and 0 < len(task.answers) <= largest]
    longest = max((len(task.plans[0].pattern) for task in fit), default=0)
    long = [task for task in fit if len(task.plans[0].pattern) == longest]
    short = [task for task in fit if len(task.plans[0].pattern) < longest]
    wanted = min(len(long), round(count * (long_share if short else 1.0)))
    chosen = [long[place] for place in rng.permutation(len(long))[:wanted]]
    return chosen + [short[place] for place in rng.permutation(len(short))[: count - wanted]]


def plain_types(relations: Sequence[str], embedder: Embedder) -> dict[str, RelationshipType]:
    """A registry of relationship types that nobody has described: their plain texts and the vectors of those."""
    texts = [relation_words(relation, forward) for relation in relations for forward in (True, False)]
    table = VectorTable(embedder)
    table.learn(texts)
    return {
        name: RelationshipType(name, forward, inverse, table[forward], table[inverse])
        for name, forward, inverse in zip(relations, texts[::2], texts[1::2], strict=True)
    }


_READ = patterns.ReadBounds(beam=24, patterns=600, sample=12, sample_edges=32)
_CANDIDATES = 64


class PosedQuestion(Protocol):
    """A question with the names of its answers."""

    @property
    def text(self) -> str:
        """The question as it is asked."""
        ...

    @property
    def answers(self) -> tuple[str, ...]:
        """The answers; none where it should be left unanswered."""
        ...


async def lessons_of(gold: PosedQuestion, question: Question, scorer: PatternScorer) -> list[ReaderLesson]:
    """Give a question's lessons: for each way to mask its topic, which patterns lead to its answers and nothing else.

    Only the shortest of them; none where no pattern does, or the question asks for more than things.
    """
    reads, types = GraphReads(question), question.relationship_types
    parsed = parse(reads.text, reads.mentions, vocabulary_of(types, texts_of(types)))
    if parsed.kind != "list" or not gold.answers:
        return []
    own = wordings(types)
    rates = PatternRates(scorer, own)

    async def rated(rank: patterns.Rank) -> Sequence[float]:
        return patterns.best_scores(rank, rates)

    context, lessons = QuestionContext(parsed, reads, _READ), []
    for clause in parsed.clauses:
        for meaning in context.meanings(clause.topic):
            steps = patterns.enumerate_patterns((meaning.id,), clause.questions, _READ)
            found = await patterns.drive_async(steps, reads.read, rated)
            right = [one for one in found if _leads_to(one, set(gold.answers), reads)]
            least = min((len(one.pattern) for one in right), default=0)
            best = [one for one in right if len(one.pattern) == least]
            others = [one for one in found if one not in right][: _CANDIDATES - 1]
            if best and others:
                texts = tuple(pattern_text(one.pattern, own) for one in (*best, *others))
                for masked in clause.questions:
                    scores = tuple(scorer.score_texts(masked, texts).tolist())
                    lessons.append(ReaderLesson(masked, texts, scores, tuple(range(len(best)))))
    return lessons


def _leads_to(one: patterns.FoundPattern, answers: set[str], reads: GraphReads) -> bool:
    ends = {reads.name(end) for end in one.ends}
    return ends <= answers if one.more else ends == answers


class LessonBook:
    """The lessons of a run, a line for each question in its folder, so that a killed run goes on where it stopped.

    Raises:
        ConflictError: `resume` meets a run on other questions or another graph.
    """

    def __init__(self, folder: Path, owner: str, *, resume: bool) -> None:
        self._file = folder / "lessons.jsonl"
        self.lessons: list[list[ReaderLesson]] = []
        folder.mkdir(parents=True, exist_ok=True)
        kept = self._file.read_text(encoding="utf-8").splitlines() if resume and self._file.is_file() else []
        if kept and json.loads(kept[0]) != owner:
            remedy = "choose another --out, or no --resume"
            raise ConflictError(f"the run in {folder} has other questions or another graph", remedy=remedy)
        for line in kept[1:]:
            try:
                self.lessons.append([_lesson(**one) for one in json.loads(line)])
            except ValueError:  # the line that the kill cut
                break
        self._write("w", json.dumps(owner), *map(_line, self.lessons))

    def add(self, lessons: list[ReaderLesson]) -> None:
        """Keep what one more question teaches."""
        self.lessons.append(lessons)
        self._write("a", _line(lessons))

    def _write(self, mode: str, *lines: str) -> None:
        with self._file.open(mode, encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)


def _line(lessons: Sequence[ReaderLesson]) -> str:
    return json.dumps([asdict(one) for one in lessons])


def _lesson(question: str, patterns: list[str], scores: list[float], right: list[int]) -> ReaderLesson:
    return ReaderLesson(question, tuple(patterns), tuple(scores), tuple(right))


MOST_SHIFT = 1.5
"""Log-odds by which own questions may make the reader more or less sure."""


def offset_of(judged: Sequence[tuple[float, bool]]) -> float:
    """The most probable shift of log-odds for (probability, right) pairs, under a normal prior of deviation 1.

    >>> round(offset_of([(0.5, True)] * 30), 1), offset_of([])
    (1.5, 0.0)
    """
    z = np.array([math.log(p / (1 - p)) for p, _ in judged])
    right = np.array([right for _, right in judged], dtype=float)
    low, high = -MOST_SHIFT, MOST_SHIFT
    for _ in range(40):
        middle = (low + high) / 2
        slope = float((1 / (1 + np.exp(-z - middle)) - right).sum()) + middle
        low, high = (middle, high) if slope < 0 else (low, middle)
    return round((low + high) / 2, 4) + 0.0


def worth(judged: Sequence[tuple[float, bool]], offset: float) -> tuple[float, int]:
    """The worth of answering (probability, right) pairs after a shift of log-odds, and how many are answered rightly.

    A right answer is worth 1, one that is withheld 0; a wrong one takes away so much that an answer at the threshold is
    worth nothing.

    >>> worth([(0.9, True), (0.5, False)], 0.0), round(worth([(0.9, False)], 0.0)[0], 2)
    ((1.0, 1), -2.33)
    """
    least = math.log(ABSTAIN_BELOW / (1 - ABSTAIN_BELOW)) - offset
    given = [right for p, right in judged if math.log(p / (1 - p)) >= least]
    wrong = len(given) - sum(given)
    return sum(given) - wrong * ABSTAIN_BELOW / (1 - ABSTAIN_BELOW), sum(given)
