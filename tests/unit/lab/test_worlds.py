"""Questions of one's own, and worlds of them: read and counted."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from clause.errors import BadInputError, NotFoundError
from clause.lab.reader.sources import wiki_world
from clause.lab.worlds import (
    NotedReadings,
    OwnCase,
    OwnOutcome,
    fitted_weights,
    own_questions,
    own_report,
    worlds_report,
)
from clause.policy.serve.grounded import ReadingSigns
from clause.reasoning.agents.policy import Question
from clause.reasoning.episode.budget import Prices


def outcome(gold: tuple[str, ...], answers: tuple[str, ...], score: float | None, form: str = "list") -> OwnOutcome:
    best = answers[0] if answers else None
    return OwnOutcome(OwnCase("?", gold), answers, best, score, form, 10.0)


def test_questions_are_lines_of_json(tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    file.write_text('{"question": "Who?", "answers": ["Ann"], "start": "Kes"}\n\n{"question": "Why?", "answers": []}\n')
    assert own_questions(file) == [OwnCase("Who?", ("Ann",), "Kes"), OwnCase("Why?")]


@pytest.mark.parametrize("text", ['{"question": "Who?"}\n', "no json\n", "[1]\n", "\n"])
def test_what_is_no_question_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "own.jsonl"
    file.write_text(text)
    with pytest.raises(BadInputError):
        own_questions(file)
    with pytest.raises(NotFoundError):
        own_questions(tmp_path / "none.jsonl")


def test_an_abstention_is_right_where_nothing_answers() -> None:
    asked = [
        outcome(("Ann",), ("Ann", "Bob"), 0.9),
        outcome(("Ann",), ("Bob",), 0.9, "count"),
        outcome(("Ann",), (), None),
        outcome((), (), None),
        outcome((), ("Ann",), 0.9),
    ]
    assert [one.verdict for one in asked] == ["right", "wrong", "abstained", "right", "wrong"]
    told = own_report(asked, "clause evaluate own")
    assert (told["n"], told["em_at_1"], told["answered"], told["wrong"]) == (5, 0.4, 0.6, 0.4)
    assert told["by_form"]["count"] == {"n": 1, "em_at_1": 0.0, "answered": 1.0, "wrong": 1.0}
    assert told["ece"] == pytest.approx(0.5667, abs=1e-4)
    assert told["command"] == "clause evaluate own"


def test_worlds_are_told_together_and_each() -> None:
    told = worlds_report({"a": [outcome(("Ann",), ("Ann",), 0.9)], "b": [outcome((), ("Ann",), 0.9)]}, "clause")
    assert (told["n"], told["em_at_1"], told["wrong"]) == (2, 0.5, 0.5)
    assert (told["by_world"]["a"]["em_at_1"], told["by_world"]["b"]["em_at_1"]) == (1.0, 0.0)


def signs(share: float, linked: float = 1.0) -> ReadingSigns:
    return ReadingSigns(share, 0.0, linked, 0.0, 0.0, 0.0, 0.8, 1.0)


def test_the_judge_learns_by_what_right_readings_are_told() -> None:
    graph = [(signs(share), share > 0) for share in (-3.0, -2.0, -1.0, 1.0, 2.0, 3.0)]
    bias, weights = fitted_weights([graph, graph])
    assert weights.share > 0.3
    assert (weights.gap, weights.verdict, weights.joined) == (0, 0, 0)
    assert abs(bias) < 0.5


def test_the_signs_of_first_readings_are_noted_beside_what_was_right() -> None:
    noted = NotedReadings()
    for text in ("Who?", "Why?"):
        noted.judged(Question(text, np.zeros(1), [], {}, Prices()), [signs(1.0), signs(2.0)])
    noted.judged(Question("Where?", np.zeros(1), [], {}, Prices()), [])
    asked = [OwnOutcome(OwnCase("Who?", ("Ann",)), ("Ann",), "Ann", 0.9, "list", 1.0)]
    asked.append(OwnOutcome(OwnCase("Why?", ("Bob",)), (), "Ann", 0.2, "list", 1.0))
    asked.append(OwnOutcome(OwnCase("Where?", ("Bob",)), (), None, None, "list", 1.0))
    assert noted.lessons(asked) == [(signs(1.0), True), (signs(1.0), False)]


def test_evidence_becomes_a_graph_with_questions(tmp_path: Path) -> None:
    lives = [["Kes", "director", "Ken Loach"], ["Ken Loach", "place of birth", "Nuneaton"]]
    both = [["Kes", "publication date", "1969"], ["Up", "publication date", "2009"]]
    rows = [
        {"question": "Where?", "answer": "nuneaton", "type": "compositional", "evidence_triples": lives},
        {"question": "Which?", "answer": "KES", "type": "comparison", "evidence_triples": both},
        {"question": "Same?", "answer": "no", "type": "comparison", "evidence_triples": both},
    ]
    for name in ("dev", "dev_distractor", "train_distractor"):
        with gzip.open(tmp_path / f"{name}.jsonl.gz", "wt", encoding="utf-8") as lines:
            lines.writelines(f"{json.dumps(row)}\n" for row in rows)
    wiki_world(tmp_path, tmp_path / "world")
    assert len((tmp_path / "world" / "triples.txt").read_text(encoding="utf-8").splitlines()) == 4
    read = own_questions(tmp_path / "world" / "train.jsonl")
    assert [set(one.answers) for one in read] == [{"nuneaton", "Nuneaton"}, {"KES", "Kes"}, {"no"}]
