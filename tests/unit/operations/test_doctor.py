from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import SecretStr

from clause.errors import (
    EmbedderMismatchError,
    MigrationError,
    ServerError,
    SettingsError,
    SetupError,
    UnavailableError,
)
from clause.graph.database import Capabilities
from clause.graph.migration_scripts import Script, chained
from clause.graph.server import ManagedServer, ServerStatus
from clause.graph.wire import Address
from clause.operations import doctor
from clause.operations import doctor as checks
from clause.operations import processes as daemon
from clause.operations.doctor import Examination, Finding


class FakeGraph(AbstractAsyncContextManager["FakeGraph"]):
    """Answers the statements that the doctor runs."""

    def __init__(self, rows: dict[str, list[dict[str, Any]]] | None = None) -> None:
        self.rows = rows or {}
        self.address = Address("bolt://127.0.0.1:1")

    async def __aexit__(self, *error: object) -> None:
        pass

    async def run(self, name: str, **parameters: Any) -> list[dict[str, Any]]:
        return self.rows.get(name, [])

    async def one(self, name: str, **parameters: Any) -> dict[str, Any] | None:
        return next(iter(await self.run(name)), None)


def fail(error: Exception) -> Any:
    def raiser(*given: Any, **named: Any) -> Any:
        raise error

    return raiser


def test_a_check_that_raises_tells_what_is_wrong_and_the_way_out() -> None:
    found = doctor.perform("disk", fail(SetupError("it is full", remedy="free some")))
    assert found == Finding(name="disk", ok=False, found="it is full", remedy="free some")


async def test_a_check_of_the_database_that_raises_does_too() -> None:
    found = await doctor.perform_async("database", fail(UnavailableError("it is away")))
    assert found == Finding(name="database", ok=False, found="it is away")


def test_an_examination_is_well_when_every_check_is() -> None:
    good, bad = Finding(name="a", ok=True, found="x"), Finding(name="b", ok=False, found="y")
    assert Examination(checks=(good, good)).ok
    assert not Examination(checks=(good, bad)).ok
    assert Examination(checks=(bad,)).model_dump(mode="json")["ok"] is False


def test_every_unknown_or_wrong_variable_is_named() -> None:
    environ = {"CLAUSE_PROT": "1", "CLAUSE_PORT": "no", "CLAUSE_MODE": "full", "PATH": "/bin"}
    with pytest.raises(SettingsError) as caught:
        checks.known_settings(environ)
    assert "CLAUSE_PROT" in caught.value.message
    assert "CLAUSE_PORT" in caught.value.message
    assert "CLAUSE_MODE" not in caught.value.message
    assert checks.usable(environ) == {"CLAUSE_MODE": "full"}


def test_known_variables_are_counted() -> None:
    assert checks.known_settings({"CLAUSE_MODE": "full"}) == "1 set"
    assert checks.known_settings({}) == "defaults"


def test_an_old_python_is_refused() -> None:
    assert checks.python_version() == ".".join(map(str, sys.version_info[:3]))
    with pytest.raises(SetupError, match=r"3\.10\.1 is too old"):
        checks.python_version((3, 10, 1))


def test_a_home_that_does_not_exist_yet_is_judged_by_its_parent(tmp_path: Path) -> None:
    wanted = tmp_path / "not" / "yet"
    assert "2.0 GiB free" in checks.home(wanted, lambda path: (2 << 30) if path == tmp_path else 0)
    assert not wanted.exists()


def test_a_full_disk_is_told_with_its_room(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="5 MiB of room"):
        checks.home(tmp_path, lambda path: 5 << 20)


def test_a_home_that_is_a_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SetupError, match="cannot be written"):
        checks.home(tmp_path / "file")


def test_the_real_disk_is_asked_when_nobody_else_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "NEEDED_BYTES", 1)
    assert "GiB free" in checks.home(tmp_path)


def test_a_port_that_another_program_has_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SetupError, match=f"127.0.0.1:{port}") as caught:
            checks.api_port("127.0.0.1", port, tmp_path / "api.json")
    assert "CLAUSE_PORT" in str(caught.value.remedy)
    assert checks.api_port("127.0.0.1", port, tmp_path / "api.json") == f"127.0.0.1:{port} is free"


def test_a_port_that_our_own_api_has_is_well(tmp_path: Path) -> None:
    state = tmp_path / "api.json"
    command = [sys.executable, "-c", "import time; time.sleep(600)"]
    pid = daemon.start_detached(command, tmp_path / "log", state, details={"port": 8421})
    try:
        assert checks.api_port("127.0.0.1", 8420, state) == f"the API runs on port 8421 (pid {pid})"
    finally:
        daemon.stop(state)


def test_the_java_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "find_java", lambda fetching: Path("/java"))
    monkeypatch.setattr(checks, "java_version", lambda java: 25)
    assert checks.java_at_hand() == "25 at /java"


def test_jars_that_are_not_fetched_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("M2_REPO", str(tmp_path))
    with pytest.raises(ServerError, match="238 of 238 jars are not fetched"):
        checks.fetched()


def test_jars_that_are_whole_are_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks.downloads, "missing", lambda jars, cache: [])
    assert "checksums right" in checks.fetched()


@pytest.mark.parametrize(("pid", "state"), [(None, "does not run"), (7, "is starting or hangs")])
def test_a_server_that_does_not_answer_is_told(pid: int | None, state: str) -> None:
    with pytest.raises(ServerError, match=state):
        checks.running(ServerStatus(running=False, home=Path("/home"), pid=pid))


@pytest.mark.parametrize(("memory_mb", "told"), [(500.4, "bolt://x, pid 7, 500 MiB"), (None, "bolt://x")])
def test_a_server_that_answers_is_told_with_its_memory(memory_mb: float | None, told: str) -> None:
    status = ServerStatus(running=True, home=Path("/home"), pid=7, uri="bolt://x", memory_mb=memory_mb)
    assert checks.running(status) == told


async def test_the_database_tells_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    async def probe(graph: Any) -> Capabilities:
        return Capabilities((2026, 8, 1), "community", False, ("5", "25"))

    monkeypatch.setattr(checks, "probe", probe)
    graph: Any = FakeGraph()
    assert await checks.database(graph) == "Neo4j 2026.08.01 community at bolt://127.0.0.1:1, password right"


def applied(scripts: Sequence[Script]) -> list[dict[str, Any]]:
    """What the database has of scripts that were applied one after the other."""
    rows, chain = [], ""
    for script in scripts:
        chain = chained(chain, script.checksum)
        rows.append({"id": script.id, "name": script.name, "checksum": script.checksum, "chain": chain})
    return rows


@pytest.mark.parametrize(
    ("changed", "told", "remedy"),
    [
        ({"id": "V9999", "name": "later"}, "the database has migration later", "the version of clause that applied it"),
        ({"checksum": "another"}, "was changed after it was applied", "restore the file"),
        ({"chain": "another"}, "the chain of applied migrations is broken", "restore a backup"),
    ],
)
async def test_what_every_other_command_refuses_is_not_well(changed: dict[str, str], told: str, remedy: str) -> None:
    rows = applied(checks.load_scripts())
    graph: Any = FakeGraph({"graph/applied": [*rows[:-1], rows[-1] | changed]})
    found = await checks.perform_async("migrations", lambda: checks.migrations(graph))
    assert (found.ok, told in found.found, remedy in str(found.remedy)) == (False, True, True)


async def test_pending_migrations_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    scripts = checks.load_scripts()
    graph: Any = FakeGraph({"graph/applied": applied(scripts[1:])})
    with pytest.raises(MigrationError, match=f"1 to apply: {scripts[0].id}") as caught:
        await checks.migrations(graph)
    assert caught.value.remedy == "run `clause migrate`"


@pytest.mark.parametrize(
    ("drifted", "told"),
    [({"one": "is missing"}, "one is missing$"), ({"one": "is missing", "two": "differs"}, r"and 1 more\)$")],
)
async def test_a_drifted_schema_is_told_with_its_cure(
    monkeypatch: pytest.MonkeyPatch, drifted: dict[str, str], told: str
) -> None:
    async def drift(graph: Any, **_: Any) -> dict[str, str]:
        return drifted

    monkeypatch.setattr(checks, "drift", drift)
    graph: Any = FakeGraph({"graph/applied": applied(checks.load_scripts())})
    with pytest.raises(MigrationError) as caught:
        await checks.migrations(graph)
    assert re.search(told, caught.value.message)
    assert caught.value.remedy == "run `clause db reindex one`"


async def test_vectors_of_another_length_are_told_as_an_unfinished_embedding(monkeypatch: pytest.MonkeyPatch) -> None:
    async def drift(graph: Any, **_: Any) -> dict[str, str]:
        return {"one": "is missing", "two": "has vector.dimensions 768 instead of 384"}

    monkeypatch.setattr(checks, "drift", drift)
    graph: Any = FakeGraph({"graph/applied": applied(checks.load_scripts())})
    with pytest.raises(MigrationError) as caught:
        await checks.migrations(graph)
    assert caught.value.remedy == "run `clause reembed` again where it was broken off, else `clause db reindex one`"


@pytest.mark.parametrize(
    ("model", "recorded", "told"),
    [("all-MiniLM-L6-v2", [], True), ("large", [], False), ("large", [{"model": "large", "dimension": 8}], True)],
)
async def test_the_length_of_vectors_is_compared_where_it_is_known_without_a_model(
    monkeypatch: pytest.MonkeyPatch, model: str, recorded: list[Any], told: bool
) -> None:
    compared = []

    async def drift(graph: Any, *, vectors: bool) -> dict[str, str]:
        compared.append(vectors)
        return {}

    monkeypatch.setattr(checks, "drift", drift)
    rows = {"graph/applied": applied(checks.load_scripts()), "graph/embedding_model": recorded}
    await checks.migrations(cast("Any", FakeGraph(rows)), model)
    assert compared == [told]


async def test_the_model_of_the_graph_is_compared_with_the_setting() -> None:
    graph: Any = FakeGraph({"graph/embedding_model": [{"model": "tiny", "dimension": 8}]})
    assert await checks.embedder(graph, "tiny") == "tiny, 8 numbers"
    with pytest.raises(EmbedderMismatchError, match="embedded by tiny, CLAUSE_EMBEDDER is large"):
        await checks.embedder(graph, "large")


async def test_a_graph_without_vectors_takes_any_model() -> None:
    graph: Any = FakeGraph()
    assert await checks.embedder(graph, "tiny") == "tiny; nothing is embedded yet"


@pytest.mark.parametrize("bad", ["0B", "0s", "null", ""])
async def test_a_server_without_a_limit_for_statements_is_told(bad: str) -> None:
    told = {"db.memory.transaction.max": "256.00MiB", "db.transaction.timeout": "10m"}
    well = [{"name": name, "value": value} for name, value in told.items()]
    ill = [*well, {"name": "x", "value": bad}]

    class Told:
        def __init__(self, rows: list[dict[str, str]]) -> None:
            self.rows = rows

        async def run(self, _name: str) -> list[dict[str, str]]:
            return self.rows

    assert "256.00MiB" in await checks.limits(cast("Any", Told(well)))
    with pytest.raises(SetupError, match="no limit for x"):
        await checks.limits(cast("Any", Told(ill)))


def environ_of(home: Path, **more: str) -> dict[str, str]:
    return {"CLAUSE_HOME": str(home), **more}


async def test_a_fresh_installation_lacks_only_its_server_and_nothing_is_written(tmp_path: Path) -> None:
    found = await doctor.examine(environ_of(tmp_path / "home", CLAUSE_PORT="0"))
    names = [check.name for check in found.checks]
    assert names == ["settings", "python", "home", "api port", "java", "jars", "server"]
    assert found.checks[-1].remedy == "run `clause db start`"
    assert not (tmp_path / "home").exists()


async def test_an_external_server_that_is_away_is_told_and_needs_no_java(tmp_path: Path) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        uri = f"bolt://127.0.0.1:{nobody.getsockname()[1]}"
        found = await doctor.examine(environ_of(tmp_path, CLAUSE_NEO4J_URI=uri, CLAUSE_NEO4J_PASSWORD="x"))
    names = [check.name for check in found.checks]
    assert names == ["settings", "python", "home", "api port", "database"]
    assert not found.checks[-1].ok


async def test_a_managed_server_with_the_wrong_password_file_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    up = ServerStatus(running=True, home=tmp_path, pid=os.getpid(), uri="bolt://127.0.0.1:1")
    monkeypatch.setattr(ManagedServer, "status", lambda self: up)
    monkeypatch.setattr(ManagedServer, "ensure", fail(ServerError("not the password", remedy="put it back")))
    found = await doctor.examine(environ_of(tmp_path))
    assert found.checks[-1] == Finding(name="password", ok=False, found="not the password", remedy="put it back")


async def test_a_managed_server_that_answers_is_examined_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def well(*given: Any) -> str:
        return "well"

    up = ServerStatus(running=True, home=tmp_path, pid=os.getpid(), uri="bolt://127.0.0.1:1")
    monkeypatch.setattr(ManagedServer, "status", lambda self: up)
    monkeypatch.setattr(ManagedServer, "ensure", lambda self: Address("bolt://127.0.0.1:1", "neo4j", SecretStr("x")))
    monkeypatch.setattr(doctor, "Graph", lambda *given, **named: FakeGraph())
    for name in ("database", "migrations", "limits", "embedder"):
        monkeypatch.setattr(checks, name, well)
    found = await doctor.examine(environ_of(tmp_path))
    assert [check.name for check in found.checks[-4:]] == ["database", "migrations", "limits", "embedder"]
    assert all(check.ok for check in found.checks[-4:])
