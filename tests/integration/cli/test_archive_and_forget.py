"""`clause export`, `clause forget` and `clause import` on a real server, one after the other."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ulid import ULID

from clause.cli.main import run
from clause.graph.catalogue import Catalogue
from clause.graph.runner import Graph
from clause.graph.wire import Address
from tests.servers import erase_scope, statement

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("no_model")]
FILL = statement(
    "MERGE (s:Scope {id: $scope}) SET s.scope = $scope, s.recorded_at = datetime('2026-01-01T00:00:00Z') "
    "CREATE (:Source {id: $scope + 'a', scope: $scope, title: 'hidden-' + $scope})-[:TRUSTS {weight: 0.5}]->"
    "(:Source {id: $scope + 'b', scope: $scope, embedding: [i IN range(1, 384) | 0.5]})",
    parameters="$scope STRING",
)


@pytest.fixture
def user(migrated_address: Address) -> Iterator[str]:
    """A scope with two sources."""
    scope = f"user:t{str(ULID()).lower()}"

    async def in_graph(work: Callable[[Graph], Any]) -> None:
        async with Graph(migrated_address, Catalogue.load()) as graph:
            await work(graph)

    asyncio.run(in_graph(lambda graph: graph.execute(FILL, {"scope": scope})))
    yield scope
    asyncio.run(in_graph(lambda graph: erase_scope(graph, scope)))


@pytest.fixture
def clause(
    migrated_address: Address, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., tuple[int, str]]:
    """`clause(...)` runs a command against the test server: exit code and stdout."""
    monkeypatch.setenv("CLAUSE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUSE_NEO4J_URI", migrated_address.uri)
    monkeypatch.setenv("CLAUSE_NEO4J_USER", migrated_address.user)
    monkeypatch.setenv("CLAUSE_NEO4J_PASSWORD", migrated_address.password.get_secret_value())
    monkeypatch.setenv("CLAUSE_NEO4J_DATABASE", migrated_address.database)

    def invoke(*arguments: str) -> tuple[int, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            run(arguments)
        code = stopped.value.code
        return (code if isinstance(code, int) else 0), capsys.readouterr().out

    return invoke


def test_a_scope_is_exported_forgotten_and_brought_back(
    clause: Callable[..., tuple[int, str]], user: str, tmp_path: Path
) -> None:
    file = str(tmp_path / "scope.jsonl")
    code, out = clause("export", file, "--scope", user)
    assert (code, "3 nodes and 1 relationships" in out) == (0, True)
    exported = json.loads(clause("export", file, "--scope", user, "--json")[1])
    assert (exported["nodes"], exported["relationships"], exported["borrowed"]) == (3, 1, 0)

    code, out = clause("forget", "--scope", user, "--preview")
    assert (code, "would be erased" in out, "2 Source" in out, "transaction logs" in out) == (0, True, True, True)
    receipt = json.loads(clause("forget", "--scope", user, "--yes", "--json")[1])
    assert (receipt["done"], receipt["counts"]["Source"], receipt["vectors"]) == (True, 2, 1)
    assert "hidden" not in json.dumps(receipt)
    assert clause("forget", "--scope", user, "--yes")[0] == 1

    code, out = clause("import", file)
    assert (code, "as in the archive" in out) == (0, True)
    assert clause("import", file, "--json")[0] == 1
    again = json.loads(clause("export", f"{file}.gz", "--scope", user, "--json")[1])
    assert again["canonical"] == exported["canonical"]


def test_an_export_names_the_sessions_that_are_not_in_it_and_forgetting_would_take(
    clause: Callable[..., tuple[int, str]], migrated_address: Address, user: str, tmp_path: Path
) -> None:
    async def fill(scope: str) -> None:
        async with Graph(migrated_address, Catalogue.load()) as graph:
            await graph.execute(FILL, {"scope": scope})

    for number in (1, 2):
        asyncio.run(fill(f"{user}/session:{number}"))
    file = str(tmp_path / "scope.jsonl")

    said = clause("export", file, "--scope", user)[1]
    assert f"; 2 scopes {user}/session:... are not in it: export each by its name" in said
    assert json.loads(clause("export", file, "--scope", user, "--json")[1])["sessions"] == 2
    assert "not in it" not in clause("export", file, "--scope", f"{user}/session:1")[1]
    assert json.loads(clause("forget", "--scope", user, "--yes", "--json")[1])["counts"]["Source"] == 6


def test_forgetting_asks_first_and_needs_one_thing(
    clause: Callable[..., tuple[int, str]], user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert clause("forget", "--scope", user, "--json")[0] == 1
    assert clause("forget")[0] == 1
    assert clause("forget", "--scope", user, "--source", "x")[0] == 1
    code, out = clause("forget", "--source", f"{user}a")
    assert (code, "would be erased" in out) == (1, True)
    assert json.loads(clause("forget", "--source", f"{user}a", "--preview", "--json")[1])["counts"] == {"Source": 1}
    assert clause("forget", "--belief", "none", "--yes")[0] == 1
    code, out = clause("forget", "--source", f"{user}a", "--yes")
    assert (code, "erased: 1 Source" in out) == (0, True)
