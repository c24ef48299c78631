"""`clause policy`: what is printed, and what the gate is given."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from clause.cli import policy
from clause.evaluation.harness import AnswerOutcome

ROWS = [{"id": "films-1", "state": "active"}]


class Promoted:
    """Stands for the promotions; keeps what it was given."""

    def __init__(self) -> None:
        self.given: tuple[Any, ...] = ()

    async def all(self) -> list[dict[str, Any]]:
        return ROWS

    async def promote(self, *given: Any) -> dict[str, Any]:
        self.given = given
        return {"id": given[1], "replaces": None}

    async def rollback(self) -> dict[str, Any]:
        return {"id": "films-1", "back_to": None}


@pytest.fixture
def promoted(monkeypatch: pytest.MonkeyPatch) -> Promoted:
    from clause.app import Container

    async def warmed() -> None:
        return None

    @asynccontextmanager
    async def opened(settings: Any, *, policies: Any) -> Any:
        book = SimpleNamespace(default="learned", names=("films-1", "heuristic", "learned"))
        yield SimpleNamespace(warming=warmed(), coordinator=SimpleNamespace(policies=book))

    async def answer(system: Any, asked: Any, clients: int) -> list[AnswerOutcome]:
        return [AnswerOutcome(answers=[(question.answers[0], 1.0)]) for question in asked]

    async def snapshot(container: Any, scopes: Any) -> None:
        return None

    stand_in = Promoted()
    monkeypatch.setattr(Container, "open", opened)
    monkeypatch.setattr(policy, "promotions", lambda container: stand_in)
    monkeypatch.setattr("clause.evaluation.harness.ask_all", answer)
    monkeypatch.setattr("clause.cli.console.snapshot_coordinate", snapshot)
    return stand_in


def run(*words: str) -> str:
    result = CliRunner().invoke(policy.app, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_list_marks_the_default(promoted: Promoted) -> None:
    assert run("list").splitlines() == ["films-1", "heuristic", "learned  (default)"]
    assert json.loads(run("list", "--json")) == {
        "default": "learned",
        "at_hand": ["films-1", "heuristic", "learned"],
        "recorded": ROWS,
    }


def test_a_candidate_meets_the_current_policy_at_both_settings(promoted: Promoted, tmp_path: Path) -> None:
    questions = tmp_path / "qa.txt"
    questions.write_text("who directed [Heat]\tMichael Mann\n")
    words = ("promote", str(tmp_path / "new"), "--name", "films-2", "--questions", f"1={questions}")
    assert run(*words).startswith("films-2 decides from the next start on, instead of learned")
    source, name, verdict, metrics = promoted.given
    assert (source, name, verdict.passed) == (tmp_path / "new", "films-2", True)
    assert set(metrics) == {"ample", "tight"}
    assert metrics["tight"]["1"]["em_at_1"] == 1.0
    assert json.loads(run(*words, "--json"))["id"] == "films-2"


def test_one_call_goes_back(promoted: Promoted) -> None:
    assert run("rollback").startswith("learned decides from the next start on, instead of films-1")
    assert json.loads(run("rollback", "--json"))["back_to"] is None
