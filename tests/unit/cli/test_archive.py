import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clause.library import Clause as Library
from clause.reasoning.neighbourhood.snapshot import Snapshot
from tests.unit.cli.conftest import Done

Clause = Callable[..., Done]
GRAPH = Snapshot.build({"a": "Kes", "b": "Ken Loach"}, [("a", "directed_by", "b")])


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """The scopes that were read."""
    seen: list[Sequence[str]] = []

    async def snapshot(scopes: Sequence[str]) -> Snapshot:
        seen.append(scopes)
        return GRAPH

    @asynccontextmanager
    async def opened(*_: Any, **__: Any) -> AsyncIterator[SimpleNamespace]:
        yield SimpleNamespace(snapshot=snapshot)

    monkeypatch.setattr(Library, "open", opened)
    return seen


def test_scopes_become_one_file_that_can_be_read_back(
    clause: Clause, asked: list[Sequence[str]], tmp_path: Path
) -> None:
    told = json.loads(clause("snapshot", str(tmp_path / "films"), "--scope", "kg:films", "--json").out)
    assert (told["nodes"], told["edges"], told["file"]) == (2, 1, str(tmp_path / "films.npz"))
    assert asked == [["kg:films"]]
    assert Snapshot.load(Path(told["file"])).names == GRAPH.names


def test_it_says_in_words_what_was_written(clause: Clause, asked: list[Sequence[str]], tmp_path: Path) -> None:
    result = clause("snapshot", str(tmp_path / "films.npz"), "--scope", "kg:films")
    assert "2 nodes, 1 edges" in result.out


def test_a_folder_that_is_not_there_is_told_before_anything_is_read(
    clause: Clause, asked: list[Sequence[str]], tmp_path: Path
) -> None:
    result = clause("snapshot", str(tmp_path / "nowhere" / "films"), "--scope", "kg:films")
    assert result.code == 1
    assert "there is no folder" in result.err
    assert asked == []
