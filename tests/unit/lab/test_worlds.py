"""Questions of one's own, and worlds of them: read and counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from clause.errors import BadInputError, NotFoundError
from clause.lab.worlds import OwnCase, OwnOutcome, own_questions, own_report, worlds_report


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
