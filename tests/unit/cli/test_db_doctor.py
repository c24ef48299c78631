from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from clause.cli import db as command
from clause.operations import doctor
from clause.operations.doctor import Examination, Finding

GOOD = Finding(name="python", ok=True, found="3.11.7")
BAD = Finding(name="server", ok=False, found="it does not run", remedy="run `clause db start`")


def found(monkeypatch: pytest.MonkeyPatch, *checks: Finding) -> None:
    async def examine() -> Examination:
        return Examination(checks=checks)

    monkeypatch.setattr(doctor, "examine", examine)


def test_what_is_wrong_is_told_with_its_cure_and_ends_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    found(monkeypatch, GOOD, BAD)
    done = CliRunner().invoke(command.doctor_app)
    assert done.exit_code == 1
    well, ill, cure = done.stdout.splitlines()
    assert well.split() == ["ok", "python", "3.11.7"]
    assert ill.startswith("BAD  server")
    assert cure.strip() == "-> run `clause db start`"


def test_a_healthy_installation_ends_with_0(monkeypatch: pytest.MonkeyPatch) -> None:
    found(monkeypatch, GOOD)
    assert CliRunner().invoke(command.doctor_app).exit_code == 0


def test_json_is_one_object_with_every_check(monkeypatch: pytest.MonkeyPatch) -> None:
    found(monkeypatch, GOOD, BAD)
    done = CliRunner().invoke(command.doctor_app, ["--json"])
    told = json.loads(done.stdout)
    assert (done.exit_code, told["ok"], len(told["checks"])) == (1, False, 2)
    assert told["checks"][1] == BAD.model_dump()
