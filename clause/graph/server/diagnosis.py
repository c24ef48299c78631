"""Reasons why the server did not come up: one clear line and a way out, read from what it logged."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from clause.errors import ServerError

PORT_TAKEN = "a port is taken"
NOT_OPEN = "its database is closed"
_KEPT_LINES = 5


@dataclass(frozen=True)
class Cause:
    """A pattern of the log, what it means, and the way out."""

    pattern: str
    message: str
    remedy: str


_CAUSES = (
    Cause(
        r"No space left on device|OutOfDisk|Disk quota exceeded|disk is full",
        "the disk is full",
        "free some disk space, then run the command again; what was committed is safe",
    ),
    Cause(
        r"Address already in use|BindException|PortBindException",
        PORT_TAKEN,
        "run the command again: it chooses other ports",
    ),
    Cause(
        r"UnsupportedClassVersionError|Unsupported Java",
        "this Java is too old for Neo4j",
        "set JAVA_HOME to Java 21 or newer, or to nothing: one is fetched then",
    ),
    Cause(
        r"OutOfMemoryError: Java heap space",
        "its heap is too small for what it has to recover",
        "set CLAUSE_NEO4J_HEAP_MB higher, then run the command again; what was committed is safe",
    ),
    Cause(
        r"Could not reserve enough space|insufficient memory|Cannot allocate memory|OutOfMemoryError",
        "there is not enough memory for the server",
        "set CLAUSE_NEO4J_HEAP_MB lower, or free memory",
    ),
    Cause(
        r"FileLockException|Lock file has been locked|Unable to lock|store_lock",
        "another Neo4j uses this home's store",
        "stop that one, or set CLAUSE_HOME to another folder",
    ),
    Cause(
        r"newer version|later version|[Uu]nable to migrate|[Uu]nsupported store|StoreVersion|[Ss]tore format",
        "the store was written by another version of Neo4j",
        "open it with the version of clause that wrote it and export it, or move the folder data away to begin empty",
    ),
    Cause(
        r"Unrecognized setting|Error evaluating value for setting|Failed to read config",
        "the server refuses its configuration",
        "remove conf/neo4j.conf in the home folder and run the command again",
    ),
    Cause(
        r"Permission denied|AccessDeniedException|Read-only file system",
        "the server may not write its home folder",
        "mend the rights of the folder, or set CLAUSE_HOME to a folder of yours",
    ),
)


def diagnose(text: str, home: Path) -> ServerError:
    """The error for a server that ended or stayed silent after logging `text`.

    >>> diagnose("java.io.IOException: No space left on device", Path("/srv")).message
    'Neo4j in /srv did not start: the disk is full'
    """
    said = [line.strip() for line in text.splitlines() if line.strip()]
    last = said[-_KEPT_LINES:]
    for cause in _CAUSES:
        if re.search(cause.pattern, text):
            return _error(home, cause.message, cause.remedy, last)
    errors = [line for line in said if re.search(r"\bERROR\b|^Caused by: |^Error", line)]
    message = (errors or said or ["it ended without a word"])[-1]
    return _error(home, message, "see `clause db logs`", last)


def reasons_in(lines: Sequence[str]) -> list[str]:
    r"""The errors in the server's debug log, which is JSON: what each says, and what caused it.

    >>> told = {"level": "ERROR", "message": "no", "stacktrace": "a\n\tat b\nCaused by: c"}
    >>> reasons_in([json.dumps(told), '{"level":"INFO"}', "cut"])
    ['ERROR no', 'Caused by: c']
    """
    found: list[str] = []
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and entry.get("level") == "ERROR":
            found.append(f"ERROR {entry.get('message', '')}")
            found += [said for said in str(entry.get("stacktrace", "")).splitlines() if said.startswith("Caused by: ")]
    return found


def _error(home: Path, message: str, remedy: str, last: list[str]) -> ServerError:
    return ServerError(
        f"Neo4j in {home} did not start: {message}", remedy=remedy, details={"cause": message, "log": last}
    )


def tail(path: Path, n: int) -> list[str]:
    """The last `n` lines of a file; none when it is not there."""
    size = 400 * max(n, 1)
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - size))
            return file.read().decode("utf-8", errors="replace").splitlines()[-n:]
    except OSError:
        return []
