"""The grounded reader on small graphs of other people: parse, link, enumerate, score and walk, all in memory.

A world is a folder with `triples.txt` (`head|relation|tail`) and `questions.jsonl`. Nothing is kept between questions
but the triples, and no threshold is set: what abstains is what the reader itself says it cannot read.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from clause.errors import BadInputError, NotFoundError
from clause.evaluation.harness import f1
from clause.graph.scopes import Caller
from clause.policy.serve.pattern_scorer import PatternScorer
from clause.reasoning.coordinator import Coordinator
from clause.reasoning.models import BudgetAllocation, CoordinationRequest
from clause.reasoning.neighbourhood.port import Edge, Hop
from clause.reasoning.question.forms import parse
from clause.reasoning.question.patterns import TypedPattern, WalkScorer, drive
from clause.reasoning.question.reading import Readings, read_question
from clause.reasoning.question.skeleton import EntityCandidate, LinkedMention
from clause.reasoning.question.vocabulary import FORM_WORDS
from clause.text.linking import Closeness, NamedEntity, bare, links_without_overlap, rank_matches
from clause.text.literals import LiteralValue, String, find_literals, read_literal
from clause.text.mentions import candidate_spans, folded_key

DEV = ("company", "recipes", "chemistry")
KEPT_ASIDE = ("transport", "library", "packages")
_CLASSES = frozenset({"is a", "isa", "type", "instance of", "kind", "kind of", "rdf type"})
_WORD = re.compile(r"[\W_]+")

Verdict = Literal["right", "wrong", "abstained"]


class WorldGraph:
    """A graph in memory that answers reads at once; a node's id is its name."""

    def __init__(self, triples: Iterable[tuple[str, str, str]]) -> None:
        self._hops: defaultdict[str, defaultdict[Hop, list[Edge]]] = defaultdict(lambda: defaultdict(list))
        self._classes: defaultdict[str, set[str]] = defaultdict(set)
        for head, relation, tail in triples:
            edge = Edge(head, relation, tail)
            self._hops[head][Hop(relation, True)].append(edge)
            self._hops[tail][Hop(relation, False)].append(edge)
            if _WORD.sub(" ", relation).strip().lower() in _CLASSES:
                self._classes[head].add(tail)
        self._called: defaultdict[str, list[NamedEntity]] = defaultdict(list)
        for node, hops in self._hops.items():
            if isinstance(read_literal(node), String):
                self._called[folded_key(bare(node))].append(
                    NamedEntity(node, node, degree=sum(map(len, hops.values())))
                )

    @classmethod
    def read(cls, folder: Path) -> WorldGraph:
        """The world of a folder.

        Raises:
            NotFoundError: the folder has no triples.
        """
        try:
            lines = (folder / "triples.txt").read_text(encoding="utf-8").splitlines()
        except FileNotFoundError as error:
            raise NotFoundError(f"{folder} has no triples.txt", field="worlds") from error
        split = (line.split("|") for line in lines if line.strip())
        return cls((head, relation, tail) for head, relation, tail in split)

    def around(
        self, nodes: Sequence[str], hops: Sequence[Hop] | None, per_type: int
    ) -> dict[str, dict[Hop, list[Edge]]]:
        """The edges around `nodes`, both directions, at most `per_type` for each (node, hop)."""
        found: dict[str, dict[Hop, list[Edge]]] = {}
        for node in nodes:
            mine = self._hops.get(node)
            if mine is not None:
                wanted = mine if hops is None else [hop for hop in hops if hop in mine]
                found[node] = {hop: sorted(mine[hop], key=lambda e: e.other(node))[:per_type] for hop in wanted}
        return found

    def name(self, node: str) -> str:
        """The name, which is the id."""
        return node

    def value(self, node: str) -> LiteralValue | None:
        """The date or number that a node is; None of any other."""
        read = read_literal(node)
        return None if isinstance(read, String) else read

    def classes(self, node: str) -> frozenset[str]:
        """The classes that the graph says of a node."""
        return frozenset(self._classes.get(node, ()))

    def mentions(self, question: str) -> list[LinkedMention]:
        """The names of this graph that a question says, exact spellings before close ones; no word of a form is one."""
        found: list[tuple[int, int, Closeness, tuple[EntityCandidate, ...]]] = []
        counted = [(one.start, one.end) for one in find_literals(question)]
        for span in candidate_spans(question):
            key = folded_key(span.text)
            if key in FORM_WORDS or (span.start, span.end) in counted:
                continue
            matches = rank_matches(span.text, self._near(folded_key(bare(span.text))))
            if matches:
                best = matches[0].closeness
                same = tuple(EntityCandidate(m.entity.id, m.entity.name) for m in matches if m.closeness is best)
                found.append((span.start, span.end, best, same))
        kept = links_without_overlap([(start, end, closeness) for start, end, closeness, _ in found])
        return [LinkedMention(found[place][0], found[place][1], found[place][3]) for place in kept]

    def _near(self, key: str) -> Sequence[NamedEntity]:
        """The entities that a text may name: those called so, else those of nearly its letters."""
        if key in self._called:
            return self._called[key]
        letters = set(key)
        return [
            entity
            for name, entities in self._called.items()
            if len(key) >= 4 and abs(len(name) - len(key)) <= 3 and len(letters ^ set(name)) <= 4
            for entity in entities
        ]

    def readings(self, question: str, scorer: WalkScorer) -> Readings:
        """The readings of a question as it was typed."""
        return drive(read_question(parse(question, self.mentions(question)), self), self, scorer)


class ShippedScorer:
    """The shipped scorer, for readings too that compare walks with the thing itself: that has no words of its own."""

    def __init__(self, scorer: PatternScorer) -> None:
        self._scorer = scorer

    def score(self, masked_question: str, patterns: Sequence[TypedPattern]) -> Sequence[float]:
        """Scores in the order of the patterns; no hop at all is worth what the worst of the others is."""
        walks = [pattern for pattern in patterns if pattern]
        found = iter(self._scorer.score(masked_question, walks).tolist() if walks else ())
        scores = [next(found) if pattern else math.inf for pattern in patterns]
        least = min(scores, default=0.0)
        return [score if score < math.inf else (least if walks else 0.0) for score in scores]


@dataclass(frozen=True, slots=True)
class WorldOutcome:
    """A question of a world and what became of it."""

    world: str
    form: str
    verdict: Verdict


def verdict_of(given: Iterable[str], gold: Sequence[str]) -> Verdict:
    """Tell what an answer set is worth: right if it is the gold, nothing being right where nothing is to be found.

    >>> verdict_of([], []), verdict_of(["a"], ["a"]), verdict_of([], ["a"]), verdict_of(["a"], [])
    ('right', 'right', 'abstained', 'wrong')
    """
    named = sorted(set(given))
    if named == sorted(gold):
        return "right"
    return "wrong" if named else "abstained"


def ask_worlds(folder: Path, names: Sequence[str], scorer: WalkScorer | None = None) -> list[WorldOutcome]:
    """What became of every question of some worlds, with the shipped scorer if none is given."""
    used = scorer or ShippedScorer(PatternScorer.load())
    asked: list[WorldOutcome] = []
    for name in names:
        world = WorldGraph.read(folder / name)
        for line in (folder / name / "questions.jsonl").read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            answers = world.readings(case["question"], used).result.answers
            asked.append(WorldOutcome(name, case["form"], verdict_of((a.name for a in answers), case["answers"])))
    return asked


@dataclass(frozen=True, slots=True)
class OwnCase:
    """A question of a user's own: `answers` empty where it should be left unanswered, `start` where to start from."""

    question: str
    answers: tuple[str, ...] = ()
    start: str | None = None
    form: str | None = None


def own_questions(file: Path) -> list[OwnCase]:
    """The questions of a file of JSON lines: `{"question", "answers", "start"?, "form"?}`.

    Raises:
        NotFoundError: there is no such file.
        BadInputError: a line is no such object, or there is none.
    """
    if not file.is_file():
        raise NotFoundError(f"there is no file {file}", field="file")
    asked: list[OwnCase] = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            answers = tuple(str(answer) for answer in row["answers"])
            asked.append(OwnCase(str(row["question"]), answers, row.get("start"), row.get("form")))
        except (ValueError, KeyError, TypeError) as error:
            raise BadInputError(f"{file}, line {number}: question and answers are needed", field="file") from error
    if not asked:
        raise BadInputError(f"{file} holds no question", field="file")
    return asked


@dataclass(frozen=True, slots=True)
class OwnOutcome:
    """What the service made of a question: the answers it stands by, the score of its best, the form it read, in ms."""

    asked: OwnCase
    answers: tuple[str, ...]
    best: str | None
    score: float | None
    form: str
    ms: float

    @property
    def judged(self) -> tuple[float, bool]:
        """The score of the best answer, withheld or not, and whether it is right."""
        return self.score or 0.0, self.best in self.asked.answers

    @property
    def verdict(self) -> Verdict:
        """Right where the first answer is one, or none was given to what has none."""
        if not self.answers:
            return "abstained" if self.asked.answers else "right"
        return "right" if self.answers[0] in self.asked.answers else "wrong"


async def ask_own(
    coordinator: Coordinator, questions: Sequence[OwnCase], scope: str, policy: str | None = None
) -> list[OwnOutcome]:
    """What the served pipeline makes of questions about one scope, with ample budgets, one after the other."""
    budgets = BudgetAllocation(edge_budget=200, step_budget=20, token_budget=8192)
    found: list[OwnOutcome] = []
    for one in questions:
        start = [one.start] if one.start else None
        request = CoordinationRequest(
            query=one.question, budgets=budgets, scopes=[scope], policy=policy, start_nodes=start, record=False
        )
        began = time.perf_counter()
        result = (await coordinator.coordinate(request, Caller())).result
        ms = (time.perf_counter() - began) * 1000
        names = tuple(answer.name for answer in result.answers)
        best = result.answers[0] if result.answers else None
        form = one.form or result.form or "list"
        stood_by = () if result.abstained else names
        name, score = (best.name, best.answer_score) if best else (None, None)
        found.append(OwnOutcome(one, stood_by, name, score, form, ms))
    return found


def own_report(found: Sequence[OwnOutcome], command: str) -> dict[str, Any]:
    """The figures of questions asked: shares in [0, 1], milliseconds, and the error of the scores (ten bins)."""
    forms = {form: [one for one in found if one.form == form] for form in sorted({one.form for one in found})}
    milliseconds = [one.ms for one in found]
    return {
        **_own_shares(found),
        "f1": _mean([f1(one.answers, one.asked.answers) if one.answers else not one.asked.answers for one in found]),
        "ece": calibration_error([one.judged for one in found if one.score is not None]),
        "by_form": {form: _own_shares(ones) for form, ones in forms.items()},
        "p50_ms": round(float(np.percentile(milliseconds, 50)), 1),
        "p95_ms": round(float(np.percentile(milliseconds, 95)), 1),
        "command": command,
    }


def _own_shares(found: Sequence[OwnOutcome]) -> dict[str, Any]:
    verdicts = [one.verdict for one in found]
    return {
        "n": len(found),
        "em_at_1": _mean([verdict == "right" for verdict in verdicts]),
        "answered": _mean([bool(one.answers) for one in found]),
        "wrong": _mean([verdict == "wrong" for verdict in verdicts]),
    }


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4) if values else 0.0


def calibration_error(scored: Sequence[tuple[float, bool]]) -> float:
    """The expected calibration error of (probability, right) pairs over ten bins (Naeini et al., AAAI 2015).

    >>> calibration_error([(0.95, True), (0.95, True), (0.15, False), (0.15, False)])
    0.1
    """
    bins: defaultdict[int, list[tuple[float, bool]]] = defaultdict(list)
    for score, right in scored:
        bins[min(9, int(score * 10))].append((score, right))
    off = sum(abs(sum(score for score, _ in part) - sum(right for _, right in part)) for part in bins.values())
    return round(off / len(scored), 4) if scored else 0.0


def table(asked: Sequence[WorldOutcome]) -> dict[str, Any]:
    """Counts of right, wrong and abstained: in all, by world and by form."""
    return {
        "all": _counts(asked),
        "worlds": {key: _counts([one for one in asked if one.world == key]) for key in _keys(a.world for a in asked)},
        "forms": {key: _counts([one for one in asked if one.form == key]) for key in sorted({a.form for a in asked})},
    }


def _keys(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _counts(asked: Sequence[WorldOutcome]) -> Mapping[str, int]:
    counted = Counter(one.verdict for one in asked)
    return {"questions": len(asked), **{verdict: counted[verdict] for verdict in ("right", "wrong", "abstained")}}
