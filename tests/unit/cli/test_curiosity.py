"""`clause curiosity`: what is printed of the worker, the state and the demonstration."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from clause.cli import curiosity
from clause.intelligence.models import InvestigationReport


class Investigator:
    """Stands for the worker; keeps what it was asked."""

    def __init__(self) -> None:
        self.most: int | None = None

    async def work(self, *, caller: Any, most: int | None = None) -> InvestigationReport:
        self.most = most
        return InvestigationReport(investigated=2, findings=3)

    async def state(self, *, caller: Any) -> dict[str, int]:
        return {"queued": 4}


@pytest.fixture
def investigator(monkeypatch: pytest.MonkeyPatch) -> Investigator:
    worker = Investigator()

    @asynccontextmanager
    async def opened(*, sample: bool) -> Any:
        assert not sample
        yield SimpleNamespace(rooms=SimpleNamespace(intelligence=SimpleNamespace(investigator=worker)))

    monkeypatch.setattr("clause.cli.console.opened", opened)
    return worker


def test_work_says_what_was_investigated(investigator: Investigator) -> None:
    found = CliRunner().invoke(curiosity.app, ["work", "--most", "5", "--json"])
    assert json.loads(found.stdout) == {"investigated": 2, "findings": 3, "failed": 0}
    assert investigator.most == 5


def test_status_names_every_state(investigator: Investigator) -> None:
    found = CliRunner().invoke(curiosity.app, ["status"])
    assert found.stdout.splitlines() == ["queued: 4", "investigating: 0", "completed: 0"]


def test_the_demonstration_is_shown(investigator: Investigator, monkeypatch: pytest.MonkeyPatch) -> None:
    async def demo(_services: Any) -> dict[str, Any]:
        return {"before": ["Heat"], "after": ["Al Pacino"]}

    monkeypatch.setattr("clause.lab.curiosity.curiosity_demo", demo)
    found = CliRunner().invoke(curiosity.app, ["demo"])
    assert "after: ['Al Pacino']" in found.stdout
