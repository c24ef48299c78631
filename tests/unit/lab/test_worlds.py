"""Questions of one's own, and worlds of them: read and counted."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from clause.errors import BadInputError, NotFoundError
from clause.evaluation.frontier import grid
from clause.evaluation.question_files import read_json_lines
from clause.lab.ablations import DECIDING, NULL
from clause.lab.reader.exams import fan_world
from clause.lab.reader.sources import wiki_world
from clause.lab.worlds import (
    NotedReadings,
    OwnCase,
    OwnOutcome,
    _kept_rows,
    _row_key,
    fitted_weights,
    moved_weights,
    own_differences,
    own_questions,
    own_report,
    proofs_report,
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


def test_an_own_file_is_read_as_training_reads_it(tmp_path: Path) -> None:
    line = '{"question": "in which\u2028year?", "answers": [1985, "Jose\u0301"], "form": "list"}\n'
    file = tmp_path / "own.jsonl.gz"
    file.write_bytes(gzip.compress(b"\xef\xbb\xbf" + line.encode()))
    (case,) = own_questions(file)
    (told,) = read_json_lines(file)
    assert (case.question, case.answers) == (told.text, told.answers) == ("in which\u2028year?", ("1985", "Jos\u00e9"))


def test_a_question_asked_in_other_cells_is_asked_again_and_a_cut_line_is_none(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    row = {"question": "Who?", "answers": ["Ann"], "cells": [[5, 6]], "scores": {}}
    file.write_text(json.dumps(row) + "\n" + json.dumps(row)[:20])
    known = _kept_rows(file)
    assert list(known.values()) == [row]
    assert _row_key({"question": "Who?", "answers": ("Ann",), "cells": [[5, 6]]}) in known
    assert _row_key({"question": "Who?", "answers": ("Ann",), "cells": [[5, 7]]}) not in known
    assert file.read_text() == json.dumps(row) + "\n"


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


def test_the_judge_moves_no_further_than_what_it_sees_tells() -> None:
    before = ReadingSigns(0.5, 0.8, 0.0, 1.0, 1.0, 0.5, 3.0, 0.0, -1.5, -1.0)
    seen = [(signs(share), share > 0) for share in (-2.0, -1.0, 1.0, 2.0)]
    _, little = moved_weights([seen], -2.0, before)
    bias, much = moved_weights([[(signs(0.0), True)] * 50], -2.0, before, deviation=0.1)
    assert little.share > before.share
    assert (little.unwalked, little.gap) == (before.unwalked, before.gap)
    assert bias > -2.0
    assert abs(much.explained - before.explained) < 0.5


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


def test_the_report_of_proofs_pairs_each_way_to_decide_with_the_null_by_question() -> None:
    def row(gain: float) -> dict[str, object]:
        cell = {name: 0.5 if name == NULL else 0.5 + gain for name in DECIDING}
        scores = {name: [[f1, 1.0, 3, 2, 40, 0]] * 2 for name, f1 in cell.items()}
        return {"question": "?", "scores": scores, "feasible": [True, gain > 0.1]}

    found = proofs_report([row(0.1), row(0.3)], grid([5, 10], [64], [6]), "clause evaluate proofs")
    assert found["deciding"]["served"]["supported_f1"] == pytest.approx(0.7)
    assert found["deciding"]["served"]["against_null"]["mean"] == pytest.approx(0.2)
    assert found["deciding"]["served"]["against_null"]["low"] == pytest.approx(0.1)
    assert found["deciding"][NULL]["against_served"]["mean"] == pytest.approx(-0.2)
    assert found["deciding"]["optimum"]["proved_f1"] == 1.0
    assert (found["n"], found["feasible_without_masks"], len(found["cells"])) == (2, 0.75, 2)


def test_a_made_up_graph_holds_what_its_questions_ask(tmp_path: Path) -> None:
    asked = [
        {
            "question": "Who owns Kes?",
            "mention": "Kes",
            "path": [{"relation": "owned by", "forward": True}],
            "set": "x",
        },
        {
            "question": "Who trained the owner of Kes?",
            "mention": "Kes",
            "path": [{"relation": "owned by", "forward": True}, {"relation": "pupil", "forward": False}],
            "set": "x",
        },
        {"question": "Who sold Kes?", "mention": "Kes", "path": [{"relation": "seller", "forward": True}], "set": "x"},
    ]
    with gzip.open(tmp_path / "train.jsonl.gz", "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(one) + "\n" for one in asked)
    fan_world(tmp_path, tmp_path / "fans", lambda path: any(label in {"owned by", "pupil"} for label, _ in path))
    triples = [line.split("|") for line in (tmp_path / "fans" / "triples.txt").read_text().splitlines()]
    (one,) = own_questions(tmp_path / "fans" / "hops1.jsonl")
    topic = one.question.removeprefix("Who owns ").removesuffix("?")
    assert set(one.answers) == {tail for head, label, tail in triples if (head, label) == (topic, "owned by")}
    (two,) = own_questions(tmp_path / "fans" / "hops2.jsonl")
    owners = {tail for head, label, tail in triples if label == "owned by" and two.question.endswith(f"{head}?")}
    assert set(two.answers) == {head for head, label, tail in triples if label == "pupil" and tail in owners}


def test_two_policies_are_compared_question_by_question() -> None:
    right, wrong, none = (outcome(("Ann",), given, 0.9) for given in (("Ann",), ("Bob",), ()))
    told = own_differences([right, right, none, none], [right, wrong, wrong, none])
    assert (told["right"]["mean"], told["wrong"]["mean"]) == (0.25, -0.5)
    assert told["right"]["low"] <= 0.25 <= told["right"]["high"]
