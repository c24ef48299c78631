"""A command line that is run in process, and the parts behind it as fakes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from clause import app as container
from clause.cli.main import run
from clause.graph import database
from tests.unit.api.fakes import FakeContainer


class Done(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def clause(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Done]:
    """`clause("ask", "why")` runs the command in a home of its own."""
    monkeypatch.setenv("CLAUSE_HOME", str(tmp_path / "home"))

    def invoke(*arguments: str) -> Done:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            run(arguments)
        said = capsys.readouterr()
        return Done(stopped.value.code or 0, said.out, said.err)

    return invoke


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> FakeContainer:
    """The container that commands open."""
    fake = FakeContainer()

    @asynccontextmanager
    async def open_container(*_: Any, **__: Any) -> AsyncIterator[FakeContainer]:
        yield fake

    monkeypatch.setattr(container.Container, "open", open_container)
    return fake


@pytest.fixture
def graph(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The graph that commands open."""
    from clause.graph.wire import Address

    fake = SimpleNamespace(address=Address("bolt://127.0.0.1:7687"))

    @asynccontextmanager
    async def open_graph(*_: Any, **__: Any) -> AsyncIterator[SimpleNamespace]:
        yield fake

    monkeypatch.setattr(database, "open_graph", open_graph)
    return fake
