"""Questions of one's own, and the worlds of ours, asked through the served pipeline and counted.

A world is a folder with `triples.txt` (`head|relation|tail`) and `questions.jsonl`; loaded into a scope of its own.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from clause.arrays import Floats
from clause.errors import BadInputError, NotFoundError
from clause.evaluation.frontier import Cell, paired_bootstrap
from clause.evaluation.harness import AnswerOutcome, f1
from clause.evaluation.question_files import GoldQuestion, question_objects
from clause.evaluation.service import Stage, read_episode
from clause.graph.scopes import Caller
from clause.ingest.triples import load_triples
from clause.lab.ablations import DECIDING, NULL, KnowingAgents, MakeAgents, ReadsAll
from clause.policy.serve.grounded import BIAS, WEIGHTS, GroundedPolicy, ReadingSigns
from clause.reasoning.agents.policy import Embed, PlainPolicy, Question
from clause.reasoning.agents.proving import ProvingAgents
from clause.reasoning.answer.calibration import reliability
from clause.reasoning.coordinator import Coordinator
from clause.reasoning.models import BudgetAllocation, CoordinationRequest

if TYPE_CHECKING:
    from clause.app import Container

DEV = ("company", "recipes", "chemistry")
MADE = ("made/dynasty", "made/league")
WRITTEN = tuple(f"written/{name}" for name in ("space", "clinic", "farm", "music", "marina", "radio"))
"""Made by templates, and written by hand; they join the dev worlds where the judge of readings is fitted."""
_STRANGERS = """alps campus museum skiing village theatre shipping brass devices court vineyard airport zoo
microservices genealogy kitchen lakes studio newsroom orchestra hospital digs"""
STRANGERS = tuple(f"written/{name}" for name in _STRANGERS.split())
"""Written later, most of them by people who had read nothing of the project; their read halves move what was fitted."""
KEPT_ASIDE = ("transport", "library", "packages")

Lessons = list[tuple[ReadingSigns, bool]]
"""The signs of readings, and whether their first answers are right."""
Verdict = Literal["right", "wrong", "abstained"]


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
    told = question_objects(file, field="file")
    asked = [OwnCase(text, answers, row.get("start"), row.get("form")) for text, answers, row in told]
    if not asked:
        raise BadInputError(f"{file} holds no question", field="file")
    return asked


@dataclass(frozen=True, slots=True)
class OwnOutcome:
    """The outcome of a question: the answers the service stands by, the score of its best, the form it read, in ms."""

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
    """See what the served pipeline makes of questions about one scope, with ample budgets, one after the other."""
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
        "ece": _off([one.judged for one in found if one.score is not None]),
        "by_form": {form: _own_shares(ones) for form, ones in forms.items()},
        "p50_ms": round(float(np.percentile(milliseconds, 50)), 1),
        "p95_ms": round(float(np.percentile(milliseconds, 95)), 1),
        "command": command,
    }


def own_differences(found: Sequence[OwnOutcome], other: Sequence[OwnOutcome]) -> dict[str, Any]:
    """Tell how many more are right and wrong than under another policy asked the same: paired, with 95 % intervals."""
    return {
        verdict: paired_bootstrap(
            *([float(one.verdict == verdict) for one in asked] for asked in (found, other))
        )._asdict()
        for verdict in ("right", "wrong")
    }


def _own_shares(found: Sequence[OwnOutcome]) -> dict[str, Any]:
    verdicts = [one.verdict for one in found]
    return {
        "n": len(found),
        "em_at_1": _mean([verdict == "right" for verdict in verdicts]),
        "answered": _mean([bool(one.answers) for one in found]),
        "wrong": _mean([verdict == "wrong" for verdict in verdicts]),
    }


def _off(scored: Sequence[tuple[float, bool]]) -> float:
    return round(reliability(*np.array(scored, dtype=float).reshape(-1, 2).T).error, 4)


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4) if values else 0.0


class NotedReadings(GroundedPolicy):
    """The grounded policy, which keeps the signs of the first reading of every question."""

    def __init__(self) -> None:
        super().__init__(name="noted")
        self.first, self._tried = dict[str, ReadingSigns](), list[ReadingSigns]()

    def judged(self, question: Question, signs: Sequence[ReadingSigns]) -> list[float]:
        """The probabilities, as served."""
        if signs:
            self.first[question.text] = signs[0]
            self._tried.append(signs[0])
        return super().judged(question, signs)

    async def begin(self, question: Question, embed: Embed) -> ProvingAgents:
        """Agents as served: those of the first naming of what is asked about, or of the last, where that is sure."""
        self._tried = []
        agents = await super().begin(question, embed)
        if told := agents.account.readings:
            self.first[question.text] = self._tried[-1 if told[0].probability >= self.abstain_below else 0]
        return agents

    def lessons(self, found: Sequence[OwnOutcome]) -> Lessons:
        """The signs of the questions that had a reading, and whether its first answer is right."""
        known = [one for one in found if one.asked.question in self.first and one.best is not None]
        return [(self.first[one.asked.question], one.best in one.asked.answers) for one in known]


def fitted_weights(graphs: Sequence[Lessons]) -> tuple[float, ReadingSigns]:
    """The bias and the weights that judge readings best on some graphs, each of which counts the same.

    A logistic regression with a weak prior at nothing. Of signs that never differ the weight is 0.
    """
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - takes a second

    rows = [(signs, right, 1 / len(graph)) for graph in graphs for signs, right in graph]
    model = LogisticRegression(C=1.0)
    model.fit([signs for signs, _, _ in rows], [right for _, right, _ in rows], [70 * weight for _, _, weight in rows])
    return float(model.intercept_[0]), ReadingSigns(*(round(float(weight), 2) for weight in model.coef_[0]))


def moved_weights(
    graphs: Sequence[Lessons], bias: float = BIAS, weights: ReadingSigns = WEIGHTS, deviation: float = 0.35
) -> tuple[float, ReadingSigns]:
    """The most probable bias and weights for some readings, each of which counts the same, near what they were before:
    under a normal prior of this deviation around each weight, and of 2 around the bias.
    """
    from scipy.optimize import minimize  # noqa: PLC0415 - takes a second

    lessons = [lesson for graph in graphs for lesson in graph]
    signs = np.array([(*one, 1.0) for one, _ in lessons])
    sides = np.array([1.0 if right else -1.0 for _, right in lessons])
    before = np.array([*weights, bias])
    spread = np.array([deviation] * len(weights) + [2.0])

    def unlikely(at: Floats) -> float:
        return float(np.logaddexp(0, -sides * (signs @ at)).sum() + (((at - before) / spread) ** 2).sum() / 2)

    *found, moved = (round(float(one), 2) for one in minimize(unlikely, before, method="BFGS").x)
    return moved, ReadingSigns(*found)


async def lessons_of(
    container: Container, policy: NotedReadings, folder: Path, *, move: bool, own: Sequence[tuple[str, str]]
) -> list[Lessons]:
    """The signs of the first readings of all questions that are read, by graph: of what templates made, or to `move` of
    strangers' worlds and forms; and of further files, each with its scope.
    """
    worlds = await ask_worlds(container, folder, (*DEV, *WRITTEN, *(STRANGERS if move else MADE)), policy.name)
    graphs = [policy.lessons(found) for found in worlds.values()]
    further = [(scope, own_questions(Path(file))) for file, scope in own]
    further += _forms(folder / "written" / "forms" / "questions.jsonl").items() if move else ()
    asked = [await ask_own(container.coordinator, questions, scope, policy.name) for scope, questions in further]
    return [*graphs, *map(policy.lessons, asked)]


def _forms(file: Path) -> dict[str, list[OwnCase]]:
    """The questions of a file whose lines name their graphs, by the scopes of the worlds that these are."""
    found = defaultdict[str, list[OwnCase]](list)
    for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
        scope = f"kg:world-{row['graph'] if row['graph'] in DEV else 'written-' + row['graph']}"
        found[scope].append(OwnCase(row["question"], tuple(row["answers"])))
    return found


async def ask_worlds(
    container: Container, folder: Path, names: Sequence[str], policy: str | None = None
) -> dict[str, list[OwnOutcome]]:
    """See what the served pipeline makes of the questions of some worlds, each loaded into `kg:world-NAME` first.

    Raises:
        NotFoundError: a world has no triples, or no questions.
    """
    asked: dict[str, list[OwnOutcome]] = {}
    for name in names:
        triples, scope = folder / name / "triples.txt", f"kg:world-{name.replace('/', '-')}"
        if not triples.is_file():
            raise NotFoundError(f"{folder / name} has no triples.txt", field="worlds")
        questions = own_questions(folder / name / "questions.jsonl")
        await load_triples(container.graph, None, triples, scope)
        asked[name] = await ask_own(container.coordinator, questions, scope, policy)
    return asked


def worlds_report(asked: dict[str, list[OwnOutcome]], command: str) -> dict[str, Any]:
    """The figures of all questions as of one's own, and of each world."""
    every = [one for ones in asked.values() for one in ones]
    by_world = {name: _own_shares(ones) for name, ones in asked.items()}
    return {**own_report(every, command), "by_world": by_world}


class ReadOnce(PlainPolicy):
    """Agents made from what the grounded policy read of a question, by one of the ways to decide."""

    name = "grounded"

    def __init__(self, served: KnowingAgents, make: MakeAgents) -> None:
        self._served = served
        self._make = make

    @property
    def abstain_below(self) -> float:
        """The grounded policy's."""
        return self._served.account.abstain_below or 0.0

    async def begin(self, question: Question, embed: Embed) -> ProvingAgents:  # noqa: ARG002 -- all is read
        """Agents that have decided nothing yet."""
        return self._make(self._served, question.text)


async def prove_questions(
    stage: Stage, policy: ReadsAll, asked: Sequence[OwnCase], cells: Sequence[Cell], file: Path
) -> list[dict[str, Any]]:
    """For each question and way to decide the supported F1, spend and violations in every cell, masks on, and whether
    what is served keeps limits without; kept in a file of JSON lines, one a question: what is there is not done again.
    """
    known = _kept_rows(file)
    told = [list(cell.about.values()) for cell in cells]
    rows = [{"question": one.question, "answers": one.answers, "cells": told} for one in asked]
    for one, row in zip(asked, rows, strict=True):
        if (key := _row_key(row)) in known:
            continue
        question = GoldQuestion(one.question, one.answers, one.start)
        prepared = await stage.ask(question, cells[0].prices)
        served = await policy.begin(prepared.question, _embeds_nothing)
        assert isinstance(served, KnowingAgents)  # noqa: S101 -- what `ReadsAll` makes
        scores: dict[str, list[list[float]]] = {}
        for name, make in DECIDING.items():
            play = partial(stage.coordinator.play, prepared, ReadOnce(served, make))
            found = [read_episode(await play(cell.budgets), 0.0) for cell in cells]
            scores[name] = [
                [*_supported(out, one.answers), out.edges, out.steps, out.tokens, len(out.violations)] for out in found
            ]
        play = partial(stage.coordinator.play, prepared, ReadOnce(served, DECIDING["served"]), hard=False)
        free = [not read_episode(await play(cell.budgets), 0.0).violations for cell in cells]
        known[key] = {**row, "scores": scores, "feasible": free}
        _keep_row(file, known[key])
    return [known[_row_key(row)] for row in rows]


def _row_key(row: Mapping[str, Any]) -> str:
    return json.dumps([row.get("question"), row.get("answers"), row.get("cells")])


def _kept_rows(file: Path) -> dict[str, dict[str, Any]]:
    """What an earlier run has done; a line that a kill cut short is none."""
    lines = file.read_text(encoding="utf-8").split("\n") if file.is_file() else []
    if lines and lines[-1]:
        file.write_text("\n".join((*lines[:-1], "")), encoding="utf-8")
    return {_row_key(row): row for row in map(json.loads, filter(None, lines[:-1]))}


def _keep_row(file: Path, row: Mapping[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(row, ensure_ascii=False) + "\n")


async def _embeds_nothing(_texts: Sequence[str]) -> Floats:
    return np.zeros((0, 1), dtype=np.float32)


def _supported(out: AnswerOutcome, gold: Sequence[str]) -> tuple[float, float]:
    """Supported F1 of what is answered, where what is withheld is no answer; and of what is proved, withheld or not."""
    proved = f1(out.supported, gold)
    return (f1((), gold) if out.abstained else proved), proved


def proofs_report(rows: Sequence[Mapping[str, Any]], cells: Sequence[Cell], command: str = "") -> dict[str, Any]:
    """Of each way to decide supported F1 by cell and over all, and paired differences with their 95 % intervals."""
    table = {name: np.array([row["scores"][name] for row in rows], dtype=np.float64) for name in DECIDING}
    null, served = (table[name][:, :, 0] for name in (NULL, "served"))
    proved_null = table[NULL][:, :, 1].mean(1).tolist()
    found: dict[str, Any] = {}
    for name, figures in table.items():
        mine = figures[:, :, 0]
        cellwise = [paired_bootstrap(*pair) for pair in zip(mine.T.tolist(), null.T.tolist(), strict=True)]
        found[name] = {
            "supported_f1": round(float(mine.mean()), 4),
            "by_cell": [round(float(value), 4) for value in mine.mean(0)],
            "against_null": paired_bootstrap(mine.mean(1).tolist(), null.mean(1).tolist())._asdict(),
            "against_served": paired_bootstrap(mine.mean(1).tolist(), served.mean(1).tolist())._asdict(),
            "against_null_by_cell": [one._asdict() for one in cellwise],
            "proved_f1": round(float(figures[:, :, 1].mean()), 4),
            "proved_against_null": paired_bootstrap(figures[:, :, 1].mean(1).tolist(), proved_null)._asdict(),
            "spent_mean": [round(float(value), 2) for value in figures[:, :, 2:5].mean((0, 1))],
            "violations": int(figures[:, :, 5].sum()),
        }
    return {
        "n": len(rows),
        "cells": [cell.about for cell in cells],
        "feasible_without_masks": float(np.mean([row["feasible"] for row in rows])),
        "deciding": found,
        "command": command,
    }


async def measure_proofs(
    stages: Mapping[str, Stage], files: Mapping[str, Path], cells: Sequence[Cell], out: Path, limit: int | None = None
) -> dict[str, Any]:
    """The report of all questions, and of each scope's.

    Raises:
        NotFoundError, BadInputError: as `own_questions`.
    """
    policy = ReadsAll()
    rows: dict[str, list[dict[str, Any]]] = {}
    for scope, file in files.items():
        kept = out / f"{scope.replace(':', '-')}-{file.stem}.jsonl"
        rows[scope] = await prove_questions(stages[scope], policy, own_questions(file)[:limit], cells, kept)
    every = [row for mine in rows.values() for row in mine]
    by_scope = {scope: proofs_report(mine, cells) for scope, mine in rows.items()}
    return {**proofs_report(every, cells), "by_scope": by_scope}
