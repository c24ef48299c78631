"""Finds what is wrong with this installation and how to mend it: checks that each say what they found, in the order in
which to mend.

Nothing is started, fetched or written.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from pydantic import Field, SecretStr, computed_field

from clause.errors import ClauseError, EmbedderMismatchError, MigrationError, ServerError, SettingsError, SetupError
from clause.graph.catalogue import Catalogue
from clause.graph.database import probe
from clause.graph.migration_scripts import load_scripts
from clause.graph.migrations import drift, drift_error, pending
from clause.graph.runner import Graph
from clause.graph.server import ManagedServer, ServerStatus, downloads
from clause.graph.server.launch import find_java, java_version
from clause.graph.wire import Address
from clause.operations import processes as daemon
from clause.settings import Settings
from clause.text.embedder import DEFAULT_MODEL
from clause.text.fields import Frozen

_TIMEOUT_S = 30.0
"""A server that just started answers its first statements slowly."""


class Finding(Frozen):
    """One part: whether it is well, what was found, and how to mend it where it is not."""

    name: str
    ok: bool
    found: str
    remedy: str | None = None


class Examination(Frozen):
    """All checks, in the order in which to mend them."""

    checks: tuple[Finding, ...] = Field(description="from the ground up")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def ok(self) -> bool:
        """True when nothing is wrong."""
        return all(check.ok for check in self.checks)


async def examine(environ: Mapping[str, str] | None = None) -> Examination:
    """Run every check on the installation that `environ` (default: this process' environment) describes."""
    environ = os.environ if environ is None else environ
    settings = Settings.load(usable(environ))
    managed = settings.neo4j_uri is None
    found = [
        perform("settings", lambda: known_settings(environ)),
        perform("python", python_version),
        perform("home", lambda: home(settings.home)),
        perform("api port", lambda: api_port(settings.host, settings.port, settings.home / "api.json")),
    ]
    if managed:
        server = ManagedServer(settings.home, settings.neo4j_heap_mb)
        found += [
            perform("java", java_at_hand),
            perform("jars", fetched),
            perform("server", lambda: running(server.status())),
        ]
    if all(check.ok for check in found if check.name == "server"):
        found += await _examine_graph(settings)
    return Examination(checks=tuple(found))


def perform(name: str, check: Callable[[], str]) -> Finding:
    """The outcome of one check.

    >>> perform("moon", lambda: "full")
    Finding(name='moon', ok=True, found='full', remedy=None)
    """
    try:
        return Finding(name=name, ok=True, found=check())
    except ClauseError as error:
        return Finding(name=name, ok=False, found=error.message, remedy=error.remedy)


async def perform_async(name: str, check: Callable[[], Awaitable[str]]) -> Finding:
    """The outcome of one check that asks the database."""
    try:
        return Finding(name=name, ok=True, found=await check())
    except ClauseError as error:
        return Finding(name=name, ok=False, found=error.message, remedy=error.remedy)


async def _examine_graph(settings: Settings) -> list[Finding]:
    """The checks that ask the database: who it is, whether it lets us in, its schema, its embedding model."""
    try:
        address = _address(settings)
    except ClauseError as error:
        return [Finding(name="password", ok=False, found=error.message, remedy=error.remedy)]
    async with Graph(address, Catalogue.load(), timeout_s=_TIMEOUT_S, pool_size=1) as graph:
        first = await perform_async("database", lambda: database(graph))
        if not first.ok:
            return [first]
        return [
            first,
            await perform_async("migrations", lambda: migrations(graph, settings.embedder)),
            await perform_async("limits", lambda: limits(graph)),
            await perform_async("embedder", lambda: embedder(graph, settings.embedder)),
        ]


def _address(settings: Settings) -> Address:
    if settings.neo4j_uri is None:
        return ManagedServer(settings.home, settings.neo4j_heap_mb).ensure()
    password = settings.neo4j_password or SecretStr("")
    return Address(settings.neo4j_uri, settings.neo4j_user, password, settings.neo4j_database)


OLDEST_PYTHON = (3, 11)
NEEDED_BYTES = 1 << 30
"""Free disk space that loading and the server's logs of changes want, in bytes."""


def usable(environ: Mapping[str, str]) -> dict[str, str]:
    """The CLAUSE_* variables that are settings with allowed values: what the later checks go by."""
    return {name: value for name, value in environ.items() if name.startswith("CLAUSE_") and not _refusal(name, value)}


def known_settings(environ: Mapping[str, str]) -> str:
    """Every CLAUSE_* variable is a setting with an allowed value.

    Raises:
        SettingsError: one is not; the message names all of them.
    """
    given = {name: value for name, value in environ.items() if name.startswith("CLAUSE_")}
    refused = [error for name, value in sorted(given.items()) if (error := _refusal(name, value))]
    if refused:
        remedy = next((error.remedy for error in refused if error.remedy), "correct or unset it")
        raise SettingsError("; ".join(error.message for error in refused), remedy=remedy)
    return f"{len(given)} set" if given else "defaults"


def _refusal(name: str, value: str) -> SettingsError | None:
    try:
        Settings.load({name: value})
    except SettingsError as error:
        return error
    return None


def python_version(version: Sequence[int] = sys.version_info[:3]) -> str:
    """This Python is new enough.

    Raises:
        SetupError: it is not.
    """
    told = ".".join(map(str, version))
    if tuple(version[:2]) < OLDEST_PYTHON:
        raise SetupError(f"Python {told} is too old", remedy="make the environment with Python 3.11, 3.12 or 3.13")
    return told


def home(folder: Path, free_bytes: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free) -> str:
    """The home folder, or the first of its parents that exists, can be written and has room.

    Raises:
        SetupError: it cannot, or has not.
    """
    there = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise SetupError(
            f"{there} cannot be written", remedy="mend its rights, or set CLAUSE_HOME to a folder of yours"
        )
    free = free_bytes(there)
    if free < NEEDED_BYTES:
        raise SetupError(
            f"{folder} has {free / 2**20:.0f} MiB of room", remedy="free 1 GiB, or set CLAUSE_HOME to another disk"
        )
    return f"{folder}, {free / 2**30:.1f} GiB free"


def api_port(host: str, port: int, state: Path) -> str:
    """The API can listen, or listens already.

    Raises:
        SetupError: another program has the port, or the address is not of this machine.
    """
    record = daemon.running(state)
    if record is not None:
        return f"the API runs on port {record.details.get('port', port)} (pid {record.pid})"
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            reason = error.strerror or str(error)
            raise SetupError(f"{host}:{port}: {reason}", remedy="stop that program, or set CLAUSE_PORT") from error
    return f"{host}:{port} is free"


def java_at_hand() -> str:
    """There is a Java that can run the server.

    Raises:
        ServerError: there is none.
    """
    found = find_java(fetching=False)
    return f"{java_version(found)} at {found}"


def fetched() -> str:
    """Every jar of the server is fetched and whole.

    Raises:
        ServerError: some are not.
    """
    locked = downloads.read_lock()
    absent = downloads.missing(locked, downloads.repository())
    if absent:
        size_mb = sum(jar.size for jar in absent) / 2**20
        raise ServerError(
            f"{len(absent)} of {len(locked)} jars are not fetched ({size_mb:.0f} MiB)",
            remedy="run `clause db start`: it fetches them",
        )
    return f"{len(locked)} of Neo4j {downloads.VERSION}, checksums right"


def running(status: ServerStatus) -> str:
    """The managed server answers.

    Raises:
        ServerError: it does not run, or not yet.
    """
    if not status.running:
        state = "is starting or hangs" if status.pid else "does not run"
        raise ServerError(f"the local Neo4j {state}", remedy="run `clause db start`")
    return f"{status.uri}, pid {status.pid}, {status.memory_mb:.0f} MiB" if status.memory_mb else str(status.uri)


async def database(graph: Graph) -> str:
    """The database answers, lets us in, and is new enough.

    Raises:
        ServerError: it refuses the password or is too old.
        UnavailableError: nothing answers.
    """

    found = await probe(graph)
    version = ".".join(f"{part:02}" for part in found.version)
    return f"Neo4j {version} {found.edition} at {graph.address.uri}, password right"


async def migrations(graph: Graph, model: str = DEFAULT_MODEL) -> str:
    """Every migration is applied and the schema has not drifted; how long the vectors of a model are that is neither
    packaged nor recorded is not asked, for that loads it.

    Raises:
        MigrationError: some are pending, were changed or are unknown, or indexes differ from what was declared.
    """

    scripts = load_scripts()
    if waiting := [script.id for script in pending(scripts, await graph.run("graph/applied"))]:
        raise MigrationError(f"{len(waiting)} to apply: {', '.join(waiting)}", remedy="run `clause migrate`")
    known = model == DEFAULT_MODEL or await graph.one("graph/embedding_model") is not None
    if drifted := await drift(graph, vectors=known):
        raise drift_error(drifted)
    return f"{len(scripts)} applied"


async def embedder(graph: Graph, model: str) -> str:
    """The graph was embedded by the model of the settings.

    Raises:
        EmbedderMismatchError: by another one.
    """
    row = await graph.one("graph/embedding_model")
    if row is None:
        return f"{model}; nothing is embedded yet"
    if row["model"] != model:
        raise EmbedderMismatchError(
            f"the graph was embedded by {row['model']}, CLAUSE_EMBEDDER is {model}",
            remedy="set CLAUSE_EMBEDDER to the first, or run `clause reembed`",
        )
    return f"{model}, {row['dimension']} numbers"


async def limits(graph: Graph) -> str:
    """The server bounds the memory of statements and their time, so that none takes it down.

    Raises:
        SetupError: a limit is not set; the message names it.
    """
    try:
        rows = await graph.run("operations/limits")
    except ClauseError:
        return "not told by this server: its operator sets them"
    told = {str(row["name"]): str(row["value"]) for row in rows}
    if missing := sorted(name for name, value in told.items() if not re.search(r"[1-9]", value)):
        raise SetupError(
            f"the server sets no limit for {', '.join(missing)}: one statement could take all its memory or time",
            remedy="set it in neo4j.conf, to a quarter of the heap for one statement and half for all",
        )
    return ", ".join(f"{name.rpartition('memory.')[2]} {value}" for name, value in sorted(told.items()))
