"""The doctor's checks: each returns what it found in a few words, or raises what is wrong and what to do about it.

Nothing is started, fetched or written.
"""

from __future__ import annotations

import os
import shutil
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from clause.errors import EmbedderMismatchError, MigrationError, ServerError, SettingsError, SetupError
from clause.graph.migrations import drift
from clause.graph.probe import probe
from clause.graph.runner import Graph
from clause.graph.scripts import load_scripts
from clause.graph.server import ServerStatus, jars
from clause.graph.server.java import find_java, java_version
from clause.operations import daemon
from clause.settings import Settings

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
    found = find_java()
    return f"{java_version(found)} at {found}"


def fetched() -> str:
    """Every jar of the server is fetched and whole.

    Raises:
        ServerError: some are not.
    """
    from clause.graph.server import maven  # noqa: PLC0415 - jgo is slow to import, and an external server needs none

    locked = jars.read_lock()
    absent = jars.missing(locked, maven.repository())
    if absent:
        size_mb = sum(jar.size for jar in absent) / 2**20
        raise ServerError(
            f"{len(absent)} of {len(locked)} jars are not fetched ({size_mb:.0f} MiB)",
            remedy="run `clause db start`: it fetches them",
        )
    return f"{len(locked)} of Neo4j {jars.VERSION}, checksums right"


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


async def migrations(graph: Graph) -> str:
    """Every migration is applied and the schema has not drifted.

    Raises:
        MigrationError: some are pending, or indexes differ from what was declared.
    """

    applied = {row["id"] for row in await graph.run("graph/applied")}
    scripts = load_scripts()
    if pending := [script.id for script in scripts if script.id not in applied]:
        raise MigrationError(f"{len(pending)} to apply: {', '.join(pending)}", remedy="run `clause migrate`")
    if drifted := await drift(graph):
        name, difference = next(iter(drifted.items()))
        raise MigrationError(
            f"the schema drifted: {name} {difference}" + (f" (and {len(drifted) - 1} more)" * (len(drifted) > 1)),
            remedy=f"run `clause db reindex {name}`",
        )
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
