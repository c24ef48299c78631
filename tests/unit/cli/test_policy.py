"""`clause policy`: the running service is asked where there is one, and what is printed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from clause.cli import policy
from clause.errors import ClauseError, ConflictError, UnavailableError
from clause.policy.serve.checkpoint_store import CheckpointStore
from tests.unit.policy.serve.test_checkpoint_store import checkpoint

CHOICE = {"scope": "kg:mine", "policy": "boats", "before": ["", "learned"], "problem": None}
KNOWN = {"default": "learned", "at_hand": ["boats", "learned"], "choices": [CHOICE]}
FIGURES = {"n": 9, "em_at_1": 0.5, "supported_f1": 0.4, "answered": 0.6}


class Service:
    """A running service that keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Mapping[str, Any]]] = []
        self.refuses: ClauseError | None = None

    def get(self, path: str) -> Any:
        self.asked.append((path, {}))
        return KNOWN

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        self.asked.append((path, body))
        if self.refuses:
            raise self.refuses
        sides = {side: {"ample": {"own": FIGURES}} for side in ("candidate", "current")}
        return {**CHOICE, **(sides if path.endswith("promote") else {})}


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Service:
    stand_in = Service()
    monkeypatch.setenv("CLAUSE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("clause.cli.service.running", lambda: stand_in)
    return stand_in


def run(*words: str) -> str:
    result = CliRunner().invoke(policy.app, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_list_marks_the_default_and_says_what_scopes_chose(service: Service) -> None:
    told = ["boats", "learned  (default)", "boats decides in kg:mine, before it learned"]
    assert run("list").splitlines() == told
    assert json.loads(run("list", "--json")) == KNOWN


def test_a_choice_that_cannot_decide_is_told(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KNOWN, "choices", [{**CHOICE, "problem": "its file is away"}])
    assert "(it cannot decide, the default does: its file is away)" in run("list")


def test_use_and_rollback_are_asked_of_the_running_service(service: Service) -> None:
    assert run("use", "boats", "--scope", "kg:mine").startswith("boats decides in kg:mine, before it learned, from the")
    run("rollback", "--scope", "kg:mine", "--json")
    assert service.asked == [
        ("/api/policies/use", {"policy": "boats", "scope": "kg:mine"}),
        ("/api/policies/rollback", {"scope": "kg:mine"}),
    ]


def test_promote_puts_the_checkpoint_at_hand_and_shows_both_sides(service: Service, tmp_path: Path) -> None:
    source = checkpoint(tmp_path / "run")
    questions = tmp_path / "qa.txt"
    questions.write_text("who directed [Heat]\tMichael Mann\n")
    told = run("promote", str(source), "--name", "boats", "--scope", "kg:mine", "--questions", f"1={questions}")
    assert "current   own: 9 questions, right 0.500" in told
    assert (tmp_path / "home" / "policies" / "boats.safetensors").is_file()
    sent = {"1": [{"question": "who directed Heat", "answers": ("Michael Mann",)}]}
    assert service.asked == [
        ("/api/policies/promote", {"policy": "boats", "scope": "kg:mine", "questions": sent}),
    ]


def test_what_the_gate_refused_is_not_at_hand_unless_it_was_before(service: Service, tmp_path: Path) -> None:
    source = checkpoint(tmp_path / "run")
    store = CheckpointStore(tmp_path / "home" / "policies", "all-MiniLM-L6-v2", 384)
    words = ("promote", str(source), "--name", "boats", "--scope", "kg:mine")
    service.refuses = ConflictError("the candidate stays behind")
    with pytest.raises(ConflictError):
        run(*words)
    assert "boats" not in store
    store.put(source, "boats")
    with pytest.raises(ConflictError):
        run(*words)
    assert "boats" in store


def test_while_the_gate_may_be_asking_the_checkpoint_stays(service: Service, tmp_path: Path) -> None:
    service.refuses = UnavailableError("the service broke off: timed out")
    with pytest.raises(UnavailableError):
        run("promote", str(checkpoint(tmp_path / "run")), "--name", "boats", "--scope", "kg:mine")
    assert "boats" in CheckpointStore(tmp_path / "home" / "policies", "all-MiniLM-L6-v2", 384)


def test_the_questions_of_the_gate_are_given_as_its_remedy_says(service: Service, tmp_path: Path) -> None:
    questions = tmp_path / "qa.jsonl"
    questions.write_text('{"question": "who directed Heat", "answers": ["Michael Mann"]}\n')
    words = ("--name", "boats", "--scope", "kg:mine", "--questions", f"own={questions}")
    run("promote", str(checkpoint(tmp_path / "run")), *words)
    ((_, sent),) = service.asked
    assert sent["questions"] == {"own": [{"question": "who directed Heat", "answers": ("Michael Mann",)}]}


def test_without_a_service_the_command_does_it_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clause.cli.service.running", lambda: None)
    monkeypatch.setattr(policy, "_done", lambda work: CHOICE)
    assert json.loads(run("use", "boats", "--scope", "kg:mine", "--json"))["policy"] == "boats"
